// SPDX-License-Identifier: GPL-2.0-only
/*
 * Auto-tuning in the kernel: what auto.h wants to know, from those who know it.
 *
 * Whether a packet that is being allocated is to be a probe is asked by the
 * allocator's hook (alloc_skb.c). That a packet lacked headroom is seen by two
 * hooks, whoever it was that wanted more: a program at TC egress, a tunnel, an
 * IPsec transform.
 *
 * Targets: pskb_expand_head() (../expand_head.c) and skb_realloc_headroom() on 6.1,
 * 6.12 and 7.3, same prototypes. All else that makes room for a push (skb_cow(),
 * skb_cow_head(), skb_expand_head()) ends in the first; the second does its work
 * on a clone, which belongs to no socket.
 *
 * The hooks only look; they change nothing, and learn from a packet only if
 *  - a local socket other than TCP's sent it: others are allocated elsewhere;
 *  - the device that it is on is one that learns;
 *  - it begins where a packet of that device with a headroom that is being tried
 *    does. One that was allocated against another device (a VLAN's, a tunnel's)
 *    would not profit from what is learned here.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jiffies.h>
#include <linux/skbuff.h>
#include <linux/timekeeping.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>

#include "tx.h"

static_assert((int)XHR_AUTO_NOTHING == (int)XHROOM_TX_AUTO_REASON_NOTHING);
static_assert((int)XHR_AUTO_LACKED == (int)XHROOM_TX_AUTO_REASON_LACKED);
static_assert((int)XHR_AUTO_LIMITED == (int)XHROOM_TX_AUTO_REASON_LIMITED);
static_assert((int)XHR_AUTO_LOWERED == (int)XHROOM_TX_AUTO_REASON_LOWERED);

/* Milliseconds, as auto.h counts them. */
static notrace unsigned int xhr_tune_now(void)
{
	return jiffies_to_msecs(jiffies);
}

/**
 * xhr_tune_init() - begin to learn, or end it
 * @tuner: a device's
 * @max: bytes, at most this; 0: end it
 *
 * Context: under the tuner's lock, if others can see it.
 */
void xhr_tune_init(struct xhr_tuner *tuner, unsigned int max)
{
	xhr_auto_init(&tuner->logic, max, xhr_tune_now());
	tuner->changed = ktime_get_seconds();
	tuner->caller = 0;
}

/* Under the tuner's lock. */
static notrace void xhr_tune_publish(struct xhr_dev *xdev)
{
	u32 want = xdev->tx_want;

	if ((want & XHR_TX_EXTRA_MASK) == xdev->tuner.logic.value)
		return;
	WRITE_ONCE(xdev->tx_want, (want & ~XHR_TX_EXTRA_MASK) | xdev->tuner.logic.value);
	xdev->tuner.changed = ktime_get_seconds();
}

/* Who is busy with the tuner may be the one that we interrupted. */
static notrace unsigned int xhr_tune_ask(struct xhr_dev *xdev, unsigned int now)
{
	struct xhr_tuner *tuner = &xdev->tuner;
	unsigned int extra;

	if (!spin_trylock(&tuner->lock))
		return READ_ONCE(tuner->logic.value);
	extra = xhr_auto_packet(&tuner->logic, now);
	xhr_tune_publish(xdev);
	spin_unlock(&tuner->lock);
	return extra;
}

/**
 * xhr_tune_extra() - extra headroom for the next packet of a device that learns
 * @dev: device that the packet is allocated against; a key only
 *
 * Context: any but hard interrupts.
 * Return: bytes, a multiple of 16.
 */
notrace unsigned int xhr_tune_extra(const struct net_device *dev)
{
	unsigned int now = xhr_tune_now();
	unsigned int extra = 0;
	struct xhr_dev *xdev;

	preempt_disable_notrace();
	xdev = xhr_dev_find(dev);
	if (xdev)
		extra = xhr_auto_rests(&xdev->tuner.logic, now) ?
			READ_ONCE(xdev->tuner.logic.value) : xhr_tune_ask(xdev, now);
	preempt_enable_notrace();
	return extra;
}

/*
 * Headroom of the network header when the packet was allocated, without what the
 * site adds for a fragment header: a multiple of 16. -1: unknown.
 */
static notrace int xhr_tune_reserved(int room, bool ip6)
{
	if (ip6 && room % XHR_HH_DATA_MOD == sizeof(struct frag_hdr))
		room -= sizeof(struct frag_hdr);
	return room > 0 && !(room % XHR_HH_DATA_MOD) ? room : -1;
}

/*
 * Pushes move the network header. The transport header stays, and is behind it by
 * the size of an IP header without options, if that leaves a possible headroom.
 */
static notrace int xhr_tune_headroom(const struct sk_buff *skb)
{
	bool ip6 = skb->protocol == htons(ETH_P_IPV6);
	int room = -1;

	if (skb_transport_header_was_set(skb) && (ip6 || skb->protocol == htons(ETH_P_IP)))
		room = xhr_tune_reserved(skb->transport_header -
					 (int)(ip6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr)),
					 ip6);
	return room < 0 ? xhr_tune_reserved(skb->network_header, ip6) : room;
}

/* Extra headroom that a packet on @dev was allocated with; negative: unknown. */
static notrace int xhr_tune_had(const struct sk_buff *skb, const struct net_device *dev)
{
	return xhr_tune_headroom(skb) - (int)xhr_ll_reserved(READ_ONCE(dev->hard_header_len) +
							     READ_ONCE(dev->needed_headroom));
}

/**
 * xhr_tune_lacked() - a packet that belongs to a socket lacks headroom
 * @skb: the packet. What stands in for its device is a key until it was found:
 *	there may be something else in that place
 * @bytes: so many more than it has are wanted; the last ones may be rounding
 * @caller: who wants them
 *
 * Context: any but hard interrupts.
 */
notrace void xhr_tune_lacked(const struct sk_buff *skb, unsigned int bytes, unsigned long caller)
{
	struct xhr_tuner *tuner;
	struct xhr_dev *xdev;
	unsigned int value;
	int had;

	if (!sk_fullsock(skb->sk) || sk_is_tcp(skb->sk))
		return;
	preempt_disable_notrace();
	xdev = xhr_dev_find(skb->dev);
	tuner = xdev ? &xdev->tuner : NULL;
	if (!tuner || !READ_ONCE(tuner->logic.max))
		goto out;
	if (spin_trylock(&tuner->lock)) {
		value = tuner->logic.value;
		had = xhr_tune_had(skb, xdev->dev);
		if (!had || had == value || (value && had == tuner->logic.probing)) {
			xhr_auto_lacked(&tuner->logic, had, had + bytes, xhr_tune_now());
			xhr_tune_publish(xdev);
			if (tuner->logic.value > value || !tuner->caller)
				tuner->caller = caller;
		}
		spin_unlock(&tuner->lock);
	}
out:
	preempt_enable_notrace();
}

XHR_HOOK_DECLARE(realloc_headroom, struct sk_buff *, struct sk_buff *skb, unsigned int headroom);
XHR_HOOK_DEFINE(realloc_headroom, "skb_realloc_headroom", NULL,
		"struct sk_buff *(struct sk_buff *, unsigned int)", XHR_HOOK_EXERCISED);

notrace struct sk_buff *xhr_wrap_realloc_headroom(struct sk_buff *skb, unsigned int headroom)
{
	xhr_hook_enter(realloc_headroom);
	xhr_tune_look(skb, headroom - skb_headroom(skb), _RET_IP_);
	skb = xhr_orig(realloc_headroom)(skb, headroom);
	xhr_hook_exit(realloc_headroom);
	return skb;
}

static struct xhr_hook *const xhr_tune_hooks[] = {
	&xhr_hook_expand_head,
	&xhr_hook_realloc_headroom,
};

static void xhr_tune_exercise(void)
{
	struct sk_buff *skb = alloc_skb(1, GFP_KERNEL);
	struct sk_buff *copy;

	if (!skb)
		return;
	copy = skb_realloc_headroom(skb, skb_headroom(skb) + 1);
	consume_skb(copy);
	if (!pskb_expand_head(skb, 1, 0, GFP_KERNEL))
		consume_skb(skb);
	else
		kfree_skb(skb);
}

struct xhr_feature xhr_tx_auto_feature = {
	.name		= "tx-auto",
	.hooks		= xhr_tune_hooks,
	.nr_hooks	= ARRAY_SIZE(xhr_tune_hooks),
	.exercise	= xhr_tune_exercise,
};
