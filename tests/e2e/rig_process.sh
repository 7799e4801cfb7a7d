#!/usr/bin/env bash
# The process that moves a rig holds what it needs for that. `yoke` and libyoke.so have no symbol of an app or of a library in lib/
# (pages, figures, ...), but for the tables of the commands, lib/command, lib/identify, which the console of a rig uses, lib/logger,
# which reads loads, and lib/rational, for plants made of recordings. They are linked with no HTTP server and no optimiser. No source of
# theirs draws or serves. The searches must find what is put in.
# usage: rig_process.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
die() {
    echo "rig_process.sh: $*" >&2
    exit 1
}

# defined FILE...: external symbols that programs, objects and archives define
defined() { nm -P "$@" 2>/dev/null | awk 'NF > 2 && $2 ~ /^[TDBRVWG]$/ { print $1 }' | sort -u; }

# what belongs to apps and to the libraries in lib/, but for main and the tables of the commands, which `yoke` has for its help;
# objects of files that are gone stay behind
find "$build/CMakeFiles" \( -path '*/yoke-*-parts.dir/*.o' -o -path '*/CMakeFiles/yoke-*.dir/lib/*.o' \) ! -path '*/lib/identify/*' ! -path '*/lib/command/*' ! -path '*/lib/logger/*' ! -path '*/lib/rational/*' ! -name command.c.o |
    while read -r object; do
        source=${object##*.dir/}
        [ ! -e "$YOKE_SOURCE/${source%.o}" ] || echo "$object"
    done >"$scratch/objects"
for folder in "$YOKE_SOURCE"/apps/* "$YOKE_SOURCE"/lib/*; do
    [ -n "$(find "$folder" -name '*.c' ! -name main.c ! -name command.c)" ] || continue
    [[ $folder == */lib/identify || $folder == */lib/command || $folder == */lib/logger || $folder == */lib/rational ]] || grep -q "/${folder#"$YOKE_SOURCE/"}/" "$scratch/objects" || die "no objects of $folder"
done
xargs -a "$scratch/objects" nm -P 2>/dev/null | awk 'NF > 2 && $2 ~ /^[TDBRVWG]$/ { print $1 }' | sort -u >"$scratch/outside"
strangers() { comm -12 <(defined "$@") "$scratch/outside" | paste -sd ' '; }

[[ " $(strangers "$build/yoke-dash") " == *' yk_dash_open '* ]] || die 'no dashboard is found in yoke-dash'
[[ " $(strangers "$build/yoke-report") " == *' yk_page_html '* ]] || die 'no page is found in yoke-report'
[[ " $(strangers "$build/yoke-plot") " == *' yk_figure_write '* ]] || die 'no figure is found in yoke-plot'
[ -n "$(strangers "$build/yoke-study")" ] || die 'no study is found in yoke-study'
for file in yoke libyoke.a libyoke.so.0; do
    [ -e "$build/$file" ] || continue
    defined "$build/$file" | grep -x yk_station_exchange >/dev/null || [ $file = libyoke.so.0 ] || die "$file has no rig"
    found=$(strangers "$build/$file")
    [ -z "$found" ] || die "$file has what belongs to apps or to libraries beside it: $found"
done

# what they are linked with, and what they might link with
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
foreign='civetweb|microhttpd|libwebsockets|libonion|nlopt|gnuplot|plplot|cairo|libpng'
if nm "$build/yoke-dash" | grep ' U mg_start' >/dev/null; then
    needed "$build/yoke-dash" | grep -E "$foreign" >/dev/null || die 'the server of yoke-dash is not found'
fi
for file in yoke libyoke.so.0; do
    [ -e "$build/$file" ] || continue
    ! needed "$build/$file" | grep -E "$foreign" || die "$file is linked with that"
    ! nm -D "$build/$file" | grep -E ' U (mg_|nlopt_|MHD_|lws_)' || die "$file calls that"
done
! grep -rnE '^ *# *include *<(yoke/(figure|page|fidelity|export)\.h|civetweb\.h|nlopt\.h)>' "$YOKE_SOURCE/src" ||
    die 'a source of the library or of `yoke` draws, writes pages or serves'
echo "$(wc -l <"$scratch/outside") symbols of apps and libraries beside, none of them in yoke"
