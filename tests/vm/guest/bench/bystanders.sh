#!/bin/bash
# What must not pay for headroom: TCP in both directions, TCP request and response,
# and what is forwarded. The stock kernel; 256 on each device of the path; and
# needed_headroom raised to 256 instead.
#
#   namespace "src"            here (forwards)               namespace "peer"
#   src0 10.0.1.2 <--> fwd0 10.0.1.1, veth0 10.0.0.1 <--> veth1, port of br0 10.0.0.2
# shellcheck disable=SC2154 # of lib.sh
. /lab/bench/lib.sh
. /lab/tx.sh

pair_up
pair_up fwd0 src0 src 1
bridge_up
drop_udp
sysctl -qw net.ipv4.ip_forward=1
ip -n src route add 10.0.0.0/24 via 10.0.1.1
ip -n peer route add 10.0.1.0/24 via 10.0.0.1
in_src() { nsenter --net=/run/netns/src "$@"; }

LOADS='tcp-bulk tcp-bulk-back tcp-rr forward-tcp-bulk forward-tcp-rr forward-udp-64'
run_load()
{
	case $1 in
	tcp-*) benchload "$1" "$n" peer 10.0.0.2 ;;
	forward-tcp-*) in_src benchload "${1#forward-}" "$n" peer 10.0.0.2 ;;
	forward-udp-64) in_src udpblast -n "$n" 10.0.0.2 9 ;;
	esac
}

# shellcheck disable=SC2086 # a list
instructions() { measure "$1" $LOADS; }

reallocations()
{
	local load
	for load in $LOADS; do
		calls_of "$load" "$1" "$(count_calls pskb_expand_head run_load "$load" 2>/dev/null)"
	done
	headroom reset
	udpblast -n 1 10.0.0.2 9 >/dev/null
	has_needed "$2"
}

with_module()
{
	xhroomctl set veth0 256 && in_peer xhroomctl set veth1 256 && in_peer xhroomctl set br0 256 ||
		exit 1
	sleep 2
	"$1" ours 0
}

settle
instructions warm
for ((round = 0; round < rounds; round++)); do all instructions; done
tx_setup
headroom egress veth0
all reallocations
print_rows
