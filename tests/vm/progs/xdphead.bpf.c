// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What native XDP can do with a packet whose head it was given without a copy:
 * drop it, pass it, write into it, put something in front, send it back, hand it
 * to another device, another CPU or an AF_XDP socket. Of these the last four take
 * a reference on the page of the head. bpftool loads the programs.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <bpf/bpf_helpers.h>

#include "xdphead.h"

/* Bytes that xdp_front has in front for a moment. */
#define FRONT 32
/* Bytes that xdp_grow has behind for a moment. */
#define GROWTH 64

SEC("xdp")
int xdp_drop(struct xdp_md *ctx)
{
	return XDP_DROP;
}

SEC("xdp")
int xdp_pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

/* Inverts the beginning of the payload of a UDP packet. */
SEC("xdp")
int xdp_scribble(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	int i;

	if (data + 64 > end)
		return XDP_PASS;
	/* Behind the headers of Ethernet, IPv4 and UDP. */
	for (i = 42; i < 64; i++)
		data[i] ^= 0xff;
	return XDP_PASS;
}

/* Grows the head, writes there, and takes it back: the packet stays the same. */
SEC("xdp")
int xdp_front(struct xdp_md *ctx)
{
	unsigned char *data, *end;
	int i;

	if (bpf_xdp_adjust_head(ctx, -FRONT))
		return XDP_ABORTED;
	data = (void *)(long)ctx->data;
	end = (void *)(long)ctx->data_end;
	if (data + FRONT > end)
		return XDP_ABORTED;
	for (i = 0; i < FRONT; i++)
		data[i] = 0xa5;
	if (bpf_xdp_adjust_head(ctx, FRONT))
		return XDP_ABORTED;
	return XDP_PASS;
}

/* Lets the packet grow at its end, writes there, and takes it back. */
SEC("xdp")
int xdp_grow(struct xdp_md *ctx)
{
	unsigned char pattern[GROWTH] = {};
	long len = (long)ctx->data_end - (long)ctx->data;

	if (len <= 0 || len > 4096 || bpf_xdp_adjust_tail(ctx, GROWTH))
		return XDP_ABORTED;
	if (bpf_xdp_store_bytes(ctx, len, pattern, GROWTH) || bpf_xdp_adjust_tail(ctx, -GROWTH))
		return XDP_ABORTED;
	return XDP_PASS;
}

SEC("xdp")
int xdp_tx(struct xdp_md *ctx)
{
	return send_back(ctx);
}

SEC("xdp")
int xdp_devmap(struct xdp_md *ctx)
{
	return bpf_redirect_map(&head_devmap, 0, XDP_ABORTED);
}

/* To the other one of two. */
SEC("xdp")
int xdp_cpumap(struct xdp_md *ctx)
{
	return bpf_redirect_map(&head_cpumap, !bpf_get_smp_processor_id(), XDP_ABORTED);
}

SEC("xdp")
int xdp_xskmap(struct xdp_md *ctx)
{
	return bpf_redirect_map(&head_xskmap, 0, XDP_ABORTED);
}

char _license[] SEC("license") = "Dual BSD/GPL";
