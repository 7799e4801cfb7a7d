#!/usr/bin/env bash
# The scripts that users run in OpenSees, run here with stand-ins for the commands of OpenSees that they call (a portal of
# three nodes); what they write must be the model. Skipped (77) without tclsh or python3.
# usage: opensees.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail

yoke=$1/yoke
for program in tclsh python3; do
    command -v $program >/dev/null || {
        echo "opensees.sh: skipped, there is no $program"
        exit 77
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# node 1 is clamped, 2 free, 3 moves along x only; equations 0, 1, 2 and 3
cat >model.tcl <<'EOF'
proc getNodeTags {} { return {1 2 3} }
proc nodeCoord {tag} { return [lindex {{0.0 0.0} {0.0 3.0} {4.0 3.0}} [expr {$tag - 1}]] }
proc nodeDOFs {tag} { return [lindex {{-1 -1 -1} {0 1 2} {3 -1 -1}} [expr {$tag - 1}]] }
proc systemSize {} { return 4 }
foreach name {wipeAnalysis constraints numberer system algorithm analysis analyze} { proc $name args {} }
proc integrator {name m c k} { set ::weights [list $m $c $k] }
proc printA {how} {
    set K {3000 0 -200 -1000  0 5000 0 0  -200 0 800 100  -1000 0 100 1500}
    set M {20 0 0 0  0 20 0 0  0 0 1.5 0  0 0 0 30}
    set values {}
    foreach k $K m $M {
        lappend values [expr {[lindex $::weights 0] * $m + [lindex $::weights 1] * (0.1 * $m + 0.002 * $k) +
                              [lindex $::weights 2] * $k}]
    }
    return $values
}
EOF
printf 'source model.tcl\nsource %s\nyoke_export tcl.opensees\n' "$YOKE_SOURCE/tools/opensees/yoke_export.tcl" >run.tcl
tclsh run.tcl

mkdir openseespy
touch openseespy/__init__.py
cat >openseespy/opensees.py <<'EOF'
K = [3000, 0, -200, -1000, 0, 5000, 0, 0, -200, 0, 800, 100, -1000, 0, 100, 1500]
M = [20, 0, 0, 0, 0, 20, 0, 0, 0, 0, 1.5, 0, 0, 0, 0, 30]
weights = None
def getNodeTags(): return [1, 2, 3]
def nodeCoord(tag): return [[0.0, 0.0], [0.0, 3.0], [4.0, 3.0]][tag - 1]
def nodeDOFs(tag): return [[-1, -1, -1], [0, 1, 2], [3, -1, -1]][tag - 1]
def systemSize(): return 4
def ignore(*arguments): pass
wipeAnalysis = constraints = numberer = system = algorithm = analysis = analyze = ignore
def integrator(name, *values):
    global weights
    weights = values
def printA(how):
    return [weights[0] * m + weights[1] * (0.1 * m + 0.002 * k) + weights[2] * k for k, m in zip(K, M)]
EOF
PYTHONPATH=.:$YOKE_SOURCE/tools/opensees python3 -B -c 'import yoke_export; yoke_export.write("python.opensees")'

for language in tcl python; do
    cat >$language.yaml <<EOF
title: A portal from OpenSees
time: { step: 1 ms, end: 10 ms }
method: { integrator: newmark }
substructures:
  portal: { model: $language.opensees }
loads: [ { on: portal.3.x, kind: constant, amplitude: 1 } ]
EOF
    "$yoke" model info $language.yaml --modes 4 --json >$language.json
done
python3 - <<'EOF'
import json
tcl, python = (json.load(open(f'{name}.json'))['substructures'][0] for name in ('tcl', 'python'))
assert tcl == python, (tcl, python)
assert tcl['dofs'] == 4 and tcl['nodes'] == 2 and tcl['mass_kg']['x'] == 50 and tcl['mass_kg']['y'] == 20
vertical = min(abs(mode['frequency_Hz'] - (5000 / 20) ** 0.5 / (2 * 3.141592653589793)) for mode in tcl['modes'])
assert vertical < 1e-9, tcl['modes']
EOF
grep -q '^matrix damping 4$' tcl.opensees
# A frame of three storeys and two bays with fibre sections, built by loops: recorded, imported, and its first period compared
# with that of OpenSees 3.8.0 (0.835067 s, two displacement-based elements per member). The same in Python.
cat >frame.tcl <<'EOF'
wipe
model BasicBuilder -ndm 2 -ndf 3
set levels {0 3.6 6.8 10}
uniaxialMaterial Steel02 1 275e6 210e9 0.01 20 0.925 0.15
proc shape {tag h b tf tw} {
    section Fiber $tag {
        patch rect 1 2 1 [expr $h/2 - $tf] [expr -$b/2] [expr $h/2] [expr $b/2]
        patch rect 1 8 1 [expr -$h/2 + $tf] [expr -$tw/2] [expr $h/2 - $tf] [expr $tw/2]
        patch rect 1 2 1 [expr -$h/2] [expr -$b/2] [expr -$h/2 + $tf] [expr $b/2]
    }
}
shape 1 0.3 0.3 0.019 0.011
shape 2 0.36 0.17 0.0127 0.008
geomTransf Linear 2
geomTransf PDelta 1
foreach x {0 1 2} {
    foreach y {0 1 2 3} {
        node [expr 10*$x + $y] [expr 6.0*$x] [lindex $levels $y]
        if {$y == 0} { fix [expr 10*$x] 1 1 1 } else {
            set m [expr $x == 1 ? 24e3 : 12e3]
            mass [expr 10*$x + $y] $m $m 2000
        }
    }
}
set tag 0
proc member {a b section transf} {
    incr ::tag
    lassign [concat $a $b] ax ay bx by
    set middle [expr 100 + $::tag]
    node $middle [expr 3.0*($ax + $bx)] [expr ([lindex $::levels $ay] + [lindex $::levels $by])/2.0] -mass 300 300 50
    element dispBeamColumn $::tag [expr 10*$ax + $ay] $middle 5 $section $transf
    element dispBeamColumn [expr 50 + $::tag] $middle [expr 10*$bx + $by] 5 $section $transf
}
foreach y {1 2 3} {
    foreach x {0 1 2} { member "$x [expr $y - 1]" "$x $y" 1 1 }
    foreach x {0 1} { member "$x $y" "[expr $x + 1] $y" 2 2 }
}
rayleigh 0.25 0.0 0.002 0.0
pattern Plain 1 Linear { load 13 0.0 -24e3 0.0 }
set never [analyze 10]
EOF
tclsh "$YOKE_SOURCE/tools/opensees/yoke_record.tcl" frame.tcl tcl.commands
cat >frame.py <<'EOF'
import yoke_record

ops = yoke_record.commands("python.commands")


def value(word):
    try:
        return int(word)
    except ValueError:
        try:
            return float(word)
        except ValueError:
            return word


for line in open("tcl.commands"):
    name, *words = line.split()
    getattr(ops, name)(*map(value, words))
assert ops.analyze(10) == 0
EOF
rm -r openseespy
PYTHONPATH=.:$YOKE_SOURCE/tools/opensees python3 -B frame.py
for language in tcl python; do
    "$yoke" model import $language.commands | sed 1d >$language-frame.yaml
done
cmp tcl-frame.yaml python-frame.yaml
"$yoke" check tcl-frame.yaml >/dev/null
"$yoke" model info tcl-frame.yaml --modes 1 --json >frame.json
python3 - <<'EOF'
import json
frame = json.load(open('frame.json'))['substructures'][0]
period = 1 / frame['modes'][0]['frequency_Hz']
assert abs(period - 0.835067) < 1e-6, period
EOF
# The same frame of elastic members with pinching hinges: a rotational spring and a node without mass at each. Under its weight and a
# pulse of the ground the roof moves as in OpenSees 3.8.0 (Newmark, 2 ms).
cat >hinged.tcl <<'EOF'
model BasicBuilder -ndm 2 -ndf 3
set levels {0 3.6 6.8 10}
proc pinching {tag m1 k m2 m3} {
    set r1 [expr $m1/$k]
    uniaxialMaterial Hysteretic $tag $m1 $r1 $m2 0.02 $m3 0.08 -$m1 -$r1 -$m2 -0.02 -$m3 -0.08 0.7 0.3 0 0
}
pinching 1 500e3 530e6 600e3 300e3
pinching 2 290e3 340e6 350e3 150e3
geomTransf PDelta 1
geomTransf Linear 2
foreach x {0 1 2} {
    foreach y {0 1 2 3} {
        set place([expr 10*$x + $y]) [list [expr 6.0*$x] [lindex $levels $y]]
        node [expr 10*$x + $y] {*}$place([expr 10*$x + $y])
        if {$y == 0} { fix [expr 10*$x] 1 1 1 } else {
            set m [expr $x == 1 ? 24e3 : 12e3]
            mass [expr 10*$x + $y] $m $m 2000
        }
    }
}
set inner 1000
proc hinge {joint material} {
    incr ::inner
    node $::inner {*}$::place($joint)
    equalDOF $joint $::inner 1 2
    element zeroLength $::inner $joint $::inner -mat $material -dir 6
    return $::inner
}
set tag 0
foreach x {0 1 2} {
    foreach y {1 2 3} {
        set from [expr 10*$x + $y - 1]
        set bottom [expr {$y == 1 ? [hinge $from 1] : $from}]
        element elasticBeamColumn [incr tag] $bottom [expr $from + 1] 0.1 3e10 [expr 53e6/3e10] 1
    }
}
foreach y {1 2 3} {
    foreach x {0 1} {
        set from [expr 10*$x + $y]
        element elasticBeamColumn [incr tag] [hinge $from 2] [hinge [expr $from + 10] 2] 0.05 3e10 [expr 34e6/3e10] 2
    }
}
rayleigh 0.5 0 0 0
EOF
tclsh "$YOKE_SOURCE/tools/opensees/yoke_record.tcl" hinged.tcl hinged.commands
"$yoke" model import hinged.commands | sed '/^time/d; /^loads/d' >hinged.yaml
cat >>hinged.yaml <<'EOF'
time: { step: 2 ms, end: 3 s }
loads:
  - { ground: all, influence: { y: 1 }, kind: constant, amplitude: 9.81, permanent: true }
  - { ground: all, influence: { x: 1 }, kind: half-sine, amplitude: 4.5, duration: 0.5 s }
EOF
"$yoke" run hinged.yaml -o hinged >/dev/null
"$yoke" export hinged --csv hinged.csv >/dev/null
python3 - <<'EOF'
import csv
expected = {
    0.25: -0.06384203416,
    0.5: -0.1789262223,
    0.75: -0.05206391297,
    1: 0.0709444443,
    1.5: -0.09981222592,
    2: 0.0008610164292,
    2.5: -0.04564161667,
    3: -0.02413567437,
}
rows = {round(float(row['time']), 3): float(row['frame.n3.x.u']) for row in csv.DictReader(open('hinged.csv'))}
for time, roof in expected.items():
    assert abs(rows[time] - roof) < 1e-8, (time, rows[time], roof)
EOF
# A frame whose rotations have no mass, and a truss whose nodes have two degrees of freedom, shaken by a sine of 1 Hz: displacements
# of OpenSees 3.8.0 (Newmark, Newton, 2 ms). The small masses that the import adds change them by less than 1e-9 m.
cat >massless.tcl <<'EOF'
model BasicBuilder -ndm 2 -ndf 3
node 1 0 0
node 2 0 3.5
node 3 5 3.5
node 4 5 0
node 5 0 7
node 6 5 7
fix 1 1 1 1
fix 4 1 1 1
foreach n {2 3 5 6} { mass $n 12e3 12e3 0 }
uniaxialMaterial Steel02 1 300e6 200e9 0.01 20 0.925 0.15
section Fiber 1 { patch rect 1 10 1 -0.15 -0.1 0.15 0.1 }
section Fiber 2 { patch rect 1 10 1 -0.1 -0.05 0.25 0.05 }
geomTransf Linear 1
geomTransf PDelta 2
element dispBeamColumn 1 1 2 5 1 2
element dispBeamColumn 2 4 3 5 1 2
element forceBeamColumn 3 2 5 5 1 2
element forceBeamColumn 4 3 6 5 1 2
element dispBeamColumn 5 2 3 5 2 1
element elasticBeamColumn 6 5 6 0.02 200e9 2e-4 1
rayleigh 0.3 0 0 0
EOF
cat >truss.tcl <<'EOF'
model BasicBuilder -ndm 2 -ndf 2
node 1 0 0
node 2 4 0
node 3 8 0
node 4 4 3
fix 1 1 1
fix 2 1 1
fix 3 1 1
mass 4 800 800
uniaxialMaterial Steel01 1 250e6 200e9 0.02
uniaxialMaterial Elastic 2 200e9
element truss 1 1 4 1e-5 1
element truss 2 2 4 1e-5 1
element corotTruss 3 3 4 1e-5 2
rayleigh 0.8 0 0 0
EOF
for model in massless truss; do
    tclsh "$YOKE_SOURCE/tools/opensees/yoke_record.tcl" $model.tcl $model.commands
    "$yoke" model import $model.commands | sed '/^time/d; /^loads/d' >$model.yaml
    cat >>$model.yaml <<'EOF'
time: { step: 2 ms, end: 2 s }
loads:
  - { ground: all, influence: { x: 1 }, kind: sine, amplitude: 6, frequency: 1 Hz }
EOF
    "$yoke" run $model.yaml -o $model --no-report --accept-quality >/dev/null
    "$yoke" export $model --csv $model.csv >/dev/null
done
grep -q '^# 4 degrees of freedom have no mass in the script' massless.yaml
python3 - <<'EOF'
import csv
expected = {
    'massless': ('frame.n5.x.u', 'frame.n2.rz.u', {
        0.25: (-0.038891275344857, 0.0050775493848752),
        0.75: (0.029473087936164, -0.0038665536375201),
        1.25: (-0.021485962383496, 0.0028370112433733),
        2: (0.0074361776157083, -0.00095745209782049),
    }),
    'truss': ('frame.n4.x.u', 'frame.n4.y.u', {
        0.25: (-0.014376220052962, -0.0022013718933028),
        0.75: (0.013945347082679, 0.0023255069275404),
        1.25: (-0.017321796168598, -0.0031932917726629),
        2: (0.0092176130673877, 0.0039102017047121),
    }),
}
for model, (first, second, values) in expected.items():
    rows = {round(float(row['time']), 3): row for row in csv.DictReader(open(model + '.csv'))}
    for time, pair in values.items():
        for name, value in zip((first, second), pair):
            assert abs(float(rows[time][name]) - value) < 1e-9, (model, time, name, rows[time][name], value)
EOF
echo 'opensees.sh: done'
