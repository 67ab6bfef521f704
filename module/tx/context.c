// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linking and unlinking of allocation contexts; see context.h for the design.
 * Runs in whatever context a packet is sent from.
 */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "tx.h"

struct xhr_ctx **xhr_ctx_leaves[XHR_CTX_LEAVES];
DEFINE_PER_CPU(struct xhr_ctx *, xhr_ctx_idle);

static struct xhr_ctx **xhr_ctx_slot_alloc(void)
{
	struct xhr_ctx **slot = xhr_ctx_slot();
	struct xhr_ctx **leaf;

	if (slot)
		return slot;
	leaf = (void *)get_zeroed_page(GFP_ATOMIC | __GFP_NOWARN);
	if (!leaf)
		return NULL;
	if (cmpxchg(&xhr_ctx_leaves[current->pid / XHR_CTX_LEAF_SLOTS], NULL, leaf))
		free_page((unsigned long)leaf);
	return xhr_ctx_slot();
}

/**
 * xhr_ctx_open() - begin a send
 * @ctx: on the caller's stack
 * @sk: sending socket
 * @dev: device, or NULL if it is still to be learnt
 * @extra: bytes to add to each head
 *
 * Context: any but hard interrupts.
 * Return: false if there is no memory to keep track of it: the send goes on as
 * in the stock kernel, and xhr_ctx_close() must not be called.
 */
bool xhr_ctx_open(struct xhr_ctx *ctx, const struct sock *sk, const struct net_device *dev,
		  unsigned int extra)
{
	struct xhr_ctx **slot = xhr_ctx_slot_alloc();

	if (!slot)
		return false;
	ctx->prev = READ_ONCE(*slot);
	ctx->sk = sk;
	ctx->dev = dev;
	ctx->extra = extra;
	ctx->packets = 0;
	ctx->fallbacks = 0;
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
void xhr_ctx_close(struct xhr_ctx *ctx)
{
	struct xhr_dev *xdev;

	WRITE_ONCE(*xhr_ctx_slot(), ctx->prev);
	if (!ctx->packets && !ctx->fallbacks)
		return;

	preempt_disable();
	xdev = xhr_dev_find(ctx->dev);
	if (xdev) {
		this_cpu_add(xdev->stats->tx_headroom_packets, ctx->packets);
		this_cpu_add(xdev->stats->tx_headroom_bytes, (u64)ctx->packets * ctx->extra);
		this_cpu_add(xdev->stats->tx_headroom_fallbacks, ctx->fallbacks);
	}
	preempt_enable();
}

/**
 * xhr_ctx_interrupt_sleepers() - get tasks that sleep in a send out of it
 *
 * For module removal, when a sender has been waiting for socket memory: as a
 * livepatch transition does, the task is told that there is a signal without
 * getting one. The send returns early and the system call is restarted, now
 * without us; a send with a timeout (SO_SNDTIMEO) returns EINTR.
 *
 * Only whether a slot is in use is looked at: what it points to belongs to the
 * other task. Kernel threads and io_uring workers are left alone.
 */
void xhr_ctx_interrupt_sleepers(void)
{
	struct task_struct *task;
	unsigned int i, j, nr;

	for (i = 0; i < XHR_CTX_LEAVES; i++) {
		for (j = 0; xhr_ctx_leaves[i] && j < XHR_CTX_LEAF_SLOTS; j++) {
			if (!READ_ONCE(xhr_ctx_leaves[i][j]))
				continue;
			nr = i * XHR_CTX_LEAF_SLOTS + j;
			rcu_read_lock();
			task = pid_task(find_pid_ns(nr, &init_pid_ns), PIDTYPE_PID);
			if (task && !(task->flags & (PF_KTHREAD | PF_IO_WORKER)) &&
			    READ_ONCE(task->__state) & TASK_INTERRUPTIBLE) {
				set_tsk_thread_flag(task, TIF_NOTIFY_SIGNAL);
				wake_up_process(task);
			}
			rcu_read_unlock();
		}
		cond_resched();
	}
}

/* At module exit, when no wrapper can run any more. */
void xhr_ctx_free(void)
{
	unsigned int i;

	for (i = 0; i < XHR_CTX_LEAVES; i++)
		free_page((unsigned long)xhr_ctx_leaves[i]);
}
