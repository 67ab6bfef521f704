/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What headroom.bpf.c records and headroom.c prints: how many packets of each
 * kind passed a point. The headroom is part of the key, so the map is an exact
 * histogram, never a minimum and a maximum.
 */
#ifndef HEADROOM_H
#define HEADROOM_H

enum headroom_where {
	HEADROOM_EGRESS,
	HEADROOM_INGRESS,
	/* __dev_direct_xmit(): AF_XDP and PACKET_QDISC_BYPASS know no TC. */
	HEADROOM_DIRECT,
	/* What native XDP on a veth is given, before it is copied or not. */
	HEADROOM_NATIVE,
	/* What native or generic XDP copies. */
	HEADROOM_COPY,
	/* Any pskb_expand_head(). */
	HEADROOM_EXPAND,
};

#define HEADROOM_F_FRAG_LIST	1
#define HEADROOM_F_GSO		2
#define HEADROOM_F_NONLINEAR	4
#define HEADROOM_F_HEAD_FRAG	8
#define HEADROOM_F_CLONED	16

/**
 * struct headroom_key - what makes packets alike
 * @dev: name of the device
 * @mark: skb->mark, by which txsend tells its sites apart
 * @headroom: skb->data - skb->head, in bytes
 * @needed_headroom: of the device, at this packet
 * @hard_header_len: of the device, at this packet
 * @protocol: EtherType, host order
 * @l4: IP protocol of IPv4 and IPv6 packets, 0 of others
 * @where: enum headroom_where
 * @flags: HEADROOM_F_*
 * @tcp_options: bytes of TCP options: TCP counts its headroom from the payload
 */
struct headroom_key {
	char dev[16];
	unsigned int mark;
	unsigned short headroom;
	unsigned short needed_headroom;
	unsigned short hard_header_len;
	unsigned short protocol;
	unsigned char l4;
	unsigned char where;
	unsigned char flags;
	unsigned char tcp_options;
};

/**
 * struct headroom_value - sums over alike packets
 * @packets: how many
 * @bytes: sum of skb->len
 * @truesize: sum of skb->truesize
 * @frags: sum of nr_frags
 */
struct headroom_value {
	unsigned long long packets;
	unsigned long long bytes;
	unsigned long long truesize;
	unsigned long long frags;
};

#endif
