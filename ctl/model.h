/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tool talks about, free of how it came (netlink) and of how it is
 * shown (text, JSON). The three layers share these structures and nothing else.
 */
#ifndef XHROOMCTL_MODEL_H
#define XHROOMCTL_MODEL_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for any text of the module's: two prototypes of functions, and more. */
#define TEXT_MAX 1024

/* Bits that say which members of a struct dev_conf are meant. */
#define CONF_TX_HEADROOM	(1U << 0)
#define CONF_TX_HEAD		(1U << 1)
#define CONF_XDP_HEADROOM_MIN	(1U << 2)
#define CONF_XDP_LINEARIZE	(1U << 3)
#define CONF_ALL		(CONF_TX_HEADROOM | CONF_TX_HEAD | CONF_XDP_HEADROOM_MIN | \
				 CONF_XDP_LINEARIZE)

/**
 * struct dev_conf - settings of a device
 * @tx_extra_headroom: bytes; from the module, of a device that learns: what it has
 *	learned
 * @tx_head: enum xhroom_tx_head; a newer module may know more
 * @tx_auto_max: bytes up to which the headroom is learned, 0: it is not
 * @xdp_headroom_min: bytes; in a request 0 is the default
 * @xdp_linearize: enum xhroom_xdp_linearize; a newer module may know more
 */
struct dev_conf {
	uint32_t tx_extra_headroom;
	uint32_t tx_head;
	uint32_t tx_auto_max;
	uint32_t xdp_headroom_min;
	uint32_t xdp_linearize;
};

/**
 * struct dev_auto - what a device has learned about its headroom
 * @reason: enum xhroom_tx_auto_reason; 0: not told
 * @changed: seconds since the value last changed
 * @function: kernel function that wanted more, or empty
 */
struct dev_auto {
	uint32_t reason;
	uint32_t changed;
	char function[64];
};

/**
 * struct dev_stats - counters of a device, see uapi/linux/xhroom.h
 */
struct dev_stats {
	uint64_t tx_headroom_packets;
	uint64_t tx_headroom_bytes;
	uint64_t tx_headroom_fallbacks;
	uint64_t tx_page_frags;
	uint64_t xdp_kept;
	uint64_t xdp_copied_shared;
	uint64_t xdp_copied_nonlinear;
	uint64_t xdp_copied_headroom;
	uint64_t xdp_copied_head;
};

/**
 * struct dev - one device
 * @gone: only in a notification: its settings are gone, and @conf means nothing
 */
struct dev {
	uint32_t ifindex;
	char name[IFNAMSIZ];
	struct dev_conf conf;
	struct dev_auto learned;
	struct dev_stats stats;
	bool gone;
};

struct dev_list {
	struct dev *devs;
	size_t nr;
};

/* Longest link kind and longest pattern of a name that the module takes. */
#define KIND_MAX	55
#define PATTERN_MAX	127

/**
 * struct policy - settings of devices that register
 * @kind: link kind, empty: any
 * @name: pattern of the name, empty: any
 * @conf: what they get
 * @gone: only in a notification: it was taken away, and @conf means nothing
 */
struct policy {
	char kind[KIND_MAX + 1];
	char name[PATTERN_MAX + 1];
	struct dev_conf conf;
	bool gone;
};

/* In the order in which they were made. */
struct policy_list {
	struct policy *policies;
	size_t nr;
};

/**
 * struct event - one notification
 * @dev: if it is about a device
 * @policy: if it is about a policy
 *
 * Neither: some were lost.
 */
struct event {
	const struct dev *dev;
	const struct policy *policy;
};

/* States and backends are numbers of the ABI: a newer module may know more. */
struct feature {
	char *name;
	bool available;
	bool attached;
	bool disabled;
	uint32_t users;
	char *reason;
};

struct hook {
	char *symbol;
	char *module;
	char *feature;
	uint32_t state;
	uint32_t backend;
	uint64_t calls;
	uint32_t inside;
	char *reason;
	char *holder;
};

/**
 * struct status - what the module says of itself
 *
 * Strings are never NULL; what was not sent is empty.
 */
struct status {
	char *version;
	struct feature *features;
	size_t nr_features;
	struct hook *hooks;
	size_t nr_hooks;
};

#endif
