// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a program may do to a packet's ends, one case for each packet: the packet says
 * which (a number at the start of its UDP payload), the program does it, writes down
 * what the helper said, fills in the bytes in front that are new, and gives the
 * verdict that was asked for.
 *
 *	0 to 600	bpf_xdp_adjust_head(number - 300)
 *	601 to 1601	bpf_xdp_adjust_tail(number - 1101)
 *	1602		writes into the last bytes of the packet
 *	others		nothing
 *
 * xdpfrags.bpf.c is the same with the promise to know fragments. bpftool loads them.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <bpf/bpf_helpers.h>

#define PAYLOAD	42
#define CASES	1603
#define CHUNK	60

enum { PASS, TX, DEVMAP, CPUMAP, XSKMAP };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} adjust_verdict SEC(".maps");

/* What the helper returned, and how long the packet seemed to be: 1 more than that. */
struct result {
	__s32 ret;
	__u32 len;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CASES);
	__type(key, __u32);
	__type(value, struct result);
} adjust_results SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} adjust_devmap SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
} adjust_cpumap SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} adjust_xskmap SEC(".maps");

static __always_inline int fill(struct xdp_md *ctx, int bytes)
{
	unsigned char pattern[CHUNK];
	int i;

	__builtin_memset(pattern, 0xa5, sizeof(pattern));
	for (i = 0; i < 300; i++) {
		if (i >= bytes)
			break;
		if (bpf_xdp_store_bytes(ctx, i, pattern, 1))
			return -1;
	}
	return 0;
}

static __always_inline int verdict(void)
{
	__u32 zero = 0, *wanted = bpf_map_lookup_elem(&adjust_verdict, &zero);

	switch (wanted ? *wanted : PASS) {
	case TX:
		return XDP_TX;
	case DEVMAP:
		return bpf_redirect_map(&adjust_devmap, 0, XDP_ABORTED);
	case CPUMAP:
		return bpf_redirect_map(&adjust_cpumap, !bpf_get_smp_processor_id(), XDP_ABORTED);
	case XSKMAP:
		return bpf_redirect_map(&adjust_xskmap, 0, XDP_ABORTED);
	}
	return XDP_PASS;
}

static __always_inline int adjust(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct result result = {};
	__u32 number;
	int by;

	if (data + PAYLOAD + sizeof(number) > end)
		return XDP_PASS;
	number = *(__u32 *)(data + PAYLOAD);
	if (number < 601) {
		by = (int)number - 300;
		result.ret = bpf_xdp_adjust_head(ctx, by);
		if (!result.ret && by < 0 && fill(ctx, -by))
			result.ret = 1;
	} else if (number < 1602) {
		result.ret = bpf_xdp_adjust_tail(ctx, (int)number - 1101);
	} else if (number == 1602) {
		result.ret = bpf_xdp_store_bytes(ctx, bpf_xdp_get_buff_len((void *)ctx) - 4,
						 "over", 4);
	}
	result.len = bpf_xdp_get_buff_len((void *)ctx) + 1;
	if (number < CASES)
		bpf_map_update_elem(&adjust_results, &number, &result, BPF_ANY);
	return verdict();
}

#ifndef SECTION
#define SECTION "xdp"
#endif

SEC(SECTION)
int xdp_adjust(struct xdp_md *ctx)
{
	return adjust(ctx);
}

char _license[] SEC("license") = "Dual BSD/GPL";
