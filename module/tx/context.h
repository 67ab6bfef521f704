/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The allocation context: tells the allocator hook what heads the send that is
 * under way wants, and for whom.
 *
 * A hook on the send path ("opener") knows the device; the allocation happens
 * deeper, where only the task is known. In between the task may sleep, migrate,
 * or be interrupted by a softirq that sends something of its own. So the context
 * lies on the opener's stack and hangs off a slot that belongs to the *task*:
 *
 *	slot[pid] -> innermost context -> ... -> outermost context -> NULL
 *
 * There is one slot per possible pid, in leaves that are allocated when first
 * needed; the idle tasks, which share pid 0, have one per CPU. A slot is only
 * ever touched by its own task, and by softirqs that run on top of it and put it
 * back before they return. That is why there is no lock, no atomic operation,
 * no collision and no lifetime question: a context is linked exactly while the
 * opener's frame exists.
 *
 * An opener whose device wants nothing links one all the same: an inner send must
 * not get what was meant for the outer, and module removal must find the tasks
 * that sleep in a send. That one may be xhr_ctx_nothing, which all share.
 *
 * What may not be done: keep a context beyond the opener, link one without
 * unlinking it on every path, or follow another task's slot. (Removal looks
 * whether one is in use, and no further.)
 */
#ifndef XHR_TX_CONTEXT_H
#define XHR_TX_CONTEXT_H

#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/threads.h>

struct net_device;
struct sock;

/**
 * struct xhr_ctx - one send under way
 * @slot: the task's slot; it stays the same while the send is open
 * @prev: the send that this one interrupts or is nested in
 * @sk: sending socket
 * @dev: device that the packet is allocated against; NULL while it is still to
 *	be learnt from a route look-up by @sk
 * @want: XHR_TX_PAGE_FRAG, XHR_TX_AUTO, and in XHR_TX_EXTRA_MASK the bytes to add to
 *	each head
 * @packets: heads that got more headroom
 * @bytes: how much more, in total
 * @fallbacks: heads that lack something, for want of memory
 * @page_frags: heads that are page fragments
 */
struct xhr_ctx {
	struct xhr_ctx **slot;
	struct xhr_ctx *prev;
	const struct sock *sk;
	const struct net_device *dev;
	unsigned int want;
	unsigned int packets;
	unsigned int bytes;
	unsigned int fallbacks;
	unsigned int page_frags;
};

#define XHR_CTX_LEAF_SLOTS	(PAGE_SIZE / sizeof(struct xhr_ctx *))
#define XHR_CTX_LEAVES		DIV_ROUND_UP(PID_MAX_LIMIT, XHR_CTX_LEAF_SLOTS)

/* For sends that want nothing: never written to, and waits for no device. */
extern struct xhr_ctx xhr_ctx_nothing;

extern struct xhr_ctx **xhr_ctx_leaves[XHR_CTX_LEAVES];
DECLARE_PER_CPU(struct xhr_ctx *, xhr_ctx_idle);

/* The running task's slot; NULL if its leaf was never needed. */
static __always_inline struct xhr_ctx **xhr_ctx_slot(void)
{
	unsigned int pid = current->pid;
	struct xhr_ctx **leaf;

	if (unlikely(!pid))
		return raw_cpu_ptr(&xhr_ctx_idle);
	leaf = READ_ONCE(xhr_ctx_leaves[pid / XHR_CTX_LEAF_SLOTS]);
	return leaf ? &leaf[pid % XHR_CTX_LEAF_SLOTS] : NULL;
}

/* The innermost send of the running task, or NULL. */
static __always_inline struct xhr_ctx *xhr_ctx_top(void)
{
	struct xhr_ctx **slot = xhr_ctx_slot();

	return slot ? READ_ONCE(*slot) : NULL;
}

/**
 * xhr_ctx_open_nothing() - begin a send that wants nothing, in few instructions
 *
 * Context: any but hard interrupts.
 * Return: what xhr_ctx_close_nothing() wants at its end; NULL if there is another
 * send under way, or no slot yet: xhr_ctx_open() is for those.
 */
static __always_inline struct xhr_ctx **xhr_ctx_open_nothing(void)
{
	struct xhr_ctx **slot = xhr_ctx_slot();

	if (unlikely(!slot || READ_ONCE(*slot)))
		return NULL;
	WRITE_ONCE(*slot, &xhr_ctx_nothing);
	return slot;
}

static __always_inline void xhr_ctx_close_nothing(struct xhr_ctx **slot)
{
	WRITE_ONCE(*slot, NULL);
}

struct xhr_ctx **xhr_ctx_slot_alloc(void);
void xhr_ctx_account(const struct xhr_ctx *ctx);

/**
 * xhr_ctx_open() - begin a send
 * @ctx: on the caller's stack
 * @sk: sending socket
 * @dev: device, or NULL if it is still to be learnt
 * @want: see &struct xhr_ctx
 *
 * Context: any but hard interrupts.
 * Return: false if there is no memory to keep track of it: the send goes on as
 * in the stock kernel, and xhr_ctx_close() must not be called.
 */
static __always_inline bool xhr_ctx_open(struct xhr_ctx *ctx, const struct sock *sk,
					 const struct net_device *dev, unsigned int want)
{
	struct xhr_ctx **slot = xhr_ctx_slot();

	if (unlikely(!slot)) {
		slot = xhr_ctx_slot_alloc();
		if (!slot)
			return false;
	}
	ctx->slot = slot;
	ctx->prev = READ_ONCE(*slot);
	ctx->sk = sk;
	ctx->dev = dev;
	ctx->want = want;
	ctx->packets = 0;
	ctx->bytes = 0;
	ctx->fallbacks = 0;
	ctx->page_frags = 0;
	/* A softirq on top of us must see a complete context. */
	barrier();
	WRITE_ONCE(*slot, ctx);
	return true;
}

/**
 * xhr_ctx_close() - end a send
 * @ctx: opened by this task, and the innermost that is open
 *
 * Adds what happened to the counters of the device, if it still has settings.
 */
static __always_inline void xhr_ctx_close(struct xhr_ctx *ctx)
{
	WRITE_ONCE(*ctx->slot, ctx->prev);
	if (ctx->packets | ctx->fallbacks | ctx->page_frags)
		xhr_ctx_account(ctx);
}

void xhr_ctx_interrupt_sleepers(void);
void xhr_ctx_free(void);

#endif
