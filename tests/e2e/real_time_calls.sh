#!/usr/bin/env bash
# What is marked YK_RT reaches no wait, no lock and no heap: tools/real-time-calls walks the calls of the library. Small
# files that break the rule, each in its own way, must be found.
set -euo pipefail
build=$1
tool=$YOKE_SOURCE/tools/real-time-calls
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$tool" "$build"

# finds WORDS < SOURCE: the tool complains of this file, in these words and once. All files are judged in one walk, at the end.
files=() complaints=()
finds() {
    local name=$scratch/bad${#complaints[@]}
    cat >"$name.c"
    "${CC:-cc}" ${CFLAGS:-} -std=c11 -D_GNU_SOURCE -O2 -I"$YOKE_SOURCE/include" -I"$YOKE_SOURCE/src" -c "$name.c" -o "$name.o"
    files+=("$name.o" "$name.c")
    complaints+=("$1")
}

finds 'bad_step0 -> helper (bad0.c) -> malloc' <<'C'
#include <stdlib.h>
#include <yoke/status.h>
void *bad_step0(size_t n) YK_RT;
__attribute__((noinline)) static void *helper(size_t n) { return malloc(n); }
void *bad_step0(size_t n) { return (char *)helper(n) + 1; }
C
finds 'reaches usleep' <<'C'
#include <unistd.h>
#include <yoke/status.h>
YK_RT static void nap(void) { usleep(10); } /* inlined: no code of its own */
void bad_setup1(void);
void bad_setup1(void) { nap(); }
C
finds 'bad_step2 -> yk_clock_sleep_until -> clock_nanosleep' <<'C'
#include "base/clock.h"
void bad_step2(void) YK_RT;
void bad_step2(void) { yk_clock_sleep_until(0); }
C
finds 'bad_step3 -> pthread_mutex_lock' <<'C'
#include <pthread.h>
#include <yoke/status.h>
int bad_step3(pthread_mutex_t *m) YK_RT;
int bad_step3(pthread_mutex_t *m) { return pthread_mutex_lock(m); }
C
finds "step is put into the slot 'step', which is marked, and has no mark" <<'C'
#include <yoke/transfer.h>
static double step(void *self, double command, double measured) { return command; }
extern const struct yk_controller_ops bad_controller4;
const struct yk_controller_ops bad_controller4 = {.name = "bad", .step = step};
C
finds "calls through the slot 'grow', which is not marked" <<'C'
#include <yoke/status.h>
struct bad { void (*grow)(struct bad *b); };
void bad_step5(struct bad *b) YK_RT;
void bad_step5(struct bad *b) { b->grow(b); }
C

code=0
"$tool" "$build" "${files[@]}" >"$scratch/said" || code=$?
wrong=0
for words in "${complaints[@]}"; do
    [ "$(grep -cF -- "$words" "$scratch/said")" -eq 1 ] || { echo "not found, or more than once: $words"; wrong=1; }
done
if [ $wrong -ne 0 ] || [ "$code" -ne 4 ] || ! grep -q "; ${#complaints[@]} complaints\$" "$scratch/said"; then
    echo "expected exit code 4 and ${#complaints[@]} complaints; exit code $code:"
    cat "$scratch/said"
    exit 1
fi
