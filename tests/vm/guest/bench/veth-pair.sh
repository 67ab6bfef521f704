#!/bin/bash
# What a pair of veths costs to create: with the stock kernel, with the module
# loaded and idle, and with a policy that gives each veth 256 bytes. N pairs a
# round; the smallest of each hundred counts, since a pair costs the more the more
# there are.
# shellcheck disable=SC2154 # of lib.sh
. /lab/bench/lib.sh

modprobe veth
for ((i = 0; i < n; i++)); do
	echo "link add near$i type veth peer name far$i" >>/tmp/create.$((i / 100))
	echo "link del near$i" >>/tmp/delete
done

declare -A hundred

# create VARIANT
create()
{
	local i from to
	for ((i = 0; i * 100 < n; i++)); do
		from=${EPOCHREALTIME/./}
		ip -batch /tmp/create.$i || exit 1
		to=${EPOCHREALTIME/./}
		t=$(((to - from) * 1000))
		[ -n "${hundred[$1 $i]}" ] && [ "${hundred[$1 $i]}" -le $t ] || hundred[$1 $i]=$t
	done
	ip -batch /tmp/delete || exit 1
	sleep 2
}

sleep 15
create warm
for ((round = 0; round < rounds; round++)); do
	create stock
	module_load || exit 1
	sleep 2
	create idle
	xhroomctl policy set kind:veth 256 || exit 1
	create policy
	module_unload || exit 1
	sleep 2
	create again
done
for variant in stock again idle policy; do
	sum=0
	for ((i = 0; i * 100 < n; i++)); do sum=$((sum + ${hundred[$variant $i]})); done
	best_of pair $variant $sum
done
print_rows
