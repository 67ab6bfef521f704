/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hook engine: what a feature needs in order to stand in front of a kernel
 * function, and nothing about packets.
 *
 * A hook is data: a symbol, the prototype that its wrapper was written for, and
 * the wrapper. The engine resolves the symbol, compares the prototype with the
 * BTF of the running kernel, points a static call at the original and, while a
 * feature is in use, redirects the function's ftrace call site to the wrapper.
 * With no feature in use no kernel function is hooked.
 *
 * What may not be done here or in a wrapper:
 *  - call an address that was looked up, other than through the static call:
 *    an indirect call to a sealed function is fatal on IBT hardware;
 *  - sleep in a wrapper, or call an original that may sleep, outside
 *    xhr_hook_enter() and xhr_hook_exit(): the engine would free the code under
 *    the sleeper;
 *  - touch a hook whose feature is not attached.
 */
#ifndef XHR_HOOK_H
#define XHR_HOOK_H

#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/percpu.h>
#include <linux/static_call.h>
#include <asm/unwind_hints.h>

struct netlink_ext_ack;

/* A prototype is compared as text: struct names and base types as in BTF. */
#define XHR_PROTO_MAX		512
#define XHR_REASON_MAX		640

/**
 * enum xhr_backend - by what means a hook is attached
 * @XHR_BACKEND_NONE: it is not
 * @XHR_BACKEND_DIRECT: the call site calls a stub of ours
 * @XHR_BACKEND_FTRACE: ftrace changes the instruction pointer
 */
enum xhr_backend {
	XHR_BACKEND_NONE,
	XHR_BACKEND_DIRECT,
	XHR_BACKEND_FTRACE,
};

/**
 * enum xhr_hook_state - where a hook is in its life
 * @XHR_HOOK_ABSENT: this kernel has no such function, or only a changed one
 * @XHR_HOOK_WAITING: the module that owns the function is not loaded
 * @XHR_HOOK_REFUSED: the function cannot be traced, is not the one that the wrapper
 *	was written for, or that could not be verified
 * @XHR_HOOK_READY: resolved and verified, not attached
 * @XHR_HOOK_BUSY: could not be attached when it was last tried: somebody else holds
 *	the function, or ftrace refused or is switched off
 * @XHR_HOOK_ATTACHED: calls go through the wrapper
 */
enum xhr_hook_state {
	XHR_HOOK_ABSENT,
	XHR_HOOK_WAITING,
	XHR_HOOK_REFUSED,
	XHR_HOOK_READY,
	XHR_HOOK_BUSY,
	XHR_HOOK_ATTACHED,
};

/*
 * The function may be missing: some supported kernels do without it, or the
 * module that owns it is not loaded. When that comes, it is hooked, too.
 */
#define XHR_HOOK_OPTIONAL	BIT(0)
/* The feature's exercise() makes it run, so it must have been called by then. */
#define XHR_HOOK_EXERCISED	BIT(1)

/* Calls are those that entered; who has not left is inside. */
struct xhr_hook_pcpu {
	u64 entered;
	u64 left;
};

/**
 * struct xhr_hook - one hooked function
 * @symbol: name of the function
 * @module: module that owns it, NULL for the kernel itself
 * @proto: prototype that the wrapper was written for, as xhr_btf_proto() prints
 * @flags: XHR_HOOK_OPTIONAL, XHR_HOOK_EXERCISED
 * @wrapper: replaces the function; same prototype
 * @stub: entry of the direct call; leads to @wrapper
 * @key: static call to the original
 * @tramp: its trampoline
 * @pcpu: counters
 * @state: enum xhr_hook_state
 * @backend: how it is attached
 * @ip: address of the ftrace call site; the original goes on 5 bytes later
 * @users: attached features that have it: several may list the same hook
 * @ops: ftrace registration
 * @stuck: ftrace has failed, and the registration is still in its hands
 * @reason: why it is not READY or ATTACHED, in words
 */
struct xhr_hook {
	const char *symbol;
	const char *module;
	const char *proto;
	unsigned int flags;
	void *wrapper;
	void *stub;
	struct static_call_key *key;
	void *tramp;
	struct xhr_hook_pcpu __percpu *pcpu;

	enum xhr_hook_state state;
	enum xhr_backend backend;
	unsigned long ip;
	unsigned int users;
	struct ftrace_ops ops;
	bool stuck;
	char reason[XHR_REASON_MAX];
};

/**
 * struct xhr_range - where a kernel function lies, to recognise it as a caller
 * @symbols: names to try, NULL terminated: the same function may have another
 *	name on another kernel (.isra.0), which does not matter for a caller
 * @flags: XHR_HOOK_OPTIONAL
 * @start: first byte
 * @size: in bytes, 0 if not found
 */
struct xhr_range {
	const char *const *symbols;
	unsigned int flags;
	unsigned long start;
	unsigned long size;
};

/**
 * struct xhr_feature - hooks that are attached together or not at all
 * @name: as in features= and in STATUS_GET
 * @hooks: in the order of attaching; detached in reverse
 * @nr_hooks: length of @hooks
 * @ranges: callers that must be recognised
 * @nr_ranges: length of @ranges
 * @exercise: optional, called right after attaching; makes those hooks run that
 *	can be made to, which must then have been seen
 * @drain: optional, called while waiting for sleepers, to hurry them up
 * @users: number of xhr_feature_get() not yet put
 * @available: every hook that is needed is READY (or was, before attaching)
 * @attached: the hooks are in place
 * @armed: the same, for wrappers that depend on one another: a reader under RCU
 *	who sees it set has all of them until it leaves RCU
 * @held: so many of @hooks have been gone through when attaching
 * @disabled: left out by the features= parameter
 * @reason: why not available, or not attached last time, in words; a text that
 *	stays as it is, so that the answer to a request may point to it
 */
struct xhr_feature {
	const char *name;
	struct xhr_hook *const *hooks;
	unsigned int nr_hooks;
	struct xhr_range *const *ranges;
	unsigned int nr_ranges;
	void (*exercise)(void);
	void (*drain)(void);

	atomic_t users;
	bool available;
	bool attached;
	bool armed;
	unsigned int held;
	bool disabled;
	const char *reason;
};

/**
 * XHR_HOOK_DECLARE() - declare a wrapper and the original behind it
 * @_id: identifier of the hook
 * @_ret: type that the function returns
 * @...: its parameters
 */
#define XHR_HOOK_DECLARE(_id, _ret, ...)				\
	_ret xhr_wrap_##_id(__VA_ARGS__);				\
	void xhr_stub_##_id(void);					\
	DECLARE_STATIC_CALL(xhr_orig_##_id, xhr_wrap_##_id);		\
	DECLARE_PER_CPU(struct xhr_hook_pcpu, xhr_pcpu_##_id);		\
	extern struct xhr_hook xhr_hook_##_id

/*
 * The direct call reaches the stub with two addresses on the stack: back into
 * the hooked function, then back to its caller. The first is dropped, so that
 * the wrapper stands in the function's place. It may not touch a register that
 * holds an argument.
 */
#define XHR_HOOK_STUB(_id)						\
	asm(".pushsection .text, \"ax\"\n\t"				\
	    ".balign 16\n\t"						\
	    ".globl xhr_stub_" #_id "\n\t"				\
	    ".type xhr_stub_" #_id ", @function\n"			\
	    "xhr_stub_" #_id ":\n\t"					\
	    XHR_ENDBR							\
	    "add $8, %rsp\n\t"						\
	    UNWIND_HINT_FUNC "\n\t"					\
	    "jmp xhr_wrap_" #_id "\n\t"					\
	    ".size xhr_stub_" #_id ", . - xhr_stub_" #_id "\n\t"	\
	    ".popsection")

/**
 * XHR_HOOK_DEFINE() - define a hook
 * @_id: identifier, declared with XHR_HOOK_DECLARE()
 * @_symbol: name of the kernel function
 * @_module: owner, NULL for the kernel itself
 * @_proto: prototype, as xhr_btf_proto() prints it
 * @_flags: XHR_HOOK_OPTIONAL, XHR_HOOK_EXERCISED, or 0
 */
#define XHR_HOOK_DEFINE(_id, _symbol, _module, _proto, _flags)		\
	DEFINE_STATIC_CALL_NULL(xhr_orig_##_id, xhr_wrap_##_id);	\
	DEFINE_PER_CPU(struct xhr_hook_pcpu, xhr_pcpu_##_id);		\
	XHR_HOOK_STUB(_id);						\
	struct xhr_hook xhr_hook_##_id = {				\
		.symbol		= _symbol,				\
		.module		= _module,				\
		.proto		= _proto,				\
		.flags		= _flags,				\
		.wrapper	= xhr_wrap_##_id,			\
		.stub		= xhr_stub_##_id,			\
		.key		= &STATIC_CALL_KEY(xhr_orig_##_id),	\
		.tramp		= STATIC_CALL_TRAMP_ADDR(xhr_orig_##_id), \
		.pcpu		= &xhr_pcpu_##_id,			\
	}

#ifdef CONFIG_X86_KERNEL_IBT
#define XHR_ENDBR		"endbr64\n\t"
#else
#define XHR_ENDBR		""
#endif

/* In a wrapper: the original function, by a direct call. */
#define xhr_orig(_id)		static_call(xhr_orig_##_id)

/*
 * In a wrapper: count the call. Everything that may sleep, and that is nearly
 * every original, must be between enter and exit. A compiler's tail call is not
 * enough to be gone from the wrapper: it is an optimisation, not a promise.
 */
#define xhr_hook_enter(_id)	this_cpu_inc(xhr_pcpu_##_id.entered)
#define xhr_hook_exit(_id)	this_cpu_inc(xhr_pcpu_##_id.left)

/* The same for a wrapper whose original cannot sleep: once, first. */
#define xhr_hook_pass(_id)						\
do {									\
	xhr_hook_enter(_id);						\
	xhr_hook_exit(_id);						\
} while (0)

/* Was the wrapper called from this function? @ret is _RET_IP_ in the wrapper. */
static __always_inline bool xhr_in_range(const struct xhr_range *range, unsigned long ret)
{
	return ret - range->start < range->size;
}

int xhr_hooks_init(struct xhr_feature *const *features, unsigned int nr);
void xhr_hooks_exit(void);
int xhr_feature_get(struct xhr_feature *feature, struct netlink_ext_ack *extack);
bool xhr_feature_get_attached(struct xhr_feature *feature);
void xhr_feature_put(struct xhr_feature *feature);

/**
 * struct xhr_hook_status - a snapshot of one hook for STATUS_GET
 * @hook: the hook; symbol, module and proto are constant
 * @feature: the feature that it belongs to
 * @state: enum xhr_hook_state
 * @backend: enum xhr_backend, meaningful when attached
 * @calls: calls that went through the wrapper since the module was loaded
 * @inside: tasks that are in the wrapper now (a snapshot)
 * @reason: why it is not attached or ready; empty otherwise
 * @holder: who holds the function when BUSY, if it could be found; or empty
 */
struct xhr_hook_status {
	const struct xhr_hook *hook;
	const struct xhr_feature *feature;
	enum xhr_hook_state state;
	enum xhr_backend backend;
	u64 calls;
	u64 inside;
	char reason[XHR_REASON_MAX];
	char holder[64];
};

/**
 * struct xhr_feature_status - a snapshot of one feature for STATUS_GET
 * @feature: the feature
 * @available: see &struct xhr_feature
 * @attached: see &struct xhr_feature
 * @disabled: see &struct xhr_feature
 * @users: see &struct xhr_feature
 * @reason: see &struct xhr_feature; valid until xhr_hooks_exit()
 */
struct xhr_feature_status {
	const struct xhr_feature *feature;
	bool available;
	bool attached;
	bool disabled;
	unsigned int users;
	const char *reason;
};

/* By index, for dumps: -ENOENT behind the last one. May sleep. */
int xhr_feature_status(unsigned int i, struct xhr_feature_status *status);
int xhr_hook_status(unsigned int i, struct xhr_hook_status *status);

#endif
