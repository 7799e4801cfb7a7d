#include "columns.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 20, MOST_KEPT = 1 << 18 };

/* Extremes of one column in the present stretch. */
struct extreme {
    double least, largest;
    uint64_t least_at, largest_at;
};

struct pass {
    struct yk_page_columns *c;
    const struct yk_page_wish *wish;
    size_t channels; /* of the stream */
    double *row;     /* with the derived columns */
    struct extreme *now;
};

static float in_range(double x)
{
    return (float)(x > FLT_MAX ? FLT_MAX : x < -FLT_MAX ? -FLT_MAX : x);
}

static double sum_of(const struct yk_page_group *group, const double *row)
{
    double sum = 0;

    for (size_t i = 0; i < group->count; i++)
        sum += group->factor[i] * row[group->column[i]];
    return sum;
}

static double derive(const struct yk_page_derived *d, const double *row)
{
    double largest = NAN;

    if (d->count == 1)
        return sum_of(&d->groups[0], row);
    for (size_t g = 0; g < d->count; g++)
        largest = fmax(largest, fabs(sum_of(&d->groups[g], row)));
    return largest;
}

/* ---- a row ---- */

static void begin_stretch(struct pass *p)
{
    for (size_t i = 0; i < p->c->count; i++)
        p->now[i] = (struct extreme){NAN, NAN, 0, 0};
}

static void end_stretch(struct pass *p, uint64_t number)
{
    struct yk_page_columns *c = p->c;

    for (size_t i = 1; i < c->count; i++) {
        const struct extreme *e = &p->now[i];
        struct yk_page_column *column = &c->columns[i];
        const bool rises = e->least_at <= e->largest_at;

        if (c->stretch > 1) {
            column->points[2 * number] = in_range(rises ? e->least : e->largest);
            column->points[2 * number + 1] = in_range(rises ? e->largest : e->least);
        } else {
            column->points[number] = in_range(e->least);
        }
        column->least = fmin(column->least, e->least);
        column->largest = fmax(column->largest, e->largest);
    }
}

/* The two points of a stretch stand at its begin and in its middle. */
static void take_time(struct yk_page_columns *c, uint64_t at, double time)
{
    const uint64_t number = at / c->stretch, within = at % c->stretch;

    if (c->stretch == 1) {
        c->time[number] = time;
    } else {
        if (within == 0)
            c->time[2 * number] = c->time[2 * number + 1] = time;
        if (within <= c->stretch / 2)
            c->time[2 * number + 1] = time;
    }
}

static void watch(struct yk_page_columns *c, double time, double value)
{
    if (c->change_count < YK_PAGE_CHANGES && (!c->change_count || c->changes[c->change_count - 1].value != value))
        c->changes[c->change_count++] = (struct yk_page_change){time, value};
}

static void take_row(struct pass *p, uint64_t at)
{
    struct yk_page_columns *c = p->c;

    for (size_t d = p->channels; d < c->count; d++)
        p->row[d] = derive(&p->wish->derived[d - p->channels], p->row);
    if (at % c->stretch == 0)
        begin_stretch(p);
    take_time(c, at, p->row[0]);
    if (p->wish->watched >= 0)
        watch(c, p->row[0], p->row[p->wish->watched]);
    for (size_t i = 1; i < c->count; i++) {
        struct extreme *e = &p->now[i];
        const double x = p->row[i];

        if (x < e->least || (isnan(e->least) && !isnan(x))) {
            e->least = x;
            e->least_at = at;
        }
        if (x > e->largest || (isnan(e->largest) && !isnan(x))) {
            e->largest = x;
            e->largest_at = at;
        }
    }
    for (size_t i = 0; at == 0 && i < c->count; i++)
        c->columns[i].first = p->row[i];
    if (at % c->stride == 0)
        for (size_t i = 0; i < c->count; i++)
            if (c->columns[i].all)
                c->columns[i].all[at / c->stride] = p->row[i];
    if ((at + 1) % c->stretch == 0 || at + 1 == c->rows)
        end_stretch(p, at / c->stretch);
}

/* ---- all rows ---- */

static enum yk_status read_rows(struct pass *p, struct yk_recording *recording, int stream, struct yk_err *err)
{
    const uint64_t rows = p->c->rows;
    const size_t at_once = BLOCK_BYTES / sizeof(double) / p->channels + 1;
    double *block = malloc(at_once * p->channels * sizeof *block);
    enum yk_status st = block ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for %zu rows", at_once);

    for (uint64_t first = 0, n; first < rows && !st; first += n) {
        n = rows - first < at_once ? rows - first : at_once;
        if ((st = yk_recording_read(recording, stream, first, n, block, err)))
            break;
        for (uint64_t i = 0; i < n; i++) {
            memcpy(p->row, block + i * p->channels, p->channels * sizeof *block);
            take_row(p, first + i);
        }
    }
    free(block);
    return st;
}

static bool make_columns(struct yk_page_columns *c, const struct yk_recording *recording, int stream, size_t channels,
                         const struct yk_page_wish *wish)
{
    const bool *full = wish->full;
    bool good = (c->columns = calloc(c->count, sizeof *c->columns)) &&
                (c->time = calloc(c->points + 1, sizeof *c->time)) &&
                (c->changes = calloc(YK_PAGE_CHANGES, sizeof *c->changes));

    for (size_t i = 0; i < c->count && good; i++) {
        struct yk_page_column *column = &c->columns[i];

        column->channel =
            i < channels ? yk_recording_channel(recording, stream, i) : &wish->derived[i - channels].channel;
        column->least = column->largest = column->first = NAN;
        good = (column->points = calloc(c->points + 1, sizeof *column->points)) &&
               (!full || !full[i] || (column->all = calloc(c->kept + 1, sizeof *column->all)));
    }
    return good;
}

enum yk_status yk_page_columns_read(struct yk_page_columns *c, struct yk_recording *recording, int stream,
                                    const struct yk_page_wish *wish, struct yk_err *err)
{
    const size_t channels = yk_recording_channels(recording, stream);
    const uint64_t rows = yk_recording_rows(recording, stream);
    struct pass p = {.c = c, .wish = wish, .channels = channels};
    enum yk_status st;

    *c = (struct yk_page_columns){.rows = rows, .count = channels + wish->derived_count, .stretch = 1, .points = rows};
    if (rows > wish->most) {
        const uint64_t stretches = wish->most / 2;

        c->stretch = (rows + stretches - 1) / stretches;
        c->points = 2 * ((rows + c->stretch - 1) / c->stretch);
    }
    c->stride = (rows + MOST_KEPT - 1) / MOST_KEPT + (rows == 0);
    c->kept = (rows + c->stride - 1) / c->stride;
    p.row = calloc(c->count, sizeof *p.row);
    p.now = calloc(c->count, sizeof *p.now);
    st = p.row && p.now && make_columns(c, recording, stream, channels, wish)
             ? read_rows(&p, recording, stream, err)
             : yk_fail(err, YK_E_MEMORY, "out of memory for the %zu channels of a page", c->count);
    free(p.row);
    free(p.now);
    if (st)
        yk_page_columns_free(c);
    return st;
}

size_t yk_page_coarsen(const struct yk_page_columns *c, size_t column, size_t factor, float *to)
{
    const float *x = c->columns[column].points;
    size_t count = 0;

    for (size_t begin = 0; begin < c->points; begin += factor) {
        const size_t end = begin + factor < c->points ? begin + factor : c->points;
        size_t least = begin, largest = begin;

        for (size_t i = begin + 1; i < end; i++) {
            least = x[i] < x[least] || isnan(x[least]) ? i : least;
            largest = x[i] > x[largest] || isnan(x[largest]) ? i : largest;
        }
        to[count++] = x[least < largest ? least : largest];
        to[count++] = x[least < largest ? largest : least];
    }
    return count;
}

size_t yk_page_coarsen_time(const struct yk_page_columns *c, size_t factor, double *to)
{
    size_t count = 0;

    for (size_t begin = 0; begin < c->points; begin += factor) {
        const size_t middle = begin + factor / 2;

        to[count++] = c->time[begin];
        to[count++] = c->time[middle < c->points ? middle : c->points - 1];
    }
    return count;
}

void yk_page_columns_free(struct yk_page_columns *c)
{
    for (size_t i = 0; c->columns && i < c->count; i++) {
        free(c->columns[i].points);
        free(c->columns[i].all);
    }
    free(c->columns);
    free(c->time);
    free(c->changes);
    *c = (struct yk_page_columns){0};
}
