# shellcheck shell=bash
# Finds, fetches and unpacks the stock kernels and their headers. Uses an apt
# of its own (lists, sources, state in the cache), so the machine's apt
# configuration is neither changed nor does it need pins.

KERNEL_LINES=$(awk '/^[0-9.]+ / { print $1 }' "$VM/kernels")
kernel_field() { awk -v l="$1" -v f="$2" '$1 == l { print $f }' "$VM/kernels"; }
kernel_release() { kernel_field "$1" 2; }
kernel_known() { [ -n "$(kernel_field "$1" 2)" ] || die "no kernel line '$1': known are $(awk '/^[0-9]/ { print $1 }' "$VM/kernels" | paste -sd ' ')"; }

# one_kernel LINE...: for what runs on one kernel only.
one_kernel()
{
	[ $# = 1 ] || die "one kernel line, please, not '$*': known are" $KERNEL_LINES
	kernel_known "$1"
}

# The archive's addresses are those of the machine's own sources. What they are
# is only known with lists, which a fresh machine has none of.
archive_uri()
{
	local uri
	if [ -z "$(apt-get indextargets 'Created-By: Packages' 'Origin: Debian')" ]; then
		locked host-apt apt-get -qq update >&2
	fi
	uri=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $1" \
		'Created-By: Packages' 'Origin: Debian' | head -1)
	echo "$uri"
}

private_apt() { APT_CONFIG=$CACHE/apt/apt.conf "$@"; }

# Writes the private configuration; refreshes the lists once a day.
apt_setup()
{
	local dir=$CACHE/apt main security suite
	mkdir -p "$dir"/lists/partial "$dir"/cache/archives/partial "$dir"/none
	main=$(archive_uri bookworm)
	[ -n "$main" ] || main=$(archive_uri trixie)
	[ -n "$main" ] || die "apt knows no Debian archive (bookworm or trixie) on this machine"
	security=$(archive_uri bookworm-security)
	# Mirrors of the archive carry the security one next to it.
	[ -n "$security" ] || security=${main%/}-security/
	{
		for suite in bookworm bookworm-updates bookworm-backports trixie trixie-backports; do
			echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $main $suite main"
		done
		for suite in bookworm-security trixie-security; do
			echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $security $suite main"
		done
	} >"$dir/sources.list.new"
	cat >"$dir/apt.conf" <<-END
		Dir::Etc::SourceList "$dir/sources.list";
		Dir::Etc::SourceParts "$dir/none";
		Dir::Etc::Preferences "$dir/none.pref";
		Dir::Etc::PreferencesParts "$dir/none";
		Dir::State::Lists "$dir/lists";
		Dir::State::Status "$dir/status";
		Dir::Cache "$dir/cache";
		APT::Architecture "amd64";
		APT::Sandbox::User "root";
	END
	: >"$dir/status"
	if cmp -s "$dir/sources.list.new" "$dir/sources.list" &&
	   [ -n "$(find "$dir/updated" -mmin -1440 2>/dev/null)" ]; then
		return
	fi
	mv "$dir/sources.list.new" "$dir/sources.list"
	say "reading the archive's package lists"
	if private_apt apt-get -qq update </dev/null >&2; then
		touch "$dir/updated"
		rm -rf "$CACHE/resolved"
	else
		say "cannot refresh the package lists, using the old ones"
	fi
}

versions_of() { private_apt apt-cache madison "$1" | awk -F' *[|] *' '$3 ~ /Packages/ { print $2 }' | sort -u; }

# Prints "KVER VERSION" for each kernel of a line, newest first, for which the
# headers have the same version.
kernel_candidates()
{
	local pkg kver v
	private_apt apt-cache pkgnames linux- | grep -Ex -- "$(kernel_field "$1" 3)" | sort -rV |
	while read -r pkg; do
		kver=${pkg#linux-image-}
		kver=${kver#linux-binary-}
		v=$(comm -12 <(versions_of "$pkg") <(versions_of "linux-headers-$kver") | sort -V | tail -1)
		[ -z "$v" ] || echo "$kver $v"
	done
}

resolve()
{
	apt_setup
	mkdir -p "$CACHE/resolved"
	if is_debug "$1"; then debug_candidates "$1"; else kernel_candidates "$1"; fi >"$2.tmp.$BASHPID"
	[ -s "$2.tmp.$BASHPID" ] || die "the archive offers no kernel of line $1 with headers"
	mv "$2.tmp.$BASHPID" "$2"
}

# kernel_nth LINE N: "KVER VERSION" of the N-th newest (1 = newest).
kernel_nth()
{
	local file=$CACHE/resolved/$1
	! is_debug "$1" || file+=-$(debug_key)
	if [ -z "$(find "$file" -mmin -1440 2>/dev/null)" ]; then
		locked resolve resolve "$1" "$file"
	fi
	sed -n "$2p" "$file"
}
kver_of() { kernel_nth "$1" "${2:-1}" | cut -d' ' -f1; }

# Prints the file name of a package's .deb in the cache, fetched if needed.
deb()
{
	local pkg=$1 version=$2 file
	file=$(find "$CACHE/debs" -name "${pkg}_${version//:/%3a}_*.deb" 2>/dev/null | head -1)
	if [ -z "$file" ]; then
		say "fetching $pkg $version"
		mkdir -p "$CACHE/debs"
		file=$(mktemp -d "$CACHE/debs/tmp.XXXXXX")
		( cd "$file" && private_apt apt-get -qq download "$pkg=$version" </dev/null >&2 ) ||
			# Point releases come and go: look at the archive anew next time.
			{ rm -rf "$file" "$CACHE/apt/updated" "$CACHE/resolved"
			  die "cannot fetch $pkg $version: gone from the archive? Run again"; }
		mv "$file"/*.deb "$CACHE/debs/"
		rm -rf "$file"
		file=$(find "$CACHE/debs" -name "${pkg}_${version//:/%3a}_*.deb" | head -1)
	fi
	echo "$file"
}

# On Debian /lib is a link to usr/lib; packages unpacked by hand ignore that.
merge_usr()
{
	[ -d "$1/lib" ] || return 0
	mkdir -p "$1/usr/lib"
	cp -al "$1/lib/." "$1/usr/lib/"
	rm -rf "${1:?}/lib"
}

unpack_image()
{
	local kver=$1 version=$2 out=$3 pkg file
	mkdir -p "$out"
	# Newer kernels come in three packages; linux-image- is then the signed
	# copy of one of them.
	if [ -n "$(versions_of "linux-binary-$kver")" ]; then
		set -- linux-binary- linux-modules- linux-base-
	else
		set -- linux-image-
	fi
	for pkg; do
		file=$(deb "$pkg$kver" "$version")
		dpkg -x "$file" "$out"
	done
	merge_usr "$out"
	find "$out" -name 'vmlinuz*' -type f -exec cp {} "$out/vmlinuz" \;
	find "$out" -name 'config*' -type f -path '*/config*' -size +100k -exec cp {} "$out/config" \;
	rm -rf "${out:?}"/{boot,usr/share} "$out"/usr/lib/modules/*/{build,source}
	[ -s "$out/vmlinuz" ] && [ -s "$out/config" ] || die "kernel $kver: no vmlinuz or config in its packages"
	ln -s usr/lib "$out/lib"
	depmod -b "$out" "$kver"
	say "unpacked kernel $kver ($version)"
}

# The headers' own dependencies, as far as they are parts of the same kernel.
header_packages()
{
	local pkg=$1
	echo "$pkg"
	private_apt apt-cache depends --important "$pkg" |
		awk '/Depends:/ { print $2 }' | grep -E '^linux-(headers|kbuild|compiler)' |
	while read -r pkg; do header_packages "$pkg"; done
}

unpack_headers()
{
	local kver=$1 version=$2 out=$3 pkg file v
	mkdir -p "$out"
	for pkg in $(header_packages "linux-headers-$kver" | sort -u); do
		# Tools without a point release in their name serve all of them.
		v=$version
		versions_of "$pkg" | grep -Fxq "$v" || v=$(versions_of "$pkg" | sort -V | tail -1)
		file=$(deb "$pkg" "$v")
		dpkg -x "$file" "$out"
	done
	merge_usr "$out"
	rm -rf "${out:?}/usr/share"
	say "unpacked headers of $kver ($version)"
}

# image_dir KVER VERSION, headers_dir KVER VERSION: unpacked, ready to use.
image_dir()
{
	local how=unpack_image
	! is_debug "$1" || how=build_debug
	cached "$CACHE/kernels/$1_$2" $how "$1" "$2" >&2
	echo "$CACHE/kernels/$1_$2"
}
headers_dir()
{
	if is_debug "$1"; then
		echo "$(image_dir "$1" "$2")/headers"
		return
	fi
	cached "$CACHE/headers/$1_$2" unpack_headers "$1" "$2" >&2
	echo "$CACHE/headers/$1_$2"
}
