#!/usr/bin/env bash
# libyoke.so.0 shows what the public headers declare and nothing else, and a program runs with it.
# usage: shared_library.sh BUILD_FOLDER, with YOKE_SOURCE, CC and CFLAGS (sanitizers of the build) in the environment
set -euo pipefail

build=$1
library=$build/libyoke.so.0
[ -e "$library" ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() {
    echo "shared_library.sh: $*" >&2
    exit 1
}

readelf -d "$library" | grep -q 'SONAME.*\[libyoke.so.0\]' || die 'its soname is not libyoke.so.0'
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/shown"
grep -ohE '\byk_[a-z0-9_]+' "$YOKE_SOURCE"/include/yoke/*.h | sort -u >"$work/declared"
private=$(comm -23 "$work/shown" "$work/declared")
[ -z "$private" ] || die "it shows what no public header declares: $private"
for name in yk_model_open yk_session_begin yk_session_save yk_record_read yk_model_analyze yk_laws yk_arena_take yk_fail; do
    grep -qx $name "$work/shown" || die "it does not show $name"
done
# every function that yoke.h declares is there
for name in $(sed -n 's/^[a-z].*[ *]\(yk_[a-z0-9_]*\)(.*/\1/p' "$YOKE_SOURCE/include/yoke/yoke.h"); do
    grep -qx "$name" "$work/shown" || die "yoke.h declares $name, which is not there"
done

$CC $CFLAGS -std=c11 -I "$YOKE_SOURCE/include" "$YOKE_SOURCE/examples/program/program.c" -L "$build" -Wl,-rpath,"$build" \
    -l:libyoke.so.0 -o "$work/program"
"$work/program" "$YOKE_SOURCE/examples/oscillator/oscillator.yaml" oscillator.x.u | grep -F 'at most 1.06262 m'
echo "$(wc -l <"$work/shown") symbols"
