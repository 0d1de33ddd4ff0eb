#!/usr/bin/env bash
# Compiles the adapter against picoquic, and runs picoquic's tests of multipath with it:
#   contrib/picoquic/try.sh PICOQUIC PICOTLS
# PICOQUIC is its sources, built with CMake into PICOQUIC/build; PICOTLS the folder with the static libraries of picotls.
set -euo pipefail
picoquic=$(realpath "$1")
picotls=$(realpath "$2")
cd "$(dirname "$0")/../.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")

cargo build --quiet --release --locked -p multipath-cc-c
out=$target/picoquic
mkdir -p "$out"
${CC:-cc} -std=gnu11 -O1 -Wall -Wextra -I crates/cc-c/include -I "$picoquic/picoquic" -I "$picoquic/picoquictest" \
    contrib/picoquic/*.c -o "$out/try" "$picoquic"/build/libpicoquic-{test,log,core}.a "$target/release/libmultipath_cc_c.a" \
    "$picotls"/libpicotls-{openssl,minicrypto,core}.a -lssl -lcrypto -lm -lpthread -ldl -lstdc++
cd "$out" # the tests write logs
./try "$picoquic"
