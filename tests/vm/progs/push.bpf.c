// SPDX-License-Identifier: GPL-2.0-only
/*
 * TC egress programs that push headers as users' do, one section for each way.
 * The headers stay unwritten where nobody reads them.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

#define ETH 14
#define IP 20

/* Room between the Ethernet and the IP header. */
static int room(struct __sk_buff *skb, int bytes, __u64 flags)
{
	return bpf_skb_adjust_room(skb, bytes, BPF_ADJ_ROOM_MAC, flags) ? TC_ACT_SHOT : TC_ACT_OK;
}

/* Outer IP, UDP, VXLAN and the inner Ethernet header. */
SEC("tc/vxlan")
int vxlan(struct __sk_buff *skb)
{
	return room(skb, IP + 8 + 8 + ETH,
		    BPF_F_ADJ_ROOM_ENCAP_L3_IPV4 | BPF_F_ADJ_ROOM_ENCAP_L4_UDP |
		    BPF_F_ADJ_ROOM_ENCAP_L2(ETH) | BPF_F_ADJ_ROOM_FIXED_GSO);
}

/* Outer IP and GRE with a key. */
SEC("tc/gre")
int gre(struct __sk_buff *skb)
{
	return room(skb, IP + 8, BPF_F_ADJ_ROOM_ENCAP_L3_IPV4 | BPF_F_ADJ_ROOM_ENCAP_L4_GRE |
				 BPF_F_ADJ_ROOM_FIXED_GSO);
}

/* In front of everything. */
SEC("tc/head")
int head(struct __sk_buff *skb)
{
	return bpf_skb_change_head(skb, ETH, 0) ? TC_ACT_SHOT : TC_ACT_OK;
}

/* More than is made room for at once. */
SEC("tc/twice")
int twice(struct __sk_buff *skb)
{
	int act = room(skb, 20, 0);

	return act == TC_ACT_OK ? room(skb, 100, 0) : act;
}

/* The most that one call may push. */
SEC("tc/most")
int most(struct __sk_buff *skb)
{
	return room(skb, 200, 0);
}

char _license[] SEC("license") = "GPL";
