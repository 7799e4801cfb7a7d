/* yoke motion scale: factors that bring records to Sa(T), or near a target spectrum; a common factor for a suite. */
#include "motion.h"

#include <yoke/fields.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_USUAL 0.25
#define MOST_USUAL  4.0

struct goal {
    double Sa, T, damping, floor; /* Sa 0: a spectrum */
    struct yk_code_spectrum code;
    double *table;
    enum yk_scaling_fit fit;
    size_t count;
    double periods[YK_SCALING_PERIODS], target[YK_SCALING_PERIODS];
};

/* A period: "0.5 s", "T1", "0.2 T1". */
static enum yk_status period_of(const struct yk_node *node, double first, double *T, struct yk_err *err)
{
    char *end;
    double times;

    if (yk_field_type(node, YK_SCALAR, node->key, err))
        return err->status;
    times = strtod(node->text, &end);
    if (end == node->text)
        times = 1;
    while (*end == ' ' || *end == '*')
        end++;
    if (strcmp(end, "T1") == 0) {
        if (!(first > 0))
            return yk_fail_at(err, YK_E_INPUT, node->where, "%s: %s needs the first period: --t1 0.5s", node->key,
                              node->text);
        *T = times * first;
        if (*T >= 1e-4 && *T <= 1e4)
            return YK_OK;
        return yk_fail_at(err, YK_E_RANGE, node->where, "%s: %g s is not within 1e-4 to 1e4 s", node->key, *T);
    }
    return yk_field_real(node, YK_TIME, 1e-4, 1e4, T, err);
}

static enum yk_status read_spectrum(struct goal *g, const struct yk_node *map, const struct yk_node *spectrum,
                                    double first, struct yk_err *err)
{
    const struct yk_node *from = yk_node_get(map, "from"), *to = yk_node_get(map, "to"), *fit = yk_node_get(map, "fit");
    double low, high;
    enum yk_status st = yk_code_from(&g->code, &g->table, spectrum, err);

    if (st)
        return st;
    if (!from || !to)
        return yk_fail_at(err, YK_E_INPUT, map->where, "a goal with a spectrum needs `from` and `to`, periods");
    if ((st = period_of(from, first, &low, err)) || (st = period_of(to, first, &high, err)))
        return st;
    if (!(low < high))
        return yk_fail_at(err, YK_E_RANGE, to->where, "to = %g s is not above from = %g s", high, low);
    if (fit && (fit->type != YK_SCALAR || (strcmp(fit->text, "log") != 0 && strcmp(fit->text, "linear") != 0)))
        return yk_fail_at(err, YK_E_INPUT, fit->where, "fit must be log or linear");
    g->fit = fit && strcmp(fit->text, "linear") == 0 ? YK_FIT_LINEAR : YK_FIT_LOG;
    g->damping = yk_node_get(map, "damping") ? g->damping : g->code.damping;
    g->count = YK_SCALING_PERIODS;
    yk_scaling_periods(low, high, g->periods);
    for (size_t i = 0; i < g->count && !st; i++)
        st = yk_code_value(&g->code, g->periods[i], &g->target[i], err);
    return st;
}

static enum yk_status read_goal(struct goal *g, const struct yk_node *map, double first, struct yk_err *err)
{
    static const char *const known[] = {"Sa", "T", "damping", "spectrum", "from", "to", "fit", "floor"};
    const struct yk_node *Sa = yk_node_get(map, "Sa"), *T = yk_node_get(map, "T"),
                         *damping = yk_node_get(map, "damping"), *spectrum = yk_node_get(map, "spectrum"),
                         *floor = yk_node_get(map, "floor");
    enum yk_status st;

    *g = (struct goal){.damping = 0.05, .floor = 0.9};
    for (size_t i = 0; i < map->count; i++) {
        size_t k = 0;

        while (k < sizeof known / sizeof known[0] && strcmp(map->items[i]->key, known[k]) != 0)
            k++;
        if (k == sizeof known / sizeof known[0])
            return yk_fail_at(err, YK_E_INPUT, map->items[i]->key_where,
                              "'%s' is unknown; a goal has Sa, T, damping, or spectrum, from, to, fit, damping, floor",
                              map->items[i]->key);
    }
    if ((damping && (st = yk_field_real(damping, YK_NUMBER, 0, 0.999, &g->damping, err))) ||
        (floor && (st = yk_field_real(floor, YK_NUMBER, 1e-3, 10, &g->floor, err))))
        return st;
    if (spectrum && !Sa)
        return read_spectrum(g, map, spectrum, first, err);
    if (!Sa || !T || spectrum)
        return yk_fail_at(err, YK_E_INPUT, map->where, "a goal has either Sa and T, or spectrum, from and to");
    if ((st = yk_field_real(Sa, YK_PLAIN_ACCELERATION, 1e-9, 1e6, &g->Sa, err)) ||
        (st = period_of(T, first, &g->T, err)))
        return st;
    g->count = 1;
    g->periods[0] = g->T;
    g->target[0] = g->Sa;
    return YK_OK;
}

struct scaled {
    struct yk_scaling *one;
    double *Sa; /* of each record, scaled by its factor */
    double common, least;
    size_t at;
};

static enum yk_status scale_all(const struct work *w, const struct goal *g, struct scaled *s, struct yk_err *err)
{
    struct yk_motion_response r[YK_SCALING_PERIODS];
    enum yk_status st = YK_OK;

    s->one = calloc(w->count, sizeof *s->one);
    s->Sa = calloc(w->count * g->count, sizeof *s->Sa);
    if (!s->one || !s->Sa)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < w->count && !st; k++) {
        const struct yk_motion *m = &w->records[k].motion;
        double *Sa = s->Sa + k * g->count;

        st = yk_motion_spectrum(m->n, m->step_s, m->a, g->damping, g->count, g->periods, r, err);
        for (size_t i = 0; i < g->count && !st; i++) {
            Sa[i] = r[i].psa;
            if (!(Sa[i] > 0))
                st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(w->records[k].path),
                                "the record is zero: no factor brings it to the target");
        }
        if (st)
            break;
        s->one[k] = yk_scaling_fit(g->count, g->target, Sa, g->fit);
        for (size_t i = 0; i < g->count; i++)
            Sa[i] *= s->one[k].factor;
    }
    if (!st)
        s->common = yk_scaling_common(w->count, g->count, g->target, s->Sa, g->floor, &s->least, &s->at);
    return st;
}

static double pga_of(const struct loaded *r)
{
    struct yk_motion_measures m;

    yk_motion_measure(r->motion.n, r->motion.step_s, r->motion.a, &m);
    return m.pga;
}

static int print_json(const struct work *w, const struct goal *g, const struct scaled *s)
{
    json_t *records = json_array();

    for (size_t k = 0; k < w->count; k++)
        json_array_append_new(records,
                              json_pack("{s:o, s:f, s:f, s:f, s:b, s:o}", "file", yk_json_any(w->records[k].path),
                                        "factor", s->one[k].factor, "misfit", s->one[k].misfit, "pga",
                                        s->one[k].factor * pga_of(&w->records[k]), "unusual",
                                        !(s->one[k].factor >= LEAST_USUAL && s->one[k].factor <= MOST_USUAL), "notes",
                                        motion_notes_json(&w->records[k])));
    if (g->count == 1)
        return yk_print_json(json_pack("{s:o}", "records", records));
    return yk_print_json(json_pack("{s:o, s:f, s:f, s:f, s:f}", "records", records, "common", s->common, "least",
                                   s->least, "least_s", g->periods[s->at], "floor", g->floor));
}

static void print_text(const struct work *w, const struct goal *g, const struct scaled *s)
{
    printf("%12s %12s %12s  %s\n", "factor", g->count > 1 ? "misfit" : "", "PGA [m/s2]", "record");
    for (size_t k = 0; k < w->count; k++) {
        const double f = s->one[k].factor;

        motion_print_notes(&w->records[k]);
        printf("%12.8g ", f);
        if (g->count > 1)
            printf("%12.7g", s->one[k].misfit);
        else
            printf("%12s", "");
        printf(" %12.6g  %s%s\n", f * pga_of(&w->records[k]), w->records[k].path,
               f >= LEAST_USUAL && f <= MOST_USUAL ? "" : "  (warning: outside 0.25 to 4; take another record)");
    }
    if (g->count > 1) {
        printf("misfit: rms of the logarithm of scaled spectrum over target\n");
        printf("mean over target: least %.8g at %.6g s\n", s->least, g->periods[s->at]);
        printf("common factor so that the mean is nowhere below %g of the target: %.8g\n", g->floor, s->common);
    }
    printf("\nloads:\n");
    for (size_t k = 0; k < w->count; k++)
        printf("  - { ground: SUBSTRUCTURE, kind: record, file: %s, scale: %.8g }\n", w->records[k].path,
               s->one[k].factor * s->common);
}

int motion_scale(struct work *w)
{
    const char *text = w->options->to;
    struct yk_node *root = NULL;
    struct scaled s = {.common = 1};
    struct yk_err err = {0};
    struct goal g = {0};
    char *map = NULL;
    int code;

    if (!text)
        return yk_misuse(&command_motion, "--to is missing: \"Sa: 0.6 g, T: 1 s, damping: 5 %%\", or a spectrum");
    if (asprintf(&map, text[strspn(text, " ")] == '{' ? "%s" : "{%s}", text) < 0)
        return 1;
    if (yk_tree_parse(&root, map, strlen(map), "--to", &err) || read_goal(&g, root, w->options->first, &err) ||
        scale_all(w, &g, &s, &err)) {
        code = yk_command_fail(&err);
    } else if (w->options->json) {
        code = print_json(w, &g, &s);
    } else {
        print_text(w, &g, &s);
        code = 0;
    }
    yk_tree_free(root);
    free(map);
    free(g.table);
    free(s.one);
    free(s.Sa);
    return code;
}
