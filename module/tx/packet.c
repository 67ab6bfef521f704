// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packet sockets: sendmsg (RAW, DGRAM), PACKET_TX_RING v1 to v3, and the old
 * SOCK_PACKET.
 *
 * Targets: packet_sendmsg() and packet_sendmsg_spkt() on 6.1, 6.12 and 7.3, same
 * prototypes. packet_snd(), tpacket_snd() and packet_alloc_skb() are inlined into
 * them. The device is the one that the address names; without an address it is
 * the one that the socket is bound to, which getname() tells (struct packet_sock
 * is private).
 *
 * Between our look-up and the kernel's a socket may be bound anew or an ifindex
 * may change hands: then one packet gets the other device's value. It is only
 * headroom.
 */
#include <linux/if_packet.h>
#include <linux/net.h>
#include <net/sock.h>

#include "tx.h"

/*
 * The value of the device that @sock would send @msg to. Sets *@dev, which is
 * not kept: it may only serve as a key.
 */
static unsigned int xhr_packet_want(struct socket *sock, const struct msghdr *msg,
				    const struct net_device **dev)
{
	const struct sockaddr_ll *sll = msg->msg_name;
	struct sockaddr_storage bound;
	struct net_device *found;
	unsigned int want = 0;

	if (!sll) {
		if (sock->ops->getname(sock, (struct sockaddr *)&bound, 0) < 0)
			return 0;
		sll = (const struct sockaddr_ll *)&bound;
	} else if (msg->msg_namelen < (int)sizeof(*sll)) {
		return 0;
	}

	rcu_read_lock();
	found = dev_get_by_index_rcu(sock_net(sock->sk), sll->sll_ifindex);
	if (found)
		want = xhr_tx_ll_want(found);
	rcu_read_unlock();
	*dev = found;
	return want;
}

XHR_HOOK_DECLARE(packet, int, struct socket *sock, struct msghdr *msg, size_t len);
XHR_HOOK_DEFINE(packet, "packet_sendmsg", NULL,
		"int (struct socket *, struct msghdr *, size_t)", 0);

notrace int xhr_wrap_packet(struct socket *sock, struct msghdr *msg, size_t len)
{
	const struct net_device *dev = NULL;
	unsigned int want;
	struct xhr_ctx ctx;
	bool open;
	int err;

	xhr_hook_enter(packet);
	want = xhr_packet_want(sock, msg, &dev);
	open = xhr_ctx_open(&ctx, sock->sk, dev, want);
	err = xhr_orig(packet)(sock, msg, len);
	if (open)
		xhr_ctx_close(&ctx);
	xhr_hook_exit(packet);
	return err;
}

static unsigned int xhr_packet_spkt_want(struct socket *sock, const struct msghdr *msg,
					 const struct net_device **dev)
{
	const struct sockaddr_pkt *spkt = msg->msg_name;
	struct net_device *found;
	unsigned int want = 0;
	char name[IFNAMSIZ];

	if (!spkt || msg->msg_namelen < (int)sizeof(struct sockaddr))
		return 0;
	/* As the kernel does: the last byte of the field is taken for a NUL. */
	strscpy(name, (const char *)spkt->spkt_device, sizeof(spkt->spkt_device));

	rcu_read_lock();
	found = dev_get_by_name_rcu(sock_net(sock->sk), name);
	if (found)
		want = xhr_tx_ll_want(found);
	rcu_read_unlock();
	*dev = found;
	return want;
}

XHR_HOOK_DECLARE(packet_spkt, int, struct socket *sock, struct msghdr *msg, size_t len);
XHR_HOOK_DEFINE(packet_spkt, "packet_sendmsg_spkt", NULL,
		"int (struct socket *, struct msghdr *, size_t)", 0);

notrace int xhr_wrap_packet_spkt(struct socket *sock, struct msghdr *msg, size_t len)
{
	const struct net_device *dev = NULL;
	unsigned int want;
	struct xhr_ctx ctx;
	bool open;
	int err;

	xhr_hook_enter(packet_spkt);
	want = xhr_packet_spkt_want(sock, msg, &dev);
	open = xhr_ctx_open(&ctx, sock->sk, dev, want);
	err = xhr_orig(packet_spkt)(sock, msg, len);
	if (open)
		xhr_ctx_close(&ctx);
	xhr_hook_exit(packet_spkt);
	return err;
}
