#!/bin/bash
# vm: where=host kernels="6.12"
# Whether the runner notices what it has to notice: it is fed the traces of
# suites that ended badly, and of one that did not. Needs no kernel, so it runs
# once.

. "$(dirname "$0")/../lib/lab.sh"
set +e
. "$VM/guest/tap.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
base=$dir/x
: >"$base.qemu"

# given TAP KLOG: what the machine left behind; verdict QEMU_RC: failures that
# the runner sees in it, by name.
given() { printf "$1" >"$base.tap"; printf "$2" >"$base.klog"; }
verdict() { judge "$1" "$base" | sed -n 's/^not ok [0-9]* - //p' | tr '\n' ';'; }

good='ok 1 - a\nok 2 - b\n1..2\n# end of suite: 0\n'
quiet='[    1.000000] veth0: entered promiscuous mode\n'

given "$good" "${quiet}[    2.0] kmemleak: Kernel memory leak detector initialized (mem pool available: 31000)\n"
is "a clean run passes" "$(verdict 0)" ""
is "its tests are counted, and the kernel log is one" "$(judge 0 "$base" | grep -c '^ok')" 3
given 'ok 1 - a\nnot ok 2 - b\n1..2\n# end of suite: 1\n' "$quiet"
is "a failed test fails" "$(verdict 0)" "b;"
given 'ok 1 - a\n' "$quiet"
is "a hang is a failure" "$(verdict 124)" "the suite ends in time;"
is "and so is a machine that went down" "$(verdict 0)" "the suite runs to its end;"
given 'ok 1 - a\n# end of suite: 0\n' "$quiet"
is "a suite without a plan fails" "$(verdict 0)" "the suite states how many tests it ran;"
given '1..0\n# end of suite: 0\n' "$quiet"
is "a suite without tests fails" "$(verdict 0)" "the suite states how many tests it ran;"
given 'ok 1 - a\n1..2\n# end of suite: 0\n' "$quiet"
is "a test that did not run is missed" "$(verdict 0)" "all planned tests ran;"

while read -r line; do
	given "$good" "[    2.000000] $line\n"
	is "noticed in the kernel log: $line" "$(verdict 0)" "the kernel log is clean;"
done <<'LOG'
WARNING: CPU: 0 PID: 1 at net/core/dev.c:1 f+0x1/0x2
BUG: kernel NULL pointer dereference, address: 0000000000000010
Oops: 0000 [#1] PREEMPT SMP
general protection fault, probably for non-canonical address
Call Trace:
rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
rcu: INFO: rcu_sched self-detected stall on CPU
INFO: task ip:123 blocked for more than 120 seconds.
WARNING: possible recursive locking detected
WARNING: suspicious RCU usage
unregister_netdevice: waiting for veth0 to become free. Usage count = 2
refcount_t: underflow; use-after-free.
kmemleak: 1 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
kmemleak: Kernel memory leak detector disabled
kmemleak: Memory pool empty, consider increasing CONFIG_DEBUG_KMEMLEAK_MEM_POOL_SIZE
BUG: KASAN: slab-use-after-free in f+0x1/0x2
BUG: Bad page state in process ip  pfn:12345
pagealloc: memory corruption
ODEBUG: free active (active state 0) object: 1 object type: timer_list
INFO: lockdep is turned off.
INFO: trying to register non-static key.
Kernel panic - not syncing: Fatal exception
BUG: sleeping function called from invalid context at mm/slab.h:1
list_del corruption. prev->next should be 1, but was 2
LOG

given "${good}# expect-log: loading out-of-tree module\n" '[    2.0] WARNING: loading out-of-tree module taints\n'
is "what a suite announces is exempt" "$(verdict 0)" ""
given "${good}# expect-log: loading out-of-tree module\n" '[    2.0] WARNING: another\n'
is "and nothing else" "$(verdict 0)" "the kernel log is clean;"
echo "1..$T_COUNT"
