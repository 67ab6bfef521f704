#!/bin/bash
# vm: timeout=600
# The netlink family: what it refuses and in which words, who may change
# something, notifications, dumps, and that it survives whatever is sent to it.
# The expected policies (netlink.policy) come from docs/netlink/xhroom.yaml.
. /lab/lib.sh

GET=1 SET=2 NTF=3 STATUS=4 STATS=5 POLICIES=6 POLICY_SET=7 POLICY_DEL=8 POLICY_NTF=9
IFINDEX=1 IFNAME=2 EXTRA=3 GONE=4 HEAD=5 LEARN=6 REASON=7 XDPMIN=10 LINEAR=11
KIND=1 NAME=2
AUTO=1 SLAB=2 FRAG=3

sent() { genl_fuzz send "$@"; }
value() { sent $GET $IFNAME=str:"${1:-fz0}" | sed -n 's/^ok value \([0-9]*\) head .*/\1/p'; }
head_of() { sent $GET $IFNAME=str:fz0 | sed -n 's/^ok value [0-9]* head //p'; }

# refuses NAME REGEX SEND-ARGUMENTS...: and nothing has changed.
refuses()
{
	local name=$1 regex=$2
	shift 2
	like "$name" "$(sent "$@")" "^error $regex"
	is "$name: nothing has changed" "$(value) $(head_of)" "128 $AUTO"
}

module_load
modprobe dummy numdummies=0
ip link add fz0 type dummy
ip link add fz1 type dummy
ip link add fz2 type dummy
index=$(cat /sys/class/net/fz0/ifindex)

# --- the specification -----------------------------------------------------------

is "the family's policies are those of the specification" \
	"$(genl_fuzz policy)" "$(cat /lab/suites/netlink.policy)"

# --- good requests ------------------------------------------------------------------

is "set by name" "$(sent $SET $IFNAME=str:fz0 $EXTRA=u32:256)" "ok value 256 head $AUTO"
is "set by index; the reply is the object" "$(sent $SET $IFINDEX=u32:"$index" $EXTRA=u32:128)" "ok value 128 head $AUTO"
is "get by index" "$(sent $GET $IFINDEX=u32:"$index")" "ok value 128 head $AUTO"
is "get by name" "$(value)" 128
is "get of a device without settings" "$(value fz1)" 0
for i in $SLAB $FRAG $AUTO; do
	is "head $i alone; the other setting stays" "$(sent $SET $IFNAME=str:fz0 $HEAD=u32:"$i")" "ok value 128 head $i"
	is "and it is there" "$(head_of)" "$i"
done
is "both settings at once" "$(sent $SET $IFNAME=str:fz0 $HEAD=u32:$FRAG $EXTRA=u32:64)" "ok value 64 head $FRAG"
is "a value alone; the head stays" "$(sent $SET $IFNAME=str:fz0 $EXTRA=u32:0)" "ok value 0 head $FRAG"
is "a head without a value is a setting" "$(sent $GET+dump)" "ok messages 1"
is "with both at their defaults" "$(sent $SET $IFNAME=str:fz0 $HEAD=u32:$AUTO)" "ok value 0 head $AUTO"
is "nothing is left" "$(sent $GET+dump)" "ok messages 0"
is "and begins anew" "$(sent $SET $IFNAME=str:fz0 $EXTRA=u32:128)" "ok value 128 head $AUTO"
is "a value that is learned" "$(sent $SET $IFNAME=str:fz0 $LEARN=u32:256)" "ok value 0 head $AUTO learned, at most 256"
is "the smallest limit, with a head" "$(sent $SET $IFNAME=str:fz0 $LEARN=u32:16 $HEAD=u32:$SLAB)" "ok value 0 head $SLAB learned, at most 16"
is "it is there" "$(sent $GET $IFNAME=str:fz0)" "ok value 0 head $SLAB learned, at most 16"
is "the largest limit; the head stays" "$(sent $SET $IFNAME=str:fz0 $LEARN=u32:512)" "ok value 0 head $SLAB learned, at most 512"
is "a value ends learning" "$(sent $SET $IFNAME=str:fz0 $EXTRA=u32:128 $HEAD=u32:$AUTO)" "ok value 128 head $AUTO"
is "the smallest threshold, alone" "$(sent $SET $IFNAME=str:fz2 $XDPMIN=u32:192)" "ok value 0 head $AUTO"
is "is a setting" "$(sent $GET+dump)" "ok messages 2"
is "0 is the default" "$(sent $SET $IFNAME=str:fz2 $XDPMIN=u32:0)" "ok value 0 head $AUTO"
is "which is no setting" "$(sent $GET+dump)" "ok messages 1"
is "the largest one is the default, too" "$(sent $SET $IFNAME=str:fz2 $XDPMIN=u32:256)" "ok value 0 head $AUTO"
is "linearize on is no setting either" "$(sent $SET $IFNAME=str:fz2 $LINEAR=u32:1; sent $GET+dump)" $'ok value 0 head 1\nok messages 1'
is "dump" "$(sent $GET+dump)" "ok messages 1"
is "counters of a device without settings" "$(sent $STATS $IFNAME=str:fz1)" "ok messages 1"
is "dump of counters" "$(sent $STATS+dump)" "ok messages 1"
like "dump of the status" "$(sent $STATUS+dump)" "^ok messages ([3-9]|[1-9][0-9])$"

# --- bad requests ---------------------------------------------------------------------

refuses "a value above the range" "34 attr $EXTRA: integer out of range" $SET $IFNAME=str:fz0 $EXTRA=u32:513
refuses "the largest value" "34 attr $EXTRA: integer out of range" $SET $IFNAME=str:fz0 $EXTRA=u32:4294967295
refuses "a short value" "(22|34) attr $EXTRA: .+" $SET $IFNAME=str:fz0 $EXTRA=hex:0001
refuses "a long value" "(22|34) attr $EXTRA: .+" $SET $IFNAME=str:fz0 $EXTRA=hex:0100000000000000
refuses "an empty value" "(22|34) attr $EXTRA: .+" $SET $IFNAME=str:fz0 $EXTRA=hex:
refuses "a nested value" "22 attr $EXTRA: .+" $SET $IFNAME=str:fz0 $((0x8000 | EXTRA))=u32:5
refuses "head 0" "34 attr $HEAD: integer out of range" $SET $IFNAME=str:fz0 $HEAD=u32:0
refuses "a head that is not known" "34 attr $HEAD: integer out of range" $SET $IFNAME=str:fz0 $HEAD=u32:4
refuses "the largest head" "34 attr $HEAD: integer out of range" $SET $IFNAME=str:fz0 $HEAD=u32:4294967295
refuses "a bad head along with a good value" "34 attr $HEAD: integer out of range" $SET $IFNAME=str:fz0 $EXTRA=u32:5 $HEAD=u32:4
refuses "a bad value along with a good head" "34 attr $EXTRA: integer out of range" $SET $IFNAME=str:fz0 $EXTRA=u32:513 $HEAD=u32:$SLAB
refuses "a short head" "(22|34) attr $HEAD: .+" $SET $IFNAME=str:fz0 $HEAD=hex:02
refuses "a head for a device that is not there" "19 attr $IFNAME: no such device" $SET $IFNAME=str:nosuch $HEAD=u32:$FRAG
refuses "a limit below the range" "34 attr $LEARN: integer out of range" $SET $IFNAME=str:fz0 $LEARN=u32:15
refuses "limit 0" "34 attr $LEARN: integer out of range" $SET $IFNAME=str:fz0 $LEARN=u32:0
refuses "a limit above the range" "34 attr $LEARN: integer out of range" $SET $IFNAME=str:fz0 $LEARN=u32:513
refuses "a short limit" "(22|34) attr $LEARN: .+" $SET $IFNAME=str:fz0 $LEARN=hex:4000
refuses "a value and a limit" "22 attr $LEARN: extra headroom is either given or learned" $SET $IFNAME=str:fz0 $LEARN=u32:64 $EXTRA=u32:5
refuses "a limit for a device that is not there" "19 attr $IFNAME: no such device" $SET $IFNAME=str:nosuch $LEARN=u32:64
refuses "a limit in a question" "22 attr $LEARN: Unknown attribute type" $GET $IFNAME=str:fz0 $LEARN=u32:64
refuses "a reason, which is only told" "22 attr $REASON: (Unsupported attribute|Unknown attribute type)" $SET $IFNAME=str:fz0 $EXTRA=u32:5 $REASON=u32:1
refuses "a threshold below the range" "34 attr $XDPMIN: out of range: 192 to 256 bytes" $SET $IFNAME=str:fz0 $XDPMIN=u32:191
refuses "a threshold along with a good value" "34 attr $XDPMIN: out of range" $SET $IFNAME=str:fz0 $EXTRA=u32:5 $XDPMIN=u32:1
refuses "a threshold above the range" "34 attr $XDPMIN: integer out of range" $SET $IFNAME=str:fz0 $XDPMIN=u32:257
refuses "a short threshold" "(22|34) attr $XDPMIN: .+" $SET $IFNAME=str:fz0 $XDPMIN=hex:c000
refuses "a threshold in a question" "22 attr $XDPMIN: Unknown attribute type" $GET $IFNAME=str:fz0 $XDPMIN=u32:192
refuses "linearize 0" "34 attr $LINEAR: integer out of range" $SET $IFNAME=str:fz0 $LINEAR=u32:0
refuses "linearize as nobody knows it" "34 attr $LINEAR: integer out of range" $SET $IFNAME=str:fz0 $LINEAR=u32:4
if [ "$KERNEL" = 6.1 ]; then
	refuses "linearize off, which 6.1 does not have" "95 attr $LINEAR: .*skb_cow_data_for_xdp" $SET $IFNAME=str:fz0 $LINEAR=u32:2
fi
refuses "a head in a question" "22 attr $HEAD: Unknown attribute type" $GET $IFNAME=str:fz0 $HEAD=u32:$SLAB
refuses "index 0" "34 attr $IFINDEX: integer out of range" $SET $IFINDEX=u32:0 $EXTRA=u32:5
refuses "an index that nobody has" "19 attr $IFINDEX: no such device" $SET $IFINDEX=u32:999999 $EXTRA=u32:5
refuses "an index beyond all" "19 attr $IFINDEX: no such device" $SET $IFINDEX=u32:4294967295 $EXTRA=u32:5
refuses "a name that nobody has" "19 attr $IFNAME: no such device" $SET $IFNAME=str:nosuch $EXTRA=u32:5
refuses "an empty name" "19 attr $IFNAME: no such device" $SET $IFNAME=str: $EXTRA=u32:5
refuses "a name without an end" "22 attr $IFNAME: .+" $SET $IFNAME=hex:667a30 $EXTRA=u32:5
refuses "a name that is too long" "(22|34) attr $IFNAME: .+" $SET "$IFNAME=str:$(printf 'n%.0s' {1..200})" $EXTRA=u32:5
refuses "no device" "22 attr 0: which device" $SET $EXTRA=u32:5
refuses "index and name" "22 attr $IFNAME: give ifindex or ifname, not both" $SET $IFINDEX=u32:"$index" $IFNAME=str:fz0 $EXTRA=u32:5
refuses "nothing to set" "22 attr 0: nothing to set" $SET $IFNAME=str:fz0
refuses "an unknown attribute" "22 attr 60: Unknown attribute type" $SET $IFNAME=str:fz0 $EXTRA=u32:5 60=u32:1
refuses "an attribute of notifications" "22 attr $GONE: (Unsupported attribute|Unknown attribute type)" $SET $IFNAME=str:fz0 $EXTRA=u32:5 $GONE=hex:
refuses "attribute 0" "22 attr 0: .+" $SET $IFNAME=str:fz0 $EXTRA=u32:5 0=u32:1
refuses "a setting in a question" "22 attr $EXTRA: Unknown attribute type" $GET $IFNAME=str:fz0 $EXTRA=u32:5
refuses "bytes behind the last attribute" "22 attr 0: bytes leftover" $SET $IFNAME=str:fz0 $EXTRA=u32:5 hex:0102
refuses "an attribute longer than the message" "22 attr 0: bytes leftover" $SET $IFNAME=str:fz0 $EXTRA=u32:5 7:100=u32:1
refuses "an attribute shorter than its header" "22 attr 0: bytes leftover" $SET $IFNAME=str:fz0 $EXTRA=u32:5 7:2=u32:1
refuses "an attribute in a dump" "22 attr (0|$IFNAME): a dump takes no attributes" $GET+dump $IFNAME=str:fz0
refuses "an attribute in a dump of counters" "22 attr (0|$IFNAME): a dump takes no attributes" $STATS+dump $IFNAME=str:fz0
refuses "an attribute in a dump of the status" "22 attr [0-9]+: .+" $STATUS+dump 1=u32:1
refuses "garbage in a dump" "22 attr [0-9]+: .+" $STATUS+dump hex:0102
refuses "flags that mean nothing here" "22 attr 0: ambiguous or reserved bits" $SET+0x200 $IFNAME=str:fz0 $EXTRA=u32:5
refuses "a status of one" "95 attr 0: " $STATUS
refuses "a dump of settings to be set" "95 attr 0: " $SET+dump
refuses "a notification" "95 attr 0: " $NTF $IFNAME=str:fz0
refuses "an unknown command" "95 attr 0: " 200

# --- policies: the same again -------------------------------------------------------------

is "a policy; the reply is the object" "$(sent $POLICY_SET $KIND=str:nokind $EXTRA=u32:256)" "ok value 256 head $AUTO"
is "a setting of it" "$(sent $POLICY_SET $KIND=str:nokind $HEAD=u32:$SLAB)" "ok value 256 head $SLAB"
is "dump of policies" "$(sent $POLICIES+dump)" "ok messages 1"

# refuses_policy NAME REGEX SEND-ARGUMENTS...: and it is as it was.
refuses_policy()
{
	refuses "$@"
	is "$1: the policies are as before" "$(xhroomctl policy)" "kind:nokind  tx-headroom 256 bytes  tx-head slab"
}
refuses_policy "policy: a value above the range" "34 attr $EXTRA: integer out of range" $POLICY_SET $KIND=str:nokind $EXTRA=u32:513
refuses_policy "policy: a bad head along with a good value" "34 attr $HEAD: integer out of range" $POLICY_SET $KIND=str:nokind $EXTRA=u32:5 $HEAD=u32:4
refuses_policy "policy: a limit below the range" "34 attr $LEARN: integer out of range" $POLICY_SET $KIND=str:nokind $LEARN=u32:15
refuses_policy "policy: a value and a limit" "22 attr $LEARN: extra headroom is either given or learned" $POLICY_SET $KIND=str:nokind $LEARN=u32:64 $EXTRA=u32:5
refuses_policy "policy: a threshold below the range" "34 attr $XDPMIN: out of range: 192 to 256 bytes" $POLICY_SET $KIND=str:nokind $XDPMIN=u32:191
refuses_policy "policy: a number that only devices have" "22 attr $REASON: (Unsupported attribute|Unknown attribute type)" $POLICY_SET $KIND=str:nokind $EXTRA=u32:5 $REASON=u32:1
refuses_policy "policy: no match" "22 attr 0: for which devices" $POLICY_SET $EXTRA=u32:5
refuses_policy "policy: no match, to be deleted" "22 attr 0: for which devices" $POLICY_DEL
refuses_policy "policy: nothing to set" "22 attr 0: nothing to set" $POLICY_SET $KIND=str:nokind
refuses_policy "policy: an empty kind" "22 attr $KIND: this is empty" $POLICY_SET $KIND=str: $EXTRA=u32:5
refuses_policy "policy: an empty name" "22 attr $NAME: this is empty" $POLICY_SET $KIND=str:nokind $NAME=str: $EXTRA=u32:5
for char in / ',' : '*' '[' ' ' $'\n' $'\xe9'; do
	refuses_policy "policy: ${char@Q} in a kind" "22 attr $KIND: a link kind has letters, digits" \
		$POLICY_SET "$KIND=str:no${char}kind" $EXTRA=u32:5
done
for char in / : ' ' $'\n' $'\xa0'; do
	refuses_policy "policy: ${char@Q} in a name" "22 attr $NAME: names of devices have no '/'" \
		$POLICY_SET "$NAME=str:$char" $EXTRA=u32:5
done
refuses_policy "policy: a kind that is too long" "(22|34) attr $KIND: .+" $POLICY_SET "$KIND=str:$(printf 'k%.0s' {1..56})" $EXTRA=u32:5
refuses_policy "policy: a name that is too long" "(22|34) attr $NAME: .+" $POLICY_SET "$NAME=str:$(printf 'n%.0s' {1..128})" $EXTRA=u32:5
refuses_policy "policy: a name without an end" "22 attr $NAME: .+" $POLICY_SET $NAME=hex:667a30 $EXTRA=u32:5
refuses_policy "policy: an unknown attribute" "22 attr 60: Unknown attribute type" $POLICY_SET $KIND=str:nokind $EXTRA=u32:5 60=u32:1
refuses_policy "policy: an attribute of notifications" "22 attr $GONE: (Unsupported attribute|Unknown attribute type)" $POLICY_SET $KIND=str:nokind $EXTRA=u32:5 $GONE=hex:
refuses_policy "policy: a setting where it is deleted" "22 attr $EXTRA: Unknown attribute type" $POLICY_DEL $KIND=str:nokind $EXTRA=u32:5
refuses_policy "policy: none with this match" "2 attr 0: there is no policy with this match" $POLICY_DEL $KIND=str:nokind $NAME=str:x
refuses_policy "policy: one alone cannot be asked for" "95 attr 0: " $POLICIES $KIND=str:nokind
refuses_policy "policy: an attribute in a dump" "22 attr [0-9]+: .+" $POLICIES+dump $KIND=str:nokind
refuses_policy "policy: a notification" "95 attr 0: " $POLICY_NTF $KIND=str:nokind
ok "and it can be deleted" sent $POLICY_DEL $KIND=str:nokind
is "nothing is left of it" "$(sent $POLICIES+dump)" "ok messages 0"

# --- who may ----------------------------------------------------------------------------

user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
denied="error 1 attr 0: CAP_NET_ADMIN in the initial user namespace is needed"
is "an unprivileged user cannot set" "$(user genl_fuzz send $SET $IFNAME=str:fz0 $EXTRA=u32:5)" "$denied"
is "but may look" "$(user genl_fuzz send $GET $IFNAME=str:fz0)" "ok value 128 head $AUTO"
is "and see the status" "$(user genl_fuzz send $STATUS+dump | cut -d' ' -f1,2)" "ok messages"
is "not the head either" "$(user genl_fuzz send $SET $IFNAME=str:fz0 $HEAD=u32:$SLAB)" "$denied"
is "root without CAP_NET_ADMIN cannot set" \
	"$(setpriv --bounding-set -net_admin --inh-caps -net_admin genl_fuzz send $SET $IFNAME=str:fz0 $EXTRA=u32:5)" "$denied"
is "root of a user namespace cannot set" \
	"$(user unshare -Ur genl_fuzz send $SET $IFNAME=str:fz0 $EXTRA=u32:5)" "$denied"
is "not even for a device in a network namespace of its own" \
	"$(user unshare -Urn genl_fuzz send $SET $IFNAME=str:lo $EXTRA=u32:5)" "$denied"
is "real root in a user namespace neither" \
	"$(unshare -Urn genl_fuzz send $SET $IFNAME=str:lo $EXTRA=u32:5)" "$denied"
out=$(user unshare -Ur xhroomctl set fz0 5 2>&1) && rc=0 || rc=$?
is "the tool exits with 2" "$rc" 2
like "and says what to do" "$out" "fz0: CAP_NET_ADMIN.*run it as root"
is "nothing has changed" "$(value)" 128
ip netns add apart
is "a network namespace does not matter" "$(ip netns exec apart genl_fuzz send $SET $IFNAME=str:lo $EXTRA=u32:7)" "ok value 7 head $AUTO"
is "but only its own devices are seen" "$(ip netns exec apart genl_fuzz send $GET $IFINDEX=u32:"$index" | cut -d' ' -f1,2)" "error 19"
is "in dumps, too" "$(ip netns exec apart genl_fuzz send $GET+dump)" "ok messages 1"
is "and from here not those" "$(sent $GET+dump)" "ok messages 1"

# --- notifications -------------------------------------------------------------------------

xhroomctl -j monitor >/tmp/here & here=$!
xhroomctl -n apart -j monitor >/tmp/apart & apart=$!
# Someone listens as soon as the kernel lists a group of a generic netlink socket.
listening() { awk '$2 == 16 && $4 != "00000000" { n++ } END { exit n < 1 }' /proc/net/netlink; }
retry 10 listening
retry 10 ip netns exec apart bash -c "$(declare -f listening); listening"
xhroomctl set fz0 64
xhroomctl clear fz0
xhroomctl set fz0 96
xhroomctl set fz0 513 2>/dev/null
xhroomctl set fz0 tx-head page-frag
ip link set fz0 name fz9
ip link set fz9 netns apart
ip -n apart link set fz9 netns 1
ip link del fz9
ip link del fz1
xhroomctl -n apart clear lo
retry 10 grep -q lo /tmp/apart
kill $here $apart
wait $here $apart 2>/dev/null
is "listeners see each change, in its order" "$(sed 's/"ifindex":[0-9]*,*//; s/,}/}/' /tmp/here)" \
	'{"event":"set","ifname":"fz0","tx_extra_headroom":64,"tx_head":"auto","xdp_headroom_min":256,"xdp_linearize":"on"}
{"event":"set","ifname":"fz0","tx_extra_headroom":0,"tx_head":"auto","xdp_headroom_min":256,"xdp_linearize":"on"}
{"event":"set","ifname":"fz0","tx_extra_headroom":96,"tx_head":"auto","xdp_headroom_min":256,"xdp_linearize":"on"}
{"event":"set","ifname":"fz0","tx_extra_headroom":96,"tx_head":"page-frag","xdp_headroom_min":256,"xdp_linearize":"on"}
{"event":"set","ifname":"fz9","tx_extra_headroom":96,"tx_head":"page-frag","xdp_headroom_min":256,"xdp_linearize":"on"}
{"event":"gone","ifname":"fz9"}
{"event":"set","ifname":"fz9","tx_extra_headroom":96,"tx_head":"page-frag","xdp_headroom_min":256,"xdp_linearize":"on"}
{"event":"gone","ifname":"fz9"}'
is "and those of another namespace what happens there" "$(sed 's/"ifindex":[0-9]*,*//; s/,}/}/' /tmp/apart)" \
	'{"event":"set","ifname":"fz9","tx_extra_headroom":96,"tx_head":"page-frag","xdp_headroom_min":256,"xdp_linearize":"on"}
{"event":"gone","ifname":"fz9"}
{"event":"set","ifname":"lo","tx_extra_headroom":0,"tx_head":"auto","xdp_headroom_min":256,"xdp_linearize":"on"}'
ip netns del apart

# The module tells that it takes the settings with it.
ip link add fz0 type dummy
xhroomctl set fz0 64
timeout 30 xhroomctl -j monitor >/tmp/here & here=$!
retry 10 listening
ok "the module can be removed while someone listens" module_unload
retry 10 grep -q gone /tmp/here
kill $here
wait $here 2>/dev/null
is "and its listeners know" "$(sed 's/"ifindex":[0-9]*,*//; s/,}/}/' /tmp/here)" '{"event":"gone","ifname":"fz0"}'
ip link del fz0
module_load

# --- dumps -------------------------------------------------------------------------------------

ip netns add crowd
for i in {1..1000}; do echo "link add many$i type dummy"; done >/tmp/batch
ip -n crowd -batch /tmp/batch
crowd() { ip netns exec crowd "$@"; }
ok "1,000 devices are configured" crowd genl_fuzz many many 1000
is "a dump in pieces has each of them once" "$(crowd genl_fuzz dump)" "messages 1000 different 1000 interrupted 0 error 0"
is "a change meanwhile marks it as interrupted" "$(crowd genl_fuzz dump many500)" "messages 1000 different 1000 interrupted 1 error 0"
ip netns add beside
ip -n beside link add many1 type dummy
is "one in another namespace does not" "$(crowd genl_fuzz dump beside/many1)" "messages 1000 different 1000 interrupted 0 error 0"
is "though it was made" "$(xhroomctl -n beside show many1)" "many1  tx-headroom 77 bytes"
ip netns del beside
is "the tool lists them, by index" "$(xhroomctl -n crowd show | awk '{ print $1 }' | tr '\n' ' ')" \
	"$(for i in {1..1000}; do printf 'many%d ' "$i"; done)"
is "with their values" "$(xhroomctl -n crowd show many7)" "many7  tx-headroom 7 bytes"
is "and its JSON has them all" "$(xhroomctl -n crowd -j show | grep -o '"ifname"' | wc -l)" 1000
is "from here not one is seen" "$(sent $GET+dump)" "ok messages 0"
ip netns del crowd

# --- whatever is sent to it ------------------------------------------------------------------------

# fz2 keeps the hooks attached, so that the messages do not wait for patching.
xhroomctl set fz2 1
ip link add fz0 type dummy
ip link add fz1 type dummy
seed=${FUZZ_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
ok "20,000 random messages, seed $seed" genl_fuzz fuzz "${FUZZ_N:-20000}" "$seed" fz0 fz1
ok "and a fixed seed, which gives the same everywhere" genl_fuzz fuzz 2000 1 fz0 fz1
ok "policies that came of it can be taken away" xhroomctl policy clear all
like "what an unprivileged user sends is refused" "$(user genl_fuzz fuzz 2000 1 fz0 fz1 2>&1)" \
	"refused what it should have accepted .error -1: CAP_NET_ADMIN"

done_testing
