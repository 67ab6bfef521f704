# shellcheck shell=bash
# The laboratory as one piece to source. What each part of it needs: where the tree and the cache are,
# messages, the packages that the host must have, and "make this once, though
# two runs may want it at the same time".

TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
VM=$TREE/tests/vm
CACHE=${XHROOM_CACHE:-/var/cache/xhroom}
# Two checkouts must not build into each other's directories.
TREE_ID=$(printf %s "$TREE" | md5sum | cut -c1-8)
set -e
shopt -s inherit_errexit
# What is packed into a machine must be readable there, whoever packs it.
umask 022
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

# Progress goes to standard error, or where $SAY points.
say() { echo "# $*" >&"${SAY:-2}"; }
die() { echo "error: $*" >&2; exit 1; }

# is_count NAME VALUE: dies unless VALUE is a positive number.
is_count() { [[ $2 =~ ^[1-9][0-9]{0,8}$ ]] || die "$1=$2: give a number from 1 to 999999999"; }

# cached PATH COMMAND...: unless PATH exists, runs COMMAND... TMP, which has to
# create TMP, and renames that to PATH. The lock makes a second run wait for
# the first one instead of doing the work twice.
cached()
{
	local path=$1 tmp=$1.tmp.$BASHPID
	shift
	[ ! -e "$path" ] || return 0
	mkdir -p "$(dirname "$path")"
	(
		flock 9
		[ ! -e "$path" ] || exit 0
		set -e
		# Expanded now: locals are gone when the trap runs.
		# shellcheck disable=SC2064
		trap "rm -rf '$tmp'" EXIT
		"$@" "$tmp"
		mv -T "$tmp" "$path"
		trap - EXIT
	) 9>"$path.lock"
}

# locked NAME COMMAND...: one at a time on this machine.
locked()
{
	local name=$1
	shift
	mkdir -p "$CACHE/locks"
	( flock 9; "$@" ) 9>"$CACHE/locks/$name"
}

# need_packages PACKAGE...: installs what is missing. Only ever adds packages
# from the machine's own sources.
need_packages()
{
	local p missing=()
	for p in "$@"; do
		dpkg-query -W -f '${Status}' "$p" 2>/dev/null |
			grep -q 'ok installed' || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	[ "$(id -u)" = 0 ] || die "these packages are missing, and only root can install them: ${missing[*]}"
	say "installing ${missing[*]}"
	locked host-apt apt-get -qq update >&2 || say "apt-get update failed, going on with the old lists"
	locked host-apt apt-get -qq install -y --no-install-recommends \
		-o DPkg::Lock::Timeout=300 "${missing[@]}" </dev/null >&2
}

# tidy: drops what killed runs left behind and guests that nobody used lately.
tidy()
{
	find "$CACHE" -maxdepth 1 \( -name 'run.*' -o -name 'tmp.*' \) -mmin +1440 -exec rm -rf {} +
	[ ! -d "$CACHE/guests" ] || find "$CACHE/guests" -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf {} +
}

# What building and booting takes on the host; the rest lives in build roots.
# shellcheck disable=SC2034 # for the scripts
HOST_PACKAGES="qemu-system-x86 mmdebstrap debian-archive-keyring rsync cpio
	xz-utils zstd busybox-static bash kmod iproute2 ethtool bpftool procps
	gcc make libc6-dev clang llvm libbpf-dev libelf-dev zlib1g-dev
	libnl-3-dev libnl-genl-3-dev libnl-route-3-dev libjson-c-dev
	libcmocka-dev pahole pkg-config python3-yaml libcap2-bin"

. "$VM/lib/kernel.sh"
. "$VM/lib/debug.sh"
. "$VM/lib/root.sh"
. "$VM/lib/module.sh"
. "$VM/lib/guest.sh"
. "$VM/lib/qemu.sh"
. "$VM/lib/result.sh"
