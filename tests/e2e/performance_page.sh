#!/usr/bin/env bash
# docs/performance.md is what docs/performance.json gives, with names that `yoke bench --list` knows; the programs to compare
# with compute the same motion as Yoke, and the scripts for OpenSees run through (with stand-ins for its commands).
# usage: performance_page.sh BUILD, with YOKE_SOURCE and CC in the environment. Skipped (77) without python3.
set -euo pipefail

yoke=$1/yoke
command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$YOKE_SOURCE/tools/performance-page" --check
"$yoke" bench --list --json >"$work/list.json"
python3 - "$work/list.json" "$YOKE_SOURCE/docs" <<'PYTHON'
import json, re, sys
names = json.load(open(sys.argv[1]))
found = json.load(open(sys.argv[2] + '/performance.json'))
page = open(sys.argv[2] + '/performance.md').read()
shown = re.findall(r'^\| `([^`]+/[^`]+)` \|', page, re.M)
assert len(shown) > 10, shown
for name in shown + [r['name'] for r in found['bench']['results']]:
    assert name in names['benchmarks'], f'{name} is no benchmark'
for model in found['peers']['models'] + found['peers']['cholmod']:
    assert model['model'] in names['models'], f"{model['model']} is no model"
PYTHON

# a peer in plain C, and one in Octave
same() { # OURS THEIRS: files with peak_m
    python3 -c 'import json, sys
ours, theirs = (json.load(open(name))["peak_m"] for name in sys.argv[1:])
assert abs(ours - theirs) < 1e-8 * ours, (ours, theirs)' "$@"
}
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 ${CFLAGS:-} -o "$work/chain_step" "$YOKE_SOURCE/bench/peers/chain_step.c" -lm
"$work/chain_step" >"$work/plain.json"
"$yoke" bench --model chain-1000 >"$work/own.json"
same "$work/own.json" "$work/plain.json"
"$yoke" bench --model truss-1000 -o "$work/truss" >"$work/truss.json"
[ "$(head -n 2 "$work/truss/mass.mtx" | tail -n 1)" = '1000 1000 1000' ]
if command -v octave-cli >/dev/null; then
    octave-cli "$YOKE_SOURCE/bench/peers/newmark.m" "$work/truss" >"$work/octave.json" 2>"$work/log" || { cat "$work/log"; exit 1; }
    same "$work/truss.json" "$work/octave.json"
fi

# half of every large solve on a second thread: the same samples, bit by bit
"$yoke" bench --model truss-10176 -o "$work/large" >/dev/null
cat >"$work/large/truss.yaml" <<'YAML'
title: A plane truss
time: { step: 1 ms, end: 30 ms }
method: { integrator: newmark, path: sparse }
substructures: { truss: { mass: mass.mtx, damping: damping.mtx, stiffness: stiffness.mtx } }
loads: [ { on: truss.d10176, kind: constant, amplitude: 1 kN } ]
record: { channels: [truss.d10176.*, truss.d1.*] }
YAML
for threads in 1 2; do
    "$yoke" run "$work/large/truss.yaml" --threads $threads --quiet -o "$work/$threads" >/dev/null
    "$yoke" export "$work/$threads" --csv "$work/$threads.csv" >/dev/null
done
cmp "$work/1.csv" "$work/2.csv"

if command -v tclsh >/dev/null; then
    cat >"$work/opensees.tcl" <<'TCL'
foreach name {wipe model uniaxialMaterial fix mass rayleigh timeSeries constraints numberer system test algorithm integrator analysis} {
    proc $name args {}
}
set made 0
proc node args { incr ::made }
proc element args { incr ::made }
proc load args { incr ::made }
proc pattern {kind tag series body} { uplevel #0 $body }
proc analyze {steps h} { return 0 }
proc nodeDisp {node direction} { return 0.25 }
proc version {} { return stand-in }
set script [lindex $argv 0]
set argv [lrange $argv 1 end]
rename info real_info
proc info args { if {$args eq "script"} { return $::script } else { return [uplevel 1 [list real_info {*}$args]] } }
source $script
puts "made $made"
TCL
    tclsh "$work/opensees.tcl" "$YOKE_SOURCE/bench/peers/opensees_chain.tcl" BandSPD >"$work/chain.txt"
    tclsh "$work/opensees.tcl" "$YOKE_SOURCE/bench/peers/opensees_truss.tcl" BandSPD 25 20 20 >"$work/truss.txt"
    grep -q '"peak_m": 0.25}$' "$work/chain.txt" && grep -q '"peak_m": 0.25}$' "$work/truss.txt"
    grep -qx 'made 3001' "$work/chain.txt"                              # nodes, springs, loads
    grep -qx "made $((525 + 480 + 500 + 2 * 480 + 500))" "$work/truss.txt" # nodes; bars along, up and across; loads
fi
echo 'performance_page.sh: done'
