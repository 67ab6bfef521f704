#!/bin/bash
# vm: timeout=600
# Each way in which a local socket can make the kernel allocate a packet: the
# headroom that a TC egress program sees is the formula's, to the byte, for
# values around every rounding step, with and without needed_headroom.
. /lab/lib.sh
. /lab/tx.sh

VALUES='0 1 15 16 17 64 255 256 512'

ok "two namespaces and a veth pair" pair_up
drop_on peer veth1
ok "the measuring programs load" tx_setup
headroom egress veth0

# all_sites LABEL NEEDED_HEADROOM
all_sites()
{
	local label=$1 needed=$2 x
	: >"$TX_TMP/result"
	for x in $VALUES; do
		xhroomctl set veth0 "$x" || echo "all cannot set $x" >>"$TX_TMP/result"
		headroom reset
		txsend -n 2 -T veth0=0 '*' >"$TX_TMP/sent"
		headroom show >"$TX_TMP/seen"
		tx_compare "$TX_TMP/sent" "$TX_TMP/seen" "$needed" "veth0=$x" >>"$TX_TMP/result"
	done
	tx_sites_report "$label" "$TX_TMP/result"
}

# What stock does, in the same boot: the programs and the formula are right.
headroom reset
txsend -n 2 -T veth0=0 '*' >"$TX_TMP/sent"
headroom show >"$TX_TMP/seen"
tx_compare "$TX_TMP/sent" "$TX_TMP/seen" 0 veth0=0 >"$TX_TMP/result"
tx_sites_report "stock" "$TX_TMP/result"

ok "the module loads" module_load
all_sites "needed_headroom 0" 0

# A bridge asks its ports for the headroom that another port needs, and veth
# passes that on to its other end: 84 bytes for VXLAN over IPv6.
ip -n peer link add br0 type bridge
ip -n peer link add tun0 type dummy
ip -n peer link add vx0 type vxlan id 1 local fd00:0:0:9::1 remote fd00:0:0:9::2 dev tun0 dstport 4789
ip -n peer link set vx0 master br0
ip -n peer link set veth1 master br0
headroom reset
txsend -T veth0=0 udp4 >/dev/null
is "a bridge asks veth0 for headroom" "$(needed_headroom_of veth0)" 84
all_sites "needed_headroom 84" 84

ok "clear" xhroomctl clear veth0
headroom reset
txsend -n 2 -T veth0=0 '*' >"$TX_TMP/sent"
headroom show >"$TX_TMP/seen"
tx_compare "$TX_TMP/sent" "$TX_TMP/seen" 84 veth0=0 >"$TX_TMP/result"
tx_sites_report "cleared" "$TX_TMP/result"
done_testing
