// SPDX-License-Identifier: GPL-2.0-only
/*
 * A livepatch of version_proc_show(), for the tests of a function that is held
 * by somebody else. Nothing else may be patched here.
 */
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/seq_file.h>

static int xhr_klp_version(struct seq_file *m, void *v)
{
	seq_puts(m, "livepatched\n");
	return 0;
}

static struct klp_func funcs[] = {
	{
		.old_name = "version_proc_show",
		.new_func = xhr_klp_version,
	}, { }
};

static struct klp_object objs[] = {
	{
		.funcs = funcs,
	}, { }
};

static struct klp_patch patch = {
	.mod = THIS_MODULE,
	.objs = objs,
};

static int __init xhr_klp_init(void)
{
	return klp_enable_patch(&patch);
}

static void __exit xhr_klp_exit(void)
{
}

module_init(xhr_klp_init);
module_exit(xhr_klp_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A livepatch for the tests of the hook engine");
MODULE_INFO(livepatch, "Y");
