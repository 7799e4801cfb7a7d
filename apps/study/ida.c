/* yoke study --ida: incremental dynamic analysis. Each record is scaled until the structure collapses; capacities give
 * a fragility curve. docs/ground-motions.md. */
#include "ida.h"

#include <yoke/expression.h>
#include <yoke/file.h>
#include <yoke/json.h>
#include <yoke/motion.h>
#include <yoke/variants.h>

#include <errno.h>
#include <glob.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 4000, RECORDS = 256 };
#define STANDARD_GRAVITY 9.80665

struct ida {
    const struct study_options *o;
    struct yk_variants *variants;
    const char *names[CHANNELS], *units[CHANNELS]; /* of the channels; their peaks are what expressions see */
    size_t count;
    json_t *description;
    struct yk_expression *demand, *collapse;
    struct yk_motion motion; /* the record of now */
    double intensity;        /* of it as it is [m/s2] */
    char *file, *folder;
    double period, damping; /* of the measure; period NaN: PGA */
    double first;           /* period of the structure; 0: not asked for */
    struct yk_ida_curve *curve;
    char **record;
    size_t records;
};

/* ---- what is measured ---- */

/* "PGA", "Sa(0.6 s, 5 %)", "Sa(0.6 s)" */
static int read_measure(struct ida *d)
{
    const char *text = d->o->im ? d->o->im : "PGA";
    char T[40], z[40] = "5 %";
    struct yk_err err = {0};

    d->period = NAN;
    if (strcmp(text, "PGA") == 0)
        return 0;
    if (sscanf(text, "Sa(%39[^,)],%39[^)])", T, z) < 1)
        return yk_misuse(&command_study, "--im '%s' should be PGA or Sa(T, damping), such as \"Sa(0.6 s, 5 %%)\"",
                         text);
    d->damping = 0.05;
    if (strcmp(T, "T1") == 0)
        d->period = d->first;
    if ((isnan(d->period) && yk_quantity_parse(T, YK_TIME, &d->period, &err)) ||
        yk_quantity_parse(z + strspn(z, " "), YK_NUMBER, &d->damping, &err)) {
        yk_fail_within(&err, YK_NOWHERE, "--im: ");
        return yk_command_fail(&err);
    }
    return 0;
}

static enum yk_status measure(struct ida *d, struct yk_err *err)
{
    const struct yk_motion *m = &d->motion;
    struct yk_motion_response r;
    enum yk_status st = yk_motion_spectrum(m->n, m->step_s, m->a, isnan(d->period) ? 0.05 : d->damping, 1,
                                           (const double[]){isnan(d->period) ? 0 : d->period}, &r, err);

    d->intensity = r.psa;
    return st || r.psa > 0 ? st : yk_fail(err, YK_E_INPUT, "the record is zero");
}

/* The first period, as `yoke check` finds it. */
static enum yk_status find_first(struct ida *d, const struct yk_model *model, struct yk_err *err)
{
    char *text = NULL;
    enum yk_status st = yk_model_analyze(model, "check", NULL, &text, err);

    if (st)
        return st;
    json_t *check = yk_json_read_text(text);
    const double f = json_number_value(json_array_get(json_object_get(check, "frequencies_Hz"), 0));
    json_decref(check);
    yk_free(text);
    if (!(f > 0))
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "--im: the check finds no first period; write it, such as Sa(0.6 s, 5 %%)");
    d->first = 1 / f;
    return YK_OK;
}

static enum yk_status read_channels(struct ida *d, const char *file, struct yk_err *err)
{
    struct yk_model *model;
    enum yk_status st = yk_model_read(
        &model,
        &(struct yk_model_source){
            .path = file, .overrides = d->o->set.text, .override_count = d->o->set.count, .rehearse = true},
        err);

    if (st)
        return st;
    if (d->o->im && strstr(d->o->im, "T1"))
        st = find_first(d, model, err);
    char *text = yk_model_describe(model);
    d->description = yk_json_read_text(text);
    yk_free(text);
    yk_model_close(model);
    const json_t *list = json_object_get(json_object_get(d->description, "channels"), "system");
    for (size_t i = 0; i < json_array_size(list) && d->count < CHANNELS; i++) {
        d->names[d->count] = json_string_value(json_array_get(json_array_get(list, i), 0));
        d->units[d->count] = json_string_value(json_array_get(json_array_get(list, i), 1));
        d->count += d->names[d->count] && d->units[d->count];
    }
    return st || d->description ? st : yk_fail(err, YK_E_MEMORY, "out of memory");
}

static int compile(struct ida *d, const char *option, const char *text, struct yk_expression **e)
{
    const struct yk_expression_scope scope = {d->count, d->names, d->units, 0};
    struct yk_err err = {0};

    if (!yk_expression_compile(e, text, &scope, &err))
        return 0;
    fprintf(stderr, "yoke: %s: column %d: %s\n%s", option, err.column, err.wording,
            yk_expression_caret(text, err.column).text);
    return 2;
}

/* The value of an expression of peaks: one sample. */
static double figure_of(const struct yk_expression *e, const double *row)
{
    double y = NAN, *memory = calloc(yk_expression_memory(e) + 1, sizeof *memory);

    if (memory)
        y = yk_expression_value(e, row, memory);
    free(memory);
    return y;
}

/* ---- runs ---- */

static enum yk_status run_level(void *self, double level, struct yk_ida_point *point, struct yk_err *err)
{
    struct ida *d = self;
    char words[2][PATH_MAX + 80];
    const char *settings[66] = {words[0], words[1]};
    struct yk_varied v;
    double *row = calloc(d->count + 1, sizeof *row);

    snprintf(words[0], sizeof words[0], "%s.file=%s", d->o->ida, d->file);
    snprintf(words[1], sizeof words[1], "%s.scale=%.17g", d->o->ida, level / d->intensity);
    enum yk_status st =
        row ? yk_variants_run(d->variants, settings, 2, NULL, &v, err) : yk_fail(err, YK_E_MEMORY, "out of memory");
    if (st) {
        free(row);
        return st;
    }
    json_t *summary = yk_json_read_text(v.summary);
    const json_t *peaks = json_object_get(summary, "peaks"), *x;
    for (size_t i = 0; i < d->count; i++)
        row[i] = (x = json_object_get(peaks, d->names[i])) && json_is_number(x) ? json_number_value(x) : 0;
    point->demand = d->demand ? figure_of(d->demand, row) : NAN;
    point->collapsed = strcmp(v.status, "diverged") == 0 || figure_of(d->collapse, row) != 0;
    if (strcmp(v.status, "refused") == 0)
        st = yk_fail(err, YK_E_INPUT, "%s at %g m/s2: %s", d->file, level, v.reason ? v.reason : "refused");
    else if (strcmp(v.status, "stopped") == 0 && !point->collapsed)
        st = YK_AGAIN;
    if (!d->o->quiet && !st)
        fprintf(stderr, "  %.4g g: %s\n", level / STANDARD_GRAVITY, point->collapsed ? "collapse" : "stands");
    json_decref(summary);
    yk_varied_free(&v);
    free(row);
    return st;
}

static bool write_record(FILE *out, const void *self)
{
    const struct ida *d = self;

    fprintf(out, "time [s],acceleration [m/s2]\n");
    for (size_t i = 0; i < d->motion.n; i++)
        fprintf(out, "%.12g,%.17g\n", (double)i * d->motion.step_s, d->motion.a[i]);
    return !ferror(out);
}

/* One record: read, measured, written as a table that experiments read, then scaled up. */
static enum yk_status analyse(struct ida *d, size_t k, struct yk_err *err)
{
    struct yk_ida settings = yk_ida_defaults();
    char relative[PATH_MAX], absolute[PATH_MAX];
    enum yk_status st = yk_motion_read(&d->motion, d->record[k], NULL, err);

    if (st)
        return st;
    for (const char *p = d->motion.notes; *p; p += strcspn(p, "\n") + 1)
        fprintf(stderr, "yoke: note: %s: %.*s\n", d->record[k], (int)strcspn(p, "\n"), p);
    snprintf(relative, sizeof relative, "%s/record-%zu.csv", d->folder, k + 1);
    if (!(st = measure(d, err)) && (!yk_file_replace(relative, write_record, d) || !realpath(relative, absolute)))
        st = yk_fail(err, YK_E_IO, "cannot write %s: %s", relative, strerror(errno));
    settings.run = run_level;
    settings.self = d;
    settings.flat = d->o->flat;
    d->file = absolute;
    if (!d->o->quiet && !st)
        fprintf(stderr, "%s\n", d->record[k]);
    if (!st)
        st = yk_ida_run(&settings, &d->curve[k], err);
    yk_motion_free(&d->motion);
    return st;
}

/* ---- results ---- */

static bool write_table(FILE *out, const void *self)
{
    const struct ida *d = self;

    fprintf(out, "record,intensity [m/s2],demand,state\n");
    for (size_t k = 0; k < d->records; k++)
        for (size_t i = 0; i < d->curve[k].count; i++) {
            const struct yk_ida_point *p = &d->curve[k].point[i];

            fprintf(out, "\"%s\",%.10g,", d->record[k], p->level);
            if (isfinite(p->demand))
                fprintf(out, "%.10g", p->demand);
            fprintf(out, ",%s\n", p->collapsed ? "collapse" : p->unknown ? "unknown" : "stands");
        }
    return !ferror(out);
}

static int print(const struct ida *d)
{
    double capacity[RECORDS];
    struct yk_fragility f;
    struct yk_err err = {0};
    char path[PATH_MAX];
    size_t n = 0;

    printf("%12s %12s %8s  record; intensity %s\n", "capacity [g]", "flat [g]", "unknown", d->o->im ? d->o->im : "PGA");
    for (size_t k = 0; k < d->records; k++) {
        const struct yk_ida_curve *c = &d->curve[k];

        printf("%12.5g %12.5g %8zu  %s\n", c->capacity / STANDARD_GRAVITY, c->flat / STANDARD_GRAVITY, c->unknown,
               d->record[k]);
        if (isfinite(c->capacity))
            capacity[n++] = c->capacity / STANDARD_GRAVITY;
    }
    if (n < d->records)
        printf("%zu of %zu records did not lead to a collapse and are not part of the curve below\n", d->records - n,
               d->records);
    if (yk_fragility_capacities(n, capacity, &f, &err))
        printf("no fragility curve: %s\n", err.wording);
    else
        printf("fragility: theta %.6g g, beta %.6g; 16, 50, 84 %% at %.5g, %.5g, %.5g g\n", f.theta, f.beta,
               f.theta * exp(-f.beta), f.theta, f.theta * exp(f.beta));
    snprintf(path, sizeof path, "%s/ida.csv", d->folder);
    if (yk_file_replace(path, write_table, d)) {
        printf("%s\n", path);
        return 0;
    }
    fprintf(stderr, "yoke: cannot write %s: %s\n", path, strerror(errno));
    return 1;
}

static int prepare(struct ida *d, const char *file, glob_t *found)
{
    const struct study_options *o = d->o;
    struct yk_err err = {0};
    int code;

    if (!o->records.count || !o->collapse)
        return yk_misuse(&command_study, "--ida needs --records FILES and --collapse CRITERION");
    for (size_t i = 0; i < o->records.count; i++)
        if (glob(o->records.text[i], (i ? GLOB_APPEND : 0) | GLOB_NOMAGIC, NULL, found))
            return yk_misuse(&command_study, "--records '%s': no such file", o->records.text[i]);
    d->record = found->gl_pathv;
    d->records = found->gl_pathc;
    if (d->records > RECORDS)
        return yk_misuse(&command_study, "%zu records; at most %d", d->records, RECORDS);
    if (read_channels(d, file, &err))
        return yk_command_fail(&err);
    if ((code = read_measure(d)))
        return code;
    if ((code = compile(d, "--collapse", o->collapse, &d->collapse)) ||
        (o->results.count && (code = compile(d, "--result", o->results.text[0], &d->demand))))
        return code;
    if (yk_make_folder(d->folder)) {
        fprintf(stderr, "yoke: cannot make %s: %s\n", d->folder, strerror(errno));
        return 1;
    }
    d->curve = calloc(d->records, sizeof *d->curve);
    if (!d->curve ||
        yk_variants_open(&d->variants,
                         &(struct yk_model_source){
                             .path = file, .overrides = o->set.text, .override_count = o->set.count, .rehearse = true},
                         &err))
        return yk_command_fail(&err);
    return 0;
}

int study_ida(const struct study_options *o, const char *file)
{
    char folder[] = "out/ida";
    struct ida *d = calloc(1, sizeof *d);
    struct yk_err err = {0};
    glob_t found = {0};
    int code;

    if (!d)
        return 1;
    d->o = o;
    d->folder = o->folder ? strdup(o->folder) : strdup(folder);
    code = d->folder ? prepare(d, file, &found) : 1;
    for (size_t k = 0; k < d->records && !code; k++)
        if (analyse(d, k, &err))
            code = yk_command_fail(&err);
    if (!code)
        code = print(d);
    yk_variants_close(d->variants);
    yk_expression_free(d->demand);
    yk_expression_free(d->collapse);
    json_decref(d->description);
    globfree(&found);
    free(d->curve);
    free(d->folder);
    free(d);
    return code;
}
