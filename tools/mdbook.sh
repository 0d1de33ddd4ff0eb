#!/usr/bin/env bash
# Builds the book into out/book, with the mdBook of this version, and with its formulas as MathML.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.5.4
tools=$(realpath -m "${CARGO_TARGET_DIR:-target}/tools")
venv=$tools/formulas
pinned=docs/requirements.txt
export PATH="$tools/bin:$PATH"
if [ "$(mdbook --version 2>/dev/null)" != "mdbook v$version" ]; then
    echo "book: building mdBook $version into $tools"
    # It runs for a second: a build without optimisation is quicker.
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
        cargo install --quiet --locked --root "$tools" --target-dir "$tools/build" --version "$version" \
        --no-default-features --features search mdbook ||
        { tools/skipped.sh "building the book" "mdBook cannot be built here"; exit; }
fi
if ! cmp -s "$pinned" "$venv/pinned"; then
    rm -rf "$venv"
    python3 -m venv "$venv" 2>/dev/null &&
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r "$pinned" &&
        cp "$pinned" "$venv/pinned" ||
        { tools/skipped.sh "building the book" "the converter of its formulas cannot be installed here"; exit; }
fi
"$venv/bin/python" tools/formulas.py --self-test
# The preprocessor's command has absolute paths, so it is not in docs/book.toml.
MDBOOK_PREPROCESSOR__FORMULAS="{\"command\": \"'$venv/bin/python' '$PWD/tools/formulas.py'\", \"before\": [\"links\"]}" mdbook build docs
