// SPDX-License-Identifier: GPL-2.0-only
/*
 * What datagrams that nobody reads hold: sends COUNT of SIZE bytes to a socket of
 * its own in namespace NETNS, and prints how many bytes of memory each holds there,
 * and how many bytes of socket memory it is charged.
 *
 * Of each KEEP datagrams one is left unread; the others, which go to another
 * socket, are read at once. With KEEP = 1 none is read.
 *
 *	udphold COUNT SIZE KEEP NETNS ADDRESS
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Older than the option: SO_MEMINFO of linux/sock_diag.h. */
enum { MEM_RMEM_ALLOC = 0, MEM_DROPS = 8, MEM_VARS = 9 };

static char buf[65536];
static int kept, read_at_once, to_kept, to_read;

static void must(int ok, const char *what)
{
	if (!ok)
		err(1, "%s", what);
}

static void enter(int netns, const char *what)
{
	must(netns >= 0 && !setns(netns, CLONE_NEWNET), what);
	close(netns);
}

static int sender(struct sockaddr_in *sin, unsigned short port)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	sin->sin_port = htons(port);
	must(fd >= 0 && !connect(fd, (struct sockaddr *)sin, sizeof(*sin)), "connect");
	return fd;
}

static int receiver(struct sockaddr_in *sin, unsigned short port)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), room = INT_MAX / 2;

	sin->sin_port = htons(port);
	must(fd >= 0 && !bind(fd, (struct sockaddr *)sin, sizeof(*sin)), "bind");
	must(!setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)), "SO_RCVBUFFORCE");
	return fd;
}

/*
 * Bytes of free memory, the lists of CPUs included. A moment later, when RCU and
 * work items have freed what is to be freed.
 */
static long long free_memory(void)
{
	long long pages = 0;
	char line[256];
	long n;
	FILE *f;

	sleep(3);
	f = fopen("/proc/zoneinfo", "r");
	must(!!f, "/proc/zoneinfo");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " nr_free_pages %ld", &n) == 1 || sscanf(line, " count: %ld", &n) == 1)
			pages += n;
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

static unsigned int meminfo(int fd, int what)
{
	unsigned int mem[MEM_VARS] = {};
	socklen_t len = sizeof(mem);

	must(!getsockopt(fd, SOL_SOCKET, SO_MEMINFO, mem, &len), "SO_MEMINFO");
	return mem[what];
}

/*
 * Sends @count datagrams, of which each @keep-th stays unread; returns how many
 * that were.
 */
static unsigned long send_all(unsigned long count, size_t size, unsigned long keep)
{
	unsigned long i, n = 0;
	bool stays;

	for (i = 1; i <= count; i++) {
		stays = i % keep == 0;
		must(send(stays ? to_kept : to_read, buf, size, 0) == (ssize_t)size, "send");
		n += stays;
		if (!stays)
			must(recv(read_at_once, buf, sizeof(buf), 0) == (ssize_t)size, "recv");
	}
	return n;
}

int main(int argc, char **argv)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };
	unsigned long count, size, keep, n;
	long long before, held;
	char path[256];
	int home;

	if (argc != 6)
		errx(1, "usage: udphold COUNT SIZE KEEP NETNS ADDRESS");
	count = strtoul(argv[1], NULL, 0);
	size = strtoul(argv[2], NULL, 0);
	keep = strtoul(argv[3], NULL, 0);
	if (!keep || count < keep || size > sizeof(buf))
		errx(1, "KEEP is 1 to COUNT, SIZE at most %zu", sizeof(buf));
	must(inet_pton(AF_INET, argv[5], &sin.sin_addr) == 1, argv[5]);
	snprintf(path, sizeof(path), "/run/netns/%s", argv[4]);
	home = open("/proc/self/ns/net", O_RDONLY);
	enter(open(path, O_RDONLY), path);
	kept = receiver(&sin, 9);
	read_at_once = receiver(&sin, 10);
	enter(home, "home");
	to_kept = sender(&sin, 9);
	to_read = sender(&sin, 10);

	/* Whatever is allocated once. */
	send_all(1000, size, count + 1000);
	before = free_memory();
	n = send_all(count, size, keep);
	held = before - free_memory();
	if (meminfo(kept, MEM_DROPS))
		errx(1, "%u datagrams were dropped", meminfo(kept, MEM_DROPS));
	printf("%lld %lu\n", held / (long long)n, meminfo(kept, MEM_RMEM_ALLOC) / n);
	return 0;
}
