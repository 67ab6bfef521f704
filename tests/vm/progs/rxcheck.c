// SPDX-License-Identifier: GPL-2.0-only
/*
 * The other end of txsend: looks at each UDP packet that arrives on a device,
 * or (-o) that leaves it, and compares every byte with what txsend sent. It
 * sees packets as they are, with a packet socket, before any protocol, or (-x)
 * with an AF_XDP socket that an XDP program redirects to.
 *
 * rxcheck [-6] [-o] [-l] [-i] [-x MAP] -d DEV -n COUNT COMMAND...
 * rxcheck -f [-o] [-u] [-x MAP] -d DEV [-d DEV]... COMMAND...
 *
 *	-6	IPv6
 *	-o	outgoing: a tap, as tcpdump is one. Without it no packet that is
 *		sent is cloned for us
 *	-l	read only when COMMAND is done
 *	-i	the first 22 bytes of payload (of IPv4) are inverted
 *	-x	by an AF_XDP socket in copy mode on queue 0, put into the pinned
 *		XSKMAP as number 0
 *	-f	follow what "txsend -v" sends, and what xdp_random does with it, until
 *		COMMAND is done, with -o at once, otherwise when nothing comes any
 *		more: both versions of IP, on each DEV, and with -x or -u by these
 *		sockets besides
 *	-u	by a UDP socket
 *
 * Starts COMMAND, whose output goes to standard error, once it listens. Prints
 * "packets N bad M" when COUNT packets were seen and COMMAND is done, or a few
 * seconds after COMMAND is done; with -f such a line, behind "DEV", "xsk" or
 * "udp", for each. The exit code is 0 if none was bad and, without -f, none is
 * missing.
 */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <err.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* As in txsend.h. */
#define PORT		9
#define INVERTED	22
/* As in xdprandom.bpf.c. */
#define WRITTEN		0x5a
#define SWAPPED		20

#define MAX_SOURCES	8
#define PATIENCE_MS	3000

/* Of the AF_XDP socket: room for all that a test sends before it is read. */
#define CHUNK		4096u
#define CHUNKS		4096u

struct xsk {
	unsigned char *umem;
	uint32_t *fill_producer, *rx_producer, *rx_consumer;
	uint64_t *fill;
	struct xdp_desc *rx;
};

/**
 * struct source - one of the sockets that we read
 * @name: as in the output
 * @fd: the socket
 * @xsk: it is an AF_XDP socket
 * @udp: it is a UDP socket
 * @packets: seen
 * @bad: of them
 */
struct source {
	const char *name;
	int fd;
	struct xsk *xsk;
	bool udp;
	unsigned long packets, bad;
};

static bool v6, outgoing, late, inverted, follow;
static struct source sources[MAX_SOURCES];
static unsigned int nr_sources;

static unsigned int get16(const unsigned char *p)
{
	return p[0] << 8 | p[1];
}

/* Internet checksum, not inverted. */
static unsigned int checksum(const unsigned char *p, size_t len, unsigned int sum)
{
	for (; len > 1; p += 2, len -= 2)
		sum += get16(p);
	if (len)
		sum += p[0] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* Whether @data counts up from @first on. */
static bool counts(const unsigned char *data, size_t size, unsigned char first)
{
	size_t i;

	for (i = 0; i < size && data[i] == (unsigned char)(first + i); i++)
		;
	return i == size;
}

/* Twice is as not at all. */
static void swap_words(unsigned char *data, size_t size)
{
	unsigned char word[2];
	size_t i;

	for (i = 0; i + 4 <= SWAPPED && size >= SWAPPED; i += 4) {
		memcpy(word, data + i, 2);
		memcpy(data + i, data + i + 2, 2);
		memcpy(data + i + 2, word, 2);
	}
}

/* As fault(), of what a UDP socket reads. */
static const char *fault_udp(unsigned char *data, size_t size)
{
	if (!size || counts(data, size, data[0]))
		return NULL;
	swap_words(data, size);
	return counts(data, size, data[0]) ? NULL : "payload";
}

/* NULL if @frame is as it was sent. Not of txsend: "". */
static const char *fault(unsigned char *frame, size_t len)
{
	unsigned char *ip = frame + ETH_HLEN, *udp, *data;
	unsigned int ip_len, headers, sum;
	size_t udp_len, size, i;
	bool v6;

	if (len < ETH_HLEN)
		return "";
	v6 = get16(frame + 12) == ETH_P_IPV6;
	ip_len = v6 ? 40 : 20;
	headers = ETH_HLEN + ip_len + 8;
	udp = ip + ip_len;
	data = udp + 8;
	if (len < headers || (!v6 && get16(frame + 12) != ETH_P_IP) ||
	    ip[v6 ? 6 : 9] != IPPROTO_UDP || get16(udp + 2) != PORT)
		return "";
	udp_len = get16(udp + 4);
	if (udp_len < 8 || ETH_HLEN + ip_len + udp_len != len)
		return "UDP length";
	if (v6 ? get16(ip + 4) != udp_len : get16(ip + 2) != ip_len + udp_len)
		return "IP length";
	if (!v6 && checksum(ip, ip_len, 0) != 0xffff)
		return "IP checksum";
	size = udp_len - 8;
	for (i = 0; inverted && i < INVERTED && i < size; i++)
		data[i] ^= 0xff;
	if (follow && frame[7] == WRITTEN) {
		if (outgoing)
			return "written to by XDP";
		swap_words(data, size);
	}
	/* An IP socket sends the bytes from 0 on; frames have them in place. */
	if (!counts(data, size, 0) && !counts(data, size, headers) &&
	    !(follow && counts(data, size, data[0])))
		return "payload";
	sum = v6 ? checksum(ip + 8, 32, IPPROTO_UDP + udp_len) :
		   checksum(ip + 12, 8, IPPROTO_UDP + udp_len);
	if (checksum(udp, udp_len, sum) != 0xffff)
		return "UDP checksum";
	return NULL;
}

static int open_socket(const char *dev, unsigned short protocol)
{
	struct sockaddr_ll sll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(protocol),
		.sll_ifindex = if_nametoindex(dev),
	};
	int fd, room = 256 << 20;

	if (!sll.sll_ifindex)
		err(2, "%s", dev);
	/* Deaf until it is bound to the device. */
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    bind(fd, (struct sockaddr *)&sll, sizeof(sll)))
		err(2, "packet socket");
	return fd;
}

static void *map_ring(int fd, const struct xdp_ring_offset *off, size_t desc_size, off_t pgoff)
{
	void *map = mmap(NULL, off->desc + CHUNKS * desc_size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_POPULATE, fd, pgoff);

	if (map == MAP_FAILED)
		err(2, "ring");
	return map;
}

static int open_xsk(struct xsk *xsk, const char *dev, const char *map)
{
	struct sockaddr_xdp sxdp = { .sxdp_family = AF_XDP, .sxdp_flags = XDP_COPY,
				     .sxdp_ifindex = if_nametoindex(dev) };
	struct xdp_umem_reg reg = { .len = CHUNK * CHUNKS, .chunk_size = CHUNK };
	unsigned int size = CHUNKS, key = 0, tries = 0, i;
	struct xdp_mmap_offsets off;
	socklen_t len = sizeof(off);
	int fd, map_fd;
	char *ring;

	if (!sxdp.sxdp_ifindex)
		err(2, "%s", dev);
	xsk->umem = mmap(NULL, reg.len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.addr = (unsigned long)xsk->umem;
	fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &reg, sizeof(reg)) ||
	    setsockopt(fd, SOL_XDP, XDP_UMEM_FILL_RING, &size, sizeof(size)) ||
	    setsockopt(fd, SOL_XDP, XDP_UMEM_COMPLETION_RING, &size, sizeof(size)) ||
	    setsockopt(fd, SOL_XDP, XDP_RX_RING, &size, sizeof(size)) ||
	    getsockopt(fd, SOL_XDP, XDP_MMAP_OFFSETS, &off, &len))
		err(2, "AF_XDP socket");
	ring = map_ring(fd, &off.fr, sizeof(*xsk->fill), XDP_UMEM_PGOFF_FILL_RING);
	xsk->fill_producer = (void *)(ring + off.fr.producer);
	xsk->fill = (void *)(ring + off.fr.desc);
	ring = map_ring(fd, &off.rx, sizeof(*xsk->rx), XDP_PGOFF_RX_RING);
	xsk->rx_producer = (void *)(ring + off.rx.producer);
	xsk->rx_consumer = (void *)(ring + off.rx.consumer);
	xsk->rx = (void *)(ring + off.rx.desc);
	for (i = 0; i < CHUNKS; i++)
		xsk->fill[i] = i * CHUNK;
	__atomic_store_n(xsk->fill_producer, CHUNKS, __ATOMIC_RELEASE);

	/* The last socket of a queue lets go of it only some time after its close. */
	while (bind(fd, (struct sockaddr *)&sxdp, sizeof(sxdp))) {
		if (errno != EBUSY || tries++ == PATIENCE_MS)
			err(2, "bind");
		poll(NULL, 0, 1);
	}
	map_fd = bpf_obj_get(map);
	if (map_fd < 0 || bpf_map_update_elem(map_fd, &key, &fd, BPF_ANY))
		err(2, "%s", map);
	close(map_fd);
	return fd;
}

/* As recvfrom(). */
static ssize_t receive_xsk(struct xsk *xsk, unsigned char *frame)
{
	uint32_t consumer = *xsk->rx_consumer;
	const struct xdp_desc *desc = &xsk->rx[consumer % CHUNKS];
	ssize_t len;

	if (consumer == __atomic_load_n(xsk->rx_producer, __ATOMIC_ACQUIRE)) {
		errno = EAGAIN;
		return -1;
	}
	len = desc->len;
	memcpy(frame, xsk->umem + desc->addr, len);
	xsk->fill[*xsk->fill_producer % CHUNKS] = desc->addr & ~(uint64_t)(CHUNK - 1);
	__atomic_store_n(xsk->rx_consumer, consumer + 1, __ATOMIC_RELEASE);
	__atomic_store_n(xsk->fill_producer, *xsk->fill_producer + 1, __ATOMIC_RELEASE);
	return len;
}

static int open_udp(void)
{
	struct sockaddr_in6 sin6 = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
	int fd;

	fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&sin6, sizeof(sin6)))
		err(2, "UDP socket");
	return fd;
}

static struct source *add_source(const char *name, int fd)
{
	if (nr_sources == MAX_SOURCES)
		errx(2, "too many sockets");
	sources[nr_sources] = (struct source){ .name = name, .fd = fd };
	return &sources[nr_sources++];
}

/*
 * The name of a device may come twice: one socket for each version of IP. Returns
 * whether any packet was bad.
 */
static bool print_followed(void)
{
	unsigned long packets, bad;
	bool any = false;
	unsigned int i, j;

	for (i = 0; i < nr_sources; i++) {
		packets = 0;
		bad = 0;
		for (j = 0; j < nr_sources; j++) {
			if (strcmp(sources[i].name, sources[j].name))
				continue;
			if (j < i)
				break;
			packets += sources[j].packets;
			bad += sources[j].bad;
		}
		if (j == nr_sources)
			printf("%s packets %lu bad %lu\n", sources[i].name, packets, bad);
		any |= bad;
	}
	return any;
}

/* Reads one packet, if there is one. */
static void receive(struct source *source)
{
	unsigned char frame[65536];
	struct sockaddr_ll from;
	socklen_t from_len = sizeof(from);
	const char *what;
	ssize_t len;
	bool sent;
	int i;

	if (source->xsk)
		len = receive_xsk(source->xsk, frame);
	else
		len = recvfrom(source->fd, frame, sizeof(frame), MSG_DONTWAIT,
			       source->udp ? NULL : (struct sockaddr *)&from, &from_len);
	if (len < 0 && errno == EAGAIN)
		return;
	if (len < 0)
		err(2, "receive");
	sent = !source->xsk && !source->udp && from.sll_pkttype == PACKET_OUTGOING;
	if (sent != outgoing)
		return;
	what = source->udp ? fault_udp(frame, len) : fault(frame, len);
	if (what && !*what)
		return;
	source->packets++;
	if (!what || source->bad++ >= 5)
		return;
	fprintf(stderr, "%s, packet %lu, %zd bytes: %s\n", source->name, source->packets, len,
		what);
	for (i = 0; i < len && i < 128; i++)
		fprintf(stderr, "%02x%s", frame[i], i % 32 == 31 ? "\n" : " ");
	fputc('\n', stderr);
}

int main(int argc, char **argv)
{
	struct pollfd pfds[MAX_SOURCES] = {};
	unsigned long want = 0;
	int c, status, waited = 0;
	const char *map = NULL;
	struct xsk xsk = {};
	const char *devs[MAX_SOURCES];
	unsigned int nr_devs = 0, i;
	bool udp = false;
	pid_t child;

	while ((c = getopt(argc, argv, "+6olifud:n:x:")) != -1) {
		switch (c) {
		case '6':
			v6 = true;
			break;
		case 'o':
			outgoing = true;
			break;
		case 'l':
			late = true;
			break;
		case 'i':
			inverted = true;
			break;
		case 'f':
			follow = true;
			break;
		case 'u':
			udp = true;
			break;
		case 'd':
			if (nr_devs == MAX_SOURCES)
				return 2;
			devs[nr_devs++] = optarg;
			break;
		case 'n':
			want = strtoul(optarg, NULL, 0);
			break;
		case 'x':
			map = optarg;
			break;
		default:
			return 2;
		}
	}
	if (!nr_devs || !want != follow || (!follow && nr_devs > 1) || optind == argc)
		errx(2, "usage: rxcheck [options] -d DEV [-n COUNT] COMMAND...");
	if (map)
		add_source("xsk", open_xsk(&xsk, devs[0], map))->xsk = &xsk;
	for (i = 0; i < nr_devs && (follow || !map); i++) {
		if (outgoing) {
			add_source(devs[i], open_socket(devs[i], ETH_P_ALL));
			continue;
		}
		if (follow || !v6)
			add_source(devs[i], open_socket(devs[i], ETH_P_IP));
		if (follow || v6)
			add_source(devs[i], open_socket(devs[i], ETH_P_IPV6));
	}
	if (udp)
		add_source("udp", open_udp())->udp = true;
	child = fork();
	if (child < 0)
		err(2, "fork");
	if (!child) {
		dup2(2, 1);
		execvp(argv[optind], argv + optind);
		err(127, "%s", argv[optind]);
	}

	if (late && (waitpid(child, &status, 0) != child || status))
		errx(2, "%s: status %#x", argv[optind], status);
	if (late)
		child = 0;
	for (i = 0; i < nr_sources; i++)
		pfds[i] = (struct pollfd){ .fd = sources[i].fd, .events = POLLIN };
	while ((follow || sources[0].packets < want) && waited < PATIENCE_MS) {
		/* Whom a tap listens to does not stop for that. */
		if (follow && outgoing && waitpid(child, &status, WNOHANG) == child) {
			if (status)
				errx(2, "%s: status %#x", argv[optind], status);
			child = 0;
			break;
		}
		if (poll(pfds, nr_sources, 100) <= 0) {
			if (child <= 0 || waitpid(child, &status, WNOHANG) == child) {
				if (child > 0 && status)
					errx(2, "%s: status %#x", argv[optind], status);
				child = 0;
				waited += follow ? PATIENCE_MS / 5 : 100;
			}
			continue;
		}
		for (i = 0; i < nr_sources; i++) {
			if (pfds[i].revents)
				receive(&sources[i]);
		}
	}
	if (child > 0 && (waitpid(child, &status, 0) != child || status))
		errx(2, "%s: status %#x", argv[optind], status);
	if (follow)
		return print_followed();
	printf("packets %lu bad %lu\n", sources[0].packets, sources[0].bad);
	return sources[0].packets != want || sources[0].bad;
}
