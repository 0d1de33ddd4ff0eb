#!/usr/bin/env bash
# Checks that the command, with QUIC and without Linux kernels, compiles for macOS and Windows. Zig compiles the C: the package `ziglang`,
# in a virtual environment under target.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(realpath -m "${CARGO_TARGET_DIR:-target}")/cross
zig=$work/zig-0.17.1/bin/python
mkdir -p "$work"

if ! "$zig" -m ziglang version >/dev/null 2>&1; then
    rm -rf "$work/zig-0.17.1"
    if ! { python3 -m venv "$work/zig-0.17.1" &&
        "$zig" -m pip install --quiet --disable-pip-version-check --only-binary :all: ziglang==0.17.1; }; then
        tools/skipped.sh "the command on macOS and Windows" "ziglang 0.17.1 cannot be installed"
        exit
    fi
fi

printf '#!/bin/sh\nexec "%s" -m ziglang ar "$@"\n' "$zig" >"$work/ar"
chmod +x "$work/ar"

check() {
    local target=$1 zig_target=$2 key=${1//-/_}
    if ! rustup target list --installed | grep -qx "$target" && ! rustup target add "$target"; then
        tools/skipped.sh "the command on $target" "rustup cannot add the target"
        return
    fi
    # Drops the options that name the target in another way than Zig does.
    cat >"$work/cc-$target" <<EOF
#!/usr/bin/env bash
options=()
for option in "\$@"; do
    case \$option in
    --target=* | -arch | x86_64 | -mmacosx-version-min=*) ;;
    *) options+=("\$option") ;;
    esac
done
# Zig leaves an empty a.o where it prints its version.
[ "\${1:-}" != --version ] || cd "$work"
exec "$zig" -m ziglang cc -target $zig_target "\${options[@]}"
EOF
    chmod +x "$work/cc-$target"
    env "CC_$key=$work/cc-$target" "AR_$key=$work/ar" cargo check --release -p anabranch-cli --features quic --locked --target "$target"
}

check x86_64-apple-darwin x86_64-macos
check x86_64-pc-windows-gnu x86_64-windows-gnu
