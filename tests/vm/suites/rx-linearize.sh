#!/bin/bash
# vm: timeout=400
# Generic XDP without linearization (xdp-linearize): packets in fragments reach the
# program without a copy, programs see the linear part, and whatever they do to it, what
# comes out is what comes out in stock, or the helper says why not; memory that somebody
# else has is never written to. On 6.1 it is unavailable, and says so.
. /lab/lib.sh
. /lab/rx.sh

ok "devices, programs and packets" rx_setup
if [ "$KERNEL" = 6.1 ]; then
	module_load
	exits "6.1: refused" 2 xhroomctl set veth1 xdp-linearize off
	like "6.1: in words" "$(xhroomctl set veth1 xdp-linearize off 2>&1)" \
		"this kernel has no function skb_cow_data_for_xdp"
	ok "6.1: the default is not" xhroomctl set veth1 xdp-linearize on
	done_testing
fi
mode xdpgeneric
N=50
FRAGS="dev=veth0 how=tx headroom=256"
FORMS='size=1514 linear=200|size=1514 linear=42|size=9000 linear=100 frags=3|size=9000 linear=200 frags=17
	size=3000 linear=300 vlan=100|size=4000 linear=100 frags=2 gso=1000 vlan=7|size=1514 linear=200 slab=1
	size=3000 linear=300 shared=1|size=1514 linear=200 clone=1|size=1514 linear=200 list=1'

arrive()
{
	rxsum "$1" bash -c '
		IFS="|
"
		for form in $1; do
			echo "$2 n=3 $form" >/sys/kernel/debug/xhr_inject/send || exit
		done' - "$FORMS" "$FRAGS" 2>$RX_TMP/err
	[ ! -s $RX_TMP/err ] || note "$(cat $RX_TMP/err)"
}
verdict() { bpftool map update pinned $RX_PIN/$1/adjust_verdict key 0 0 0 0 value "$2" 0 0 0; }
adjusts()
{
	rxsum "$1" bash -c 'echo "$1 number=1 n=1603 size=900 linear=400 frags=2" >/sys/kernel/debug/xhr_inject/send' - "$FRAGS"
}
results() { bpftool -j map dump pinned $RX_PIN/$1/adjust_results | tr '}' '\n' | sed -n 's/.*"ret":\(-\?[0-9]*\),"len":\([0-9]*\).*/\1 \2/p'; }
every()
{
	local prog dev kind
	for prog in pass scribble front tx devmap cpumap; do
		case $prog in tx) dev=veth0 ;; devmap) dev=veth3 ;; *) dev=veth1 ;; esac
		xdp_on xdpgeneric head/xdp_$prog veth1
		arrive $dev >"$RX_TMP/$1.$prog"
	done
	for kind in adjust frags; do
		verdict $kind 0
		xdp_on xdpgeneric $kind/xdp_adjust veth1
		adjusts veth1 >"$RX_TMP/$1.$kind.adjust"
		results $kind >"$RX_TMP/$1.$kind.results"
	done
	xdp_off xdpgeneric veth1
}

every stock
for i in $RX_TMP/stock.*; do
	between "there is something to compare: ${i##*stock.}" "$(wc -l <"$i")" 20 2000
done
xdp_on xdpgeneric head/xdp_pass veth1
is "stock: each packet in fragments is copied" "$(copies $FRAGS n=$N size=1514 linear=200)" $N

ok "the module loads" module_load
ok "off" xhroomctl set veth1 xdp-linearize off
is "off: no packet in fragments is copied" "$(copies $FRAGS n=$N size=1514 linear=200)" 0
is "off: nor one of 9,000 bytes" "$(copies $FRAGS n=$N size=9000 linear=200 frags=17)" 0
for i in shared=1 clone=1 list=1; do
	is "off, $i: each is copied" "$(copies $FRAGS n=$N size=1514 linear=200 $i)" $N
done
is "off: for want of headroom each is copied" "$(copies dev=veth0 how=tx headroom=192 n=$N size=1514 linear=200)" $N
ok "less headroom" xhroomctl set veth1 xdp-headroom-min 192
is "off: then none is" "$(copies dev=veth0 how=tx headroom=192 n=$N size=1514 linear=200)" 0
xhroomctl clear veth1 xdp-headroom-min
ok "frags" xhroomctl set veth1 xdp-linearize frags
is "frags: each is copied for a program without" "$(copies $FRAGS n=$N size=1514 linear=200)" $N
xdp_on xdpgeneric frags/xdp_adjust veth1
is "frags: and none for a program with" "$(copies $FRAGS n=$N size=1514 linear=200)" 0

held >/dev/null
ok "off again" xhroomctl set veth1 xdp-linearize off
every ours
for i in pass scribble front tx devmap cpumap; do
	ok "$i: what arrives is what arrives in stock" cmp $RX_TMP/stock.$i $RX_TMP/ours.$i
done
for kind in adjust frags; do
	paste -d' ' $RX_TMP/stock.$kind.{results,adjust} $RX_TMP/ours.$kind.{results,adjust} >$RX_TMP/all
	is "$kind: each of 1603 cases has arrived" "$(awk 'NF == 10' $RX_TMP/all | wc -l)" 1603
	is "$kind: what the helpers say is what they say in stock, or about room" \
		"$(awk '$1 != $6 && $1 != -22 && $6 != -22 && $6 != -95 || $1 == $6 && $2 != $7 { print NR - 1 ": " $0 }' $RX_TMP/all | head -5)" ""
	is "$kind: if it is the same, what arrives is the same" \
		"$(awk '$1 == $6 && ($3 != $8 || $4 != $9 || $5 != $10) { print NR - 1 ": " $0 }' $RX_TMP/all | head -5)" ""
	is "$kind: writing into a fragment is done in stock, and refused here" \
		"$(sed -n '1603s/\([-0-9]*\) .* \([-0-9]*\) [0-9]* [0-9]* s.*/\1 \2/p' $RX_TMP/all)" "0 -95"
	between "$kind: it mostly is" "$(awk '$1 == $6' $RX_TMP/all | wc -l)" 1000 1602
done
# To a device that cannot send fragments.
xdp_on xdpgeneric head/xdp_devmap veth1
ethtool -K veth2 sg off >/dev/null
is "without scatter-gather: each packet is made linear" \
	"$(count_calls __pskb_pull_tail inject $FRAGS n=$N size=1514 linear=200 2>/dev/null)" $N
arrive veth3 >$RX_TMP/nosg
ok "and arrives as in stock" cmp $RX_TMP/stock.devmap $RX_TMP/nosg
ethtool -K veth2 sg on >/dev/null

like "nothing that somebody else has was changed" "$(held)" "^held [1-9][0-9]* changed 0$"
done_testing
