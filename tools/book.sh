#!/usr/bin/env bash
# Checks the book, and builds it if mdBook is installed. Every page must be in the summary. Every relative
# link must resolve, including its heading, and every file that a page names must exist. Measured intervals belong in the
# appendices, with command and date. The table of crates must match the manifests.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8

bad=0
complain() { echo "book: $*" >&2; bad=1; }

# The anchors that mdBook generates from a page's headings.
anchors() { sed -nE 's/^#+ //p' "$1" | sed -E 's/\]\([^)]*\)//g; s/.*/\L&/; s/[^[:alnum:] _-]//g; s/ /-/g'; }

pages=$(cd docs/src && find . -name '*.md' ! -name SUMMARY.md | sed 's|^\./||')
for page in $pages; do
    grep -qF "($page)" docs/src/SUMMARY.md || complain "docs/src/SUMMARY.md does not list $page"
    case "$page" in
    appendix/* | benchmarks.md) ;;
    first-scenario.md | first-study.md | quick-start.md) ;; # the output of their commands
    *) ! grep -nE '± ?[0-9]' "docs/src/$page" || complain "docs/src/$page has measured values: they belong into an appendix" ;;
    esac
done

for file in README.md CONTRIBUTING.md SECURITY.md bench/README.md docs/src/SUMMARY.md $(printf 'docs/src/%s ' $pages); do
    # Link targets `](target)` and `](target#heading)`, except web addresses and includes.
    for link in $(grep -oE '\]\([^) ]+' "$file" | cut -c3- | grep -vE '^(https?|mailto):' || true); do
        target=${link%%#*}
        target=${target:+$(dirname "$file")/$target}
        target=${target:-$file}
        if [ ! -e "$target" ]; then
            complain "$file links to $link, which does not exist"
        elif [ "$link" != "${link#*#}" ] && ! anchors "$target" | grep -qxF -- "${link#*#}"; then
            complain "$file links to $link, a heading that does not exist"
        fi
    done
done
# bench/README.md is a page of the book, too, where its links lead from another folder.
! grep -nE '\]\(([^#h)]|h[^t)])' bench/README.md || complain "bench/README.md has a relative link, which leads nowhere from the book"
# Scenarios, studies and sources that pages name, except new ones on the pages about adding them, which a test creates.
for file in README.md CONTRIBUTING.md bench/README.md $(printf 'docs/src/%s ' $pages); do
    for named in $(grep -oE '\b(crates|scenarios|studies|bench)/[A-Za-z0-9_./-]+\.(toml|rs)' "$file" | grep -vE '/(gentle|step|spaced|fewest|NAME)\.rs$' | sort -u || true); do
        [ -e "$named" ] || complain "$file names $named, which does not exist"
    done
done

# The table of crates: one row each, below the rows of its dependencies.
architecture=docs/src/architecture.md
above=" "
while read -r crate listed; do
    own=$(sed -nE '/^\[dependencies\]/,/^\[(dev|build|target|features|lints)/{ s/^anabranch-([a-z-]+).*/\1/p; s/^(anabranch)[ .].*/\1/p }' "crates/$crate/Cargo.toml" | sort | xargs)
    [ "$own" = "$(grep -oE '[a-z-]+' <<<"$listed" | sort | xargs)" ] || complain "$architecture: \`$crate\` uses: $own"
    for used in $own; do
        [[ "$above" == *" $used "* ]] || complain "$architecture: \`$crate\` uses \`$used\`, which does not stand above it"
    done
    above+="$crate "
done < <(sed -nE 's/^\| `([a-z-]+)` \| .* \| ([^|]+) \|$/\1 \2/p' "$architecture")
for crate in crates/*/; do
    [[ "$above" == *" $(basename "$crate") "* ]] || complain "$architecture does not list $crate"
done
[ "$bad" = 0 ] || exit 1

tools/mdbook.sh
