#!/usr/bin/env bash
# Tries the files in dist/ as users would, in bare roots of Debian 12 and 13 without a compiler, and compares the records of six
# scenarios between them. Needs root and debootstrap:  tools/release-check.sh [SUITE …]
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
roots=$target/release-roots
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
examples=(two-paths wifi-and-lte managed-queue failover short-flows mmwave-and-lte)
skip() { tools/skipped.sh "the files of a release" "$1"; exit; }

[ "$(id -u)" = 0 ] || skip "bare roots need root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
(cd dist && sha256sum --check --quiet SHA256SUMS)

# Runs a command in a root, with its own mounts: ROOT COMMAND.
inside() {
    unshare --mount --pid --fork bash -c '
        mount -t proc proc "$1/proc"
        mount --bind /sys "$1/sys"
        exec chroot "$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 bash -euc "$2"' _ "$1" "$2"
}

# One SHA-256 for each scenario, by a command: COMMAND.
records="for e in ${examples[*]}; do \$COMMAND run example:\$e --duration '12 s' --json | sha256sum; done"
same() {
    if [ -z "${first:-}" ]; then
        first=$1
    elif [ "$1" != "$first" ]; then
        echo "release-check: $2 has other records" >&2
        diff <(echo "$first") <(echo "$1") >&2 || true
        exit 1
    fi
    echo "$2: the records of ${#examples[@]} scenarios are the same"
}

for suite in "${@:-bookworm}"; do
    root=$roots/$suite
    [ -e "$root/usr/bin/apt-get" ] || debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" >"$roots.log" 2>&1 || skip "$suite cannot be downloaded"
    rm -rf "$root/dist" && cp -r dist "$root/dist"
    seconds=$(date +%s)
    inside "$root" "
        apt-get update -q >/dev/null
        find / -xdev -path /proc -prune -o -type f -print | grep -v '^/\(var\|dist\|tmp\)/' | sort >/tmp/before
        DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends /dist/anabranch_${version}-1_*.deb >/dev/null
        cd /tmp && anabranch run example:two-paths --out record >/dev/null && anabranch plot record >/dev/null
        anabranch kernel doctor >/dev/null || [ \$? = 1 ]
        man=/usr/share/man/man1/anabranch-run.1.gz; [ -e \$man ]"
    echo "$suite: installed, ran and drew an example in $(($(date +%s) - seconds)) s"
    same "$(inside "$root" "COMMAND=anabranch; $records")" "$suite, the package"
    inside "$root" "
        DEBIAN_FRONTEND=noninteractive apt-get purge -q -y --auto-remove anabranch >/dev/null
        find / -xdev -path /proc -prune -o -type f -print | grep -v '^/\(var\|dist\|tmp\)/' | sort >/tmp/after
        diff /tmp/before /tmp/after"
    echo "$suite: purging leaves nothing"
    inside "$root" "cd /tmp && tar -xzf /dist/anabranch-$version-$(uname -m)-linux.tar.gz"
    same "$(inside "$root" "COMMAND=/tmp/anabranch-$version-$(uname -m)-linux/anabranch; $records")" "$suite, the static binary"
done

if ! [ -e "dist/anabranch-$version-aarch64-linux.tar.gz" ]; then
    tools/skipped.sh "the static binary for aarch64" "it is not in dist"
elif command -v qemu-aarch64 >/dev/null; then
    tar -xzf "dist/anabranch-$version-aarch64-linux.tar.gz" -C "$roots"
    same "$(COMMAND="qemu-aarch64 $roots/anabranch-$version-aarch64-linux/anabranch" bash -euc "$records")" "the static binary for aarch64"
else
    tools/skipped.sh "the static binary for aarch64" "qemu-aarch64 is not installed"
fi

wheel=$(find dist -name '*.whl' | head -n 1)
if [ -n "$wheel" ]; then
    rm -rf "$roots/venv"
    python3 -m venv "$roots/venv"
    "$roots/venv/bin/pip" install --quiet --disable-pip-version-check --no-index "$wheel"
    (cd "$roots" && venv/bin/python -c "import anabranch; anabranch.run({'name': 'two', 'duration': '5 s', 'links': {'a': {'rate': '8 Mbit/s', 'delay': '10 ms'}}, 'flows': [{'name': 'f', 'cc': 'reno', 'paths': [['a']]}]})")
    echo "the wheel: installed, and ran a scenario"
fi
