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
#include "policy.h"
#include "tx/tx.h"

struct hlist_head xhr_dev_hash[1 << XHR_DEV_HASH_BITS];

static struct xhr_dev *xhr_dev_alloc(struct net_device *dev)
{
	struct xhr_dev *xdev = kzalloc(sizeof(*xdev), GFP_KERNEL);

	if (!xdev)
		return NULL;
	xdev->stats = alloc_percpu(struct xhr_dev_stats);
	if (!xdev->stats) {
		kfree(xdev);
		return NULL;
	}
	xdev->dev = dev;
	return xdev;
}

static void xhr_dev_free(struct xhr_dev *xdev)
{
	free_percpu(xdev->stats);
	kfree(xdev);
}

static void xhr_dev_free_rcu(struct rcu_head *rcu)
{
	xhr_dev_free(container_of(rcu, struct xhr_dev, rcu));
}

/* Take an entry out. RTNL. */
static void xhr_dev_remove(struct xhr_dev *xdev)
{
	hlist_del_rcu(&xdev->node);
	if (xdev->tx_extra_headroom)
		xhr_feature_put(&xhr_tx_headroom_feature);
	call_rcu(&xdev->rcu, xhr_dev_free_rcu);
}

static struct net_device *xhr_dev_lookup(struct net *net, int ifindex, const char *name,
					 struct netlink_ext_ack *extack)
{
	struct net_device *dev;

	ASSERT_RTNL();
	dev = ifindex ? __dev_get_by_index(net, ifindex) : __dev_get_by_name(net, name);
	if (!dev || dev->reg_state != NETREG_REGISTERED) {
		NL_SET_ERR_MSG(extack, "no such device in this network namespace");
		return NULL;
	}
	return dev;
}

int xhr_dev_set(struct net *net, int ifindex, const char *name,
		const struct xhr_dev_conf *conf, u32 mask, struct netlink_ext_ack *extack,
		int (*result)(struct net_device *dev, const struct xhr_dev_conf *conf,
			      void *arg), void *arg)
{
	bool want = mask & XHR_CONF_TX_EXTRA_HEADROOM && conf->tx_extra_headroom;
	struct xhr_dev_conf now = {};
	struct xhr_dev *xdev, *new = NULL;
	struct net_device *dev;
	int err;

	if (want) {
		err = xhr_feature_get(&xhr_tx_headroom_feature, extack);
		if (err)
			return err;
	}

	rtnl_lock();
	dev = xhr_dev_lookup(net, ifindex, name, extack);
	if (!dev) {
		err = -ENODEV;
		goto out;
	}
	xdev = xhr_dev_find(dev);
	if (!xdev && want) {
		new = xhr_dev_alloc(dev);
		if (!new) {
			err = -ENOMEM;
			goto out;
		}
		xdev = new;
	}

	if (xdev)
		now.tx_extra_headroom = xdev->tx_extra_headroom;
	if (mask & XHR_CONF_TX_EXTRA_HEADROOM)
		now.tx_extra_headroom = conf->tx_extra_headroom;
	err = result ? result(dev, &now, arg) : 0;
	if (err) {
		if (new)
			xhr_dev_free(new);
		goto out;
	}

	/* Nothing can fail from here on. */
	if (new) {
		new->tx_extra_headroom = now.tx_extra_headroom;
		hlist_add_head_rcu(&new->node, xhr_dev_bucket(dev));
		want = false;
	} else if (xdev && !now.tx_extra_headroom) {
		xhr_dev_remove(xdev);
	} else if (xdev) {
		WRITE_ONCE(xdev->tx_extra_headroom, now.tx_extra_headroom);
	}
out:
	rtnl_unlock();
	/* An entry holds one use of the feature, however often it is set. */
	if (want)
		xhr_feature_put(&xhr_tx_headroom_feature);
	return err;
}

void xhr_dev_get(const struct net_device *dev, struct xhr_dev_conf *conf,
		 struct xhr_dev_stats *stats)
{
	const struct xhr_dev *xdev;
	int cpu;

	ASSERT_RTNL();
	memset(conf, 0, sizeof(*conf));
	memset(stats, 0, sizeof(*stats));
	xdev = xhr_dev_find(dev);
	if (!xdev)
		return;
	conf->tx_extra_headroom = xdev->tx_extra_headroom;
	for_each_possible_cpu(cpu) {
		const struct xhr_dev_stats *s = per_cpu_ptr(xdev->stats, cpu);

		stats->tx_headroom_packets += READ_ONCE(s->tx_headroom_packets);
		stats->tx_headroom_bytes += READ_ONCE(s->tx_headroom_bytes);
		stats->tx_headroom_fallbacks += READ_ONCE(s->tx_headroom_fallbacks);
	}
}

/* A device appears: give it what the policies say. Failing leaves it as it is. */
static void xhr_dev_apply_policy(struct net_device *dev)
{
	unsigned int value = xhr_policy_tx_headroom(dev);
	struct xhr_dev *xdev;
	int err;

	if (!value || xhr_dev_find(dev))
		return;
	err = xhr_feature_get(&xhr_tx_headroom_feature, NULL);
	if (err)
		goto failed;
	xdev = xhr_dev_alloc(dev);
	if (!xdev) {
		xhr_feature_put(&xhr_tx_headroom_feature);
		err = -ENOMEM;
		goto failed;
	}
	xdev->tx_extra_headroom = value;
	hlist_add_head_rcu(&xdev->node, xhr_dev_bucket(dev));
	return;

failed:
	net_warn_ratelimited("%s: no extra TX headroom by policy: error %d\n", dev->name, err);
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

/*
 * Policies hold a use of their own: hooks come and go by the second, and a
 * device that registers must not wait for them under RTNL.
 */
static bool xhr_dev_policy_use;

int xhr_dev_init(void)
{
	int err;

	if (xhr_policy_any()) {
		err = xhr_feature_get(&xhr_tx_headroom_feature, NULL);
		xhr_dev_policy_use = !err;
		if (err)
			pr_warn("policies of tx_headroom cannot be followed now: %s\n",
				xhr_tx_headroom_feature.reason);
	}
	err = register_netdevice_notifier(&xhr_dev_nb);
	if (err && xhr_dev_policy_use)
		xhr_feature_put(&xhr_tx_headroom_feature);
	return err;
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
	if (xhr_dev_policy_use)
		xhr_feature_put(&xhr_tx_headroom_feature);
	rcu_barrier();
}
