#!/bin/bash
# vm: timeout=150
# Module parameters: what they do without the tool, and that a wrong value
# refuses the load with a message that names it.
. /lab/lib.sh

value_of() { xhroomctl -j show "$1" | sed -n 's/.*"tx_extra_headroom": *\([0-9]*\).*/\1/p'; }

# said_since MARK WORD: the module logged a line with WORD behind MARK.
said_since() { dmesg | sed "1,/$1/d" | grep -F 'xdp_skbext: ' | grep -qF -- "$2"; }

# refused NAME WORD PARAMETER...: not loaded, and the kernel log names WORD.
refused()
{
	local name=$1 word=$2 mark=mark-$RANDOM-$RANDOM
	shift 2
	echo "$mark" >/dev/kmsg
	not_ok "$name: refused" modprobe xdp_skbext "$@"
	ok "$name: the message names it" said_since "$mark" "$word"
	not_ok "$name: nothing is loaded" module_loaded
}

hooked_by() { xhroomctl status | grep '^__alloc_skb' | grep -q "by $1"; }

refused "513 bytes" 'kind:veth=513' tx_headroom=kind:veth=513
refused "a negative value" 'kind:veth=-1' tx_headroom=kind:veth=-1
refused "a hexadecimal value" 'kind:veth=0x10' tx_headroom=kind:veth=0x10
refused "no value" 'kind:veth' tx_headroom=kind:veth
refused "an empty value" 'kind:veth=' tx_headroom=kind:veth=
refused "an unknown match" 'type:veth=1' tx_headroom=type:veth=1
refused "an empty kind" 'kind:=1' tx_headroom=kind:=1
refused "the same match twice" 'kind:veth/kind:veth=1' tx_headroom=kind:veth/kind:veth=1
refused "a pattern as a kind" 'no device has such a kind or name' 'tx_headroom=kind:ve*=1'
refused "a name that no device can have" 'no device has such a kind or name' tx_headroom=name:x:kind:veth=1
refused "the wrong one of two" 'name:x' 'tx_headroom=kind:veth=256,name:x'
refused "a name that no message could say" 'at most 55 and 127 characters' "tx_headroom=name:$(printf '%0128d' 0)=1"
refused "such a kind" 'at most 55 and 127 characters' "tx_headroom=kind:$(printf '%056d' 0)=1"
refused "a threshold below the range" 'xdp_headroom_min=191: expected 192 to 256' xdp_headroom_min=191
refused "a threshold above the range" 'xdp_headroom_min=257: expected 192 to 256' xdp_headroom_min=257
refused "threshold 0" 'xdp_headroom_min=0: expected' xdp_headroom_min=0
refused "a negative threshold" 'xdp_headroom_min=-1: expected' xdp_headroom_min=-1
refused "a hexadecimal threshold" 'xdp_headroom_min=0xc0: expected' xdp_headroom_min=0xc0
refused "an empty threshold" 'xdp_headroom_min=: expected' xdp_headroom_min=
refused "an unknown feature" '"warp"' features=tx-headroom,warp
refused "an unknown backend" 'backend=magic' backend=magic

ip link add before type veth peer name before1
module_load 'tx_headroom=kind:veth=256,name:pair*=64,kind:veth/name:pair9=32,name:none*=0'
is "a device that was there before" "$(value_of before)" 256
is "a device of another kind has nothing" "$(value_of lo)" 0
ip link add c0 type veth peer name c1
is "one end of a new pair" "$(value_of c0)" 256
is "the other end" "$(value_of c1)" 256
ip link add pair0 type veth peer name pair9
is "a name is stronger than a kind" "$(value_of pair0)" 64
is "both are stronger than a name" "$(value_of pair9)" 32
ip link add none0 type veth peer name other0
is "0 takes a device out" "$(value_of none0)" 0
ip netns add there
ip -n there link add n0 type veth peer name n1
is "in other namespaces too" "$(nsenter --net=/run/netns/there xhroomctl -j show n0 |
	sed -n 's/.*"tx_extra_headroom": *\([0-9]*\).*/\1/p')" 256
xhroomctl -s set c0 16
ip link set c0 netns there
is "a move does not apply policies again" "$(nsenter --net=/run/netns/there xhroomctl -j show c0 |
	sed -n 's/.*"tx_extra_headroom": *\([0-9]*\).*/\1/p')" 16
xhroomctl -s clear c1
ip link set c1 netns there
is "nor to a device that was cleared" "$(nsenter --net=/run/netns/there xhroomctl -j show c1 |
	sed -n 's/.*"tx_extra_headroom": *\([0-9]*\).*/\1/p')" 0
ip netns del there
module_unload

module_load tx_headroom=kind:ipvlan=16
ok "hooks are in place before the first device" hooked_by direct
module_unload

module_load "tx_headroom=name:$(printf '%0127d' 0)=1,kind:$(printf '%055d' 0)=1"
is "the longest names are shown" "$(xhroomctl policy | grep -c 000)" 2
ok "and cleared" xhroomctl policy clear all
module_unload

# 7.3 does not let anybody switch ftrace off.
if sysctl -qw kernel.ftrace_enabled=0 2>/dev/null; then
	module_load tx_headroom=kind:veth=256
	sysctl -qw kernel.ftrace_enabled=1
	not_ok "hooks that could not be had at load" hooked_by direct
	ok "a change of the policy's other settings" xhroomctl policy set kind:veth tx-head slab
	ok "has them attached" hooked_by direct
	ip link add late0 type veth peer name late1
	is "and devices get their value" "$(value_of late0)" 256
	ip link del late0
	module_unload
else
	skip "hooks that could not be had at load" "ftrace cannot be switched off"
fi

# An fexit program makes the call at the function's entry a jump on 7.3.
fentry $PROGS/fexit.bpf.o >/run/fexit 2>&1 & FEXIT=$!
ok "a BPF fexit program on a function that is hooked" retry 10 grep -q attached /run/fexit
module_load
ok "shares it" xhroomctl set before 256
ok "by ftrace" sh -c 'xhroomctl status | grep "^packet_sendmsg " | grep -q "by ftrace"'
ok "and others are called directly" hooked_by direct
kill $FEXIT
wait $FEXIT
module_unload

module_load features=none
ok "a feature that is left out says so" sh -c 'xhroomctl status | grep -q "left out by the features parameter"'
exits "and cannot be used" 2 xhroomctl set before 256
module_unload

for how in direct ftrace; do
	module_load backend=$how
	xhroomctl -s set before 256
	ok "backend=$how is what is used" hooked_by $how
	module_unload
done
done_testing
