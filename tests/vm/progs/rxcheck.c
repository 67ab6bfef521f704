// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks at what txsend's frames are like on arrival: IPv4 header, UDP checksum,
 * and each byte of the payload. A checksum that the kernel computed from the
 * wrong place shows here and nowhere else.
 *
 * rxcheck [-t SECONDS] DEV COUNT
 *
 * Says "ready", ends after COUNT UDP frames or when nothing came for SECONDS (5),
 * and prints how many were good and how many were not.
 */
#include <arpa/inet.h>
#include <err.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT	9
#define HEADERS	(14 + 20 + 8)

static unsigned int sum(const unsigned char *p, size_t len, unsigned int sum)
{
	for (; len > 1; p += 2, len -= 2)
		sum += p[0] << 8 | p[1];
	if (len)
		sum += p[0] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* 1 good, 0 bad, -1 none of ours. */
static int check(const unsigned char *frame, size_t len)
{
	const struct iphdr *ip = (const void *)(frame + 14);
	const struct udphdr *udp = (const void *)(frame + 34);
	size_t i;

	if (len < HEADERS || frame[12] != 8 || frame[13] || ip->protocol != IPPROTO_UDP ||
	    ntohs(udp->dest) != PORT)
		return -1;
	if (ntohs(ip->tot_len) + 14U != len || ntohs(udp->len) + 34U != len)
		return 0;
	if (sum(frame + 14, 20, 0) != 0xffff ||
	    sum(frame + 34, len - 34, sum(frame + 26, 8, IPPROTO_UDP + len - 34)) != 0xffff)
		return 0;
	for (i = HEADERS; i < len; i++) {
		if (frame[i] != (i & 0xff))
			return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	struct sockaddr_ll sll = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	unsigned long count, good = 0, bad = 0;
	static unsigned char frame[65536];
	int c, fd, timeout = 5, size = 16 << 20;
	struct pollfd pfd;
	ssize_t len;

	while ((c = getopt(argc, argv, "t:")) != -1) {
		if (c != 't')
			return 2;
		timeout = atoi(optarg);
	}
	if (argc - optind != 2)
		errx(2, "usage: rxcheck [-t SECONDS] DEV COUNT");
	sll.sll_ifindex = if_nametoindex(argv[optind]);
	count = strtoul(argv[optind + 1], NULL, 0);
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    bind(fd, (struct sockaddr *)&sll, sizeof(sll)))
		err(1, "%s", argv[optind]);
	puts("ready");
	fflush(stdout);

	pfd = (struct pollfd){ .fd = fd, .events = POLLIN };
	while (good + bad < count && poll(&pfd, 1, timeout * 1000) == 1) {
		len = recv(fd, frame, sizeof(frame), 0);
		if (len < 0)
			err(1, "recv");
		c = check(frame, len);
		good += c == 1;
		bad += !c;
	}
	printf("%lu good, %lu bad\n", good, bad);
	return bad || good != count;
}
