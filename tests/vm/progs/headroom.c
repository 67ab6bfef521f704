// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads headroom.bpf.o once for all suites, attaches it where asked, and prints
 * what it has seen. The maps are pinned, so that each call is a process of its
 * own; call it with nsenter --net, not with ip netns exec, which hides the pins.
 *
 * headroom load [native]	native: see what native XDP on veth is given and copies
 * headroom egress|ingress DEV...
 * headroom reset
 * headroom show
 *
 * show prints one line for each kind of packet:
 * DEV WHERE MARK HEADROOM PACKETS NEEDED_HEADROOM HARD_HEADER_LEN PROTOCOL L4
 * FLAGS BYTES TRUESIZE FRAGS TCP_OPTIONS
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <errno.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "headroom.h"

#define PIN_DIR		"/sys/fs/bpf/headroom"
#define PIN_MAP		PIN_DIR "/map"
/* Ahead of whatever a suite attaches itself. */
#define PRIORITY	1
#define HANDLE		0x4ead

static const char *const where_names[] = {
	[HEADROOM_EGRESS]	= "egress",
	[HEADROOM_INGRESS]	= "ingress",
	[HEADROOM_DIRECT]	= "direct",
	[HEADROOM_NATIVE]	= "native",
	[HEADROOM_COPY]		= "copy",
	[HEADROOM_EXPAND]	= "expand",
};

static bool only_native(const struct bpf_program *prog)
{
	return bpf_program__type(prog) == BPF_PROG_TYPE_KPROBE &&
	       strcmp(bpf_program__name(prog), "headroom_direct");
}

/* The object lies beside this program. */
static void load(bool native)
{
	struct bpf_program *prog;
	struct bpf_object *obj;
	struct bpf_link *link;
	char path[256] = "";

	if (readlink("/proc/self/exe", path, sizeof(path) - sizeof(".bpf.o")) < 0)
		err(1, "/proc/self/exe");
	strcat(path, ".bpf.o");
	obj = bpf_object__open_file(path, NULL);
	if (!obj)
		err(1, "%s", path);
	bpf_object__for_each_program(prog, obj)
		bpf_program__set_autoload(prog, native || !only_native(prog));
	if (bpf_object__load(obj))
		err(1, "%s", path);
	if (mkdir(PIN_DIR, 0700) && errno != EEXIST)
		err(1, "%s", PIN_DIR);
	if (bpf_map__pin(bpf_object__find_map_by_name(obj, "headroom"), PIN_MAP))
		err(1, "%s", PIN_MAP);
	bpf_object__for_each_program(prog, obj) {
		if (!bpf_program__autoload(prog))
			continue;
		snprintf(path, sizeof(path), PIN_DIR "/%s", bpf_program__name(prog));
		if (bpf_program__pin(prog, path))
			err(1, "%s", path);
		if (bpf_program__type(prog) != BPF_PROG_TYPE_KPROBE)
			continue;
		link = bpf_program__attach(prog);
		/* Not each kernel has each of these functions. */
		if (!link && only_native(prog))
			continue;
		snprintf(path, sizeof(path), PIN_DIR "/link_%s", bpf_program__name(prog));
		if (!link || bpf_link__pin(link, path))
			err(1, "attaching %s", bpf_program__name(prog));
	}
}

static void attach(const char *where, const char *dev)
{
	DECLARE_LIBBPF_OPTS(bpf_tc_hook, hook);
	DECLARE_LIBBPF_OPTS(bpf_tc_opts, opts, .handle = HANDLE, .priority = PRIORITY,
			    .flags = BPF_TC_F_REPLACE);
	char path[256];
	int ret;

	snprintf(path, sizeof(path), PIN_DIR "/headroom_%s", where);
	opts.prog_fd = bpf_obj_get(path);
	if (opts.prog_fd < 0)
		err(1, "%s", path);
	hook.ifindex = if_nametoindex(dev);
	if (!hook.ifindex)
		err(1, "%s", dev);
	hook.attach_point = strcmp(where, "egress") ? BPF_TC_INGRESS : BPF_TC_EGRESS;
	ret = bpf_tc_hook_create(&hook);
	if (!ret || ret == -EEXIST)
		ret = bpf_tc_attach(&hook, &opts);
	if (ret)
		errx(1, "%s %s: %s", where, dev, strerror(-ret));
}

static int map_fd(void)
{
	int fd = bpf_obj_get(PIN_MAP);

	if (fd < 0)
		err(1, "%s", PIN_MAP);
	return fd;
}

static void reset(void)
{
	struct headroom_key key;
	int fd = map_fd();

	while (!bpf_map_get_next_key(fd, NULL, &key))
		bpf_map_delete_elem(fd, &key);
}

static void show(void)
{
	struct headroom_key key, *last = NULL, prev;
	struct headroom_value value;
	int fd = map_fd();

	while (!bpf_map_get_next_key(fd, last, &key)) {
		prev = key;
		last = &prev;
		if (bpf_map_lookup_elem(fd, &key, &value))
			continue;
		printf("%s %s %u %u %llu %u %u %#06x %u %u %llu %llu %llu %u\n",
		       key.dev, where_names[key.where], key.mark, key.headroom, value.packets,
		       key.needed_headroom, key.hard_header_len, key.protocol, key.l4,
		       key.flags, value.bytes, value.truesize, value.frags, key.tcp_options);
	}
}

/* That a clsact is there already is reported as an error too: not here. */
static int quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	return level == LIBBPF_WARN && !strstr(fmt, "Kernel error message") ?
	       vfprintf(stderr, fmt, args) : 0;
}

int main(int argc, char **argv)
{
	int i;

	libbpf_set_print(quiet);
	if (argc == 2 && !strcmp(argv[1], "load"))
		load(false);
	else if (argc == 3 && !strcmp(argv[1], "load") && !strcmp(argv[2], "native"))
		load(true);
	else if (argc == 2 && !strcmp(argv[1], "reset"))
		reset();
	else if (argc == 2 && !strcmp(argv[1], "show"))
		show();
	else if (argc > 2 && (!strcmp(argv[1], "egress") || !strcmp(argv[1], "ingress")))
		for (i = 2; i < argc; i++)
			attach(argv[1], argv[i]);
	else
		errx(1, "usage: headroom load [native]|reset|show|egress DEV...|ingress DEV...");
	return 0;
}
