// SPDX-License-Identifier: GPL-2.0-only
/*
 * 6.1: packets that are to be copied for native XDP on veth.
 *
 * There the copy is made in the middle of veth_xdp_rcv_skb(), behind a comparison
 * of the headroom with XDP_PACKET_HEADROOM, and nothing that could be hooked lies
 * between. What the comparison sees can be changed: the headroom is the distance
 * from skb->head to skb->data. So for a packet that may be kept, skb->head is set
 * back by what is missing, to an address in front of its buffer, and everything
 * that is counted from it is moved along. From there to the program nobody
 * follows skb->head. When the program is about to run, skb and xdp_buff are put
 * right: no program, no frame and no skb that leaves ever knows.
 *
 *	veth_xdp_rcv_skb()	head set back		(this file)
 *	  headroom >= 256: no copy
 *	  xdp_buff made of the skb
 *	  bpf_dispatcher_xdp_func()	head, xdp_buff right	(this file)
 *	    the program
 *
 * Both hooks are needed, and a packet that sees the first must see the second:
 * the feature is "armed" only while both are in place, and a detach waits until
 * every packet that saw it armed is through. If the queue has no program, the
 * skb is put right when veth_xdp_rcv_skb() returns it.
 *
 * bpf_dispatcher_xdp_func() runs every XDP program. What it was called for is
 * told by the address of the buffer; there is one packet at a time on a CPU, or
 * (netconsole, which may poll devices in the middle of another's poll) one on
 * top of another that is put back.
 */
#include <linux/percpu.h>
#include <net/xdp.h>

#include "../compat/xdp.h"
#include "rx.h"

#if !XHR_XDP_COW_FUNCTIONS

struct veth_rq;
struct veth_xdp_tx_bq;
struct veth_stats;

/**
 * struct xhr_rx_veth - a packet on its way to its program
 * @skb: NULL: none
 * @xdev: the device's entry, or NULL
 * @back: bytes that skb->head is set back
 * @verdict: what was decided; counted when a program runs
 */
struct xhr_rx_veth {
	struct sk_buff *skb;
	struct xhr_dev *xdev;
	unsigned int back;
	enum xhr_rx_verdict verdict;
};

static DEFINE_PER_CPU(struct xhr_rx_veth, xhr_rx_veth_now);

/* Move skb->head by @by bytes towards lower addresses; a negative number: back. */
static __always_inline void xhr_rx_head_back(struct sk_buff *skb, int by)
{
	skb->head -= by;
	skb->end += by;
	skb->tail += by;
	/* One that is not set is all ones, and is so again afterwards. */
	skb->mac_header += by;
	skb->network_header += by;
	skb->transport_header += by;
	skb->inner_mac_header += by;
	skb->inner_network_header += by;
	skb->inner_transport_header += by;
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		skb->csum_start += by;
}

XHR_HOOK_DECLARE(xdp_run, unsigned int, const void *ctx, const struct bpf_insn *insnsi,
		 bpf_func_t func);
XHR_HOOK_DEFINE(xdp_run, "bpf_dispatcher_xdp_func", NULL,
		"unsigned int (const void *, const struct bpf_insn *, bpf_func_t)",
		0);

notrace unsigned int xhr_wrap_xdp_run(const void *ctx, const struct bpf_insn *insnsi,
				      bpf_func_t func)
{
	struct xhr_rx_veth *now = this_cpu_ptr(&xhr_rx_veth_now);
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	unsigned int act;

	xhr_hook_enter(xdp_run);
	if (unlikely(now->skb)) {
		xhr_rx_count(now->xdev, now->verdict);
		if (now->back) {
			xhr_rx_head_back(now->skb, -(int)now->back);
			xdp->data_hard_start += now->back;
			xdp->frame_sz -= now->back;
		}
		now->skb = NULL;
	}
	act = xhr_orig(xdp_run)(ctx, insnsi, func);
	xhr_hook_exit(xdp_run);
	return act;
}

XHR_HOOK_DECLARE(veth_rcv, struct sk_buff *, struct veth_rq *rq, struct sk_buff *skb,
		 struct veth_xdp_tx_bq *bq, struct veth_stats *stats);
XHR_HOOK_DEFINE(veth_rcv, "veth_xdp_rcv_skb", "veth",
		"struct sk_buff *(struct veth_rq *, struct sk_buff *, struct veth_xdp_tx_bq *, struct veth_stats *)",
		XHR_HOOK_OPTIONAL);

/* What stock would copy, and what of it need not be. */
static noinline notrace void xhr_rx_veth_decide(struct xhr_rx_veth *now, struct sk_buff *skb)
{
	unsigned int headroom = skb_mac_header(skb) - skb->head;
	struct xhr_dev *xdev = xhr_dev_find(skb->dev);
	enum xhr_rx_verdict verdict;

	verdict = xhr_rx_judge_veth(skb, headroom, xhr_rx_headroom_min(xdev));
	if (verdict == XHR_RX_KEEP && headroom >= XDP_PACKET_HEADROOM)
		return;
	now->skb = skb;
	now->xdev = xdev;
	now->verdict = verdict;
	now->back = 0;
	if (verdict == XHR_RX_KEEP) {
		now->back = XDP_PACKET_HEADROOM - headroom;
		xhr_rx_head_back(skb, now->back);
	}
}

notrace struct sk_buff *xhr_wrap_veth_rcv(struct veth_rq *rq, struct sk_buff *skb,
					  struct veth_xdp_tx_bq *bq, struct veth_stats *stats)
{
	struct xhr_rx_veth *now = this_cpu_ptr(&xhr_rx_veth_now), outer = *now;

	xhr_hook_enter(veth_rcv);
	now->skb = NULL;
	if (READ_ONCE(xhr_xdp_headroom_feature.armed) && skb_mac_header_was_set(skb))
		xhr_rx_veth_decide(now, skb);
	skb = xhr_orig(veth_rcv)(rq, skb, bq, stats);
	/* The queue has no program. */
	if (unlikely(now->skb && now->back) && skb == now->skb)
		xhr_rx_head_back(skb, -(int)now->back);
	*now = outer;
	xhr_hook_exit(veth_rcv);
	return skb;
}

#endif
