/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Builds small BTF blobs by hand, for the tests and as seeds for the fuzzer.
 * A finished blob is an allocation of exactly its own size, so that a read one
 * byte too far is seen. Nothing is checked here: wrong blobs are the point.
 */
#ifndef XHR_BTF_BLOB_H
#define XHR_BTF_BLOB_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <linux/btf.h>

struct blob {
	struct btf_header hdr;
	unsigned char types[16384];
	char strs[8192];
	unsigned int next_id;
	unsigned int str_base;
};

static inline void blob_init(struct blob *b)
{
	memset(b, 0, sizeof(*b));
	b->hdr.magic = BTF_MAGIC;
	b->hdr.version = BTF_VERSION;
	b->hdr.hdr_len = sizeof(b->hdr);
	b->hdr.str_len = 1;
	b->next_id = 1;
}

/* Go on from @base, as the BTF of a module does from the kernel's. */
static inline void blob_init_split(struct blob *b, const struct blob *base)
{
	blob_init(b);
	b->next_id = base->next_id;
	b->str_base = base->hdr.str_len;
}

static inline unsigned int blob_str(struct blob *b, const char *s)
{
	unsigned int off = b->hdr.str_len, len = strlen(s) + 1;

	if (!len || !*s)
		return 0;
	assert(off + len <= sizeof(b->strs));
	memcpy(b->strs + off, s, len);
	b->hdr.str_len += len;
	return b->str_base + off;
}

static inline void blob_u32(struct blob *b, unsigned int v)
{
	assert(b->hdr.type_len + 4 <= sizeof(b->types));
	memcpy(b->types + b->hdr.type_len, &v, 4);
	b->hdr.type_len += 4;
}

static inline unsigned int blob_raw(struct blob *b, unsigned int name, unsigned int info,
				    unsigned int size_or_type)
{
	blob_u32(b, name);
	blob_u32(b, info);
	blob_u32(b, size_or_type);
	return b->next_id++;
}

#define BLOB_KFLAG (1u << 31)

static inline unsigned int blob_type(struct blob *b, unsigned int kind, const char *name,
				     unsigned int vlen, unsigned int size_or_type)
{
	return blob_raw(b, blob_str(b, name), kind << 24 | vlen, size_or_type);
}

static inline unsigned int blob_int(struct blob *b, const char *name)
{
	unsigned int id = blob_type(b, BTF_KIND_INT, name, 0, 4);

	blob_u32(b, BTF_INT_SIGNED << 24 | 32);
	return id;
}

static inline unsigned int blob_ref(struct blob *b, unsigned int kind, unsigned int type)
{
	return blob_type(b, kind, "", 0, type);
}

static inline unsigned int blob_ptr(struct blob *b, unsigned int type)
{
	return blob_ref(b, BTF_KIND_PTR, type);
}

static inline unsigned int blob_array(struct blob *b, unsigned int elem, unsigned int n)
{
	unsigned int id = blob_type(b, BTF_KIND_ARRAY, "", 0, 0);

	blob_u32(b, elem);
	blob_u32(b, elem);
	blob_u32(b, n);
	return id;
}

static inline unsigned int blob_proto(struct blob *b, unsigned int ret, unsigned int n,
				      const unsigned int *params)
{
	unsigned int id = blob_type(b, BTF_KIND_FUNC_PROTO, "", n, ret), i;

	for (i = 0; i < n; i++) {
		blob_u32(b, 0);
		blob_u32(b, params[i]);
	}
	return id;
}

#define blob_params(...)							\
	sizeof((unsigned int[]){ __VA_ARGS__ }) / sizeof(unsigned int),	\
	(unsigned int[]){ __VA_ARGS__ }

static inline unsigned int blob_func(struct blob *b, const char *name, unsigned int proto)
{
	return blob_type(b, BTF_KIND_FUNC, name, 0, proto);
}

static inline void blob_member(struct blob *b, const char *name, unsigned int type,
			       unsigned int off)
{
	blob_u32(b, blob_str(b, name));
	blob_u32(b, type);
	blob_u32(b, off);
}

/* The finished bytes, to be freed. The strings come last. */
static inline void *blob_finish(struct blob *b, size_t *len)
{
	unsigned char *data;

	b->hdr.str_off = b->hdr.type_off + b->hdr.type_len;
	*len = b->hdr.hdr_len + b->hdr.str_off + b->hdr.str_len;
	data = calloc(1, *len);
	assert(data);
	memcpy(data, &b->hdr, sizeof(b->hdr));
	memcpy(data + b->hdr.hdr_len + b->hdr.type_off, b->types, b->hdr.type_len);
	memcpy(data + b->hdr.hdr_len + b->hdr.str_off, b->strs, b->hdr.str_len);
	return data;
}

/* Something of every kind; ids of what tests look up are found by name. */
static inline void blob_everything(struct blob *b)
{
	unsigned int i32, u32t, tdef, st, un, fwds, fwdu, en, en64, flt, cst, vol, tag, arr, fn, var;

	blob_init(b);
	i32 = blob_int(b, "int");
	u32t = blob_int(b, "unsigned int");
	tdef = blob_type(b, BTF_KIND_TYPEDEF, "gfp_t", 0, u32t);
	st = blob_type(b, BTF_KIND_STRUCT, "sock", 3, 24);
	blob_member(b, "first", i32, 0);
	blob_member(b, "second", i32, 64);
	blob_member(b, "third", i32, 128);
	un = blob_type(b, BTF_KIND_UNION, "both", 2, 4);
	blob_member(b, "a", i32, 0);
	blob_member(b, "b", u32t, 0);
	en = blob_type(b, BTF_KIND_ENUM, "verdict", 1, 4);
	blob_u32(b, blob_str(b, "DROP"));
	blob_u32(b, 1);
	en64 = blob_type(b, BTF_KIND_ENUM64, "wide", 1, 8);
	blob_u32(b, blob_str(b, "WIDE"));
	blob_u32(b, 1);
	blob_u32(b, 0);
	fwds = blob_type(b, BTF_KIND_FWD, "later", 0, 0);
	fwdu = blob_raw(b, blob_str(b, "mixed"), BLOB_KFLAG | BTF_KIND_FWD << 24, 0);
	flt = blob_type(b, BTF_KIND_FLOAT, "double", 0, 8);
	cst = blob_ref(b, BTF_KIND_CONST, st);
	vol = blob_ref(b, BTF_KIND_VOLATILE, i32);
	tag = blob_type(b, BTF_KIND_TYPE_TAG, "user", 0, i32);
	arr = blob_array(b, i32, 16);
	fn = blob_proto(b, i32, blob_params(blob_ptr(b, 0), i32));

	blob_func(b, "all_kinds",
		  blob_proto(b, blob_ptr(b, st),
			     blob_params(i32, tdef, blob_ptr(b, st), blob_ptr(b, un), en, en64,
					 blob_ptr(b, fwds), blob_ptr(b, fwdu), flt,
					 blob_ptr(b, cst), blob_ptr(b, vol), blob_ptr(b, tag),
					 blob_ptr(b, arr), blob_ptr(b, fn))));
	var = blob_type(b, BTF_KIND_VAR, "jiffies", 0, i32);
	blob_u32(b, 1);
	blob_type(b, BTF_KIND_DATASEC, ".data", 1, 4);
	blob_u32(b, var);
	blob_u32(b, 0);
	blob_u32(b, 4);
	blob_type(b, BTF_KIND_DECL_TAG, "kfunc", 0, var);
	blob_u32(b, ~0u);
	blob_func(b, "last", blob_proto(b, 0, 0, NULL));
}

#define BLOB_EVERYTHING_PROTO						\
	"struct sock *(int, gfp_t, struct sock *, union both *, enum verdict, enum wide, " \
	"struct later *, union mixed *, double, const struct sock *, volatile int *, int *, " \
	"int (*)[16], int (*)(void *, int))"

#endif
