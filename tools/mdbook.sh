#!/usr/bin/env bash
# Builds the book into out/book, with the mdBook of this version, and with its formulas as MathML.
set -euo pipefail
cd "$(dirname "$0")/.."

. tools/tools.sh
venv=$(realpath -m "${CARGO_TARGET_DIR:-target}/formulas")
pinned=docs/requirements.txt
cargo_tool mdbook 0.5.4 --no-default-features --features search ||
    { tools/skipped.sh "building the book" "mdBook cannot be built here"; exit; }
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
# The report has a limit of its own, in the Makefile.
tools/weight.sh out/book 8
