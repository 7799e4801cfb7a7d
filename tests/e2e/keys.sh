#!/usr/bin/env bash
# A rig over UDP with a key: the same samples as in one process; another key, and none, are not heard. What somebody on the wire has
# recorded keeps no run away, also not from a rig that was started again; a rig that is in use says so.
set -u
yoke=$(realpath "$1")/yoke
patiently=$(realpath "$1")/tests/patiently
file=$YOKE_SOURCE/examples/spring-specimen/spring-specimen.yaml
scratch=$(mktemp -d)
cd "$scratch" || exit 1
rig= relay= first=
trap 'kill $rig $relay $first 2>/dev/null; wait 2>/dev/null; rm -rf "$scratch"' EXIT
fail() { echo "$1"; exit 1; }

"$yoke" serve --make-key key >/dev/null 2>words || { grep -q 'without libsodium' words && { echo "skipped: $(cat words)"; exit 77; }; fail "no key"; }
"$yoke" serve --make-key key 2>words
[ $? = 2 ] && grep -q 'never replaced' words || fail "a key that exists: $(cat words)"
"$yoke" serve --make-key other >/dev/null
[ "$(stat -c %a key)" = 600 ] || fail "others may read the key"

serve() { # PORT
    "$yoke" serve "$file" --udp "$1" --key key >rig.txt 2>rig.err & rig=$!
    for i in $(seq 200); do grep -q 'with a key' rig.txt && break; "$patiently" --sleep 0.05; done
    port=$(sed -n 's/.*127.0.0.1:\([0-9]*\), with a key/\1/p' rig.txt)
    [ -n "$port" ] || fail "yoke serve does not say its port: $(cat rig.txt rig.err)"
}
serve 0
settings="--set time.end=2 --set limits.command_rate=1 --set limits.tracking_error=1 --no-report -q"
over_udp() { "$yoke" run "$file" $settings --set rig.backend=udp --set "rig.settings={port: $port, wait: 20, silence: 20, patience: $2 $3}" -o "$1"; }

"$yoke" run "$file" $settings -o here || fail "the run in one process"
over_udp there 20 ", key: $scratch/key" || fail "the run with the key"
"$yoke" export here --csv here.csv && "$yoke" export there --csv there.csv
cmp here.csv there.csv || fail "the samples differ"
grep -q '"forged": 0' there/summary.json || fail "summary.json does not count forged messages"

over_udp wrong 0.5 ", key: $scratch/other" 2>words && fail "another key was heard"
grep -q 'no rig answers' words || fail "another key: $(cat words)"
over_udp none 0.5 "" 2>words && fail "a run without a key was heard"
kill -INT $rig
wait $rig
rig=
counts=$(tail -n 1 rig.txt)
grep -Eq ' [1-9][0-9]* forged' <<<"$counts" || fail "forged messages were not counted: $counts"
grep -Eq ' 1 sessions| in 1 sessions' <<<"$counts" || fail "more than one session: $counts"

# somebody between them keeps what begins a session, and repeats it all the time
at=$port
serve "$at"
cat >relay.py <<'PYTHON'
import select, socket, sys, time
front, back = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for k in range(2))
front.bind(("127.0.0.1", 0))
back.connect(("127.0.0.1", int(sys.argv[1])))
print(front.getsockname()[1], flush=True)
kept, run, due = [], None, 0
while True:
    try:
        for s in select.select([front, back], [], [], 0.002)[0]:
            data, sender = s.recvfrom(2000)
            if s is front:
                run = sender
                back.send(data)
                if data[:3] == b"YSH":
                    kept.append(data)
            elif run:
                front.sendto(data, run)
        if time.monotonic() >= due:
            due = time.monotonic() + 0.002
            for hello in kept[-4:] + kept[:4]:
                back.send(hello)
    except ConnectionRefusedError:
        pass # the rig is started again
PYTHON
/usr/bin/python3 relay.py "$at" >relay.txt & relay=$!
for i in $(seq 200); do [ -s relay.txt ] && break; "$patiently" --sleep 0.05; done
port=$(cat relay.txt)
for k in 1 2 3; do
    over_udp "relayed$k" 20 ", key: $scratch/key" >/dev/null 2>words || fail "run $k beside somebody who repeats greetings: $(cat words)"
done
kill -INT $rig
wait $rig
counts=$(tail -n 1 rig.txt)
grep -q ' in 3 sessions (0 lost' <<<"$counts" && grep -Eq ' [1-9][0-9]* void' <<<"$counts" || fail "three runs, and greetings that are void: $counts"
serve "$at"
port=$(cat relay.txt)
over_udp anew 20 ", key: $scratch/key" >/dev/null 2>words || fail "a run with a rig that was started again: $(cat words)"
kill $relay
wait $relay 2>/dev/null
relay=

# a rig that is in use says so
port=$at
"$yoke" run "$file" $settings --set time.end=1000 --set rig.backend=udp --set "rig.settings={port: $port, key: $scratch/key, patience: 20}" -o first >first.txt 2>&1 &
first=$!
for i in $(seq 100); do
    over_udp second 0.3 ", key: $scratch/key" >/dev/null 2>words
    grep -q 'stays in use by another session for 0.3 s' words && break
    rm -rf second
done
grep -q 'stays in use by another session for 0.3 s' words || fail "a rig that is in use: $(cat words)"
