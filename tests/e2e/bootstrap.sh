#!/usr/bin/env bash
# `make` builds the Python module, too, and a build that was configured before tools/bootstrap installed a package looks for
# optional libraries again.
# usage: bootstrap.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail

if [ -d "$1/python" ] && command -v ninja >/dev/null; then
    ninja -C "$1" -t query program | grep python >/dev/null || { echo 'make leaves the Python module out' >&2; exit 1; }
fi

# A machine on which every package is missing and can be installed, at no cost.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tools" "$work/build" "$work/bin"
cp "$YOKE_SOURCE/tools/bootstrap" "$work/tools/"
touch -d '1 hour ago' "$work/build/CMakeCache.txt" "$work/before"
printf '#!/bin/sh\nexit 0\n' | tee "$work/bin/dpkg-query" >"$work/bin/apt-get"
printf '#!/bin/sh\necho 0\n' >"$work/bin/id"
chmod +x "$work/bin"/*
PATH=$work/bin:$PATH "$work/tools/bootstrap" core >"$work/out"
grep -q '^installing .*cmake' "$work/out"
[ "$work/build/CMakeCache.txt" -nt "$work/before" ] || { echo 'the build is not configured again' >&2; exit 1; }
[ "$(ls "$work")" = "$(printf '%s\n' before bin build out tools)" ] || { echo 'files were made' >&2; exit 1; }
