// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hook engine: resolves, verifies, attaches, counts, drains and detaches.
 * It knows no packets; see hook.h for what a wrapper may and may not do.
 *
 * Life of a hook:
 *
 *	ABSENT/WAITING --resolve--> REFUSED          (not what the wrapper expects)
 *	                       \--> READY <--detach-- ATTACHED
 *	                             \---attach----->
 *	                              \--> BUSY      (held by somebody else)
 *
 * Why a packet can never run into freed code: detaching unregisters first, so
 * that no new call can enter; RCU tasks then waits for whoever was on the way
 * between the call site and the wrapper's first instruction, or was preempted in
 * a wrapper; xhr_hook_enter()/exit() cover those who sleep in one; RCU tasks
 * again covers the instructions behind xhr_hook_exit().
 *
 * Everything here runs in process context and may sleep, but for the ftrace
 * callback, xhr_feature_get_attached() and xhr_feature_put().
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/rcupdate_wait.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "btf.h"
#include "compat/ftrace.h"
#include "hook.h"

#define XHR_BTF_PATH		"/sys/kernel/btf/"
#define XHR_BTF_SIZE_MAX	(64 << 20)

/* x86: the length of the call at a function's entry, and its first byte. */
#define XHR_CALL_SIZE	5
#define XHR_CALL_OPCODE	0xe8
#define XHR_JUMP_OPCODE	0xe9

static char *backend = "auto";
module_param(backend, charp, 0444);
MODULE_PARM_DESC(backend, "how functions are hooked: auto (default), direct or ftrace");

/* Protects every hook's and feature's state. Taken before ftrace's locks. */
static DEFINE_MUTEX(xhr_hook_lock);
static struct xhr_feature *const *xhr_features;
static unsigned int xhr_nr_features;

static void xhr_hooks_settle(struct work_struct *work);
static DECLARE_WORK(xhr_settle_work, xhr_hooks_settle);

#define xhr_for_each_hook(_f, _i, _h)					\
	for ((_i) = 0; (_i) < (_f)->nr_hooks && ((_h) = (_f)->hooks[_i]); (_i)++)

static __printf(3, 4) void xhr_hook_set(struct xhr_hook *hook, enum xhr_hook_state state,
					const char *fmt, ...)
{
	va_list args;

	hook->state = state;
	va_start(args, fmt);
	vscnprintf(hook->reason, sizeof(hook->reason), fmt, args);
	va_end(args);
}

/*
 * Symbols are looked up by registering a disabled kprobe: it resolves the name
 * as the kernel's own tracers do, and gives the address behind an ENDBR.
 */
struct xhr_lookup {
	struct kprobe kp;
	char name[128];
	bool found;
};

static struct xhr_lookup *xhr_lookup_add(struct xhr_lookup *l, const char *module,
					 const char *symbol)
{
	if (module)
		snprintf(l->name, sizeof(l->name), "%s:%s", module, symbol);
	else
		strscpy(l->name, symbol, sizeof(l->name));
	memset(&l->kp, 0, sizeof(l->kp));
	l->kp.symbol_name = l->name;
	l->kp.flags = KPROBE_FLAG_DISABLED;
	l->found = !register_kprobe(&l->kp);
	return l->found ? l : NULL;
}

/* Unregistering waits for RCU: once for all of them. */
static void xhr_lookup_end(struct xhr_lookup *l, unsigned int nr)
{
	struct kprobe **kps = kcalloc(nr, sizeof(*kps), GFP_KERNEL);
	unsigned int i, n = 0;

	for (i = 0; i < nr; i++) {
		if (!l[i].found)
			continue;
		if (kps)
			kps[n++] = &l[i].kp;
		else
			unregister_kprobe(&l[i].kp);
	}
	if (n)
		unregister_kprobes(kps, n);
	kfree(kps);
}

/* First byte and size of the function that @addr lies in; size 0 if unknown. */
static void xhr_function_bounds(unsigned long addr, unsigned long *start, unsigned long *size)
{
	char sym[KSYM_SYMBOL_LEN], *plus;
	unsigned long offset;

	/* "name+0xOFFSET/0xSIZE" is the only exported way to them. */
	sprint_symbol(sym, addr);
	plus = strrchr(sym, '+');
	if (!plus || sscanf(plus, "+0x%lx/0x%lx", &offset, size) != 2) {
		*size = 0;
		return;
	}
	*start = addr - offset;
}

static bool xhr_read_call_site(unsigned long ip, u8 insn[XHR_CALL_SIZE])
{
	return !copy_from_kernel_nofault(insn, (void *)ip, XHR_CALL_SIZE);
}

/* The function that the call site at @ip calls, or (BPF fexit on 7.3) jumps to, or 0. */
static unsigned long xhr_call_target(unsigned long ip)
{
	u8 insn[XHR_CALL_SIZE];
	s32 rel;

	if (!xhr_read_call_site(ip, insn) ||
	    (insn[0] != XHR_CALL_OPCODE && insn[0] != XHR_JUMP_OPCODE))
		return 0;
	memcpy(&rel, insn + 1, sizeof(rel));
	return ip + XHR_CALL_SIZE + rel;
}

static bool xhr_is_call_site(unsigned long ip)
{
	static const u8 nop5[XHR_CALL_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	u8 insn[XHR_CALL_SIZE];

	return xhr_call_target(ip) ||
	       (xhr_read_call_site(ip, insn) && !memcmp(insn, nop5, sizeof(nop5)));
}

/*
 * Plain reads, as the process that loads the module would do them: the
 * kernel_read_file() family is for firmware, modules and policies, and security
 * modules complain about anything else.
 */
static int xhr_btf_read(const char *name, const struct xhr_btf *base, void **data,
			struct xhr_btf *btf)
{
	char path[sizeof(XHR_BTF_PATH) + MODULE_NAME_LEN];
	struct file *file;
	loff_t size, pos = 0;
	ssize_t n;
	int err;

	snprintf(path, sizeof(path), XHR_BTF_PATH "%s", name);
	file = filp_open(path, O_RDONLY, 0);
	if (IS_ERR(file))
		return PTR_ERR(file);

	err = -EFBIG;
	size = i_size_read(file_inode(file));
	if (size <= 0 || size > XHR_BTF_SIZE_MAX)
		goto out;
	err = -ENOMEM;
	*data = kvmalloc(size, GFP_KERNEL);
	if (!*data)
		goto out;
	while (pos < size) {
		n = kernel_read(file, *data + pos, size - pos, &pos);
		if (n <= 0)
			break;
	}
	err = pos == size ? xhr_btf_open_split(btf, base, *data, size) : -EIO;
	if (err)
		kvfree(*data);
out:
	filp_close(file, NULL);
	return err;
}

static void xhr_btf_done(void *data, struct xhr_btf *btf)
{
	xhr_btf_close(btf);
	kvfree(data);
}

static void xhr_hook_verify(struct xhr_hook *hook, const struct xhr_btf *btf, int btf_err)
{
	char *proto;
	int err;

	if (!xhr_is_call_site(hook->ip)) {
		xhr_hook_set(hook, XHR_HOOK_REFUSED, "%s cannot be traced", hook->symbol);
		return;
	}
	if (btf_err) {
		xhr_hook_set(hook, XHR_HOOK_REFUSED,
			     "prototype of %s cannot be verified: no usable BTF in " XHR_BTF_PATH
			     " (error %d)", hook->symbol, btf_err);
		return;
	}

	proto = kmalloc(XHR_PROTO_MAX, GFP_KERNEL);
	err = proto ? xhr_btf_proto(btf, hook->symbol, proto, XHR_PROTO_MAX) : -ENOMEM;
	if (err == -ENOENT)
		xhr_hook_set(hook, XHR_HOOK_REFUSED,
			     "prototype of %s cannot be verified: BTF does not have it",
			     hook->symbol);
	else if (err == -ENOTUNIQ)
		xhr_hook_set(hook, XHR_HOOK_REFUSED,
			     "prototype of %s cannot be verified: several functions have that name",
			     hook->symbol);
	else if (err)
		xhr_hook_set(hook, XHR_HOOK_REFUSED,
			     "prototype of %s cannot be verified: error %d", hook->symbol, err);
	else if (strcmp(proto, hook->proto))
		xhr_hook_set(hook, XHR_HOOK_REFUSED,
			     "prototype of %s differs: this kernel has %s, expected %s",
			     hook->symbol, proto, hook->proto);
	else
		xhr_hook_set(hook, XHR_HOOK_READY, "%s", "");
	kfree(proto);
}

/* Copies of a function whose arguments, or some callers, GCC has taken away. */
static const char *const xhr_clone_suffixes[] = { ".isra.0", ".constprop.0", ".part.0" };

/* Say why there is no such function. Returns the number of look-ups used. */
static unsigned int xhr_hook_absent(struct xhr_hook *hook, struct xhr_lookup *lookups)
{
	char name[128];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(xhr_clone_suffixes); i++) {
		snprintf(name, sizeof(name), "%s%s", hook->symbol, xhr_clone_suffixes[i]);
		if (xhr_lookup_add(&lookups[i], hook->module, name)) {
			xhr_hook_set(hook, XHR_HOOK_ABSENT,
				     "this kernel has %s only as the compiler changed it: %s",
				     hook->symbol, name);
			return i + 1;
		}
	}
	xhr_hook_set(hook, XHR_HOOK_ABSENT, "this kernel has no function %s", hook->symbol);
	return i;
}

static bool xhr_module_loaded(const char *module)
{
	char path[sizeof("/sys/module//initstate") + MODULE_NAME_LEN];
	struct file *file;

	snprintf(path, sizeof(path), "/sys/module/%s/initstate", module);
	file = filp_open(path, O_RDONLY, 0);
	if (IS_ERR(file))
		return false;
	filp_close(file, NULL);
	return true;
}

/*
 * Resolve and verify those hooks of all features whose owner is @module (NULL:
 * the kernel) and that are not attached.
 */
static void xhr_hooks_resolve(const char *module)
{
	struct xhr_lookup *lookups, *l;
	unsigned int f, i, nr = 0, n = 0;
	const char *const *name;
	struct xhr_range *range;
	struct xhr_hook *hook;
	struct xhr_btf btf, base;
	void *btf_data, *base_data;
	bool loaded = !module || xhr_module_loaded(module);
	int btf_err, base_err = -ENOENT;

	for (f = 0; f < xhr_nr_features; f++) {
		nr += xhr_features[f]->nr_hooks * (1 + ARRAY_SIZE(xhr_clone_suffixes));
		for (i = 0; i < xhr_features[f]->nr_ranges; i++)
			for (name = xhr_features[f]->ranges[i]->symbols; *name; name++)
				nr++;
	}
	if (!nr)
		return;
	lookups = kvcalloc(nr, sizeof(*lookups), GFP_KERNEL);
	if (!lookups) {
		pr_err("no memory to look up symbols: no feature is available\n");
		return;
	}

	/* A module's BTF goes on where the kernel's ends. */
	if (!loaded) {
		btf_err = -ENOENT;
	} else if (module) {
		base_err = xhr_btf_read("vmlinux", NULL, &base_data, &base);
		btf_err = base_err ?: xhr_btf_read(module, &base, &btf_data, &btf);
	} else {
		btf_err = xhr_btf_read("vmlinux", NULL, &btf_data, &btf);
	}

	for (f = 0; f < xhr_nr_features; f++) {
		xhr_for_each_hook(xhr_features[f], i, hook) {
			if (hook->state == XHR_HOOK_ATTACHED ||
			    (module ? !hook->module || strcmp(hook->module, module) :
				      !!hook->module))
				continue;
			l = xhr_lookup_add(&lookups[n++], module, hook->symbol);
			if (!l) {
				if (!loaded)
					xhr_hook_set(hook, XHR_HOOK_WAITING,
						     "module %s is not loaded", module);
				else
					n += xhr_hook_absent(hook, &lookups[n]);
				continue;
			}
			hook->ip = (unsigned long)l->kp.addr;
			xhr_hook_verify(hook, &btf, btf_err);
			if (hook->state == XHR_HOOK_READY)
				__static_call_update(hook->key, hook->tramp,
						     (void *)(hook->ip + XHR_CALL_SIZE));
		}
		if (module)
			continue;
		for (i = 0; i < xhr_features[f]->nr_ranges; i++) {
			range = xhr_features[f]->ranges[i];
			for (name = range->symbols; *name && !range->size; name++) {
				l = xhr_lookup_add(&lookups[n++], NULL, *name);
				if (!l)
					continue;
				xhr_function_bounds((unsigned long)l->kp.addr,
						    &range->start, &range->size);
			}
		}
	}

	if (!btf_err)
		xhr_btf_done(btf_data, &btf);
	if (!base_err)
		xhr_btf_done(base_data, &base);
	xhr_lookup_end(lookups, n);
	kvfree(lookups);
}

/*
 * The texts that features had as reasons, each once. The answer to a request
 * points to one while others are already trying again, so none is ever changed,
 * and they go with the module. There are few: a handful for each hook.
 */
struct xhr_text {
	struct list_head list;
	char text[];
};

static LIST_HEAD(xhr_texts);

static const char *xhr_text(const char *text)
{
	struct xhr_text *kept;
	size_t size = strlen(text) + 1;

	list_for_each_entry(kept, &xhr_texts, list) {
		if (!strcmp(kept->text, text))
			return kept->text;
	}
	kept = kmalloc(struct_size(kept, text, size), GFP_KERNEL);
	if (!kept)
		return "out of memory";
	memcpy(kept->text, text, size);
	list_add(&kept->list, &xhr_texts);
	return kept->text;
}

static void xhr_texts_free(void)
{
	struct xhr_text *kept, *tmp;

	list_for_each_entry_safe(kept, tmp, &xhr_texts, list) {
		list_del(&kept->list);
		kfree(kept);
	}
}

/* Set the reason to "FEATURE: " and the rest. */
static __printf(2, 3) void xhr_feature_because(struct xhr_feature *feature, const char *fmt, ...)
{
	char *rest, *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	rest = kvasprintf(GFP_KERNEL, fmt, ap);
	va_end(ap);
	if (rest)
		text = kasprintf(GFP_KERNEL, "%s: %s", feature->name, rest);
	feature->reason = text ? xhr_text(text) : "out of memory";
	kfree(text);
	kfree(rest);
}

/* Work out from the hooks whether a feature can be used, and if not, why. */
static void xhr_feature_update(struct xhr_feature *feature)
{
	struct xhr_hook *hook;
	unsigned int i;

	feature->available = false;
	if (feature->disabled) {
		feature->reason = "left out by the features parameter";
		return;
	}
	xhr_for_each_hook(feature, i, hook) {
		if (hook->state >= XHR_HOOK_READY ||
		    (hook->state <= XHR_HOOK_WAITING && hook->flags & XHR_HOOK_OPTIONAL))
			continue;
		xhr_feature_because(feature, "%s", hook->reason);
		return;
	}
	for (i = 0; i < feature->nr_ranges; i++) {
		if (feature->ranges[i]->size || feature->ranges[i]->flags & XHR_HOOK_OPTIONAL)
			continue;
		xhr_feature_because(feature, "this kernel has no function %s",
				    feature->ranges[i]->symbols[0]);
		return;
	}
	feature->available = true;
	feature->reason = "";
}

static u64 xhr_hook_calls(const struct xhr_hook *hook)
{
	u64 calls = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		calls += READ_ONCE(per_cpu_ptr(hook->pcpu, cpu)->entered);
	return calls;
}

/*
 * Those who left are counted first: a call that comes or goes meanwhile can make
 * the result too high, never too low.
 */
static u64 xhr_hook_inside(const struct xhr_hook *hook)
{
	u64 left = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		left += READ_ONCE(per_cpu_ptr(hook->pcpu, cpu)->left);
	smp_rmb();	/* a caller counts itself in before it counts itself out */
	return xhr_hook_calls(hook) - left;
}

static void notrace xhr_ftrace_callback(unsigned long ip, unsigned long parent_ip,
					struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct xhr_hook *hook = container_of(ops, struct xhr_hook, ops);

	xhr_ftrace_set_ip(fregs, (unsigned long)hook->wrapper);
}

static int xhr_hook_register(struct xhr_hook *hook, enum xhr_backend how)
{
	int err;

	if (hook->stuck)
		return -EIO;
	memset(&hook->ops, 0, sizeof(hook->ops));
	err = ftrace_set_filter_ip(&hook->ops, hook->ip, 0, 1);
	if (err)
		return err;
	if (how == XHR_BACKEND_DIRECT) {
		err = xhr_register_ftrace_direct(&hook->ops, (unsigned long)hook->stub);
	} else {
		hook->ops.func = xhr_ftrace_callback;
		hook->ops.flags |= FTRACE_OPS_FL_IPMODIFY;
		err = register_ftrace_function(&hook->ops);
	}
	if (err) {
		ftrace_free_filter(&hook->ops);
		return err;
	}
	/*
	 * Once attached, ftrace_enabled=0 must not switch us off. Set only now:
	 * with ftrace off, a permanent one is refused as if it were held.
	 */
	hook->ops.flags |= FTRACE_OPS_FL_PERMANENT;
	hook->backend = how;
	return 0;
}

static void xhr_hook_unregister(struct xhr_hook *hook)
{
	int err;

	if (hook->backend == XHR_BACKEND_DIRECT) {
		err = xhr_unregister_ftrace_direct(&hook->ops, (unsigned long)hook->stub);
	} else {
		err = unregister_ftrace_function(&hook->ops);
		if (!err)
			ftrace_free_filter(&hook->ops);
	}
	if (err) {
		pr_err("cannot unhook %s: error %d\n", hook->symbol, err);
		hook->stuck = true;
	}
	hook->backend = XHR_BACKEND_NONE;
}

/*
 * After a bug elsewhere ftrace switches itself off and leaves call sites as they
 * are. Then the function still leads to us, and we cannot go.
 */
static bool xhr_hook_stuck(const struct xhr_hook *hook)
{
	return hook->stuck ||
	       (hook->ip && xhr_call_target(hook->ip) == (unsigned long)hook->stub);
}

static int xhr_hook_attach(struct xhr_hook *hook)
{
	int err = -EBUSY;

	if (strcmp(backend, "ftrace"))
		err = xhr_hook_register(hook, XHR_BACKEND_DIRECT);
	if (err == -EBUSY && strcmp(backend, "direct"))
		err = xhr_hook_register(hook, XHR_BACKEND_FTRACE);
	if (err == -EBUSY) {
		xhr_hook_set(hook, XHR_HOOK_BUSY, "%s is held by somebody else", hook->symbol);
		return err;
	}
	if (err) {
		xhr_hook_set(hook, XHR_HOOK_BUSY, "%s cannot be hooked: error %d",
			     hook->symbol, err);
		/* ftrace has many (ENODEV when it is dead): they are about the hook. */
		return err == -ENOMEM ? err : -EBUSY;
	}
	/* With ftrace_enabled=0 a registration succeeds and does nothing. */
	if (!xhr_call_target(hook->ip)) {
		xhr_hook_unregister(hook);
		xhr_hook_set(hook, XHR_HOOK_BUSY,
			     "%s cannot be hooked: ftrace is switched off (kernel.ftrace_enabled=0)",
			     hook->symbol);
		return -EBUSY;
	}
	xhr_hook_set(hook, XHR_HOOK_ATTACHED, "%s", "");
	return 0;
}

static void xhr_feature_detach(struct xhr_feature *feature)
{
	struct xhr_hook *hook;

	if (feature->armed) {
		WRITE_ONCE(feature->armed, false);
		synchronize_rcu();
	}
	while (feature->held) {
		hook = feature->hooks[--feature->held];
		if (hook->state != XHR_HOOK_ATTACHED || --hook->users)
			continue;
		xhr_hook_unregister(hook);
		xhr_hook_set(hook, XHR_HOOK_READY, "%s", "");
	}
	feature->attached = false;
}

/* Make hooks run, and see that they did: a call site may lead nowhere. */
static int xhr_feature_prove(struct xhr_feature *feature)
{
	struct xhr_hook *hook;
	unsigned int i;
	u64 *before;
	int err = 0;

	if (!feature->exercise)
		return 0;
	before = kcalloc(feature->nr_hooks, sizeof(*before), GFP_KERNEL);
	if (!before) {
		feature->reason = "out of memory";
		return -ENOMEM;
	}
	xhr_for_each_hook(feature, i, hook)
		before[i] = xhr_hook_calls(hook);
	feature->exercise();
	xhr_for_each_hook(feature, i, hook) {
		if (hook->state != XHR_HOOK_ATTACHED || !(hook->flags & XHR_HOOK_EXERCISED) ||
		    xhr_hook_calls(hook) != before[i])
			continue;
		xhr_feature_because(feature, "%s was hooked but does not lead to its wrapper",
				    hook->symbol);
		err = -EOPNOTSUPP;
		break;
	}
	kfree(before);
	return err;
}

static int xhr_feature_attach(struct xhr_feature *feature)
{
	struct xhr_hook *hook;
	unsigned int i;
	int err;

	xhr_feature_update(feature);
	if (!feature->available)
		return -EOPNOTSUPP;
	xhr_for_each_hook(feature, i, hook) {
		if (hook->state == XHR_HOOK_READY || hook->state == XHR_HOOK_BUSY) {
			err = xhr_hook_attach(hook);
			if (err) {
				xhr_feature_because(feature, "%s", hook->reason);
				xhr_feature_detach(feature);
				return err;
			}
		}
		hook->users += hook->state == XHR_HOOK_ATTACHED;
		feature->held = i + 1;
	}
	err = xhr_feature_prove(feature);
	if (err) {
		xhr_feature_detach(feature);
		return err;
	}
	feature->attached = true;
	WRITE_ONCE(feature->armed, true);
	return 0;
}

/**
 * xhr_feature_get() - have a feature's hooks attached
 * @feature: one that xhr_hooks_init() was given
 * @extack: receives the reason of a failure; may be NULL
 *
 * Attaches all of them for the first user; each success must be paired with
 * xhr_feature_put().
 *
 * Context: process, sleeps; takes the engine's mutex and ftrace's locks.
 * Return: 0, -EOPNOTSUPP (not available on this kernel), -EBUSY (a function is
 * held by somebody else, or ftrace refuses), or -ENOMEM.
 */
int xhr_feature_get(struct xhr_feature *feature, struct netlink_ext_ack *extack)
{
	int err = 0;

	mutex_lock(&xhr_hook_lock);
	if (!feature->attached)
		err = xhr_feature_attach(feature);
	if (!err)
		atomic_inc(&feature->users);
	else if (extack)
		extack->_msg = feature->reason;
	mutex_unlock(&xhr_hook_lock);
	return err;
}

/**
 * xhr_feature_get_attached() - one more user of hooks that are in use already
 * @feature: see xhr_feature_get()
 *
 * Context: any; takes no lock and does not wait.
 * Return: false if nobody uses them.
 */
bool xhr_feature_get_attached(struct xhr_feature *feature)
{
	return atomic_inc_not_zero(&feature->users);
}

/**
 * xhr_feature_put() - let a feature's hooks go
 * @feature: see xhr_feature_get()
 *
 * Behind the last user they are detached from a work item, so that the caller,
 * who may hold RTNL, does not wait for the kernel's text to settle.
 *
 * Context: any; takes no lock.
 */
void xhr_feature_put(struct xhr_feature *feature)
{
	if (atomic_dec_and_test(&feature->users))
		schedule_work(&xhr_settle_work);
}

static void xhr_hooks_settle(struct work_struct *work)
{
	unsigned int f;

	mutex_lock(&xhr_hook_lock);
	for (f = 0; f < xhr_nr_features; f++) {
		if (xhr_features[f]->attached && !atomic_read(&xhr_features[f]->users))
			xhr_feature_detach(xhr_features[f]);
	}
	mutex_unlock(&xhr_hook_lock);
}

/* Wait until no task is in a wrapper. Nothing may be attached any more. */
static void xhr_feature_drain(struct xhr_feature *feature)
{
	unsigned long start = jiffies, said = jiffies;
	struct xhr_hook *hook;
	unsigned int i;

	xhr_for_each_hook(feature, i, hook) {
		while (xhr_hook_inside(hook) || xhr_hook_stuck(hook)) {
			if (feature->drain && time_after(jiffies, start + HZ))
				feature->drain();
			if (time_after(jiffies, said + 5 * HZ)) {
				said = jiffies;
				if (xhr_hook_stuck(hook))
					pr_err("%s cannot be unhooked, ftrace has failed: reboot to get rid of the module\n",
					       hook->symbol);
				else
					pr_warn("waiting for %llu task(s) that sleep in %s; they end with their own timeout, signal or wake-up\n",
						xhr_hook_inside(hook), hook->symbol);
			}
			msleep(20);
		}
	}
}

static bool xhr_hook_of(const struct xhr_hook *hook, const struct module *mod)
{
	return hook->module && !strcmp(hook->module, mod->name);
}

static bool xhr_feature_of(const struct xhr_feature *feature, const struct module *mod)
{
	struct xhr_hook *hook;
	unsigned int i;

	xhr_for_each_hook(feature, i, hook)
		if (xhr_hook_of(hook, mod))
			return true;
	return false;
}

/*
 * The owner of a hooked function has come or is going. Features that have a hook
 * there let go of all of theirs, and get back what they can.
 */
static int xhr_module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct module *mod = data;
	struct xhr_hook *hook;
	unsigned int f, i;
	bool ours = false;

	if (event != MODULE_STATE_LIVE && event != MODULE_STATE_GOING)
		return NOTIFY_DONE;

	mutex_lock(&xhr_hook_lock);
	for (f = 0; f < xhr_nr_features; f++) {
		if (!xhr_feature_of(xhr_features[f], mod))
			continue;
		ours = true;
		if (xhr_features[f]->attached)
			xhr_feature_detach(xhr_features[f]);
	}
	for (f = 0; ours && event == MODULE_STATE_GOING && f < xhr_nr_features; f++) {
		xhr_for_each_hook(xhr_features[f], i, hook) {
			if (!xhr_hook_of(hook, mod))
				continue;
			xhr_hook_set(hook, XHR_HOOK_WAITING, "module %s is not loaded",
				     hook->module);
			hook->ip = 0;
		}
	}
	if (ours) {
		if (event == MODULE_STATE_LIVE)
			xhr_hooks_resolve(mod->name);
		for (f = 0; f < xhr_nr_features; f++) {
			xhr_feature_update(xhr_features[f]);
			if (atomic_read(&xhr_features[f]->users) && !xhr_features[f]->attached)
				xhr_feature_attach(xhr_features[f]);
		}
	}
	mutex_unlock(&xhr_hook_lock);
	return NOTIFY_DONE;
}

static struct notifier_block xhr_module_nb = {
	.notifier_call	= xhr_module_event,
};

/**
 * xhr_hooks_init() - resolve and verify the hooks of all features
 * @features: table of features; must stay
 * @nr: its length
 *
 * Attaches nothing. A hook that cannot be used makes its feature unavailable,
 * with a reason, and is no error.
 *
 * Context: process, sleeps.
 * Return: 0, -EINVAL for a wrong backend parameter, or an error of
 * register_module_notifier().
 */
int xhr_hooks_init(struct xhr_feature *const *features, unsigned int nr)
{
	struct xhr_hook *hook;
	unsigned int f, i;
	int err;

	if (strcmp(backend, "auto") && strcmp(backend, "direct") && strcmp(backend, "ftrace")) {
		pr_err("backend=%s: must be auto, direct or ftrace\n", backend);
		return -EINVAL;
	}

	/* First, so that no owner comes or goes unseen while we resolve. */
	err = register_module_notifier(&xhr_module_nb);
	if (err)
		return err;

	mutex_lock(&xhr_hook_lock);
	xhr_features = features;
	xhr_nr_features = nr;
	xhr_hooks_resolve(NULL);
	for (f = 0; f < nr; f++) {
		xhr_for_each_hook(features[f], i, hook) {
			if (hook->module && hook->state == XHR_HOOK_ABSENT)
				xhr_hooks_resolve(hook->module);
		}
		xhr_feature_update(features[f]);
	}
	mutex_unlock(&xhr_hook_lock);
	return 0;
}

/**
 * xhr_hooks_exit() - detach everything and wait until nobody is inside
 *
 * Nobody may answer requests any more: reasons go, too.
 *
 * Context: process, sleeps for as long as somebody sleeps in a wrapper.
 */
void xhr_hooks_exit(void)
{
	unsigned int f;

	unregister_module_notifier(&xhr_module_nb);
	cancel_work_sync(&xhr_settle_work);

	mutex_lock(&xhr_hook_lock);
	for (f = xhr_nr_features; f--;)
		xhr_feature_detach(xhr_features[f]);
	mutex_unlock(&xhr_hook_lock);

	synchronize_rcu_tasks();
	for (f = xhr_nr_features; f--;)
		xhr_feature_drain(xhr_features[f]);
	synchronize_rcu_tasks();
	xhr_texts_free();
}

/**
 * xhr_feature_status() - describe one feature
 * @i: index, from 0
 * @status: to be filled
 *
 * Context: process; takes the engine's mutex.
 * Return: 0, or -ENOENT behind the last one.
 */
int xhr_feature_status(unsigned int i, struct xhr_feature_status *status)
{
	const struct xhr_feature *feature;

	if (i >= xhr_nr_features)
		return -ENOENT;
	feature = xhr_features[i];

	mutex_lock(&xhr_hook_lock);
	status->feature = feature;
	status->available = feature->available;
	status->attached = feature->attached;
	status->disabled = feature->disabled;
	status->users = atomic_read(&feature->users);
	status->reason = feature->reason;
	mutex_unlock(&xhr_hook_lock);
	return 0;
}

/**
 * xhr_hook_status() - describe one hook
 * @i: index over all features' hooks, from 0
 * @status: to be filled
 *
 * Context: process; takes the engine's mutex.
 * Return: 0, or -ENOENT behind the last one.
 */
int xhr_hook_status(unsigned int i, struct xhr_hook_status *status)
{
	const struct xhr_feature *feature = NULL;
	const struct xhr_hook *hook;
	unsigned long target;
	unsigned int f;

	for (f = 0; f < xhr_nr_features; f++) {
		feature = xhr_features[f];
		if (i < feature->nr_hooks)
			break;
		i -= feature->nr_hooks;
	}
	if (f == xhr_nr_features)
		return -ENOENT;
	hook = feature->hooks[i];

	mutex_lock(&xhr_hook_lock);
	memset(status, 0, sizeof(*status));
	status->hook = hook;
	status->feature = feature;
	status->state = hook->state;
	status->backend = hook->backend;
	status->calls = xhr_hook_calls(hook);
	status->inside = xhr_hook_inside(hook);
	strscpy(status->reason, hook->reason, sizeof(status->reason));
	if (hook->state == XHR_HOOK_BUSY) {
		target = xhr_call_target(hook->ip);
		if (target)
			snprintf(status->holder, sizeof(status->holder), "%ps", (void *)target);
		/* A trampoline of ftrace's has no name; its address is nobody's business. */
		if (!strncmp(status->holder, "0x", 2))
			strscpy(status->holder, "a livepatch or another module",
				sizeof(status->holder));
	}
	mutex_unlock(&xhr_hook_lock);
	return 0;
}
