#!/bin/bash
# vm: timeout=600 smp=2
# The hook engine by itself, with hooks that exist for this suite only: functions
# of every kind, each backend, others who hold a function, callers who sleep in
# one that is let go, owners that come and go. No packet is sent here.
#
# Modules built outside the kernel's tree have no BTF on 6.1: what belongs to
# xhr_target is refused there, which is tested too.
. /lab/lib.sh

. /lab/engine.sh

# --- what cannot be hooked, and why ---------------------------------------------

refusals()
{
	local sym

	load
	is "a missing function is absent" "$(state missing)" ABSENT
	like "and named" "$(reason missing)" "no function xhr_no_such_function"
	like "its feature is not available" "$(feature missing)" "^unavailable users=0 missing: .*xhr_no_such_function"
	not_ok "and cannot be used" on missing
	like "for a reason" "$(said)" "xhr_no_such_function"
	like "a feature is available without its optional function" "$(feature optional)" "^available"
	ok "and can be used" on optional
	is "hooked is what there is" "$(state optional uptime_proc_show)" ATTACHED
	cat /proc/uptime >/dev/null
	is "and it fires" "$(calls optional uptime_proc_show)" 1
	off optional
	is "a function of a module that is not there is waited for" "$(state no_module)" WAITING
	like "by name" "$(reason no_module)" "xhr_no_such_module is not loaded"
	unload

	load symbol=cmdline_proc_show 'proto="int (struct seq_file *)"'
	is "a wrong prototype is refused" "$(state named)" REFUSED
	like "both are shown" "$(reason named)" "this kernel has int \(struct seq_file \*, void \*\), expected int \(struct seq_file \*\)"
	not_ok "and it cannot be used" on named
	like "for that reason" "$(said)" "cmdline_proc_show differs"
	is "nothing was hooked" "$(hooked cmdline_proc_show)" 0
	unload

	# The first function of the kernel that exists only as the compiler changed it.
	sym=$(awk '$2 ~ /[tT]/ && NF == 3 {
			if ($3 ~ /^[a-z_0-9]*\.isra\.0$/) isra[substr($3, 1, length($3) - 7)] = 1
			else plain[$3] = 1
		} END { for (s in isra) if (!(s in plain)) print s }' /proc/kallsyms | sort | head -1)
	note "changed by the compiler: $sym.isra.0"
	load "symbol=$sym"
	is "a function that exists only as .isra is absent" "$(state named)" ABSENT
	like "and this is said" "$(reason named)" "$sym\.isra\.0"
	unload
	load "symbol=$sym.isra.0"
	is "asked for by its full name it is refused" "$(state named)" REFUSED
	like "since BTF does not have it" "$(reason named)" "cannot be verified"
	unload

	# All of lib/ is built without the call at the entry.
	load symbol=hex2bin 'proto="int (u8 *, const char *, size_t)"'
	is "a function that cannot be traced is refused" "$(state named)" REFUSED
	like "and this is said" "$(reason named)" "hex2bin cannot be traced"
	unload

	not_ok "an unknown backend is refused" load backend=magic
	log_has "backend=magic: must be" && pass "and named" || fail "and named"
}

# --- attached: seen, unchanged, gone ------------------------------------------------

plain()
{
	local b=$1 i bad=0

	is "$(as $b "nothing is hooked at first")" "$(state plain) $(hooked cmdline_proc_show)" "READY 0"
	ok "$(as $b "attach")" on plain
	is "$(as $b "it is attached")" "$(state plain)" ATTACHED
	[ "$b" = auto ] || is "$(as $b "in this way")" "$(backend plain)" "$b"
	is "$(as $b "the call site is patched")" "$(hooked cmdline_proc_show)" 1
	for i in {1..50}; do [ "$(cat /proc/cmdline)" = "$CMDLINE" ] || bad=1; done
	is "$(as $b "the result is the original's")" $bad 0
	is "$(as $b "each call is seen")" "$(calls plain)" 50
	ok "$(as $b "a second user")" on plain
	off plain
	is "$(as $b "leaves it attached for the first")" "$(state plain)" ATTACHED
	off plain
	is "$(as $b "the last user detaches")" "$(state plain)" READY
	is "$(as $b "the call site is the stock kernel's")" "$(hooked cmdline_proc_show)" 0
	cat /proc/cmdline >/dev/null
	is "$(as $b "and nothing is seen")" "$(calls plain)" 50

	is "$(as $b "a function with eight arguments")" "$(cat $T/resource)" 0x4200
	on resource
	is "$(as $b "eight arguments get through")" "$(cat $T/resource)" 0x4200
	is "$(as $b "and were seen")" "$(calls resource)" 1
	off resource
}

# --- leaving while somebody sleeps inside ---------------------------------------------

# sleepers BACKEND FEATURE FILE: FILE's reader sleeps in FEATURE's function.
sleepers()
{
	local b=$1 f=$2 file=$3 pid reader killed

	dmesg -c >/dev/null
	ok "$(as $b "attach to a function that sleeps ($f)")" on $f
	cat $T/$file >/run/woken & reader=$!
	cat $T/$file >/run/killed 2>/dev/null & killed=$!
	retry 5 eval '[ "$(inside '$f')" = 2 ]'
	is "$(as $b "two sleep inside")" "$(inside $f)" 2
	off $f
	is "$(as $b "detaching does not wait for them")" "$(state $f) $(inside $f)" "READY 2"
	on $f
	is "$(as $b "attaching again neither")" "$(state $f) $(inside $f)" "ATTACHED 2"
	modprobe -r xhr_hooktest & pid=$!
	sleep 6.5
	ok "$(as $b "removal waits for them")" kill -0 $pid
	ok "$(as $b "and says so")" log_has "waiting for 2 task(s) that sleep in"
	kill $killed
	wait $killed
	sleep 0.5
	ok "$(as $b "it goes on waiting when one was killed")" kill -0 $pid
	echo 1 >$T/wake
	wait $pid
	is "$(as $b "and ends when the other is awake")" $? 0
	wait $reader
	is "$(as $b "who returned in good order")" "$? $(cat /run/woken)" "0 $([ $f = sleep ] && echo 1 || echo 0)"
	not_ok "$(as $b "the module is gone")" test -d /sys/module/xhr_hooktest
}

# --- ftrace switched off ------------------------------------------------------------------

switched_off()
{
	local b=$1 before

	if [ $KERNEL = 7.3 ]; then
		# From some 7.x on nobody can.
		not_ok "$(as $b "ftrace cannot be switched off")" sysctl -w kernel.ftrace_enabled=0
		return
	fi
	sysctl -qw kernel.ftrace_enabled=0
	not_ok "$(as $b "with ftrace off attaching fails")" on plain
	like "$(as $b "and says why")" "$(said)" "ftrace is switched off"
	is "$(as $b "the hook is busy")" "$(state plain)" BUSY
	sysctl -qw kernel.ftrace_enabled=1
	ok "$(as $b "with ftrace on it is tried again")" on plain
	before=$(calls plain)
	not_ok "$(as $b "then ftrace cannot be switched off")" sysctl -w kernel.ftrace_enabled=0
	cat /proc/cmdline >/dev/null
	is "$(as $b "the hook still fires")" $(($(calls plain) - before)) 1
	off plain
	ok "$(as $b "after detaching it can")" sysctl -qw kernel.ftrace_enabled=0
	sysctl -qw kernel.ftrace_enabled=1
}

# --- others who hold the function ------------------------------------------------------------

# The group is loadavg_proc_show and version_proc_show: the second one is held.
held_group()
{
	local b=$1 who=$2

	not_ok "$(as $b "a function held by $who cannot be hooked")" on group
	is "$(as $b "it is busy")" "$(state group version_proc_show)" BUSY
	like "$(as $b "by whom is shown, as far as known")" "$(holder group version_proc_show)" .
	note "holder: $(holder group version_proc_show)"
	like "$(as $b "the reason is given")" "$(said)" "version_proc_show is held by somebody else"
	is "$(as $b "all or none: the other one is not hooked")" \
		"$(state group loadavg_proc_show) $(hooked loadavg_proc_show)" "READY 0"
}

free_group()
{
	local b=$1 who=$2

	ok "$(as $b "hooked after $who is gone")" on group
	is "$(as $b "both are attached")" "$(state group loadavg_proc_show) $(state group version_proc_show)" "ATTACHED ATTACHED"
	is "$(as $b "the function works")" "$(cat /proc/version)" "$VERSION"
}

# Its module can go when all tasks have left the patched function.
klp_gone()
{
	echo 0 >/sys/kernel/livepatch/xhr_klp/enabled 2>/dev/null
	modprobe -r xhr_klp
}

livepatch()
{
	local b=$1

	ok "$(as $b "a livepatch")" modprobe xhr_klp
	is "$(as $b "is in place")" "$(cat /proc/version)" livepatched
	held_group $b "a livepatch"
	is "$(as $b "the livepatch still works")" "$(cat /proc/version)" livepatched
	ok "$(as $b "the livepatch goes")" retry 20 klp_gone
	free_group $b "a livepatch"
	not_ok "$(as $b "the other way round the livepatch is refused")" modprobe xhr_klp
	is "$(as $b "and nothing is patched")" "$(cat /proc/version)" "$VERSION"
	between "$(as $b "the hook fires")" "$(calls group version_proc_show)" 1 100
	off group
}

ipmodify()
{
	local b=$1

	echo 1 >$T/hold
	held_group $b "an IPMODIFY user"
	echo 0 >$T/hold
	free_group $b "an IPMODIFY user"
	not_ok "$(as $b "the other way round the other is refused")" bash -c "echo 1 >$T/hold"
	off group
}

# An fentry program excludes a direct call and shares with ftrace.
fentry_on()
{
	fentry $PROGS/fentry.bpf.o >/run/fentry 2>&1 & FENTRY=$!
	ok "$(as $1 "a BPF fentry program")" retry 10 grep -q attached /run/fentry
}
# Leaves in SAW how many calls it saw.
fentry_off()
{
	kill $FENTRY
	wait $FENTRY
	SAW=$(tail -1 /run/fentry)
}
fentry_cases()
{
	local b=$1 before rc

	fentry_on $b
	if [ $b = direct ]; then
		held_group $b "a BPF fentry program"
		cat /proc/version >/dev/null
		fentry_off
		is "$(as $b "the program still ran")" "$SAW" 1
		free_group $b "a BPF fentry program"
		timeout 10 fentry $PROGS/fentry.bpf.o >/run/fentry 2>&1
		rc=$?
		# EBUSY, or EINVAL from some 7.x on.
		like "$(as $b "the other way round the program is refused")" $rc "^(16|22)$"
		off group
		return
	fi
	ok "$(as $b "shares the function with a hook")" on group
	is "$(as $b "which then goes by ftrace")" "$(backend group version_proc_show)" ftrace
	before=$(calls group version_proc_show)
	is "$(as $b "the function works")" "$(cat /proc/version)" "$VERSION"
	is "$(as $b "the hook fires")" $(($(calls group version_proc_show) - before)) 1
	off group
	cat /proc/version >/dev/null
	fentry_off
	is "$(as $b "the program saw both calls")" "$SAW" 2
}

# --- functions of a module ----------------------------------------------------------------------

own()
{
	local b=$1 pid

	is "$(as $b "a missing function of a module")" "$(state own_missing)" ABSENT
	if [ $KERNEL = 6.1 ]; then
		is "$(as $b "without BTF of the module a hook is refused")" "$(state own_plain)" REFUSED
		like "$(as $b "and this is said")" "$(reason own_plain)" "no usable BTF in /sys/kernel/btf/"
		not_ok "$(as $b "it cannot be used")" on own_plain
		is "$(as $b "the function is as it was")" "$(cat $T/plain)" 3004
		return
	fi
	is "$(as $b "a function of a module")" "$(state own_plain)" READY
	is "$(as $b "one with a wrong prototype is refused")" "$(state own_proto)" REFUSED
	like "$(as $b "both are shown")" "$(reason own_proto)" "has int \(long int\), expected int \(int, int\)"
	is "$(as $b "one that exists only as .isra is absent")" "$(state own_isra)" ABSENT
	like "$(as $b "and this is said")" "$(reason own_isra)" "xhr_t_isra\.isra\.0"
	on own_plain
	is "$(as $b "the result is the original's")" "$(cat $T/plain)" 3004
	is "$(as $b "the call is seen")" "$(calls own_plain)" 1
	on own_ten
	is "$(as $b "ten arguments get through, both ways")" "$(cat $T/ten) $(calls own_ten)" "340 1"

	ok "$(as $b "the owner can be unloaded")" modprobe -r xhr_target
	is "$(as $b "the hooks wait for it")" "$(state own_plain) $(state own_ten)" "WAITING WAITING"
	like "$(as $b "the user stays")" "$(feature own_plain)" "^unavailable users=1 "
	ok "$(as $b "the owner comes back")" modprobe xhr_target
	is "$(as $b "the hooks are attached again")" "$(state own_plain) $(state own_ten)" "ATTACHED ATTACHED"
	is "$(as $b "and fire")" "$(cat $T/plain) $(cat $T/ten) $(calls own_plain) $(calls own_ten)" "3004 340 2 2"
	off own_ten
	off own_plain

	( echo 1000000000000 >$T/spin ) 2>/run/spin & pid=$!
	ok "$(as $b "attach and detach 30 times under a flood of calls")" bash -c "echo 30 >$H/features/own_plain"
	ok "$(as $b "calls went on all the time")" kill -0 $pid
	kill -9 $pid
	wait $pid 2>/dev/null
	not_ok "$(as $b "no call was wrong")" grep -q "Input/output" /run/spin
	between "$(as $b "many went through the hook")" "$(calls own_plain)" 100 100000000
}

# The owner churns while the hook is wanted, and while it is not.
owner_churn()
{
	local b=$1 i

	[ $KERNEL != 6.1 ] || return
	on own_plain
	for i in {1..10}; do
		modprobe -r xhr_target && modprobe xhr_target && [ "$(cat $T/plain)" = 3004 ] || break
	done
	is "$(as $b "the owner goes and comes ten times")" "$i $(state own_plain)" "10 ATTACHED"
	off own_plain
	modprobe -r xhr_target
	is "$(as $b "a hook that is not wanted waits too")" "$(state own_plain)" WAITING
	not_ok "$(as $b "it cannot be used then")" on own_plain
	modprobe xhr_target
	is "$(as $b "it is ready again")" "$(state own_plain)" READY
}

# A name is looked up in the kernel's symbols and in its BTF; were there two
# functions of that name, the two answers might be about different ones.
unique()
{
	local names twice

	module_load
	names=$(xhroomctl -j status | grep -oE '"symbol": *"[^"]*"' | cut -d'"' -f4 | sort -u)
	module_unload
	between "the module's own hooks have names" "$(wc -w <<<"$names")" 5 100
	# shellcheck disable=SC2086 # a list
	twice=$(awk 'NF == 3 && $2 ~ /[tT]/ { print $3 }' /proc/kallsyms | grep -Fx "$(printf '%s\n' $names)" | sort | uniq -d)
	is "each is one function of this kernel" "$twice" ""
}

unique
refusals
modprobe xhr_target
for b in direct ftrace; do
	ok "$(as $b "load")" load backend=$b
	plain $b
	switched_off $b
	ipmodify $b
	livepatch $b
	fentry_cases $b
	own $b
	owner_churn $b
	ok "$(as $b "unload")" unload

	load backend=$b
	sleepers $b sleep sleep
	if [ $KERNEL != 6.1 ]; then
		load backend=$b
		sleepers $b own_sleep own_sleep
	fi
done

# Direct where it can be, ftrace where somebody else has the direct call.
load backend=auto
plain auto
on group
is "auto: a free function is hooked by a direct call" "$(backend group version_proc_show)" direct
off group
livepatch auto
fentry_cases auto
unload

load
ok "unload while attached" bash -c "echo 1 >$H/features/plain && modprobe -r xhr_hooktest"
is "nothing is hooked in the end" "$(wc -l <$ENABLED)" 0
ok "the targets can be unloaded" modprobe -r xhr_target
done_testing
