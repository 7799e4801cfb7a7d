#!/usr/bin/env bash
# examples/vehicle/solid end to end with a coarse mesh: gmsh, CalculiX, reduction, partitioned runs. Skipped (77) without
# the two programs. The reduction alone: comparing with the full model takes minutes.
set -euo pipefail

build=$1
source=${YOKE_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
for tool in gmsh ccx; do
    command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed (Debian: gmsh, calculix-ccx)"; exit 77; }
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

YOKE=$build/yoke REDUCE_OPTIONS=--no-report "$source/examples/vehicle/solid/build" "$out" 0.4
[ "$(wc -l <"$out/frame.dof")" -gt 5000 ]
grep -q '30 modes and 4 interface displacements' "$out/frame.md"
grep -q '"finished": true' "$out/ten.json"
