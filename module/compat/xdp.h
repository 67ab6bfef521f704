/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a kernel copies packets for XDP, which differs by version. Nothing else
 * may be put here. That a running kernel is as this says is verified before
 * anything is hooked.
 */
#ifndef XHR_COMPAT_XDP_H
#define XHR_COMPAT_XDP_H

#include <linux/version.h>

/*
 * Since 6.9 both veth and generic XDP copy by functions that can be hooked.
 * Before, generic XDP makes room with pskb_expand_head(), and veth copies in the
 * middle of veth_xdp_rcv_skb().
 */
#define XHR_XDP_COW_FUNCTIONS	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0))

/* Before 6.9 generic XDP measures headroom at the network header. */
#define XHR_XDP_GENERIC_AT_L3	(!XHR_XDP_COW_FUNCTIONS)

/* XDP programs became const in 6.13. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define XHR_BPF_PROG	"const struct bpf_prog *"
#else
#define XHR_BPF_PROG	"struct bpf_prog *"
#endif

#endif
