#!/bin/bash
# The guest's half of "make demo", and the part of "make bench" that shows the
# same: sends real traffic over a veth pair, with and without a TC egress program
# that pushes 20 bytes, and prints one line for each variant as soon as it has it,
# "row PROGRAM VALUE RESULT...".
#
# A result is the calls of pskb_expand_head() while all N datagrams pass, or the
# instructions of each datagram, if the machine's clock counts them. VALUE is
# stock (the module is not loaded; to be named first), or bytes, with "-slab" or
# "-page-frag" behind them for another kind of head than the automatic one.
#
# demo.sh RESULT[+RESULT] N PROGRAM:VALUE...

. /lab/lib.sh
results=${1//+/ } n=$2
shift 2

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

pair_up
drop_on peer veth1
tc qdisc add dev veth0 clsact
# Where instructions count, what a boot leaves to do later has to be done.
[ "$results" = calls ] || { sleep 15; udpblast -n 30000 10.0.0.2 9 >/dev/null; }

for variant; do
	program=${variant%%:*} value=${variant#*:}
	[ "$program" != push ] || push_on veth0
	if [ "$value" != stock ]; then
		module_loaded || module_load || exit 1
		head=${value#"${value%%-*}"}
		head=${head#-}
		xhroomctl set veth0 "${value%%-*}" tx-head "${head:-auto}" || exit 1
	fi
	row="row $program $value"
	for result in $results; do row+=" $($result)"; done
	echo "$row"
	[ "$program" != push ] || push_off veth0
done
