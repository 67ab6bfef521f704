#!/bin/bash
# vm: timeout=900
# Everything comes and goes under traffic of several threads: values, the module,
# devices, namespaces, names. Not a packet is lost that stock would not lose, none
# gets a headroom that was never set, nobody waits forever, nothing is left.
#
# With an argument, as "make soak" does: all of it at once, that many times, instead
# of each by itself.
. /lab/lib.sh
. /lab/tx.sh

LOOPS=6
VALUES=(0 64 256 512)
# Devices that are not removed.
STAY='veth0 veth2'
SITES='udp4 udp6 udp4-4000 udp6-4000 udp4-gso udp4-more udp4-zerocopy raw4-header raw6 ping4
	packet-raw packet-dgram ring2 spkt'

pair_up
pair_up veth2 veth3 peer 1
drop_on peer veth1
drop_on peer veth3
# Room for what four threads can send while a softirq waits for its turn.
sysctl -qw net.core.netdev_max_backlog=1000000
tx_setup
headroom egress veth0 veth2
module_load
echo 1 >/proc/sys/kernel/printk

pick() { echo "${VALUES[RANDOM % ${#VALUES[@]}]}"; }

traffic()
{
	# shellcheck disable=SC2086 # a list
	txsend -k -n 10 -t 100000 "$@" $SITES >"$TX_TMP/traffic" 2>&1 &
	TRAFFIC=$!
}
traffic_end() { kill $TRAFFIC 2>/dev/null; wait $TRAFFIC; }

# ended WHAT STATUS: a kind of churn is over.
ended()
{
	is "$1 $LOOPS times" "$2" 0
	note "took $((SECONDS - BEGUN)) seconds"
	BEGUN=$SECONDS
}

dropped() { for dev in $STAY; do cat /sys/class/net/$dev/statistics/tx_dropped; done | awk '{ n += $1 } END { print n }'; }

# exact LABEL: what the traffic sent is what was seen, with headrooms that were set
# at some time; nothing failed and nothing was dropped.
exact()
{
	local label=$1 allowed='' x
	for x in "${VALUES[@]}"; do allowed+=" $(($(ll 14 0 "$x") - 14)) $(($(ll 14 0 "$x") - 6))"; done
	headroom show >"$TX_TMP/seen"
	is "$label: no send failed" "$(grep -E '^(errors|fail|skip)' "$TX_TMP/traffic")" ""
	is "$label: every packet was seen" "$(awk '
		FNR == NR { seen[$1 " " $3] += $5; next }
		$1 == "sent" { n += $8; if (seen[$6 " " $3] != $8) print $2, $6, $8, seen[$6 " " $3] + 0 }
		END { if (!n) print "nothing was sent" }' "$TX_TMP/seen" "$TX_TMP/traffic")" ""
	is "$label: no headroom that was never set" "$(awk -v a="$allowed" '
		BEGIN { n = split(a, v, " "); for (i = 1; i <= n; i++) ok[v[i]] }
		$3 && $3 < 200 && $9 && !($4 in ok) { print $1, $3, $4, $5 }' "$TX_TMP/seen")" ""
	is "$label: needed_headroom never changed" "$(awk '$6' "$TX_TMP/seen")" ""
	is "$label: nothing was dropped" "$(dropped)" "$DROPPED"
	note "$(awk '$1 == "sent" { n += $8 } END { print n }' "$TX_TMP/traffic") packets"
}
DROPPED=$(dropped)

# make_veth0 [LINE]...: lines for "ip -batch" that come first
make_veth0()
{
	{
		[ $# = 0 ] || printf '%s\n' "$@"
		cat <<-END
			link add veth0 index 50 address 02:00:00:00:00:01 type veth peer name veth1 address 02:00:00:00:00:02 netns peer
			addr add 10.0.0.1/24 dev veth0
			addr add fd00::1/64 dev veth0 nodad
			link set veth0 up
			neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev veth0 nud permanent
			neigh replace fd00::2 lladdr 02:00:00:00:00:02 dev veth0 nud permanent
		END
	} | ip -batch - || return
	ip -n peer link set veth1 up || return
	nsenter --net=/run/netns/peer tc -batch - <<-END
		qdisc add dev veth1 clsact
		filter add dev veth1 ingress prio 1 matchall action drop
	END
}

# The traffic as such, in stock.
headroom reset
traffic -j 4 -T veth0=0 -T veth2=1
sleep 2
traffic_end
exact "unconfigured"
BEGUN=$SECONDS

# --- all of it at once ------------------------------------------------------------------

# One round of a host's life. Commands are many in one process, where they can be:
# most of the time should be the module's.
round()
{
	modprobe xdp_skbext || return 1
	xhroomctl set veth2 "$(pick)" || return 2
	xhroomctl set veth0 "$(pick)" || return 2
	ip -batch - <<-END || return 3
		netns add dying
		link add inner0 netns dying type veth peer name inner1 netns dying
	END
	ip -n dying -batch - <<-END || return 3
		addr add 10.0.3.1/24 dev inner0
		link set inner0 up
		link set inner1 up
		neigh replace 10.0.3.2 lladdr 02:00:00:00:03:02 dev inner0 nud permanent
	END
	xhroomctl -n dying set inner0 512 || return 2
	nsenter --net=/run/netns/dying txsend -k -n 100000 -w 20000 -T inner0=3 udp4 packet-raw >/dev/null 2>&1 &
	INNER=$!
	xhroomctl set veth0 256 || return 2
	xhroomctl clear veth2 || return 2
	make_veth0 'netns del dying' 'link del veth0' || return 3
	xhroomctl set veth0 "$(pick)" || return 2
	modprobe -r xdp_skbext || return 4
	kill -KILL $INNER
	wait $INNER 2>/dev/null
	return 0
}

# kernel_memory: in kB, what the kernel does not give back under pressure.
kernel_memory() { awk '/^(SUnreclaim|Percpu|KernelStack|PageTables):/ { n += $2 } END { print n }' /proc/meminfo; }

if [ $# -gt 0 ]; then
	LOOPS=$1 STAY=veth2 DROPPED=0
	module_unload
	headroom reset
	traffic -j 2 -w 20000 -T veth2=1
	txsend -k -n 10 -t 1000000 -j 2 -w 20000 -T veth0=0 -m 200 $SITES >/dev/null 2>&1 &
	OTHER=$!
	bad=0
	for ((i = 1; i <= LOOPS && !bad; i++)); do
		round || bad=$?
		[ $i != 10 ] || MEMORY=$(kernel_memory)
		[ $((i % 100)) != 0 ] || note "$i rounds, $((SECONDS - BEGUN)) seconds, $(kernel_memory) kB"
	done
	traffic_end
	kill $OTHER
	wait $OTHER
	ended "all of it at once" $bad
	exact "all of it"
	ok "no memory is lost: $MEMORY kB behind the tenth round, $(kernel_memory) now" \
		retry 20 eval "[ \$(kernel_memory) -le $((MEMORY + 2048)) ]"
	module_load
	done_testing
	exit
fi

# --- values ------------------------------------------------------------------------

headroom reset
traffic -j 4 -T veth0=0 -T veth2=1
bad=0
for ((i = 0; i < LOOPS; i++)); do
	xhroomctl set veth0 "$(pick)" || bad=1
	xhroomctl set veth2 "$(pick)" || bad=1
	xhroomctl clear veth0 || bad=1
	xhroomctl clear veth2 || bad=1
done
traffic_end
ended "values set and cleared" $bad
exact "values"

# --- the module ----------------------------------------------------------------------

headroom reset
traffic -j 4 -T veth0=0 -T veth2=1
bad=0 slowest=0
for ((i = 0; i < LOOPS; i++)); do
	xhroomctl set veth0 "$(pick)" || bad=1
	xhroomctl set veth2 256 || bad=1
	from=$SECONDS
	module_unload || bad=2
	[ $((SECONDS - from)) -le $slowest ] || slowest=$((SECONDS - from))
	module_load || bad=3
done
traffic_end
ended "module removed and loaded" $bad
between "no removal took long (seconds)" $slowest 0 30
exact "module"

# --- devices ----------------------------------------------------------------------------

# Other packets of this device have gone elsewhere by now: only that it ends well.
headroom reset
ip link del veth0
make_veth0
traffic -j 4 -T veth0=0 -T veth2=1
bad=0
for ((i = 0; i < LOOPS; i++)); do
	xhroomctl set veth0 "$(pick)" || bad=1
	xhroomctl set veth2 256 || bad=1
	ip link del veth0 || bad=2
	# It is gone with its value.
	! xhroomctl show | grep -q veth0 || bad=3
	make_veth0 || bad=4
done
traffic_end
ended "a device removed and made anew" $bad
is "it has no value" "$(xhroomctl show | grep -c veth0)" 0
xhroomctl clear veth2
headroom egress veth0
DROPPED=$(dropped)

# --- names and namespaces -------------------------------------------------------------------

ip netns add away
traffic -j 4 -T veth0=0 -T veth2=1
bad=0
xhroomctl set veth0 256
for ((i = 0; i < LOOPS; i++)); do
	ip link set veth0 down
	ip link set veth0 name renamed || bad=1
	xhroomctl show | grep -q renamed || bad=2
	ip link set renamed netns away || bad=3
	xhroomctl -n away show | grep -q renamed || bad=4
	xhroomctl -n away set renamed "$(pick)" || bad=5
	xhroomctl -n away set renamed 256 || bad=5
	ip -n away link set renamed name veth0 || bad=6
	ip -n away link set veth0 netns 1 || bad=7
	ip addr add 10.0.0.1/24 dev veth0
	ip -6 addr add fd00::1/64 dev veth0 nodad
	ip link set veth0 up
	ip neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev veth0 nud permanent
	ip -6 neigh replace fd00::2 lladdr 02:00:00:00:00:02 dev veth0 nud permanent
done
traffic_end
ended "a device renamed and moved" $bad
headroom egress veth0
headroom reset
txsend -T veth0=0 udp4 >/dev/null
is "it still has its value" "$(headrooms veth0 egress any)" "$(($(ll 14 0 256) - 14))"
xhroomctl clear veth0
ip netns del away

# A namespace dies with its devices, and with packets that wait in their queues.
bad=0
for ((i = 0; i < LOOPS; i++)); do
	ip netns add dying
	pair_up inner0 inner1 dying 3
	ip link set inner0 netns dying
	ip -n dying addr add 10.0.3.1/24 dev inner0
	ip -n dying link set inner0 up
	ip -n dying neigh replace 10.0.3.2 lladdr 02:00:00:00:03:02 dev inner0 nud permanent
	xhroomctl -n dying set inner0 512 || bad=1
	xhroomctl -n dying set inner1 256 || bad=1
	ip -n dying route add 10.0.3.2/32 dev inner0
	tc -n dying qdisc add dev inner0 root plug limit 100000000
	# Blocked, or stopped by a signal, by the time the namespace goes.
	nsenter --net=/run/netns/dying txsend -k -j 4 -n 100000 -T inner0=3 udp4 packet-raw >/dev/null 2>&1 &
	sleep 0.3
	ip netns del dying
	kill -KILL $!
	wait $! 2>/dev/null
done
ended "a namespace died" $bad
status_users() { xhroomctl status | awk '$1 == "tx-headroom" { print $2, $3 }' | head -1; }
ok "in the end no device uses the hooks" retry 20 eval '[ "$(status_users)" = "available 0" ]'
note "$(xhroomctl status | head -3)"

# --- removal with senders that wait ------------------------------------------------------------

asleep() { [ "$(xhroomctl status | awk '$4 == "attached" { n += $6 } END { print n + 0 }')" -ge "$1" ]; }

# blocked SITE [DEV NET]: four threads fill their buffers and sleep; the module
# goes, they go on without it and lose nothing. veth0 has a value; senders to
# another DEV sleep in the module, too.
blocked()
{
	local site=$1 dev=${2:-veth0} net=${3:-0} from
	xhroomctl set veth0 256
	headroom reset
	tc qdisc add dev "$dev" root plug limit 100000000
	txsend -j 4 -b 20000 -n 200 -T "$dev=$net" "$site" >"$TX_TMP/blocked" 2>&1 &
	TRAFFIC=$!
	site="$site to $dev"
	ok "$site: four threads sleep in the module" retry 20 asleep 4
	from=$SECONDS
	ok "$site: the module can be removed all the same" timeout 60 modprobe -r xdp_skbext
	between "$site: in good time (seconds)" $((SECONDS - from)) 0 20
	ok "$site: they go on to wait" kill -0 $TRAFFIC
	module_load
	tc qdisc del dev "$dev" root
	ok "$site: they end" retry 60 eval "! kill -0 $TRAFFIC 2>/dev/null"
	wait $TRAFFIC
	is "$site: without an error" "$?" 0
	is "$site: nothing failed" "$(grep -vE '^sent' "$TX_TMP/blocked")" ""
	# The plug lets go of what it holds by dropping it.
	is "$site: each was sent once" "$(seen "$dev" egress any | awk '{ n += $2 } END { print n }')" 800
}
for site in udp4 udp6 udp4-gso udp4-more raw4-header raw6-header ping4 packet-raw packet-dgram; do
	blocked $site
done
headroom egress veth2
for site in udp4 udp6 udp6-more raw4-header packet-raw; do
	blocked $site veth2 1
done

# io_uring waits outside, whoever sends for it.
for site in udp4-uring udp4-uring-worker udp4-uring-thread; do
	xhroomctl set veth0 256
	headroom reset
	tc qdisc add dev veth0 root plug limit 100000000
	txsend -j 4 -b 20000 -n 100 -T veth0=0 $site >"$TX_TMP/blocked" 2>&1 &
	TRAFFIC=$!
	retry 10 eval '[ "$(seen veth0 egress any | awk "{ print \$2 }")" -ge 80 ]'
	from=$SECONDS
	ok "$site: the module can be removed while it waits" timeout 60 modprobe -r xdp_skbext
	between "$site: in good time (seconds)" $((SECONDS - from)) 0 20
	module_load
	tc qdisc del dev veth0 root
	wait $TRAFFIC
	is "$site: without an error" "$(grep -vE '^sent' "$TX_TMP/blocked")" ""
	is "$site: each was sent once" "$(seen veth0 egress any | awk '{ n += $2 } END { print n }')" 400
done

# Nobody can interrupt a kernel thread: it is waited for, which is said.
xhroomctl set veth0 256
headroom reset
tc qdisc add dev veth0 root plug limit 100000000
modprobe xhr_nested block=2000 addr=10.0.0.2
ok "a kernel thread sleeps in the module" retry 20 asleep 1
modprobe -r xdp_skbext &
REMOVAL=$!
ok "removal waits for it and says so" retry 30 log_has 'that sleep in __ip_append_data'
ok "it waits still" kill -0 $REMOVAL
tc qdisc del dev veth0 root
ok "when the thread is done, removal is" retry 30 eval "! kill -0 $REMOVAL 2>/dev/null"
wait $REMOVAL
is "successfully" $? 0
modprobe -r xhr_nested
is "and the thread has sent everything" "$(seen veth0 egress any | awk '{ n += $2 } END { print n }')" 2000

# --- nothing is left -----------------------------------------------------------------------------

module_load
xhroomctl set veth0 256
ok "all socket memory comes back, at every site" txsend -j 2 -n 5 -T veth0=0 -T veth2=1 'udp*' 'ping*' 'raw*' 'packet*' 'ring*' 'spkt*'
done_testing
