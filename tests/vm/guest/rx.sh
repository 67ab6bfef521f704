# shellcheck shell=bash
# What the suites about the receive side share: devices, packets of any form, how many
# of them were copied for XDP, and what arrived.
#
#   veth0 <------> veth1 (XDP)    veth2 <------> veth3    dummy0
#
# Programs redirect to veth2, so that packets arrive on veth3.

RX_PIN=/sys/fs/bpf/rx
RX_TMP=/tmp/rx
mkdir -p $RX_TMP

# Stock copies below this many bytes in front of the Ethernet header.
# shellcheck disable=SC2034 # for the suites
case $KERNEL in 6.1) STOCK_GENERIC=242 ;; *) STOCK_GENERIC=256 ;; esac

# u32 N: as bpftool wants its bytes.
u32() { echo $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) 0; }

rx_setup()
{
	local i
	modprobe veth
	modprobe dummy numdummies=0
	modprobe xhr_inject || return
	sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
	ip link add veth0 address 02:00:00:00:00:01 type veth peer name veth1 address 02:00:00:00:00:02
	ip link add veth2 address 02:00:00:00:00:03 type veth peer name veth3 address 02:00:00:00:00:04
	ip link add dummy0 address 02:00:00:00:00:05 type dummy
	for i in veth0 veth1 veth2 veth3 dummy0; do ip link set $i up || return; done
	for i in head adjust frags; do
		mkdir -p $RX_PIN/$i
		bpftool prog loadall $PROGS/xdp$i.bpf.o $RX_PIN/$i pinmaps $RX_PIN/$i || return
		# shellcheck disable=SC2046 # words
		bpftool map update pinned $RX_PIN/$i/${i/frags/adjust}_devmap key 0 0 0 0 \
			value $(u32 "$(cat /sys/class/net/veth2/ifindex)") || return
		# shellcheck disable=SC2046
		bpftool map update pinned $RX_PIN/$i/${i/frags/adjust}_cpumap key 0 0 0 0 value $(u32 4096) || return
		# shellcheck disable=SC2046
		bpftool map update pinned $RX_PIN/$i/${i/frags/adjust}_cpumap key 1 0 0 0 value $(u32 4096) || return
	done
	copies_watch
}

# mode xdpdrv|xdpgeneric: what the devices around veth1 need for XDP of that kind there.
# Frames that native XDP sends or redirects to a veth need it there, too, and it takes
# no packet that could be larger than a page.
mode()
{
	local i
	for i in veth0 veth3; do xdp_off xdpdrv $i; done
	xdp_off xdpdrv veth1
	xdp_off xdpgeneric veth1
	for i in veth0 veth1 veth2 veth3 dummy0; do
		ip link set $i mtu "$([ "$1" = xdpdrv ] && echo 3300 || echo 9100)"
	done
	[ "$1" = xdpgeneric ] || for i in veth0 veth3; do xdp_on xdpdrv head/xdp_pass $i; done
}

# xdp_on MODE PROGRAM DEV, xdp_off MODE DEV
xdp_on() { bpftool net attach "$1" pinned "$RX_PIN/$2" dev "$3" overwrite; }
xdp_off() { bpftool net detach "$1" dev "$2"; }

inject() { echo "$*" >/sys/kernel/debug/xhr_inject/send; }
held() { cat /sys/kernel/debug/xhr_inject/held; }

# The functions that copy, each behind its ftrace call: there only a call that runs the
# function is seen, not one that a hook has answered. (With IBT that is 4 bytes further.)
case $KERNEL in
6.1) RX_COPIES="skb_copy_bits+5 pskb_expand_head+5" ;;
*) RX_COPIES="skb_pp_cow_data+9 pskb_expand_head+9" ;;
esac

copies_watch()
{
	local func
	for func in $RX_COPIES; do
		echo "p:rx/${func%+*} $func" >>$TRACING/kprobe_events || return
	done
	echo 1 >$TRACING/events/rx/enable
}

# copied: packets that were copied so far. (For one in fragments, 6.1 counts several.)
copied()
{
	awk '$1 ~ /^(skb_copy_bits|skb_pp_cow_data|pskb_expand_head)$/ { n += $2 } END { print n + 0 }' \
		$TRACING/kprobe_profile
}

# copies WORD...: injects packets and prints how many were copied for XDP.
copies()
{
	local before
	before=$(copied)
	inject "$@" || return
	sleep 0.1
	echo $(($(copied) - before))
}

# hooked: functions that are hooked at this moment.
hooked() { xhroomctl status | awk '$4 == "attached" { print $1 }'; }

# touched: functions whose text is not the stock kernel's, whoever has changed it.
touched() { awk '{ print $1 }' $TRACING/enabled_functions; }
# Those that belong to the receive side alone.
# shellcheck disable=SC2034 # for the suites
case $KERNEL in
6.1) RX_HOOKED="veth_xdp_rcv_skb|bpf_dispatcher_xdp_func" ;;
*) RX_HOOKED="skb_pp_cow_data|skb_cow_data_for_xdp" ;;
esac

# counter KEY DEV
counter() { xhroomctl -j stats "$2" | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"; }
