// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does with each packet what chance says: all that xdphead.bpf.c does. Counts what
 * it said. Takes frames in several buffers, so that packets may be larger than a
 * page; whoever attaches to the other end of a veth then has to, too, hence
 * xdp_pass_frags. bpftool loads the programs.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <bpf/bpf_helpers.h>

#include "xdphead.h"

/* What is left in the source address of a packet that was written to. */
#define WRITTEN 0x5a
/* Bytes of payload whose words are swapped then, two by two: checksums stay right. */
#define SWAPPED 20

enum { RANDOM_DROP, RANDOM_PASS, RANDOM_TX, RANDOM_DEVMAP, RANDOM_CPUMAP, RANDOM_XSKMAP, RANDOM_MAX };

/* How often xdp_random said what. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RANDOM_MAX);
	__type(key, __u32);
	__type(value, __u64);
} head_verdicts SEC(".maps");

SEC("xdp.frags")
int xdp_pass_frags(struct xdp_md *ctx)
{
	return XDP_PASS;
}

/* Behind send_back(), which swaps the addresses. */
static __always_inline void write_to(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u16 *words, word;
	int i;

	if (data + ETH_HLEN > end)
		return;
	words = (void *)(data + (data[12] == 0x86 && data[13] == 0xdd ? 62 : 42));
	if ((void *)words + SWAPPED > (void *)end)
		return;
	for (i = 0; i < SWAPPED / 2; i += 2) {
		word = words[i];
		words[i] = words[i + 1];
		words[i + 1] = word;
	}
	data[7] = WRITTEN;
}

/* Every second packet is written to. Frames in several buffers come here, too. */
SEC("xdp.frags")
int xdp_random(struct xdp_md *ctx)
{
	__u32 random = bpf_get_prandom_u32(), what = (random >> 8) % RANDOM_MAX;
	__u64 *count = bpf_map_lookup_elem(&head_verdicts, &what);
	int verdict = XDP_PASS;

	if (count)
		__sync_fetch_and_add(count, 1);
	if (what == RANDOM_DROP)
		return XDP_DROP;
	if (what == RANDOM_TX)
		verdict = send_back(ctx);
	if (random & 1)
		write_to(ctx);
	switch (what) {
	case RANDOM_DEVMAP:
		return bpf_redirect_map(&head_devmap, 0, XDP_ABORTED);
	case RANDOM_CPUMAP:
		return bpf_redirect_map(&head_cpumap, random >> 1 & 1, XDP_ABORTED);
	case RANDOM_XSKMAP:
		return bpf_redirect_map(&head_xskmap, 0, XDP_DROP);
	}
	return verdict;
}

char _license[] SEC("license") = "Dual BSD/GPL";
