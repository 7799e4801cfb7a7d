#!/usr/bin/env bash
# No second place applies a scale and an offset to the numbers of a rig: calibration.c converts, everybody else calls it.
# usage: one_conversion.sh YOKE   (YOKE_SOURCE: the sources)
set -euo pipefail
cd "$YOKE_SOURCE"

# "scale * x + offset" and "(x - offset) / scale", by any member
pattern='(scale|gain)[])]* \* [^;]*\+ [^;]*(offset|zero)\b|- [a-z0-9_.>-]*(offset|zero)\) ?/ ?[a-z0-9_.>-]*(scale|gain)'
found=$(grep -nE "$pattern" -r src/rig src/transfer src/experiment src/engine src/ethercat src/cli --include='*.[ch]' |
    grep -vE '"|^src/transfer/calibration\.[ch]:|^[^:]*:[0-9]+: *(/?\*|\*)' || true)
[ -z "$found" ] || { echo "a second conversion of raw numbers:"; echo "$found"; exit 1; }

# the pattern finds what it looks for: the one place itself
grep -qE "$pattern" src/transfer/calibration.c || { echo "the pattern finds nothing"; exit 1; }
