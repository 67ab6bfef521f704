# shellcheck shell=bash
# Reads what suites print, looks through the kernel log, and counts. Whatever
# is not a clean end counts as a failure: no plan, a wrong plan, a hang, a
# panic, a warning in the kernel log.

# The first lines of a suite may hold "# vm: name=value ...".
suite_options() { sed -n 's/^# vm: *//p' "$VM/suites/$1.sh" | tr '\n' ' '; }
suite_option() { ( eval "$(suite_options "$1" | tr ' ' '\n' | grep "^$2=" || :)"; echo "${!2}" ); }
suite_wants_kernel()
{
	local opts kernels='' where=''
	eval "opts=($(suite_options "$1"))"
	for o in "${opts[@]}"; do case $o in kernels=* | where=*) local "$o" ;; esac; done
	# What is tested on the host knows packages.
	! is_debug "$2" || [ "$where" != host ] || return 1
	[ -z "$kernels" ] || [[ " $kernels " == *" $2 "* ]]
}

KLOG_BAD='WARNING:|BUG:|Oops|Call Trace|general protection|rcu.*(stall|self-detected)|INFO: task .* blocked|possible recursive locking|possible circular locking|inconsistent lock state|suspicious RCU|unregister_netdevice: waiting|Kernel panic|leaked|refcount_t:|kmemleak: ([0-9]+ new|Cannot|Memory pool empty|.*(disabled|unknown object))|pagealloc:|ODEBUG|lockdep is turned off|INFO: trying to register|UBSAN|KASAN|list_(add|del) corruption|slab .*corrupt|Objects remaining|DEBUG_LOCKS_WARN|scheduling while atomic|sleeping function called|divide error|segfault'

# judge QEMU_RC BASE: BASE.tap and BASE.klog to one TAP stream.
judge()
{
	local rc=$1 base=$2 bad n plan expect
	tr -d '\r' <"$base.tap" | grep -v '^# \(end of suite\|expect-log\):' | grep -v '^1\.\.' || :
	n=$(grep -cE '^(not )?ok [0-9]+' "$base.tap" || :)
	plan=$(tr -d '\r' <"$base.tap" | sed -n 's/^1\.\.\([0-9]*\).*/\1/p' | tail -1)
	if [ "$rc" = 124 ] || [ "$rc" = 137 ]; then
		echo "not ok 9001 - the suite ends in time"
	elif ! grep -q '^# end of suite:' "$base.tap"; then
		echo "not ok 9002 - the suite runs to its end"
		tail -15 "$base.klog" | tr -d '\r' | sed 's/^/#   /'
		sed 's/^/#   /' "$base.qemu" 2>/dev/null | head -5
	elif [ -z "$plan" ] || [ "$plan" = 0 ]; then
		echo "not ok 9003 - the suite states how many tests it ran"
	elif [ "$plan" != "$n" ]; then
		echo "not ok 9004 - all planned tests ran"
		echo "# planned $plan, seen $n"
	fi
	expect=$(tr -d '\r' <"$base.tap" | sed -n 's/^# expect-log: //p')
	bad=$(tr -d '\r' <"$base.klog" | grep -aE "$KLOG_BAD" | { [ -z "$expect" ] && cat || grep -vF -- "$expect"; } | sort -u || :)
	if [ -n "$bad" ]; then
		echo "not ok 9005 - the kernel log is clean"
		echo "$bad" | head -10 | sed 's/^/# /'
		grep -aE -A25 -m1 "$KLOG_BAD" "$base.klog" | tr -d '\r' | sed 's/^/#   /' | head -40
	elif [ -s "$base.klog" ]; then
		echo "ok 9006 - the kernel log is clean"
	fi
}

# report LINE SUITE RESULT SECONDS: one line if all is well, else the failures
# with what followed them.
report()
{
	local p f s
	p=$(grep -E '^ok ' "$3" | grep -vc '# SKIP' || :)
	s=$(grep -cE '^ok .*# SKIP' "$3" || :)
	f=$(grep -cE '^not ok ' "$3" || :)
	{
		flock 8
		if [ -n "$VERBOSE" ]; then
			sed "s/^/$1 $2: /" "$3"
		else
			awk -v h="$1 $2: " '/^not ok / { show = 1 } /^ok / { show = 0 } show { print h $0 }' "$3"
		fi
		printf '%s %-5s %-20s %4d passed, %d failed%s (%d s)\n' "$([ "$f" = 0 ] && echo ok || echo 'not ok')" \
			"$1" "$2" "$p" "$f" "$([ "$s" = 0 ] || echo ", $s skipped")" "$4"
	} 8>"$RUN/report.lock"
}

# fail_build LINE: what was to run there did not even build.
fail_build()
{
	echo "not ok 1 - the tree builds for $1" >"$RUN/$1.build.res"
	tail -n 25 "$RUN/build-user.log" "$RUN/build-$1.log" 2>/dev/null | sed 's/^/# /' >>"$RUN/$1.build.res"
	report "$1" build "$RUN/$1.build.res" 0
}

totals()
{
	local p f
	# What the last run said stays at hand: klog, tap and res files.
	mkdir -p "$BUILD/logs"
	cp "$RUN"/*.{klog,tap,res,log} "$BUILD/logs/" 2>/dev/null || :
	p=$(cat "$RUN"/*.res | grep -E '^ok ' | grep -vc '# SKIP' || :)
	f=$(cat "$RUN"/*.res | grep -cE '^not ok ' || :)
	echo "$p passed, $f failed"
	[ "$f" = 0 ]
}
