#!/usr/bin/env bash
# Builds the book into out/book, with the mdBook of this version.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.5.4
tools="${CARGO_TARGET_DIR:-$PWD/target}/tools"
export PATH="$tools/bin:$PATH"
if [ "$(mdbook --version 2>/dev/null)" != "mdbook v$version" ]; then
    echo "book: building mdBook $version into $tools"
    # It runs for a second: a build without optimisation is quicker.
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
        cargo install --quiet --locked --root "$tools" --target-dir "$tools/build" --version "$version" \
        --no-default-features --features search mdbook ||
        { tools/skipped.sh "building the book" "mdBook cannot be built here"; exit; }
fi
mdbook build docs
