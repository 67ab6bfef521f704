// SPDX-License-Identifier: GPL-2.0-only
/*
 * AF_XDP copy mode.
 *
 * Target: __xsk_generic_xmit() on 6.1, 6.12 and 7.3, same prototype. It builds
 * the packets of one send, linear or with the frame in page fragments, all for
 * the socket's device. What it reserves is rounded to a cache line and is not
 * LL_RESERVED_SPACE().
 *
 * Sockets with TX metadata (6.8 and later) get nothing: there the kernel counts
 * the start of a checksum from the *head*, taking for granted that the head is
 * what it had asked for. Correcting it when the packet is sent would be wrong
 * for one that is begun with the hooks attached and sent without them.
 */
#include <linux/cache.h>
#include <linux/skbuff.h>

#include "../compat/xsk.h"
#include "tx.h"

static unsigned int xhr_xsk_want(struct xdp_sock *xs, const struct net_device *dev)
{
	unsigned int want = xhr_tx_want(dev);

	if (likely(!want) || xhr_xsk_tx_metadata_len(xs))
		return 0;
	/* No probes: nothing is pushed before these packets are on the device. */
	return (want & XHR_TX_PAGE_FRAG) |
	       xhr_xsk_extra(READ_ONCE(dev->needed_headroom), want & XHR_TX_EXTRA_MASK,
			     NET_SKB_PAD, L1_CACHE_BYTES);
}

XHR_HOOK_DECLARE(xsk, int, struct sock *sk);
XHR_HOOK_DEFINE(xsk, "__xsk_generic_xmit", NULL, "int (struct sock *)", 0);

notrace int xhr_wrap_xsk(struct sock *sk)
{
	struct xdp_sock *xs = container_of(sk, struct xdp_sock, sk);
	const struct net_device *dev;
	unsigned int want = 0;
	struct xhr_ctx ctx;
	bool open;
	int err;

	xhr_hook_enter(xsk);
	/* The socket may be unbound under us; its device is then only a key. */
	rcu_read_lock();
	dev = READ_ONCE(xs->dev);
	if (likely(READ_ONCE(xs->state) == XSK_BOUND && dev))
		want = xhr_xsk_want(xs, dev);
	rcu_read_unlock();
	open = xhr_ctx_open(&ctx, sk, dev, want);
	err = xhr_orig(xsk)(sk);
	if (open)
		xhr_ctx_close(&ctx);
	xhr_hook_exit(xsk);
	return err;
}
