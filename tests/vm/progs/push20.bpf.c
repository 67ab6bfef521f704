// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work that needs headroom: a TC egress program that pushes 20 bytes, as a
 * tunnel would, between the Ethernet and the IP header. They
 * stay unwritten: nobody reads these packets.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

#define PUSH 20

SEC("tc")
int push20(struct __sk_buff *skb)
{
	if (bpf_skb_adjust_room(skb, PUSH, BPF_ADJ_ROOM_MAC, 0))
		return TC_ACT_SHOT;
	return TC_ACT_OK;
}

char _license[] SEC("license") = "GPL";
