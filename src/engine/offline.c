/* The offline engine: one domain, as fast as it can; the sample of every system step goes through the recorder's ring.
 */
#include <yoke/clock.h>
#include <yoke/engine.h>

#include "substructure/rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A displacement beyond this is a divergence, whatever the structure [m or rad]. */
#define FAR_AWAY 1e20

static const char *const energy_names[] = {"energy.kinetic", "energy.stored", "energy.dissipated", "energy.work",
                                           "energy.error"};
enum { ENERGIES = sizeof energy_names / sizeof *energy_names, REFERENCE_SUBSTEPS = 10 };

static size_t dof_count(const struct yk_experiment *e)
{
    size_t n = 0;

    for (size_t k = 0; k < e->substructure_count; k++)
        n += e->substructures[k].system->n;
    return n;
}

static void name_channel(struct yk_channel *c, const char *prefix, const struct yk_substructure *s, size_t dof,
                         int which)
{
    static const char *const units[2][3] = {{"m", "m/s", "m/s2"}, {"rad", "rad/s", "rad/s2"}};

    snprintf(c->name, sizeof c->name, "%s%s.%s.%c", prefix, s->name, s->dofs[dof], "uva"[which]);
    snprintf(c->unit, sizeof c->unit, "%s", units[yk_is_rotation(s->dofs[dof])][which]);
}

enum yk_status yk_run_channels(const struct yk_experiment *e, struct yk_run_channels *out, struct yk_err *err)
{
    const size_t n = dof_count(e), count = 1 + 3 * n + ENERGIES + (e->reference ? n : 0);
    struct yk_channel *c = calloc(count, sizeof *c);

    if (!c)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu channels", count);
    *out = (struct yk_run_channels){c, count};
    snprintf(c->name, sizeof c->name, "time");
    snprintf(c++->unit, sizeof c->unit, "s");
    for (size_t k = 0; k < e->substructure_count; k++)
        for (size_t i = 0; i < e->substructures[k].system->n; i++)
            for (int which = 0; which < 3; which++)
                name_channel(c++, "", &e->substructures[k], i, which);
    for (size_t i = 0; i < ENERGIES; i++, c++) {
        snprintf(c->name, sizeof c->name, "%s", energy_names[i]);
        snprintf(c->unit, sizeof c->unit, "J");
    }
    for (size_t k = 0; k < e->substructure_count && e->reference; k++)
        for (size_t i = 0; i < e->substructures[k].system->n; i++)
            name_channel(c++, "reference.", &e->substructures[k], i, 0);
    return YK_OK;
}

/* A run under way. */
struct run {
    const struct yk_experiment *e;
    struct yk_domain domain;
    struct yk_experiment *own_copy; /* the reference has a structure of its own, since hysteresis has memory */
    struct yk_domain reference;
    struct yk_run_result *result;
    double *row, *local;
    size_t width;
    double start_energy;
    double sum_u, sum_v, sum_du, sum_dv; /* squares, for the errors against the reference */
};

/* The accurate solution: exact for linear models, otherwise LSRT3 with substeps. */
static enum yk_status open_reference(struct run *r, struct yk_err *err)
{
    const struct yk_experiment *e = r->e;
    struct yk_experiment *copy;
    enum yk_status st;

    /* the overrides are in the tree of e already; the copy gets them again */
    char *lines = strdup(e->overrides), *words[64];
    size_t count = 0;
    if (!lines)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (char *save, *w = strtok_r(lines, "\n", &save); w && count < 64; w = strtok_r(NULL, "\n", &save))
        words[count++] = w;
    st = yk_experiment_parse(&copy, e->path, e->text, strlen(e->text), (const char *const *)words, count, err);
    free(lines);
    if (st)
        return st;
    r->own_copy = copy;

    struct yk_system *system = copy->assembly.system;
    const bool exact = system->linear && system->n <= 400;
    const struct yk_integrator_ops *ops = yk_integrator_find(exact ? "exact" : "lsrt3");
    void *settings = calloc(1, ops->size);
    if (!settings)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    yk_param_defaults(ops->params, settings);
    st = yk_domain_create(&r->reference, ops, settings, system, (struct yk_loading){yk_load_set_at, copy->load_set},
                          e->time.step / REFERENCE_SUBSTEPS, err);
    free(settings);
    return st ? st : yk_domain_start(&r->reference, system->u0, system->v0);
}

static enum yk_status advance_reference(struct run *r)
{
    enum yk_status st = YK_OK;

    for (int i = 0; i < REFERENCE_SUBSTEPS && !st; i++)
        st = yk_domain_step(&r->reference);
    return st;
}

/* Local values of every substructure from the free ones, `stride` apart. */
static double *spread(struct run *r, const double *x, double *to, size_t stride)
{
    for (size_t k = 0; k < r->e->substructure_count; k++) {
        const size_t n = r->e->substructures[k].system->n;

        memset(r->local, 0, n * sizeof *r->local);
        yk_matrix_add_transposed_product(&r->e->assembly.map[k], 1, x, r->local);
        for (size_t i = 0; i < n; i++, to += stride)
            *to = r->local[i];
    }
    return to;
}

/* Sums of squares for the errors, over all local degrees of freedom. */
static void compare(struct run *r, const struct yk_kinematics *k, const struct yk_kinematics *ref)
{
    for (size_t i = 0; i < r->e->assembly.system->n; i++) {
        const double du = k->u[i] - ref->u[i], dv = k->v[i] - ref->v[i];

        r->sum_u += ref->u[i] * ref->u[i];
        r->sum_v += ref->v[i] * ref->v[i];
        r->sum_du += du * du;
        r->sum_dv += dv * dv;
        r->result->error_u_max = fmax(r->result->error_u_max, fabs(du));
    }
}

/* Fills the row of the current step; keeps peaks, energy and errors. */
static void sample(struct run *r)
{
    struct yk_run_result *result = r->result;
    struct yk_system *system = r->e->assembly.system;
    struct yk_energy *energy = &result->energy;
    double *at = r->row;
    struct yk_kinematics k;

    yk_domain_now(&r->domain, &k);
    *at++ = (double)r->domain.step * r->e->time.step;
    spread(r, k.u, at, 3);
    spread(r, k.v, at + 1, 3);
    at = spread(r, k.a, at + 2, 3) - 2;
    yk_load_set_at(r->e->load_set, r->row[0], r->domain.f);
    system->ops->account(system->self, r->domain.f, k.u, k.v, energy);
    if (r->domain.step == 0)
        r->start_energy = energy->kinetic + energy->stored;
    *at++ = energy->kinetic;
    *at++ = energy->stored;
    *at++ = energy->dissipated;
    *at++ = energy->work;
    *at++ = energy->kinetic + energy->stored + energy->dissipated - energy->work - r->start_energy;
    result->energy_error = fmax(result->energy_error, fabs(at[-1]));
    result->energy_scale = fmax(result->energy_scale, fmax(energy->kinetic + energy->stored, fabs(energy->work)));
    if (r->own_copy) {
        struct yk_kinematics ref;

        yk_domain_now(&r->reference, &ref);
        spread(r, ref.u, at, 1);
        compare(r, &k, &ref);
    }
    for (size_t i = 1; i < r->width; i++)
        result->peaks[i] = fmax(result->peaks[i], fabs(r->row[i]));
}

static bool far_away(const struct run *r)
{
    struct yk_kinematics k;

    yk_domain_now(&r->domain, &k);
    for (size_t i = 0; i < r->e->assembly.system->n; i++)
        if (!(fabs(k.u[i]) < FAR_AWAY))
            return true;
    return false;
}

static enum yk_status stop(struct run *r, enum yk_status status, const char *why)
{
    r->result->status = status;
    snprintf(r->result->reason, sizeof r->result->reason, "%s at step %ld (t = %g s)", why, r->domain.step,
             (double)r->domain.step * r->e->time.step);
    return status;
}

/* Steps until the end or a reason to stop. */
static enum yk_status loop(struct run *r, struct yk_recorder *recorder, struct yk_run_control *control)
{
    enum yk_status st;

    for (;;) {
        sample(r);
        if (recorder && yk_recorder_push_waiting(recorder, 0, r->row))
            return stop(r, YK_E_IO, "the recording failed");
        if (r->domain.step == r->e->steps)
            return YK_OK;
        if (atomic_load_explicit(&control->stop, memory_order_relaxed))
            return stop(r, YK_E_STOPPED, "stopped by request");
        const int64_t begin = yk_clock_now_ns();
        st = yk_domain_step(&r->domain);
        yk_timing_add(&r->result->timing, yk_clock_now_ns() - begin);
        atomic_store_explicit(&control->step, r->domain.step, memory_order_relaxed);
        if (st || far_away(r))
            return stop(r, YK_E_DIVERGED, "the motion diverged");
        if (r->own_copy && advance_reference(r))
            return stop(r, YK_E_DIVERGED, "the reference solution diverged");
    }
}

static enum yk_status open_run(struct run *r, struct yk_err *err)
{
    const struct yk_experiment *e = r->e;
    struct yk_system *system = e->assembly.system;
    size_t most = 0;
    enum yk_status st;

    for (size_t k = 0; k < e->substructure_count; k++)
        most = e->substructures[k].system->n > most ? e->substructures[k].system->n : most;
    r->width = 1 + 3 * dof_count(e) + ENERGIES + (e->reference ? dof_count(e) : 0);
    r->row = calloc(r->width, sizeof *r->row);
    r->local = calloc(most + 1, sizeof *r->local);
    r->result->peaks = calloc(r->width, sizeof *r->result->peaks);
    if (!r->row || !r->local || !r->result->peaks)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_experiment_domain(e, 0, &r->domain, err)))
        return st;
    if (yk_domain_start(&r->domain, system->u0, system->v0))
        return yk_fail(err, YK_E_DIVERGED, "%s: the force at t = 0 is not a finite number", e->path);
    return e->reference ? open_reference(r, err) : YK_OK;
}

enum yk_status yk_run_offline(const struct yk_experiment *experiment, struct yk_recorder *recorder,
                              struct yk_run_control *control, struct yk_run_result *result, struct yk_err *err)
{
    struct run r = {.e = experiment, .result = result};
    const int64_t begin = yk_clock_now_ns();
    enum yk_status st;

    *result = (struct yk_run_result){0};
    if (!(st = open_run(&r, err))) {
        loop(&r, recorder, control);
        result->steps = r.domain.step;
        result->finished = r.domain.step == experiment->steps && !result->status;
        if (r.own_copy) {
            result->has_reference = true;
            result->error_u = sqrt(r.sum_du / (r.sum_u > 0 ? r.sum_u : 1));
            result->error_v = sqrt(r.sum_dv / (r.sum_v > 0 ? r.sum_v : 1));
        }
    }
    result->wall_s = 1e-9 * (double)(yk_clock_now_ns() - begin);
    if (r.own_copy)
        yk_domain_destroy(&r.reference);
    yk_experiment_destroy(r.own_copy);
    yk_domain_destroy(&r.domain);
    free(r.row);
    free(r.local);
    return st;
}
