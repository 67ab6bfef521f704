// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts calls of version_proc_show(), from within a BPF trampoline at its
 * entry. For tests of a function that has two users; see fentry.c.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__u64 calls;

SEC("fentry/version_proc_show")
int count(void *ctx)
{
	__sync_fetch_and_add(&calls, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
