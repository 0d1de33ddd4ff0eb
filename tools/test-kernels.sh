#!/usr/bin/env bash
# Loads every algorithm into Debian's kernels 6.1 and 6.12 under QEMU, and into the running kernel, sends with each,
# and prints what came of it as tables. Everything is kept in target/kernels.
#
#     tools/test-kernels.sh [--guests] [--only-load | --duels] [ALGORITHM…]
#
# --guests: not into the running kernel. --only-load: sends nothing. --duels: five each of those of tests/all/duel.rs, of
# 20 s, and nothing else. Algorithms: ab_lia and so on; all if none is named.
#
# The guests run in virtual time: how fast this machine is does not matter to them, only to us.
set -euo pipefail
cd "$(dirname "$0")/.."

series=(6.1 6.12)
limit=6000 # seconds of a guest, which takes 300 of a processor, and with --duels 700
target="${CARGO_TARGET_DIR:-$PWD/target}"
work="$target/kernels"
mkdir -p "$work"

say() { printf 'kernels: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

# What cannot be had here is no failure: who has no Debian (or no root to install QEMU) is told so.
skip() {
    say "skipped: $*"
    exit 0
}

refresh() {
    [ -n "${refreshed:-}" ] || as_root apt-get update -q >/dev/null || true
    refreshed=1
}

# Unpacks a Debian package into a directory, which is returned when it is there already.
unpacked() {
    local directory="$work/$1"
    if [ ! -d "$directory" ]; then
        (cd "$work" && apt-get -q -o APT::Sandbox::User=root download "$1" >/dev/null) || return 1
        mkdir -p "$directory.new"
        dpkg -x "$work/$1"_*.deb "$directory.new"
        rm "$work/$1"_*.deb
        mv "$directory.new" "$directory"
    fi
    echo "$directory"
}

# The package of a series' newest kernel that is here or can be had. Cloud kernels: small, and they have all we need.
package_of() {
    local name="^linux-image-${1//./\\.}\.[0-9].*-cloud-amd64$"
    local here
    here=$(cd "$work" && ls -d linux-image-* 2>/dev/null | grep -E "$name" | sort -V | tail -1)
    if [ -z "$here" ]; then
        refresh
        here=$(apt-cache pkgnames linux-image- | grep -E "$name" | sort -V | tail -1)
    fi
    echo "$here"
}

# Copies programs with the libraries that they need.
put_programs() {
    local root="$1" program library
    shift
    for program in "$@"; do
        cp "$program" "$root/bin/"
        for library in $(ldd "$program" | grep -o '/[^ ]*'); do
            mkdir -p "$root/${library%/*}"
            cp -uL "$library" "$root$library"
        done
    done
}

# A file system in memory for the kernel in a directory: the programs, four modules, and the first process.
initramfs() {
    local kernel="$1" root="$2" module applet
    rm -rf "$root"
    mkdir -p "$root"/{bin,modules,proc,sys,dev,run}
    cp "$busybox" "$root/bin/"
    for applet in sh mount insmod stty poweroff ls awk; do ln -s busybox "$root/bin/$applet"; done
    put_programs "$root" "$(type -P ip)" "$(type -P tc)" "$(type -P ss)" "$(type -P kill)" "$measure" "$anabranch"
    for module in drivers/net/veth net/sched/sch_tbf net/ipv4/inet_diag net/ipv4/tcp_diag; do
        cp "$kernel"/lib/modules/*/kernel/$module.ko* "$root/modules/"
    done
    for module in "$root"/modules/*.xz; do [ ! -e "$module" ] || "$busybox" unxz "$module"; done
    install -m 755 tools/kernels/init "$root/init"
    (cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) | gzip -1 >"$root.gz"
}

# Boots a kernel; what it measured is NAME.tsv then, and what it said NAME.log.
guest() {
    local kernel="$1" name="$2"
    shift 2
    initramfs "$kernel" "$work/$name.root"
    rm -f "$work/$name.tsv"
    # A processor that takes 1 ns for an instruction; while it idles, the clock jumps to what comes next.
    nice timeout "$limit" qemu-system-x86_64 -nodefaults -no-reboot -display none -m 512 -smp 1 -cpu max \
        -accel tcg -icount shift=0,sleep=off -rtc base=2024-01-01,clock=vm \
        -serial "file:$work/$name.log" -serial "file:$work/$name.tsv" \
        -kernel "$kernel"/boot/vmlinuz-* -initrd "$work/$name.root.gz" \
        -append "console=ttyS0 quiet panic=-1 -- $*" </dev/null || say "$name: QEMU's exit status $?"
}

# Prerequisites of the guests.
have apt-get && [ "$(dpkg --print-architecture)" = amd64 ] || skip "needs Debian's packages for amd64"
have ip && have tc && have ss || skip "needs iproute2"
missing=()
have qemu-system-x86_64 || missing+=(qemu-system-x86)
have cpio || missing+=(cpio)
if [ ${#missing[@]} != 0 ]; then
    say "installing Debian packages: ${missing[*]}"
    refresh
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" >/dev/null ||
        skip "cannot install ${missing[*]}"
fi
busybox="$(unpacked busybox-static)/bin/busybox" || skip "cannot download busybox-static"
kernels=()
for one in "${series[@]}"; do
    package=$(package_of "$one")
    [ -n "$package" ] || skip "no package of a cloud kernel $one"
    kernels+=("$(unpacked "$package")") || skip "cannot download $package"
done

running=yes
if [ "${1:-}" = --guests ]; then
    running=
    shift
fi

say "building"
cargo build --quiet --release --locked --bin anabranch
# Not for release: there a panic would end the process, not the thread.
cargo build --quiet --profile test --locked -p anabranch-mptcp-bpf --example measure
anabranch="$target/release/anabranch"
measure="$target/debug/examples/measure"

names=()
for i in "${!series[@]}"; do
    say "booting ${kernels[$i]##*/}"
    guest "${kernels[$i]}" "${series[$i]}" "$@" &
    names+=("${series[$i]}")
done
if [ -z "$running" ]; then
    say "not measuring the running kernel"
elif [ -e /proc/sys/net/mptcp/enabled ] && [ -e /sys/kernel/btf/vmlinux ] && as_root true; then
    say "measuring the running kernel"
    names+=(running)
    # Before what else runs here: a sender that waits for the processor looks like a slow path.
    { as_root chrt --rr 5 "$measure" "$@" || printf 'failed\tmeasure\n'; echo end; } >"$work/running.tsv" 2>"$work/running.log"
else
    say "the running kernel skipped: needs root, MPTCP and BTF"
fi
wait

results=()
failed=0
for name in "${names[@]}"; do
    results+=("$work/$name.tsv")
    if ! grep -q '^end$' "$work/$name.tsv" || grep -q '^failed' "$work/$name.tsv"; then
        failed=1
        say "$name:" && grep '^failed' "$work/$name.tsv" >&2 || say "it did not come to its end"
        # A verifier's log is one long line; why it refused stands at its end.
        tail -n 20 "$work/$name.log" |
            awk 'length > 500 { $0 = substr($0, 1, 100) " … " substr($0, length - 400) } 1' >&2
    fi
done
awk -f tools/kernels/tables.awk "${results[@]}" | tee "$work/tables.md"
exit $failed
