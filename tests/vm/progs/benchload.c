// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads for the benchmark: one thread does a fixed number of operations, both
 * ends of a conversation included, and prints the nanoseconds that took. With
 * QEMU's -icount a nanosecond is one instruction, and with one thread nothing
 * depends on scheduling.
 *
 *	benchload unix-dgram|unix-stream COUNT
 *	benchload tcp-rr|tcp-bulk|tcp-bulk-back COUNT NETNS ADDRESS	ADDRESS is in NETNS
 *	benchload packet COUNT DEVICE
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BULK 16384

static char buf[BULK];

static void must(int ok, const char *what)
{
	if (!ok)
		err(1, "%s", what);
}

static void enter(const char *path)
{
	int fd = open(path, O_RDONLY);

	must(fd >= 0 && !setns(fd, CLONE_NEWNET), path);
	close(fd);
}

/* A connection between this namespace and @netns; *@far is its other end. */
static int tcp_pair(const char *netns, const char *address, int *far)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(7777) };
	char path[256];
	int one = 1, near, server;

	must(inet_pton(AF_INET, address, &sin.sin_addr) == 1, address);
	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	near = socket(AF_INET, SOCK_STREAM, 0);
	enter(path);
	server = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	must(!bind(server, (struct sockaddr *)&sin, sizeof(sin)) && !listen(server, 1), "listen");
	must(!connect(near, (struct sockaddr *)&sin, sizeof(sin)), "connect");
	*far = accept(server, NULL, NULL);
	must(*far >= 0, "accept");
	close(server);
	setsockopt(near, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(*far, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return near;
}

/* From @from to @to, all of it. */
static void pass(int from, int to, size_t size)
{
	size_t got = 0;
	ssize_t n;

	must(send(from, buf, size, 0) == (ssize_t)size, "send");
	while (got < size) {
		n = recv(to, buf, sizeof(buf), 0);
		must(n > 0, "recv");
		got += n;
	}
}

static int packet_socket(const char *device)
{
	struct sockaddr_ll sll = {
		.sll_family = AF_PACKET,
		.sll_ifindex = if_nametoindex(device),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	must(fd >= 0 && sll.sll_ifindex && !bind(fd, (struct sockaddr *)&sll, sizeof(sll)), device);
	memset(buf, 0xff, ETH_ALEN);
	return fd;
}

int main(int argc, char **argv)
{
	const char *load = argc > 2 ? argv[1] : "";
	unsigned long i, count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	struct timespec from, to;
	int fd[2];

	if (!strcmp(load, "unix-dgram") && argc == 3)
		must(!socketpair(AF_UNIX, SOCK_DGRAM, 0, fd), load);
	else if (!strcmp(load, "unix-stream") && argc == 3)
		must(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd), load);
	else if (!strncmp(load, "tcp-", 4) && argc == 5)
		fd[0] = tcp_pair(argv[3], argv[4], &fd[1]);
	else if (!strcmp(load, "packet") && argc == 4)
		fd[0] = packet_socket(argv[3]);
	else
		errx(1, "usage: benchload LOAD COUNT [ARGUMENT]...");

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < count; i++) {
		if (!strcmp(load, "packet")) {
			must(send(fd[0], buf, 64, 0) == 64, "send");
		} else if (!strcmp(load, "tcp-bulk")) {
			pass(fd[0], fd[1], BULK);
		} else if (!strcmp(load, "tcp-bulk-back")) {
			pass(fd[1], fd[0], BULK);
		} else {
			pass(fd[0], fd[1], 64);
			if (!strcmp(load, "tcp-rr"))
				pass(fd[1], fd[0], 64);
		}
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%lld\n", (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec - from.tv_nsec);
	return 0;
}
