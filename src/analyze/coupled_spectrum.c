/* Amplification matrix and spectrum of a coupling, by driving its real cycle with unit states; of large ones the
 * spectral radius alone, by driving it with the vectors that an iteration asks for. */
#include "analyze/analyze.h"

#include <stdlib.h>
#include <string.h>

enum { SPANS = 32 };

struct spans {
    struct yk_span span[SPANS];
    size_t count, total;
};

/* The spans at the step the problem stands at: methods turn their histories with the step. */
static struct spans spans_of(struct yk_coupling *c)
{
    struct spans s = {.total = 0};

    s.count = c->ops->state(c->self, s.span, SPANS);
    for (size_t i = 0; i < s.count; i++)
        s.total += s.span[i].n;
    return s;
}

static void read_state(struct yk_coupling *c, double *x)
{
    const struct spans s = spans_of(c);

    for (size_t i = 0; i < s.count; x += s.span[i++].n)
        memcpy(x, s.span[i].x, s.span[i].n * sizeof *x);
}

static enum yk_status write_state(struct yk_coupling *c, const double *x)
{
    const struct spans s = spans_of(c);

    for (size_t i = 0; i < s.count; x += s.span[i++].n)
        memcpy(s.span[i].x, x, s.span[i].n * sizeof *x);
    return c->ops->resume(c->self);
}

/* The first step of a cycle that is made in the regular way. */
static long regular_step(const struct yk_coupling *c)
{
    const long cycle = c->ops->cycle_steps;

    return (c->ops->start_steps + cycle - 1) / cycle * cycle;
}

size_t yk_coupled_size(struct yk_coupling *c)
{
    const long step = c->problem->step;
    size_t total;

    c->problem->step = regular_step(c);
    total = spans_of(c).total;
    c->problem->step = step;
    return total;
}

/* x := the state one cycle after state x. */
static enum yk_status drive(void *self, double *x)
{
    struct yk_coupling *c = self;
    enum yk_status st;

    c->problem->step = regular_step(c);
    st = write_state(c, x);
    for (int k = 0; k < c->ops->cycle_steps && !st; k++)
        st = yk_coupling_step(c);
    read_state(c, x);
    return st;
}

/* State of a coupling before it was driven, to be handed back. */
struct stand {
    struct yk_loading loading[YK_SIDES];
    long step;
    double *state;
};

static enum yk_status take_over(struct yk_coupling *c, struct stand *before, struct yk_err *err)
{
    struct yk_coupled *problem = c->problem;
    const int sides = c->ops->schedule(c->self, regular_step(c)).substeps ? YK_SIDES : YK_FINE; /* that are asked */

    for (int s = 0; s < sides; s++)
        if (!problem->side[s].system->linear)
            return yk_fail(err, YK_E_UNSUPPORTED, "%s: the amplification matrix needs linear substructures",
                           c->ops->name);
    if (!(before->state = malloc((spans_of(c).total + 1) * sizeof *before->state)))
        return yk_fail(err, YK_E_MEMORY, "%s: out of memory for the amplification matrix", c->ops->name);
    read_state(c, before->state);
    before->step = problem->step;
    for (int s = 0; s < YK_SIDES; s++) {
        before->loading[s] = problem->side[s].loading;
        yk_side_unload(&problem->side[s]);
    }
    return YK_OK;
}

static void hand_back(struct yk_coupling *c, struct stand *before)
{
    for (int s = 0; s < YK_SIDES; s++)
        c->problem->side[s].loading = before->loading[s];
    c->problem->step = before->step;
    write_state(c, before->state);
    free(before->state);
}

/* Column j: the state one cycle after unit state j. */
enum yk_status yk_coupled_amplification(struct yk_coupling *c, double *A, struct yk_err *err)
{
    const size_t N = yk_coupled_size(c);
    struct stand before;
    enum yk_status st = take_over(c, &before, err);

    if (st)
        return st;
    for (size_t j = 0; j < N && !st; j++) {
        double *column = A + j * N;

        memset(column, 0, N * sizeof *column);
        column[j] = 1;
        if ((st = drive(c, column)))
            yk_fail(err, st, "%s: a cycle from unit state %zu of %zu failed", c->ops->name, j + 1, N);
    }
    hand_back(c, &before);
    return st;
}

enum yk_status yk_coupled_dominant(struct yk_coupling *c, double *radius, struct yk_err *err)
{
    struct stand before;
    enum yk_status st = take_over(c, &before, err);

    if (st)
        return st;
    st = yk_eigen_dominant(&(struct yk_map){yk_coupled_size(c), drive, c}, radius, err);
    hand_back(c, &before);
    return st;
}

enum yk_status yk_coupled_spectrum(struct yk_coupling *c, double *re, double *im, struct yk_err *err)
{
    const size_t N = yk_coupled_size(c);
    double *A = malloc((N * N + 1) * sizeof *A);
    enum yk_status st;

    if (!A)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu eigenvalues", N);
    if (!(st = yk_coupled_amplification(c, A, err)))
        st = yk_eigen_general(N, A, re, im, err);
    free(A);
    return st;
}
