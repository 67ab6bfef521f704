// SPDX-License-Identifier: GPL-2.0-only
/*
 * XDP on packets that come as an skb: the table of hooks, the module parameter,
 * and the counters. Which file decides about a packet:
 *
 *	cow.c		6.12 and 7.3: native XDP on veth, and generic XDP
 *	frags.c		6.12 and 7.3: generic XDP on packets that stay in fragments
 *	generic.c	6.1: generic XDP
 *	veth.c		6.1: native XDP on veth
 *
 * docs/receive.md says why there.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "../compat/xdp.h"
#include "rx.h"

static_assert(XHROOM_XDP_HEADROOM_MIN_MAX == XDP_PACKET_HEADROOM);

static char *xdp_headroom_min = "256";
module_param(xdp_headroom_min, charp, 0444);
MODULE_PARM_DESC(xdp_headroom_min, "headroom in bytes, 192 to 256 (default), with which a packet goes to XDP without a copy, on devices without a setting of their own");

#if XHR_XDP_COW_FUNCTIONS
static struct xhr_hook *const xhr_rx_headroom_hooks[] = {
	&xhr_hook_xdp_cow,
	&xhr_hook_pp_cow,
};
#else
static struct xhr_hook *const xhr_rx_headroom_hooks[] = {
	&xhr_hook_expand_head,
	&xhr_hook_xdp_run,
	&xhr_hook_veth_rcv,
};

static struct xhr_range *const xhr_rx_headroom_ranges[] = {
	&xhr_range_do_xdp_generic,
};

static void xhr_rx_exercise(void)
{
	struct sk_buff *skb = alloc_skb(1, GFP_KERNEL);

	if (skb && pskb_expand_head(skb, 0, 0, GFP_KERNEL))
		pr_debug("no memory to exercise pskb_expand_head\n");
	consume_skb(skb);
}
#endif

struct xhr_feature xhr_xdp_headroom_feature = {
	.name		= "xdp-headroom",
	.hooks		= xhr_rx_headroom_hooks,
	.nr_hooks	= ARRAY_SIZE(xhr_rx_headroom_hooks),
#if !XHR_XDP_COW_FUNCTIONS
	.ranges		= xhr_rx_headroom_ranges,
	.nr_ranges	= ARRAY_SIZE(xhr_rx_headroom_ranges),
	.exercise	= xhr_rx_exercise,
#endif
};

/* On 6.1 the first one does not exist, which makes the feature unavailable. */
static struct xhr_hook *const xhr_rx_linearize_hooks[] = {
	&xhr_hook_xdp_cow,
	&xhr_hook_run_generic,
	&xhr_hook_generic_tx,
	&xhr_hook_xdp_store,
	&xhr_hook_dynptr_store,
	&xhr_hook_dynptr_slice,
	&xhr_hook_dynptr_data,
};

struct xhr_feature xhr_xdp_linearize_feature = {
	.name		= "xdp-linearize",
	.hooks		= xhr_rx_linearize_hooks,
	.nr_hooks	= ARRAY_SIZE(xhr_rx_linearize_hooks),
};

/* What the parameter needs, as long as it is in force. */
static unsigned int xhr_rx_needs;

/**
 * xhr_rx_parse_param() - make the defaults from the module parameter
 *
 * Return: 0, or -EINVAL with a message that names the wrong word.
 */
int xhr_rx_parse_param(void)
{
	unsigned int bytes;

	/* Digits only: no sign, no hexadecimal, no white space. */
	if (!*xdp_headroom_min ||
	    strspn(xdp_headroom_min, "0123456789") != strlen(xdp_headroom_min) ||
	    kstrtouint(xdp_headroom_min, 10, &bytes) || bytes < XHROOM_XDP_HEADROOM_MIN_MIN ||
	    bytes > XHROOM_XDP_HEADROOM_MIN_MAX) {
		pr_err("xdp_headroom_min=%s: expected %u to %u bytes\n", xdp_headroom_min,
		       XHROOM_XDP_HEADROOM_MIN_MIN, XHROOM_XDP_HEADROOM_MIN_MAX);
		return -EINVAL;
	}
	xhr_dev_default.xdp_headroom_min = bytes;
	return 0;
}

/**
 * xhr_rx_init() - take hold of what the defaults need
 *
 * If that cannot be had, the module is of use all the same, with the defaults of
 * the stock kernel: said once.
 */
void xhr_rx_init(void)
{
	xhr_rx_needs = xhr_dev_conf_needs(&xhr_dev_default);
	if (!xhr_needs_get(xhr_rx_needs, NULL))
		return;
	pr_warn("xdp_headroom_min=%s cannot be followed: %s\n", xdp_headroom_min,
		xhr_xdp_headroom_feature.reason);
	xhr_rx_needs = 0;
	xhr_dev_default.xdp_headroom_min = XHROOM_XDP_HEADROOM_MIN_MAX;
}

void xhr_rx_exit(void)
{
	xhr_needs_put(xhr_rx_needs);
	xhr_rx_needs = 0;
}

/**
 * xhr_rx_count() - count a packet that stock would copy
 * @xdev: the device's entry, NULL if it has none: nothing is counted then
 * @verdict: what has become of it
 */
notrace void xhr_rx_count(struct xhr_dev *xdev, enum xhr_rx_verdict verdict)
{
	struct xhr_dev_cpu_stats *stats;

	if (!xdev)
		return;
	stats = &xdev->stats[smp_processor_id()];
	switch (verdict) {
	case XHR_RX_KEEP:
		local64_inc(&stats->xdp_kept);
		break;
	case XHR_RX_SHARED:
		local64_inc(&stats->xdp_copied_shared);
		break;
	case XHR_RX_NONLINEAR:
		local64_inc(&stats->xdp_copied_nonlinear);
		break;
	case XHR_RX_HEADROOM:
		local64_inc(&stats->xdp_copied_headroom);
		break;
	case XHR_RX_HEAD:
		local64_inc(&stats->xdp_copied_head);
		break;
	}
}
