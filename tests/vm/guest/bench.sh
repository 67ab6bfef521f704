#!/bin/bash
# The guest's half of "make bench": instructions per operation, for each load,
# with the stock kernel (module not loaded), the module loaded and idle, another
# device configured, and the load's own device configured; the latter two with
# each way of hooking. Prints "row LOAD VARIANT INSTRUCTIONS".
#
# All variants are measured in each round, so that what drifts during a boot
# drifts for all. The smallest of the rounds counts: interrupts and housekeeping
# only ever add.
#
# bench.sh ROUNDS N

. /lab/lib.sh
rounds=${1:-3} n=${2:-1000}

# veth1's end drops UDP, and answers TCP.
pair_up
ip netns exec peer tc qdisc add dev veth1 clsact
ip netns exec peer tc filter add dev veth1 ingress protocol ip u32 match ip protocol 17 0xff action drop
ip netns exec peer tc filter add dev veth1 ingress protocol 0xffff matchall action drop 2>/dev/null
ip link add other0 type dummy
ip link set other0 up

declare -A best
loads="udp-64 udp-4000 packet tcp-rr tcp-bulk unix-dgram unix-stream"

run_load()
{
	case $1 in
	udp-64) udpblast -n "$n" 10.0.0.2 9 ;;
	udp-4000) udpblast -n "$n" -s 4000 10.0.0.2 9 ;;
	packet) benchload packet "$n" veth0 ;;
	tcp-*) benchload "$1" "$n" peer 10.0.0.2 ;;
	unix-*) benchload "$1" "$n" ;;
	esac
}

measure()
{
	local load t
	for load in $loads; do
		t=$(run_load "$load") || exit 1
		t=$(((t + n / 2) / n))
		[ -n "${best[$load $1]}" ] && [ "${best[$load $1]}" -le "$t" ] || best[$load $1]=$t
	done
}

idle() { xhroomctl status | grep -q available; }

sleep 15	# router solicitations, duplicate address detection
measure warm
for ((round = 0; round < rounds; round++)); do
	measure stock
	for how in direct ftrace; do
		module_load backend=$how || exit 1
		sleep 2
		[ $how = ftrace ] || measure idle
		xhroomctl set other0 256 || exit 1
		measure other-$how
		xhroomctl clear other0
		xhroomctl set veth0 256 || exit 1
		measure own-$how
		module_unload || exit 1
	done
	echo "round $round"
done
for key in "${!best[@]}"; do echo "row $key ${best[$key]}"; done
