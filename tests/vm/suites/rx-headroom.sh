#!/bin/bash
# vm: timeout=200
# The headroom threshold (xdp-headroom-min): packets with 192 to 255 bytes of headroom
# reach native XDP on veth and generic XDP on any device without a copy where the
# value allows it, and with a copy, as in stock, where it does not; whatever XDP does
# with them, they come out as in stock; what somebody else has is never touched.
. /lab/lib.sh
. /lab/rx.sh

ok "devices, programs and packets" rx_setup
N=20

native="dev=veth0 how=tx n=$N"
generic="how=rx n=$N"

# --- stock ------------------------------------------------------------------------------------

mode xdpdrv
xdp_on xdpdrv head/xdp_drop veth1
xdp_on xdpgeneric head/xdp_drop dummy0
for h in 192 255; do
	is "stock, native: each packet with $h bytes is copied" "$(copies $native headroom=$h)" $N
	g=$((h < STOCK_GENERIC ? h : STOCK_GENERIC - 1))
	is "stock, generic: each packet with $g bytes is copied" "$(copies dev=dummy0 $generic headroom=$g)" $N
done
is "stock, native: none with 256 bytes" "$(copies $native headroom=256)" 0
is "stock, generic: none with 256 bytes" "$(copies dev=dummy0 $generic headroom=256)" 0

# --- what XDP does with them: first in stock ------------------------------------------------------

# Frames with 192 bytes of headroom: linear, of several sizes, a clone, a tag, slab memory, in
# fragments, in a list, segments.
FORMS='size=60|size=61|size=106|size=1514|size=2000|size=3000 tailroom=64|vlan=100|clone=1|slab=1
	size=1514 linear=200|size=9000 linear=100 frags=3|size=9000 linear=200 frags=17|size=1514 linear=200 list=1
	size=3000 linear=300 shared=1|size=1514 linear=200 clone=1|size=4000 linear=100 frags=2 gso=1000 vlan=7'

# arrive DEV: all of them, one form after the other, and what arrives on DEV.
arrive()
{
	rxsum "$1" bash -c '
		IFS="|
"
		for form in $1; do
			echo "dev=veth0 how=tx headroom=192 n=3 $form" >/sys/kernel/debug/xhr_inject/send || exit
		done' - "$FORMS" 2>$RX_TMP/err
	[ ! -s $RX_TMP/err ] || note "$(cat $RX_TMP/err)"
}

# verdict N: that of the programs of xdpadjust.
verdict() { bpftool map update pinned $RX_PIN/adjust/adjust_verdict key 0 0 0 0 value "$1" 0 0 0; }

# adjusts DEV: each case of xdpadjust, what the helpers say of it, and what arrives on DEV.
adjusts()
{
	rxsum "$1" bash -c 'echo "dev=veth0 how=tx headroom=192 tailroom=64 number=1 n=1602 size=400" >/sys/kernel/debug/xhr_inject/send'
}
results() { bpftool -j map dump pinned $RX_PIN/adjust/adjust_results | tr '}' '\n' | sed -n 's/.*"ret":\(-\?[0-9]*\),"len":\([0-9]*\).*/\1 \2/p' | head -1602; }

# every NAME: all of it, into files of that name.
every()
{
	local mode prog dev
	for mode in xdpdrv xdpgeneric; do
		mode $mode
		for prog in pass scribble front tx devmap cpumap; do
			case $prog in tx) dev=veth0 ;; devmap) dev=veth3 ;; *) dev=veth1 ;; esac
			xdp_on $mode head/xdp_$prog veth1
			arrive $dev >"$RX_TMP/$1.$mode.$prog"
		done
		verdict 0
		xdp_on $mode adjust/xdp_adjust veth1
		adjusts veth1 >"$RX_TMP/$1.$mode.adjust"
		results >"$RX_TMP/$1.$mode.results"
		xdp_off $mode veth1
	done
}
every stock
for i in $RX_TMP/stock.*; do
	between "there is something to compare: ${i##*stock.}" "$(wc -l <"$i")" 20 2000
done
like "stock: nothing that somebody else has was changed" "$(held)" "^held [1-9][0-9]* changed 0$"

# --- the threshold ----------------------------------------------------------------------------

mode xdpdrv
xdp_on xdpdrv head/xdp_drop veth1
ok "the module loads" module_load
is "loading hooks nothing" "$(hooked)" ""
is "and changes no function's text" "$(touched)" ""
mkdir -p /dev/net
[ -e /dev/net/tun ] || mknod /dev/net/tun c 10 200
modprobe tun
ip tuntap add tun0 mode tap
ip link set tun0 up
xdp_on xdpgeneric head/xdp_drop dummy0
xdp_on xdpgeneric head/xdp_drop tun0
for dev in veth1 dummy0 tun0; do
	case $dev in
	veth1) path=$native stock=256 ;;
	*) path="dev=$dev $generic" stock=$STOCK_GENERIC ;;
	esac
	for min in 192 225 255; do
		ok "$dev: xdp-headroom-min $min" xhroomctl set $dev xdp-headroom-min $min
		is "$dev, $min: no packet with as much headroom is copied" "$(copies $path headroom=$min)" 0
		less=$((min - 1 < stock ? min - 1 : stock - 1))
		is "$dev, $min: each packet with $less bytes is copied" "$(copies $path headroom=$less)" $N
	done
	ok "$dev: the default" xhroomctl clear $dev
	is "$dev, default: each packet with 192 bytes is copied" "$(copies $path headroom=192)" $N
done
ok "nothing is hooked any more" retry 10 eval '[ -z "$(hooked)" ]'
is "and each function has its own text again" "$(touched)" ""

# The hook that others have, too, on some kernels.
xhroomctl set veth0 auto
is "a device that learns: nothing is hooked for those that receive" "$(touched | grep -E "$RX_HOOKED")" ""
is "and each packet with 192 bytes is copied" "$(copies dev=dummy0 $generic headroom=192)" $N
xhroomctl set dummy0 xdp-headroom-min 192
like "with a threshold something is" "$(touched)" "$RX_HOOKED"
is "and none is copied" "$(copies dev=dummy0 $generic headroom=192)" 0
xhroomctl clear veth0
ok "learning ends" retry 10 eval '! touched | grep -q skb_realloc_headroom'
is "the threshold counts as before" "$(copies dev=dummy0 $generic headroom=192)" 0
xhroomctl set veth0 auto
xhroomctl clear dummy0
ok "the other way round: the receive side lets go" retry 10 eval '! touched | grep -qE "$RX_HOOKED"'
like "the one that learns does not" "$(touched)" "pskb_expand_head"
is "each packet with 192 bytes is copied" "$(copies dev=dummy0 $generic headroom=192)" $N
xhroomctl clear veth0
ok "and then nothing is hooked" retry 10 eval '[ -z "$(touched)" ]'

# --- which packets ----------------------------------------------------------------------------

xhroomctl set veth1 xdp-headroom-min 192
xhroomctl set dummy0 xdp-headroom-min 192
# counted DEV: "KEPT SHARED NONLINEAR HEADROOM HEAD" since it was asked last.
declare -A last
counted()
{
	local now i before
	# shellcheck disable=SC2207 # numbers
	now=($(xhroomctl -j stats "$1" | sed 's/.*"xdp_kept"//; s/[^0-9]\+/ /g'))
	read -ra before <<<"${last[$1]:-0 0 0 0 0}"
	last[$1]=${now[*]}
	for i in {0..4}; do now[i]=$((now[i] - before[i])); done
	COUNTED=${now[*]}
}
# becomes DEV WORDS COUNTS: packets of a form are counted so.
becomes()
{
	local path="dev=$1 $generic"
	[ "$1" != veth1 ] || path=$native
	# shellcheck disable=SC2086 # words
	inject $path $2
	sleep 0.1
	counted "$1"
	is "$1, $2: kept, copied as shared, nonlinear, for headroom, for the head" "$COUNTED" "$3"
}
for dev in veth1 dummy0; do
	counted $dev
	becomes $dev "headroom=192" "$N 0 0 0 0"
	becomes $dev "headroom=192 size=1514 linear=200" "0 0 $N 0 0"
	becomes $dev "headroom=192 size=1514 linear=200 list=1" "0 0 $N 0 0"
	becomes $dev "headroom=191" "0 0 0 $N 0"
	becomes $dev "headroom=192 clone=1" "0 $N 0 0 0"
	becomes $dev "headroom=192 clone=1 size=1514 linear=200" "0 $N 0 0 0"
	becomes $dev "headroom=256" "0 0 0 0 0"
done
becomes veth1 "headroom=192 slab=1" "0 0 0 0 $N"
becomes veth1 "headroom=256 slab=1" "0 0 0 0 $N"
becomes dummy0 "headroom=192 slab=1" "$N 0 0 0 0"
is "nothing that somebody else has was changed" "$(held)" "held $((N * 8)) changed 0"

# A queue without a program.
xdp_off xdpdrv veth1
ethtool -K veth1 gro on
is "GRO alone: each packet arrives as it was sent" \
	"$(rxcheck -d veth1 -n $N sh -c "echo $native headroom=192 >/sys/kernel/debug/xhr_inject/send")" "packets $N bad 0"
ethtool -K veth1 gro off

# --- what XDP does with them: as in stock --------------------------------------------------------

every ours
for i in $RX_TMP/stock.*; do
	i=${i##*stock.}
	case $i in *.results | *.adjust) continue ;; esac
	ok "$i: what arrives is what arrives in stock" cmp "$RX_TMP/stock.$i" "$RX_TMP/ours.$i"
done
# At its ends a packet has other room than its copy would have. What the helpers can do they
# do as in stock, and beyond that they say so.
for mode in xdpdrv xdpgeneric; do
	paste -d' ' $RX_TMP/stock.$mode.{results,adjust} $RX_TMP/ours.$mode.{results,adjust} >$RX_TMP/all
	is "$mode: each of 1602 cases has arrived, in stock and with us" "$(awk 'NF == 10' $RX_TMP/all | wc -l)" 1602
	is "$mode: what the helpers say is what they say in stock, or about room" \
		"$(awk '$1 != $6 && $1 != -22 && $6 != -22 || $1 == $6 && $2 != $7 { print NR - 1 ": " $0 }' $RX_TMP/all | head -5)" ""
	is "$mode: if it is the same, what arrives is the same" \
		"$(awk '$1 == $6 && ($3 != $8 || $4 != $9 || $5 != $10) { print NR - 1 ": " $0 }' $RX_TMP/all | head -5)" ""
	between "$mode: it mostly is" "$(awk '$1 == $6' $RX_TMP/all | wc -l)" 1100 1602
	is "$mode: 152 bytes in front, and not one more" \
		"$(sed -n '148p;149p' $RX_TMP/ours.$mode.results | cut -d' ' -f1 | tr '\n' ' ')" "-22 0 "
	is "$mode: 64 bytes behind" "$(sed -n 1166p $RX_TMP/ours.$mode.results)" "0 465"
done
like "nothing that somebody else has was changed" "$(held)" "^held [1-9][0-9]* changed 0$"
between "packets were kept" "$(counter xdp_kept veth1)" 1000 20000

# --- settings ---------------------------------------------------------------------------------

of() { xhroomctl -j show "$1" | sed -n 's/.*"xdp_headroom_min":\([0-9]*\).*/\1/p'; }
for i in 191 257 1 4294967295; do
	exits "$i is refused" 2 xhroomctl set veth1 xdp-headroom-min $i
	like "$i: in words" "$(xhroomctl set veth1 xdp-headroom-min $i 2>&1)" "xdp-headroom-min: .*out of range"
done
is "nothing has changed" "$(of veth1)" 192
like "show says what programs can add" "$(xhroomctl show veth1)" "xdp-headroom-min 192 bytes .152 for programs to add."
ok "0 is the default" xhroomctl set veth1 xdp-headroom-min 0
is "which is 256" "$(of veth1)" 256
ok "by policy" xhroomctl policy set kind:veth xdp-headroom-min 200
ip link add p0 type veth peer name p1
is "a new device has it" "$(of p0) $(of p1) $(of veth0)" "200 200 256"
ok "the policy goes" xhroomctl policy clear kind:veth
ip link del p0
xhroomctl clear dummy0
module_unload

not_ok "a wrong parameter: refused" modprobe xdp_skbext xdp_headroom_min=191
ok "a wrong parameter: named" log_has "xdp_headroom_min=191: expected 192 to 256 bytes"
module_load xdp_headroom_min=192
mode xdpdrv
xdp_on xdpdrv head/xdp_drop veth1
is "parameter: veth" "$(copies $native headroom=192)" 0
is "parameter: generic" "$(copies dev=dummy0 $generic headroom=192)" 0
is "a device can have another" "$(xhroomctl set veth1 xdp-headroom-min 256; copies $native headroom=192)" $N
is "clear goes back to the parameter's" "$(xhroomctl clear veth1; of veth1; copies $native headroom=192)" "192
0"
module_unload
is "without the module" "$(copies $native headroom=192)" $N
module_load features=tx-headroom
exits "a feature that is left out" 2 xhroomctl set veth1 xdp-headroom-min 192
module_unload

# --- coming and going, under traffic ----------------------------------------------------------

# Each round attaches the hooks twice, and takes them away once with the module.
for mode in xdpdrv xdpgeneric; do
	mode $mode
	xdp_on $mode head/xdp_pass veth1
	rm -f $RX_TMP/enough
	while [ ! -e $RX_TMP/enough ]; do
		modprobe xdp_skbext
		xhroomctl set veth1 xdp-headroom-min 192
		xhroomctl set veth1 xdp-headroom-min 255
		xhroomctl clear veth1
		xhroomctl set veth1 xdp-headroom-min 200
		modprobe -r xdp_skbext
		echo >>$RX_TMP/rounds
	done & churn=$!
	is "$mode: each of 4,000 packets arrives as it was sent" \
		"$(rxcheck -d veth1 -n 4000 sh -c 'for i in $(seq 40); do
			echo dev=veth0 how=tx headroom=192 n=100 >/sys/kernel/debug/xhr_inject/send || exit
			sleep 0.05
		done')" "packets 4000 bad 0"
	touch $RX_TMP/enough
	wait $churn
done
note "while the module came and went $(wc -l <$RX_TMP/rounds) times"
done_testing
