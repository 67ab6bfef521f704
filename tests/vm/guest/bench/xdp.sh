#!/bin/bash
# XDP on the peer, native and generic: copies and reallocations, and instructions,
# of packets from each kind of socket. The stock kernel; 256 with heads from slab
# memory and with page fragments; and needed_headroom raised to 256 instead.
# shellcheck disable=SC2154 # of lib.sh
. /lab/bench/lib.sh
. /lab/tx.sh

PIN=/sys/fs/bpf/head
SITES='udp4 udp6 raw4 raw6 packet-raw ring2 xdp'

pair_up
bridge_up
drop_on peer veth1	# what the program passes
bpftool prog loadall $PROGS/xdphead.bpf.o $PIN pinmaps $PIN || exit 1

send() { txsend -c -s 64 -n "$n" -T veth0=0 "$@"; }

# each_program COMMAND...: COMMAND... ROW-PREFIX, with each program in each mode
each_program()
{
	local mode prog
	for mode in drv generic; do
		for prog in drop pass; do
			in_peer bpftool net attach xdp$mode pinned $PIN/xdp_$prog dev veth1 || exit 1
			"$@" "$mode-$prog"
			in_peer bpftool net detach xdp$mode dev veth1 || exit 1
		done
	done
}

instructions_with()
{
	local what site dev t
	# shellcheck disable=SC2086 # a list
	send $SITES >/tmp/out || { cat /tmp/out; exit 1; }
	while read -r what site dev t; do
		[ "$what" != time ] || best_of "$2-$site" "$1" "$t"
	done </tmp/out
}
instructions() { each_program instructions_with "$1"; }

# A reallocation counts wherever it is.
copies_with()
{
	local site
	for site in $SITES; do
		headroom reset
		send "$site" >/tmp/out || { cat /tmp/out; exit 1; }
		calls_of "$2-$site" "$1" "$(headroom show | awk '$2 == "copy" || $2 == "expand" { c += $5 } END { print c + 0 }')"
	done
}
copies()
{
	each_program copies_with "$1"
	headroom reset
	udpblast -n 1 10.0.0.2 9 >/dev/null
	has_needed "$2"
}

with_module()
{
	xhroomctl set veth0 256 tx-head slab || exit 1
	sleep 2
	"$1" slab 0
	xhroomctl set veth0 256 tx-head page-frag || exit 1
	"$1" page-frag 0
}

settle
instructions warm
for ((round = 0; round < rounds; round++)); do all instructions; done
tx_setup native
headroom egress veth0
all copies
print_rows
