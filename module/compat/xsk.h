/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * AF_XDP TX metadata, which came with 6.8, under one name. Nothing else may be
 * put here.
 */
#ifndef XHR_COMPAT_XSK_H
#define XHR_COMPAT_XSK_H

#include <linux/version.h>
#include <net/xdp_sock.h>
#include <net/xsk_buff_pool.h>

/* Bytes of TX metadata in front of each frame of the socket's pool. */
static inline unsigned int xhr_xsk_tx_metadata_len(const struct xdp_sock *xs)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	return xs->pool->tx_metadata_len;
#else
	return 0;
#endif
}

#endif
