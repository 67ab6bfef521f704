# shellcheck shell=bash
# What the suites about transmit headroom share: the formulas, written down a
# second time and independently of the module, and the comparison of what
# txsend sent with what headroom.bpf.c saw.

TX_TMP=/tmp/tx
mkdir -p $TX_TMP

# ll HARD_HEADER_LEN NEEDED_HEADROOM EXTRA: headroom of the network header.
ll() { echo $(((($1 + $2 + $3) / 16) * 16 + 16)); }

# tx_setup [native]
tx_setup()
{
	sysctl -qw net.ipv4.ping_group_range='0 2147483647'
	headroom load "$@"
}

# seen DEV WHERE [MARK]: "HEADROOM PACKETS" of each headroom seen, sorted. MARK
# "any" is any but 0: what txsend sent. (MLD reports keep something else in the
# place of the mark; they begin with a hop-by-hop header.)
seen()
{
	headroom show | awk -v d="$1" -v w="$2" -v m="$3" '
		$1 == d && $2 == w && (m == "" || $3 == m || m == "any" && $3 && $9) { n[$4] += $5 }
		END { for (h in n) print h, n[h] }' | sort -n
}

# headrooms DEV WHERE [MARK]: each headroom seen, in one line.
headrooms() { seen "$@" | awk '{ printf "%s%s", s, $1; s = " " } END { print "" }'; }

# needed_headroom_of DEV: by its last packet; send one first.
needed_headroom_of() { headroom show | awk -v d="$1" '$1 == d { print $6; exit }'; }

# missing_sites: sites that this kernel is known not to have.
missing_sites()
{
	case $KERNEL in
	6.1) echo 'xdp-(sg|meta.*)' ;;
	6.12) echo 'none' ;;
	*) echo 'udplite.*' ;;
	esac
}

# tx_compare SENT SEEN NEEDED DEV=EXTRA...: prints "SITE ok" or "SITE what is
# wrong" for each site and device of SENT, the output of txsend. Ethernet.
tx_compare()
{
	local sent=$1 shown=$2 needed=$3
	shift 3
	awk -v missing="^($(missing_sites))\$" -v needed="$needed" -v extras="$*" '
	function ll(h, n, x) { return int((h + n + x) / 16) * 16 + 16 }
	function xdp(n, x, r) { r = int((n + x + 63) / 64) * 64; return r > 64 ? r : 64 }
	function want(class, x) {
		if (class == "ll") return ll(14, needed, x) - 14
		if (class == "ll6") return ll(14, needed, x) - 14 + 8
		if (class == "xdp") return xdp(needed, x)
		if (class == "xdp-meta") return xdp(needed, 0)
	}
	BEGIN {
		n = split(extras, e, " ")
		for (i = 1; i <= n; i++) { split(e[i], kv, "="); extra[kv[1]] = kv[2] }
	}
	# What was seen, first file: by device, point and mark.
	FNR == NR {
		k = $1 " " $2 " " $3
		total[k] += $5
		room[k, $4] += $5
		list[k] = list[k] " " $4 ":" $5
		if ($6 != needed) changed[k] = $6
		next
	}
	$1 == "skip" && $2 ~ missing { print $2, "skip"; next }
	$1 == "skip" { print $2, "not available:", substr($0, length($1 $2) + 3); next }
	$1 == "fail" || $1 == "wmem" { print $2, "txsend: " $0; next }
	$1 == "sent" {
		k = $6 " " $5 " " $3
		w = want($4, extra[$6])
		x = extra[$6]
		if ($2 ~ missing)
			print $2, "was expected to be missing on this kernel"
		else if (!$8)
			print $2, "sent nothing"
		else if (total[k] != $8)
			print $2, $6 " extra " x ": " $8 " packets expected, " total[k] + 0 " seen:" list[k]
		else if (room[k, w] != $8)
			print $2, $6 " extra " x ": headroom " w " expected, seen:" list[k]
		else if (k in changed)
			print $2, $6 " extra " x ": needed_headroom is " changed[k] ", was " needed
		else
			print $2, "ok"
	}' "$shown" "$sent"
}

# tx_sites_report LABEL FILE: one test for each site named in FILE, which holds
# the output of several tx_compare.
tx_sites_report()
{
	local label=$1 what site text
	awk '
	!($1 in seen) { seen[$1]; order[n++] = $1 }
	{ text = substr($0, length($1) + 2) }
	text == "ok" { ok[$1]++; next }
	text == "skip" { skip[$1]++; next }
	bad[$1]++ < 5 { texts[$1] = texts[$1] "note " $1 " " text "\n" }
	END {
		for (i = 0; i < n; i++) {
			s = order[i]
			if (bad[s]) printf "fail %s\n%s", s, texts[s]
			else print (ok[s] ? "pass " : "skip ") s
		}
	}' "$2" >$TX_TMP/report
	while read -r what site text; do
		case $what in
		pass) pass "$label: $site" ;;
		skip) skip "$label: $site" "not in this kernel" ;;
		fail) fail "$label: $site" ;;
		note) note "$text" ;;
		esac
	done <$TX_TMP/report
}

# Everything that gives a packet a new head, or copies it.
TX_COPIES="pskb_expand_head skb_realloc_headroom skb_expand_head skb_copy skb_copy_expand
	__pskb_copy_fclone skb_pp_cow_data skb_cow_data_for_xdp"

# copies_watch: from now on they are counted. Once per suite: placing probes takes
# longer than most of what they count.
copies_watch()
{
	local func
	for func in $TX_COPIES; do
		# Not every kernel has them all.
		echo "p:copies/$func $func" >>$TRACING/kprobe_events || continue
	done 2>/dev/null
	echo 1 >$TRACING/events/copies/enable
}

# count_copies COMMAND...: "FUNCTION=CALLS ..." of those that were called, on all
# CPUs, while COMMAND ran (its output goes to standard error).
count_copies()
{
	awk '{ print $1, $2 + $3 }' $TRACING/kprobe_profile >"$TX_TMP/profile"
	"$@" >&2
	awk -v names="$(echo $TX_COPIES) " '
		FNR == NR { before[$1] = $2; next }
		index(names, $1 " ") && $2 + $3 > before[$1] {
			printf "%s=%d ", $1, $2 + $3 - before[$1]
		}' "$TX_TMP/profile" $TRACING/kprobe_profile
	echo
}

# KiB of free pages in lists of CPUs: they grow by megabytes where one CPU allocates
# pages and another frees them (cpumap), and no statistic calls them free.
listed() { awk '$1 == "count:" { n += 4 * $2 } END { print n + 0 }' /proc/zoneinfo; }
# What is neither free nor cache, in KiB. The quick way to free has emptied its
# queues when RCU and work items are done.
used()
{
	sleep 1
	[ -z "$DEBUG" ] || shrink_slabs
	awk -v n="-$(listed)" '/^MemTotal:/ { n += $2 } /^(MemFree|Cached|Buffers):/ { n -= $2 } END { print n }' /proc/meminfo
}
# not_lost BEFORE [KIB]: whether that is what it was, but for noise. Another CPU may
# take its time to free pages.
not_lost() { [ $(($(used) - $1)) -le "${2:-5000}" ]; }

# shrink_slabs: caches of slab memory give back what nobody uses, and KASAN what it
# keeps to notice late accesses.
shrink_slabs() { local f; for f in /sys/kernel/slab/*/shrink; do echo 1 >"$f"; done; }
# Packets that somebody has: exact behind shrink_slabs.
skbs() { awk '/^skbuff_/ { n += $2 } END { print n }' /proc/slabinfo; }

# fragment_range: addresses of the function that takes pages for heads, and of the
# next one.
fragment_range()
{
	sort /proc/kallsyms | awk '$4 == "[xdp_skbext]" && from && $1 > from { print "0x" from, "0x" $1; exit }
		$3 == "xhr_page_frag_alloc" { from = $1 }'
}

# fragment_pages [RANGE]: pages that fragments of the module hold: the debugging
# kernel knows the owner of each page. Nothing elsewhere. RANGE is what fragment_range
# printed, when the module is gone, and with it its names. Softirqs that run within
# the function allocate on their own account: only its own calls count.
PAGE_OWNERS=/sys/kernel/debug/page_owner_stacks/show_stacks
fragment_pages()
{
	[ ! -e $PAGE_OWNERS ] ||
		awk -v range="$1" '
		BEGIN { split(range, r, " ") }
		/xhr_page_frag_alloc/ || range && length($1) == 18 && $1 >= r[1] && $1 < r[2] { if (last ~ /alloc_page/) ours = 1 }
		{ last = $1 }
		/^nr_base_pages:/ { if (ours) n += $2; ours = 0 }
		END { print n + 0 }' $PAGE_OWNERS
}
