#!/usr/bin/env bash
# Runs cargo test with these options, which select packages and features, and adds up the results. Tests on the running
# kernel, the targets `kernel`, mostly wait, one after the other. The others run beside them, and so do the targets of make in
# APART, one after the other, and in BESIDE. All these have a lower priority: what the kernel's tests measure must not wait for a
# processor.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
! ls -d crates/*/tests/k* | grep -v '/kernel$' || { echo "test targets with k other than kernel would not run" >&2; exit 1; }

low() { nice -n 10 "$@" </dev/null; }
tests=(cargo test "$@" --locked --no-fail-fast)
make=("${MAKE:-make}" --no-print-directory)

mkdir -p "$target"
# Starts a lane in the background: its name, and a command whose output goes into a file. The file is kept, so that a run that
# hangs or is interrupted shows where. A process group of its own, so that it can be ended as a whole.
lanes=()
processes=()
start() {
    set -m
    "${@:2}" </dev/null >"$target/$1.txt" 2>&1 &
    set +m
    lanes+=("$1")
    processes+=($!)
    echo "$1: runs beside the others; its output comes last, and until then is in $target/$1.txt"
}

stop() {
    for process in "${processes[@]}"; do kill -- "-$process" 2>/dev/null || true; done
    exit 1
}

all() {
    local failed=() lane
    trap stop INT TERM HUP
    [[ "$*" != *linux* ]] || start kernel-tests "${tests[@]}" --test kernel
    [ -z "${APART:-}" ] || start apart low "${make[@]}" --keep-going $APART
    [ -z "${BESIDE:-}" ] || start beside low "${make[@]}" --keep-going $BESIDE
    low "${tests[@]}" --lib --bins --test '[!k]*' || failed+=(tests)
    low "${tests[@]}" --doc || failed+=(doctests)
    for lane in "${!lanes[@]}"; do
        wait "${processes[$lane]}" || failed+=("${lanes[$lane]}")
        printf '\n%s:\n' "${lanes[$lane]}"
        cat "$target/${lanes[$lane]}.txt"
    done
    [ ${#failed[@]} = 0 ] || { printf 'failed: %s\n' "${failed[@]}"; return 1; }
}

"${tests[@]}" --no-run
all "$@" 2>&1 | awk -f tools/tally.awk
