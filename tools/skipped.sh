#!/usr/bin/env bash
# Says that a check was skipped and why, and notes it:  tools/skipped.sh WHAT WHY
# Lists what was noted since the last --clear, with its number:  tools/skipped.sh --count
# With ANABRANCH_SKIP_NOTHING set, as where everything can be had, a skip is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

noted="${CARGO_TARGET_DIR:-target}/skipped"
case "$1" in
--clear) rm -f "$noted" ;;
--count)
    [ -e "$noted" ] || : >"$noted"
    echo "$(wc -l <"$noted") checks skipped"
    sed 's/^/    /' "$noted"
    ;;
*)
    mkdir -p "$(dirname "$noted")"
    echo "$1: $2" >>"$noted"
    echo "SKIPPED: $1: $2"
    [ -z "${ANABRANCH_SKIP_NOTHING:-}" ]
    ;;
esac
