# shellcheck shell=bash
# Boots a kernel with an initramfs. First serial port: the kernel's console;
# second: what the suite prints.

# Whether KVM really runs a guest here: a device node alone proves nothing.
# Asked once per boot of this machine.
probe_kvm()
{
	local image=$1 stamp out
	stamp=$CACHE/kvm-$(cat /proc/sys/kernel/random/boot_id)
	if [ ! -e "$stamp" ]; then
		out=no
		if [ -w /dev/kvm ] && timeout 30 qemu-system-x86_64 -accel kvm -cpu max -smp 1 -m 512M \
			-display none -no-reboot -serial stdio -monitor none -nodefaults -kernel "$image/vmlinuz" \
			-append 'console=ttyS0 panic=-1' </dev/null 2>/dev/null | grep -q 'Kernel panic'; then
			out=yes
		fi
		rm -f "$CACHE"/kvm-*
		echo $out >"$stamp"
	fi
	cat "$stamp"
}

accel()
{
	if [ -n "$XHROOM_ACCEL" ]; then
		echo "$XHROOM_ACCEL"
	elif [ "$(probe_kvm "$1")" = yes ]; then
		echo kvm
	else
		echo tcg
	fi
}

# Timeouts are stated for an idle machine: more time on a busy one, up to four
# times as much.
slowness() { awk -v n="$(nproc)" '{ f = int($1 / n) + 1; print (f > 4 ? 4 : f) }' /proc/loadavg; }

# boot IMAGE_DIR INITRD APPEND KLOG TAP OPTION=VALUE...: options smp, mem,
# icount, timeout. Returns 124 when the time is over.
boot()
{
	local image=$1 initrd=$2 append=$3 klog=$4 tap=$5 smp=2 mem=1G icount='' timeout=300 accel='' cpu=max args o
	shift 5
	for o; do local "$o"; done
	if is_debug "${image##*/}"; then
		mem=$DEBUG_MEM timeout=$((timeout * DEBUG_SLOWNESS)) append+=" $DEBUG_APPEND"
	fi
	if [ -n "$icount" ]; then
		# The emulator counts each step of a string instruction. A processor
		# with these two features copies and clears bytes in one go; here that
		# would be one step a byte. Without them the kernel takes eight bytes.
		cpu=max,-erms,-fsrm
		args="-accel tcg,thread=single -icount shift=0,sleep=off -smp 1"
	else
		[ -n "$accel" ] || accel=$(accel "$image")
		# With a host thread per processor, the emulator itself crashes stock
		# kernels that patch their text under load (int3).
		[ "$accel" != tcg ] || accel=tcg,thread=single
		args="-accel $accel -smp $smp"
	fi
	# no_timer_check: an emulator on a busy machine may miss the ticks that the
	# kernel waits for when it tries the timer, which ends in a panic.
	# shellcheck disable=SC2086 # args are words
	timeout -k 5 "$((timeout * $(slowness)))" qemu-system-x86_64 $args -cpu $cpu -m "$mem" -nodefaults \
		-display none -no-reboot -monitor none -serial "file:$klog" -serial "file:$tap" \
		-kernel "$image/vmlinuz" -initrd "$initrd" \
		-append "console=ttyS0 loglevel=5 panic=-1 oops=panic no_timer_check $append" </dev/null >&2
}
