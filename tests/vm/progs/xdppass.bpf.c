// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Passes every packet: the least that a native XDP program can do. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int xdp_pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
