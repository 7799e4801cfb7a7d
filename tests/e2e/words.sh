#!/usr/bin/env bash
# One word for one thing: what docs/glossary.md lists under "Words that are not used" stands in no help, `yoke list`, `yoke
# reference`, manual page, guide or header, nor in comments and messages of the sources, except in the phrases that it
# allows. Code names of the glossary exist.
# usage: words.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail

program=$(realpath "$1/yoke")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$YOKE_SOURCE"
glossary=docs/glossary.md

# A text as one line without the signs of comments, so that a phrase is found across the end of a line.
flat() { sed -E 's#^ *(/\*|\*/|\*) ?##; s#\*/ *$##' "$@" | tr -s '\n ' ' '; }

# prose FOLDER FILE...: the comments of each C file and what stands between its quotes, as one line in FOLDER.
prose() {
    local folder=$1
    shift
    awk -v folder="$folder" '
        FNR == 1 { if (to) close(to); to = FILENAME; gsub("/", "%", to); to = folder "/" to; comment = quote = 0 }
        /^ *#include/ { next }
        {
            text = ""
            rest = comment ? $0 : $0 " "
            if (comment) sub(/^ *\*( |$)/, "", rest)
            while (rest != "") {
                if (comment) {
                    at = index(rest, "*/")
                    text = text (at ? substr(rest, 1, at - 1) " " : rest)
                    rest = at ? substr(rest, at + 2) : ""
                    comment = !at
                } else if (match(rest, /\/\*|"(\\.|[^"\\])*"|\047(\\.|[^\047])\047/)) {
                    piece = substr(rest, RSTART, RLENGTH)
                    rest = substr(rest, RSTART + RLENGTH)
                    comment = piece == "/*"
                    if (piece ~ /^"/) {
                        gsub(/\\./, " ", piece)
                        text = text substr(piece, 2, length(piece) - 2)
                    }
                } else
                    rest = ""
            }
            if (text != "") printf "%s ", text >to
        }' "$@"
}

# Texts by name: printed ones, then files. Pages made from papers/ keep the words of the papers.
mkdir "$work/text"
"$program" --help >"$work/text/yoke --help"
"$program" list >"$work/text/yoke list"
"$program" reference >"$work/text/yoke reference"
"$program" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | while read -r command; do
    "$program" "$command" --help >"$work/text/yoke $command --help"
done
git ls-files README.md CONTRIBUTING.md 'docs/*.md' 'docs/man/*' 'examples/*README.md' 'include/*.h' 'lib/*.h' 'apps/*.h' 'src/*.h' 2>/dev/null >"$work/files" ||
    find README.md CONTRIBUTING.md docs examples include lib apps src \( -name '*.md' -o -name '*.scd' -o -name '*.h' \) >"$work/files"
while read -r file; do
    case $file in "$glossary" | docs/reproduction.md | docs/errata.md | docs/experiment-file.md) continue ;; esac
    cp "$file" "$work/text/${file//\//%}"
done <"$work/files"
for text in "$work/text"/*; do
    flat "$text" >"$work/flat" && mv "$work/flat" "$text"
done
find src apps lib include -name '*.c' -o -name '*.def' >"$work/sources"
mapfile -t sources <"$work/sources"
prose "$work/text" "${sources[@]}"

# Rows of the table: words, tab, allowed phrases; in both, everything between backquotes.
sed -n '/^## Words that are not used/,$p' $glossary | grep '^| `' |
    awk -F'|' -v OFS='\t' '{print $2, $4}' >"$work/rows"
[ "$(wc -l <"$work/rows")" -ge 10 ] || { echo "$glossary: its table of words was not found"; exit 1; }

quoted() { grep -o '`[^`]*`' <<<"$1" | tr -d '`' || true; }
# search FOLDER: prints every use, returns how many
search() {
    local found=0 words allowed word phrase text hit
    while IFS=$'\t' read -r words allowed; do
        while read -r word; do
            while read -r text; do
                cp "$text" "$work/rest"
                while read -r phrase; do
                    [ -z "$phrase" ] || sed -i "s#${phrase//\#/}##gI" "$work/rest"
                done < <(quoted "$allowed")
                hit=$(grep -oiwE -- ".{0,50}\b${word}\b.{0,40}" "$work/rest" | head -3) || continue
                hit=${hit//$'\n'/$'\n'    }
                text=$(basename "$text")
                printf '%s: "%s" is not used, see %s:\n    %s\n' "${text//%//}" "$word" "$glossary" "$hit"
                found=$((found + 1))
            done < <(grep -liwF -- "$word" "$1"/*)
        done < <(quoted "$words")
    done <"$work/rows"
    return $((found > 99 ? 99 : found))
}

# the search finds a word across a line, and leaves allowed phrases alone
mkdir "$work/probe"
printf '/* The desired\n * place, by newton-desired. It is a set-\n * up that plays\n * the rig. */\n' >"$work/probe/a" && flat "$work/probe/a" >"$work/flat"
mv "$work/flat" "$work/probe/a"
printf '#include "aims.h"\nint desired = 1; /* a set-\n * up */ const char *s = "no set-ups here" " nor\\"aims";\n' >"$work/b.c"
(cd "$work" && prose probe b.c)
found=0
search "$work/probe" >"$work/said" || found=$?
[ $found = 4 ] || { echo "the search for words does not work: it found $found in texts with 4"; cat "$work/said"; exit 1; }

status=0
search "$work/text" || status=1

# code names: `struct yk_...`, `yk_...`, `YK_...`, with * for any ending
while read -r name; do
    name=${name#struct } && name=${name#enum }
    pattern="\\b${name//\*/[A-Za-z0-9_]*}\\b"
    grep -rqE --include='*.[ch]' --include='*.def' -- "$pattern" include src || { echo "$glossary: '$name' is not in the sources"; status=1; }
done < <(sed '/^## Words that are not used/,$d' $glossary | grep '^| ' | awk -F'|' '{print $5}' | grep -o '`[^`]*`' | tr -d '`' |
    grep -E '^(struct |enum )?(yk_|YK_)' | sort -u)
exit $status
