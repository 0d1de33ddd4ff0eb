#!/usr/bin/env bash
# Runs each fuzz target for $1 seconds, or only the targets that follow; writes findings to fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=$1
shift
[ $# -gt 0 ] || set -- algorithms captures traces scenarios studies
target="${CARGO_TARGET_DIR:-$PWD/target}"
. tools/tools.sh
cargo_tool cargo-fuzz 0.13.2

# Seeds are the project's own files, and captures of two of its runs. Traces are shortened and long studies left out, because
# they are slow with the fuzzer's counters.
seeds="$target/fuzz/seeds"
rm -rf "$seeds"
mkdir -p "$seeds"/{algorithms,captures,traces,scenarios,studies}
for name in "$@"; do
    case $name in
    captures)
        for scenario in dumbbell failover; do
            cargo run --quiet --release --locked --features linux --bin anabranch -- run "scenarios/$scenario.toml" \
                --duration "100 ms" --set 'warmup="0 s"' --pcap "$seeds/captures/$scenario.pcapng" >/dev/null
        done
        find crates/capture/tests -name '*.pcap*' -size -64k -exec cp -t "$seeds/captures" {} +
        ;;
    traces) for trace in scenarios/traces/*; do head -n 60 "$trace" >"$seeds/traces/${trace##*/}"; done ;;
    # `studies` contains both: only studies have a title.
    scenarios)
        for text in $(grep -rL --include='*.toml' '^title' scenarios studies); do
            cp "$text" "$seeds/scenarios/${text//\//-}"
        done
        ;;
    studies)
        for text in $(grep -rl --include='*.toml' '^title' studies); do
            [ "$(stat -c %s "$text")" -gt 16000 ] || cp -t "$seeds/studies" "$text"
        done
        ;;
    esac
done

# Coverage counters are unstable options of rustc; the crates have no unsafe code to sanitise.
for name in "$@"; do
    mkdir -p "fuzz/corpus/$name"
    RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$target/fuzz" \
        cargo fuzz run --sanitizer none "$name" "fuzz/corpus/$name" "$seeds/$name" -- \
        -max_total_time="$seconds" -max_len=65536 -timeout=60
done
