#!/usr/bin/env bash
# Puts the report, the book, the laboratory and a front page into one folder that any static host takes:  tools/site.sh FOLDER
# All links between its files are relative, and are checked.
set -euo pipefail
cd "$(dirname "$0")/.."

site=$1
[ -e out/report/index.html ] || { echo "site: there is no out/report: call make reproduce" >&2; exit 2; }
[ -e out/report/laboratory.html ] || { echo "site: out/report has no laboratory: call make page, and make reproduce again" >&2; exit 2; }
rm -rf out/book
tools/mdbook.sh
[ -e out/book/index.html ] || { echo "site: the book could not be built" >&2; exit 2; }

rm -rf "$site.new"
mkdir -p "$site.new"
cp -r out/report "$site.new/report"
cp -r out/book "$site.new/book"
python3 tools/site.py "$site.new"
rm -rf "$site"
mv "$site.new" "$site"
echo "The site: $site/index.html"
