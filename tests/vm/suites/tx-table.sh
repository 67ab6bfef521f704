#!/bin/bash
# vm: timeout=180
# The main job: a TC egress program that pushes 20 bytes makes the kernel
# reallocate the head of every datagram, and with extra headroom of none.
. /lab/lib.sh
N=${N:-2000}

grown() { count_calls pskb_expand_head udpblast -n "$N" -s 64 10.0.0.2 9; }

pair_up
drop_on peer veth1
push_on veth0
between "stock: every head is reallocated" "$(grown)" "$N" $((N + 3))
module_load
between "loaded: as stock" "$(grown)" "$N" $((N + 3))
for value in 64 128 256; do
	ok "set $value" xhroomctl set veth0 $value
	is "value $value: none" "$(grown)" 0
done
push_off veth0
is "256 and no program: none" "$(grown)" 0
push_on veth0
ok "set 0" xhroomctl set veth0 0
between "value 0: as stock" "$(grown)" "$N" $((N + 3))
ok "set again" xhroomctl set veth0 256
is "none again" "$(grown)" 0
ok "clear" xhroomctl clear veth0
between "cleared: as stock" "$(grown)" "$N" $((N + 3))
done_testing
