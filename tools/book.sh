#!/usr/bin/env bash
# The book: every page is in the summary and every relative link resolves; then built, where mdBook is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

bad=0
complain() { echo "book: $*" >&2; bad=1; }

for page in $(cd docs/src && find . -name '*.md' ! -name SUMMARY.md | sed 's|^\./||'); do
    grep -qF "($page)" docs/src/SUMMARY.md || complain "docs/src/SUMMARY.md does not list $page"
done

for file in README.md bench/README.md docs/src/SUMMARY.md $(find docs/src -name '*.md' ! -name SUMMARY.md); do
    # Link targets `](target)`, without addresses on the web, fragments and includes.
    for link in $(grep -oE '\]\([^)# ]+' "$file" | cut -c3- | grep -vE '^(https?|mailto):' || true); do
        [ -e "$(dirname "$file")/$link" ] || complain "$file links to $link, which does not exist"
    done
done
[ "$bad" = 0 ] || exit 1

if command -v mdbook >/dev/null 2>&1; then
    mdbook build docs
else
    tools/skipped.sh "building the book" "mdBook is not installed (cargo install mdbook); links were checked"
fi
