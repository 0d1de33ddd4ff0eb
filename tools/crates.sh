#!/usr/bin/env bash
# Packs every crate for a registry, builds each from its package alone, and checks what is in it:
#   tools/crates.sh FOLDER [OPTION of cargo package …]
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
out=$1
mkdir -p "$out"
others=()
public=()
for manifest in crates/*/Cargo.toml bench/micro/Cargo.toml; do
    name=$(sed -n 's/^name = "\(.*\)"/\1/p' "$manifest" | head -n 1)
    if grep -q '^publish = false' "$manifest"; then others+=(--exclude "$name"); else public+=("$name"); fi
done

rm -f "$target"/package/*.crate
cargo package --quiet --workspace "${others[@]}" --locked "${@:2}"
bad=0
complain() { echo "crates: $*" >&2; bad=1; }
for name in "${public[@]}"; do
    file=$target/package/$name-$version.crate
    list=$(tar -tzf "$file")
    has() { grep -qx "$name-$version/$1" <<<"$list"; }
    for licence in LICENSE-MIT LICENSE-APACHE; do has "$licence" || complain "$name has no $licence"; done
    manifest=$(tar -xzOf "$file" "$name-$version/Cargo.toml")
    for key in description license rust-version; do grep -q "^$key = " <<<"$manifest" || complain "$name has no $key"; done
    case $name in
    anabranch | anabranch-cli | multipath-cc)
        has README.md || complain "$name has no README.md"
        for key in keywords categories readme; do grep -q "^$key = " <<<"$manifest" || complain "$name has no $key"; done
        ;;
    esac
    # crates.io takes 10 MB.
    [ "$(stat -c %s "$file")" -lt 10000000 ] || complain "$name has more than 10 MB"
    cp "$file" "$out/"
done
[ "$bad" = 0 ]
echo "crates: ${#public[@]} packed, $(du -sk "$out" | cut -f 1) kB"
