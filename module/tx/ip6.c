// SPDX-License-Identifier: GPL-2.0-only
/*
 * IPv6 datagrams: UDP, UDP-Lite, ping sockets, raw sockets without
 * IPV6_HDRINCL, and the kernel's own ICMPv6 messages.
 *
 * Targets: ip6_make_skb() (uncorked) and ip6_append_data() (corked) on 6.1, 6.12
 * and 7.3, same prototypes. __ip6_append_data(), which both call, would be one
 * hook instead of two, but GCC changed its arguments on 6.1 and each kernel has
 * another prototype.
 *
 * The kernel's TCP control sockets do not send through here.
 */
#include <net/inet_sock.h>
#include <net/ip6_fib.h>
#include <net/ipv6.h>

#include "tx.h"

static __always_inline bool xhr_ip6_open(struct xhr_ctx *ctx, const struct sock *sk,
					 const struct dst_entry *dst)
{
	const struct net_device *dev;
	unsigned int want = xhr_tx_dst_want(dst, &dev);

	return xhr_ctx_open(ctx, sk, dev, want);
}

#define XHR_IP6_MAKE_SKB_PARAMS						\
	struct sock *sk,						\
	int (*getfrag)(void *from, char *to, int offset, int len, int odd, \
		       struct sk_buff *skb),				\
	void *from, size_t length, int transhdrlen, struct ipcm6_cookie *ipc6, \
	struct rt6_info *rt, unsigned int flags, struct inet_cork_full *cork
#define XHR_IP6_MAKE_SKB_ARGS						\
	sk, getfrag, from, length, transhdrlen, ipc6, rt, flags, cork

XHR_HOOK_DECLARE(ip6_make_skb, struct sk_buff *, XHR_IP6_MAKE_SKB_PARAMS);
XHR_HOOK_DEFINE(ip6_make_skb, "ip6_make_skb", NULL,
		"struct sk_buff *(struct sock *, int (*)(void *, char *, int, int, int, struct sk_buff *), void *, size_t, int, struct ipcm6_cookie *, struct rt6_info *, unsigned int, struct inet_cork_full *)",
		0);

static noinline notrace struct sk_buff *xhr_ip6_make_skb_slow(XHR_IP6_MAKE_SKB_PARAMS)
{
	struct sk_buff *skb;
	struct xhr_ctx ctx;

	if (!xhr_ip6_open(&ctx, sk, &rt->dst))
		return xhr_orig(ip6_make_skb)(XHR_IP6_MAKE_SKB_ARGS);
	skb = xhr_orig(ip6_make_skb)(XHR_IP6_MAKE_SKB_ARGS);
	xhr_ctx_close(&ctx);
	return skb;
}

notrace struct sk_buff *xhr_wrap_ip6_make_skb(XHR_IP6_MAKE_SKB_PARAMS)
{
	struct xhr_ctx **idle;
	struct sk_buff *skb;

	xhr_hook_enter(ip6_make_skb);
	idle = xhr_tx_open_idle(rt->dst.dev);
	if (likely(idle)) {
		skb = xhr_orig(ip6_make_skb)(XHR_IP6_MAKE_SKB_ARGS);
		xhr_ctx_close_nothing(idle);
	} else {
		skb = xhr_ip6_make_skb_slow(XHR_IP6_MAKE_SKB_ARGS);
	}
	xhr_hook_exit(ip6_make_skb);
	return skb;
}

#define XHR_IP6_APPEND_PARAMS						\
	struct sock *sk,						\
	int (*getfrag)(void *from, char *to, int offset, int len, int odd, \
		       struct sk_buff *skb),				\
	void *from, size_t length, int transhdrlen, struct ipcm6_cookie *ipc6, \
	struct flowi6 *fl6, struct rt6_info *rt, unsigned int flags
#define XHR_IP6_APPEND_ARGS						\
	sk, getfrag, from, length, transhdrlen, ipc6, fl6, rt, flags

XHR_HOOK_DECLARE(ip6_append, int, XHR_IP6_APPEND_PARAMS);
XHR_HOOK_DEFINE(ip6_append, "ip6_append_data", NULL,
		"int (struct sock *, int (*)(void *, char *, int, int, int, struct sk_buff *), void *, size_t, int, struct ipcm6_cookie *, struct flowi6 *, struct rt6_info *, unsigned int)",
		0);

notrace int xhr_wrap_ip6_append(XHR_IP6_APPEND_PARAMS)
{
	/* Once a packet is begun the cork's route counts, and @rt may be NULL. */
	const struct dst_entry *dst = skb_queue_empty(&sk->sk_write_queue) ?
				      &rt->dst : inet_sk(sk)->cork.base.dst;
	struct xhr_ctx ctx;
	bool open;
	int err;

	xhr_hook_enter(ip6_append);
	open = dst && xhr_ip6_open(&ctx, sk, dst);
	err = xhr_orig(ip6_append)(XHR_IP6_APPEND_ARGS);
	if (open)
		xhr_ctx_close(&ctx);
	xhr_hook_exit(ip6_append);
	return err;
}
