#!/usr/bin/env bash
# The extension for VS Code, with a stand-in for VS Code and the real program.
# usage: vscode.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail

if ! command -v node >/dev/null || ! node -e 'require("node:test")' 2>/dev/null; then
    echo 'skipped: no node with node:test'
    exit 77
fi
YOKE_PROGRAM=$1/yoke exec node --test "$YOKE_SOURCE/tools/vscode/test.js"
