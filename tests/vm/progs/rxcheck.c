// SPDX-License-Identifier: GPL-2.0-only
/*
 * The other end of txsend: looks at each UDP packet that arrives on a device,
 * or (-o) that leaves it, and compares every byte with what txsend sent. It
 * sees packets as they are, with a packet socket, before any protocol.
 *
 * rxcheck [-6] [-o] [-l] [-i] -d DEV -n COUNT COMMAND...
 *
 *	-6	IPv6
 *	-o	outgoing: a tap, as tcpdump is one. Without it no packet that is
 *		sent is cloned for us
 *	-l	read only when COMMAND is done
 *	-i	the first 22 bytes of payload (of IPv4) are inverted
 *
 * Starts COMMAND, whose output goes to standard error, once it listens. Prints
 * "packets N bad M" when COUNT packets were seen and COMMAND is done, or a few
 * seconds after COMMAND is done.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* As in txsend.h. */
#define PORT		9
#define INVERTED	22
#define PATIENCE_MS	3000

static bool v6, outgoing, late, inverted;

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

/* NULL if @frame is as it was sent. Not of txsend: "". */
static const char *fault(unsigned char *frame, size_t len)
{
	const unsigned int ip_len = v6 ? 40 : 20, headers = ETH_HLEN + ip_len + 8;
	unsigned char *ip = frame + ETH_HLEN, *udp = ip + ip_len, *data = udp + 8;
	size_t udp_len, size, i;
	bool whole = true, socket = true;
	unsigned int sum;

	if (len < headers || get16(frame + 12) != (v6 ? ETH_P_IPV6 : ETH_P_IP) ||
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
	/* An IP socket sends the bytes from 0 on; frames have them in place. */
	for (i = 0; i < size; i++) {
		socket &= data[i] == (unsigned char)i;
		whole &= data[i] == (unsigned char)(i + headers);
	}
	if (!socket && !whole)
		return "payload";
	sum = v6 ? checksum(ip + 8, 32, IPPROTO_UDP + udp_len) :
		   checksum(ip + 12, 8, IPPROTO_UDP + udp_len);
	if (checksum(udp, udp_len, sum) != 0xffff)
		return "UDP checksum";
	return NULL;
}

static int open_socket(const char *dev)
{
	struct sockaddr_ll sll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(outgoing ? ETH_P_ALL : v6 ? ETH_P_IPV6 : ETH_P_IP),
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

int main(int argc, char **argv)
{
	unsigned long want = 0, packets = 0, bad = 0;
	struct pollfd pfd = { .events = POLLIN };
	int c, status, waited = 0;
	const char *dev = NULL;
	pid_t child;

	while ((c = getopt(argc, argv, "+6olid:n:")) != -1) {
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
		case 'd':
			dev = optarg;
			break;
		case 'n':
			want = strtoul(optarg, NULL, 0);
			break;
		default:
			return 2;
		}
	}
	if (!dev || !want || optind == argc)
		errx(2, "usage: rxcheck [-6] [-o] [-l] [-i] -d DEV -n COUNT COMMAND...");
	pfd.fd = open_socket(dev);
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
	while (packets < want && waited < PATIENCE_MS) {
		unsigned char frame[65536];
		struct sockaddr_ll from;
		socklen_t from_len = sizeof(from);
		const char *what;
		ssize_t len;
		bool sent;

		if (poll(&pfd, 1, 100) <= 0) {
			if (child <= 0 || waitpid(child, &status, WNOHANG) == child) {
				if (child > 0 && status)
					errx(2, "%s: status %#x", argv[optind], status);
				child = 0;
				waited += 100;
			}
			continue;
		}
		len = recvfrom(pfd.fd, frame, sizeof(frame), 0, (struct sockaddr *)&from, &from_len);
		if (len < 0)
			err(2, "recvfrom");
		sent = from.sll_pkttype == PACKET_OUTGOING;
		if (sent != outgoing)
			continue;
		what = fault(frame, len);
		if (what && !*what)
			continue;
		packets++;
		if (what && bad++ < 5) {
			fprintf(stderr, "packet %lu, %zd bytes: %s\n", packets, len, what);
			for (c = 0; c < len && c < 128; c++)
				fprintf(stderr, "%02x%s", frame[c], c % 32 == 31 ? "\n" : " ");
			fputc('\n', stderr);
		}
	}
	if (child > 0 && (waitpid(child, &status, 0) != child || status))
		errx(2, "%s: status %#x", argv[optind], status);
	printf("packets %lu bad %lu\n", packets, bad);
	return packets != want || bad;
}
