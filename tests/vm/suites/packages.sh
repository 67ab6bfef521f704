#!/bin/bash
# vm: where=host timeout=900 kernels="6.1 7.3"
# "make deb" and what it makes, on Debian 12 and 13: built and looked through by
# lintian, installed on a machine that has two kernels, upgraded to the next
# kernel, removed. Each step where a user of that release would take it: in a
# root of its own, which has no network.

. "$(dirname "$0")/../lib/lab.sh"

release=$(kernel_release "$LINE")
read -r new new_version <<<"$(kernel_nth "$LINE" 1)"
read -r old old_version <<<"$(kernel_nth "$LINE" 2)"
if [ -z "$old" ]; then
	# As in dkms.sh.
	old=${new/-amd64/-cloud-amd64}
	old_version=$new_version
fi
TO=$(mktemp -d "$CACHE/tmp.XXXXXX")
trap 'rm -rf "$TO"' EXIT
sync_tree "$TO" module dkms ctl boot docs debian
cp "$TREE/Makefile" "$TREE/dkms.conf" "$TREE/LICENSE" "$TO/"

# The tests are numbered through both roots.
in_root "$release-package" --bind "$TO:/work" --bind "$VM/guest:/lab" -- bash -s <<'ROOT' 2>&1
. /lab/tap.sh
cd /work
is "the packages have the version of dkms.conf" "$(dpkg-parsechangelog -S Version)" \
	"$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)"
mkdir /tmp/few
ln -s /usr/bin/sed /tmp/few/
is "what is missing is said at once, as one command" "$(PATH=/tmp/few /usr/bin/make -s deb CC=/usr/bin/gcc SHELL=/bin/bash 2>&1 | grep -v '^make')" \
	"xhroom needs packages that are missing: apt-get install pkg-config libnl-3-dev libnl-genl-3-dev libjson-c-dev build-essential debhelper dh-dkms"
ok "make deb" make deb
version=$(dpkg-parsechangelog -S Version)
is "makes two packages, and leaves nothing else" "$(echo dist/*)" \
	"dist/xhroom-dkms_${version}_all.deb dist/xhroom_${version}_amd64.deb"
ok "lintian has no word against them" lintian --allow-root --fail-on error,warning --tag-display-limit 0 dist/*.deb
is "and says none" "$(lintian --allow-root dist/*.deb 2>&1)" ""
echo $T_COUNT >/work/count
ROOT

in_root "$release" --layer "$(headers_dir "$new" "$new_version")" --layer "$(headers_dir "$old" "$old_version")" \
	--bind "$TO:/work" --bind "$VM/guest:/lab" -- bash -s "$new" "$old" <<'ROOT' 2>&1 | grep -v "Section '.comment' was not dumped"
. /lab/tap.sh
new=$1 old=$2 T_COUNT=$(cat /work/count)
export DEBIAN_FRONTEND=noninteractive
hooks() { local d; for d in header_postinst.d postinst.d; do run-parts --exit-on-error --arg="$1" /etc/kernel/$d || return; done; }
built_for() { find "/lib/modules/$1/updates" -name 'xdp_skbext.ko*' 2>/dev/null | head -1; }
field() { modinfo -F "$1" "$(built_for "$2")"; }
files() { find / -xdev \( -path /work -o -path /proc -o -path /tmp \) -prune -o \( -name '*xhroom*' -o -name '*xdp_skbext*' \) -print | sort; }
# What was here before, and the archive's own.
mv "/lib/modules/$new" /root/
before=$(files)

ok "they install" apt-get -q install -y /work/dist/*.deb
version=$(dpkg-query -W -f '${Version}' xhroom-dkms)
is "both are there" "$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 'xhroom*' | sort | tr '\n' ' ')" \
	"xhroom installed xhroom-dkms installed "
is "the tool runs" "$(xhroomctl --version | awk '$1 == "xhroomctl" { print $2 }')" "$version"
# The roots have no manual pages: dpkg is told not to unpack them.
for f in man4/xdp_skbext.4 man5/xhroom.conf.5 man8/xhroomctl.8; do
	ok "it has the manual page ${f#*/}" grep -q "/$f.gz$" /var/lib/dpkg/info/xhroom.list
done
ok "the unit is enabled" test -e /etc/systemd/system/sysinit.target.wants/xhroom.service
unit=$(readlink -f /etc/systemd/system/sysinit.target.wants/xhroom.service)
is "and calls the tool where it is" "$(sed -n 's/^ExecStart=\(.*\) restore$/\1/p' "$unit")" "$(command -v xhroomctl)"
ok "the udev rule calls it there, too" grep -q "\"$(command -v xhroomctl) restore" "$(grep '90-xhroom.rules' /var/lib/dpkg/info/xhroom.list)"
ok "the module is loaded at boot" grep -qx xdp_skbext "$(grep 'modules-load.d/' /var/lib/dpkg/info/xhroom.list)"
like "dkms knows it" "$(dkms status -m xhroom -v "$version")" "xhroom/$version"
ok "it can be built for $old" dkms install -m xhroom -v "$version" -k "$old"
like "and is for that kernel" "$(field vermagic "$old")" "^${old//+/[+]} "

mv "/root/$new" /lib/modules/
ok "the hooks of a new kernel's packages succeed" hooks "$new"
like "and the new kernel has its module" "$(field vermagic "$new")" "^${new//+/[+]} "
not_ok "which is the module, not the placeholder" grep -q placeholder <(field description "$new")
mkdir -p /lib/modules/5.10.0-1-amd64/build/include
cp "/lib/modules/$new/build/.config" /lib/modules/5.10.0-1-amd64/build/
ok "a kernel that is too old does not stop its own installation" hooks 5.10.0-1-amd64
is "and gets no module" "$(built_for 5.10.0-1-amd64)" ""

echo 'set veth0 256' >/etc/xhroom.conf
ok "they can be removed" apt-get -q purge -y xhroom xhroom-dkms
is "nothing is left but the user's file" "$(comm -13 <(echo "$before") <(files))" "/etc/xhroom.conf"
echo "1..$T_COUNT"
ROOT
