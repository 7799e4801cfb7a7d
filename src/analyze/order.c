/* Observed order of an experiment's method: global error at the end for ever finer steps. */
#include "analyze/analyze.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The end state of an accurate solution of the untorn structure. */
struct reference {
    double *u, *v;  /* free degrees of freedom */
    double *lambda; /* of the coupled problem, NULL for one domain */
    const char *what;
};

/* Runs the untorn structure with `name` and default settings. */
static enum yk_status run_untorn(struct yk_state *m, const char *name, long count, struct reference *r,
                                 struct yk_err *err)
{
    const struct yk_model *model = m->model;
    struct yk_system *system = m->assembly->system;
    const struct yk_integrator_ops *ops = yk_integrator_find(name);
    const struct yk_loading loading = {yk_load_set_at, model->load_set};
    void *settings;
    struct yk_domain domain;
    struct yk_kinematics k;
    enum yk_status st;

    if ((st = yk_param_settings(ops->params, ops->size, &settings, err)))
        return st;
    st = yk_domain_create(&domain, ops, settings, system, loading, model->time.end / (double)count, NULL, err);
    free(settings);
    if (st)
        return st;
    st = yk_domain_start(&domain, system->u0, system->v0);
    for (long i = 0; i < count && !st; i++)
        st = yk_domain_step(&domain);
    if (st)
        yk_fail(err, st, "the reference solution (%s) diverged at step %ld of %ld", name, domain.step, count);
    yk_domain_now(&domain, &k);
    memcpy(r->u, k.u, system->n * sizeof *r->u);
    memcpy(r->v, k.v, system->n * sizeof *r->v);
    yk_domain_destroy(&domain);
    return st;
}

/* Does the load jump at the end of one of `count` steps, by more than a thousandth of its size? */
static enum yk_status find_jump(const struct yk_model *model, long count, bool *jumps, struct yk_err *err)
{
    const size_t n = model->assembly->system->n;
    const double h = model->time.end / (double)count;
    double *before = calloc(2 * n, sizeof *before), *after = before + n, size = 0, jump = 0;

    if (!before)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (long k = 1; k < count; k++) {
        yk_load_set_at(model->load_set, ((double)k - 1e-6) * h, before);
        yk_load_set_at(model->load_set, (double)k * h, after);
        for (size_t i = 0; i < n; i++) {
            size = fmax(size, fabs(after[i]));
            jump = fmax(jump, fabs(after[i] - before[i]));
        }
    }
    free(before);
    *jumps = jump > 1e-3 * size;
    return YK_OK;
}

/* Exact where linear; otherwise Runge-Kutta if its steps are short against the fastest mode, else LSRT3. Runge-Kutta
 * takes the load at the end of a step as well, where a jump would act too early; LSRT3 only before it. */
static enum yk_status solve_untorn(struct yk_state *m, long finest, struct reference *r, struct yk_err *err)
{
    const struct yk_model *model = m->model;
    const struct yk_system *s = m->assembly->system;
    double w2 = INFINITY;
    size_t i, j;
    bool jumps = false;
    enum yk_status st;

    if (s->linear && s->n <= 400) {
        r->what = "exact solution";
        return run_untorn(m, "exact", 2 * finest, r, err);
    }
    if ((st = find_jump(model, finest, &jumps, err)))
        return st;
    if (yk_matrix_asymmetry(&s->K, &i, &j) < 1e-6)
        yk_eigen_largest(&s->K, &s->M, &w2, NULL);
    if (!jumps && model->time.end / (double)finest / 8 * sqrt(fmax(w2, 0)) < 0.5) {
        r->what = "Runge-Kutta solution with 8 times finer steps";
        return run_untorn(m, "rk4", 8 * finest, r, err);
    }
    r->what = "LSRT3 solution with 16 times finer steps";
    return run_untorn(m, "lsrt3", 16 * finest, r, err);
}

/* The multiplier that belongs to the reference state: acceleration continuity of the two sides in it. */
static enum yk_status reference_multiplier(const struct yk_model *model, struct reference *r, struct yk_err *err)
{
    struct yk_state m;
    enum yk_status st = yk_model_state(model, &m, err);

    if (st)
        return st;
    const size_t rows = m.problem->rows, n = model->assembly->system->n;
    double *work = calloc(rows * (rows + 4) + 2 * n + 2 * (m.problem->side[0].n + m.problem->side[1].n), sizeof *work);
    r->lambda = calloc(rows, sizeof *r->lambda);
    if (work && r->lambda) {
        const struct yk_trace trace[] = {{.q = work + rows * (rows + 2)}, {.q = work + rows * (rows + 3)}};
        double *u = work + rows * (rows + 4);

        for (int s = 0; s < YK_SIDES; s++) {
            struct yk_side *side = &m.problem->side[s];
            struct yk_trace t = trace[s];

            yk_coupled_from_untorn(m.problem, r->u, s, u);
            yk_coupled_from_untorn(m.problem, r->v, s, u + side->n);
            yk_side_evaluate(side, model->time.end, u, u + side->n);
            yk_side_trace(side, rows, &t);
        }
        yk_multiplier(m.problem, &trace[0], &trace[1], work, r->lambda);
    } else {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    free(work);
    yk_state_close(&m);
    return st;
}

/* Largest difference over the degrees of freedom of all substructures, and over the multipliers. */
static enum yk_status compare(const struct yk_state *m, const struct reference *r, double *error_u, double *error_v,
                              double *error_lambda, struct yk_err *err)
{
    const struct yk_model *model = m->model;

    *error_u = *error_v = *error_lambda = 0;
    for (size_t k = 0; k < model->substructure_count; k++) {
        const size_t n = model->substructures[k].system->n;
        double *u = calloc(5 * n, sizeof *u), *v = u + n, *a = v + n, *ru = a + n, *rv = ru + n;

        if (!u)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        yk_state_now(m, k, u, v, a);
        yk_matrix_add_transposed_product(&model->assembly->map[k], 1, r->u, ru);
        yk_matrix_add_transposed_product(&model->assembly->map[k], 1, r->v, rv);
        for (size_t i = 0; i < n; i++) {
            *error_u = fmax(*error_u, fabs(u[i] - ru[i]));
            *error_v = fmax(*error_v, fabs(v[i] - rv[i]));
        }
        free(u);
    }
    for (size_t i = 0; r->lambda && i < yk_state_multipliers(m); i++)
        *error_lambda = fmax(*error_lambda, fabs(yk_state_lambda(m)[i] - r->lambda[i]));
    return YK_OK;
}

/* Error of the multiplier that the method carries between steps, the last piece of its state; NaN: it carries none. */
static double carried_error(const struct yk_state *m, const struct reference *r)
{
    enum { MOST = 32 };
    struct yk_span spans[MOST];
    const size_t rows = yk_state_multipliers(m);
    const size_t count = r->lambda ? m->coupling->ops->state(m->coupling->self, spans, MOST) : 0;
    double error = 0;

    if (count == 0 || spans[count - 1].n != rows) /* states of sides have more numbers than rows */
        return NAN;
    for (size_t i = 0; i < rows; i++)
        error = fmax(error, fabs(spans[count - 1].x[i] - r->lambda[i]));
    return error;
}

/* With the step of the model, after h halvings. */
static enum yk_status measure(const struct yk_model *model, int h, const struct reference *r, struct yk_order *out,
                              struct yk_err *err)
{
    const long count = model->steps << h;
    struct yk_state m;
    enum yk_status st;

    out->step[h] = yk_model_step(model);
    if ((st = yk_model_state(model, &m, err)))
        return st;
    st = yk_state_start(&m);
    for (long i = 0; i < count && !st; i++)
        st = yk_state_step(&m);
    if (st)
        yk_fail(err, st, "%s diverged at step %ld of %ld", yk_model_method(model), m.step, count);
    else
        st = compare(&m, r, &out->error_u[h], &out->error_v[h], &out->error_lambda[h], err);
    out->error_carried[h] = st ? NAN : carried_error(&m, r);
    yk_state_close(&m);
    return st;
}

static double observed(const double *error, int halvings)
{
    return halvings > 0 ? log2(error[halvings - 1] / error[halvings]) : NAN;
}

enum yk_status yk_observed_order(const struct yk_model *model, int halvings, struct yk_order *out, struct yk_err *err)
{
    struct reference r = {0};
    enum yk_status st = YK_OK;

    if (!model->assembly->system)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(model->path),
                          "the order is measured against the untorn structure, which cannot be assembled if the mass "
                          "depends on the configuration");
    r.u = calloc(2 * model->assembly->system->n, sizeof *r.u);
    if (!r.u)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    r.v = r.u + model->assembly->system->n;
    *out = (struct yk_order){.count = halvings + 1, .coupled = model->coupling != NULL};
    struct yk_state bodies; /* those of the model stay where they are */
    if (!(st = yk_state_bodies(&bodies, model, err)))
        st = solve_untorn(&bodies, model->steps << halvings, &r, err);
    yk_state_close(&bodies);
    out->reference = r.what;
    for (int h = 0; h <= halvings && !st; h++) {
        struct yk_model *refined = NULL;

        if (!(st = yk_model_create(&refined, model, model->time.end / (double)(model->steps << h), err)) &&
            !(h == 0 && model->coupling && (st = reference_multiplier(refined, &r, err))))
            st = measure(refined, h, &r, out, err);
        yk_model_close(refined);
    }
    out->order_u = observed(out->error_u, halvings);
    out->order_v = observed(out->error_v, halvings);
    out->order_lambda = observed(out->error_lambda, halvings);
    out->order_carried = observed(out->error_carried, halvings);
    free(r.u);
    free(r.lambda);
    return st;
}
