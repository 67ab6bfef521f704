#!/bin/bash
# vm: timeout=600
# Headroom that is learned: from whatever pushes headers at a device's egress, the
# smallest value that is enough, within 100 packets; up and down again, within its
# bound, and from nothing else. That a value is the smallest is shown by setting it,
# and the next smaller one.
. /lab/lib.sh
. /lab/tx.sh

N=100

pair_up
drop_on peer veth1
tx_setup
tc qdisc add dev veth0 clsact
module_load

# program [SECTION]: what pushes at veth0's egress; nothing without SECTION.
program()
{
	tc filter del dev veth0 egress prio 1 2>/dev/null
	case ${1:-} in
	'') ;;
	push20) push_on veth0 ;;
	*) tc filter add dev veth0 egress prio 1 bpf direct-action object-file $PROGS/push.bpf.o section "tc/$1" ;;
	esac
}
# shown DEV KEY: of the JSON output.
shown() { xhroomctl -j show "$1" | sed -n "s/.*\"$2\":\"\\{0,1\\}\\([^,}\"]*\\).*/\\1/p"; }
learned() { shown "${1:-veth0}" tx_extra_headroom; }
# regrown DEV=NET SITE: reallocations for want of headroom, of N packets.
copies_watch
regrown() { count_copies txsend -n $N -T "$1" "$2" 2>/dev/null | grep -o 'pskb_expand_head=[0-9]*' | grep -o '[0-9]*$' || echo 0; }

# exact LABEL DEV NET SITE [WANT]: learns, and looks whether it was right.
exact()
{
	local label=$1 dev=$2 to=$2=$3 site=$4 want=${5:-} value
	xhroomctl clear "$dev"
	xhroomctl set "$dev" auto tx-head slab
	txsend -n $N -T "$to" "$site" >/dev/null
	value=$(learned "$dev")
	[ -z "$want" ] || is "$label: learned from $N packets" "$value" "$want"
	# At most one probe a second.
	between "$label: with it packets have room" "$(regrown "$to" "$site")" 0 3
	is "$label: it stays" "$(learned "$dev")" "$value"
	xhroomctl set "$dev" "$value"
	is "$label: $value is enough" "$(regrown "$to" "$site")" 0
	[ "$value" != 0 ] || return
	xhroomctl set "$dev" $((value - 16))
	is "$label: $((value - 16)) is not" "$(($(regrown "$to" "$site") >= N))" 1
}

# --- exactness ---------------------------------------------------------------------

for site in udp4 udp6 udp4-cork raw4 raw4-header raw6-header packet-raw packet-dgram ring2; do
	program push20
	want=32
	# IPv6 reserves 8 bytes more, for a fragment header.
	[ $site != udp6 ] || want=16
	exact "20 bytes, $site" veth0 0 $site $want
done
for site in udp4 udp6 packet-raw; do
	more=0
	[ $site != udp6 ] || more=16
	program vxlan
	exact "VXLAN by a program, $site" veth0 0 $site 48
	program gre
	exact "GRE by a program, $site" veth0 0 $site 32
	program head
	exact "Ethernet by a program, $site" veth0 0 $site
	program twice
	exact "two pushes, $site" veth0 0 $site $((128 - more))
	program most
	exact "200 bytes, $site" veth0 0 $site $((208 - more))
done
program
exact "nothing pushed" veth0 0 udp4 0


# --- tunnels of the kernel, on a device that is configured -----------------------------

ip link add vx0 type vxlan id 7 local 10.0.0.1 remote 10.0.0.2 dev veth0 dstport 4789
ip link add gt0 type gretap local 10.0.0.1 remote 10.0.0.2 key 1
ip link add ip0 type ipip local 10.0.0.1 remote 10.0.0.2
ip link add vlan0 link veth0 type vlan id 5
net=5
for dev in vx0 gt0 ip0 vlan0; do
	net=$((net + 1))
	ip addr add 10.0.$net.1/24 dev $dev
	ip link set $dev up
	[ $dev = ip0 ] || ip neigh replace 10.0.$net.2 lladdr 02:00:00:00:07:02 dev $dev nud permanent
	exact "$dev" $dev $net udp4
	xhroomctl clear $dev
done
tc qdisc add dev vx0 clsact
push_on vx0
exact "vx0, 20 bytes pushed before" vx0 6 udp4
xhroomctl clear vx0

# --- why, and since when ---------------------------------------------------------------

xhroomctl clear veth0
xhroomctl set veth0 auto max 256
is "nothing lacked so far" "$(shown veth0 tx_auto_reason)" nothing
program push20
txsend -n $N -T veth0=0 udp4 >/dev/null
is "learned" "$(learned)" 32
is "its bound" "$(shown veth0 tx_auto_max)" 256
is "its reason" "$(shown veth0 tx_auto_reason)" lacked
is "who wanted it" "$(shown veth0 tx_auto_function)" bpf_skb_adjust_room
between "since when" "$(shown veth0 tx_auto_changed)" 0 20
like "for people" "$(xhroomctl show veth0 | tr '\n' ' ' | tr -s ' ')" \
	'^veth0 tx-headroom 32 bytes \(auto max 256\) auto: packets lacked headroom in bpf_skb_adjust_room\(\), for [0-9]+ s $'
ok "the same again" xhroomctl set veth0 auto max 256
is "changes nothing" "$(learned)" 32
ok "nor does another setting" xhroomctl set veth0 tx-head slab
is "so" "$(learned) $(shown veth0 tx_head)" "32 slab"
xhroomctl set veth0 tx-head auto
ok "another bound" xhroomctl set veth0 auto max 512
is "begins anew" "$(learned) $(shown veth0 tx_auto_reason)" "0 nothing"
xhroomctl set veth0 auto max 24
txsend -n $N -T veth0=0 udp4 >/dev/null
is "within the bound" "$(learned) $(shown veth0 tx_auto_reason)" "16 limited"
exits "no bound below 16" 2 xhroomctl set veth0 auto max 15
exits "nor above 512" 2 xhroomctl set veth0 auto max 513
is "which change nothing" "$(learned) $(shown veth0 tx_auto_max)" "16 24"

# --- what it does not learn from ---------------------------------------------------------

xhroomctl set veth0 auto max 256
txsend -n $N -T vlan0=9 udp4 >/dev/null
is "packets that were allocated for a VLAN on it" "$(learned)" 0
modprobe sch_ingress 2>/dev/null
ip netns exec peer tc qdisc del dev veth1 clsact
ip netns exec peer stream -l 9000 >/dev/null 2>&1 & listener=$!
program
retry 10 stream 10.0.0.2 9000 1 >/dev/null 2>&1
program push20
timeout 2 stream 10.0.0.2 9000 1000 >/dev/null 2>&1
kill $listener 2>/dev/null
is "TCP" "$(learned)" 0
drop_on peer veth1
program push20

# --- down again, and up ------------------------------------------------------------------

xhroomctl set veth0 auto max 256
program vxlan
txsend -n $N -T veth0=0 udp4 >/dev/null
is "48 for VXLAN" "$(learned)" 48
# 16 probes, one a second.
program push20
steadily() { txsend -t "$1" -w 20000 -T veth0=0 udp4 >/dev/null; }
steadily 8
is "a smaller need: not at once" "$(learned)" 48
steadily 20 & sender=$!
retry 20 eval '[ "$(learned)" = 32 ]'
is "but soon" "$(learned) $(shown veth0 tx_auto_reason)" "32 lowered"
program
wait $sender
steadily 25 & sender=$!
retry 25 eval '[ "$(learned)" = 0 ]'
is "none: none" "$(learned) $(shown veth0 tx_auto_reason)" "0 lowered"
wait $sender
program push20
txsend -n $N -T veth0=0 udp4 >/dev/null
is "and up again" "$(learned) $(shown veth0 tx_auto_reason)" "32 lacked"

# No packet is lost while it tries; a larger need.
program most
arrived() { ip netns exec peer cat /sys/class/net/veth1/statistics/rx_packets; }
before=$(arrived)
txsend -n 1000 -T veth0=0 udp4 >/dev/null
is "each packet arrives" "$(($(arrived) - before))" 1000
is "with 200 bytes in front" "$(learned) $(shown veth0 tx_auto_reason)" "208 lacked"
program

# --- policies -----------------------------------------------------------------------------

ok "a policy that learns" xhroomctl policy set kind:dummy auto max 128
like "is shown" "$(xhroomctl policy show)" '^kind:dummy  tx-headroom 0 bytes \(auto max 128\)$'
modprobe dummy numdummies=0
ip link add dummy7 type dummy
is "a device gets it" "$(shown dummy7 tx_auto_max) $(shown dummy7 tx_auto_reason)" "128 nothing"
xhroomctl policy clear all
ip link del dummy7

# --- the feature comes and goes --------------------------------------------------------------

attached() { xhroomctl -j status | grep -o '"name":"tx-auto","state":"[a-z]*"' | sed 's/.*:"//; s/"//'; }
is "in use" "$(attached)" attached
xhroomctl set veth0 64
retry 10 eval '[ "$(attached)" = available ]'
is "a value ends it" "$(attached)" available
is "the value" "$(learned) $(shown veth0 tx_auto_max)" "64 "
xhroomctl clear veth0
for dev in vx0 gt0 ip0 vlan0; do ip link del $dev; done
module_unload
module_load features=tx-headroom
exits "without the feature it is refused" 2 xhroomctl set veth0 auto
like "with the reason" "$(xhroomctl set veth0 auto 2>&1)" 'left out by the features parameter'
is "and nothing has changed" "$(xhroomctl show)" ""
ok "values need it not" xhroomctl set veth0 64
done_testing
