#!/usr/bin/env bash
# The Python package:  tools/python.sh test  tests it,  tools/python.sh wheel  builds the wheel, into target/wheels, or as
# options of maturin say.
# Packages from the Python package index are in virtual environments, target/python/venv and target/python/maturin.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
work=$target/python
venv=$work/venv
pinned=python/requirements.txt
# The laboratory's page, which reports include, if this machine could build it.
laboratory=$target/page/laboratory.html

# The virtual environment of the tests, rebuilt if the pinned versions change.
environment() {
    cmp -s "$pinned" "$venv/pinned" && return
    rm -rf "$venv"
    python3 -m venv "$venv"
    pip --only-binary :all: -r "$pinned" && cp "$pinned" "$venv/pinned"
}

pip() { "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; }

# A wheel of the library that the Rust tests have already built: maturin would compile everything again. The folder must
# contain only this wheel.
test_wheel() {
    cargo build --workspace --locked --features linux,quic --lib --tests
    rm -rf "$work/wheel" "$work/wheels"
    mkdir -p "$work/wheel" "$work/wheels"
    (cd python && "$venv/bin/maturin" pep517 write-dist-info --metadata-directory "$work/wheel" >/dev/null)
    cp -r python/src/anabranch "$work/wheel/"
    [ ! -e "$laboratory" ] || cp "$laboratory" "$work/wheel/anabranch/"
    find "$work/wheel" -name __pycache__ -prune -exec rm -r {} +
    strip -o "$work/wheel/anabranch/_anabranch.abi3.so" "$target/debug/lib_anabranch.so"
    "$venv/bin/wheel" pack --dest-dir "$work/wheels" "$work/wheel" >/dev/null
}

case "$1" in
test)
    if ! python3 -c "import sys; sys.exit(sys.version_info < (3, 11))"; then
        tools/skipped.sh "the Python package" "its tests' packages need Python 3.11, and this is $(python3 -V)"
        exit
    fi
    if ! environment; then
        tools/skipped.sh "the Python package" "its tests' packages cannot be had from here"
        exit
    fi
    test_wheel
    pip --no-index --no-deps --force-reinstall "$work"/wheels/*.whl
    ANABRANCH_WHEELS=$work/wheels "$venv/bin/python" -m pytest -q -p no:cacheprovider python/tests "${@:2}"
    ;;
wheel)
    # Only maturin, so that every supported Python can build it.
    if [ -z "${MATURIN:-}" ]; then
        venv=$work/maturin
        [ -e "$venv" ] || python3 -m venv "$venv"
        pip "$(grep ^maturin== "$pinned")"
        MATURIN=$venv/bin/maturin
    fi
    [ $# -gt 1 ] || set -- wheel --out "$target/wheels"
    # Removed afterwards, and not in .gitignore, because maturin leaves out ignored files.
    trap 'rm -f python/src/anabranch/laboratory.html' EXIT
    [ ! -e "$laboratory" ] || cp "$laboratory" python/src/anabranch/
    (cd python && "$MATURIN" build --profile wheel "${@:2}")
    ;;
esac
