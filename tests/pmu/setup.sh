#!/bin/sh
# SPDX-License-Identifier: MIT
# setup.sh - what the tests on an emulated PMU need, in ${PMU_WORK:-$BUILD/tests/pmu/work}:
# an arm64 kernel, busybox, arm64 libraries and cpuprof built for them. Again and
# again it only rebuilds what changed. Exits 0, 1 or 77 with the reason last.
#
# Only the host's own tools are installed, and only as root. The arm64 packages
# are resolved by an apt with an empty state of its own and unpacked; the
# system's list of architectures and packages is not touched.
set -u
LC_ALL=C
export LC_ALL
: "${SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${BUILD:=$(pwd)}"
W=${PMU_WORK:-$BUILD/tests/pmu/work}
J=${PMU_JOBS:-2}

skip() {
	echo "skipped: $*"
	exit 77
}
fail() {
	echo "FAILED: $*"
	exit 1
}
have() {
	command -v "$1" >/dev/null 2>&1
}

mkdir -p "$W" || fail "no folder '$W'"
W=$(cd "$W" && pwd)
LOG=$W/setup.log
: >"$LOG"
have apt-get || skip "no apt-get here: the kernel and libraries are Debian's"

# The host's tools.
missing=
have qemu-system-aarch64 || missing="$missing qemu-system-arm"
have aarch64-linux-gnu-gcc || missing="$missing gcc-aarch64-linux-gnu"
[ -e /usr/aarch64-linux-gnu/include/stdio.h ] || missing="$missing libc6-dev-arm64-cross"
[ -n "$(find /usr/lib/gcc-cross/aarch64-linux-gnu -name libstdc++.so 2>/dev/null)" ] ||
	missing="$missing g++-aarch64-linux-gnu"
have cpio || missing="$missing cpio"
have pkg-config || missing="$missing pkg-config"
if [ -n "$missing" ]; then
	[ "$(id -u)" -eq 0 ] || skip "not installed, and we are not root:$missing"
	echo "installing$missing"
	apt-get update -qq >>"$LOG" 2>&1
	# shellcheck disable=SC2086 # a list
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
		$missing >>"$LOG" 2>&1 || {
		tail -n 5 "$LOG"
		skip "apt-get cannot install$missing"
	}
fi

# The arm64 packages, with all they depend on.
packages="libelf-dev libdw-dev zlib1g-dev libzstd-dev libbrotli-dev libssl-dev libluajit-5.1-dev
	libjansson-dev libcapstone-dev libpfm4-dev libstdc++6 busybox-static linux-perf"
apt_arm64() {
	tool=$1
	shift
	"$tool" -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Acquire::Languages=none \
		-o APT::Install-Recommends=0 -o Dir::State="$W/apt" \
		-o Dir::State::Lists="$W/apt/lists" -o Dir::State::status="$W/apt/status" \
		-o Dir::Cache="$W/apt/cache" -o Dir::Cache::archives="$W/apt/archives" \
		-o APT::Sandbox::User= -o Debug::NoLocking=1 "$@"
}
if [ ! -e "$W/sysroot.done" ] || [ "$(cat "$W/sysroot.done")" != "$packages" ]; then
	rm -rf "$W/sysroot" "$W/kernel" "$W/apt" "$W/sysroot.done" "$W/build"
	mkdir -p "$W/apt/lists/partial" "$W/apt/archives/partial" "$W/apt/cache" "$W/sysroot/usr/lib"
	: >"$W/apt/status"
	echo "downloading arm64 packages"
	apt_arm64 apt-get update -q >>"$LOG" 2>&1
	kernel=$(apt_arm64 apt-cache depends linux-image-cloud-arm64 2>>"$LOG" |
		sed -n 's/.*Depends: \(linux-image-[0-9][^ ]*\)$/\1/p')
	[ -n "$kernel" ] || {
		tail -n 5 "$LOG"
		skip "apt knows no arm64 kernel package (no network, or not Debian)"
	}
	# shellcheck disable=SC2086 # a list
	{ apt_arm64 apt-get install -y -q --download-only $packages &&
		(cd "$W/apt/archives" && apt_arm64 apt-get download -q "$kernel"); } >>"$LOG" 2>&1 || {
		tail -n 5 "$LOG"
		skip "the arm64 packages cannot be downloaded"
	}
	# As on a merged-/usr system: the dynamic linker's name starts with /lib.
	ln -s usr/lib "$W/sysroot/lib"
	for deb in "$W"/apt/archives/*.deb; do
		case ${deb##*/} in
		linux-image-*)
			dpkg-deb --fsys-tarfile "$deb" | (mkdir "$W/kernel" && cd "$W/kernel" &&
				tar xf - --wildcards './boot/vmlinuz-*') || fail "cannot unpack '$deb'"
			cp "$W"/kernel/boot/vmlinuz-* "$W/Image" || fail "no kernel in '$deb'" ;;
		*)
			dpkg-deb --fsys-tarfile "$deb" | tar xf - -C "$W/sysroot" \
				--keep-directory-symlink --exclude='./usr/share/[!p]*' \
				--exclude='./usr/share/perl*' --exclude='./usr/lib/python3*' || fail "cannot unpack '$deb'" ;;
		esac
	done
	# Links for the linker that are absolute would lead out of the sysroot.
	find "$W/sysroot" -type l -lname '/*' | while read -r link; do
		ln -sfn "$W/sysroot$(readlink "$link")" "$link"
	done
	cp "$W/sysroot/bin/busybox" "$W/busybox" || fail "no busybox"
	rm -rf "$W/kernel" "$W/apt"
	printf '%s\n' "$packages" >"$W/sysroot.done"
fi

# cpuprof for arm64. A source folder that is configured itself is copied: make
# would take its files for ours.
src=$SRC
if [ -e "$SRC/config.status" ]; then
	mkdir -p "$W/src"
	(cd "$SRC" && tar cf - --exclude=.git --exclude='*.o' --exclude='*.a' --exclude=./build \
		--exclude=./config.status --exclude=./config.h --exclude=./Makefile \
		--exclude="$W" .) | tar xf - -C "$W/src" || fail "cannot copy the source"
	src=$W/src
fi
[ -x "$src/configure" ] || fail "no '$src/configure': run autoreconf -i first"
mkdir -p "$W/build" "$W/root/bin"
# Of make as well, which configures again when configure.ac has changed.
PKG_CONFIG_PATH=
PKG_CONFIG_SYSROOT_DIR=$W/sysroot
PKG_CONFIG_LIBDIR=$W/sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$W/sysroot/usr/share/pkgconfig
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
if [ ! -e "$W/build/config.status" ]; then
	echo "configuring for arm64"
	(cd "$W/build" && "$src/configure" --host=aarch64-linux-gnu \
		CC="aarch64-linux-gnu-gcc --sysroot=$W/sysroot" CFLAGS='-O2 -g') >>"$LOG" 2>&1 || {
		tail -n 15 "$LOG"
		rm -f "$W/build/config.status"
		fail "configure for arm64"
	}
fi
echo "building for arm64"
nice -n 5 make -C "$W/build" -j"$J" cpuprof >>"$LOG" 2>&1 || {
	grep -nE 'error|undefined' "$LOG" | head -n 20
	tail -n 5 "$LOG"
	fail "the build for arm64 (see '$LOG')"
}
for p in pmu/hot pmu/as pmu/hog live/noperf; do
	aarch64-linux-gnu-gcc -O2 -g -Wall -static -fno-omit-frame-pointer \
		-o "$W/root/bin/${p#*/}" "$SRC/tests/$p.c" >>"$LOG" 2>&1 || {
		tail -n 5 "$LOG"
		fail "$p.c for arm64"
	}
done

for p in tiny loop calls forks threads; do
	aarch64-linux-gnu-gcc -nostdlib -static -Wl,-e,$p -o "$W/root/bin/$p" \
		"$SRC/tests/pmu/exact.S" >>"$LOG" 2>&1 || fail "exact.S for arm64"
done

# The root of the guest: the programs, their tables and every library they ask for.
mkdir -p "$W/root/pmu" "$W/perf/bin" "$W/perf/lib/aarch64-linux-gnu"
cp "$W/build/cpuprof" "$W/root/bin/" || fail "no program built"
cp "$SRC"/pmu/*.pmu "$W/root/pmu/" || fail "no tables"
libs=$W/sysroot/usr/lib/aarch64-linux-gnu
mkdir -p "$W/root/lib/aarch64-linux-gnu"
add_needed() {
	aarch64-linux-gnu-readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' |
		while read -r so; do
			[ -e "$2/$so" ] || [ -e "$W/root/lib/aarch64-linux-gnu/$so" ] && continue
			[ -e "$libs/$so" ] || { echo "no library '$so' for '$1'"; exit 1; }
			cp -L "$libs/$so" "$2/$so" || exit 1
			add_needed "$libs/$so" "$2" || exit 1
		done
}
add_needed "$W/root/bin/cpuprof" "$W/root/lib/aarch64-linux-gnu" || fail "the libraries of cpuprof"
# Those that it loads when it needs them.
for so in libcapstone.so.4 libpfm.so.4 libstdc++.so.6; do
	cp -L "$libs/$so" "$W/root/lib/aarch64-linux-gnu/" &&
		add_needed "$libs/$so" "$W/root/lib/aarch64-linux-gnu" || fail "no '$so' for cpuprof"
done
# Debian's perf, to be held against; for the one guest that wants it.
perf=$(find "$W"/sysroot/usr/bin -name 'perf' -o -name 'perf_[0-9]*' | tail -n 1)
[ -n "$perf" ] && cp "$perf" "$W/perf/bin/perf" &&
	add_needed "$W/perf/bin/perf" "$W/perf/lib/aarch64-linux-gnu" || fail "no perf for arm64"
ln -sf aarch64-linux-gnu/ld-linux-aarch64.so.1 "$W/root/lib/ld-linux-aarch64.so.1"
echo "ready in $W: $(du -sh "$W" | cut -f 1)"
exit 0
