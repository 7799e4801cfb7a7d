#!/usr/bin/env bash
# The JSON Schema of the experiment file: the committed one is what the program writes; it accepts every example, and refuses
# broken files as the reader does.
set -u
yoke=$(realpath "$1")/yoke
"$yoke" reference --schema | cmp - "$YOKE_SOURCE/docs/experiment.schema.json" ||
    { echo "docs/experiment.schema.json is not what yoke reference --schema writes"; exit 1; }
/usr/bin/python3 -c 'import jsonschema, yaml' 2>/dev/null ||
    { echo "skipped: the schema is not tried (Debian: python3-jsonschema, python3-yaml)"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
/usr/bin/python3 "$YOKE_SOURCE/tests/e2e/schema.py" "$yoke" "$YOKE_SOURCE" "$scratch"
