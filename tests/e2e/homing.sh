#!/usr/bin/env bash
# `homing` in the console: a simulated drive at the other end of a veth pair looks for its index pulse, a limit switch or its
# home switch. It stops there, counts from there, and the next enable does not move it; it is refused where it would not be safe,
# and stopped by the limits of the console. A drive among several rigs does it alike. Skipped (77) where network namespaces are not allowed.
# usage: homing.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail

if [ "${2:-}" != inside ]; then
    apart=(unshare -n)
    [ "$(id -u)" -eq 0 ] || apart=(unshare -rn)
    "${apart[@]}" ip link add ykA type veth peer name ykB 2>/dev/null || {
        echo "homing.sh: skipped, no network namespace with a veth pair can be made here"
        exit 77
    }
    exec "${apart[@]}" bash "$0" "$1" inside
fi

yoke=$1/yoke
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
export YOKE_AUDIT=$work/audit
ip link add ykA type veth peer name ykB
ip link set ykA up
ip link set ykB up
failed=0
serve_words=

# Index pulses are 4 mm apart; the spring has 35.53 N/mm.
cat >good.yaml <<'END'
title: homing
time: { step: 10 ms, end: 1, control_rate: 1000 Hz }
method: { integrator: lsrt2 }
substructures:
  frame: { dofs: [x], mass: [1800], damping: [[1130.97]], stiffness: [[71061]] }
  specimen: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [[35530]] } }
interfaces: [ { join: [frame.x, specimen.x] } ]
transfer: { a1: {} }
rig:
  backend: ethercat
  settings:
    interface: ykA
    clock: false
    slaves:
      coupler: { vendor: 0xA5A5, product: 0x100001 }
      axis:
        vendor: 0xA5A5
        product: 0x402001
        drive: csp
        outputs: { 0x1600: [0x6040:0:u16, 0x607A:0:i32, 0x6060:0:i8] }
        inputs: { 0x1A00: [0x6041:0:u16, 0x6064:0:i32, 0x6061:0:i8] }
        sdos: { 0x6098:0:i8: 34, 0x6099:1:u32: 50000, 0x6099:2:u32: 20000, 0x609A:0:u32: 500000, 0x607C:0:i32: 0 }
      cell: { vendor: 0xA5A5, product: 0x301601 }
    channels:
      a1.command: { slave: axis, entry: 0x607A:0 }
      a1.displacement: { slave: axis, entry: 0x6064:0 }
      a1.force: { slave: cell, entry: 0x6000:17, status: 0x6000:1 }
  actuators: { a1: { plant: { kind: ideal } } }
  specimen: { dofs: [x], mass: [0], stiffness: [[35530]] }
channels:
  a1.command: { raw: count, scale: 0.1 um }
  a1.displacement: { raw: count, scale: 0.1 um }
  a1.force: { raw: count, scale: 0.30517578125 N }
limits: { displacement: 0.2, command_rate: 0.25, force: 20000 N, tracking_error: 0.1, peer_silence: 5, position_error: 5 mm, missed_deadlines: 0, missed_total: 0, stall: 0,
          console: { speed: 25 mm/s, travel: 40 mm, force: 4 kN } }
END

# meet NAME CODE COMMANDS WORDS...: a segment and a console of NAME.yaml
meet() {
    local name=$1 code=$2 commands=$3 got=0
    shift 3
    # shellcheck disable=SC2086 # words of the segment
    "$yoke" serve "$name.yaml" --ethercat ykB $serve_words >served 2>&1 &
    server=$!
    for _ in $(seq 500); do grep -q simulating served && break; sleep 0.02; done
    "$yoke" rig "$name.yaml" -c "$commands" >said 2>&1 || got=$?
    kill "$server" && wait "$server" || true
    server=
    [ "$got" -eq "$code" ] || { echo "$name: exit code $got instead of $code" && cat said && failed=1; }
    for words; do
        grep -qF -- "$words" said || { echo "$name: '$words' is not in" && cat said && failed=1; }
    done
}

meet good 0 "enable; jog a1 1 mm; homing a1; enable; status; jog a1 -1 mm; wait 0.1 s; status" \
    "ok: a1 at its zero, displacement 0 m; the drives are disabled" "a1: command 0 m, displacement 0 m, force 142" \
    "a1: command -1 mm, displacement -1 mm, force 106"
sed 's/0x6098:0:i8: 34/0x6098:0:i8: 33/; s/0x607C:0:i32: 0/0x607C:0:i32: 123450/' good.yaml >back.yaml
meet back 0 "enable; homing a1; status" "displacement 12.35 mm; the drives are disabled" "force -142"
meet good 2 "homing a1" "refused: the drives are disabled"
sed 's/0x6099:2:u32: 20000/0x6099:2:u32: 300000/' good.yaml >fast.yaml
meet fast 2 "enable; homing a1" "the speeds of homing, 0x6099, are above limits.console.speed; nothing was moved"
sed 's/, 0x6060:0:i8\]/]/' good.yaml >blind.yaml
meet blind 2 "enable; homing a1" "0x6060:0:i8 among its outputs"
sed '/sdos:/d' good.yaml >mute.yaml
meet mute 2 "enable; homing a1" "homing needs its method and both speeds"
sed 's/0x6098:0:i8: 34/0x6098:0:i8: 3/' good.yaml >other.yaml # a method that this drive does not have
meet other 1 "enable; homing a1" "a1: its drive reports a homing error (bit 13)"
sed 's/travel: 40 mm/travel: 1 mm/' good.yaml >near.yaml
meet near 3 "enable; homing a1" "without finding its zero; limits.console.travel is 0.001 m"
sed 's/force: 4 kN/force: 50 N/' good.yaml >soft.yaml
meet soft 3 "enable; homing a1" "TRIPPED: force of a1"

# switches: limit switches at -25 and 25 mm, the home switch on from 10 mm upwards. The zero is where the drive leaves the switch,
# or at the index pulse after that; the force of the spring tells where it stands.
switch() { # METHOD FORCE [COMMANDS BEFORE]
    sed "s/0x6098:0:i8: 34/0x6098:0:i8: $1/; s/0x6099:1:u32: 50000/0x6099:1:u32: 240000/; s/0x6099:2:u32: 20000/0x6099:2:u32: 120000/" good.yaml >"switch$1.yaml"
    meet "switch$1" 0 "enable; ${3:-}homing a1; enable; status; jog a1 1 mm; wait 0.1 s; status" \
        "ok: a1 at its zero, displacement 0 m; the drives are disabled" "a1: command 0 m, displacement 0 m, force $2" "a1: command 1 mm, displacement 1 mm, force"
}
switch 17 -888
switch 18 888
switch 1 -852
switch 2 852
switch 19 355
switch 20 355 "jog a1 12 mm; " # it stands on the switch, and leaves it first
sed 's/travel: 40 mm/travel: 20 mm/' switch17.yaml >far.yaml
meet far 3 "enable; homing a1" "without finding its zero; limits.console.travel is 0.02 m"

# a drive among several rigs
serve_words="--rig west"
python3 - >several.yaml <<'END'
import re
text = open("good.yaml").read()
rig = re.search(r"^rig:\n(.*?)^channels:", text, re.S | re.M)
west = "".join("  " + line + "\n" for line in rig.group(1).splitlines())
east = "  east: { backend: virtual, actuators: { a2: { plant: { kind: ideal } } }, specimen: { dofs: [y], mass: [0], stiffness: [[35530]] } }\n"
text = text.replace(rig.group(0), "rigs:\n  west:\n" + west + east + "channels:")
text = text.replace("dofs: [x], mass: [1800], damping: [[1130.97]], stiffness: [[71061]]",
                    "dofs: [x, y], mass: [1800, 1800], damping: [1130.97, 1130.97], stiffness: [71061, 71061]")
text = text.replace("  specimen: { role", "  other: { role: physical, dofs: [y], actuators: { y: a2 }, estimate: { stiffness: [[35530]] } }\n  specimen: { role")
text = text.replace("join: [frame.x, specimen.x] }", "join: [frame.x, specimen.x] }, { join: [frame.y, other.y] }")
print(text.replace("transfer: { a1: {} }", "transfer: { a1: {}, a2: {} }"), end="")
END
meet several 0 "enable; jog a1 1 mm; jog a2 2 mm; homing a1; enable; status; jog a1 -1 mm; wait 0.1 s; status" \
    "ok: a1 at its zero, displacement 0 m; the drives are disabled" "a1: command 0 m, displacement 0 m, force 142" \
    "a1: command -1 mm, displacement -1 mm, force 106"
meet several 2 "enable; homing a2" "a2: its rig has no homing; nothing was moved"
sed 's/0x6099:2:u32: 20000/0x6099:2:u32: 300000/' several.yaml >several_fast.yaml
meet several_fast 2 "enable; homing a1" "a1: west: the speeds of homing, 0x6099, are above limits.console.speed; nothing was moved"
exit $failed
