// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order in which the parts of the module come and go, and its parameters.
 * A table of contents: nothing that works on a packet or a message belongs here.
 *
 * Loading alone arms nothing. Hooks are attached when the first device or policy
 * asks for what needs them, and are gone after the last.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "device.h"
#include "hook.h"
#include "netlink.h"
#include "policy.h"
#include "rx/rx.h"
#include "tx/tx.h"

/*
 * There local_bh_disable() does not keep tasks of one CPU apart (tx/page_frag.c),
 * and a task that waits for a spinlock is at rest for RCU tasks (hook.c).
 */
#ifdef CONFIG_PREEMPT_RT
#error "PREEMPT_RT kernels are not supported"
#endif

static struct xhr_feature *const xhr_features[] = {
	&xhr_tx_headroom_feature,
	&xhr_tx_auto_feature,
	&xhr_xdp_headroom_feature,
	&xhr_xdp_linearize_feature,
};

static char *features = "all";
module_param(features, charp, 0444);
MODULE_PARM_DESC(features, "comma separated list of features that may be used: all (default), none, tx-headroom, tx-auto, xdp-headroom, xdp-linearize");

static struct xhr_feature *xhr_feature_by_name(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(xhr_features); i++)
		if (!strcmp(xhr_features[i]->name, name))
			return xhr_features[i];
	return NULL;
}

static int xhr_features_parse(void)
{
	struct xhr_feature *feature;
	char *list, *rest, *word;
	unsigned int i;
	int err = 0;

	if (!strcmp(features, "all"))
		return 0;
	for (i = 0; i < ARRAY_SIZE(xhr_features); i++)
		xhr_features[i]->disabled = true;
	if (!strcmp(features, "none"))
		return 0;

	list = kstrdup(features, GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	rest = list;
	while ((word = strsep(&rest, ","))) {
		feature = xhr_feature_by_name(word);
		if (!feature) {
			pr_err("features=%s: there is no feature \"%s\"\n", features, word);
			err = -EINVAL;
			break;
		}
		feature->disabled = false;
	}
	kfree(list);
	return err;
}

static void xhr_features_log(void)
{
	unsigned int i;

	pr_info("version %s\n", THIS_MODULE->version);
	for (i = 0; i < ARRAY_SIZE(xhr_features); i++)
		if (!xhr_features[i]->available)
			pr_info("%s is not available: %s\n", xhr_features[i]->name,
				xhr_features[i]->reason);
}

static int __init xhr_init(void)
{
	int err;

	err = xhr_features_parse();
	if (err)
		return err;
	err = xhr_rx_parse_param();
	if (err)
		return err;
	err = xhr_hooks_init(xhr_features, ARRAY_SIZE(xhr_features));
	if (err)
		return err;
	xhr_features_log();
	xhr_rx_init();
	/* A policy's other settings are the defaults, which are known by now. */
	err = xhr_policy_parse_param();
	if (err)
		goto err_hooks;
	xhr_policy_init();
	err = xhr_dev_init();
	if (err)
		goto err_hooks;
	err = xhr_netlink_init();
	if (err)
		goto err_dev;
	return 0;

err_dev:
	xhr_dev_exit();
err_hooks:
	/* Users of hooks first: the last one to go leaves work behind. */
	xhr_policy_exit();
	xhr_rx_exit();
	xhr_hooks_exit();
	xhr_ctx_free();
	xhr_page_frag_free_all();
	return err;
}

static void __exit xhr_exit(void)
{
	xhr_netlink_exit();
	xhr_dev_exit();
	xhr_policy_exit();
	xhr_rx_exit();
	xhr_hooks_exit();
	xhr_ctx_free();
	xhr_page_frag_free_all();
}

module_init(xhr_init);
module_exit(xhr_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Headroom for XDP and TC on stock kernels");
MODULE_AUTHOR("The xhroom authors");
MODULE_VERSION("0.1.0");
