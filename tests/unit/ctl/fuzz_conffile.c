// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random files: the parser must neither crash nor read beyond them, blames a line
 * that there is, and what it accepts can be written and is read as the same. Random
 * settings: what is written is read as the same. fuzz_conffile N SEED; prints the
 * seed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/xhroom.h>

#include "conffile.h"
#include "out.h"

static uint64_t state;
static unsigned int complaints;
static unsigned int bad_complaints;

static unsigned int rnd(unsigned int below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

static void complain(const struct err *err)
{
	unsigned int nr = 0;

	complaints++;
	if (sscanf(err->text, "F:%u: ", &nr) != 1 || !nr || nr > 64)
		bad_complaints++;
}

static size_t random_text(char *text, size_t size)
{
	static const char *const known[] = {
		"set ", "set ", "policy set ", "policy set ", "veth0 ", "lo ", "-- ", "-x ", "#",
		"# ", "256", "512 ", "513 ", "0 ", "tx-headroom ", "tx-head ", "auto", "slab ",
		"xdp-headroom-min ", "192 ", "191 ", "xdp-linearize ", "frags ",
		"page-frag ", "kind:veth", "kind:vlan ", "/", "name:eth*", "name:x ", "\n", "\n",
		"\n", "\r\n", "\t", " ", "policy clear all\n", "clear lo\n", "show\n", "-n ",
		"--json ", "\"", "'",
		"set veth0 256\n", "set lo tx-head slab tx-headroom 1\n",
		"policy set kind:veth 64\n", "policy set name:a*/kind:dummy tx-head auto\n",
	};
	size_t len = 0, nr = rnd(24);

	while (nr--) {
		const char *word = known[rnd(sizeof(known) / sizeof(known[0]))];

		if (rnd(12)) {
			if (len + strlen(word) >= size)
				break;
			memcpy(text + len, word, strlen(word));
			len += strlen(word);
		} else if (rnd(50)) {
			text[len++] = rnd(256);
		} else {
			size_t run = rnd(1200);

			if (len + run >= size)
				break;
			memset(text + len, "a 0#\xff"[rnd(5)], run);
			len += run;
		}
		if (len + 1 >= size)
			break;
	}
	return len;
}

static int parse(const char *text, size_t len, struct conffile *conf)
{
	struct err err = {};
	FILE *file;
	int ret;

	memset(conf, 0, sizeof(*conf));
	conf->name = "F";
	if (!len)
		return 0;
	file = fmemopen((char *)text, len, "r");
	ret = conffile_parse(file, conf, complain, &err);
	fclose(file);
	if (ret && (err.code != XC_LOCAL || !err.text[0]))
		bad_complaints++;
	return ret;
}

/* All lines, as they would be written. */
static char *printed(const struct conffile *conf, size_t *size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size);
	size_t i;

	for (i = 0; i < conf->nr; i++) {
		args_print(file, &conf->lines[i].req);
		fputc('\n', file);
	}
	fclose(file);
	return text;
}

static int fuzz_file(void)
{
	struct conffile conf, again = {};
	char buf[8192], *text, *one, *two;
	size_t len = random_text(buf, sizeof(buf)), size;
	int ret = 0;

	/* On the heap, so that the sanitizer sees its end. */
	text = malloc(len + 1);
	memcpy(text, buf, len);
	complaints = 0;
	if (parse(text, len, &conf)) {
		ret = complaints ? 0 : -1;
	} else {
		ret = complaints ? -1 : 1;
		one = printed(&conf, &size);
		if (parse(one, size, &again) || again.nr != conf.nr)
			ret = -1;
		two = printed(&again, &size);
		if (strcmp(one, two))
			ret = -1;
		free(one);
		free(two);
		conffile_free(&again);
	}
	conffile_free(&conf);
	if (ret < 0)
		fwrite(text, 1, len, stderr);
	free(text);
	return ret;
}

static void random_conf(struct dev_conf *conf)
{
	conf->tx_auto_max = rnd(3) ? 0 : XHROOM_TX_AUTO_MAX_MIN +
		rnd(XHROOM_TX_EXTRA_HEADROOM_MAX - XHROOM_TX_AUTO_MAX_MIN + 1);
	/* What was learned is not written. */
	conf->tx_extra_headroom = conf->tx_auto_max ? 0 : rnd(XHROOM_TX_EXTRA_HEADROOM_MAX + 1);
	conf->tx_head = 1 + rnd(XHROOM_TX_HEAD_MAX);
	conf->xdp_headroom_min = XHROOM_XDP_HEADROOM_MIN_MIN +
		rnd(XHROOM_XDP_HEADROOM_MIN_MAX - XHROOM_XDP_HEADROOM_MIN_MIN + 1);
	conf->xdp_linearize = 1 + rnd(XHROOM_XDP_LINEARIZE_MAX);
}

/* What the kernel takes as a name: no white space, slash or colon. */
static void random_name(char *name, size_t max)
{
	size_t len = 1 + rnd(max), i;

	for (i = 0; i < len; i++) {
		do
			name[i] = rnd(3) ? "ab01-_.#*?[]"[rnd(12)] : (int)(1 + rnd(255));
		while (strchr(" \t\n\v\f\r/:\xa0", name[i]));
	}
	name[len] = '\0';
}

static void random_kind(char *kind, size_t max)
{
	size_t len = 1 + rnd(max), i;

	for (i = 0; i < len; i++)
		kind[i] = "abyzAZ09-_."[rnd(11)];
	kind[len] = '\0';
}

static int fuzz_state(void)
{
	struct dev devs[4] = {};
	struct policy policies[4] = {};
	struct dev_list dev_list = { devs, rnd(5) };
	struct policy_list policy_list = { policies, rnd(5) };
	struct conffile conf;
	struct err err = {};
	char *text = NULL;
	FILE *file;
	size_t size, i;
	int ret = 0;

	for (i = 0; i < dev_list.nr; i++) {
		random_name(devs[i].name, IFNAMSIZ - 1);
		random_conf(&devs[i].conf);
	}
	for (i = 0; i < policy_list.nr; i++) {
		unsigned int which = 1 + rnd(3);

		if (which & 1)
			random_kind(policies[i].kind, KIND_MAX);
		if (which & 2)
			random_name(policies[i].name, PATTERN_MAX);
		random_conf(&policies[i].conf);
	}
	file = open_memstream(&text, &size);
	if (conffile_print(file, &dev_list, &policy_list, &err))
		ret = -1;
	fclose(file);
	if (parse(text, size, &conf) || conf.nr != dev_list.nr + policy_list.nr) {
		ret = -1;
		goto out;
	}
	for (i = 0; i < policy_list.nr; i++) {
		const struct request *req = &conf.lines[i].req;

		if (req->command != CMD_POLICY || req->action != POLICY_SET ||
		    strcmp(req->policy.kind, policies[i].kind) ||
		    strcmp(req->policy.name, policies[i].name) || req->mask != CONF_ALL ||
		    memcmp(&req->conf, &policies[i].conf, sizeof(req->conf)))
			ret = -1;
	}
	for (i = 0; i < dev_list.nr; i++) {
		const struct request *req = &conf.lines[policy_list.nr + i].req;

		if (req->command != CMD_SET || strcmp(req->dev, devs[i].name) ||
		    req->mask != CONF_ALL ||
		    memcmp(&req->conf, &devs[i].conf, sizeof(req->conf)))
			ret = -1;
	}
out:
	if (ret)
		fprintf(stderr, "%s: %s\n", err.text, text);
	conffile_free(&conf);
	free(text);
	return ret;
}

int main(int argc, char **argv)
{
	unsigned long long n = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	unsigned long long i, accepted = 0;

	state = seed * 0x9e3779b97f4a7c15ull + 1;
	printf("# seed %llu\n", (unsigned long long)seed);
	for (i = 0; i < n; i++) {
		int ret = fuzz_file();

		if (ret < 0 || fuzz_state() || bad_complaints) {
			printf("not ok - random files\n");
			return 1;
		}
		accepted += ret;
	}
	printf("ok - %llu random files, %llu of them accepted, and as many random settings\n", n,
	       accepted);
	return 0;
}
