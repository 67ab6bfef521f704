// SPDX-License-Identifier: GPL-2.0-only
/*
 * Traffic that extra transmit headroom must leave alone: TCP in bulk and in
 * turns, AF_UNIX. Both ends in one program, so that a suite needs no server.
 *
 * stream [-n COUNT] [-s SIZE] [-r] [-m MARK] tcp NETNS ADDRESS
 *	COUNT writes of SIZE bytes to a server in NETNS (a path); with -r the
 *	server writes
 * stream [-n COUNT] [-s SIZE] [-m MARK] rr NETNS ADDRESS
 *	COUNT requests of SIZE bytes, each with an answer of the same size
 * stream [-n COUNT] [-s SIZE] unix-dgram|unix-stream
 *	COUNT messages, each read before the next
 * stream [-s SIZE] unix-dgram-fill|unix-stream-fill
 *	messages until the buffer is full
 *
 * Prints the nanoseconds between the first and the last byte; "fill" prints the
 * number of messages and the bytes of socket memory that they take.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORT	5001

static unsigned long count = 1;
static size_t size = 64;
static unsigned int mark;
static bool reverse;
static char *buf;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void write_all(int fd, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write(fd, buf + done, len - done);
		if (n < 0)
			err(1, "write");
		done += n;
	}
}

static bool read_all(int fd, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = read(fd, buf + done, len - done);
		if (n < 0)
			err(1, "read");
		if (!n)
			return false;
		done += n;
	}
	return true;
}

/* Until the other end closes. */
static void sink(int fd)
{
	while (read(fd, buf, size) > 0)
		;
}

static void source(int fd)
{
	unsigned long i;

	for (i = 0; i < count; i++)
		write_all(fd, size);
	shutdown(fd, SHUT_WR);
}

static void serve(int listener, bool rr)
{
	int one = 1, fd = accept(listener, NULL, NULL);

	if (fd < 0)
		err(1, "accept");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (rr) {
		while (read_all(fd, size))
			write_all(fd, size);
	} else if (reverse) {
		source(fd);
	} else {
		sink(fd);
	}
	exit(0);
}

static int listen_in(const char *netns, const struct sockaddr_storage *addr, socklen_t len)
{
	int home = open("/proc/self/ns/net", O_RDONLY), there = open(netns, O_RDONLY), one = 1, fd;

	if (there < 0 || setns(there, CLONE_NEWNET))
		err(1, "%s", netns);
	fd = socket(addr->ss_family, SOCK_STREAM, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (const struct sockaddr *)addr, len) || listen(fd, 1))
		err(1, "listen in %s", netns);
	if (setns(home, CLONE_NEWNET))
		err(1, "back home");
	close(home);
	close(there);
	return fd;
}

static void tcp(const char *netns, const char *address, bool rr)
{
	struct sockaddr_storage addr = {};
	struct sockaddr_in6 *in6 = (void *)&addr;
	struct sockaddr_in *in = (void *)&addr;
	int listener, fd, one = 1, status;
	long long from;
	socklen_t len;
	unsigned long i;
	pid_t child;

	if (inet_pton(AF_INET, address, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(PORT);
		len = sizeof(*in);
	} else {
		memset(&addr, 0, sizeof(addr));
		if (inet_pton(AF_INET6, address, &in6->sin6_addr) != 1)
			errx(1, "%s", address);
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(PORT);
		len = sizeof(*in6);
	}

	listener = listen_in(netns, &addr, len);
	child = fork();
	if (!child)
		serve(listener, rr);
	close(listener);

	fd = socket(addr.ss_family, SOCK_STREAM, 0);
	if (mark)
		setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(fd, (struct sockaddr *)&addr, len))
		err(1, "connect to %s", address);
	from = now();
	if (rr) {
		for (i = 0; i < count; i++) {
			write_all(fd, size);
			if (!read_all(fd, size))
				errx(1, "no answer");
		}
	} else if (reverse) {
		sink(fd);
	} else {
		source(fd);
		/* Until the server has read it all. */
		sink(fd);
	}
	printf("%lld\n", now() - from);
	close(fd);
	waitpid(child, &status, 0);
	if (status)
		errx(1, "the server failed");
}

static void unix_pair(int type)
{
	unsigned long i;
	long long from;
	int fd[2];

	if (socketpair(AF_UNIX, type, 0, fd))
		err(1, "socketpair");
	from = now();
	for (i = 0; i < count; i++) {
		write_all(fd[0], size);
		read_all(fd[1], size);
	}
	printf("%lld\n", now() - from);
}

static void unix_fill(int type)
{
	/* SK_MEMINFO_WMEM_ALLOC is the third of nine. */
	unsigned int mem[9] = {};
	socklen_t len = sizeof(mem);
	unsigned long n = 0;
	int fd[2];

	if (socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, fd))
		err(1, "socketpair");
	while (write(fd[0], buf, size) > 0)
		n++;
	if (errno != EAGAIN)
		err(1, "write");
	if (getsockopt(fd[0], SOL_SOCKET, SO_MEMINFO, mem, &len))
		err(1, "SO_MEMINFO");
	printf("%lu %u\n", n, mem[2]);
}

int main(int argc, char **argv)
{
	const char *mode;
	int c;

	while ((c = getopt(argc, argv, "n:s:rm:")) != -1) {
		switch (c) {
		case 'n':
			count = strtoul(optarg, NULL, 0);
			break;
		case 's':
			size = strtoul(optarg, NULL, 0);
			break;
		case 'r':
			reverse = true;
			break;
		case 'm':
			mark = strtoul(optarg, NULL, 0);
			break;
		default:
			return 1;
		}
	}
	mode = optind < argc ? argv[optind] : "";
	buf = calloc(1, size + 1);
	if (argc - optind == 3 && (!strcmp(mode, "tcp") || !strcmp(mode, "rr")))
		tcp(argv[optind + 1], argv[optind + 2], !strcmp(mode, "rr"));
	else if (argc - optind == 1 && !strcmp(mode, "unix-dgram"))
		unix_pair(SOCK_DGRAM);
	else if (argc - optind == 1 && !strcmp(mode, "unix-stream"))
		unix_pair(SOCK_STREAM);
	else if (argc - optind == 1 && !strcmp(mode, "unix-dgram-fill"))
		unix_fill(SOCK_DGRAM);
	else if (argc - optind == 1 && !strcmp(mode, "unix-stream-fill"))
		unix_fill(SOCK_STREAM);
	else
		errx(1, "usage: stream [options] tcp|rr NETNS ADDRESS | unix-dgram[-fill] | unix-stream[-fill]");
	return 0;
}
