# shellcheck shell=bash
# Sourced. Has the compiler write the same bytes from every folder, and keeps the user's own flags:  remap FOLDER=NAME …
# Cargo splits RUSTFLAGS at spaces, which a folder may have, and the encoded form at 0x1f.
remap() {
    local flags=() IFS=' '
    if [ -n "${CARGO_ENCODED_RUSTFLAGS:-}" ]; then
        flags=("$CARGO_ENCODED_RUSTFLAGS")
    else
        read -ra flags <<<"${RUSTFLAGS:-}"
    fi
    flags+=("${@/#/--remap-path-prefix=}")
    IFS=$'\x1f'
    export CARGO_ENCODED_RUSTFLAGS="${flags[*]}"
}
