# shellcheck shell=bash
# Builds what a suite needs from the tree: the module and the test modules for
# one kernel, the tool, the test programs and the BPF objects. Works on a copy
# in the cache, so nothing is ever left in the tree, and the copy makes builds
# incremental.

BUILD=$CACHE/build/$TREE_ID

# Copies newer files only, and leaves build products of earlier runs alone.
sync_tree()
{
	local to=$1 d
	shift
	mkdir -p "$to"
	for d; do
		[ -d "$TREE/$d" ] || continue
		mkdir -p "$to/$d"
		# What is excluded is not deleted either: earlier build products.
		rsync -a --checksum --delete --exclude '*.o' --exclude '*.ko' --exclude '.*.cmd' \
			--exclude '*.mod' --exclude '*.mod.c' --exclude '*.d' --exclude Module.symvers \
			--exclude modules.order --exclude /xhroomctl "$TREE/$d/" "$to/$d/"
	done
}

# in_kernel_root KVER VERSION RELEASE [--bind ...] -- COMMAND...: in the build
# root with this kernel's headers in place.
in_kernel_root()
{
	local headers release=$3
	headers=$(headers_dir "$1" "$2")
	shift 3
	in_root "$release" --layer "$headers" "$@"
}

# build_modules LINE [MAKE ARGUMENT]...: the module and the test modules, built
# by Kbuild in the build root. Leaves them in $BUILD/KVER/out.
build_modules()
{
	local line=$1 kver version dir release
	read -r kver version <<<"$(kernel_nth "$line" 1)"
	shift
	release=$(kernel_release "$line")
	dir=$BUILD/$kver
	sync_tree "$dir" module tests/vm/kmods
	mkdir -p "$dir/out"
	rm -f "$dir"/out/*.ko
	# shellcheck disable=SC2016 # expanded in the root
	in_kernel_root "$kver" "$version" "$release" --bind "$dir:/work" -- bash -eo pipefail -c '
		kver=$1; shift
		for d in module tests/vm/kmods; do
			[ -e "/work/$d/Kbuild" ] || continue
			make -s -C "/lib/modules/$kver/build" "M=/work/$d" -j2 "$@" \
				KBUILD_EXTRA_SYMBOLS="$([ "$d" = module ] || echo /work/module/Module.symvers)" modules \
				2>&1 | { grep -v "Skipping BTF generation" || :; }
			cp /work/$d/*.ko /work/out/
		done
	' build "$kver" "$@" >&2
}

# build_dkms LINE: the module as a user's machine would build it: dkms add,
# build, install for a kernel that is not running. Same place as build_modules.
# Done once per state of the sources.
build_dkms()
{
	local line=$1 kver version dir release key
	read -r kver version <<<"$(kernel_nth "$line" 1)"
	release=$(kernel_release "$line")
	dir=$BUILD/$kver
	sync_tree "$dir/dkms" module dkms
	cp "$TREE/Makefile" "$TREE/dkms.conf" "$dir/dkms/"
	mkdir -p "$dir/out"
	key=$(cd "$dir/dkms" && find . -type f ! -name '*.o' ! -name '*.ko' ! -name '.*' | sort | xargs md5sum | md5sum)
	rm -f "$dir"/out/*.ko
	if [ "$key" != "$(cat "$dir/dkms/.key" 2>/dev/null)" ]; then
		rm -f "$dir/dkms/.key"
		# shellcheck disable=SC2016 # expanded in the root
		in_kernel_root "$kver" "$version" "$release" --bind "$dir/dkms:/work" -- bash -ec '
			make -s -C /work install-module "KVER=$1" >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }
			dkms status -m xhroom -k "$1"
			f=$(echo /lib/modules/"$1"/updates/dkms/xdp_skbext.ko*)
			cp "$f" /work/
			case $f in *.xz) xz -df "/work/${f##*/}" ;; *.zst) zstd -q -df --rm "/work/${f##*/}" ;; esac
		' build "$kver" 2>&1 | grep -v "Section '.comment' was not dumped" >&2
		echo "$key" >"$dir/dkms/.key"
	fi
	cp "$dir/dkms/xdp_skbext.ko" "$dir/out/"
}

# build_user: the tool, test programs and BPF objects, with the host's own
# compilers. Leaves them in $BUILD/user/out.
build_user()
{
	local dir=$BUILD/user
	sync_tree "$dir" module/uapi module/skbext ctl bpf tests/vm/progs
	mkdir -p "$dir/out/progs"
	if [ -e "$dir/ctl/Makefile" ]; then
		make -s -C "$dir/ctl" >&2
		cp "$dir/ctl/xhroomctl" "$dir/out/"
	fi
	if [ -e "$dir/bpf/Makefile" ]; then
		make -s -C "$dir/bpf" OUT="$dir/out/progs" >&2
	fi
	make -s -C "$dir/tests/vm/progs" OUT="$dir/out/progs" >&2
}
