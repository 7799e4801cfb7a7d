#!/usr/bin/env bash
# Which folder of src/ uses which other one: the symbols of the object files and the include lines agree with the picture
# in docs/design.md, which has no circles. A hidden use, a use that is gone, a folder without a row and a use that points
# the other way must be found.
set -euo pipefail
build=$1
tool=$YOKE_SOURCE/tools/folder-edges
page=$YOKE_SOURCE/docs/design.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$tool" "$build"

# finds WORDS ARGUMENT...: with these arguments the tool complains, in these words among others.
finds() {
    local code=0
    "$tool" "$build" "${@:2}" >"$scratch/said" || code=$?
    if [ "$code" -ne 4 ] || ! grep -qF -- "$1" "$scratch/said"; then
        echo "expected exit code 4 and '$1'; exit code $code:"
        cat "$scratch/said"
        exit 1
    fi
}

cat >"$scratch/hidden.c" <<'C'
extern const struct yk_rig_ops yk_rig_virtual; /* no header tells */
const void *hidden_edge(void);
const void *hidden_edge(void) { return &yk_rig_virtual; }
C
"${CC:-cc}" ${CFLAGS:-} -c "$scratch/hidden.c" -o "$scratch/hidden.o"
finds 'transfer may not use rig/virtual: transfer/hidden.c needs yk_rig_virtual of rig/virtual/rig.c' \
    --with "$scratch/hidden.o" transfer/hidden.c

edited() { sed "$1" "$page" >"$scratch/page.md" && ! cmp -s "$page" "$scratch/page.md" && echo "$scratch/page.md"; }
finds 'hdf5 does not use linalg any more' --design "$(edited 's/^\(. hdf5  *x\) \./\1 x/')"
finds 'src/yaml has no row in the picture' --design "$(edited '/^. yaml /d')"
finds 'linalg may not use base' --design "$(edited 's/^\(. linalg  *\)x/\1./')"
finds 'base uses what does not stand above it, in column a' --design "$(edited 's/^\(. base  *\)\./\1x/')"
