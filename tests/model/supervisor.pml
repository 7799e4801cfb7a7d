/* The loop of a station under its supervisor, with an operator who asks for anything at any time and limits that trip
 * at any tick. table.pml is made from yk_transitions by the test.
 *
 * Checked: what the method wants is never sent after a trip; a trip that was raised is never lost; nothing is sent
 * while idle; there is no deadlock; an abort, once heard, ends in done or tripped. With a PLC that answers when it
 * likes: high pressure is ordered only after low was acknowledged, nothing follows the method without high pressure, no
 * pressure is taken off under a ramp, and none is left on when the loop has ended. */
#include "table.pml"

byte state = S_IDLE;
byte entry = ENTRY_NONE;
bool raised = false;      /* a limit has tripped since the last reset */
bool one_step = false;
byte ramp = 0;            /* ticks left of it */
bool ask[EVENTS];         /* what the operator wants; the loop takes it at the next tick */
bool aborted = false;     /* the loop has heard an abort while something moved */

byte wanted = 0;          /* pressure: off, low, high */
byte ordered = 0;
byte answer = 0;          /* of the PLC */
bool starts = false;      /* a run waits for high pressure */
bool cut = false;

inline begin_ramp()
{
    if
    :: ramp = 0 /* nowhere to go */
    :: ramp = 2
    fi
}

inline enter()
{
    if
    :: entry == ENTRY_NONE -> skip
    :: entry == ENTRY_HURRY -> one_step = false; ramp = (ramp > 0 -> 1 : 0)
    :: else -> one_step = (entry == ENTRY_FOLLOW_ONE); ramp = 0
    fi;
    if
    :: entry == ENTRY_TO_START || entry == ENTRY_TO_HOME -> begin_ramp()
    :: entry == ENTRY_SAFE ->
        if
        :: begin_ramp() /* the action is ramp */
        :: skip         /* hold */
        :: cut = true
        fi
    :: else -> skip
    fi
}

inline post(e)
{
    transition(state, e, entry);
    enter();
    if
    :: e == E_RESUME -> one_step = false /* during a single step: no pause after it */
    :: else -> skip
    fi;
    if
    :: source(state) == SOURCE_RAMPED && ramp == 0 && entry != ENTRY_NONE ->
        transition(state, E_REACHED, entry);
        enter()
    :: else -> skip
    fi
}

inline raise()
{
    if
    :: !raised -> raised = true; post(E_TRIP)
    :: else -> skip /* the first cause stays */
    fi
}

inline hear(e)
{
    if
    :: ask[e] -> ask[e] = false; aborted = aborted || (e == E_ABORT && state >= S_STARTING); post(e)
    :: else -> skip
    fi
}

inline hear_start()
{
    if
    :: ask[E_START] -> ask[E_START] = false;
        if
        :: state == S_ARMED -> starts = true; wanted = 2
        :: else -> skip
        fi
    :: else -> skip
    fi
}

/* One step in a tick, acknowledged before the next; a step down does not wait forever. */
inline step_pressure()
{
    if
    :: state == S_DONE || state == S_IDLE || (raised && ramp == 0) -> wanted = 0
    :: else -> skip
    fi;
    if
    :: cut -> wanted = 0; ordered = 0
    :: !cut && wanted > ordered && answer == ordered && !raised ->
        assert(ordered == 0 || answer == 1);
        ordered++
    :: !cut && wanted < ordered && ramp == 0 -> /* acknowledged, or overdue */
        ordered--
    :: !cut && wanted < ordered && answer != ordered -> skip
    :: else -> skip
    fi;
    if
    :: starts && state == S_ARMED && ordered == 2 && answer == 2 -> starts = false; post(E_START)
    :: else -> skip
    fi
}

active proctype plc()
{
end:
    do
    :: atomic { answer < ordered -> answer++ }
    :: atomic { answer > ordered -> answer-- }
    od
}

active proctype loop()
{
    do
    :: atomic {
        /* requests, in the order of the table */
        hear(E_ARM); hear_start(); hear(E_PAUSE); hear(E_RESUME); hear(E_STEP); hear(E_ABORT);
        step_pressure();
        assert(!cut || ordered == 0);
        assert(source(state) != SOURCE_FOLLOWED || ordered == 2);
        assert(state != S_STARTING || ordered == 2);
        /* what the method wants is looked at before any of it is sent */
        if
        :: source(state) == SOURCE_FOLLOWED -> raise()
        :: skip
        fi;
        /* sent */
        assert(!(raised && source(state) == SOURCE_FOLLOWED));
        assert(!raised || state == S_TRIPPED);
        if
        :: ramp > 0 -> ramp--
        :: else -> skip
        fi;
        /* readings, deadlines, the coarse side */
        if
        :: raise()
        :: skip
        fi;
        assert(!raised || state == S_TRIPPED);
        if
        :: source(state) == SOURCE_RAMPED && ramp == 0 -> post(E_REACHED)
        :: else -> skip
        fi;
        /* the end of a system step, and of the run */
        if
        :: state == S_RUNNING && one_step -> post(E_PAUSE)
        :: state == S_RUNNING -> post(E_FINISH)
        :: skip
        fi;
        assert(!raised || state == S_TRIPPED)
       }
    :: atomic { (state == S_DONE || state == S_TRIPPED) && ramp == 0 -> post(E_RESET);
                assert(state == S_IDLE); raised = false; aborted = false;
                starts = false; cut = false; wanted = 0; ordered = 0 }
    :: (state == S_DONE || state == S_TRIPPED) && ramp == 0 && ordered == 0 -> break
    od
}

active proctype operator()
{
    byte asks;

    for (asks : 1 .. 6) {
        if
        :: ask[E_ARM] = true
        :: ask[E_START] = true
        :: ask[E_PAUSE] = true
        :: ask[E_RESUME] = true
        :: ask[E_STEP] = true
        :: ask[E_ABORT] = true
        fi
    }
}

/* An abort that moves something ends it: the run does not go on behind it. */
ltl abort_ends { [] (aborted -> (state != S_RUNNING)) }
