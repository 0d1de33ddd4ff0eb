#!/usr/bin/env bash
# Makes the files of a release under dist/: static binaries, a Debian package, wheels, the site, an SBOM and checksums. The same
# commit and toolchain give the same bytes.
#   tools/release.sh           everything
#   tools/release.sh PART …    some of: static, deb, wheels, site, sbom
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
dist=$PWD/dist
work=$target/release-work
tools=$target/release-tools
pinned="cargo-zigbuild==0.24.1 ziglang==0.17.1"
parts=${*:-static deb wheels site sbom}

# Nothing in the files depends on the day or the folder.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
export RUSTFLAGS="--remap-path-prefix=$PWD=anabranch --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
export CFLAGS="-ffile-prefix-map=$PWD=anabranch -ffile-prefix-map=$target=target"

say() { printf 'release: %s\n' "$*"; }

# tar with the same bytes for the same files.
pack() {
    tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --directory="$2" "$3" |
        gzip -9 -n >"$1"
}

zig() {
    [ -e "$tools/pinned" ] && [ "$(cat "$tools/pinned")" = "$pinned" ] && return
    rm -rf "$tools"
    python3 -m venv "$tools"
    # shellcheck disable=SC2086
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: $pinned
    echo "$pinned" >"$tools/pinned"
}

# Documents and completions, by a command of this machine: FOLDER.
documents() {
    local command=$target/dist/anabranch
    [ -x "$command" ] || cargo build --profile dist --locked $(tools/setup.sh features) --bin anabranch
    mkdir -p "$1/man" "$1/completions"
    "$command" man "$1/man"
    for shell in bash zsh fish; do "$command" completions $shell >"$1/completions/anabranch.$shell"; done
    cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE CITATION.cff "$1/"
}

# A binary that needs no library, without Linux kernels.
static() {
    local triple=$1-unknown-linux-musl name=anabranch-$version-$1-linux
    say "the static binary for $1"
    zig
    rustup target add "$triple" >/dev/null 2>&1
    # In a folder of its own: a build of another target may use other flags of C.
    PATH="$tools/bin:$PATH" CARGO_TARGET_DIR=$work/static cargo zigbuild --quiet --profile dist --locked --package anabranch-cli --target "$triple"
    rm -rf "${work:?}/$name"
    mkdir -p "$work/$name"
    cp "$work/static/$triple/dist/anabranch" "$work/$name/"
    documents "$work/$name"
    pack "$dist/$name.tar.gz" "$work" "$name"
}

# The command with Linux kernels, for Debian 12 and 13.
deb() {
    local root=$work/deb share
    say "the Debian package"
    rm -rf "$root"
    share=$root/usr/share
    cargo build --quiet --profile dist --locked --features linux --bin anabranch
    mkdir -p "$root/DEBIAN" "$root/usr/bin" "$share/man/man1" "$share/doc/anabranch" "$share/anabranch" "$root/usr/lib/systemd/system" \
        "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
    strip --strip-unneeded -o "$root/usr/bin/anabranch" "$target/dist/anabranch"
    documents "$work/documents"
    for page in "$work"/documents/man/*.1; do gzip -9 -n <"$page" >"$share/man/man1/$(basename "$page").gz"; done
    cp "$work/documents/completions/anabranch.bash" "$share/bash-completion/completions/anabranch"
    cp "$work/documents/completions/anabranch.zsh" "$share/zsh/vendor-completions/_anabranch"
    cp "$work/documents/completions/anabranch.fish" "$share/fish/vendor_completions.d/anabranch.fish"
    sed "s#/usr/local/bin#/usr/bin#g" contrib/anabranch-kernel.service >"$root/usr/lib/systemd/system/anabranch-kernel.service"
    [ ! -e "$target/page/laboratory.html" ] || cp "$target/page/laboratory.html" "$share/anabranch/"
    cp packaging/copyright "$share/doc/anabranch/copyright"
    gzip -9 -n <CHANGELOG.md >"$share/doc/anabranch/changelog.gz"
    printf 'anabranch (%s-1) unstable; urgency=medium\n\n  * Version %s.\n\n -- %s  %s\n' "$version" "$version" \
        "$(sed -n 's/^Maintainer: //p' packaging/control)" "$(date -R -u -d "@$SOURCE_DATE_EPOCH")" |
        gzip -9 -n >"$share/doc/anabranch/changelog.Debian.gz"
    sed -e "s/@version/$version/" -e "s/@architecture/$(dpkg --print-architecture)/" \
        -e "s/@size/$(du -ks "$root" | cut -f 1)/" packaging/control >"$root/DEBIAN/control"
    find "$root" -type d -exec chmod 755 {} +
    find "$root" -type f -exec chmod 644 {} +
    chmod 755 "$root/usr/bin/anabranch"
    dpkg-deb --root-owner-group -Zxz --build "$root" "$dist/anabranch_${version}-1_$(dpkg --print-architecture).deb" >/dev/null
}

# The Python package, for Python 3.10 and later on Linux.
wheels() {
    say "the wheel"
    tools/python.sh wheel
    cp "$target"/wheels/anabranch-"$version"-*.whl "$dist/"
}

site() {
    say "the site"
    tools/site.sh "$work/site"
    pack "$dist/anabranch-$version-site.tar.gz" "$work" site
}

# The dependencies of the command, as CycloneDX.
sbom() {
    say "the SBOM"
    python3 tools/sbom.py >"$dist/anabranch-$version.cdx.json"
}

mkdir -p "$dist" "$work"
for part in $parts; do
    case "$part" in
    static) static x86_64; static aarch64 ;;
    deb | wheels | site | sbom) $part ;;
    *) echo "release: no part is called $part" >&2; exit 2 ;;
    esac
done
(cd "$dist" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)
say "done:"
cat "$dist/SHA256SUMS"
