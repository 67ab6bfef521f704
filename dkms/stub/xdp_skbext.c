// SPDX-License-Identifier: GPL-2.0-only
/*
 * Installed in place of the module on a kernel that this release does not
 * build for. Touches nothing and refuses to load, with a message that names
 * the reason: the alternative would be a failed package upgrade.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

static int __init stub_init(void)
{
	pr_err("this release of xhroom did not build for this kernel: see /var/lib/dkms/xhroom/*/$(uname -r)/*/log/make.log, install a newer release\n");
	return -EOPNOTSUPP;
}
module_init(stub_init);

MODULE_DESCRIPTION("placeholder: xhroom did not build for this kernel");
MODULE_VERSION("0.1.0");
MODULE_LICENSE("GPL");
