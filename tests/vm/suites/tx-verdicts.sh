#!/bin/bash
# vm: timeout=400
# A load for heads that are page fragments: packets of all sizes from many sockets
# at once, and XDP on the other end that decides at random for each of them, native
# and generic, while the value comes and goes, programs change and a tap looks on.
# What arrives, wherever, has the bytes that were sent; at the end nothing is left.
#
# With an argument, native XDP for that many minutes, otherwise for some seconds.
. /lab/lib.sh
. /lab/tx.sh

MINUTES=${1:-}
# Seconds; each command takes some on the debugging kernel.
STEADY=2
[ -z "$MINUTES$DEBUG" ] || STEADY=15
PIN=/sys/fs/bpf/random
OUT=$TX_TMP/out

in_peer() { nsenter --net=/run/netns/peer "$@"; }

pair_up
pair_up veth2 veth3 peer 1
for dev in veth0 veth2; do ip link set $dev mtu 9000; done
for dev in veth1 veth3; do ip -n peer link set $dev mtu 9000; done
# Checksums are complete when a packet leaves: redirecting drops the promise to
# fill them in.
ethtool -K veth0 tx-checksumming off >/dev/null
sysctl -qw net.ipv4.ping_group_range='0 2147483647'
ok "the XDP programs load" bpftool prog loadall $PROGS/xdprandom.bpf.o $PIN pinmaps $PIN

# xdp_on MODE PROGRAM DEV [COMMAND to run it by], xdp_off MODE DEV [COMMAND]
xdp_on() { "${@:4}" bpftool net attach "$1" pinned "$PIN/$2" dev "$3" overwrite; }
xdp_off() { "${@:3}" bpftool net detach "$1" dev "$2"; }
# u32 N: as bpftool wants its bytes.
u32() { echo $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) 0; }

# Frames that XDP sends or redirects to a veth need native XDP on its other end.
ok "native XDP on veth0" xdp_on xdpdrv xdp_pass_frags veth0
ok "native XDP on veth2" xdp_on xdpdrv xdp_pass_frags veth2
# shellcheck disable=SC2046 # words
in_peer bpftool map update pinned $PIN/head_devmap key 0 0 0 0 \
	value $(u32 "$(ip -n peer -o link show veth3 | cut -d: -f1)")
# shellcheck disable=SC2046
for i in 0 1; do bpftool map update pinned $PIN/head_cpumap key $i 0 0 0 value $(u32 512); done

# How often each verdict was given so far: "DROP N", ...
verdicts()
{
	bpftool map dump pinned $PIN/head_verdicts | awk '
		BEGIN { split("DROP PASS TX DEVMAP CPUMAP XSKMAP", name, " ") }
		match($0, /"value": *[0-9]+/) {
			v = substr($0, RSTART, RLENGTH)
			sub(/.* /, "", v)
			print name[++n], v
		}'
}

# count_up: keeps what the counters of veth0 say, which go with its value.
count_up() { xhroomctl -j stats veth0 >>$OUT.counters; }
counted() { grep -o "\"$1\":[0-9]*" $OUT.counters | awk -F: '{ n += $2 } END { print n + 0 }'; }

SITES='udp4 udp4-connected udp4-cork udp4-more udp4-gso udp4-zerocopy udp4-splice udp4-sendfile udp4-uring
	udp6 udp6-connected udp6-more udp6-gso udp6-splice ping4 ping6 raw4 raw4-header raw6 raw6-header
	packet-raw packet-raw-bypass packet-raw-vnet packet-dgram ring1 ring2 ring3 spkt'
# Cannot segment without the device's checksums.
[ $KERNEL != 6.1 ] || SITES=${SITES//udp?-gso/}
# What does not fit a page, and what just does.
LARGE='udp4 udp4-more udp6 udp6-more ping4 raw6 packet-raw'
PAGE='xdp xdp-sg xdp-meta-sw xdp-meta-idle ring2 udp4 packet-raw-vnet'

# Until they are told to stop.
senders()
{
	local pid bad=0 pids=()
	# shellcheck disable=SC2086 # lists
	{
		txsend -k -v -n 20 -t 1000000 -s 1472 -T veth0=0 $SITES & pids+=($!)
		txsend -k -v -n 10 -t 1000000 -s 8900 -T veth0=0 $LARGE & pids+=($!)
		txsend -k -v -n 20 -t 1000000 -s 3800 -T veth0=0 $PAGE & pids+=($!)
	}
	echo "${pids[@]}" >"$1"
	for pid in "${pids[@]}"; do wait "$pid" || bad=1; done
	return $bad
}
export -f senders
export SITES LARGE PAGE

# churn MODE SECONDS: all that may change under traffic, one after the other, for at
# least that long. Most of the time nothing does, and no tap is there: then heads
# stay what they are.
churn()
{
	local end=$((SECONDS + $2)) minute=$((SECONDS + 60)) head=''
	while [ $SECONDS -lt $end ]; do
		# With generic XDP, automatic is slab memory.
		[ "$head" = page-frag ] && [ "$1" = xdpdrv ] && head=auto || head=page-frag
		xhroomctl set veth0 256 tx-head $head || echo "failed: $head"
		sleep $STEADY
		count_up
		xhroomctl clear veth0 || echo "failed: clear"
		xhroomctl set veth0 256 tx-head page-frag || echo "failed: set"
		rxcheck -f -o -d veth0 sleep 1 2>&1 | sed 's/^veth0 /tap /'
		xhroomctl set veth0 256 tx-head slab || echo "failed: slab"
		xdp_off "$1" veth1 in_peer || echo "failed: detach"
		xdp_on "$1" xdp_random veth1 in_peer || echo "failed: attach"
		[ $SECONDS -lt $minute ] || {
			note "$((SECONDS - end + $2)) seconds: $(verdicts | paste -sd ' ')" >&3
			minute=$((SECONDS + 60))
		}
	done
}
exec 3>&1

given() { verdicts | awk '{ n += $2 } END { print n + 0 }'; }
more_given() { [ "$(given)" -gt "$1" ]; }

# load MODE SECONDS: leaves in $OUT and $OUT.churn what was said.
load()
{
	local pid
	: >$OUT.counters
	: >$OUT.churn
	rm -f $OUT.pids
	xdp_on "$1" xdp_random veth1 in_peer || fail "$1 is attached"
	xhroomctl set veth0 256 tx-head page-frag
	verdicts >$OUT.before
	headroom reset
	in_peer rxcheck -f -u -x $PIN/head_xskmap -d veth1 nsenter --net=/proc/1/ns/net \
		rxcheck -f -d veth0 -d veth2 bash -c "senders $OUT.pids" >$OUT 2>&1 &
	pid=$!
	retry 60 more_given "$(($(given) + 20))" || fail "$1 gets packets"
	churn "$1" "$2" >$OUT.churn 2>&1
	# shellcheck disable=SC2046 # words
	kill $(cat $OUT.pids)
	wait $pid
	xdp_off "$1" veth1 in_peer
	count_up
	xhroomctl clear veth0
}

# checked LABEL LEAST: the last load. Each verdict was given, and something arrived
# wherever it can, at least that many times. Queues may be full, nothing else may fail.
checked()
{
	local label=$1 least=$2 errors="No buffer space available"
	is "$label: nothing failed" "$(cat $OUT $OUT.churn | grep -vE "^sent|^skip|packets [0-9]+ bad|$errors")" ""
	is "$label: what arrives is what was sent" "$(cat $OUT $OUT.churn | grep -E ' bad [^0]')" ""
	is "$label: something arrives everywhere" "$(cat $OUT $OUT.churn | awk -v least="$least" '
		/ packets [0-9]+ bad / { n[$1] += $3 }
		END {
			split("veth0 veth1 veth2 xsk udp tap", want, " ")
			for (i in want) if (n[want[i]] < least) print want[i], n[want[i]] + 0
		}')" ""
	verdicts | paste -d' ' $OUT.before - | awk '{ print $3, $4 - $2 }' >$OUT.verdicts
	is "$label: every verdict is given" "$(wc -l <$OUT.verdicts) $(awk -v least="$least" '$2 < least' $OUT.verdicts)" "6 "
	note "$(awk '$1 == "sent" { n += $7 } END { print n }' $OUT) sent, $(paste -sd ' ' $OUT.verdicts);" \
		"$(grep -h ' packets ' $OUT | tr '\n' ';') $(counted tx_page_frags) page fragments"
}

# at_xdp WHERE: packets that native XDP on the other end was given, or copied.
at_xdp() { headroom show | awk -v w="$1" '$1 == "veth1" && $2 == w { n += $5 } END { print n + 0 }'; }

# native HOW-LONG SECONDS
native()
{
	local given begun=$SECONDS
	load xdpdrv "$2"
	given=$(at_xdp native)
	note "$((SECONDS - begun)) seconds of load"
	checked "native, $1" 20
	between "native, $1: heads come from page fragments" "$(counted tx_page_frags)" 100 100000000
	between "native, $1: XDP takes them as they are" $((given - $(at_xdp copy))) 100 100000000
	note "$(at_xdp copy) of $given packets were copied"
}

ok "the measuring programs load" tx_setup native
ok "the module loads" module_load
# Hooks stay when veth0 is cleared. That they come and go is for tx-churn.
xhroomctl set veth2 64

# All that grows once has grown.
STEADY=1 load xdpdrv 1
STEADY=1 load xdpgeneric 1
shrink_slabs
before=$(used) before_skbs=$(skbs)

if [ -z "$MINUTES" ]; then
	native "some seconds" 6
else
	native "$MINUTES minutes" $((60 * MINUTES))
fi
load xdpgeneric 3
checked "generic" 20
between "generic: heads come from page fragments" "$(counted tx_page_frags)" 100 100000000

# --- what is left ---------------------------------------------------------------------------

ethtool -K veth0 tx-checksumming on >/dev/null
xhroomctl set veth0 256 tx-head page-frag
# Nobody answers.
drop_on peer veth1
ok "all socket memory comes back" txsend -n 10 -T veth0=0 $SITES
xhroomctl clear veth0
shrink_slabs
ok "no memory is lost" retry 20 not_lost "$before" 2048
note "$(($(used) - before)) KiB more than before"
few_skbs() { shrink_slabs; [ $(($(skbs) - before_skbs)) -le 64 ]; }
ok "no packet is lost" retry 20 few_skbs
note "$before_skbs packets before, $(skbs) now"
if [ -n "$(fragment_pages)" ]; then
	# Eight of either kind on each processor.
	between "of the pages of heads no more are left than are kept" "$(fragment_pages)" 1 $((16 * $(nproc)))
	range=$(fragment_range)
	ok "the module can be removed" module_unload
	pages_gone() { [ "$(fragment_pages "$range")" = 0 ]; }
	ok "no page of heads is left" retry 10 pages_gone
	note "$(fragment_pages "$range") pages are left"
fi
xdp_off xdpdrv veth0
xdp_off xdpdrv veth2
rm -r $PIN
ip link del veth0
ip link del veth2
ip netns del peer
done_testing
