#!/usr/bin/env bash
# The JSON Schema of the experiment file: the one that the build makes is what the program writes; it accepts every example,
# and refuses broken files as the reader does.
set -u
build=$(realpath "$1")
yoke=$build/yoke
schema=$build/experiment.schema.json
"$yoke" reference --schema | cmp - "$schema" || { echo "$schema is not what yoke reference --schema writes"; exit 1; }
/usr/bin/python3 -c 'import jsonschema, yaml' 2>/dev/null ||
    { echo "skipped: the schema is not tried (Debian: python3-jsonschema, python3-yaml)"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
/usr/bin/python3 "$YOKE_SOURCE/tests/e2e/schema.py" "$yoke" "$schema" "$YOKE_SOURCE" "$scratch"
