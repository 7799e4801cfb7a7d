/* Broyden's method, docs/theory/iterate.md, eq. (2): R(u) = 0, where each evaluation is a run of a rig.
 *
 *     good:  J += (dR - J du) du^T / |du|^2         bad:  H += (du - H dR) dR^T / |dR|^2,   H = J^-1
 *
 * For a linear R of n unknowns both end after at most 2n updates (Gay 1979). */
#include <yoke/iterate.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct yk_broyden_settings yk_broyden_defaults(void)
{
    return (struct yk_broyden_settings){.scale = 1, .tolerance = 1e-3, .step_limit = 2, .most = 12, .patience = 4};
}

const char *yk_iteration_end_words(enum yk_iteration_end end)
{
    static const char *const words[] = {[YK_ITERATION_CONVERGED] = "converged",
                                        [YK_ITERATION_MOST] = "not converged within the runs that are allowed",
                                        [YK_ITERATION_STUCK] = "stopped: the runs no longer became better",
                                        [YK_ITERATION_SINGULAR] = "stopped: the Jacobian is singular"};

    return words[end];
}

static double norm(size_t n, const double *x)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

void yk_broyden_update(size_t m, size_t n, double *J, const double *du, const double *dR)
{
    const double size = norm(n, du);

    if (!(size > 0))
        return;
    for (size_t i = 0; i < m; i++) {
        double miss = dR[i];

        for (size_t j = 0; j < n; j++)
            miss -= J[i * n + j] * du[j];
        for (size_t j = 0; j < n; j++)
            J[i * n + j] += miss / size * (du[j] / size);
    }
}

struct work {
    size_t n;
    double *A, *H, *u, *R, *last, *du, *dR;
};

static bool open_work(struct work *w, size_t n)
{
    *w = (struct work){.n = n, .A = calloc(2 * n * n + 5 * n + 1, sizeof(double))};
    if (!w->A)
        return false;
    w->H = w->A + n * n;
    w->u = w->H + n * n;
    w->R = w->u + n;
    w->last = w->R + n;
    w->du = w->last + n;
    w->dR = w->du + n;
    return true;
}

/* H := J^-1 */
static bool invert(struct work *w, const double *J)
{
    const size_t n = w->n;

    memcpy(w->A, J, n * n * sizeof *J);
    memset(w->H, 0, n * n * sizeof *w->H);
    for (size_t i = 0; i < n; i++)
        w->H[i * n + i] = 1;
    return yk_solve_real(n, w->A, n, w->H);
}

/* du := -J^-1 R, by the Jacobian or by its inverse. */
static bool step_of(struct work *w, const double *J, bool bad)
{
    const size_t n = w->n;

    if (!bad) {
        memcpy(w->A, J, n * n * sizeof *J);
        for (size_t i = 0; i < n; i++)
            w->du[i] = -w->R[i];
        return yk_solve_real(n, w->A, 1, w->du);
    }
    for (size_t i = 0; i < n; i++) {
        w->du[i] = 0;
        for (size_t j = 0; j < n; j++)
            w->du[i] -= w->H[i * n + j] * w->R[j];
    }
    return true;
}

/* The run with w->u; where it is the best one, it goes to u. False: the iteration ends. */
static bool judge(const struct yk_broyden_settings *s, struct work *w, double *u, double *residuals,
                  struct yk_broyden_result *r, int *worse)
{
    r->residual = norm(w->n, w->R) / s->scale;
    if (residuals)
        residuals[r->runs] = r->residual;
    if (r->runs++ == 0 || r->residual < r->best) {
        r->best = r->residual;
        *worse = 0;
        memcpy(u, w->u, w->n * sizeof *u);
    } else {
        ++*worse;
    }
    if (r->residual < s->tolerance)
        r->end = YK_ITERATION_CONVERGED;
    else if (s->patience && *worse >= s->patience)
        r->end = YK_ITERATION_STUCK;
    else if (r->runs >= s->most || !isfinite(r->residual))
        r->end = YK_ITERATION_MOST;
    else
        return true;
    return false;
}

/* The next u, with the step limit. */
static bool advance(const struct yk_broyden_settings *s, struct work *w, const double *J, double *first)
{
    if (!step_of(w, J, s->bad))
        return false;
    const double size = norm(w->n, w->du);
    double share = 1;

    if (!isfinite(size))
        return false;
    if (!(*first > 0))
        *first = size;
    else if (s->step_limit > 0 && size > s->step_limit * *first)
        share = s->step_limit * *first / size;
    for (size_t i = 0; i < w->n; i++) {
        w->du[i] *= share;
        w->u[i] += w->du[i];
    }
    return true;
}

enum yk_status yk_broyden_solve(const struct yk_broyden_settings *s, size_t n, double *u, double *J, yk_residual *run,
                                void *self, double *residuals, struct yk_broyden_result *r, struct yk_err *err)
{
    struct work w;
    double first = 0;
    int worse = 0;
    enum yk_status st;

    *r = (struct yk_broyden_result){.end = YK_ITERATION_SINGULAR};
    if (!open_work(&w, n))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    memcpy(w.u, u, n * sizeof *u);
    if (!(st = run(self, w.u, w.R, err)) && judge(s, &w, u, residuals, r, &worse) && (!s->bad || invert(&w, J)))
        while (advance(s, &w, J, &first)) {
            memcpy(w.last, w.R, n * sizeof *w.R);
            if ((st = run(self, w.u, w.R, err)) || !judge(s, &w, u, residuals, r, &worse))
                break;
            for (size_t i = 0; i < n; i++)
                w.dR[i] = w.R[i] - w.last[i];
            if (s->bad)
                yk_broyden_update(n, n, w.H, w.dR, w.du);
            else
                yk_broyden_update(n, n, J, w.du, w.dR);
        }
    free(w.A);
    return st;
}
