#!/bin/bash
# vm: timeout=300 smp=2
# A hook that comes and goes while its function is called all the time on both
# processors. "make soak" does it 1,000 times.
. /lab/lib.sh
. /lab/engine.sh

churn()
{
	local b=$1 n=$2 i pids="" before

	before=$(calls plain)
	for i in 1 2; do
		while [ ! -e /run/stop ]; do
			[ "$(</proc/cmdline)" = "$CMDLINE" ] || echo bad >>/run/bad
		done &
		pids+=" $!"
	done
	rm -f /run/bad
	SECONDS=0
	ok "$(as $b "attach and detach $n times under calls")" bash -c "echo $n >$H/features/plain"
	note "took $SECONDS seconds"
	touch /run/stop
	# shellcheck disable=SC2086 # a list
	wait $pids
	rm -f /run/stop
	if [ -e /run/bad ]; then fail "$(as $b "every call gave its result")"
	else pass "$(as $b "every call gave its result")"; fi
	is "$(as $b "detached in the end")" "$(state plain) $(hooked cmdline_proc_show)" "READY 0"
	between "$(as $b "the hook fired meanwhile")" $(($(calls plain) - before)) 1 100000000
}

load backend=direct
churn direct "${1:-60}"
unload
load backend=ftrace
churn ftrace "${1:-20}"
unload
is "nothing is hooked in the end" "$(wc -l <$ENABLED)" 0
done_testing
