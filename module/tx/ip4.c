// SPDX-License-Identifier: GPL-2.0-only
/*
 * IPv4 datagrams: UDP, UDP-Lite, ping sockets, raw sockets without IP_HDRINCL,
 * and the kernel's own ICMP messages.
 *
 * Targets:
 *  - __ip_append_data(): 6.1, 6.12 and 7.3, same prototype. Static, but called
 *    from two places (ip_make_skb() and ip_append_data()), so that one hook sees
 *    corked and uncorked sends alike, with the route in cork->dst. Were it
 *    inlined into both, the feature would be unavailable.
 *  - ip_append_page(): 6.1 only, where splice() and sendfile() into a UDP socket
 *    take a way of their own. Later kernels do it in __ip_append_data().
 *
 * The kernel's TCP control sockets send resets through here too: those are TCP
 * segments, and are left alone.
 */
#include <net/inet_sock.h>
#include <net/ip.h>
#include <net/route.h>

#include "tx.h"

/* The kernel's own, not a user's raw socket for protocol TCP. */
static bool xhr_is_tcp_control(const struct sock *sk)
{
	return sk->sk_protocol == IPPROTO_TCP && sk->sk_kern_sock;
}

static __always_inline bool xhr_ip4_open(struct xhr_ctx *ctx, const struct sock *sk,
					 const struct inet_cork *cork)
{
	const struct net_device *dev;
	unsigned int want = xhr_tx_dst_want(cork->dst, &dev);

	return xhr_ctx_open(ctx, sk, dev, xhr_is_tcp_control(sk) ? 0 : want);
}

#define XHR_IP_APPEND_PARAMS						\
	struct sock *sk, struct flowi4 *fl4, struct sk_buff_head *queue, \
	struct inet_cork *cork, struct page_frag *pfrag,		\
	int (*getfrag)(void *from, char *to, int offset, int len, int odd, \
		       struct sk_buff *skb),				\
	void *from, int length, int transhdrlen, unsigned int flags
#define XHR_IP_APPEND_ARGS						\
	sk, fl4, queue, cork, pfrag, getfrag, from, length, transhdrlen, flags

XHR_HOOK_DECLARE(ip_append, int, XHR_IP_APPEND_PARAMS);
XHR_HOOK_DEFINE(ip_append, "__ip_append_data", NULL,
		"int (struct sock *, struct flowi4 *, struct sk_buff_head *, struct inet_cork *, struct page_frag *, int (*)(void *, char *, int, int, int, struct sk_buff *), void *, int, int, unsigned int)",
		0);

static noinline notrace int xhr_ip_append_slow(XHR_IP_APPEND_PARAMS)
{
	struct xhr_ctx ctx;
	int err;

	if (!xhr_ip4_open(&ctx, sk, cork))
		return xhr_orig(ip_append)(XHR_IP_APPEND_ARGS);
	err = xhr_orig(ip_append)(XHR_IP_APPEND_ARGS);
	xhr_ctx_close(&ctx);
	return err;
}

notrace int xhr_wrap_ip_append(XHR_IP_APPEND_PARAMS)
{
	struct xhr_ctx **idle;
	int err;

	xhr_hook_enter(ip_append);
	idle = xhr_tx_open_idle(cork->dst->dev);
	if (likely(idle)) {
		err = xhr_orig(ip_append)(XHR_IP_APPEND_ARGS);
		xhr_ctx_close_nothing(idle);
	} else {
		err = xhr_ip_append_slow(XHR_IP_APPEND_ARGS);
	}
	xhr_hook_exit(ip_append);
	return err;
}

XHR_HOOK_DECLARE(ip_append_page, ssize_t, struct sock *sk, struct flowi4 *fl4, struct page *page,
		 int offset, size_t size, int flags);
XHR_HOOK_DEFINE(ip_append_page, "ip_append_page", NULL,
		"ssize_t (struct sock *, struct flowi4 *, struct page *, int, size_t, int)",
		XHR_HOOK_OPTIONAL);

notrace ssize_t xhr_wrap_ip_append_page(struct sock *sk, struct flowi4 *fl4, struct page *page,
					int offset, size_t size, int flags)
{
	const struct inet_cork *cork = &inet_sk(sk)->cork.base;
	struct xhr_ctx ctx;
	bool open;
	ssize_t err;

	xhr_hook_enter(ip_append_page);
	/* It does nothing without a packet begun, and then there is a route. */
	open = !skb_queue_empty(&sk->sk_write_queue) && cork->dst && xhr_ip4_open(&ctx, sk, cork);
	err = xhr_orig(ip_append_page)(sk, fl4, page, offset, size, flags);
	if (open)
		xhr_ctx_close(&ctx);
	xhr_hook_exit(ip_append_page);
	return err;
}
