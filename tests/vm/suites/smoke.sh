#!/bin/bash
# The laboratory itself: this is the kernel that was asked for, the topology
# carries traffic, calls are counted to the digit. And the module loads, changes
# nothing by that, and leaves.
. /lab/lib.sh

like "the kernel that was asked for runs" "$(uname -rv)" "^$KERNEL.*${DEBUG:-Debian}"
ok "veth pair in two namespaces" pair_up
ok "IPv4 reaches the peer" ping -c 1 -W 2 10.0.0.2
ok "IPv6 reaches the peer" ping -6 -c 1 -W 2 fd00::2

drop_on peer veth1
is "calls are counted exactly" \
	"$(count_calls ip_make_skb udpblast -n 1000 10.0.0.2 9)" 1000
ok "a pushing program attaches" push_on veth0
between "stock: each push grows the head" \
	"$(count_calls pskb_expand_head udpblast -n 1000 10.0.0.2 9)" 1000 1003
ok "and detaches" push_off veth0
is "stock: without a push nothing grows" \
	"$(count_calls pskb_expand_head udpblast -n 1000 10.0.0.2 9)" 0

ok "the module loads" module_load
ok "it says so in the kernel log" log_has xdp_skbext
is "loaded and unconfigured it hooks nothing" "$(module_loaded && wc -l <$TRACING/enabled_functions)" 0
ok "the module leaves" module_unload
pair_down
done_testing
