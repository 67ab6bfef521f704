/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a kernel copies packets for XDP, which differs by version. Nothing else
 * may be put here. That a running kernel is as this says is verified before
 * anything is hooked.
 */
#ifndef XHR_COMPAT_XDP_H
#define XHR_COMPAT_XDP_H

#include <linux/skbuff.h>
#include <linux/version.h>

/*
 * Since 6.9 both veth and generic XDP copy by functions that can be hooked.
 * Before, generic XDP makes room with pskb_expand_head(), and veth copies in the
 * middle of veth_xdp_rcv_skb().
 */
#define XHR_XDP_COW_FUNCTIONS	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0))

/* Memory of devices that a CPU cannot read came with 6.12. */
static inline bool xhr_frags_readable(const struct sk_buff *skb)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return skb_frags_readable(skb);
#else
	return true;
#endif
}

/* Sizes of dynptrs grew later. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define XHR_DYNPTR_SIZE		u64
#define XHR_DYNPTR_SIZE_NAME	"u64"
#else
#define XHR_DYNPTR_SIZE		u32
#define XHR_DYNPTR_SIZE_NAME	"u32"
#endif

/* XDP programs became const in 6.13. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define XHR_BPF_PROG	"const struct bpf_prog *"
#else
#define XHR_BPF_PROG	"struct bpf_prog *"
#endif

#endif
