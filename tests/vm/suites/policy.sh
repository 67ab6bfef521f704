#!/bin/bash
# vm: timeout=600
# Policies made at run time: which devices get what, by which of several; what is
# refused; that the hooks are there before the first packet; that devices and
# policies may come and go together.
. /lab/lib.sh
. /lab/tx.sh

# of DEV [NETNS]: "HEADROOM HEAD" of a device
of()
{
	xhroomctl ${2:+-n "$2"} -j show "$1" |
		sed -n 's/.*"tx_extra_headroom":\([0-9]*\),"tx_head":"\([a-z-]*\)".*/\1 \2/p'
}
veths() { ip link add "$1" type veth peer name "$2"; }
users() { xhroomctl status | awk '$1 == "tx-headroom" && ($2 == "available" || $2 == "attached") { print $2, $3 }'; }

# refused NAME REGEX WORD...: the tool exits with 2, and the policies are as before.
refused()
{
	local name=$1 regex=$2 before err rc
	shift 2
	before=$(xhroomctl policy)
	err=$(xhroomctl policy "$@" 2>&1) && rc=0 || rc=$?
	is "$name: refused" "$rc" 2
	like "$name: in words" "$err" "$regex"
	is "$name: nothing has changed" "$(xhroomctl policy)" "$before"
}

module_load
modprobe veth
modprobe dummy numdummies=0

# --- which devices, and what they get --------------------------------------------------

is "none at first" "$(xhroomctl policy)$(xhroomctl -j policy)" "[]"
is "nothing is hooked" "$(users)" "available 0"
veths before before1
ok "by kind" xhroomctl policy set kind:veth 256
is "it is a user of the hooks" "$(users)" "attached 1"
is "a device that was there stays as it is" "$(of before)" "0 auto"
veths a0 a1
is "one end of a new pair" "$(of a0)" "256 auto"
is "the other end" "$(of a1)" "256 auto"
ip link add d0 type dummy
is "a device of another kind" "$(of d0)" "0 auto"
ok "by name" xhroomctl policy set name:pair* 64 tx-head slab
veths pair0 other0
is "a name is stronger than a kind" "$(of pair0)" "64 slab"
is "where it is another name, the kind" "$(of other0)" "256 auto"
ip link add pair1 type dummy
is "a name is for any kind" "$(of pair1)" "64 slab"
ok "by both" xhroomctl policy set kind:veth/name:pair9 0
veths pair9 pair8
is "both are stronger than a name: nothing, here" "$(of pair9)" "0 auto"
is "a device with nothing is not shown" "$(xhroomctl show | grep -c pair9)" 0
is "and the rest as before" "$(of pair8)" "64 slab"
ok "a second name" xhroomctl policy set name:p* 16
ip link add pair2 type dummy
is "of two names the one that was made last" "$(of pair2)" "16 auto"
ok "settings of the first are changed" xhroomctl policy set name:pair* tx-head page-frag
ip link add pair3 type dummy
is "that does not make it the last" "$(of pair3)" "16 auto"
is "text, in the order in which they were made" "$(xhroomctl policy show)" \
"kind:veth             tx-headroom 256 bytes
name:pair*            tx-headroom 64 bytes  tx-head page-frag
kind:veth/name:pair9  tx-headroom 0 bytes
name:p*               tx-headroom 16 bytes"
is "JSON" "$(xhroomctl -j policy | tr '{' '\n' | sed -n 3p)" \
	'"kind":null,"name":"pair*","tx_extra_headroom":64,"tx_head":"page-frag","xdp_headroom_min":256,"xdp_linearize":"on"},'
is "with -j, set prints the whole policy" "$(xhroomctl -j policy set name:pair* 65)" \
	'[{"kind":null,"name":"pair*","tx_extra_headroom":65,"tx_head":"page-frag","xdp_headroom_min":256,"xdp_linearize":"on"}]'
ok "taken away" xhroomctl policy clear name:p*
ip link add pair4 type dummy
is "the other counts again" "$(of pair4)" "65 page-frag"
is "devices keep what they have" "$(of pair3)" "16 auto"

ip netns add there
ip -n there link add n0 type veth peer name n1
is "in other namespaces, too" "$(of n0 there) $(of n1 there)" "256 auto 256 auto"
ok "made from there" xhroomctl -n there policy set name:eth* 32
is "they are the same everywhere" "$(xhroomctl -n there policy)" "$(xhroomctl policy)"
ip link add eth7 type dummy
is "and apply here" "$(of eth7)" "32 auto"
xhroomctl set a0 16
ip link set a0 netns there
is "a move is no registration" "$(of a0 there)" "16 auto"
ip link add x0 type dummy
ip link set x0 name eth8
is "nor is a new name" "$(of eth8)" "0 auto"
ip netns del there

# --- the first packet ----------------------------------------------------------------------

tx_setup
modprobe sch_ingress
ip link del before
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
for i in 1 2 3; do
	pair_up "v$i" "w$i" peer "$i" 2>/dev/null
	headroom egress "v$i"
	headroom reset
	txsend -n 1 -T "v$i=$i" udp4 >/dev/null
	is "the first packet of v$i has its headroom" "$(headrooms "v$i" egress any)" \
		"$(($(ll 14 0 256) - 14))"
done

# --- what is refused --------------------------------------------------------------------------

refused "513" "^xhroomctl: kind:veth: tx-headroom: 513 is out of range: 0 to 512 bytes" set kind:veth 513
refused "4294967295" "kind:vlan: tx-headroom: 4294967295 is out of range" set kind:vlan 4294967295
refused "one that is not there" "kind:vlan: there is no policy with this match" clear kind:vlan
refused "half of a match" "name:pair9: there is no policy with this match" clear name:pair9
user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
before=$(xhroomctl policy)
for how in "user" "user unshare -Ur" "unshare -Urn"; do
	for what in "set kind:vlan 1" "clear kind:veth" "clear all"; do
		# shellcheck disable=SC2086 # words
		like "$how: $what" "$($how xhroomctl policy $what 2>&1)" "CAP_NET_ADMIN in the initial user namespace"
	done
done
is "nothing has changed" "$(xhroomctl policy)" "$before"
is "but anybody may look" "$(user xhroomctl policy)" "$before"

# --- many -------------------------------------------------------------------------------------

ok "all are taken away" xhroomctl policy clear all
is "none is left" "$(xhroomctl policy)" ""
ok "clear all of none" xhroomctl policy clear all
long=$(printf 'n%.0s' {1..100})
for i in {1..256}; do xhroomctl policy set "kind:veth/name:$long$i" $((i * 2)) || break; done
is "256 fit" "$(xhroomctl policy | awk -v l="kind:veth/name:$long" '$1 == l NR && $3 == 2 * NR { n++ } END { print n }')" 256
refused "one more" "kind:geneve: there are too many policies" set kind:geneve 1
ok "one of them can be changed" xhroomctl policy set "kind:veth/name:${long}7" 1
ok "or taken away" xhroomctl policy clear "kind:veth/name:${long}8"
ok "then another fits" xhroomctl policy set kind:geneve 1
# Each finds policies that the other has taken away meanwhile.
xhroomctl policy clear all 2>/tmp/one & one=$!
xhroomctl policy clear all 2>/tmp/other & other=$!
wait $one; rc=$?
wait $other
is "two that clear all at once: both succeed" "$rc $? $(cat /tmp/one /tmp/other)" "0 0 "
is "and nothing is left" "$(xhroomctl policy)" ""

# --- notifications -------------------------------------------------------------------------------

ip netns add there
timeout 60 xhroomctl -j monitor >/tmp/here & here=$!
timeout 60 xhroomctl -n there -j monitor >/tmp/there & there=$!
listening() { awk '$2 == 16 && $4 != "00000000" { n++ } END { exit n < 1 }' /proc/net/netlink; }
retry 10 listening
retry 10 ip netns exec there bash -c "$(declare -f listening); listening"
xhroomctl policy set kind:veth 256
xhroomctl policy set kind:veth 513 2>/dev/null
xhroomctl policy set kind:veth tx-head slab
ip -n there link add n0 type veth peer name n1
xhroomctl policy clear kind:veth
retry 10 grep -q policy-gone /tmp/here
retry 10 grep -q n1 /tmp/there
kill $here $there
wait $here $there 2>/dev/null
is "listeners of the first namespace see policies" "$(cat /tmp/here)" \
'{"event":"policy-set","kind":"veth","name":null,"tx_extra_headroom":256,"tx_head":"auto","xdp_headroom_min":256,"xdp_linearize":"on"}
{"event":"policy-set","kind":"veth","name":null,"tx_extra_headroom":256,"tx_head":"slab","xdp_headroom_min":256,"xdp_linearize":"on"}
{"event":"policy-gone","kind":"veth","name":null}'
is "those of another what devices got by them" "$(sed 's/"ifindex":[0-9]*,//' /tmp/there | sort)" \
'{"event":"set","ifname":"n0","tx_extra_headroom":256,"tx_head":"slab","xdp_headroom_min":256,"xdp_linearize":"on"}
{"event":"set","ifname":"n1","tx_extra_headroom":256,"tx_head":"slab","xdp_headroom_min":256,"xdp_linearize":"on"}'
ip netns del there

# --- coming and going -------------------------------------------------------------------------------

ip netns del peer
for dev in $(xhroomctl show | awk '{ print $1 }'); do xhroomctl clear "$dev"; done
ok "in the end nobody uses the hooks" retry 20 eval '[ "$(users)" = "available 0" ]'
xhroomctl policy set kind:veth 256
ip netns add crowd
for i in {1..500}; do echo "link add m$i type veth peer name q$i"; done >/tmp/batch
ip -n crowd -batch /tmp/batch
is "500 pairs: each end has its value" "$(xhroomctl -n crowd show | grep -c ' 256 bytes')" 1000
is "and is a user, like the policy" "$(users)" "attached 1001"
ip netns del crowd
ok "that goes with it" retry 60 eval '[ "$(users)" = "attached 1" ]'

churn() { while [ ! -e /tmp/enough ] && ip link add c0 type veth peer name c1; do ip link del c0; done; }
churn & churn=$!
bad=0
for ((i = 0; i < 10; i++)); do
	xhroomctl policy set kind:veth $((i + 1)) || bad=1
	xhroomctl policy set name:c1 tx-head page-frag || bad=1
	xhroomctl policy clear kind:veth || bad=1
	[ $((i % 2)) = 0 ] || xhroomctl policy clear all || bad=1
	modprobe -r xdp_skbext || bad=2
	modprobe xdp_skbext "tx_headroom=kind:veth=$i,name:c0=1" || bad=3
	is "round $i: those of the parameter" "$(xhroomctl policy | wc -l)" 2
done
is "policies, devices and the module come and go" "$bad" 0
ip link add lastone type veth peer name lasttwo
is "the last parameter is in force" "$(of lastone)" "9 auto"
touch /tmp/enough
wait $churn
done_testing
