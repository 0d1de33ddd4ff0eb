#!/usr/bin/env bash
# Checks licences, sources and bans of every dependency, and known vulnerabilities from RustSec's database.
# If the database cannot be reached, the script uses an earlier copy of at most 90 days. Without a copy, it skips this check,
# which `make test` counts.
set -euo pipefail
cd "$(dirname "$0")/.."

. tools/tools.sh
cargo_tool cargo-deny 0.20.2

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
    echo "deny: cannot reach $database; using the copy of $(git -C "$copy" log -1 --format=%cs)"
    cargo deny --log-level error check --disable-fetch advisories
fi
