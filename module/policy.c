// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parsing and matching of policies; see policy.h for their form. The list is
 * made once, when the module is loaded, and only read afterwards: no lock.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/rtnetlink.h>

#include "policy.h"
#include "uapi/linux/xhroom.h"

static char *tx_headroom = "";
module_param(tx_headroom, charp, 0444);
MODULE_PARM_DESC(tx_headroom, "extra TX headroom in bytes for devices when they register, for example kind:veth=256,name:eth*=64");

struct xhr_policy {
	struct list_head list;
	const char *kind;
	const char *name;
	unsigned int value;
	char text[];
};

static LIST_HEAD(xhr_policies);

/* Takes "kind:KIND" or "name:PATTERN" apart; each may be there once. */
static bool xhr_policy_parse_match(struct xhr_policy *policy, char *word)
{
	const char **what;

	if (!strncmp(word, "kind:", 5))
		what = &policy->kind;
	else if (!strncmp(word, "name:", 5))
		what = &policy->name;
	else
		return false;
	if (*what || !word[5])
		return false;
	*what = word + 5;
	return true;
}

static int xhr_policy_parse(const char *text)
{
	size_t size = strlen(text) + 1;
	struct xhr_policy *policy;
	char *match, *value, *word;

	policy = kzalloc(struct_size(policy, text, size), GFP_KERNEL);
	if (!policy)
		return -ENOMEM;
	memcpy(policy->text, text, size);

	value = policy->text;
	match = strsep(&value, "=");
	/* Digits only: no sign, no hexadecimal, no white space. */
	if (!value || !*value || strspn(value, "0123456789") != strlen(value) ||
	    kstrtouint(value, 10, &policy->value) ||
	    policy->value > XHROOM_TX_EXTRA_HEADROOM_MAX) {
		pr_err("tx_headroom: \"%s\": expected MATCH=BYTES with 0 to %u bytes\n", text,
		       XHROOM_TX_EXTRA_HEADROOM_MAX);
		goto invalid;
	}
	while ((word = strsep(&match, "/"))) {
		if (xhr_policy_parse_match(policy, word))
			continue;
		pr_err("tx_headroom: \"%s\": expected kind:KIND, name:PATTERN or kind:KIND/name:PATTERN\n",
		       text);
		goto invalid;
	}
	list_add_tail(&policy->list, &xhr_policies);
	return 0;

invalid:
	kfree(policy);
	return -EINVAL;
}

/**
 * xhr_policy_init() - make the list from the module parameter
 *
 * Return: 0, -ENOMEM, or -EINVAL with a message that names the wrong word.
 */
int xhr_policy_init(void)
{
	char *list, *rest, *word;
	int err = 0;

	if (!*tx_headroom)
		return 0;
	list = kstrdup(tx_headroom, GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	rest = list;
	while (!err && (word = strsep(&rest, ",")))
		err = xhr_policy_parse(word);
	kfree(list);
	if (err)
		xhr_policy_exit();
	return err;
}

void xhr_policy_exit(void)
{
	struct xhr_policy *policy, *tmp;

	list_for_each_entry_safe(policy, tmp, &xhr_policies, list) {
		list_del(&policy->list);
		kfree(policy);
	}
}

bool xhr_policy_any(void)
{
	return !list_empty(&xhr_policies);
}

static unsigned int xhr_policy_rank(const struct xhr_policy *policy)
{
	return (policy->name ? 2 : 0) + (policy->kind ? 1 : 0);
}

static bool xhr_policy_match(const struct xhr_policy *policy, const struct net_device *dev)
{
	const char *kind = dev->rtnl_link_ops ? dev->rtnl_link_ops->kind : NULL;

	return (!policy->kind || (kind && !strcmp(policy->kind, kind))) &&
	       (!policy->name || glob_match(policy->name, dev->name));
}

/**
 * xhr_policy_tx_headroom() - what the policies say about a new device
 * @dev: device that is being registered; RTNL is held
 *
 * Return: bytes, 0 if nothing matches.
 */
unsigned int xhr_policy_tx_headroom(const struct net_device *dev)
{
	const struct xhr_policy *policy, *best = NULL;

	list_for_each_entry(policy, &xhr_policies, list) {
		if (xhr_policy_match(policy, dev) &&
		    (!best || xhr_policy_rank(policy) >= xhr_policy_rank(best)))
			best = policy;
	}
	return best ? best->value : 0;
}
