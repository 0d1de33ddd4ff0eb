#!/usr/bin/env bash
# Builds the laboratory, a page that simulates in the browser, into target/page/laboratory.html: one file
# that works without a server. If this machine cannot compile for WebAssembly, skips the build with a note. With --check BINARY,
# compares its records with those of that command.
set -euo pipefail
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
out="${CARGO_TARGET_DIR:-target}"

cannot() {
    rm -f "$out/page/laboratory.html" # of another time
    tools/skipped.sh "the laboratory in a page" "$1"
    exit 0
}

rustup target list --installed 2>/dev/null | grep -qx "$target" || rustup target add "$target" >/dev/null 2>&1 ||
    cannot "the compiler's target $target is not installed (rustup target add $target)"
# The kernel's arithmetic is in C: any clang with a WebAssembly back end works.
for clang in clang clang-{21,20,19,18,17,16,15,14}; do
    command -v "$clang" >/dev/null && "$clang" --print-targets 2>/dev/null | grep -q wasm32 && break || clang=
done
[ -n "$clang" ] || cannot "no clang with a back end for WebAssembly"

. tools/remap.sh
remap "$PWD=anabranch" "${CARGO_HOME:-$HOME/.cargo}=cargo"
CC_wasm32_unknown_unknown=$clang AR_wasm32_unknown_unknown=ar \
    cargo build --quiet --locked --release --package anabranch-page --target "$target"

# One line of presets.tsv: id, file, left, right, title, about.
presets() {
    local id file left right title about
    while IFS=$'\t' read -r id file left right title about; do
        printf '<script type="text/plain" data-preset='\''{"id":"%s","cc":["%s","%s"],"title":"%s"%s}'\''>\n' \
            "$id" "$left" "$right" "$title" "${about:+,\"about\":\"${about//\'/"&#39;"}\"}"
        cat "$file"
        echo '</script>'
    done <page/presets/presets.tsv
}

mkdir -p "$out/page"
while IFS= read -r line; do
    case "$line" in
    "@include "*) cat "page/${line#@include }" && echo ;;
    "@presets") presets ;;
    *@module*)
        printf '%s' "${line%%@module*}"
        gzip -9 -n <"$out/$target/release/anabranch_page.wasm" | base64 -w 0
        printf '%s\n' "${line#*@module}"
        ;;
    *) printf '%s\n' "$line" ;;
    esac
done <page/laboratory.html >"$out/page/laboratory.html.new"
mv "$out/page/laboratory.html.new" "$out/page/laboratory.html"
echo "The laboratory: $out/page/laboratory.html"

# Compares with the command's bytes, if Node.js is available for the page's worker and Chromium for the page.
if [ "${1:-}" = --check ]; then
    binary=$2
    command -v node >/dev/null ||
        { tools/skipped.sh "the laboratory's records beside the command's" "Node.js is not installed"; exit 0; }
    scenarios=(scenarios/{two-paths-and-a-neighbour,wifi-and-lte,managed-queue,failover,short-flows}.toml)
    node page/same-bytes.mjs "$out/page/laboratory.html" "$binary" "${scenarios[@]}"
    chromium=${CHROMIUM:-chromium}
    command -v "$chromium" >/dev/null ||
        { tools/skipped.sh "the laboratory in a browser" "$chromium is not installed"; exit 0; }
    node page/in-chromium.mjs "$chromium" "$out/page/laboratory.html" "$binary" "${scenarios[@]}"
    node page/behaviour.mjs "$chromium" "$out/page/laboratory.html"
    axe=$(tools/axe.sh) || {
        status=$?
        [ "$status" = 3 ] || exit "$status"
        tools/skipped.sh "pages for assistive technology" "npm is not installed or cannot fetch axe-core"
        exit 0
    }
    # Of the report, where `make quick` has written one: each kind of page.
    report=$out/quick/report
    pages=("$report"/{index,methods,algorithms,algorithm-lia,coupled-cubic,coupled-cubic-A-F2,coupling-cubic-E-R}.html)
    [ -e "${pages[0]}" ] || pages=()
    "$binary" run "${scenarios[0]}" --duration '20 s' --cc lia --plot="$out/page/plot.html" --replace >/dev/null
    node page/accessible.mjs "$chromium" "$axe" "$out/page/laboratory.html" "$out/page/plot.html" "${pages[@]}"
fi
