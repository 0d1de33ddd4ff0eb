#!/usr/bin/env bash
# Runs the property tests $1 times, each with new random cases, until one fails.
set -euo pipefail
cd "$(dirname "$0")/.."
unset PROPTEST_RNG_SEED

suites=(
    "anabranch-sim --test behaviour random::"
    "anabranch-net --test all properties::"
    "anabranch-ideal --test all properties::"
    "anabranch-scenario --test all properties::"
    "anabranch-cc-fixed --test all lockstep::"
)
for round in $(seq "$1"); do
    echo "random: round $round of $1"
    for suite in "${suites[@]}"; do
        # shellcheck disable=SC2086 # the words are separate arguments
        cargo test --quiet --locked -p $suite
    done
done
