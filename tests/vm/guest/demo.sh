#!/bin/bash
# The guest's half of "make demo": sends real traffic over a veth pair and
# prints one line per configuration, "row VALUE PROGRAM RESULT". Runs twice, in
# two machines at the same time: one counts calls of pskb_expand_head() while
# all N datagrams pass, the other counts instructions on a sample (its clock is
# the instruction count).
#
# demo.sh calls|instructions N

. /lab/lib.sh
what=$1 n=$2

calls() { count_calls pskb_expand_head udpblast -n "$n" 10.0.0.2 9 2>/dev/null; }

# The smallest of five rounds: interrupts and housekeeping only ever add.
instructions()
{
	local round best=0 t
	for round in 0 1 2 3 4 5; do
		t=$(udpblast -n "$n" 10.0.0.2 9)
		# The first round warms up.
		[ "$round" != 0 ] || continue
		[ $best != 0 ] && [ "$t" -ge $best ] || best=$t
	done
	echo $(((best + n / 2) / n))
}

row() { echo "row $1 $2 $($what)"; }

pair_up
drop_on peer veth1
tc qdisc add dev veth0 clsact
[ $what = calls ] || udpblast -n 30000 10.0.0.2 9 >/dev/null

# The stock kernel first: the module is not loaded yet.
[ $what = calls ] || row stock none
push_on veth0
row stock push
module_load || exit 1
for value in 0 64 128 256; do
	xhroomctl set veth0 $value || exit 1
	row $value push
done
push_off veth0
row 256 none
