/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extra TX headroom: what the files of this folder share. One file per hooked
 * site; tx.c has the table.
 */
#ifndef XHR_TX_H
#define XHR_TX_H

#include <linux/netdevice.h>

#include "../device.h"
#include "../hook.h"
#include "context.h"
#include "headroom.h"

extern struct xhr_feature xhr_tx_headroom_feature;

extern struct xhr_hook xhr_hook_alloc_skb;
extern struct xhr_hook xhr_hook_ip_append;
extern struct xhr_hook xhr_hook_ip_append_page;
extern struct xhr_hook xhr_hook_ip6_make_skb;
extern struct xhr_hook xhr_hook_ip6_append;
extern struct xhr_hook xhr_hook_raw;
extern struct xhr_hook xhr_hook_raw_route;
extern struct xhr_hook xhr_hook_rawv6;
extern struct xhr_hook xhr_hook_rawv6_route;
extern struct xhr_hook xhr_hook_packet;
extern struct xhr_hook xhr_hook_packet_spkt;
extern struct xhr_hook xhr_hook_xsk;

extern struct xhr_range xhr_range_alloc_skb_with_frags;
extern struct xhr_range xhr_range_sock_wmalloc;
extern struct xhr_range xhr_range_ip_append;
extern struct xhr_range xhr_range_ip6_append;

/**
 * xhr_tx_extra() - tx_extra_headroom of a device
 * @dev: device that a packet is about to be allocated against
 *
 * Context: any; @dev must be kept by the caller.
 * Return: bytes.
 */
static __always_inline unsigned int xhr_tx_extra(const struct net_device *dev)
{
	const struct xhr_dev *xdev;
	unsigned int extra = 0;

	preempt_disable_notrace();
	xdev = xhr_dev_find(dev);
	if (xdev)
		extra = READ_ONCE(xdev->tx_extra_headroom);
	preempt_enable_notrace();
	return extra;
}

/**
 * xhr_tx_idle() - may a send go on without a context?
 * @dev: device that the packets will be allocated against
 *
 * The cheap answer for the common case, without a function call: true only if
 * @dev has no value (nor has a device that shares its bucket) and the task is
 * not in the middle of another send.
 */
static __always_inline bool xhr_tx_idle(const struct net_device *dev)
{
	return hlist_empty(xhr_dev_bucket(dev)) && !xhr_ctx_top();
}

/* Bytes to add where LL_RESERVED_SPACE(@dev) was reserved. */
static __always_inline unsigned int xhr_tx_ll_extra(const struct net_device *dev)
{
	unsigned int extra = xhr_tx_extra(dev);

	if (!extra)
		return 0;
	return xhr_ll_extra(READ_ONCE(dev->hard_header_len), READ_ONCE(dev->needed_headroom),
			    extra);
}

#endif
