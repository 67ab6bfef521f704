// SPDX-License-Identifier: GPL-2.0-only
/*
 * 6.12 and 7.3: packets that are to be copied for XDP.
 *
 * Targets: skb_pp_cow_data(), by which native XDP on veth copies, and
 * skb_cow_data_for_xdp(), by which generic XDP does. Both are called only for a
 * packet that stock would copy, with its data at the Ethernet header; both may
 * say that they are done without having replaced the packet, and the caller goes
 * on with the one that it has.
 *
 * Which packets may be kept: one that nobody else has, that is linear, and has as
 * much headroom as the device asks for. For native XDP its head must be a page
 * fragment as well, because XDP_TX and XDP_REDIRECT take a reference on its page.
 *
 * Were one of them inlined into its caller, those packets would be copied as in
 * stock, and the hook would show no calls. Were it missing altogether, the feature
 * would be unavailable.
 */
#include <linux/percpu.h>

#include "../compat/xdp.h"
#include "rx.h"

/* skb_cow_data_for_xdp() calls the other: one packet, decided already. */
static DEFINE_PER_CPU(bool, xhr_rx_decided);

XHR_HOOK_DECLARE(xdp_cow, int, struct page_pool *pool, struct sk_buff **pskb,
		 const struct bpf_prog *prog);
XHR_HOOK_DEFINE(xdp_cow, "skb_cow_data_for_xdp", NULL,
		"int (struct page_pool *, struct sk_buff **, " XHR_BPF_PROG ")", 0);

notrace int xhr_wrap_xdp_cow(struct page_pool *pool, struct sk_buff **pskb,
			     const struct bpf_prog *prog)
{
	struct sk_buff *skb = *pskb;
	struct xhr_dev *xdev = xhr_dev_find(skb->dev);
	enum xhr_rx_verdict verdict;
	int err;

	xhr_hook_pass(xdp_cow);
	verdict = xhr_rx_judge(skb, skb_headroom(skb), xhr_rx_headroom_min(xdev));
	if (verdict == XHR_RX_NONLINEAR)
		verdict = xhr_rx_judge_frags(skb, xdev, prog);
	xhr_rx_count(xdev, verdict);
	if (verdict == XHR_RX_KEEP)
		return 0;
	this_cpu_write(xhr_rx_decided, true);
	err = xhr_orig(xdp_cow)(pool, pskb, prog);
	this_cpu_write(xhr_rx_decided, false);
	return err;
}

XHR_HOOK_DECLARE(pp_cow, int, struct page_pool *pool, struct sk_buff **pskb,
		 unsigned int headroom);
XHR_HOOK_DEFINE(pp_cow, "skb_pp_cow_data", NULL,
		"int (struct page_pool *, struct sk_buff **, unsigned int)", 0);

notrace int xhr_wrap_pp_cow(struct page_pool *pool, struct sk_buff **pskb, unsigned int headroom)
{
	const struct sk_buff *skb = *pskb;
	enum xhr_rx_verdict verdict;
	struct xhr_dev *xdev;

	xhr_hook_pass(pp_cow);
	if (this_cpu_read(xhr_rx_decided) || headroom != XDP_PACKET_HEADROOM ||
	    !xhr_dev_is_veth(skb->dev))
		return xhr_orig(pp_cow)(pool, pskb, headroom);
	xdev = xhr_dev_find(skb->dev);
	verdict = xhr_rx_judge_veth(skb, skb_headroom(skb), xhr_rx_headroom_min(xdev));
	xhr_rx_count(xdev, verdict);
	return verdict == XHR_RX_KEEP ? 0 : xhr_orig(pp_cow)(pool, pskb, headroom);
}
