#!/usr/bin/env bash
# Prints the size of a folder, such as a report, and fails if it exceeds the limit:  tools/weight.sh FOLDER MEGABYTES
set -euo pipefail
bytes=$(find "$1" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
awk -v bytes="$bytes" -v most="$2" -v folder="$1" 'BEGIN {
    printf "%s: %.2f MB, the limit is %g MB\n", folder, bytes / 1e6, most
    exit bytes > most * 1e6
}'
