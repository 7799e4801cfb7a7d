#!/usr/bin/env bash
# Two sites in two network namespaces, with a key, latency, jitter, loss, doubled and reordered messages: the samples of one process with the
# same play-out, bit by bit. What is forged meanwhile is counted and ignored. A site that is killed ends the run in order.
set -u
yoke=$(realpath "$1")/yoke
patiently=$(realpath "$1")/tests/patiently
file=$YOKE_SOURCE/examples/two-sites/two-sites.yaml
[ "$(id -u)" = 0 ] && ip netns add "ykw$$" 2>/dev/null || { echo "skipped: network namespaces need root"; exit 77; }
scratch=$(mktemp -d)
cd "$scratch" || exit 1
end() {
    kill $(jobs -p) 2>/dev/null
    wait 2>/dev/null
    ip netns del "ykw$$"
    ip netns del "yke$$" 2>/dev/null
    rm -rf "$scratch"
}
trap end EXIT
fail() { echo "$1"; exit 1; }
"$yoke" serve --make-key key >/dev/null 2>words || { echo "skipped: $(cat words)"; exit 77; }

ip netns add "yke$$" || exit 1
number=0
for site in w e; do # a wire to each
    number=$((number + 1))
    ip link add "yk$site$$" type veth peer name eth0 netns "yk$site$$" &&
        ip addr add "10.77.$number.1/30" dev "yk$site$$" && ip link set "yk$site$$" up &&
        ip -n "yk$site$$" addr add "10.77.$number.2/30" dev eth0 && ip -n "yk$site$$" link set eth0 up || { echo "skipped: no veth"; exit 77; }
done

# serve NAMESPACE RIG ADDRESS PLAYOUT FAULTS...
serve() {
    ip netns exec "$1" "$yoke" serve "$file" --rig "$2" --set "rigs.$2.playout=$4" --udp 5000 --bind "$3" --key key "${@:5}" >"$2.txt" 2>"$2.err" &
    for i in $(seq 200); do grep -q 'on UDP' "$2.txt" && return; "$patiently" --sleep 0.05; done
    fail "site $2 does not start: $(cat "$2.err")"
}
end_time="--set time.end=2"
settings="$end_time --no-report -q --set rigs.west.playout=4ms"
remote="{port: 5000, key: $scratch/key, wait: 20, silence: 20, patience: 20"
distant() { # FOLDER
    "$yoke" run "$file" $settings --set rigs.west.backend=udp --set "rigs.west.settings=$remote, host: 10.77.1.2}" \
        --set rigs.east.backend=udp --set "rigs.east.settings=$remote, host: 10.77.2.2}" -o "$1"
}
serve "ykw$$" west 10.77.1.2 4ms --latency 1ms --jitter 0.9ms --loss 0.01 --reorder 0.05 --seed 1
west=$!
serve "yke$$" east 10.77.2.2 6ms --site east --latency 2ms --jitter 1.5ms --loss 0.01 --duplicate 0.02 --seed 2
east=$!

# a stranger on the same wire
/usr/bin/python3 - <<'PYTHON' &
import os, socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(3000):
    for address in ("10.77.1.2", "10.77.2.2"):
        s.sendto(b"YSD" + os.urandom(60), (address, 5000))
        s.sendto(b"YSH" + os.urandom(150), (address, 5000))
        s.sendto(b"YOKE" + os.urandom(80), (address, 5000))
    time.sleep(0.001)
PYTHON

"$yoke" run "$file" $settings -o here >here.txt || fail "the run in one process"
distant there >there.txt 2>there.err || fail "the run with two sites: $(cat there.err)"
for stream in "" --ticks; do
    "$yoke" export here $stream --csv here.csv && "$yoke" export there $stream --csv there.csv || fail "no export"
    cmp here.csv there.csv || fail "the samples of ${stream:-the steps} differ"
done

kill -INT $east; wait $east

# the recording of the site beside that of the run; one that was not commanded by it is refused
"$yoke" export there --ticks --sites east --csv both.csv 2>words || fail "no merged table: $(cat words)"
grep -q 'east: 6000 of 6000 ticks' words || fail "$(cat words)"
/usr/bin/python3 - <<'PYTHON' || fail "the recordings of run and site differ"
import csv
rows = list(csv.DictReader(open("both.csv")))
assert len(rows) == 6000
assert all(row["ram.sent"] == row["east.ram.command"] == row["east.ram.sent"] for row in rows)
assert all(rows[k]["ram.displacement"] == rows[k - 12]["east.ram.displacement"] for k in range(12, 6000)) # 6 ms later
PYTHON
"$yoke" export here --ticks --sites there --csv none.csv 2>words && fail "a run is no site"
"$yoke" export there --ticks --sites east/ --csv - 2>/dev/null | head -1 | grep -q ',east.ram.force' || fail "the name of a site with a slash"
# refuse WORDS COMMAND...: exit code 2 and these words
refuse() {
    "$patiently" 20 "$yoke" "${@:2}" >/dev/null 2>words
    [ $? = 2 ] && grep -q -- "$1" words || fail "yoke ${*:2}: $(cat words)"
}
refuse 'the same names' export there --ticks --sites east --sites ./east --csv none.csv
refuse 'yoke: nowhere: cannot' export there --ticks --sites nowhere --csv none.csv
refuse 'goes with --ticks --csv' export there --ticks --sites east --csv none.csv --hdf5 none.h5
refuse 'choose another folder$' serve "$file" --rig east --udp 0 --site east
refuse 'over UDP' serve "$file" --rig east --shm "sites$$" --site unused
refuse 'cannot listen' serve "$file" --rig east --udp 0 --bind 1.2.3.4 --site unused
[ ! -e unused ] && [ ! -e "/dev/shm/yoke-rig-sites$$" ] || fail "a site that was refused leaves something behind"

# a site with a clock moves before it plays the first command; both are put side by side all the same
serve "yke$$" east 10.77.2.2 6ms --site clocked --clock --silence 20s --set limits.peer_silence=20
clocked=$!
"$yoke" run "$file" $end_time --no-report -q --realtime --accept-quality --set limits.peer_silence=20 --set limits.missed_deadlines=0 --set limits.stall=0 --set limits.relative_error=0 \
    --set limits.command_rate=100 --set rigs.east.backend=udp \
    --set "rigs.east.settings={port: 5000, key: $scratch/key, host: 10.77.2.2, silence: 20, patience: 20}" -o paced >/dev/null 2>paced.err || fail "the run with a site with a clock: $(cat paced.err)"
kill -INT $clocked; wait $clocked
"$yoke" export paced --ticks --sites clocked --csv paced.csv 2>words || fail "$(cat words)"
/usr/bin/python3 - <<'PYTHON' || fail "the recordings of run and site with a clock differ: $(cat words)"
import csv
rows = list(csv.DictReader(open("paced.csv")))
both = [row for row in rows if row["clocked.ram.command"] != "nan"]
moving = [row for row in both if float(row["ram.sent"]) != 0]
# ramps take their time on the wall: a beat that is late saves a tick of them; while a busy machine answers late, they wait
assert 5900 <= len(rows) <= 12000 and len(both) > 1000 and len(moving) > 500, (len(rows), len(both), len(moving))
assert all(row["ram.sent"] == row["clocked.ram.command"] for row in both)
PYTHON

# a limit of the site stops the run, whatever the file of the run says
serve "yke$$" east 10.77.2.2 6ms --site strict --set "limits.force=10 kN"
strict=$!
distant refused >refused.txt 2>refused.err
[ $? = 3 ] && grep -q 'limit of the site: force of ram' refused.err || fail "the site has no say: $(cat refused.err)"
kill -INT $strict; wait $strict
# so does a site that cannot record
(trap '' XFSZ; ulimit -f 400; exec ip netns exec "yke$$" "$yoke" serve "$file" --rig east --udp 5000 --bind 10.77.2.2 --key key --site full >full.txt 2>full.err) &
full=$!
for i in $(seq 200); do grep -q 'on UDP' full.txt && break; "$patiently" --sleep 0.05; done
distant unrecorded >unrecorded.txt 2>unrecorded.err
[ $? = 3 ] && grep -q 'the site cannot record' unrecorded.err || fail "a site whose disk is full: $(cat unrecorded.err full.err)"
kill -INT $full; wait $full
grep -q 'full/run.h5: the recording is not complete' full.err || fail "$(cat full.err)"
serve "yke$$" east 10.77.2.2 6ms
east=$!
"$yoke" run "$file" --start-at yesterday -o never 2>words
[ $? = 2 ] && grep -q 'must be an instant' words || fail "--start-at: $(cat words)"

# a site that is killed: the run ends in order, and the other site goes home
cp "$file" "sites$$.yaml"
(
    for i in $(seq 600); do "$yoke" control status "sites$$" 2>/dev/null | grep -q 'running step [1-9]' && break; "$patiently" --sleep 0.05; done
    kill -KILL $(cat /proc/$east/task/*/children) $east
) &
"$yoke" run "sites$$.yaml" --set time.end=600 --no-report -q --set rigs.west.playout=4ms --set rigs.west.backend=udp \
    --set "rigs.west.settings={port: 5000, key: $scratch/key, host: 10.77.1.2, wait: 20, silence: 20}" --set rigs.east.backend=udp \
    --set "rigs.east.settings={port: 5000, key: $scratch/key, host: 10.77.2.2, wait: 1, silence: 1}" -o lost >lost.txt 2>lost.err
code=$?
[ $code = 3 ] || fail "a run whose site was killed ends with $code: $(cat lost.txt lost.err)"
grep -q 'east' lost.txt lost.err || fail "nobody says which site was lost: $(cat lost.txt lost.err)"
"$yoke" export lost --csv lost.csv || fail "the run that lost a site has no recording"
kill -INT $west
wait $west
grep -Eq '[1-9][0-9]* from strangers| [1-9][0-9]* forged|[1-9][0-9]* damaged' west.txt || fail "what was forged is not counted: $(tail -1 west.txt)"
echo "$(tail -1 west.txt)"
