#include "features.h"

#include <yoke/figure.h>
#include <yoke/json.h>
#include <yoke/page.h>
#include <yoke/sizing.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LOOPS = 8,
    LOOP_POINTS = 8000,
    MOST_SPECTRA = 12,
    LEAST_SAMPLES = 16,
    WINDOWS = 100,
    WINDOW_ROWS = 16,
    MOST_CURVE = 64
};
#define STILL 1e-3 /* share of the largest power of the target's velocity below which a window shows no delay */

/* The column of an owner with this kind, -1: none. */
static int find_column(const struct yk_page_columns *c, const char *kind, const char *owner)
{
    for (size_t i = 1; i < c->count; i++)
        if (strcmp(c->columns[i].channel->kind, kind) == 0 && strcmp(c->columns[i].channel->owner, owner) == 0)
            return (int)i;
    return -1;
}

bool yk_page_follows(const struct yk_channel *reading, const struct yk_channel *target)
{
    return !strcmp(target->kind, "target") && !strncmp(reading->kind, "measured ", 9) &&
           !strcmp(reading->owner, target->owner) && !strcmp(reading->unit, target->unit);
}

/* The reading of an actuator that follows this column, -1: none, or it is no target. */
static int find_reading(const struct yk_page_columns *c, size_t target)
{
    for (size_t i = 1; i < c->count; i++)
        if (yk_page_follows(c->columns[i].channel, c->columns[target].channel))
            return (int)i;
    return -1;
}

static double size_of(const struct yk_page_columns *c, size_t i)
{
    return fmax(fabs(c->columns[i].least), fabs(c->columns[i].largest));
}

static void separate(FILE *out, bool *first)
{
    fputs(*first ? "" : ",\n", out);
    *first = false;
}

/* ---- loops ---- */

static void put_axis(FILE *out, const char *name, const struct yk_channel *channel, const float *values, size_t n)
{
    fprintf(out, ",\"%s\":{", name);
    yk_page_member(out, "name", channel->name, true);
    yk_page_member(out, "unit", channel->unit, false);
    yk_page_member(out, "words", yk_channel_words(channel), false);
    fputs(",\"data\":", out);
    yk_page_floats(out, values, n);
    fputc('}', out);
}

/* The rows in which the state is `value`; the others leave no trace, so that ramps do not close a loop. */
static size_t choose(const struct yk_page_columns *c, int x, int y, int state, double value, double *to_x, double *to_y)
{
    size_t n = 0;

    for (size_t i = 0; i < c->kept; i++)
        if (state < 0 || c->columns[state].all[i] == value) {
            to_x[n] = c->columns[x].all[i];
            to_y[n++] = c->columns[y].all[i];
        }
    return n;
}

static void put_loop(FILE *out, const struct yk_page_columns *c, const char *stream, const char *role, int x, int y,
                     int state, double value, bool *first)
{
    double *all = malloc((2 * c->kept + 1) * sizeof *all);
    size_t *index = malloc(LOOP_POINTS * sizeof *index);
    float *thin = malloc(2 * LOOP_POINTS * sizeof *thin);

    if (all && index && thin) {
        const size_t n = choose(c, x, y, state, value, all, all + c->kept);
        const size_t count = yk_plot_thin(all, all + c->kept, n, LOOP_POINTS, index);

        for (size_t i = 0; i < count; i++) {
            thin[i] = (float)all[index[i]];
            thin[LOOP_POINTS + i] = (float)all[c->kept + index[i]];
        }
        if (count > 1) {
            separate(out, first);
            fputc('{', out);
            yk_page_member(out, "owner", c->columns[x].channel->owner, true);
            fprintf(out, ",\"role\":\"%s\",\"stream\":\"%s\",\"points\":%zu,\"of\":%zu", role, stream, count, n);
            put_axis(out, "x", c->columns[x].channel, thin, count);
            put_axis(out, "y", c->columns[y].channel, thin + LOOP_POINTS, count);
            fputc('}', out);
        }
    }
    free(all);
    free(index);
    free(thin);
}

/* Pairs of kinds that make a loop: what the force belongs to, the force, and how the pair is drawn. */
static const struct {
    const char *x, *y, *role;
} loops[] = {{"measured displacement", "measured force", "measured"},
             {"deformation", "element force", "computed"},
             {"displacement", "restoring force", "computed"}};

/* Puts a column among the `count` columns with the largest values so far; the smallest is left out of `most`. */
static size_t rank(const struct yk_page_columns *c, size_t column, size_t *largest, size_t count, size_t most)
{
    size_t at = count;

    for (; at > 0 && size_of(c, column) > size_of(c, largest[at - 1]); at--)
        if (at < most)
            largest[at] = largest[at - 1];
    if (at < most)
        largest[at] = column;
    return count < most ? count + 1 : most;
}

/* The loops with the largest forces of each kind. */
void yk_page_loops(FILE *out, const struct yk_page_columns *c, const char *stream, int state, double value, bool *first)
{
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
        size_t forces[MOST_LOOPS], count = 0;

        for (size_t i = 1; i < c->count; i++)
            if (!strcmp(c->columns[i].channel->kind, loops[k].y) && c->columns[i].all && size_of(c, i) > 0)
                count = rank(c, i, forces, count, MOST_LOOPS);
        for (size_t i = 0; i < count; i++) {
            const int x = find_column(c, loops[k].x, c->columns[forces[i]].channel->owner);

            if (x >= 0 && c->columns[x].all && size_of(c, (size_t)x) > 0)
                put_loop(out, c, stream, loops[k].role, x, (int)forces[i], state, value, first);
        }
    }
}

void yk_page_synchronisation(FILE *out, const struct yk_page_columns *c, bool *first)
{
    for (size_t i = 1; i < c->count; i++) {
        const int y = find_reading(c, i);

        if (y >= 0 && c->columns[i].all && c->columns[y].all)
            put_loop(out, c, "system", "measured", (int)i, y, -1, 0, first);
    }
}

/* ---- spectra ---- */

/* Groups of neighbouring frequencies, 1 % wide, each with its largest amplitude; the mean value of the signal is left
 * out. Returns how many there are; frequency and amplitude shrink in place. */
static size_t merge(double *frequency, double *amplitude, size_t count)
{
    size_t groups = 0;

    for (size_t begin = 1, end; begin < count; begin = end) {
        const size_t wide = begin + begin / 100 + 1;
        double largest = 0;

        end = wide < count ? wide : count;
        for (size_t i = begin; i < end; i++)
            largest = fmax(largest, amplitude[i]);
        frequency[groups] = frequency[(begin + end - 1) / 2];
        amplitude[groups++] = largest;
    }
    return groups;
}

static void put_spectrum(FILE *out, const struct yk_page_columns *c, size_t column, bool *first)
{
    const double *t = c->columns[0].all, dt = (t[c->kept - 1] - t[0]) / (double)(c->kept - 1);
    const size_t room = yk_plot_spectrum_room(c->kept);
    double *frequency = malloc(2 * room * sizeof *frequency), *amplitude = frequency ? frequency + room : NULL;
    float *narrow = malloc(2 * room * sizeof *narrow);

    if (frequency && narrow) {
        const size_t count =
            merge(frequency, amplitude, yk_plot_spectrum(c->columns[column].all, c->kept, dt, frequency, amplitude));

        for (size_t i = 0; i < count; i++) {
            narrow[i] = (float)frequency[i];
            narrow[room + i] = (float)amplitude[i];
        }
        if (count > 1) {
            separate(out, first);
            fputc('{', out);
            yk_page_member(out, "name", c->columns[column].channel->name, true);
            yk_page_member(out, "words", yk_channel_words(c->columns[column].channel), false);
            fputs(",\"frequency\":", out);
            yk_page_floats(out, narrow, count);
            fputs(",\"amplitude\":", out);
            yk_page_floats(out, narrow + room, count);
            fputc('}', out);
        }
    }
    free(frequency);
    free(narrow);
}

void yk_page_spectra(FILE *out, const struct yk_page_columns *c, bool *first)
{
    size_t shown[MOST_SPECTRA], count = 0;

    if (!c->columns[0].all || c->kept < LEAST_SAMPLES)
        return;
    for (size_t i = 1; i < c->count; i++)
        if (!strcmp(c->columns[i].channel->kind, "displacement") && c->columns[i].all && size_of(c, i) > 0)
            count = rank(c, i, shown, count, MOST_SPECTRA);
    for (size_t i = 0; i < count; i++)
        put_spectrum(out, c, shown[i], first);
}

/* ---- delay over time ---- */

/* Power of the target's velocity in [begin, end), and the delay there. */
static double delay_between(const double *target, const double *measured, size_t begin, size_t end, double dt,
                            double *power)
{
    double error = 0;

    *power = 0;
    for (size_t i = begin + 1; i + 1 < end; i++) {
        const double v = (target[i + 1] - target[i - 1]) / (2 * dt);

        error += (target[i] - measured[i]) * v;
        *power += v * v;
    }
    return *power > 0 ? error / *power : NAN;
}

static void put_delay(FILE *out, const struct yk_page_columns *c, int target, int measured)
{
    const double *x = c->columns[target].all, *y = c->columns[measured].all, *t = c->columns[0].all;
    const size_t n = c->kept, windows = n / WINDOW_ROWS < WINDOWS ? n / WINDOW_ROWS : WINDOWS;
    const double dt = n > 1 ? (t[n - 1] - t[0]) / (double)(n - 1) : 0;
    double power[WINDOWS], strongest = 0;
    float delay[WINDOWS], time[WINDOWS];

    for (size_t w = 0; w < windows; w++) {
        const size_t begin = n * w / windows, end = n * (w + 1) / windows;

        delay[w] = (float)delay_between(x, y, begin, end, dt, &power[w]);
        time[w] = (float)(0.5 * (t[begin] + t[end - 1]));
        strongest = fmax(strongest, power[w]);
    }
    for (size_t w = 0; w < windows; w++)
        if (!(power[w] > STILL * strongest))
            delay[w] = NAN;
    fputc('{', out);
    yk_page_member(out, "actuator", c->columns[target].channel->owner, true);
    fputs(",\"time\":", out);
    yk_page_floats(out, time, windows);
    fputs(",\"delay\":", out);
    yk_page_floats(out, delay, windows);
    fputc('}', out);
}

void yk_page_delays(FILE *out, const struct yk_page_columns *c, bool *first)
{
    for (size_t i = 1; i < c->count; i++) {
        const int y = find_reading(c, i);

        if (y < 0 || !c->columns[i].all || !c->columns[y].all || !c->columns[0].all || c->kept < 2 * WINDOW_ROWS)
            continue;
        separate(out, first);
        put_delay(out, c, (int)i, y);
    }
}

/* ---- demand on actuators ---- */

/* The curve of a data sheet, or largest speed and force as a box; without both there are no points. */
static void take_capacity(struct yk_sizing_picture *p, const json_t *demand, double *speeds)
{
    const json_t *sheet = json_object_get(demand, "sheet"), *list = json_object_get(sheet, "speeds_m_s"),
                 *speed = json_object_get(json_object_get(demand, "speed"), "capacity"),
                 *force = json_object_get(json_object_get(demand, "force"), "capacity");
    const size_t count = json_array_size(list);

    p->speed = speeds;
    if (count > 1 && count <= MOST_CURVE) {
        for (size_t i = 0; i < count; i++)
            speeds[i] = json_number_value(json_array_get(list, i));
        p->points = count;
        p->force = json_number_value(json_object_get(sheet, "force_N"));
    } else if (json_is_number(speed) && json_is_number(force)) {
        speeds[0] = speeds[1] = json_number_value(speed);
        p->points = 2;
        p->force = json_number_value(force);
    }
}

static void put_demand(FILE *out, const struct yk_motion_asked *m, const char *name, const json_t *demand)
{
    double speeds[MOST_CURVE];
    struct yk_sizing_picture picture = {.name = name, .asked = m};
    size_t *index = malloc(LOOP_POINTS * sizeof *index);
    float *thin = malloc(2 * LOOP_POINTS * sizeof *thin);

    take_capacity(&picture, demand, speeds);
    const struct yk_outline_used used = yk_sizing_used(&picture);
    const size_t count = index && thin ? yk_plot_thin(m->v, m->force, m->n, LOOP_POINTS, index) : 0;

    for (size_t i = 0; i < count; i++) {
        thin[i] = (float)m->v[index[i]];
        thin[LOOP_POINTS + i] = (float)m->force[index[i]];
    }
    fputc('{', out);
    yk_page_member(out, "actuator", name, true);
    fputs(",\"used\":", out);
    yk_page_number(out, used.most);
    fputs(",\"used_at\":", out);
    yk_page_number(out, used.at_s);
    fputs(",\"speed\":", out);
    yk_page_floats(out, thin, count);
    fputs(",\"force\":", out);
    yk_page_floats(out, thin ? thin + LOOP_POINTS : NULL, count);
    fputc('}', out);
    free(index);
    free(thin);
}

void yk_page_demands(FILE *out, const struct yk_page_columns *c, const json_t *demand, bool *first)
{
    for (size_t i = 1; i < c->count; i++) {
        const char *name = c->columns[i].channel->owner;
        const int force = strcmp(c->columns[i].channel->kind, "measured displacement") == 0
                              ? find_column(c, "measured force", name)
                              : -1;

        if (force < 0 || !c->columns[i].all || !c->columns[force].all || !c->columns[0].all || c->kept < LEAST_SAMPLES)
            continue;
        const double *t = c->columns[0].all;
        struct yk_motion_asked m = {.n = c->kept,
                                    .dt = (t[c->kept - 1] - t[0]) / (double)(c->kept - 1),
                                    .x = c->columns[i].all,
                                    .force = c->columns[force].all};

        if (m.dt > 0 && yk_asked_complete(&m)) {
            separate(out, first);
            put_demand(out, &m, name, json_object_get(demand, name));
        }
        yk_asked_free(&m);
    }
}
