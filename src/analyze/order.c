/* Observed order of an experiment's method: global error at the end for ever finer steps. */
#include <yoke/analyze.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs with `ops` and `count` steps to the end; y = (u, v). */
static enum yk_status run_to_end(const struct yk_experiment *e, const struct yk_integrator_ops *ops,
                                 const void *settings, long count, double *y, struct yk_err *err)
{
    struct yk_system *system = e->assembly.system;
    const size_t n = system->n;
    const struct yk_loading loading = {yk_load_set_at, e->load_set};
    struct yk_domain domain;
    struct yk_kinematics k;
    enum yk_status st;

    if (!(st = yk_domain_create(&domain, ops, settings, system, loading, e->time.end / (double)count, err))) {
        st = yk_domain_start(&domain, system->u0, system->v0);
        for (long i = 0; i < count && !st; i++)
            st = yk_domain_step(&domain);
        if (st)
            yk_fail(err, st, "%s diverged at step %ld of %ld", ops->name, domain.step, count);
        yk_domain_now(&domain, &k);
        memcpy(y, k.u, n * sizeof *y);
        memcpy(y + n, k.v, n * sizeof *y);
        yk_domain_destroy(&domain);
    }
    return st;
}

static enum yk_status run_default(const struct yk_experiment *e, const char *name, long count, double *y,
                                  struct yk_err *err)
{
    const struct yk_integrator_ops *ops = yk_integrator_find(name);
    void *settings = calloc(1, ops->size);
    enum yk_status st;

    if (!settings)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    yk_param_defaults(ops->params, settings);
    st = run_to_end(e, ops, settings, count, y, err);
    free(settings);
    return st;
}

/* Exact where linear; otherwise Runge-Kutta if its steps are short against the fastest mode, else LSRT3. */
static enum yk_status reference_solution(const struct yk_experiment *e, long finest, double *y, const char **what,
                                         struct yk_err *err)
{
    const struct yk_system *s = e->assembly.system;
    double w2 = INFINITY;
    size_t i, j;

    if (s->linear && s->n <= 400) {
        *what = "exact solution";
        return run_default(e, "exact", 2 * finest, y, err);
    }
    if (yk_matrix_asymmetry(&s->K, &i, &j) < 1e-6)
        yk_eigen_largest(&s->K, &s->M, &w2, NULL);
    if (e->time.end / (double)finest / 8 * sqrt(fmax(w2, 0)) < 0.5) {
        *what = "Runge-Kutta with 8 times finer steps";
        return run_default(e, "rk4", 8 * finest, y, err);
    }
    *what = "LSRT3 with 16 times finer steps";
    return run_default(e, "lsrt3", 16 * finest, y, err);
}

static double largest_difference(size_t n, const double *x, const double *y)
{
    double largest = 0;

    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i] - y[i]));
    return largest;
}

enum yk_status yk_observed_order(const struct yk_experiment *e, int halvings, struct yk_order *out, struct yk_err *err)
{
    const size_t n = e->assembly.system->n;
    double *y = malloc(4 * n * sizeof *y), *reference = y ? y + 2 * n : NULL;
    enum yk_status st;

    if (!y)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    *out = (struct yk_order){.count = halvings + 1};
    st = reference_solution(e, e->steps << halvings, reference, &out->reference, err);
    for (int h = 0; h <= halvings && !st; h++) {
        const long count = e->steps << h;

        st = run_to_end(e, e->integrator, e->settings, count, y, err);
        out->step[h] = e->time.end / (double)count;
        out->error_u[h] = largest_difference(n, y, reference);
        out->error_v[h] = largest_difference(n, y + n, reference + n);
    }
    if (halvings > 0) {
        out->order_u = log2(out->error_u[halvings - 1] / out->error_u[halvings]);
        out->order_v = log2(out->error_v[halvings - 1] / out->error_v[halvings]);
    }
    free(y);
    return st;
}
