/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the user sees: one set of functions for people (text.c), one for
 * programs (json.c). They print to a stream and decide nothing.
 */
#ifndef XHROOMCTL_OUT_H
#define XHROOMCTL_OUT_H

#include <stdio.h>

#include "model.h"

/**
 * struct out - where and how to print
 * @file: the stream
 * @json: as JSON; the keys are described in docs/json-schema/
 * @pretty: JSON with line breaks
 */
struct out {
	FILE *file;
	bool json;
	bool pretty;
};

/**
 * struct out_ops - one way to print
 * @devs: settings, and counters if @statistics
 * @stats: counters
 * @status: status
 * @policies: policies
 * @event: one notification
 * @version: of the tool, and of the module or NULL if it is not loaded
 */
struct out_ops {
	int (*devs)(const struct out *out, const struct dev_list *list, bool statistics);
	int (*stats)(const struct out *out, const struct dev_list *list);
	int (*status)(const struct out *out, const struct status *status);
	int (*policies)(const struct out *out, const struct policy_list *list);
	int (*event)(const struct out *out, const struct event *event);
	int (*version)(const struct out *out, const char *tool, const char *module);
};

extern const struct out_ops out_text;
extern const struct out_ops out_json;

/* Words for the numbers of the ABI; "unknown" for those of a newer module. */
const char *hook_state_name(uint32_t state);
const char *hook_backend_name(uint32_t backend);
const char *feature_state_name(const struct feature *feature);

/* The same word is read and printed. NULL for a number of a newer module. */
const char *tx_head_name(uint32_t head);
const char *xdp_linearize_name(uint32_t mode);
const char *tx_auto_reason_name(uint32_t reason);

/* "kind:KIND", "name:PATTERN" or "kind:KIND/name:PATTERN", as it is fit to print. */
#define MATCH_SIZE (sizeof("kind:/name:") + KIND_MAX + PATTERN_MAX)
const char *match_text(const struct policy *policy, char buf[static MATCH_SIZE]);
bool same_match(const struct policy *a, const struct policy *b);

/*
 * A name as it is fit to print. Names of devices are bytes that anybody chose:
 * what is not printable UTF-8 becomes '?'. @buf has room for the name and a NUL.
 */
const char *printable(const char *name, char *buf, size_t size);

#endif
