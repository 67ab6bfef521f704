/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note OR BSD-2-Clause */
/*
 * The ABI of xhroom: the generic netlink family through which the module
 * xdp_skbext is configured and watched. Included by the module and by programs;
 * docs/netlink/xhroom.yaml describes the same in machine-readable form, and a
 * test compares the two with the running family.
 *
 * Rules of this file: every list is append-only and starts at 1; a number, once
 * released, is never reused. Integers are in host byte order. Strings end with
 * a NUL. A flag attribute is true when it is there.
 *
 * Rules of the family: requests are validated strictly. An attribute that a
 * command does not know, that is too short, too long or out of range, or bytes
 * behind the last attribute make the request fail with -EINVAL or -ERANGE, and
 * the extended acknowledgment (NETLINK_EXT_ACK) says in words why and where.
 */
#ifndef _UAPI_LINUX_XHROOM_H
#define _UAPI_LINUX_XHROOM_H

#define XHROOM_GENL_NAME		"xhroom"
#define XHROOM_GENL_VERSION		1

/*
 * Multicast group: each change of a device's settings, in the device's network
 * namespace; each change of the policies, in the initial one.
 */
#define XHROOM_MCGRP_CONFIG		"config"

/* Largest value of XHROOM_A_DEV_TX_EXTRA_HEADROOM, in bytes. */
#define XHROOM_TX_EXTRA_HEADROOM_MAX	512

/* Smallest value of XHROOM_A_DEV_TX_AUTO_MAX, in bytes. */
#define XHROOM_TX_AUTO_MAX_MIN		16

/* Smallest and largest value of XHROOM_A_DEV_XDP_HEADROOM_MIN, in bytes. */
#define XHROOM_XDP_HEADROOM_MIN_MIN	192
#define XHROOM_XDP_HEADROOM_MIN_MAX	256

/* So many policies can be made. */
#define XHROOM_POLICIES_MAX		256

/**
 * enum xhroom_cmd - commands of the family
 *
 * @XHROOM_CMD_DEV_GET: settings of network devices (&enum xhroom_a_dev).
 *	As a request for one device: give %XHROOM_A_DEV_IFINDEX or
 *	%XHROOM_A_DEV_IFNAME, not both; the reply has all its settings, defaults
 *	included. As a dump: no attributes; one message for each device that has
 *	a setting which differs from the default, in no particular order. Only
 *	devices of the caller's network namespace are seen. Needs no privilege.
 *	Fails with -ENODEV if there is no such device.
 * @XHROOM_CMD_DEV_SET: change settings of one device of the caller's network
 *	namespace, named as in %XHROOM_CMD_DEV_GET. Settings that are not given
 *	stay as they are. The reply, and a notification to listeners, carry all
 *	settings after the change. Needs CAP_NET_ADMIN in the initial user
 *	namespace. Fails, without having changed anything, with -EPERM; -EINVAL
 *	if no setting is given; -ERANGE; -ENODEV; -EOPNOTSUPP if this kernel cannot
 *	do it (the extended acknowledgment says why); -EBUSY if somebody else
 *	holds a kernel function that has to be hooked, or ftrace is switched off;
 *	-ESHUTDOWN if the module is being removed; -ENOMEM.
 * @XHROOM_CMD_DEV_NTF: notification, to the group "config" of the device's
 *	network namespace: the settings of a device have been set, the device has
 *	been renamed or has come from another namespace with its settings, or
 *	(with %XHROOM_A_DEV_GONE) its settings are no longer to be seen here: it
 *	was removed or left for another namespace, or the module is going.
 * @XHROOM_CMD_STATUS_GET: what the module can do on this kernel
 *	(&enum xhroom_a_status). Dump only, no attributes. The first message
 *	holds the module's version; then follows one for each feature, then one
 *	for each hook. Needs no privilege.
 * @XHROOM_CMD_STATS_GET: counters of network devices (&enum xhroom_a_stats).
 *	Requests, dump and errors as %XHROOM_CMD_DEV_GET. Counters start at zero
 *	when a device gets its first setting and end with its last.
 * @XHROOM_CMD_POLICY_GET: policies (&enum xhroom_a_policy): settings that devices
 *	get when they register, in every network namespace. Dump only, no
 *	attributes; one message for each policy, in the order in which they were
 *	made. Needs no privilege.
 * @XHROOM_CMD_POLICY_SET: make a policy, or change settings of the one with the
 *	same %XHROOM_A_POLICY_KIND and %XHROOM_A_POLICY_NAME, of which at least one
 *	is given. Settings that are not given stay as they are; in a new policy
 *	they have their defaults. Devices that are there already stay as they are.
 *	The reply, and a notification, carry the policy after the change. Needs
 *	CAP_NET_ADMIN in the initial user namespace. Fails, without having changed
 *	anything, as %XHROOM_CMD_DEV_SET, or with -ENOSPC if there are
 *	%XHROOM_POLICIES_MAX policies.
 * @XHROOM_CMD_POLICY_DEL: take the policy with this %XHROOM_A_POLICY_KIND and
 *	%XHROOM_A_POLICY_NAME away. Devices keep what they have. Needs
 *	CAP_NET_ADMIN in the initial user namespace. Fails with -EPERM; -EINVAL;
 *	-ENOENT if there is no such policy; -ESHUTDOWN; -ENOMEM.
 * @XHROOM_CMD_POLICY_NTF: notification, to the group "config" of the initial
 *	network namespace: a policy has been made or changed, or (with
 *	%XHROOM_A_POLICY_GONE) taken away.
 */
enum xhroom_cmd {
	XHROOM_CMD_DEV_GET = 1,
	XHROOM_CMD_DEV_SET,
	XHROOM_CMD_DEV_NTF,
	XHROOM_CMD_STATUS_GET,
	XHROOM_CMD_STATS_GET,
	XHROOM_CMD_POLICY_GET,
	XHROOM_CMD_POLICY_SET,
	XHROOM_CMD_POLICY_DEL,
	XHROOM_CMD_POLICY_NTF,

	/* private: */
	__XHROOM_CMD_MAX,
	XHROOM_CMD_MAX = (__XHROOM_CMD_MAX - 1)
};

/**
 * enum xhroom_tx_head - where the head of a packet of a local socket comes from
 *
 * Native XDP on the other end of a veth takes a packet as it is, without a copy,
 * only if it has 256 bytes of headroom and its head is a page fragment.
 *
 * @XHROOM_TX_HEAD_AUTO: page fragments while the device is a veth that has extra
 *	headroom and native XDP is attached to its other end, slab memory otherwise.
 * @XHROOM_TX_HEAD_SLAB: slab memory, as in the stock kernel.
 * @XHROOM_TX_HEAD_PAGE_FRAG: page fragments, with or without extra headroom.
 *	What does not fit into a page comes from slab memory.
 */
enum xhroom_tx_head {
	XHROOM_TX_HEAD_AUTO = 1,
	XHROOM_TX_HEAD_SLAB,
	XHROOM_TX_HEAD_PAGE_FRAG,

	/* private: */
	__XHROOM_TX_HEAD_MAX,
	XHROOM_TX_HEAD_MAX = (__XHROOM_TX_HEAD_MAX - 1)
};

/**
 * enum xhroom_tx_auto_reason - why a learned value is what it is
 *
 * @XHROOM_TX_AUTO_REASON_NOTHING: no packet has lacked headroom yet.
 * @XHROOM_TX_AUTO_REASON_LACKED: packets lacked headroom; with this value none does.
 * @XHROOM_TX_AUTO_REASON_LIMITED: packets lack headroom, and the value is at its
 *	bound.
 * @XHROOM_TX_AUTO_REASON_LOWERED: packets did not need as much any more.
 */
enum xhroom_tx_auto_reason {
	XHROOM_TX_AUTO_REASON_NOTHING = 1,
	XHROOM_TX_AUTO_REASON_LACKED,
	XHROOM_TX_AUTO_REASON_LIMITED,
	XHROOM_TX_AUTO_REASON_LOWERED,
};

/**
 * enum xhroom_xdp_linearize - whether generic XDP makes packets linear first
 *
 * A packet whose fragments stay where they are is seen by the program up to the end
 * of its linear part, which is at least 128 bytes of it; helpers that take an offset
 * read all of it. Writing behind the linear part fails with -EOPNOTSUPP, as does letting
 * the packet grow at its end. A packet is made linear all the same if somebody else
 * has it, or may change or need its fragments: those of sendfile() and of zero-copy
 * senders, lists, memory of a page pool.
 *
 * @XHROOM_XDP_LINEARIZE_ON: always, as in the stock kernel.
 * @XHROOM_XDP_LINEARIZE_OFF: never.
 * @XHROOM_XDP_LINEARIZE_FRAGS: not for programs that were loaded with the promise
 *	to know fragments (BPF_F_XDP_HAS_FRAGS).
 */
enum xhroom_xdp_linearize {
	XHROOM_XDP_LINEARIZE_ON = 1,
	XHROOM_XDP_LINEARIZE_OFF,
	XHROOM_XDP_LINEARIZE_FRAGS,

	/* private: */
	__XHROOM_XDP_LINEARIZE_MAX,
	XHROOM_XDP_LINEARIZE_MAX = (__XHROOM_XDP_LINEARIZE_MAX - 1)
};

/**
 * enum xhroom_a_dev - settings of one network device
 *
 * @XHROOM_A_DEV_IFINDEX: u32, at least 1. Index of the device in the network
 *	namespace of the socket.
 * @XHROOM_A_DEV_IFNAME: string, at most 127 characters. In a request: its name
 *	or an alternative name; in a message from the kernel: its name.
 * @XHROOM_A_DEV_TX_EXTRA_HEADROOM: u32, bytes, 0 to
 *	%XHROOM_TX_EXTRA_HEADROOM_MAX, default 0. Headroom that a packet of a
 *	local socket gets in addition to what the device itself asks for. Setting
 *	it ends learning; while the device learns, what it has learned.
 * @XHROOM_A_DEV_GONE: flag, only in %XHROOM_CMD_DEV_NTF: the device, or the
 *	module, is no longer there, or the device has left this network namespace.
 * @XHROOM_A_DEV_TX_HEAD: u32, &enum xhroom_tx_head, default
 *	%XHROOM_TX_HEAD_AUTO.
 * @XHROOM_A_DEV_TX_AUTO_MAX: u32, bytes, %XHROOM_TX_AUTO_MAX_MIN to
 *	%XHROOM_TX_EXTRA_HEADROOM_MAX, rounded down to a multiple of 16 in use; by
 *	default not there. The extra headroom is learned: it becomes the smallest
 *	multiple of 16 that is enough for whatever is pushed in front of packets
 *	of local sockets on this device, but not more than this. Not together with
 *	%XHROOM_A_DEV_TX_EXTRA_HEADROOM in one request. Setting another bound
 *	begins anew.
 * @XHROOM_A_DEV_TX_AUTO_REASON: u32, &enum xhroom_tx_auto_reason; this and the next
 *	two only from the kernel, and only while the device learns.
 * @XHROOM_A_DEV_TX_AUTO_CHANGED: u32, seconds since the value last changed.
 * @XHROOM_A_DEV_TX_AUTO_FUNCTION: string, the kernel function that wanted more
 *	headroom when the value last rose; not there if none has, or if its module
 *	is gone.
 * @XHROOM_A_DEV_XDP_HEADROOM_MIN: u32, bytes, %XHROOM_XDP_HEADROOM_MIN_MIN to
 *	%XHROOM_XDP_HEADROOM_MIN_MAX; in a request 0 stands for the default, which is
 *	that of the module parameter xdp_headroom_min: 256, as in the stock kernel,
 *	unless given. A packet that this device has received goes to generic XDP, or
 *	to native XDP on veth, without a copy if it has so much headroom in front of
 *	its Ethernet header, is linear, and nobody else has it; for native XDP its
 *	head must be a page fragment, too. bpf_xdp_adjust_head() can then add at
 *	least 40 bytes less than this to a packet, and gives -EINVAL beyond.
 * @XHROOM_A_DEV_XDP_LINEARIZE: u32, &enum xhroom_xdp_linearize, default
 *	%XHROOM_XDP_LINEARIZE_ON.
 */
enum xhroom_a_dev {
	XHROOM_A_DEV_IFINDEX = 1,
	XHROOM_A_DEV_IFNAME,
	XHROOM_A_DEV_TX_EXTRA_HEADROOM,
	XHROOM_A_DEV_GONE,
	XHROOM_A_DEV_TX_HEAD,
	XHROOM_A_DEV_TX_AUTO_MAX,
	XHROOM_A_DEV_TX_AUTO_REASON,
	XHROOM_A_DEV_TX_AUTO_CHANGED,
	XHROOM_A_DEV_TX_AUTO_FUNCTION,
	XHROOM_A_DEV_XDP_HEADROOM_MIN,
	XHROOM_A_DEV_XDP_LINEARIZE,

	/* private: */
	__XHROOM_A_DEV_MAX,
	XHROOM_A_DEV_MAX = (__XHROOM_A_DEV_MAX - 1)
};

/**
 * enum xhroom_a_status - one part of the module's status; each message has one
 *
 * @XHROOM_A_STATUS_VERSION: string, version of the module.
 * @XHROOM_A_STATUS_FEATURE: nest of &enum xhroom_a_feature.
 * @XHROOM_A_STATUS_HOOK: nest of &enum xhroom_a_hook.
 */
enum xhroom_a_status {
	XHROOM_A_STATUS_VERSION = 1,
	XHROOM_A_STATUS_FEATURE,
	XHROOM_A_STATUS_HOOK,

	/* private: */
	__XHROOM_A_STATUS_MAX,
	XHROOM_A_STATUS_MAX = (__XHROOM_A_STATUS_MAX - 1)
};

/**
 * enum xhroom_a_feature - what the module can do, and why if it cannot
 *
 * @XHROOM_A_FEATURE_NAME: string, as in the module parameter features=.
 * @XHROOM_A_FEATURE_AVAILABLE: flag, can be used on this kernel.
 * @XHROOM_A_FEATURE_ATTACHED: flag, its hooks are in place.
 * @XHROOM_A_FEATURE_DISABLED: flag, left out by the module parameter features=.
 * @XHROOM_A_FEATURE_USERS: u32, number of devices and policies that use it.
 * @XHROOM_A_FEATURE_REASON: string, why it is not available, or why its hooks could
 *	not be attached last time, in words.
 */
enum xhroom_a_feature {
	XHROOM_A_FEATURE_NAME = 1,
	XHROOM_A_FEATURE_AVAILABLE,
	XHROOM_A_FEATURE_ATTACHED,
	XHROOM_A_FEATURE_DISABLED,
	XHROOM_A_FEATURE_USERS,
	XHROOM_A_FEATURE_REASON,

	/* private: */
	__XHROOM_A_FEATURE_MAX,
	XHROOM_A_FEATURE_MAX = (__XHROOM_A_FEATURE_MAX - 1)
};

/**
 * enum xhroom_a_hook - one hooked kernel function
 *
 * @XHROOM_A_HOOK_SYMBOL: string, name of the function.
 * @XHROOM_A_HOOK_MODULE: string, the module that owns it; not there for the
 *	kernel itself.
 * @XHROOM_A_HOOK_FEATURE: string, the feature that needs it.
 * @XHROOM_A_HOOK_STATE: u32, &enum xhroom_hook_state.
 * @XHROOM_A_HOOK_BACKEND: u32, &enum xhroom_hook_backend; only when attached.
 * @XHROOM_A_HOOK_CALLS: u64, calls that took the hook since the module was
 *	loaded.
 * @XHROOM_A_HOOK_INSIDE: u32, number of tasks that are in the hook at this
 *	moment.
 * @XHROOM_A_HOOK_REASON: string, why it is not ready or attached, in words.
 * @XHROOM_A_HOOK_HOLDER: string, who else holds the function, if known.
 * @XHROOM_A_HOOK_PAD: aligns 64-bit attributes, no content.
 */
enum xhroom_a_hook {
	XHROOM_A_HOOK_SYMBOL = 1,
	XHROOM_A_HOOK_MODULE,
	XHROOM_A_HOOK_FEATURE,
	XHROOM_A_HOOK_STATE,
	XHROOM_A_HOOK_BACKEND,
	XHROOM_A_HOOK_CALLS,
	XHROOM_A_HOOK_INSIDE,
	XHROOM_A_HOOK_REASON,
	XHROOM_A_HOOK_HOLDER,
	XHROOM_A_HOOK_PAD,

	/* private: */
	__XHROOM_A_HOOK_MAX,
	XHROOM_A_HOOK_MAX = (__XHROOM_A_HOOK_MAX - 1)
};

/**
 * enum xhroom_hook_state - where a hook is in its life
 *
 * @XHROOM_HOOK_STATE_ABSENT: this kernel has no such function, or only one that
 *	the compiler has changed.
 * @XHROOM_HOOK_STATE_WAITING: the module that owns the function is not loaded.
 * @XHROOM_HOOK_STATE_REFUSED: the function cannot be traced, is not the one that
 *	the hook was written for, or this could not be verified.
 * @XHROOM_HOOK_STATE_READY: found and verified; not attached: nobody needs it, or
 *	another hook of its feature could not be attached.
 * @XHROOM_HOOK_STATE_BUSY: could not be attached when it was last tried: somebody
 *	else holds the function, or ftrace refused or is switched off.
 * @XHROOM_HOOK_STATE_ATTACHED: calls take the hook.
 */
enum xhroom_hook_state {
	XHROOM_HOOK_STATE_ABSENT = 1,
	XHROOM_HOOK_STATE_WAITING,
	XHROOM_HOOK_STATE_REFUSED,
	XHROOM_HOOK_STATE_READY,
	XHROOM_HOOK_STATE_BUSY,
	XHROOM_HOOK_STATE_ATTACHED,
};

/**
 * enum xhroom_hook_backend - by what means a hook is attached
 *
 * @XHROOM_HOOK_BACKEND_DIRECT: the function's call site calls the module.
 * @XHROOM_HOOK_BACKEND_FTRACE: ftrace changes the instruction pointer.
 */
enum xhroom_hook_backend {
	XHROOM_HOOK_BACKEND_DIRECT = 1,
	XHROOM_HOOK_BACKEND_FTRACE,
};

/**
 * enum xhroom_a_stats - counters of one network device
 *
 * @XHROOM_A_STATS_IFINDEX: u32, as %XHROOM_A_DEV_IFINDEX.
 * @XHROOM_A_STATS_IFNAME: string, as %XHROOM_A_DEV_IFNAME.
 * @XHROOM_A_STATS_TX_HEADROOM_PACKETS: u64, packets that were allocated with
 *	extra headroom.
 * @XHROOM_A_STATS_TX_HEADROOM_BYTES: u64, extra bytes that they got, in total.
 * @XHROOM_A_STATS_TX_HEADROOM_FALLBACKS: u64, packets that lack extra headroom
 *	or a page fragment for want of memory.
 * @XHROOM_A_STATS_PAD: aligns 64-bit attributes, no content.
 * @XHROOM_A_STATS_TX_PAGE_FRAGS: u64, packets whose head is a page fragment.
 * @XHROOM_A_STATS_XDP_KEPT: u64, packets that XDP got as they were, where the stock
 *	kernel would have copied them. These and the following are counted while any
 *	device or policy has a %XHROOM_A_DEV_XDP_HEADROOM_MIN or
 *	%XHROOM_A_DEV_XDP_LINEARIZE other than the stock kernel's.
 * @XHROOM_A_STATS_XDP_COPIED_SHARED: u64, packets that were copied for XDP because
 *	somebody else has the same bytes (a tap, for example).
 * @XHROOM_A_STATS_XDP_COPIED_NONLINEAR: u64, those that were copied because they were
 *	not linear.
 * @XHROOM_A_STATS_XDP_COPIED_HEADROOM: u64, those that were copied for want of
 *	headroom.
 * @XHROOM_A_STATS_XDP_COPIED_HEAD: u64, those that were copied because their head was
 *	no page fragment. A packet counts once, in this order.
 */
enum xhroom_a_stats {
	XHROOM_A_STATS_IFINDEX = 1,
	XHROOM_A_STATS_IFNAME,
	XHROOM_A_STATS_TX_HEADROOM_PACKETS,
	XHROOM_A_STATS_TX_HEADROOM_BYTES,
	XHROOM_A_STATS_TX_HEADROOM_FALLBACKS,
	XHROOM_A_STATS_PAD,
	XHROOM_A_STATS_TX_PAGE_FRAGS,
	XHROOM_A_STATS_XDP_KEPT,
	XHROOM_A_STATS_XDP_COPIED_SHARED,
	XHROOM_A_STATS_XDP_COPIED_NONLINEAR,
	XHROOM_A_STATS_XDP_COPIED_HEADROOM,
	XHROOM_A_STATS_XDP_COPIED_HEAD,

	/* private: */
	__XHROOM_A_STATS_MAX,
	XHROOM_A_STATS_MAX = (__XHROOM_A_STATS_MAX - 1)
};

/**
 * enum xhroom_a_policy - one policy: which devices, and what they get
 *
 * Settings have the numbers that they have in &enum xhroom_a_dev. Of the policies
 * that are for a device, one with kind and name comes before one with a name
 * alone, and that before one with a kind alone; among equals the one that was
 * made last. That one alone counts.
 *
 * @XHROOM_A_POLICY_KIND: string, 1 to 55 letters, digits, '-', '_' and '.'. Link
 *	kind, as IFLA_INFO_KIND; not there: devices of any kind or none.
 * @XHROOM_A_POLICY_NAME: string, 1 to 127 characters, no '/', no ':' and no white
 *	space. Shell pattern (*, ? and [...]) of the name that a device registers
 *	with; not there: any.
 * @XHROOM_A_POLICY_TX_EXTRA_HEADROOM: as %XHROOM_A_DEV_TX_EXTRA_HEADROOM.
 * @XHROOM_A_POLICY_GONE: flag, only in %XHROOM_CMD_POLICY_NTF: it was taken away.
 * @XHROOM_A_POLICY_TX_HEAD: as %XHROOM_A_DEV_TX_HEAD.
 * @XHROOM_A_POLICY_TX_AUTO_MAX: as %XHROOM_A_DEV_TX_AUTO_MAX.
 * @XHROOM_A_POLICY_XDP_HEADROOM_MIN: as %XHROOM_A_DEV_XDP_HEADROOM_MIN.
 * @XHROOM_A_POLICY_XDP_LINEARIZE: as %XHROOM_A_DEV_XDP_LINEARIZE.
 */
enum xhroom_a_policy {
	XHROOM_A_POLICY_KIND = 1,
	XHROOM_A_POLICY_NAME,
	XHROOM_A_POLICY_TX_EXTRA_HEADROOM,
	XHROOM_A_POLICY_GONE,
	XHROOM_A_POLICY_TX_HEAD,
	XHROOM_A_POLICY_TX_AUTO_MAX,
	XHROOM_A_POLICY_XDP_HEADROOM_MIN = 10,
	XHROOM_A_POLICY_XDP_LINEARIZE,

	/* private: */
	__XHROOM_A_POLICY_MAX,
	XHROOM_A_POLICY_MAX = (__XHROOM_A_POLICY_MAX - 1)
};

#endif /* _UAPI_LINUX_XHROOM_H */
