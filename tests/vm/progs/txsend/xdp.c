// SPDX-License-Identifier: GPL-2.0-only
/*
 * txsend: AF_XDP in copy mode, with plain system calls. The headers of Debian 12
 * are older than some of what is tested here, hence the definitions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/if_xdp.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "txsend.h"

#ifndef XDP_USE_SG
#define XDP_USE_SG			(1 << 4)
#endif
#ifndef XDP_PKT_CONTD
#define XDP_PKT_CONTD			(1 << 0)
#endif
#ifndef XDP_TX_METADATA
#define XDP_TX_METADATA			(1 << 1)
#endif
#ifndef XDP_UMEM_TX_SW_CSUM
#define XDP_UMEM_TX_SW_CSUM		(1 << 1)
#endif
#ifndef XDP_UMEM_TX_METADATA_LEN
#define XDP_UMEM_TX_METADATA_LEN	(1 << 2)
#endif
#ifndef XDP_TXMD_FLAGS_CHECKSUM
#define XDP_TXMD_FLAGS_CHECKSUM		(1 << 1)
#endif

#define CHUNK		4096
#define CHUNKS		16
#define RING_SIZE	16

enum {
	/* Several descriptors a packet. */
	SG		= 1 << 0,
	/* The umem has room for metadata, and the packet asks for a checksum. */
	META_CSUM	= 1 << 1,
	/* The umem has room for metadata, which the packet does not use. */
	META_IDLE	= 1 << 2,
	/* As META_CSUM; the kernel computes it while it builds the packet. */
	META_SW_CSUM	= 1 << 3,
};

#define META		(META_CSUM | META_IDLE | META_SW_CSUM)

/* As struct xdp_umem_reg and struct xsk_tx_metadata of 6.12. */
struct umem_reg {
	uint64_t addr, len;
	uint32_t chunk_size, headroom, flags, tx_metadata_len;
};

struct tx_metadata {
	uint64_t flags;
	uint16_t csum_start, csum_offset;
	uint32_t pad;
	uint64_t launch_time;
};

struct ring {
	uint32_t *producer, *consumer;
	void *desc;
	void *map;
	size_t len;
};

struct xdp_chan {
	unsigned char *umem;
	struct ring tx, cq;
	unsigned int next, outstanding;
};

static int map_ring(int fd, struct ring *ring, const struct xdp_ring_offset *off, size_t desc_size,
		    off_t pgoff)
{
	ring->len = off->desc + RING_SIZE * desc_size;
	ring->map = mmap(NULL, ring->len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
			 pgoff);
	if (ring->map == MAP_FAILED) {
		ring->map = NULL;
		return -1;
	}
	ring->producer = (void *)((char *)ring->map + off->producer);
	ring->consumer = (void *)((char *)ring->map + off->consumer);
	ring->desc = (char *)ring->map + off->desc;
	return 0;
}

static void xdp_close(struct chan *chan)
{
	struct xdp_chan *xc = chan->priv;

	if (xc->tx.map)
		munmap(xc->tx.map, xc->tx.len);
	if (xc->cq.map)
		munmap(xc->cq.map, xc->cq.len);
	munmap(xc->umem, CHUNK * CHUNKS);
	free(xc);
}

static int umem_open(struct chan *chan, struct xdp_chan *xc)
{
	struct umem_reg reg = { .addr = (unsigned long)xc->umem, .len = CHUNK * CHUNKS,
				.chunk_size = CHUNK };
	unsigned int opts = chan->site->opts;
	size_t len = sizeof(struct xdp_umem_reg);

	if (opts & META) {
		reg.tx_metadata_len = sizeof(struct tx_metadata);
		reg.flags = XDP_UMEM_TX_METADATA_LEN;
		if (opts & META_SW_CSUM)
			reg.flags |= XDP_UMEM_TX_SW_CSUM;
		len = sizeof(reg);
	}
	return setsockopt(chan->fd, SOL_XDP, XDP_UMEM_REG, &reg, len);
}

/* The last socket of a queue lets go of it only some time after its close. */
static int xdp_bind(int fd, const struct sockaddr_xdp *sxdp)
{
	unsigned int tries;

	for (tries = 0; tries < 2000; tries++) {
		if (!bind(fd, (const struct sockaddr *)sxdp, sizeof(*sxdp)))
			return 0;
		if (errno != EBUSY)
			return -1;
		poll(NULL, 0, 1);
	}
	return -1;
}

static int xdp_open(struct chan *chan)
{
	struct sockaddr_xdp sxdp = { .sxdp_family = AF_XDP, .sxdp_ifindex = chan->to->ifindex,
				     .sxdp_queue_id = chan->queue, .sxdp_flags = XDP_COPY };
	struct xdp_mmap_offsets off;
	socklen_t len = sizeof(off);
	struct xdp_chan *xc;

	xc = calloc(1, sizeof(*xc));
	chan->priv = xc;
	xc->umem = mmap(NULL, CHUNK * CHUNKS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	if (chan->site->opts & SG)
		sxdp.sxdp_flags |= XDP_USE_SG;

	chan->fd = chan_socket(chan, AF_XDP, SOCK_RAW, 0);
	if (chan->fd < 0 || umem_open(chan, xc) ||
	    set_int(chan->fd, SOL_XDP, XDP_UMEM_FILL_RING, RING_SIZE) ||
	    set_int(chan->fd, SOL_XDP, XDP_UMEM_COMPLETION_RING, RING_SIZE) ||
	    set_int(chan->fd, SOL_XDP, XDP_TX_RING, RING_SIZE) ||
	    getsockopt(chan->fd, SOL_XDP, XDP_MMAP_OFFSETS, &off, &len) ||
	    map_ring(chan->fd, &xc->tx, &off.tx, sizeof(struct xdp_desc), XDP_PGOFF_TX_RING) ||
	    map_ring(chan->fd, &xc->cq, &off.cr, sizeof(uint64_t),
		     XDP_UMEM_PGOFF_COMPLETION_RING) ||
	    xdp_bind(chan->fd, &sxdp)) {
		xdp_close(chan);
		return -1;
	}
	return 0;
}

static void xdp_make(struct chan *chan)
{
	make_udp_frame(chan->to, chan->buf, chan->size);
	if (!(chan->site->opts & (META_CSUM | META_SW_CSUM)))
		finish_udp_frame(chan->buf, chan->size);
}

static void post(struct xdp_chan *xc, uint64_t addr, uint32_t len, uint32_t options)
{
	struct xdp_desc *desc = (struct xdp_desc *)xc->tx.desc;
	uint32_t tail = *xc->tx.producer;

	desc[tail % RING_SIZE] = (struct xdp_desc){ .addr = addr, .len = len, .options = options };
	__atomic_store_n(xc->tx.producer, tail + 1, __ATOMIC_RELEASE);
	xc->outstanding++;
}

static uint64_t next_chunk(struct xdp_chan *xc)
{
	return (uint64_t)(xc->next++ % CHUNKS) * CHUNK + sizeof(struct tx_metadata);
}

static int xdp_send(struct chan *chan)
{
	size_t first = chan->size, off = 0, piece;
	unsigned int opts = chan->site->opts, tries;
	struct xdp_chan *xc = chan->priv;
	struct tx_metadata *meta;
	uint64_t addr;
	uint32_t done;

	/* Three pieces; the first holds all headers. */
	if (opts & SG)
		first = chan->size / 3;
	do {
		addr = next_chunk(xc);
		piece = off + first > chan->size ? chan->size - off : first;
		memcpy(xc->umem + addr, chan->buf + off, piece);
		if (opts & (META_CSUM | META_SW_CSUM)) {
			meta = (void *)(xc->umem + addr - sizeof(*meta));
			*meta = (struct tx_metadata){ .flags = XDP_TXMD_FLAGS_CHECKSUM,
						      .csum_start = 34, .csum_offset = 6 };
		}
		off += piece;
		post(xc, addr, piece, (off < chan->size ? XDP_PKT_CONTD : 0) |
		     (opts & (META_CSUM | META_SW_CSUM) ? XDP_TX_METADATA : 0));
	} while (off < chan->size);

	for (tries = 0; xc->outstanding && tries < 1000; tries++) {
		if (sendto(chan->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 && errno != EAGAIN &&
		    errno != EBUSY)
			return -1;
		done = __atomic_load_n(xc->cq.producer, __ATOMIC_ACQUIRE) - *xc->cq.consumer;
		__atomic_store_n(xc->cq.consumer, *xc->cq.consumer + done, __ATOMIC_RELEASE);
		xc->outstanding -= done;
		if (xc->outstanding)
			poll(NULL, 0, 1);
	}
	if (xc->outstanding) {
		errno = ETIME;
		return -1;
	}
	return 0;
}

#define XDP_SITE(_name, _class, _size, _opts)						\
	{										\
		.name = _name, .class = _class, .size = _size, .opts = _opts,		\
		.direct = true, .open = xdp_open, .make = xdp_make, .send = xdp_send,	\
		.close = xdp_close,							\
	}

const struct site xdp_sites[] = {
	XDP_SITE("xdp", CLASS_XDP, 100, 0),
	XDP_SITE("xdp-full", CLASS_XDP, 1514, 0),
	XDP_SITE("xdp-sg", CLASS_XDP, 1200, SG),
	XDP_SITE("xdp-meta-idle", CLASS_XDP_META, 100, META_IDLE),
	XDP_SITE("xdp-meta", CLASS_XDP_META, 100, META_CSUM),
	XDP_SITE("xdp-meta-sw", CLASS_XDP_META, 100, META_SW_CSUM),
	{}
};
