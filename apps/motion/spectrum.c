/* yoke motion spectrum: elastic spectra, spectra of constant ductility, a target beside them; table, JSON, picture. */
#include "motion.h"

#include <yoke/figure.h>
#include <yoke/file.h>
#include <yoke/number.h>

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CURVES = 256, NAME = 120 };

/* A column of the result: a response by period. */
struct curve {
    const struct loaded *record;
    size_t number;             /* of the record */
    double damping, ductility; /* ductility 0: elastic */
    struct yk_motion_response *elastic;
    double *strength, *peak;
    double *shown; /* psa, or strength */
    char name[NAME];
};

struct spectra {
    struct work *work;
    struct curve curve[MOST_CURVES];
    size_t count;
    double *target; /* NULL: none */
    double ductility[MOST_DAMPINGS];
    size_t ductilities;
};

static void name_curve(const struct spectra *s, struct curve *c)
{
    const char *slash = strrchr(c->record->path, '/'), *file = slash ? slash + 1 : c->record->path;
    int n = 0;

    if (s->work->count > 1)
        n = snprintf(c->name, NAME, "%.60s, ", file);
    n += snprintf(c->name + n, NAME - (size_t)n, "%g %%", 100 * c->damping);
    if (c->ductility > 0)
        snprintf(c->name + n, NAME - (size_t)n, ", ductility %g", c->ductility);
}

static enum yk_status compute(struct spectra *s, struct curve *c, struct yk_err *err)
{
    const struct work *w = s->work;
    const struct yk_motion *m = &c->record->motion;
    enum yk_status st = YK_OK;

    name_curve(s, c);
    c->shown = calloc(3 * w->period_count, sizeof *c->shown);
    c->elastic = calloc(w->period_count, sizeof *c->elastic);
    if (!c->shown || !c->elastic)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a spectrum");
    c->strength = c->shown + w->period_count;
    c->peak = c->strength + w->period_count;
    if (!(c->ductility > 0)) {
        st = yk_motion_spectrum(m->n, m->step_s, m->a, c->damping, w->period_count, w->periods, c->elastic, err);
        for (size_t i = 0; i < w->period_count && !st; i++)
            c->shown[i] = c->elastic[i].psa;
        return st;
    }
    for (size_t i = 0; i < w->period_count && !st; i++) {
        st = yk_motion_strength(m->n, m->step_s, m->a, w->periods[i], c->damping, w->options->hardening, c->ductility,
                                &c->strength[i], &c->peak[i], err);
        c->shown[i] = c->strength[i];
    }
    return st;
}

static enum yk_status add_curves(struct spectra *s, struct yk_err *err)
{
    const struct work *w = s->work;
    enum yk_status st = YK_OK;

    for (size_t r = 0; r < w->count && !st; r++)
        for (size_t d = 0; d < w->dampings && !st; d++)
            for (size_t k = 0; k < (s->ductilities ? s->ductilities : 1) && !st; k++) {
                if (s->count == MOST_CURVES)
                    return yk_fail(err, YK_E_RANGE, "more than %d spectra at once", MOST_CURVES);
                s->curve[s->count] = (struct curve){.record = &w->records[r],
                                                    .number = r,
                                                    .damping = w->damping[d],
                                                    .ductility = s->ductilities ? s->ductility[k] : 0};
                st = compute(s, &s->curve[s->count++], err);
            }
    return st;
}

static enum yk_status add_target(struct spectra *s, struct yk_err *err)
{
    const struct work *w = s->work;
    struct yk_code_spectrum code;
    double *table;
    enum yk_status st;

    if (!w->options->target)
        return YK_OK;
    if ((st = yk_code_read(&code, &table, w->options->target, err)))
        return st;
    if (!(s->target = calloc(w->period_count, sizeof *s->target)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < w->period_count && !st; i++)
        if (yk_code_value(&code, w->periods[i], &s->target[i], err)) {
            if (w->listed)
                st = err->status;
            else
                s->target[i] = NAN; /* beyond its range, among the default periods */
        }
    free(table);
    return st;
}

/* Warns where the step of a recording or a file is coarse for the shortest periods. */
static void warn_steps(const struct work *w)
{
    for (size_t r = 0; r < w->count; r++) {
        double shortest = INFINITY;

        for (size_t i = 0; i < w->period_count; i++)
            shortest = w->periods[i] > 0 ? fmin(shortest, w->periods[i]) : shortest;
        if (strcmp(w->records[r].motion.format, "recording") == 0 &&
            w->records[r].motion.step_s > shortest / 10 * (1 + 1e-9))
            fprintf(stderr,
                    "yoke: note: %s: the step of %g s is more than a tenth of the period for periods below %g s: what "
                    "moves between the rows is not seen\n",
                    w->records[r].path, w->records[r].motion.step_s, 10 * w->records[r].motion.step_s);
    }
}

/* ---- output ---- */

static json_t *curve_json(const struct work *w, const struct curve *c)
{
    json_t *periods = yk_json_numbers((int)w->period_count, w->periods), *list[5];
    static const char *const names[] = {"sd", "psv", "psa", "sv", "sa"};

    if (c->ductility > 0)
        return json_pack("{s:f, s:f, s:o, s:o, s:o}", "damping", c->damping, "ductility", c->ductility, "periods",
                         periods, "strength", yk_json_numbers((int)w->period_count, c->strength), "peak",
                         yk_json_numbers((int)w->period_count, c->peak));
    json_t *out = json_pack("{s:f, s:o}", "damping", c->damping, "periods", periods);
    for (int k = 0; k < 5; k++) {
        list[k] = json_array();
        for (size_t i = 0; i < w->period_count; i++) {
            const struct yk_motion_response *r = &c->elastic[i];
            const double values[] = {r->sd, r->psv, r->psa, r->sv, r->sa};

            json_array_append_new(list[k], yk_json_number(values[k]));
        }
        json_object_set_new(out, names[k], list[k]);
    }
    return out;
}

static int print_json(const struct spectra *s)
{
    const struct work *w = s->work;
    json_t *records = json_array(), *out;

    for (size_t r = 0; r < w->count; r++) {
        json_t *list = json_array();

        for (size_t i = 0; i < s->count; i++)
            if (s->curve[i].number == r)
                json_array_append_new(list, curve_json(w, &s->curve[i]));
        json_array_append_new(records, json_pack("{s:o, s:o, s:o}", "file", yk_json_any(w->records[r].path), "spectra",
                                                 list, "notes", motion_notes_json(&w->records[r])));
    }
    out = json_pack("{s:o}", "records", records);
    if (s->target)
        json_object_set_new(out, "target",
                            json_pack("{s:o, s:o}", "periods", yk_json_numbers((int)w->period_count, w->periods), "sa",
                                      yk_json_numbers((int)w->period_count, s->target)));
    return yk_print_json(out);
}

/* CSV: a column for each response, in the order of the curves. */
static bool write_csv(FILE *out, const void *self)
{
    const struct spectra *s = self;
    const struct work *w = s->work;

    fprintf(out, "period [s]");
    for (size_t i = 0; i < s->count; i++) {
        const struct curve *c = &s->curve[i];

        if (c->ductility > 0)
            fprintf(out, ",\"strength, %s [m/s2]\",\"peak, %s [m]\"", c->name, c->name);
        else
            fprintf(out, ",\"Sd, %s [m]\",\"PSv, %s [m/s]\",\"PSa, %s [m/s2]\",\"Sv, %s [m/s]\",\"Sa, %s [m/s2]\"",
                    c->name, c->name, c->name, c->name, c->name);
    }
    fprintf(out, "%s\n", s->target ? ",target [m/s2]" : "");
    for (size_t k = 0; k < w->period_count; k++) {
        fprintf(out, "%.10g", w->periods[k]);
        for (size_t i = 0; i < s->count; i++) {
            const struct curve *c = &s->curve[i];
            const struct yk_motion_response *r = &c->elastic[k];

            if (c->ductility > 0)
                fprintf(out, ",%.10g,%.10g", c->strength[k], c->peak[k]);
            else
                fprintf(out, ",%.10g,%.10g,%.10g,%.10g,%.10g", r->sd, r->psv, r->psa, r->sv, r->sa);
        }
        if (s->target)
            fprintf(out, ",%.10g", s->target[k]);
        fputc('\n', out);
    }
    return !ferror(out);
}

static void print_table(const struct spectra *s)
{
    const struct work *w = s->work;

    for (size_t i = 0; i < s->count; i++) {
        const struct curve *c = &s->curve[i];

        printf("%s, damping %g %%", c->record->path, 100 * c->damping);
        if (c->ductility > 0)
            printf(", ductility %g; the largest strength that has it, weaker ones may, too\n%12s %14s %14s\n",
                   c->ductility, "T [s]", "Fy/m [m/s2]", "peak [m]");
        else
            printf("\n%12s %14s %14s %14s %14s %14s\n", "T [s]", "Sd [m]", "PSv [m/s]", "PSa [m/s2]", "Sv [m/s]",
                   "Sa [m/s2]");
        for (size_t k = 0; k < w->period_count; k++)
            if (c->ductility > 0)
                printf("%12.6g %14.8g %14.8g\n", w->periods[k], c->strength[k], c->peak[k]);
            else
                printf("%12.6g %14.8g %14.8g %14.8g %14.8g %14.8g\n", w->periods[k], c->elastic[k].sd,
                       c->elastic[k].psv, c->elastic[k].psa, c->elastic[k].sv, c->elastic[k].sa);
    }
    if (s->target) {
        printf("target: %s\n%12s %14s\n", w->options->target, "T [s]", "Sa [m/s2]");
        for (size_t k = 0; k < w->period_count; k++)
            printf("%12.6g %14.8g\n", w->periods[k], s->target[k]);
    }
}

static int draw(const struct spectra *s)
{
    const struct work *w = s->work;
    struct yk_plot_series *series = calloc(s->count + 1, sizeof *series);
    struct yk_err err = {0};
    size_t n = 0;

    if (!series) {
        fprintf(stderr, "yoke: out of memory\n");
        return 1;
    }
    if (s->target)
        series[n++] = (struct yk_plot_series){
            .name = "target", .style = YK_PLOT_REFERENCE, .n = w->period_count, .x = w->periods, .y = s->target};
    for (size_t i = 0; i < s->count; i++)
        series[n++] = (struct yk_plot_series){.name = s->curve[i].name,
                                              .style = YK_PLOT_LINE,
                                              .n = w->period_count,
                                              .x = w->periods,
                                              .y = s->curve[i].shown};
    const struct yk_plot_panel panel = {
        .x = {.label = "period [s]", .log = true},
        .y = {.label = s->ductilities ? "strength over mass [m/s2]" : "pseudo acceleration [m/s2]"},
        .series = series,
        .count = n};
    const char *slash = strrchr(w->records[0].path, '/');
    const int code = yk_figure_write(&(struct yk_figure){.title = w->count > 1 ? "Response spectra"
                                                                  : slash      ? slash + 1
                                                                               : w->records[0].path,
                                                         .panels = &panel,
                                                         .count = 1},
                                     w->options->out, &err)
                         ? yk_command_fail(&err)
                         : 0;
    free(series);
    return code;
}

static int output(const struct spectra *s)
{
    const struct motion_options *o = s->work->options;
    const size_t n = o->out ? strlen(o->out) : 0;

    if (n > 4 && strcmp(o->out + n - 4, ".csv") == 0) {
        if (!yk_file_replace(o->out, write_csv, s)) {
            fprintf(stderr, "yoke: cannot write %s: %s\n", o->out, strerror(errno));
            return 1;
        }
    } else if (o->out) {
        const int code = draw(s);

        if (code)
            return code;
    }
    if (o->json)
        return print_json(s);
    for (size_t r = 0; r < s->work->count; r++)
        motion_print_notes(&s->work->records[r]);
    if (!o->out)
        print_table(s);
    return 0;
}

int motion_spectra(struct work *w)
{
    struct spectra *s = calloc(1, sizeof *s);
    struct yk_err err = {0};
    int code;

    if (!s) {
        fprintf(stderr, "yoke: out of memory\n");
        return 1;
    }
    s->work = w;
    if (w->options->ductility)
        s->ductilities = yk_number_list(w->options->ductility, s->ductility, MOST_DAMPINGS);
    if (w->options->ductility && !s->ductilities) {
        code = yk_misuse(&command_motion, "--ductility '%s' must be a list such as 2,4", w->options->ductility);
    } else {
        const char *out = w->options->out;
        const size_t n = out ? strlen(out) : 0;
        const bool picture = out && !(n > 4 && strcmp(out + n - 4, ".csv") == 0);

        warn_steps(w);
        code = (picture && yk_figure_check_path(out, &err)) || add_curves(s, &err) || add_target(s, &err)
                   ? yk_command_fail(&err)
                   : output(s);
    }
    for (size_t i = 0; i < s->count; i++) {
        free(s->curve[i].elastic);
        free(s->curve[i].shown);
    }
    free(s->target);
    free(s);
    return code;
}
