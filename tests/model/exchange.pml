/* The meeting of the two sides of a coupling (struct yk_crew in src/engine/crew.c).
 *
 * The fine side writes the phase, then raises `asked`; the coarse side works and sets `done` to it. Each counter has
 * one writer and neither side ever blocks the other: the fine one waits a bounded number of ticks, in which it keeps
 * the rig on hold, and gives up then. Here the coarse side takes as long as it likes, or hangs for good.
 *
 * Checked: the result is never read while it is written; the fine side always comes to its end (`safe`); nothing is in
 * deadlock unless the coarse side hangs. */
#define PHASES 3
#define BOUND  2

byte asked = 0, done = 0, phase = 0, result = 0;
bool quit = false, writing = false, hung = false, safe = false, tripped = false;

active proctype fine()
{
    byte waited, k;

    for (k : 1 .. PHASES) {
        assert(asked == done); /* the coarse side is at rest: the phase may be written */
        phase = k;
        asked = k;
        skip; /* fine substeps */
        waited = 0;
        do
        :: done == asked -> break
        :: done != asked && waited < BOUND -> waited++ /* a tick on hold */
        :: done != asked && waited == BOUND -> tripped = true; goto end
        od;
        /* sync */
        assert(!writing);
        assert(result == k)
    }
end:
    safe = true; /* the actuators are at rest, whatever the coarse side does */
    quit = true
}

active proctype coarse()
{
    byte mine, longer;

end_idle:
    do
    :: asked != done ->
        mine = phase;
        writing = true;
        longer = 0;
        do
        :: longer < 3 * BOUND -> longer++
        :: break
        :: hung = true; goto end_hung
        od;
        result = mine;
        writing = false;
        done = mine
    :: quit && asked == done -> break
    od;
    goto end_home;
end_hung:
    false;
end_home:
    skip
}

ltl always_safe { <> safe }
