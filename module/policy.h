/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policies: the settings that a device gets when it registers, by its link kind,
 * by its name, or by both. The list and its rules; device.c applies the result.
 *
 * Policies belong to the host: they apply in every network namespace, and only
 * who may set a device's values in the initial user namespace may make them. A
 * policy is told from others by its match; there are never two with the same.
 *
 * Text form, as in the module parameter tx_headroom:
 *
 *	list   = policy *("," policy)
 *	policy = match "=" bytes
 *	match  = "kind:" KIND | "name:" PATTERN | "kind:" KIND "/" "name:" PATTERN
 *
 * KIND is what "ip -d link" shows (veth, vlan, ...), PATTERN a shell pattern with
 * *, ? and [...]. The most specific match wins: kind and name, then name, then
 * kind; among equals the one that was made last.
 */
#ifndef XHR_POLICY_H
#define XHR_POLICY_H

#include <linux/list.h>

#include "device.h"

struct net_device;
struct netlink_ext_ack;

/* Characters, without the NUL. */
#define XHR_POLICY_KIND_MAX	(MODULE_NAME_LEN - 1)
#define XHR_POLICY_NAME_MAX	(ALTIFNAMSIZ - 1)

/**
 * struct xhr_policy_match - which devices a policy is for
 * @kind: link kind; NULL: any, or none
 * @name: pattern of the name; NULL: any
 *
 * At least one is there.
 */
struct xhr_policy_match {
	const char *kind;
	const char *name;
};

/**
 * struct xhr_policy - one policy
 * @list: in xhr_policies, in the order in which they were made
 * @match: which devices
 * @conf: the settings that they get
 * @uses: XHR_NEED_...: it holds a use of each of these features, so that the
 *	hooks are in place before the first device registers
 * @text: what @match points to
 */
struct xhr_policy {
	struct list_head list;
	struct xhr_policy_match match;
	struct xhr_dev_conf conf;
	u8 uses;
	char text[];
};

bool xhr_policy_kind_valid(const char *kind);
bool xhr_policy_name_valid(const char *name);

/* Read and written under RTNL, as devices register under it. */
extern struct list_head xhr_policies;

/**
 * xhr_policy_set() - make a policy, or change its settings
 * @match: which devices
 * @conf: new values, already within their range
 * @mask: which of them to set, not 0; a new policy has defaults otherwise
 * @extack: receives the reason of a failure
 * @result: called with the policy as it will be, under RTNL, when nothing but
 *	this can fail any more
 * @arg: for @result
 *
 * For devices that register from now on; others stay as they are. On any error
 * nothing has changed.
 *
 * Context: process, sleeps; takes RTNL.
 * Return: 0, -ENOMEM, -ENOSPC (too many), -EOPNOTSUPP, -EBUSY as xhr_dev_set(),
 * or what @result returned.
 */
int xhr_policy_set(const struct xhr_policy_match *match, const struct xhr_dev_conf *conf,
		   u32 mask, struct netlink_ext_ack *extack,
		   int (*result)(const struct xhr_policy *policy, void *arg), void *arg);

/**
 * xhr_policy_del() - take a policy away
 * @match: which one, exactly as it was made
 * @extack: receives the reason of a failure
 * @result: called with the policy, under RTNL, before it goes
 * @arg: for @result
 *
 * Devices keep what they have.
 *
 * Context: process, sleeps; takes RTNL.
 * Return: 0, -ENOENT, or what @result returned.
 */
int xhr_policy_del(const struct xhr_policy_match *match, struct netlink_ext_ack *extack,
		   int (*result)(const struct xhr_policy *policy, void *arg), void *arg);

int xhr_policy_parse_param(void);
void xhr_policy_init(void);
void xhr_policy_exit(void);
const struct xhr_policy *xhr_policy_of(const struct net_device *dev);

#endif
