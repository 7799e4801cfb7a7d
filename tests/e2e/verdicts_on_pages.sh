#!/usr/bin/env bash
# Verdicts that pages state: docs/benchmarks.md names every chain of a benchmark that is not good, with the word of the
# program, and no other; the examples that need a compiler are good, or doubtful with a README that says so.
# usage: verdicts_on_pages.sh BUILD
set -u
yoke=$1/yoke
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# ---- benchmarks: rows "| `chain` | verdict | reason |" below the line "Verdicts of `NAME`" ----
for name in rths marths; do
    "$yoke" benchmark $name -q | awk '$NF ~ /^(good|doubtful|unusable)$/ { print $1, $NF }' | sort >"$work/all"
    grep -v ' good$' "$work/all" >"$work/said"
    awk -F'[|`]' -v name="$name" '/^(Verdicts of `|#)/ { on = index($0, "Verdicts of `" name "`") }
        on && /^\| `/ { gsub(/ /, "", $5); print $3, $5 }' "$YOKE_SOURCE/docs/benchmarks.md" | sort >"$work/written"
    [ "$(grep -c ' good$' "$work/all")" -ge 5 ] && [ -s "$work/said" ] || { echo "$name: no verdicts"; cat "$work/all"; failed=1; }
    diff "$work/written" "$work/said" || { echo "docs/benchmarks.md: < written, > what yoke benchmark $name says"; failed=1; }
done

# ---- examples that need a compiler ----
cp "$YOKE_SOURCE"/examples/plugin/* "$work"
for source in "$work"/*.c; do
    ${CC:-cc} -O2 -shared -fPIC -I "$YOKE_SOURCE/include" "$source" -o "${source%.c}.so" || failed=1
done
bash "$YOKE_SOURCE/examples/fmu/build" "$work" || failed=1
for file in plugin/plugin plugin/lag-rig plugin/window fmu/absorber; do
    level=$("$yoke" run "$work/${file#*/}.yaml" -q --no-report --force -o "$work/out" 2>&1 | sed -n 's/^  verdict: \([a-z]*\).*/\1/p')
    [ "$level" = good ] && continue
    { [ "$level" = doubtful ] && grep -qF '*doubtful*' "$YOKE_SOURCE/examples/${file%/*}/README.md"; } ||
        { echo "examples/$file.yaml: verdict '$level', and its README does not say so"; failed=1; }
done
exit $failed
