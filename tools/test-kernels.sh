#!/usr/bin/env bash
# Loads every algorithm into Debian's kernels 6.1 and 6.12 under QEMU, and into the running kernel, sends
# with each, and prints the results as tables. All files are in target/kernels.
#
#     tools/test-kernels.sh [--guests] [--only-load | --duels] [ALGORITHM…]
#
# --guests: leaves out the running kernel. --only-load: loads without sending. --duels: runs only five of each duel of
# tests/kernel/duel.rs, of 20 s. Algorithms: ab_lia and so on; by default all.
#
# The guests run in virtual time: the speed of this machine affects only the waiting time.
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

# Missing tools are not a failure: without Debian (or root to install QEMU), reports the skip.
skip() {
    say "skipped: $*"
    exit 0
}

refresh() {
    [ -n "${refreshed:-}" ] || as_root apt-get update -q >/dev/null || true
    refreshed=1
}

. tools/kernels/guest.sh

# Prerequisites of the guests.
have apt-get || skip "needs Debian's packages"
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
images=()
for one in "${series[@]}"; do
    image=$(tools/guest-image.sh "$one") || { [ $? = 3 ] || exit 1; skip "no image of a guest"; }
    images+=("$image")
done

running=yes
if [ "${1:-}" = --guests ]; then
    running=
    shift
fi

say "building"
cargo build --quiet --release --locked --features linux --bin anabranch
# A debug build: in a release build, a panic would end the process, not the thread.
cargo build --quiet --profile test --locked -p anabranch-mptcp-bpf --example measure
anabranch="$target/release/anabranch"
measure="$target/debug/examples/measure"

# The programs of the guests, besides their images.
root="$work/root"
rm -rf "$root"
mkdir -p "$root/bin"
put_programs "$root" "$(type -P ip)" "$(type -P tc)" "$(type -P ss)" "$(type -P kill)" "$measure" "$anabranch"
install -m 755 tools/kernels/job "$root/job"
(cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) >"$work/programs"

names=()
for i in "${!series[@]}"; do
    say "booting $(cat "${images[$i]}/release")"
    guest "${images[$i]}" "${series[$i]}" "$@" &
    names+=("${series[$i]}")
done
if [ -z "$running" ]; then
    say "not measuring the running kernel"
elif [ -e /proc/sys/net/mptcp/enabled ] && [ -e /sys/kernel/btf/vmlinux ] && as_root true; then
    say "measuring the running kernel"
    names+=(running)
    # With priority, because a sender that waits for the processor looks like a slow path.
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
        # The verifier's log is one long line with the reason at its end.
        tail -n 20 "$work/$name.log" |
            awk 'length > 500 { $0 = substr($0, 1, 100) " … " substr($0, length - 400) } 1' >&2
    fi
done
awk -f tools/kernels/tables.awk "${results[@]}" | tee "$work/tables.md"
exit $failed
