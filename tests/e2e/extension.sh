#!/usr/bin/env bash
# A method more in every family, one file and one line each, breaks no test that walks the registries, and the program
# shows it. `make extension-check` runs the whole suite.
set -euo pipefail
"$YOKE_SOURCE/tools/try-extension" all --against "$1"
