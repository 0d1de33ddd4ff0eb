#!/usr/bin/env bash
# Runs cargo test with these options, which select packages and features, and adds up the results. Tests on the running
# kernel, the targets `kernel`, mostly wait, one after the other. The others run beside them, and then the targets of make in
# BESIDE, at a lower priority: what the kernel's tests measure must not wait for a processor.
set -euo pipefail
cd "$(dirname "$0")/.."

# Kept, so that a run that hangs or is interrupted shows where.
out=$(realpath -m "${CARGO_TARGET_DIR:-target}")/kernel-tests.txt
! ls -d crates/*/tests/k* | grep -v '/kernel$' || { echo "test targets with k other than kernel would not run" >&2; exit 1; }

both() {
    local kernel='' status=0
    if [[ "$*" == *linux* ]]; then
        # A process group of its own, so that it can be ended as a whole.
        set -m
        cargo test "$@" --locked --no-fail-fast --test kernel </dev/null >"$out" 2>&1 &
        set +m
        kernel=$!
        echo "the output of the tests on the running kernel comes last; until then it is in $out"
        trap 'kill -- "-$kernel"; exit 1' INT TERM HUP
    fi
    nice -n 10 cargo test "$@" --locked --no-fail-fast --lib --bins --test '[!k]*' || status=$?
    nice -n 10 cargo test "$@" --locked --no-fail-fast --doc || status=$?
    if [ "$status" != 0 ]; then
        echo "not run, because tests failed: ${BESIDE:-nothing}"
    elif [ -n "${BESIDE:-}" ]; then
        nice -n 10 "${MAKE:-make}" --no-print-directory $BESIDE || status=$?
    fi
    if [ -n "$kernel" ]; then
        wait "$kernel" || status=$?
        cat "$out"
    fi
    return "$status"
}

cargo test "$@" --locked --no-run
both "$@" 2>&1 | awk -f tools/tally.awk
