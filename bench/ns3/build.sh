#!/usr/bin/env bash
# Compiles dumbbell.cc against Debian's ns-3 into the given directory.
set -euo pipefail
out="$1"
mkdir -p "$out"
libs=(core network internet point-to-point applications traffic-control)
g++ -O2 -std=c++17 -o "$out/dumbbell" "$(dirname "$0")/dumbbell.cc" \
    $(pkg-config --libs "${libs[@]/#/ns3-}" | tr ' ' '\n' | grep '^-lns3')
