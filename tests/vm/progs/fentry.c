// SPDX-License-Identifier: GPL-2.0-only
/*
 * fentry FILE.bpf.o: attaches each of its programs at a function's entry, says
 * "attached", holds on until SIGTERM, and then says how many calls were counted
 * in the object's only variable. Exits with the error number if the kernel
 * refuses.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void on_signal(int sig)
{
	(void)sig;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct bpf_program *prog;
	struct bpf_object *obj;
	struct bpf_map *map;
	__u64 calls;
	int key = 0;
	sigset_t set, old;

	if (argc != 2) {
		fprintf(stderr, "usage: fentry FILE.bpf.o\n");
		return 255;
	}
	/* Not to miss one that comes between the message and the wait. */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	sigaction(SIGTERM, &sa, NULL);

	obj = bpf_object__open(argv[1]);
	if (!obj || bpf_object__load(obj)) {
		perror("load");
		return 255;
	}
	bpf_object__for_each_program(prog, obj) {
		if (!bpf_program__attach(prog)) {
			perror("attach");
			return errno;
		}
	}
	printf("attached\n");
	fflush(stdout);
	sigsuspend(&old);

	map = bpf_object__next_map(obj, NULL);
	if (!map || bpf_map_lookup_elem(bpf_map__fd(map), &key, &calls)) {
		perror("read");
		return 255;
	}
	printf("%llu\n", (unsigned long long)calls);
	return 0;
}
