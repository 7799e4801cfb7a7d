/* A linear spring, F = k x + c v, and what can go wrong with one: BAD is compiled in. */
#include "model.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

enum { NOTHING, NAN_LATER, DIES, EXITS, SLEEPS, LOOPS, FAILS, FORGETS, STOPS, ROUNDS, SCRIBBLES };
#ifndef BAD
#define BAD NOTHING
#endif
enum { X = 1, V, F, K, C };

static void start(struct model *m)
{
    m->x[K] = 1000;
}

static void evaluate(struct model *m)
{
    m->x[F] = m->x[K] * m->x[X] + m->x[C] * m->x[V];
}

/* Over all memory that it shares with the program; it knows the number of its file. */
static void scribble(void)
{
    struct stat about;
    char *at;

    if (fstat(3, &about) || (at = mmap(NULL, (size_t)about.st_size, PROT_WRITE, MAP_SHARED, 3, 0)) == MAP_FAILED)
        return;
    for (;;)
        for (long i = 0; i < about.st_size; i++)
            ((volatile char *)at)[i] = (char)('A' + i % 23);
}

static int step(struct model *m, double t, double h)
{
    static int steps;
    const int bad = BAD;

    evaluate(m);
    if (bad == FORGETS)
        m->x[F] += steps++;
    if (t + h < 0.1)
        return 0;
    switch (bad) {
    case NAN_LATER:
        m->x[F] = NAN;
        break;
    case DIES:
        raise(SIGSEGV);
        break;
    case EXITS:
        exit(0);
    case SLEEPS:
        nanosleep(&(struct timespec){.tv_sec = 3}, NULL);
        break;
    case LOOPS:
        for (;;)
            ;
    case SCRIBBLES:
        scribble();
        break;
    case FAILS:
        return 3;
    default:
        break;
    }
    return 0;
}

const struct model_behaviour model_behaviour = {.start = start, .evaluate = evaluate, .step = step};
