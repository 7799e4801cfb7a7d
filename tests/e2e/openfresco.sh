#!/usr/bin/env bash
# Yoke with OpenSees and OpenFresco, which are played by programs in Python: tests/opensees.
set -eu
build=$(realpath "$1")
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 "$YOKE_SOURCE/tests/opensees/check.py" "$build"
