/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policies: the value that a device gets when it registers, by its link kind, by
 * its name, or by both. Pure matching; device.c applies the result.
 *
 * Text form, as in the module parameter tx_headroom:
 *
 *	list   = policy *("," policy)
 *	policy = match "=" bytes
 *	match  = "kind:" KIND | "name:" PATTERN | "kind:" KIND "/" "name:" PATTERN
 *
 * KIND is what "ip -d link" shows (veth, vlan, ...), PATTERN a shell pattern with
 * *, ? and [...]. The most specific match wins: kind and name, then name, then
 * kind; among equals the one that comes last.
 */
#ifndef XHR_POLICY_H
#define XHR_POLICY_H

#include <linux/types.h>

struct net_device;

int xhr_policy_init(void);
void xhr_policy_exit(void);
bool xhr_policy_any(void);
unsigned int xhr_policy_tx_headroom(const struct net_device *dev);

#endif
