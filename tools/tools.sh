# For scripts, which source it: the folder of tools that they fetch or build, which all clones share.
tools="${XDG_CACHE_HOME:-$HOME/.cache}/anabranch/tools"
export PATH="$tools/bin:$PATH"
mkdir -p "$tools"

# cargo_tool CRATE VERSION [OPTIONS…]  installs this version of the tool, unless it is there.
cargo_tool() {
    cargo install --list --root "$tools" 2>/dev/null | grep -qx "$1 v$2:" && return
    echo "building $1 $2 into $tools"
    # A build without optimisation takes a minute of CPU time, and the tools' work seconds.
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
        cargo install --quiet --locked --root "$tools" --target-dir "${CARGO_TARGET_DIR:-target}/tools" --version "$2" "$1" "${@:3}"
}
