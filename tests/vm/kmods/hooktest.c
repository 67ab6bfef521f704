// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hook engine with hooks that exist for its tests only. Each case is a
 * feature of its own, so that each can be attached alone. Controlled through
 * debugfs, xhr_hooktest/:
 *
 *	features/NAME	write 1: xhr_feature_get(), 0: xhr_feature_put() and wait
 *			until it is settled, N > 1: both, N times; read: state
 *	status		a line per hook
 *	error		what the last failed get said
 *
 * Wrappers count and, where that shows that arguments and return values get
 * through, look at them; they change nothing. Nothing here may know how the
 * engine works inside.
 *
 * Where the functions live: out-of-tree modules have no BTF on 6.1, so hooks on
 * xhr_target's functions are refused there, and everything that can be tried on
 * functions of the kernel itself is.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/ioport.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/seq_file.h>
#include <linux/version.h>

#include "../../../module/hook.h"
#include "hooktest.h"

/* For refusals: this one is never called, and must not be attached. */
static char *symbol = "xhr_no_such_function";
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "function of the feature \"named\"");

static char *proto = "int (void)";
module_param(proto, charp, 0444);
MODULE_PARM_DESC(proto, "its prototype");

#define PROC_SHOW	"int (struct seq_file *, void *)"

#define HOOKTEST_PROC_SHOW(_id, _symbol)				\
	XHR_HOOK_DECLARE(_id, int, struct seq_file *m, void *v);	\
	XHR_HOOK_DEFINE(_id, _symbol, NULL, PROC_SHOW, 0);		\
	notrace int xhr_wrap_##_id(struct seq_file *m, void *v)		\
	{								\
		int err;						\
									\
		xhr_hook_enter(_id);					\
		err = xhr_orig(_id)(m, v);				\
		xhr_hook_exit(_id);					\
		return err;						\
	}

HOOKTEST_PROC_SHOW(cmdline, "cmdline_proc_show")
HOOKTEST_PROC_SHOW(version, "version_proc_show")
HOOKTEST_PROC_SHOW(loadavg, "loadavg_proc_show")
HOOKTEST_PROC_SHOW(uptime, "uptime_proc_show")

XHR_HOOK_DECLARE(sleep, long, struct completion *c, unsigned long timeout);
XHR_HOOK_DEFINE(sleep, "wait_for_completion_interruptible_timeout", NULL,
		"long int (struct completion *, long unsigned int)", 0);

notrace long xhr_wrap_sleep(struct completion *c, unsigned long timeout)
{
	long left;

	xhr_hook_enter(sleep);
	left = xhr_orig(sleep)(c, timeout);
	xhr_hook_exit(sleep);
	return left;
}

/* Eight arguments, two of them on the stack. */
XHR_HOOK_DECLARE(resource, int, struct resource *root, struct resource *new,
		 resource_size_t size, resource_size_t min, resource_size_t max,
		 resource_size_t align,
		 void *alignf, void *alignf_data);
/* 6.1 has no typedef for the callback: the same to a compiler, not to the engine. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define ALIGNF	"resource_alignf"
#else
#define ALIGNF	"resource_size_t (*)(void *, const struct resource *, resource_size_t, resource_size_t)"
#endif
XHR_HOOK_DEFINE(resource, "allocate_resource", NULL,
		"int (struct resource *, struct resource *, resource_size_t, resource_size_t, "
		"resource_size_t, resource_size_t, " ALIGNF ", void *)", 0);

notrace int xhr_wrap_resource(struct resource *root, struct resource *new,
			      resource_size_t size, resource_size_t min, resource_size_t max,
			      resource_size_t align, void *alignf, void *alignf_data)
{
	int err;

	xhr_hook_enter(resource);
	err = xhr_orig(resource)(root, new, size, min, max, align, alignf, alignf_data);
	xhr_hook_exit(resource);
	return err;
}

XHR_HOOK_DECLARE(own_plain, long, int a, long b);
XHR_HOOK_DEFINE(own_plain, "xhr_t_plain", "xhr_target", "long int (int, long int)", 0);

notrace long xhr_wrap_own_plain(int a, long b)
{
	long ret;

	xhr_hook_enter(own_plain);
	ret = xhr_orig(own_plain)(a, b);
	xhr_hook_exit(own_plain);
	return ret;
}

XHR_HOOK_DECLARE(own_sleep, int, struct completion *c);
XHR_HOOK_DEFINE(own_sleep, "xhr_t_sleep", "xhr_target", "int (struct completion *)", 0);

notrace int xhr_wrap_own_sleep(struct completion *c)
{
	int err;

	xhr_hook_enter(own_sleep);
	err = xhr_orig(own_sleep)(c);
	xhr_hook_exit(own_sleep);
	return err;
}

XHR_HOOK_DECLARE(own_ten, long, long a, int b, short c, char d, u64 e, void *f, int g, long h,
		 const char *i, unsigned int j);
XHR_HOOK_DEFINE(own_ten, "xhr_t_ten", "xhr_target",
		"long int (long int, int, short int, char, u64, void *, int, long int, "
		"const char *, unsigned int)", 0);

notrace long xhr_wrap_own_ten(long a, int b, short c, char d, u64 e, void *f, int g, long h,
			      const char *i, unsigned int j)
{
	long ret;

	xhr_hook_enter(own_ten);
	if (j == 10 && i && !strcmp(i, "nine"))
		ret = xhr_orig(own_ten)(a, b, c, d, e, f, g, h, i, j);
	else
		ret = -1;
	xhr_hook_exit(own_ten);
	return ret;
}

/* None of these may ever run. */
#define HOOKTEST_REFUSED(_id, _symbol, _module, _proto, _flags)		\
	XHR_HOOK_DECLARE(_id, int, void);				\
	XHR_HOOK_DEFINE(_id, _symbol, _module, _proto, _flags);		\
	notrace int xhr_wrap_##_id(void)				\
	{								\
		WARN(1, "a hook that must be refused was called");	\
		return 0;						\
	}

HOOKTEST_REFUSED(missing, "xhr_no_such_function", NULL, "int (void)", 0)
HOOKTEST_REFUSED(may_miss, "xhr_no_such_function", NULL, "int (void)", XHR_HOOK_OPTIONAL)
HOOKTEST_REFUSED(named, NULL, NULL, NULL, 0)
HOOKTEST_REFUSED(own_isra, "xhr_t_isra", "xhr_target", "int (const struct xhr_t_pair *)", 0)
HOOKTEST_REFUSED(own_proto, "xhr_t_proto", "xhr_target", "int (int, int)", 0)
HOOKTEST_REFUSED(own_missing, "xhr_t_no_such_function", "xhr_target", "int (void)", 0)
HOOKTEST_REFUSED(no_module, "xhr_no_such_function", "xhr_no_such_module", "int (void)", 0)

#define FEATURE(_name, ...)						\
	static struct xhr_hook *const feature_hooks_##_name[] = { __VA_ARGS__ }; \
	static struct xhr_feature feature_##_name = {			\
		.name		= #_name,				\
		.hooks		= feature_hooks_##_name,		\
		.nr_hooks	= ARRAY_SIZE(feature_hooks_##_name),	\
	}

FEATURE(plain, &xhr_hook_cmdline);
FEATURE(sleep, &xhr_hook_sleep);
FEATURE(resource, &xhr_hook_resource);
FEATURE(group, &xhr_hook_loadavg, &xhr_hook_version);
FEATURE(optional, &xhr_hook_uptime, &xhr_hook_may_miss);
FEATURE(missing, &xhr_hook_missing);
FEATURE(named, &xhr_hook_named);
FEATURE(own_plain, &xhr_hook_own_plain);
FEATURE(own_sleep, &xhr_hook_own_sleep);
FEATURE(own_ten, &xhr_hook_own_ten);
FEATURE(own_isra, &xhr_hook_own_isra);
FEATURE(own_proto, &xhr_hook_own_proto);
FEATURE(own_missing, &xhr_hook_own_missing);
FEATURE(no_module, &xhr_hook_no_module);

static struct xhr_feature *const features[] = {
	&feature_plain, &feature_sleep, &feature_resource, &feature_group, &feature_optional,
	&feature_missing, &feature_named, &feature_own_plain, &feature_own_sleep,
	&feature_own_ten, &feature_own_isra, &feature_own_proto, &feature_own_missing,
	&feature_no_module,
};

static struct dentry *dir;
static char last_error[XHR_REASON_MAX];
static DEFINE_MUTEX(control_lock);

static int feature_on(struct xhr_feature *feature)
{
	struct netlink_ext_ack extack = {};
	int err = xhr_feature_get(feature, &extack);

	if (err)
		strscpy(last_error, extack._msg ?: "", sizeof(last_error));
	return err;
}

static void feature_off(struct xhr_feature *feature)
{
	xhr_feature_put(feature);
	xhr_hooktest_settle();
}

static ssize_t feature_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct xhr_feature *feature = file->private_data;
	unsigned int n;
	int err;

	err = kstrtouint_from_user(buf, len, 0, &n);
	if (err)
		return err;
	mutex_lock(&control_lock);
	if (n == 0) {
		if (atomic_read(&feature->users))
			feature_off(feature);
		else
			err = -EINVAL;
	} else if (n == 1) {
		err = feature_on(feature);
	} else {
		while (!err && n--) {
			err = feature_on(feature);
			if (!err)
				feature_off(feature);
			if (fatal_signal_pending(current))
				err = -EINTR;
			cond_resched();
		}
	}
	mutex_unlock(&control_lock);
	return err ?: len;
}

static ssize_t feature_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	struct xhr_feature *feature = file->private_data;
	struct xhr_feature_status *status;
	unsigned int i;
	char *text;
	ssize_t n;

	status = kzalloc(sizeof(*status), GFP_KERNEL);
	text = kmalloc(2 * XHR_REASON_MAX, GFP_KERNEL);
	if (!status || !text) {
		n = -ENOMEM;
		goto out;
	}
	for (i = 0; !xhr_feature_status(i, status); i++)
		if (status->feature == feature)
			break;
	n = scnprintf(text, 2 * XHR_REASON_MAX, "%s%s users=%u %s\n",
		      status->available ? "available" : "unavailable",
		      status->attached ? " attached" : "", status->users, status->reason);
	n = simple_read_from_buffer(buf, len, pos, text, n);
out:
	kfree(status);
	kfree(text);
	return n;
}

static const struct file_operations feature_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.read	= feature_read,
	.write	= feature_write,
};

static int status_show(struct seq_file *m, void *v)
{
	static const char *const states[] = {
		[XHR_HOOK_ABSENT]	= "ABSENT",
		[XHR_HOOK_WAITING]	= "WAITING",
		[XHR_HOOK_REFUSED]	= "REFUSED",
		[XHR_HOOK_READY]	= "READY",
		[XHR_HOOK_BUSY]		= "BUSY",
		[XHR_HOOK_ATTACHED]	= "ATTACHED",
	};
	static const char *const backends[] = {
		[XHR_BACKEND_NONE]	= "none",
		[XHR_BACKEND_DIRECT]	= "direct",
		[XHR_BACKEND_FTRACE]	= "ftrace",
	};
	struct xhr_hook_status *status = kzalloc(sizeof(*status), GFP_KERNEL);
	unsigned int i;

	if (!status)
		return -ENOMEM;
	for (i = 0; !xhr_hook_status(i, status); i++)
		seq_printf(m, "%s %s %s %s calls=%llu inside=%lld reason=%s holder=%s\n",
			   status->feature->name, status->hook->symbol, states[status->state],
			   backends[status->backend], (u64)status->calls, (s64)status->inside,
			   status->reason, status->holder);
	kfree(status);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(status);

static int error_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%s\n", last_error);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(error);

static int __init hooktest_init(void)
{
	struct dentry *sub;
	unsigned int i;
	int err;

	xhr_hook_named.symbol = symbol;
	xhr_hook_named.proto = proto;
	err = xhr_hooks_init(features, ARRAY_SIZE(features));
	if (err)
		return err;
	dir = debugfs_create_dir("xhr_hooktest", NULL);
	debugfs_create_file("status", 0444, dir, NULL, &status_fops);
	debugfs_create_file("error", 0444, dir, NULL, &error_fops);
	sub = debugfs_create_dir("features", dir);
	for (i = 0; i < ARRAY_SIZE(features); i++)
		debugfs_create_file(features[i]->name, 0644, sub, features[i], &feature_fops);
	return 0;
}

static void __exit hooktest_exit(void)
{
	debugfs_remove(dir);
	xhr_hooks_exit();
}

module_init(hooktest_init);
module_exit(hooktest_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Tests of the hook engine");
