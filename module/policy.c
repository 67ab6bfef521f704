// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of policies; see policy.h for its rules. From the module parameter
 * at first, by messages later.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/netdevice.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/rtnetlink.h>

#include "hook.h"
#include "policy.h"
#include "tx/tx.h"

static char *tx_headroom = "";
module_param(tx_headroom, charp, 0444);
MODULE_PARM_DESC(tx_headroom, "extra TX headroom in bytes for devices when they register, for example kind:veth=256,name:eth*=64");

LIST_HEAD(xhr_policies);

/* Each device that registers is compared with all of them. */
static unsigned int xhr_policy_count;

/**
 * xhr_policy_kind_valid() - whether a device can be of this link kind
 * @kind: ends with a NUL
 *
 * Kinds are names of drivers. A policy for anything else (kind:veth,name:x) would
 * be made, and never be for any device.
 */
bool xhr_policy_kind_valid(const char *kind)
{
	for (; *kind; kind++) {
		if (!isascii(*kind) || (!isalnum(*kind) && !strchr("-_.", *kind)))
			return false;
	}
	return true;
}

/**
 * xhr_policy_name_valid() - whether a pattern can fit the name of a device
 * @name: ends with a NUL
 *
 * What dev_valid_name() refuses in a name does not help in a pattern either.
 */
bool xhr_policy_name_valid(const char *name)
{
	for (; *name; name++) {
		if (*name == '/' || *name == ':' || isspace(*name))
			return false;
	}
	return true;
}

static struct xhr_policy *xhr_policy_alloc(const struct xhr_policy_match *match,
					   const struct xhr_dev_conf *conf)
{
	size_t kind = match->kind ? strlen(match->kind) + 1 : 0;
	size_t name = match->name ? strlen(match->name) + 1 : 0;
	struct xhr_policy *policy;

	policy = kzalloc(struct_size(policy, text, kind + name), GFP_KERNEL);
	if (!policy)
		return NULL;
	if (kind)
		policy->match.kind = memcpy(policy->text, match->kind, kind);
	if (name)
		policy->match.name = memcpy(policy->text + kind, match->name, name);
	policy->conf = *conf;
	return policy;
}

static bool xhr_policy_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static struct xhr_policy *xhr_policy_find(const struct xhr_policy_match *match)
{
	struct xhr_policy *policy;

	list_for_each_entry(policy, &xhr_policies, list) {
		if (xhr_policy_same(policy->match.kind, match->kind) &&
		    xhr_policy_same(policy->match.name, match->name))
			return policy;
	}
	return NULL;
}

static int xhr_policy_add(struct xhr_policy *policy)
{
	if (xhr_policy_count == XHROOM_POLICIES_MAX)
		return -ENOSPC;
	list_add_tail(&policy->list, &xhr_policies);
	xhr_policy_count++;
	return 0;
}

static void xhr_policy_remove(struct xhr_policy *policy)
{
	list_del(&policy->list);
	xhr_policy_count--;
	xhr_needs_put(policy->uses);
	kfree(policy);
}

/* --- the module parameter ---------------------------------------------------- */

/*
 * Takes "kind:KIND" or "name:PATTERN" apart; each may be there once, and is no
 * longer than a message could say it.
 */
static bool xhr_policy_parse_match(struct xhr_policy_match *match, char *word)
{
	const char **what;
	size_t max;

	if (!strncmp(word, "kind:", 5)) {
		what = &match->kind;
		max = XHR_POLICY_KIND_MAX;
	} else if (!strncmp(word, "name:", 5)) {
		what = &match->name;
		max = XHR_POLICY_NAME_MAX;
	} else {
		return false;
	}
	if (*what || !word[5] || strlen(word + 5) > max)
		return false;
	*what = word + 5;
	return true;
}

/* @text is one policy, and taken apart; @whole is the same for messages. */
static int xhr_policy_parse(char *text, const char *whole)
{
	struct xhr_dev_conf conf = xhr_dev_default;
	struct xhr_policy_match match = {};
	struct xhr_policy *policy;
	char *left, *value, *word;
	unsigned int bytes;
	int err;

	value = text;
	left = strsep(&value, "=");
	/* Digits only: no sign, no hexadecimal, no white space. */
	if (!value || !*value || strspn(value, "0123456789") != strlen(value) ||
	    kstrtouint(value, 10, &bytes) || bytes > XHROOM_TX_EXTRA_HEADROOM_MAX) {
		pr_err("tx_headroom: \"%s\": expected MATCH=BYTES with 0 to %u bytes\n", whole,
		       XHROOM_TX_EXTRA_HEADROOM_MAX);
		return -EINVAL;
	}
	while ((word = strsep(&left, "/"))) {
		if (xhr_policy_parse_match(&match, word))
			continue;
		pr_err("tx_headroom: \"%s\": expected kind:KIND, name:PATTERN or kind:KIND/name:PATTERN, at most %zu and %d characters\n",
		       whole, XHR_POLICY_KIND_MAX, XHR_POLICY_NAME_MAX);
		return -EINVAL;
	}
	if ((match.kind && !xhr_policy_kind_valid(match.kind)) ||
	    (match.name && !xhr_policy_name_valid(match.name))) {
		pr_err("tx_headroom: \"%s\": no device has such a kind or name\n", whole);
		return -EINVAL;
	}
	conf.tx_extra_headroom = bytes;
	/* Made last: it takes the place of one with the same match. */
	policy = xhr_policy_find(&match);
	if (policy)
		xhr_policy_remove(policy);
	policy = xhr_policy_alloc(&match, &conf);
	if (!policy)
		return -ENOMEM;
	err = xhr_policy_add(policy);
	if (err) {
		kfree(policy);
		pr_err("tx_headroom: \"%s\": there may be %u policies\n", whole,
		       XHROOM_POLICIES_MAX);
	}
	return err;
}

/**
 * xhr_policy_parse_param() - make the list from the module parameter
 *
 * Return: 0, -ENOMEM, or -EINVAL or -ENOSPC with a message that names the wrong
 * word.
 */
int xhr_policy_parse_param(void)
{
	char *list, *rest, *word, *whole;
	int err = 0;

	if (!*tx_headroom)
		return 0;
	list = kstrdup(tx_headroom, GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	rest = list;
	while (!err && (word = strsep(&rest, ","))) {
		whole = kstrdup(word, GFP_KERNEL);
		err = whole ? xhr_policy_parse(word, whole) : -ENOMEM;
		kfree(whole);
	}
	kfree(list);
	if (err)
		xhr_policy_exit();
	return err;
}

/**
 * xhr_policy_init() - take hold of what the policies of the parameter need
 *
 * If that cannot be had, the module is of use all the same: said once, and tried
 * again when the policy is set again.
 */
void xhr_policy_init(void)
{
	struct xhr_policy *policy;
	int err = 0;

	list_for_each_entry(policy, &xhr_policies, list) {
		unsigned int needs = xhr_dev_conf_needs(&policy->conf);

		if (err)
			continue;
		err = xhr_needs_get(needs, NULL);
		policy->uses = err ? 0 : needs;
	}
	if (err)
		pr_warn("policies of tx_headroom cannot be followed: %s\n",
			xhr_tx_headroom_feature.reason);
}

/* The netlink family and the notifier are gone. */
void xhr_policy_exit(void)
{
	struct xhr_policy *policy, *tmp;

	list_for_each_entry_safe(policy, tmp, &xhr_policies, list)
		xhr_policy_remove(policy);
}

/* --- changes ------------------------------------------------------------------- */

int xhr_policy_set(const struct xhr_policy_match *match, const struct xhr_dev_conf *conf,
		   u32 mask, struct netlink_ext_ack *extack,
		   int (*result)(const struct xhr_policy *policy, void *arg), void *arg)
{
	struct xhr_policy *policy, *old, *new;
	unsigned int needs, spare = 0;
	int err;

again:
	rtnl_lock();
	old = xhr_policy_find(match);
	err = -ENOMEM;
	new = xhr_policy_alloc(match, old ? &old->conf : &xhr_dev_default);
	if (!new) {
		NL_SET_ERR_MSG(extack, "out of memory");
		goto out;
	}
	xhr_dev_conf_merge(&new->conf, conf, mask);
	if (!old && xhr_policy_count == XHROOM_POLICIES_MAX) {
		NL_SET_ERR_MSG(extack, "there are too many policies");
		err = -ENOSPC;
		goto out;
	}
	/*
	 * Hooks are not attached under RTNL. One from the module parameter may
	 * want them and not have got them: it is the whole that counts.
	 */
	needs = xhr_dev_conf_needs(&new->conf);
	if (needs & ~(spare | (old ? old->uses : 0))) {
		rtnl_unlock();
		kfree(new);
		needs &= ~spare;
		err = xhr_needs_get(needs, extack);
		if (err) {
			xhr_needs_put(spare);
			return err;
		}
		spare |= needs;
		goto again;
	}
	err = result(new, arg);
	if (err)
		goto out;

	/* Nothing can fail from here on. */
	policy = old ?: new;
	policy->conf = new->conf;
	if (!old) {
		xhr_policy_add(new);
		new = NULL;
	}
	spare &= ~(needs & ~policy->uses);
	xhr_needs_put(policy->uses & ~needs);
	policy->uses = needs;
out:
	rtnl_unlock();
	kfree(new);
	xhr_needs_put(spare);
	return err;
}

int xhr_policy_del(const struct xhr_policy_match *match, struct netlink_ext_ack *extack,
		   int (*result)(const struct xhr_policy *policy, void *arg), void *arg)
{
	struct xhr_policy *policy;
	int err;

	rtnl_lock();
	policy = xhr_policy_find(match);
	if (policy) {
		err = result(policy, arg);
		if (!err)
			xhr_policy_remove(policy);
	} else {
		NL_SET_ERR_MSG(extack, "there is no policy with this match");
		err = -ENOENT;
	}
	rtnl_unlock();
	return err;
}

/* --- devices ------------------------------------------------------------------- */

static unsigned int xhr_policy_rank(const struct xhr_policy_match *match)
{
	return (match->name ? 2 : 0) + (match->kind ? 1 : 0);
}

static bool xhr_policy_matches(const struct xhr_policy_match *match, const struct net_device *dev)
{
	const char *kind = dev->rtnl_link_ops ? dev->rtnl_link_ops->kind : NULL;

	return (!match->kind || (kind && !strcmp(match->kind, kind))) &&
	       (!match->name || glob_match(match->name, dev->name));
}

/**
 * xhr_policy_of() - what the policies say about a new device
 * @dev: device that is being registered; RTNL is held
 *
 * Return: the policy that is for it, NULL if none is.
 */
const struct xhr_policy *xhr_policy_of(const struct net_device *dev)
{
	const struct xhr_policy *policy, *best = NULL;

	list_for_each_entry(policy, &xhr_policies, list) {
		if (xhr_policy_matches(&policy->match, dev) &&
		    (!best || xhr_policy_rank(&policy->match) >= xhr_policy_rank(&best->match)))
			best = policy;
	}
	return best;
}
