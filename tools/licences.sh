#!/usr/bin/env bash
# Copies the notices of the libraries that a static binary contains, and lists them:
#   tools/licences.sh FOLDER SOURCES ZIG
# SOURCES: the folder of the crate libbpf-sys. ZIG: the folder of the Python package ziglang, with a dist-info beside it.
set -euo pipefail

folder=$1 sources=$2 zig=$3

# The version in a file: FILE PATTERN, a basic regular expression with one group.
version() {
    local found
    found=$(sed -n "s/^$2.*/\1/p" "$1" | head -n 1)
    [ -n "$found" ] || { echo "licences: no version in $1" >&2; exit 1; }
    echo "$found"
}
elf=$(version "$sources/elfutils/configure.ac" 'AC_INIT(\[elfutils\],\[\([0-9.]*\)\]')
zlib=$(version "$sources/zlib/zlib.h" '#define ZLIB_VERSION "\([0-9.]*\)"')
musl=$(version "$zig/lib/libc/musl/src/internal/version.h" '#define VERSION "\([0-9.]*\)"')
crate=$(version "$sources/Cargo.toml" 'version = "\([^"]*\)"')
compiler=$(version "$(echo "$zig"-*.dist-info/METADATA)" 'Version: \([0-9.]*\)')

mkdir -p "$folder"
cp "$sources/libbpf/LICENSE.BSD-2-Clause" "$folder/libbpf-BSD-2-Clause.txt"
cp "$sources/libbpf/LICENSE.LGPL-2.1" "$folder/libbpf-LGPL-2.1.txt"
cp "$sources/LICENSE" "$folder/libbpf-sys-BSD-2-Clause.txt"
cp "$sources/elfutils/COPYING-GPLV2" "$folder/libelf-GPL-2.txt"
cp "$sources/elfutils/COPYING-LGPLV3" "$folder/libelf-LGPL-3.txt"
cp "$sources/elfutils/COPYING" "$folder/libelf-GPL-3.txt"
cp "$sources/zlib/LICENSE" "$folder/zlib.txt"
cp "$zig/lib/libc/musl/COPYRIGHT" "$folder/musl.txt"
cp "$zig/LICENSE" "$folder/zig-MIT.txt"
cp "$zig/lib/libunwind/LICENSE.TXT" "$folder/libunwind.txt"
cat >"$folder/README.md" <<END
# What the binary contains

Beside Anabranch and crates of Rust, which the release's \`.cdx.json\` lists with their licences:

| component | version | licence | sources |
|---|---|---|---|
| libbpf | ${crate#*+v} | BSD-2-Clause or LGPL-2.1 | the crate libbpf-sys $crate, folder \`libbpf\`; <https://github.com/libbpf/libbpf> |
| libbpf-sys | $crate | BSD-2-Clause | <https://github.com/libbpf/libbpf-sys> |
| libelf of elfutils | $elf | LGPL-3.0 or later, or GPL-2.0 or later | the crate libbpf-sys $crate, folder \`elfutils\`; <https://sourceware.org/elfutils> |
| zlib | $zlib | Zlib | the crate libbpf-sys $crate, folder \`zlib\`; <https://zlib.net> |
| musl | $musl, changed by Zig | MIT | Zig $compiler, folder \`lib/libc/musl\`; <https://musl.libc.org> |
| parts of the C library and compiler-rt, of Zig | $compiler | MIT | <https://ziglang.org> |
| LLVM's libunwind | of Zig $compiler or of Rust | Apache-2.0 with LLVM's exception | Zig $compiler, folder \`lib/libunwind\`; <https://llvm.org> |

libbpf, libelf and zlib are compiled unchanged. To link the binary with another version of them, change the sources and call \`tools/release.sh static\` in
Anabranch's sources.
END
