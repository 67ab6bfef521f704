# shellcheck shell=bash
# Build roots. Debian's header packages hold absolute paths below /usr/src and
# need the compiler of their own release, so modules are built inside a small
# Debian system. Every use gets a private overlay that vanishes with its mount
# namespace: a root stays as it was made, and no mount can leak.

# A root is named after its release. It is a user's machine, too, on which the
# packages are installed; they are made in NAME-package, and in NAME-kernel a whole
# kernel can be built.
ROOT_PACKAGES="gcc make dkms kmod dwarves libelf1 xz-utils zstd sparse libjson-c5 libnl-genl-3-200"
root_packages()
{
	case $1 in
	*-package)
		echo build-essential debhelper dh-dkms lintian pkg-config libjson-c-dev libnl-3-dev libnl-genl-3-dev
		return
		;;
	bookworm*) echo $ROOT_PACKAGES gcc-12 ;;
	trixie*) echo $ROOT_PACKAGES gcc-14-for-host ;;
	esac
	case $1 in
	*-kernel) echo bc bison flex libelf-dev python3 zlib1g-dev ;;
	esac
}

make_root()
{
	local name=$1 release=${1%%-*} out=$2 main security
	say "making the $name build root (about a minute)"
	main=$(archive_uri bookworm)
	[ -n "$main" ] || main=$(archive_uri trixie)
	security=$(archive_uri bookworm-security)
	[ -n "$security" ] || security=${main%/}-security/
	mmdebstrap --quiet --mode=root --variant=minbase \
		--include="$(root_packages "$name" | paste -sd ' ' | tr ' ' ,)" \
		--aptopt='APT::Install-Recommends "false"' \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		"$release" "$out" \
		"deb $main $release main" "deb $main $release-updates main" \
		"deb $security $release-security main" </dev/null >&2
	mkdir -p "$out/work"
	rm -rf "$out"/var/cache/apt/archives/*.deb "$out"/var/lib/apt/lists/*_*
}

root_dir()
{
	local release=$1 key
	key=$(declare -f make_root root_packages | cat - <(echo "$ROOT_PACKAGES") | md5sum | cut -c1-8)
	cached "$CACHE/roots/$release-$key" make_root "$release" >&2
	echo "$CACHE/roots/$release-$key"
}

# in_root RELEASE [--layer DIR]... [--bind SRC:DST]... -- COMMAND...
# A layer is a directory laid over the root (unpacked headers). What COMMAND
# leaves outside the bound directories is thrown away.
in_root()
{
	local release=$1 lower binds=()
	shift
	lower=$(root_dir "$release")
	while [ "$1" != -- ]; do
		case $1 in
		--layer) lower=$2:$lower ;;
		--bind) binds+=("$2") ;;
		esac
		shift 2
	done
	shift
	mkdir -p "$CACHE/mnt"
	# shellcheck disable=SC2016 # expanded by the inner shell
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C TERM="${TERM:-dumb}" \
	unshare --mount --pid --fork --kill-child --net bash -ec '
		m=$1 lower=$2; shift 2
		mount -t tmpfs -o size=4g tmpfs "$m"
		mkdir "$m/up" "$m/wk" "$m/root"
		mount -t overlay -o "lowerdir=$lower,upperdir=$m/up,workdir=$m/wk" overlay "$m/root"
		m=$m/root
		mount -t proc proc "$m/proc"
		mount -t tmpfs tmpfs "$m/tmp"
		for n in null zero random urandom; do
			[ -e "$m/dev/$n" ] || : >"$m/dev/$n"
			mount --bind "/dev/$n" "$m/dev/$n"
		done
		while [ "$1" != -- ]; do
			mkdir -p "$m${1#*:}"
			mount --bind "${1%%:*}" "$m${1#*:}"
			shift
		done
		shift
		exec chroot "$m" "$@"
	' in_root "$CACHE/mnt" "$lower" "${binds[@]}" -- "$@"
}
