#!/usr/bin/env bash
# `mpirun -n 2 yoke reduce` finds the modes of one process to 1e-9, and a mistake ends all processes with its code. Skipped
# (77) where the build has no MPI.
# usage: reduce_mpi.sh BUILD, with YOKE_SOURCE and CC in the environment
set -euo pipefail

yoke=$1/yoke
if [ ! -e "$1/libyoke-mpi.so" ] || ! command -v mpirun >/dev/null; then
    echo 'skipped: no libyoke-mpi.so or no mpirun (Debian: libopenmpi-dev, libmumps-dev, openmpi-bin)'
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -std=c11 -O2 ${CFLAGS:-} -o "$work/solid" "$YOKE_SOURCE/bench/solid.c" -lm
"$work/solid" 3 3 60 "$work" # 2,880 degrees of freedom
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 # a process that waits for the other leaves its processor to others
two() { mpirun -n 2 --oversubscribe "$@"; }

for method in craig-bampton rubin; do
    reduce="$yoke reduce $work/solid.yaml --interface 960.x,960.y,960.z --method $method --modes 20 --response 0.05"
    $reduce --json -o "$work/one" >"$work/one.json"
    two $reduce --json -o "$work/two" >"$work/two.json"
    python3 - "$work" <<'PYTHON'
import json, sys
one, two = (json.load(open(f'{sys.argv[1]}/{name}.json'))[0] for name in ('one', 'two'))
assert (one['processes'], two['processes']) == (1, 2), (one['processes'], two['processes'])
assert len(one['kept_Hz']) == 20
largest = max(one['kept_Hz'])
for a, b in zip(one['kept_Hz'], two['kept_Hz']):
    assert abs(a - b) <= 1e-9 * (a if a > 1e-3 * largest else largest), (a, b)
for a, b in zip(one['fidelity']['reduced_Hz'], two['fidelity']['reduced_Hz']):
    assert abs(a - b) <= 1e-9 * a, (a, b)
PYTHON
done

code=0
two "$yoke" reduce "$work/nothing.yaml" -o "$work/none" >"$work/log" 2>&1 || code=$?
[ $code -eq 2 ] || { cat "$work/log"; echo "exit code $code, not 2"; exit 1; }
[ "$(grep -c 'nothing.yaml' "$work/log")" -eq 1 ] || { cat "$work/log"; echo 'said by more than one process'; exit 1; }

# without the object: a plain refusal
mkdir "$work/bin"
cp "$yoke" "$work/bin/yoke"
code=0
OMPI_COMM_WORLD_SIZE=2 "$work/bin/yoke" reduce "$work/solid.yaml" -o "$work/none" 2>"$work/log" || code=$?
[ $code -eq 2 ] && grep -q 'this build has no MPI' "$work/log"
echo 'reduce_mpi.sh: done'
