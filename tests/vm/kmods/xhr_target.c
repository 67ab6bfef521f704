// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions for the engine's tests to hook, and callers of them that are not
 * part of the module that hooks. Controlled through debugfs, xhr_target/: a
 * read calls a function and gives its result.
 *
 *	plain ten isra		functions of this module
 *	own_sleep		one of this module that sleeps
 *	sleep			one of the kernel's that sleeps
 *	resource		one of the kernel's with arguments on the stack
 *	wake			write N: wake N sleepers
 *	spin			write N: call plain N times, checking each result
 *	hold			write 1: hold version_proc_show() with a ftrace_ops
 *				of the kind that changes the instruction pointer; 0: let go
 *
 * Nothing here may refer to the engine.
 */
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/ftrace.h>
#include <linux/ioport.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/version.h>

/* Seen by hooks only, so each must stay a function of its own. */
#define TARGET noinline

struct xhr_t_pair {
	int a;
	int b[64];
};

long xhr_t_plain(int a, long b);
int xhr_t_sleep(struct completion *c);
int xhr_t_proto(long a);
long xhr_t_ten(long a, int b, short c, char d, u64 e, void *f, int g, long h, const char *i,
	       unsigned int j);

static DECLARE_COMPLETION(wakeup);

TARGET long xhr_t_plain(int a, long b)
{
	barrier();
	return a * 1000 + b;
}

TARGET int xhr_t_sleep(struct completion *c)
{
	return wait_for_completion_interruptible(c);
}

TARGET int xhr_t_proto(long a)
{
	barrier();
	return a + 1;
}

/* Each argument has its own weight. */
TARGET long xhr_t_ten(long a, int b, short c, char d, u64 e, void *f, int g, long h, const char *i,
		      unsigned int j)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * (long)e + 6 * (long)f + 7 * g + 8 * h +
	       9 * strlen(i) + 10L * j;
}

/* One member is read: the compiler passes that instead, and says .isra. */
static noinline int xhr_t_isra(const struct xhr_t_pair *p)
{
	int a = p->a;

	barrier();
	return a + 1;
}

static struct xhr_t_pair pairs[2] = { { .a = 41 }, { .a = 42 } };
static bool second;

static int plain_get(void *data, u64 *val)
{
	*val = xhr_t_plain(3, 4);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(plain_fops, plain_get, NULL, "%llu\n");

static int ten_get(void *data, u64 *val)
{
	*val = xhr_t_ten(1, 2, 3, 4, 5, (void *)6, 7, 8, "nine", 10);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(ten_fops, ten_get, NULL, "%llu\n");

static int isra_get(void *data, u64 *val)
{
	*val = xhr_t_isra(&pairs[READ_ONCE(second)]) + xhr_t_proto(0) - 1;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(isra_fops, isra_get, NULL, "%llu\n");

static int own_sleep_get(void *data, u64 *val)
{
	*val = 0;
	return xhr_t_sleep(&wakeup);
}
DEFINE_DEBUGFS_ATTRIBUTE(own_sleep_fops, own_sleep_get, NULL, "%llu\n");

static int sleep_get(void *data, u64 *val)
{
	long left = wait_for_completion_interruptible_timeout(&wakeup, 60 * HZ);

	*val = left > 0;
	return left < 0 ? left : 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(sleep_fops, sleep_get, NULL, "%llu\n");

static int wake_set(void *data, u64 val)
{
	while (val--)
		complete(&wakeup);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(wake_fops, NULL, wake_set, "%llu\n");

/* The last of eight arguments must arrive here. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
static resource_size_t align_at(void *data, const struct resource *res,
				const struct resource *empty, resource_size_t size,
				resource_size_t align)
#else
static resource_size_t align_at(void *data, const struct resource *res, resource_size_t size,
				resource_size_t align)
#endif
{
	return data == &pairs ? 0x4200 : 0;
}

static int resource_get(void *data, u64 *val)
{
	/* Not memory: the addresses of that are clipped to what the machine has. */
	struct resource root = DEFINE_RES_IO_NAMED(0x1000, 0x10000, "xhr_target");
	struct resource new = { .name = "xhr_target", .flags = IORESOURCE_IO };
	int err;

	err = allocate_resource(&root, &new, 0x100, 0x2000, 0x8000, 0x100, align_at, &pairs);
	if (err)
		return err;
	*val = new.start;
	return release_resource(&new);
}
DEFINE_DEBUGFS_ATTRIBUTE(resource_fops, resource_get, NULL, "0x%llx\n");

static int spin_set(void *data, u64 val)
{
	while (val--) {
		if (xhr_t_plain(3, val) != 3000 + (long)val)
			return -EIO;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(spin_fops, NULL, spin_set, "%llu\n");

static void notrace hold_callback(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
}

static struct ftrace_ops hold_ops = {
	.func	= hold_callback,
	.flags	= FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS,
};
static bool held;

static int hold_set(void *data, u64 val)
{
	static char name[] = "version_proc_show";
	int err;

	if (!!val == held)
		return -EINVAL;
	if (!val) {
		err = unregister_ftrace_function(&hold_ops);
	} else {
		err = ftrace_set_filter(&hold_ops, name, strlen(name), 1);
		if (!err)
			err = register_ftrace_function(&hold_ops);
	}
	if (!err)
		held = val;
	return err;
}
DEFINE_DEBUGFS_ATTRIBUTE(hold_fops, NULL, hold_set, "%llu\n");

static struct dentry *dir;

static int __init target_init(void)
{
	dir = debugfs_create_dir("xhr_target", NULL);
	debugfs_create_file_unsafe("plain", 0444, dir, NULL, &plain_fops);
	debugfs_create_file_unsafe("ten", 0444, dir, NULL, &ten_fops);
	debugfs_create_file_unsafe("isra", 0444, dir, NULL, &isra_fops);
	debugfs_create_file_unsafe("own_sleep", 0444, dir, NULL, &own_sleep_fops);
	debugfs_create_file_unsafe("sleep", 0444, dir, NULL, &sleep_fops);
	debugfs_create_file_unsafe("wake", 0200, dir, NULL, &wake_fops);
	debugfs_create_file_unsafe("resource", 0444, dir, NULL, &resource_fops);
	debugfs_create_file_unsafe("spin", 0200, dir, NULL, &spin_fops);
	debugfs_create_file_unsafe("hold", 0200, dir, NULL, &hold_fops);
	return 0;
}

static void __exit target_exit(void)
{
	debugfs_remove(dir);
	if (held)
		unregister_ftrace_function(&hold_ops);
	ftrace_free_filter(&hold_ops);
}

module_init(target_init);
module_exit(target_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Targets for the tests of the hook engine");
