#!/usr/bin/env bash
# Compiles csg-htsim's sources in the first directory and network.cc into the second one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
cp -u "$1"/sim/{Makefile,*.h,*.cpp} "$2"
cd "$2"
# So that our sink can delay its acknowledgement.
sed -i 's/^private:/protected:/; s/^    void send_ack(/    virtual void send_ack(/' tcp.h
# htsim's own flags, without its warnings and debug information.
flags=(-std=c++11 -O3 -fPIE -w)
make --silent -j "$(nproc)" libhtsim.a CFLAGS="${flags[*]}" >/dev/null 2> >(grep -v "^ar: " >&2)
g++ "${flags[@]}" -I. "$here/network.cc" libhtsim.a -o network
