// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends packets through named allocation sites, so that a suite can look at what
 * each of them allocated. Every site marks its packets (SO_MARK) with a number
 * of its own. Targets follow the addresses of pair_up in the guest library.
 *
 * txsend -l
 * txsend [options] -T DEV=N [-T DEV=N]... SITE...
 *
 *	-T DEV=N	send through DEV to 10.0.N.2 and fd00:0:0:N::2; several targets
 *			take turns, packet by packet
 *	SITE		a name or a pattern (udp4*)
 *	-n COUNT	packets per site and target (1)
 *	-s SIZE		payload instead of the site's own
 *	-v		each packet has a size of its own, up to that, and bytes of its
 *			own: they count up from a random one
 *	-j THREADS	that do the same at the same time (1)
 *	-S		one socket for all targets, where a site can
 *	-t SECONDS	start over and over until then, or until SIGTERM
 *	-b BYTES	SO_SNDBUF
 *	-N		MSG_DONTWAIT
 *	-k		go on after an error, and do not report it as a failure
 *	-F		send until the socket buffer is full, say so, wait until it is
 *			empty
 *	-m BASE		added to the marks
 *	-w USEC		pause behind each packet of a thread
 *	-c		say how long the packets of each site took; one target, one thread
 *
 * Prints lines of the forms
 *	sent SITE MARK CLASS WHERE DEV PACKETS FRAMES
 *	skip SITE REASON		the kernel has no such socket
 *	fail SITE DEV REASON
 *	errors SITE DEV NUMBER REASON	with -k
 *	wmem SITE DEV BYTES		socket memory that was not given back
 *	full SITE DEV PACKETS WMEM SNDBUF
 *	time SITE DEV NANOSECONDS	with -c
 * Exit code 1 if there was any fail or wmem.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "txsend.h"

#define MAX_TARGETS	4
#define MAX_THREADS	16
#define MAX_SITES	256

static const char *const class_names[] = {
	[CLASS_LL]	 = "ll",
	[CLASS_LL6]	 = "ll6",
	[CLASS_XDP]	 = "xdp",
	[CLASS_XDP_META] = "xdp-meta",
};

static struct {
	unsigned long count;
	size_t size;
	unsigned int threads, seconds, sndbuf, mark, pause;
	bool shared, nonblock, keep_going, fill, clock, vary;
	struct target targets[MAX_TARGETS];
	unsigned int nr_targets;
} opt = { .count = 1, .threads = 1 };

static struct {
	const struct site *site;
	unsigned int mark;
} sites[MAX_SITES];
static unsigned int nr_sites;

/* Of all threads, by site and target. */
static struct result {
	unsigned long packets, errors;
	int error;
	bool skipped;
} results[MAX_SITES][MAX_TARGETS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool failed;
static volatile time_t end;

/* Finish what is begun, and report. */
static void stop(int sig)
{
	(void)sig;
	end = 1;
}

/* Older than the option: SO_MEMINFO of linux/sock_diag.h. */
enum { MEM_WMEM_ALLOC = 2, MEM_SNDBUF = 3, MEM_VARS = 9 };

static unsigned int meminfo(int fd, int what)
{
	unsigned int mem[MEM_VARS] = {};
	socklen_t len = sizeof(mem);

	getsockopt(fd, SOL_SOCKET, SO_MEMINFO, mem, &len);
	return mem[what];
}

int set_int(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

int chan_socket(struct chan *chan, int family, int type, int proto)
{
	int fd = socket(family, type | SOCK_CLOEXEC, proto);

	if (fd < 0)
		return -1;
	if (set_int(fd, SOL_SOCKET, SO_MARK, chan->mark) ||
	    (chan->sndbuf && set_int(fd, SOL_SOCKET, SO_SNDBUFFORCE, chan->sndbuf))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Packets on the wire for one that is sent: IP may fragment it. */
static unsigned long frames_of(const struct site *site, size_t size)
{
	size_t header, room;

	if (!site->family)
		return 1;
	header = (site->family == AF_INET ? 20 : 40) + site->ip_options;
	size += site->overhead;
	if (header + size <= TXSEND_MTU)
		return 1;
	if (site->family == AF_INET6)
		header += 8;
	room = (TXSEND_MTU - header) & ~7UL;
	return (size + room - 1) / room;
}

static bool not_supported(int error)
{
	return error == EPROTONOSUPPORT || error == EOPNOTSUPP || error == ESOCKTNOSUPPORT ||
	       error == EAFNOSUPPORT || error == EINVAL || error == ENOPROTOOPT;
}

static void account(unsigned int site, unsigned int target, bool sent, int error)
{
	struct result *res = &results[site][target];

	pthread_mutex_lock(&lock);
	if (sent) {
		res->packets++;
	} else {
		res->errors++;
		res->error = error;
		if (!opt.keep_going) {
			printf("fail %s %s %s\n", sites[site].site->name, opt.targets[target].dev,
			       strerror(error));
			failed = true;
		}
	}
	pthread_mutex_unlock(&lock);
}

/* Socket memory comes back when the last packet is freed, a moment later. */
static void check_wmem(unsigned int site, unsigned int target, int fd)
{
	unsigned int wmem = 0, tries;

	for (tries = 0; tries < 5000; tries++) {
		wmem = meminfo(fd, MEM_WMEM_ALLOC);
		if (!wmem)
			return;
		poll(NULL, 0, 1);
	}
	pthread_mutex_lock(&lock);
	printf("wmem %s %s %u\n", sites[site].site->name, opt.targets[target].dev, wmem);
	failed = true;
	pthread_mutex_unlock(&lock);
}

static void fill(unsigned int site, unsigned int target, struct chan *chan)
{
	unsigned long n = 0;

	chan->flags |= MSG_DONTWAIT;
	while (!chan->site->send(chan))
		n++;
	if (errno != EAGAIN && errno != ENOBUFS) {
		account(site, target, false, errno);
		return;
	}
	results[site][target].packets += n;
	printf("full %s %s %lu %u %u\n", chan->site->name, chan->to->dev, n,
	       meminfo(chan->fd, MEM_WMEM_ALLOC), meminfo(chan->fd, MEM_SNDBUF));
	fflush(stdout);
}

/* What rxcheck expects, below the headers. */
static void fill_buf(struct chan *chan, unsigned char first)
{
	size_t i;

	for (i = 0; i < chan->size; i++)
		chan->buf[i] = first + i;
}

/* Small ones are as frequent as large ones. */
static void vary(struct chan *chan, unsigned int *seed)
{
	size_t max = opt.size ?: chan->site->size;

	if (rand_r(seed) & 1 && max > 4 * TXSEND_MIN_SIZE)
		max = 4 * TXSEND_MIN_SIZE;
	chan->size = max;
	if (max > TXSEND_MIN_SIZE)
		chan->size = TXSEND_MIN_SIZE + rand_r(seed) % (max - TXSEND_MIN_SIZE + 1);
	fill_buf(chan, rand_r(seed));
	if (chan->site->make)
		chan->site->make(chan);
}

static void send_all(unsigned int site, struct chan *chans, unsigned int nr)
{
	unsigned int seed = time(NULL) ^ site << 8 ^ chans[0].queue << 16, t;
	bool broken[MAX_TARGETS] = {};
	unsigned long i;

	for (i = 0; i < opt.count; i++) {
		for (t = 0; t < nr; t++) {
			if (broken[t])
				continue;
			if (opt.vary)
				vary(&chans[t], &seed);
			if (!chans[t].site->send(&chans[t])) {
				account(site, t, true, 0);
				continue;
			}
			account(site, t, false, errno);
			broken[t] = !opt.keep_going;
		}
		if (end && time(NULL) >= end)
			return;
		if (opt.pause)
			usleep(opt.pause);
	}
}

static void send_timed(unsigned int site, struct chan *chan)
{
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	send_all(site, chan, 1);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("time %s %s %lld\n", chan->site->name, chan->to->dev,
	       (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec - from.tv_nsec);
}

/* With one socket for all, only the first channel's is open. */
static void run_site(unsigned int site, unsigned int thread, unsigned char *buf)
{
	bool shared = opt.shared && sites[site].site->shared;
	struct chan chans[MAX_TARGETS] = {}, *chan;
	unsigned int t, nr;

	for (nr = 0; nr < opt.nr_targets; nr++) {
		chan = &chans[nr];
		chan->site = sites[site].site;
		chan->to = &opt.targets[nr];
		chan->mark = sites[site].mark;
		chan->size = opt.size ?: chan->site->size;
		chan->flags = opt.nonblock ? MSG_DONTWAIT : 0;
		chan->queue = thread;
		chan->sndbuf = opt.sndbuf;
		chan->buf = buf + nr * TXSEND_MAX_SIZE;
		chan->fd = -1;
		fill_buf(chan, 0);
		if (chan->site->open(chan)) {
			t = errno;
			if (chan->fd >= 0)
				close(chan->fd);
			pthread_mutex_lock(&lock);
			results[site][nr].skipped |= not_supported(t);
			results[site][nr].error = t;
			pthread_mutex_unlock(&lock);
			if (!not_supported(t))
				account(site, nr, false, t);
			break;
		}
		if (chan->site->make)
			chan->site->make(chan);
		if (shared && nr) {
			close(chan->fd);
			chan->fd = chans[0].fd;
		}
	}
	if (nr == opt.nr_targets && opt.fill)
		fill(site, 0, &chans[0]);
	else if (nr == opt.nr_targets && opt.clock)
		send_timed(site, &chans[0]);
	else if (nr == opt.nr_targets)
		send_all(site, chans, nr);
	for (t = 0; t < nr; t++) {
		if (!opt.keep_going)
			check_wmem(site, t, chans[t].fd);
		if (!shared || !t)
			close(chans[t].fd);
		if (chans[t].site->close)
			chans[t].site->close(&chans[t]);
	}
}

static void *run_thread(void *arg)
{
	unsigned char *buf = malloc(MAX_TARGETS * TXSEND_MAX_SIZE);
	unsigned int i;

	do {
		for (i = 0; i < nr_sites; i++) {
			run_site(i, (unsigned long)arg, buf);
			if (end && time(NULL) >= end)
				break;
		}
	} while (end && time(NULL) < end);
	free(buf);
	return NULL;
}

static void report(void)
{
	const struct result *res;
	const struct site *site;
	unsigned int i, t;
	size_t size;
	bool frag;

	for (i = 0; i < nr_sites; i++) {
		site = sites[i].site;
		if (results[i][0].skipped) {
			printf("skip %s %s\n", site->name, strerror(results[i][0].error));
			continue;
		}
		size = opt.size ?: site->size;
		for (t = 0; t < opt.nr_targets; t++) {
			res = &results[i][t];
			/* A fragment uses the room that was kept for its header. */
			frag = site->class == CLASS_LL6 && frames_of(site, size) > 1;
			printf("sent %s %u %s %s %s %lu %lu\n", site->name, sites[i].mark,
			       class_names[frag ? CLASS_LL : site->class],
			       site->direct ? "direct" : "egress", opt.targets[t].dev,
			       res->packets, res->packets * frames_of(site, size));
			if (res->errors && opt.keep_going)
				printf("errors %s %s %lu %s\n", site->name, opt.targets[t].dev,
				       res->errors, strerror(res->error));
		}
	}
}

static void add_target(char *arg)
{
	struct target *to = &opt.targets[opt.nr_targets++];
	char *n = strchr(arg, '=');
	unsigned char net;

	if (!n || opt.nr_targets > MAX_TARGETS)
		errx(2, "-T %s", arg);
	*n++ = '\0';
	net = atoi(n);
	to->ifindex = if_nametoindex(arg);
	if (!to->ifindex && !opt.keep_going)
		err(2, "%s", arg);
	strncpy(to->dev, arg, sizeof(to->dev) - 1);
	to->mac[0] = 2;
	to->mac[4] = net;
	to->mac[5] = 2;
	memcpy(to->src_mac, to->mac, sizeof(to->mac));
	to->src_mac[5] = 1;
	to->v4.s_addr = htonl(10 << 24 | net << 8 | 2);
	to->v6.s6_addr[0] = 0xfd;
	to->v6.s6_addr[7] = net;
	to->v6.s6_addr[15] = 2;
}

static const struct site *const tables[] = { ip_sites, packet_sites, xdp_sites };

static void add_sites(const char *pattern, bool list)
{
	unsigned int table, number = 0, before = nr_sites;
	const struct site *site;

	for (table = 0; table < sizeof(tables) / sizeof(*tables); table++) {
		for (site = tables[table]; site->name; site++) {
			number++;
			if (fnmatch(pattern, site->name, 0))
				continue;
			if (list) {
				printf("%s\n", site->name);
				continue;
			}
			sites[nr_sites].site = site;
			sites[nr_sites++].mark = opt.mark + number;
		}
	}
	if (!list && nr_sites == before)
		errx(2, "no site '%s'", pattern);
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	unsigned long i;
	int c;

	while ((c = getopt(argc, argv, "lT:n:s:vj:St:b:NkFm:w:c")) != -1) {
		switch (c) {
		case 'l':
			add_sites("*", true);
			return 0;
		case 'T':
			add_target(optarg);
			break;
		case 'n':
			opt.count = strtoul(optarg, NULL, 0);
			break;
		case 's':
			opt.size = strtoul(optarg, NULL, 0);
			break;
		case 'v':
			opt.vary = true;
			break;
		case 'j':
			opt.threads = strtoul(optarg, NULL, 0);
			break;
		case 'S':
			opt.shared = true;
			break;
		case 't':
			opt.seconds = strtoul(optarg, NULL, 0);
			break;
		case 'b':
			opt.sndbuf = strtoul(optarg, NULL, 0);
			break;
		case 'N':
			opt.nonblock = true;
			break;
		case 'k':
			opt.keep_going = true;
			break;
		case 'F':
			opt.fill = true;
			break;
		case 'w':
			opt.pause = strtoul(optarg, NULL, 0);
			break;
		case 'c':
			opt.clock = true;
			break;
		case 'm':
			opt.mark = strtoul(optarg, NULL, 0);
			break;
		default:
			return 2;
		}
	}
	if (!opt.nr_targets || optind == argc || opt.threads > MAX_THREADS ||
	    opt.size > TXSEND_MAX_SIZE || (opt.clock && (opt.nr_targets > 1 || opt.threads > 1)))
		errx(2, "usage: txsend [options] -T DEV=N [-T DEV=N]... SITE...");
	for (; optind < argc; optind++)
		add_sites(argv[optind], false);
	signal(SIGPIPE, SIG_IGN);
	/* Restarts system calls: no send is cut short. */
	signal(SIGTERM, stop);
	if (opt.seconds)
		end = time(NULL) + opt.seconds;

	for (i = 1; i < opt.threads; i++) {
		if (pthread_create(&threads[i], NULL, run_thread, (void *)i))
			err(1, "thread");
	}
	run_thread(NULL);
	for (i = 1; i < opt.threads; i++)
		pthread_join(threads[i], NULL);
	report();
	return failed;
}
