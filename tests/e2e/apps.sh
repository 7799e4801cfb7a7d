#!/usr/bin/env bash
# The folders of apps/ and lib/ see the door and nothing behind it: their sources include <yoke/*.h>, files of their own folder and
# headers of the system, and are compiled without src/ in their path. `yoke` finds their programs, with the same words, exit
# code and signals. The searches must find what is put in.
# usage: apps.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
die() {
    echo "apps.sh: $*" >&2
    exit 1
}

# foreign APPS: include lines that name a file which is not of the same app, and headers <yoke/...> that are not there.
foreign() {
    (cd "$1" && grep -rnE --include='*.c' --include='*.h' --include='*.def' '^ *# *include' .) |
        while IFS=: read -r file line text; do
            app=${file#./}
            app=${app%%/*}
            name=$(sed -E 's/.*include *[<"]([^>"]*)[>"].*/\1/' <<<"$text")
            case $text in
            *'<yoke/'*) [ -e "$YOKE_SOURCE/include/$name" ] || echo "$file:$line: $text" ;;
            *'"'*) [[ $name != *..* ]] && { [ -e "$1/$app/$name" ] || [ -e "$1/${file%/*}/$name" ]; } || echo "$file:$line: $text" ;;
            *) [ ! -e "$YOKE_SOURCE/src/$name" ] || echo "$file:$line: $text" ;;
            esac
        done
}

mkdir "$scratch/one" "$scratch/two"
touch "$scratch/one/own.h" "$scratch/two/other.h"
printf '#include "%s"\n' own.h other.h two/other.h ../two/other.h base/file.h >"$scratch/one/probe.c"
printf '#include <%s>\n' yoke/yoke.h yoke/nothing.h base/json.h math.h >>"$scratch/one/probe.c"
[ "$(foreign "$scratch" | cut -d: -f2 | paste -sd ' ')" = '2 3 4 5 7 8' ] || die "the search finds: $(foreign "$scratch")"
found=$(foreign "$YOKE_SOURCE/apps" && foreign "$YOKE_SOURCE/lib")
[ -z "$found" ] || die "apps and lib include <yoke/*.h> and files of their own folder only:
$found"

# no way around it in the commands of the compiler; `yoke` itself has command.c of each, too
! grep -E "\"command\": .* $YOKE_SOURCE/(apps|lib)/" "$build/compile_commands.json" | grep -v ' -o CMakeFiles/yoke.dir/' | grep -E -- "-I *$YOKE_SOURCE/(src|apps|build/generated)" ||
    die 'an app or a library beside it is compiled with private folders in its path'

# every app is a command of `yoke --help`, and says itself what it is for
for table in "$YOKE_SOURCE"/apps/*/command.c; do
    name=$(sed -n 's/^const struct yk_command command_\([a-z]*\) = .*/\1/p' "$table")
    [ -x "$build/yoke-$name" ] || die "there is no program yoke-$name"
    of=$(sed -n 's/^ *\.name = "\([a-z]*\)",$/\1/p' "$table") # another: that command hands over to it
    "$build/yoke" --help | grep "^  $of " >/dev/null || die "yoke --help does not know $of"
    [ "$of" != "$name" ] || "$build/yoke" "$name" --help | cmp - <("$build/yoke-$name" --help) || die "yoke $name --help is not that of its program"
    [ "$of" != "$name" ] || "$build/yoke" help "$name" | cmp - <("$build/yoke-$name" --help) || die "yoke help $name is not that of its program"
    "$build/yoke" completion bash | grep "^    $of)" >/dev/null || die "the completion does not know $name"
    # no words of the inside of the library, but those that public headers declare: by its objects, as some have a copy of it
    find "$build/CMakeFiles/yoke-$name.dir" "$build/CMakeFiles/yoke-$name-parts.dir" -name '*.o' -print0 | xargs -0 nm -P -A >"$scratch/symbols"
    awk '$3 == "U" { print $2 }' "$scratch/symbols" | grep '^yk_' | sort -u |
        comm -23 - <(awk '$3 != "U" { print $2 }' "$scratch/symbols" | sort -u) |
        comm -23 - <(grep -ohE '\byk_[a-z0-9_]+' "$YOKE_SOURCE"/include/yoke/*.h | sort -u) >"$scratch/inside"
    [ ! -s "$scratch/inside" ] || die "yoke-$name uses $(paste -sd ' ' "$scratch/inside")"
done

# words, exit code and a missing program
code=0
"$build/yoke" bench no-such-name >"$scratch/said" 2>&1 || code=$?
[ $code = 2 ] && grep -q '^yoke bench: no benchmark' "$scratch/said" || die "yoke bench no-such-name: exit code $code"
mkdir "$scratch/alone"
cp "$build/yoke" "$scratch/alone/yoke"
code=0
"$scratch/alone/yoke" bench >"$scratch/said" 2>&1 || code=$?
[ $code = 1 ] && grep -q 'the program yoke-bench is not installed' "$scratch/said" || die "a missing program: exit code $code"

# the page of a run is made by yoke-report: where that is missing, fails or dies, the run says so, and its exit code and its
# recording are those of the run
ends_without_page() { # CODE WORDS ARGUMENT...
    rm -rf "$scratch/out"
    code=0
    "$scratch/alone/yoke" run -o "$scratch/out" --quiet "${@:3}" >"$scratch/said" 2>&1 || code=$?
    [ "$code" = "$1" ] && grep -qF "$2" "$scratch/said" || die "expected exit code $1 and '$2'; exit code $code: $(cat "$scratch/said")"
    [ ! -e "$scratch/out/report.html" ] && [ -s "$scratch/out/summary.json" ] && "$build/yoke" report "$scratch/out" >/dev/null ||
        die "the recording of a run whose page failed: $(ls "$scratch/out")"
}
small=$YOKE_SOURCE/examples/oscillator/oscillator.yaml
stopped=("$YOKE_SOURCE/examples/spring-specimen/spring-specimen.yaml" --set 'limits.force=800 N')
ends_without_page 0 'warning: no report.html: the program yoke-report is not installed' "$small"
ends_without_page 3 'warning: no report.html: the program yoke-report is not installed' "${stopped[@]}"
printf '#!/bin/sh\necho "yoke: first" >&2\necho "yoke: no such luck" >&2\nexit 1\n' >"$scratch/alone/yoke-report"
chmod +x "$scratch/alone/yoke-report"
ends_without_page 0 'warning: no report.html: no such luck' "$small"
printf '#!/bin/sh\nkill -KILL $$\n' >"$scratch/alone/yoke-report"
ends_without_page 3 'warning: no report.html: yoke-report was ended by signal 9' "${stopped[@]}"
printf 'no program' >"$scratch/alone/yoke-report"
ends_without_page 0 'warning: no report.html: cannot start' "$small"
printf '#!/bin/sh\ntouch %s/called\n' "$scratch" >"$scratch/alone/yoke-report"
"$scratch/alone/yoke" run "$small" -o "$scratch/out" --force --quiet --no-report >/dev/null
[ ! -e "$scratch/called" ] || die '--no-report starts yoke-report'

# a run whose dashboard is not installed says so and is run all the same
"$scratch/alone/yoke" run "$small" -o "$scratch/out" --force --quiet --no-report --live >"$scratch/said" 2>&1 || die "--live without a dashboard: $(cat "$scratch/said")"
grep -q 'the dashboard does not start: the program yoke-dash is not installed' "$scratch/said" || die "--live without a dashboard says $(cat "$scratch/said")"
