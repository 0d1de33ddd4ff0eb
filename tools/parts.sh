# shellcheck shell=bash
# Sourced by scripts of several parts, functions part_NAME. A part whose requirements this machine lacks ends with `skip WHY`.

# As in the Makefile: setup installs Rust there.
export PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH

skip() { echo "$1" >"$why"; exit 3; }
# What a part cannot do here, beside the rest that it does.
without() { tools/skipped.sh "$what, $part" "$1" && echo "$1" >>"$why"; }

# Runs parts, and says how long each took or why it was skipped: WHAT "KNOWN …" PART ….
run_parts() {
    local what=$1 known=$2 part start status done=()
    why=$(mktemp)
    trap 'rm -f "$why"' EXIT
    shift 2
    for part; do
        case " $known " in *" $part "*) ;; *) echo "unknown part $part; known: $known" >&2; exit 2 ;; esac
    done
    for part; do
        echo "$what: $part"
        start=$SECONDS
        : >"$why"
        # Not in a condition, where `set -e` has no effect.
        set +e
        (set -e; "part_$part")
        status=$?
        set -e
        case $status in
        0) done+=("$part: $((SECONDS - start)) s$(sed 's/^/; without /' "$why" | tr -d '\n')") ;;
        3) tools/skipped.sh "$what, $part" "$(cat "$why")"; done+=("$part: skipped, $(cat "$why")") ;;
        *) echo "$what: $part failed after $((SECONDS - start)) s" >&2; exit 1 ;;
        esac
    done
    printf "$what: %s\n" "${done[@]}"
}
