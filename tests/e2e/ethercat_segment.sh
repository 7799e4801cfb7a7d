#!/usr/bin/env bash
# `yoke serve --ethercat` at one end of a veth pair and `yoke run` at the other, in a network namespace of their own that
# goes with this script: the samples of a run in one process, and for each fault the exit code, the reason and a complete
# recording. Skipped (77) where network namespaces are not allowed.
# usage: ethercat_segment.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail

if [ "${2:-}" != inside ]; then
    command -v python3 ip unshare >/dev/null || {
        echo "ethercat_segment.sh: skipped, it needs python3, ip and unshare"
        exit 77
    }
    apart=(unshare -n)
    [ "$(id -u)" -eq 0 ] || apart=(unshare -rn)
    "${apart[@]}" ip link add ykA type veth peer name ykB 2>/dev/null || {
        echo "ethercat_segment.sh: skipped, no network namespace with a veth pair can be made here"
        exit 77
    }
    exec "${apart[@]}" bash "$0" "$1" inside
fi

yoke=$1/yoke
patiently=$1/tests/patiently
file=${YOKE_SOURCE:?}/examples/spring-specimen/spring-specimen.yaml
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
ip link add ykA type veth peer name ykB
ip link set ykA up
ip link set ykB up
failed=0
skipped=0 # 77 once a fault was left out: the test is then not passed, but skipped

complain() {
    echo "$*" >&2
    failed=1
}

coupler='coupler: {vendor: 0xA5A5, product: 0x100001}'
# of `--drives float` and `--drives counts`
exact="slaves: {$coupler, drive: {vendor: 0xA5A5, product: 0x402064, drive: csp}}, channels: {
  a1.command: {slave: drive, entry: '0x2100:1'}, a1.displacement: {slave: drive, entry: '0x2200:1'},
  a1.force: {slave: drive, entry: '0x2200:2'}, a1.velocity: {slave: drive, entry: '0x2200:3'},
  a1.acceleration: {slave: drive, entry: '0x2200:4'}}"
counts="slaves: {$coupler, drive: {vendor: 0xA5A5, product: 0x402001, drive: csp},
  cell: {vendor: 0xA5A5, product: 0x301601}}, channels: {
  a1.command: {slave: drive, entry: '0x607A:0', scale: 0.1 um}, a1.displacement: {slave: drive, entry: '0x6064:0', scale: 0.1 um},
  a1.force: {slave: cell, entry: '0x6000:17', status: '0x6000:1', scale: 0.30517578125 N}}"
# a beat that follows a late one is early: no command is near a limit of rate that would clip it
# In lock-step the segment stands still while frames are missing, and the wall clock does not: how far a drive may lag
# behind its command by its own counting is no matter of these runs.
limits=(--set limits.command_rate=1000 --set limits.tracking_error=0.1 --set limits.position_error=0.1)

# serve OPTIONS...: starts the segment
serve() {
    : >serve.txt
    "$yoke" serve "$file" --ethercat ykB "$@" >serve.txt 2>&1 &
    server=$!
    for _ in $(seq 1500); do
        grep -q 'on EtherCAT' serve.txt && return
        "$patiently" --sleep 0.02
    done
    complain "yoke serve did not start: $(cat serve.txt)"
}

unserve() {
    kill "$server"
    wait "$server" || complain "yoke serve ended with $?: $(cat serve.txt)"
    server=
}

# run FOLDER SETTINGS OPTIONS...: leaves its exit code in $code
run() {
    local folder=$1 settings=$2
    shift 2
    code=0
    "$yoke" run --uncommissioned "tests: a simulated bus" "$file" -q -o "$folder" --set rig.backend=ethercat --set "rig.settings={interface: ykA, ${settings//$'\n'/}}" \
        "${limits[@]}" "$@" >run.txt 2>&1 || code=$?
}

# close_to_here FOLDER M: the largest displacement differs from that of the run in one process, by less than M metres
close_to_here() {
    python3 - here/summary.json "$1/summary.json" "$2" <<'EOP' || complain "$1: too far from the run in one process"
import json, sys
a, b = (json.load(open(name))["peaks"]["frame.x.u"] for name in sys.argv[1:3])
a, b = (p["peak"] if isinstance(p, dict) else p for p in (a, b))
assert 0 < abs(a - b) < float(sys.argv[3]), (a, b)
EOP
}

# bits: the samples of one process
"$yoke" run --uncommissioned "tests: a simulated bus" "$file" -q -o here --set time.end=3 >/dev/null
"$yoke" export here --csv here.csv >/dev/null
serve --drives float
run there "clock: false, reads_twice: true, wait: 10 s, silence: 10 s, $exact" --set time.end=3
unserve
[ $code -eq 0 ] || complain "lock-step: exit $code: $(cat run.txt)"
"$yoke" export there --csv there.csv >/dev/null
cmp here.csv there.csv || complain "lock-step: other samples than in one process"

# 16-bit forces: one count of 0.31 N through the loop moves 1800 kg on 106.6 kN/m by some um
serve
run counted "clock: false, reads_twice: true, wait: 10 s, silence: 10 s, $counts" --set time.end=3
unserve
[ $code -eq 0 ] || complain "counts: exit $code: $(cat run.txt)"
close_to_here counted 2e-5
grep -q 'in  0x6000:17  16 bit  force of a1' serve.txt || complain "the entries are not listed as a file has them: $(cat serve.txt)"

# a bus of other makers, as the file describes it: the same file for both sides
python3 - "$file" <<'EOP' >lab.yaml
import sys
print(open(sys.argv[1]).read().replace("on_trip: ramp", "on_trip: ramp, command_rate: 1000, tracking_error: 0.1")
      .replace("  backend: virtual\n", """  backend: ethercat
  settings:
    interface: ykA
    clock: false
    reads_twice: true
    wait: 10 s
    silence: 10 s
    slaves:
      coupler: { vendor: 0xA5A5, product: 0x100001 }
      axis:
        vendor: 0x1234
        product: 0x2200001
        revision: 0x50002
        drive: csp
        outputs: { 0x1600: [0x6040:0:u16, 0x607A:0:i32, 0x60FE:1:u32], 0x1601: [0x60B1:0:i32] }
        inputs: { 0x1A00: [0x6041:0:u16, 0x6064:0:i32, gap:3, 0x60FD:1:bool, gap:4, 0x6077:0:i16] }
        sdos: { 0x6065:0:u32: 100000 }
      cell: { vendor: 0x1234, product: 0x1E3052, inputs: { 0x1A00: [0x6000:1:u16, 0x6000:17:f32] } }
    channels:
      a1.command: { slave: axis, entry: 0x607A:0, scale: -0.05 um, offset: 1 mm }
      a1.displacement: { slave: axis, entry: 0x6064:0, scale: -0.05 um, offset: 1 mm }
      a1.force: { slave: cell, entry: 0x6000:17, status: 0x6000:1, scale: 2 N }
"""))
EOP
file=$work/lab.yaml serve
code=0
"$yoke" run --uncommissioned "tests: a simulated bus" lab.yaml -q -o described --set time.end=3 >run.txt 2>&1 || code=$?
unserve
[ $code -eq 0 ] || complain "described: exit $code: $(cat run.txt)"
close_to_here described 1e-6

# displacement and command from different zeros: 40 mm are refused with both numbers, and 0.5 mm are carried
grep -v a1.displacement: lab.yaml | sed 's/^      a1.force:/      a1.displacement: { slave: axis, entry: 0x6064:0, scale: -0.05 um, offset: 41 mm }\n&/' >zeros.yaml
file=$work/zeros.yaml serve
code=0
"$yoke" run zeros.yaml --uncommissioned "tests: a simulated bus" -q -o zeros --approach --set time.end=3 >run.txt 2>&1 || code=$?
unserve
[ $code -eq 2 ] && grep -q 'the device of actuator a1 stands at -0.04 m, and its measured displacement as a command is 0 m' run.txt &&
    grep -q 'nothing was moved' run.txt || complain "zeros apart: exit $code: $(cat run.txt)"
sed -i 's/offset: 41 mm/offset: 1.5 mm/' zeros.yaml
file=$work/zeros.yaml serve
code=0
"$yoke" run zeros.yaml --uncommissioned "tests: a simulated bus" -q -o carried --set time.end=3 >run.txt 2>&1 || code=$?
unserve
[ $code -eq 0 ] || complain "zeros 0.5 mm apart: exit $code: $(cat run.txt)"

# steps: how many the run made; ticks: with those that the segment made while the run stood still. A fault at 1 s comes close to tick 1000.
steps() { sed -n 's/^ *\([0-9]*\) of 300 steps.*/\1/p;$a 0' run.txt | head -1; }
ticks() { echo $((10 * $(steps) + $(sed -n 's/.*clock paused for \([0-9]*\) tick.*/\1/p;$a 0' run.txt | head -1))); }

# ended_by_machine WORDS: the run ended by what a stopped processor does to a bus with a clock, and not by the fault or before it
ended_by_machine() {
    local words='does not follow the reference clock\|EtherCAT: .* does not answer\|frames get lost\|no inputs\|no frame comes back'

    grep -q "$words\|does not reach OP\|stays in\|silence of the rig\|fell to SAFEOP: 0x1[AB]" run.txt || return
    [ "$(ticks)" -lt 950 ] || ! grep -q "$1" run.txt
}

# fault MODE EXIT WORDS FAULT: in lock-step or by the clock. In lock-step time runs fast while frames come back at once:
# then it is the supervisor that ends the run, by the silence of the rig. What watches the machine is off: deadlines, stalls, and
# silences as short as a processor may stop. By the clock a try that the machine ended is made again.
fault() {
    local mode=$1 wanted=$2 words=$3 what=$4 folder options=() more=(--set limits.missed_deadlines=0 --set limits.stall=0)
    local settings="clock: false, reads_twice: true, wait: 200 ms, silence: 20 s, watchdog: 1 s, $exact"

    [ "$words" = 'silence of the rig' ] || more+=(--set limits.peer_silence=10)
    [ "$words" != 'no frame comes back' ] || settings=${settings/silence: 20 s/silence: 1 s}
    if [ "$mode" = clock ]; then
        options=(--clock)
        more+=(--realtime --set limits.displacement=10 --set limits.force=1e6
            --set limits.command_rate=1e4 --set limits.tracking_error=10)
        settings="silence: 100 ms, watchdog: 1 s, patience: 4 s, $exact"
    fi
    for try in 1 2 3 4 5; do
        folder=$what-$mode-$try
        serve --drives float "${options[@]}" --fault "$what"
        run "$folder" "$settings" --set time.end=3 "${more[@]}"
        unserve
        { [ "$mode" = clock ] && ended_by_machine "$words"; } || break
        echo "$what, $mode: try $try was ended by the machine: $(head -1 run.txt)"
        if [ "$try" = 5 ] && [ "$(ticks)" -lt 950 ]; then
            echo "$what, $mode: left out, this machine is too busy to follow the clock"
            skipped=77
            return
        fi
    done
    [ $code -eq "$wanted" ] || complain "$what, $mode: exit $code instead of $wanted: $(cat run.txt)"
    grep -q "$words" run.txt || complain "$what, $mode: '$words' is not in: $(cat run.txt)"
    if [ "$wanted" -ne 2 ]; then
        grep -q ' 1 faults injected' serve.txt || complain "$what, $mode: not injected: $(cat serve.txt)"
        "$yoke" export "$folder" --ticks --csv rows.csv >export.txt 2>&1 || complain "$what, $mode: $(cat export.txt)"
        [ "$(ticks)" -ge 950 ] || complain "$what, $mode: ended before the fault: $(cat run.txt)"
        [ "$(wc -l <rows.csv)" -gt $((10 * ($(steps) - 1))) ] || complain "$what, $mode: the recording has $(wc -l <rows.csv) rows"
    fi
}

fault step 3 'no frame comes back' lost@1s
fault step 3 'no frame comes back' damaged@1s:2
fault step 3 'no frame comes back' late@1s
fault step 0 'of 300 steps' duplicate@1s
fault step 0 'of 300 steps' lost@1s+3ms
fault step 3 'silence of the rig' wkc@1s
fault step 3 'working counter' wkc-high@1s
fault step 3 'fell to SAFEOP' safeop@1s
fault step 3 'silence of the rig' cut@1s:1
fault step 3 'left its operation: fault' drive@1s
fault step 2 'but the file has' identity@0:2
fault clock 3 'fell to SAFEOP: 0x1A' drift@1s
fault clock 3 'working counter' wkc@1s
fault clock 3 'the bus ends behind slave 1' cut@1s:1

# Drives that warn, send an emergency and do not confirm their motion: the run goes to its end and says all of it, in its
# output, its summary and its report.
serve --drives float --fault warning@1s+10ms,emergency@2s,no-bit-12@0
run remarks "frames: all, clock: false, reads_twice: true, wait: 10 s, silence: 10 s, ${exact/drive: csp/drive: csp, follows: enabled}" --set time.end=4
unserve
[ $code -eq 0 ] || complain "remarks: exit $code: $(cat run.txt)"
for words in 'does not confirm that it follows its target' 'warns (bit 7)' 'emergency of slave 2 (drive): 0x4210, device too hot'; do
    grep -qF "$words" run.txt || complain "remarks: '$words' is not in the output: $(cat run.txt)"
    grep -qF "$words" remarks/summary.json || complain "remarks: '$words' is not in the summary"
    grep -qF "$words" remarks/report.html || complain "remarks: '$words' is not in the report"
done

# Its frames, by a reader of our own: each direction has at least two for each of the 4000 ticks, all of them EtherCAT, and none was dropped.
python3 - remarks/bus-ykA.pcapng <<'EOP' || complain "remarks: the file with the frames is wrong"
import struct, sys
data, at, count, dropped = open(sys.argv[1], "rb").read(), 0, {1: 0, 2: 0}, None
while at < len(data):
    kind, size = struct.unpack_from("<II", data, at)
    assert struct.unpack_from("<I", data, at + size - 4)[0] == size, at
    if kind == 6:
        length = struct.unpack_from("<I", data, at + 20)[0]
        assert data[at + 40:at + 42] == bytes([0x88, 0xA4])
        count[struct.unpack_from("<I", data, at + 28 + (length + 3) // 4 * 4 + 4)[0]] += 1
    if kind == 5:
        dropped = struct.unpack_from("<Q", data, at + 24)[0]
    at += size
assert min(count.values()) >= 8000 and dropped == 0, (count, dropped)
EOP

# A cut while the drive moves: it brakes first, and the slaves hear frames until it stands; no slave falls by its watchdog.
serve --drives float
run cut-moving "clock: false, reads_twice: true, wait: 10 s, silence: 10 s, $exact" --set limits.force=100 --set limits.on_trip=cut
unserve
[ $code -eq 3 ] || complain "cut: exit $code: $(cat run.txt)"
grep -q ' 0 falls to SAFEOP' serve.txt || complain "cut: $(cat serve.txt)"

# A master that follows a clock finds none in lock-step and says what to change. Under a sanitizer frames are so late that they may
# seem to keep the phase by chance.
finish() {
    [ $failed -eq 0 ] || exit $failed
    exit $skipped
}
[ -z "${CFLAGS:-}" ] || finish
serve --drives float
run no-clock "patience: 0.2 s, $exact"
unserve
[ $code -eq 1 ] || complain "no clock: exit $code: $(cat run.txt)"
grep -q 'yoke serve --clock' run.txt || complain "no clock: $(cat run.txt)"
finish
