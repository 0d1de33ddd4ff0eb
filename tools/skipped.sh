#!/usr/bin/env bash
# Reports a skipped check with its reason, and records it:  tools/skipped.sh WHAT WHY
# Counts and lists the checks recorded since the last --clear:  tools/skipped.sh --count
# With ANABRANCH_SKIP_NOTHING set, on machines with all tools, a skip is a failure.
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
