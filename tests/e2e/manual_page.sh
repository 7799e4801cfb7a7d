#!/usr/bin/env bash
# The manual page names the commands and options that `yoke --help` and `yoke COMMAND --help` name, and no others.
# usage: manual_page.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail

yoke=$1/yoke page=$YOKE_SOURCE/docs/man/yoke.1.scd
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# options FILE: those that it names, one a line
options() { tr -d '\\' <"$1" | grep -oE '(^|[^a-zA-Z0-9-])--[a-z][a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+'; }

"$yoke" --help | sed -n 's/^  \([a-z]\{3,\}\)  .*/\1/p' | sort >"$work/commands"
sed -n '/^# COMMANDS/,/^# EXIT STATUS/s/^\*\([a-z]*\)\*.*/\1/p' "$page" | sort -u >"$work/commands.page"
diff -U0 --label 'yoke --help' --label 'manual page' "$work/commands" "$work/commands.page"

while read -r command; do
    "$yoke" "$command" --help
done <"$work/commands" >"$work/help"
{ printf '%s\n' --help --version && options "$work/help"; } | sort -u >"$work/options"
options "$page" | sort -u >"$work/options.page"
diff -U0 --label 'help of the commands' --label 'manual page' "$work/options" "$work/options.page"
