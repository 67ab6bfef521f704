/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many bytes of headroom a device's tx_extra_headroom adds at an allocation
 * site. Pure arithmetic, shared with the unit tests; no kernel state here.
 *
 * The sites reserve a multiple of 16 (IP, raw, AF_PACKET) or of a cache line
 * (AF_XDP), and the extra counts before that rounding. So what a hook has to add
 * is the difference of two rounded values, and may be 0 for a small extra.
 */
#ifndef XHR_TX_HEADROOM_H
#define XHR_TX_HEADROOM_H

/* As HH_DATA_MOD; asserted against it in tx.c. */
#define XHR_HH_DATA_MOD		16u

static inline unsigned int xhr_ll_reserved(unsigned int len)
{
	return (len & ~(XHR_HH_DATA_MOD - 1)) + XHR_HH_DATA_MOD;
}

/**
 * xhr_ll_extra() - bytes to add where LL_RESERVED_SPACE() was reserved
 * @hard_header_len: of the device, bytes
 * @needed_headroom: of the device, bytes
 * @extra: tx_extra_headroom, bytes
 *
 * Return: bytes, a multiple of 16.
 */
static inline unsigned int xhr_ll_extra(unsigned int hard_header_len,
					unsigned int needed_headroom, unsigned int extra)
{
	unsigned int len = hard_header_len + needed_headroom;

	return xhr_ll_reserved(len + extra) - xhr_ll_reserved(len);
}

/* What AF_XDP copy mode reserves; @pad is NET_SKB_PAD, @line the cache line. */
static inline unsigned int xhr_xsk_reserved(unsigned int len, unsigned int pad, unsigned int line)
{
	len = (len + line - 1) & ~(line - 1);
	return len > pad ? len : pad;
}

/**
 * xhr_xsk_extra() - bytes to add where AF_XDP copy mode reserved headroom
 * @needed_headroom: of the device, bytes
 * @extra: tx_extra_headroom, bytes
 * @pad: NET_SKB_PAD
 * @line: bytes of a cache line, a power of two
 *
 * Return: bytes.
 */
static inline unsigned int xhr_xsk_extra(unsigned int needed_headroom, unsigned int extra,
					 unsigned int pad, unsigned int line)
{
	return xhr_xsk_reserved(needed_headroom + extra, pad, line) -
	       xhr_xsk_reserved(needed_headroom, pad, line);
}

#endif
