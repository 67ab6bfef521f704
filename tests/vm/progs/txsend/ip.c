// SPDX-License-Identifier: GPL-2.0-only
/*
 * txsend: the sites behind IP sockets. UDP, UDP-Lite, ping, raw; v4 and v6.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <linux/io_uring.h>
#include <netinet/icmp6.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "txsend.h"

#ifndef IPPROTO_UDPLITE
#define IPPROTO_UDPLITE	136
#endif
#ifndef UDP_CORK
#define UDP_CORK	1
#endif
#ifndef UDP_SEGMENT
#define UDP_SEGMENT	103
#endif
#ifndef IPV6_HDRINCL
#define IPV6_HDRINCL	36
#endif

enum {
	CONNECT		= 1 << 0,
	CORK		= 1 << 1,
	MORE		= 1 << 2,
	GSO		= 1 << 3,
	ZEROCOPY	= 1 << 4,
	SPLICE		= 1 << 5,
	SENDFILE	= 1 << 6,
	BINDTODEV	= 1 << 7,
	PKTINFO		= 1 << 8,
	MULTICAST	= 1 << 9,
	HDRINCL		= 1 << 10,
	OPTIONS		= 1 << 11,
	URING		= 1 << 12,
	SQPOLL		= 1 << 13,
	MAPPED		= 1 << 14,
	PING		= 1 << 15,
	V6		= 1 << 16,
	/* With these IPv6 fragments anew what the socket had fragmented. */
	DSTOPTS		= 1 << 17,
	/* From a worker thread of io_uring, which may block. */
	ASYNC		= 1 << 18,
};

/* What does not tie a socket to one target. */
#define SHARED		(PKTINFO | HDRINCL | OPTIONS | DSTOPTS | MAPPED | PING)

#define GSO_SIZE	500
/* Of IPv4, of IPv6 hop-by-hop and of IPv6 destination options, each. */
#define OPTIONS_LEN	8
/* Corked datagrams are written in this many pieces. */
#define PIECES		4

/* What a channel of these sites needs beyond its socket. */
struct ip_chan {
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} addr;
	socklen_t addrlen;
	int pipe[2];
	int file;
	struct uring *ring;
};

/* --- io_uring, as little of it as one SENDMSG at a time needs ---------------- */

struct uring {
	int fd;
	unsigned int flags;
	unsigned int *sq_tail, *sq_mask, *sq_flags, *sq_array;
	unsigned int *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	void *rings;
	size_t rings_len, sqes_len;
};

static struct uring *uring_open(bool sqpoll)
{
	struct io_uring_params p = {
		.flags = sqpoll ? IORING_SETUP_SQPOLL : 0,
		.sq_thread_idle = 200,
	};
	struct uring *u = calloc(1, sizeof(*u));
	size_t cq_len;
	char *base;

	u->fd = syscall(__NR_io_uring_setup, 4, &p);
	if (u->fd < 0)
		goto err;
	u->flags = p.flags;
	u->rings_len = p.sq_off.array + p.sq_entries * sizeof(unsigned int);
	cq_len = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
	if (cq_len > u->rings_len)
		u->rings_len = cq_len;
	base = mmap(NULL, u->rings_len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, u->fd,
		    IORING_OFF_SQ_RING);
	if (base == MAP_FAILED)
		goto err_close;
	u->rings = base;
	u->sqes_len = p.sq_entries * sizeof(struct io_uring_sqe);
	u->sqes = mmap(NULL, u->sqes_len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, u->fd,
		       IORING_OFF_SQES);
	if (u->sqes == MAP_FAILED)
		goto err_unmap;
	u->sq_tail = (void *)(base + p.sq_off.tail);
	u->sq_mask = (void *)(base + p.sq_off.ring_mask);
	u->sq_flags = (void *)(base + p.sq_off.flags);
	u->sq_array = (void *)(base + p.sq_off.array);
	u->cq_head = (void *)(base + p.cq_off.head);
	u->cq_tail = (void *)(base + p.cq_off.tail);
	u->cq_mask = (void *)(base + p.cq_off.ring_mask);
	u->cqes = (void *)(base + p.cq_off.cqes);
	return u;

err_unmap:
	munmap(u->rings, u->rings_len);
err_close:
	close(u->fd);
err:
	free(u);
	return NULL;
}

static void uring_close(struct uring *u)
{
	munmap(u->sqes, u->sqes_len);
	munmap(u->rings, u->rings_len);
	close(u->fd);
	free(u);
}

static int uring_sendmsg(struct uring *u, int fd, const struct msghdr *msg, int flags, bool async)
{
	unsigned int tail = *u->sq_tail, enter = IORING_ENTER_GETEVENTS;
	struct io_uring_sqe *sqe = &u->sqes[tail & *u->sq_mask];
	int res;

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_SENDMSG;
	sqe->flags = async ? IOSQE_ASYNC : 0;
	sqe->fd = fd;
	sqe->addr = (unsigned long)msg;
	sqe->msg_flags = flags;
	u->sq_array[tail & *u->sq_mask] = tail & *u->sq_mask;
	__atomic_store_n(u->sq_tail, tail + 1, __ATOMIC_SEQ_CST);

	if (u->flags & IORING_SETUP_SQPOLL &&
	    __atomic_load_n(u->sq_flags, __ATOMIC_SEQ_CST) & IORING_SQ_NEED_WAKEUP)
		enter |= IORING_ENTER_SQ_WAKEUP;
	do {
		if (syscall(__NR_io_uring_enter, u->fd, 1, 1, enter, NULL, 0) < 0 && errno != EINTR)
			return -1;
	} while (__atomic_load_n(u->cq_tail, __ATOMIC_ACQUIRE) == *u->cq_head);
	res = u->cqes[*u->cq_head & *u->cq_mask].res;
	__atomic_store_n(u->cq_head, *u->cq_head + 1, __ATOMIC_RELEASE);
	if (res < 0) {
		errno = -res;
		return -1;
	}
	return res;
}

/* --- opening ------------------------------------------------------------------ */

static void set_address(const struct chan *chan, struct ip_chan *ip)
{
	const struct site *site = chan->site;

	if (!(site->opts & (V6 | MAPPED))) {
		ip->addr.in.sin_family = AF_INET;
		ip->addr.in.sin_addr = chan->to->v4;
		if (site->opts & MULTICAST)
			ip->addr.in.sin_addr.s_addr = htonl(0xefff4d00);
		ip->addr.in.sin_port = htons(site->type == SOCK_RAW ? 0 : TXSEND_PORT);
		ip->addrlen = sizeof(ip->addr.in);
		return;
	}
	ip->addr.in6.sin6_family = AF_INET6;
	ip->addr.in6.sin6_addr = chan->to->v6;
	if (site->opts & MULTICAST) {
		memset(&ip->addr.in6.sin6_addr, 0, 16);
		ip->addr.in6.sin6_addr.s6_addr[0] = 0xff;
		ip->addr.in6.sin6_addr.s6_addr[1] = 0x05;
		ip->addr.in6.sin6_addr.s6_addr[15] = 0x4d;
	}
	if (site->opts & MAPPED) {
		memset(&ip->addr.in6.sin6_addr, 0, 10);
		memset(&ip->addr.in6.sin6_addr.s6_addr[10], 0xff, 2);
		memcpy(&ip->addr.in6.sin6_addr.s6_addr[12], &chan->to->v4, 4);
	}
	ip->addr.in6.sin6_port = htons(site->type == SOCK_RAW ? 0 : TXSEND_PORT);
	ip->addrlen = sizeof(ip->addr.in6);
}

static int set_options(const struct chan *chan)
{
	static const unsigned char nops[OPTIONS_LEN] = { 1, 1, 1, 1, 1, 1, 1, 0 };
	/* Hop-by-hop and destination options that hold nothing but padding. */
	static const unsigned char padn[OPTIONS_LEN] = { 0, 0, 1, 4, 0, 0, 0, 0 };
	const struct site *site = chan->site;
	struct ip_mreqn mreq = { .imr_ifindex = chan->to->ifindex };
	int fd = chan->fd;

	if (site->opts & BINDTODEV &&
	    setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, chan->to->dev, strlen(chan->to->dev) + 1))
		return -1;
	if (site->opts & ZEROCOPY && set_int(fd, SOL_SOCKET, SO_ZEROCOPY, 1))
		return -1;
	if (site->opts & GSO && set_int(fd, IPPROTO_UDP, UDP_SEGMENT, GSO_SIZE))
		return -1;
	if (site->opts & MULTICAST && !(site->opts & V6) &&
	    (setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &mreq, sizeof(mreq)) ||
	     set_int(fd, IPPROTO_IP, IP_MULTICAST_LOOP, 0)))
		return -1;
	if (site->opts & MULTICAST && site->opts & V6 &&
	    (set_int(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, chan->to->ifindex) ||
	     set_int(fd, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 0)))
		return -1;
	if (site->opts & OPTIONS && !(site->opts & V6) &&
	    setsockopt(fd, IPPROTO_IP, IP_OPTIONS, nops, sizeof(nops)))
		return -1;
	if (site->opts & OPTIONS && site->opts & V6 &&
	    setsockopt(fd, IPPROTO_IPV6, IPV6_HOPOPTS, padn, sizeof(padn)))
		return -1;
	if (site->opts & DSTOPTS &&
	    setsockopt(fd, IPPROTO_IPV6, IPV6_DSTOPTS, padn, sizeof(padn)))
		return -1;
	if (site->opts & HDRINCL &&
	    set_int(fd, site->opts & V6 ? IPPROTO_IPV6 : IPPROTO_IP,
		    site->opts & V6 ? IPV6_HDRINCL : IP_HDRINCL, 1))
		return -1;
	return 0;
}

static void ip_make(struct chan *chan)
{
	const struct site *site = chan->site;

	if (site->opts & HDRINCL && site->opts & V6)
		make_ip6(chan->to, chan->buf, chan->size, TXSEND_PROTO);
	else if (site->opts & HDRINCL)
		make_ip4(chan->to, chan->buf, chan->size, TXSEND_PROTO);
	if (!(site->opts & PING))
		return;
	memset(chan->buf, 0, sizeof(struct icmphdr));
	chan->buf[0] = site->opts & V6 ? ICMP6_ECHO_REQUEST : ICMP_ECHO;
}

static void ip_close(struct chan *chan)
{
	struct ip_chan *ip = chan->priv;

	if (ip->ring)
		uring_close(ip->ring);
	if (ip->file >= 0)
		close(ip->file);
	if (ip->pipe[0] >= 0) {
		close(ip->pipe[0]);
		close(ip->pipe[1]);
	}
	free(ip);
}

static int ip_open(struct chan *chan)
{
	const struct site *site = chan->site;
	struct ip_chan *ip;

	ip = calloc(1, sizeof(*ip));
	ip->file = -1;
	ip->pipe[0] = -1;
	chan->priv = ip;
	set_address(chan, ip);

	chan->fd = chan_socket(chan, site->opts & (V6 | MAPPED) ? AF_INET6 : AF_INET, site->type,
			       site->proto);
	if (chan->fd < 0 || set_options(chan))
		goto err;
	if (site->opts & (CONNECT | SPLICE | SENDFILE) &&
	    connect(chan->fd, &ip->addr.sa, ip->addrlen))
		goto err;
	if (site->opts & SPLICE && pipe2(ip->pipe, O_CLOEXEC))
		goto err;
	if (site->opts & SENDFILE) {
		ip->file = memfd_create("txsend", MFD_CLOEXEC);
		if (ip->file < 0 || write(ip->file, chan->buf, chan->size) != (ssize_t)chan->size)
			goto err;
	}
	if (site->opts & URING) {
		ip->ring = uring_open(site->opts & SQPOLL);
		if (!ip->ring)
			goto err;
	}
	return 0;

err:
	ip_close(chan);
	return -1;
}

/* --- sending -------------------------------------------------------------------- */

/* Waits for the kernel to let go of the pages of one MSG_ZEROCOPY send. */
static int zerocopy_wait(int fd)
{
	char control[128];
	struct msghdr msg = { .msg_control = control, .msg_controllen = sizeof(control) };
	struct pollfd pfd = { .fd = fd };
	struct sock_extended_err *ee;
	struct cmsghdr *cmsg;
	int tries;

	for (tries = 0; tries < 50; tries++) {
		if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0) {
			cmsg = CMSG_FIRSTHDR(&msg);
			ee = cmsg ? (void *)CMSG_DATA(cmsg) : NULL;
			if (ee && ee->ee_origin == SO_EE_ORIGIN_ZEROCOPY && !ee->ee_errno)
				return 0;
			errno = EBADMSG;
			return -1;
		}
		if (errno != EAGAIN)
			return -1;
		poll(&pfd, 1, 100);
	}
	errno = ETIME;
	return -1;
}

/* What the kernel did not take must not become part of the next datagram. */
static int splice_failed(struct ip_chan *ip)
{
	int error = errno;

	close(ip->pipe[0]);
	close(ip->pipe[1]);
	if (pipe2(ip->pipe, O_CLOEXEC))
		err(2, "pipe");
	errno = error;
	return -1;
}

static int splice_send(struct chan *chan)
{
	struct ip_chan *ip = chan->priv;
	size_t left = chan->size;
	ssize_t n;

	if (write(ip->pipe[1], chan->buf, left) != (ssize_t)left)
		return splice_failed(ip);
	while (left) {
		n = splice(ip->pipe[0], NULL, chan->fd, NULL, left, 0);
		if (n <= 0)
			return splice_failed(ip);
		left -= n;
	}
	return 0;
}

static int sendfile_send(struct chan *chan)
{
	struct ip_chan *ip = chan->priv;
	size_t left = chan->size;
	off_t offset = 0;
	ssize_t n;

	/* Whatever pieces the kernel makes of it, it leaves as one datagram. */
	if (set_int(chan->fd, IPPROTO_UDP, UDP_CORK, 1))
		return -1;
	while (left) {
		n = sendfile(chan->fd, ip->file, &offset, left);
		if (n <= 0)
			return -1;
		left -= n;
	}
	return set_int(chan->fd, IPPROTO_UDP, UDP_CORK, 0);
}

static int sendmsg_send(struct chan *chan, const unsigned char *buf, size_t len, int flags)
{
	const struct site *site = chan->site;
	struct ip_chan *ip = chan->priv;
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	union {
		char buf[CMSG_SPACE(sizeof(struct in6_pktinfo))];
		struct cmsghdr align;
	} control = {};
	struct in_pktinfo *info;
	struct in6_pktinfo *info6;
	struct cmsghdr *cmsg;
	ssize_t n;

	if (!(site->opts & CONNECT)) {
		msg.msg_name = &ip->addr;
		msg.msg_namelen = ip->addrlen;
	}
	if (site->opts & PKTINFO) {
		msg.msg_control = &control;
		msg.msg_controllen = site->opts & V6 ? CMSG_SPACE(sizeof(*info6)) :
				     CMSG_SPACE(sizeof(*info));
		cmsg = CMSG_FIRSTHDR(&msg);
		if (!(site->opts & V6)) {
			cmsg->cmsg_level = IPPROTO_IP;
			cmsg->cmsg_type = IP_PKTINFO;
			cmsg->cmsg_len = CMSG_LEN(sizeof(*info));
			info = (void *)CMSG_DATA(cmsg);
			info->ipi_ifindex = chan->to->ifindex;
		} else {
			cmsg->cmsg_level = IPPROTO_IPV6;
			cmsg->cmsg_type = IPV6_PKTINFO;
			cmsg->cmsg_len = CMSG_LEN(sizeof(*info6));
			info6 = (void *)CMSG_DATA(cmsg);
			info6->ipi6_ifindex = chan->to->ifindex;
		}
	}
	n = ip->ring ? uring_sendmsg(ip->ring, chan->fd, &msg, flags, site->opts & ASYNC) :
	    sendmsg(chan->fd, &msg, flags);
	if (n < 0)
		return -1;
	if (n != (ssize_t)len) {
		errno = EMSGSIZE;
		return -1;
	}
	return 0;
}

static int ip_send(struct chan *chan)
{
	unsigned int opts = chan->site->opts, i;
	size_t piece = chan->size / PIECES;
	bool last;

	if (opts & SPLICE)
		return splice_send(chan);
	if (opts & SENDFILE)
		return sendfile_send(chan);
	if (opts & CORK && set_int(chan->fd, IPPROTO_UDP, UDP_CORK, 1))
		return -1;
	if (opts & (CORK | MORE)) {
		for (i = 0; i < PIECES; i++) {
			last = i == PIECES - 1;
			if (sendmsg_send(chan, chan->buf + i * piece,
					 last ? chan->size - i * piece : piece,
					 chan->flags | (opts & MORE && !last ? MSG_MORE : 0)))
				return -1;
		}
		return opts & CORK ? set_int(chan->fd, IPPROTO_UDP, UDP_CORK, 0) : 0;
	}
	if (sendmsg_send(chan, chan->buf, chan->size,
			 chan->flags | (opts & ZEROCOPY ? MSG_ZEROCOPY : 0)))
		return -1;
	return opts & ZEROCOPY ? zerocopy_wait(chan->fd) : 0;
}

#define IP_SITE(_name, _family, _class, _type, _proto, _overhead, _size, _opts)		\
	{										\
		.name = _name, .class = _class, .size = _size,				\
		.family = (_opts) & GSO ? 0 : (_family),				\
		.ip_options = (_opts) & OPTIONS ? OPTIONS_LEN : 0,			\
		.overhead = (_overhead) + ((_opts) & DSTOPTS ? OPTIONS_LEN : 0),	\
		.type = _type, .proto = _proto, .opts = (_opts) |			\
			((_family) == AF_INET6 ? V6 : 0),				\
		.shared = !((_opts) & ~SHARED),						\
		.open = ip_open, .make = ip_make, .send = ip_send, .close = ip_close,	\
	}
#define UDP4(_name, _size, _opts) \
	IP_SITE(_name, AF_INET, CLASS_LL, SOCK_DGRAM, IPPROTO_UDP, 8, _size, _opts)
#define UDP6(_name, _size, _opts) \
	IP_SITE(_name, AF_INET6, CLASS_LL6, SOCK_DGRAM, IPPROTO_UDP, 8, _size, _opts)
#define UDPLITE4(_name, _size, _opts) \
	IP_SITE(_name, AF_INET, CLASS_LL, SOCK_DGRAM, IPPROTO_UDPLITE, 8, _size, _opts)
#define UDPLITE6(_name, _size, _opts) \
	IP_SITE(_name, AF_INET6, CLASS_LL6, SOCK_DGRAM, IPPROTO_UDPLITE, 8, _size, _opts)
#define PING4(_name, _size, _opts) \
	IP_SITE(_name, AF_INET, CLASS_LL, SOCK_DGRAM, IPPROTO_ICMP, 0, _size, (_opts) | PING)
#define PING6(_name, _size, _opts) \
	IP_SITE(_name, AF_INET6, CLASS_LL6, SOCK_DGRAM, IPPROTO_ICMPV6, 0, _size, (_opts) | PING)
#define RAW4(_name, _size, _opts) \
	IP_SITE(_name, AF_INET, CLASS_LL, SOCK_RAW, TXSEND_PROTO, 0, _size, _opts)
#define RAW6(_name, _size, _opts) \
	IP_SITE(_name, AF_INET6, (_opts) & HDRINCL ? CLASS_LL : CLASS_LL6, SOCK_RAW, \
		TXSEND_PROTO, 0, _size, _opts)

const struct site ip_sites[] = {
	UDP4("udp4", 64, 0),
	UDP4("udp4-connected", 64, CONNECT),
	UDP4("udp4-bindtodevice", 64, BINDTODEV),
	UDP4("udp4-pktinfo", 64, PKTINFO),
	UDP4("udp4-multicast", 64, MULTICAST),
	UDP4("udp4-options", 64, OPTIONS),
	UDP4("udp4-mapped", 64, MAPPED),
	UDP4("udp4-cork", 64, CORK),
	UDP4("udp4-cork-4000", 4000, CORK | CONNECT),
	UDP4("udp4-more", 64, MORE),
	UDP4("udp4-more-4000", 4000, MORE | CONNECT),
	UDP4("udp4-gso", 5000, GSO),
	UDP4("udp4-gso-cork", 5000, GSO | CORK),
	UDP4("udp4-4000", 4000, 0),
	UDP4("udp4-60000", 60000, 0),
	UDP4("udp4-options-4000", 4000, OPTIONS),
	UDP4("udp4-zerocopy", 1200, ZEROCOPY),
	UDP4("udp4-zerocopy-4000", 4000, ZEROCOPY),
	UDP4("udp4-zerocopy-gso", 5000, ZEROCOPY | GSO),
	UDP4("udp4-splice", 64, SPLICE),
	UDP4("udp4-splice-4000", 4000, SPLICE),
	UDP4("udp4-sendfile", 64, SENDFILE),
	UDP4("udp4-sendfile-12000", 12000, SENDFILE),
	UDP4("udp4-uring", 64, URING),
	UDP4("udp4-uring-worker", 64, URING | ASYNC),
	UDP4("udp4-uring-thread", 64, URING | SQPOLL),
	UDP6("udp6", 64, 0),
	UDP6("udp6-connected", 64, CONNECT),
	UDP6("udp6-bindtodevice", 64, BINDTODEV),
	UDP6("udp6-pktinfo", 64, PKTINFO),
	UDP6("udp6-multicast", 64, MULTICAST),
	UDP6("udp6-options", 64, OPTIONS | DSTOPTS),
	UDP6("udp6-cork", 64, CORK),
	UDP6("udp6-cork-4000", 4000, CORK | CONNECT),
	UDP6("udp6-more", 64, MORE),
	UDP6("udp6-more-4000", 4000, MORE | CONNECT),
	UDP6("udp6-gso", 5000, GSO),
	UDP6("udp6-gso-cork", 5000, GSO | CORK),
	UDP6("udp6-4000", 4000, 0),
	UDP6("udp6-60000", 60000, 0),
	UDP6("udp6-options-4000", 4000, OPTIONS),
	UDP6("udp6-zerocopy", 1200, ZEROCOPY),
	UDP6("udp6-zerocopy-4000", 4000, ZEROCOPY),
	UDP6("udp6-zerocopy-gso", 5000, ZEROCOPY | GSO),
	UDP6("udp6-splice", 64, SPLICE),
	UDP6("udp6-splice-4000", 4000, SPLICE),
	UDP6("udp6-sendfile", 64, SENDFILE),
	UDP6("udp6-sendfile-12000", 12000, SENDFILE),
	UDP6("udp6-uring", 64, URING),
	UDP6("udp6-uring-thread", 64, URING | SQPOLL),
	UDPLITE4("udplite4", 64, 0),
	UDPLITE4("udplite4-connected", 64, CONNECT),
	UDPLITE4("udplite4-more", 64, MORE),
	UDPLITE4("udplite4-4000", 4000, 0),
	UDPLITE6("udplite6", 64, 0),
	UDPLITE6("udplite6-connected", 64, CONNECT),
	UDPLITE6("udplite6-more", 64, MORE),
	UDPLITE6("udplite6-4000", 4000, 0),
	PING4("ping4", 64, 0),
	PING4("ping4-connected", 64, CONNECT),
	PING4("ping4-4000", 4000, 0),
	PING6("ping6", 64, 0),
	PING6("ping6-connected", 64, CONNECT),
	PING6("ping6-4000", 4000, 0),
	RAW4("raw4", 64, 0),
	RAW4("raw4-connected", 64, CONNECT),
	RAW4("raw4-bindtodevice", 64, BINDTODEV),
	RAW4("raw4-4000", 4000, 0),
	RAW4("raw4-header", 84, HDRINCL),
	RAW4("raw4-header-connected", 84, HDRINCL | CONNECT),
	RAW4("raw4-header-pktinfo", 84, HDRINCL | PKTINFO),
	RAW6("raw6", 64, 0),
	RAW6("raw6-connected", 64, CONNECT),
	RAW6("raw6-bindtodevice", 64, BINDTODEV),
	RAW6("raw6-4000", 4000, 0),
	RAW6("raw6-header", 104, HDRINCL),
	RAW6("raw6-header-connected", 104, HDRINCL | CONNECT),
	RAW6("raw6-header-pktinfo", 104, HDRINCL | PKTINFO),
	{}
};
