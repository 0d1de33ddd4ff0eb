#!/usr/bin/env bash
# Sends 20 MB over iroh under a coupled algorithm; see README.md. The program ends with an error where the algorithm did not control it.
set -euo pipefail
cd "$(dirname "$0")/../.."
CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")/iroh
export CARGO_TARGET_DIR
timeout 600 cargo run --quiet --locked --manifest-path contrib/iroh/Cargo.toml
