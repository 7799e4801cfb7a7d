/* How a session of a rig begins (src/rig/serve.c, challenge.c), with somebody on the wire who keeps every message and
 * delivers it as often, as late and in whatever order he likes, or never. He cannot make one: he has no key.
 *
 * So the wire is the set of what was ever said. Numbers of the rig never come again, also not when it is started anew.
 * A number may be replaced at any time. Commands of a session are known by its keys, which are gone after a restart.
 * spoil.pml is made by the test: with GREETINGS_FEED, REPEATS_FEED or NO_NUMBER the model must fail.
 *
 * Checked: a number begins one session at most, and only while it is offered; the rig is never in a session for more than
 * LIMIT ticks without a new command of its run; it is free again and again. */
#include "spoil.pml"

#define RUNS     2
#define NUMBERS  2
#define COMMANDS 1
#define LIMIT    2
#define at(r, n) (r) * (NUMBERS + 1) + (n)

mtype = { waiting, welcomed, begun };

/* what was said */
bool hello[RUNS * (NUMBERS + 1)], challenge[RUNS * (NUMBERS + 1)], welcome[RUNS];
byte commands[RUNS]; /* 1 .. commands[r] */

/* the rig */
mtype state = waiting;
byte session = 0, taken = 0, quiet = 0;
byte number = 0, fresh = 1; /* offered now, 0: none; the next */
bool restarted = false;

/* the observer */
bool used[NUMBERS + 1]; /* numbers that have begun a session */
byte since = 0; /* ticks since a new command was taken */

inline on_hello(r, n)
{
    if
    :: state == waiting ->
        if
#ifdef NO_NUMBER
        :: true ->
#else
        :: n != 0 && n == number ->
#endif
            assert(!used[n]);
            used[n] = true;
            state = welcomed;
            session = r;
            number = 0;
            taken = 0;
            quiet = 0;
            since = 0;
            welcome[r] = true
#ifndef NO_NUMBER
        :: else ->
            if
            :: number == 0 && fresh <= NUMBERS -> number = fresh; fresh++
            :: else -> skip
            fi;
            if
            :: number != 0 -> challenge[at(r, number)] = true
            :: else -> skip
            fi
#endif
        fi
    :: state != waiting && session == r ->
#ifdef GREETINGS_FEED
        quiet = 0
#else
        skip /* WELCOME again, or void */
#endif
    :: else -> skip /* in use */
    fi
}

inline on_command(r, k)
{
    if
    :: state != waiting && session == r && k > taken ->
        taken = k;
        state = begun;
        quiet = 0;
        since = 0
    :: state != waiting && session == r && k <= taken ->
#ifdef REPEATS_FEED
        quiet = 0
#else
        skip
#endif
    :: else -> skip
    fi
}

active proctype rig()
{
    byte r, n;

end_listen:
    do
    :: atomic {
           select(r : 0 .. RUNS - 1);
           select(n : 0 .. NUMBERS);
           if
           :: hello[at(r, n)] -> on_hello(r, n)
           :: else -> skip
           fi;
           r = 0;
           n = 0
       }
    :: atomic {
           select(r : 0 .. RUNS - 1);
           select(n : 1 .. COMMANDS);
           if
           :: n <= commands[r] -> on_command(r, n)
           :: else -> skip
           fi;
           r = 0;
           n = 0
       }
    :: atomic { number != 0 -> number = 0 }
    :: atomic { !restarted -> restarted = true; state = waiting; number = 0 }
    od
}

active proctype clock()
{
end_tick:
    do
    :: atomic {
           state != waiting ->
           quiet++;
           since++;
           assert(since <= LIMIT);
           if
           :: quiet >= LIMIT -> state = waiting
           :: else -> skip
           fi
       }
    od
}

/* Two runs, one after the other or at once; each may end at any time, without a word. */
active [RUNS] proctype commander()
{
    byte me = _pid - 2, known = 0, n;

    do
    :: hello[at(me, known)] = true
    :: atomic {
           select(n : 1 .. NUMBERS);
           if
           :: challenge[at(me, n)] -> known = n
           :: else -> skip
           fi;
           n = 0
       }
    :: atomic { welcome[me] && commands[me] < COMMANDS -> commands[me]++ }
    :: break
    od
}

ltl is_free { [] <> (state == waiting) }
