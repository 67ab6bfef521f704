// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output for people: aligned columns, units, one line for one thing.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <linux/xhroom.h>

#include "out.h"

#define COLUMNS_MAX 10

/* Bytes of headroom that XDP keeps for itself. */
#define XDP_FRAME_SIZE 40

/**
 * struct table - columns, as wide as their widest cell
 * @align: a letter for each column: l or r
 * @width: of each column
 * @file: where to print, NULL while measuring
 *
 * A table is walked twice with the same calls: once to measure, once to print.
 */
struct table {
	const char *align;
	int width[COLUMNS_MAX];
	FILE *file;
};

static void row(struct table *table, const char *const *cells)
{
	int nr = strlen(table->align), i;

	for (i = 0; !table->file && i < nr; i++) {
		int len = strlen(cells[i]);

		if (len > table->width[i])
			table->width[i] = len;
	}
	if (!table->file)
		return;
	/* No blanks at the end of a line. */
	while (nr > 1 && !*cells[nr - 1])
		nr--;
	for (i = 0; i < nr; i++) {
		bool right = table->align[i] == 'r';

		fprintf(table->file, "%*s%s", right ? table->width[i] :
			i < nr - 1 ? -table->width[i] : 0, cells[i], i < nr - 1 ? "  " : "\n");
	}
}

#define ROW(table, ...) do {						\
	const char *const cells[COLUMNS_MAX] = { __VA_ARGS__ };		\
									\
	row(table, cells);						\
} while (0)

#define NUMBER_SIZE 21

static const char *number(uint64_t n, char buf[static NUMBER_SIZE])
{
	snprintf(buf, NUMBER_SIZE, "%" PRIu64, n);
	return buf;
}

/* The rest of the line: the headroom always, other settings if they were made. */
static void print_conf(FILE *file, const struct dev_conf *conf)
{
	fprintf(file, "  tx-headroom %" PRIu32 " bytes", conf->tx_extra_headroom);
	if (conf->tx_auto_max)
		fprintf(file, " (auto max %" PRIu32 ")", conf->tx_auto_max);
	if (tx_head_name(conf->tx_head) && conf->tx_head != XHROOM_TX_HEAD_AUTO)
		fprintf(file, "  tx-head %s", tx_head_name(conf->tx_head));
	else if (!tx_head_name(conf->tx_head))
		fprintf(file, "  tx-head %" PRIu32, conf->tx_head);
	if (conf->xdp_headroom_min != XHROOM_XDP_HEADROOM_MIN_MAX)
		fprintf(file, "  xdp-headroom-min %" PRIu32 " bytes (%" PRIu32
			" for programs to add)", conf->xdp_headroom_min,
			conf->xdp_headroom_min - XDP_FRAME_SIZE);
	if (xdp_linearize_name(conf->xdp_linearize) &&
	    conf->xdp_linearize != XHROOM_XDP_LINEARIZE_ON)
		fprintf(file, "  xdp-linearize %s", xdp_linearize_name(conf->xdp_linearize));
	else if (!xdp_linearize_name(conf->xdp_linearize))
		fprintf(file, "  xdp-linearize %" PRIu32, conf->xdp_linearize);
	fputc('\n', file);
}

/* A line of its own: why the value of a device that learns is what it is. */
static void print_learned(FILE *file, int width, const struct dev_auto *learned)
{
	char function[sizeof(learned->function)];

	fprintf(file, "%*s  auto: ", width, "");
	switch (learned->reason) {
	case XHROOM_TX_AUTO_REASON_NOTHING:
		fputs("no packet has lacked headroom", file);
		break;
	case XHROOM_TX_AUTO_REASON_LACKED:
		fputs("packets lacked headroom", file);
		break;
	case XHROOM_TX_AUTO_REASON_LIMITED:
		fputs("packets lack more than the maximum", file);
		break;
	case XHROOM_TX_AUTO_REASON_LOWERED:
		fputs("packets need less than before", file);
		break;
	default:
		fprintf(file, "reason %" PRIu32, learned->reason);
		break;
	}
	if (*learned->function)
		fprintf(file, " in %s()", printable(learned->function, function, sizeof(function)));
	fprintf(file, ", for %" PRIu32 " s\n", learned->changed);
}

/* Lines of their own; of what was received only if there is something to say. */
static void print_stats(FILE *file, int width, const struct dev_stats *stats)
{
	fprintf(file, "%*s  given to %" PRIu64 " packets, %" PRIu64 " bytes in all; %" PRIu64
		" heads from page fragments", width, "", stats->tx_headroom_packets,
		stats->tx_headroom_bytes, stats->tx_page_frags);
	if (stats->tx_headroom_fallbacks)
		fprintf(file, "; %" PRIu64 " packets went without, for want of memory",
			stats->tx_headroom_fallbacks);
	fputc('\n', file);
	if (!stats->xdp_kept && !stats->xdp_copied_shared && !stats->xdp_copied_nonlinear &&
	    !stats->xdp_copied_headroom && !stats->xdp_copied_head)
		return;
	fprintf(file, "%*s  XDP: %" PRIu64 " packets kept; copied %" PRIu64 " as shared, %" PRIu64
		" as not linear, %" PRIu64 " for headroom, %" PRIu64 " for their head\n", width,
		"", stats->xdp_kept, stats->xdp_copied_shared, stats->xdp_copied_nonlinear,
		stats->xdp_copied_headroom, stats->xdp_copied_head);
}

static int text_devs(const struct out *out, const struct dev_list *list, bool statistics)
{
	int width = 0, len;
	size_t i;

	for (i = 0; i < list->nr; i++) {
		char name[IFNAMSIZ];

		len = strlen(printable(list->devs[i].name, name, sizeof(name)));
		if (len > width)
			width = len;
	}
	for (i = 0; i < list->nr; i++) {
		const struct dev *dev = &list->devs[i];
		char name[IFNAMSIZ];

		fprintf(out->file, "%-*s", width, printable(dev->name, name, sizeof(name)));
		print_conf(out->file, &dev->conf);
		if (dev->learned.reason)
			print_learned(out->file, width, &dev->learned);
		if (statistics)
			print_stats(out->file, width, &dev->stats);
	}
	return 0;
}

static void stats_table(struct table *table, const struct dev_list *list)
{
	size_t i;

	ROW(table, "DEVICE", "TX-HEADROOM PACKETS", "BYTES", "FALLBACKS", "PAGE FRAGS", "XDP KEPT",
	    "COPIED: SHARED", "NONLINEAR", "HEADROOM", "HEAD");
	for (i = 0; i < list->nr; i++) {
		const struct dev_stats *stats = &list->devs[i].stats;
		char packets[NUMBER_SIZE], bytes[NUMBER_SIZE], fallbacks[NUMBER_SIZE];
		char frags[NUMBER_SIZE], kept[NUMBER_SIZE], shared[NUMBER_SIZE];
		char nonlinear[NUMBER_SIZE], headroom[NUMBER_SIZE], head[NUMBER_SIZE];
		char name[IFNAMSIZ];

		ROW(table, printable(list->devs[i].name, name, sizeof(name)),
		    number(stats->tx_headroom_packets, packets),
		    number(stats->tx_headroom_bytes, bytes),
		    number(stats->tx_headroom_fallbacks, fallbacks),
		    number(stats->tx_page_frags, frags), number(stats->xdp_kept, kept),
		    number(stats->xdp_copied_shared, shared),
		    number(stats->xdp_copied_nonlinear, nonlinear),
		    number(stats->xdp_copied_headroom, headroom),
		    number(stats->xdp_copied_head, head));
	}
}

static int text_stats(const struct out *out, const struct dev_list *list)
{
	struct table table = { .align = "lrrrrrrrrr" };

	stats_table(&table, list);
	table.file = out->file;
	stats_table(&table, list);
	return 0;
}

static void feature_table(struct table *table, const struct status *status)
{
	size_t i;

	ROW(table, "FEATURE", "STATE", "USERS", "");
	for (i = 0; i < status->nr_features; i++) {
		const struct feature *feature = &status->features[i];
		char users[NUMBER_SIZE];

		ROW(table, feature->name, feature_state_name(feature),
		    number(feature->users, users), feature->reason);
	}
}

static void hook_table(struct table *table, const struct status *status)
{
	size_t i;

	ROW(table, "HOOK", "MODULE", "FEATURE", "STATE", "CALLS", "INSIDE", "");
	for (i = 0; i < status->nr_hooks; i++) {
		const struct hook *hook = &status->hooks[i];
		char calls[NUMBER_SIZE], inside[NUMBER_SIZE], why[TEXT_MAX];

		snprintf(why, sizeof(why), "%s%s%s%s", hook->reason, *hook->holder ? " (" : "",
			 hook->holder, *hook->holder ? ")" : "");
		if (!*why && hook->backend)
			snprintf(why, sizeof(why), "by %s", hook_backend_name(hook->backend));
		ROW(table, hook->symbol, *hook->module ? hook->module : "-", hook->feature,
		    hook_state_name(hook->state), number(hook->calls, calls),
		    number(hook->inside, inside), why);
	}
}

static int text_status(const struct out *out, const struct status *status)
{
	struct table features = { .align = "llrl" }, hooks = { .align = "llllrrl" };

	fprintf(out->file, "xdp_skbext %s\n", status->version);
	feature_table(&features, status);
	features.file = out->file;
	fputc('\n', out->file);
	feature_table(&features, status);
	hook_table(&hooks, status);
	hooks.file = out->file;
	fputc('\n', out->file);
	hook_table(&hooks, status);
	return 0;
}

static int text_policies(const struct out *out, const struct policy_list *list)
{
	char match[MATCH_SIZE];
	int width = 0, len;
	size_t i;

	for (i = 0; i < list->nr; i++) {
		len = strlen(match_text(&list->policies[i], match));
		if (len > width)
			width = len;
	}
	for (i = 0; i < list->nr; i++) {
		fprintf(out->file, "%-*s", width, match_text(&list->policies[i], match));
		print_conf(out->file, &list->policies[i].conf);
	}
	return 0;
}

static int text_event(const struct out *out, const struct event *event)
{
	const struct dev_conf *conf;
	char text[MATCH_SIZE];
	bool gone;

	if (event->dev) {
		fputs(printable(event->dev->name, text, sizeof(text)), out->file);
		conf = &event->dev->conf;
		gone = event->dev->gone;
	} else if (event->policy) {
		fprintf(out->file, "policy %s", match_text(event->policy, text));
		conf = &event->policy->conf;
		gone = event->policy->gone;
	} else {
		fputs("some changes were lost\n", out->file);
		return 0;
	}
	if (gone)
		fputs("  gone\n", out->file);
	else
		print_conf(out->file, conf);
	return 0;
}

static int text_version(const struct out *out, const char *tool, const char *module)
{
	fprintf(out->file, "xhroomctl   %s\n", tool);
	fprintf(out->file, "xdp_skbext  %s\n", module ? module : "not loaded");
	return 0;
}

const struct out_ops out_text = {
	.devs = text_devs,
	.stats = text_stats,
	.status = text_status,
	.policies = text_policies,
	.event = text_event,
	.version = text_version,
};
