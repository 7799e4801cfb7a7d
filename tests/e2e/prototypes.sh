#!/usr/bin/env bash
# The prototypes of tests/prototypes give the expected values of the published claims; skipped where numpy is missing.
exec "$(dirname "$0")/../prototypes/run" "$1/yoke"
