#!/usr/bin/env bash
# Emulators of links beside each other: ours, Rattan, and Linux' own queues. As root.
#
#     bench/emulators.sh [ARGUMENT…]               # on the running kernel; builds Rattan in target/rattan
#     bench/emulators.sh guest SERIES [ARGUMENT…]  # ours, tbf and netem on a stock kernel in virtual time, such as 6.12
#
# ARGUMENT: of crates/testbed/benches/emulators.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-$PWD/target}"
rattan_version=0.1.1
limit=6000
say() { printf 'emulators: %s\n' "$*" >&2; }

if [ "${1:-}" != guest ]; then
    rattan="$target/rattan/bin/rattan"
    # In a folder of its own: the project does not depend on it.
    [ -x "$rattan" ] || cargo install --quiet --locked --root "$target/rattan" --target-dir "$target/rattan/build" \
        rattan@$rattan_version || say "without Rattan: it cannot be built"
    [ ! -x "$rattan" ] || set -- --rattan "$rattan" "$@"
    exec cargo bench --locked -p anabranch-testbed --bench emulators -- "$@"
fi

series="${2:?which kernel?}"
shift 2
[ $# != 0 ] || set -- --rates 20,50
work="$target/emulators"
image=$(tools/guest-image.sh "$series")
. tools/kernels/guest.sh
program=$(cargo bench --locked -p anabranch-testbed --bench emulators --no-run --message-format=json |
    sed -n 's/.*"name":"emulators".*"executable":"\([^"]*\)".*/\1/p')
rm -rf "$work"
mkdir -p "$work/root/bin"
put_programs "$work/root" "$(type -P ip)" "$(type -P tc)" "$(type -P chrt)" "$program"
cat >"$work/root/job" <<JOB
#!/bin/sh
stty -F /dev/ttyS1 raw
PATH=/bin ${program##*/} $* >/dev/ttyS1 2>/dev/console
echo end >/dev/ttyS1
JOB
chmod 755 "$work/root/job"
(cd "$work/root" && find . | cpio --quiet -o -H newc -R 0:0) >"$work/programs"
say "booting $(cat "$image/release")"
guest "$image" "$series"
grep -v '^end$' "$work/$series.tsv"
grep -q '^end$' "$work/$series.tsv" || { tail -n 20 "$work/$series.log" >&2; exit 1; }
