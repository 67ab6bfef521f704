# shellcheck shell=bash
# What the parts of "make bench" share in the virtual machine. Each part prints
# lines "row ROW VARIANT INSTRUCTIONS [CALLS]", all per operation, and runs as
#
#	PART.sh ROUNDS N [LOAD]...
#
# The clock counts instructions. All variants are measured in each round, so that
# what drifts during a boot drifts for all, and the smallest of the rounds counts:
# interrupts and housekeeping only ever add.
. /lab/lib.sh

# shellcheck disable=SC2034 # for the parts
rounds=$1 n=$2
shift 2

die() { echo "error: $*"; exit 1; }

declare -A best counted

# best_of ROW VARIANT INSTRUCTIONS: of all N operations
best_of()
{
	local per=$((($3 + n / 2) / n))
	[ -n "${best[$1 $2]}" ] && [ "${best[$1 $2]}" -le "$per" ] || best[$1 $2]=$per
}

# calls_of ROW VARIANT CALLS: of all N operations
calls_of() { counted[$1 $2]=$(awk -v c="$3" -v n="$n" 'BEGIN { print c / n }'); }

print_rows()
{
	local key
	for key in "${!best[@]}"; do
		[[ $key = *' warm' ]] || echo "row $key ${best[$key]} ${counted[$key]}"
	done
}

# Router solicitations, duplicate address detection, and the like.
settle() { sleep 15; }

in_peer() { nsenter --net=/run/netns/peer "$@"; }

# drop_udp: at TC ingress of veth1, so that nobody answers.
drop_udp()
{
	in_peer tc qdisc add dev veth1 clsact
	in_peer tc filter add dev veth1 ingress protocol ip u32 match ip protocol 17 0xff action drop
}

# --- the alternative: needed_headroom -------------------------------------------------

# What stock offers to raise it: a bridge asks of all its ports the headroom that
# one of them needs, and a veth passes that on to its other end. VXLAN needs 50
# bytes and what its device needs: four of them, each over the one before, 256.
#
# veth1 is a port in all variants, with its addresses on the bridge, so that
# nothing but the headroom differs.
bridge_up()
{
	local i lower=dummy0
	modprobe -a bridge vxlan dummy
	in_peer ip link add br0 address 02:00:00:00:00:02 type bridge stp_state 0 mcast_snooping 0
	in_peer ip link set br0 mtu 1500
	in_peer ip addr flush dev veth1
	in_peer ip link set veth1 master br0
	in_peer bridge fdb add 02:00:00:00:00:01 dev veth1 master static
	in_peer ip addr add 10.0.0.2/24 dev br0
	in_peer ip addr add fd00::2/64 dev br0 nodad
	in_peer ip link set br0 up
	in_peer ip neigh replace 10.0.0.1 lladdr 02:00:00:00:00:01 dev br0 nud permanent
	in_peer ip neigh replace fd00::1 lladdr 02:00:00:00:00:01 dev br0 nud permanent
	in_peer ip link add dummy0 mtu 2000 type dummy
	for i in 1 2 3 4; do
		in_peer ip link add vx$i type vxlan id $i remote 192.0.2.$i dstport 4789 dev $lower
		lower=vx$i
	done
	in_peer ip link set vx4 mtu 1500
}

# needed 256|0: needed_headroom of both ends of the pair, and of the bridge
needed()
{
	case $1 in
	256) in_peer ip link set vx4 master br0 ;;
	0) in_peer ip link set vx4 nomaster ;;
	esac || die "needed_headroom cannot be set"
}

# has_needed 256|0: a packet was sent over veth0, and headroom.c looked.
has_needed()
{
	local now
	now=$(headroom show | awk '$1 == "veth0" && $2 == "egress" { print $6; exit }')
	[ "$now" = "$1" ] || die "needed_headroom of veth0 is '$now', expected $1"
}

# measure VARIANT LOAD...: each once, by the part's run_load
measure()
{
	local variant=$1 load t
	shift
	for load; do
		t=$(run_load "$load") || exit 1
		best_of "$load" "$variant" "$t"
	done
}

# all WHAT: WHAT VARIANT NEEDED_HEADROOM, in each variant; those that need the module
# are the part's with_module WHAT
all()
{
	"$1" stock 0
	needed 256
	"$1" needed 256
	needed 0
	module_load || exit 1
	with_module "$1"
	module_unload || exit 1
	sleep 2
	"$1" again 0
}
