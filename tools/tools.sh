# shellcheck shell=bash
# For scripts, which source it: the folder of tools that they fetch or build, which all clones share.
tools="${XDG_CACHE_HOME:-$HOME/.cache}/anabranch/tools"
mkdir -p "$tools"

# cargo_tool CRATE VERSION [OPTION…]  puts this version of the tool on the PATH, and builds it unless it is there.
cargo_tool() {
    local root=$tools/$1-$2
    export PATH="$root/bin:$PATH"
    # The binary comes last: an interrupted build leaves none.
    ! compgen -G "$root/bin/*" >/dev/null || return 0
    echo "building $1 $2 into $root"
    # A build without optimisation takes a minute of CPU time, and the tools' work seconds.
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
        cargo install --quiet --locked --root "$root" --target-dir "${CARGO_TARGET_DIR:-target}/tools" --version "$2" "$1" "${@:3}"
}
