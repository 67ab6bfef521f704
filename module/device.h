/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-device settings and counters: a hashtable of net_devices, read under RCU
 * in packet paths, written under RTNL. Knows no hooks: it only counts the users
 * of a feature.
 *
 * The key is the net_device itself, which stays the same through renames and
 * moves between namespaces; ifindex and name are for people. An entry is there
 * only while a setting differs from the default, and is gone when the device
 * unregisters.
 */
#ifndef XHR_DEVICE_H
#define XHR_DEVICE_H

#include <linux/hash.h>
#include <linux/netdevice.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <net/rtnetlink.h>

#include <asm/local64.h>

#include "tx/auto.h"
#include "uapi/linux/xhroom.h"

struct netlink_ext_ack;

/**
 * struct xhr_dev_stats - counters of one device
 * @tx_headroom_packets: packets that were allocated with extra headroom
 * @tx_headroom_bytes: extra bytes given to them, in total
 * @tx_headroom_fallbacks: packets that lack extra headroom or a page fragment
 *	for want of memory
 * @tx_page_frags: heads that came from page fragments
 * @xdp_kept: packets that XDP got as they were, where stock would have copied them
 * @xdp_copied_shared: packets copied for XDP since somebody else has (or may
 *	have) the same bytes
 * @xdp_copied_nonlinear: those copied since they were not linear
 * @xdp_copied_headroom: those copied for want of headroom
 * @xdp_copied_head: those copied since their head was no page fragment
 */
struct xhr_dev_stats {
	u64 tx_headroom_packets;
	u64 tx_headroom_bytes;
	u64 tx_headroom_fallbacks;
	u64 tx_page_frags;
	u64 xdp_kept;
	u64 xdp_copied_shared;
	u64 xdp_copied_nonlinear;
	u64 xdp_copied_headroom;
	u64 xdp_copied_head;
};

/**
 * struct xhr_dev_cpu_stats - what one CPU has counted; see &struct xhr_dev_stats
 *
 * Added to with preemption disabled; softirqs may come in between. A line of its
 * own for each CPU, in the entry itself: allocating per-CPU memory for each device
 * would cost a hundredth of what it takes to make a veth.
 */
struct xhr_dev_cpu_stats {
	local64_t tx_headroom_packets;
	local64_t tx_headroom_bytes;
	local64_t tx_headroom_fallbacks;
	local64_t tx_page_frags;
	local64_t xdp_kept;
	local64_t xdp_copied_shared;
	local64_t xdp_copied_nonlinear;
	local64_t xdp_copied_headroom;
	local64_t xdp_copied_head;
} ____cacheline_aligned_in_smp;

/**
 * struct xhr_dev_conf - settings of one device, as made from outside
 * @tx_extra_headroom: bytes, 0 to XHROOM_TX_EXTRA_HEADROOM_MAX
 * @tx_auto_max: bytes, up to which @tx_extra_headroom is learned; 0: it is not
 * @tx_head: enum xhroom_tx_head
 * @xdp_linearize: enum xhroom_xdp_linearize
 * @xdp_headroom_min: bytes, XHROOM_XDP_HEADROOM_MIN_MIN to XHROOM_XDP_HEADROOM_MIN_MAX
 */
struct xhr_dev_conf {
	u16 tx_extra_headroom;
	u16 tx_auto_max;
	u8 tx_head;
	u8 xdp_linearize;
	u16 xdp_headroom_min;
};

/* What a device has to which nothing was done. Module parameters have a part in it. */
extern struct xhr_dev_conf xhr_dev_default;

/* Bits of a mask: which members of a conf are to be set. */
#define XHR_CONF_TX_EXTRA_HEADROOM	BIT(0)
#define XHR_CONF_TX_HEAD		BIT(1)
#define XHR_CONF_TX_AUTO_MAX		BIT(2)
#define XHR_CONF_XDP_HEADROOM_MIN	BIT(3)
#define XHR_CONF_XDP_LINEARIZE		BIT(4)

/**
 * xhr_dev_conf_merge() - set some settings, leave the others
 * @conf: all settings
 * @new: new values; of xdp_headroom_min, 0 means the default
 * @mask: which of them to take
 *
 * A value ends learning, and learning begins without one.
 */
static inline void xhr_dev_conf_merge(struct xhr_dev_conf *conf, const struct xhr_dev_conf *new,
				      u32 mask)
{
	if (mask & XHR_CONF_TX_EXTRA_HEADROOM) {
		conf->tx_extra_headroom = new->tx_extra_headroom;
		conf->tx_auto_max = 0;
	}
	if (mask & XHR_CONF_TX_AUTO_MAX) {
		conf->tx_extra_headroom = 0;
		conf->tx_auto_max = new->tx_auto_max;
	}
	if (mask & XHR_CONF_TX_HEAD)
		conf->tx_head = new->tx_head;
	if (mask & XHR_CONF_XDP_HEADROOM_MIN)
		conf->xdp_headroom_min = new->xdp_headroom_min ?: xhr_dev_default.xdp_headroom_min;
	if (mask & XHR_CONF_XDP_LINEARIZE)
		conf->xdp_linearize = new->xdp_linearize;
}

/* Bits of a mask: which features settings need; device.c has their table. */
#define XHR_NEED_TX_HEADROOM		BIT(0)
#define XHR_NEED_TX_AUTO		BIT(1)
#define XHR_NEED_XDP_HEADROOM		BIT(2)
#define XHR_NEED_XDP_LINEARIZE		BIT(3)

/**
 * xhr_dev_conf_needs() - which features settings need
 * @conf: all settings
 *
 * Return: XHR_NEED_...
 */
static inline unsigned int xhr_dev_conf_needs(const struct xhr_dev_conf *conf)
{
	unsigned int needs = 0;

	if (conf->tx_extra_headroom || conf->tx_auto_max ||
	    conf->tx_head == XHROOM_TX_HEAD_PAGE_FRAG)
		needs |= XHR_NEED_TX_HEADROOM;
	if (conf->tx_auto_max)
		needs |= XHR_NEED_TX_AUTO;
	if (conf->xdp_headroom_min < XHROOM_XDP_HEADROOM_MIN_MAX)
		needs |= XHR_NEED_XDP_HEADROOM;
	if (conf->xdp_linearize != XHROOM_XDP_LINEARIZE_ON)
		needs |= XHR_NEED_XDP_LINEARIZE;
	return needs;
}

/**
 * xhr_dev_conf_may_need() - which features a change can make settings need
 * @new: new values
 * @mask: which of them are taken
 *
 * Return: XHR_NEED_..., of which a device may need some already.
 */
static inline unsigned int xhr_dev_conf_may_need(const struct xhr_dev_conf *new, u32 mask)
{
	struct xhr_dev_conf conf = xhr_dev_default;

	xhr_dev_conf_merge(&conf, new, mask);
	return xhr_dev_conf_needs(&conf);
}

/*
 * Uses of several features at once, as xhr_feature_get() and so on for one: all
 * of them or none.
 */
int xhr_needs_get(unsigned int needs, struct netlink_ext_ack *extack);
bool xhr_needs_get_attached(unsigned int needs);
void xhr_needs_put(unsigned int needs);

/*
 * What a packet's head should be like, in one word for the packet paths: bytes
 * of extra headroom, whether it should be a page fragment, or be one if the other
 * end runs native XDP, and whether the bytes are learned. 0: as in stock.
 */
#define XHR_TX_EXTRA_MASK	0x7fff
#define XHR_TX_PAGE_FRAG	0x8000
#define XHR_TX_PAGE_FRAG_XDP	0x10000
#define XHR_TX_AUTO		0x20000

/**
 * struct xhr_tuner - what a device learns about the headroom of its packets
 * @lock: protects the rest. Only tried for in packet paths
 * @logic: the state of it; @logic.max is 0 while the device does not learn
 * @changed: when the value last changed; ktime_get_seconds()
 * @caller: who asked for more headroom when @logic last learned something; a key
 *	for kallsyms only: that code may be gone
 */
struct xhr_tuner {
	spinlock_t lock;	/* protects all of it */
	struct xhr_auto logic;
	time64_t changed;
	unsigned long caller;
};

/**
 * struct xhr_dev - one device with settings
 * @node: in the hashtable
 * @rcu: frees it
 * @dev: the key. No reference is held: NETDEV_UNREGISTER removes the entry
 * @conf: its settings; RTNL
 * @needs: XHR_NEED_...: it holds a use of each of these features
 * @tx_want: what follows from @conf and @tuner for packets; XHR_TX_EXTRA_MASK and
 *	flags. Written under the tuner's lock
 * @tuner: see there
 * @stats: counters, by CPU
 */
struct xhr_dev {
	struct hlist_node node;
	struct rcu_head rcu;
	struct net_device *dev;
	struct xhr_dev_conf conf;
	u8 needs;
	u32 tx_want;
	struct xhr_tuner tuner;
	struct xhr_dev_cpu_stats stats[];
};

#define XHR_DEV_HASH_BITS	10
extern struct hlist_head xhr_dev_hash[1 << XHR_DEV_HASH_BITS];

static __always_inline struct hlist_head *xhr_dev_bucket(const struct net_device *dev)
{
	return &xhr_dev_hash[hash_ptr(dev, XHR_DEV_HASH_BITS)];
}

/**
 * xhr_dev_find() - settings of a device
 * @dev: any net_device
 *
 * Context: under rcu_read_lock() or with preemption disabled; the result is
 * valid until that ends.
 * Return: the entry, or NULL if everything is at its default.
 */
static __always_inline struct xhr_dev *xhr_dev_find(const struct net_device *dev)
{
	struct xhr_dev *xdev;

	hlist_for_each_entry_rcu(xdev, xhr_dev_bucket(dev), node,
				 rcu_read_lock_any_held() || lockdep_rtnl_is_held()) {
		if (xdev->dev == dev)
			return xdev;
	}
	return NULL;
}

static __always_inline bool xhr_dev_is_veth(const struct net_device *dev)
{
	return dev->rtnl_link_ops && !strcmp(dev->rtnl_link_ops->kind, "veth");
}

#define XHR_NO_SUCH_DEVICE	"no such device in this network namespace"

/**
 * xhr_dev_lookup() - find a registered device by its index or name
 * @net: namespace
 * @ifindex: device there, or 0 to look up by @name
 * @name: name or alternative name; used if @ifindex is 0
 * @extack: told if there is none
 *
 * Context: under RTNL; the result is valid until that is released.
 * Return: the device, or NULL.
 */
struct net_device *xhr_dev_lookup(struct net *net, int ifindex, const char *name,
				  struct netlink_ext_ack *extack);

/**
 * xhr_dev_set() - change settings of one device
 * @net: namespace of the caller
 * @ifindex: device there, or 0 to look up by @name
 * @name: device name; used if @ifindex is 0
 * @conf: new values, already within their range
 * @mask: which of them to set
 * @extack: receives the reason of a failure
 * @result: called with the device and all its settings while RTNL is held, for
 *	the reply and the notification; may be NULL
 * @arg: for @result
 *
 * Attaches the hooks of a feature before its first device gets a value, and
 * lets them go (later, from a work item) after the last. On any error nothing
 * has changed.
 *
 * Context: process, sleeps; takes RTNL.
 * Return: 0, -ENODEV, -ENOMEM, -EOPNOTSUPP (feature not available, extack says
 * why), -EBUSY (a hooked function is held by someone else, or ftrace is off), or
 * what @result returned.
 */
int xhr_dev_set(struct net *net, int ifindex, const char *name,
		const struct xhr_dev_conf *conf, u32 mask, struct netlink_ext_ack *extack,
		int (*result)(struct net_device *dev, const struct xhr_dev_conf *conf,
			      void *arg), void *arg);

/**
 * struct xhr_dev_report - all that can be said about one device
 * @conf: its settings; tx_extra_headroom is what was learned, if it learns
 * @stats: its counters, summed up
 * @tuner: what it has learned; not for locking
 */
struct xhr_dev_report {
	struct xhr_dev_conf conf;
	struct xhr_dev_stats stats;
	struct xhr_tuner tuner;
};

/* Defaults and zeros if it has no settings. RTNL. */
void xhr_dev_get(const struct net_device *dev, struct xhr_dev_report *report);

int xhr_dev_init(void);
void xhr_dev_exit(void);

#endif
