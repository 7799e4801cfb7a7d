/* An iterative hybrid test of a cantilever (data/measured/bristol): residual of the interface forces from recorded
 * harmonics and iterations, and harmonics from recorded periods. Four components: sine and
 * cosine of two interface degrees of freedom.
 *
 *     r = Z l + target + S f     l: lasers, f: forces of the gauges, S: their amplifier is 0.03 rad late */
#include "quantity.h"

#include <yoke/text.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 64, N = 4 };

struct sheet {
    struct yk_text text;
    char name[NUMBERS][24];
    size_t columns, rows;
    double *x; /* row by row */
};

static void close_sheet(struct sheet *s)
{
    yk_text_free(&s->text);
    free(s->x);
}

static enum yk_status open_sheet(struct sheet *s, const char *path, struct yk_err *err)
{
    struct yk_lines lines;
    struct yk_piece line;
    size_t room = 0;
    enum yk_status st;

    *s = (struct sheet){0};
    if ((st = yk_text_load(&s->text, path, err)))
        return st;
    yk_lines_begin(&lines, &s->text);
    while (!st && yk_lines_next(&lines, &line)) {
        const char *p = line.begin;

        if (s->rows == room && s->columns) {
            double *larger = realloc(s->x, (room = 2 * room + 64) * s->columns * sizeof *larger);

            if (!larger)
                return yk_fail(err, YK_E_MEMORY, "out of memory for a table");
            s->x = larger;
        }
        const bool titles = s->columns == 0;
        for (size_t c = 0; c < (titles ? NUMBERS : s->columns); c++) {
            const size_t length = (size_t)(line.end - p), cut = strcspn(p, ",\r\n");
            const size_t field = cut < length ? cut : length;

            if (titles) {
                snprintf(s->name[s->columns++], sizeof s->name[0], "%.*s", (int)field, p);
            } else {
                char *end;

                s->x[s->rows * s->columns + c] = strtod(p, &end);
                if (end == p)
                    return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&lines), "a number is missing");
            }
            if (p + field >= line.end)
                break;
            p += field + 1;
        }
        s->rows += !titles;
    }
    return st;
}

static enum yk_status find(const struct sheet *s, const char *name, size_t *column, struct yk_err *err)
{
    for (*column = 0; *column < s->columns; ++*column)
        if (strcmp(s->name[*column], name) == 0)
            return YK_OK;
    return yk_fail(err, YK_E_INPUT, "%s has no column %s", s->text.name, name);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double middle(double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_size);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

/* ---- harmonics: a row for each frequency ---- */

/* Norms of a row: of the recorded residual, of the recomputed one less the recorded, of the excitation. */
static enum yk_status norms(const struct sheet *s, size_t row, double lag, double out[3], struct yk_err *err)
{
    static const char *const of[] = {"laser", "target", "f"}, *const part[] = {"_sin", "_cos"};
    const double *x = s->x + row * s->columns, turn[2][2] = {{cos(lag), -sin(lag)}, {sin(lag), cos(lag)}};
    double v[3][N], again[N];
    char name[24];
    size_t c;
    enum yk_status st = YK_OK;

    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N && !st; i++) {
            snprintf(name, sizeof name, "%s%d%s", of[k], i / 2 + 1, part[i % 2]);
            if (!(st = find(s, name, &c, err)))
                v[k][i] = x[c];
        }
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < N && !st; i++) {
        again[i] = v[1][i];
        for (int k = 0; k < 2; k++)
            again[i] += turn[i % 2][k] * v[2][i / 2 * 2 + k];
        for (int k = 0; k < N && !st; k++) {
            snprintf(name, sizeof name, "z%d%d", i + 1, k + 1);
            if (!(st = find(s, name, &c, err)))
                again[i] += x[c] * v[0][k];
        }
        snprintf(name, sizeof name, "r%d", i + 1);
        if (st || (st = find(s, name, &c, err)))
            break;
        out[0] = hypot(out[0], x[c]);
        out[1] = hypot(out[1], again[i] - x[c]);
        out[2] = hypot(out[2], v[1][i]);
    }
    return st;
}

enum { RECOMPUTED, RECOMPUTED_MOST, OVER_EXCITATION, ITERATIONS, ITERATIONS_MOST };

static enum yk_status harmonics(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                const struct yk_node *map, double *value, struct yk_err *err)
{
    struct sheet s;
    enum yk_status st = open_sheet(&s, variant->file, err);
    double *of = st ? NULL : calloc(s.rows + 1, sizeof *of), most = 0;
    size_t iterations = 0;

    if (!st && (!of || s.rows == 0))
        st = yk_fail(err, YK_E_INPUT, "the table has no rows");
    if (!st)
        st = find(&s, "iterations", &iterations, err);
    for (size_t k = 0; k < s.rows && !st; k++) {
        double norm[3];

        if ((st = norms(&s, k, ask->amplitude, norm, err)))
            break;
        of[k] = ask->of <= RECOMPUTED_MOST   ? norm[1]
                : ask->of == OVER_EXCITATION ? norm[0] / norm[2]
                                             : s.x[k * s.columns + iterations];
        most = fmax(most, of[k]);
    }
    if (!st)
        *value = ask->of == RECOMPUTED_MOST || ask->of == ITERATIONS_MOST ? most : middle(of, s.rows);
    free(of);
    close_sheet(&s);
    return st;
}

static const struct yk_param harmonics_params[] = {
    ASK_OF("recomputed|recomputed-most|over-excitation|iterations|iterations-most",
           "median or largest norm of the recomputed residual less the recorded one; median of the last residual over "
           "the excitation; median or largest number of iterations"),
    YK_REAL(struct yk_ask, amplitude, YK_NUMBER, 0.03, -3, 3, "lag of the gauges [rad]"),
    YK_PARAM_END,
};
const struct yk_quantity_ops yk_obtain_harmonics = {
    .name = "harmonics",
    .summary = "residual of an iterative hybrid test, recomputed from its recorded harmonics",
    .params = harmonics_params,
    .value = harmonics,
};

/* ---- iterations ---- */

/* Largest difference between the residual of the last iteration at a frequency and that of the table of harmonics. */
static enum yk_status iterated(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                               const struct yk_node *map, double *value, struct yk_err *err)
{
    struct sheet s = {0}, h = {0};
    char *other = yk_field_path(lab->folder, ask->against);
    size_t f = 0, r = 0, hf = 0, hr = 0;
    enum yk_status st = other ? open_sheet(&s, variant->file, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    *value = NAN;
    if (!st && !(st = open_sheet(&h, other, err)) && !(st = find(&s, "frequency", &f, err)) &&
        !(st = find(&s, "r1", &r, err)) && !(st = find(&h, "frequency", &hf, err)))
        st = find(&h, "r1", &hr, err);
    for (size_t k = 0; k < s.rows && !st; k++) {
        const double *now = s.x + k * s.columns;
        double off = 0;

        if (k + 1 < s.rows && now[s.columns + f] == now[f])
            continue;
        for (size_t i = 0; i < h.rows; i++)
            if (h.x[i * h.columns + hf] == now[f])
                for (size_t c = 0; c < N; c++)
                    off = fmax(off, fabs(now[r + c] - h.x[i * h.columns + hr + c]));
        *value = fmax(isnan(*value) ? 0 : *value, off);
    }
    free(other);
    close_sheet(&s);
    close_sheet(&h);
    return st;
}

static const struct yk_param iterated_params[] = {
    YK_TEXT(struct yk_ask, against, YK_REQUIRED, "the table of harmonics"),
    YK_PARAM_END,
};
const struct yk_quantity_ops yk_obtain_iterated = {
    .name = "iterated",
    .summary = "largest difference of the residual of the last recorded iteration from that of the table of harmonics",
    .params = iterated_params,
    .value = iterated,
};

/* ---- periods ---- */

/* Amplitude of the sine a sin + b cos + c that fits a column best, from the sums over its rows. */
struct sums {
    double n, s, c, y, ss, sc, cc, sy, cy;
};

static void add(struct sums *m, double phase, double y)
{
    const double s = sin(phase), c = cos(phase);

    m->n++;
    m->s += s, m->c += c, m->y += y;
    m->ss += s * s, m->sc += s * c, m->cc += c * c, m->sy += s * y, m->cy += c * y;
}

static double amplitude_of(const struct sums *m)
{
    const double ss = m->ss - m->s * m->s / m->n, sc = m->sc - m->s * m->c / m->n, cc = m->cc - m->c * m->c / m->n,
                 sy = m->sy - m->s * m->y / m->n, cy = m->cy - m->c * m->y / m->n, det = ss * cc - sc * sc;

    return hypot((cc * sy - sc * cy) / det, (ss * cy - sc * sy) / det);
}

/* Amplitude of a column at the phase of the excitation, over the stored harmonic of the same frequency. */
static enum yk_status periods(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, double *value, struct yk_err *err)
{
    struct sheet p = {0}, h = {0};
    char *other = NULL, name[2][32];
    size_t pf = 0, ph = 0, pc = 0, hf = 0, hs = 0, hc = 0;
    enum yk_status st = open_sheet(&p, variant->file, err);

    *value = NAN;
    snprintf(name[0], sizeof name[0], "%s_sin", ask->channel);
    snprintf(name[1], sizeof name[1], "%s_cos", ask->channel);
    if (!st && !(other = yk_field_path(lab->folder, ask->against)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st && !(st = open_sheet(&h, other, err)) && !(st = find(&p, "frequency", &pf, err)) &&
        !(st = find(&p, "phase", &ph, err)) && !(st = find(&p, ask->channel, &pc, err)) &&
        !(st = find(&h, "frequency", &hf, err)) && !(st = find(&h, name[0], &hs, err)))
        st = find(&h, name[1], &hc, err);
    for (size_t k = 0; k < p.rows && !st;) {
        const double at = p.x[k * p.columns + pf];
        struct sums sums = {0};

        for (; k < p.rows && p.x[k * p.columns + pf] == at; k++)
            add(&sums, p.x[k * p.columns + ph], p.x[k * p.columns + pc]);
        for (size_t i = 0; i < h.rows; i++)
            if (fabs(h.x[i * h.columns + hf] - at) < 1e-9 * at)
                *value = fmax(*value,
                              fabs(amplitude_of(&sums) / hypot(h.x[i * h.columns + hs], h.x[i * h.columns + hc]) - 1));
    }
    free(other);
    close_sheet(&p);
    close_sheet(&h);
    return st;
}

static const struct yk_param periods_params[] = {
    YK_TEXT(struct yk_ask, channel, YK_REQUIRED, "a column: laser1"),
    YK_TEXT(struct yk_ask, against, YK_REQUIRED, "the table of harmonics"),
    YK_PARAM_END,
};
const struct yk_quantity_ops yk_obtain_periods = {
    .name = "periods",
    .summary = "largest relative difference of an amplitude fitted to recorded periods from the stored harmonic",
    .params = periods_params,
    .value = periods,
};
