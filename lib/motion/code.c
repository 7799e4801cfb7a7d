/* Spectra of codes: EN 1998-1:2004, 3.2.2.2; ASCE/SEI 7-16, 11.4.6, two periods; and tables. docs/ground-motions.md. */
#include <yoke/fields.h>
#include <yoke/motion.h>
#include <yoke/series.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EC8_LONGEST_S 4.0

struct ground {
    double S, TB, TC, TD;
};
static const struct ground grounds[2][5] = {
    {{1, 0.15, 0.4, 2}, {1.2, 0.15, 0.5, 2}, {1.15, 0.2, 0.6, 2}, {1.35, 0.2, 0.8, 2}, {1.4, 0.15, 0.5, 2}},
    {{1, 0.05, 0.25, 1.2},
     {1.35, 0.05, 0.25, 1.2},
     {1.5, 0.1, 0.25, 1.2},
     {1.8, 0.1, 0.3, 1.2},
     {1.6, 0.05, 0.25, 1.2}},
};

enum yk_status yk_code_complete(struct yk_code_spectrum *s, struct yk_err *err)
{
    if (s->type < 1 || s->type > 2)
        return yk_fail(err, YK_E_RANGE, "type %d: EN 1998-1 has the spectra 1 and 2", s->type);
    if (s->ground < 'A' || s->ground > 'E')
        return yk_fail(err, YK_E_RANGE, "ground '%c': EN 1998-1 has the ground types A to E", s->ground);
    const struct ground *g = &grounds[s->type - 1][s->ground - 'A'];
    s->S = isnan(s->S) ? g->S : s->S;
    s->TB = isnan(s->TB) ? g->TB : s->TB;
    s->TC = isnan(s->TC) ? g->TC : s->TC;
    s->TD = isnan(s->TD) ? g->TD : s->TD;
    if (!(s->TB > 0 && s->TB <= s->TC && s->TC <= s->TD))
        return yk_fail(err, YK_E_RANGE, "TB = %g, TC = %g, TD = %g s: they must be above 0 and increase", s->TB, s->TC,
                       s->TD);
    return YK_OK;
}

static enum yk_status ec8(const struct yk_code_spectrum *s, double T, double *Sa, struct yk_err *err)
{
    const double eta = fmax(sqrt(10 / (5 + 100 * s->damping)), 0.55), a = s->ag * s->S;

    if (T > EC8_LONGEST_S)
        return yk_fail(err, YK_E_RANGE, "EN 1998-1 has no elastic spectrum beyond %g s; %g s is asked for",
                       EC8_LONGEST_S, T);
    if (T <= s->TB)
        *Sa = a * (1 + T / s->TB * (2.5 * eta - 1));
    else if (T <= s->TC)
        *Sa = 2.5 * a * eta;
    else if (T <= s->TD)
        *Sa = 2.5 * a * eta * s->TC / T;
    else
        *Sa = 2.5 * a * eta * s->TC * s->TD / (T * T);
    return YK_OK;
}

static void asce7(const struct yk_code_spectrum *s, double T, double *Sa)
{
    const double Ts = s->sd1 / s->sds, T0 = 0.2 * Ts;

    if (T < T0)
        *Sa = s->sds * (0.4 + 0.6 * T / T0);
    else if (T <= Ts)
        *Sa = s->sds;
    else if (T <= s->tl)
        *Sa = s->sd1 / T;
    else
        *Sa = s->sd1 * s->tl / (T * T);
}

static enum yk_status table(const struct yk_code_spectrum *s, double T, double *Sa, struct yk_err *err)
{
    const double slack = 1e-9 * s->T[s->rows - 1];
    size_t i = 1;

    if (!(T >= s->T[0] - slack && T <= s->T[s->rows - 1] + slack))
        return yk_fail(err, YK_E_RANGE, "the table goes from %g to %g s; %g s is asked for", s->T[0], s->T[s->rows - 1],
                       T);
    while (i + 1 < s->rows && T > s->T[i])
        i++;
    if (T <= s->T[0])
        *Sa = s->Sa[0];
    else if (s->T[i - 1] > 0)
        *Sa = exp(log(s->Sa[i - 1]) + log(T / s->T[i - 1]) / log(s->T[i] / s->T[i - 1]) * log(s->Sa[i] / s->Sa[i - 1]));
    else /* from T = 0 on there is no logarithm */
        *Sa = s->Sa[i - 1] + T / s->T[i] * (s->Sa[i] - s->Sa[i - 1]);
    return YK_OK;
}

enum yk_status yk_code_value(const struct yk_code_spectrum *s, double T, double *Sa, struct yk_err *err)
{
    if (!(T >= 0))
        return yk_fail(err, YK_E_RANGE, "a spectrum has no value at the period %g s", T);
    if (s->code == YK_CODE_EC8)
        return ec8(s, T, Sa, err);
    if (s->code == YK_CODE_TABLE)
        return table(s, T, Sa, err);
    asce7(s, T, Sa);
    return YK_OK;
}

/* ---- descriptions ---- */

struct keys {
    int type, ground;
    double ag, S, TB, TC, TD, damping, SDS, SD1, TL;
};
static const struct yk_param ec8_keys[] = {
    YK_COUNT(struct keys, type, 1, 1, 2, "type of the spectrum: 1, or 2 for magnitudes up to 5.5"),
    YK_CHOICE(struct keys, ground, "A|B|C|D|E", -1, "ground type"),
    YK_REAL(struct keys, ag, YK_PLAIN_ACCELERATION, YK_REQUIRED, YK_TINY, 1e3, "ground acceleration on rock"),
    YK_REAL(struct keys, S, YK_NUMBER, 0, YK_TINY, 100, "soil factor; of the ground type unless given"),
    YK_REAL(struct keys, TB, YK_TIME, 0, YK_TINY, 100, "of the ground type unless given"),
    YK_REAL(struct keys, TC, YK_TIME, 0, YK_TINY, 100, "of the ground type unless given"),
    YK_REAL(struct keys, TD, YK_TIME, 0, YK_TINY, 100, "of the ground type unless given"),
    YK_REAL(struct keys, damping, YK_NUMBER, 0.05, 0, 1, "damping ratio"),
    YK_PARAM_END,
};
static const struct yk_param asce7_keys[] = {
    YK_REAL(struct keys, SDS, YK_PLAIN_ACCELERATION, YK_REQUIRED, YK_TINY, 1e3, "design acceleration, short periods"),
    YK_REAL(struct keys, SD1, YK_PLAIN_ACCELERATION, YK_REQUIRED, YK_TINY, 1e3, "design acceleration at 1 s"),
    YK_REAL(struct keys, TL, YK_TIME, 8, YK_TINY, 100, "long-period transition"),
    YK_PARAM_END,
};

static double or_nan(double x)
{
    return x > 0 ? x : NAN;
}

static enum yk_status read_keys(struct yk_code_spectrum *s, const struct yk_node *map, struct yk_err *err)
{
    const bool ec8 = s->code == YK_CODE_EC8;
    const struct yk_param *params = ec8 ? ec8_keys : asce7_keys;
    const struct yk_field_context context = {.directory = ".", .sense = YK_ALONG};
    struct keys k = {0};
    enum yk_status st = yk_field_type(map, YK_MAP, ec8 ? "ec8" : "asce7", err);

    if (st || (st = yk_field_known(map, params, NULL, err)) || (st = yk_field_settings(map, params, &k, &context, err)))
        return st;
    if (!ec8) {
        s->sds = k.SDS;
        s->sd1 = k.SD1;
        s->tl = k.TL;
        s->damping = 0.05;
        return k.SD1 / k.SDS <= k.TL ? YK_OK
                                     : yk_fail_at(err, YK_E_RANGE, map->where, "TL = %g s is below Ts = SD1/SDS = %g s",
                                                  k.TL, k.SD1 / k.SDS);
    }
    *s = (struct yk_code_spectrum){.code = YK_CODE_EC8,
                                   .type = k.type,
                                   .ground = (char)(k.ground < 0 ? '?' : 'A' + k.ground),
                                   .ag = k.ag,
                                   .S = or_nan(k.S),
                                   .TB = or_nan(k.TB),
                                   .TC = or_nan(k.TC),
                                   .TD = or_nan(k.TD),
                                   .damping = k.damping};
    if (k.ground < 0)
        return yk_fail_at(err, YK_E_INPUT, map->where, "ground is missing: A, B, C, D or E");
    return yk_code_complete(s, err) ? yk_fail_within(err, map->where, "ec8: ") : YK_OK;
}

static enum yk_status read_table(struct yk_code_spectrum *s, double **table, const char *path, struct yk_err *err)
{
    struct yk_series series;
    bool named;
    struct yk_text text;
    enum yk_status st = yk_text_load(&text, path, err);

    if (st)
        return st;
    st = yk_read_series_csv(&text, 0, YK_PLAIN_ACCELERATION, &series, &named, err);
    yk_text_free(&text);
    if (st)
        return st;
    for (size_t i = 0; i < series.n && !st; i++)
        if (!(series.t[i] >= 0 && series.y[i] > 0))
            st = yk_fail_at(err, YK_E_RANGE, YK_IN_FILE(path),
                            "row %zu: a period of %g s with %g m/s2; periods are 0 or above, accelerations above 0",
                            i + 1, series.t[i], series.y[i]);
    if (!st && series.n < 2)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "a target spectrum needs two rows or more");
    if (!st && !(*table = malloc(2 * series.n * sizeof **table)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory for a table");
    if (!st) {
        memcpy(*table, series.t, series.n * sizeof **table);
        memcpy(*table + series.n, series.y, series.n * sizeof **table);
        *s = (struct yk_code_spectrum){
            .code = YK_CODE_TABLE, .T = *table, .Sa = *table + series.n, .rows = series.n, .damping = 0.05};
    }
    yk_series_free(&series);
    return st;
}

enum yk_status yk_code_from(struct yk_code_spectrum *s, double **table, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_node *only = map->type == YK_MAP && map->count == 1 ? map->items[0] : NULL;

    *table = NULL;
    *s = (struct yk_code_spectrum){.code = YK_CODE_EC8};
    if (only && strcmp(only->key, "ec8") == 0)
        return read_keys(s, only, err);
    if (only && strcmp(only->key, "asce7") == 0) {
        s->code = YK_CODE_ASCE7;
        return read_keys(s, only, err);
    }
    if (only && strcmp(only->key, "table") == 0 && only->type == YK_SCALAR)
        return read_table(s, table, only->text, err);
    return yk_fail_at(err, YK_E_INPUT, map->where,
                      "a spectrum is one of \"ec8: { type: 1, ground: C, ag: 0.25 g }\", \"asce7: { SDS: 1 g, SD1: 0.6 "
                      "g, TL: 8 s }\", \"table: file.csv\"");
}

enum yk_status yk_code_read(struct yk_code_spectrum *s, double **table, const char *text, struct yk_err *err)
{
    struct yk_node *root;
    char *map = NULL;

    *table = NULL;
    *s = (struct yk_code_spectrum){.code = YK_CODE_EC8};
    if (asprintf(&map, text[strspn(text, " ")] == '{' ? "%s" : "{%s}", text) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    enum yk_status st = yk_tree_parse(&root, map, strlen(map), "spectrum", err);
    if (!st) {
        st = yk_code_from(s, table, root, err);
        yk_tree_free(root);
    }
    free(map);
    return st;
}
