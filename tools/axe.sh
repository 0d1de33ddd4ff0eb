#!/usr/bin/env bash
# Prints the path of axe-core, which finds what assistive technology cannot use in a page. Fetches it by npm if it is not there.
# Exits with 3 if it cannot be fetched.
set -euo pipefail
cd "$(dirname "$0")/.."

version=4.14.1
sha512=FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==
. tools/tools.sh
file=$tools/axe-core-$version.js
if [ ! -e "$file" ]; then
    command -v npm >/dev/null || exit 3
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    npm pack "axe-core@$version" --silent --ignore-scripts --pack-destination "$scratch" >&2 || exit 3
    package=$scratch/axe-core-$version.tgz
    [ "$(openssl dgst -sha512 -binary "$package" | base64 -w 0)" = "$sha512" ] || { echo "axe-core has the wrong SHA-512" >&2; exit 1; }
    tar -xzOf "$package" package/axe.min.js >"$scratch/axe.js"
    mv "$scratch/axe.js" "$file"
fi
echo "$file"
