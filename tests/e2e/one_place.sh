#!/usr/bin/env bash
# What a stranger's file or message can do is decided in one place each: one source file calls the function of the library
# that reads it. The search itself must find a use that is put in.
# usage: one_place.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail
cd "$YOKE_SOURCE"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# only PATTERN PLACE FOLDER...: calls of these functions stand in this file alone.
only() {
    local pattern="\\b($1) *\\(" place=$2 found
    shift 2
    found=$(grep -rnE --include='*.c' --include='*.h' -- "$pattern" "$@" | grep -v "^$place:") || return 0
    echo "only $place may call these (${pattern}):"
    echo "$found"
    return 1
}

rules() {
    local status=0
    # objects of HDF5 are opened and read with all checks, in the process that may fail
    only 'H5Aread|H5Dread|H5Fopen|H5Dopen[12]?|H5Oopen[a-z_]*|H5Gopen[12]?|H5LT[a-z_]+' src/hdf5/reader.c "$@" || status=1
    # JSON passes the limit of its depth first
    only 'json_load[a-z_]*' src/base/json.c "$@" || status=1
    return $status
}

printf 'int main(void)\n{\n    return H5Dread (0);\n}\n' >"$scratch/probe.c"
! rules "$scratch" >"$scratch/said" || { echo 'the search finds nothing'; exit 1; }
grep -q 'probe.c:3:' "$scratch/said" || { echo 'the search does not name the place'; exit 1; }
rules src python
