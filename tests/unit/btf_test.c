// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests module/btf.c, compiled as it stands, on blobs made by hand and, with
 * arguments, on BTF files made by a compiler:
 *
 *   btf_test                    the tests
 *   btf_test FILE [FUNCTION]    print prototypes, for btf_crosscheck
 *
 * Built with sanitizers: a read outside a blob ends the program.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <cmocka.h>

#include "../../module/btf.h"
#include "btf_blob.h"

static struct blob blob;

/* Each takes the shared blob as built so far. */
static void *open_blob(struct xhr_btf *btf)
{
	size_t len;
	void *data = blob_finish(&blob, &len);

	assert_int_equal(xhr_btf_open(btf, data, len), 0);
	return data;
}

static void expect_open(int want)
{
	struct xhr_btf btf;
	size_t len;
	void *data = blob_finish(&blob, &len);
	int err = xhr_btf_open(&btf, data, len);

	assert_int_equal(err, want);
	if (!err)
		xhr_btf_close(&btf);
	free(data);
}

static void expect_proto(const char *name, const char *want)
{
	struct xhr_btf btf;
	void *data = open_blob(&btf);
	char buf[512];

	assert_int_equal(xhr_btf_proto(&btf, name, buf, sizeof(buf)), 0);
	assert_string_equal(buf, want);
	xhr_btf_close(&btf);
	free(data);
}

static int proto_error(const char *name)
{
	struct xhr_btf btf;
	void *data = open_blob(&btf);
	char buf[512] = "stale";
	int err = xhr_btf_proto(&btf, name, buf, sizeof(buf));

	if (err)
		assert_string_equal(buf, "");
	xhr_btf_close(&btf);
	free(data);
	return err;
}

static int offset_of(const char *name, const char *member)
{
	struct xhr_btf btf;
	void *data = open_blob(&btf);
	int ret = xhr_btf_member_offset(&btf, name, member);

	xhr_btf_close(&btf);
	free(data);
	return ret;
}

/* --- what is printed --------------------------------------------------------- */

static void every_kind(void **state)
{
	(void)state;
	blob_everything(&blob);
	expect_proto("all_kinds", BLOB_EVERYTHING_PROTO);
	expect_proto("last", "void (void)");
}

static void pointers(void **state)
{
	unsigned int i, c, p;

	(void)state;
	blob_init(&blob);
	i = blob_int(&blob, "int");
	c = blob_ref(&blob, BTF_KIND_CONST, i);
	p = blob_ptr(&blob, i);
	blob_func(&blob, "f",
		  blob_proto(&blob, 0,
			     blob_params(blob_ptr(&blob, p), blob_ptr(&blob, c),
					 blob_ref(&blob, BTF_KIND_CONST, p),
					 blob_ptr(&blob, blob_ref(&blob, BTF_KIND_CONST, p)),
					 blob_ref(&blob, BTF_KIND_RESTRICT, blob_ptr(&blob, c)),
					 blob_ptr(&blob, blob_ref(&blob, BTF_KIND_CONST, 0)),
					 blob_ptr(&blob, blob_ref(&blob, BTF_KIND_VOLATILE, c)))));
	expect_proto("f", "void (int **, const int *, int *const, int *const *, "
		     "const int *restrict, const void *, volatile const int *)");
}

static void function_pointers(void **state)
{
	unsigned int i, fn, pfn, ret_fn, nest;

	(void)state;
	blob_init(&blob);
	i = blob_int(&blob, "int");
	fn = blob_proto(&blob, blob_ptr(&blob, 0), blob_params(i));
	pfn = blob_ptr(&blob, fn);
	/* Returns a pointer to function; takes one that takes one. */
	ret_fn = blob_proto(&blob, pfn, blob_params(i, 0));
	nest = blob_ptr(&blob, blob_proto(&blob, i, blob_params(pfn)));
	blob_func(&blob, "f", ret_fn);
	blob_func(&blob, "g",
		  blob_proto(&blob, 0, blob_params(nest, blob_ptr(&blob, pfn),
						   blob_ptr(&blob, ret_fn),
						   blob_ref(&blob, BTF_KIND_CONST, pfn))));
	expect_proto("f", "void *(*(int, ...))(int)");
	expect_proto("g", "void (int (*)(void *(*)(int)), void *(**)(int), "
		     "void *(*(*)(int, ...))(int), void *(*const)(int))");
}

static void arrays(void **state)
{
	unsigned int i, a;

	(void)state;
	blob_init(&blob);
	i = blob_int(&blob, "int");
	a = blob_array(&blob, blob_array(&blob, blob_ptr(&blob, i), 4294967295u), 0);
	blob_func(&blob, "f", blob_proto(&blob, 0, blob_params(blob_ptr(&blob, a))));
	expect_proto("f", "void (int *(*)[0][4294967295])");
}

static void anonymous(void **state)
{
	unsigned int s, none;

	(void)state;
	blob_init(&blob);
	s = blob_type(&blob, BTF_KIND_STRUCT, "", 0, 0);
	none = blob_int(&blob, "");
	blob_func(&blob, "f", blob_proto(&blob, 0, blob_params(blob_ptr(&blob, s))));
	blob_func(&blob, "g", blob_proto(&blob, none, 0, NULL));
	expect_proto("f", "void (struct (anonymous) *)");
	assert_int_equal(proto_error("g"), -EINVAL);
}

static void forward_references(void **state)
{
	(void)state;
	blob_init(&blob);
	blob_func(&blob, "f", 2);
	blob_proto(&blob, 3, blob_params(4));
	blob_int(&blob, "int");
	blob_int(&blob, "long int");
	expect_proto("f", "int (long int)");
}

/* --- finding by name ------------------------------------------------------------- */

static void names(void **state)
{
	(void)state;
	blob_everything(&blob);
	assert_int_equal(proto_error("all_kind"), -ENOENT);
	assert_int_equal(proto_error("all_kindss"), -ENOENT);
	assert_int_equal(proto_error("lastt"), -ENOENT);	/* beyond the section's end */
	assert_int_equal(proto_error("sock"), -ENOENT);		/* not a function */
	assert_int_equal(proto_error("jiffies"), -ENOENT);
	assert_int_equal(proto_error(""), -ENOENT);
	blob_func(&blob, "", blob_proto(&blob, 0, 0, NULL));
	assert_int_equal(proto_error(""), -ENOENT);
}

static void duplicates(void **state)
{
	unsigned int i, one, two;

	(void)state;
	blob_init(&blob);
	i = blob_int(&blob, "int");
	one = blob_proto(&blob, i, blob_params(i));
	two = blob_proto(&blob, i, blob_params(blob_int(&blob, "int")));
	blob_func(&blob, "same", one);
	blob_func(&blob, "same", two);
	blob_func(&blob, "differ", one);
	blob_func(&blob, "differ", blob_proto(&blob, i, blob_params(i, i)));
	blob_func(&blob, "returns", blob_proto(&blob, 0, blob_params(i)));
	blob_func(&blob, "returns", one);
	/* One text begins like the other, in either order. */
	blob_func(&blob, "longer", blob_proto(&blob, i, blob_params(blob_int(&blob, "i"))));
	blob_func(&blob, "longer", blob_proto(&blob, i, blob_params(blob_int(&blob, "in"))));
	blob_func(&blob, "shorter", blob_proto(&blob, i, blob_params(blob_int(&blob, "in"))));
	blob_func(&blob, "shorter", blob_proto(&blob, i, blob_params(blob_int(&blob, "i"))));
	/* The second one is broken. */
	blob_func(&blob, "broken", one);
	blob_func(&blob, "broken", i);
	expect_proto("same", "int (int)");
	assert_int_equal(proto_error("differ"), -ENOTUNIQ);
	assert_int_equal(proto_error("returns"), -ENOTUNIQ);
	assert_int_equal(proto_error("longer"), -ENOTUNIQ);
	assert_int_equal(proto_error("shorter"), -ENOTUNIQ);
	assert_int_equal(proto_error("broken"), -EINVAL);
}

static void buffer_sizes(void **state)
{
	size_t full = sizeof(BLOB_EVERYTHING_PROTO), n;
	struct xhr_btf btf;
	void *data;

	(void)state;
	blob_everything(&blob);
	data = open_blob(&btf);
	for (n = 0; n <= full + 1; n++) {
		char *buf = malloc(n ? n : 1);
		int err;

		buf[0] = 'x';
		err = xhr_btf_proto(&btf, "all_kinds", buf, n);
		assert_int_equal(err, n < full ? -E2BIG : 0);
		if (n)
			assert_string_equal(buf, n < full ? "" : BLOB_EVERYTHING_PROTO);
		else
			assert_int_equal(buf[0], 'x');
		free(buf);
	}
	xhr_btf_close(&btf);
	free(data);
}

/* --- malformed ------------------------------------------------------------------- */

static void headers(void **state)
{
	(void)state;
#define bad(field, value) do {						\
		blob_everything(&blob);					\
		size_t len;						\
		struct xhr_btf btf;					\
		char *data = blob_finish(&blob, &len);			\
		struct btf_header *h = (void *)data;			\
		h->field = (value);					\
		assert_int_equal(xhr_btf_open(&btf, data, len), -EINVAL); \
		free(data);						\
	} while (0)
	bad(magic, 0x9feb);	/* the other byte order */
	bad(magic, 0);
	bad(version, 2);
	bad(version, 0);
	bad(flags, 1);
	bad(hdr_len, 0);
	bad(hdr_len, 23);
	bad(hdr_len, h->hdr_len + 4);
	bad(hdr_len, ~0u);
	bad(type_off, ~0u);
	bad(type_off, 0u - h->hdr_len);
	bad(type_len, ~0u);
	bad(type_len, h->type_len - 4);
	bad(type_len, h->type_len + 1);
	bad(str_off, ~0u);
	bad(str_off, h->str_off + 1);
	bad(str_len, ~0u);
	bad(str_len, h->str_len + 1);
	bad(str_len, h->str_len - 1);	/* the last name without its NUL */
	bad(str_len, 0);
#undef bad
}

/* A header without room for its own fields, though the sections lie well. */
static void header_too_short(void **state)
{
	struct btf_header *h;
	struct xhr_btf btf;
	size_t len;
	void *data;

	(void)state;
	blob_everything(&blob);
	data = blob_finish(&blob, &len);
	h = data;
	h->type_off += h->hdr_len - 20;
	h->str_off += h->hdr_len - 20;
	h->hdr_len = 20;
	assert_int_equal(xhr_btf_open(&btf, data, len), -EINVAL);
	free(data);
}

/* A longer header, as newer kernels have, and sections in any order. */
static void header_may_grow(void **state)
{
	(void)state;
	blob_everything(&blob);
	blob.hdr.hdr_len = 32;
	blob.hdr.type_off = 12;
	expect_proto("all_kinds", BLOB_EVERYTHING_PROTO);
}

static void truncated(void **state)
{
	size_t len, n;
	char *data;

	(void)state;
	blob_everything(&blob);
	data = blob_finish(&blob, &len);
	for (n = 0; n < len; n++) {
		struct xhr_btf btf;
		char *cut = malloc(n ? n : 1);

		memcpy(cut, data, n);
		assert_int_equal(xhr_btf_open(&btf, cut, n), -EINVAL);
		free(cut);
	}
	free(data);
}

/* The type section ends within a record, and the header says so. */
static void truncated_types(void **state)
{
	unsigned int full, n, good = 0;

	(void)state;
	blob_everything(&blob);
	full = blob.hdr.type_len;
	for (n = 0; n <= full; n++) {
		struct xhr_btf btf;
		char buf[512];
		size_t len;
		void *data;
		int err;

		blob.hdr.type_len = n;
		data = blob_finish(&blob, &len);
		err = xhr_btf_open(&btf, data, len);
		if (!err) {
			good++;
			err = xhr_btf_proto(&btf, "all_kinds", buf, sizeof(buf));
			assert_true(!err || err == -ENOENT || err == -EINVAL);
			xhr_btf_close(&btf);
		} else {
			assert_int_equal(err, -EINVAL);
		}
		free(data);
	}
	/* Only at the borders of records. */
	assert_int_equal(good, blob.next_id);
}

static void unaligned(void **state)
{
	struct xhr_btf btf;
	char buf[512];
	size_t len;
	char *data, *off;

	(void)state;
	blob_everything(&blob);
	data = blob_finish(&blob, &len);
	off = malloc(len + 1);
	memcpy(off + 1, data, len);
	assert_int_equal(xhr_btf_open(&btf, off + 1, len), 0);
	assert_int_equal(xhr_btf_proto(&btf, "all_kinds", buf, sizeof(buf)), 0);
	assert_string_equal(buf, BLOB_EVERYTHING_PROTO);
	xhr_btf_close(&btf);
	free(off);
	free(data);
}

static void strings(void **state)
{
	(void)state;
	blob_everything(&blob);
	blob.strs[0] = 'x';
	expect_open(-EINVAL);
	blob_everything(&blob);
	blob.strs[blob.hdr.str_len - 1] = 'x';
	expect_open(-EINVAL);
	/* A name at the last byte is empty, one behind it is nowhere. */
	blob_everything(&blob);
	blob_raw(&blob, blob.hdr.str_len - 1, BTF_KIND_PTR << 24, 0);
	expect_open(0);
	blob_everything(&blob);
	blob_raw(&blob, blob.hdr.str_len, BTF_KIND_PTR << 24, 0);
	expect_open(-EINVAL);
	blob_everything(&blob);
	blob_raw(&blob, ~0u, BTF_KIND_PTR << 24, 0);
	expect_open(-EINVAL);
}

static void unknown_kinds(void **state)
{
	unsigned int kind;

	(void)state;
	for (kind = 0; kind < 128; kind++) {
		if (kind >= BTF_KIND_INT && kind <= BTF_KIND_ENUM64)
			continue;
		blob_everything(&blob);
		blob_raw(&blob, 0, kind << 24, 0);
		expect_open(-EINVAL);
	}
}

static void huge_counts(void **state)
{
	static const unsigned int kinds[] = {
		BTF_KIND_STRUCT, BTF_KIND_UNION, BTF_KIND_ENUM, BTF_KIND_ENUM64,
		BTF_KIND_DATASEC, BTF_KIND_FUNC_PROTO,
	};
	static const unsigned int counts[] = { 1, 2, 0xffff, 0x10000, 0x555556, 0xffffff };
	unsigned int i, j;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		for (j = 0; j < sizeof(counts) / sizeof(*counts); j++) {
			blob_everything(&blob);
			blob_type(&blob, kinds[i], "huge", counts[j], 0);
			expect_open(-EINVAL);
		}
	}
}

static void wrong_ids(void **state)
{
	static const unsigned int bad[] = { 1000, 0x7fffffff, 0xffffffff };
	static const char *const places[] = { "type", "ret", "param", "ptr", "elem", "const" };
	unsigned int i, j, id;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		blob_init(&blob);
		id = blob_int(&blob, "int");
		blob_func(&blob, "type", bad[i]);
		blob_func(&blob, "ret", blob_proto(&blob, bad[i], 0, NULL));
		blob_func(&blob, "param", blob_proto(&blob, id, blob_params(bad[i])));
		blob_func(&blob, "ptr", blob_proto(&blob, id, blob_params(blob_ptr(&blob, bad[i]))));
		blob_func(&blob, "elem",
			  blob_proto(&blob, id,
				     blob_params(blob_ptr(&blob, blob_array(&blob, bad[i], 2)))));
		blob_func(&blob, "const",
			  blob_proto(&blob, blob_ref(&blob, BTF_KIND_CONST, bad[i]), 0, NULL));
		for (j = 0; j < sizeof(places) / sizeof(*places); j++)
			assert_int_equal(proto_error(places[j]), -EINVAL);
	}
	/* Of a kind that cannot stand there. */
	blob_init(&blob);
	id = blob_int(&blob, "int");
	blob_func(&blob, "void", 0);
	blob_func(&blob, "int", id);
	blob_func(&blob, "func", 2);
	blob_func(&blob, "param", blob_proto(&blob, id, blob_params(2)));
	blob_func(&blob, "void_param", blob_proto(&blob, id, blob_params(0, id)));
	assert_int_equal(proto_error("void"), -EINVAL);
	assert_int_equal(proto_error("int"), -EINVAL);
	assert_int_equal(proto_error("func"), -EINVAL);
	assert_int_equal(proto_error("param"), -EINVAL);
	/* Not C, but it says what is there; it cannot equal what a wrapper expects. */
	expect_proto("void_param", "int (void, int)");
}

static void circles(void **state)
{
	static const unsigned int kinds[] = {
		BTF_KIND_PTR, BTF_KIND_CONST, BTF_KIND_VOLATILE, BTF_KIND_RESTRICT, BTF_KIND_TYPE_TAG,
	};
	unsigned int i, id, err;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		blob_init(&blob);
		blob_ref(&blob, kinds[i], 1);
		blob_func(&blob, "f", blob_proto(&blob, 0, blob_params(1)));
		assert_int_equal(proto_error("f"), -EINVAL);
	}
	/* By two, an array of itself, a function that takes or returns itself. */
	blob_init(&blob);
	blob_ptr(&blob, 2);
	blob_ref(&blob, BTF_KIND_CONST, 1);
	blob_func(&blob, "f", blob_proto(&blob, 1, 0, NULL));
	assert_int_equal(proto_error("f"), -EINVAL);

	blob_init(&blob);
	id = blob_array(&blob, 1, 2);
	blob_func(&blob, "f", blob_proto(&blob, 0, blob_params(id)));
	assert_int_equal(proto_error("f"), -EINVAL);

	blob_init(&blob);
	blob_ptr(&blob, 2);
	id = blob_proto(&blob, 0, blob_params(1, 1, 1, 1, 1, 1, 1, 1));
	blob_func(&blob, "f", id);
	err = proto_error("f");
	assert_true(err == (unsigned int)-EINVAL || err == (unsigned int)-E2BIG);

	blob_init(&blob);
	blob_ptr(&blob, 2);
	blob_func(&blob, "f", blob_proto(&blob, 1, 0, NULL));
	assert_int_equal(proto_error("f"), -EINVAL);

	/* A circle through a name is none: the name is where printing ends. */
	blob_init(&blob);
	blob_type(&blob, BTF_KIND_TYPEDEF, "t", 0, 1);
	blob_func(&blob, "f", blob_proto(&blob, 1, 0, NULL));
	expect_proto("f", "t (void)");
}

static void deep(void **state)
{
	unsigned int id = 0, i;

	(void)state;
	blob_init(&blob);
	for (i = 0; i < 12; i++)
		id = blob_ptr(&blob, id);
	blob_func(&blob, "f", blob_proto(&blob, id, 0, NULL));
	for (; i < 100; i++)
		id = blob_ptr(&blob, id);
	blob_func(&blob, "g", blob_proto(&blob, id, 0, NULL));
	expect_proto("f", "void ************(void)");
	assert_int_equal(proto_error("g"), -EINVAL);
}

/* --- members ---------------------------------------------------------------------- */

static void members(void **state)
{
	unsigned int i, inner, un, mod;

	(void)state;
	blob_everything(&blob);
	assert_int_equal(offset_of("sock", "first"), 0);
	assert_int_equal(offset_of("sock", "second"), 8);
	assert_int_equal(offset_of("sock", "third"), 16);
	assert_int_equal(offset_of("sock", "fourth"), -ENOENT);
	assert_int_equal(offset_of("sock", ""), -ENOENT);
	assert_int_equal(offset_of("socks", "first"), -ENOENT);
	assert_int_equal(offset_of("", "first"), -ENOENT);
	assert_int_equal(offset_of("both", "a"), -ENOENT);	/* a union */

	/* Within unnamed structures and unions, also qualified ones. */
	blob_init(&blob);
	i = blob_int(&blob, "int");
	un = blob_type(&blob, BTF_KIND_UNION, "", 2, 8);
	blob_member(&blob, "u1", i, 0);
	blob_member(&blob, "u2", i, 32);
	mod = blob_ref(&blob, BTF_KIND_CONST, un);
	inner = blob_type(&blob, BTF_KIND_STRUCT, "", 2, 16);
	blob_member(&blob, "i1", i, 0);
	blob_member(&blob, "", mod, 64);
	blob_type(&blob, BTF_KIND_STRUCT, "outer", 4, 64);
	blob_member(&blob, "o1", i, 0);
	blob_member(&blob, "", i, 32);		/* padding */
	blob_member(&blob, "", inner, 128);
	blob_member(&blob, "o2", i, 256);
	assert_int_equal(offset_of("outer", "o1"), 0);
	assert_int_equal(offset_of("outer", "i1"), 16);
	assert_int_equal(offset_of("outer", "u1"), 24);
	assert_int_equal(offset_of("outer", "u2"), 28);
	assert_int_equal(offset_of("outer", "o2"), 32);
	assert_int_equal(offset_of("outer", ""), -ENOENT);
	assert_int_equal(offset_of("", "i1"), -ENOENT);
}

static void bit_fields(void **state)
{
	unsigned int i;

	(void)state;
	blob_init(&blob);
	i = blob_int(&blob, "int");
	blob_raw(&blob, blob_str(&blob, "s"), BLOB_KFLAG | BTF_KIND_STRUCT << 24 | 3, 16);
	blob_member(&blob, "plain", i, 64);
	blob_member(&blob, "bits", i, 3u << 24 | 96);
	blob_member(&blob, "odd", i, 97);
	assert_int_equal(offset_of("s", "plain"), 8);
	assert_int_equal(offset_of("s", "bits"), -EINVAL);
	assert_int_equal(offset_of("s", "odd"), -EINVAL);
	/* Without the flag all of it is the offset. */
	blob_init(&blob);
	i = blob_int(&blob, "int");
	blob_type(&blob, BTF_KIND_STRUCT, "s", 1, 16);
	blob_member(&blob, "far", i, 3u << 24 | 96);
	assert_int_equal(offset_of("s", "far"), (3 << 24 | 96) / 8);
}

static void duplicate_structs(void **state)
{
	unsigned int i;

	(void)state;
	blob_init(&blob);
	i = blob_int(&blob, "int");
	blob_type(&blob, BTF_KIND_STRUCT, "s", 2, 16);
	blob_member(&blob, "same", i, 0);
	blob_member(&blob, "differs", i, 32);
	blob_type(&blob, BTF_KIND_STRUCT, "s", 3, 16);
	blob_member(&blob, "same", i, 0);
	blob_member(&blob, "differs", i, 64);
	blob_member(&blob, "new", i, 32);
	assert_int_equal(offset_of("s", "same"), 0);
	assert_int_equal(offset_of("s", "differs"), -ENOTUNIQ);
	assert_int_equal(offset_of("s", "new"), -ENOTUNIQ);
	assert_int_equal(offset_of("s", "none"), -ENOENT);
}

static void malformed_structs(void **state)
{
	unsigned int i, k;

	(void)state;
	/* Of itself, unnamed: without end. */
	blob_init(&blob);
	blob_type(&blob, BTF_KIND_STRUCT, "s", 1, 16);
	blob_member(&blob, "", 1, 0);
	assert_int_equal(offset_of("s", "x"), -EINVAL);

	/* Sixteen in each, ten deep: 2^40 visits if nobody counted. */
	blob_init(&blob);
	for (i = 0; i < 10; i++) {
		blob_type(&blob, BTF_KIND_STRUCT, i ? "" : "s", 16, 16);
		for (k = 0; k < 16; k++)
			blob_member(&blob, "", i + 2, 0);
	}
	blob_int(&blob, "int");
	assert_int_equal(offset_of("s", "x"), -EINVAL);

	/* Names and types out of bounds. */
	blob_init(&blob);
	blob_type(&blob, BTF_KIND_STRUCT, "s", 1, 16);
	blob_u32(&blob, 5000);
	blob_u32(&blob, 0);
	blob_u32(&blob, 0);
	assert_int_equal(offset_of("s", "x"), -EINVAL);
	blob_init(&blob);
	blob_type(&blob, BTF_KIND_STRUCT, "s", 1, 16);
	blob_member(&blob, "", 5000, 0);
	assert_int_equal(offset_of("s", "x"), -EINVAL);

	/* Offsets that add up to more than fits an int. */
	blob_init(&blob);
	for (i = 0; i < 12; i++) {
		blob_type(&blob, BTF_KIND_STRUCT, i ? "" : "s", 1, 16);
		blob_member(&blob, i == 11 ? "x" : "", i + 2, 0xfffffff8);
	}
	assert_int_equal(offset_of("s", "x"), -EINVAL);
}

/* --- a module's BTF ----------------------------------------------------------------- */

static void split(void **state)
{
	static struct blob base_blob, mod_blob;
	struct xhr_btf base, mod, third;
	unsigned int own;
	size_t base_len, len;
	void *base_data, *data;
	char buf[512];

	(void)state;
	blob_everything(&base_blob);
	base_data = blob_finish(&base_blob, &base_len);
	assert_int_equal(xhr_btf_open(&base, base_data, base_len), 0);

	blob_init_split(&mod_blob, &base_blob);
	mod_blob.hdr.str_len = 0;	/* no empty name of its own */
	own = blob_type(&mod_blob, BTF_KIND_STRUCT, "mine", 2, 16);
	blob_member(&mod_blob, "one", 1, 0);
	blob_member(&mod_blob, "two", 1, 32);
	blob_func(&mod_blob, "mod_fn",
		  blob_proto(&mod_blob, 1, blob_params(blob_ptr(&mod_blob, own),
						       blob_ptr(&mod_blob, 4), 3)));
	blob_func(&mod_blob, "mod_bad", blob_proto(&mod_blob, mod_blob.next_id + 5, 0, NULL));
	data = blob_finish(&mod_blob, &len);
	assert_int_equal(xhr_btf_open_split(&mod, &base, data, len), 0);
	assert_int_equal(xhr_btf_proto(&mod, "mod_fn", buf, sizeof(buf)), 0);
	assert_string_equal(buf, "int (struct mine *, struct sock *, gfp_t)");
	assert_int_equal(xhr_btf_proto(&mod, "mod_bad", buf, sizeof(buf)), -EINVAL);
	assert_int_equal(xhr_btf_proto(&mod, "all_kinds", buf, sizeof(buf)), -ENOENT);
	assert_int_equal(xhr_btf_proto(&base, "mod_fn", buf, sizeof(buf)), -ENOENT);
	assert_int_equal(xhr_btf_member_offset(&mod, "mine", "two"), 4);
	assert_int_equal(xhr_btf_member_offset(&mod, "sock", "second"), -ENOENT);
	free(data);
	/* One floor only, even for one that is empty. */
	blob_init_split(&mod_blob, &base_blob);
	mod_blob.hdr.str_len = 0;
	data = blob_finish(&mod_blob, &len);
	assert_int_equal(xhr_btf_open_split(&third, &mod, data, len), -EINVAL);
	free(data);
	xhr_btf_close(&mod);
	/* A name must be within the two. */
	blob_raw(&mod_blob, mod_blob.str_base + mod_blob.hdr.str_len, BTF_KIND_PTR << 24, 0);
	data = blob_finish(&mod_blob, &len);
	assert_int_equal(xhr_btf_open_split(&mod, &base, data, len), -EINVAL);
	free(data);

	/* An empty one is fine. */
	blob_init_split(&mod_blob, &base_blob);
	mod_blob.hdr.str_len = 0;
	data = blob_finish(&mod_blob, &len);
	assert_int_equal(xhr_btf_open_split(&mod, &base, data, len), 0);
	assert_int_equal(xhr_btf_proto(&mod, "x", buf, sizeof(buf)), -ENOENT);
	xhr_btf_close(&mod);
	free(data);
	xhr_btf_close(&base);
	free(base_data);
}

/* --- real ones ------------------------------------------------------------------------ */

static void *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	size_t room = 1 << 16, n;
	char *data = malloc(room);

	if (!f) {
		free(data);
		return NULL;
	}
	*len = 0;
	while ((n = fread(data + *len, 1, room - *len, f)) > 0) {
		*len += n;
		if (*len == room)
			data = realloc(data, room *= 2);
	}
	fclose(f);
	return data;
}

/* Made from sample.c as the kernel's BTF is made; the texts are what a reader of C expects. */
static void compiled(void **state)
{
	static const struct { const char *name, *proto; } want[] = {
		{ "plain", "int (int, char)" },
		{ "nothing", "void (void)" },
		{ "variable", "int (const char *, ...)" },
		{ "pointers", "struct node *(struct node **, const struct node *, const char *const *)" },
		{ "callback", "long int (int (*)(void *, size_type), void *)" },
		{ "returns_callback", "int (*(int))(void *, size_type)" },
		{ "table", "int (int (*)[4], enum color, union value *)" },
		{ "ten", "long int (long int, int, short int, char, long int, void *, int, long int, "
		  "const char *, unsigned int)" },
		{ "qualified", "void (volatile int *, int *const *)" },
		{ "opaque", "void (struct unknown *)" },
	};
	const char *path = getenv("SAMPLE_BTF");
	struct xhr_btf btf;
	char buf[512];
	size_t len, i;
	void *data = path ? read_file(path, &len) : NULL;

	(void)state;
	if (!data)
		skip();
	assert_int_equal(xhr_btf_open(&btf, data, len), 0);
	for (i = 0; i < sizeof(want) / sizeof(*want); i++) {
		assert_int_equal(xhr_btf_proto(&btf, want[i].name, buf, sizeof(buf)), 0);
		assert_string_equal(buf, want[i].proto);
	}
	assert_int_equal(xhr_btf_member_offset(&btf, "node", "next"), 0);
	assert_int_equal(xhr_btf_member_offset(&btf, "node", "number"), 8);
	assert_int_equal(xhr_btf_member_offset(&btf, "node", "text"), 8);
	assert_int_equal(xhr_btf_member_offset(&btf, "node", "flag"), -EINVAL);
	assert_int_equal(xhr_btf_member_offset(&btf, "node", "last"), 20);
	xhr_btf_close(&btf);
	free(data);
}

/* The running kernel's own, where there is one. */
static void running_kernel(void **state)
{
	struct xhr_btf btf;
	char buf[512];
	size_t len;
	void *data = read_file("/sys/kernel/btf/vmlinux", &len);
	clock_t start = clock();

	(void)state;
	if (!data)
		skip();
	assert_int_equal(xhr_btf_open(&btf, data, len), 0);
	assert_int_equal(xhr_btf_proto(&btf, "kfree_skb_list_reason", buf, sizeof(buf)) == -EINVAL, 0);
	assert_int_equal(xhr_btf_proto(&btf, "vfs_fsync", buf, sizeof(buf)), 0);
	assert_string_equal(buf, "int (struct file *, int)");
	assert_true(xhr_btf_member_offset(&btf, "sk_buff", "data") > 0);
	assert_true(clock() - start < 2 * CLOCKS_PER_SEC);
	xhr_btf_close(&btf);
	free(data);
}

/* Each function of a file, or one, with what is printed for it. */
static int dump(const char *path, const char *only)
{
	struct xhr_btf btf;
	char buf[4096];
	size_t len;
	void *data = read_file(path, &len);
	char line[512];
	int err;

	if (!data || xhr_btf_open(&btf, data, len)) {
		fprintf(stderr, "%s: no BTF\n", path);
		return 1;
	}
	if (only) {
		err = xhr_btf_proto(&btf, only, buf, sizeof(buf));
		printf("%s\t%d\t%s\n", only, err, buf);
	} else {
		while (fgets(line, sizeof(line), stdin)) {
			line[strcspn(line, "\n")] = 0;
			err = xhr_btf_proto(&btf, line, buf, sizeof(buf));
			printf("%s\t%d\t%s\n", line, err, buf);
		}
	}
	xhr_btf_close(&btf);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind),
		cmocka_unit_test(pointers),
		cmocka_unit_test(function_pointers),
		cmocka_unit_test(arrays),
		cmocka_unit_test(anonymous),
		cmocka_unit_test(forward_references),
		cmocka_unit_test(names),
		cmocka_unit_test(duplicates),
		cmocka_unit_test(buffer_sizes),
		cmocka_unit_test(headers),
		cmocka_unit_test(header_too_short),
		cmocka_unit_test(header_may_grow),
		cmocka_unit_test(truncated),
		cmocka_unit_test(truncated_types),
		cmocka_unit_test(unaligned),
		cmocka_unit_test(strings),
		cmocka_unit_test(unknown_kinds),
		cmocka_unit_test(huge_counts),
		cmocka_unit_test(wrong_ids),
		cmocka_unit_test(circles),
		cmocka_unit_test(deep),
		cmocka_unit_test(members),
		cmocka_unit_test(bit_fields),
		cmocka_unit_test(duplicate_structs),
		cmocka_unit_test(malformed_structs),
		cmocka_unit_test(split),
		cmocka_unit_test(compiled),
		cmocka_unit_test(running_kernel),
	};

	if (argc > 1)
		return dump(argv[1], argc > 2 ? argv[2] : NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
