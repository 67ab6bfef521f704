#!/bin/bash
# vm: timeout=600
# A packet gets the value of the device that it is allocated against and no
# other: several devices with different values, sent to in turn and at once, by
# one socket and by many; sends within sends; devices that are renamed, moved
# and made anew.
. /lab/lib.sh
. /lab/tx.sh

# Three pairs: 256, 64 and nothing.
EXTRAS='veth0=256 veth2=64 veth4=0'
TARGETS='-T veth0=0 -T veth2=1 -T veth4=2'

pair_up
pair_up veth2 veth3 peer 1
pair_up veth4 veth5 peer 2
for i in 1 3 5; do drop_on peer veth$i; done
for i in 0 2 4; do ethtool -L veth$i rx 2 tx 2; done
tx_setup
headroom egress veth0 veth2 veth4
ok "the module loads" module_load
ok "veth0: 256" xhroomctl set veth0 256
ok "veth2: 64" xhroomctl set veth2 64

# --- in turn, and at once --------------------------------------------------------

# round LABEL TXSEND-ARGUMENTS...
round()
{
	local label=$1
	shift
	headroom reset
	# shellcheck disable=SC2086 # TARGETS and EXTRAS are lists
	txsend $TARGETS "$@" >"$TX_TMP/sent"
	headroom show >"$TX_TMP/seen"
	# shellcheck disable=SC2086
	tx_compare "$TX_TMP/sent" "$TX_TMP/seen" 0 $EXTRAS >"$TX_TMP/result"
	tx_sites_report "$label" "$TX_TMP/result"
}

round "in turn" -n 3 '*'
round "one socket in turn" -n 3 -S '*'
# At the same time all threads are at the same site, more or less.
round "4 threads" -n 25 -j 4 'udp*' 'ping*' 'raw*' 'packet*' 'ring*' 'spkt*'
round "2 threads" -n 25 -j 2 'xdp*'

# Now at different ones: each thread has its own list, over and over.
headroom reset
# shellcheck disable=SC2086
{
	txsend $TARGETS -n 40 -m 1000 udp4 udp4-4000 udp4-gso udp4-more >"$TX_TMP/sent1" &
	txsend $TARGETS -n 40 -m 2000 udp6 udp6-4000 raw6-header udp6-cork >"$TX_TMP/sent2" &
	txsend $TARGETS -n 40 -m 3000 packet-raw raw4-header raw4 ring2 >"$TX_TMP/sent3" &
	txsend $TARGETS -n 40 -m 4000 spkt xdp packet-dgram ping4 >"$TX_TMP/sent4" &
	wait
}
headroom show >"$TX_TMP/seen"
for i in 1 2 3 4; do
	# shellcheck disable=SC2086
	tx_compare "$TX_TMP/sent$i" "$TX_TMP/seen" 0 $EXTRAS
done >"$TX_TMP/result"
tx_sites_report "4 processes" "$TX_TMP/result"

# --- sends within sends ------------------------------------------------------------

# Stock at TC egress: behind the Ethernet header.
STOCK=$(($(ll 14 0 0) - 14))

# The far ends answer what nobody listens to: an ICMP error from a softirq on
# top of the send. Packet and raw sockets are still in their send at that moment.
UNLIMITED="net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0"
for i in net.ipv4.icmp_msgs_per_sec net.ipv4.icmp_msgs_burst; do
	sysctl -qw $i=1000000
	# Of the namespace, or of the whole machine on older kernels.
	! ip netns exec peer sysctl -q $i >/dev/null 2>&1 || UNLIMITED+=" $i=1000000"
done
# shellcheck disable=SC2086 # a list
ip netns exec peer sysctl -qw $UNLIMITED
for i in 1 3 5; do
	ip netns exec peer tc qdisc del dev veth$i clsact
	nsenter --net=/run/netns/peer headroom egress veth$i
done

# icmp DEV PROTO: headrooms of the ICMP or ICMPv6 packets that DEV sent.
icmp() { headroom show | awk -v d="$1" -v p="$2" '$1 == d && $9 == p { print $4 }' | sort -nu | tr '\n' ' '; }
icmp_count() { headroom show | awk -v d="$1" -v p="$2" '$1 == d && $9 == p { n += $5 } END { print n + 0 }'; }

nested()
{
	headroom reset
	txsend -T veth0=0 -n 50 packet-raw packet-raw-bound ring2 spkt raw4-header raw6-header >"$TX_TMP/sent"
	# Some may have been left to ksoftirqd.
	retry 5 icmp_complete
}
icmp_complete() { [ "$(icmp_count veth1 1)" = 250 ] && [ "$(icmp_count veth1 58)" -ge 50 ]; }
nested
is "each IPv4 packet is answered with an ICMP error" "$(icmp_count veth1 1)" 250
is "sends of veth0 (256) within which veth1 (nothing) answers: stock" "$(icmp veth1 1)" "$STOCK "
is "ICMPv6 too" "$(icmp veth1 58)" "$((STOCK + 8)) "
headroom show >"$TX_TMP/seen"
tx_compare "$TX_TMP/sent" "$TX_TMP/seen" 0 veth0=256 >"$TX_TMP/result"
tx_sites_report "the outer send keeps its own" "$TX_TMP/result"

ok "veth1: 128" ip netns exec peer xhroomctl set veth1 128
nested
is "veth1 (128) answers within sends of veth0 (256): its own" \
	"$(icmp veth1 1)" "$(($(ll 14 0 128) - 14)) "
is "ICMPv6 too" "$(icmp veth1 58)" "$(($(ll 14 0 128) - 14 + 8)) "
headroom show >"$TX_TMP/seen"
tx_compare "$TX_TMP/sent" "$TX_TMP/seen" 0 veth0=256 >"$TX_TMP/result"
tx_sites_report "the outer send keeps its own" "$TX_TMP/result"

# Echo replies.
headroom reset
ip netns exec peer ping -c 3 -i 0.1 -W 1 10.0.0.1 >/dev/null
ip netns exec peer ping -6 -c 3 -i 0.1 -W 1 fd00::1 >/dev/null
is "echo replies on veth0 (256): its own" "$(icmp veth0 1)" "$(($(ll 14 0 256) - 14)) "
is "ICMPv6 echo replies too" "$(icmp veth0 58)" "$(($(ll 14 0 256) - 14 + 8)) "
ok "veth1: nothing" ip netns exec peer xhroomctl clear veth1

# A UDP datagram from a softirq, to another device.
for i in 1 3 5; do drop_on peer veth$i; done
# xhr_nested RX ADDR
answer() { nsenter --net=/run/netns/peer modprobe xhr_nested rx="$1" addr="$2"; }
within()
{
	local rx=$1 addr=$2 dev=$3 want=$4
	answer "$rx" "$addr"
	headroom reset
	txsend -T veth0=0 -n 50 packet-raw packet-dgram ring2 spkt raw4-header raw6-header udp4 >"$TX_TMP/sent"
	is "a datagram to $dev from a softirq within sends of veth0: $want bytes" \
		"$(seen "$dev" egress 900)" "$want 350"
	headroom show >"$TX_TMP/seen"
	tx_compare "$TX_TMP/sent" "$TX_TMP/seen" 0 veth0=256 >"$TX_TMP/result"
	tx_sites_report "the outer send keeps its own" "$TX_TMP/result"
	modprobe -r xhr_nested
}
within veth1 10.0.2.2 veth4 $STOCK
within veth1 10.0.1.2 veth2 $(($(ll 14 0 64) - 14))

# A kernel thread.
headroom reset
modprobe xhr_nested thread=100 addr=10.0.1.2
is "a kernel thread's datagrams to veth2: its own" "$(seen veth2 egress 901)" "$(($(ll 14 0 64) - 14)) 100"
modprobe -r xhr_nested

# What the kernel itself sends within a send is not a local socket's packet.
ip neigh del 10.0.0.2 dev veth0
ip -6 neigh del fd00::2 dev veth0
headroom reset
txsend -T veth0=0 -k raw4-header raw6-header udp4 udp6 >/dev/null
is "ARP requests on veth0: stock" \
	"$(headroom show | awk '$1 == "veth0" && $8 == "0x0806" { print $4 }' | sort -u)" "$STOCK"
is "neighbour solicitations on veth0: stock" \
	"$(headroom show | awk '$1 == "veth0" && $9 == 58 { print $4 }' | sort -u)" "$STOCK"
ip neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev veth0 nud permanent
ip -6 neigh replace fd00::2 lladdr 02:00:00:00:00:02 dev veth0 nud permanent

# --- tunnels: the route's device counts -----------------------------------------------

ip link add vx0 type vxlan id 7 local 10.0.0.1 remote 10.0.0.2 dev veth0 dstport 4789
ip addr add 10.0.7.1/24 dev vx0
ip link set vx0 up
ip neigh replace 10.0.7.2 lladdr 02:00:00:00:07:02 dev vx0 nud permanent
headroom egress vx0
tunnel() { headroom reset; txsend -T vx0=7 -n 20 udp4; headroom show >"$TX_TMP/seen"; }

xhroomctl clear veth0
tunnel >/dev/null
needed=$(needed_headroom_of vx0)
is "stock: needed_headroom of a VXLAN device on veth0" "$needed" 64
inner=$(headrooms vx0 egress)
outer=$(headrooms veth0 egress)
is "stock: inner headroom" "$inner" "$(($(ll 14 64 0) - 14))"
is "stock: outer headroom" "$outer" "$((inner - 50))"
xhroomctl set veth0 256
tunnel >/dev/null
is "with 256 on veth0 the VXLAN device's packets are as before" "$(headrooms vx0 egress)" "$inner"
is "and as before on veth0" "$(headrooms veth0 egress)" "$outer"
is "its needed_headroom too" "$(needed_headroom_of vx0)" "$needed"
ok "vx0: 100" xhroomctl set vx0 100
tunnel >"$TX_TMP/sent"
is "with a value of its own it gets that" "$(headrooms vx0 egress)" "$(($(ll 14 64 100) - 14))"
is "which is still there on veth0" "$(headrooms veth0 egress)" "$(($(ll 14 64 100) - 14 - 50))"
ip link del vx0

# --- which device is it ------------------------------------------------------------------

# value DEV NET: headroom of a datagram through it.
value() { headroom reset; txsend -T "$1=$2" udp4 >/dev/null; headrooms "$1" egress any; }
WITH=$(($(ll 14 0 256) - 14))

is "before: veth0" "$(value veth0 0)" $WITH
ip link set veth0 down
ip link set veth0 name other
ip link set other up
ip neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev other nud permanent
is "a renamed device keeps its value" "$(value other 0)" $WITH
ip link set veth4 down
ip link set veth4 name veth0
ip link set veth0 up
ip neigh replace 10.0.2.2 lladdr 02:00:00:00:02:02 dev veth0 nud permanent
is "another one that takes the name does not get it" "$(value veth0 2)" $STOCK
is "SOCK_PACKET, which goes by name, agrees" \
	"$(headroom reset; txsend -T veth0=2 spkt >/dev/null; headrooms veth0 egress)" $STOCK

# To another namespace and back.
ip netns add elsewhere
ip link set other netns elsewhere
ip -n elsewhere addr add 10.0.0.1/24 dev other
ip -n elsewhere link set other up
ip -n elsewhere neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev other nud permanent
nsenter --net=/run/netns/elsewhere headroom egress other
headroom reset
nsenter --net=/run/netns/elsewhere txsend -T other=0 udp4 packet-raw packet-raw-bound spkt >/dev/null
is "in another namespace it keeps its value" "$(headrooms other egress any)" $WITH
ip -n elsewhere link set other netns 1
ip addr add 10.0.0.1/24 dev other
ip link set other up
ip neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev other nud permanent
headroom egress other
is "and back" "$(value other 0)" $WITH

# A device that is made anew, by the same name and the same index.
index=$(cat /sys/class/net/other/ifindex)
ip link del other
ip link add other index "$index" address 02:00:00:00:00:01 type veth peer name veth1 address 02:00:00:00:00:02 netns peer
ip addr add 10.0.0.1/24 dev other
ip link set other up
ip -n peer link set veth1 up
ip neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev other nud permanent
headroom egress other
is "a new device with the old name and index starts with nothing" "$(value other 0)" $STOCK
done_testing
