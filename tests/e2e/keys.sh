#!/usr/bin/env bash
# A rig over UDP with a key: the same samples as in one process; another key, and none, are not heard.
set -u
yoke=$(realpath "$1")/yoke
patiently=$(realpath "$1")/tests/patiently
file=$YOKE_SOURCE/examples/spring-specimen/spring-specimen.yaml
scratch=$(mktemp -d)
cd "$scratch" || exit 1
rig=
trap 'kill $rig 2>/dev/null; wait 2>/dev/null; rm -rf "$scratch"' EXIT
fail() { echo "$1"; exit 1; }

"$yoke" serve --make-key key >/dev/null 2>words || { grep -q 'without libsodium' words && { echo "skipped: $(cat words)"; exit 77; }; fail "no key"; }
"$yoke" serve --make-key key 2>words
[ $? = 2 ] && grep -q 'never replaced' words || fail "a key that exists: $(cat words)"
"$yoke" serve --make-key other >/dev/null
[ "$(stat -c %a key)" = 600 ] || fail "others may read the key"

"$yoke" serve "$file" --udp 0 --key key >rig.txt 2>rig.err & rig=$!
for i in $(seq 200); do grep -q 'with a key' rig.txt && break; "$patiently" --sleep 0.05; done
port=$(sed -n 's/.*127.0.0.1:\([0-9]*\), with a key/\1/p' rig.txt)
[ -n "$port" ] || fail "yoke serve does not say its port: $(cat rig.txt rig.err)"
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
