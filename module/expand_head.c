// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hook on pskb_expand_head(), which serves two features: on 6.1, xdp-headroom
 * answers generic XDP here (rx/generic.c); on each kernel, tx-auto learns here who
 * lacked headroom (tx/tune.c). It is attached while either is, and each of them
 * finds by itself that a call is none of its business.
 *
 * Target: pskb_expand_head() on 6.1, 6.12 and 7.3, same prototype. It is called in
 * any context but hard interrupts, and may sleep to reclaim memory.
 *
 * Were it changed by the compiler, both features would be unavailable.
 */
#include <linux/skbuff.h>

#include "rx/rx.h"
#include "tx/tx.h"

XHR_HOOK_DECLARE(expand_head, int, struct sk_buff *skb, int nhead, int ntail, gfp_t gfp_mask);
XHR_HOOK_DEFINE(expand_head, "pskb_expand_head", NULL,
		"int (struct sk_buff *, int, int, gfp_t)", XHR_HOOK_EXERCISED);

notrace int xhr_wrap_expand_head(struct sk_buff *skb, int nhead, int ntail, gfp_t gfp_mask)
{
	int err = 0;

	xhr_hook_enter(expand_head);
	if (!xhr_rx_keeps(skb, _RET_IP_)) {
		xhr_tune_look(skb, nhead, _RET_IP_);
		err = xhr_orig(expand_head)(skb, nhead, ntail, gfp_mask);
	}
	xhr_hook_exit(expand_head);
	return err;
}
