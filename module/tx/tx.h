/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extra TX headroom: what the files of this folder share. One file per kind of
 * hooked site; tx.c names them.
 */
#ifndef XHR_TX_H
#define XHR_TX_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/dst.h>

#include "../device.h"
#include "../hook.h"
#include "context.h"
#include "headroom.h"

extern struct xhr_feature xhr_tx_headroom_feature;
extern struct xhr_feature xhr_tx_auto_feature;

extern struct xhr_hook xhr_hook_expand_head;
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

void xhr_tune_init(struct xhr_tuner *tuner, unsigned int max);
unsigned int xhr_tune_extra(const struct net_device *dev);
void xhr_tune_lacked(const struct sk_buff *skb, unsigned int bytes, unsigned long caller);

bool xhr_tx_peer_runs_xdp(const struct net_device *dev);

void *xhr_page_frag_alloc(unsigned int size, gfp_t gfp_mask);
void xhr_page_frag_free_all(void);

extern struct xhr_range xhr_range_alloc_skb_with_frags;
extern struct xhr_range xhr_range_sock_wmalloc;
extern struct xhr_range xhr_range_ip_append;
extern struct xhr_range xhr_range_ip6_append;

/* Nearly all that come this way are no local socket's, or on no such device. */
static __always_inline void xhr_tune_look(const struct sk_buff *skb, int bytes,
					  unsigned long caller)
{
	if (bytes > 0 && skb->sk && !hlist_empty(xhr_dev_bucket(skb->dev)))
		xhr_tune_lacked(skb, bytes, caller);
}

/**
 * xhr_tx_want() - what heads of packets for a device should be like
 * @dev: device that a packet is about to be allocated against
 *
 * Context: any, under rcu_read_lock() or with preemption disabled.
 * Return: XHR_TX_EXTRA_MASK, XHR_TX_PAGE_FRAG and XHR_TX_AUTO; 0 for as in stock.
 */
static __always_inline unsigned int xhr_tx_want(const struct net_device *dev)
{
	const struct xhr_dev *xdev;
	unsigned int want = 0;

	preempt_disable_notrace();
	xdev = xhr_dev_find(dev);
	if (xdev)
		want = READ_ONCE(xdev->tx_want);
	preempt_enable_notrace();
	if (want & XHR_TX_PAGE_FRAG_XDP) {
		want &= ~XHR_TX_PAGE_FRAG_XDP;
		if (want & XHR_TX_EXTRA_MASK && xhr_tx_peer_runs_xdp(dev))
			want |= XHR_TX_PAGE_FRAG;
	}
	return want;
}

/**
 * xhr_tx_ll_want() - the same, where LL_RESERVED_SPACE(@dev) was reserved
 * @dev: device that a packet is about to be allocated against
 *
 * Context: any, under rcu_read_lock() or with preemption disabled.
 * Return: the same, with in XHR_TX_EXTRA_MASK the bytes to add; 0 for as in stock.
 */
static __always_inline unsigned int xhr_tx_ll_want(const struct net_device *dev)
{
	unsigned int want = xhr_tx_want(dev);

	if (!want)
		return 0;
	return (want & ~XHR_TX_EXTRA_MASK) |
	       xhr_ll_extra(READ_ONCE(dev->hard_header_len), READ_ONCE(dev->needed_headroom),
			    want & XHR_TX_EXTRA_MASK);
}

/**
 * xhr_tx_dst_want() - the same, for the device of a route
 * @dst: route, kept by the caller
 * @dev: set to its device, which is a key only: it may go
 *
 * Context: any.
 * Return: as xhr_tx_ll_want().
 */
static __always_inline unsigned int xhr_tx_dst_want(const struct dst_entry *dst,
						    const struct net_device **dev)
{
	unsigned int want;

	preempt_disable_notrace();
	*dev = READ_ONCE(dst->dev);
	want = xhr_tx_ll_want(*dev);
	preempt_enable_notrace();
	return want;
}

/**
 * xhr_tx_open_idle() - begin a send that wants nothing, if that is cheap to tell
 * @dev: device that the packets will be allocated against
 *
 * For the common case, without a function call: @dev has no value, nor has a
 * device that shares its bucket, and the task is not in the middle of a send.
 *
 * Context: any but hard interrupts.
 * Return: for xhr_ctx_close_nothing(); NULL: have a closer look.
 */
static __always_inline struct xhr_ctx **xhr_tx_open_idle(const struct net_device *dev)
{
	return hlist_empty(xhr_dev_bucket(dev)) ? xhr_ctx_open_nothing() : NULL;
}

#endif
