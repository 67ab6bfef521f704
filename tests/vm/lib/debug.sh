# shellcheck shell=bash
# Builds the kernel that finds memory and locking faults: Debian's source of a
# line, with the few options of debug/config. Kernel names that end in -debug
# are such kernels; to the rest of the laboratory they are like any other.

DEBUG_CONFIG=$VM/debug/config
DEBUG_ROOT=bookworm-kernel

# What a machine with such a kernel needs. Memory: shadow memory, what waits to be
# freed, who allocated what. preempt=full: more can go wrong between two
# instructions than in a stock kernel.
DEBUG_MEM=3G
DEBUG_SLOWNESS=5
DEBUG_APPEND="page_owner=on page_poison=1 preempt=full"

is_debug() { [[ $1 == *-debug* ]]; }

# What decides about the result, besides the version of the source.
debug_key() { { cat "$DEBUG_CONFIG"; declare -f build_debug; } | md5sum | cut -c1-8; }

# As kernel_candidates.
debug_candidates()
{
	local pkg v
	pkg=$(kernel_field "$1" 3)
	versions_of "$pkg" | sort -rV | while read -r v; do
		echo "${v%%-*}-debug-$(debug_key) $v"
	done
}

# build_debug KVER VERSION OUT: leaves in OUT what unpack_image does, and in
# OUT/headers what unpack_headers does.
build_debug()
{
	local kver=$1 version=$2 out=$3 pkg file
	pkg=linux-source-$(echo "$kver" | cut -d. -f1,2)
	say "building kernel $kver (half an hour on two processors, once)"
	file=$(deb "$pkg" "$version")
	mkdir -p "$out/src"
	dpkg --fsys-tarfile "$file" | tar -xO "./usr/src/$pkg.tar.xz" |
		tar -xJ -C "$out/src" --strip-components=1 --exclude='*/dts/*'
	cp "$DEBUG_CONFIG" "$out/fragment"
	# shellcheck disable=SC2016 # expanded in the root
	in_root "$DEBUG_ROOT" --bind "$out:/out" -- bash -ec '
		cd /out/src
		kver=$1
		# In stock kernels __xsk_generic_xmit() has two callers and stays a function.
		make()
		{
			nice make -s -j"$(nproc)" "LOCALVERSION=-${kver#*-}" \
				CFLAGS_xsk.o=-fno-inline-functions-called-once "$@"
		}
		KCONFIG_ALLCONFIG=/out/fragment make allnoconfig
		# Options whose conditions do not hold vanish without a word.
		while read -r line; do
			case $line in
			CONFIG_*=n) ! grep -q "^${line%n}" .config || echo "$line" ;;
			CONFIG_*) grep -qxF -- "$line" .config || echo "$line" ;;
			esac
		done <../fragment >../lost
		[ ! -s ../lost ] || { sed "s/^/not in the result: /" ../lost; exit 1; }
		[ "$(make kernelrelease)" = "$kver" ]
		make bzImage modules
		make INSTALL_MOD_PATH=/out/usr INSTALL_MOD_STRIP=1 modules_install
		cp "$(make image_name)" ../vmlinuz
		cp .config ../config
		build=/out/headers/usr/lib/modules/$kver/build
		make KBUILD_RUN_COMMAND="scripts/package/install-extmod-build $build" run-command
		# As in the packages: nothing but what the BTF of modules is based on.
		objcopy --only-section=.BTF --set-section-flags .BTF=alloc,readonly vmlinux "$build/vmlinux"
	' build "$kver" >&2
	rm -f "$file"
	rm -rf "${out:?}"/{src,fragment,lost} "$out"/usr/lib/modules/*/{build,source}
	ln -s usr/lib "$out/lib"
	say "built kernel $kver ($version)"
}
