#!/bin/bash
# vm: where=host timeout=900
# DKMS for real, in the build root of this kernel line: install for a kernel
# that is not running, upgrade to the next one by the hooks that Debian's
# packages call, kernels that are not supported, a build that fails, removal.
# The host's own DKMS is not touched.

. "$(dirname "$0")/../lib/lab.sh"

read -r new new_version <<<"$(kernel_nth "$LINE" 1)"
read -r old old_version <<<"$(kernel_nth "$LINE" 2)"
if [ -z "$old" ]; then
	# The archive has one point release of this line: another flavour is
	# another kernel, too.
	old=${new/-amd64/-cloud-amd64}
	old_version=$new_version
fi
new_headers=$(headers_dir "$new" "$new_version")
old_headers=$(headers_dir "$old" "$old_version")
copy=$(mktemp -d "$CACHE/tmp.XXXXXX")
trap 'rm -rf "$copy"' EXIT
TO=$copy
sync_tree "$TO" module dkms
cp "$TREE/Makefile" "$TREE/dkms.conf" "$TO/"

in_root "$(kernel_release "$LINE")" --layer "$new_headers" --layer "$old_headers" \
	--bind "$TO:/work" --bind "$VM/guest:/lab" -- bash -s "$new" "$old" <<'ROOT' 2>&1 | grep -v "Section '.comment' was not dumped"
. /lab/tap.sh
new=$1 old=$2
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' /work/dkms.conf)
hooks() { local d; for d in header_postinst.d postinst.d; do run-parts --exit-on-error --arg="$1" /etc/kernel/$d || return; done; }
built_for() { find "/lib/modules/$1/updates" -name 'xdp_skbext.ko*' 2>/dev/null | head -1; }
field() { modinfo -F "$1" "$(built_for "$2")"; }
not() { ! "$@"; }

is "dkms.conf and MODULE_VERSION agree" "$version" \
	"$(grep -rhoP 'MODULE_VERSION\("\K[^"]+' /work/module | sort -u)"
is "and so does the placeholder" "$version" \
	"$(grep -hoP 'MODULE_VERSION\("\K[^"]+' /work/dkms/stub/xdp_skbext.c)"

# dkms is in /usr/sbin.
is "what is missing is said at once, as one command" \
	"$(PATH=/usr/bin make -s -C /work install KVER=nonesuch 2>&1 | grep -v '^make')" \
	"xhroom needs packages that are missing: apt-get install dkms linux-headers-nonesuch pkg-config libnl-3-dev libnl-genl-3-dev libjson-c-dev"
is "and nothing has been installed" "$(find /usr/src /var/lib/dkms /usr/local -name '*xhroom*')" ""

ok "installs for $old, which is not running" make -s -C /work install-module "KVER=$old"
like "dkms lists it as installed" "$(dkms status -m xhroom -v "$version" -k "$old")" 'installed'
is "the module has this version" "$(field version "$old")" "$version"
like "and is for that kernel" "$(field vermagic "$old")" "^${old//+/[+]} "
is "$new has none yet" "$(built_for "$new")" ""

ok "the hooks of a new kernel's packages succeed" hooks "$new"
is "after the upgrade the new kernel has it" "$(field version "$new")" "$version"
like "built for the new kernel" "$(field vermagic "$new")" "^${new//+/[+]} "
not_ok "it is the module, not the placeholder" grep -q placeholder <(field description "$new")
like "the old kernel keeps its own" "$(field vermagic "$old")" "^${old//+/[+]} "

# Kernels that are not supported are passed over.
mkdir -p /lib/modules/5.10.0-1-amd64/build/include
cp "/lib/modules/$new/build/.config" /lib/modules/5.10.0-1-amd64/build/
ok "a kernel that is too old does not stop its own installation" hooks 5.10.0-1-amd64
is "and gets no module" "$(built_for 5.10.0-1-amd64)" ""
exits "asked for by name, dkms refuses" 77 dkms build -m xhroom -v "$version" -k 5.10.0-1-amd64
other=${new%-amd64}-other
mkdir -p "/lib/modules/$other/build/include"
grep -v FTRACE "/lib/modules/$new/build/.config" >"/lib/modules/$other/build/.config"
ok "nor does one without a required option" hooks "$other"
is "which gets no module either" "$(built_for "$other")" ""

# Sources that do not build, as on a kernel from the future.
dkms remove -m xhroom -v "$version" -k "$new" >/dev/null
is "removal for one kernel" "$(built_for "$new")" ""
for f in /usr/src/xhroom-"$version"/module/*.c; do echo '#error broken on purpose' >>"$f"; done
ok "a failed build does not stop the kernel's installation" hooks "$new"
like "a placeholder says what happened" "$(field description "$new")" 'did not build'
dkms remove -m xhroom -v "$version" -k "$new" >/dev/null
not_ok "where someone is watching, the failed build is an error" \
	env XHROOM_NO_STUB=1 dkms install -m xhroom -v "$version" -k "$new"

# The next release: everything that states a version is raised.
cp -r /work /tmp/next
find /tmp/next -type f -exec sed -i "s/\"$version\"/\"99.0\"/" {} +
ok "a newer release installs over this one" make -s -C /tmp/next install-module "KVER=$new"
is "and takes its place" "$(field version "$new") $(echo /usr/src/xhroom-*)" "99.0 /usr/src/xhroom-99.0"

# One that was left behind, and is not the version of the tree that uninstalls.
cp -r /work /usr/src/xhroom-0.0.1
sed -i "s/\"$version\"/\"0.0.1\"/" /usr/src/xhroom-0.0.1/dkms.conf
dkms add -m xhroom -v 0.0.1 >/dev/null
is "two versions are there" "$(dkms status -m xhroom | sed 's|[,:].*||' | sort -u | tr '\n' ' ')" "xhroom/0.0.1 xhroom/99.0 "
ok "uninstalls" make -s -C /work uninstall-module
is "no module is left" "$(find /lib/modules -name 'xdp_skbext*')" ""
is "no sources are left" "$(find /usr/src /var/lib/dkms -name '*xhroom*')" ""
echo "1..$T_COUNT"
ROOT
