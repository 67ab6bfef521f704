#!/bin/bash
# vm: timeout=600
# What extra headroom is for: a TC egress program that pushes a header makes the
# kernel reallocate every packet's head, and with headroom none; nor does generic
# XDP on the far end of a veth pair copy. A value that nobody makes use of costs
# bytes and no call at all. N= sets the number of datagrams.
. /lab/lib.sh
. /lab/tx.sh

N=${N:-5000}
calls() { count_calls pskb_expand_head udpblast -n "$N" -s 64 "${1:-10.0.0.2}" 9 2>/dev/null; }

pair_up
drop_on peer veth1
tx_setup
tc qdisc add dev veth0 clsact
calls >/dev/null

# --- the bar --------------------------------------------------------------------

between "stock, no program: nothing is reallocated" "$(calls)" 0 3
push_on veth0
between "stock, 20 bytes pushed: each packet is" "$(calls)" "$N" $((N + 3))
between "IPv6 too" "$(calls fd00::2)" "$N" $((N + 3))
ok "the module loads" module_load
between "loaded, nothing configured: as stock" "$(calls)" "$N" $((N + 3))
xhroomctl set veth0 0
between "value 0: as stock" "$(calls)" "$N" $((N + 3))
for x in 64 128 256 512; do
	ok "set $x" xhroomctl set veth0 $x
	is "value $x, 20 bytes pushed: no packet is reallocated" "$(calls)" 0
	is "value $x, IPv6" "$(calls fd00::2)" 0
done
push_off veth0
xhroomctl set veth0 256
is "value 256, no program: none either" "$(calls)" 0
push_on veth0
xhroomctl set veth0 1
between "value 1 is lost in the rounding: as stock" "$(calls)" "$N" $((N + 3))
xhroomctl set veth0 256
ok "clear" xhroomctl clear veth0
between "cleared: as stock" "$(calls)" "$N" $((N + 3))
xhroomctl set veth0 256
is "set again" "$(calls)" 0
ok "the module leaves" module_unload
between "without the module: as stock" "$(calls)" "$N" $((N + 3))

# --- every site ------------------------------------------------------------------

# Room for 20 bytes more on the wire than IP may use: otherwise the program could
# not push anything to a full fragment. Super-packets have a section of their own;
# AF_XDP and PACKET_QDISC_BYPASS know no TC. What is copied for other reasons stock
# copies as well.
push_off veth0
ip link set veth0 mtu 1600
ip -n peer link set veth1 mtu 1600
ip route replace 10.0.0.0/24 dev veth0 src 10.0.0.1 mtu 1500
ip -6 route replace fd00::/64 dev veth0 proto kernel metric 256 mtu 1500
# shellcheck disable=SC2046 # a list
others() { txsend -n 3 -T veth0=0 $(txsend -l | grep -vE 'gso|xdp|bypass') >"$TX_TMP/sent"; }
copies_watch
before=$(count_copies others)
sent=$(awk '$1 == "sent" { n += $8 } END { print n }' "$TX_TMP/sent")
note "copies, stock, no program: ${before:-none}"
push_on veth0
is "all sites, stock, 20 bytes pushed: each of the packets is reallocated" \
	"$(count_copies others)" "${before}pskb_expand_head=$sent "
module_load
xhroomctl set veth0 256
is "all sites, 256, 20 bytes pushed: no copy more than in stock without a program" \
	"$(count_copies others)" "$before"
push_off veth0
is "all sites, 256, no program: the same" "$(count_copies others)" "$before"
xhroomctl clear veth0
push_on veth0
is "all sites, cleared, 20 bytes pushed: as stock" "$(count_copies others)" "${before}pskb_expand_head=$sent "
push_off veth0
ip link set veth0 mtu 1500
ip -n peer link set veth1 mtu 1500
ip route replace 10.0.0.0/24 dev veth0 src 10.0.0.1
ip -6 route replace fd00::/64 dev veth0 proto kernel metric 256

# --- software segmentation ----------------------------------------------------------

# Without offloads veth0 segments; each segment is seen, and pushed to, on arrival.
ethtool -K veth0 gso off tso off tx-udp-segmentation off 2>/dev/null
ip netns exec peer tc qdisc del dev veth1 clsact
ip netns exec peer tc qdisc add dev veth1 clsact
nsenter --net=/run/netns/peer headroom ingress veth1
ip netns exec peer tc filter add dev veth1 ingress prio 2 bpf direct-action \
	object-file "$PROGS/push20.bpf.o" section tc
segments() { txsend -n 10 -T veth0=0 "$@" >"$TX_TMP/sent"; }
for site in udp4-gso udp6-gso packet-raw-vnet-gso; do
	per=10
	[ $site != packet-raw-vnet-gso ] || per=3
	frag=0
	[ $site != udp6-gso ] || frag=8
	headroom reset
	n=$(count_calls pskb_expand_head segments $site)
	is "$site, value 0: segments have the super-packet's headroom" \
		"$(seen veth1 ingress)" "$(($(ll 14 0 0) - 14 + frag)) $((10 * per))"
	between "$site, value 0: a push reallocates each of them" "$n" $((10 * per)) $((10 * per + 10))
	for x in 64 256; do
		xhroomctl set veth0 $x
		headroom reset
		n=$(count_calls pskb_expand_head segments $site)
		is "$site, value $x: segments have the super-packet's headroom" \
			"$(seen veth1 ingress)" "$(($(ll 14 0 $x) - 14 + frag)) $((10 * per))"
		is "$site, value $x: a push reallocates none" "$n" 0
	done
	xhroomctl clear veth0
done
ethtool -K veth0 gso on tso on tx-udp-segmentation on 2>/dev/null

# --- generic XDP on the far end ----------------------------------------------------------

ip netns exec peer tc qdisc del dev veth1 clsact
ip -n peer link set dev veth1 xdpgeneric object "$PROGS/xdp_drop.bpf.o" section xdp
copies() { count_copies udpblast -n 1000 "$1" 9 2>/dev/null | tr ' ' '\n' | awk -F= '{ n += $2 } END { print n + 0 }'; }
for to in 10.0.0.2 fd00::2; do
	xhroomctl set veth0 0
	between "generic XDP on the peer, value 0, $to: each packet is copied" "$(copies $to)" 1000 4000
	xhroomctl set veth0 256
	is "generic XDP on the peer, value 256, $to: none is" "$(copies $to)" 0
done
ip -n peer link set dev veth1 xdpgeneric off
done_testing
