// SPDX-License-Identifier: GPL-2.0-only
/*
 * Raw sockets with IP_HDRINCL or IPV6_HDRINCL.
 *
 * Targets: raw_sendmsg() and rawv6_sendmsg() on 6.1, 6.12 and 7.3, same
 * prototypes. raw_send_hdrinc() and rawv6_send_hdrinc(), which allocate, are
 * inlined into them, and the device is known only from the route look-up that
 * they make. So a context without a device is opened around the send, and the
 * route look-up by the same socket fills it in: ip_route_output_flow() and
 * ip6_dst_lookup_flow(), same prototypes on the three kernels.
 *
 * The look-ups serve all of the kernel, softirqs included, and do not sleep;
 * others pay for a look at their task's slot. Sends without HDRINCL go on to
 * ip4.c and ip6.c, whose contexts are the inner ones and win.
 */
#include <linux/err.h>
#include <net/ip6_route.h>
#include <net/route.h>

#include "tx.h"

/* The send that waits for this look-up, or NULL. */
static __always_inline struct xhr_ctx *xhr_raw_waiting(const struct sock *sk)
{
	struct xhr_ctx *ctx = xhr_ctx_top();

	return unlikely(ctx && !ctx->dev && ctx->sk == sk) ? ctx : NULL;
}

static void xhr_raw_learn(struct xhr_ctx *ctx, const struct dst_entry *dst)
{
	ctx->want = xhr_tx_dst_want(dst, &ctx->dev);
}

XHR_HOOK_DECLARE(raw, int, struct sock *sk, struct msghdr *msg, size_t len);
XHR_HOOK_DEFINE(raw, "raw_sendmsg", NULL, "int (struct sock *, struct msghdr *, size_t)", 0);

notrace int xhr_wrap_raw(struct sock *sk, struct msghdr *msg, size_t len)
{
	struct xhr_ctx ctx;
	bool open;
	int err;

	xhr_hook_enter(raw);
	open = xhr_ctx_open(&ctx, sk, NULL, 0);
	err = xhr_orig(raw)(sk, msg, len);
	if (open)
		xhr_ctx_close(&ctx);
	xhr_hook_exit(raw);
	return err;
}

XHR_HOOK_DECLARE(raw_route, struct rtable *, struct net *net, struct flowi4 *flp4,
		 const struct sock *sk);
XHR_HOOK_DEFINE(raw_route, "ip_route_output_flow", NULL,
		"struct rtable *(struct net *, struct flowi4 *, const struct sock *)",
		XHR_HOOK_EXERCISED);

notrace struct rtable *xhr_wrap_raw_route(struct net *net, struct flowi4 *flp4,
					  const struct sock *sk)
{
	struct xhr_ctx *ctx = xhr_raw_waiting(sk);
	struct rtable *rt;

	xhr_hook_pass(raw_route);
	if (likely(!ctx))
		return xhr_orig(raw_route)(net, flp4, sk);

	rt = xhr_orig(raw_route)(net, flp4, sk);
	if (!IS_ERR(rt))
		xhr_raw_learn(ctx, &rt->dst);
	return rt;
}

XHR_HOOK_DECLARE(rawv6, int, struct sock *sk, struct msghdr *msg, size_t len);
XHR_HOOK_DEFINE(rawv6, "rawv6_sendmsg", NULL, "int (struct sock *, struct msghdr *, size_t)", 0);

notrace int xhr_wrap_rawv6(struct sock *sk, struct msghdr *msg, size_t len)
{
	struct xhr_ctx ctx;
	bool open;
	int err;

	xhr_hook_enter(rawv6);
	open = xhr_ctx_open(&ctx, sk, NULL, 0);
	err = xhr_orig(rawv6)(sk, msg, len);
	if (open)
		xhr_ctx_close(&ctx);
	xhr_hook_exit(rawv6);
	return err;
}

XHR_HOOK_DECLARE(rawv6_route, struct dst_entry *, struct net *net, const struct sock *sk,
		 struct flowi6 *fl6, const struct in6_addr *final_dst);
XHR_HOOK_DEFINE(rawv6_route, "ip6_dst_lookup_flow", NULL,
		"struct dst_entry *(struct net *, const struct sock *, struct flowi6 *, const struct in6_addr *)",
		0);

notrace struct dst_entry *xhr_wrap_rawv6_route(struct net *net, const struct sock *sk,
					       struct flowi6 *fl6,
					       const struct in6_addr *final_dst)
{
	struct xhr_ctx *ctx = xhr_raw_waiting(sk);
	struct dst_entry *dst;

	xhr_hook_pass(rawv6_route);
	if (likely(!ctx))
		return xhr_orig(rawv6_route)(net, sk, fl6, final_dst);

	dst = xhr_orig(rawv6_route)(net, sk, fl6, final_dst);
	if (!IS_ERR(dst))
		xhr_raw_learn(ctx, dst);
	return dst;
}
