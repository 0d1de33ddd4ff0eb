#!/usr/bin/env bash
# Says how large a report is, and fails where it is larger than it may be:  tools/weight.sh FOLDER MEGABYTES
set -euo pipefail
bytes=$(find "$1" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
awk -v bytes="$bytes" -v most="$2" -v folder="$1" 'BEGIN {
    printf "%s: %.2f MB, of %g that it may have\n", folder, bytes / 1e6, most
    exit bytes > most * 1e6
}'
