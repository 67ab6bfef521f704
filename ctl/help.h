/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tool says of itself: help for people, candidates for the shell's
 * completion. Needs no module.
 */
#ifndef XHROOMCTL_HELP_H
#define XHROOMCTL_HELP_H

#include <stdio.h>

#include "args.h"

/* The overview, or all about one command. */
void help(FILE *file, const struct command_info *topic);

/*
 * Prints what could stand in place of the last of @words, one a line; whether
 * it fits what has been typed is for the shell to see. "<file>": names of files.
 */
void complete(FILE *file, int nr, char *const *words);

#endif
