/* Varied settings and their values in every run: grids, Latin hypercubes, Sobol's sequence, Saltelli's design.
 *
 * Sobol's sequence: yoke/random.h. Saltelli's design: Saltelli et al., Comput. Phys. Commun. 181
 * (2010) 259: for every j < N the points A_j, B_j, and A_j with coordinate i of B_j, i = 1 .. d. */
#include "study.h"
#include <yoke/number.h>
#include <yoke/random.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 100000 };

/* ---- one key ---- */

/* A number as short as it can be written without losing a bit. */
static char *number_text(double x, const char *unit)
{
    char text[64];
    double back = NAN;

    for (int digits = 15; digits <= 17 && back != x; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        yk_number_scan(text, text + strlen(text), &back);
    }
    char *all = NULL;

    return asprintf(&all, "%s%s%s", text, *unit ? " " : "", unit) < 0 ? NULL : all;
}

static char *trimmed(const char *begin, const char *end)
{
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    return strndup(begin, (size_t)(end - begin));
}

static bool add_value(struct yk_vary *v, char *text)
{
    char **values = text ? realloc(v->values, (v->count + 1) * sizeof *values) : NULL;

    if (!values) {
        free(text);
        return false;
    }
    v->values = values;
    v->values[v->count++] = text;
    return true;
}

/* "15,16,17 ms" would be 15 s, 16 s and 17 ms, which nobody means. */
static enum yk_status check_units(const struct yk_vary *v, const char *text, struct yk_err *err)
{
    const char *bare = NULL, *with_unit = NULL;

    for (size_t i = 0; i < v->count; i++) {
        const char *value = v->values[i], *end = value + strlen(value);
        double x;
        const char *behind = yk_number_scan(value, end, &x);

        if (!behind)
            return YK_OK;
        *(behind == end ? &bare : &with_unit) = value;
    }
    if (bare && with_unit)
        return yk_fail(err, YK_E_INPUT, "--vary %s=%s: %s has no unit, but %s has; write the unit after every number",
                       v->key, text, bare, with_unit);
    return YK_OK;
}

static enum yk_status parse_list(struct yk_vary *v, const char *text, struct yk_err *err)
{
    for (const char *p = text;; p++) {
        const char *end = yk_value_end(p);
        char *value = trimmed(p, end);

        if (value && !*value) {
            free(value);
            return yk_fail(err, YK_E_INPUT, "--vary %s=%s: a value of the list is empty", v->key, text);
        }
        if (v->count == MOST_VALUES) {
            free(value);
            return yk_fail(err, YK_E_RANGE, "--vary %s: a list may have up to %d values", v->key, MOST_VALUES);
        }
        if (!add_value(v, value))
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        if (!*(p = end))
            return check_units(v, text, err);
    }
}

/* "5:25:11 ms" */
static enum yk_status parse_steps(struct yk_vary *v, const char *text, struct yk_err *err)
{
    const size_t length = strcspn(text, " \t");
    char *numbers = strndup(text, length), *unit = trimmed(text + length, text + strlen(text));
    double *x = malloc(MOST_VALUES * sizeof *x);
    enum yk_status st = numbers && unit && x ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
    const size_t count = st ? 0 : yk_number_range(numbers, x, MOST_VALUES);

    if (!st && count == 0)
        st = yk_fail(err, YK_E_INPUT,
                     "--vary %s=%s: a range is from:to:count, such as 5:25:11 or 0.1:10:21log, with 2 .. %d values and "
                     "a unit after a blank",
                     v->key, text, MOST_VALUES);
    for (size_t i = 0; i < count && !st; i++)
        if (!add_value(v, number_text(x[i], unit)))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
    free(x);
    free(numbers);
    free(unit);
    return st;
}

/* "15..25 ms" */
static enum yk_status parse_bounds(struct yk_vary *v, const char *text, const char *dots, struct yk_err *err)
{
    const char *p = yk_number_scan(text, dots, &v->low), *end = text + strlen(text);

    if (p == dots && (p = yk_number_scan(dots + 2, end, &v->high))) {
        v->log = strncmp(p, "log", 3) == 0;
        p += v->log ? 3 : 0;
    }
    if (!p || (*p && *p != ' ') || !isfinite(v->low) || !isfinite(v->high) || !(v->low < v->high) ||
        (v->log && !(v->low > 0)))
        return yk_fail(
            err, YK_E_INPUT,
            "--vary %s=%s: bounds are low..high with low < high, such as 15..25 ms or 0.1..10log, where both "
            "are positive",
            v->key, text);
    free(v->unit);
    v->unit = trimmed(p, end);
    return v->unit ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

/* Does a number stand in front of the sign? Otherwise the text is a value that has the sign in it. */
static bool follows_number(const char *text, const char *sign)
{
    double x;

    return sign && yk_number_scan(text, sign, &x) == sign;
}

/* "KEY=a,b,c", "KEY=from:to:count[log] [unit]" or "KEY=low..high[log] [unit]". */
static enum yk_status parse_vary(struct yk_vary *v, const char *text, struct yk_err *err)
{
    const char *equals = strchr(text, '='), *value = equals ? equals + 1 : NULL;

    *v = (struct yk_vary){0};
    if (!equals || equals == text || !*value)
        return yk_fail(err, YK_E_INPUT,
                       "--vary '%s' is not KEY=VALUES, such as time.step=\"5 ms,10 ms\", "
                       "transfer.a1.compensator.delay=\"15:25:11 ms\" or loads.0.amplitude=100..500",
                       text);
    if (!(v->key = strndup(text, (size_t)(equals - text))) || !(v->unit = strdup("")))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (follows_number(value, strstr(value, "..")))
        return parse_bounds(v, value, strstr(value, ".."), err);
    if (follows_number(value, strchr(value, ':')))
        return parse_steps(v, value, err);
    return parse_list(v, value, err);
}

static void free_vary(struct yk_vary *v)
{
    for (size_t i = 0; i < v->count; i++)
        free(v->values[i]);
    free(v->values);
    free(v->key);
    free(v->unit);
}

/* ---- all keys ---- */

static uint64_t draw(uint64_t *state, uint64_t below)
{
    return (uint64_t)(yk_draw_bits(state) * 0x1p-53 * (double)below);
}

/* A permutation of the strata for each key. */
static enum yk_status open_lhs(struct yk_design *d, struct yk_err *err)
{
    uint64_t state = d->seed * 2654435769u + 1;

    if (!(d->strata = malloc(d->count * d->n * sizeof *d->strata)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < d->count; k++) {
        uint32_t *p = d->strata + k * d->n;

        for (size_t i = 0; i < d->n; i++)
            p[i] = (uint32_t)i;
        for (size_t i = d->n; i > 1; i--) { /* Fisher and Yates */
            const size_t j = (size_t)draw(&state, i);
            const uint32_t kept = p[i - 1];

            p[i - 1] = p[j];
            p[j] = kept;
        }
    }
    return YK_OK;
}

static enum yk_status open_grid(struct yk_design *d, struct yk_err *err)
{
    d->runs = 1;
    for (size_t k = 0; k < d->count; k++) {
        if (d->vary[k].count == 0)
            return yk_fail(err, YK_E_INPUT,
                           "--vary %s has bounds, low..high, which need --sample lhs:N, sobol:N or saltelli:N; for a "
                           "grid give a list or from:to:count",
                           d->vary[k].key);
        if (d->runs > YK_STUDY_RUNS / d->vary[k].count)
            return yk_fail(err, YK_E_RANGE, "the grid has more than %d runs", YK_STUDY_RUNS);
        d->runs *= d->vary[k].count;
    }
    return YK_OK;
}

/* Begins in the middle. */
static enum yk_status open_search(struct yk_design *d, struct yk_err *err)
{
    for (size_t k = 0; k < d->count; k++)
        if (d->vary[k].count)
            return yk_fail(err, YK_E_INPUT, "--tune needs bounds, --vary %s=low..high", d->vary[k].key);
    if (!(d->points = malloc(d->runs * d->count * sizeof *d->points)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < d->runs * d->count; i++)
        d->points[i] = 0.5;
    return YK_OK;
}

static enum yk_status open_sample(struct yk_design *d, const char *sample, struct yk_err *err)
{
    static const char *const names[] = {[YK_SAMPLE_LHS] = "lhs:",
                                        [YK_SAMPLE_SOBOL] = "sobol:",
                                        [YK_SAMPLE_SALTELLI] = "saltelli:",
                                        [YK_SAMPLE_TUNE] = "tune:"};
    double n = 0;

    for (int s = YK_SAMPLE_LHS; s <= YK_SAMPLE_TUNE; s++) {
        const size_t length = strlen(names[s]);

        if (strncmp(sample, names[s], length) != 0)
            continue;
        const char *end = yk_number_scan(sample + length, sample + strlen(sample), &n);

        n = end && !*end ? n : 0;
        d->sampling = (enum yk_sampling)s;
    }
    const size_t each = d->sampling == YK_SAMPLE_SALTELLI ? d->count + 2 : 1;

    if (!(n >= 2) || n != floor(n) || n > (double)YK_STUDY_RUNS / (double)each)
        return yk_fail(err, YK_E_INPUT, "--sample '%s' must be lhs:N, sobol:N or saltelli:N with N of 2 .. %zu", sample,
                       YK_STUDY_RUNS / each);
    d->n = (size_t)n;
    d->runs = d->n * each;
    if (d->sampling == YK_SAMPLE_TUNE)
        return open_search(d, err);
    return d->sampling == YK_SAMPLE_LHS ? open_lhs(d, err) : YK_OK;
}

enum yk_status yk_design_open(struct yk_design *d, const char *const *vary, size_t count, const char *sample,
                              uint64_t seed, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    *d = (struct yk_design){.seed = seed};
    if (count == 0 || count > YK_STUDY_KEYS)
        return yk_fail(err, YK_E_INPUT, "%zu settings are varied with --vary; 1 .. %d are possible", count,
                       YK_STUDY_KEYS);
    for (size_t k = 0; k < count && !st; k++) {
        d->count = k + 1;
        st = parse_vary(&d->vary[k], vary[k], err);
        for (size_t i = 0; i < k && !st; i++)
            if (strcmp(d->vary[i].key, d->vary[k].key) == 0)
                st = yk_fail(err, YK_E_INPUT, "--vary %s is given twice", d->vary[k].key);
    }
    if (st)
        return st;
    return sample ? open_sample(d, sample, err) : open_grid(d, err);
}

void yk_design_close(struct yk_design *d)
{
    for (size_t k = 0; k < d->count; k++)
        free_vary(&d->vary[k]);
    free(d->strata);
    free(d->points);
    *d = (struct yk_design){0};
}

/* Coordinate in the unit cube, of designs that sample it. */
static double coordinate(const struct yk_design *d, size_t run, size_t k)
{
    if (d->sampling == YK_SAMPLE_TUNE)
        return d->points[run * d->count + k];
    if (d->sampling == YK_SAMPLE_SALTELLI) {
        const size_t block = run / (d->count + 2), place = run % (d->count + 2);
        const bool from_B = place == 1 || place == k + 2;

        return yk_sobol(block, from_B ? d->count + k : k);
    }
    if (d->sampling == YK_SAMPLE_SOBOL)
        return yk_sobol(run, k);
    uint64_t state = (d->seed + 1) * 6364136223846793005u ^ (run * YK_STUDY_KEYS + k + 1) * 0x9E3779B97F4A7C15u;

    state = state ? state : 1;
    yk_draw_bits(&state); /* neighbouring states begin alike */
    yk_draw_bits(&state);
    return (d->strata[k * d->n + run] + yk_draw_bits(&state) * 0x1p-53) / (double)d->n;
}

char *yk_design_value(const struct yk_design *d, size_t run, size_t k)
{
    const struct yk_vary *v = &d->vary[k];

    if (d->sampling == YK_SAMPLE_GRID) { /* the last key changes fastest */
        size_t inner = 1;

        for (size_t i = k + 1; i < d->count; i++)
            inner *= d->vary[i].count;
        return strdup(v->values[run / inner % v->count]);
    }
    const double x = coordinate(d, run, k);

    if (v->count)
        return strdup(v->values[(size_t)(x * (double)v->count)]);
    return number_text(v->log ? v->low * pow(v->high / v->low, x) : v->low + x * (v->high - v->low), v->unit);
}
