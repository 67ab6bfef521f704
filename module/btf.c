// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads raw BTF: prints the prototype of a function, finds the offset of a
 * structure's member. The hook engine decides with it whether a kernel function
 * is the one that a wrapper was written for, so a wrong answer here is a crash
 * there: whatever is odd is an error, never a guess.
 *
 * Functions here run in process context and may sleep. They are pure: the same
 * file is compiled by the unit tests and the fuzzer, so nothing of the kernel
 * may be used but what the few lines below provide for both.
 *
 * Nothing in the array is trusted. xhr_btf_open() checks each record against
 * the end of its section and each name against the end of the strings; type
 * ids, which may point forward, are checked where they are followed. Types can
 * form circles, so every walk is bounded in depth, and in steps where it
 * branches without writing.
 */
#ifdef __KERNEL__
#include <linux/btf.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#define xhr_btf_alloc(n)	kvmalloc_array(n, sizeof(u32), GFP_KERNEL)
#define xhr_btf_free(p)		kvfree(p)
#else
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <linux/btf.h>
typedef __u64 u64;
#define xhr_btf_alloc(n)	calloc(n, sizeof(u32))
#define xhr_btf_free(p)		free(p)
#endif

#include "btf.h"

/* Bits that older kernels leave zero are part of the wider fields of newer ones. */
#define XHR_BTF_KIND(info)	((info) >> 24 & 0x7f)
#define XHR_BTF_VLEN(info)	((info) & 0xffffff)
#define XHR_BTF_KFLAG(info)	((info) >> 31)

/* Without the sections that newer headers add: they are not needed. */
#define XHR_BTF_HDR_MIN		24

/* Real types need a handful; the kernel's stack bears no more than this. */
#define XHR_BTF_DEPTH		16
#define XHR_BTF_STEPS		65536

/*
 * A type record, copied out; what follows it is at offset @data of @types. In a
 * split BTF that is not always the section of the BTF that was asked.
 */
struct xhr_btf_rec {
	const void *types;
	u32 name;
	u32 kind;
	u32 vlen;
	bool kflag;
	u32 type;
	u32 data;
};

/*
 * Where a prototype goes: into @buf, or, with @compare, against the text that
 * is there already.
 */
struct xhr_btf_out {
	char *buf;
	size_t size;
	size_t len;
	bool compare;
	char last;
	int err;
};

static u32 xhr_btf_u32(const void *base, u32 off)
{
	u32 val;

	memcpy(&val, (const char *)base + off, sizeof(val));
	return val;
}

static void xhr_btf_decode(const void *types, u32 off, struct xhr_btf_rec *rec)
{
	u32 info = xhr_btf_u32(types, off + 4);

	rec->types = types;
	rec->name = xhr_btf_u32(types, off);
	rec->kind = XHR_BTF_KIND(info);
	rec->vlen = XHR_BTF_VLEN(info);
	rec->kflag = XHR_BTF_KFLAG(info);
	rec->type = xhr_btf_u32(types, off + 8);
	rec->data = off + sizeof(struct btf_type);
}

/* Bytes behind the record proper, or -EINVAL for a kind that we do not know. */
static int xhr_btf_tail(u32 kind, u32 vlen)
{
	switch (kind) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return vlen * 8;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case BTF_KIND_ENUM64:
		return vlen * 12;
	default:
		return -EINVAL;
	}
}

/*
 * Name at offset @off, which goes on counting where the strings of the base
 * end; NULL if it lies outside. @max, if wanted, is how far it may be read.
 */
static const char *xhr_btf_str(const struct xhr_btf *btf, u32 off, u32 *max)
{
	if (btf->base) {
		if (off < btf->base->strs_len)
			return xhr_btf_str(btf->base, off, max);
		off -= btf->base->strs_len;
	}
	if (off >= btf->strs_len)
		return NULL;
	if (max)
		*max = btf->strs_len - off;
	return btf->strs + off;
}

/*
 * Walk all records. With @offs, note where each one starts; without, check
 * them and count.
 */
static int xhr_btf_walk(struct xhr_btf *btf, u32 *offs)
{
	struct xhr_btf_rec rec;
	u32 off = 0, nr = btf->first, left;
	int tail;

	while (off < btf->types_len) {
		left = btf->types_len - off;
		if (left < sizeof(struct btf_type))
			return -EINVAL;
		xhr_btf_decode(btf->types, off, &rec);
		left -= sizeof(struct btf_type);
		tail = xhr_btf_tail(rec.kind, rec.vlen);
		if (tail < 0 || left < (u32)tail)
			return -EINVAL;
		if (!xhr_btf_str(btf, rec.name, NULL))
			return -EINVAL;
		if (offs)
			offs[nr - btf->first] = off;
		nr++;
		off = rec.data + tail;
	}
	btf->nr = nr;
	return 0;
}

static bool xhr_btf_section_ok(u32 hdr_len, u32 off, u32 len, size_t total)
{
	return (u64)hdr_len + off + len <= total;
}

int xhr_btf_open_split(struct xhr_btf *btf, const struct xhr_btf *base,
		       const void *data, size_t len)
{
	struct btf_header hdr;
	u32 *offs;
	int err;

	memset(btf, 0, sizeof(*btf));
	btf->base = base;
	btf->first = base ? base->nr : 1;
	if (base && base->base)
		return -EINVAL;
	if (len < XHR_BTF_HDR_MIN)
		return -EINVAL;
	memcpy(&hdr, data, XHR_BTF_HDR_MIN);
	if (hdr.magic != BTF_MAGIC || hdr.version != BTF_VERSION || hdr.flags)
		return -EINVAL;
	if (hdr.hdr_len < XHR_BTF_HDR_MIN ||
	    !xhr_btf_section_ok(hdr.hdr_len, hdr.type_off, hdr.type_len, len) ||
	    !xhr_btf_section_ok(hdr.hdr_len, hdr.str_off, hdr.str_len, len))
		return -EINVAL;

	btf->types = (const char *)data + hdr.hdr_len + hdr.type_off;
	btf->types_len = hdr.type_len;
	btf->strs = (const char *)data + hdr.hdr_len + hdr.str_off;
	btf->strs_len = hdr.str_len;

	/* Offset 0 is the empty name, and every name ends within the section. */
	if (btf->strs_len ? btf->strs[btf->strs_len - 1] : !base)
		return -EINVAL;
	if (!base && btf->strs[0])
		return -EINVAL;

	err = xhr_btf_walk(btf, NULL);
	if (err)
		return err;
	/* One more than needed: never an empty allocation. */
	offs = xhr_btf_alloc(btf->nr - btf->first + 1);
	if (!offs)
		return -ENOMEM;
	err = xhr_btf_walk(btf, offs);
	if (err) {
		xhr_btf_free(offs);
		return err;
	}
	btf->offs = offs;
	return 0;
}

int xhr_btf_open(struct xhr_btf *btf, const void *data, size_t len)
{
	return xhr_btf_open_split(btf, NULL, data, len);
}

void xhr_btf_close(struct xhr_btf *btf)
{
	xhr_btf_free(btf->offs);
	memset(btf, 0, sizeof(*btf));
}

/* Record of type @id. There is none for void, which has id 0. */
static int xhr_btf_get(const struct xhr_btf *btf, u32 id, struct xhr_btf_rec *rec)
{
	if (id < btf->first && btf->base)
		btf = btf->base;
	if (id < btf->first || id >= btf->nr)
		return -EINVAL;
	xhr_btf_decode(btf->types, btf->offs[id - btf->first], rec);
	return 0;
}

/* @len counts the NUL. Most names differ early: that is cheap. */
static bool xhr_btf_name_is(const struct xhr_btf *btf, u32 off, const char *name, size_t len)
{
	u32 max;
	const char *str = xhr_btf_str(btf, off, &max);

	return str && *str == *name && max >= len && !memcmp(str, name, len);
}

static int xhr_btf_putc(struct xhr_btf_out *out, char c)
{
	if (out->err)
		return out->err;
	if (out->compare) {
		/* The text there is complete, so a NUL stops us at its end. */
		if (out->buf[out->len] != c)
			out->err = -ENOTUNIQ;
	} else if (out->len >= out->size) {
		out->err = -E2BIG;
	} else {
		out->buf[out->len] = c;
	}
	out->len++;
	out->last = c;
	return out->err;
}

static int xhr_btf_puts(struct xhr_btf_out *out, const char *s)
{
	while (*s && !xhr_btf_putc(out, *s))
		s++;
	return out->err;
}

/* A word, or a '*', after whatever comes before. */
static int xhr_btf_word(struct xhr_btf_out *out, const char *s)
{
	if (out->last && out->last != '*' && out->last != '(' && out->last != ' ')
		xhr_btf_putc(out, ' ');
	return xhr_btf_puts(out, s);
}

static int xhr_btf_tagged(const struct xhr_btf *btf, struct xhr_btf_out *out,
			  const char *keyword, const struct xhr_btf_rec *rec)
{
	const char *name = xhr_btf_str(btf, rec->name, NULL);

	xhr_btf_word(out, keyword);
	return xhr_btf_word(out, name && *name ? name : "(anonymous)");
}

static int xhr_btf_named(const struct xhr_btf *btf, struct xhr_btf_out *out,
			 const struct xhr_btf_rec *rec)
{
	const char *name = xhr_btf_str(btf, rec->name, NULL);

	return name && *name ? xhr_btf_word(out, name) : -EINVAL;
}

static const char *xhr_btf_qualifier(u32 kind)
{
	switch (kind) {
	case BTF_KIND_CONST:
		return "const";
	case BTF_KIND_VOLATILE:
		return "volatile";
	case BTF_KIND_RESTRICT:
		return "restrict";
	default:
		return NULL;
	}
}

/*
 * Record of type @id behind its qualifiers and tags: 1 if there is one, 0 if
 * it is void.
 */
static int xhr_btf_strip(const struct xhr_btf *btf, u32 id, struct xhr_btf_rec *rec)
{
	int depth, err;

	for (depth = 0; depth < XHR_BTF_DEPTH; depth++) {
		if (!id)
			return 0;
		err = xhr_btf_get(btf, id, rec);
		if (err)
			return err;
		if (rec->kind != BTF_KIND_TYPE_TAG && !xhr_btf_qualifier(rec->kind))
			return 1;
		id = rec->type;
	}
	return -EINVAL;
}

/* Does a pointer to @id need parentheses around its declarator? */
static int xhr_btf_needs_parens(const struct xhr_btf *btf, u32 id)
{
	struct xhr_btf_rec rec;
	int err = xhr_btf_strip(btf, id, &rec);

	if (err <= 0)
		return err;
	return rec.kind == BTF_KIND_FUNC_PROTO || rec.kind == BTF_KIND_ARRAY;
}

static int xhr_btf_left(const struct xhr_btf *btf, struct xhr_btf_out *out, u32 id, int depth);
static int xhr_btf_right(const struct xhr_btf *btf, struct xhr_btf_out *out, u32 id, int depth);

static int xhr_btf_left_pointer(const struct xhr_btf *btf, struct xhr_btf_out *out,
				u32 target, int depth)
{
	int parens = xhr_btf_needs_parens(btf, target);
	int err;

	if (parens < 0)
		return parens;
	err = xhr_btf_left(btf, out, target, depth);
	if (err)
		return err;
	return xhr_btf_word(out, parens ? "(*" : "*");
}

/* A qualified pointer has its qualifier behind, all else in front. */
static int xhr_btf_left_qualified(const struct xhr_btf *btf, struct xhr_btf_out *out,
				  const char *qualifier, u32 target, int depth)
{
	struct xhr_btf_rec rec;
	int err = xhr_btf_strip(btf, target, &rec);

	if (err < 0)
		return err;
	if (err && rec.kind == BTF_KIND_PTR) {
		err = xhr_btf_left(btf, out, target, depth);
		return err ? err : xhr_btf_word(out, qualifier);
	}
	err = xhr_btf_word(out, qualifier);
	return err ? err : xhr_btf_left(btf, out, target, depth);
}

/* What stands left of a declarator's name. */
static int xhr_btf_left(const struct xhr_btf *btf, struct xhr_btf_out *out, u32 id, int depth)
{
	struct xhr_btf_rec rec;
	int err;

	if (!depth--)
		return -EINVAL;
	if (!id)
		return xhr_btf_word(out, "void");
	err = xhr_btf_get(btf, id, &rec);
	if (err)
		return err;

	switch (rec.kind) {
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPEDEF:
		return xhr_btf_named(btf, out, &rec);
	case BTF_KIND_STRUCT:
		return xhr_btf_tagged(btf, out, "struct", &rec);
	case BTF_KIND_UNION:
		return xhr_btf_tagged(btf, out, "union", &rec);
	case BTF_KIND_FWD:
		return xhr_btf_tagged(btf, out, rec.kflag ? "union" : "struct", &rec);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return xhr_btf_tagged(btf, out, "enum", &rec);
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_FUNC_PROTO:
		return xhr_btf_left(btf, out, rec.type, depth);
	case BTF_KIND_ARRAY:
		return xhr_btf_left(btf, out, xhr_btf_u32(rec.types, rec.data), depth);
	case BTF_KIND_PTR:
		return xhr_btf_left_pointer(btf, out, rec.type, depth);
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
		return xhr_btf_left_qualified(btf, out, xhr_btf_qualifier(rec.kind),
					      rec.type, depth);
	default:
		return -EINVAL;
	}
}

/* A list of parameters with its parentheses. @rec is a FUNC_PROTO. */
static int xhr_btf_params(const struct xhr_btf *btf, struct xhr_btf_out *out,
			  const struct xhr_btf_rec *rec, int depth)
{
	u32 i, type;
	int err;

	xhr_btf_putc(out, '(');
	if (!rec->vlen)
		xhr_btf_puts(out, "void");
	for (i = 0; i < rec->vlen; i++) {
		if (i)
			xhr_btf_puts(out, ", ");
		type = xhr_btf_u32(rec->types, rec->data + i * 8 + 4);
		if (!type && i + 1 == rec->vlen) {
			xhr_btf_puts(out, "...");
			break;
		}
		err = xhr_btf_left(btf, out, type, depth);
		if (err)
			return err;
		err = xhr_btf_right(btf, out, type, depth);
		if (err)
			return err;
	}
	return xhr_btf_putc(out, ')');
}

static int xhr_btf_right_array(const struct xhr_btf *btf, struct xhr_btf_out *out,
			       const struct xhr_btf_rec *rec, int depth)
{
	u32 nelems = xhr_btf_u32(rec->types, rec->data + 8);
	char digits[10];
	int n = 0;

	do {
		digits[n++] = '0' + nelems % 10;
		nelems /= 10;
	} while (nelems);
	xhr_btf_putc(out, '[');
	while (n)
		xhr_btf_putc(out, digits[--n]);
	if (xhr_btf_putc(out, ']'))
		return out->err;
	return xhr_btf_right(btf, out, xhr_btf_u32(rec->types, rec->data), depth);
}

/* What stands right of a declarator's name. */
static int xhr_btf_right(const struct xhr_btf *btf, struct xhr_btf_out *out, u32 id, int depth)
{
	struct xhr_btf_rec rec;
	int err, parens;

	if (!depth--)
		return -EINVAL;
	if (!id)
		return 0;
	err = xhr_btf_get(btf, id, &rec);
	if (err)
		return err;

	switch (rec.kind) {
	case BTF_KIND_PTR:
		parens = xhr_btf_needs_parens(btf, rec.type);
		if (parens < 0)
			return parens;
		if (parens && xhr_btf_putc(out, ')'))
			return out->err;
		return xhr_btf_right(btf, out, rec.type, depth);
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return xhr_btf_right(btf, out, rec.type, depth);
	case BTF_KIND_ARRAY:
		return xhr_btf_right_array(btf, out, &rec, depth);
	case BTF_KIND_FUNC_PROTO:
		err = xhr_btf_params(btf, out, &rec, depth);
		return err ? err : xhr_btf_right(btf, out, rec.type, depth);
	default:
		return 0;
	}
}

/* @id is what a FUNC points to. */
static int xhr_btf_print_proto(const struct xhr_btf *btf, struct xhr_btf_out *out, u32 id)
{
	struct xhr_btf_rec rec;
	int err = xhr_btf_get(btf, id, &rec);

	if (err)
		return err;
	if (rec.kind != BTF_KIND_FUNC_PROTO)
		return -EINVAL;
	err = xhr_btf_left(btf, out, rec.type, XHR_BTF_DEPTH);
	if (err)
		return err;
	if (out->last != '*' && xhr_btf_putc(out, ' '))
		return out->err;
	err = xhr_btf_params(btf, out, &rec, XHR_BTF_DEPTH);
	if (err)
		return err;
	err = xhr_btf_right(btf, out, rec.type, XHR_BTF_DEPTH);
	if (err)
		return err;
	return xhr_btf_putc(out, '\0');
}

int xhr_btf_proto(const struct xhr_btf *btf, const char *name, char *buf, size_t size)
{
	struct xhr_btf_out out = {};
	size_t len = strlen(name) + 1;
	struct xhr_btf_rec rec;
	bool found = false;
	u32 id;
	int err;

	if (size)
		buf[0] = '\0';
	if (!*name)
		return -ENOENT;
	for (id = btf->first; id < btf->nr; id++) {
		xhr_btf_decode(btf->types, btf->offs[id - btf->first], &rec);
		if (rec.kind != BTF_KIND_FUNC || !xhr_btf_name_is(btf, rec.name, name, len))
			continue;
		memset(&out, 0, sizeof(out));
		out.buf = buf;
		out.size = size;
		out.compare = found;
		err = xhr_btf_print_proto(btf, &out, rec.type);
		if (err) {
			if (size)
				buf[0] = '\0';
			return err;
		}
		found = true;
	}
	return found ? 0 : -ENOENT;
}

/* One search for a member, in a structure and the unnamed ones within it. */
struct xhr_btf_search {
	const char *member;
	u32 steps;
};

/* Bits from the start of structure @rec to the member, or an error. */
static int xhr_btf_find_member(const struct xhr_btf *btf, struct xhr_btf_search *search,
			       const struct xhr_btf_rec *rec, u64 *bits, int depth)
{
	u32 i, at, type, off;
	struct xhr_btf_rec inner;
	const char *name;
	bool bit_field;
	int err;

	if (!depth--)
		return -EINVAL;
	for (i = 0; i < rec->vlen; i++) {
		if (!search->steps--)
			return -EINVAL;
		at = rec->data + i * 12;
		name = xhr_btf_str(btf, xhr_btf_u32(rec->types, at), NULL);
		type = xhr_btf_u32(rec->types, at + 4);
		off = xhr_btf_u32(rec->types, at + 8);
		bit_field = rec->kflag && off >> 24;
		if (!name)
			return -EINVAL;

		if (!strcmp(name, search->member)) {
			if (bit_field)
				return -EINVAL;
			*bits += off;
			return 0;
		}
		if (*name || bit_field)
			continue;
		/* No name: its members are ours, unless it is mere padding. */
		err = xhr_btf_strip(btf, type, &inner);
		if (err < 0)
			return err;
		if (!err || (inner.kind != BTF_KIND_STRUCT && inner.kind != BTF_KIND_UNION))
			continue;
		err = xhr_btf_find_member(btf, search, &inner, bits, depth);
		if (!err)
			*bits += off;
		if (err != -ENOENT)
			return err;
	}
	return -ENOENT;
}

static int xhr_btf_offset_in(const struct xhr_btf *btf, const struct xhr_btf_rec *rec,
			     const char *member)
{
	struct xhr_btf_search search = {
		.member = member,
		.steps = XHR_BTF_STEPS,
	};
	u64 bits = 0;
	int err;

	err = xhr_btf_find_member(btf, &search, rec, &bits, XHR_BTF_DEPTH);
	if (err)
		return err;
	if (bits % 8 || bits / 8 > 0x7fffffff)
		return -EINVAL;
	return bits / 8;
}

int xhr_btf_member_offset(const struct xhr_btf *btf, const char *name, const char *member)
{
	size_t len = strlen(name) + 1;
	struct xhr_btf_rec rec;
	bool found = false;
	int off, ret = -ENOENT;
	u32 id;

	if (!*name || !*member)
		return -ENOENT;
	for (id = btf->first; id < btf->nr; id++) {
		xhr_btf_decode(btf->types, btf->offs[id - btf->first], &rec);
		if (rec.kind != BTF_KIND_STRUCT || !xhr_btf_name_is(btf, rec.name, name, len))
			continue;
		off = xhr_btf_offset_in(btf, &rec, member);
		if (found && off != ret)
			return -ENOTUNIQ;
		found = true;
		ret = off;
	}
	return ret;
}
