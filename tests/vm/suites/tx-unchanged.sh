#!/bin/bash
# vm: timeout=600
# What extra headroom must leave alone, by exact headroom and exact counts of
# copies, against the stock kernel in the same boot: TCP, forwarding, AF_UNIX,
# devices stacked on a configured one, fragments made by the IP layer; and the
# accounting of socket memory.
#
#   namespace "peer"          here (forwards)             namespace "far"
#   veth1 10.0.0.2 <--> veth0 10.0.0.1, veth2 10.0.1.1 <--> veth3 10.0.1.2
. /lab/lib.sh
. /lab/tx.sh

pair_up
pair_up veth2 veth3 far 1
sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
ip -n peer route add 10.0.1.0/24 via 10.0.0.1
ip -n peer -6 route add fd00:0:0:1::/64 via fd00::1
ip -n far route add 10.0.0.0/24 via 10.0.1.1
ip -n far -6 route add fd00::/64 via fd00:0:0:1::1
PEER=/run/netns/peer FAR=/run/netns/far
in_peer() { nsenter --net=$PEER "$@"; }
in_far() { nsenter --net=$FAR "$@"; }

# On a busy machine TCP would take a slow answer for a lost one: no timers.
patient()
{
	nsenter --net="$1" sysctl -qw net.ipv4.tcp_early_retrans=0
	nsenter --net="$1" ip route show | grep -E '^10\.' | while read -r route; do
		# shellcheck disable=SC2086 # words
		nsenter --net="$1" ip route change $route rto_min 30s
	done
	nsenter --net="$1" ip -6 route show | grep -E '^fd00' | while read -r route; do
		# shellcheck disable=SC2086
		nsenter --net="$1" ip -6 route change ${route% pref medium} rto_min 30s
	done
}
patient $PEER
patient $FAR
patient /proc/self/ns/net
tx_setup
headroom egress veth0 veth2
headroom ingress veth0 veth2
in_peer headroom egress veth1
in_far headroom egress veth3

# Stacked devices. A VLAN device needs 4 bytes more than its parent where the
# parent cannot insert the tag.
ethtool -K veth0 tx-vlan-hw-insert off >/dev/null
ip link add link veth0 name vlan5 type vlan id 5
ip link add link veth0 name ipvl0 type ipvlan mode l2
# Only one of the two on a device.
ip link add link veth2 name macvl0 type macvlan mode bridge
n=4
for dev in vlan5 ipvl0 macvl0; do
	n=$((n + 1))
	ip addr add 10.0.$n.1/24 dev $dev
	ip -6 addr add fd00:0:0:$n::1/64 dev $dev nodad
	ip link set $dev up
	ip neigh replace 10.0.$n.2 lladdr 02:00:00:00:00:02 dev $dev nud permanent
	ip -6 neigh replace fd00:0:0:$n::2 lladdr 02:00:00:00:00:02 dev $dev nud permanent
	headroom egress $dev
done
copies_watch

# --- paths -----------------------------------------------------------------------

# Each runs some traffic. What is compared is which headrooms were seen on which
# devices, apart from what IPv6 says on its own (MLD, neighbours) and from ICMP
# errors about what was forwarded, of which there is a limited number. TCP's are taken
# without options, which come and go. It copies no packet of its own, and when
# forwarded just those that it has cloned: these are counted as they enter.
path_tcp() { stream -n 200 -s 10000 tcp $PEER 10.0.0.2; }
path_tcp_reverse() { stream -n 200 -s 10000 -r tcp $PEER 10.0.0.2; }
path_tcp6() { stream -n 200 -s 10000 tcp $PEER fd00::2; }
path_rr() { stream -n 300 -s 1 rr $PEER 10.0.0.2; }
path_rr6() { stream -n 300 -s 1 rr $PEER fd00::2; }
path_forward_tcp() { in_peer stream -n 200 -s 10000 tcp $FAR 10.0.1.2; }
path_forward_tcp6() { in_peer stream -n 200 -s 10000 tcp $FAR fd00:0:0:1::2; }
path_forward_rr() { in_peer stream -n 300 -s 1 rr $FAR 10.0.1.2; }
path_forward_udp() { in_peer txsend -T veth1=1 -n 50 udp4 udp4-gso udp6 udp6-gso raw4; }
path_fragments() { in_peer txsend -T veth1=1 -n 20 -s 4000 udp4 raw4; }
path_vlan() { txsend -T vlan5=5 -n 20 udp4 udp4-4000 udp6 raw4-header raw6 ping4; stream -n 5 unix-dgram; }
path_ipvlan() { txsend -T ipvl0=6 -n 20 udp4 udp4-4000 udp6 raw4-header raw6 ping4; }
path_macvlan() { txsend -T macvl0=7 -n 20 udp4 udp4-4000 udp6 raw4-header raw6 ping4; }
PATHS='tcp tcp_reverse tcp6 rr rr6 forward_tcp forward_tcp6 forward_rr forward_udp fragments
	vlan ipvlan macvlan'

# fragments: what arrives in one piece does not fit veth2.
prepare()
{
	case $1 in
	fragments)
		ip link set veth0 mtu 9000
		ip -n peer link set veth1 mtu 9000
		in_peer sysctl -qw net.ipv4.ip_no_pmtu_disc=1
		;;
	esac
}
restore()
{
	case $1 in
	fragments)
		ip link set veth0 mtu 1500
		ip -n peer link set veth1 mtu 1500
		in_peer sysctl -qw net.ipv4.ip_no_pmtu_disc=0
		;;
	esac
}

# look PATH STATE: notes what PATH does.
look()
{
	prepare "$1"
	headroom reset
	count_copies "path_$1" >"$TX_TMP/$1.$2.copies" 2>"$TX_TMP/$1.$2.out" || :
	grep -E '^(fail|wmem|skip) ' "$TX_TMP/$1.$2.out" >>"$TX_TMP/failures" || :
	headroom show >"$TX_TMP/show"
	# DEV HEADROOM L4 NEEDED HARD, once each.
	awk -v p="$1" '$2 != "ingress" && $9 && $9 != 58 && !(p ~ /^f/ && $9 == 1) { print $1, $4 + $14, $9, $6, $7 }' \
		"$TX_TMP/show" | sort -u >"$TX_TMP/$1.$2.seen"
	# int(FLAGS / 16) % 2: cloned.
	awk '$2 == "ingress" && $9 == 6 && int($10 / 16) % 2 { n += $5 }
		END { if (n) printf "pskb_expand_head=%d ", n; print "" }' "$TX_TMP/show" >"$TX_TMP/$1.$2.cloned"
	restore "$1"
}

: >"$TX_TMP/failures"

# as_stock PATH STATE: headrooms and copies are what stock showed.
as_stock()
{
	local to=$1.stock.copies
	case $1 in forward_tcp*|forward_rr) to=$1.$2.cloned ;; esac
	cmp -s "$TX_TMP/$1.stock.seen" "$TX_TMP/$1.$2.seen" && cmp -s "$TX_TMP/$to" "$TX_TMP/$1.$2.copies"
}

# A segment sent again, or one of an earlier connection, is a copy or a headroom
# more, in stock too. So what stock shows is what it shows twice in a row, and
# other states get up to three looks: what the module does it does each time.
for p in $PATHS; do
	look "$p" stock
	for try in 1 2 3 4; do
		for f in seen copies cloned; do cp "$TX_TMP/$p.stock.$f" "$TX_TMP/$p.before.$f"; done
		look "$p" stock
		as_stock "$p" before && break
		note "$p in stock: differs from look $try"
	done
done

same()
{
	local p=$1 state=$2 text=$3 try
	for try in 2 3; do
		as_stock "$p" "$state" && break
		note "$p, $text: look $try"
		look "$p" "$state"
	done
	ok "$p: headrooms as in stock, $text" diff -u "$TX_TMP/$p.stock.seen" "$TX_TMP/$p.$state.seen"
	case $p in
	forward_tcp*|forward_rr)
		is "$p: what was cloned is copied and nothing else, $text" \
			"$(cat "$TX_TMP/$p.$state.copies")" "$(cat "$TX_TMP/$p.$state.cloned")" ;;
	*)
		is "$p: copies as in stock, $text" \
			"$(cat "$TX_TMP/$p.$state.copies")" "$(cat "$TX_TMP/$p.stock.copies")" ;;
	esac
}

for p in $PATHS; do
	note "$p in stock: copies $(cat "$TX_TMP/$p.stock.copies") headrooms $(awk '{ printf "%s:%s:%s ", $1, $2, $3 }' "$TX_TMP/$p.stock.seen")"
	ok "$p: there was traffic" test -s "$TX_TMP/$p.stock.seen"
	same "$p" stock "module not loaded"
done

module_load
for p in $PATHS; do look "$p" idle; same "$p" idle "module loaded"; done
ok "veth0: 256" xhroomctl set veth0 256
ok "veth2: 256" xhroomctl set veth2 256
for p in $PATHS; do look "$p" set; same "$p" set "256 on veth0 and veth2"; done
headroom reset
txsend -T veth0=0 udp4 >/dev/null
is "meanwhile a datagram of veth0 gets its 256" "$(headrooms veth0 egress any)" "$(($(ll 14 0 256) - 14))"

# --- stacked devices ----------------------------------------------------------------

# Where the 4 bytes are differs: hard_header_len, or since lately needed_headroom.
hard() { awk -v d="$1" '$1 == d { print $4 + $5; exit }' "$TX_TMP/$2"; }
is "a VLAN shows exactly 4 bytes more than its parent's hard_header_len" "$(hard vlan5 vlan.set.seen)" 18
is "and allocates by them" "$(awk '$1 == "vlan5" { print $2 }' "$TX_TMP/vlan.set.seen" | sort -nu | tr '\n' ' ')" \
	"$(($(ll 18 0 0) - 14)) $(($(ll 18 0 0) - 14 + 8)) "
is "an ipvlan its parent's" "$(hard ipvl0 ipvlan.set.seen)" 14
ok "vlan5: 64" xhroomctl set vlan5 64
headroom reset
txsend -T vlan5=5 udp4 >/dev/null
is "a VLAN with a value of its own has that" "$(headrooms vlan5 egress any)" "$(($(ll 18 0 64) - 14))"
needed=$(needed_headroom_of vlan5)
xhroomctl clear vlan5
ok "ipvl0: 64" xhroomctl set ipvl0 64
headroom reset
txsend -T ipvl0=6 udp4 >/dev/null
is "an ipvlan too" "$(headrooms ipvl0 egress any)" "$(($(ll 14 0 64) - 14))"
xhroomctl clear ipvl0
ip link add link veth0 name vlan6 type vlan id 6
ip link set vlan6 up
headroom egress vlan6
ip addr add 10.0.9.1/24 dev vlan6
ip neigh replace 10.0.9.2 lladdr 02:00:00:00:00:02 dev vlan6 nud permanent
headroom reset
txsend -T vlan6=9 udp4 >/dev/null
is "a VLAN made on a configured device inherits nothing" "$(headrooms vlan6 egress any)" "$(($(ll 18 0 0) - 14))"
is "its needed_headroom neither" "$(needed_headroom_of vlan6)" "$needed"
ip link del vlan6

# --- the kernel's own --------------------------------------------------------------------

# Resets of connections are TCP. IPv4: late segments of the IPv6 connections above
# have another headroom, in stock too.
headroom reset
in_peer bash -c 'exec 3<>/dev/tcp/10.0.0.1/77' 2>/dev/null
is "a TCP reset of veth0: as in stock" \
	"$(headroom show | awk '$1 == "veth0" && $2 == "egress" && $8 == "0x0800" && $9 == 6 { print $4 }')" \
	"$(($(ll 14 0 0) - 14))"

# --- AF_UNIX -------------------------------------------------------------------------------

sysctl -qw net.unix.max_dgram_qlen=1000000
dgram=$(stream -s 100 unix-dgram-fill) stream=$(stream -s 100 unix-stream-fill)
big=$(stream -s 20000 unix-dgram-fill)
note "AF_UNIX with 256 elsewhere: $dgram, $stream, $big"
copies=$(count_copies stream -n 1000 unix-dgram 2>/dev/null)

# --- socket memory ----------------------------------------------------------------------------

# Packets are held back; the sender goes on until its buffer is full.
FULL='udp4 udp4-connected udp6 udp4-gso ping4 ping6 raw4-header raw6-header packet-raw
	packet-raw-full packet-dgram packet-raw-vnet-gso spkt'

# fill SITE: fills the buffer of one socket; sets packets, wmem, sndbuf, and truesize,
# the sum over what a TC program saw. unplug lets go of the packets.
fill()
{
	tc qdisc add dev veth0 root plug limit 100000000
	headroom reset
	rm -f "$TX_TMP/full"
	txsend -T veth0=0 -F -b 50000 "$1" >"$TX_TMP/full" &
	retry 20 grep -q '^full' "$TX_TMP/full"
	read -r _ _ _ packets wmem sndbuf <<<"$(grep '^full' "$TX_TMP/full")"
	truesize=$(headroom show | awk '$3 { t += $12 } END { print t + 0 }')
}
unplug()
{
	tc qdisc del dev veth0 root
	wait $!
}

# full SITE EXTRA
full()
{
	local site=$1 x=$2 one
	fill "$site"
	one=$((packets ? truesize / packets : 0))
	is "$site, extra $x: socket memory is the packets' truesize, all of it" "$wmem" "$truesize"
	between "$site, extra $x: blocked by the packet that reaches SO_SNDBUF, $packets of $one" \
		"$wmem" "$sndbuf" $((sndbuf + one - 1))
	unplug
	is "$site, extra $x: and comes back to zero" $? 0
}

for x in 0 256 512; do
	xhroomctl set veth0 $x
	for site in $FULL; do full "$site" $x; done
	# Later fragments are charged all the same; the last datagram may go beyond.
	for site in udp4-4000 udp6-4000 raw4-4000 raw6-4000 udp4-more-4000; do
		fill $site
		is "$site, extra $x: socket memory is the fragments' truesize" "$wmem" "$truesize"
		unplug
	is "$site, extra $x: and comes back to zero" $? 0
	done
done

# --- and back ----------------------------------------------------------------------------------

is "no path reported a failure" "$(cat "$TX_TMP/failures")" ""
xhroomctl clear veth0
xhroomctl clear veth2
ok "the module leaves" module_unload
is "AF_UNIX: a full buffer holds as many datagrams" "$dgram" "$(stream -s 100 unix-dgram-fill)"
is "AF_UNIX: as many bytes of a stream" "$stream" "$(stream -s 100 unix-stream-fill)"
is "AF_UNIX: as many large datagrams" "$big" "$(stream -s 20000 unix-dgram-fill)"
is "AF_UNIX: no copy more" "$copies" "$(count_copies stream -n 1000 unix-dgram 2>/dev/null)"
for p in $PATHS; do look "$p" after; same "$p" after "module gone"; done
done_testing
