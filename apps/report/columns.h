/* A stream of a recording for a page: every channel with few points that hide no peak, and some channels in full.
 *
 * The rows are divided into stretches of equal length. Of each stretch a channel has its least and its largest value,
 * in the order in which they came; short streams have every row. */
#ifndef YOKE_REPORT_COLUMNS_H
#define YOKE_REPORT_COLUMNS_H

#include <yoke/recording.h>

/* A column that is made from others: the largest |sum of factor x column| of its groups, or the sum where there is one
 * group. A column or a group that is not there is left out. */
struct yk_page_group {
    size_t count;
    int *column;
    double *factor;
};
struct yk_page_derived {
    struct yk_channel channel;
    size_t count;
    struct yk_page_group *groups;
};

struct yk_page_column {
    const struct yk_channel *channel;
    float *points;
    double least, largest; /* of all rows; NaN where there is none */
    double first;          /* of the first row */
    double *all;           /* every `stride`-th row, where it was asked for; else NULL */
};

struct yk_page_columns {
    uint64_t rows;
    size_t count;        /* columns: those of the stream, then the derived ones; the first is the time */
    size_t stretch;      /* rows in a stretch; 1: every row is there */
    size_t points;       /* of a column */
    double *time;        /* of each point [s] */
    size_t stride, kept; /* of the columns that are kept in full: every `stride`-th row, so many */
    struct yk_page_column *columns;
    size_t change_count; /* how often the watched column took another value: at most YK_PAGE_CHANGES */
    struct yk_page_change {
        double time, value;
    } * changes; /* the first is the first row */
};

/* The parts of a stream that a page needs. */
struct yk_page_wish {
    size_t most;      /* points of a column, at least 4 */
    const bool *full; /* by column: keep all rows; NULL: of none */
    int watched;      /* the column whose changes are listed; -1: none */
    const struct yk_page_derived *derived;
    size_t derived_count;
};

enum { YK_PAGE_CHANGES = 1000 };
enum yk_status yk_page_columns_read(struct yk_page_columns *c, struct yk_recording *recording, int stream,
                                    const struct yk_page_wish *wish, struct yk_err *err);
/* Fewer points: `factor` of them become two, the least and the largest in the order in which they came; the times are
 * those of the first and the middle one. `factor` is even. Return how many there are, at most 2 + 2 points/factor. */
size_t yk_page_coarsen(const struct yk_page_columns *c, size_t column, size_t factor, float *to);
size_t yk_page_coarsen_time(const struct yk_page_columns *c, size_t factor, double *to);
void yk_page_columns_free(struct yk_page_columns *c);

#endif
