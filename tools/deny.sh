#!/usr/bin/env bash
# Licences, sources and bans of every dependency, and known vulnerabilities: by RustSec's database or, where that cannot be
# reached, by the copy that an earlier check fetched, if it is less than 90 days old. Without either they are skipped, which
# `make test` counts.
set -euo pipefail
cd "$(dirname "$0")/.."

tools="${CARGO_TARGET_DIR:-$PWD/target}/tools"
export PATH="$PATH:$tools/bin"
if ! cargo deny --version >/dev/null 2>&1; then
    echo "deny: building cargo-deny into $tools"
    # It runs for two seconds: a build without optimisation takes a minute of CPU time.
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
        cargo install --quiet --locked --root "$tools" --target-dir "$tools/build" --version 0.20.2 cargo-deny
fi

cargo deny --log-level error check --hide-inclusion-graph licenses sources bans

database=https://github.com/RustSec/advisory-db
copy=$(find "${CARGO_HOME:-$HOME/.cargo}/advisory-dbs" -maxdepth 1 -name 'advisory-db-*' 2>/dev/null | head -n 1 || :)
if timeout 15 git ls-remote --quiet "$database" HEAD >/dev/null 2>&1; then
    cargo deny --log-level error check advisories
elif [ -z "$copy" ]; then
    tools/skipped.sh "known vulnerabilities" "$database cannot be reached, and no earlier check left a copy"
elif [ -z "$(git -C "$copy" log -1 --since='90 days ago' --format=%h)" ]; then
    date=$(git -C "$copy" log -1 --format=%cs)
    tools/skipped.sh "known vulnerabilities" "$database cannot be reached, and the copy is of $date: too old"
else
    echo "deny: $database cannot be reached; by the copy of $(git -C "$copy" log -1 --format=%cs)"
    cargo deny --log-level error check --disable-fetch advisories
fi
