#!/usr/bin/env bash
# What is marked YK_RT reaches no wait, no lock and no heap: tools/real-time-calls walks the calls of the library. Small
# files that break the rule, each in its own way, must be found.
set -euo pipefail
build=$1
tool=$YOKE_SOURCE/tools/real-time-calls
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$tool" "$build"

# finds WORDS < SOURCE: together with this file the tool complains, in these words and for nothing else.
finds() {
    cat >"$scratch/bad.c"
    "${CC:-cc}" ${CFLAGS:-} -std=c11 -D_GNU_SOURCE -O2 -I"$YOKE_SOURCE/include" -I"$YOKE_SOURCE/src" -c "$scratch/bad.c" -o "$scratch/bad.o"
    code=0
    "$tool" "$build" "$scratch/bad.o" "$scratch/bad.c" >"$scratch/said" || code=$?
    if [ "$code" -ne 4 ] || ! grep -qF -- "$1" "$scratch/said" || ! grep -q '; 1 complaints$' "$scratch/said"; then
        echo "expected exit code 4 and only '$1'; exit code $code:"
        cat "$scratch/said"
        exit 1
    fi
}

finds 'bad_step -> helper (bad.c) -> malloc' <<'C'
#include <stdlib.h>
#include <yoke/status.h>
void *bad_step(size_t n) YK_RT;
__attribute__((noinline)) static void *helper(size_t n) { return malloc(n); }
void *bad_step(size_t n) { return (char *)helper(n) + 1; }
C
finds 'reaches usleep' <<'C'
#include <unistd.h>
#include <yoke/status.h>
YK_RT static void nap(void) { usleep(10); } /* inlined: no code of its own */
void bad_setup(void);
void bad_setup(void) { nap(); }
C
finds 'bad_step -> yk_clock_sleep_until -> clock_nanosleep' <<'C'
#include "base/clock.h"
void bad_step(void) YK_RT;
void bad_step(void) { yk_clock_sleep_until(0); }
C
finds 'bad_step -> pthread_mutex_lock' <<'C'
#include <pthread.h>
#include <yoke/status.h>
int bad_step(pthread_mutex_t *m) YK_RT;
int bad_step(pthread_mutex_t *m) { return pthread_mutex_lock(m); }
C
finds "step is put into the slot 'step', which is marked, and has no mark" <<'C'
#include <yoke/transfer.h>
static double step(void *self, double command, double measured) { return command; }
extern const struct yk_controller_ops bad_controller;
const struct yk_controller_ops bad_controller = {.name = "bad", .step = step};
C
finds "calls through the slot 'grow', which is not marked" <<'C'
#include <yoke/status.h>
struct bad { void (*grow)(struct bad *b); };
void bad_step(struct bad *b) YK_RT;
void bad_step(struct bad *b) { b->grow(b); }
C
