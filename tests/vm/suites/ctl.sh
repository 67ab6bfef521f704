#!/bin/bash
# vm: timeout=400
# The tool: what it accepts, what it says and how it exits when it does not,
# and that nothing has changed then.
. /lab/lib.sh

# says NAME CODE REGEX COMMAND...: exit code and what is said on standard error;
# nothing goes to standard output.
says()
{
	local name=$1 code=$2 regex=$3 out err rc
	shift 3
	err=$("$@" 2>&1 >/tmp/out) && rc=0 || rc=$?
	out=$(cat /tmp/out)
	if [ "$rc" = "$code" ] && [[ $err =~ $regex ]] && [ -z "$out" ]; then
		pass "$name"
	else
		fail "$name"
		note "exit code $rc, expected $code, from: $*" "standard error: $err" "no match: $regex" \
			"standard output: $out"
	fi
}

hooked() { wc -l <$TRACING/enabled_functions; }

shown_head() { xhroomctl -j show veth0 | sed -n 's/.*"tx_head":"\([a-z-]*\)".*/\1/p'; }

shown() { xhroomctl -j show "${1:-veth0}" | sed -n 's/.*"tx_extra_headroom":\([0-9]*\).*/\1/p'; }

# --- without the module --------------------------------------------------------

says "without the module: exit code 3 and what to do" 3 'modprobe xdp_skbext' xhroomctl set veth0 256
for c in show status stats monitor "clear veth0"; do
	# shellcheck disable=SC2086 # words
	says "without the module: $c" 3 'not loaded' xhroomctl $c
done
like "version works without the module" "$(xhroomctl version)" 'xdp_skbext +not loaded'
like "so does help" "$(xhroomctl help)" 'xhroomctl set veth0 256'

module_load
pair_up

# --- values ----------------------------------------------------------------------

is "nothing is configured: text" "$(xhroomctl show)" ""
is "nothing is configured: JSON is an empty list" "$(xhroomctl -j show)" "[]"
is "a device without settings shows defaults" "$(shown)" 0
ok "set DEV N" xhroomctl set veth0 256
is "the value is there" "$(shown)" 256
ok "set DEV tx-headroom N" xhroomctl set veth0 tx-headroom 64
is "and replaces the first" "$(shown)" 64
for v in 0 1 15 16 17 255 512 00064; do
	ok "$v is accepted" xhroomctl set veth0 "$v"
	is "and shown" "$(shown)" "$((10#$v))"
done
for v in slab page-frag auto; do
	ok "tx-head $v is accepted" xhroomctl set veth0 tx-head $v
	is "and shown" "$(shown_head)" $v
	is "the headroom stays" "$(shown)" 64
done
ok "both at once" xhroomctl set veth0 32 tx-head slab
is "headroom and head are there" "$(shown) $(shown_head)" "32 slab"
ok "a value alone" xhroomctl set veth0 128
is "leaves the head" "$(shown) $(shown_head)" "128 slab"
is "show: text" "$(xhroomctl show)" "veth0  tx-headroom 128 bytes  tx-head slab"
ok "clear of the head alone" xhroomctl clear veth0 tx-head
is "leaves the value" "$(shown) $(shown_head)" "128 auto"
ok "a head alone" xhroomctl set veth0 0 tx-head page-frag
is "is a setting" "$(xhroomctl show)" "veth0  tx-headroom 0 bytes  tx-head page-frag"
ok "clear" xhroomctl clear veth0
is "takes it away, too" "$(xhroomctl show; shown_head)" auto
xhroomctl set veth0 128

# refused VALUE CODE REGEX
refused()
{
	says "'$1' is refused" "$2" "^xhroomctl: veth0: tx-headroom: $3" xhroomctl set veth0 "$1"
	says "'$1' is refused in the long form" "$2" "^xhroomctl: veth0: tx-headroom: $3" \
		xhroomctl set veth0 tx-headroom "$1"
	is "nothing has changed" "$(shown)" 128
}
refused 513 2 "513 is out of range: 0 to 512 bytes"
refused 4294967295 2 "4294967295 is out of range: 0 to 512 bytes"
refused 4294967296 2 "4294967296 is out of range.*0 to 512 bytes"
refused 99999999999999999999999 2 "99999999999999999999999 is out of range.*0 to 512 bytes"
refused -1 1 "'-1' is negative"
refused 1e3 1 "'1e3' is not a number"
refused 0x 1 "'0x' is not decimal"
refused 0x10 1 "'0x10' is not decimal"
refused "" 1 "the value is empty"
refused "256 " 1 "'256 ' is not a number"
refused " 256" 1 "' 256' is not a number"
refused +1 1 "'[+]1' is not a number"
refused 1.5 1 "'1.5' is not a number"
refused "٣" 1 "'٣' is not a number"

says "an unknown head, with a guess" 1 "veth0: tx-head: 'slob'.*did you mean 'slab'" xhroomctl set veth0 tx-head slob
says "a number for a head" 1 "veth0: tx-head: '2'.*auto, slab or page-frag" xhroomctl set veth0 tx-head 2
says "a bad head along with a good value" 1 "tx-head: 'pages'" xhroomctl set veth0 64 tx-head pages
says "a good head along with a bad value" 2 "tx-headroom: 513 is out of range" xhroomctl set veth0 513 tx-head slab
says "a head without a word" 1 'tx-head: which value' xhroomctl set veth0 tx-head
is "nothing has changed" "$(shown) $(shown_head)" "128 auto"

says "a missing device" 2 '^xhroomctl: nosuch: no such device' xhroomctl set nosuch 256
xhroomctl clear veth0
ok "without a configured device nothing is hooked" retry 20 eval '[ $(hooked) = 0 ]'
says "a missing device, again" 2 'no such device' xhroomctl set nosuch 256
is "does not hook anything in passing" "$(hooked)" 0
xhroomctl set veth0 128
says "show of a missing device" 2 '^xhroomctl: nosuch: no such device' xhroomctl show nosuch
says "stats of a missing device" 2 '^xhroomctl: nosuch: no such device' xhroomctl stats nosuch
says "clear of a missing device" 2 '^xhroomctl: nosuch: no such device' xhroomctl clear nosuch
says "a device of another namespace" 2 '^xhroomctl: veth1: no such device' xhroomctl set veth1 256

# --- words -------------------------------------------------------------------------

says "no command" 1 'which command' xhroomctl
says "an unknown command, with a guess" 1 "did you mean 'show'" xhroomctl shwo
says "an unknown command, without" 1 "'xhroomctl help'" xhroomctl frobnicate
says "an unknown setting, with a guess" 1 "did you mean 'tx-headroom'" xhroomctl set veth0 tx-headrom 1
says "no device" 1 'set: which device' xhroomctl set
says "no value" 1 'veth0: which value' xhroomctl set veth0
says "a device forgotten" 1 'set: which device' xhroomctl set tx-headroom
says "a setting without a value" 1 'tx-headroom: which value' xhroomctl set veth0 tx-headroom
says "a setting twice" 1 'given twice' xhroomctl set veth0 1 tx-headroom 2
says "an empty device" 1 'device name is empty' xhroomctl set "" 256
says "a device that cannot be" 1 'cannot be a device name' xhroomctl set veth/0 256
says "a word too many" 1 "'now' is one word too many" xhroomctl status now
says "an unknown option" 1 "unknown option '-x'" xhroomctl -x show
says "a mistyped option" 1 "did you mean '--json'" xhroomctl --jsno show
says "an option without its value" 1 'needs a value' xhroomctl show -n
says "-w where it has no meaning" 1 'stats only' xhroomctl show -w 1
says "-w with a bad value" 1 'out of range' xhroomctl stats -w 0
says "an unknown namespace" 1 "network namespace 'nowhere'" xhroomctl -n nowhere show
is "nothing has changed" "$(shown)" 128
says "a full disk is not passed over" 1 'cannot write' sh -c 'xhroomctl status >/dev/full'

# --- output -------------------------------------------------------------------------

xhroomctl set veth0 256
is "show: text" "$(xhroomctl show)" "veth0  tx-headroom 256 bytes"
index=$(cat /sys/class/net/veth0/ifindex)
is "show: JSON" "$(xhroomctl -j show)" "[{\"ifname\":\"veth0\",\"ifindex\":$index,\"tx_extra_headroom\":256,\"tx_head\":\"auto\",\"xdp_headroom_min\":256,\"xdp_linearize\":\"on\"}]"
is "set with -j prints the result" "$(xhroomctl -j set veth0 255)" \
	"[{\"ifname\":\"veth0\",\"ifindex\":$index,\"tx_extra_headroom\":255,\"tx_head\":\"auto\",\"xdp_headroom_min\":256,\"xdp_linearize\":\"on\"}]"
is "options may follow the command" "$(xhroomctl show -j veth0)" \
	"[{\"ifname\":\"veth0\",\"ifindex\":$index,\"tx_extra_headroom\":255,\"tx_head\":\"auto\",\"xdp_headroom_min\":256,\"xdp_linearize\":\"on\"}]"
drop_on peer veth1
xhroomctl set veth0 tx-head page-frag
udpblast -n 1000 10.0.0.2 9 >/dev/null 2>&1
xhroomctl set veth0 tx-head auto
like "stats count packets" "$(xhroomctl -j stats veth0)" '"tx_headroom_packets":1000,"tx_headroom_bytes":256000,"tx_headroom_fallbacks":0,"tx_page_frags":1000'
like "stats: text" "$(xhroomctl stats)" 'veth0 +1000 +256000 +0 +1000'
like "show -s has them, too" "$(xhroomctl -j -s show)" '"stats":[{]"tx_headroom_packets":1000'
like "show -s: text" "$(xhroomctl -s show)" 'given to 1000 packets'
like "stats -w repeats" "$(timeout 3 xhroomctl -j stats -w 1 | wc -l)" '^[23]$'
like "status names the feature" "$(xhroomctl -j status)" '"name":"tx-headroom","state":"attached"'
like "and its hooks with their calls" "$(xhroomctl -j status)" '"symbol":"[a-z0-9_]+"[^}]*"state":"attached","backend":"[a-z]+","calls":[1-9]'
like "status: text" "$(xhroomctl status)" '__alloc_skb +- +tx-headroom +attached +[0-9]+'
like "version has that of the module" "$(xhroomctl version)" "xdp_skbext +$(modinfo -F version xdp_skbext)"
is "tool and module have the same version" "$(xhroomctl version | awk '{ print $2 }' | sort -u | wc -l)" 1
like "pretty JSON has lines" "$(xhroomctl -p show | wc -l)" '^([2-9]|[1-9][0-9]+)$'
ok "help for each command" sh -c 'for c in show set clear policy status stats monitor save restore version help; do xhroomctl help $c | grep -q "^usage: xhroomctl $c" || exit 1; done'

# --- clear, rename, move, removal ------------------------------------------------------

ok "clear" xhroomctl clear veth0
is "after clear nothing is left" "$(xhroomctl -j show)" "[]"
ok "clear again" xhroomctl clear veth0
xhroomctl set veth0 64
ok "clear of one setting" xhroomctl clear veth0 tx-headroom
is "it is gone" "$(shown)" 0
xhroomctl set veth0 64
ip link set veth0 down
ip link set veth0 name north
is "a rename keeps the value" "$(shown north)" 64
says "the old name is gone" 2 'no such device' xhroomctl show veth0
if ip link property add dev north altname a-rather-long-name-of-it 2>/dev/null; then
	is "an alternative name will do" "$(shown a-rather-long-name-of-it)" 64
	ip link property del dev north altname a-rather-long-name-of-it
else
	skip "an alternative name will do" "ip is too old"
fi
ip netns add other
ip link set north netns other
is "moved away it is out of sight" "$(xhroomctl -j show)" "[]"
like "and there in the other namespace" "$(xhroomctl -n other -j show)" '"ifname":"north".*"tx_extra_headroom":64'
like "by path, too" "$(xhroomctl -n /run/netns/other -j show)" '"ifname":"north"'
ok "where it can be set" xhroomctl -n other set north 512
ip -n other link set north netns 1
is "and comes back with it" "$(shown north)" 512
ip link del north
is "removed, its settings are gone" "$(xhroomctl -j show)" "[]"
ip netns del other
ip netns del peer

# --- completion ---------------------------------------------------------------------------

like "completion: commands" "$(xhroomctl __complete "" | tr '\n' ' ')" 'show set clear policy status stats monitor save restore version help '
like "completion: devices" "$(xhroomctl __complete set "")" 'lo'
is "completion: settings" "$(xhroomctl __complete set lo "" | tr '\n' ' ')" "tx-headroom tx-head xdp-headroom-min xdp-linearize "
is "completion: values" "$(xhroomctl __complete set lo tx-head "" | tr '\n' ' ')" "auto slab page-frag "
ip netns add somewhere
like "completion: namespaces" "$(xhroomctl __complete -n "")" 'somewhere'
ip netns del somewhere

# --- two at once, both refused ------------------------------------------------------------

# Each is told why, whatever the other makes the engine try meanwhile.
both_refused()
{
	ok "the hooks are let go" retry 20 eval '! xhroomctl status | grep -q attached'
	sysctl -qw kernel.ftrace_enabled=0
	for i in {1..20}; do
		for j in 1 2 3; do xhroomctl set lo 256 2>&1 | head -1 & done
		wait
	done >/tmp/both
	is "60 requests, three at a time: each is told the same" "$(sort /tmp/both | uniq -c | sed 's/^ *//')" \
		"60 xhroomctl: lo: tx-headroom: tx-headroom: __ip_append_data cannot be hooked: ftrace is switched off (kernel.ftrace_enabled=0)"
	sysctl -qw kernel.ftrace_enabled=1
}
# Where ftrace can be switched off.
[ $KERNEL = 7.3 ] || both_refused

done_testing
