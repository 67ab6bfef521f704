/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words of the command line. Nothing in this layer looks at the machine: the
 * same words always give the same request or the same error.
 */
#ifndef XHROOMCTL_ARGS_H
#define XHROOMCTL_ARGS_H

#include "err.h"
#include "model.h"

enum command {
	CMD_SHOW,
	CMD_SET,
	CMD_CLEAR,
	CMD_POLICY,
	CMD_STATUS,
	CMD_STATS,
	CMD_MONITOR,
	CMD_SAVE,
	CMD_RESTORE,
	CMD_VERSION,
	CMD_HELP,
	NR_COMMANDS
};

enum policy_action {
	POLICY_SHOW,
	POLICY_SET,
	POLICY_CLEAR,
	POLICY_CLEAR_ALL,
};

/* The words for them; the last two share one. */
extern const char *const policy_actions[];
extern const size_t nr_policy_actions;

/**
 * struct command_info - one command, for parsing, help and completion
 * @name: the word
 * @synopsis: what follows it
 * @summary: one line
 * @text: the rest of "help COMMAND"
 * @dev: whether a device may follow
 */
struct command_info {
	const char *name;
	const char *synopsis;
	const char *summary;
	const char *text;
	bool dev;
};

extern const struct command_info commands[NR_COMMANDS];

/**
 * struct option_info - one option
 * @letter: short form
 * @name: long form, without the dashes
 * @value: name of its value in help, NULL if it has none
 * @summary: one line
 * @commands: bit for each command that it goes with; 0: all
 */
struct option_info {
	char letter;
	const char *name;
	const char *value;
	const char *summary;
	unsigned int commands;
};

extern const struct option_info options[];
extern const size_t nr_options;

/**
 * struct setting_info - one setting of a device
 * @name: the word
 * @mask: its bit
 * @unit: of its value, if that is a number
 * @value_name: the word for a value, if it is one of a list; NULL if it is a number
 * @max: largest value that the tool knows; of a list, its last word (the first
 *	one's value is 1)
 * @parse: reads a value into a struct dev_conf; returns how many of the @nr words
 *	it took, at least one, or -1
 * @value: its value there
 * @prefix: words in front of that value, or an empty string; sets the smallest
 *	value. NULL: never any, and 0 (of a list, 1)
 */
struct setting_info {
	const char *name;
	unsigned int mask;
	const char *unit;
	const char *(*value_name)(uint32_t value);
	uint32_t max;
	int (*parse)(const struct setting_info *setting, const char *subject,
		     char *const *words, int nr, struct dev_conf *conf, struct err *err);
	uint32_t (*value)(const struct dev_conf *conf);
	const char *(*prefix)(const struct dev_conf *conf, uint32_t *min);
};

extern const struct setting_info settings[];
extern const size_t nr_settings;

/**
 * struct request - what the user wants
 * @command: to do
 * @json: machine-readable output
 * @pretty: JSON with line breaks
 * @statistics: counters, too
 * @dry_run: nothing is to be changed, only to be said
 * @check: of CMD_RESTORE: only look at the file
 * @options: bit for each option that was given
 * @netns: name or path of a network namespace, NULL for the current one
 * @dev: device name, NULL for all
 * @file: of CMD_SAVE and CMD_RESTORE, NULL for the usual one
 * @action: of CMD_POLICY
 * @policy: its match
 * @conf: values for CMD_SET, CMD_CLEAR and POLICY_SET
 * @mask: which of them
 * @interval: seconds between repetitions, 0 for none
 * @topic: of CMD_HELP, NULL for the overview
 */
struct request {
	enum command command;
	bool json;
	bool pretty;
	bool statistics;
	bool dry_run;
	bool check;
	unsigned int options;
	const char *netns;
	const char *dev;
	const char *file;
	enum policy_action action;
	struct policy policy;
	struct dev_conf conf;
	unsigned int mask;
	unsigned int interval;
	const struct command_info *topic;
};

/* Return 0, or -1 with @err set. Strings in @req point into @argv. */
int args_parse(int argc, char *const *argv, struct request *req, struct err *err);

/*
 * The reverse for what changes settings: the words, without a line end, that ask
 * for the same. Of CMD_CLEAR those of the CMD_SET that it is.
 */
void args_print(FILE *file, const struct request *req);

/*
 * Whether the values are within the ranges that the tool knows: for those who
 * cannot ask the kernel, which has the last word.
 */
int args_check_range(const char *subject, const struct dev_conf *conf, unsigned int mask,
		     struct err *err);

const struct command_info *command_find(const char *word);
const struct setting_info *setting_find(const char *word);

/* What is saved and restored unless another one is named. */
#define USUAL_FILE	"/etc/xhroom.conf"

/* Longest interface name, alternative names included, without the NUL. */
#define DEV_NAME_MAX	127

#endif
