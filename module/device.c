// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of per-device settings; see device.h. Writers hold RTNL, which also
 * keeps a device from unregistering under them. Hooks are attached before RTNL
 * is taken: patching the kernel's text takes a while and must not hold up
 * everybody's network configuration.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "device.h"
#include "hook.h"
#include "netlink.h"
#include "policy.h"
#include "rx/rx.h"
#include "tx/tx.h"

struct hlist_head xhr_dev_hash[1 << XHR_DEV_HASH_BITS];

struct xhr_dev_conf xhr_dev_default = {
	.tx_head = XHROOM_TX_HEAD_AUTO,
	.xdp_linearize = XHROOM_XDP_LINEARIZE_ON,
	.xdp_headroom_min = XHROOM_XDP_HEADROOM_MIN_MAX,
};

static bool xhr_dev_is_default(const struct xhr_dev_conf *conf)
{
	return conf->tx_extra_headroom == xhr_dev_default.tx_extra_headroom &&
	       conf->tx_auto_max == xhr_dev_default.tx_auto_max &&
	       conf->tx_head == xhr_dev_default.tx_head &&
	       conf->xdp_linearize == xhr_dev_default.xdp_linearize &&
	       conf->xdp_headroom_min == xhr_dev_default.xdp_headroom_min;
}

/* Bit N of XHR_NEED_... is number N here. */
static struct xhr_feature *const xhr_need_features[] = {
	&xhr_tx_headroom_feature,
	&xhr_tx_auto_feature,
	&xhr_xdp_headroom_feature,
	&xhr_xdp_linearize_feature,
};

int xhr_needs_get(unsigned int needs, struct netlink_ext_ack *extack)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(xhr_need_features); i++) {
		if (!(needs & BIT(i)))
			continue;
		err = xhr_feature_get(xhr_need_features[i], extack);
		if (err) {
			xhr_needs_put(needs & (BIT(i) - 1));
			return err;
		}
	}
	return 0;
}

bool xhr_needs_get_attached(unsigned int needs)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(xhr_need_features); i++) {
		if (needs & BIT(i) && !xhr_feature_get_attached(xhr_need_features[i])) {
			xhr_needs_put(needs & (BIT(i) - 1));
			return false;
		}
	}
	return true;
}

void xhr_needs_put(unsigned int needs)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(xhr_need_features); i++)
		if (needs & BIT(i))
			xhr_feature_put(xhr_need_features[i]);
}

/* Under RTNL, and the tuner's lock if others can see the entry. */
static void xhr_dev_put_conf(struct xhr_dev *xdev, const struct xhr_dev_conf *conf)
{
	unsigned int want = conf->tx_extra_headroom;

	if (conf->tx_auto_max != xdev->conf.tx_auto_max)
		xhr_tune_init(&xdev->tuner, conf->tx_auto_max);
	if (conf->tx_auto_max)
		want = xdev->tuner.logic.value | XHR_TX_AUTO;
	if (conf->tx_head == XHROOM_TX_HEAD_PAGE_FRAG)
		want |= XHR_TX_PAGE_FRAG;
	else if (conf->tx_head == XHROOM_TX_HEAD_AUTO && want && xhr_dev_is_veth(xdev->dev))
		want |= XHR_TX_PAGE_FRAG_XDP;
	xdev->conf = *conf;
	xdev->needs = xhr_dev_conf_needs(conf);
	WRITE_ONCE(xdev->tx_want, want);
}

static struct xhr_dev *xhr_dev_alloc(struct net_device *dev, const struct xhr_dev_conf *conf)
{
	struct xhr_dev *xdev = kvzalloc(struct_size(xdev, stats, nr_cpu_ids), GFP_KERNEL);

	if (!xdev)
		return NULL;
	xdev->dev = dev;
	spin_lock_init(&xdev->tuner.lock);
	xhr_dev_put_conf(xdev, conf);
	return xdev;
}

/* Take an entry out. RTNL. */
static void xhr_dev_remove(struct xhr_dev *xdev)
{
	hlist_del_rcu(&xdev->node);
	xhr_needs_put(xdev->needs);
	kvfree_rcu(xdev, rcu);
}

struct net_device *xhr_dev_lookup(struct net *net, int ifindex, const char *name,
				  struct netlink_ext_ack *extack)
{
	struct net_device *dev;

	ASSERT_RTNL();
	dev = ifindex ? __dev_get_by_index(net, ifindex) : __dev_get_by_name(net, name);
	if (!dev || dev->reg_state != NETREG_REGISTERED) {
		NL_SET_ERR_MSG(extack, XHR_NO_SUCH_DEVICE);
		return NULL;
	}
	return dev;
}

int xhr_dev_set(struct net *net, int ifindex, const char *name,
		const struct xhr_dev_conf *conf, u32 mask, struct netlink_ext_ack *extack,
		int (*result)(struct net_device *dev, const struct xhr_dev_conf *conf,
			      void *arg), void *arg)
{
	struct xhr_dev_conf now = xhr_dev_default, shown;
	struct xhr_dev *xdev, *new = NULL;
	unsigned int spare, had;
	struct net_device *dev;
	int err;

	spare = xhr_dev_conf_may_need(conf, mask);
	err = xhr_needs_get(spare, extack);
	if (err)
		return err;

	rtnl_lock();
	dev = xhr_dev_lookup(net, ifindex, name, extack);
	if (!dev) {
		err = -ENODEV;
		goto out;
	}
	xdev = xhr_dev_find(dev);
	if (xdev)
		now = xdev->conf;
	xhr_dev_conf_merge(&now, conf, mask);
	if (!xdev && !xhr_dev_is_default(&now)) {
		new = xhr_dev_alloc(dev, &now);
		if (!new) {
			NL_SET_ERR_MSG(extack, "out of memory");
			err = -ENOMEM;
			goto out;
		}
	}
	shown = now;
	if (xdev && now.tx_auto_max && now.tx_auto_max == xdev->conf.tx_auto_max)
		shown.tx_extra_headroom = READ_ONCE(xdev->tuner.logic.value);
	err = result ? result(dev, &shown, arg) : 0;
	if (err) {
		if (new)
			kvfree(new);
		goto out;
	}

	/* Nothing can fail from here on. */
	if (new) {
		spare &= ~new->needs;
		hlist_add_head_rcu(&new->node, xhr_dev_bucket(dev));
	} else if (xdev && xhr_dev_is_default(&now)) {
		xhr_dev_remove(xdev);
	} else if (xdev) {
		had = xdev->needs;
		spin_lock_bh(&xdev->tuner.lock);
		xhr_dev_put_conf(xdev, &now);
		spin_unlock_bh(&xdev->tuner.lock);
		spare &= ~(xdev->needs & ~had);
		xhr_needs_put(had & ~xdev->needs);
	}
out:
	rtnl_unlock();
	xhr_needs_put(spare);
	return err;
}

void xhr_dev_get(const struct net_device *dev, struct xhr_dev_report *report)
{
	struct xhr_dev_stats *stats = &report->stats;
	struct xhr_dev *xdev;
	int cpu;

	ASSERT_RTNL();
	memset(report, 0, sizeof(*report));
	report->conf = xhr_dev_default;
	xdev = xhr_dev_find(dev);
	if (!xdev)
		return;
	report->conf = xdev->conf;
	if (xdev->conf.tx_auto_max) {
		spin_lock_bh(&xdev->tuner.lock);
		report->tuner.logic = xdev->tuner.logic;
		report->tuner.changed = xdev->tuner.changed;
		report->tuner.caller = xdev->tuner.caller;
		spin_unlock_bh(&xdev->tuner.lock);
		report->conf.tx_extra_headroom = report->tuner.logic.value;
	}
	for_each_possible_cpu(cpu) {
		const struct xhr_dev_cpu_stats *s = &xdev->stats[cpu];

		stats->tx_headroom_packets += local64_read(&s->tx_headroom_packets);
		stats->tx_headroom_bytes += local64_read(&s->tx_headroom_bytes);
		stats->tx_headroom_fallbacks += local64_read(&s->tx_headroom_fallbacks);
		stats->tx_page_frags += local64_read(&s->tx_page_frags);
		stats->xdp_kept += local64_read(&s->xdp_kept);
		stats->xdp_copied_shared += local64_read(&s->xdp_copied_shared);
		stats->xdp_copied_nonlinear += local64_read(&s->xdp_copied_nonlinear);
		stats->xdp_copied_headroom += local64_read(&s->xdp_copied_headroom);
		stats->xdp_copied_head += local64_read(&s->xdp_copied_head);
	}
}

/*
 * A device appears: give it what the policies say. Failing leaves it as it is.
 * Hooks are not attached from here, under RTNL and once for each device: the
 * policy holds a use of them, if they could be had when it was made.
 */
static void xhr_dev_apply_policy(struct net_device *dev)
{
	const struct xhr_policy *policy = xhr_policy_of(dev);
	struct xhr_dev *xdev;
	unsigned int needs;

	if (!policy || xhr_dev_is_default(&policy->conf) || xhr_dev_find(dev))
		return;
	needs = xhr_dev_conf_needs(&policy->conf);
	if (!xhr_needs_get_attached(needs)) {
		net_warn_ratelimited("%s: no settings by policy: the hooks are not in place\n",
				     dev->name);
		return;
	}
	xdev = xhr_dev_alloc(dev, &policy->conf);
	if (!xdev) {
		xhr_needs_put(needs);
		net_warn_ratelimited("%s: no settings by policy: out of memory\n", dev->name);
		return;
	}
	hlist_add_head_rcu(&xdev->node, xhr_dev_bucket(dev));
}

/*
 * RTNL is held. A move to another namespace looks like the device's end followed
 * by its beginning, but it stays registered in between; both come under one hold
 * of RTNL. Its settings stay, whatever the policies say.
 */
static int xhr_dev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	static const struct net_device *moving;
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct xhr_dev *xdev;

	switch (event) {
	case NETDEV_REGISTER:
		if (dev != moving)
			xhr_dev_apply_policy(dev);
		moving = NULL;
		break;
	case NETDEV_UNREGISTER:
		if (dev->reg_state == NETREG_REGISTERED) {
			moving = dev;
			break;
		}
		xdev = xhr_dev_find(dev);
		if (xdev) {
			xhr_dev_remove(xdev);
			xhr_netlink_notify_gone(dev);
		}
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block xhr_dev_nb = {
	.notifier_call	= xhr_dev_event,
};

int xhr_dev_init(void)
{
	return register_netdevice_notifier(&xhr_dev_nb);
}

/* No settings can be made any more: the netlink family is gone. */
void xhr_dev_exit(void)
{
	struct hlist_node *tmp;
	struct xhr_dev *xdev;
	unsigned int i;

	unregister_netdevice_notifier(&xhr_dev_nb);
	rtnl_lock();
	for (i = 0; i < ARRAY_SIZE(xhr_dev_hash); i++)
		hlist_for_each_entry_safe(xdev, tmp, &xhr_dev_hash[i], node)
			xhr_dev_remove(xdev);
	rtnl_unlock();
}
