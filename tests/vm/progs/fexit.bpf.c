// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts returns of packet_sendmsg(), from a BPF trampoline that calls it: for
 * tests of a function that has two users; see fentry.c.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__u64 calls;

SEC("fexit/packet_sendmsg")
int count(void *ctx)
{
	__sync_fetch_and_add(&calls, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
