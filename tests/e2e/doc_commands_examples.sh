#!/usr/bin/env bash
# The commands of the pages of the examples and papers: doc_commands.sh. A test of its own, beside that of the other pages.
cd "$YOKE_SOURCE" || exit 1
exec tests/e2e/doc_commands.sh "$1" examples/*.md examples/*/README.md papers/*.md
