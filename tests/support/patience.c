#include "support/patience.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double seconds_on(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time of a fixed amount of work over that of the reference, the best of three; sanitizers count. */
static double slowness(void)
{
    enum { WORDS = 4096, ROUNDS = 100 };
    static const double reference_s = 0.25e-3; /* 1.4 ms under the address sanitizer */
    static unsigned cells[WORDS];
    double best = 1;

    for (int tries = 0; tries < 3; tries++) {
        const double begin = seconds_on(CLOCK_THREAD_CPUTIME_ID);

        for (unsigned k = 0; k < ROUNDS; k++)
            for (unsigned i = 0; i < WORDS; i++)
                cells[i] = cells[(i * 7 + k) % WORDS] * 31 + i;
        const double took = seconds_on(CLOCK_THREAD_CPUTIME_ID) - begin;
        if (tries == 0 || took < best)
            best = took;
    }
    return best > reference_s ? best / reference_s : 1;
}

/* Runnable processes for each processor: now, or on average over a minute if that is more. */
static double crowd(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    FILE *in = fopen("/proc/loadavg", "re");
    double minute = 0;
    int now = 0;

    if (in) {
        if (fscanf(in, "%lf %*f %*f %d/", &minute, &now) != 2)
            minute = now = 0;
        fclose(in);
    }
    const double most = now - 1 > minute ? now - 1 : minute; /* without this one */
    return processors > 0 && most > (double)processors ? most / (double)processors : 1;
}

double patience(void)
{
    static double alone;

    if (alone == 0)
        alone = slowness();
    return alone * crowd();
}

void patience_sleep(double seconds)
{
    const double longer = seconds * patience();

    nanosleep(&(struct timespec){(time_t)longer, (long)(1e9 * (longer - (double)(time_t)longer))}, NULL);
}
