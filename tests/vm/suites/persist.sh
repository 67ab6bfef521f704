#!/bin/bash
# vm: timeout=240
# Settings that outlive the module: save and restore give the same again; a file
# with a fault changes nothing; what the unit and the rule of udev do; --dry-run.
. /lab/lib.sh

FILE=/etc/xhroom.conf
HEAD='# Written by "xhroomctl save", read by "xhroomctl restore": see xhroom.conf(5).'

# says NAME CODE REGEX COMMAND...: exit code, and what is said on standard error.
says()
{
	local name=$1 code=$2 regex=$3 err rc
	shift 3
	err=$("$@" 2>&1 >/tmp/out) && rc=0 || rc=$?
	if [ "$rc" = "$code" ] && [[ $err =~ $regex ]]; then
		pass "$name"
	else
		fail "$name"
		note "exit code $rc, expected $code, from: $*" "standard error: $err" "no match: $regex"
	fi
}
quiet() { says "$1" 0 '^$' "${@:2}"; }

# Everything that is set, as a program sees it.
state() { xhroomctl -j show; xhroomctl -j policy; }
# unchanged NAME: as it was when BEFORE was taken.
unchanged() { is "$1" "$(state)" "$BEFORE"; }
reload() { module_unload && module_load; }
user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }

# --- without the module ------------------------------------------------------------------

says "no file" 1 "^xhroomctl: cannot read $FILE: No such file" xhroomctl restore
says "nothing to save from" 3 'not loaded' xhroomctl save
not_ok "and nothing is written" test -e $FILE
echo 'set lo 1' >$FILE
says "nothing to restore to" 3 'modprobe xdp_skbext' xhroomctl restore
quiet "a file can be checked" xhroomctl restore --check
echo 'set lo 513' >$FILE
says "and its fault found" 1 "^xhroomctl: $FILE:1: lo: tx-headroom: 513 is out of range: 0 to 512 bytes" xhroomctl restore --check

# --- the same again --------------------------------------------------------------------------

module_load
modprobe veth
modprobe dummy numdummies=0
ip link add veth0 type veth peer name veth1
for dev in -odd '#1' "$(printf 'd\001\377"')" last; do ip link add name "$dev" type dummy; done
xhroomctl set veth0 256 xdp-headroom-min 192
xhroomctl set -- -odd 0 tx-head page-frag
xhroomctl set '#1' 512 tx-head slab
xhroomctl set "$(printf 'd\001\377"')" 1
xhroomctl policy set name:b* 32
xhroomctl policy set kind:veth 256 xdp-headroom-min 200
xhroomctl policy set kind:veth/name:mg[!a]* 0 tx-head slab
BEFORE=$(state)
rm $FILE
quiet "save" xhroomctl save
is "what is written" "$(cat $FILE)" "$HEAD
policy set name:b* tx-headroom 32 tx-head auto xdp-headroom-min 256 xdp-linearize on
policy set kind:veth tx-headroom 256 tx-head auto xdp-headroom-min 200 xdp-linearize on
policy set kind:veth/name:mg[!a]* tx-headroom 0 tx-head slab xdp-headroom-min 256 xdp-linearize on
set veth0 tx-headroom 256 tx-head auto xdp-headroom-min 192 xdp-linearize on
set -- -odd tx-headroom 0 tx-head page-frag xdp-headroom-min 256 xdp-linearize on
set #1 tx-headroom 512 tx-head slab xdp-headroom-min 256 xdp-linearize on
$(printf 'set d\001\377" tx-headroom 1 tx-head auto xdp-headroom-min 256 xdp-linearize on')"
is "for all to read" "$(stat -c %a $FILE)" 644
chmod 640 $FILE
chown 1:2 $FILE
cp $FILE /tmp/saved
unchanged "saving changes nothing"
xhroomctl -j save >/tmp/out
is "nor does it print anything" "$(cat /tmp/out)" ""
is "twice is the same" "$(cat $FILE)" "$(cat /tmp/saved)"
is "mode and owner stay" "$(stat -c '%a %u:%g' $FILE)" "640 1:2"
is "no other file is left" "$(echo /etc/xhroom*)" "$FILE"

reload
is "a new module knows nothing" "$(state)" $'[]\n[]'
quiet "restore" xhroomctl restore
unchanged "and all is as it was"
quiet "restore again" xhroomctl restore
unchanged "and nothing has changed"
xhroomctl set last 7
xhroomctl set veth0 9 tx-head slab xdp-headroom-min 200
xhroomctl policy set kind:veth 8 xdp-headroom-min 256
xhroomctl policy set kind:vlan 5
xhroomctl restore
is "what the file mentions is set" "$(xhroomctl show veth0) $(xhroomctl policy | grep '^kind:veth ' | tr -s ' ')" \
	"veth0  tx-headroom 256 bytes  xdp-headroom-min 192 bytes (152 for programs to add) kind:veth tx-headroom 256 bytes xdp-headroom-min 200 bytes (160 for programs to add)"
is "what it does not stays" "$(xhroomctl show last) $(xhroomctl policy | tail -1 | tr -s ' ')" \
	"last  tx-headroom 7 bytes kind:vlan tx-headroom 5 bytes"
xhroomctl clear last
xhroomctl policy clear kind:vlan
unchanged "that was all"
is "through a pipe" "$(xhroomctl save - | xhroomctl restore - 2>&1; state)" "$BEFORE"

# --- a link, a full disk, many at once -----------------------------------------------------------

ln -s $FILE /tmp/link
quiet "save through a link" xhroomctl save /tmp/link
ok "which stays one" test -L /tmp/link
says "not in the place of a device" 1 'is not a regular file' xhroomctl save /dev/full
ok "which is still there" test -c /dev/full
mkdir /tmp/small
mount -t tmpfs -o size=4k small /tmp/small
echo old >/tmp/small/file
says "not on a full disk" 1 'cannot write /tmp/small/file: No space left' xhroomctl save /tmp/small/file
is "where the old file stays, alone" "$(cat /tmp/small/*)" old
umount /tmp/small

# Who reads meanwhile sees one of the two files, whatever happens to who writes.
for i in {1..100}; do echo "policy set name:many$i $i"; done >/tmp/many
xhroomctl restore /tmp/many
xhroomctl save /tmp/long
xhroomctl save /tmp/shared
timeout 60 bash -c 'while :; do xhroomctl save /tmp/shared & sleep 0.0$((RANDOM % 5)); kill -9 $!; wait $!; done' 2>/dev/null & writer=$!
torn=0
for i in {1..40}; do cmp -s /tmp/shared /tmp/long || torn=$((torn + 1)); done
kill $writer
wait $writer 2>/dev/null
is "a writer that is killed leaves a whole file" "$torn" 0
rm -f /tmp/shared*
xhroomctl policy clear all
xhroomctl restore /tmp/saved
unchanged "after that"

# --- files with a fault --------------------------------------------------------------------------

# faulty NAME REGEX LINE...: the file is refused, and nothing of it is done.
faulty()
{
	local name=$1 regex=$2
	shift 2
	printf '%s\n' "$@" >/tmp/faulty
	says "$name: refused" 1 "^xhroomctl: /tmp/faulty:$regex" xhroomctl restore /tmp/faulty
	unchanged "$name: nothing of it is done"
}
faulty "a number out of range in the last line" '3: last: tx-headroom: 513 is out of range: 0 to 512 bytes' \
	'set last 5' 'policy set kind:vlan 5' 'set last 513'
faulty "an unknown word" "2: unknown command 'sett'.*did you mean 'set'\?" 'set last 5' 'sett last 6'
faulty "two faults" "1: set: which device.*/tmp/faulty:3: last: which value.*2 wrong lines" set 'set last 5' 'set last'
faulty "another command" '2: clear has no place in a file' 'set last 5' 'clear veth0'
faulty "an option" '1: options have no place in a file' 'set -n blue last 5'
# A NUL cannot be an argument.
printf 'set last 5\nset last\0 6\n' >/tmp/faulty
says "a NUL: refused" 1 '^xhroomctl: /tmp/faulty:2: this is not text' xhroomctl restore /tmp/faulty
unchanged "a NUL: nothing of it is done"
says "a directory" 1 'cannot read /tmp: Is a directory' xhroomctl restore /tmp

# --- devices that are not there, lines that the kernel refuses --------------------------------------

printf 'set nosuch 5\nset last 6\nset neither 7\n' >/tmp/some
says "devices that are not there are no error" 0 '^xhroomctl: /tmp/some: left out, not there now: nosuch neither$' \
	xhroomctl restore /tmp/some
is "the others are set" "$(xhroomctl show last)" "last  tx-headroom 6 bytes"
for i in {1..200}; do echo "set nosuch-$i 1"; done >/tmp/some
says "many of them are one line" 0 'nosuch-1 nosuch-2 .* and [0-9]+ more$' xhroomctl restore /tmp/some
xhroomctl clear last

for i in {1..253}; do echo "policy set name:many$i $i"; done >/tmp/many
xhroomctl restore /tmp/many
is "there are as many policies as there can be" "$(xhroomctl policy | wc -l)" 256
printf 'set last 6\npolicy set kind:vlan 5\nset lo 3\n' >/tmp/some
says "a line that is refused" 4 '^xhroomctl: /tmp/some:2: kind:vlan: there are too many policies
xhroomctl: /tmp/some: 1 line refused, 2 done$' xhroomctl restore /tmp/some
is "the others are done" "$(xhroomctl show lo) $(xhroomctl show last)" "lo  tx-headroom 3 bytes last  tx-headroom 6 bytes"
sed -i 2\!d /tmp/some
says "all are refused" 2 '1: kind:vlan: there are too many.*1 line refused, 0 done$' xhroomctl restore /tmp/some
xhroomctl policy clear all
xhroomctl restore /tmp/saved
xhroomctl clear lo
xhroomctl clear last
unchanged "after that"

# --- who may --------------------------------------------------------------------------------------

chmod 644 $FILE
chown 0:0 $FILE
echo 'set last 5' >>$FILE
says "a user may not restore" 2 "^xhroomctl: $FILE:2: name:b\*: CAP_NET_ADMIN in the initial user namespace is needed
xhroomctl: run it as root[^
]*$" user xhroomctl restore
says "nor in a namespace of his own" 2 'CAP_NET_ADMIN' user unshare -Ur xhroomctl restore
unchanged "nothing of it is done"
quiet "but look at the file" user xhroomctl restore --check
cp $FILE /tmp/saved
says "a user may not save there" 1 "cannot write $FILE: Permission denied" user xhroomctl save
is "it stays" "$(cat $FILE)" "$(cat /tmp/saved)"
ok "but elsewhere" user xhroomctl save /tmp/users
is "the same" "$(cat /tmp/users; echo set last 5)" "$(cat $FILE)"

# --- saying what would be done ------------------------------------------------------------------------

# would NAME WANT WORD...: is printed, and nothing is done.
would()
{
	local name=$1 want=$2
	shift 2
	is "dry run: $name" "$(xhroomctl "$@" --dry-run 2>&1)" "$want"
	unchanged "dry run: $name: nothing is done"
}
would set 'set last tx-headroom 64 tx-head slab' set last 64 tx-head slab
would clear 'set veth0 tx-headroom 0 tx-head auto xdp-headroom-min 0 xdp-linearize on' clear veth0
would "policy set" 'policy set kind:vlan tx-headroom 5' policy set kind:vlan 5
would "policy clear" 'policy clear kind:veth' policy clear kind:veth
would "policy clear all" 'policy clear name:b*
policy clear kind:veth
policy clear kind:veth/name:mg[!a]*' policy clear all
would restore "$(sed '1d; s/last 5/last tx-headroom 5/' $FILE | tr '\001\377' '??')" restore
would "restore of a line" 'set last tx-headroom 5' restore --device last
would "one that is not there" 'xhroomctl: nosuch: no such device in this network namespace' set nosuch 5
would "out of range" 'xhroomctl: last: tx-headroom: 513 is out of range: 0 to 512 bytes' set last 513
would "in a gap of the range" 'xhroomctl: last: xdp-headroom-min: 191 is out of range: 192 to 256 bytes' set last xdp-headroom-min 191
would "out of range, a policy" 'xhroomctl: kind:vlan: tx-headroom: 513 is out of range: 0 to 512 bytes' policy set kind:vlan 513
would "a policy that is not there" 'xhroomctl: kind:vlan: there is no policy with this match' policy clear kind:vlan

# --- another namespace ------------------------------------------------------------------------------

ip netns add there
ip -n there link add d0 type dummy
xhroomctl -n there set d0 77
quiet "save there" xhroomctl -n there save /tmp/there
is "has its devices" "$(grep ^set /tmp/there)" "set d0 tx-headroom 77 tx-head auto xdp-headroom-min 256 xdp-linearize on"
xhroomctl -n there clear d0
quiet "restore there" xhroomctl -n there restore /tmp/there
is "sets them" "$(xhroomctl -n there show)" "d0  tx-headroom 77 bytes"
says "and here there are none of the kind" 0 'left out, not there now: d0' xhroomctl restore /tmp/there
ip netns del there

# --- the unit -------------------------------------------------------------------------------------------

unit=/usr/lib/systemd/system/xhroom.service
is "the module is loaded early" "$(grep -v '^#' /usr/lib/modules-load.d/xhroom.conf)" xdp_skbext
cp /tmp/saved $FILE
module_unload
# As systemd would: stops at the first that fails.
rc=0
while read -r command; do $command || rc=$?; done <<<"$(sed -n 's/^ExecStart=//p' $unit)"
is "the unit's commands" "$rc $(grep -c ^ExecStart= $unit)" "0 2"
is "bring all of the file" "$(xhroomctl save -)" "$(sed 's/^set last 5$/set last tx-headroom 5 tx-head auto xdp-headroom-min 256 xdp-linearize on/' $FILE)"

# --- udev ---------------------------------------------------------------------------------------------------

# The real one, with the rule as it is installed.
/lib/systemd/systemd-udevd --daemon >/tmp/udevd 2>&1
settled() { udevadm settle -t 30; }
value() { xhroomctl show -- "$1" 2>&1 | sed 's/.*tx-headroom \([0-9]*\) bytes.*/\1/'; }
xhroomctl policy clear all
printf 'set new0 11\nset new1 tx-head slab\nset new1 12\nset new2 13\nset -- -odd2 14\npolicy set kind:vlan 9\n' >$FILE
for dev in new0 new1 other0 -odd2; do ip link add name "$dev" type dummy; done
settled
is "a device that appears gets its line" "$(value new0)" 11
is "all of its lines" "$(xhroomctl show new1)" "new1  tx-headroom 12 bytes  tx-head slab"
is "one without a line gets nothing" "$(value other0)" 0
is "a name that looks like an option" "$(value -odd2)" 14
is "policies are not its business" "$(xhroomctl policy)" ""
ip link set other0 name new2
settled
is "a new name has its line" "$(value new2)" 13
ip link del new0
ip netns add there
ip -n there link add new0 type dummy
settled
is "not in another namespace" "$(xhroomctl -n there show)" ""
ip -n there link set new0 netns 1
settled
is "but when it comes here" "$(value new0)" 11
ip link del new0
echo 'set new1 513' >>$FILE
ip link add new0 type dummy
settled
is "a file with a fault does nothing" "$(value new0)" 0
ip link del new0
sed -i '$d' $FILE
module_unload
ip link add new0 type dummy
settled
not_ok "nothing loads the module" module_loaded
ip link del new0

# --- the kill switch -------------------------------------------------------------------------------------------

# modprobe and udev read it there.
echo "$(cat /proc/cmdline) xdp_skbext.features=none" >/tmp/cmdline
mount --bind /tmp/cmdline /proc/cmdline
module_load
like "switched off on the kernel's command line" "$(xhroomctl status)" 'tx-headroom +disabled .*left out by the features parameter'
says "nothing can be set" 2 'left out by the features parameter' xhroomctl set new1 5
says "or restored" 4 '4 lines refused, 1 done$' xhroomctl restore
is "but that there is no page fragment" "$(xhroomctl show)" "new1  tx-headroom 0 bytes  tx-head slab"
udevadm control --log-level=debug
ip link add new0 type dummy
settled
is "the rule is passed over" "$(value new0) $(udevadm test /sys/class/net/new0 2>&1 | grep -c 'xhroomctl restore')" "0 0"
umount /proc/cmdline
is "which it is not otherwise" "$(udevadm test /sys/class/net/new0 2>&1 | grep -c 'xhroomctl restore --device=new0')" 1
like "the unit heeds the same words" "$(cat $unit)" 'ConditionKernelCommandLine=!xdp_skbext.features=none'
module_unload

udevadm control --exit
retry 10 eval '! pidof systemd-udevd'
done_testing
