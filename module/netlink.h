/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family: how people and programs see the module. What it
 * tells is in uapi/linux/xhroom.h.
 */
#ifndef XHR_NETLINK_H
#define XHR_NETLINK_H

struct net_device;

/*
 * Register the family; from then on requests come in, so everything that they
 * reach must be ready. Process context, not under RTNL: waits for requests that
 * are being handled. xhr_netlink_exit() returns when none is and none can come.
 */
int xhr_netlink_init(void);
void xhr_netlink_exit(void);

/* Called under RTNL when an unregistering device's settings are dropped. */
void xhr_netlink_notify_gone(struct net_device *dev);

#endif
