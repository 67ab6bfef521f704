# shellcheck shell=bash
# Makes what the virtual machine boots: an initramfs in two parts. The base
# (tools of the host, stock modules of one kernel) is cached; the second part
# (the module, the tool, programs, suites) is packed anew for each run, in a
# moment. The kernel unpacks one after the other.

GUEST_TOOLS="bash ip tc ss bridge bpftool kmod ethtool unshare nsenter setpriv taskset sysctl"
# Stock modules that suites may use; their dependencies come along.
GUEST_MODULES="veth dummy ifb tun 8021q ipvlan macvlan bridge vxlan geneve ipip gre ip_gre
	sit ip6_tunnel xfrm_user esp4 esp6 bonding vrf veth sch_ingress sch_fq sch_fq_codel sch_plug cls_bpf
	cls_matchall cls_u32 cls_flower act_gact act_mirred act_bpf act_vlan
	virtio_net virtio_pci ice igb vmxnet3 ip_tables iptable_filter nf_tables
	nft_chain_nat nft_compat nf_conntrack sctp udp_diag tcp_diag inet_diag af_packet_diag unix_diag
	netdevsim pktgen xsk_diag udp_tunnel ip6_udp_tunnel loop netconsole overlay mpls_router
	livepatch-sample"

# install_binary ROOT FILE [TARGET]: with the libraries it is linked to.
install_binary()
{
	local root=$1 file=$2 to=${3:-$2} lib
	mkdir -p "$root/$(dirname "$to")"
	cp -L "$file" "$root/$to"
	ldd "$file" 2>/dev/null | grep -o '/[^ ]*' | while read -r lib; do
		[ -e "$root/$lib" ] || { mkdir -p "$root/$(dirname "$lib")"; cp -L "$lib" "$root/$lib"; }
	done
}

# udev, from the archive and not the host's: many hosts that can run this have none.
unpack_udev()
{
	local version=$1 out=$2 pkg file
	mkdir -p "$out"
	for pkg in udev libsystemd-shared; do
		file=$(deb "$pkg" "$version")
		dpkg -x "$file" "$out"
	done
	merge_usr "$out"
	ln -s usr/lib "$out/lib"
}

# add_udev ROOT: the daemon, and the rules that name network devices.
add_udev()
{
	local root=$1 version dir f
	version=$(versions_of udev | grep -E '^252[.].*deb12u[0-9]*$' | sort -V | tail -1)
	[ -n "$version" ] || die "the archive has no udev of bookworm"
	dir=$CACHE/udev/$version
	cached "$dir" unpack_udev "$version" >&2
	mkdir -p "$root"/lib/{systemd/network,udev/rules.d}
	install_binary "$root" "$dir/bin/udevadm" /bin/udevadm
	f=$(find "$dir/usr/lib" -name 'libsystemd-shared-*.so')
	install_binary "$root" "$f" "${f#"$dir"}"
	ln -sf ../../bin/udevadm "$root/lib/systemd/systemd-udevd"
	cp "$dir"/lib/udev/rules.d/{75-net-description,80-net-setup-link}.rules "$root/lib/udev/rules.d/"
	cp "$dir/lib/systemd/network/99-default.link" "$root/lib/systemd/network/"
}

pack() { ( cd "$1" && find . -print0 | cpio --null --quiet -o -H newc -R 0:0 ); }

make_base()
{
	local image=$1 kver=$2 out=$3 root=$3/root t m f
	mkdir -p "$root"/{bin,sbin,usr/bin,usr/sbin,dev,proc,sys,run,tmp,etc,root,lab,lib/modules/"$kver"}
	chmod 1777 "$root/tmp"
	install_binary "$root" "$(command -v busybox)" /bin/busybox
	for t in $("$root/bin/busybox" --list); do
		[ "$t" = busybox ] || ln -sf busybox "$root/bin/$t"
	done
	for t in $GUEST_TOOLS; do
		f=$(command -v "$t") || { say "host has no $t: the guest will lack it"; continue; }
		rm -f "$root/bin/$t"
		install_binary "$root" "$f" "/bin/$t"
	done
	for t in modprobe insmod rmmod lsmod modinfo depmod; do
		rm -f "$root/bin/$t"
		ln -sf ../bin/kmod "$root/sbin/$t"
	done
	add_udev "$root"
	echo 'root:x:0:0:root:/root:/bin/bash
nobody:x:65534:65534:nobody:/:/bin/sh' >"$root/etc/passwd"
	echo 'root:x:0:
nogroup:x:65534:' >"$root/etc/group"
	ln -s /proc/self/mounts "$root/etc/mtab"
	# The stock modules, uncompressed: quicker to load in an emulator.
	cp "$image/usr/lib/modules/$kver"/modules.{builtin*,order} "$root/lib/modules/$kver/"
	for m in $GUEST_MODULES; do
		awk -v m="$m" '
			{ sub(":", "", $1); n = $1; sub(".*/", "", n); sub("[.]ko.*", "", n); gsub("-", "_", n) }
			n == m { for (i = 1; i <= NF; i++) print $i }
		' "$image/usr/lib/modules/$kver/modules.dep"
	done | sort -u | while read -r f; do
		mkdir -p "$root/lib/modules/$kver/$(dirname "$f")"
		cp "$image/usr/lib/modules/$kver/$f" "$root/lib/modules/$kver/$f"
		case $f in *.xz) xz -d "$root/lib/modules/$kver/$f" ;; *.zst) zstd -q -d --rm "$root/lib/modules/$kver/$f" ;; esac
	done
	depmod -b "$root" "$kver"
	cp "$VM/guest/init" "$root/init"
	chmod 755 "$root/init"
	pack "$root" >"$out/base.cpio"
	say "made the guest of $kver"
}

# guest_base KVER VERSION: directory with base.cpio and root/.
guest_base()
{
	local image key
	image=$(image_dir "$1" "$2")
	key=$( { declare -f make_base install_binary add_udev pack; cat "$VM/guest/init"
		echo "$GUEST_TOOLS $GUEST_MODULES"
		dpkg-query -W busybox-static bash iproute2 bpftool kmod ethtool libc6 2>/dev/null; } | md5sum | cut -c1-8)
	cached "$CACHE/guests/$1_$2-$key" make_base "$image" "$1" >&2
	touch "$CACHE/guests/$1_$2-$key"
	echo "$CACHE/guests/$1_$2-$key"
}

# guest_image LINE OUT: base and this tree's products, ready for -initrd.
guest_image()
{
	local line=$1 out=$2 kver version base top
	read -r kver version <<<"$(kernel_nth "$line" 1)"
	base=$(guest_base "$kver" "$version")
	top=$(mktemp -d "$CACHE/tmp.XXXXXX")
	# It becomes the root directory, also of users who are not root.
	chmod 755 "$top"
	mkdir -p "$top"/{lab/progs,lib/modules,usr/sbin,etc}
	cp -al "$base/root/lib/modules/$kver" "$top/lib/modules/"
	rm "$top/lib/modules/$kver"/modules.{dep,alias,symbols,softdep,devname,builtin.bin,builtin.alias.bin,dep.bin,alias.bin,symbols.bin} 2>/dev/null || :
	mkdir -p "$top/lib/modules/$kver/updates/dkms"
	cp "$BUILD/$kver"/out/*.ko "$top/lib/modules/$kver/updates/dkms/" 2>/dev/null || :
	depmod -b "$top" "$kver"
	rm -rf "$top/lib/modules/$kver/kernel"
	cp -r "$VM"/guest/*.sh "$VM/guest/bench" "$top/lab/"
	mkdir "$top/lab/suites"
	cp -r "$VM"/suites/. "$top/lab/suites/"
	cp -r "$BUILD"/user/out/progs/. "$top/lab/progs/" 2>/dev/null || :
	for f in "$top"/lab/progs/*; do
		[ ! -x "$f" ] || [ -d "$f" ] || install_binary "$top" "$f" "/lab/progs/$(basename "$f")" 2>/dev/null || :
	done
	[ ! -e "$BUILD/user/out/xhroomctl" ] ||
		install_binary "$top" "$BUILD/user/out/xhroomctl" /usr/sbin/xhroomctl
	make -s -C "$TREE" install-boot DESTDIR="$top" PREFIX=/usr >&2
	{ cat "$base/base.cpio"; pack "$top"; } >"$out"
	rm -rf "$top"
}
