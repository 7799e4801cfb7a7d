#!/usr/bin/env bash
# The manual page names the commands and options that `yoke --help` and `yoke COMMAND --help` name, and no others; man(1)
# understands it. What the line of usage of a command names is an option of its table, and the completion knows it.
# usage: manual_page.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail

yoke=$1/yoke page=$1/generated/yoke.1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# options FILE: those that it names, one a line
options() { tr -d '\\' <"$1" | grep -oE '(^|[^a-zA-Z0-9-])--[a-z][a-z0-9-]*' | grep -oE -- '--[a-z0-9-]+' || true; }

[ -e "$page" ] || { "$yoke" help --manual >"$work/page"; page=$work/page; } # built without scdoc
"$yoke" --help | sed -n 's/^  \([a-z]\{3,\}\)  .*/\1/p' | sort >"$work/commands"
sed -n 's/^\.SS \([a-z]*\)$/\1/p' "$page" | sort >"$work/commands.page"
diff -U0 --label 'yoke --help' --label 'manual page' "$work/commands" "$work/commands.page"

"$yoke" completion bash >"$work/completion"
while read -r command; do
    "$yoke" "$command" --help >"$work/one"
    cat "$work/one" >>"$work/help"
    sed -n '1,/^$/p' "$work/one" >"$work/usage"
    options "$work/usage" | sort -u >"$work/used"
    sed -n "s/^    $command) COMPREPLY=(.*-W \"\(.*\)\" -- .*/\1/p" "$work/completion" | tr ' ' '\n' | grep '^--' | sort -u >"$work/completed"
    missing=$(comm -23 "$work/used" "$work/completed")
    [ -z "$missing" ] || { echo "manual_page.sh: the usage of yoke $command names $missing, its table does not" >&2; exit 1; }
done <"$work/commands"
{ printf '%s\n' --help --version && options "$work/help"; } | sort -u >"$work/options"
options "$page" | sort -u >"$work/options.page"
diff -U0 --label 'help of the commands' --label 'manual page' "$work/options" <(sort -u "$work/options.page" <(printf '%s\n' --help --version))
if command -v groff >/dev/null; then
    groff -man -Tascii -ww -z "$page" 2>"$work/warnings"
    [ ! -s "$work/warnings" ] || { cat "$work/warnings" >&2; exit 1; }
fi
