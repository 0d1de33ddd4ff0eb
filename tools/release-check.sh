#!/usr/bin/env bash
# Tries the files under dist/ as users would.
#   tools/release-check.sh           every part
#   tools/release-check.sh PART …    some of:
#     files         checksums; the wheels' tags and licences; the package by lintian, CITATION.cff by cffconvert, workflows by actionlint
#     bookworm, trixie   the Debian package and the static binary in a bare root of Debian without a compiler; needs root, debootstrap
#     container     the image's program runs with the image's files alone; needs root
#     records       the records of six scenarios by each program: the same bytes
#     kernel        the static binary loads every algorithm into this kernel, and unloads it; needs root and BTF
#     guest-aarch64 the one for aarch64 does so in an emulated machine with Debian's kernel, and sends there
#     wheel         pip installs it in bare roots of Debian 12 and 13, and README's Python runs; needs root, debootstrap
#     install       cargo install in a bare root that has gcc alone
#     sdist         pip builds the package from its sources in a bare root that has gcc and pip alone, and README's Python runs
#     msrv          every crate compiles with the oldest Rust of Cargo.toml
#     reproducible  a second build of the static binary, the Debian package, the wheel and its sources, in another folder: the same bytes
#     noq           the patches for noq, each without and with its change
#     iroh          LIA in iroh between two endpoints over loopback
#     picoquic      the adapter with picoquic's tests of multipath; needs PICOQUIC and PICOTLS, see contrib/picoquic/try.sh
# Compiles only in the last seven. What this machine lacks is skipped, with the reason; with ANABRANCH_SKIP_NOTHING set, that fails.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
roots=$target/release-roots
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
machine=$(uname -m)
static=anabranch-$version-$machine-linux
sdist=anabranch-$version.tar.gz
deb=$(find dist -name "anabranch_${version}-1_*.deb" 2>/dev/null | head -n 1 || true)
wheel=$(find dist -name "anabranch-$version-*_$machine.whl" 2>/dev/null | head -n 1 || true)
examples=(two-paths wifi-and-lte managed-queue failover short-flows mmwave-and-lte)
all="files bookworm trixie container records kernel guest-aarch64 wheel install sdist msrv reproducible noq iroh picoquic"
mkdir -p "$roots"

. tools/parts.sh
need() { [ -e "dist/$1" ] || skip "there is no dist/$1: call tools/release.sh $2"; }

# Runs a command in a root, with its own mounts: ROOT COMMAND [FOLDER …], folders of this machine at the same place there.
inside() {
    unshare --mount --pid --fork bash -c '
        mount -t proc proc "$1/proc"
        mount --bind /sys "$1/sys"
        mount -t devpts devpts "$1/dev/pts"
        for folder in "${@:3}"; do mkdir -p "$1$folder"; mount --rbind "$folder" "$1$folder"; done
        exec chroot "$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 bash -euc "$2"' _ "$@"
}

# A bare root of Debian, once: SUITE NAME. Prints its folder.
bare() {
    local root=$roots/$2
    [ "$(id -u)" = 0 ] || skip "bare roots need root"
    command -v debootstrap >/dev/null || skip "debootstrap is not installed"
    if ! [ -e "$root/usr/bin/apt-get" ]; then
        debootstrap --variant=minbase --include=ca-certificates "$1" "$root" >"$roots/$2.log" 2>&1 || { rm -rf "$root"; skip "$1 cannot be downloaded"; }
    fi
    echo "$root"
}

part_files() {
    [ -e dist/SHA256SUMS ] || skip "there is no dist/SHA256SUMS: call tools/release.sh"
    (cd dist && sha256sum --check --quiet SHA256SUMS)
    [ -z "$wheel" ] || python3 tools/wheels.py dist/*.whl
    if [ -n "$deb" ] && command -v lintian >/dev/null; then
        # The address is for the owner to give, and has a line of its own here.
        lintian --fail-on error,warning --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog,initial-upload-closes-no-bugs "$deb"
        echo "lintian finds no error and no warning"
        ! grep -q '^Maintainer: .*@localhost>' packaging/control ||
            tools/skipped.sh "the maintainer's address" "packaging/control names none that takes mail: the owner has to give it"
    else
        tools/skipped.sh "the Debian package by lintian" "there is no package in dist, or lintian is not installed"
    fi
    local venv=$roots/cffconvert
    if [ -e "$venv/done" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check cffconvert==2.0.0 && touch "$venv/done"; }; then
        "$venv/bin/cffconvert" --validate
    else
        tools/skipped.sh "CITATION.cff" "cffconvert cannot be installed"
    fi
    if command -v go >/dev/null && GOBIN=$roots/bin go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 2>"$roots/actionlint.log"; then
        "$roots/bin/actionlint"
        echo "the workflows are valid"
    else
        tools/skipped.sh "the workflows" "actionlint cannot be built here: it needs Go"
    fi
}

suite() {
    local root seconds
    [ -n "$deb" ] || skip "there is no Debian package in dist: call tools/release.sh deb"
    need "$static.tar.gz" static
    root=$(bare "$1" "$1")
    # Also where an earlier run ended before it purged.
    inside "$root" "apt-get update -q >/dev/null; apt-get purge -y -q anabranch >/dev/null 2>&1 || true"
    rm -rf "$root/dist" && cp -r dist "$root/dist"
    inside "$root" "find / -xdev -path /proc -prune -o -type f -print | grep -v '^/\(var\|dist\|tmp\|root\)/' | sort >/root/before"
    seconds=$SECONDS
    inside "$root" "
        DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends /$deb >/dev/null
        cd /tmp && rm -rf record && anabranch run example:two-paths --out record >/dev/null && anabranch plot record >/dev/null"
    echo "$1: installed, ran and drew an example in $((SECONDS - seconds)) s"
    inside "$root" "
        anabranch kernel doctor >/dev/null || [ \$? = 1 ]
        [ -e /usr/share/man/man1/anabranch-run.1.gz ]
        DEBIAN_FRONTEND=noninteractive apt-get purge -q -y --auto-remove anabranch >/dev/null
        find / -xdev -path /proc -prune -o -type f -print | grep -v '^/\(var\|dist\|tmp\|root\)/' | sort >/root/after
        diff /root/before /root/after"
    echo "$1: purging leaves nothing"
    inside "$root" "cd /tmp && tar -xzf /dist/$static.tar.gz && cd $static && rm -rf record && ./anabranch run example:two-paths --out record >/dev/null &&
        ./anabranch plot record >/dev/null"
    echo "$1: the static binary runs and draws"
}
part_bookworm() { suite bookworm; }
part_trixie() { suite trixie; }

part_container() {
    local folder=$roots/image name=anabranch-$version-x86_64-image layer
    [ "$(id -u)" = 0 ] || skip "an image's files need root to run"
    [ "$machine" = x86_64 ] || skip "the image is for x86_64"
    need "$name.tar.gz" container
    rm -rf "$folder" && mkdir -p "$folder/oci" "$folder/root"
    tar -xzf "dist/$name.tar.gz" -C "$folder/oci"
    # From the index to the manifest to its layers.
    for layer in $(python3 -c '
import json, sys
blob = lambda of: f"{sys.argv[1]}/blobs/" + of["digest"].replace(":", "/")
manifest = json.load(open(blob(json.load(open(f"{sys.argv[1]}/index.json"))["manifests"][0])))
print(*map(blob, manifest["layers"]))' "$folder/oci"); do tar -xf "$layer" -C "$folder/root"; done
    chroot "$folder/root" /usr/bin/anabranch run example:two-paths --out /mnt/record >/dev/null
    [ -s "$folder/root/mnt/record/summary.json" ]
    echo "the image's program runs with $(find "$folder/root" -type f ! -path '*/mnt/*' | wc -l) files"
}

# One SHA-256 for each scenario: NAME COMMAND…, which takes a scenario and prints its record.
compared=0
same() {
    local found name=$1 example record
    found=$(for example in "${examples[@]}"; do
        record=$("${@:2}" "$roots/scenarios/$example.toml")
        grep -q '"goodput_bps": [1-9]' <<<"$record" || { echo "release-check: $name: $example has no goodput" >&2; exit 1; }
        echo "$example $(sha256sum <<<"$record" | cut -c 1-64)"
    done)
    [ "$compared" != 0 ] || first=$found
    if [ "$found" != "$first" ]; then
        echo "release-check: $name has other records" >&2
        diff <(echo "$first") <(echo "$found") >&2 || true
        exit 1
    fi
    compared=$((compared + 1))
    echo "the same ${#examples[@]} records: $name"
}
# Python for MACHINE, unpacked and not installed, with its libraries. Prints its folder. Called in a condition, where `set -e` has no
# effect.
python_of() {
    local root=$roots/python-$1 files=$roots/python-$1-files package
    if ! [ -x "$root/usr/bin/python3" ]; then
        rm -rf "$root" "$root.new" "$files" && mkdir -p "$root.new" || return 1
        debootstrap --foreign --arch="$(sed 's/aarch64/arm64/' <<<"$1")" --variant=minbase --include=python3 bookworm "$files" \
            >"$roots/python-$1.log" 2>&1 || return 1
        for package in "$files"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$root.new" || return 1; done
        mv "$root.new" "$root" || return 1
        rm -rf "$files"
    fi
    echo "$root"
}

record() { "$@" --json; }
part_records() {
    local command example root other=anabranch-$version-aarch64-linux foreign python
    python='
import sys
from anabranch import _anabranch, _scenario
print(_anabranch.run(_scenario.read(sys.argv[1]), [], [], [], None, True)[0])'
    need "$static.tar.gz" static
    foreign=$(find dist -name "anabranch-$version-*_aarch64.whl" | head -n 1)
    rm -rf "$roots/records" "$roots/scenarios"
    mkdir -p "$roots/records" "$roots/scenarios"
    tar -xzf "dist/$static.tar.gz" -C "$roots/records"
    command=$roots/records/$static/anabranch
    for example in "${examples[@]}"; do
        "$command" new "$roots/scenarios/$example.toml" --from "$example" >/dev/null
    done
    same "static, musl, $machine" record "$command" run
    if [ -n "$deb" ]; then
        dpkg-deb -x "$deb" "$roots/records/deb"
        same "Debian package, glibc, $machine" record "$roots/records/deb/usr/bin/anabranch" run
    else
        without "the Debian package, which is not in dist"
    fi
    if [ -n "$wheel" ]; then
        install_wheel
        same "wheel, $machine" "$roots/venv/bin/python" -c "$python"
    else
        without "the wheel, which is not in dist"
    fi
    if [ "$machine" = aarch64 ]; then :; elif ! command -v qemu-aarch64 >/dev/null; then
        without "aarch64, which takes qemu-aarch64"
    else
        if [ -e "dist/$other.tar.gz" ]; then
            tar -xzf "dist/$other.tar.gz" -C "$roots/records"
            same "static, musl, aarch64, in QEMU" record qemu-aarch64 "$roots/records/$other/anabranch" run
        else
            without "the static binary for aarch64, which is not in dist"
        fi
        if [ ! -e "$foreign" ]; then
            without "the wheel for aarch64, which is not in dist"
        elif ! { [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null && root=$(python_of aarch64); }; then
            without "the wheel for aarch64, which takes root, debootstrap and a download"
        else
            python3 -m zipfile -e "$foreign" "$roots/records/wheel"
            same "wheel, glibc, aarch64, in QEMU" env PYTHONPATH="$roots/records/wheel" \
                qemu-aarch64 -L "$root" "$root/usr/bin/python3" -c "$python"
        fi
    fi
    if [ -e "$target/page/laboratory.html" ] && command -v node >/dev/null; then
        same "laboratory, WebAssembly" node page/record.mjs "$target/page/laboratory.html"
    else
        without "the laboratory, which takes Node.js and make page"
    fi
}

part_kernel() {
    local count
    command=$roots/kernel/$static/anabranch # not local: the trap reads it
    [ "$(id -u)" = 0 ] && [ -e /sys/kernel/btf/vmlinux ] || skip "loading takes root and a kernel with BTF"
    need "$static.tar.gz" static
    rm -rf "$roots/kernel" && mkdir -p "$roots/kernel" && tar -xzf "dist/$static.tar.gz" -C "$roots/kernel"
    # The kernel has one of each name.
    ! "$command" kernel list | grep -qE 'ab_[a-z0-9_]+ +loaded' || skip "algorithms are loaded here, which unloading would remove: anabranch kernel unload all"
    "$command" kernel doctor >/dev/null || skip "this kernel lacks what \`anabranch kernel doctor\` says"
    # Where loading or listing fails: what stayed would make the next run skip.
    trap '"$command" kernel unload all >/dev/null' EXIT
    "$command" kernel load all >/dev/null
    count=$("$command" kernel list | grep -cE 'ab_[a-z0-9_]+ +loaded' || true)
    trap - EXIT
    "$command" kernel unload all >/dev/null
    [ "$count" -ge 14 ] || { echo "release-check: only $count algorithms are loaded" >&2; exit 1; }
    [ "$("$command" kernel list | grep -cE 'ab_[a-z0-9_]+ +loaded' || true)" = 0 ] || { echo "release-check: some stay loaded" >&2; exit 1; }
    echo "the static binary loads and unloads $count algorithms: Linux $(uname -r)"
}

# In virtual time, so that a slow machine does not change it.
part_guest-aarch64() {
    local work=$roots/guest name=anabranch-$version-aarch64-linux image
    need "$name.tar.gz" static-aarch64
    command -v qemu-system-aarch64 >/dev/null && command -v cpio >/dev/null || skip "qemu-system-aarch64 or cpio is not installed"
    image=$(ANABRANCH_GUESTS=$roots/guests tools/guest-image.sh 6.12-arm64) || { [ $? = 3 ] || exit 1; skip "the guest's image cannot be made here"; }
    rm -rf "$work" && mkdir -p "$work/root/bin"
    tar -xzf "dist/$name.tar.gz" -C "$work"
    cp "$work/$name/anabranch" "$work/root/bin/"
    cp tools/kernels/job-of-release "$work/root/job"
    (cd "$work/root" && find . | cpio --quiet -o -H newc -R 0:0) >"$work/programs"
    cat "$image/initramfs" "$work/programs" >"$work/initramfs"
    timeout 900 qemu-system-aarch64 -nodefaults -no-reboot -display none -machine virt -cpu max -smp 1 -m 1024 \
        -accel tcg -icount shift=0,sleep=off -rtc base=2024-01-01,clock=vm -serial "file:$work/log" \
        -kernel "$image/kernel" -initrd "$work/initramfs" -append "console=ttyAMA0 quiet panic=-1" </dev/null || { tail -n 40 "$work/log" >&2; exit 1; }
    grep -q '^every step succeeded' "$work/log" || { tail -n 40 "$work/log" >&2; exit 1; }
    echo "aarch64 loads $(grep -c '^ab_.*: loaded' "$work/log") algorithms and sends with LIA: Linux $(cat "$image/release"), emulated"
}

install_wheel() {
    rm -rf "$roots/venv"
    python3 -m venv "$roots/venv"
    "$roots/venv/bin/pip" install --quiet --disable-pip-version-check --no-index "$wheel"
}
# The Python of python/README.md.
readme() { sed -n '/^```python/,/^```/p' python/README.md | grep -v '^```'; }
# Packages of python/requirements.txt for the Python of a root, whatever this machine's is: VERSION FOLDER PACKAGE ….
download() {
    local each pin wanted=()
    for each in "${@:3}"; do
        pin=$(grep "^$each==" python/requirements.txt)
        wanted+=("$pin")
    done
    rm -rf "$2"
    python3 -m venv "$roots/pip"
    "$roots/pip/bin/pip" download --quiet --disable-pip-version-check --only-binary :all: --python-version "$1" --dest "$2" "${wanted[@]}" ||
        skip "${wanted[*]} cannot be downloaded"
}
part_wheel() {
    local suite root python packages=$roots/wheel
    [ -n "$wheel" ] || skip "there is no wheel for $machine in dist: call tools/release.sh wheel"
    for suite in bookworm trixie; do
        root=$(bare "$suite" "wheel-$suite")
        inside "$root" "apt-get update -q >/dev/null
            DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends python3-venv >/dev/null"
        python=$(inside "$root" "python3 -c 'import sys; print(*sys.version_info[:2], sep=\".\")'")
        download "$python" "$packages" matplotlib
        cp "$wheel" "$packages/"
        readme >"$packages/readme.py"
        inside "$root" "cd /tmp && rm -rf venv && python3 -m venv venv
            venv/bin/pip install --quiet --disable-pip-version-check --no-index --find-links $packages matplotlib $packages/${wheel#dist/}
            MPLBACKEND=agg venv/bin/python $packages/readme.py" "$packages"
        echo "$suite: pip installs the wheel, and README's Python runs"
    done
}

# A root that has gcc alone, and this machine's Rust: COMMAND FOLDER [PACKAGE …]. Cargo has its packages from this machine.
with_gcc() {
    local root toolchain cargo=${CARGO_HOME:-$HOME/.cargo}
    toolchain=$(rustc --print sysroot)
    root=$(bare bookworm gcc)
    cargo fetch --quiet --locked
    inside "$root" "apt-get update -q >/dev/null
        DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends gcc libc6-dev ${*:3} >/dev/null"
    inside "$root" "
        export PATH=$toolchain/bin:\$PATH CARGO_HOME=$cargo CARGO_NET_OFFLINE=true CARGO_TARGET_DIR=/tmp/target
        export ${CARGO_PROFILE_RELEASE_OPT_LEVEL:+CARGO_PROFILE_RELEASE_OPT_LEVEL=$CARGO_PROFILE_RELEASE_OPT_LEVEL} LC_ALL=C.UTF-8
        $1" "$toolchain" "$cargo" "$2"
}

part_install() {
    with_gcc "cd $PWD && cargo install --quiet --path crates/cli --locked --root /tmp/installed
        cd /tmp && rm -rf record && installed/bin/anabranch run example:two-paths --out record >/dev/null && installed/bin/anabranch plot record >/dev/null" "$PWD"
    echo "cargo install with gcc alone: installed, ran and drew an example"
}

part_sdist() {
    local packages=$roots/sdist
    need "$sdist" sdist
    download 3.11 "$packages" maturin matplotlib
    readme >"$packages/readme.py"
    cp "dist/$sdist" "$packages/"
    with_gcc "cd /tmp && rm -rf venv && python3 -m venv venv
        venv/bin/pip install --quiet --disable-pip-version-check --no-index --find-links $packages matplotlib $packages/$sdist
        MPLBACKEND=agg venv/bin/python $packages/readme.py" "$packages" python3-venv
    echo "pip builds the package from its sources with gcc and Rust, and README's Python runs"
}

part_msrv() {
    local oldest features=()
    oldest=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    command -v rustup >/dev/null || skip "rustup is not installed"
    rustup run "$oldest" rustc --version >/dev/null 2>&1 ||
        rustup toolchain install "$oldest" --profile minimal --no-self-update >"$roots/msrv.log" 2>&1 || skip "rustup cannot install Rust $oldest"
    read -ra features <<<"$(tools/setup.sh features)"
    [[ "${features[*]}" = *linux* ]] || skip "the libraries of the feature linux are not installed"
    RUSTUP_TOOLCHAIN=$oldest CARGO_TARGET_DIR=$roots/msrv cargo check --quiet --locked --workspace "${features[@]}"
    echo "every crate compiles with Rust $oldest"
}

part_reproducible() {
    local other=$roots/other-folder file time commit parts=() files=()
    for file in static="$static.tar.gz" deb="${deb#dist/}" sdist="$sdist" wheel="${wheel#dist/}"; do
        if [ -f "dist/${file#*=}" ]; then parts+=("${file%%=*}") files+=("${file#*=}"); else without "the ${file%%=*}, which is not in dist"; fi
    done
    [[ ${files[0]:-.whl} != *.whl ]] || skip "dist has no file with the time of its commit: call tools/release.sh sdist"
    # The files have the time of their commit.
    time=$(case ${files[0]} in *.deb) dpkg-deb --fsys-tarfile "dist/${files[0]}" ;; *) cat "dist/${files[0]}" ;; esac |
        python3 -c 'import sys, tarfile; print([each.mtime for each in tarfile.open(fileobj=sys.stdin.buffer, mode="r|*")][0])')
    commit=$(git log --format='%H %ct' | awk -v "time=$time" '$2 == time && !found++ { print $1 }')
    [ -n "$commit" ] || { echo "release-check: no commit of this branch has the time of dist/${files[0]}, $(date -d "@$time")" >&2; exit 1; }
    rm -rf "$other"
    git clone --quiet . "$other"
    git -C "$other" checkout --quiet "$commit"
    (cd "$other" && export CARGO_TARGET_DIR=$other/target && tools/page.sh && tools/release.sh "${parts[@]}") >"$roots/reproducible.log" 2>&1 ||
        { tail "$roots/reproducible.log" >&2; exit 1; }
    for file in "${files[@]}"; do
        cmp "dist/$file" "$other/dist/$file"
        echo "the same bytes from two builds: $(sha256sum "dist/$file")"
    done
    rm -rf "$other"
}

part_noq() { contrib/noq/try.sh; }
part_iroh() { contrib/iroh/try.sh; }
part_picoquic() {
    [ -n "${PICOQUIC:-}" ] && [ -n "${PICOTLS:-}" ] || skip "PICOQUIC and PICOTLS name no sources of picoquic and picotls"
    contrib/picoquic/try.sh "$PICOQUIC" "$PICOTLS"
}

# shellcheck disable=SC2086
[ $# != 0 ] || set -- $all
run_parts release-check "$all" "$@"
