/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of txsend share. A site is a way for a local socket to make
 * the kernel allocate a packet; a channel is one socket of one thread, open for
 * one site and one target.
 */
#ifndef TXSEND_H
#define TXSEND_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

#define TXSEND_PORT	9
#define TXSEND_MTU	1500
/* An IP protocol that nobody speaks. */
#define TXSEND_PROTO	253
#define TXSEND_MAX_SIZE	65536
/* Room for the headers of any frame. */
#define TXSEND_MIN_SIZE	64

/**
 * struct target - where packets go
 * @dev: device
 * @ifindex: of @dev
 * @mac: destination of packets that carry their own link-layer header
 * @src_mac: address of @dev
 * @v4: destination; packets with a header of their own claim to come from there
 * @v6: same
 */
struct target {
	char dev[IFNAMSIZ];
	int ifindex;
	unsigned char mac[6];
	unsigned char src_mac[6];
	struct in_addr v4;
	struct in6_addr v6;
};

/* What the headroom of a site's packets is counted from. */
enum site_class {
	/* LL_RESERVED_SPACE(), in front of the network header. */
	CLASS_LL,
	/* The same and 8 bytes for a fragment header that was not needed. */
	CLASS_LL6,
	/* AF_XDP's own formula, in front of the link-layer header. */
	CLASS_XDP,
	/* AF_XDP with TX metadata: never anything extra. */
	CLASS_XDP_META,
};

struct site;

/**
 * struct chan - a socket, open for one site and one target
 * @site: how to send
 * @to: whereto
 * @fd: the socket
 * @size: bytes of payload
 * @flags: for sendmsg()
 * @mark: of the socket and its packets
 * @queue: transmit queue, for AF_XDP
 * @sndbuf: SO_SNDBUF, 0 for the default
 * @buf: at least TXSEND_MAX_SIZE bytes of payload
 * @priv: of the site
 */
struct chan {
	const struct site *site;
	const struct target *to;
	int fd;
	size_t size;
	int flags;
	unsigned int mark;
	unsigned int queue;
	unsigned int sndbuf;
	unsigned char *buf;
	void *priv;
};

/**
 * struct site - one way to send
 * @name: as on the command line
 * @class: enum site_class
 * @size: default payload
 * @family: AF_INET or AF_INET6 where IP may fragment, otherwise 0
 * @ip_options: bytes of options in the IP header of each packet
 * @overhead: bytes that are fragmented along with the payload
 * @type: of the socket
 * @proto: of the socket
 * @opts: as the site's own file defines them
 * @direct: the packets pass __dev_direct_xmit() and no TC program
 * @shared: one socket can serve several targets
 * @open: 0, or -1 with errno; @buf is filled
 * @make: headers in @buf, for @size bytes; may be NULL
 * @send: one packet; 0, or -1 with errno
 * @close: may be NULL
 */
struct site {
	const char *name;
	enum site_class class;
	size_t size;
	int family;
	unsigned int ip_options;
	unsigned int overhead;
	int type;
	int proto;
	unsigned int opts;
	bool direct;
	bool shared;
	int (*open)(struct chan *chan);
	void (*make)(struct chan *chan);
	int (*send)(struct chan *chan);
	void (*close)(struct chan *chan);
};

/* Each ends with an entry without a name. */
extern const struct site ip_sites[];
extern const struct site packet_sites[];
extern const struct site xdp_sites[];

/* A socket with mark and send buffer set. */
int chan_socket(struct chan *chan, int family, int type, int proto);
int set_int(int fd, int level, int name, int value);

/* Whole packets, made in place: @len bytes from the header named on. */
void make_ip4(const struct target *to, unsigned char *p, size_t len, int proto);
void make_ip6(const struct target *to, unsigned char *p, size_t len, int proto);
void make_udp_frame(const struct target *to, unsigned char *p, size_t len);
void finish_udp_frame(unsigned char *p, size_t len);
unsigned short checksum(const void *data, size_t len, unsigned int sum);

#endif
