/* yoke push: statics of an experiment. */
#include "capacity.h"
#include "options.h"
#include "path.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yoke/json.h>
#include <yoke/number.h>

enum { DEFAULT_MODES = 3, MOST_MODES = 100 };

/* The end of a stage, as far as it is known. */
struct ended {
    double x, lambda;
    size_t rows, modes[2];
    double w2[2][MOST_MODES]; /* loading, unloading */
};

struct job {
    const struct push_options *o;
    struct yk_parts *parts;
    struct statics statics;
    struct stage *stages;
    size_t stage_count;
    struct path path;
    char *recording;
    struct yk_code_spectrum spectrum; /* of --target */
    char left_out[400];               /* laws that depend on the rate */
};

/* ---- opening --------------------------------------------------------------------------------------------------- */

/* Elements with a law of the rate: velocities are zero, so that they are left out. */
static void list_left_out(struct job *j)
{
    const struct yk_node *parts = yk_node_get(yk_parts_tree(j->parts), "substructures");

    for (size_t k = 0; parts && k < parts->count; k++) {
        const struct yk_node *elements = yk_node_get(parts->items[k], "elements");

        for (size_t i = 0; elements && elements->type == YK_LIST && i < elements->count; i++) {
            const struct yk_node *kind = yk_node_get(elements->items[i], "kind"),
                                 *name = yk_node_get(elements->items[i], "name");
            const struct yk_law_ops *law = kind && kind->text ? yk_law_find(kind->text) : NULL;
            const size_t used = strlen(j->left_out);

            if (!law || !law->rate || used + 60 > sizeof j->left_out)
                continue;
            j->statics.tick = 1e6; /* s: what relaxes has done so in each step */
            snprintf(j->left_out + used, sizeof j->left_out - used, "%s%s.%s (%s)", used ? ", " : "",
                     parts->items[k]->key, name && name->text ? name->text : "element", law->name);
        }
    }
}

static int open_job(struct job *j, const struct yk_words *words)
{
    struct yk_err err = {0};
    const struct yk_model_source source = {.path = words->rest[0],
                                           .overrides = j->o->set.text,
                                           .override_count = j->o->set.count,
                                           .models = true,
                                           .statics = true};

    if (yk_parts_open(&j->parts, &source, &err))
        return yk_command_fail(&err);
    for (size_t k = 0; yk_parts_note(j->parts, k); k++)
        fprintf(stderr, "yoke: note: %s\n", yk_parts_note(j->parts, k));
    if (statics_open(&j->statics, j->parts, &err) || stages_read(&j->statics, &j->stages, &j->stage_count, &err))
        return yk_command_fail(&err);
    if (j->o->stage > (long)j->stage_count)
        return yk_misuse(&command_push, "--stage %ld: the file has %zu", j->o->stage, j->stage_count);
    if (path_open(&j->path, &j->statics, j->stages, j->o->stage ? (size_t)j->o->stage : j->stage_count, &err))
        return yk_command_fail(&err);
    list_left_out(j);
    return 0;
}

static void close_job(struct job *j)
{
    path_close(&j->path);
    stages_free(j->stages, j->stage_count);
    statics_close(&j->statics);
    yk_parts_close(j->parts);
    free(j->recording);
}

/* ---- the recording --------------------------------------------------------------------------------------------- */

static char *name_folder(const struct job *j)
{
    const char *path = yk_parts_path(j->parts), *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const size_t length = strcspn(base, ".");
    char *folder;

    if (j->o->output)
        return strdup(j->o->output);
    return asprintf(&folder, "out/%.*s/push", (int)length, base) < 0 ? NULL : folder;
}

static int prepare_folder(struct job *j)
{
    char *folder = name_folder(j);
    struct stat there;

    if (!folder || asprintf(&j->recording, "%s/run.h5", folder) < 0) {
        free(folder);
        return 1;
    }
    if (yk_make_folder(folder)) {
        fprintf(stderr, "yoke: %s: %s\n", folder, strerror(errno));
        free(folder);
        return 1;
    }
    free(folder);
    if (j->o->output && !j->o->force && stat(j->recording, &there) == 0)
        return yk_misuse(&command_push, "%s exists; give --force to replace it", j->recording);
    return 0;
}

static int write_recording(const struct job *j, const json_t *result, bool reached)
{
    const struct path *p = &j->path;
    struct yk_err err = {0};
    json_t *summary = json_deep_copy(result);
    char *text;

    json_object_set_new(summary, "title", json_string(yk_parts_title(j->parts)));
    json_object_set_new(summary, "method", json_string("statics"));
    json_object_set_new(summary, "finished", json_boolean(reached));
    text = json_dumps(summary, 0);
    json_decref(summary);
    const enum yk_status st = yk_record_write(
        j->recording,
        &(struct yk_record_content){
            .title = yk_parts_title(j->parts),
            .experiment_path = yk_parts_path(j->parts),
            .overrides = yk_parts_overrides(j->parts),
            .method = "statics",
            .summary = text,
            .finished = true,
            .streams =
                {{.rows = p->rows, .count = p->count, .channels = p->channels, .names = p->names, .units = p->units}}},
        &err);
    free(text);
    return st ? yk_command_fail(&err) : 0;
}

/* ---- the capacity curve ---------------------------------------------------------------------------------------- */

struct capacity {
    double *d, *F; /* of the structure; malloc'd */
    struct curve curve;
    double m, gamma; /* of the equivalent oscillator; m 0: nothing has mass */
};

/* Force of the pattern in the direction of the control displacement, per unit of the factor; m* and Gamma: floors move
 * as F_i/m_i does, 1 at the control displacement. */
static enum yk_status equivalent(const struct job *j, const struct stage *s, double *sum, struct capacity *c,
                                 struct yk_err *err)
{
    const struct statics *q = &j->statics;
    const char *dot = strrchr(s->control, '.'), *direction = dot ? dot + 1 : s->control;
    double up = 0, square = 0, top = 0;

    *sum = 0;
    for (size_t k = 0; k < yk_parts_count(j->parts); k++) {
        const struct yk_substructure *part = yk_part(j->parts, k);
        const struct yk_frame *f = yk_part_frame(j->parts, k, NULL);
        const size_t vertical = f && !f->plane ? 2 : 1, n = part->system->n;
        const double *place = yk_part_places(j->parts, k);
        double *p = calloc(2 * n + 1, sizeof *p), *control = p + n;

        if (!p)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        statics_share(q, k, s->p, p);
        statics_share(q, k, s->c, control);
        for (size_t i = 0; i < n; i++) {
            const char *own = strrchr(part->dofs[i], '.');
            double F = 0, m = 0, controlled = 0;
            bool first = true;

            if (strcmp(own ? own + 1 : part->dofs[i], direction) != 0)
                continue;
            *sum += p[i];
            for (size_t l = 0; l < n; l++) { /* nodes of one floor together, at its first node */
                const char *other = strrchr(part->dofs[l], '.');

                if (strcmp(other ? other + 1 : part->dofs[l], direction) != 0 ||
                    (l != i && !(place && fabs(place[3 * l + vertical] - place[3 * i + vertical]) < 0.25)))
                    continue;
                first &= l >= i;
                F += p[l];
                m += yk_matrix_get(&part->system->M, l, l);
                controlled += control[l] != 0;
            }
            if (!first || !(m > 0))
                continue;
            top = controlled > 0 ? F / m : top;
            up += F;
            square += F * F / m;
        }
        free(p);
    }
    if (top != 0) {
        c->m = up / top;
        c->gamma = c->m / (square / (top * top));
    }
    return YK_OK;
}

static enum yk_status find_capacity(const struct job *j, struct capacity *c, struct yk_err *err)
{
    const struct path *p = &j->path;
    size_t last = SIZE_MAX, from = 0;
    double sum;

    for (size_t i = 0; i <= p->stage && i < p->stage_count; i++)
        last = j->stages[i].kind == STAGE_PUSH ? i : last;
    if (last == SIZE_MAX)
        return yk_fail(err, YK_E_INPUT, "--capacity needs a stage that pushes");
    const enum yk_status st = equivalent(j, &j->stages[last], &sum, c, err);

    if (st)
        return st;
    c->d = calloc(2 * p->count + 2, sizeof *c->d);
    if (!c->d)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    c->F = c->d + p->count + 1;
    while (from < p->count && p->rows[from * p->channels + 1] < (double)last + 1)
        from++;
    from -= from ? 1 : 0; /* the state at its begin */
    const double sign = j->stages[last].to < p->rows[from * p->channels + 3] ? -1 : 1;
    const double gamma = c->gamma > 0 ? c->gamma : 1;

    for (size_t i = from; i < p->count && p->rows[i * p->channels + 1] <= (double)last + 1; i++) {
        const double *row = p->rows + i * p->channels;
        const double d = sign * (row[3] - p->rows[from * p->channels + 3]) / gamma;

        if (c->curve.count && !(d > c->d[c->curve.count - 1]))
            continue; /* an arc that turns back */
        c->d[c->curve.count] = d;
        c->F[c->curve.count++] = sign * (i == from ? 0 : row[2]) * sum / gamma;
    }
    c->curve.d = c->d;
    c->curve.F = c->F;
    return c->curve.count > 2 ? YK_OK : yk_fail(err, YK_E_INPUT, "--capacity: the push has too few steps");
}

static json_t *bilinear_json(struct bilinear b, double gamma)
{
    return json_pack("{s:f, s:f, s:o, s:b}", "force_N", b.Fy * gamma, "displacement_m", b.dy * gamma, "hardening",
                     yk_json_number(b.alpha), "capped", b.capped);
}

static json_t *performance_json(const struct performance *p, double gamma, double m)
{
    if (!p->found)
        return json_pack("{s:b, s:s}", "found", 0, "why",
                         p->side > 0 ? "no performance point: beyond capacity" : "no performance point: below yield");
    json_t *all = json_pack("{s:b, s:f, s:f, s:f}", "found", 1, "displacement_m", p->d * gamma, "force_N", p->F * gamma,
                            "period_s", p->T);

    if (p->passes)
        json_object_update_new(all, json_pack("{s:f, s:i, s:f, s:f, s:f}", "qu", p->qu, "passes", p->passes,
                                              "first_period_s", p->first_T, "first_displacement_m", p->first_d * gamma,
                                              "first_qu", p->first_qu));
    else
        json_object_update_new(all, json_pack("{s:f, s:f}", "damping", p->damping, "acceleration_m_s2", p->F / m));
    return all;
}

static void print_performance(const char *method, const struct performance *p, double gamma, bool damping)
{
    if (!p->found) {
        printf("  %-14s no performance point: %s\n", method,
               p->side > 0   ? "beyond capacity"
               : p->side < 0 ? "the demand is below the yield displacement"
                             : "no end");
        return;
    }
    printf("  %-14s %s, base shear %s, T %.6g s", method, yk_quantity_format(p->d * gamma, YK_LENGTH, 6).text,
           yk_quantity_format(p->F * gamma, YK_PLAIN_FORCE, 6).text, p->T);
    if (damping)
        printf(", damping %.4g %%\n", 100 * p->damping);
    else
        printf(", qu %.5g, %d passes\n", p->qu, p->passes);
}

/* Adds to the result; prints unless --json. */
static int show_capacity(const struct job *j, json_t *result)
{
    struct capacity c = {0};
    struct yk_err err = {0};
    double du;
    bool falls;

    if (find_capacity(j, &c, &err)) {
        free(c.d);
        return yk_command_fail(&err);
    }
    const double gamma = c.gamma > 0 ? c.gamma : 1, end = curve_end(&c.curve, &falls);
    const struct bilinear n2 = bilinear_n2(&c.curve, end), asce = bilinear_asce(&c.curve, end),
                          park = bilinear_park(&c.curve, &du);
    json_t *all = json_pack("{s:f, s:f, s:f, s:b, s:o, s:o, s:o}", "mass_kg", c.m, "gamma", c.gamma, "end_m",
                            end * gamma, "falls", falls, "n2", bilinear_json(n2, gamma), "asce-41",
                            bilinear_json(asce, gamma), "park", bilinear_json(park, gamma));

    json_object_set_new(json_object_get(all, "park"), "ductility", yk_json_number(du / park.dy));
    if (!j->o->json) {
        printf("capacity up to %s%s; equivalent mass %s, Gamma %.6g\n",
               yk_quantity_format(end * gamma, YK_LENGTH, 6).text, falls ? " (drop of 20 %)" : "",
               yk_quantity_format(c.m, YK_MASS, 6).text, c.gamma);
        printf("  n2             Fy %s, dy %s\n", yk_quantity_format(n2.Fy * gamma, YK_PLAIN_FORCE, 6).text,
               yk_quantity_format(n2.dy * gamma, YK_LENGTH, 6).text);
        printf("  asce-41        Vy %s%s, dy %s, hardening %.4g\n",
               yk_quantity_format(asce.Fy * gamma, YK_PLAIN_FORCE, 6).text, asce.capped ? " (capped)" : "",
               yk_quantity_format(asce.dy * gamma, YK_LENGTH, 6).text, asce.alpha);
        printf("  park           dy %s", yk_quantity_format(park.dy * gamma, YK_LENGTH, 6).text);
        if (isfinite(du))
            printf(", du %s, ductility %.4g\n", yk_quantity_format(du * gamma, YK_LENGTH, 6).text, du / park.dy);
        else
            puts("; the force does not fall to 0.8 of its peak");
    }
    if (j->o->target && !(c.m > 0)) {
        json_decref(all);
        free(c.d);
        return yk_misuse(&command_push, "--target needs masses in the direction of the control displacement");
    }
    if (j->o->target) {
        const struct performance a = performance_n2(&c.curve, c.m, &j->spectrum),
                                 b = performance_spectrum(&c.curve, c.m, &j->spectrum, j->o->kappa);

        json_object_set_new(all, "performance",
                            json_pack("{s:o, s:o}", "n2", performance_json(&a, gamma, c.m), "spectrum",
                                      performance_json(&b, gamma, c.m)));
        if (!j->o->json) {
            puts("performance point");
            print_performance("N2", &a, gamma, false);
            print_performance("spectrum", &b, gamma, true);
        }
    }
    json_object_set_new(result, "capacity", all);
    free(c.d);
    return 0;
}

/* ---- stages and their ends ------------------------------------------------------------------------------------- */

static const char *const kinds[] = {"gravity", "push", "cycle"};

static json_t *periods_json(size_t count, const double *w2)
{
    json_t *all = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(all, w2[i] > 0 ? json_real(2 * acos(-1) / sqrt(w2[i]))
                                             : json_pack("{s:f}", "doubles_in_s", log(2) / sqrt(-w2[i])));
    return all;
}

static void print_periods(const char *words, size_t count, const double *w2)
{
    printf("  periods        ");
    for (size_t i = 0; i < count; i++)
        if (w2[i] > 0)
            printf("%s%.6g s", i ? ", " : "", 2 * acos(-1) / sqrt(w2[i]));
        else
            printf("%sunstable, doubles in %.4g s", i ? ", " : "", log(2) / sqrt(-w2[i]));
    printf("%s\n", words);
}

static json_t *stage_json(const struct job *j, size_t i, const struct ended *e)
{
    const struct stage *s = &j->stages[i];
    json_t *one = json_pack("{s:s, s:s, s:f, s:f, s:I}", "kind", kinds[s->kind], "control", s->control, "displacement",
                            e->x, "factor", e->lambda, "rows", (json_int_t)e->rows);

    json_object_set_new(one, "periods_s",
                        json_pack("{s:o, s:o}", "loading", periods_json(e->modes[0], e->w2[0]), "unloading",
                                  periods_json(e->modes[1], e->w2[1])));
    if (s->kind == STAGE_CYCLE)
        json_object_set_new(one, "protocol",
                            json_pack("{s:i, s:f}", "cycles", yk_protocol_cycles(&s->protocol), "length_m",
                                      yk_protocol_length(&s->protocol)));
    return one;
}

static void print_stage(const struct job *j, size_t i, const struct ended *e)
{
    const struct stage *s = &j->stages[i];
    const char *unit = s->sense == YK_ABOUT ? "rad" : "m";

    printf("stage %zu: %s", i + 1, kinds[s->kind]);
    if (s->kind == STAGE_GRAVITY)
        printf(", permanent loads in %d steps\n", s->steps);
    else
        printf(", %s = %.6g %s, factor %.8g\n", s->control, e->x, unit, e->lambda);
    if (s->kind == STAGE_CYCLE)
        printf("  protocol       %d cycles, path %.6g %s\n", yk_protocol_cycles(&s->protocol),
               yk_protocol_length(&s->protocol), unit);
    const bool same =
        e->modes[0] == e->modes[1] && (!e->modes[0] || fabs(e->w2[0][0] - e->w2[1][0]) <= 1e-9 * fabs(e->w2[0][0]));

    if (e->modes[0])
        print_periods(same ? "" : "   loading further", e->modes[0], e->w2[0]);
    if (!same && e->modes[1])
        print_periods("   unloading", e->modes[1], e->w2[1]);
}

static void end_stage(struct job *j, struct ended *e)
{
    const size_t modes = (size_t)j->o->modes;

    *e = (struct ended){.x = path_control(&j->path), .lambda = j->statics.lambda, .rows = j->path.count};
    for (int k = 0; k < 2; k++)
        if (modes_find(&j->path, k == 0, modes, e->w2[k], &e->modes[k], NULL))
            e->modes[k] = 0;
}

static int by_step(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    return x->step < y->step ? -1 : x->step > y->step;
}

static void print_events(const struct job *j, json_t *list)
{
    if (j->path.event_count)
        qsort(j->path.events, j->path.event_count, sizeof *j->path.events, by_step);
    if (!j->o->json && j->path.event_count)
        puts("events           step   displacement         factor");
    for (size_t i = 0; i < j->path.event_count; i++) {
        const struct event *e = &j->path.events[i];

        json_array_append_new(list,
                              json_pack("{s:f, s:f, s:f, s:I, s:s}", "step", e->step, "displacement", e->x, "factor",
                                        e->lambda, "stage", (json_int_t)e->stage + 1, "words", e->words));
        if (!j->o->json)
            printf("  %19.2f %14.7g %14.8g   %s\n", e->step, e->x, e->lambda, e->words);
    }
}

static int finish(struct job *j, enum yk_status st, json_t *stages)
{
    json_t *events = json_array(), *result;
    int code;

    print_events(j, events);
    result = json_pack("{s:b, s:s, s:I, s:O, s:o, s:s, s:s}", "reached", st == YK_OK, "reason", j->path.why, "steps",
                       (json_int_t)j->path.count - 1, "stages", stages, "events", events, "left_out", j->left_out,
                       "recording", j->recording);
    code = j->o->capacity || j->o->target ? show_capacity(j, result) : 0;
    const int written = write_recording(j, result, st == YK_OK);

    code = code ? code : written;
    if (!j->o->json) {
        const char *why = yk_results_no_storeys(j->path.results);

        if (j->left_out[0])
            printf("left out, since velocities are zero: %s\n", j->left_out);
        if (*why)
            printf("note: %s\n", why);
        if (st)
            printf("STOPPED: %s\n", j->path.why);
        printf("%zu states in %s\n", j->path.count, j->recording);
        json_decref(result);
    } else if (yk_print_json(result))
        code = code ? code : 1;
    return code ? code : st == YK_OK ? 0 : st == YK_E_STOPPED ? 3 : 4;
}

/* The stages one by one, so that each end can be looked at. */
static int walk(struct job *j)
{
    struct path *p = &j->path;
    const size_t count = p->stage_count;
    json_t *stages = json_array();
    struct ended *e = calloc(1, sizeof *e);
    struct yk_err err = {0};
    enum yk_status st = e ? path_row(p, &err) : YK_E_MEMORY;
    int code;

    for (size_t i = 0; i < count && !st; i++) {
        p->stage = i;
        st = path_stage(p, &err);
        if (st && st != YK_E_DIVERGED && st != YK_E_STOPPED)
            break;
        end_stage(j, e);
        json_array_append_new(stages, stage_json(j, i, e));
        if (!j->o->json)
            print_stage(j, i, e);
    }
    if (st && !p->why[0])
        code = yk_command_fail(&err);
    else
        code = finish(j, st, stages);
    json_decref(stages);
    free(e);
    return code;
}

static int run(int argc, char **argv)
{
    struct push_options o = {.modes = DEFAULT_MODES, .kappa = 1};
    struct job j = {.o = &o};
    struct yk_words words;
    struct yk_err err = {0};
    int code;

    if (!yk_take_options(&command_push, argc, argv, &o, &words))
        return 2;
    if (words.count != 1)
        return yk_misuse(&command_push, words.count ? "one experiment file at a time" : "which experiment file?");
    if (o.json)
        yk_command_fail_in_json();
    if (o.target && target_read(o.target, &j.spectrum, &err)) /* before anything is computed */
        return yk_command_fail(&err);
    code = open_job(&j, &words);
    code = code ? code : prepare_folder(&j);
    code = code ? code : walk(&j);
    close_job(&j);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_push, run, argc, argv);
}
