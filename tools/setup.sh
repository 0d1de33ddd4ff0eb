#!/usr/bin/env bash
# Installs what is missing on a Debian or Ubuntu machine, and does nothing, quickly, where all is there:
#   tools/setup.sh build     C compilers, libraries and the Rust toolchain
#   tools/setup.sh python    the same, and what the wheel needs
#   tools/setup.sh test      the same, and what the tests use
#   tools/setup.sh release   what building and the wheel need, and what making and checking the files of a release uses
#   tools/setup.sh features  installs nothing: prints the features that this machine can build
# Without root it says what to ask for, and continues with what is there.
set -euo pipefail
cd "$(dirname "$0")/.."

purpose=${1:?build, python, test, release or features}

have() { command -v "$1" >/dev/null 2>&1; }
say() { printf 'setup: %s\n' "$*"; }
die() { say "$*" >&2; exit 1; }
includes() { case "$purpose" in build) [ "$1" = build ] ;; python) [[ "$1" = build || "$1" = python ]] ;; test) [ "$1" != release ] ;; release) [ "$1" != test ] ;; esac; }

# Debian packages that this purpose needs and this machine lacks.
packages=()
need() { includes "$1" && packages+=("${@:2}") || true; }

clang_version() { clang --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\).*/\1/p' | head -n 1; }
# crates/mptcp-bpf/compile.rs has the oldest clang that does, and the names it looks for.
have_clang() { have clang-19 || [ "$(clang_version || true)" -ge 15 ] 2>/dev/null; }

# Packages for the feature `linux`: libbpf's own build, and a compiler for the kernel's programs.
need_for_linux() {
    have make || need build make
    have pkg-config || need build pkg-config
    [ -e /usr/include/libelf.h ] || need build libelf-dev
    [ -e /usr/include/zlib.h ] || need build zlib1g-dev
    have_clang || need build clang-19
}

linux=
[ "$(uname -s)" != Linux ] || linux=1

if [ "$purpose" = features ]; then
    purpose=build
    [ -z "$linux" ] || need_for_linux
    # QUIC needs nothing but the C compiler.
    if [ -n "$linux" ] && [ ${#packages[@]} = 0 ]; then echo "--features linux,quic"; else echo "--features quic"; fi
    exit
fi

have cc || need build gcc libc6-dev
have curl || need build curl
[ -e /etc/ssl/certs/ca-certificates.crt ] || need build ca-certificates
[ -z "$linux" ] || need_for_linux
python3 -m venv --help >/dev/null 2>&1 && python3 -m ensurepip --version >/dev/null 2>&1 || need python python3-venv
have git || need test git
have ip || need test iproute2 # the tests with real traffic
have iperf3 || need test iperf3
have mptcpize || need test mptcpize
have valgrind || need test valgrind # counts instructions
have tshark || need test tshark # reads our captures
have tcpdump || need test tcpdump
# Draws our pages in tests. Ubuntu has it as a snap only, which the tests do not use.
have chromium || ! grep -qsx 'ID=debian' /etc/os-release || need test chromium

have qemu-aarch64 || need release qemu-user # runs the binary for aarch64
have qemu-system-aarch64 || need release qemu-system-arm # its Linux algorithms, in a guest
have cpio || need release cpio
have node || need release nodejs # the laboratory's records
have buildah || need release buildah
have debootstrap || need release debootstrap
have lintian || ! have dpkg || need release lintian

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        have sudo && sudo -n "$@"
    fi
}

refresh() {
    [ -n "${refreshed:-}" ] || as_root apt-get update -q
    refreshed=1
}

install() {
    have apt-get || { say "there is no apt-get here"; return 1; }
    refresh || say "the list of packages cannot be refreshed"
    say "installing Debian packages: $*"
    apt-get install --assume-no --no-install-recommends "$@" 2>/dev/null | sed -n 's/^\(Need to get\|After this\)/setup:   &/p'
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

if [ ${#packages[@]} != 0 ] && ! install "${packages[@]}"; then
    say "these packages are missing. Ask an administrator for:"
    say "    apt-get install --no-install-recommends ${packages[*]}"
    have cc || die "without a C compiler nothing can be built"
    [[ "$(tools/setup.sh features)" = *linux* ]] || say "continuing without them: the build has no Linux kernels (feature \`linux\`)"
    [ "$purpose" = build ] || say "continuing without them: tests that need them are skipped"
fi

# The Rust toolchain that rust-toolchain.toml names. Ubuntu 24.04 has a package of rustup, Debian 12 does not.
channel=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
rust="Rust $channel with clippy and rustfmt: https://forge.rust-lang.org/infra/other-installation-methods.html"
ready() { cargo --version 2>/dev/null | grep -qF " $channel " && cargo clippy --version && cargo fmt --version; }

# rustup's own installer, of a version with a known SHA-256: nothing unchecked runs.
install_rustup() {
    local version=1.28.2 machine sha256
    machine=$(uname -m)
    case "$machine" in
    x86_64) sha256=20a06e644b0d9bd2fbdbfd52d42540bdde820ea7df86e92e533c073da0cdd43c ;;
    aarch64) sha256=e3853c5a252fca15252d07cb23a1bdd9377a8c6f3efa01531109281ae47f841c ;;
    *) die "there is no rustup for $machine; install $rust" ;;
    esac
    say "installing rustup $version into ${CARGO_HOME:-$HOME/.cargo}"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT # not local: it outlives the function
    curl --proto '=https' --tlsv1.2 -sSf -o "$work/rustup-init" \
        "https://static.rust-lang.org/rustup/archive/$version/$machine-unknown-linux-gnu/rustup-init" ||
        die "rustup cannot be downloaded; install $rust"
    echo "$sha256  $work/rustup-init" | sha256sum --check --quiet || die "rustup-init has the wrong SHA-256 and was not run"
    chmod +x "$work/rustup-init"
    "$work/rustup-init" -y --no-modify-path --profile minimal --default-toolchain none
}

if ! ready >/dev/null 2>&1; then
    if ! have rustup; then
        if have apt-cache && refresh 2>/dev/null && apt-cache madison rustup | grep -q .; then
            install rustup || install_rustup
        else
            install_rustup
        fi
        hash -r
    fi
    say "installing Rust $channel with clippy and rustfmt"
    rustup toolchain install "$channel" --profile minimal -c clippy -c rustfmt || die "the toolchain cannot be downloaded; install $rust"
    ready >/dev/null || die "cargo is still not Rust $channel; is another cargo earlier on the PATH?"
fi
