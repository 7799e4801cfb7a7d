#!/usr/bin/env bash
# A cantilever of solid elements in CalculiX: its matrices, read by Yoke, must give the frequencies that CalculiX itself
# finds, and a substructure its static stiffness. Skipped (77) without ccx and python3.
# usage: calculix.sh BUILD_FOLDER
set -euo pipefail

yoke=$1/yoke
for program in ccx python3; do
    command -v $program >/dev/null || {
        echo "calculix.sh: skipped, there is no $program (Debian: apt install calculix-ccx python3)"
        exit 77
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# A bar of 8 x 1 x 2 bricks with 20 nodes, 0.8 m long, clamped at x = 0; own numbering with gaps.
python3 - <<'EOF'
nx, ny, nz, size = 8, 1, 2, (0.8, 0.05, 0.1)
number = lambda i, j, k: 10 + 7 * (i + (2 * nx + 1) * (j + (2 * ny + 1) * k))
nodes = {number(i, j, k): (size[0] * i / (2 * nx), size[1] * j / (2 * ny), size[2] * k / (2 * nz))
         for k in range(2 * nz + 1) for j in range(2 * ny + 1) for i in range(2 * nx + 1)
         if (i % 2) + (j % 2) + (k % 2) <= 1}
corner = [(0, 0), (2, 0), (2, 2), (0, 2)]
middle = [(1, 0), (2, 1), (1, 2), (0, 1)]
local = ([(a, b, 0) for a, b in corner] + [(a, b, 2) for a, b in corner] + [(a, b, 0) for a, b in middle] +
         [(a, b, 2) for a, b in middle] + [(a, b, 1) for a, b in corner])
with open('mesh.inc', 'w') as out:
    out.write('*NODE, NSET=NALL\n')
    out.writelines(f'{n}, {x:.9g}, {y:.9g}, {z:.9g}\n' for n, (x, y, z) in sorted(nodes.items()))
    out.write('*ELEMENT, TYPE=C3D20, ELSET=EALL\n')
    e = 0
    for k in range(nz):
        for j in range(ny):
            for i in range(nx):
                e += 1
                ids = [number(2 * i + a, 2 * j + b, 2 * k + c) for a, b, c in local]
                out.write(f'{e}, ' + ', '.join(map(str, ids[:10])) + ',\n' + ', '.join(map(str, ids[10:])) + '\n')
    out.write('*MATERIAL, NAME=STEEL\n*ELASTIC\n210e9, 0.3\n*DENSITY\n7850\n*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL\n')
    out.write('*BOUNDARY\n' + ''.join(f'{n}, 1, 3\n' for n, p in sorted(nodes.items()) if p[0] == 0))
EOF
printf '*INCLUDE, INPUT=mesh.inc\n*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n6\n*END STEP\n' >job.inp
printf '*INCLUDE, INPUT=mesh.inc\n*STEP\n*FREQUENCY\n6\n*END STEP\n' >modes.inp
ccx job >job.log
ccx modes >modes.log
cat >job.yaml <<'EOF'
title: A cantilever from CalculiX
time: { step: 1 ms, end: 10 ms }
method: { integrator: newmark }
substructures:
  bar: { model: job.sti, coordinates: mesh.inc }
EOF
"$yoke" model info job.yaml --modes 6 --json >info.json
"$yoke" model info job.yaml --modes 2 --plot modes.svg | grep -q 'picture: modes.svg'
python3 - <<'EOF'
import json
found = json.load(open('info.json'))['substructures'][0]
assert found['nodes'] == sum(1 for _ in {line.split('.')[0] for line in open('job.dof')}), found['nodes']
assert found['rigid_modes'] == 0 and found['mass_definite']
rows = [line.split() for line in open('modes.dat') if len(line.split()) == 5 and line.split()[0].isdigit()]
wanted = [float(row[3]) for row in rows][:6]
assert len(wanted) == 6, rows
for mode, hertz in zip(found['modes'], wanted):
    print(f"{mode['frequency_Hz']:.7g} Hz, CalculiX {hertz:.7g} Hz")
    assert abs(mode['frequency_Hz'] - hertz) < 2e-6 * hertz
EOF

# Without supports: six rigid-body modes, and the whole mass rho l b h moves.
sed -i '/^\*BOUNDARY/,$d' mesh.inc
ccx job >job.log
"$yoke" model info job.yaml --modes 8 --json >info.json
python3 - <<'EOF'
import json
found = json.load(open('info.json'))['substructures'][0]
assert found['rigid_modes'] == 6, found['rigid_modes']
for axis in 'xyz':
    assert abs(found['mass_kg'][axis] - 7850 * 0.8 * 0.05 * 0.1) < 1e-6
EOF
echo 'calculix.sh: done'
