/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file that settings are kept in, xhroom.conf(5): commands, one a line, in
 * the words of the command line. What they mean is args.c's business; here they
 * are found in a file and brought into one. Nothing in this layer speaks to the
 * kernel.
 */
#ifndef XHROOMCTL_CONFFILE_H
#define XHROOMCTL_CONFFILE_H

#include <stdio.h>

#include "args.h"

/**
 * struct conffile_line - one command of a file
 * @nr: its line, from 1
 * @text: what strings of @req point into
 * @req: a CMD_SET, or a CMD_POLICY with POLICY_SET
 */
struct conffile_line {
	unsigned int nr;
	char *text;
	struct request req;
};

/**
 * struct conffile - a file
 * @name: as it was named, or "standard input"
 * @lines: its commands, in their order
 * @nr: how many
 * @nr_policies: how many policies they make
 */
struct conffile {
	const char *name;
	struct conffile_line *lines;
	size_t nr;
	size_t nr_policies;
};

/**
 * conffile_read() - read and check a file
 * @path: its name, "-" for standard input
 * @conf: filled. Free with conffile_free(), after a failure, too
 * @complain: called for each wrong line
 * @err: set if any line is wrong or the file cannot be read
 *
 * Return: 0, or -1: then none of it may be used.
 */
int conffile_read(const char *path, struct conffile *conf,
		  void (*complain)(const struct err *err), struct err *err);
void conffile_free(struct conffile *conf);

/* The same for a stream. */
int conffile_parse(FILE *file, struct conffile *conf, void (*complain)(const struct err *err),
		   struct err *err);

/* Puts "NAME:LINE: " in front of what is wrong. */
void conffile_locate(const struct conffile *conf, unsigned int nr, struct err *err);

/**
 * conffile_print() - settings and policies as lines of a file
 * @file: where to
 * @devs: devices
 * @policies: policies
 * @err: set if there is something that cannot be said in such lines
 *
 * Return: 0 or -1.
 */
int conffile_print(FILE *file, const struct dev_list *devs, const struct policy_list *policies,
		   struct err *err);

/**
 * conffile_write() - the same into a file
 * @path: its name, "-" for standard output
 * @devs: devices
 * @policies: policies
 * @err: set if that failed
 *
 * Whoever reads the file, at whatever moment, even after a crash, sees the old one
 * or the new one, as a whole. Owner and mode stay, and a symbolic link remains one.
 *
 * Return: 0, or -1: then the file is as it was.
 */
int conffile_write(const char *path, const struct dev_list *devs,
		   const struct policy_list *policies, struct err *err);

#endif
