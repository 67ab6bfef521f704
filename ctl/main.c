// SPDX-License-Identifier: GPL-2.0-only
/*
 * xhroomctl: words (args.c), messages (conn.c), output (text.c, json.c), brought
 * together by one function for each command.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "help.h"
#include "netns.h"
#include "conn.h"
#include "out.h"

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

/* Silent like ip(8), unless JSON is wanted. */
static int cmd_set(struct conn *conn, const struct request *req, const struct out *out,
		   struct err *err)
{
	struct dev dev;

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

/* One that somebody else has taken away meanwhile is no reason to stop. */
static int policy_clear_all(struct conn *conn, struct err *err)
{
	struct policy_list list;
	char match[MATCH_SIZE];
	int ret = 0;
	size_t i;

	if (conn_policy_dump(conn, &list, err))
		return -1;
	for (i = 0; i < list.nr && !ret; i++) {
		ret = conn_policy_del(conn, match_text(&list.policies[i], match),
				      &list.policies[i], err);
		if (ret && err->errnum == ENOENT)
			ret = 0;
	}
	policy_list_free(&list);
	return ret;
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
		policy.conf = req->conf;
		if (conn_policy_set(conn, match, &policy, req->mask, err))
			return -1;
		return out->json ? out_json.policies(out, &(struct policy_list){ &policy, 1 }) : 0;
	case POLICY_CLEAR:
		return conn_policy_del(conn, match, &policy, err);
	case POLICY_CLEAR_ALL:
		return policy_clear_all(conn, err);
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
	if (conn_open(&conn, err))
		return -1;
	ret = with_module[req->command](conn, req, out, err);
	conn_close(conn);
	return ret;
}

static int report(const struct err *err)
{
	char text[sizeof(err->text)];

	fprintf(stderr, "xhroomctl: %s\n", printable(err->text, text, sizeof(text)));
	if (err->hint[0])
		fprintf(stderr, "xhroomctl: %s\n", printable(err->hint, text, sizeof(text)));
	return err->code;
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
