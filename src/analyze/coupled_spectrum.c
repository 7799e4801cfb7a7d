/* Amplification matrix and spectrum of a coupling, by driving its real cycle with unit states. */
#include <yoke/analyze.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_SPANS = 32 };

/* All spans of the state, one after the other. */
static size_t gather(struct yk_coupling *c, double *x)
{
    struct yk_span spans[MOST_SPANS];
    const size_t count = c->ops->state(c->self, spans, MOST_SPANS);
    size_t n = 0;

    for (size_t i = 0; i < count; n += spans[i++].n)
        if (x)
            memcpy(x + n, spans[i].x, spans[i].n * sizeof *x);
    return n;
}

static void scatter(struct yk_coupling *c, const double *x)
{
    struct yk_span spans[MOST_SPANS];
    const size_t count = c->ops->state(c->self, spans, MOST_SPANS);
    size_t n = 0;

    for (size_t i = 0; i < count; n += spans[i++].n)
        memcpy(spans[i].x, x + n, spans[i].n * sizeof *x);
}

size_t yk_coupled_size(struct yk_coupling *c)
{
    return gather(c, NULL);
}

static void no_load(void *self, double t, double *f)
{
    const struct yk_side *side = self;

    memset(f, 0, side->n * sizeof *f);
}

/* The first step from which on the pattern is regular. */
static long regular_step(const struct yk_coupling_ops *ops)
{
    const int cycle = ops->cycle_steps;

    return (long)((ops->start_steps + cycle - 1) / cycle) * cycle;
}

static enum yk_status drive(struct yk_coupling *c, double *x)
{
    enum yk_status st;

    scatter(c, x);
    c->problem->step = regular_step(c->ops);
    if ((st = c->ops->resume(c->self)))
        return st;
    for (int i = 0; i < c->ops->cycle_steps && !st; i++)
        st = yk_coupling_step(c);
    gather(c, x);
    return st;
}

enum yk_status yk_coupled_amplification(struct yk_coupling *c, double *A, struct yk_err *err)
{
    struct yk_coupled *problem = c->problem;
    const size_t n = yk_coupled_size(c);
    const struct yk_loading loading[] = {problem->side[0].loading, problem->side[1].loading};
    const long step = problem->step;
    double *kept;
    enum yk_status st = YK_OK;

    if (!problem->side[0].system->linear || !problem->side[1].system->linear)
        return yk_fail(err, YK_E_UNSUPPORTED, "%s: the amplification matrix needs linear models", c->ops->name);
    if (!(kept = malloc(n * sizeof *kept)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the amplification matrix");
    gather(c, kept);
    for (int s = 0; s < YK_SIDES; s++)
        problem->side[s].loading = (struct yk_loading){no_load, &problem->side[s]};
    for (size_t j = 0; j < n && !st; j++) {
        memset(A + j * n, 0, n * sizeof *A);
        A[j + j * n] = 1;
        if ((st = drive(c, A + j * n)))
            yk_fail(err, st, "%s: a cycle from unit state %zu of %zu failed", c->ops->name, j + 1, n);
    }
    for (int s = 0; s < YK_SIDES; s++)
        problem->side[s].loading = loading[s];
    scatter(c, kept);
    problem->step = step;
    c->ops->resume(c->self);
    free(kept);
    return st;
}

enum yk_status yk_coupled_spectrum(struct yk_coupling *c, double *re, double *im, struct yk_err *err)
{
    const size_t n = yk_coupled_size(c);
    double *A = malloc(n * n * sizeof *A);
    enum yk_status st;

    if (!A)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu eigenvalues", n);
    if (!(st = yk_coupled_amplification(c, A, err)))
        st = yk_eigen_general(n, A, re, im, err);
    free(A);
    return st;
}
