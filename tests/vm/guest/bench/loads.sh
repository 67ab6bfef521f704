#!/bin/bash
# What the module costs those who do not use it, and what a value costs where
# nothing makes use of it: the stock kernel, the module loaded and idle, another
# device configured, and the load's own device configured, the latter two with
# each way of hooking.
# shellcheck disable=SC2154 # of lib.sh
. /lab/bench/lib.sh

pair_up
drop_udp
ip link add other0 type dummy
ip link set other0 up

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

loads=("$@")
settle
measure warm "${loads[@]}"
for ((round = 0; round < rounds; round++)); do
	measure stock "${loads[@]}"
	for how in direct ftrace; do
		module_load backend=$how || exit 1
		sleep 2
		[ $how = ftrace ] || measure idle "${loads[@]}"
		xhroomctl set other0 256 || exit 1
		measure other-$how "${loads[@]}"
		xhroomctl clear other0
		xhroomctl set veth0 256 || exit 1
		measure own-$how "${loads[@]}"
		module_unload || exit 1
	done
	measure again "${loads[@]}"
done
print_rows
