// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends a given number of UDP datagrams as fast as one thread can, with as few
 * system calls as possible, and prints the nanoseconds that took. With QEMU's
 * -icount a nanosecond is one instruction.
 *
 * udpblast [-n COUNT] [-s SIZE] ADDRESS PORT
 */
#define _GNU_SOURCE
#include <err.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64

int main(int argc, char **argv)
{
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM }, *ai;
	unsigned long count = 1000, size = 64, done = 0;
	static struct mmsghdr msgs[BATCH];
	struct timespec from, to;
	struct iovec iov;
	int opt, fd, i, n;

	while ((opt = getopt(argc, argv, "n:s:")) != -1) {
		if (opt == 'n')
			count = strtoul(optarg, NULL, 0);
		else if (opt == 's')
			size = strtoul(optarg, NULL, 0);
		else
			return 1;
	}
	if (argc - optind != 2 || getaddrinfo(argv[optind], argv[optind + 1], &hints, &ai))
		errx(1, "usage: udpblast [-n COUNT] [-s SIZE] ADDRESS PORT");

	fd = socket(ai->ai_family, SOCK_DGRAM, 0);
	if (fd < 0 || connect(fd, ai->ai_addr, ai->ai_addrlen))
		err(1, "%s", argv[optind]);

	iov.iov_base = calloc(1, size ?: 1);
	iov.iov_len = size;
	for (i = 0; i < BATCH; i++) {
		msgs[i].msg_hdr.msg_iov = &iov;
		msgs[i].msg_hdr.msg_iovlen = 1;
	}

	clock_gettime(CLOCK_MONOTONIC, &from);
	while (done < count) {
		n = sendmmsg(fd, msgs, count - done < BATCH ? count - done : BATCH, 0);
		if (n < 0)
			err(1, "send, after %lu datagrams", done);
		done += n;
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%lld\n", (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec - from.tv_nsec);
	return 0;
}
