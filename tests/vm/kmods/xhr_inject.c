// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets of any form, for suites/rx-*.sh: user space cannot say how much headroom
 * a packet has, what memory it is made of, or who else has it.
 *
 * Write words to debugfs, xhr_inject/send:
 *
 *	dev=NAME	in the writer's network namespace
 *	how=rx|tx	as if the device had received them, or sent by it
 *	n=N		so many packets
 *	size=N		bytes from the Ethernet header on
 *	headroom=N	bytes in front of the Ethernet header
 *	tailroom=N	bytes behind the linear part, at least
 *	linear=N	bytes in the linear part; the rest in ...
 *	frags=N		... so many page fragments (default 1), or
 *	list=1		a list of fragments
 *	slab=1		the head is slab memory, not a page fragment
 *	clone=1		somebody else has a clone
 *	shared=1	the fragments may be changed by others, as after sendfile()
 *	vlan=N		a VLAN tag beside the data
 *	gso=N		segments of UDP payload of so many bytes
 *	number=1	the payload begins with the packet's number, in host order;
 *			the checksum is not that of the packet then
 *
 * Packets are UDP over IPv4 to port 9, as rxcheck wants them: each byte of payload is
 * its distance from the start of the frame.
 *
 * xhr_inject/held tells, for clones and for pages of fragments, which are held until
 * then, how many there were and in how many a byte has changed; then they are let
 * go. So many writes may be in between.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/seq_file.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/ip.h>

#define HEADERS	(ETH_HLEN + sizeof(struct iphdr) + sizeof(struct udphdr))
#define PORT	9

struct order {
	char dev[IFNAMSIZ];
	bool tx;
	unsigned int n, size, headroom, tailroom, linear, frags, list, slab, clone, shared, vlan,
		     gso, number;
};

/* Something of a packet that must stay as it is. */
struct held {
	struct list_head list;
	struct sk_buff *clone;
	struct page *page;
	unsigned int len;
	u8 bytes[];
};

static LIST_HEAD(helds);
static DEFINE_MUTEX(lock);
static struct dentry *dir;

/* The whole frame, linear, in @frame. */
static void make_frame(u8 *frame, const struct order *o, const struct net_device *dev)
{
	struct ethhdr *eth = (struct ethhdr *)frame;
	struct iphdr *ip = (struct iphdr *)(frame + ETH_HLEN);
	struct udphdr *udp = (struct udphdr *)(ip + 1);
	unsigned int i, len = o->size - ETH_HLEN - sizeof(*ip);

	for (i = 0; i < o->size; i++)
		frame[i] = i;
	ether_addr_copy(eth->h_dest, dev->dev_addr);
	ether_addr_copy(eth->h_source, dev->dev_addr);
	/* The ends of a pair have addresses that end in 1 and 2, or 3 and 4. */
	if (o->tx)
		eth->h_dest[5] = ((eth->h_dest[5] - 1) ^ 1) + 1;
	else
		eth->h_source[5] = ((eth->h_source[5] - 1) ^ 1) + 1;
	eth->h_proto = htons(ETH_P_IP);
	memset(ip, 0, sizeof(*ip) + sizeof(*udp));
	ip->version = 4;
	ip->ihl = 5;
	ip->ttl = 64;
	ip->protocol = IPPROTO_UDP;
	ip->tot_len = htons(o->size - ETH_HLEN);
	ip->saddr = htonl(0x0a000001);
	ip->daddr = htonl(0x0a000002);
	ip_send_check(ip);
	udp->source = htons(PORT);
	udp->dest = htons(PORT);
	udp->len = htons(len);
	udp->check = csum_tcpudp_magic(ip->saddr, ip->daddr, len, IPPROTO_UDP,
				       csum_partial(udp, len, 0)) ?: CSUM_MANGLED_0;
}

static struct sk_buff *make_head(const struct order *o, unsigned int room)
{
	unsigned int size = SKB_DATA_ALIGN(room) + SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	struct sk_buff *skb;
	void *head;

	if (o->slab)
		return alloc_skb(room, GFP_KERNEL);
	if (size > PAGE_SIZE)
		return NULL;
	head = netdev_alloc_frag(size);
	skb = head ? build_skb(head, size) : NULL;
	if (head && !skb)
		skb_free_frag(head);
	return skb;
}

/* Nobody may change it from now on. */
static int hold(struct sk_buff *clone, struct page *page, const u8 *bytes, unsigned int len)
{
	struct held *held = kmalloc(struct_size(held, bytes, len), GFP_KERNEL);

	if (!held)
		return -ENOMEM;
	held->clone = clone;
	held->page = page;
	if (page)
		get_page(page);
	held->len = len;
	memcpy(held->bytes, bytes, len);
	list_add(&held->list, &helds);
	return 0;
}

static int add_frags(struct sk_buff *skb, const struct order *o, const u8 *frame)
{
	unsigned int left = o->size - o->linear, off = o->linear, i, len;
	struct page *page;
	int err;

	for (i = 0; i < o->frags && left; i++) {
		len = i + 1 == o->frags ? left : max(1U, left / (o->frags - i));
		if (len > PAGE_SIZE)
			return -EMSGSIZE;
		page = alloc_page(GFP_KERNEL);
		if (!page)
			return -ENOMEM;
		memcpy(page_address(page), frame + off, len);
		skb_add_rx_frag(skb, i, page, 0, len, PAGE_SIZE);
		err = hold(NULL, page, page_address(page), len);
		if (err)
			return err;
		off += len;
		left -= len;
	}
	if (o->shared)
		skb_shinfo(skb)->flags |= SKBFL_SHARED_FRAG;
	return 0;
}

static int add_list(struct sk_buff *skb, const struct order *o, const u8 *frame)
{
	unsigned int left = o->size - o->linear;
	struct sk_buff *more = alloc_skb(left, GFP_KERNEL);

	if (!more)
		return -ENOMEM;
	skb_put_data(more, frame + o->linear, left);
	skb_shinfo(skb)->frag_list = more;
	skb->len += left;
	skb->data_len += left;
	skb->truesize += more->truesize;
	return 0;
}

static struct sk_buff *make_skb(const struct order *o, const u8 *frame)
{
	struct sk_buff *skb = make_head(o, o->headroom + o->linear + o->tailroom);
	int err = 0;

	if (!skb)
		return NULL;
	skb_reserve(skb, o->headroom);
	skb_put_data(skb, frame, o->linear);
	if (o->linear < o->size)
		err = o->list ? add_list(skb, o, frame) : add_frags(skb, o, frame);
	if (err) {
		kfree_skb(skb);
		return NULL;
	}
	if (o->vlan)
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), o->vlan);
	if (o->gso) {
		skb_shinfo(skb)->gso_size = o->gso;
		skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
		skb_shinfo(skb)->gso_segs = DIV_ROUND_UP(o->size - HEADERS, o->gso);
	}
	return skb;
}

static int send_one(const struct order *o, struct net_device *dev, const u8 *frame)
{
	struct sk_buff *skb = make_skb(o, frame), *clone;

	if (!skb)
		return -ENOMEM;
	skb_reset_mac_header(skb);
	if (o->clone) {
		clone = skb_clone(skb, GFP_KERNEL);
		if (!clone || hold(clone, NULL, frame, o->size)) {
			kfree_skb(clone);
			kfree_skb(skb);
			return -ENOMEM;
		}
	}
	skb->dev = dev;
	if (o->tx) {
		skb->protocol = htons(ETH_P_IP);
		skb_set_network_header(skb, ETH_HLEN);
		dev_queue_xmit(skb);
		return 0;
	}
	skb->protocol = eth_type_trans(skb, dev);
	/* As the network does it: the queue's softirq runs when the last one is in. */
	netif_rx(skb);
	return 0;
}

static int obey(const struct order *o)
{
	struct net_device *dev = dev_get_by_name(current->nsproxy->net_ns, o->dev);
	unsigned int i;
	u8 *frame;
	int err = -ENOMEM;

	if (!dev)
		return -ENODEV;
	frame = kmalloc(o->size, GFP_KERNEL);
	if (!frame)
		goto out;
	make_frame(frame, o, dev);
	for (i = 0, err = 0; !err && i < o->n; i++) {
		if (o->number)
			memcpy(frame + HEADERS, &i, sizeof(i));
		err = send_one(o, dev, frame);
		/* Queues are short. */
		if (i % 32 == 31)
			usleep_range(2000, 4000);
	}
	kfree(frame);
out:
	dev_put(dev);
	return err;
}

static const struct {
	const char *key;
	size_t offset;
} keys[] = {
#define KEY(_k) { #_k, offsetof(struct order, _k) }
	KEY(n), KEY(size), KEY(headroom), KEY(tailroom), KEY(linear), KEY(frags), KEY(list),
	KEY(slab), KEY(clone), KEY(shared), KEY(vlan), KEY(gso), KEY(number),
};

static int parse(char *text, struct order *o)
{
	char *word, *value;
	unsigned int i;

	o->n = 1;
	o->size = 106;
	o->frags = 1;
	while ((word = strsep(&text, "\t\n "))) {
		if (!*word)
			continue;
		value = word;
		strsep(&value, "=");
		if (!value)
			return -EINVAL;
		if (!strcmp(word, "dev")) {
			strscpy(o->dev, value, sizeof(o->dev));
			continue;
		}
		if (!strcmp(word, "how")) {
			o->tx = !strcmp(value, "tx");
			continue;
		}
		for (i = 0; i < ARRAY_SIZE(keys); i++)
			if (!strcmp(word, keys[i].key))
				break;
		if (i == ARRAY_SIZE(keys) ||
		    kstrtouint(value, 0, (unsigned int *)((char *)o + keys[i].offset)))
			return -EINVAL;
	}
	if (!o->linear || o->linear > o->size)
		o->linear = o->size;
	return o->size < HEADERS + (o->number ? sizeof(u32) : 0) || o->size > 65000 || o->linear < ETH_HLEN ? -EINVAL : 0;
}

static ssize_t send_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct order o = {};
	char text[256];
	int err;

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, len))
		return -EFAULT;
	text[len] = 0;
	err = parse(text, &o);
	if (err)
		return err;
	mutex_lock(&lock);
	err = obey(&o);
	mutex_unlock(&lock);
	return err ?: len;
}

static const struct file_operations send_fops = {
	.owner = THIS_MODULE,
	.write = send_write,
};

static bool altered(const struct held *held)
{
	unsigned int i;
	u8 byte;

	if (held->page)
		return memcmp(page_address(held->page), held->bytes, held->len);
	/* The clone's own lengths and data cannot change, only the bytes behind them. */
	for (i = 0; i < held->len; i++) {
		if (skb_copy_bits(held->clone, i, &byte, 1) || byte != held->bytes[i])
			return true;
	}
	return false;
}

static void let_go(unsigned int *nr, unsigned int *bad)
{
	struct held *held, *tmp;

	*nr = 0;
	*bad = 0;
	list_for_each_entry_safe(held, tmp, &helds, list) {
		++*nr;
		*bad += altered(held);
		if (held->page)
			put_page(held->page);
		kfree_skb(held->clone);
		list_del(&held->list);
		kfree(held);
	}
}

static int held_show(struct seq_file *seq, void *unused)
{
	unsigned int nr, bad;

	mutex_lock(&lock);
	let_go(&nr, &bad);
	mutex_unlock(&lock);
	seq_printf(seq, "held %u changed %u\n", nr, bad);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(held);

static int __init inject_init(void)
{
	dir = debugfs_create_dir("xhr_inject", NULL);
	debugfs_create_file("send", 0200, dir, NULL, &send_fops);
	debugfs_create_file("held", 0400, dir, NULL, &held_fops);
	return 0;
}

static void __exit inject_exit(void)
{
	unsigned int nr, bad;

	debugfs_remove_recursive(dir);
	let_go(&nr, &bad);
}

module_init(inject_init);
module_exit(inject_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Packets of any form, for tests");
