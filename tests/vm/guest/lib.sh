# shellcheck shell=bash
# What suites share inside the virtual machine: TAP, the module, a topology of
# namespaces, counting of kernel function calls. A suite starts with
# ". /lab/lib.sh" and ends with "done_testing".

. /lab/tap.sh

# shellcheck disable=SC2034 # for the suites
PROGS=/lab/progs
TRACING=/sys/kernel/tracing

done_testing()
{
	leak_check
	echo "1..$T_COUNT"
	[ $T_FAILED = 0 ]
	exit
}

# --- module and tool -----------------------------------------------------------

# shellcheck disable=SC2034 # for the suites
KERNEL=$(uname -r | grep -oE '^[0-9]+\.[0-9]+')
# Not empty on the debugging kernel, where memory is another and time as well.
# shellcheck disable=SC2034
DEBUG=$(uname -r | grep -o debug)
module_load() { modprobe xdp_skbext "$@"; }
module_unload() { modprobe -r xdp_skbext; }
module_loaded() { [ -d /sys/module/xdp_skbext ]; }

# retry SECONDS COMMAND...: until it succeeds, for things that settle.
retry()
{
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

# --- topology --------------------------------------------------------------------
#
#   this namespace                            namespace "peer"
#   veth0 10.0.0.1/24, fd00::1/64  <------>  veth1 10.0.0.2/24, fd00::2/64
#
# Neighbours are static and there is no duplicate address detection, so not one
# packet flows that a suite does not send.

pair_up()
{
	local near=${1:-veth0} far=${2:-veth1} ns=${3:-peer} net=${4:-0}
	modprobe veth
	ip netns add "$ns" 2>/dev/null
	ip netns exec "$ns" sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0 \
		net.ipv6.conf.default.router_solicitations=0 net.ipv6.conf.all.router_solicitations=0
	sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0 \
		net.ipv6.conf.default.router_solicitations=0 net.ipv6.conf.all.router_solicitations=0
	ip link add "$near" address 02:00:00:00:0$net:01 type veth peer name "$far" address 02:00:00:00:0$net:02 netns "$ns" || return
	ip addr add 10.0.$net.1/24 dev "$near"
	ip -6 addr add fd00:0:0:$net::1/64 dev "$near" nodad
	ip link set "$near" up
	ip -n "$ns" addr add 10.0.$net.2/24 dev "$far"
	ip -n "$ns" -6 addr add fd00:0:0:$net::2/64 dev "$far" nodad
	ip -n "$ns" link set "$far" up
	ip -n "$ns" link set lo up
	ip neigh replace 10.0.$net.2 lladdr 02:00:00:00:0$net:02 dev "$near" nud permanent
	ip -6 neigh replace fd00:0:0:$net::2 lladdr 02:00:00:00:0$net:02 dev "$near" nud permanent
	ip -n "$ns" neigh replace 10.0.$net.1 lladdr 02:00:00:00:0$net:01 dev "$far" nud permanent
	ip -n "$ns" -6 neigh replace fd00:0:0:$net::1 lladdr 02:00:00:00:0$net:01 dev "$far" nud permanent
}

pair_down()
{
	ip link del "${1:-veth0}"
	ip netns del "${3:-peer}"
}

# push_on DEV / push_off DEV: TC egress program that pushes 20 bytes.
push_on()
{
	tc qdisc add dev "$1" clsact 2>/dev/null
	tc filter add dev "$1" egress prio 1 bpf direct-action object-file $PROGS/push20.bpf.o section tc
}
push_off() { tc filter del dev "$1" egress prio 1; }

# drop_on NETNS DEV: whatever arrives is dropped at TC ingress, before the
# stack could answer it.
drop_on()
{
	ip netns exec "$1" tc qdisc add dev "$2" clsact 2>/dev/null
	ip netns exec "$1" tc filter add dev "$2" ingress prio 1 matchall action drop
}

# --- counting --------------------------------------------------------------------

# count_calls FUNCTION COMMAND...: runs COMMAND (its output goes to standard
# error) and prints how often FUNCTION was called meanwhile, on all CPUs.
count_calls()
{
	local func=$1 ev
	shift
	ev=c_${func//[^a-zA-Z0-9_]/_}
	echo "p:lab/$ev $func" >>$TRACING/kprobe_events || return
	echo 1 >$TRACING/events/lab/$ev/enable
	"$@" >&2
	echo 0 >$TRACING/events/lab/$ev/enable
	awk -v e="$ev" '$1 == e { print $2 + $3 }' $TRACING/kprobe_profile
	echo "-:lab/$ev" >>$TRACING/kprobe_events
}

# --- kernel log and leaks ------------------------------------------------------------

# expect_log TEXT: a line of the kernel log that holds TEXT (a fixed string)
# is expected here and does not fail the suite.
expect_log() { echo "# expect-log: $1"; }

# log_has TEXT: whether the kernel log holds TEXT.
log_has() { dmesg | grep -qF -- "$1"; }

sockets_in_use() { awk '/^sockets:/ { print $3 }' /proc/net/sockstat; }
udp_mem() { awk '/^UDP:/ { print $5 }' /proc/net/sockstat; }
LEAK_SOCKETS=$(sockets_in_use)
KMEMLEAK=/sys/kernel/debug/kmemleak

# At the end of a suite nothing may be left: no socket, no socket memory, no
# reference on the module.
leak_check()
{
	local n
	# A namespace dies asynchronously.
	retry 5 eval '[ "$(sockets_in_use)" -le "$LEAK_SOCKETS" ]'
	between "no socket is left behind" "$(sockets_in_use)" 0 "$LEAK_SOCKETS"
	if module_loaded; then
		retry 5 module_unload
		if module_loaded; then
			n=$(cat /sys/module/xdp_skbext/refcnt)
			fail "the module can be removed at the end"
			note "reference count $n"
		else
			pass "the module can be removed at the end"
		fi
	fi
	[ ! -e $KMEMLEAK ] || is "no memory is lost" "$(memory_lost)" ""
}

# memory_lost: what the debugging kernel knows to be unreachable: where each piece
# was allocated.
memory_lost()
{
	# It looks at nothing younger than five seconds, and what it suspects first
	# may be on its way into a list.
	sleep 6
	echo scan >$KMEMLEAK || echo "cannot look for it"
	sleep 1
	echo scan >$KMEMLEAK
	head -n 100 $KMEMLEAK
}
