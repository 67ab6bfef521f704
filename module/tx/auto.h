/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Auto-tuning of a device's extra headroom: from what is seen at this device's
 * egress, which value is the smallest that is enough? Pure logic, shared with
 * the unit tests; no kernel state, no locks, no time but what it is told.
 *
 * It sees two things: each packet that is about to be allocated, whose headroom
 * it decides, and each packet that lacked headroom, with what it had and what
 * would surely have been enough. Where there is enough, a push is invisible. So
 * it has to try less now and then, on single packets ("probes"), and see whether
 * those lack it:
 *
 *  - SEARCH: somebody lacked headroom. The value covers it at once, at most 63
 *    bytes too high (callers round up). Probes in between bisect the rest.
 *  - SETTLED: one probe a second has one step less than the value. If it lacks
 *    headroom, the need is still there. When as many as patience asks for did not,
 *    the value goes down, and what is enough is searched for anew. Should that
 *    prove wrong, patience doubles.
 *
 * It cannot creep: a value is computed from what a packet needed in total, never
 * from the value that is there.
 *
 * All values are bytes, multiples of XHR_AUTO_STEP, as the formula rounds.
 */
#ifndef XHR_TX_AUTO_H
#define XHR_TX_AUTO_H

#define XHR_AUTO_STEP		16u
/* Whoever makes room for a push rounds up what is missing to this (NET_SKB_PAD). */
#define XHR_AUTO_ROUNDING	64u
/* Probes of one value, in search of a smaller one, and packets to wait behind. */
#define XHR_AUTO_PROBES		4u
#define XHR_AUTO_GRACE		2u
/* ms from one probe to the next, once settled. */
#define XHR_AUTO_INTERVAL	1000u
#define XHR_AUTO_PATIENCE	16u
#define XHR_AUTO_PATIENCE_MAX	1024u

enum xhr_auto_state {
	XHR_AUTO_SETTLED,
	XHR_AUTO_SEARCH,
};

/* Why the value is what it is; as enum xhroom_tx_auto_reason. */
enum xhr_auto_reason {
	XHR_AUTO_NOTHING = 1,
	XHR_AUTO_LACKED,
	XHR_AUTO_LIMITED,
	XHR_AUTO_LOWERED,
};

/**
 * struct xhr_auto - what is known about the need of one device
 * @max: bound of @value
 * @value: extra headroom now
 * @enough: smallest value that may be enough
 * @probing: value of the probes, less than @value; means nothing if that is 0
 * @sent: probes of this value sent; in search of packets, of which they are every
 *	other one
 * @patience: probes before the value goes down
 * @probed: time of the last probe, ms
 * @lowered: it went down, and nothing has shown yet whether that was right
 * @state: enum xhr_auto_state
 * @reason: enum xhr_auto_reason
 */
struct xhr_auto {
	unsigned short max;
	unsigned short value;
	unsigned short enough;
	unsigned short probing;
	unsigned short sent;
	unsigned short patience;
	unsigned int probed;
	unsigned char lowered;
	unsigned char state;
	unsigned char reason;
};

static inline void xhr_auto_init(struct xhr_auto *a, unsigned int max, unsigned int now)
{
	*a = (struct xhr_auto) {
		.max = max & ~(XHR_AUTO_STEP - 1), .patience = XHR_AUTO_PATIENCE,
		.probed = now, .reason = XHR_AUTO_NOTHING,
	};
}

/* The smallest value that may be enough, where @need surely is. */
static inline unsigned int xhr_auto_least(unsigned int need)
{
	return need < XHR_AUTO_ROUNDING ? XHR_AUTO_STEP :
					  need - XHR_AUTO_ROUNDING + XHR_AUTO_STEP;
}

/* The next value to try between what is too small and what is enough. */
static inline void xhr_auto_bisect(struct xhr_auto *a, unsigned int now)
{
	a->sent = 0;
	a->probed = now;
	if (a->enough >= a->value) {
		a->state = XHR_AUTO_SETTLED;
		a->probing = a->value - XHR_AUTO_STEP;
		return;
	}
	a->state = XHR_AUTO_SEARCH;
	a->probing = (a->enough + a->value - XHR_AUTO_STEP) / 2 & ~(XHR_AUTO_STEP - 1);
}

/**
 * xhr_auto_rests() - whether the next packet is no probe, and ends none
 * @a: the device's
 * @now: time, ms
 *
 * May be asked without a lock: then xhr_auto_packet() need not be.
 */
static inline int xhr_auto_rests(const struct xhr_auto *a, unsigned int now)
{
	return !a->value || (a->state == XHR_AUTO_SETTLED && now - a->probed < XHR_AUTO_INTERVAL);
}

/**
 * xhr_auto_packet() - a packet is about to be allocated
 * @a: the device's
 * @now: time, ms
 *
 * Return: its extra headroom.
 */
static inline unsigned int xhr_auto_packet(struct xhr_auto *a, unsigned int now)
{
	if (xhr_auto_rests(a, now))
		return a->value;
	if (a->state == XHR_AUTO_SEARCH) {
		if (a->sent < 2 * XHR_AUTO_PROBES)
			return a->sent++ % 2 ? a->value : a->probing;
		if (a->sent++ < 2 * XHR_AUTO_PROBES + XHR_AUTO_GRACE)
			return a->value;
	} else {
		a->probed = now;
		if (a->sent++ < a->patience)
			return a->probing;
		a->enough = 0;
		a->lowered = 1;
		a->reason = XHR_AUTO_LOWERED;
	}
	/* None of them lacked anything. */
	a->value = a->probing;
	xhr_auto_bisect(a, now);
	return a->value;
}

/**
 * xhr_auto_lacked() - a packet lacked headroom
 * @a: the device's
 * @had: extra headroom that it had
 * @need: extra headroom that is surely enough for it, any number of bytes
 * @now: time, ms
 */
static inline void xhr_auto_lacked(struct xhr_auto *a, unsigned int had, unsigned int need,
				   unsigned int now)
{
	unsigned int least;

	need = (need + XHR_AUTO_STEP - 1) & ~(XHR_AUTO_STEP - 1);
	least = xhr_auto_least(need);
	if (need > a->max)
		need = a->max;
	if (had < a->value) {
		if (had != a->probing)
			return;
		if (a->state == XHR_AUTO_SETTLED) {
			a->lowered = 0;
			a->patience = XHR_AUTO_PATIENCE;
		}
		a->enough = had + XHR_AUTO_STEP;
		xhr_auto_bisect(a, now);
		return;
	}
	if (need <= a->value) {
		if (a->value == a->max)
			a->reason = XHR_AUTO_LIMITED;
		return;
	}
	a->reason = XHR_AUTO_LACKED;
	/* A round lowered it too far: the next ones shall be longer. */
	if (a->lowered && a->patience < XHR_AUTO_PATIENCE_MAX)
		a->patience *= 2;
	a->lowered = 0;
	a->value = need;
	a->enough = least < need ? least : need;
	xhr_auto_bisect(a, now);
}

#endif
