#!/usr/bin/env bash
# The limits of the tests: a command keeps its exit code and its signal, one that hangs is ended with what it started, and the
# limit is longer while others keep the processors busy.
set -u
patiently=$1/tests/patiently
scratch=$(mktemp -d)
busy=
trap 'kill $busy 2>/dev/null; rm -rf "$scratch"' EXIT
fail() { echo "$1"; exit 1; }

"$patiently" 20 sh -c 'exit 77'
[ $? = 77 ] || fail "the exit code is lost"
"$patiently" 20 sh -c 'kill -SEGV $$' 2>/dev/null
[ $? = 139 ] || fail "the signal is lost"
"$patiently" 20 "$scratch/nothing" 2>/dev/null
[ $? = 127 ] || fail "a command that is not there"
"$patiently" nonsense true 2>/dev/null
[ $? = 2 ] || fail "a limit that is no number"

# what hangs goes, and its child goes along
"$patiently" 0.3 sh -c "sleep 1000 & echo \$! >$scratch/child; wait" 2>"$scratch/words"
[ $? = 124 ] || fail "what hangs is not ended"
grep -q 'did not end within 0.3 s' "$scratch/words" || fail "$(cat "$scratch/words")"
child=$(cat "$scratch/child")
if kill -0 "$child" 2>/dev/null && ! grep -q '^State:.*zombie' "/proc/$child/status"; then
    fail "its child goes on"
fi

# ten busy processes for each processor, until they are seen
awk -v f="$("$patiently" --factor)" 'BEGIN { exit !(f >= 1) }' || fail "a factor below 1"
for ((i = 0; i < 10 * $(nproc); i++)); do
    sh -c 'while :; do :; done' &
    busy="$busy $!"
done
for ((i = 0; i < 100; i++)); do
    factor=$("$patiently" --factor)
    awk -v f="$factor" 'BEGIN { exit !(f > 4) }' && exit 0
    sleep 0.05
done
fail "among ten busy processes for each processor a limit is only $factor times as long"
