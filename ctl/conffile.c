// SPDX-License-Identifier: GPL-2.0-only
/*
 * xhroom.conf(5). A line is what could follow "xhroomctl" on the command line, and
 * is taken apart by the same function; only commands that say how things should be
 * have a place here. Words are bytes between white space: names of devices and kinds
 * have none, so no quotes are needed.
 *
 * A file is right as a whole or not used at all, so everything that can be said
 * about it is said before the first request is sent, ranges included.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/xhroom.h>

#include "conffile.h"
#include "out.h"

/* Bytes of a line; the longest that makes sense has less than 300. */
#define LINE_SIZE	1024
/* More complaints help nobody. */
#define WRONG_MAX	20

#define BLANKS		" \t\r\v\f"

/* --- reading ------------------------------------------------------------------- */

static int no_memory(struct err *err)
{
	return fail(err, XC_LOCAL, "out of memory");
}

void conffile_locate(const struct conffile *conf, unsigned int nr, struct err *err)
{
	char text[sizeof(err->text)];

	snprintf(text, sizeof(text), "%s:%u: ", conf->name, nr);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s", err->text);
	memcpy(err->text, text, sizeof(text));
}

enum line_state {
	LINE_READ,
	LINE_END,	/* of the file */
	LINE_LONG,	/* and passed over */
	LINE_BINARY,	/* it has a NUL */
};

static enum line_state read_line(FILE *file, char line[static LINE_SIZE])
{
	size_t len = 0;
	int c;

	while ((c = getc(file)) != EOF && c != '\n') {
		if (!c)
			return LINE_BINARY;
		if (len < LINE_SIZE)
			line[len] = c;
		len++;
		/* A device that never ends has no line end either. */
		if (len == INT_MAX)
			return LINE_BINARY;
	}
	if (c == EOF && !len)
		return LINE_END;
	if (len >= LINE_SIZE)
		return LINE_LONG;
	line[len] = '\0';
	return LINE_READ;
}

/* Habits from a shell, which are wrong in a file. */
static void hint_at_habits(char *const *words, int nr, struct err *err)
{
	int i;

	for (i = 1; i < nr; i++) {
		if (words[i][0] == '#')
			hint(err, "a comment has a line of its own");
		else if (strchr("'\"", words[i][0]))
			hint(err, "in a file, no quotes are needed");
	}
}

static int check_command(const struct request *req, struct err *err)
{
	if (req->options) {
		fail(err, XC_LOCAL, "options have no place in a file");
		hint(err, "give them to 'xhroomctl restore'");
		return -1;
	}
	if (req->command != CMD_SET &&
	    !(req->command == CMD_POLICY && req->action == POLICY_SET)) {
		fail(err, XC_LOCAL, "%s has no place in a file", commands[req->command].name);
		hint(err, "a file has lines with set DEV... and policy set MATCH...");
		return -1;
	}
	return 0;
}

/*
 * Takes @line->text apart, in place. 1: there is nothing in it.
 */
static int parse_line(struct conffile_line *line, struct err *err)
{
	char *words[LINE_SIZE / 2 + 2] = { "xhroomctl" };
	char match[MATCH_SIZE];
	char *rest = line->text;
	int nr = 1;

	while ((words[nr] = strsep(&rest, BLANKS))) {
		if (*words[nr])
			nr++;
	}
	if (nr == 1 || words[1][0] == '#')
		return 1;
	if (args_parse(nr, words, &line->req, err)) {
		hint_at_habits(words, nr, err);
		return -1;
	}
	if (check_command(&line->req, err))
		return -1;
	return args_check_range(line->req.command == CMD_SET ? line->req.dev :
				match_text(&line->req.policy, match),
				&line->req.conf, line->req.mask, err);
}

/* The kernel takes only so many; @line is not one of @conf yet. */
static int count_policy(struct conffile *conf, const struct conffile_line *line, struct err *err)
{
	size_t i;

	if (line->req.command != CMD_POLICY)
		return 0;
	for (i = 0; i < conf->nr; i++) {
		if (conf->lines[i].req.command == CMD_POLICY &&
		    same_match(&conf->lines[i].req.policy, &line->req.policy))
			return 0;
	}
	if (conf->nr_policies == XHROOM_POLICIES_MAX)
		return fail(err, XC_LOCAL, "there may be %u policies", XHROOM_POLICIES_MAX);
	conf->nr_policies++;
	return 0;
}

static int add_line(struct conffile *conf, unsigned int nr, const char *text, struct err *err)
{
	struct conffile_line *more = realloc(conf->lines, (conf->nr + 1) * sizeof(*more));
	struct conffile_line *line;
	int ret;

	if (!more)
		return no_memory(err);
	conf->lines = more;
	line = &more[conf->nr];
	line->nr = nr;
	line->text = strdup(text);
	if (!line->text)
		return no_memory(err);
	ret = parse_line(line, err) ?: count_policy(conf, line, err);
	if (ret) {
		free(line->text);
		return ret > 0 ? 0 : -1;
	}
	conf->nr++;
	return 0;
}

int conffile_parse(FILE *file, struct conffile *conf, void (*complain)(const struct err *err),
		   struct err *err)
{
	unsigned int nr, wrong = 0;
	char line[LINE_SIZE];

	for (nr = 1; wrong < WRONG_MAX; nr++) {
		enum line_state state = read_line(file, line);
		int ret = 0;

		if (state == LINE_END)
			break;
		if (state == LINE_BINARY)
			ret = fail(err, XC_LOCAL, "this is not text");
		else if (state == LINE_LONG)
			ret = fail(err, XC_LOCAL, "a line has at most %d characters",
				   LINE_SIZE - 1);
		else
			ret = add_line(conf, nr, line, err);
		if (!ret)
			continue;
		wrong++;
		conffile_locate(conf, nr, err);
		complain(err);
		if (state == LINE_BINARY)
			break;
	}
	if (ferror(file))
		return fail(err, XC_LOCAL, "cannot read %s: %s", conf->name, strerror(errno));
	if (!wrong)
		return 0;
	return fail(err, XC_LOCAL, "%s: %s%u wrong line%s, so none of it is used", conf->name,
		    wrong == WRONG_MAX ? "at least " : "", wrong, wrong == 1 ? "" : "s");
}

int conffile_read(const char *path, struct conffile *conf,
		  void (*complain)(const struct err *err), struct err *err)
{
	bool standard = !strcmp(path, "-");
	FILE *file;
	int ret;

	memset(conf, 0, sizeof(*conf));
	conf->name = standard ? "standard input" : path;
	file = standard ? stdin : fopen(path, "re");
	if (!file) {
		fail(err, XC_LOCAL, "cannot read %s: %s", path, strerror(errno));
		if (errno == ENOENT)
			hint(err, "'xhroomctl save' writes %s", USUAL_FILE);
		return -1;
	}
	ret = conffile_parse(file, conf, complain, err);
	if (!standard)
		fclose(file);
	return ret;
}

void conffile_free(struct conffile *conf)
{
	size_t i;

	for (i = 0; i < conf->nr; i++)
		free(conf->lines[i].text);
	free(conf->lines);
	memset(conf, 0, sizeof(*conf));
}

/* --- writing ------------------------------------------------------------------- */

/* What @req is as a line, in memory; NULL if there is none. */
static char *line_of(const struct request *req)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	args_print(file, req);
	if (fclose(file)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Only what is read as the same is written: a newer module may know more. */
static int print_line(FILE *file, const struct request *req, const char *subject, struct err *err)
{
	struct conffile_line line = {};
	char *text = line_of(req), *again;
	struct err why;
	int ret = 0;

	line.text = text ? strdup(text) : NULL;
	if (!line.text) {
		free(text);
		return no_memory(err);
	}
	if (strlen(text) >= LINE_SIZE) {
		ret = fail(err, XC_LOCAL, "%s: cannot be saved: its line is too long", subject);
	} else if (parse_line(&line, &why)) {
		ret = fail(err, XC_LOCAL, "cannot be saved: %.500s", why.text);
	} else {
		again = line_of(&line.req);
		if (!again)
			ret = no_memory(err);
		else if (strcmp(text, again))
			ret = fail(err, XC_LOCAL, "%s: cannot be saved: it would read '%.300s'",
				   subject, again);
		free(again);
	}
	if (!ret)
		fprintf(file, "%s\n", text);
	free(line.text);
	free(text);
	return ret;
}

int conffile_print(FILE *file, const struct dev_list *devs, const struct policy_list *policies,
		   struct err *err)
{
	struct request req = { .mask = CONF_ALL };
	char subject[MATCH_SIZE];
	size_t i;

	fputs("# Written by \"xhroomctl save\", read by \"xhroomctl restore\": "
	      "see xhroom.conf(5).\n", file);
	/* Policies first: a device may appear while the file is read. */
	req.command = CMD_POLICY;
	req.action = POLICY_SET;
	for (i = 0; i < policies->nr; i++) {
		req.policy = policies->policies[i];
		req.conf = req.policy.conf;
		if (print_line(file, &req, match_text(&req.policy, subject), err))
			return -1;
	}
	req.command = CMD_SET;
	for (i = 0; i < devs->nr; i++) {
		req.dev = devs->devs[i].name;
		req.conf = devs->devs[i].conf;
		if (print_line(file, &req, printable(req.dev, subject, sizeof(subject)), err))
			return -1;
	}
	return 0;
}

/* The new file takes over owner and mode of the old one. */
static int keep_mode(int fd, const char *path, struct err *err)
{
	struct stat old;
	mode_t mask;

	if (stat(path, &old)) {
		mask = umask(0);
		umask(mask);
		if (fchmod(fd, 0666 & ~mask))
			return fail(err, XC_LOCAL, "cannot write %s: %s", path, strerror(errno));
		return 0;
	}
	/* A device or pipe would be gone, and the file of no use. */
	if (!S_ISREG(old.st_mode)) {
		fail(err, XC_LOCAL, "%s is not a regular file", path);
		hint(err, "'-' is standard output");
		return -1;
	}
	if (fchown(fd, old.st_uid, old.st_gid) || fchmod(fd, old.st_mode & 07777))
		return fail(err, XC_LOCAL, "cannot keep the owner of %s: %s", path,
			    strerror(errno));
	return 0;
}

/* The name is on the disk only when its directory is. */
static int sync_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX] = ".";
	int fd, ret;

	if (slash == path)
		strcpy(dir, "/");
	else if (slash)
		snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ret = fsync(fd);
	close(fd);
	return ret;
}

static int write_to(const char *path, const struct dev_list *devs,
		    const struct policy_list *policies, struct err *err)
{
	char temp[PATH_MAX + 8];
	FILE *file;
	int fd, ret;

	snprintf(temp, sizeof(temp), "%s.XXXXXX", path);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return fail(err, XC_LOCAL, "cannot write %s: %s", path, strerror(errno));
	ret = keep_mode(fd, path, err);
	file = ret ? NULL : fdopen(fd, "w");
	if (!file) {
		if (!ret)
			ret = no_memory(err);
		close(fd);
		goto out;
	}
	ret = conffile_print(file, devs, policies, err);
	if (!ret && (fflush(file) || ferror(file) || fsync(fd)))
		ret = fail(err, XC_LOCAL, "cannot write %s: %s", path, strerror(errno));
	if (fclose(file) && !ret)
		ret = fail(err, XC_LOCAL, "cannot write %s: %s", path, strerror(errno));
	if (!ret && rename(temp, path))
		ret = fail(err, XC_LOCAL, "cannot write %s: %s", path, strerror(errno));
out:
	if (ret)
		unlink(temp);
	else if (sync_directory(path))
		ret = fail(err, XC_LOCAL, "%s is written, but may be lost in a crash: %s", path,
			   strerror(errno));
	return ret;
}

int conffile_write(const char *path, const struct dev_list *devs,
		   const struct policy_list *policies, struct err *err)
{
	char *real;
	int ret;

	if (!strcmp(path, "-"))
		return conffile_print(stdout, devs, policies, err);
	if (strlen(path) >= PATH_MAX)
		return fail(err, XC_LOCAL, "cannot write %.20s...: %s", path,
			    strerror(ENAMETOOLONG));
	/* A link to it stays a link; what is not there yet has no other name. */
	real = realpath(path, NULL);
	ret = write_to(real ?: path, devs, policies, err);
	free(real);
	return ret;
}
