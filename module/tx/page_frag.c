// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page fragments for heads: single pages, cut up per CPU.
 *
 * The kernel's own page fragments come from pages of 32 KiB. A head that waits
 * somewhere holds the whole page, but is charged to its socket by its own size:
 * fine for packets from the wire, whose number the receiver bounds; not for
 * senders, who could keep one small packet of each forty. With single pages a
 * small head holds less than six times what it is charged; and heads that take a
 * whole page have pages of their own, so as to leave the others to small ones.
 *
 * A fragment holds a reference on its page, as whoever frees it expects
 * (skb_free_frag(), xdp_return_frame()). The cache holds one of its own: when that
 * is the only one left, all fragments are back, and the page is used again. On a
 * veth this is the rule, since a packet is done with before the next one is sent:
 * one page serves. A datagram of many fragments takes some more. To allocate, zero
 * and free a page for each three packets would cost more than copying them.
 */
#include <linux/bottom_half.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#include "tx.h"

/* 32 KiB, as much as the kernel's cache has. */
#define XHR_PAGE_RING_PAGES	8

/**
 * struct xhr_page_ring - pages that are taken in turn
 * @pages: NULL where none was needed yet
 * @now: the one taken last
 */
struct xhr_page_ring {
	struct page *pages[XHR_PAGE_RING_PAGES];
	unsigned int now;
};

/**
 * struct xhr_page_frag_cache - pages of one CPU
 * @whole: for heads that take a whole page
 * @cut: for all others
 * @left: bytes of the page of @cut that are free, from its start
 */
struct xhr_page_frag_cache {
	struct xhr_page_ring whole;
	struct xhr_page_ring cut;
	unsigned int left;
};

static DEFINE_PER_CPU(struct xhr_page_frag_cache, xhr_page_frags);

/* Whether all fragments are back. */
static bool xhr_page_idle(const struct page *page)
{
	if (!page || page_ref_count(page) != 1)
		return false;
	/* Whoever gave back the last one is done with it. */
	smp_acquire__after_ctrl_dep();
	return true;
}

static unsigned int xhr_page_ring_next(const struct xhr_page_ring *ring)
{
	return (ring->now + 1) % XHR_PAGE_RING_PAGES;
}

/* Go to a page that is all free: the last one, still in the CPU's caches, or the oldest. */
static bool xhr_page_ring_reuse(struct xhr_page_ring *ring)
{
	unsigned int next = xhr_page_ring_next(ring);

	if (xhr_page_idle(ring->pages[ring->now]))
		return true;
	if (!xhr_page_idle(ring->pages[next]))
		return false;
	ring->now = next;
	return true;
}

/* NULL if no page has room. With bottom halves disabled: softirqs send, too. */
static void *xhr_page_frag_cut(struct xhr_page_frag_cache *cache, unsigned int size)
{
	struct xhr_page_ring *ring = size == PAGE_SIZE ? &cache->whole : &cache->cut;
	unsigned int offset = 0;
	struct page *page;

	if (ring == &cache->whole) {
		if (!xhr_page_ring_reuse(ring))
			return NULL;
	} else {
		if (cache->left < size) {
			if (!xhr_page_ring_reuse(ring))
				return NULL;
			cache->left = PAGE_SIZE;
		}
		cache->left -= size;
		offset = cache->left;
	}
	page = ring->pages[ring->now];
	get_page(page);
	return page_address(page) + offset;
}

/* Take @page in; returns the one whose place it takes, or NULL. */
static struct page *xhr_page_frag_add(struct xhr_page_frag_cache *cache, unsigned int size,
				      struct page *page)
{
	struct xhr_page_ring *ring = size == PAGE_SIZE ? &cache->whole : &cache->cut;

	ring->now = xhr_page_ring_next(ring);
	swap(ring->pages[ring->now], page);
	if (ring == &cache->cut)
		cache->left = PAGE_SIZE;
	return page;
}

/**
 * xhr_page_frag_alloc() - allocate a page fragment
 * @size: bytes, a multiple of SMP_CACHE_BYTES, at most PAGE_SIZE
 * @gfp_mask: as for the head in the stock kernel; reserves are not touched
 *
 * Context: any but hard interrupts; sleeps if @gfp_mask allows it.
 * Return: a fragment for skb_free_frag(), aligned to SMP_CACHE_BYTES; NULL if
 * there is no memory.
 */
void *xhr_page_frag_alloc(unsigned int size, gfp_t gfp_mask)
{
	struct xhr_page_frag_cache *cache;
	struct page *page;
	void *frag;

	local_bh_disable();
	frag = xhr_page_frag_cut(this_cpu_ptr(&xhr_page_frags), size);
	local_bh_enable();
	if (likely(frag))
		return frag;

	/* Of the reserves a receiver would have to drop it. */
	page = alloc_page(gfp_mask | __GFP_NOMEMALLOC | __GFP_NOWARN);
	if (!page)
		return NULL;

	local_bh_disable();
	cache = this_cpu_ptr(&xhr_page_frags);
	/* Somebody else may have brought a page while we slept. */
	frag = xhr_page_frag_cut(cache, size);
	if (!frag) {
		page = xhr_page_frag_add(cache, size, page);
		frag = xhr_page_frag_cut(cache, size);
	}
	local_bh_enable();
	if (page)
		put_page(page);
	return frag;
}

static void xhr_page_ring_free(struct xhr_page_ring *ring)
{
	unsigned int i;

	for (i = 0; i < XHR_PAGE_RING_PAGES; i++) {
		if (ring->pages[i])
			put_page(ring->pages[i]);
		ring->pages[i] = NULL;
	}
}

/* At module exit, when no wrapper can run any more. */
void xhr_page_frag_free_all(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct xhr_page_frag_cache *cache = per_cpu_ptr(&xhr_page_frags, cpu);

		xhr_page_ring_free(&cache->whole);
		xhr_page_ring_free(&cache->cut);
		cache->left = 0;
	}
}
