// SPDX-License-Identifier: GPL-2.0-only
/*
 * Help and completion: both walk the tables of args.c, so that a new command
 * or option shows up in the overview, and a setting in the completion, by itself.
 */
#include <dirent.h>
#include <net/if.h>
#include <string.h>

#include "help.h"
#include "netns.h"
#include "out.h"

static void help_overview(FILE *file)
{
	size_t i;

	fputs("usage: xhroomctl [OPTION]... COMMAND ...\n\nCommands:\n", file);
	for (i = 0; i < NR_COMMANDS; i++) {
		char words[64];

		snprintf(words, sizeof(words), "%s %s", commands[i].name, commands[i].synopsis);
		fprintf(file, "  %-26s %s\n", words, commands[i].summary);
	}
	fputs("\nOptions:\n", file);
	for (i = 0; i < nr_options; i++) {
		char words[64];

		snprintf(words, sizeof(words), "-%c, --%s%s%s", options[i].letter,
			 options[i].name, options[i].value ? " " : "",
			 options[i].value ? options[i].value : "");
		fprintf(file, "  %-26s %s\n", words, options[i].summary);
	}
	fputs("\nThe shortest useful command: xhroomctl set veth0 256\n", file);
}

void help(FILE *file, const struct command_info *topic)
{
	if (!topic) {
		help_overview(file);
		return;
	}
	fprintf(file, "usage: xhroomctl %s%s%s\n\n%s\n", topic->name, *topic->synopsis ? " " : "",
		topic->synopsis, topic->summary);
	if (*topic->text)
		fprintf(file, "\n%s", topic->text);
}

static void complete_devs(FILE *file)
{
	struct if_nameindex *devs = if_nameindex(), *dev;
	char name[IFNAMSIZ];

	for (dev = devs; dev && dev->if_index; dev++)
		fprintf(file, "%s\n", printable(dev->if_name, name, sizeof(name)));
	if_freenameindex(devs);
}

static void complete_netns(FILE *file)
{
	DIR *dir = opendir(NETNS_DIR);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			fprintf(file, "%s\n", entry->d_name);
	}
	closedir(dir);
}

static void complete_settings(FILE *file)
{
	size_t i;

	for (i = 0; i < nr_settings; i++)
		fprintf(file, "%s\n", settings[i].name);
}

/* Words that can be the value of the setting @word. */
static void complete_values(FILE *file, const char *word)
{
	const struct setting_info *setting = setting_find(word);
	uint32_t i;

	for (i = 1; setting && setting->value_name && i <= setting->max; i++)
		fprintf(file, "%s\n", setting->value_name(i));
}

static void complete_policy_actions(FILE *file)
{
	size_t i;

	for (i = 0; i < nr_policy_actions; i++)
		fprintf(file, "%s\n", policy_actions[i]);
}

static void complete_options(FILE *file)
{
	size_t i;

	for (i = 0; i < nr_options; i++)
		fprintf(file, "-%c\n--%s\n", options[i].letter, options[i].name);
}

static void complete_commands(FILE *file)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(file, "%s\n", commands[i].name);
}

/* Whether the word after @word is the value of an option; its letter, or 0. */
static char takes_value(const char *word)
{
	size_t i;

	for (i = 0; i < nr_options; i++) {
		const struct option_info *option = &options[i];

		if (!option->value || word[0] != '-')
			continue;
		if ((word[1] == option->letter && !word[2]) ||
		    (word[1] == '-' && !strcmp(word + 2, option->name)))
			return option->letter;
	}
	return 0;
}

static void complete_option_value(FILE *file, char letter)
{
	if (letter == 'n')
		complete_netns(file);
	else if (letter == 'd')
		complete_devs(file);
}

void complete(FILE *file, int nr, char *const *words)
{
	const struct command_info *command = NULL;
	const char *last = nr ? words[nr - 1] : "", *before = "";
	bool short_form = false;
	struct err ignored;
	/* Words behind the command; those of them that its settings follow, if not 0. */
	int i, behind = 0, base = 0;

	if (nr > 1 && takes_value(words[nr - 2])) {
		complete_option_value(file, takes_value(words[nr - 2]));
		return;
	}
	if (last[0] == '-') {
		complete_options(file);
		return;
	}
	for (i = 0; i < nr - 1; i++) {
		char letter = takes_value(words[i]);

		if (letter) {
			/* Names of devices are those of that namespace. */
			if (++i < nr - 1 && letter == 'n')
				netns_enter(words[i], &ignored);
		} else if (words[i][0] != '-') {
			if (!command) {
				command = command_find(words[i]);
				if (!command)
					return;
				base = command == &commands[CMD_SET];
			} else {
				before = words[i];
				if (command == &commands[CMD_POLICY] && !behind &&
				    !strcmp(before, policy_actions[POLICY_SET]))
					base = 2;
				/* The value of the first setting stands without its name. */
				short_form |= behind++ == base && !setting_find(before);
			}
		}
	}
	if (!command)
		complete_commands(file);
	else if (command->dev && !behind)
		complete_devs(file);
	else if (command == &commands[CMD_HELP] && !behind)
		complete_commands(file);
	else if (command == &commands[CMD_POLICY] && !behind)
		complete_policy_actions(file);
	else if ((command == &commands[CMD_SAVE] || command == &commands[CMD_RESTORE]) && !behind)
		fputs("<file>\n", file);
	else if (command == &commands[CMD_CLEAR])
		complete_settings(file);
	else if (base && behind >= base && (behind - base + short_form) % 2 == 0)
		complete_settings(file);
	else if (base && behind > base)
		complete_values(file, before);
}
