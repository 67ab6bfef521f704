/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the XDP programs of the suites about heads share: where packets may go.
 * Maps are no part of it for programs that take frames in several buffers and
 * programs that do not at the same time: each object has its own.
 */
#ifndef XDPHEAD_H
#define XDPHEAD_H

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} head_devmap SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
} head_cpumap SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} head_xskmap SEC(".maps");

static __always_inline int send_back(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end, c;
	int i;

	if (data + ETH_HLEN > end)
		return XDP_ABORTED;
	for (i = 0; i < ETH_ALEN; i++) {
		c = data[i];
		data[i] = data[ETH_ALEN + i];
		data[ETH_ALEN + i] = c;
	}
	return XDP_TX;
}

#endif
