#!/usr/bin/env bash
# Makes the files of a release under dist/. The same commit and toolchain give the same bytes.
#   tools/release.sh           every part
#   tools/release.sh PART …    some of: static, static-aarch64, deb, wheel, wheel-aarch64, sdist, crates, container, site, sbom, artefact
# A part whose requirements this machine lacks is skipped, with the reason.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
dist=$PWD/dist
case $PWD$target in *[[:space:]]*) echo "release: a flag of C cannot have a space: use a folder without one, not $PWD or $target" >&2; exit 2 ;; esac
work=$target/release-work
tools=$target/release-tools
pinned="cargo-zigbuild==0.24.1 ziglang==0.17.1 $(grep ^maturin== python/requirements.txt)"
all="static static-aarch64 deb wheel wheel-aarch64 sdist crates container site sbom artefact"

# Nothing in the files depends on the day or the folder.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
ANABRANCH_COMMIT=$(git describe --always --dirty --abbrev=12 --exclude '*')
export SOURCE_DATE_EPOCH ANABRANCH_COMMIT
. tools/remap.sh
remap "$PWD=anabranch" "${CARGO_HOME:-$HOME/.cargo}=cargo" "$target=target"
export CFLAGS="${CFLAGS:+$CFLAGS }-ffile-prefix-map=$PWD=anabranch -ffile-prefix-map=$target=target"

. tools/parts.sh

# tar with the same bytes for the same files: FILE FOLDER NAME.
pack() {
    tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --mode=u+rw,go+r-w --owner=0 --group=0 --numeric-owner --directory="$2" "$3" |
        gzip -9 -n >"$1"
}

# Zig compiles C for other machines, and links with an old libc: TRIPLE, the target that the compiler needs, too.
zig() {
    rustup target list --installed | grep -qx "$1" || rustup target add "$1" >/dev/null 2>&1 || skip "rustup cannot add the target $1"
    PATH=$tools/bin:$PATH
    [ -e "$tools/pinned" ] && [ "$(cat "$tools/pinned")" = "$pinned" ] && return
    rm -rf "$tools"
    # shellcheck disable=SC2086
    { python3 -m venv "$tools" && "$tools/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: $pinned; } ||
        skip "$pinned cannot be installed"
    echo "$pinned" >"$tools/pinned"
}

have_linux() { [[ "$(tools/setup.sh features)" = *linux* ]] || skip "the libraries of the feature linux are not installed"; }

# Documents and completions: FOLDER COMMAND….
documents() {
    local folder=$1 shell
    shift
    mkdir -p "$folder/man" "$folder/completions"
    "$@" man "$folder/man" >/dev/null
    for shell in bash zsh fish; do "$@" completions $shell >"$folder/completions/anabranch.$shell"; done
    # Without the picture and its caption, and with the place of the pages instead of links to them.
    sed -E '/^!\[/,/^- /{/^- /!d}; s/\[([^]]*)\]\((docs|scenarios|bench|CONTRIBUTING|SECURITY)[^)]*\)/\1/g' README.md |
        sed "0,/^- /s//The pages that this file names are in the book: \`book\/\` of the release's \`anabranch-$version-site.tar.gz\`. \`make\` commands need the sources.\n\n- /" >"$folder/README.md"
    cp CHANGELOG.md LICENSE-MIT LICENSE-APACHE CITATION.cff "$folder/"
}

# libelf and zlib for a static binary, from the sources that libbpf-sys has with it: FOLDER SOURCES ZIG COMMAND…. Its own build of
# them, the feature `vendored`, has autoconf look for argp, fts and obstack, which musl lacks and libelf does not use.
libelf() {
    local folder=$1 sources=$2 zig=("${@:3}") elf=$2/elfutils
    rm -rf "$folder"
    mkdir -p "$folder/include" "$folder/libelf" "$folder/zlib"
    cp "$elf"/libelf/{libelf,gelf}.h "$sources"/zlib/{zlib,zconf}.h "$folder/include/"
    cd "$folder/zlib"
    "${zig[@]}" -DHAVE_UNISTD_H -c "$sources"/zlib/*.c
    cd "$folder/libelf"
    echo '#include <eu-config.h>' >config.h
    "${zig[@]}" -std=gnu99 -D_GNU_SOURCE -DHAVE_CONFIG_H -DHAVE_ERR_H -DHAVE_MREMAP -DHAVE_STDATOMIC_H -DHAVE_VISIBILITY \
        -DHAVE_FALLTHROUGH -DHAVE_DECL_MEMPCPY -DHAVE_DECL_REALLOCARRAY '-DPACKAGE="elfutils"' \
        -I. -I"$folder/include" -I"$elf/lib" -I"$elf/libelf" -c "$elf"/libelf/*.c
    cd "$folder"
    "$tools/bin/python-zig" ar rcsD libz.a zlib/*.o
    "$tools/bin/python-zig" ar rcsD libelf.a libelf/*.o
}

# A binary that needs no library: MACHINE COMMAND…, by which this machine runs it.
static_for() {
    local triple=$1-unknown-linux-musl name=anabranch-$version-$1-linux sources elf=$work/libelf-$1
    have_linux
    zig "$triple"
    sources=$(cargo metadata --format-version 1 --locked --features linux,quic | python3 -c '
import json, os, sys
print(next(os.path.dirname(each["manifest_path"]) for each in json.load(sys.stdin)["packages"] if each["name"] == "libbpf-sys"))')
    (libelf "$elf" "$sources" "$tools/bin/python-zig" cc -target "$1-linux-musl" -O2 -fPIC -g0 -w)
    # In a folder of its own: a build of another target may use other flags of C.
    CARGO_TARGET_DIR=$work/static LIBBPF_SYS_LIBRARY_PATH=$elf LIBBPF_SYS_EXTRA_CFLAGS=-I$elf/include \
        cargo zigbuild --quiet --profile dist --locked --features linux,quic --package anabranch-cli --target "$triple"
    rm -rf "${work:?}/$name"
    mkdir -p "$work/$name"
    cp "$work/static/$triple/dist/anabranch" contrib/anabranch-kernel.service "$work/$name/"
    tools/licences.sh "$work/$name/licences" "$sources" "$("$tools/bin/python" -c 'import ziglang; print(*ziglang.__path__)')"
    documents "$work/$name" "${@:2}" "$work/$name/anabranch"
    pack "$dist/$name.tar.gz" "$work" "$name"
}
part_static() {
    [ "$(uname -m)" = x86_64 ] || skip "the command, which prints its man pages, does not run on $(uname -m)"
    static_for x86_64
}
part_static-aarch64() {
    command -v qemu-aarch64 >/dev/null || skip "qemu-aarch64 is not installed, which prints its man pages"
    static_for aarch64 qemu-aarch64
}

# The command with Linux kernels, for Debian 12 and 13.
part_deb() {
    local root=$work/deb share
    command -v dpkg-deb >/dev/null || skip "dpkg-deb is not installed"
    have_linux
    rm -rf "$root" "$work/documents"
    share=$root/usr/share
    # The linker's build ID is over symbols, too, which name the folder. If strip removed it, read-only relocations would go with it.
    CARGO_ENCODED_RUSTFLAGS+=$'\x1f-Clink-arg=-Wl,--build-id=none' \
        cargo build --quiet --profile dist --locked --features linux,quic --bin anabranch
    mkdir -p "$root/DEBIAN" "$root/usr/bin" "$share/man/man1" "$share/doc/anabranch" "$share/anabranch" "$root/usr/lib/systemd/system" \
        "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
    strip --strip-unneeded -o "$root/usr/bin/anabranch" "$target/dist/anabranch"
    # What packaging/control depends on: a newer symbol would not start on Debian 12.
    local oldest newest
    oldest=$(sed -n 's/.*libc6 (>= \([0-9.]*\)).*/\1/p' packaging/control)
    newest=$(objdump -T "$root/usr/bin/anabranch" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
    [ "$(printf '%s\n' "GLIBC_$oldest" "$newest" | sort -V | tail -n 1)" = "GLIBC_$oldest" ] ||
        { echo "the command needs $newest, and the package promises $oldest: build it on Debian 12" >&2; return 1; }
    documents "$work/documents" "$root/usr/bin/anabranch"
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
    # As dpkg-gencontrol counts: whole KiB of each file, one for anything else. `du` depends on the file system.
    sed -e "s/@version/$version/" -e "s/@architecture/$(dpkg --print-architecture)/" \
        -e "s/@size/$(find "$root/usr" -printf '%y %s\n' | awk '{ sum += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print sum }')/" \
        packaging/control >"$root/DEBIAN/control"
    find "$root" -type d -exec chmod 755 {} +
    find "$root" -type f -exec chmod 644 {} +
    chmod 755 "$root/usr/bin/anabranch"
    # The number of threads changes the bytes.
    dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$root" "$dist/anabranch_${version}-1_$(dpkg --print-architecture).deb" >/dev/null
}

# The Python package, for Python 3.10 and later on Linux with glibc 2.28 and later: MACHINE.
wheel_for() {
    zig "$1-unknown-linux-gnu"
    rm -f "$dist/anabranch-$version"-*"$1".whl
    python3 tools/sbom.py anabranch-python >"$work/anabranch.cdx.json"
    MATURIN=$tools/bin/maturin tools/python.sh wheel --quiet --zig --compatibility manylinux_2_28 \
        --target "$1-unknown-linux-gnu" --sbom-include "$work/anabranch.cdx.json" --out "$dist"
    python3 tools/wheels.py "$dist/anabranch-$version"-*"$1".whl
}
part_wheel() { wheel_for x86_64; }
part_wheel-aarch64() { wheel_for aarch64; }

# Its sources, which pip builds with Rust and a C compiler.
part_sdist() {
    local name=anabranch-$version
    zig x86_64-unknown-linux-gnu
    rm -rf "${work:?}/$name"
    (cd python && maturin sdist --out "$work" >"$work/sdist.log" 2>&1) || { cat "$work/sdist.log" >&2; return 1; }
    tar -xzf "$work/$name.tar.gz" -C "$work"
    # maturin leaves out the crates of features that are off. Cargo reads their manifests, so that the feature goes, and its packages in the lock file.
    sed -i '/^linux = /d; /^quic = /d; /^anabranch-quic = /d; /^anabranch-testbed = /d; /^anabranch-mptcp-bpf = /d' "$work/$name/crates/anabranch/Cargo.toml"
    (cd "$work/$name" && cargo metadata --quiet --format-version 1 >/dev/null && cargo metadata --quiet --locked --format-version 1 >/dev/null)
    pack "$dist/$name.tar.gz" "$work" "$name"
    python3 tools/wheels.py "$dist/$name.tar.gz"
}

# The crates as registries take them.
part_crates() {
    local name=anabranch-$version-crates
    rm -rf "${work:?}/$name"
    tools/crates.sh "$work/$name"
    pack "$dist/$name.tar.gz" "$work" "$name"
}

# An image with the static binary alone, built without a daemon.
part_container() {
    local folder=$work/container name=anabranch-$version-x86_64-image
    command -v buildah >/dev/null || skip "buildah is not installed"
    [ -e "$work/anabranch-$version-x86_64-linux/anabranch" ] || skip "it needs the part static first"
    rm -rf "$folder" "${work:?}/$name"
    mkdir -p "$folder"
    local buildah=(buildah --root "$folder/root" --runroot "$folder/run" --storage-driver vfs)
    "${buildah[@]}" build --quiet --isolation chroot --timestamp "$SOURCE_DATE_EPOCH" --label "org.opencontainers.image.version=$version" \
        --label "org.opencontainers.image.revision=$ANABRANCH_COMMIT" --iidfile "$folder/id" \
        --file packaging/Containerfile "$work/anabranch-$version-x86_64-linux" >/dev/null
    "${buildah[@]}" push --quiet "$(cat "$folder/id")" "oci:$work/$name:$version"
    # As `podman load` and `skopeo copy oci-archive:` take it.
    pack "$dist/$name.tar.gz" "$work/$name" .
}

# The report that make reproduce wrote, and not the quick one that it shows before.
need_report() {
    [ -e out/report/index.html ] || skip "there is no out/report: call make reproduce"
    ! grep -q 'Provisional\.' out/report/index.html || skip "out/report is provisional: call make reproduce again"
}

part_site() {
    need_report
    [ -e out/report/laboratory.html ] || skip "out/report has no laboratory: call make page, and make reproduce again"
    rm -rf "$work/anabranch-$version-site"
    tools/site.sh "$work/anabranch-$version-site"
    pack "$dist/anabranch-$version-site.tar.gz" "$work" "anabranch-$version-site"
}

# The dependencies of the command, as CycloneDX. The wheels have theirs.
part_sbom() {
    python3 tools/sbom.py anabranch-cli --features linux,quic >"$dist/anabranch-$version.cdx.json"
}

# Sources, outcomes and environment in one archive, as journals and archives with a DOI take them.
part_artefact() {
    local name=anabranch-$version-artefact
    need_report
    [ -z "$(ls out/studies 2>/dev/null)" ] || skip "out/studies has results of other commands, which out/report may show: use a fresh clone"
    rm -rf "${work:?}/$name"
    mkdir -p "$work/$name/outcomes"
    git archive --prefix=sources/ HEAD | tar -x -C "$work/$name"
    # What make reproduce writes, without its store of runs.
    for folder in papers algorithms report; do cp -r "out/$folder" "$work/$name/outcomes/"; done
    cp CITATION.cff LICENSE-MIT LICENSE-APACHE packaging/artefact.md "$work/$name/"
    {
        echo "version: $version, commit $ANABRANCH_COMMIT"
        echo "system: $(uname -srm), $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)"
        echo "processors: $(nproc) × $(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -n 1)"
        echo "C: $(cc --version | head -n 1)"
        rustc -vV
    } >"$work/$name/environment.txt"
    (cd "$work/$name" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs -d '\n' sha256sum) >"$work/SHA256SUMS"
    mv "$work/SHA256SUMS" "$work/$name/"
    pack "$dist/$name.tar.gz" "$work" "$name"
}

mkdir -p "$dist" "$work"
# shellcheck disable=SC2086
[ $# != 0 ] || set -- $all
set +e
(set -e; run_parts release "$all" "$@")
status=$?
set -e
# Of this version's files, also where a part failed after others had written theirs.
(cd "$dist" && find . -maxdepth 1 -type f -name "*$version*" -printf '%P\n' | sort | xargs -r sha256sum >SHA256SUMS)
cat "$dist/SHA256SUMS"
exit "$status"
