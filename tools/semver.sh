#!/usr/bin/env bash
# Checks that the public crates keep their interface since the last tag, or since BASE, a commit:  tools/semver.sh [BASE]
# tools/semver.sh --self-test removes a public function from a copy, and fails if that stays unnoticed.
set -euo pipefail
cd "$(dirname "$0")/.."

. tools/tools.sh
cargo_tool cargo-semver-checks 0.51.0 ||
    { tools/skipped.sh "the interface of the crates" "cargo-semver-checks cannot be built here"; exit; }

# MANIFEST BASE PACKAGE…
check() { cargo semver-checks check-release --manifest-path "$1" --baseline-rev "$2" ${3+"${@:3}"}; }

if [ "${1:-}" = --self-test ]; then
    copy=$(mktemp -d)
    trap 'rm -rf "$copy"' EXIT
    git clone --quiet . "$copy/clone"
    sed -i 's/pub fn add_path/pub(crate) fn add_path/' "$copy/clone/crates/cc/src/group.rs"
    ! git -C "$copy/clone" diff --quiet -- crates/cc || { echo "semver: nothing was planted" >&2; exit 1; }
    if output=$(cd "$copy/clone" && check Cargo.toml HEAD --package multipath-cc 2>&1); then
        echo "semver: a removed function stays unnoticed" >&2
        exit 1
    fi
    grep -q add_path <<<"$output" || { echo "$output"; exit 1; }
    echo "semver: a removed function is noticed"
    exit
fi

base=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
[ -n "$base" ] || { tools/skipped.sh "the interface of the crates" "there is no tag to compare with; name a commit"; exit; }
# The public crates, and those that `anabranch` passes on. One that is newer than the base has nothing to keep.
packages=()
for package in anabranch multipath-cc anabranch-{cc-fixed,ideal,net,papers,plot,record,scenario,sim,study}; do
    ! git grep -qx "name = \"$package\"" "$base" -- 'crates/*/Cargo.toml' || packages+=(--package "$package")
done
check Cargo.toml "$base" "${packages[@]}"
