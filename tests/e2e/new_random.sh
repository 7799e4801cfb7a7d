#!/usr/bin/env bash
# Random answers to `yoke new`, one set of those of `make new-tests`: the files check clean, and no run is unusable.
# usage: new_random.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail

command -v python3 >/dev/null || {
    echo 'skipped: no python3'
    exit 77
}
exec python3 "$YOKE_SOURCE/tests/e2e/new_tests.py" "$1/yoke" "${YOKE_NEW_TESTS:-1}" 3
