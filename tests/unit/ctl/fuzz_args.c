// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random command lines: the parser must neither crash nor read beyond them, and
 * what it accepts must be complete. fuzz_args N SEED; prints the seed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "out.h"

#define WORDS_MAX 8

static uint64_t state;

static unsigned int rnd(unsigned int below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

/* On the heap, so that the sanitizer sees its end. */
static char *random_word(void)
{
	static const char *const known[] = {
		"show", "set", "clear", "status", "stats", "monitor", "version", "help",
		"tx-headroom", "veth0", "lo", "256", "0", "512", "513", "-1", "4294967295",
		"4294967296", "99999999999999999999", "0x10", "1e3", "", " ", "-j", "-p", "-s",
		"-n", "-w", "-h", "-V", "--", "-", "--json", "--netns", "--netns=x", "--watch=1",
		"-jpsn", "-w1", "--help=", "auto", "shwo",
		"tx-head", "slab", "page-frag", "xdp-headroom-min", "192",
		"xdp-linearize", "frags",
		"save", "restore", "-N", "--check", "-d", "--device=lo",
		"policy", "kind:veth", "name:eth*", "kind:veth/name:x", "kind:", "all",
	};
	size_t len, i;
	char *word;

	if (rnd(5)) {
		word = strdup(known[rnd(sizeof(known) / sizeof(known[0]))]);
		/* One letter wrong. */
		if (*word && !rnd(8))
			word[rnd(strlen(word))] = 1 + rnd(255);
		return word;
	}
	len = rnd(rnd(10) ? 12 : 700);
	word = malloc(len + 1);
	for (i = 0; i < len; i++)
		word[i] = rnd(3) ? "0123456789-=xtehadrom"[rnd(21)] : (int)(1 + rnd(255));
	word[len] = '\0';
	return word;
}

static int complain(int argc, char **argv, const char *what)
{
	int i;

	fprintf(stderr, "%s:", what);
	for (i = 0; i < argc; i++)
		fprintf(stderr, " '%s'", argv[i]);
	fputc('\n', stderr);
	return 1;
}

int main(int argc, char **argv)
{
	unsigned long long n = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	unsigned long long i, accepted = 0;

	state = seed * 0x9e3779b97f4a7c15ull + 1;
	printf("# seed %llu\n", (unsigned long long)seed);
	for (i = 0; i < n; i++) {
		char text[sizeof(((struct err *)0)->text)];
		int nr = rnd(WORDS_MAX), k, ret, rc = 0;
		struct err err = { .code = XC_DONE };
		struct request req;
		char **words = malloc(sizeof(*words) * (nr + 1));

		for (k = 0; k < nr; k++)
			words[k] = random_word();
		words[nr] = NULL;
		ret = args_parse(nr, words, &req, &err);
		if (!ret) {
			accepted++;
			if ((req.command == CMD_SET || req.command == CMD_CLEAR) &&
			    (!req.dev || !*req.dev || !req.mask))
				rc = complain(nr, words, "accepted, but incomplete");
			if (req.command == CMD_POLICY && req.action != POLICY_SHOW &&
			    req.action != POLICY_CLEAR_ALL &&
			    ((!*req.policy.kind && !*req.policy.name) ||
			     (req.action == POLICY_SET && !req.mask)))
				rc = complain(nr, words, "accepted, but incomplete");
		} else if ((err.code != XC_LOCAL && err.code != XC_REFUSED) || !err.text[0]) {
			rc = complain(nr, words, "refused without a word");
		}
		printable(err.text, text, sizeof(text));
		for (k = 0; k < nr; k++)
			free(words[k]);
		free(words);
		if (rc) {
			printf("not ok - random command lines\n");
			return rc;
		}
	}
	printf("ok - %llu random command lines, %llu of them accepted\n", n, accepted);
	return 0;
}
