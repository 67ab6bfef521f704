// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes the command line apart. Everything that can be said about the words
 * alone is said here, before anything is asked of the kernel; whether a number
 * is within its range is for the kernel to say, which may be newer than the
 * tool.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <linux/xhroom.h>

#include "args.h"
#include "out.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define STR_(x) #x
#define STR(x) STR_(x)

#define XDP_HEADROOM_RANGE STR(XHROOM_XDP_HEADROOM_MIN_MIN) " to " \
	STR(XHROOM_XDP_HEADROOM_MIN_MAX) " bytes"
#define HEADROOM_RANGE "0 to " STR(XHROOM_TX_EXTRA_HEADROOM_MAX) " bytes"
#define AUTO_MAX_RANGE							\
	STR(XHROOM_TX_AUTO_MAX_MIN) " to " STR(XHROOM_TX_EXTRA_HEADROOM_MAX) " bytes"

const struct command_info commands[NR_COMMANDS] = {
	[CMD_SHOW] = {
		"show", "[DEV]", "settings of DEV, or of each configured device",
		"Without DEV, devices that have only defaults are left out. With -s,\n"
		"counters are shown, too.\n", true },
	[CMD_SET] = {
		"set", "DEV [SETTING] VALUE...", "change settings of DEV",
		"tx-headroom N  extra headroom, in bytes, of packets that local sockets\n"
		"               send through DEV: " HEADROOM_RANGE ", default 0\n"
		"tx-headroom auto [max N]\n"
		"               learned from what is pushed in front of these packets on DEV:\n"
		"               the smallest value that is enough, at most N\n"
		"               (" AUTO_MAX_RANGE ", default "
		STR(XHROOM_TX_EXTRA_HEADROOM_MAX) ")\n"
		"tx-head MODE   where the heads of these packets come from:\n"
		"               auto       page fragments while DEV is a veth with headroom and\n"
		"                          native XDP is attached to its other end, slab memory\n"
		"                          otherwise (default)\n"
		"               slab       slab memory, as without the module\n"
		"               page-frag  page fragments, with or without extra headroom\n"
		"xdp-headroom-min N\n"
		"               with so much headroom, in bytes, a packet that DEV has received\n"
		"               goes to generic XDP, or to native XDP on veth, without a copy:\n"
		"               " XDP_HEADROOM_RANGE ", or 0 for the default, which is 256\n"
		"               unless the module was loaded with another\n"
		"xdp-linearize MODE\n"
		"               whether generic XDP makes packets linear first:\n"
		"               on         always, as without the module (default)\n"
		"               off        never: programs see the linear part\n"
		"               frags      not for programs that know fragments\n"
		"\n"
		"\"set DEV 256\" is short for \"set DEV tx-headroom 256\", and so is \"set DEV\n"
		"auto\". Needs CAP_NET_ADMIN in the initial user namespace. With -j, prints the\n"
		"resulting settings.\n", true },
	[CMD_CLEAR] = {
		"clear", "DEV [SETTING]...", "put settings of DEV back to their defaults",
		"Without SETTING, all of them.\n", true },
	[CMD_POLICY] = {
		"policy", "[ACTION ...]", "settings of devices that appear",
		"show                           policies, in the order in which they were made\n"
		"set MATCH [SETTING] VALUE...   make a policy, or change its settings, which are\n"
		"                               those of \"set\"\n"
		"clear MATCH                    take a policy away; \"clear all\": each of them\n"
		"\n"
		"MATCH is kind:KIND, name:PATTERN or kind:KIND/name:PATTERN, where KIND is a link\n"
		"kind like veth and PATTERN a shell pattern like eth*. Of the policies that are\n"
		"for a device, one with kind and name comes before one with a name alone, and\n"
		"that before one with a kind alone; among equals the one that was made last.\n"
		"That one alone counts.\n"
		"\n"
		"Policies apply when a device registers, before its first packet, in every\n"
		"network namespace. Devices that are there already stay as they are. Setting\n"
		"and clearing need CAP_NET_ADMIN in the initial user namespace.\n", false },
	[CMD_STATUS] = {
		"status", "", "features and hooks: what this kernel carries, and why not",
		"For each feature whether it is available, and for each hooked kernel function\n"
		"its state and the calls that took the hook.\n", false },
	[CMD_STATS] = {
		"stats", "[DEV] [-w SEC]", "counters of DEV, or of each configured device",
		"With -w, again every SEC seconds until interrupted.\n", true },
	[CMD_MONITOR] = {
		"monitor", "", "print changes of settings and policies as they happen",
		"One line for each; with -j, one JSON object a line. Ends when interrupted.\n",
		false },
	[CMD_SAVE] = {
		"save", "[FILE]", "write settings and policies to FILE",
		"Policies, and the settings of each configured device of the network namespace,\n"
		"as commands, to be read by \"restore\". FILE is " USUAL_FILE " unless given,\n"
		"and \"-\" is standard output. It is replaced as a whole, or left as it is;\n"
		"comments are not kept.\n", false },
	[CMD_RESTORE] = {
		"restore", "[FILE]", "do what FILE says",
		"FILE has lines like \"set veth0 256\" and \"policy set kind:veth 256\", and is\n"
		USUAL_FILE " unless given; \"-\" is standard input. If any line is wrong,\n"
		"nothing is done. Devices that are not there are left out.\n"
		"\n"
		"-c, --check       only say what is wrong with FILE; needs no module\n"
		"-d, --device DEV  only the lines for DEV; a rule of udev calls this when a\n"
		"                  device appears\n", false },
	[CMD_VERSION] = {
		"version", "", "versions of this tool and of the loaded module", "", false },
	[CMD_HELP] = {
		"help", "[COMMAND]", "this text, or more about COMMAND", "", false },
};

const char *const policy_actions[] = {
	[POLICY_SHOW] = "show",
	[POLICY_SET] = "set",
	[POLICY_CLEAR] = "clear",
};

const size_t nr_policy_actions = ARRAY_SIZE(policy_actions);

/* Each action is used like a command. */
static const struct command_info policy_usage[] = {
	[POLICY_SHOW] = { "policy show", "" },
	[POLICY_SET] = { "policy set", "MATCH [SETTING] VALUE..." },
	[POLICY_CLEAR] = { "policy clear", "MATCH|all" },
};

#define WITH(command) (1U << (command))

const struct option_info options[] = {
	{ 'j', "json", NULL, "JSON output" },
	{ 'p', "pretty", NULL, "JSON output with line breaks" },
	{ 's', "statistics", NULL, "show counters, too" },
	{ 'n', "netns", "NETNS", "in the network namespace of that name or path" },
	{ 'w', "watch", "SEC", "with stats: again every SEC seconds", WITH(CMD_STATS) },
	{ 'N', "dry-run", NULL, "only say what would be sent to the module",
	  WITH(CMD_SET) | WITH(CMD_CLEAR) | WITH(CMD_POLICY) | WITH(CMD_RESTORE) },
	{ 'c', "check", NULL, "with restore: only look at the file", WITH(CMD_RESTORE) },
	{ 'd', "device", "DEV", "with restore: only the lines for DEV", WITH(CMD_RESTORE) },
	{ 'V', "version", NULL, "same as the command version" },
	{ 'h', "help", NULL, "same as the command help" },
};

const size_t nr_options = ARRAY_SIZE(options);

/* --- guessing what was meant ------------------------------------------------ */

#define GUESS_MAX 24

/* Edit distance, where swapped neighbours count once; words up to GUESS_MAX. */
static size_t distance(const char *a, const char *b)
{
	size_t d[GUESS_MAX + 1][GUESS_MAX + 1];
	size_t la = strlen(a), lb = strlen(b), i, j;

	if (la > GUESS_MAX || lb > GUESS_MAX)
		return GUESS_MAX;
	for (i = 0; i <= la; i++)
		d[i][0] = i;
	for (j = 0; j <= lb; j++)
		d[0][j] = j;
	for (i = 1; i <= la; i++) {
		for (j = 1; j <= lb; j++) {
			size_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			if (d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	}
	return d[la][lb];
}

/* Of @candidate and @best (or NULL) the one that is closer to @word, if close. */
static const char *closer(const char *word, const char *candidate, const char *best)
{
	size_t d = distance(word, candidate);

	if (d > 2 || d >= strlen(candidate))
		return best;
	return !best || d < distance(word, best) ? candidate : best;
}

/* --- values ------------------------------------------------------------------ */

static int parse_number(const struct setting_info *setting, const char *subject, const char *word,
			uint32_t *value, struct err *err)
{
	unsigned long long n;

	if (!*word)
		return fail(err, XC_LOCAL, "%s: %s: the value is empty", subject, setting->name);
	if (word[0] == '-' && isdigit((unsigned char)word[1]))
		return fail(err, XC_LOCAL, "%s: %s: '%s' is negative", subject, setting->name,
			    word);
	if (word[0] == '0' && (word[1] == 'x' || word[1] == 'X'))
		return fail(err, XC_LOCAL, "%s: %s: '%s' is not decimal", subject, setting->name,
			    word);
	if (word[strspn(word, "0123456789")])
		return fail(err, XC_LOCAL,
			    "%s: %s: '%s' is not a number: only the digits 0 to 9, please", subject,
			    setting->name, word);
	/* More digits than an unsigned long long has room for give its maximum. */
	n = strtoull(word, NULL, 10);
	/* No message can say it to the kernel, whose answer this would be. */
	if (n > UINT32_MAX)
		return fail(err, XC_REFUSED, "%s: %s: %s is out of range", subject, setting->name,
			    word);
	*value = n;
	return 0;
}

/* "256", "auto" or "auto max 256". */
static int parse_tx_headroom(const struct setting_info *setting, const char *subject,
			     char *const *words, int nr, struct dev_conf *conf, struct err *err)
{
	bool learn = !strcmp(words[0], "auto");
	bool bound = learn && nr > 1 && !strcmp(words[1], "max");

	conf->tx_auto_max = learn ? XHROOM_TX_EXTRA_HEADROOM_MAX : 0;
	if (learn && !bound)
		return 1;
	if (bound && nr < 3) {
		fail(err, XC_LOCAL, "%s: %s: max: which value?", subject, setting->name);
		hint(err, "give %s", AUTO_MAX_RANGE);
		return -1;
	}
	if (bound ? parse_number(setting, subject, words[2], &conf->tx_auto_max, err) :
		    parse_number(setting, subject, words[0], &conf->tx_extra_headroom, err)) {
		hint(err, bound ? "give " AUTO_MAX_RANGE :
				  "give " HEADROOM_RANGE ", or auto [max N]");
		return -1;
	}
	if (bound && !conf->tx_auto_max) {
		fail(err, XC_LOCAL, "%s: %s: max: '%s' is out of range", subject, setting->name,
		     words[2]);
		hint(err, "give %s", AUTO_MAX_RANGE);
		return -1;
	}
	return bound ? 3 : 1;
}

static int parse_xdp_headroom(const struct setting_info *setting, const char *subject,
			      char *const *words, int nr, struct dev_conf *conf, struct err *err)
{
	(void)nr;
	if (!parse_number(setting, subject, words[0], &conf->xdp_headroom_min, err))
		return 1;
	hint(err, "give %s", XDP_HEADROOM_RANGE);
	return -1;
}

/* The number of one of the words of @setting; says which there are if it is none. */
static int parse_word(const struct setting_info *setting, const char *subject, const char *word,
		      uint32_t *value, struct err *err)
{
	const char *guess = NULL;
	char list[128] = "";
	uint32_t i;

	for (i = 1; i <= setting->max; i++) {
		const char *name = setting->value_name(i);

		if (!strcmp(word, name)) {
			*value = i;
			return 0;
		}
		guess = closer(word, name, guess);
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
			 i == 1 ? "" : i == setting->max ? " or " : ", ", name);
	}
	if (!*word)
		fail(err, XC_LOCAL, "%s: %s: the value is empty", subject, setting->name);
	else
		fail(err, XC_LOCAL, "%s: %s: '%s' is not one of the possible values", subject,
		     setting->name, word);
	if (guess)
		hint(err, "did you mean '%s'?", guess);
	else
		hint(err, "give %s", list);
	return -1;
}

static int parse_tx_head(const struct setting_info *setting, const char *subject,
			 char *const *words, int nr, struct dev_conf *conf, struct err *err)
{
	(void)nr;
	return parse_word(setting, subject, words[0], &conf->tx_head, err) ? -1 : 1;
}

static int parse_xdp_linearize(const struct setting_info *setting, const char *subject,
			       char *const *words, int nr, struct dev_conf *conf, struct err *err)
{
	(void)nr;
	return parse_word(setting, subject, words[0], &conf->xdp_linearize, err) ? -1 : 1;
}

static uint32_t value_tx_headroom(const struct dev_conf *conf)
{
	return conf->tx_auto_max ? conf->tx_auto_max : conf->tx_extra_headroom;
}

static const char *prefix_tx_headroom(const struct dev_conf *conf, uint32_t *min)
{
	*min = conf->tx_auto_max ? XHROOM_TX_AUTO_MAX_MIN : 0;
	return conf->tx_auto_max ? "auto max " : "";
}

static uint32_t value_tx_head(const struct dev_conf *conf)
{
	return conf->tx_head;
}

static uint32_t value_xdp_headroom(const struct dev_conf *conf)
{
	return conf->xdp_headroom_min;
}

/* 0 is the default. */
static const char *prefix_xdp_headroom(const struct dev_conf *conf, uint32_t *min)
{
	*min = conf->xdp_headroom_min ? XHROOM_XDP_HEADROOM_MIN_MIN : 0;
	return "";
}

static uint32_t value_xdp_linearize(const struct dev_conf *conf)
{
	return conf->xdp_linearize;
}

const struct setting_info settings[] = {
	{ "tx-headroom", CONF_TX_HEADROOM, "bytes", NULL, XHROOM_TX_EXTRA_HEADROOM_MAX,
	  parse_tx_headroom, value_tx_headroom, prefix_tx_headroom },
	{ "tx-head", CONF_TX_HEAD, "", tx_head_name, XHROOM_TX_HEAD_MAX,
	  parse_tx_head, value_tx_head, NULL },
	{ "xdp-headroom-min", CONF_XDP_HEADROOM_MIN, "bytes", NULL, XHROOM_XDP_HEADROOM_MIN_MAX,
	  parse_xdp_headroom, value_xdp_headroom, prefix_xdp_headroom },
	{ "xdp-linearize", CONF_XDP_LINEARIZE, "", xdp_linearize_name, XHROOM_XDP_LINEARIZE_MAX,
	  parse_xdp_linearize, value_xdp_linearize, NULL },
};

const size_t nr_settings = ARRAY_SIZE(settings);

static const struct dev_conf defaults = {
	.tx_head = XHROOM_TX_HEAD_AUTO,
	.xdp_linearize = XHROOM_XDP_LINEARIZE_ON,
};

int args_check_range(const char *subject, const struct dev_conf *conf, unsigned int mask,
		     struct err *err)
{
	size_t i;

	for (i = 0; i < nr_settings; i++) {
		const struct setting_info *setting = &settings[i];
		uint32_t value = setting->value(conf), min = setting->value_name ? 1 : 0;

		if (setting->prefix)
			setting->prefix(conf, &min);
		if (!(mask & setting->mask) || (value >= min && value <= setting->max))
			continue;
		if (setting->value_name)
			return fail(err, XC_REFUSED, "%s: %s: this tool does not know the value %u",
				    subject, setting->name, value);
		return fail(err, XC_REFUSED, "%s: %s: %u is out of range: %u to %u %s", subject,
			    setting->name, value, min, setting->max, setting->unit);
	}
	return 0;
}

/* --- finding words ------------------------------------------------------------ */

const struct command_info *command_find(const char *word)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++) {
		if (!strcmp(word, commands[i].name))
			return &commands[i];
	}
	return NULL;
}

const struct setting_info *setting_find(const char *word)
{
	size_t i;

	for (i = 0; i < nr_settings; i++) {
		if (!strcmp(word, settings[i].name))
			return &settings[i];
	}
	return NULL;
}

static int unknown_command(const char *word, struct err *err)
{
	const char *guess = NULL;
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		guess = closer(word, commands[i].name, guess);
	fail(err, XC_LOCAL, "unknown command '%s'", word);
	if (guess)
		hint(err, "did you mean '%s'?", guess);
	else
		hint(err, "'xhroomctl help' lists them");
	return -1;
}

static int unknown_setting(const char *subject, const char *word, struct err *err)
{
	const char *guess = NULL;
	size_t i;

	for (i = 0; i < nr_settings; i++)
		guess = closer(word, settings[i].name, guess);
	fail(err, XC_LOCAL, "%s: unknown setting '%s'", subject, word);
	if (guess)
		hint(err, "did you mean '%s'?", guess);
	else
		hint(err, "'xhroomctl help set' lists them");
	return -1;
}

/* --- names of devices --------------------------------------------------------- */

static int usage(const struct command_info *command, struct err *err)
{
	hint(err, "usage: xhroomctl %s%s%s", command->name, *command->synopsis ? " " : "",
	     command->synopsis);
	return -1;
}

static int take_dev(const struct command_info *command, const char *word, struct request *req,
		    struct err *err)
{
	if (!*word) {
		fail(err, XC_LOCAL, "%s: the device name is empty", command->name);
		return usage(command, err);
	}
	if (strlen(word) > DEV_NAME_MAX)
		return fail(err, XC_LOCAL, "%.20s...: this is too long for a device name", word);
	if (strpbrk(word, "/ \t\n\r\v\f"))
		return fail(err, XC_LOCAL, "'%s': this cannot be a device name", word);
	req->dev = word;
	return 0;
}

/* --- options --------------------------------------------------------------- */

/* The words that are not options, in their order. */
struct words {
	char *const *argv;
	int argc;
	int next;
	bool plain;	/* "--" was seen: no more options */
};

static const struct option_info *option_by_letter(char letter)
{
	size_t i;

	for (i = 0; i < nr_options; i++) {
		if (options[i].letter == letter)
			return &options[i];
	}
	return NULL;
}

static const struct option_info *option_by_name(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < nr_options; i++) {
		if (strlen(options[i].name) == len && !strncmp(options[i].name, name, len))
			return &options[i];
	}
	return NULL;
}

/* @word is none; perhaps @name was meant. */
static int unknown_option(const char *word, const char *name, struct err *err)
{
	const char *guess = NULL;
	size_t i;

	for (i = 0; i < nr_options; i++)
		guess = closer(name, options[i].name, guess);
	fail(err, XC_LOCAL, "unknown option '%s'", word);
	if (guess)
		hint(err, "did you mean '--%s'?", guess);
	else
		hint(err, "'xhroomctl help' lists them");
	return -1;
}

static int take_interval(const char *word, struct request *req, struct err *err)
{
	unsigned long n;

	if (!*word || word[strspn(word, "0123456789")])
		return fail(err, XC_LOCAL, "-w: '%s' is not a number of seconds", word);
	n = strtoul(word, NULL, 10);
	if (n < 1 || n > 86400)
		return fail(err, XC_LOCAL, "-w: '%s' is out of range: 1 to 86400 seconds", word);
	req->interval = n;
	return 0;
}

static int take_option(const struct option_info *option, const char *value, struct request *req,
		       bool *help, bool *version, struct err *err)
{
	req->options |= 1U << (option - options);
	switch (option->letter) {
	case 'j':
		req->json = true;
		break;
	case 'p':
		req->json = true;
		req->pretty = true;
		break;
	case 's':
		req->statistics = true;
		break;
	case 'n':
		if (!*value)
			return fail(err, XC_LOCAL, "-n: the name of the namespace is empty");
		req->netns = value;
		break;
	case 'w':
		return take_interval(value, req, err);
	case 'N':
		req->dry_run = true;
		break;
	case 'c':
		req->check = true;
		break;
	case 'd':
		return take_dev(&commands[CMD_RESTORE], value, req, err);
	case 'V':
		*version = true;
		break;
	case 'h':
		*help = true;
		break;
	}
	return 0;
}

/* A word that is an option; a negative number is none. */
static bool is_option(const struct words *words, const char *word)
{
	return !words->plain && word[0] == '-' && word[1] && !isdigit((unsigned char)word[1]);
}

/* The value of an option: @rest of its own word, or the word after it. */
static const char *option_value(struct words *words, const char *rest)
{
	if (rest && *rest)
		return rest;
	return words->next < words->argc ? words->argv[words->next++] : NULL;
}

static int parse_long(struct words *words, const char *word, struct request *req, bool *help,
		      bool *version, struct err *err)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	const struct option_info *option = option_by_name(word + 2, len - 2);
	const char *value = NULL;

	if (!option) {
		char name[GUESS_MAX + 2];

		snprintf(name, sizeof(name), "%.*s", (int)(len - 2), word + 2);
		return unknown_option(word, name, err);
	}
	if (!option->value && equals)
		return fail(err, XC_LOCAL, "'--%s' takes no value", option->name);
	if (option->value) {
		value = equals ? equals + 1 : option_value(words, NULL);
		if (!value)
			return fail(err, XC_LOCAL, "'--%s' needs a value: %s", option->name,
				    option->value);
	}
	return take_option(option, value, req, help, version, err);
}

static int parse_short(struct words *words, const char *word, struct request *req, bool *help,
		       bool *version, struct err *err)
{
	const char *whole = word;

	for (word++; *word; word++) {
		const struct option_info *option = option_by_letter(*word);
		const char *value = NULL;

		if (!option) {
			char letter[] = { '-', *word, '\0' };

			/* "-json" has the letters of other options in it. */
			return unknown_option(letter, whole + 1, err);
		}
		if (option->value) {
			value = option_value(words, word + 1);
			if (!value)
				return fail(err, XC_LOCAL, "'-%c' needs a value: %s",
					    option->letter, option->value);
		}
		if (take_option(option, value, req, help, version, err))
			return -1;
		if (value)
			break;
	}
	return 0;
}

/* --- commands -------------------------------------------------------------- */

static int too_many(const struct command_info *command, const char *word, struct err *err)
{
	fail(err, XC_LOCAL, "%s: '%s' is one word too many", command->name, word);
	return usage(command, err);
}

/* For @subject: "256", "tx-headroom 256", "tx-head slab", and more pairs. */
static int parse_settings(const struct command_info *command, const char *subject,
			  char *const *words, int nr, struct request *req, struct err *err)
{
	const struct setting_info *setting;
	int i = 0, taken;

	if (!nr) {
		fail(err, XC_LOCAL, "%s: which value?", subject);
		return usage(command, err);
	}
	/* A value alone means the first setting. */
	if (!setting_find(words[0]) &&
	    (!isalpha((unsigned char)words[0][0]) || !strcmp(words[0], "auto"))) {
		setting = &settings[0];
		i = setting->parse(setting, subject, words, nr, &req->conf, err);
		if (i < 0)
			return -1;
		req->mask |= setting->mask;
	}
	for (; i < nr; i += 1 + taken) {
		setting = setting_find(words[i]);
		if (!setting && !isalpha((unsigned char)words[i][0]))
			return too_many(command, words[i], err);
		if (!setting)
			return unknown_setting(subject, words[i], err);
		if (req->mask & setting->mask)
			return fail(err, XC_LOCAL, "%s: %s is given twice", subject,
				    setting->name);
		if (i + 1 == nr) {
			fail(err, XC_LOCAL, "%s: %s: which value?", subject, setting->name);
			return usage(command, err);
		}
		taken = setting->parse(setting, subject, words + i + 1, nr - i - 1, &req->conf,
				       err);
		if (taken < 0)
			return -1;
		req->mask |= setting->mask;
	}
	return 0;
}

static int parse_set(char *const *words, int nr, struct request *req, struct err *err)
{
	const struct command_info *command = &commands[CMD_SET];

	if (!nr && setting_find(req->dev)) {
		fail(err, XC_LOCAL, "set: which device?");
		return usage(command, err);
	}
	return parse_settings(command, req->dev, words, nr, req, err);
}

static int not_a_match(struct err *err)
{
	hint(err, "give kind:KIND, name:PATTERN or kind:KIND/name:PATTERN");
	return -1;
}

/*
 * A policy for a kind or a name that no device can have would be made, and never
 * be for any. Kinds are names of drivers; names have neither colon nor white space.
 */
static int check_half(const char *word, bool kind, const char *half, struct err *err)
{
	for (; *half; half++) {
		unsigned char c = *half;

		if (kind ? isalnum(c) || strchr("-_.", c) : c != ':' && !isspace(c) && c != 0xa0)
			continue;
		fail(err, XC_LOCAL, "policy: '%s': no %s of a device has a '%c'", word,
		     kind ? "kind" : "name", c);
		return not_a_match(err);
	}
	return 0;
}

/* One half of a match: what is behind @key goes to @to. 1: it is not this half. */
static int parse_half(const char *word, size_t len, const char *key, char *to, size_t max,
		      struct err *err)
{
	size_t skip = strlen(key);

	if (len < skip || strncmp(word, key, skip))
		return 1;
	if (*to)
		return fail(err, XC_LOCAL, "policy: %.*s is given twice", (int)skip, key);
	if (len == skip)
		return fail(err, XC_LOCAL, "policy: nothing behind %s", key);
	if (len - skip > max)
		return fail(err, XC_LOCAL, "policy: %.20s...: this is too long", word);
	memcpy(to, word + skip, len - skip);
	return 0;
}

static int parse_match(const char *word, struct policy *policy, struct err *err)
{
	const char *half = word;

	for (;;) {
		size_t len = strcspn(half, "/");
		int ret = parse_half(half, len, "kind:", policy->kind, KIND_MAX, err);

		if (ret > 0)
			ret = parse_half(half, len, "name:", policy->name, PATTERN_MAX, err);
		if (ret > 0) {
			fail(err, XC_LOCAL, "policy: '%s' does not say which devices", word);
			not_a_match(err);
		}
		if (ret)
			return -1;
		if (!half[len])
			break;
		half += len + 1;
	}
	return check_half(word, true, policy->kind, err) ?:
	       check_half(word, false, policy->name, err);
}

static int parse_policy_action(const char *word, struct request *req, struct err *err)
{
	const char *guess = NULL;
	size_t i;

	for (i = 0; i < nr_policy_actions; i++) {
		if (!strcmp(word, policy_actions[i])) {
			req->action = i;
			return 0;
		}
		guess = closer(word, policy_actions[i], guess);
	}
	fail(err, XC_LOCAL, "policy: unknown word '%s'", word);
	if (guess)
		hint(err, "did you mean '%s'?", guess);
	else
		hint(err, "give show, set or clear");
	return -1;
}

static int parse_policy(char *const *words, int nr, struct request *req, struct err *err)
{
	const struct command_info *command;

	if (nr && parse_policy_action(words[0], req, err))
		return -1;
	command = &policy_usage[req->action];
	if (req->action == POLICY_SHOW)
		return nr > 1 ? too_many(command, words[1], err) : 0;
	if (nr < 2) {
		fail(err, XC_LOCAL, "%s: which devices?", command->name);
		return usage(command, err);
	}
	if (req->action == POLICY_CLEAR && nr > 2)
		return too_many(command, words[2], err);
	if (req->action == POLICY_CLEAR && !strcmp(words[1], "all")) {
		req->action = POLICY_CLEAR_ALL;
		return 0;
	}
	if (parse_match(words[1], &req->policy, err))
		return -1;
	if (req->action == POLICY_CLEAR)
		return 0;
	return parse_settings(command, words[1], words + 2, nr - 2, req, err);
}

static int parse_clear(char *const *words, int nr, struct request *req, struct err *err)
{
	int i;

	req->conf = defaults;
	if (!nr)
		req->mask = CONF_ALL;
	for (i = 0; i < nr; i++) {
		const struct setting_info *setting = setting_find(words[i]);

		if (!setting)
			return unknown_setting(req->dev, words[i], err);
		req->mask |= setting->mask;
	}
	return 0;
}

/* Whether each option has a meaning for this command. */
static int check_options(const struct command_info *command, const struct request *req,
			 struct err *err)
{
	char list[128] = "";
	size_t i, j;

	if (req->dry_run && req->json)
		return fail(err, XC_LOCAL, "--dry-run prints words, not JSON");
	for (i = 0; i < nr_options; i++) {
		unsigned int with = options[i].commands;

		if (!(req->options & 1U << i) || !with || with & WITH(req->command))
			continue;
		for (j = 0; j < NR_COMMANDS; j++) {
			if (!(with & WITH(j)))
				continue;
			with &= ~WITH(j);
			snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
				 !*list ? "" : with ? ", " : " and ", commands[j].name);
		}
		return fail(err, XC_LOCAL, "%s: -%c goes with %s only", command->name,
			    options[i].letter, list);
	}
	return 0;
}

static int parse_command(char *const *words, int nr, struct request *req, struct err *err)
{
	const struct command_info *command = command_find(words[0]);

	if (!command)
		return unknown_command(words[0], err);
	req->command = command - commands;
	words++;
	nr--;
	if (check_options(command, req, err))
		return -1;
	if (command->dev && nr) {
		if (take_dev(command, *words, req, err))
			return -1;
		words++;
		nr--;
	}
	switch (req->command) {
	case CMD_SET:
	case CMD_CLEAR:
		if (!req->dev) {
			fail(err, XC_LOCAL, "%s: which device?", command->name);
			return usage(command, err);
		}
		if (req->command == CMD_SET)
			return parse_set(words, nr, req, err);
		return parse_clear(words, nr, req, err);
	case CMD_POLICY:
		if (parse_policy(words, nr, req, err))
			return -1;
		nr = 0;
		break;
	case CMD_SAVE:
	case CMD_RESTORE:
		if (nr && !**words) {
			fail(err, XC_LOCAL, "%s: the name of the file is empty", command->name);
			return usage(command, err);
		}
		if (nr) {
			req->file = *words++;
			nr--;
		}
		break;
	case CMD_HELP:
		if (nr) {
			req->topic = command_find(*words);
			if (!req->topic)
				return unknown_command(*words, err);
			words++;
			nr--;
		}
		break;
	default:
		break;
	}
	if (nr)
		return too_many(command, *words, err);
	return 0;
}

int args_parse(int argc, char *const *argv, struct request *req, struct err *err)
{
	struct words words = { .argv = argv, .argc = argc, .next = argc ? 1 : 0 };
	bool help = false, version = false;
	char **plain;
	int nr = 0, ret = -1;

	memset(req, 0, sizeof(*req));
	plain = calloc((size_t)argc + 1, sizeof(*plain));
	if (!plain)
		return fail(err, XC_LOCAL, "out of memory");

	while (words.next < argc) {
		char *word = argv[words.next++];

		if (!is_option(&words, word)) {
			plain[nr++] = word;
			continue;
		}
		if (!strcmp(word, "--"))
			words.plain = true;
		else if (word[1] == '-' ?
			 parse_long(&words, word, req, &help, &version, err) :
			 parse_short(&words, word, req, &help, &version, err))
			goto out;
	}
	if (help || version) {
		req->command = help ? CMD_HELP : CMD_VERSION;
		if (help && nr)
			req->topic = command_find(plain[0]);
		ret = 0;
		goto out;
	}
	if (!nr) {
		fail(err, XC_LOCAL, "which command?");
		hint(err, "'xhroomctl help' lists them");
		goto out;
	}
	ret = parse_command(plain, nr, req, err);
out:
	free(plain);
	return ret;
}

void args_print(FILE *file, const struct request *req)
{
	const struct policy *policy = &req->policy;
	unsigned int mask = req->mask;
	size_t i;

	if (req->command == CMD_POLICY) {
		fprintf(file, "policy %s %s%s%s%s%s", policy_actions[req->action],
			*policy->kind ? "kind:" : "", policy->kind,
			*policy->kind && *policy->name ? "/" : "",
			*policy->name ? "name:" : "", policy->name);
		if (req->action != POLICY_SET)
			mask = 0;
	} else {
		/* A name with a dash in front would be an option. */
		fprintf(file, "set %s%s", *req->dev == '-' ? "-- " : "", req->dev);
	}
	for (i = 0; i < nr_settings; i++) {
		const struct setting_info *setting = &settings[i];
		uint32_t value = setting->value(&req->conf), min;
		const char *word = setting->value_name ? setting->value_name(value) : NULL;
		const char *prefix = setting->prefix ? setting->prefix(&req->conf, &min) : "";

		if (!(mask & setting->mask))
			continue;
		if (word)
			fprintf(file, " %s %s", setting->name, word);
		else
			fprintf(file, " %s %s%" PRIu32, setting->name, prefix, value);
	}
}
