#!/usr/bin/env bash
# The example over EtherCAT between two ends of a veth pair, in a network of its own: its bus is listed, counts do not
# change its motion by more than a count, and drives stop when the master is killed. Faults and bits: ethercat_segment.sh.
# Skipped where no network namespace is to be had.
# usage: ethercat.sh BUILD_FOLDER, with YOKE_SOURCE in the environment
set -euo pipefail
program=$(realpath "$1")/yoke
patiently=$(realpath "$1")/tests/patiently

# A namespace of processes, too: whatever was started ends with this script, even if it is killed.
if [ "${2:-}" != inside ]; then
    for as in --mount-proc "-r --mount-proc" "" "-r"; do # with its own /proc, which sanitizers read
        if unshare $as -n -p --fork ip link add yka type veth peer name ykb 2>/dev/null; then
            exec unshare $as -n -p --fork --kill-child bash "$0" "$1" inside
        fi
    done
    echo "skipped: no network namespace, or no veth (run as root, or allow user namespaces)"
    exit 77
fi
ip link add yka type veth peer name ykb
for end in yka ykb; do
    sysctl -qw net.ipv6.conf.$end.disable_ipv6=1 2>/dev/null || true
    ip link set $end up
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
file=$YOKE_SOURCE/examples/ethercat/ethercat.yaml

fail() {
    echo "$*"
    exit 1
}

# serve OPTIONS...: the segment at the other end, in place of the last one.
serve() {
    if [ -n "${segment:-}" ]; then
        kill "$segment"
        wait "$segment" || true
    fi
    "$program" serve "$file" --ethercat ykb "$@" >serve.log 2>&1 &
    segment=$!
    for _ in $(seq 600); do
        grep -q simulating serve.log && return
        "$patiently" --sleep 0.05
    done
    fail "the segment does not start: $(cat serve.log)"
}

run() { "$program" run --uncommissioned "tests: a simulated bus" "$file" --force --set time.end=3 --set limits.command_rate=1000 "$@"; }

# ---- the bus is listed, and the file that is written for it can be checked once it is filled in ----

serve
"$program" ethercat scan yka --write bus.yaml >list
grep -q '^2 .*axis .*0x0000A5A5  0x00402001' list || fail "the drive is not listed: $(cat list)"
grep -q 'outputs 0x1600: \[0x6040:0:u16, 0x607A:0:i32\]' list || fail "no outputs: $(cat list)"
# Nobody has said yet which load cell is whose: refused, as is a run, before anything moves.
for verb in check run; do
    code=0
    "$program" $verb bus.yaml >check.txt 2>&1 || code=$?
    [ $code = 2 ] && grep -q "the force of 'a1' has no channel" check.txt || fail "$verb takes the file of scan: $code, $(cat check.txt)"
done
sed -i "s/# a1.force: { slave: ?, entry: ?, status: ? }/a1.force: { slave: slave3, entry: 0x6000:17, status: 0x6000:1 }/;s/# a1.force: { raw: count, scale: ? }/a1.force: { raw: count, scale: 0.30517578125 N }/" bus.yaml
"$program" check bus.yaml >check.txt || fail "yoke check refuses the file of scan: $(cat check.txt)"

# ---- counts change the motion by less than one count of force ----

run -o virtual --set rig.backend=virtual --set 'rig.settings={}' >/dev/null
run -o counts --set rig.settings.interface=yka >/dev/null || fail "the run fails: $(cat serve.log)"
for name in virtual counts; do
    "$program" export $name --csv $name.csv >/dev/null
done
# one count of displacement is 0.1 um, and one of force is 0.31 N, which is 0.31 N / 35530 N/m = 8.6 um of the specimen
awk -F, 'NR == FNR { if (FNR > 1) for (i = 2; i <= NF; i++) a[FNR, i] = $i; next }
    FNR == 1 { for (i = 2; i <= NF; i++) if ($i == "frame.x.u") c = i; next }
    { d = $c - a[FNR, c]; if (d < 0) d = -d; if (d > m) m = d }
    END { printf "largest difference of frame.x.u by counts: %g um\n", 1e6 * m; exit !(c && m > 0 && m < 8.6e-6) }' \
    virtual.csv counts.csv || fail "counts change the motion by more than one count of force"

# ---- a master that is killed: the watchdogs stop the drives ----

# A machine that stops a processor for long ends the run before it moves: then once more.
for try in 1 2 3 4 5; do
    serve --clock
    "$program" run --uncommissioned "tests: a simulated bus" "$file" -o killed-$try --set rig.settings.interface=yka --set rig.settings.clock=true --set rig.settings.reads_twice=false \
        --set rig.settings.silence=0.1 --set time.end=100s --set limits.peer_silence=10 --set limits.command_rate=1000 \
        --realtime --set limits.missed_deadlines=0 --set limits.stall=0 >said 2>&1 &
    victim=$!
    for _ in $(seq 600); do # until it moves
        grep -q '[1-9] % of' said && break
        kill -0 $victim 2>/dev/null || break
        "$patiently" --sleep 0.1
    done
    ! kill -9 $victim 2>/dev/null || break
    echo "try $try was ended by the machine: $(head -1 said)"
    grep -q 'EtherCAT\|the rig is lost' said || fail "the run has ended by itself: $(cat said)"
    if [ $try = 5 ]; then
        echo "EtherCAT over veth: listed and moved; the kill was left out, this machine is too busy to follow the clock"
        exit 77
    fi
done
sleep 0.5
kill "$segment"
wait "$segment" || true
segment=
grep -q ' [1-9][0-9]* falls' serve.log || fail "no slave has stopped by its watchdog: $(cat serve.log)"
echo "EtherCAT over veth: listed, moved, and stopped by itself when the master was killed"
