// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extra TX headroom: the table of its hooks. Which file decides about a packet:
 *
 *	alloc_skb.c	the head itself, for all of them
 *	page_frag.c	memory for heads that are page fragments
 *	tune.c auto.h	how many bytes, where that is learned
 *	ip4.c ip6.c	UDP, UDP-Lite, ping, raw without header
 *	raw.c		raw with header
 *	packet.c	packet sockets
 *	xsk.c		AF_XDP copy mode
 */
#include <linux/in.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <net/route.h>

#include "tx.h"

static_assert(XHR_HH_DATA_MOD == HH_DATA_MOD);

/* The allocator comes last, and goes first: without contexts it does nothing. */
static struct xhr_hook *const xhr_tx_hooks[] = {
	&xhr_hook_ip_append,
	&xhr_hook_ip_append_page,
	&xhr_hook_ip6_make_skb,
	&xhr_hook_ip6_append,
	&xhr_hook_raw,
	&xhr_hook_raw_route,
	&xhr_hook_rawv6,
	&xhr_hook_rawv6_route,
	&xhr_hook_packet,
	&xhr_hook_packet_spkt,
	&xhr_hook_xsk,
	&xhr_hook_alloc_skb,
};

static struct xhr_range *const xhr_tx_ranges[] = {
	&xhr_range_alloc_skb_with_frags,
	&xhr_range_sock_wmalloc,
	&xhr_range_ip_append,
	&xhr_range_ip6_append,
};

/**
 * xhr_tx_peer_runs_xdp() - whether native XDP waits on the other end of a veth
 * @dev: a veth
 *
 * Context: any but hard interrupts, while @dev exists.
 */
notrace bool xhr_tx_peer_runs_xdp(const struct net_device *dev)
{
	const struct bpf_xdp_entity *xdp;
	struct net_device *peer;
	bool runs = false;

	rcu_read_lock();
	peer = dev->netdev_ops->ndo_get_peer_dev((struct net_device *)dev);
	if (peer) {
		xdp = &peer->xdp_state[XDP_MODE_DRV];
		runs = READ_ONCE(xdp->prog) || READ_ONCE(xdp->link);
	}
	rcu_read_unlock();
	return runs;
}

/* What can be called without a socket: an allocation, and a look-up of loopback. */
static void xhr_tx_exercise(void)
{
	struct flowi4 fl4 = { .daddr = htonl(INADDR_LOOPBACK) };
	struct rtable *rt;

	consume_skb(alloc_skb(1, GFP_KERNEL));
	rt = ip_route_output_flow(&init_net, &fl4, NULL);
	if (!IS_ERR(rt))
		ip_rt_put(rt);
}

struct xhr_feature xhr_tx_headroom_feature = {
	.name		= "tx-headroom",
	.hooks		= xhr_tx_hooks,
	.nr_hooks	= ARRAY_SIZE(xhr_tx_hooks),
	.ranges		= xhr_tx_ranges,
	.nr_ranges	= ARRAY_SIZE(xhr_tx_ranges),
	.exercise	= xhr_tx_exercise,
	.drain		= xhr_ctx_interrupt_sleepers,
};
