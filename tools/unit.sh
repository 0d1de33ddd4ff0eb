#!/usr/bin/env bash
# Runs cargo test with these options, which select packages and features, and adds up the results. Tests on the running
# kernel, the targets `kernel`, mostly wait, one after the other. The others run beside them, and then the targets of make in
# BESIDE. Those in APART, which do not build in the folder of the tests, run beside both. All these have a lower priority: what
# the kernel's tests measure must not wait for a processor.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
! ls -d crates/*/tests/k* | grep -v '/kernel$' || { echo "test targets with k other than kernel would not run" >&2; exit 1; }

low() { nice -n 10 "$@" </dev/null; }
tests=(cargo test "$@" --locked --no-fail-fast)
make=("${MAKE:-make}" --no-print-directory)

mkdir -p "$target"
declare -A running # output: process

# Starts the command in the background, with its output in the file. The file is kept, so that a run that hangs or is
# interrupted shows where. A process group of its own, so that it can be ended as a whole.
start() {
    set -m
    "${@:2}" </dev/null >"$1" 2>&1 &
    set +m
    running[$1]=$!
    echo "$1 has the output of what runs beside the other tests; it is printed at the end"
}

stop() {
    for process in "${running[@]}"; do kill -- "-$process" 2>/dev/null || true; done
    exit 1
}

all() {
    local status=0 file
    trap stop INT TERM HUP
    if [[ "$*" == *linux* ]]; then
        start "$target/kernel-tests.txt" "${tests[@]}" --test kernel
    fi
    [ -z "${APART:-}" ] || start "$target/apart.txt" low "${make[@]}" $APART
    low "${tests[@]}" --lib --bins --test '[!k]*' || status=$?
    low "${tests[@]}" --doc || status=$?
    if [ "$status" != 0 ]; then
        echo "not run, because tests failed: ${BESIDE:-nothing}"
    elif [ -n "${BESIDE:-}" ]; then
        low "${make[@]}" $BESIDE || status=$?
    fi
    for file in "${!running[@]}"; do
        wait "${running[$file]}" || status=$?
        cat "$file"
    done
    return "$status"
}

"${tests[@]}" --no-run
all "$@" 2>&1 | awk -f tools/tally.awk
