#!/bin/bash
# vm: timeout=300
# AF_XDP in copy mode: what arrives is what was sent, to the byte, with and
# without extra headroom; above all where the kernel is asked for a checksum (TX
# metadata, 6.12 and later), whose place it counts from the head.
. /lab/lib.sh
. /lab/tx.sh

pair_up
# Nobody there answers.
ip -n peer addr flush dev veth1
tx_setup
# So that the kernel computes checksums before the packet leaves veth0.
ethtool -K veth0 tx off >/dev/null
SITES='xdp xdp-full'
[ "$KERNEL" = 6.1 ] || SITES+=' xdp-sg xdp-meta-idle xdp-meta xdp-meta-sw'

# arrive LABEL SITE COUNT [CHURN]: COUNT packets of SITE arrive in good order.
arrive()
{
	local label=$1 site=$2 n=$3 churn=$4 rx
	nsenter --net=/run/netns/peer rxcheck -d veth1 -n "$n" \
		nsenter --net=/proc/1/ns/net txsend -T veth0=0 -n "$n" "$site" >"$TX_TMP/rx" 2>"$TX_TMP/err" &
	rx=$!
	while [ -n "$churn" ] && kill -0 $rx 2>/dev/null; do $churn; done
	wait $rx
	is "$site: all of them arrive as they were sent, $label" "$(cat "$TX_TMP/rx")" "packets $n bad 0"
	[ "$(tail -1 "$TX_TMP/rx")" = "packets $n bad 0" ] || note "$(head -5 "$TX_TMP/err")"
}

for site in $SITES; do arrive stock "$site" 50; done
ok "the module loads" module_load
for x in 0 64 256 512; do
	xhroomctl set veth0 $x
	for site in $SITES; do arrive "value $x" "$site" 50; done
done

# The value changes, and the hooks come and go, while packets are being built.
change() { xhroomctl set veth0 512; xhroomctl clear veth0; xhroomctl set veth0 64; xhroomctl clear veth0; }
for site in $SITES; do arrive "while the value changes" "$site" 1000 change; done
done_testing
