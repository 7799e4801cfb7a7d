/* The progress of many runs, on the standard error. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <yoke/clock.h>
#include <yoke/progress.h>

enum { BAR = 40 };

struct yk_meter yk_meter_begin(bool quiet)
{
    const int64_t now = yk_clock_now_ns();

    return (struct yk_meter){.begin_ns = now, .shown_ns = now, .quiet = quiet, .terminal = isatty(STDERR_FILENO)};
}

void yk_meter_show(void *self, size_t done, size_t before, size_t all)
{
    struct yk_meter *m = self;
    const int64_t now = yk_clock_now_ns();
    const double left =
        done > before ? 1e-9 * (double)(now - m->begin_ns) * (double)(all - done) / (double)(done - before) : 0;
    char bar[BAR + 1];

    if (m->quiet || (done < all && now - m->shown_ns < (m->terminal ? 100000000 : 10000000000)))
        return;
    m->shown_ns = now;
    if (!m->terminal) {
        fprintf(stderr, "%zu of %zu runs, %.0f s left\n", done, all, left);
        return;
    }
    memset(bar, ' ', BAR);
    memset(bar, '#', BAR * done / all);
    bar[BAR] = 0;
    fprintf(stderr, "\r[%s] %zu of %zu runs  %.0f s left   %s", bar, done, all, left, done == all ? "\n" : "");
}
