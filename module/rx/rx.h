/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * XDP on packets that come as an skb: what the files of this folder share. Each
 * hook stands where the kernel decides to copy; rx.c has the table.
 *
 * All of it runs where packets are received, under RCU and with bottom halves
 * disabled. No wrapper may sleep.
 */
#ifndef XHR_RX_H
#define XHR_RX_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>

#include "../compat/xdp.h"
#include "../device.h"
#include "../hook.h"

extern struct xhr_feature xhr_xdp_headroom_feature;
extern struct xhr_feature xhr_xdp_linearize_feature;

extern struct xhr_hook xhr_hook_pp_cow;
extern struct xhr_hook xhr_hook_xdp_cow;
extern struct xhr_hook xhr_hook_expand_head;
extern struct xhr_hook xhr_hook_veth_rcv;
extern struct xhr_hook xhr_hook_xdp_run;
extern struct xhr_hook xhr_hook_run_generic;
extern struct xhr_hook xhr_hook_generic_tx;
extern struct xhr_hook xhr_hook_xdp_store;
extern struct xhr_hook xhr_hook_dynptr_store;
extern struct xhr_hook xhr_hook_dynptr_slice;
extern struct xhr_hook xhr_hook_dynptr_data;

/**
 * enum xhr_rx_verdict - what is to become of a packet that stock would copy
 * @XHR_RX_KEEP: the program gets it as it is
 * @XHR_RX_SHARED: to be copied: somebody else has the same bytes
 * @XHR_RX_NONLINEAR: to be copied: it is not linear
 * @XHR_RX_HEADROOM: to be copied: there is too little headroom
 * @XHR_RX_HEAD: to be copied: its head is no page fragment, of which native XDP
 *	takes references
 */
enum xhr_rx_verdict {
	XHR_RX_KEEP,
	XHR_RX_SHARED,
	XHR_RX_NONLINEAR,
	XHR_RX_HEADROOM,
	XHR_RX_HEAD,
};

/* The headroom that a device's packets must have; @xdev may be NULL. */
static __always_inline unsigned int xhr_rx_headroom_min(const struct xhr_dev *xdev)
{
	return xdev ? READ_ONCE(xdev->conf.xdp_headroom_min) : xhr_dev_default.xdp_headroom_min;
}

/**
 * xhr_rx_judge() - may XDP have a packet as it is
 * @skb: the packet
 * @headroom: bytes in front of its Ethernet header
 * @min: so many must there be
 */
static __always_inline enum xhr_rx_verdict xhr_rx_judge(const struct sk_buff *skb,
							unsigned int headroom, unsigned int min)
{
	if (skb_shared(skb) || skb_cloned(skb))
		return XHR_RX_SHARED;
	if (skb_is_nonlinear(skb))
		return XHR_RX_NONLINEAR;
	if (headroom < min)
		return XHR_RX_HEADROOM;
	return XHR_RX_KEEP;
}

/* The same for native XDP on veth. */
static __always_inline enum xhr_rx_verdict xhr_rx_judge_veth(const struct sk_buff *skb,
							     unsigned int headroom,
							     unsigned int min)
{
	enum xhr_rx_verdict verdict = xhr_rx_judge(skb, headroom, min);

	return verdict == XHR_RX_KEEP && !skb->head_frag ? XHR_RX_HEAD : verdict;
}

enum xhr_rx_verdict xhr_rx_judge_frags(struct sk_buff *skb, const struct xhr_dev *xdev,
				       const struct bpf_prog *prog);
void xhr_rx_count(struct xhr_dev *xdev, enum xhr_rx_verdict verdict);

#if XHR_XDP_COW_FUNCTIONS
static __always_inline bool xhr_rx_keeps(const struct sk_buff *skb, unsigned long caller)
{
	return false;
}
#else
extern struct xhr_range xhr_range_do_xdp_generic;

bool xhr_rx_keep_generic(const struct sk_buff *skb);

/* Is it @skb's XDP program that wants room, in vain? @caller: of pskb_expand_head(). */
static __always_inline bool xhr_rx_keeps(const struct sk_buff *skb, unsigned long caller)
{
	return unlikely(xhr_in_range(&xhr_range_do_xdp_generic, caller)) &&
	       xhr_rx_keep_generic(skb);
}
#endif

int xhr_rx_parse_param(void);
void xhr_rx_init(void);
void xhr_rx_exit(void);

#endif
