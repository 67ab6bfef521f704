#!/bin/bash
# vm: timeout=900
# Heads that are page fragments (tx-head): what a local socket sends on a veth
# reaches XDP on the other end without a copy, whatever socket it is, where stock
# copies each packet. Whatever XDP then does with it, bytes, pages and socket
# memory come out right; what does not fit, and what a tap holds, goes the stock
# way.
#
# Both ends are in one namespace: the mark by which txsend tells its sites apart
# does not survive a change of namespaces.
. /lab/lib.sh
. /lab/tx.sh

PIN=/sys/fs/bpf/head

modprobe veth
sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0 \
	net.ipv6.conf.default.router_solicitations=0
# ends NEAR FAR NET: addresses at the near end only.
ends()
{
	ip link add "$1" address 02:00:00:00:0"$3":01 type veth peer name "$2" address 02:00:00:00:0"$3":02
	ip link set "$1" addrgenmode none
	ip link set "$2" addrgenmode none
	ip addr add 10.0."$3".1/24 dev "$1"
	ip -6 addr add fd00:0:0:"$3"::1/64 dev "$1" nodad
	ip link set "$1" up
	ip link set "$2" up
	ip neigh replace 10.0."$3".2 lladdr 02:00:00:00:0"$3":02 dev "$1" nud permanent
	ip -6 neigh replace fd00:0:0:"$3"::2 lladdr 02:00:00:00:0"$3":02 dev "$1" nud permanent
}
ends veth0 veth1 0
ends veth2 veth3 1
sysctl -qw net.ipv6.conf.veth1.disable_ipv6=1 net.ipv6.conf.veth3.disable_ipv6=1
ok "the measuring programs load" tx_setup native
headroom egress veth0
ok "the XDP programs load" bpftool prog loadall $PROGS/xdphead.bpf.o $PIN pinmaps $PIN

# xdp_on MODE PROGRAM [DEV], xdp_off MODE [DEV]
xdp_on() { bpftool net attach "$1" pinned "$PIN/$2" dev "${3:-veth1}" overwrite; }
xdp_off() { bpftool net detach "$1" dev "${2:-veth1}"; }

# u32 N: as bpftool wants its bytes.
u32() { echo $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) 0; }

# count WHERE DEV MARK: packets of a site of txsend there.
count() { headroom show | awk -v w="$1" -v d="$2" -v m="$3" '$2 == w && $1 == d && $3 == m { n += $5 } END { print n + 0 }'; }

# mark_of FILE: that of the site of which txsend has written there.
mark_of() { awk '$1 == "sent" { print $3; exit }' "$1"; }

# counter KEY [DEV]
counter() { xhroomctl -j stats "${2:-veth0}" | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"; }

# --- each socket, native and generic XDP ----------------------------------------------

# Segments and TX metadata: their heads are not of the sender's making, or must
# stay as they are. Copied, as in stock.
STOCK_HEADS='.*-gso.*|xdp-meta.*'

# form: "SITE PACKETS" for each site of $TX_TMP/sent: how many of its packets have
# to be copied for their form, being not linear or cloned.
form()
{
	awk -v stock="^($STOCK_HEADS)\$" '
	FNR == NR {
		if ($2 != "native") next
		all[$3] += $5
		if ($10 % 2 || int($10 / 4) % 2 || int($10 / 16) % 2) odd[$3] += $5
		next
	}
	$1 == "sent" { print $2, ($2 ~ stock ? all[$3] : odd[$3]) + 0 }' $TX_TMP/seen $TX_TMP/sent
}

# compare native|generic MODE: "SITE ok" or "SITE what is wrong" for each site, from
# $TX_TMP/sent and $TX_TMP/seen. Modes: "copied": each packet is. "kept": only
# those of $TX_TMP/form, which is what stock made.
compare()
{
	awk -v missing="^($(missing_sites))\$" -v xdp="$1" -v mode="$2" '
	FILENAME ~ /form$/ { odd[$1] = $2; next }
	FILENAME ~ /seen$/ && $2 == "native" { native[$3] += $5 }
	# Generic XDP copies by pskb_expand_head(), or the same way.
	FILENAME ~ /seen$/ && ($2 == "copy" || $2 == "expand" && xdp == "generic" && $1 == "veth1") { copy[$3] += $5 }
	FILENAME ~ /seen$/ { next }
	$1 == "skip" && $2 ~ missing { print $2, "skip" }
	$1 == "skip" && $2 !~ missing { print $2, "not available" }
	$1 == "fail" || $1 == "wmem" { print $2, "txsend: " $0 }
	$1 == "sent" {
		n = xdp == "native" ? native[$3] + 0 : $8
		c = copy[$3] + 0
		want = mode == "kept" ? odd[$2] : n
		if (!$8 || $2 !~ /gso/ && n != $8)
			print $2, $8 " packets sent, native XDP was given " n
		# What is not linear may be reallocated more than once, and segments
		# are not what generic XDP sees.
		else if (xdp == "generic" && (odd[$2] || mode == "copied") ? c < want && $2 !~ /gso/ : c != want)
			print $2, "of " n " packets " c " were copied, expected " want
		else
			print $2, "ok"
	}' $TX_TMP/form $TX_TMP/seen $TX_TMP/sent
}

# all_sites LABEL native|generic MODE
all_sites()
{
	headroom reset
	txsend -n 5 -T veth0=0 '*' >$TX_TMP/sent
	[ "$2" != native ] || retry 5 settled
	headroom show >$TX_TMP/seen
	[ -e $TX_TMP/form ] || form >$TX_TMP/form
	compare "$2" "$3" >$TX_TMP/result
	tx_sites_report "$1" $TX_TMP/result
}
arrived() { headroom show | awk '$2 == "native" && $1 == "veth1" && $3 { n += $5 } END { print n + 0 }'; }
settled() { [ "$(arrived)" -ge "$(awk '$1 == "sent" { n += $8 } END { print n }' $TX_TMP/sent)" ]; }

ok "native XDP on veth1" xdp_on xdpdrv xdp_drop
all_sites "stock, native" native copied
for i in udp4 udp6 udp4-4000 raw4 raw6 raw4-header ping4 packet-raw packet-dgram spkt xdp xdp-full; do
	ok "$i: no packet needs a copy for its form" grep -qx "$i 0" $TX_TMP/form
done
note "sites of which some packets are copied in any case: $(awk '$2 { printf "%s ", $1 }' $TX_TMP/form)"
xdp_off xdpdrv
ok "generic XDP on veth1" xdp_on xdpgeneric xdp_drop
all_sites "stock, generic" generic copied
xdp_off xdpgeneric

ok "the module loads" module_load
xdp_on xdpdrv xdp_drop
ok "256, heads from slab memory" xhroomctl set veth0 256 tx-head slab
all_sites "256 and slab, native" native copied
is "no head came from a page fragment" "$(counter tx_page_frags)" 0
ok "256, automatic" xhroomctl set veth0 256 tx-head auto
all_sites "256 and auto, native" native kept
between "heads came from page fragments" "$(counter tx_page_frags)" 500 5000
# It follows XDP on the other end, and only native XDP.
frags() { local n; n=$(counter tx_page_frags); txsend -n 10 -T veth0=0 udp4 >/dev/null; echo $(($(counter tx_page_frags) - n)); }
is "automatic, native XDP" "$(frags)" 10
xdp_off xdpdrv
is "automatic, no XDP: slab memory" "$(frags)" 0
xdp_on xdpgeneric xdp_drop
is "automatic, generic XDP: slab memory" "$(frags)" 0
xdp_off xdpgeneric
xdp_on xdpdrv xdp_drop veth0
is "automatic, native XDP on this end: slab memory" "$(frags)" 0
xdp_off xdpdrv veth0
xdp_on xdpdrv xdp_drop
is "automatic, native XDP again" "$(frags)" 10
# Learning may begin with nothing.
ok "headroom is learned" xhroomctl set veth0 auto
is "automatic, native XDP, no headroom: slab memory" "$(frags)" 0
ok "256, page fragments" xhroomctl set veth0 256 tx-head page-frag
all_sites "256 and page-frag, native" native kept
ok "0, page fragments: of no use without headroom" xhroomctl set veth0 0 tx-head page-frag
all_sites "0 and page-frag, native" native copied
xdp_off xdpdrv
# There headroom is enough.
xdp_on xdpgeneric xdp_drop
for i in auto slab; do
	ok "256, $i" xhroomctl set veth0 256 tx-head $i
	all_sites "256 and $i, generic" generic kept
done
xdp_off xdpgeneric
ok "clear" xhroomctl clear veth0
xdp_on xdpdrv xdp_drop
all_sites "cleared, native" native copied
xdp_off xdpdrv

# --- what XDP does with them ---------------------------------------------------------

# Checksums are complete from here on when a packet leaves: redirecting drops the
# promise to fill them in, in stock, too.
ethtool -K veth0 tx-checksumming off >/dev/null
# Frames that XDP sends or redirects to a veth need native XDP there, too.
xdp_on xdpdrv xdp_pass veth0
xdp_on xdpdrv xdp_pass veth3
# shellcheck disable=SC2046 # words
bpftool map update pinned $PIN/head_devmap key 0 0 0 0 value $(u32 "$(cat /sys/class/net/veth2/ifindex)")
# A queue that cannot be full.
# shellcheck disable=SC2046
for i in 0 1; do bpftool map update pinned $PIN/head_cpumap key $i 0 0 0 value $(u32 4096); done

# As many packets as a veth's queue surely holds, should its other end be late,
# and a socket buffer that holds them, too.
N=200 ROOM=4000000

# carried LABEL PROGRAM DEV COPIES [RXCHECK-OPTION]: each packet that PROGRAM sees
# arrives at DEV byte by byte, COPIES of $N copied. From each site of $SITES.
carried()
{
	local label=$1 prog=$2 dev=$3 copies=$4 site v6
	shift 4
	xdp_on xdpdrv "$prog"
	for site in $SITES; do
		v6=''
		[ $site != udp6 ] || v6=-6
		[ -z "$v6" ] || [ "$*" != -i ] || continue
		headroom reset
		is "$label, $site: each packet arrives as it was sent" \
			"$(rxcheck $v6 "$@" -d "$dev" -n $N txsend -n $N -b $ROOM -T veth0=0 $site 2>$TX_TMP/err)" "packets $N bad 0"
		[ ! -s $TX_TMP/err ] || note "$(grep -v '^sent' $TX_TMP/err)"
		is "$label, $site: $copies are copied" "$(count copy veth1 "$(mark_of $TX_TMP/err)")" "$copies"
		headroom show | awk -v m="$(mark_of $TX_TMP/err)" '$3 && $3 != m { print "# other: " $0 }'
	done
}

verdicts()
{
	carried "$1: pass" xdp_pass veth1 "$2"
	carried "$1: write" xdp_scribble veth1 "$2" -i
	carried "$1: put something in front" xdp_front veth1 "$2"
	carried "$1: send back" xdp_tx veth0 "$2"
	carried "$1: redirect to a device" xdp_devmap veth3 "$2"
	carried "$1: redirect to a CPU" xdp_cpumap veth1 "$2"
	carried "$1: redirect to an AF_XDP socket" xdp_xskmap veth1 "$2" -x $PIN/head_xskmap
}

# That the measure is right, on stock heads.
SITES="udp4 packet-raw-full xdp"
xhroomctl set veth0 256 tx-head slab
verdicts "slab" $N
SITES="udp4 udp4-connected packet-raw packet-raw-full spkt xdp xdp-full udp6"
xhroomctl set veth0 256 tx-head auto
verdicts "auto" 0

# --- memory ------------------------------------------------------------------------------

# A lost reference keeps 1 KiB for each of these packets: 15 MiB.
for prog in xdp_drop xdp_pass xdp_tx xdp_devmap xdp_cpumap xdp_xskmap; do
	xdp_on xdpdrv $prog
	receiver=
	[ $prog != xdp_xskmap ] || receiver="rxcheck -x $PIN/head_xskmap -d veth1 -n 15000"
	txsend -n 2000 -T veth0=0 udp4 xdp packet-raw-full >/dev/null
	before=$(used)
	ok "$prog: 15,000 packets; the sockets get their memory back" \
		$receiver txsend -n 5000 -T veth0=0 udp4 xdp packet-raw-full
	ok "$prog: no memory is lost" retry 20 not_lost "$before"
	note "$(listed) KiB are in lists of CPUs"
done

# A page is cut up again when its pieces are back: four packets of 64 bytes fit one,
# and no fragment of a large datagram shares one with the next.
for i in __alloc_pages __alloc_pages_noprof __alloc_frozen_pages_noprof; do
	grep -qx $i $TRACING/available_filter_functions && alloc=$i
done
xdp_on xdpdrv xdp_drop
for i in 64 4000; do
	udpblast -n 100 -s $i 10.0.0.2 9 >/dev/null
	between "packets of $i bytes that are done with leave their pages to the next" \
		"$(count_calls "$alloc" udpblast -n 3000 -s $i 10.0.0.2 9 2>/dev/null)" 0 300
done

# What packets that nobody takes hold, with either kind of head. What the debugging
# kernel adds to each piece of memory nobody is charged for.
xdp_off xdpdrv
tc qdisc add dev veth0 root plug limit 1000000000
# held MODE DATAGRAMS SIZE PACKETS: sets HELD and CHARGED, bytes a packet.
held()
{
	local before
	xhroomctl set veth0 256 tx-head "$1"
	headroom reset
	before=$(used)
	txsend -n "$2" -b 500000000 -s "$3" -T veth0=0 udp4 >/dev/null &
	HOLDER=$!
	ok "$1: all packets of $3 bytes wait" retry 60 eval '[ "$(tc -s qdisc show dev veth0 root | sed -n "s/.* \([0-9]*\)p requeues.*/\1/p")" -ge '"$4"' ]'
	HELD=$((($(used) - before) * 1024 / $4))
	CHARGED=$(headroom show | awk '$1 == "veth0" && $2 == "egress" && $3 { n += $5; t += $12 } END { print int(t / n) }')
	kill -KILL $HOLDER 2>/dev/null
	tc qdisc del dev veth0 root
	tc qdisc add dev veth0 root plug limit 1000000000
	wait $HOLDER 2>/dev/null
	note "$1: each of $4 packets that wait holds $HELD bytes, and its socket is charged $CHARGED"
}
[ -z "$DEBUG" ] || skip "packets hold what their sockets are charged" "not on the debugging kernel"
for i in slab page-frag; do
	[ -z "$DEBUG" ] || break
	held $i 25000 64 25000
	between "$i: a packet of 64 bytes holds what its socket is charged" "$HELD" $((CHARGED / 2)) $((CHARGED * 11 / 10))
	# Two fragments: one takes a whole page of fragments, the other a small piece.
	held $i 5000 1552 10000
	between "$i: so do large and small ones in turn" "$HELD" $((CHARGED / 2)) $((CHARGED * 11 / 10))
done
tc qdisc del dev veth0 root
xdp_on xdpdrv xdp_pass
xhroomctl set veth0 256 tx-head auto

# --- a tap on the sender ---------------------------------------------------------------------

# It has a clone of each packet, with the same bytes, and reads it when XDP has
# long written into the other: those are copied, as in stock.
xdp_on xdpdrv xdp_scribble
for site in udp4 packet-raw packet-raw-full spkt; do
	headroom reset
	is "a tap sees what $site sent, not what XDP made of it" \
		"$(rxcheck -l -o -d veth0 -n $N txsend -n $N -b $ROOM -T veth0=0 $site 2>$TX_TMP/err)" "packets $N bad 0"
	[ ! -s $TX_TMP/err ] || note "$(grep -v '^sent' $TX_TMP/err)"
	is "$site, with a tap: each packet is copied" "$(count copy veth1 "$(mark_of $TX_TMP/err)")" $N
done
xdp_off xdpdrv
xdp_off xdpdrv veth0

# --- GRO on the other end ----------------------------------------------------------------------

# It takes the page of a head for the merged packet.
xhroomctl set veth0 tx-head page-frag
ethtool -K veth1 gro on rx-udp-gro-forwarding on >/dev/null
echo 50000000 >/sys/class/net/veth1/gro_flush_timeout
between "GRO merges packets of page fragments" "$(count_calls skb_gro_receive txsend -n $N -T veth0=0 udp4)" $((N / 2)) $N
before=$(used)
ok "GRO: 15,000 packets; the sockets get their memory back" txsend -n 15000 -T veth0=0 udp4
ok "GRO: no memory is lost" retry 20 not_lost "$before"
is "GRO and a tap: it has what was sent" \
	"$(rxcheck -l -o -d veth0 -n $N txsend -n $N -b $ROOM -T veth0=0 udp4 2>$TX_TMP/err)" "packets $N bad 0"
echo 0 >/sys/class/net/veth1/gro_flush_timeout
ethtool -K veth1 gro off rx-udp-gro-forwarding off >/dev/null

# --- room behind the packet ----------------------------------------------------------------------

xdp_on xdpdrv xdp_grow
is "a program has room for 64 bytes behind each packet, whatever its size" \
	"$(for i in 1 30 64 200 1000 1400; do
		rxcheck -d veth1 -n 20 txsend -n 20 -s $i -T veth0=0 udp4 2>$TX_TMP/err
	done | sort | uniq -c | tr -s ' ')" " 6 packets 20 bad 0"
xdp_off xdpdrv

# --- what does not fit a page --------------------------------------------------------------------

xhroomctl set veth0 tx-head page-frag
ip link set veth0 mtu 9000
ip link set veth1 mtu 9000
# large SIZE: "PACKETS with headroom FRAGS from page fragments", each checked.
large()
{
	local packets frags
	packets=$(counter tx_headroom_packets) frags=$(counter tx_page_frags)
	is "$1 bytes: each packet arrives as it was sent" \
		"$(rxcheck -d veth1 -n 100 txsend -n 100 -s "$1" -T veth0=0 udp4 2>$TX_TMP/err)" "packets 100 bad 0"
	[ ! -s $TX_TMP/err ] || note "$(grep -v '^sent' $TX_TMP/err)"
	FITS="$(($(counter tx_headroom_packets) - packets)) $(($(counter tx_page_frags) - frags))"
}
large 3000
is "3000 bytes: all with headroom, and from page fragments" "$FITS" "100 100"
large 8000
is "8000 bytes: all with headroom, none from page fragments" "$FITS" "100 0"
# On either side of the limit, wherever it is.
last=100
for i in 3376 3392 3408 3424 3440 3456 3472 3488 3504; do
	large $i
	like "$i bytes: one way or the other" "$FITS" "^100 (0|$last)\$"
	last=${FITS#* }
done
is "the limit was in between" "$last" 0
ip link set veth0 mtu 1500
ip link set veth1 mtu 1500

# --- other devices -------------------------------------------------------------------------------

modprobe dummy numdummies=0
ip link add dummy0 type dummy
ip addr add 10.0.5.1/24 dev dummy0
ip link set dummy0 up
ip neigh replace 10.0.5.2 lladdr 02:00:00:00:05:02 dev dummy0 nud permanent
xhroomctl set dummy0 256
txsend -n 10 -T dummy0=5 udp4 >/dev/null
is "a device that is no veth: automatic is slab memory" "$(counter tx_page_frags dummy0)" 0
xhroomctl set dummy0 tx-head page-frag
txsend -n 10 -T dummy0=5 udp4 >/dev/null
is "unless page fragments are asked for" "$(counter tx_page_frags dummy0)" 10

ip link del veth0
ip link del veth2
ip link del dummy0
rm -r $PIN
done_testing
