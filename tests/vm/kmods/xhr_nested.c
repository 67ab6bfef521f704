// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel senders, for suites/tx-devices.sh: user space can neither send from a
 * softirq nor from a kernel thread.
 *
 *  - nested: whenever the device @rx (in the namespace of modprobe) receives a
 *    packet, a UDP datagram is sent to @addr from where that happens, which over
 *    veth is a softirq on top of the task that is just sending;
 *  - thread: @thread datagrams are sent from a kernel thread at load;
 *  - block: @block datagrams are sent from a kernel thread that waits for socket
 *    memory where it has to. Removal waits for its end.
 *
 * Marks: MARK_NESTED and MARK_THREAD. Nothing is waited for and no error is
 * reported: the suite counts what arrives.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/inet.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#define MARK_NESTED	900
#define MARK_THREAD	901
#define PORT		9

static char *rx;
module_param(rx, charp, 0);
MODULE_PARM_DESC(rx, "device whose packets are answered");

static char *addr;
module_param(addr, charp, 0);
MODULE_PARM_DESC(addr, "IPv4 address that datagrams go to");

static unsigned int thread;
module_param(thread, uint, 0);
MODULE_PARM_DESC(thread, "number of datagrams that a kernel thread sends");

static unsigned int block;
module_param(block, uint, 0);
MODULE_PARM_DESC(block, "number of datagrams that a patient kernel thread sends");

static struct packet_type tap;
static struct socket *nested_sock;
static struct socket *block_sock;
static struct task_struct *block_task;

static void nested_send(struct socket *sock, int flags)
{
	char payload[64] = "";
	struct kvec vec = { .iov_base = payload, .iov_len = sizeof(payload) };
	struct msghdr msg = { .msg_flags = flags };

	kernel_sendmsg(sock, &msg, &vec, 1, sizeof(payload));
}

static struct socket *nested_socket(unsigned int mark)
{
	struct sockaddr_storage to = {};
	struct sockaddr_in *in = (struct sockaddr_in *)&to;
	struct socket *sock;
	int err;

	in->sin_family = AF_INET;
	in->sin_port = htons(PORT);
	in->sin_addr.s_addr = in_aton(addr);

	err = sock_create_kern(&init_net, AF_INET, SOCK_DGRAM, IPPROTO_UDP, &sock);
	if (err)
		return ERR_PTR(err);
	sock->sk->sk_mark = mark;
	sock->sk->sk_allocation = GFP_ATOMIC;
	err = sock->ops->connect(sock, (void *)&to, sizeof(*in), 0);
	if (err) {
		sock_release(sock);
		return ERR_PTR(err);
	}
	return sock;
}

static int nested_rcv(struct sk_buff *skb, struct net_device *dev, struct packet_type *pt,
		      struct net_device *orig_dev)
{
	kfree_skb(skb);
	nested_send(nested_sock, MSG_DONTWAIT);
	return 0;
}

static int nested_thread(void *arg)
{
	unsigned int i;

	for (i = 0; i < thread; i++)
		nested_send(arg, MSG_DONTWAIT);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ / 50);
	return 0;
}

static int nested_block_thread(void *arg)
{
	unsigned int i;

	for (i = 0; i < block; i++)
		nested_send(arg, 0);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ / 50);
	return 0;
}

static int nested_run_block(void)
{
	block_sock = nested_socket(MARK_THREAD);
	if (IS_ERR(block_sock))
		return PTR_ERR(block_sock);
	block_sock->sk->sk_allocation = GFP_KERNEL;
	block_task = kthread_run(nested_block_thread, block_sock, "xhr_nested");
	if (IS_ERR(block_task))
		sock_release(block_sock);
	return PTR_ERR_OR_ZERO(block_task);
}

static int nested_run_thread(void)
{
	struct task_struct *task;
	struct socket *sock;

	sock = nested_socket(MARK_THREAD);
	if (IS_ERR(sock))
		return PTR_ERR(sock);
	task = kthread_run(nested_thread, sock, "xhr_nested");
	if (!IS_ERR(task)) {
		/* Long enough for the loop; it stops only behind it anyway. */
		msleep(20);
		kthread_stop(task);
	}
	sock_release(sock);
	return PTR_ERR_OR_ZERO(task);
}

static int __init nested_init(void)
{
	struct net_device *dev;
	int err;

	if (!addr)
		return -EINVAL;
	if (thread) {
		err = nested_run_thread();
		if (err)
			return err;
	}
	if (block)
		return nested_run_block();
	if (!rx)
		return 0;

	nested_sock = nested_socket(MARK_NESTED);
	if (IS_ERR(nested_sock))
		return PTR_ERR(nested_sock);
	dev = dev_get_by_name(current->nsproxy->net_ns, rx);
	if (!dev) {
		sock_release(nested_sock);
		return -ENODEV;
	}
	tap.type = htons(ETH_P_ALL);
	tap.func = nested_rcv;
	tap.dev = dev;
	dev_add_pack(&tap);
	return 0;
}

static void __exit nested_exit(void)
{
	if (block_task) {
		kthread_stop(block_task);
		sock_release(block_sock);
	}
	if (!tap.dev)
		return;
	dev_remove_pack(&tap);
	dev_put(tap.dev);
	sock_release(nested_sock);
}

module_init(nested_init);
module_exit(nested_exit);
MODULE_DESCRIPTION("Senders in softirqs and kernel threads, for tests");
MODULE_LICENSE("GPL");
