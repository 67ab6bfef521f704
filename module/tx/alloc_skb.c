// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hook on __alloc_skb(): the one place where a head gets its extra headroom.
 *
 * Target: __alloc_skb() on 6.1, 6.12 and 7.3, all with the same prototype.
 * Every allocation site of local egress ends here, either through
 * alloc_skb_with_frags() (the first packet of UDP, raw with header, AF_PACKET,
 * AF_XDP), through sock_wmalloc() (SOCK_PACKET, splice on 6.1) or directly from
 * __ip_append_data() and __ip6_append_data() (later fragments, raw without
 * header). All of them reserve relative to skb->data after allocating, so a head
 * that is "extra" larger and already reserved by "extra" is transparent to them.
 *
 * The rest of the kernel allocates through here as well: what it pays is a look
 * at its task's slot. A context alone is not enough to act on: within an open
 * send the task, or a softirq on top of it, also allocates other packets (an
 * ARP request, an ACK, a clone's copy). Therefore the caller's address must be
 * one of the four above.
 *
 * Were one of the callers inlined elsewhere, its sites would get no headroom
 * (and "calls" in the status of the other hooks would show it); nothing else.
 */
#include <linux/skbuff.h>

#include "tx.h"

static const char *const xhr_names_alloc_skb_with_frags[] = { "alloc_skb_with_frags", NULL };
static const char *const xhr_names_sock_wmalloc[] = { "sock_wmalloc", NULL };
static const char *const xhr_names_ip_append[] = { "__ip_append_data", NULL };
/* As a caller it may have any name: only its address counts. */
static const char *const xhr_names_ip6_append[] = {
	"__ip6_append_data", "__ip6_append_data.isra.0", NULL
};

struct xhr_range xhr_range_alloc_skb_with_frags = { .symbols = xhr_names_alloc_skb_with_frags };
struct xhr_range xhr_range_sock_wmalloc = { .symbols = xhr_names_sock_wmalloc };
struct xhr_range xhr_range_ip_append = { .symbols = xhr_names_ip_append };
struct xhr_range xhr_range_ip6_append = { .symbols = xhr_names_ip6_append };

XHR_HOOK_DECLARE(alloc_skb, struct sk_buff *, unsigned int size, gfp_t gfp_mask, int flags,
		 int node);
XHR_HOOK_DEFINE(alloc_skb, "__alloc_skb", NULL,
		"struct sk_buff *(unsigned int, gfp_t, int, int)", XHR_HOOK_EXERCISED);

/*
 * Room behind the packet, where it fits: a copy would have some, by chance or
 * (6.1) all that its page has left, and XDP programs let packets grow there.
 */
#define XHR_TX_TAILROOM		128

/*
 * A head that is a page fragment, so that native XDP on the other end of a veth
 * need not copy it. NULL if it does not fit a page or there is no memory.
 */
static struct sk_buff *xhr_alloc_skb_frag(unsigned int size)
{
	struct sk_buff *skb;
	void *head;

	if (SKB_HEAD_ALIGN(size + XHR_TX_TAILROOM) <= PAGE_SIZE)
		size += XHR_TX_TAILROOM;
	size = SKB_HEAD_ALIGN(size);
	if (size > PAGE_SIZE)
		return NULL;
	head = netdev_alloc_frag(size);
	if (!head)
		return NULL;
	/* Taken from the reserves: a receiver would have to drop the packet. */
	if (page_is_pfmemalloc(virt_to_head_page(head)))
		goto free;
	skb = build_skb(head, size);
	if (skb)
		return skb;
free:
	skb_free_frag(head);
	return NULL;
}

static noinline notrace struct sk_buff *xhr_alloc_skb_want(struct xhr_ctx *ctx, unsigned int size,
							   gfp_t gfp_mask, int flags, int node,
							   unsigned long caller)
{
	unsigned int extra = ctx->want & XHR_TX_EXTRA_MASK;
	struct sk_buff *skb = NULL;

	if (!xhr_in_range(&xhr_range_alloc_skb_with_frags, caller) &&
	    !xhr_in_range(&xhr_range_ip_append, caller) &&
	    !xhr_in_range(&xhr_range_ip6_append, caller) &&
	    !xhr_in_range(&xhr_range_sock_wmalloc, caller))
		return xhr_orig(alloc_skb)(size, gfp_mask, flags, node);

	if (ctx->want & XHR_TX_PAGE_FRAG && !flags) {
		skb = xhr_alloc_skb_frag(size + extra);
		ctx->page_frags += !!skb;
	}
	if (!skb)
		skb = xhr_orig(alloc_skb)(size + extra, gfp_mask, flags, node);
	if (likely(skb)) {
		skb_reserve(skb, extra);
		ctx->packets += !!extra;
	} else {
		ctx->fallbacks++;
		skb = xhr_orig(alloc_skb)(size, gfp_mask, flags, node);
	}
	return skb;
}

notrace struct sk_buff *xhr_wrap_alloc_skb(unsigned int size, gfp_t gfp_mask, int flags, int node)
{
	struct xhr_ctx *ctx = xhr_ctx_top();
	struct sk_buff *skb;

	/* May sleep to reclaim memory. */
	xhr_hook_enter(alloc_skb);
	if (likely(!ctx || !ctx->want))
		skb = xhr_orig(alloc_skb)(size, gfp_mask, flags, node);
	else
		skb = xhr_alloc_skb_want(ctx, size, gfp_mask, flags, node, _RET_IP_);
	xhr_hook_exit(alloc_skb);
	return skb;
}
