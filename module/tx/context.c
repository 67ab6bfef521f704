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

/* Not NULL, so that no route look-up takes it for a send that waits for one. */
struct xhr_ctx xhr_ctx_nothing = { .dev = (const struct net_device *)-1L };

struct xhr_ctx **xhr_ctx_leaves[XHR_CTX_LEAVES];
DEFINE_PER_CPU(struct xhr_ctx *, xhr_ctx_idle);

/* The first time that a task of this range of pids sends something. */
struct xhr_ctx **xhr_ctx_slot_alloc(void)
{
	struct xhr_ctx **leaf = (void *)get_zeroed_page(GFP_ATOMIC | __GFP_NOWARN);

	if (!leaf)
		return NULL;
	if (cmpxchg(&xhr_ctx_leaves[current->pid / XHR_CTX_LEAF_SLOTS], NULL, leaf))
		free_page((unsigned long)leaf);
	return xhr_ctx_slot();
}

void notrace xhr_ctx_account(const struct xhr_ctx *ctx)
{
	struct xhr_dev_cpu_stats *stats;
	struct xhr_dev *xdev;

	preempt_disable_notrace();
	xdev = xhr_dev_find(ctx->dev);
	if (likely(xdev)) {
		stats = &xdev->stats[raw_smp_processor_id()];
		local64_add(ctx->packets, &stats->tx_headroom_packets);
		local64_add(ctx->bytes, &stats->tx_headroom_bytes);
		local64_add(ctx->page_frags, &stats->tx_page_frags);
		if (unlikely(ctx->fallbacks))
			local64_add(ctx->fallbacks, &stats->tx_headroom_fallbacks);
	}
	preempt_enable_notrace();
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
