// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hook on __alloc_skb(): the one place where a head gets its extra headroom, and
 * is made a page fragment.
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
 * Were one of the callers inlined everywhere, the feature would be unavailable;
 * where only at some places, the packets of those would get no headroom.
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
 * Bytes of a page that a head takes: an equal share, so that what its socket is
 * charged (truesize) is what it holds. More than a page: it does not fit.
 */
static unsigned int xhr_frag_size(unsigned int size)
{
	if (SKB_HEAD_ALIGN(size + XHR_TX_TAILROOM) <= PAGE_SIZE)
		size += XHR_TX_TAILROOM;
	size = SKB_HEAD_ALIGN(size);
	if (size > PAGE_SIZE)
		return size;
	return ALIGN_DOWN((unsigned int)PAGE_SIZE / ((unsigned int)PAGE_SIZE / size),
			  SMP_CACHE_BYTES);
}

/* A head that native XDP on the other end of a veth need not copy. */
static struct sk_buff *xhr_alloc_skb_frag(unsigned int size, gfp_t gfp_mask)
{
	void *head = xhr_page_frag_alloc(size, gfp_mask);
	struct sk_buff *skb;

	if (!head)
		return NULL;
	skb = build_skb(head, size);
	if (!skb)
		skb_free_frag(head);
	return skb;
}

static noinline notrace struct sk_buff *xhr_alloc_skb_want(struct xhr_ctx *ctx, unsigned int size,
							   gfp_t gfp_mask, int flags, int node,
							   unsigned long caller)
{
	unsigned int extra = ctx->want & XHR_TX_EXTRA_MASK;
	struct sk_buff *skb = NULL;
	bool lacking = false;
	unsigned int frag;

	if (!xhr_in_range(&xhr_range_alloc_skb_with_frags, caller) &&
	    !xhr_in_range(&xhr_range_ip_append, caller) &&
	    !xhr_in_range(&xhr_range_ip6_append, caller) &&
	    !xhr_in_range(&xhr_range_sock_wmalloc, caller))
		return xhr_orig(alloc_skb)(size, gfp_mask, flags, node);

	if (unlikely(ctx->want & XHR_TX_AUTO))
		extra = xhr_tune_extra(ctx->dev);
	if (ctx->want & XHR_TX_PAGE_FRAG && !flags) {
		frag = xhr_frag_size(size + extra);
		if (frag <= PAGE_SIZE) {
			skb = xhr_alloc_skb_frag(frag, gfp_mask);
			ctx->page_frags += !!skb;
			lacking = !skb;
		}
	}
	if (!skb)
		skb = xhr_orig(alloc_skb)(size + extra, gfp_mask, flags, node);
	if (!skb && extra) {
		skb = xhr_orig(alloc_skb)(size, gfp_mask, flags, node);
		lacking = true;
		extra = 0;
	}
	if (unlikely(!skb))
		return NULL;
	if (extra) {
		skb_reserve(skb, extra);
		ctx->packets++;
		ctx->bytes += extra;
	}
	ctx->fallbacks += lacking;
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
