#!/usr/bin/env bash
# Every link between the pages leads somewhere: the file is there and, behind a #, a heading of that name; so do the
# files of the repository that pages name as `src/...`, `tests/...` and the like.
# The pages adding-*.md name files that their reader will write. Equations of docs/theory have a number each, and those that
# sources cite are there.
# usage: doc_links.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail

cd "$YOKE_SOURCE"
failed=0
complain() {
    echo "$*"
    failed=1
}
# headings as their anchors
anchors() {
    sed -n 's/^#\+ //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^[:alnum:] _-]//g; s/ /-/g'
}

while read -r page; do
    while read -r link; do
        path=${link%%#*} anchor=
        [[ $link == *'#'* ]] && anchor=${link#*#}
        target=${path:+$(dirname "$page")/$path}
        target=${target:-$page}
        if [ ! -e "$target" ]; then
            complain "$page: $link does not exist"
        elif [ -n "$anchor" ] && ! anchors "$target" | grep -qx -- "$anchor"; then
            complain "$page: $link: there is no such heading"
        fi
    done < <(grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/)$//; s/ .*//' | grep -v '^[a-z]*:' || true)
    [[ $page == */adding-* ]] && continue
    while read -r named; do
        [ -e "$named" ] || [ -e "$(dirname "$page")/$named" ] || complain "$page: \`$named\` does not exist"
    done < <(grep -o '`\(src\|tests\|docs\|examples\|tools\|include\|papers\)/[A-Za-z0-9_./-]*`' "$page" | tr -d '`' || true)
done < <(find . -name '*.md' -not -path './build*' -not -path './out/*' -not -path './.git/*' -not -path '*/node_modules/*')

# equations PAGE: their numbers
equations() {
    sed -nE 's/.*\\tag\{([0-9]+[a-z]?)\}.*/\1/p; s/.*  +\(([0-9]+[a-z]?)\)$/\1/p' "$1"
}
for page in docs/theory/*.md; do
    while read -r number; do
        complain "$page: two equations have the number ($number)"
    done < <(equations "$page" | sort | uniq -d)
done
while IFS=: read -r source cited; do
    page=${cited%%.md*}.md
    while read -r number; do
        equations "$page" | grep -qx "$number" || complain "$source: $page has no equation ($number)"
    done < <(grep -oE '\([0-9]+[a-z]?\)' <<<"$cited" | tr -d '()')
done < <(grep -rl --include='*.[ch]' docs/theory/ src include tests | while read -r source; do
    sed -E 's#^ *\*( |$)##' "$source" | tr '\n' ' ' | grep -oE 'docs/theory/[a-z-]+\.md,? eq\. (\([0-9]+[a-z]?\)(-|, | and )?)+' |
        sed "s#^#$source:#" || true
done)
exit $failed
