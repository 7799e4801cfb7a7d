#!/usr/bin/env bash
# Installs into a temporary folder and uses what is there as a stranger would: a program through pkg-config and through
# find_package, and a law of one's own in a plugin.
# usage: install.sh BUILD_FOLDER, with YOKE_SOURCE, CC and CFLAGS (sanitizers of the build) in the environment
set -euo pipefail

build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { echo "-- $*"; }
die() {
    echo "install.sh: $*" >&2
    exit 1
}

say 'install'
prefix=$work/prefix
cp -a "$build/install_manifest.txt" "$work/manifest" 2>/dev/null || true
cmake --install "$build" --prefix "$prefix" >"$work/log" || die "$(cat "$work/log")"
pkgconfig=$(find "$prefix" -name yoke.pc -printf %h)
export PKG_CONFIG_PATH=$pkgconfig LD_LIBRARY_PATH=${pkgconfig%/pkgconfig}
for file in bin/yoke include/yoke/yoke.h share/bash-completion/completions/yoke share/yoke/experiment.schema.json; do
    [ -s "$prefix/$file" ] || die "$file was not installed"
done
for name in $("$prefix/bin/yoke" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    "$prefix/bin/yoke" help --manual | grep -x "\.SS $name" >/dev/null || die "the manual page does not know '$name'"
done
bash -n "$prefix/share/bash-completion/completions/yoke"
"$prefix/bin/yoke" reproduce fig2-radii --no-pictures -o "$work/reproduce" >"$work/log" || die "$(cat "$work/log")"

say "a test of one's own, from the installed table and examples"
"$prefix/bin/yoke" new "$work/own" --defaults --record valley >"$work/log" || die "$(cat "$work/log")"
"$prefix/bin/yoke" new "$work/copy" --from measured-machine >"$work/log" || die "$(cat "$work/log")"
"$prefix/bin/yoke" run "$work/copy/measured-machine.yaml" -o "$work/copy/out" -q >"$work/log" || die "$(cat "$work/log")"
grep -F "$prefix/share/yoke/experiment.schema.json" "$work/own/own.yaml" || die 'the file does not name the installed schema'

say 'headers: each stands alone'
for header in "$prefix"/include/yoke/*.h; do
    name=yoke/$(basename "$header")
    echo "#include <$name>" >"$work/header.c"
    $CC -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pkg-config --cflags yoke) "$work/header.c" ||
        die "$name does not compile by itself"
done

mkdir "$work/app"
cp "$YOKE_SOURCE/examples/program/program.c" "$work/app/app.c"
oscillator=$YOKE_SOURCE/examples/oscillator/oscillator.yaml
want='oscillator.x.u: at most 1.06262 m'

say 'a program through pkg-config'
$CC $CFLAGS -std=c11 $(pkg-config --cflags yoke) "$work/app/app.c" $(pkg-config --libs yoke) -o "$work/by-pkg-config"
"$work/by-pkg-config" "$oscillator" oscillator.x.u | grep -F "$want"

status=0
"$work/by-pkg-config" "$oscillator" no.such.channel 2>"$work/log" || status=$?
[ $status = 2 ] && grep -F "there is no channel 'no.such.channel'" "$work/log"

say 'a program through find_package'
cat >"$work/app/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(app LANGUAGES C)
find_package(yoke 0.2 REQUIRED)
add_executable(app app.c)
target_link_libraries(app PRIVATE yoke::yoke)
END
{
    cmake -S "$work/app" -B "$work/app/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="$CFLAGS" &&
        cmake --build "$work/app/build"
} >"$work/log" 2>&1 || die "$(cat "$work/log")"
"$work/app/build/app" "$oscillator" oscillator.x.u | grep -F "$want"

say 'a law of one'\''s own'
cp -r "$YOKE_SOURCE/examples/plugin" "$work/plugin"
(cd "$work/plugin" && $CC -shared -fPIC $(pkg-config --cflags yoke) softening_spring.c -o softening_spring.so)
"$prefix/bin/yoke" run "$work/plugin/plugin.yaml" -o "$work/out" -q
# The whole energy c (d - c/k ln(1 + k d/c)) is kinetic as it passes through the middle: v = sqrt(2 E / m).
"$prefix/bin/yoke" export "$work/out" --csv - | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "block.top.x.v") at = i; next }
    { v = $at < 0 ? -$at : $at; if (v > top) top = v }
    END {
        k = 80; c = 4; d = 0.1; m = 2
        want = sqrt(2 / m * c * (d - c / k * log(1 + k * d / c)))
        printf "largest velocity %.6f m/s, by the formula %.6f m/s\n", top, want
        exit !(top / want > 1 - 1e-4 && top / want < 1 + 1e-4)
    }'

# the manifest of a real installation stays
[ ! -f "$work/manifest" ] || cp -a "$work/manifest" "$build/install_manifest.txt"
