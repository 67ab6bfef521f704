#!/bin/bash
# What a UDP datagram is charged to the socket that it waits in, and what memory
# it holds there, by value and kind of head. Prints "row SIZE[-one-in-K] VARIANT
# HELD CHARGED", in bytes per datagram.
# shellcheck disable=SC2154 # of lib.sh
. /lab/bench/lib.sh

# Of fewer it cannot be told what they hold, and what comes and goes meanwhile.
[ "$n" -ge 4000 ] || n=4000

pair_up
sysctl -qw net.ipv4.udp_mem='2000000 2000000 2000000'
settle

measure()
{
	local size bytes
	for size in 64 512 1472 4000; do
		bytes=$(udphold "$n" "$size" 1 peer 10.0.0.2) || exit 1
		echo "row $size $1 $bytes"
	done
	bytes=$(udphold "$n" 64 8 peer 10.0.0.2) || exit 1
	echo "row 64-one-in-8 $1 $bytes"
}

measure stock
module_load || exit 1
for value in 64 256; do
	for head in slab page-frag; do
		xhroomctl set veth0 $value tx-head $head || exit 1
		measure $value-$head
	done
done
