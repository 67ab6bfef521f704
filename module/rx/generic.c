// SPDX-License-Identifier: GPL-2.0-only
/*
 * 6.1: packets that are to be copied for generic XDP.
 *
 * Target: pskb_expand_head() (../expand_head.c), called by do_xdp_generic() for a
 * packet that is cloned, not linear, or has less headroom than XDP_PACKET_HEADROOM
 * in front of its *network* header. Saying that it is done is enough: what follows
 * makes the packet linear, which it is.
 *
 * The kernel calls pskb_expand_head() from many places: only do_xdp_generic() is
 * answered, and it is told by its address. Were it inlined into its callers, the
 * feature would be unavailable.
 */
#include "../compat/xdp.h"
#include "rx.h"

#if !XHR_XDP_COW_FUNCTIONS

static const char *const xhr_names_do_xdp_generic[] = { "do_xdp_generic", NULL };
struct xhr_range xhr_range_do_xdp_generic = { .symbols = xhr_names_do_xdp_generic };

/**
 * xhr_rx_keep_generic() - may a packet for which generic XDP wants room stay as it is
 * @skb: the packet, its data at the network header
 */
notrace bool xhr_rx_keep_generic(const struct sk_buff *skb)
{
	enum xhr_rx_verdict verdict;
	struct xhr_dev *xdev;

	/* The hook may be there for another feature alone. */
	if (!READ_ONCE(xhr_xdp_headroom_feature.armed))
		return false;
	xdev = xhr_dev_find(skb->dev);
	verdict = xhr_rx_judge(skb, skb_mac_header(skb) - skb->head, xhr_rx_headroom_min(xdev));
	xhr_rx_count(xdev, verdict);
	return verdict == XHR_RX_KEEP;
}

#endif
