/* Time histories of a benchmark run: what should have moved how, and what did. */
#ifndef YOKE_BENCHMARK_HISTORY_H
#define YOKE_BENCHMARK_HISTORY_H

#include <yoke/status.h>

enum { YK_HISTORIES = 8 };

struct yk_history {
    const char *title;          /* "first floor [mm]", with the unit of the picture */
    const char *expected, *got; /* what the two curves are */
    double factor;              /* from SI to that unit */
    double *x, *y;              /* expected, got */
};

struct yk_histories {
    size_t count, samples;
    double step_s;
    struct yk_history all[YK_HISTORIES];
    double *room; /* malloc'd; the arrays lie in it */
};

/* Room for `count` histories; the caller fills in the words. Free with yk_histories_free, also on failure. */
enum yk_status yk_histories_make(struct yk_histories *h, size_t count, size_t samples, double step_s,
                                 struct yk_err *err);
void yk_histories_free(struct yk_histories *h);
/* A picture (svg, png or pdf): each over the whole run, and beside it the second about its peak. */
enum yk_status yk_histories_draw(const struct yk_histories *h, const char *title, const char *path, struct yk_err *err);

#endif
