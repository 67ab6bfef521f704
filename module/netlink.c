// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family "xhroom" (uapi/linux/xhroom.h): takes requests
 * apart, checks them, hands them to device.c, policy.c and hook.c and puts
 * their answers into messages. It decides about form and permission, never about packets.
 *
 * Context: requests run in the caller's process, may sleep, and run in parallel
 * with each other (no genl_mutex); what they do to devices is ordered by RTNL.
 * Notifications leave under RTNL, so listeners see changes in their order.
 *
 * What may not be done here:
 *  - refuse without saying why: each refusal sets the message of the extended
 *    acknowledgment and, where there is one, the attribute;
 *  - allocate after something has been changed: a request that fails has
 *    changed nothing, so the reply is allocated first;
 *  - take RTNL in xhr_netlink_exit(), or call it under RTNL: unregistering waits
 *    for requests, and those take RTNL;
 *  - let the family's name load the module (MODULE_ALIAS_GENL_FAMILY): any user
 *    may ask for a family, but whether this module is loaded is up to root.
 */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/sock.h>

#include "device.h"
#include "hook.h"
#include "netlink.h"
#include "policy.h"

static struct genl_family xhr_genl;

/* Index in xhr_genl_groups. */
enum {
	XHR_GROUP_CONFIG,
};

/*
 * Generations count changes of what a dump shows: a dump that saw two values is
 * marked as interrupted. Those of devices are counted for each namespace, so
 * that nobody disturbs the dumps of others. Written and read under RTNL, as is
 * the rest here.
 */
struct xhr_nl_net {
	u32 generation;
};

static unsigned int xhr_nl_net_id;
static u32 xhr_nl_policy_generation;

/* The family is registered: notifications may be sent. */
static bool xhr_nl_up;

/* The module is going: what was announced as gone shall not come back. */
static bool xhr_nl_closing;

/* A dump's sequence number is never 0. */
static unsigned int xhr_nl_seq(u32 generation)
{
	return generation ?: U32_MAX;
}

static u32 *xhr_nl_generation(const struct net *net)
{
	struct xhr_nl_net *nl_net = net_generic(net, xhr_nl_net_id);

	ASSERT_RTNL();
	return &nl_net->generation;
}

/* --- requests ------------------------------------------------------------ */

/* The same two attributes name a device in each command; they come first. */
static const struct nla_policy xhr_dev_get_policy[] = {
	[XHROOM_A_DEV_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[XHROOM_A_DEV_IFNAME] = { .type = NLA_NUL_STRING, .len = ALTIFNAMSIZ - 1 },
};

static const struct nla_policy xhr_dev_set_policy[] = {
	[XHROOM_A_DEV_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[XHROOM_A_DEV_IFNAME] = { .type = NLA_NUL_STRING, .len = ALTIFNAMSIZ - 1 },
	[XHROOM_A_DEV_TX_EXTRA_HEADROOM] = NLA_POLICY_MAX(NLA_U32, XHROOM_TX_EXTRA_HEADROOM_MAX),
	[XHROOM_A_DEV_TX_HEAD] = NLA_POLICY_RANGE(NLA_U32, XHROOM_TX_HEAD_AUTO, XHROOM_TX_HEAD_MAX),
	[XHROOM_A_DEV_TX_AUTO_MAX] = NLA_POLICY_RANGE(NLA_U32, XHROOM_TX_AUTO_MAX_MIN,
						      XHROOM_TX_EXTRA_HEADROOM_MAX),
	[XHROOM_A_DEV_XDP_HEADROOM_MIN] =
		NLA_POLICY_MAX(NLA_U32, XHROOM_XDP_HEADROOM_MIN_MAX),
	[XHROOM_A_DEV_XDP_LINEARIZE] =
		NLA_POLICY_RANGE(NLA_U32, XHROOM_XDP_LINEARIZE_ON, XHROOM_XDP_LINEARIZE_MAX),
};

static const struct nla_policy xhr_stats_get_policy[] = {
	[XHROOM_A_STATS_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[XHROOM_A_STATS_IFNAME] = { .type = NLA_NUL_STRING, .len = ALTIFNAMSIZ - 1 },
};

static_assert((int)XHROOM_A_STATS_IFINDEX == (int)XHROOM_A_DEV_IFINDEX);
static_assert((int)XHROOM_A_STATS_IFNAME == (int)XHROOM_A_DEV_IFNAME);

static const struct nla_policy xhr_policy_set_policy[] = {
	[XHROOM_A_POLICY_KIND] = { .type = NLA_NUL_STRING, .len = XHR_POLICY_KIND_MAX },
	[XHROOM_A_POLICY_NAME] = { .type = NLA_NUL_STRING, .len = XHR_POLICY_NAME_MAX },
	[XHROOM_A_POLICY_TX_EXTRA_HEADROOM] =
		NLA_POLICY_MAX(NLA_U32, XHROOM_TX_EXTRA_HEADROOM_MAX),
	[XHROOM_A_POLICY_TX_HEAD] =
		NLA_POLICY_RANGE(NLA_U32, XHROOM_TX_HEAD_AUTO, XHROOM_TX_HEAD_MAX),
	[XHROOM_A_POLICY_TX_AUTO_MAX] = NLA_POLICY_RANGE(NLA_U32, XHROOM_TX_AUTO_MAX_MIN,
							 XHROOM_TX_EXTRA_HEADROOM_MAX),
	[XHROOM_A_POLICY_XDP_HEADROOM_MIN] =
		NLA_POLICY_MAX(NLA_U32, XHROOM_XDP_HEADROOM_MIN_MAX),
	[XHROOM_A_POLICY_XDP_LINEARIZE] =
		NLA_POLICY_RANGE(NLA_U32, XHROOM_XDP_LINEARIZE_ON, XHROOM_XDP_LINEARIZE_MAX),
};

static const struct nla_policy xhr_policy_del_policy[] = {
	[XHROOM_A_POLICY_KIND] = { .type = NLA_NUL_STRING, .len = XHR_POLICY_KIND_MAX },
	[XHROOM_A_POLICY_NAME] = { .type = NLA_NUL_STRING, .len = XHR_POLICY_NAME_MAX },
};

/* Settings are read and written by the same functions. */
static_assert((int)XHROOM_A_POLICY_TX_EXTRA_HEADROOM == (int)XHROOM_A_DEV_TX_EXTRA_HEADROOM);
static_assert((int)XHROOM_A_POLICY_GONE == (int)XHROOM_A_DEV_GONE);
static_assert((int)XHROOM_A_POLICY_TX_HEAD == (int)XHROOM_A_DEV_TX_HEAD);
static_assert((int)XHROOM_A_POLICY_TX_AUTO_MAX == (int)XHROOM_A_DEV_TX_AUTO_MAX);
static_assert((int)XHROOM_A_POLICY_XDP_HEADROOM_MIN == (int)XHROOM_A_DEV_XDP_HEADROOM_MIN);
static_assert((int)XHROOM_A_POLICY_XDP_LINEARIZE == (int)XHROOM_A_DEV_XDP_LINEARIZE);

/*
 * As GENL_ADMIN_PERM would, but that refuses without a word. Memory that every
 * packet of a device takes is not for a container's root to set.
 */
static int xhr_nl_may_set(struct sk_buff *request, struct genl_info *info)
{
	if (netlink_capable(request, CAP_NET_ADMIN))
		return 0;
	NL_SET_ERR_MSG(info->extack, "CAP_NET_ADMIN in the initial user namespace is needed");
	return -EPERM;
}

/* What a request sets, and which settings that are; an error, with the reason said. */
static int xhr_nl_get_conf(struct genl_info *info, struct xhr_dev_conf *conf, u32 *settings)
{
	const struct nlattr *extra = info->attrs[XHROOM_A_DEV_TX_EXTRA_HEADROOM];
	const struct nlattr *auto_max = info->attrs[XHROOM_A_DEV_TX_AUTO_MAX];
	const struct nlattr *head = info->attrs[XHROOM_A_DEV_TX_HEAD];
	const struct nlattr *min = info->attrs[XHROOM_A_DEV_XDP_HEADROOM_MIN];
	const struct nlattr *linearize = info->attrs[XHROOM_A_DEV_XDP_LINEARIZE];
	u32 mask = 0;

	if (extra && auto_max) {
		NL_SET_ERR_MSG_ATTR(info->extack, auto_max,
				    "extra headroom is either given or learned");
		return -EINVAL;
	}
	if (extra) {
		conf->tx_extra_headroom = nla_get_u32(extra);
		mask |= XHR_CONF_TX_EXTRA_HEADROOM;
	}
	if (auto_max) {
		conf->tx_auto_max = nla_get_u32(auto_max);
		mask |= XHR_CONF_TX_AUTO_MAX;
	}
	if (head) {
		conf->tx_head = nla_get_u32(head);
		mask |= XHR_CONF_TX_HEAD;
	}
	if (min) {
		conf->xdp_headroom_min = nla_get_u32(min);
		mask |= XHR_CONF_XDP_HEADROOM_MIN;
		/* No range: 0 stands for the default. */
		if (conf->xdp_headroom_min &&
		    conf->xdp_headroom_min < XHROOM_XDP_HEADROOM_MIN_MIN) {
			NL_SET_ERR_MSG_ATTR(info->extack, min,
					    "out of range: 192 to 256 bytes, or 0 for the default");
			return -ERANGE;
		}
	}
	if (linearize) {
		conf->xdp_linearize = nla_get_u32(linearize);
		mask |= XHR_CONF_XDP_LINEARIZE;
	}
	*settings = mask;
	if (mask)
		return 0;
	NL_SET_ERR_MSG(info->extack, "nothing to set");
	return -EINVAL;
}

/* An error that is about the request as a whole is about its first setting. */
static void xhr_nl_blame_conf(struct genl_info *info)
{
	if (!info->extack->bad_attr)
		NL_SET_BAD_ATTR(info->extack, info->attrs[XHROOM_A_DEV_TX_EXTRA_HEADROOM] ?:
					      info->attrs[XHROOM_A_DEV_TX_AUTO_MAX] ?:
					      info->attrs[XHROOM_A_DEV_TX_HEAD] ?:
					      info->attrs[XHROOM_A_DEV_XDP_HEADROOM_MIN] ?:
					      info->attrs[XHROOM_A_DEV_XDP_LINEARIZE]);
}

/* How a request names a device. */
struct xhr_nl_ref {
	int ifindex;
	const char *name;
	const struct nlattr *attr;
};

static int xhr_nl_ref(struct genl_info *info, struct xhr_nl_ref *ref)
{
	const struct nlattr *ifindex = info->attrs[XHROOM_A_DEV_IFINDEX];
	const struct nlattr *ifname = info->attrs[XHROOM_A_DEV_IFNAME];

	if (!ifindex && !ifname) {
		NL_SET_ERR_MSG(info->extack, "which device? give ifindex or ifname");
		return -EINVAL;
	}
	if (ifindex && ifname) {
		NL_SET_ERR_MSG_ATTR(info->extack, ifname, "give ifindex or ifname, not both");
		return -EINVAL;
	}
	ref->ifindex = ifindex ? nla_get_u32(ifindex) : 0;
	ref->name = ifname ? nla_data(ifname) : NULL;
	ref->attr = ifindex ? ifindex : ifname;
	return 0;
}

/*
 * Setting a first value puts hooks in place, even before the device is looked
 * up for good. A name that nobody has should not get that far.
 */
static bool xhr_nl_exists(struct net *net, const struct xhr_nl_ref *ref)
{
	bool exists;

	rcu_read_lock();
	exists = ref->ifindex ? dev_get_by_index_rcu(net, ref->ifindex) :
				dev_get_by_name_rcu(net, ref->name);
	rcu_read_unlock();
	return exists;
}

/*
 * Dumps know no filter; what a policy lets through for a single request is too
 * much. To be called by a dump itself: when it is started, 6.1 gives it nowhere
 * to put the words.
 */
static int xhr_nl_dump_check(struct netlink_callback *cb)
{
	if (nlmsg_attrlen(cb->nlh, GENL_HDRLEN) <= 0)
		return 0;
	if (nlmsg_attrlen(cb->nlh, GENL_HDRLEN) >= NLA_HDRLEN)
		NL_SET_BAD_ATTR(cb->extack, nlmsg_attrdata(cb->nlh, GENL_HDRLEN));
	NL_SET_ERR_MSG(cb->extack, "a dump takes no attributes");
	return -EINVAL;
}

/* --- devices: settings --------------------------------------------------- */

/* Where a message goes. */
struct xhr_nl_dest {
	u32 portid;
	u32 seq;
	int flags;
	u8 cmd;
	struct netlink_callback *cb;
};

static void *xhr_nl_begin(struct sk_buff *skb, const struct xhr_nl_dest *dest)
{
	void *hdr = genlmsg_put(skb, dest->portid, dest->seq, &xhr_genl, dest->flags, dest->cmd);

	if (hdr && dest->cb)
		genl_dump_check_consistent(dest->cb, hdr);
	return hdr;
}

/* @conf: NULL if the settings are gone. */
static int xhr_nl_put_conf(struct sk_buff *skb, const struct xhr_dev_conf *conf)
{
	if (!conf)
		return nla_put_flag(skb, XHROOM_A_DEV_GONE);
	if (conf->tx_auto_max && nla_put_u32(skb, XHROOM_A_DEV_TX_AUTO_MAX, conf->tx_auto_max))
		return -EMSGSIZE;
	return nla_put_u32(skb, XHROOM_A_DEV_TX_EXTRA_HEADROOM, conf->tx_extra_headroom) ?:
	       nla_put_u32(skb, XHROOM_A_DEV_TX_HEAD, conf->tx_head) ?:
	       nla_put_u32(skb, XHROOM_A_DEV_XDP_HEADROOM_MIN, conf->xdp_headroom_min) ?:
	       nla_put_u32(skb, XHROOM_A_DEV_XDP_LINEARIZE, conf->xdp_linearize);
}

/* What a device has learned. */
static int xhr_nl_put_tuner(struct sk_buff *skb, const struct xhr_tuner *tuner)
{
	char function[KSYM_SYMBOL_LEN];
	time64_t since = ktime_get_seconds() - tuner->changed;

	if (!tuner->logic.max)
		return 0;
	if (nla_put_u32(skb, XHROOM_A_DEV_TX_AUTO_REASON, tuner->logic.reason) ||
	    nla_put_u32(skb, XHROOM_A_DEV_TX_AUTO_CHANGED, clamp_t(time64_t, since, 0, U32_MAX)))
		return -EMSGSIZE;
	/* Of code that is gone only the address is left, which is nobody's business. */
	if (!tuner->caller)
		return 0;
	sprint_symbol_no_offset(function, tuner->caller);
	if (!strncmp(function, "0x", 2))
		return 0;
	return nla_put_string(skb, XHROOM_A_DEV_TX_AUTO_FUNCTION, function);
}

/* @conf: NULL if its settings are gone. @tuner: NULL if that is not asked. */
static int xhr_nl_put_dev(struct sk_buff *skb, const struct xhr_nl_dest *dest,
			  const struct net_device *dev, const struct xhr_dev_conf *conf,
			  const struct xhr_tuner *tuner)
{
	void *hdr = xhr_nl_begin(skb, dest);

	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, XHROOM_A_DEV_IFINDEX, dev->ifindex) ||
	    nla_put_string(skb, XHROOM_A_DEV_IFNAME, dev->name) ||
	    xhr_nl_put_conf(skb, conf) || (tuner && xhr_nl_put_tuner(skb, tuner))) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static const struct xhr_nl_dest xhr_nl_to_group = { .cmd = XHROOM_CMD_DEV_NTF };

static void xhr_nl_multicast(struct sk_buff *skb, const struct net_device *dev)
{
	genlmsg_multicast_netns(&xhr_genl, dev_net(dev), skb, 0, XHR_GROUP_CONFIG, GFP_KERNEL);
}

/* Without memory the listeners are told that they missed something. */
static void xhr_nl_notify(struct net_device *dev, bool gone)
{
	struct xhr_dev_report report;
	struct sk_buff *skb;

	if (!xhr_nl_up)
		return;
	++*xhr_nl_generation(dev_net(dev));
	if (!genl_has_listeners(&xhr_genl, dev_net(dev), XHR_GROUP_CONFIG))
		return;

	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		goto lost;
	xhr_dev_get(dev, &report);
	if (xhr_nl_put_dev(skb, &xhr_nl_to_group, dev, gone ? NULL : &report.conf, NULL))
		goto lost;
	xhr_nl_multicast(skb, dev);
	return;

lost:
	nlmsg_free(skb);
	genl_set_err(&xhr_genl, dev_net(dev), 0, XHR_GROUP_CONFIG, -ENOBUFS);
}

/**
 * xhr_netlink_notify_gone() - a configured device is being removed
 * @dev: the device, still with its name, index and namespace
 *
 * Context: under RTNL, sleeps.
 */
void xhr_netlink_notify_gone(struct net_device *dev)
{
	xhr_nl_notify(dev, true);
}

/*
 * Listeners live in a namespace and know devices by their names there. A move
 * is announced by NETDEV_UNREGISTER in the old namespace, while the device
 * remains registered, and by NETDEV_REGISTER in the new one.
 */
static int xhr_nl_netdev_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);

	if (!xhr_dev_find(dev))
		return NOTIFY_DONE;

	switch (event) {
	case NETDEV_UNREGISTER:
		if (dev->reg_state == NETREG_REGISTERED)
			xhr_nl_notify(dev, true);
		break;
	case NETDEV_REGISTER:
	case NETDEV_CHANGENAME:
		xhr_nl_notify(dev, false);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block xhr_nl_netdev_notifier = {
	.notifier_call = xhr_nl_netdev_event,
};

/* A change's messages: allocated before it, filled when nothing else can fail. */
struct xhr_nl_change {
	struct genl_info *info;
	struct sk_buff *reply;
	struct sk_buff *notification;
};

static struct sk_buff *xhr_nl_new(struct netlink_ext_ack *extack)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!skb)
		NL_SET_ERR_MSG(extack, "out of memory");
	return skb;
}

static int xhr_nl_change_begin(struct xhr_nl_change *change, struct genl_info *info)
{
	change->info = info;
	change->reply = xhr_nl_new(info->extack);
	change->notification = xhr_nl_new(info->extack);
	return change->reply && change->notification ? 0 : -ENOMEM;
}

/* @err: how it ended. What was done is done, whether or not the caller hears it. */
static int xhr_nl_change_end(struct xhr_nl_change *change, int err)
{
	if (!err)
		genlmsg_reply(change->reply, change->info);
	else
		nlmsg_free(change->reply);
	nlmsg_free(change->notification);
	return err;
}

/* Under RTNL. */
static int xhr_nl_change_allowed(const struct xhr_nl_change *change)
{
	if (!xhr_nl_closing)
		return 0;
	NL_SET_ERR_MSG(change->info->extack, "the module is being removed");
	return -ESHUTDOWN;
}

/*
 * Called when nothing but this can fail any more. Under RTNL: who reads the
 * notification and asks at once finds the change made.
 */
static int xhr_nl_dev_set_done(struct net_device *dev, const struct xhr_dev_conf *conf, void *arg)
{
	struct xhr_nl_change *change = arg;
	const struct xhr_nl_dest dest = {
		.portid = change->info->snd_portid, .seq = change->info->snd_seq,
		.cmd = XHROOM_CMD_DEV_SET,
	};
	int err;

	err = xhr_nl_change_allowed(change);
	if (!err)
		err = xhr_nl_put_dev(change->reply, &dest, dev, conf, NULL);
	if (!err)
		err = xhr_nl_put_dev(change->notification, &xhr_nl_to_group, dev, conf, NULL);
	if (err)
		return err;

	++*xhr_nl_generation(dev_net(dev));
	xhr_nl_multicast(change->notification, dev);
	change->notification = NULL;
	return 0;
}

static int xhr_nl_dev_set(struct sk_buff *request, struct genl_info *info)
{
	struct xhr_nl_change change;
	struct xhr_dev_conf conf = {};
	struct xhr_nl_ref ref;
	u32 mask;
	int err;

	err = xhr_nl_may_set(request, info);
	if (err)
		return err;
	err = xhr_nl_ref(info, &ref);
	if (err)
		return err;
	err = xhr_nl_get_conf(info, &conf, &mask);
	if (err)
		return err;
	if (!xhr_nl_exists(genl_info_net(info), &ref)) {
		NL_SET_ERR_MSG_ATTR(info->extack, ref.attr, XHR_NO_SUCH_DEVICE);
		return -ENODEV;
	}

	err = xhr_nl_change_begin(&change, info);
	if (!err) {
		err = xhr_dev_set(genl_info_net(info), ref.ifindex, ref.name, &conf, mask,
				  info->extack, xhr_nl_dev_set_done, &change);
		if (err == -ENODEV)
			NL_SET_BAD_ATTR(info->extack, ref.attr);
		else if (err)
			xhr_nl_blame_conf(info);
	}
	return xhr_nl_change_end(&change, err);
}

/* --- devices: counters --------------------------------------------------- */

static int xhr_nl_put_stats(struct sk_buff *skb, const struct xhr_nl_dest *dest,
			    const struct net_device *dev, const struct xhr_dev_stats *stats)
{
	const struct {
		int attr;
		u64 value;
	} counters[] = {
		{ XHROOM_A_STATS_TX_HEADROOM_PACKETS, stats->tx_headroom_packets },
		{ XHROOM_A_STATS_TX_HEADROOM_BYTES, stats->tx_headroom_bytes },
		{ XHROOM_A_STATS_TX_HEADROOM_FALLBACKS, stats->tx_headroom_fallbacks },
		{ XHROOM_A_STATS_TX_PAGE_FRAGS, stats->tx_page_frags },
		{ XHROOM_A_STATS_XDP_KEPT, stats->xdp_kept },
		{ XHROOM_A_STATS_XDP_COPIED_SHARED, stats->xdp_copied_shared },
		{ XHROOM_A_STATS_XDP_COPIED_NONLINEAR, stats->xdp_copied_nonlinear },
		{ XHROOM_A_STATS_XDP_COPIED_HEADROOM, stats->xdp_copied_headroom },
		{ XHROOM_A_STATS_XDP_COPIED_HEAD, stats->xdp_copied_head },
	};
	void *hdr = xhr_nl_begin(skb, dest);
	unsigned int i;

	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, XHROOM_A_STATS_IFINDEX, dev->ifindex) ||
	    nla_put_string(skb, XHROOM_A_STATS_IFNAME, dev->name))
		goto full;
	for (i = 0; i < ARRAY_SIZE(counters); i++)
		if (nla_put_u64_64bit(skb, counters[i].attr, counters[i].value, XHROOM_A_STATS_PAD))
			goto full;
	genlmsg_end(skb, hdr);
	return 0;

full:
	genlmsg_cancel(skb, hdr);
	return -EMSGSIZE;
}

/* Settings (DEV_GET) or counters (STATS_GET) of one device. Under RTNL. */
static int xhr_nl_put_device(struct sk_buff *skb, const struct xhr_nl_dest *dest,
			     const struct net_device *dev)
{
	struct xhr_dev_report report;

	xhr_dev_get(dev, &report);
	return dest->cmd == XHROOM_CMD_STATS_GET ?
	       xhr_nl_put_stats(skb, dest, dev, &report.stats) :
	       xhr_nl_put_dev(skb, dest, dev, &report.conf, &report.tuner);
}

static int xhr_nl_device_get(struct sk_buff *request, struct genl_info *info)
{
	const struct xhr_nl_dest dest = {
		.portid = info->snd_portid, .seq = info->snd_seq, .cmd = info->genlhdr->cmd,
	};
	struct net_device *dev;
	struct xhr_nl_ref ref;
	struct sk_buff *skb;
	int err;

	err = xhr_nl_ref(info, &ref);
	if (err)
		return err;
	skb = xhr_nl_new(info->extack);
	if (!skb)
		return -ENOMEM;

	rtnl_lock();
	dev = xhr_dev_lookup(genl_info_net(info), ref.ifindex, ref.name, info->extack);
	err = dev ? xhr_nl_put_device(skb, &dest, dev) : -ENODEV;
	rtnl_unlock();

	if (err) {
		if (err == -ENODEV)
			NL_SET_BAD_ATTR(info->extack, ref.attr);
		nlmsg_free(skb);
		return err;
	}
	return genlmsg_reply(skb, info);
}

/* --- devices: dumps ------------------------------------------------------ */

/*
 * Settings (DEV_GET) or counters (STATS_GET) of all configured devices of the
 * caller's namespace. Resumes at a bucket and behind so many of its entries;
 * if entries came or went meanwhile, the generation has changed.
 */
static int xhr_nl_dump_devs(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	const struct xhr_nl_dest dest = {
		.portid = NETLINK_CB(cb->skb).portid, .seq = cb->nlh->nlmsg_seq,
		.flags = NLM_F_MULTI, .cmd = cmd, .cb = cb,
	};
	struct net *net = sock_net(skb->sk);
	unsigned long bucket = cb->args[0];
	unsigned long done = cb->args[1];
	struct xhr_dev *xdev;
	int err;

	err = xhr_nl_dump_check(cb);
	if (err)
		return err;
	rtnl_lock();
	cb->seq = xhr_nl_seq(*xhr_nl_generation(net));
	for (; bucket < ARRAY_SIZE(xhr_dev_hash); bucket++, done = 0) {
		unsigned long i = 0;

		hlist_for_each_entry(xdev, &xhr_dev_hash[bucket], node) {
			if (i++ < done)
				continue;
			if (net_eq(dev_net(xdev->dev), net)) {
				err = xhr_nl_put_device(skb, &dest, xdev->dev);
				if (err)
					goto full;
			}
			done = i;
		}
	}
full:
	rtnl_unlock();

	cb->args[0] = bucket;
	cb->args[1] = done;
	return skb->len ? skb->len : err;
}

static int xhr_nl_dev_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return xhr_nl_dump_devs(skb, cb, XHROOM_CMD_DEV_GET);
}

static int xhr_nl_stats_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return xhr_nl_dump_devs(skb, cb, XHROOM_CMD_STATS_GET);
}

/* --- policies ------------------------------------------------------------ */

static int xhr_nl_put_policy(struct sk_buff *skb, const struct xhr_nl_dest *dest,
			     const struct xhr_policy *policy, bool gone)
{
	const struct xhr_policy_match *match = &policy->match;
	void *hdr = xhr_nl_begin(skb, dest);

	if (!hdr)
		return -EMSGSIZE;
	if ((match->kind && nla_put_string(skb, XHROOM_A_POLICY_KIND, match->kind)) ||
	    (match->name && nla_put_string(skb, XHROOM_A_POLICY_NAME, match->name)) ||
	    xhr_nl_put_conf(skb, gone ? NULL : &policy->conf)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static int xhr_nl_get_match(struct genl_info *info, struct xhr_policy_match *match)
{
	struct nlattr *kind = info->attrs[XHROOM_A_POLICY_KIND];
	struct nlattr *name = info->attrs[XHROOM_A_POLICY_NAME];
	struct nlattr *both[] = { kind, name };
	unsigned int i;

	if (!kind && !name) {
		NL_SET_ERR_MSG(info->extack, "for which devices? give kind, name or both");
		return -EINVAL;
	}
	for (i = 0; i < ARRAY_SIZE(both); i++) {
		if (!both[i])
			continue;
		if (!*(const char *)nla_data(both[i])) {
			NL_SET_ERR_MSG_ATTR(info->extack, both[i], "this is empty");
			return -EINVAL;
		}
	}
	if (kind && !xhr_policy_kind_valid(nla_data(kind))) {
		NL_SET_ERR_MSG_ATTR(info->extack, kind,
				    "a link kind has letters, digits, '-', '_' and '.' only");
		return -EINVAL;
	}
	if (name && !xhr_policy_name_valid(nla_data(name))) {
		NL_SET_ERR_MSG_ATTR(info->extack, name,
				    "names of devices have no '/', no ':' and no white space");
		return -EINVAL;
	}
	match->kind = kind ? nla_data(kind) : NULL;
	match->name = name ? nla_data(name) : NULL;
	return 0;
}

/* Called when nothing but this can fail any more, under RTNL. */
static int xhr_nl_policy_done(const struct xhr_policy *policy, void *arg)
{
	struct xhr_nl_change *change = arg;
	const struct xhr_nl_dest to_caller = {
		.portid = change->info->snd_portid, .seq = change->info->snd_seq,
		.cmd = XHROOM_CMD_POLICY_SET,
	};
	const struct xhr_nl_dest to_group = { .cmd = XHROOM_CMD_POLICY_NTF };
	int err;

	err = xhr_nl_change_allowed(change);
	if (!err && change->reply)
		err = xhr_nl_put_policy(change->reply, &to_caller, policy, false);
	if (!err)
		err = xhr_nl_put_policy(change->notification, &to_group, policy, !change->reply);
	if (err)
		return err;

	xhr_nl_policy_generation++;
	genlmsg_multicast_netns(&xhr_genl, &init_net, change->notification, 0, XHR_GROUP_CONFIG,
				GFP_KERNEL);
	change->notification = NULL;
	return 0;
}

static int xhr_nl_policy_set(struct sk_buff *request, struct genl_info *info)
{
	struct xhr_nl_change change;
	struct xhr_policy_match match;
	struct xhr_dev_conf conf = {};
	u32 mask;
	int err;

	err = xhr_nl_may_set(request, info);
	if (err)
		return err;
	err = xhr_nl_get_match(info, &match);
	if (err)
		return err;
	err = xhr_nl_get_conf(info, &conf, &mask);
	if (err)
		return err;

	err = xhr_nl_change_begin(&change, info);
	if (!err) {
		err = xhr_policy_set(&match, &conf, mask, info->extack, xhr_nl_policy_done,
				     &change);
		if (err && err != -ENOSPC)
			xhr_nl_blame_conf(info);
	}
	return xhr_nl_change_end(&change, err);
}

static int xhr_nl_policy_del(struct sk_buff *request, struct genl_info *info)
{
	struct xhr_nl_change change = { .info = info };
	struct xhr_policy_match match;
	int err;

	err = xhr_nl_may_set(request, info);
	if (err)
		return err;
	err = xhr_nl_get_match(info, &match);
	if (err)
		return err;
	change.notification = xhr_nl_new(info->extack);
	if (!change.notification)
		return -ENOMEM;
	err = xhr_policy_del(&match, info->extack, xhr_nl_policy_done, &change);
	nlmsg_free(change.notification);
	return err;
}

static int xhr_nl_policy_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct xhr_nl_dest dest = {
		.portid = NETLINK_CB(cb->skb).portid, .seq = cb->nlh->nlmsg_seq,
		.flags = NLM_F_MULTI, .cmd = XHROOM_CMD_POLICY_GET, .cb = cb,
	};
	const struct xhr_policy *policy;
	unsigned long done = cb->args[0];
	unsigned long i = 0;
	int err;

	err = xhr_nl_dump_check(cb);
	if (err)
		return err;
	rtnl_lock();
	cb->seq = xhr_nl_seq(xhr_nl_policy_generation);
	list_for_each_entry(policy, &xhr_policies, list) {
		if (i++ < done)
			continue;
		err = xhr_nl_put_policy(skb, &dest, policy, false);
		if (err)
			break;
		done = i;
	}
	rtnl_unlock();

	cb->args[0] = done;
	return skb->len ? skb->len : err;
}

/* --- status -------------------------------------------------------------- */

static const u32 xhr_nl_hook_state[] = {
	[XHR_HOOK_ABSENT]	= XHROOM_HOOK_STATE_ABSENT,
	[XHR_HOOK_WAITING]	= XHROOM_HOOK_STATE_WAITING,
	[XHR_HOOK_REFUSED]	= XHROOM_HOOK_STATE_REFUSED,
	[XHR_HOOK_READY]	= XHROOM_HOOK_STATE_READY,
	[XHR_HOOK_BUSY]		= XHROOM_HOOK_STATE_BUSY,
	[XHR_HOOK_ATTACHED]	= XHROOM_HOOK_STATE_ATTACHED,
};

static const u32 xhr_nl_hook_backend[] = {
	[XHR_BACKEND_DIRECT]	= XHROOM_HOOK_BACKEND_DIRECT,
	[XHR_BACKEND_FTRACE]	= XHROOM_HOOK_BACKEND_FTRACE,
};

/* An empty string is left out. */
static int xhr_nl_put_text(struct sk_buff *skb, int type, const char *text)
{
	return text && *text ? nla_put_string(skb, type, text) : 0;
}

static int xhr_nl_put_feature(struct sk_buff *skb, const struct xhr_feature_status *status)
{
	struct nlattr *nest = nla_nest_start(skb, XHROOM_A_STATUS_FEATURE);

	if (!nest ||
	    nla_put_string(skb, XHROOM_A_FEATURE_NAME, status->feature->name) ||
	    (status->available && nla_put_flag(skb, XHROOM_A_FEATURE_AVAILABLE)) ||
	    (status->attached && nla_put_flag(skb, XHROOM_A_FEATURE_ATTACHED)) ||
	    (status->disabled && nla_put_flag(skb, XHROOM_A_FEATURE_DISABLED)) ||
	    nla_put_u32(skb, XHROOM_A_FEATURE_USERS, status->users) ||
	    xhr_nl_put_text(skb, XHROOM_A_FEATURE_REASON, status->reason))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int xhr_nl_put_hook(struct sk_buff *skb, const struct xhr_hook_status *status)
{
	struct nlattr *nest = nla_nest_start(skb, XHROOM_A_STATUS_HOOK);

	if (!nest ||
	    nla_put_string(skb, XHROOM_A_HOOK_SYMBOL, status->hook->symbol) ||
	    xhr_nl_put_text(skb, XHROOM_A_HOOK_MODULE, status->hook->module) ||
	    nla_put_string(skb, XHROOM_A_HOOK_FEATURE, status->feature->name) ||
	    nla_put_u32(skb, XHROOM_A_HOOK_STATE, xhr_nl_hook_state[status->state]) ||
	    nla_put_u64_64bit(skb, XHROOM_A_HOOK_CALLS, status->calls, XHROOM_A_HOOK_PAD) ||
	    nla_put_u32(skb, XHROOM_A_HOOK_INSIDE, min_t(u64, status->inside, U32_MAX)) ||
	    xhr_nl_put_text(skb, XHROOM_A_HOOK_REASON, status->reason) ||
	    xhr_nl_put_text(skb, XHROOM_A_HOOK_HOLDER, status->holder))
		return -EMSGSIZE;
	if (status->state == XHR_HOOK_ATTACHED && status->backend != XHR_BACKEND_NONE &&
	    nla_put_u32(skb, XHROOM_A_HOOK_BACKEND, xhr_nl_hook_backend[status->backend]))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* The parts of the status in their order, one call for each, until -ENOENT. */
enum {
	XHR_STATUS_VERSION,
	XHR_STATUS_FEATURES,
	XHR_STATUS_HOOKS,
	XHR_STATUS_END,
};

static int xhr_nl_put_status(struct sk_buff *skb, const struct xhr_nl_dest *dest,
			     unsigned long part, unsigned long i)
{
	struct xhr_feature_status feature;
	struct xhr_hook_status hook;
	int err = 0;
	void *hdr;

	if (part == XHR_STATUS_VERSION && i > 0)
		err = -ENOENT;
	else if (part == XHR_STATUS_FEATURES)
		err = xhr_feature_status(i, &feature);
	else if (part == XHR_STATUS_HOOKS)
		err = xhr_hook_status(i, &hook);
	if (err)
		return err;

	hdr = xhr_nl_begin(skb, dest);
	if (!hdr)
		return -EMSGSIZE;
	if (part == XHR_STATUS_VERSION)
		err = nla_put_string(skb, XHROOM_A_STATUS_VERSION,
				     THIS_MODULE->version ? THIS_MODULE->version : "");
	else if (part == XHR_STATUS_FEATURES)
		err = xhr_nl_put_feature(skb, &feature);
	else
		err = xhr_nl_put_hook(skb, &hook);
	if (err) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

static int xhr_nl_status_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct xhr_nl_dest dest = {
		.portid = NETLINK_CB(cb->skb).portid, .seq = cb->nlh->nlmsg_seq,
		.flags = NLM_F_MULTI, .cmd = XHROOM_CMD_STATUS_GET,
	};
	unsigned long part = cb->args[0];
	unsigned long i = cb->args[1];
	int err;

	err = xhr_nl_dump_check(cb);
	if (err)
		return err;
	while (part < XHR_STATUS_END) {
		err = xhr_nl_put_status(skb, &dest, part, i);
		if (err && err != -ENOENT)
			break;
		i = err ? 0 : i + 1;
		part += err ? 1 : 0;
		err = 0;
	}
	cb->args[0] = part;
	cb->args[1] = i;
	return skb->len ? skb->len : err;
}

/* --- the family ---------------------------------------------------------- */

static const struct genl_ops xhr_genl_ops[] = {
	{
		.cmd = XHROOM_CMD_DEV_GET,
		.policy = xhr_dev_get_policy,
		.maxattr = ARRAY_SIZE(xhr_dev_get_policy) - 1,
		.doit = xhr_nl_device_get,
		.dumpit = xhr_nl_dev_dump,
	},
	{
		.cmd = XHROOM_CMD_DEV_SET,
		.policy = xhr_dev_set_policy,
		.maxattr = ARRAY_SIZE(xhr_dev_set_policy) - 1,
		.doit = xhr_nl_dev_set,
	},
	{
		.cmd = XHROOM_CMD_STATUS_GET,
		.dumpit = xhr_nl_status_dump,
	},
	{
		.cmd = XHROOM_CMD_STATS_GET,
		.policy = xhr_stats_get_policy,
		.maxattr = ARRAY_SIZE(xhr_stats_get_policy) - 1,
		.doit = xhr_nl_device_get,
		.dumpit = xhr_nl_stats_dump,
	},
	{
		.cmd = XHROOM_CMD_POLICY_GET,
		.dumpit = xhr_nl_policy_dump,
	},
	{
		.cmd = XHROOM_CMD_POLICY_SET,
		.policy = xhr_policy_set_policy,
		.maxattr = ARRAY_SIZE(xhr_policy_set_policy) - 1,
		.doit = xhr_nl_policy_set,
	},
	{
		.cmd = XHROOM_CMD_POLICY_DEL,
		.policy = xhr_policy_del_policy,
		.maxattr = ARRAY_SIZE(xhr_policy_del_policy) - 1,
		.doit = xhr_nl_policy_del,
	},
};

static const struct genl_multicast_group xhr_genl_groups[] = {
	[XHR_GROUP_CONFIG] = { .name = XHROOM_MCGRP_CONFIG },
};

static struct genl_family xhr_genl __ro_after_init = {
	.name = XHROOM_GENL_NAME,
	.version = XHROOM_GENL_VERSION,
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.ops = xhr_genl_ops,
	.n_ops = ARRAY_SIZE(xhr_genl_ops),
	.mcgrps = xhr_genl_groups,
	.n_mcgrps = ARRAY_SIZE(xhr_genl_groups),
};

static struct pernet_operations xhr_nl_net_ops = {
	.id = &xhr_nl_net_id,
	.size = sizeof(struct xhr_nl_net),
};

int xhr_netlink_init(void)
{
	int err;

	err = register_pernet_subsys(&xhr_nl_net_ops);
	if (err)
		return err;
	err = genl_register_family(&xhr_genl);
	if (err) {
		unregister_pernet_subsys(&xhr_nl_net_ops);
		return err;
	}
	rtnl_lock();
	xhr_nl_up = true;
	rtnl_unlock();

	err = register_netdevice_notifier(&xhr_nl_netdev_notifier);
	if (err)
		xhr_netlink_exit();
	return err;
}

/*
 * Unregistering the notifier announces that each device's settings are gone; the
 * family goes last, as requests that are under way have to end first.
 */
void xhr_netlink_exit(void)
{
	rtnl_lock();
	xhr_nl_closing = true;
	rtnl_unlock();
	unregister_netdevice_notifier(&xhr_nl_netdev_notifier);
	rtnl_lock();
	xhr_nl_up = false;
	rtnl_unlock();
	genl_unregister_family(&xhr_genl);
	unregister_pernet_subsys(&xhr_nl_net_ops);
}
