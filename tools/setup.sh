#!/usr/bin/env bash
# Installs the tools for building and testing that a fresh Debian 12 or Ubuntu 24.04 lacks. Ends quickly if
# nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

have() { command -v "$1" >/dev/null 2>&1; }
say() { printf 'setup: %s\n' "$*"; }
die() { say "$*" >&2; exit 1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        have sudo || die "needs root for: $*  (run this command, then setup again)"
        sudo -n "$@" || die "sudo would ask for a password. Run this, then setup again:  sudo $*"
    fi
}

refresh() {
    [ -n "${refreshed:-}" ] || as_root apt-get update -q
    refreshed=1
}

# Reports missing tools without a network.
by_hand() {
    die "cannot download: $1
setup: connect to a network or install from a medium, then run again:
setup:   $2"
}

install() {
    have apt-get || die "apt-get is missing; install by hand: $*"
    say "installing Debian packages: $*"
    refresh || say "cannot refresh the list of packages"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" ||
        by_hand "Debian packages" "apt-get install $*"
}

# Debian packages.
packages=()
have cc || packages+=(gcc libc6-dev)
have curl || packages+=(curl)
have git || packages+=(git)
have make || packages+=(make) # libbpf's own build
have pkg-config || packages+=(pkg-config)
[ -e /usr/include/libelf.h ] || packages+=(libelf-dev)
[ -e /usr/include/zlib.h ] || packages+=(zlib1g-dev)
# crates/mptcp-bpf/compile.rs names the oldest sufficient clang, and the versions that it searches for.
clang_version() { clang --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\).*/\1/p' | head -n 1; }
have clang-19 || [ "$(clang_version || true)" -ge 15 ] 2>/dev/null || packages+=(clang-19) # the kernel's programs
have ip || packages+=(iproute2) # the tests with real traffic
have iperf3 || packages+=(iperf3)
have valgrind || packages+=(valgrind) # counts instructions
python3 -m venv --help >/dev/null 2>&1 && python3 -m ensurepip --version >/dev/null 2>&1 || packages+=(python3-venv)
have mptcpize || packages+=(mptcpize)
have tshark || packages+=(tshark) # reads our captures in a test
have tcpdump || packages+=(tcpdump)
# Draws our pages in tests. Ubuntu offers it only as a snap, which is not required.
have chromium || ! grep -qsx 'ID=debian' /etc/os-release || packages+=(chromium)
[ -e /etc/ssl/certs/ca-certificates.crt ] || packages+=(ca-certificates)
[ ${#packages[@]} = 0 ] || install "${packages[@]}"

# The Rust toolchain that rust-toolchain.toml names. Ubuntu 24.04 has a package of rustup, Debian 12 has none.
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
    *) by_hand "rustup for $machine" "$rust" ;;
    esac
    say "installing rustup $version into ${CARGO_HOME:-$HOME/.cargo}"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT # not local: it outlives the function
    curl --proto '=https' --tlsv1.2 -sSf -o "$work/rustup-init" \
        "https://static.rust-lang.org/rustup/archive/$version/$machine-unknown-linux-gnu/rustup-init" ||
        by_hand rustup "$rust"
    echo "$sha256  $work/rustup-init" | sha256sum --check --quiet || die "rustup-init has the wrong SHA-256 and was not run"
    chmod +x "$work/rustup-init"
    "$work/rustup-init" -y --no-modify-path --profile minimal --default-toolchain none
}

if ! ready >/dev/null 2>&1; then
    if ! have rustup; then
        if have apt-cache && refresh && apt-cache madison rustup | grep -q .; then
            install rustup
        else
            install_rustup
        fi
        hash -r
    fi
    say "installing Rust $channel with clippy and rustfmt"
    rustup toolchain install "$channel" --profile minimal -c clippy -c rustfmt || by_hand "the Rust toolchain" "$rust"
    ready >/dev/null || die "cargo is still not Rust $channel; is another cargo earlier on the PATH?"
fi
