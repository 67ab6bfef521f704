// SPDX-License-Identifier: GPL-2.0-only
/*
 * Throws damaged BTF at module/btf.c. Nothing may be read outside the blob,
 * nothing may take long, and what is printed must fit its buffer.
 *
 *   fuzz_btf [ITERATIONS [SEED]]
 *
 * starts from hand-made blobs and damages them with a generator of its own, so
 * that a seed always gives the same run. With -DXHR_LIBFUZZER the loop is
 * libFuzzer's.
 */
#include <stdint.h>
#include <stdio.h>

#include "../../module/btf.h"
#include "btf_blob.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void look_up(const struct xhr_btf *btf)
{
	static const char *const funcs[] = { "all_kinds", "last", "sock", "", "f" };
	static const char *const members[] = { "first", "third", "x", "" };
	static const size_t sizes[] = { 0, 1, 40, 512 };
	unsigned int i, j;

	for (i = 0; i < sizeof(funcs) / sizeof(*funcs); i++) {
		for (j = 0; j < sizeof(sizes) / sizeof(*sizes); j++) {
			char *buf = malloc(sizes[j] ? sizes[j] : 1);
			int err = xhr_btf_proto(btf, funcs[i], buf, sizes[j]);

			if (sizes[j] && strlen(buf) >= sizes[j])
				abort();
			if (err > 0 || (err && sizes[j] && *buf))
				abort();
			free(buf);
		}
	}
	for (i = 0; i < sizeof(members) / sizeof(*members); i++) {
		xhr_btf_member_offset(btf, "sock", members[i]);
		xhr_btf_member_offset(btf, "s", members[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct xhr_btf btf, split;

	if (xhr_btf_open(&btf, data, len))
		return 0;
	look_up(&btf);
	/* The same once more on top of itself, as a module's would be. */
	if (!xhr_btf_open_split(&split, &btf, data, len)) {
		look_up(&split);
		xhr_btf_close(&split);
	}
	xhr_btf_close(&btf);
	return 0;
}

#ifndef XHR_LIBFUZZER
static uint64_t seed = 1;

static unsigned int draw(unsigned int n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % n;
}

/* Words that mean something: ids, kinds with counts, ends of ranges. */
static uint32_t odd_word(size_t len)
{
	switch (draw(6)) {
	case 0: return draw(64);
	case 1: return len - draw(64);
	case 2: return ~0u - draw(8);
	case 3: return draw(32) << 24 | draw(4);
	case 4: return draw(256) << 24 | draw(0x1000000);
	default: return 1u << draw(32);
	}
}

static void damage(uint8_t *data, size_t len)
{
	unsigned int n = 1 + draw(6), at;
	uint32_t word;

	while (n--) {
		/* The header breaks everything at once: leave it alone mostly. */
		at = len > 24 && draw(8) ? 24 + draw(len - 24) : draw(len);
		switch (draw(4)) {
		case 0:
			data[at] ^= 1 << draw(8);
			break;
		case 1:
			data[at] = draw(256);
			break;
		default:
			at &= ~3u;
			word = odd_word(len);
			if (at + 4 <= len)
				memcpy(data + at, &word, 4);
		}
	}
}

/* Circles, unnamed structures in each other, long lists. */
static void blob_odd(struct blob *b)
{
	unsigned int i;

	blob_init(b);
	blob_ptr(b, 2);
	blob_proto(b, 1, blob_params(1, 3, 1));
	blob_array(b, 1, 3);
	blob_func(b, "f", 2);
	for (i = 0; i < 4; i++) {
		blob_type(b, BTF_KIND_STRUCT, i ? "" : "s", 3, 8);
		blob_member(b, "", 6 + i, 0);
		blob_member(b, "", 6 + i, 8);
		blob_member(b, "y", 1, 16);
	}
	blob_int(b, "int");
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 100000, i;
	static struct blob blobs[2];
	uint8_t *seeds[2], *data;
	size_t lens[2], len;

	if (argc > 2)
		seed = strtoul(argv[2], NULL, 0) | 1;
	blob_everything(&blobs[0]);
	blob_odd(&blobs[1]);
	for (i = 0; i < 2; i++)
		seeds[i] = blob_finish(&blobs[i], &lens[i]);
	for (i = 0; i < rounds; i++) {
		unsigned int which = draw(2);

		len = lens[which] - (draw(16) ? 0 : draw(lens[which]));
		data = malloc(len);
		memcpy(data, seeds[which], len);
		damage(data, len);
		LLVMFuzzerTestOneInput(data, len);
		free(data);
	}
	free(seeds[0]);
	free(seeds[1]);
	printf("ok - %lu damaged BTFs did no harm\n", rounds);
	return 0;
}
#endif
