#!/bin/bash
# The guest's half of "make bench": instructions per operation, for each load,
# with the stock kernel (module not loaded), the module loaded and idle, another
# device configured, and the load's own device configured; the latter two with
# each way of hooking. Prints "row LOAD VARIANT INSTRUCTIONS". What a pair of veths
# costs to create is measured in stock, idle, and with a policy for veths.
#
# All variants are measured in each round, so that what drifts during a boot
# drifts for all. The smallest of the rounds counts: interrupts and housekeeping
# only ever add.
#
# bench.sh ROUNDS N LOAD...

. /lab/lib.sh
rounds=$1 n=$2
shift 2

# veth1's end drops UDP, and answers TCP.
pair_up
ip netns exec peer tc qdisc add dev veth1 clsact
ip netns exec peer tc filter add dev veth1 ingress protocol ip u32 match ip protocol 17 0xff action drop
ip netns exec peer tc filter add dev veth1 ingress protocol 0xffff matchall action drop 2>/dev/null
ip link add other0 type dummy
ip link set other0 up

declare -A best
loads=" $* "
pairs=100

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
	for load in ${loads/ veth-pair / }; do
		t=$(run_load "$load") || exit 1
		t=$(((t + n / 2) / n))
		best_of "$load $1" "$t"
	done
}

# best_of KEY INSTRUCTIONS
best_of() { [ -n "${best[$1]}" ] && [ "${best[$1]}" -le "$2" ] || best[$1]=$2; }

for ((i = 0; i < pairs; i++)); do
	echo "link add near$i type veth peer name far$i"
done >/tmp/create
sed 's/add \(near[0-9]*\).*/del \1/' /tmp/create >/tmp/delete

# create VARIANT: a pair of veths
create()
{
	local from to
	[[ $loads = *" veth-pair "* ]] || return 0
	from=${EPOCHREALTIME/./}
	ip -batch /tmp/create || exit 1
	to=${EPOCHREALTIME/./}
	best_of "veth-pair $1" $(((to - from) * 1000 / pairs))
	ip -batch /tmp/delete || exit 1
	sleep 1
}

idle() { xhroomctl status | grep -q available; }

sleep 15	# router solicitations, duplicate address detection
measure warm
create warm
for ((round = 0; round < rounds; round++)); do
	measure stock
	create stock
	for how in direct ftrace; do
		module_load backend=$how || exit 1
		sleep 2
		[ $how = ftrace ] || { measure idle && create idle; } || exit 1
		xhroomctl set other0 256 || exit 1
		measure other-$how
		xhroomctl clear other0
		xhroomctl set veth0 256 || exit 1
		measure own-$how
		[ $how = ftrace ] || { xhroomctl policy set kind:veth 256 && create policy; } || exit 1
		module_unload || exit 1
	done
	echo "round $round"
done
for key in "${!best[@]}"; do echo "row $key ${best[$key]}"; done
