// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output for programs: one JSON document. Keys are fixed in docs/json-schema/;
 * they may be added to, never renamed.
 */
#include <string.h>
#include <json-c/json.h>

#include "out.h"

/* json-c aborts nothing when memory is short: a NULL object prints as null. */
static int print(const struct out *out, struct json_object *object)
{
	int flags = out->pretty ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED :
				  JSON_C_TO_STRING_PLAIN;
	const char *text;

	flags |= JSON_C_TO_STRING_NOSLASHESCAPE;
	text = object ? json_object_to_json_string_ext(object, flags) : NULL;
	if (text)
		fprintf(out->file, "%s\n", text);
	json_object_put(object);
	return text ? 0 : -1;
}

static void add_text(struct json_object *object, const char *key, const char *text)
{
	char buf[TEXT_MAX];

	json_object_object_add(object, key,
			       json_object_new_string(printable(text, buf, sizeof(buf))));
}

static void add_number(struct json_object *object, const char *key, uint64_t number)
{
	json_object_object_add(object, key, json_object_new_uint64(number));
}

static void add_bool(struct json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

static void add_dev(struct json_object *object, const struct dev *dev)
{
	add_text(object, "ifname", dev->name);
	add_number(object, "ifindex", dev->ifindex);
}

static void add_conf(struct json_object *object, const struct dev_conf *conf)
{
	add_number(object, "tx_extra_headroom", conf->tx_extra_headroom);
	if (conf->tx_auto_max)
		add_number(object, "tx_auto_max", conf->tx_auto_max);
	if (tx_head_name(conf->tx_head))
		add_text(object, "tx_head", tx_head_name(conf->tx_head));
	else
		add_number(object, "tx_head", conf->tx_head);
	add_number(object, "xdp_headroom_min", conf->xdp_headroom_min);
	if (xdp_linearize_name(conf->xdp_linearize))
		add_text(object, "xdp_linearize", xdp_linearize_name(conf->xdp_linearize));
	else
		add_number(object, "xdp_linearize", conf->xdp_linearize);
}

static void add_learned(struct json_object *object, const struct dev_auto *learned)
{
	if (!learned->reason)
		return;
	add_text(object, "tx_auto_reason", tx_auto_reason_name(learned->reason));
	add_number(object, "tx_auto_changed", learned->changed);
	if (*learned->function)
		add_text(object, "tx_auto_function", learned->function);
}

static void add_stats(struct json_object *object, const struct dev_stats *stats)
{
	add_number(object, "tx_headroom_packets", stats->tx_headroom_packets);
	add_number(object, "tx_headroom_bytes", stats->tx_headroom_bytes);
	add_number(object, "tx_headroom_fallbacks", stats->tx_headroom_fallbacks);
	add_number(object, "tx_page_frags", stats->tx_page_frags);
	add_number(object, "xdp_kept", stats->xdp_kept);
	add_number(object, "xdp_copied_shared", stats->xdp_copied_shared);
	add_number(object, "xdp_copied_nonlinear", stats->xdp_copied_nonlinear);
	add_number(object, "xdp_copied_headroom", stats->xdp_copied_headroom);
	add_number(object, "xdp_copied_head", stats->xdp_copied_head);
}

static int json_devs(const struct out *out, const struct dev_list *list, bool statistics)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < list->nr; i++) {
		struct json_object *object = json_object_new_object();

		add_dev(object, &list->devs[i]);
		add_conf(object, &list->devs[i].conf);
		add_learned(object, &list->devs[i].learned);
		if (statistics) {
			struct json_object *stats = json_object_new_object();

			add_stats(stats, &list->devs[i].stats);
			json_object_object_add(object, "stats", stats);
		}
		json_object_array_add(array, object);
	}
	return print(out, array);
}

static int json_stats(const struct out *out, const struct dev_list *list)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < list->nr; i++) {
		struct json_object *object = json_object_new_object();

		add_dev(object, &list->devs[i]);
		add_stats(object, &list->devs[i].stats);
		json_object_array_add(array, object);
	}
	return print(out, array);
}

static int json_status(const struct out *out, const struct status *status)
{
	struct json_object *top = json_object_new_object();
	struct json_object *features = json_object_new_array();
	struct json_object *hooks = json_object_new_array();
	size_t i;

	for (i = 0; i < status->nr_features; i++) {
		const struct feature *feature = &status->features[i];
		struct json_object *object = json_object_new_object();

		add_text(object, "name", feature->name);
		add_text(object, "state", feature_state_name(feature));
		add_bool(object, "available", feature->available);
		add_bool(object, "attached", feature->attached);
		add_bool(object, "disabled", feature->disabled);
		add_number(object, "users", feature->users);
		add_text(object, "reason", feature->reason);
		json_object_array_add(features, object);
	}
	for (i = 0; i < status->nr_hooks; i++) {
		const struct hook *hook = &status->hooks[i];
		struct json_object *object = json_object_new_object();

		add_text(object, "symbol", hook->symbol);
		add_text(object, "module", hook->module);
		add_text(object, "feature", hook->feature);
		add_text(object, "state", hook_state_name(hook->state));
		add_text(object, "backend", hook_backend_name(hook->backend));
		add_number(object, "calls", hook->calls);
		add_number(object, "inside", hook->inside);
		add_text(object, "reason", hook->reason);
		add_text(object, "holder", hook->holder);
		json_object_array_add(hooks, object);
	}
	add_text(top, "version", status->version);
	json_object_object_add(top, "features", features);
	json_object_object_add(top, "hooks", hooks);
	return print(out, top);
}

static void add_match(struct json_object *object, const struct policy *policy)
{
	if (*policy->kind)
		add_text(object, "kind", policy->kind);
	else
		json_object_object_add(object, "kind", NULL);
	if (*policy->name)
		add_text(object, "name", policy->name);
	else
		json_object_object_add(object, "name", NULL);
}

static int json_policies(const struct out *out, const struct policy_list *list)
{
	struct json_object *array = json_object_new_array();
	size_t i;

	for (i = 0; i < list->nr; i++) {
		struct json_object *object = json_object_new_object();

		add_match(object, &list->policies[i]);
		add_conf(object, &list->policies[i].conf);
		json_object_array_add(array, object);
	}
	return print(out, array);
}

/* One object a line, also with -p: a reader splits at line ends. */
static int json_event(const struct out *out, const struct event *event)
{
	const struct out line = { .file = out->file, .json = true };
	struct json_object *object = json_object_new_object();
	const struct policy *policy = event->policy;
	const struct dev *dev = event->dev;

	if (dev) {
		add_text(object, "event", dev->gone ? "gone" : "set");
		add_dev(object, dev);
		if (!dev->gone)
			add_conf(object, &dev->conf);
	} else if (policy) {
		add_text(object, "event", policy->gone ? "policy-gone" : "policy-set");
		add_match(object, policy);
		if (!policy->gone)
			add_conf(object, &policy->conf);
	} else {
		add_text(object, "event", "lost");
	}
	return print(&line, object);
}

static int json_version(const struct out *out, const char *tool, const char *module)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "xhroomctl", tool);
	if (module)
		add_text(object, "xdp_skbext", module);
	else
		json_object_object_add(object, "xdp_skbext", NULL);
	return print(out, object);
}

const struct out_ops out_json = {
	.devs = json_devs,
	.stats = json_stats,
	.status = json_status,
	.policies = json_policies,
	.event = json_event,
	.version = json_version,
};
