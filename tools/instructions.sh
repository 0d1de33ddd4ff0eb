#!/usr/bin/env bash
# Fails if a data packet costs over 3 % more instructions than in bench/instructions.txt. With --store,
# stores the measured numbers there instead. Callgrind counts the instructions of a program of the release profile, which other
# work on the machine does not affect.
set -euo pipefail
cd "$(dirname "$0")/.."

stored=bench/instructions.txt
if ! command -v valgrind >/dev/null; then
    tools/skipped.sh instructions "valgrind is not installed"
    exit 0
fi
if [ "$(uname -m)" != x86_64 ]; then
    tools/skipped.sh instructions "the stored counts are those of x86_64"
    exit 0
fi
cargo build --quiet --locked --release -p anabranch-bench
binary="${CARGO_TARGET_DIR:-target}/release/anabranch-bench"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the instructions and the segments of a run of $2 for $1 seconds, with the changes that follow.
count() {
    local log
    log=$(mktemp -p "$work")
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$binary" "bench/scenarios/$2.toml" "$1 s" 'warmup="0 s"' \
        "${@:3}" 2>"$log" >"$log.segments" || { cat "$log" >&2; exit 1; }
    awk '/Collected :/ { print $4 }' "$log"
    cat "$log.segments"
}

# Both runs of each case, a run on each core.
while IFS='|' read -r name scenario from to bound changes; do
    [[ $name != \#* ]] || continue
    read -r scenario from to <<<"$scenario $from $to"
    read -ra changes <<<"$changes"
    for seconds in "$from" "$to"; do
        [ "$(jobs -rp | wc -l)" -lt "$(nproc)" ] || wait -n
        count "$seconds" "$scenario" "${changes[@]}" >"$work/${name//\//}, $seconds s" &
    done
done <"$stored"
for job in $(jobs -p); do wait "$job"; done

failed=0
while IFS='|' read -r name scenario from to bound changes; do
    if [[ $name = \#* ]]; then
        echo "$name${scenario:+|$scenario|$from|$to|$bound|$changes}" >>"$work/new"
        continue
    fi
    read -r scenario from to bound <<<"$scenario $from $to $bound"
    read -ra changes <<<"$changes"
    read -r i0 n0 < <(paste -s "$work/${name//\//}, $from s")
    read -r i1 n1 < <(paste -s "$work/${name//\//}, $to s")
    each=$(((i1 - i0) / (n1 - n0)))
    verdict=ok
    [ $((each * 100)) -le $((bound * 103)) ] || verdict="over by more than 3 %"
    [ $((each * 100)) -ge $((bound * 97)) ] || verdict="ok; less by more than 3 %: store it"
    printf '%-28s%6d instructions per packet, %6d stored: %s\n' "$name" "$each" "$bound" "$verdict"
    [ "${verdict%%;*}" = ok ] || failed=1
    line="$name| $scenario | $from | $to | $each | ${changes[*]}"
    echo "${line% }" >>"$work/new"
done <"$stored"

if [ "${1:-}" = --store ]; then
    cp "$work/new" "$stored"
    echo "stored in $stored"
elif [ $failed = 1 ]; then
    echo "instructions: find the cause (valgrind --tool=callgrind --dump-line=yes); to accept the new numbers: $0 --store"
    exit 1
fi
