/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two ftrace interfaces whose names differ between kernels, under one name
 * each. Nothing else may be put here.
 */
#ifndef XHR_COMPAT_FTRACE_H
#define XHR_COMPAT_FTRACE_H

#include <linux/ftrace.h>
#include <linux/version.h>

/*
 * Before 6.4 the call that takes a ftrace_ops is named _multi, and the plain
 * name has another signature.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
static inline int xhr_register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	return register_ftrace_direct_multi(ops, addr);
}

static inline int xhr_unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	int err = unregister_ftrace_direct_multi(ops, addr);

	if (!err)
		ftrace_free_filter(ops);
	return err;
}
#else
static inline int xhr_register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	return register_ftrace_direct(ops, addr);
}

static inline int xhr_unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	return unregister_ftrace_direct(ops, addr, true);
}
#endif

#ifdef ftrace_regs_set_instruction_pointer
#define xhr_ftrace_set_ip(fregs, ip)	ftrace_regs_set_instruction_pointer(fregs, ip)
#else
#define xhr_ftrace_set_ip(fregs, ip)	ftrace_instruction_pointer_set(fregs, ip)
#endif

#endif
