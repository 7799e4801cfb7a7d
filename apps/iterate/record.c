/* kind: record: rungs of the ladder, each iterated with the model of the one before. The structure over the record is a
 * run of the file's own experiment without its rig: the model of the specimen in place of the specimen, and the forces
 * that it misses as loads. */
#include "iterate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOWER_TOLERANCE 0.05 /* of rungs below the last */

struct work {
    struct runs *r;
    struct outcome *out;
    size_t samples, part, dofs; /* substructure of the specimen */
    double factor;
    int rung;
    struct yk_specimen_model model;
    const char *method;
    double *u; /* command of the last run */
    double fit;
};

/* ---- the structure ---- */

/* The specimen as a model of the virtual rig. */
static bool specimen_setting(const struct work *w, const struct yk_specimen_model *m, char *text, size_t size)
{
    const struct yk_substructure *part = yk_part(w->r->parts, w->part);
    FILE *out = fmemopen(text, size, "w");

    if (!out)
        return false;
    if (m->kind == YK_SPECIMEN_BILINEAR) {
        fprintf(out,
                "rig.specimen={kind: assembled, nodes: {end: {mass: 0}}, elements: [{kind: bilinear, between: [ground, "
                "end.x], stiffness: %.17g, hardening: %.17g, yield_slip: %.17g}]}",
                m->stiffness, m->hardening, m->yield / m->stiffness);
    } else {
        fputs("rig.specimen={kind: linear, dofs: [", out);
        for (size_t i = 0; i < m->n; i++)
            fprintf(out, "%s%s", i ? ", " : "", part->dofs[i]);
        fputs("], mass: [", out);
        for (size_t i = 0; i < m->n; i++)
            fputs(i ? ", 0" : "0", out);
        for (int q = 0; q < 2; q++) {
            fputs(q ? "], stiffness: [" : "], damping: [", out);
            for (size_t i = 0; i < m->n; i++) {
                fputs(i ? ", [" : "[", out);
                for (size_t j = 0; j < m->n; j++)
                    fprintf(out, "%s%.17g", j ? ", " : "", (q ? m->K : m->C)[i * m->n + j]);
                fputc(']', out);
            }
        }
        fputs("]}", out);
    }
    const bool good = ftell(out) < (long)size - 1;
    fclose(out);
    return good;
}

static enum yk_status open_structure(struct work *w, const struct yk_specimen_model *m, struct yk_model **model,
                                     struct yk_err *err)
{
    const struct iterate_options *o = w->r->o;
    char specimen[4000], step[60], method[60];
    const char *list[64 + 5];
    size_t count = 0;

    for (; count < o->set.count; count++)
        list[count] = o->set.text[count];
    snprintf(step, sizeof step, "time.step=%.17g", w->r->h);
    snprintf(method, sizeof method, "method={integrator: %s}", w->method);
    if (!specimen_setting(w, m, specimen, sizeof specimen))
        return yk_fail(err, YK_E_RANGE, "the specimen has too many degrees of freedom");
    list[count++] = specimen;
    list[count++] = step;
    list[count++] = method;
    list[count++] = "time.substeps=1";
    list[count++] = "reference=none";
    return yk_model_read(
        model,
        &(struct yk_model_source){
            .path = yk_parts_path(w->r->parts), .overrides = list, .override_count = count, .models = true},
        err);
}

/* The loads of the rung, as forces added to those of the file; D on the specimen. */
static enum yk_status push(struct work *w, struct yk_session *session, const double *D, size_t k, double *f,
                           struct yk_err *err)
{
    const double t = (double)(k + 1) * w->r->h;
    enum yk_status st = YK_OK;

    for (size_t p = 0; p < yk_parts_count(w->r->parts) && !st; p++) {
        const size_t n = yk_part(w->r->parts, p)->system->n;

        if (p != w->part && w->factor == 1)
            continue;
        memset(f, 0, n * sizeof *f);
        if (w->factor != 1)
            yk_parts_load_at(w->r->parts, p, t, f);
        for (size_t i = 0; i < n && !st; i++)
            st = yk_session_push(session, p, i, (w->factor - 1) * f[i] - (p == w->part && D ? D[k * w->dofs + i] : 0),
                                 err);
    }
    return st;
}

static enum yk_status run_structure(struct work *w, struct yk_model *model, const double *D, double *x,
                                    struct yk_err *err)
{
    struct yk_session *session;
    size_t most = 1;
    double *f;
    enum yk_status st = yk_session_open(&session, model, err);

    if (st)
        return st;
    for (size_t p = 0; p < yk_parts_count(w->r->parts); p++)
        most = yk_part(w->r->parts, p)->system->n > most ? yk_part(w->r->parts, p)->system->n : most;
    const double *u = yk_session_motion(session, w->part, 'u');
    if (!(f = calloc(most, sizeof *f)) || !u)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < w->samples && !st; k++)
        if (!(st = push(w, session, D, k, f, err)) && !(st = yk_session_step(session, err)))
            memcpy(x + k * w->dofs, u, w->dofs * sizeof *x);
    free(f);
    yk_session_close(session);
    return st;
}

static enum yk_status structure(void *self, const struct yk_specimen_model *m, const double *D, double *x,
                                struct yk_err *err)
{
    struct work *w = self;
    struct yk_model *model;
    enum yk_status st = open_structure(w, m, &model, err);

    if (!st)
        st = run_structure(w, model, D, x, err);
    if (!st || strcmp(w->method, "central-difference") != 0) {
        yk_model_close(model);
        return st;
    }
    yk_model_close(model); /* too stiff for an explicit step, or without mass */
    w->method = "newmark-newton";
    *err = (struct yk_err){0};
    if ((st = open_structure(w, m, &model, err)))
        return st;
    st = run_structure(w, model, D, x, err);
    yk_model_close(model);
    return st;
}

/* ---- a rung ---- */

static enum yk_status rig(void *self, const double *u, double *x, double *F, struct yk_err *err)
{
    struct work *w = self;
    const struct told about = {.rung = w->rung, .factor = w->factor, .error = NAN, .fit = NAN, .blend = 1};
    size_t made;

    memcpy(w->u, u, w->samples * w->dofs * sizeof *u);
    return runs_make(w->r, &about, w->samples, u, x, F, NULL, &made, err);
}

static double rms(size_t n, const double *x)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum / (double)n);
}

static bool made(void *self, int run, double error, double fit, double blend, const double *x, const double *target)
{
    struct work *w = self;

    w->fit = fit;
    return runs_tell(w->r, error, fit, blend, rms(w->samples * w->dofs, x), NULL) == YK_OK;
}

/* The delay of the rig, from the prediction on the virtual one: where the first command reads it. */
static enum yk_status find_lead(struct work *w, double *lead, struct yk_err *err)
{
    const size_t count = w->samples * w->dofs;
    double *target = calloc(3 * count, sizeof *target), found[3] = {0};
    enum yk_status st = target ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && !(st = structure(w, &w->model, NULL, target, err)) &&
        !(st = runs_rehearse(w->r, w->samples, target, target + count, target + 2 * count, err))) {
        double *u = target + 2 * count; /* of the first degree of freedom */

        for (size_t k = 0; k < w->samples; k++) {
            u[k] = target[k * w->dofs];
            target[count + k] = target[count + k * w->dofs];
        }
        if (!yk_delay_between(w->samples, w->r->h, u, target + count, 0, found, NULL))
            *lead = fmax(found[0] / w->r->h, 0);
    }
    free(target);
    return st;
}

static enum yk_status make_rung(struct work *w, double tolerance, double *lead, struct yk_record_result *result,
                                struct yk_err *err)
{
    const struct settings *s = w->r->s;
    const size_t count = w->samples * w->dofs;
    struct yk_record_iteration it = {.samples = w->samples,
                                     .dofs = w->dofs,
                                     .step = w->r->h,
                                     .tolerance = tolerance,
                                     .bound = s->bound,
                                     .most = s->most,
                                     .lead = *lead,
                                     .find_lead = true,
                                     .model = &w->model,
                                     .refit = s->model.refit,
                                     .self = w,
                                     .rig = rig,
                                     .structure = structure,
                                     .made = made};
    double *u = calloc(count, sizeof *u);
    enum yk_status st = u ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st)
        st = yk_record_iterate(&it, u, w->out->x, w->out->F, w->out->target, result, err);
    *lead = result->lead;
    if (result->best) { /* how well the rig did what it was told, its delay apart */
        double miss = 0;

        for (size_t k = 0; k < w->samples; k++) {
            const double at = fmax((double)k - *lead, 0);
            const size_t from = (size_t)at, to = from + 1 < w->samples ? from + 1 : from;

            for (size_t i = 0; i < w->dofs; i++) {
                const double told = u[from * w->dofs + i] +
                                    (at - (double)from) * (u[to * w->dofs + i] - u[from * w->dofs + i]),
                             d = w->out->x[k * w->dofs + i] - told;
                miss += d * d;
            }
        }
        w->out->tracking = sqrt(miss / (double)count) / fmax(rms(count, w->out->x), 1e-300);
    }
    free(u);
    return st;
}

/* ---- all ---- */

static enum yk_status find_specimen(struct work *w, struct yk_err *err)
{
    const struct yk_parts *parts = w->r->parts;
    const struct settings *s = w->r->s;
    struct yk_specimen_model *m = &w->model;
    size_t found = 0;

    for (size_t p = 0; p < yk_parts_count(parts); p++)
        if (yk_part_is_specimen(parts, p)) {
            w->part = p;
            found++;
        }
    const struct yk_system *system = yk_part(parts, w->part)->system;

    w->dofs = system->n;
    if (found != 1 || w->dofs > YK_SPECIMEN_DOFS)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(yk_parts_path(parts)),
                          "kind: record needs one specimen with at most %d degrees of freedom; this experiment has %zu "
                          "specimen%s (kind: periodic takes any)",
                          YK_SPECIMEN_DOFS, found, found == 1 ? "" : "s");
    for (size_t i = 0; i < w->dofs; i++)
        if (system->u0[i] != 0 || system->v0[i] != 0)
            return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(yk_parts_path(parts)),
                              "kind: record begins at rest at zero, but %s.%s has initial values",
                              yk_part(parts, w->part)->name, yk_part(parts, w->part)->dofs[i]);
    if (s->model.kind == YK_SPECIMEN_BILINEAR && w->dofs != 1)
        return yk_fail_at(err, YK_E_UNSUPPORTED,
                          yk_node_get(yk_node_get(yk_parts_tree(parts), "iterate"), "model")->where,
                          "a bilinear model is for one degree of freedom; the specimen has %zu", w->dofs);
    *m = (struct yk_specimen_model){.kind = (enum yk_specimen_kind)s->model.kind,
                                    .n = w->dofs,
                                    .stiffness = s->model.stiffness,
                                    .yield = s->model.yield,
                                    .hardening = s->model.hardening};
    for (size_t i = 0; i < w->dofs; i++)
        for (size_t j = 0; j < w->dofs; j++) {
            m->K[i * w->dofs + j] = s->model.given ? (i == j) * s->model.stiffness : yk_matrix_get(&system->K, i, j);
            m->C[i * w->dofs + j] = s->model.given ? (i == j) * s->model.damping : yk_matrix_get(&system->C, i, j);
        }
    return YK_OK;
}

enum yk_status iterate_record(struct runs *r, struct outcome *out, struct yk_err *err)
{
    static const double whole[] = {1};
    const struct settings *s = r->s;
    const double *ladder = s->ladder.n ? s->ladder.x : whole;
    const size_t rungs = s->ladder.n ? s->ladder.n : 1;
    struct work w = {.r = r,
                     .out = out,
                     .samples = (size_t)lround(yk_parts_end(r->parts) / r->h),
                     .method = "central-difference",
                     .factor = ladder[0]};
    struct yk_record_result result = {0};
    double lead = 0;
    enum yk_status st = find_specimen(&w, err);

    if (st)
        return st;
    const size_t count = w.samples * w.dofs;

    out->samples = w.samples;
    out->x = calloc(count, sizeof *out->x);
    out->F = calloc(count, sizeof *out->F);
    out->target = calloc(count, sizeof *out->target);
    w.u = calloc(count, sizeof *w.u);
    if (!out->x || !out->F || !out->target || !w.u)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st)
        st = find_lead(&w, &lead, err);
    for (size_t k = 0; k < rungs && !st; k++) {
        const bool last = k + 1 == rungs;

        w.rung = (int)k + 1;
        w.factor = ladder[k];
        st = make_rung(&w, last ? s->tolerance : fmax(LOWER_TOLERANCE, s->tolerance), &lead, &result, err);
        if (!st && !last && result.end != YK_ITERATION_CONVERGED) {
            runs_remark(r, "rung %zu (load x %g): %s; higher ones were not tried", k + 1, w.factor,
                        yk_iteration_end_words(result.end));
            break;
        }
    }
    out->end = result.end;
    out->error = result.best_error;
    out->refit = w.fit;
    out->lead = lead * r->h;
    if (!st && strcmp(w.method, "newmark-newton") == 0)
        runs_remark(r, "the structure was integrated by newmark-newton: the step is too long for an explicit method");
    free(w.u);
    return st;
}

void outcome_free(struct outcome *out)
{
    free(out->x);
    free(out->F);
    free(out->target);
    free(out->curve);
}
