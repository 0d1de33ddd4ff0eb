#!/usr/bin/env bash
# Runs the model fuzzer over every algorithm for $1 seconds; what it finds is written to fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-$PWD/target}"
tools="$target/tools"
export PATH="$PATH:$tools/bin"
if ! cargo fuzz --version >/dev/null 2>&1; then
    echo "fuzz: building cargo-fuzz into $tools"
    cargo install --quiet --locked --root "$tools" --target-dir "$tools/build" --version 0.13.2 cargo-fuzz
fi

# Coverage counters are unstable options of rustc; the crates have no unsafe code to sanitise.
RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$target/fuzz" \
    cargo fuzz run --sanitizer none algorithms -- -max_total_time="$1" -max_len=4096
