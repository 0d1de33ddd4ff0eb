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
# Lanes run in the background, each with its output in a file, which is kept, and in a process group of its own, so that it can be
# ended as a whole.
lanes=()
processes=()
start() {
    set -m
    "${@:2}" </dev/null >"$target/$1.txt" 2>&1 3>&- &
    set +m
    lanes+=("$1")
    processes+=($!)
    echo "$1: runs beside the others; its output comes last, and until then is in $target/$1.txt"
}

# The others, one after the other. In the background, too: otherwise a signal would wait for their end.
front=
step() {
    set -m
    low "$@" 3>&- &
    set +m
    front=$!
    wait "$front"
}

# Ends everything, and prints where each lane was, for whoever ends a run that hangs.
stop() {
    trap '' INT TERM HUP
    [ -z "$front" ] || kill -- "-$front" 2>/dev/null || true
    for lane in "${!lanes[@]}"; do
        kill -- "-${processes[$lane]}" 2>/dev/null || continue
        printf '\n%s, ended unfinished:\n' "${lanes[$lane]}"
        tail -n 30 "$target/${lanes[$lane]}.txt"
    done
    exit 1
}

"${tests[@]}" --no-run
# tee ignores what ends the tests, so that it prints where they were.
exec 3>&1 > >(trap '' INT TERM HUP; exec tee "$target/unit.txt") 2>&1
printer=$!
trap stop INT TERM HUP
failed=()
[[ "$*" != *linux* ]] || start kernel-tests "${tests[@]}" --test kernel
[ -z "${APART:-}" ] || start apart low "${make[@]}" --keep-going $APART
[ -z "${BESIDE:-}" ] || start beside low "${make[@]}" --keep-going $BESIDE
step "${tests[@]}" --lib --bins --test '[!k]*' || failed+=(tests)
step "${tests[@]}" --doc || failed+=(doctests)
for lane in "${!lanes[@]}"; do
    wait "${processes[$lane]}" || failed+=("${lanes[$lane]}")
    printf '\n%s:\n' "${lanes[$lane]}"
    cat "$target/${lanes[$lane]}.txt"
done
[ ${#failed[@]} = 0 ] || printf 'failed: %s\n' "${failed[@]}"
exec >&3 2>&3 3>&-
wait "$printer"
awk -f tools/tally.awk "$target/unit.txt"
[ ${#failed[@]} = 0 ]
