// SPDX-License-Identifier: GPL-2.0-only
/*
 * 6.12 and 7.3: generic XDP on packets that stay in fragments.
 *
 * That a packet is not made linear is decided where all is decided (cow.c). What
 * follows from it is the business of this file:
 *
 * Targets:
 *  - bpf_prog_run_generic_xdp(): tells the hooks below for which buffer they are
 *    asked, and afterwards sees that the lengths of the skb are those of the buffer;
 *  - bpf_xdp_store_bytes(), __bpf_xdp_store_bytes(), bpf_dynptr_slice_rdwr() and
 *    __bpf_dynptr_data_rw(): all ways in which a program can write into a fragment.
 *    Pages of an skb's fragments may have other users, of whom nothing tells (a
 *    segment that TCP may have to send again, for example): what the stock kernel
 *    lets a program write to is always a copy. So writing behind the linear part
 *    is refused. Reading is not;
 *  - generic_xdp_tx(): hands the packet to a driver without asking what that can do.
 *
 * Which fragments are not copies: those of an skb that does not come from the page
 * pool that stock copies to. A packet that somebody else may change or need as it is
 * never comes here, nor one whose memory must be given back to a page pool, which the
 * helper that cuts a packet's end would not do.
 *
 * All of these are needed, or none: "armed" (hook.h) is what the decision looks at.
 */
#include <linux/filter.h>
#include <linux/percpu.h>
#include <net/xdp.h>

#include "../compat/xdp.h"
#include "rx.h"

/* Programs may rely on so many bytes in the linear part, if the packet has them. */
#define XHR_RX_PULL	128

/* The buffer that a program is being run on, if its fragments are not to be written to. */
static DEFINE_PER_CPU(const struct xdp_buff *, xhr_rx_foreign);

/**
 * xhr_rx_judge_frags() - may generic XDP have a packet in fragments as it is
 * @skb: the packet, not linear, which nobody else has; its data at the Ethernet header.
 *	Headers are pulled into its linear part if the answer is yes
 * @xdev: the device's entry, or NULL
 * @prog: what is going to be run
 */
notrace enum xhr_rx_verdict xhr_rx_judge_frags(struct sk_buff *skb, const struct xhr_dev *xdev,
					       const struct bpf_prog *prog)
{
	unsigned int mode = xdev ? READ_ONCE(xdev->conf.xdp_linearize) :
				   xhr_dev_default.xdp_linearize;

	if (mode == XHROOM_XDP_LINEARIZE_ON ||
	    (mode == XHROOM_XDP_LINEARIZE_FRAGS && !prog->aux->xdp_has_frags) ||
	    !READ_ONCE(xhr_xdp_linearize_feature.armed))
		return XHR_RX_NONLINEAR;
	if (skb_has_frag_list(skb) || skb_has_shared_frag(skb) || skb_zcopy(skb) ||
	    skb->pp_recycle || !xhr_frags_readable(skb))
		return XHR_RX_NONLINEAR;
	if (skb_headroom(skb) < xhr_rx_headroom_min(xdev))
		return XHR_RX_HEADROOM;
	if (!pskb_may_pull(skb, min_t(unsigned int, XHR_RX_PULL, skb->len)))
		return XHR_RX_NONLINEAR;
	return XHR_RX_KEEP;
}

XHR_HOOK_DECLARE(run_generic, u32, struct sk_buff *skb, struct xdp_buff *xdp,
		 const struct bpf_prog *prog);
XHR_HOOK_DEFINE(run_generic, "bpf_prog_run_generic_xdp", NULL,
		"u32 (struct sk_buff *, struct xdp_buff *, " XHR_BPF_PROG ")", 0);

notrace u32 xhr_wrap_run_generic(struct sk_buff *skb, struct xdp_buff *xdp,
				 const struct bpf_prog *prog)
{
	const struct xdp_buff *outer;
	u32 act;

	xhr_hook_pass(run_generic);
	if (likely(!skb_is_nonlinear(skb) || skb->pp_recycle))
		return xhr_orig(run_generic)(skb, xdp, prog);
	outer = this_cpu_read(xhr_rx_foreign);
	this_cpu_write(xhr_rx_foreign, xdp);
	act = xhr_orig(run_generic)(skb, xdp, prog);
	this_cpu_write(xhr_rx_foreign, outer);
	/* Not every point release counts what was cut off the fragments. */
	skb_set_tail_pointer(skb, (unsigned char *)xdp->data_end - skb->data);
	skb->len = (unsigned char *)xdp->data_end - skb->data + skb->data_len;
	return act;
}

/* Would a write go behind the linear part of a buffer whose fragments are not ours? */
static __always_inline bool xhr_rx_forbidden(const void *xdp, u64 offset, u64 len)
{
	const struct xdp_buff *foreign = this_cpu_read(xhr_rx_foreign);

	return unlikely(foreign) && foreign == xdp &&
	       offset + len > (u64)(foreign->data_end - foreign->data);
}

XHR_HOOK_DECLARE(xdp_store, u64, u64 xdp, u64 offset, u64 buf, u64 len, u64 unused);
XHR_HOOK_DEFINE(xdp_store, "bpf_xdp_store_bytes", NULL, "u64 (u64, u64, u64, u64, u64)", 0);

notrace u64 xhr_wrap_xdp_store(u64 xdp, u64 offset, u64 buf, u64 len, u64 unused)
{
	xhr_hook_pass(xdp_store);
	if (xhr_rx_forbidden((void *)xdp, (u32)offset, (u32)len))
		return -EOPNOTSUPP;
	return xhr_orig(xdp_store)(xdp, offset, buf, len, unused);
}

XHR_HOOK_DECLARE(dynptr_store, int, struct xdp_buff *xdp, u32 offset, void *buf, u32 len);
XHR_HOOK_DEFINE(dynptr_store, "__bpf_xdp_store_bytes", NULL,
		"int (struct xdp_buff *, u32, void *, u32)", 0);

notrace int xhr_wrap_dynptr_store(struct xdp_buff *xdp, u32 offset, void *buf, u32 len)
{
	xhr_hook_pass(dynptr_store);
	if (xhr_rx_forbidden(xdp, offset, len))
		return -EOPNOTSUPP;
	return xhr_orig(dynptr_store)(xdp, offset, buf, len);
}

XHR_HOOK_DECLARE(dynptr_slice, void *, const struct bpf_dynptr_kern *ptr, XHR_DYNPTR_SIZE offset,
		 void *buffer, XHR_DYNPTR_SIZE size);
XHR_HOOK_DEFINE(dynptr_slice, "bpf_dynptr_slice_rdwr", NULL,
		"void *(const struct bpf_dynptr *, " XHR_DYNPTR_SIZE_NAME ", void *, "
		XHR_DYNPTR_SIZE_NAME ")", 0);

notrace void *xhr_wrap_dynptr_slice(const struct bpf_dynptr_kern *ptr, XHR_DYNPTR_SIZE offset,
				    void *buffer, XHR_DYNPTR_SIZE size)
{
	xhr_hook_pass(dynptr_slice);
	if (xhr_rx_forbidden(ptr->data, (u64)ptr->offset + offset, size))
		return NULL;
	return xhr_orig(dynptr_slice)(ptr, offset, buffer, size);
}

XHR_HOOK_DECLARE(dynptr_data, void *, const struct bpf_dynptr_kern *ptr, XHR_DYNPTR_SIZE len);
XHR_HOOK_DEFINE(dynptr_data, "__bpf_dynptr_data_rw", NULL,
		"void *(const struct bpf_dynptr_kern *, " XHR_DYNPTR_SIZE_NAME ")", 0);

notrace void *xhr_wrap_dynptr_data(const struct bpf_dynptr_kern *ptr, XHR_DYNPTR_SIZE len)
{
	xhr_hook_pass(dynptr_data);
	if (xhr_rx_forbidden(ptr->data, ptr->offset, len))
		return NULL;
	return xhr_orig(dynptr_data)(ptr, len);
}

XHR_HOOK_DECLARE(generic_tx, void, struct sk_buff *skb, const struct bpf_prog *prog);
XHR_HOOK_DEFINE(generic_tx, "generic_xdp_tx", NULL, "void (struct sk_buff *, " XHR_BPF_PROG ")",
		0);

notrace void xhr_wrap_generic_tx(struct sk_buff *skb, const struct bpf_prog *prog)
{
	xhr_hook_pass(generic_tx);
	if (skb_is_nonlinear(skb) && !(skb->dev->features & NETIF_F_SG) && skb_linearize(skb)) {
		dev_core_stats_tx_dropped_inc(skb->dev);
		kfree_skb(skb);
		return;
	}
	xhr_orig(generic_tx)(skb, prog);
}
