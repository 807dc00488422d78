#!/bin/sh
# SPDX-License-Identifier: MIT
# guest.sh ROOT COMMANDS - runs shell COMMANDS as root in an emulated arm64
# machine with a PMU, the files of ROOT laid over /. What they leave in $OUT
# comes back in ${OUTDIR:-out}. Ends with their status; 124 on a timeout, 125
# when the guest died. The same files in give the same bytes out.
# From the environment:
#   CPU          neoverse-n1; neoverse-n1,pmu=off has no PMU
#   SMP, MEM     2 CPUs, 256 MiB
#   ICOUNT       shift=N: an instruction takes 2^N ns, and 2^N cycles
#   PARANOID     perf_event_paranoid, -1
#   KERNEL_ARGS  added to the kernel's command line
#   TMO          seconds of wall time, 300
set -eu
: "${BUILD:=$(pwd)}"
W=${PMU_WORK:-$BUILD/tests/pmu/work}
OUTDIR=${OUTDIR:-out}
if [ $# -ne 2 ] || [ ! -d "$1" ]; then
	echo "usage: guest.sh ROOT COMMANDS" >&2
	exit 2
fi
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
trap 'exit 1' HUP INT TERM

mkdir -p "$t/r/bin" "$t/r/dev" "$t/r/proc" "$t/r/sys" "$t/r/tmp" "$t/r/etc"
cp -a "$1/." "$t/r/"
cp "$W/busybox" "$t/r/bin/busybox"
printf '%s\n' "$2" >"$t/r/run.sh"
printf 'root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n' >"$t/r/etc/passwd"
cat >"$t/r/init" <<EOF
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp OUT=/tmp/out LC_ALL=C
mount -t proc proc /proc
mount -t sysfs sys /sys
mkdir -p \$OUT
chmod 1777 /tmp \$OUT
# The highest rate is not to be lowered on its own, not even here.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
echo 0 >/proc/sys/kernel/kptr_restrict
echo ${PARANOID:--1} >/proc/sys/kernel/perf_event_paranoid
(cd /tmp; sh /run.sh)
echo \$? >\$OUT/.rc
stty -F /dev/ttyS0 raw -echo
tar cf - -C \$OUT . | gzip -1 >/dev/ttyS0
poweroff -f
EOF
chmod 755 "$t/r" "$t/r/init"
find "$t/r" -exec touch -h -d @1767225600 {} +
(cd "$t/r" && find . | LC_ALL=C sort | cpio -o -H newc --quiet --reproducible -R 0:0) >"$t/initrd"
: >"$t/out.raw"
rc=0
nice -n 5 timeout "${TMO:-300}" qemu-system-aarch64 -nodefaults -no-user-config -nographic \
	-no-reboot -M virt,gic-version=3,dtb-randomness=off -cpu "${CPU:-neoverse-n1}" \
	-smp "${SMP:-2}" -m "${MEM:-256}" -icount "${ICOUNT:-shift=1},sleep=off" \
	-rtc clock=vm,base=2026-01-01T00:00:00 -serial stdio \
	-chardev file,id=o,path="$t/out.raw" -device pci-serial,chardev=o \
	-kernel "$W/Image" -initrd "$t/initrd" \
	-append "console=ttyAMA0 quiet loglevel=0 panic=-1 nokaslr ${KERNEL_ARGS-}" \
	</dev/null >"$t/console" 2>&1 || rc=$?
tr -d '\r' <"$t/console"
[ "$rc" -ne 124 ] || { echo "guest.sh: no end within ${TMO:-300} s" >&2; exit 124; }
rm -rf "$OUTDIR"
mkdir -p "$OUTDIR"
tar xzf "$t/out.raw" -C "$OUTDIR" 2>/dev/null || :
[ -s "$OUTDIR/.rc" ] || { echo "guest.sh: the guest reported no status (qemu: $rc)" >&2; exit 125; }
exit "$(cat "$OUTDIR/.rc")"
