#!/usr/bin/env bash
# Puts the report, the book, the laboratory and a front page into one folder that any static host takes:  tools/site.sh FOLDER
# All links between its files are relative, and are checked.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${CARGO_TARGET_DIR:-target}"
site=$1
[ -e out/report/index.html ] || { echo "site: there is no out/report: call make reproduce" >&2; exit 2; }
[ -e "$target/page/laboratory.html" ] || { echo "site: there is no laboratory: call make page" >&2; exit 2; }
rm -rf out/book
tools/mdbook.sh
[ -e out/book/index.html ] || { echo "site: the book could not be built" >&2; exit 2; }

rm -rf "$site.new"
mkdir -p "$site.new"
cp -r out/report "$site.new/report"
cp -r out/book "$site.new/book"
cp "$target/page/laboratory.html" "$site.new/"
python3 tools/site.py "$site.new"
rm -rf "$site"
mv "$site.new" "$site"
tools/weight.sh "$site" 20
echo "The site: $site/index.html"
