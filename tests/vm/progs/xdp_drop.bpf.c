// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The cheapest XDP program there is: what a packet costs with it is what the
 * kernel does to hand the packet over.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int xdp_drop(struct xdp_md *ctx)
{
	return XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";
