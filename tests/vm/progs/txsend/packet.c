// SPDX-License-Identifier: GPL-2.0-only
/*
 * txsend: the sites behind packet sockets. sendmsg, transmit rings, SOCK_PACKET.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "txsend.h"

enum {
	/* The device comes from bind(), not from the address of each packet. */
	BOUND		= 1 << 0,
	VNET		= 1 << 1,
	VNET_GSO	= 1 << 2,
	BYPASS		= 1 << 3,
	RING1		= 1 << 4,
	RING2		= 1 << 5,
	RING3		= 1 << 6,
	SPKT_INET	= 1 << 7,
};

#define RING		(RING1 | RING2 | RING3)
#define FRAME_SIZE	4096
#define FRAMES		8
#define GSO_SIZE	1000
/* Ethernet, IPv4 and TCP headers of a VNET_GSO packet. */
#define GSO_HEADERS	(14 + 20 + 20)

struct packet_chan {
	struct sockaddr_ll sll;
	struct sockaddr_pkt spkt;
	unsigned char *ring;
	unsigned int frame;
	struct virtio_net_hdr vnet;
};

static size_t frame_header(unsigned int opts)
{
	if (opts & RING1)
		return TPACKET_HDRLEN - sizeof(struct sockaddr_ll);
	if (opts & RING2)
		return TPACKET2_HDRLEN - sizeof(struct sockaddr_ll);
	return TPACKET3_HDRLEN - sizeof(struct sockaddr_ll);
}

static int ring_open(struct chan *chan)
{
	static const struct tpacket_req3 req = {
		.tp_block_size = FRAME_SIZE * FRAMES,
		.tp_block_nr = 1,
		.tp_frame_size = FRAME_SIZE,
		.tp_frame_nr = FRAMES,
	};
	unsigned int opts = chan->site->opts;
	struct packet_chan *pc = chan->priv;

	if (set_int(chan->fd, SOL_PACKET, PACKET_VERSION,
		    opts & RING1 ? TPACKET_V1 : opts & RING2 ? TPACKET_V2 : TPACKET_V3))
		return -1;
	if (setsockopt(chan->fd, SOL_PACKET, PACKET_TX_RING, &req,
		       opts & RING3 ? sizeof(req) : sizeof(struct tpacket_req)))
		return -1;
	pc->ring = mmap(NULL, FRAME_SIZE * FRAMES, PROT_READ | PROT_WRITE, MAP_SHARED, chan->fd, 0);
	if (pc->ring == MAP_FAILED) {
		pc->ring = NULL;
		return -1;
	}
	return 0;
}

/* A TCP segment that the kernel is asked to cut. */
static void make_gso(struct chan *chan)
{
	struct packet_chan *pc = chan->priv;
	unsigned char *tcp = chan->buf + 34;

	make_udp_frame(chan->to, chan->buf, chan->size);
	make_ip4(chan->to, chan->buf + 14, chan->size - 14, IPPROTO_TCP);
	memset(tcp, 0, 20);
	tcp[1] = TXSEND_PORT;
	tcp[3] = TXSEND_PORT;
	tcp[12] = 5 << 4;
	pc->vnet.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
	pc->vnet.csum_start = 34;
	pc->vnet.csum_offset = 16;
	pc->vnet.gso_type = VIRTIO_NET_HDR_GSO_TCPV4;
	pc->vnet.gso_size = GSO_SIZE;
	pc->vnet.hdr_len = GSO_HEADERS;
}

static void packet_make(struct chan *chan)
{
	const struct site *site = chan->site;

	if (site->opts & VNET_GSO) {
		make_gso(chan);
	} else if (site->type == SOCK_DGRAM) {
		make_ip4(chan->to, chan->buf, chan->size, TXSEND_PROTO);
	} else {
		make_udp_frame(chan->to, chan->buf, chan->size);
		finish_udp_frame(chan->buf, chan->size);
	}
}

static void packet_close(struct chan *chan)
{
	struct packet_chan *pc = chan->priv;

	if (pc->ring)
		munmap(pc->ring, FRAME_SIZE * FRAMES);
	free(pc);
}

static int packet_open(struct chan *chan)
{
	const struct site *site = chan->site;
	struct packet_chan *pc;

	pc = calloc(1, sizeof(*pc));
	chan->priv = pc;
	pc->sll.sll_family = AF_PACKET;
	pc->sll.sll_protocol = htons(ETH_P_IP);
	pc->sll.sll_ifindex = chan->to->ifindex;
	pc->sll.sll_halen = ETH_ALEN;
	memcpy(pc->sll.sll_addr, chan->to->mac, ETH_ALEN);
	pc->spkt.spkt_family = AF_PACKET;
	pc->spkt.spkt_protocol = htons(ETH_P_IP);
	/* The field is shorter than IFNAMSIZ: such is SOCK_PACKET. */
	memcpy(pc->spkt.spkt_device, chan->to->dev, sizeof(pc->spkt.spkt_device) - 1);

	/* Protocol 0: nothing is to be received. */
	chan->fd = chan_socket(chan, site->opts & SPKT_INET ? AF_INET : AF_PACKET, site->type, 0);
	if (chan->fd < 0)
		goto err;
	if (site->opts & VNET && set_int(chan->fd, SOL_PACKET, PACKET_VNET_HDR, 1))
		goto err;
	if (site->opts & BYPASS && set_int(chan->fd, SOL_PACKET, PACKET_QDISC_BYPASS, 1))
		goto err;
	if (site->opts & RING && ring_open(chan))
		goto err;
	if (site->opts & BOUND && bind(chan->fd, (struct sockaddr *)&pc->sll, sizeof(pc->sll)))
		goto err;
	return 0;

err:
	packet_close(chan);
	return -1;
}

/* Address of the packet, or none. */
static void *packet_name(struct chan *chan, socklen_t *len)
{
	struct packet_chan *pc = chan->priv;

	if (chan->site->type == SOCK_PACKET) {
		*len = sizeof(pc->spkt);
		return &pc->spkt;
	}
	*len = chan->site->opts & BOUND ? 0 : sizeof(pc->sll);
	return *len ? &pc->sll : NULL;
}

static int packet_send(struct chan *chan)
{
	struct packet_chan *pc = chan->priv;
	struct iovec iov[2] = {
		{ .iov_base = &pc->vnet, .iov_len = sizeof(pc->vnet) },
		{ .iov_base = chan->buf, .iov_len = chan->size },
	};
	bool vnet = chan->site->opts & VNET;
	struct msghdr msg = { .msg_iov = iov + !vnet, .msg_iovlen = 1 + vnet };

	msg.msg_name = packet_name(chan, &msg.msg_namelen);
	return sendmsg(chan->fd, &msg, chan->flags) < 0 ? -1 : 0;
}

/* Status words are as wide as in the header of their version. */
static unsigned long frame_status(unsigned int opts, const unsigned char *frame)
{
	if (opts & RING1)
		return ((const volatile struct tpacket_hdr *)frame)->tp_status;
	if (opts & RING2)
		return ((const volatile struct tpacket2_hdr *)frame)->tp_status;
	return ((const volatile struct tpacket3_hdr *)frame)->tp_status;
}

static void set_frame_status(unsigned int opts, unsigned char *frame, unsigned long status)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (opts & RING1)
		((volatile struct tpacket_hdr *)frame)->tp_status = status;
	else if (opts & RING2)
		((volatile struct tpacket2_hdr *)frame)->tp_status = status;
	else
		((volatile struct tpacket3_hdr *)frame)->tp_status = status;
}

static int ring_send(struct chan *chan)
{
	struct packet_chan *pc = chan->priv;
	unsigned char *frame = pc->ring + pc->frame * FRAME_SIZE, *data;
	unsigned int opts = chan->site->opts;
	size_t len = chan->size;
	unsigned long status;
	socklen_t namelen;
	void *name;
	int tries;

	for (tries = 0; frame_status(opts, frame) != TP_STATUS_AVAILABLE; tries++) {
		if (tries == 1000) {
			errno = EBUSY;
			return -1;
		}
		poll(NULL, 0, 1);
	}

	data = frame + frame_header(opts);
	if (opts & VNET) {
		memcpy(data, &pc->vnet, sizeof(pc->vnet));
		data += sizeof(pc->vnet);
		len += sizeof(pc->vnet);
	}
	memcpy(data, chan->buf, chan->size);
	if (opts & RING1) {
		((struct tpacket_hdr *)frame)->tp_len = len;
	} else if (opts & RING2) {
		((struct tpacket2_hdr *)frame)->tp_len = len;
	} else {
		((struct tpacket3_hdr *)frame)->tp_len = len;
		((struct tpacket3_hdr *)frame)->tp_next_offset = 0;
	}
	set_frame_status(opts, frame, TP_STATUS_SEND_REQUEST);

	name = packet_name(chan, &namelen);
	if (sendto(chan->fd, NULL, 0, chan->flags, name, namelen) < 0)
		goto err;
	/* The kernel went on to the next frame, unless it refused this one. */
	if (frame_status(opts, frame) == TP_STATUS_WRONG_FORMAT) {
		errno = EBADMSG;
		goto err;
	}
	pc->frame = (pc->frame + 1) % FRAMES;
	return 0;

err:
	/* Take it back, so that a later call can use the frame. */
	status = frame_status(opts, frame);
	if (status == TP_STATUS_SEND_REQUEST || status == TP_STATUS_WRONG_FORMAT)
		set_frame_status(opts, frame, TP_STATUS_AVAILABLE);
	return -1;
}

#define PACKET_SITE(_name, _type, _size, _opts)						\
	{										\
		.name = _name, .class = CLASS_LL, .size = _size, .type = _type,		\
		.opts = _opts, .direct = (_opts) & BYPASS,				\
		.shared = !((_opts) & (BOUND | RING)),					\
		.open = packet_open, .make = packet_make,				\
		.send = (_opts) & RING ? ring_send : packet_send,			\
		.close = packet_close,							\
	}

const struct site packet_sites[] = {
	PACKET_SITE("packet-raw", SOCK_RAW, 100, 0),
	PACKET_SITE("packet-raw-full", SOCK_RAW, 1514, 0),
	PACKET_SITE("packet-raw-bound", SOCK_RAW, 100, BOUND),
	PACKET_SITE("packet-raw-bypass", SOCK_RAW, 100, BYPASS),
	PACKET_SITE("packet-raw-vnet", SOCK_RAW, 100, VNET),
	PACKET_SITE("packet-raw-vnet-bound", SOCK_RAW, 100, VNET | BOUND),
	PACKET_SITE("packet-raw-vnet-gso", SOCK_RAW, 3054, VNET | VNET_GSO),
	PACKET_SITE("packet-dgram", SOCK_DGRAM, 100, 0),
	PACKET_SITE("ring1", SOCK_RAW, 100, RING1),
	PACKET_SITE("ring1-bound", SOCK_RAW, 100, RING1 | BOUND),
	PACKET_SITE("ring1-dgram", SOCK_DGRAM, 100, RING1),
	PACKET_SITE("ring1-vnet", SOCK_RAW, 100, RING1 | VNET | BOUND),
	PACKET_SITE("ring2", SOCK_RAW, 100, RING2),
	PACKET_SITE("ring2-bound", SOCK_RAW, 100, RING2 | BOUND),
	PACKET_SITE("ring2-dgram", SOCK_DGRAM, 100, RING2),
	PACKET_SITE("ring2-bypass", SOCK_RAW, 100, RING2 | BYPASS),
	PACKET_SITE("ring2-vnet", SOCK_RAW, 100, RING2 | VNET | BOUND),
	PACKET_SITE("ring2-vnet-gso", SOCK_RAW, 3054, RING2 | VNET | VNET_GSO | BOUND),
	PACKET_SITE("ring3", SOCK_RAW, 100, RING3),
	PACKET_SITE("ring3-bound", SOCK_RAW, 100, RING3 | BOUND),
	PACKET_SITE("ring3-dgram", SOCK_DGRAM, 100, RING3),
	PACKET_SITE("ring3-vnet", SOCK_RAW, 100, RING3 | VNET | BOUND),
	PACKET_SITE("spkt", SOCK_PACKET, 100, 0),
	PACKET_SITE("spkt-inet", SOCK_PACKET, 100, SPKT_INET),
	{}
};
