// SPDX-License-Identifier: GPL-2.0-only
/*
 * xhroomctl: words (args.c, conffile.c), messages (conn.c), output (text.c, json.c),
 * brought together by one function for each command.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "conffile.h"
#include "help.h"
#include "netns.h"
#include "conn.h"
#include "out.h"

static int report(const struct err *err)
{
	char text[sizeof(err->text)];

	fprintf(stderr, "xhroomctl: %s\n", printable(err->text, text, sizeof(text)));
	if (err->hint[0])
		fprintf(stderr, "xhroomctl: %s\n", printable(err->hint, text, sizeof(text)));
	return err->code;
}

static void complain(const struct err *err)
{
	report(err);
}

static const struct out_ops *ops_of(const struct out *out)
{
	return out->json ? &out_json : &out_text;
}

/* Settings and counters of the same devices, from two dumps. */
static void join_stats(struct dev_list *list, const struct dev_list *stats)
{
	size_t i, j = 0;

	for (i = 0; i < list->nr; i++) {
		while (j < stats->nr && stats->devs[j].ifindex < list->devs[i].ifindex)
			j++;
		if (j < stats->nr && stats->devs[j].ifindex == list->devs[i].ifindex)
			list->devs[i].stats = stats->devs[j].stats;
	}
}

static int show_one(struct conn *conn, const struct request *req, const struct out *out,
		    struct err *err)
{
	struct dev dev, stats;

	if (conn_dev_get(conn, req->dev, &dev, err))
		return -1;
	if (req->statistics) {
		if (conn_stats_get(conn, req->dev, &stats, err))
			return -1;
		dev.stats = stats.stats;
	}
	return ops_of(out)->devs(out, &(struct dev_list){ &dev, 1 }, req->statistics);
}

static int cmd_show(struct conn *conn, const struct request *req, const struct out *out,
		    struct err *err)
{
	struct dev_list list, stats;
	int ret;

	if (req->dev)
		return show_one(conn, req, out, err);
	if (conn_dev_dump(conn, &list, err))
		return -1;
	if (req->statistics) {
		if (conn_stats_dump(conn, &stats, err)) {
			dev_list_free(&list);
			return -1;
		}
		join_stats(&list, &stats);
		dev_list_free(&stats);
	}
	ret = ops_of(out)->devs(out, &list, req->statistics);
	dev_list_free(&list);
	return ret;
}

/* --dry-run: what would be asked for, in words that do it. */
static int say(const struct out *out, const struct request *req, struct err *err)
{
	char *text = NULL, *safe;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (file) {
		args_print(file, req);
		fclose(file);
	}
	safe = text ? malloc(size + 1) : NULL;
	if (safe)
		fprintf(out->file, "%s\n", printable(text, safe, size + 1));
	free(text);
	free(safe);
	return safe ? 0 : fail(err, XC_LOCAL, "out of memory");
}

/* As far as it can be known without trying. */
static int say_set(struct conn *conn, const struct request *req, const struct out *out,
		   struct err *err)
{
	struct dev dev;

	if (args_check_range(req->dev, &req->conf, req->mask, err) ||
	    conn_dev_get(conn, req->dev, &dev, err))
		return -1;
	return say(out, req, err);
}

/* Silent like ip(8), unless JSON is wanted. */
static int cmd_set(struct conn *conn, const struct request *req, const struct out *out,
		   struct err *err)
{
	struct dev dev;

	if (req->dry_run)
		return say_set(conn, req, out, err);
	if (conn_dev_set(conn, req->dev, &req->conf, req->mask, &dev, err))
		return -1;
	return out->json ? out_json.devs(out, &(struct dev_list){ &dev, 1 }, false) : 0;
}

static int cmd_status(struct conn *conn, const struct request *req, const struct out *out,
		      struct err *err)
{
	struct status status;
	int ret;

	(void)req;
	if (conn_status(conn, &status, err))
		return -1;
	ret = ops_of(out)->status(out, &status);
	status_free(&status);
	return ret;
}

static int stats_once(struct conn *conn, const struct request *req, const struct out *out,
		      struct err *err)
{
	struct dev_list list;
	struct dev dev;
	int ret;

	if (req->dev) {
		if (conn_stats_get(conn, req->dev, &dev, err))
			return -1;
		return ops_of(out)->stats(out, &(struct dev_list){ &dev, 1 });
	}
	if (conn_stats_dump(conn, &list, err))
		return -1;
	ret = ops_of(out)->stats(out, &list);
	dev_list_free(&list);
	return ret;
}

static int flush(const struct out *out, struct err *err)
{
	if (!fflush(out->file) && !ferror(out->file))
		return 0;
	return fail(err, XC_LOCAL, "cannot write: %s", strerror(errno));
}

/* On a terminal the table stays in place; elsewhere tables follow each other. */
static int cmd_stats(struct conn *conn, const struct request *req, const struct out *out,
		     struct err *err)
{
	bool clear = req->interval && !out->json && isatty(fileno(out->file));

	for (;;) {
		if (clear)
			fputs("\033[H\033[2J", out->file);
		if (stats_once(conn, req, out, err) || flush(out, err))
			return -1;
		if (!req->interval)
			return 0;
		sleep(req->interval);
		if (!clear && !out->json)
			fputc('\n', out->file);
	}
}

static int say_policy_set(const struct request *req, const struct out *out, const char *match,
			  struct err *err)
{
	if (args_check_range(match, &req->conf, req->mask, err))
		return -1;
	return say(out, req, err);
}

/* Each of them, or only says so. */
static int policy_clear_all(struct conn *conn, const struct request *req, const struct out *out,
			    struct err *err)
{
	struct policy_list list;
	char match[MATCH_SIZE];
	int ret = 0;
	size_t i;

	if (conn_policy_dump(conn, &list, err))
		return -1;
	for (i = 0; i < list.nr && !ret; i++) {
		const struct policy *policy = &list.policies[i];

		if (req->dry_run) {
			const struct request one = {
				.command = CMD_POLICY, .action = POLICY_CLEAR, .policy = *policy,
			};

			ret = say(out, &one, err);
			continue;
		}
		ret = conn_policy_del(conn, match_text(policy, match), policy, err);
		/* Somebody else was quicker. */
		if (ret && err->errnum == ENOENT)
			ret = 0;
	}
	policy_list_free(&list);
	return ret;
}

static int say_policy_clear(struct conn *conn, const struct request *req, const struct out *out,
			    const char *match, struct err *err)
{
	struct policy_list list;
	bool found = false;
	size_t i;

	if (conn_policy_dump(conn, &list, err))
		return -1;
	for (i = 0; i < list.nr && !found; i++)
		found = same_match(&list.policies[i], &req->policy);
	policy_list_free(&list);
	if (!found)
		return fail(err, XC_REFUSED, "%s: there is no policy with this match", match);
	return say(out, req, err);
}

static int cmd_policy(struct conn *conn, const struct request *req, const struct out *out,
		      struct err *err)
{
	struct policy policy = req->policy;
	struct policy_list list;
	char match[MATCH_SIZE];
	int ret;

	match_text(&policy, match);
	switch (req->action) {
	case POLICY_SET:
		if (req->dry_run)
			return say_policy_set(req, out, match, err);
		policy.conf = req->conf;
		if (conn_policy_set(conn, match, &policy, req->mask, err))
			return -1;
		return out->json ? out_json.policies(out, &(struct policy_list){ &policy, 1 }) : 0;
	case POLICY_CLEAR:
		if (req->dry_run)
			return say_policy_clear(conn, req, out, match, err);
		return conn_policy_del(conn, match, &policy, err);
	case POLICY_CLEAR_ALL:
		return policy_clear_all(conn, req, out, err);
	case POLICY_SHOW:
		break;
	}
	if (conn_policy_dump(conn, &list, err))
		return -1;
	ret = ops_of(out)->policies(out, &list);
	policy_list_free(&list);
	return ret;
}

static int on_event(const struct event *event, void *arg)
{
	const struct out *out = arg;

	ops_of(out)->event(out, event);
	return fflush(out->file) || ferror(out->file);
}

static int cmd_monitor(struct conn *conn, const struct request *req, const struct out *out,
		       struct err *err)
{
	(void)req;
	return conn_monitor(conn, on_event, (void *)out, err);
}

static int cmd_save(struct conn *conn, const struct request *req, const struct out *out,
		    struct err *err)
{
	struct policy_list policies;
	struct dev_list devs;
	int ret;

	(void)out;
	if (conn_policy_dump(conn, &policies, err))
		return -1;
	ret = conn_dev_dump(conn, &devs, err);
	if (!ret) {
		ret = conffile_write(req->file ?: USUAL_FILE, &devs, &policies, err);
		dev_list_free(&devs);
	}
	policy_list_free(&policies);
	return ret;
}

/**
 * struct restored - what became of the lines of a file
 * @done: asked for, and done
 * @refused: by the kernel
 * @absent: devices that are not there
 * @named: how many of these are in @names, which is as many as fit
 * @names: a list
 */
struct restored {
	unsigned int done;
	unsigned int refused;
	unsigned int absent;
	unsigned int named;
	char names[512];
};

static void add_absent(struct restored *restored, const char *name)
{
	size_t len = strlen(restored->names);

	restored->absent++;
	if (len + strlen(name) + 2 > sizeof(restored->names))
		return;
	sprintf(restored->names + len, " %s", name);
	restored->named++;
}

static void say_absent(const struct conffile *conf, const struct restored *restored)
{
	char more[32] = "";
	struct err note;

	if (restored->absent > restored->named)
		snprintf(more, sizeof(more), " and %u more", restored->absent - restored->named);
	fail(&note, XC_DONE, "%s: left out, not there now:%s%s", conf->name, restored->names, more);
	report(&note);
}

/* Whether a line is one of those that are wanted. */
static bool wanted(const struct request *line, const struct request *req)
{
	return !req->dev || (line->command == CMD_SET && !strcmp(line->dev, req->dev));
}

static int restore_line(struct conn *conn, const struct request *line, const struct out *out,
			bool dry_run, struct err *err)
{
	struct policy policy = line->policy;
	char match[MATCH_SIZE];
	struct dev dev;

	if (line->command == CMD_SET && dry_run)
		return say_set(conn, line, out, err);
	if (line->command == CMD_SET)
		return conn_dev_set(conn, line->dev, &line->conf, line->mask, &dev, err);
	match_text(&policy, match);
	if (dry_run)
		return say_policy_set(line, out, match, err);
	policy.conf = line->conf;
	return conn_policy_set(conn, match, &policy, line->mask, err);
}

/*
 * A line that the kernel refuses does not stop the others, which may be what a host
 * is reached by; but who may not set the first one may not set the next.
 */
static int restore_lines(struct conn *conn, const struct conffile *conf, const struct request *req,
			 const struct out *out, struct restored *restored, struct err *err)
{
	size_t i;

	for (i = 0; i < conf->nr; i++) {
		const struct conffile_line *line = &conf->lines[i];

		if (!wanted(&line->req, req))
			continue;
		if (!restore_line(conn, &line->req, out, req->dry_run, err)) {
			restored->done++;
			continue;
		}
		if (err->errnum == ENODEV) {
			add_absent(restored, line->req.dev);
			continue;
		}
		conffile_locate(conf, line->nr, err);
		if (err->code != XC_REFUSED || err->errnum == EPERM)
			return -1;
		report(err);
		restored->refused++;
	}
	return 0;
}

static int restore(struct conn *conn, const struct conffile *conf, const struct request *req,
		   const struct out *out, struct err *err)
{
	struct restored restored = {};
	int ret = restore_lines(conn, conf, req, out, &restored, err);

	/* With -d, it was asked for because it was there a moment ago. */
	if (restored.absent && !req->dev)
		say_absent(conf, &restored);
	if (ret) {
		if (restored.done)
			err->code = XC_PARTLY;
		return ret;
	}
	if (!restored.refused)
		return 0;
	return fail(err, restored.done ? XC_PARTLY : XC_REFUSED,
		    "%s: %u line%s refused, %u done", conf->name, restored.refused,
		    restored.refused == 1 ? "" : "s", restored.done);
}

/* Looking at a file, or for lines that it does not have, needs no module. */
static int cmd_restore(const struct request *req, const struct out *out, struct err *err)
{
	struct conffile conf;
	struct conn *conn;
	bool any = false;
	size_t i;
	int ret;

	ret = conffile_read(req->file ?: USUAL_FILE, &conf, complain, err);
	for (i = 0; i < conf.nr; i++)
		any |= wanted(&conf.lines[i].req, req);
	if (ret || req->check || !any)
		goto out;
	ret = conn_open(&conn, err);
	if (ret)
		goto out;
	ret = restore(conn, &conf, req, out, err);
	conn_close(conn);
out:
	conffile_free(&conf);
	return ret;
}

/* Works without the module: it is one of the things that it tells. */
static int cmd_version(const struct out *out, struct err *err)
{
	struct status status = {};
	struct conn *conn;
	int ret;

	if (conn_open(&conn, err)) {
		if (err->code != XC_NO_MODULE)
			return -1;
	} else {
		ret = conn_status(conn, &status, err);
		conn_close(conn);
		if (ret)
			return -1;
	}
	ret = ops_of(out)->version(out, VERSION, status.version);
	status_free(&status);
	return ret;
}

static int run(const struct request *req, const struct out *out, struct err *err)
{
	static int (*const with_module[NR_COMMANDS])(struct conn *conn, const struct request *req,
						     const struct out *out, struct err *err) = {
		[CMD_SHOW] = cmd_show,
		[CMD_SET] = cmd_set,
		[CMD_CLEAR] = cmd_set,
		[CMD_POLICY] = cmd_policy,
		[CMD_STATUS] = cmd_status,
		[CMD_STATS] = cmd_stats,
		[CMD_MONITOR] = cmd_monitor,
		[CMD_SAVE] = cmd_save,
	};
	struct conn *conn;
	int ret;

	if (req->command == CMD_HELP) {
		help(out->file, req->topic);
		return 0;
	}
	if (req->netns && netns_enter(req->netns, err))
		return -1;
	if (req->command == CMD_VERSION)
		return cmd_version(out, err);
	if (req->command == CMD_RESTORE)
		return cmd_restore(req, out, err);
	if (conn_open(&conn, err))
		return -1;
	ret = with_module[req->command](conn, req, out, err);
	conn_close(conn);
	return ret;
}

int main(int argc, char **argv)
{
	struct err err = { .code = XC_LOCAL, .text = "out of memory" };
	struct request req;
	struct out out = { .file = stdout };

	/* Asked by the bash completion. */
	if (argc > 1 && !strcmp(argv[1], "__complete")) {
		complete(stdout, argc - 2, argv + 2);
		return XC_DONE;
	}
	if (args_parse(argc, argv, &req, &err))
		return report(&err);
	out.json = req.json;
	out.pretty = req.pretty;
	if (run(&req, &out, &err) || flush(&out, &err))
		return report(&err);
	return XC_DONE;
}
