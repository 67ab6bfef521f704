// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The measure of every headroom test: records skb->data - skb->head of each
 * packet that passes TC egress, TC ingress or __dev_direct_xmit(), together
 * with the device's own needed_headroom, which must never change. If asked to,
 * also of what arrives at native XDP on a veth, and of what is copied there.
 *
 * A TC program has no access to these members, but its context is the sk_buff:
 * it reads them as a tracing program would. No function that the module hooks
 * is probed.
 */
#define __TARGET_ARCH_x86
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <linux/ptrace.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "headroom.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct net_device {
	char name[16];
	unsigned short needed_headroom;
	unsigned short hard_header_len;
};

struct sk_buff {
	struct net_device *dev;
	unsigned int len, data_len, truesize, mark;
	unsigned int end;
	unsigned short protocol, network_header;
	unsigned char *head, *data;
	unsigned char head_frag:1;
};

typedef struct {
	int counter;
} atomic_t;

struct skb_shared_info {
	unsigned char nr_frags;
	unsigned short gso_size;
	struct sk_buff *frag_list;
	atomic_t dataref;
};
#pragma clang attribute pop

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct headroom_key);
	__type(value, struct headroom_value);
} headroom SEC(".maps");

static __always_inline unsigned char l4_of(unsigned short protocol, const unsigned char *net)
{
	unsigned char l4 = 0;

	if (protocol == 0x0800)
		bpf_probe_read_kernel(&l4, 1, net + 9);
	else if (protocol == 0x86dd)
		bpf_probe_read_kernel(&l4, 1, net + 6);
	return l4;
}

static __always_inline unsigned char tcp_options_of(unsigned short protocol,
						     const unsigned char *net)
{
	unsigned char offset = 0;

	bpf_probe_read_kernel(&offset, 1, net + (protocol == 0x0800 ? 20 : 40) + 12);
	return (offset >> 4) * 4 - 20;
}

static __always_inline void record(const struct sk_buff *skb, unsigned char where)
{
	struct headroom_value *value, zero = {};
	const struct skb_shared_info *info;
	struct headroom_key key = {};
	const struct net_device *dev;
	const unsigned char *head, *net;
	unsigned int frags;

	dev = BPF_CORE_READ(skb, dev);
	head = BPF_CORE_READ(skb, head);
	bpf_core_read_str(key.dev, sizeof(key.dev), &dev->name);
	key.mark = BPF_CORE_READ(skb, mark);
	key.headroom = BPF_CORE_READ(skb, data) - head;
	key.needed_headroom = BPF_CORE_READ(dev, needed_headroom);
	key.hard_header_len = BPF_CORE_READ(dev, hard_header_len);
	key.protocol = bpf_ntohs(BPF_CORE_READ(skb, protocol));
	net = head + BPF_CORE_READ(skb, network_header);
	key.l4 = l4_of(key.protocol, net);
	if (key.l4 == 6)
		key.tcp_options = tcp_options_of(key.protocol, net);
	key.where = where;

	info = (const void *)(head + BPF_CORE_READ(skb, end));
	frags = BPF_CORE_READ(info, nr_frags);
	if (BPF_CORE_READ(info, frag_list))
		key.flags |= HEADROOM_F_FRAG_LIST;
	if (BPF_CORE_READ(info, gso_size))
		key.flags |= HEADROOM_F_GSO;
	if (BPF_CORE_READ(skb, data_len))
		key.flags |= HEADROOM_F_NONLINEAR;
	if (BPF_CORE_READ_BITFIELD_PROBED(skb, head_frag))
		key.flags |= HEADROOM_F_HEAD_FRAG;
	/* The lower half counts, as in skb_cloned(). */
	if ((BPF_CORE_READ(info, dataref.counter) & 0xffff) != 1)
		key.flags |= HEADROOM_F_CLONED;

	value = bpf_map_lookup_elem(&headroom, &key);
	if (!value) {
		bpf_map_update_elem(&headroom, &key, &zero, BPF_NOEXIST);
		value = bpf_map_lookup_elem(&headroom, &key);
		if (!value)
			return;
	}
	__sync_fetch_and_add(&value->packets, 1);
	__sync_fetch_and_add(&value->bytes, BPF_CORE_READ(skb, len));
	__sync_fetch_and_add(&value->truesize, BPF_CORE_READ(skb, truesize));
	__sync_fetch_and_add(&value->frags, frags);
}

SEC("tc")
int headroom_egress(struct __sk_buff *ctx)
{
	record((const void *)ctx, HEADROOM_EGRESS);
	return TC_ACT_UNSPEC;
}

SEC("tc")
int headroom_ingress(struct __sk_buff *ctx)
{
	record((const void *)ctx, HEADROOM_INGRESS);
	return TC_ACT_UNSPEC;
}

SEC("kprobe/__dev_direct_xmit")
int headroom_direct(struct pt_regs *ctx)
{
	record((const void *)PT_REGS_PARM1(ctx), HEADROOM_DIRECT);
	return 0;
}

/* --- only with "headroom load native" ---------------------------------------- */

/* The packet that native XDP was given last, on each CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} given SEC(".maps");

SEC("kprobe/veth_xdp_rcv_skb")
int headroom_native(struct pt_regs *ctx)
{
	__u64 skb = PT_REGS_PARM2(ctx);
	__u32 zero = 0;

	bpf_map_update_elem(&given, &zero, &skb, BPF_ANY);
	record((const void *)PT_REGS_PARM2(ctx), HEADROOM_NATIVE);
	return 0;
}

/* How 6.12 and 7.3 copy; the function itself calls skb_copy_bits(). */
SEC("kprobe/skb_pp_cow_data")
int headroom_copy(struct pt_regs *ctx)
{
	const struct sk_buff *skb = NULL;
	__u64 none = 0;
	__u32 zero = 0;

	bpf_probe_read_kernel(&skb, sizeof(skb), (const void *)PT_REGS_PARM2(ctx));
	bpf_map_update_elem(&given, &zero, &none, BPF_ANY);
	record(skb, HEADROOM_COPY);
	return 0;
}

/*
 * How 6.1 copies: inlined in veth_xdp_rcv_skb(), with one call for the linear
 * form and several otherwise, of which the first is counted.
 */
SEC("kprobe/skb_copy_bits")
int headroom_copy_bits(struct pt_regs *ctx)
{
	__u32 zero = 0;
	__u64 *skb = bpf_map_lookup_elem(&given, &zero);

	if (!skb || *skb != PT_REGS_PARM1(ctx) || (int)PT_REGS_PARM2(ctx))
		return 0;
	record((const void *)PT_REGS_PARM1(ctx), HEADROOM_COPY);
	*skb = 0;
	return 0;
}

SEC("kprobe/pskb_expand_head")
int headroom_expand(struct pt_regs *ctx)
{
	record((const void *)PT_REGS_PARM1(ctx), HEADROOM_EXPAND);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
