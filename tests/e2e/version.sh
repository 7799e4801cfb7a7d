#!/usr/bin/env bash
# The version is the same in CMakeLists.txt, debian/changelog, CHANGELOG.md and the program (wheel.sh looks at Python), and sources
# from `git archive` know their revision.
# usage: version.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail

"$YOKE_SOURCE/tools/check-version" "$1"
git -C "$YOKE_SOURCE" rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo 'not a clone: no revision to compare with'; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git -C "$YOKE_SOURCE" archive HEAD cmake/revision.cmake src/base/version.h.in .gitattributes | tar x -C "$work"
cmake -DSOURCE="$work" -DPROJECT_VERSION=1.2.3 -DOUTPUT="$work/version.h" -P "$work/cmake/revision.cmake"
grep -F "$(git -C "$YOKE_SOURCE" rev-parse --short=12 HEAD)" "$work/version.h"
