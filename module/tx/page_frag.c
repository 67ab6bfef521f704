// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page fragments for heads: single pages, cut up per CPU.
 *
 * The kernel's own page fragments come from pages of 32 KiB. A head that waits
 * somewhere holds the whole page, but is charged to its socket by its own size:
 * fine for packets from the wire, whose number the receiver bounds; not for
 * senders, who could keep one small packet of each forty. With single pages a
 * small head holds less than six times what it is charged. A head that takes a
 * whole page never sees the cache, and leaves the page there for small ones.
 *
 * A fragment holds a reference on its page, as whoever frees it expects
 * (skb_free_frag(), xdp_return_frame()). The cache holds one of its own.
 */
#include <linux/bottom_half.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#include "tx.h"

/**
 * struct xhr_page_frag_cache - the page that is being cut up
 * @page: NULL at first
 * @left: bytes of it that are free, from its start
 */
struct xhr_page_frag_cache {
	struct page *page;
	unsigned int left;
};

static DEFINE_PER_CPU(struct xhr_page_frag_cache, xhr_page_frags);

/* With bottom halves disabled: softirqs send, too. */
static void *xhr_page_frag_cut(struct xhr_page_frag_cache *cache, unsigned int size)
{
	if (!cache->page || cache->left < size)
		return NULL;
	cache->left -= size;
	get_page(cache->page);
	return page_address(cache->page) + cache->left;
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

	if (size < PAGE_SIZE) {
		local_bh_disable();
		frag = xhr_page_frag_cut(this_cpu_ptr(&xhr_page_frags), size);
		local_bh_enable();
		if (likely(frag))
			return frag;
	}

	/* Of the reserves a receiver would have to drop it. */
	page = alloc_page(gfp_mask | __GFP_NOMEMALLOC | __GFP_NOWARN);
	if (!page)
		return NULL;
	if (size == PAGE_SIZE)
		return page_address(page);

	local_bh_disable();
	cache = this_cpu_ptr(&xhr_page_frags);
	/* Somebody else may have brought a page while we slept. */
	frag = xhr_page_frag_cut(cache, size);
	if (!frag) {
		swap(cache->page, page);
		cache->left = PAGE_SIZE;
		frag = xhr_page_frag_cut(cache, size);
	}
	local_bh_enable();
	if (page)
		put_page(page);
	return frag;
}

/* At module exit, when no wrapper can run any more. */
void xhr_page_frag_free_all(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct xhr_page_frag_cache *cache = per_cpu_ptr(&xhr_page_frags, cpu);

		if (cache->page)
			put_page(cache->page);
		cache->page = NULL;
	}
}
