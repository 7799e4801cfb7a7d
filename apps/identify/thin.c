/* Long recordings at a high rate: means of some rows for each that is kept. Command and motion pass the same filter, so
 * the response between them stays; what is identified lies far below the rate. */
#include "identify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ENOUGH_ROWS 5e5    /* twice as many are thinned out, */
#define ENOUGH_HZ   2000.0 /* down to this rate at least */

/* Means of `of` rows, in place; a rest at the end of a record is left out. */
static void average(struct yk_log *log, size_t of)
{
    size_t to = 0;

    for (size_t s = 0; s < log->segments; s++) {
        const size_t from = log->first[s], rows = (log->first[s + 1] - from) / of;

        log->first[s] = to;
        for (size_t k = 0; k < rows; k++, to++) {
            log->time[to] = log->time[from + k * of] + 0.5 * (double)(of - 1) * log->step_s;
            for (size_t c = 0; c < log->count; c++) {
                double sum = 0;

                for (size_t i = 0; i < of && log->column[c].x; i++)
                    sum += log->column[c].x[from + k * of + i];
                if (log->column[c].x)
                    log->column[c].x[to] = sum / (double)of;
            }
        }
    }
    log->first[log->segments] = log->rows = to;
    log->step_s *= (double)of;
}

enum yk_status identify_thin(struct recording *f, struct yk_err *err)
{
    const double of = floor(fmin((double)f->log.rows / ENOUGH_ROWS, 1 / (ENOUGH_HZ * f->log.step_s)));
    char *notes;

    if (!(of >= 2))
        return YK_OK;
    if (asprintf(&notes, "%s%zu rows at %.6g Hz: means of %.0f rows are identified\n", f->log.notes, f->log.rows,
                 1 / f->log.step_s, of) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    free(f->log.notes);
    f->log.notes = notes;
    average(&f->log, (size_t)of);
    return YK_OK;
}
