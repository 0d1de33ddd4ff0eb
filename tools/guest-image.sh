#!/usr/bin/env bash
# Builds guest images: a stock Debian kernel, and an initramfs with busybox and the modules that networking
# tests need. Prints their folders.
#
#     tools/guest-image.sh [SERIES…]
#
# SERIES: 6.1, 6.12, newest (from Debian unstable); by default all three. 6.12-arm64 and so on are for arm64, and take
# qemu-aarch64. Existing images stay; to rebuild an image, remove its folder. A build downloads packages from the Debian mirror of
# this machine's apt. It does not need root and does not change the system. Using an image does not need a network.
#
# Images are in ANABRANCH_GUESTS or, by default, in anabranch/guests of the user's cache, where `anabranch` finds them.
set -euo pipefail
tools="$(cd "$(dirname "$0")" && pwd)"

guests="${ANABRANCH_GUESTS:-${XDG_CACHE_HOME:-$HOME/.cache}/anabranch/guests}"
modules=(tun veth sch_tbf sch_netem sch_fq tcp_bbr inet_diag tcp_diag mptcp_diag)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

say() { printf 'guest image: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
# What this machine lacks has a status of its own.
lack() { say "$*"; exit 3; }

# The Debian release with kernels of a series.
release_of() {
    case "${1%-arm64}" in
    6.1) echo bookworm ;;
    6.12) echo trixie ;;
    newest) echo sid ;;
    *) die "unknown series \`$1\`; known: 6.1, 6.12, newest, and those with -arm64" ;;
    esac
}

# Runs apt with a single release, in the folder `apt`.
apt() {
    "$@" -q -o Dir::Etc::SourceList="$PWD/apt/sources" -o Dir::Etc::SourceParts=/dev/null -o Dir::Cache="$PWD/apt/cache" \
        -o Dir::State::Lists="$PWD/apt/lists" -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=true \
        -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
}

# Unpacks a package into the folder `tree`.
unpack() {
    apt apt-get download "$1" >/dev/null || lack "cannot download $1"
    dpkg -x "$1"_*.deb tree
    rm "$1"_*.deb
}

# Copies a module after its dependencies, and lists it in that order.
put_module() {
    local name="$1" file dependency
    grep -qx "$name" root/modules/order && return
    file=$(find tree -name "$name.ko*" -print -quit)
    if [ -z "$file" ]; then
        grep -q "/$name.ko$" "$(find tree -name modules.builtin)" || die "the kernel lacks the module $name"
        return
    fi
    cp "$file" "root/modules/$name.ko${file##*.ko}"
    [ "${file##*.}" != xz ] || "${busybox[@]}" unxz "root/modules/$name.ko.xz"
    for dependency in $(tr '\0' '\n' <"root/modules/$name.ko" | sed -n 's/^depends=//p' | tr ',' ' '); do
        put_module "$dependency"
    done
    echo "$name" >>root/modules/order
}

# Builds the files of an image in the current folder.
make_image() {
    local series="$1" release mirror kernel applet module architecture=amd64
    release=$(release_of "$series")
    busybox=()
    if [ "$series" != "${series%-arm64}" ]; then
        architecture=arm64
        busybox=(qemu-aarch64)
        command -v qemu-aarch64 >/dev/null || lack "needs qemu-aarch64 (package qemu-user)"
    fi
    # Cloud kernels are small and have all required features.
    local name="^linux-image-[0-9].*-cloud-$architecture\$"
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
    [ -n "$mirror" ] || lack "apt has no list of Debian's packages: run apt-get update"
    mkdir -p apt/{lists/partial,cache} tree root/{bin,modules,proc,sys,dev,run}
    echo "deb [signed-by=$keyring] $mirror $release main" >apt/sources
    apt apt-get update >/dev/null || lack "cannot read the package list of $release from $mirror"
    kernel=$(apt apt-cache pkgnames linux-image- | grep -E "$name" | sort -V | tail -n 1)
    [ -n "$kernel" ] || die "no cloud kernel in $release"
    kernel=${kernel#linux-image-}
    say "$series is $kernel"
    # Newer releases package the kernel and its modules separately.
    if apt apt-cache show "linux-binary-$kernel" >/dev/null 2>&1; then
        unpack "linux-binary-$kernel"
        unpack "linux-modules-$kernel"
    else
        unpack "linux-image-$kernel"
    fi
    unpack busybox-static

    busybox+=("$(find "$PWD/tree" -path '*/bin/busybox')")
    cp "${busybox[-1]}" root/bin/
    for applet in sh cat mount insmod stty poweroff ls awk; do ln -s busybox "root/bin/$applet"; done
    : >root/modules/order
    for module in "${modules[@]}"; do put_module "$module"; done
    install -m 755 "$tools/kernels/init" root/init
    (cd root && find . | "${busybox[@]}" cpio -o -H newc -R 0:0 2>/dev/null) >initramfs
    cp "$(find tree -name 'vmlinuz*' -type f)" kernel
    echo "$kernel" >release
    rm -r apt tree root
}

[ $# != 0 ] || set -- 6.1 6.12 newest
for series in "$@"; do release_of "$series" >/dev/null; done
mkdir -p "$guests"
# One build at a time, in a temporary folder that is renamed when complete.
exec 9>"$guests/lock"
flock 9
for series in "$@"; do
    if [ ! -d "$guests/$series" ]; then
        command -v apt-get >/dev/null && [ "$(dpkg --print-architecture)" = amd64 ] || lack "needs Debian's apt-get on amd64"
        [ -e "$keyring" ] || lack "needs $keyring (package debian-archive-keyring)"
        rm -rf "$guests/new"
        mkdir "$guests/new"
        (cd "$guests/new" && make_image "$series")
        mv -T "$guests/new" "$guests/$series"
    fi
    echo "$guests/$series"
done
