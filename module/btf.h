/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads raw BTF to tell what a kernel function or a private structure really
 * looks like in the running kernel. Pure C over a byte array, shared with the
 * unit tests and the fuzzer; the array is not trusted: no index is used before
 * it was checked, and no recursion is unbounded.
 */
#ifndef XHR_BTF_H
#define XHR_BTF_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>
typedef __u32 u32;
#endif

/**
 * struct xhr_btf - an opened BTF
 * @types: type section
 * @types_len: its length in bytes
 * @strs: string section, ends with a NUL
 * @strs_len: its length in bytes
 * @base: the BTF that a split one (a module's) goes on from, or NULL
 * @first: first type id that is ours: 1, or where the base ends
 * @nr: first type id that is nobody's
 * @offs: for each of our type ids, less @first, its offset in @types
 */
struct xhr_btf {
	const void *types;
	u32 types_len;
	const char *strs;
	u32 strs_len;
	const struct xhr_btf *base;
	u32 first;
	u32 nr;
	u32 *offs;
};

/*
 * Open @data (it must stay in place while @btf is used). Return 0, -EINVAL if
 * this is no BTF that we can read, or -ENOMEM. Close with xhr_btf_close().
 */
int xhr_btf_open(struct xhr_btf *btf, const void *data, size_t len);

/*
 * The same for the BTF of a module, which goes on where @base (the kernel's; it
 * must stay open) ends. Lookups by name see the module's own types only; those
 * may refer to the base.
 */
int xhr_btf_open_split(struct xhr_btf *btf, const struct xhr_btf *base,
		       const void *data, size_t len);

void xhr_btf_close(struct xhr_btf *btf);

/*
 * Write the prototype of function @name as text, for example
 * "struct sk_buff *(struct sock *, long unsigned int, long unsigned int, int, int *, int)".
 * Qualifiers (const) are kept, typedefs are kept by name, parameter names are
 * left out, function pointers are "int (*)(void *, char *)"; base types by the
 * names that BTF has ("long unsigned int", "int", "unsigned int"). No parameters
 * are "(void)", variable ones end in "...".
 * Return 0, -ENOENT (no such function), -ENOTUNIQ (several that differ),
 * -E2BIG (does not fit), -EINVAL (malformed).
 */
int xhr_btf_proto(const struct xhr_btf *btf, const char *name, char *buf, size_t size);

/* Byte offset of @member in struct @name, or -ENOENT, -ENOTUNIQ, -EINVAL. */
int xhr_btf_member_offset(const struct xhr_btf *btf, const char *name, const char *member);

#endif
