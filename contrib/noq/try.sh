#!/usr/bin/env bash
# Tests each patch on a copy of noq-proto, or builds the command with all of them, or all but one; see README.md:
#   contrib/noq/try.sh [--build [--without PATCH]]
set -euo pipefail
cd "$(dirname "$0")/../.."
patches=$PWD/contrib/noq
work=$(realpath -m "${CARGO_TARGET_DIR:-target}")/noq
case "$#:${1:-}:${2:-}" in
0::) ;;
1:--build:) ;;
3:--build:--without) [ -f "$patches/$3" ] || { echo "noq: there is no contrib/noq/$3" >&2; exit 2; } ;;
*) echo "usage: contrib/noq/try.sh [--build [--without PATCH]]" >&2; exit 2 ;;
esac
mkdir -p "$work"
export CARGO_TARGET_DIR=$work/target GIT_CEILING_DIRECTORIES=$work

source=$(cargo metadata --locked --format-version 1 | python3 -c '
import json, pathlib, sys
packages = json.load(sys.stdin)["packages"]
print(next(pathlib.Path(p["manifest_path"]).parent for p in packages if (p["name"], p["version"]) == ("noq-proto", "1.4.0")))')

# A fresh copy, which is a workspace of its own.
copy() {
    rm -rf "$work/noq-proto"
    cp -r "$source" "$work/noq-proto"
    printf '\n[workspace]\n' >>"$work/noq-proto/Cargo.toml"
}
run() { cargo test --quiet --manifest-path "$work/noq-proto/Cargo.toml" --features qlog --lib "$@"; }
apply() { (cd "$work/noq-proto" && git apply "$@"); }

# The last commit with all patches but $1, in "$work/anabranch".
patched() {
    copy
    for patch in "$patches"/*.patch; do
        [ "$(basename "$patch")" = "${1:-}" ] || apply --exclude='src/tests/*' "$patch"
    done
    rm -rf "$work/anabranch"
    git clone --quiet . "$work/anabranch"
    printf '\n[patch.crates-io]\nnoq-proto = { path = "%s" }\n' "$work/noq-proto" >>"$work/anabranch/Cargo.toml"
    export RUSTFLAGS="--cfg noq_patched"
    cd "$work/anabranch"
}

if [ "${1:-}" = --build ]; then
    patched "${3:-}"
    CARGO_TARGET_DIR=target cargo build --release -p anabranch-cli --features quic
    exit
fi

while read -r patch test failure; do
    copy
    # The test needs the hook to compile; the stack does not call it yet.
    apply --include='src/tests/*' --include=src/congestion.rs "$patches/$patch"
    if run "$test" >"$work/without.log" 2>&1 || ! grep -q "$failure" "$work/without.log"; then
        echo "noq: $test does not fail without $patch: see $work/without.log" >&2
        exit 1
    fi
    apply --exclude='src/tests/*' --exclude=src/congestion.rs "$patches/$patch"
    run "$test"
    # The stack's own tests of what the patch changes.
    case $patch in
    bbr-*) own=(congestion::bbr3) ;;
    qlog-*) own=(qlog) ;;
    *) own=(tests::multipath) ;;
    esac
    run "${own[@]}"
    echo "noq: $patch: $test fails without it; with it, that and the tests of ${own[*]} pass"
done <<'LIST'
path-id.patch controller_is_built_for_its_path 1 failed
path-status.patch controller_knows_the_status_of_its_path 1 failed
acks.patch path_acks_on_their_own_path 1 failed
bbr-cycle.patch bbr3_keeps_the_bandwidth_of_a_probe 1 failed
bbr-seed.patch bbr3_probes_by_its_seed no method named `probe_rng_seed`
qlog-off.patch qlog_that_is_off_collects_nothing no method named `frames`
LIST

patched
cargo test --quiet -p multipath-cc --features noq --lib a_second_connection_is_refused | tee "$work/refused.log"
grep -q '1 passed' "$work/refused.log"
echo "noq: with path-id.patch, multipath-cc refuses a second connection of a factory"
