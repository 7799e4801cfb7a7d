/* Decay of a domain that is left alone, by its real steps. docs/theory/delay.md, eq. (38).
 *
 * By matrix: the state of a hybrid loop is more than that of the integrator: histories of compensators, integrals of
 * controllers, delay lines, filters. What is between the actuators and the sensors cannot be set, on a rig not even
 * looked at. But the structure can be started from each of its unit states, with the actuators at rest, and its answers
 * at every q-th step, Y_k = C A^(q k) B, tell the amplification matrix A^q of all that matters (realise.h).
 * Its spectral radius is |z|^q of the slowest motion; fast motions die out within q steps and are not asked for.
 *
 * By simulation: the largest displacements of the third and the fourth quarter of a long free vibration. Units: N, m,
 * s. */
#include "analyze/decay.h"
#include "analyze/realise.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define START_SPEED    1e-3 /* m/s: small against any limit */
#define PART_OF_PERIOD 7.3  /* samples in a period of the lowest mode: not whole, so that its overtones differ */
#define SUPERPOSITION  1e-7 /* of the largest answer: well above rounding */
enum {
    STEPS_IN_PERIOD = 600, /* at most: a free vibration with shorter steps is cut */
    FEWEST_STEPS = 4000,
    MOST_INPUTS = 6,    /* unit states; of a larger structure as many mixtures */
    HIDDEN_STATES = 30, /* beyond those of the structure, at first */
    DOUBLINGS = 6       /* of the time until the samples, when they hold more motions than they can tell */
};

/* What is measured of a domain. */
struct plan {
    size_t n, inputs;  /* degrees of freedom; states it is started from */
    double omega;      /* of the lowest mode: u counts as omega u      */
    double *W;         /* 2n x inputs: the states, in units of START_SPEED */
    double *state;     /* 2n */
    long stride, skip; /* steps between two samples; samples left out */
    size_t half;       /* half of the samples that are kept */
};

/* Lowest angular frequency of the (estimated) structure; 0 where it has none. */
static double lowest_frequency(const struct yk_system *s)
{
    double w2 = 0;

    return yk_eigen_symmetric(&s->K, &s->M, 1, &w2, NULL, NULL) || !(w2 > 0) ? 0 : sqrt(w2);
}

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static enum yk_status make_plan(struct plan *p, const struct yk_domain *d, struct yk_err *err)
{
    const struct yk_system *s = d->integrator.system;
    const double dt = d->integrator.dt, omega = lowest_frequency(s);
    const size_t states = 2 * s->n;
    uint64_t seed = 1;

    *p = (struct plan){.n = s->n, .inputs = states < MOST_INPUTS ? states : MOST_INPUTS};
    p->omega = omega > 0 ? omega : 2 * M_PI / (2 * PART_OF_PERIOD * dt);
    p->stride = lround(fmax(2 * M_PI / (p->omega * PART_OF_PERIOD * dt), 1));
    p->half = (states + HIDDEN_STATES) / p->inputs + 1;
    if (!(p->W = calloc(states * (p->inputs + 1), sizeof *p->W)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    p->state = p->W + states * p->inputs;
    for (size_t j = 0; j < p->inputs; j++)
        for (size_t i = 0; i < states; i++)
            p->W[i + j * states] = states > MOST_INPUTS ? draw(&seed) : i == j;
    return YK_OK;
}

/* Starts the domain from a state in the units of the plan. */
static enum yk_status start(const struct plan *p, struct yk_domain *d, const double *w)
{
    for (size_t i = 0; i < 2 * p->n; i++)
        p->state[i] = w[i] * START_SPEED / (i < p->n ? p->omega : 1);
    return yk_domain_start(d, p->state, p->state + p->n);
}

/* What each of the states of the plan finds of itself in the motion. */
static void look(const struct plan *p, const struct yk_domain *d, double *y)
{
    struct yk_kinematics k;

    yk_domain_now(d, &k);
    for (size_t i = 0; i < p->n; i++) {
        p->state[i] = k.u[i] * p->omega / START_SPEED;
        p->state[p->n + i] = k.v[i] / START_SPEED;
    }
    for (size_t i = 0; i < p->inputs; i++)
        y[i] = yk_dot(2 * p->n, p->W + i * 2 * p->n, p->state);
}

/* The answers to state w, at intervals of `gap` in Y. */
static enum yk_status answer(const struct plan *p, struct yk_domain *d, const double *w, size_t gap, double *Y)
{
    enum yk_status st = start(p, d, w);

    for (long k = 0; k < p->skip + 2 * (long)p->half && !st; k++) {
        for (long i = 0; k && i < p->stride && !st; i++)
            st = yk_domain_step(d);
        if (k >= p->skip)
            look(p, d, Y + (size_t)(k - p->skip) * gap);
    }
    return st;
}

/* Radius of the matrix of `stride` steps. */
static enum yk_status radius_of(const struct plan *p, struct yk_domain *d, double *Y, double *radius, bool *complete,
                                struct yk_err *err)
{
    const size_t m = p->inputs;
    enum yk_status st = YK_OK;

    for (size_t j = 0; j < m && !st; j++)
        st = answer(p, d, p->W + j * 2 * p->n, m * m, Y + j * m);
    return st ? st : yk_realise_radius(&(struct yk_samples){m, p->half, Y}, radius, complete, err);
}

enum yk_status yk_decay_by_matrix(struct yk_domain *d, double *decay, struct yk_err *err)
{
    struct plan p;
    double radius = 0, *Y = NULL;
    bool complete = false;
    enum yk_status st = make_plan(&p, d, err);

    if (!st && !(Y = malloc(2 * p.half * p.inputs * p.inputs * sizeof *Y)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (int k = 0; k <= DOUBLINGS && !st && !complete; k++) {
        st = radius_of(&p, d, Y, &radius, &complete, err);
        p.skip = 2 * p.skip + 2 * (long)p.half;
    }
    free(Y);
    free(p.W);
    if (st == YK_E_DIVERGED) { /* growth beyond all bounds */
        *decay = -INFINITY;
        return YK_OK;
    }
    if (!st)
        *decay = -log(radius) / ((double)p.stride * d->integrator.dt);
    return st;
}

enum yk_status yk_decay_is_linear(struct yk_domain *d, bool *linear, struct yk_err *err)
{
    struct plan p;
    double *Y = NULL, *w, worst = 0, largest = 0;
    enum yk_status st = make_plan(&p, d, err);
    const size_t states = 2 * p.n, count = st ? 0 : 2 * p.half * p.inputs;

    *linear = false;
    if (!st && !(Y = malloc((3 * count + states) * sizeof *Y)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    w = Y ? Y + 3 * count : NULL;
    for (size_t i = 0; w && i < states; i++)
        w[i] = 0.7 * p.W[i] - 1.3 * p.W[i + states];
    if (!st && !(st = answer(&p, d, p.W, p.inputs, Y)) && !(st = answer(&p, d, p.W + states, p.inputs, Y + count)) &&
        !(st = answer(&p, d, w, p.inputs, Y + 2 * count))) {
        for (size_t i = 0; i < count; i++) {
            worst = fmax(worst, fabs(0.7 * Y[i] - 1.3 * Y[count + i] - Y[2 * count + i]));
            largest = fmax(largest, fabs(Y[2 * count + i]));
        }
        *linear = worst <= SUPERPOSITION * largest;
    }
    free(Y);
    free(p.W);
    return st == YK_E_DIVERGED ? YK_OK : st;
}

/* ---- free vibration ---- */

static double largest_displacement(const struct yk_domain *d)
{
    struct yk_kinematics k;
    double most = 0;

    yk_domain_now(d, &k);
    for (size_t i = 0; i < d->integrator.system->n; i++)
        most = fmax(most, fabs(k.u[i]));
    return most;
}

enum yk_status yk_decay_by_simulation(struct yk_domain *d, int periods, double *decay, struct yk_err *err)
{
    const size_t n = d->integrator.system->n;
    const double omega = lowest_frequency(d->integrator.system);
    const double in_period = omega > 0 ? fmin(2 * M_PI / (omega * d->integrator.dt), STEPS_IN_PERIOD) : 0;
    const long steps = lround(fmax(periods * in_period, FEWEST_STEPS));
    double quarter[4] = {0}, *state = calloc(2 * n, sizeof *state);
    enum yk_status st;

    if (!state)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++)
        state[n + i] = START_SPEED * (1 + 0.3 * (double)(i % 3)); /* no mode is left out by symmetry */
    st = yk_domain_start(d, state, state + n);
    for (long i = 0; i < steps && !st; i++)
        if (!(st = yk_domain_step(d)))
            quarter[4 * i / steps] = fmax(quarter[4 * i / steps], largest_displacement(d));
    free(state);
    if (st == YK_E_DIVERGED) {
        *decay = -INFINITY;
        return YK_OK;
    }
    *decay = quarter[3] > 0 ? log(quarter[2] / quarter[3]) / ((double)steps / 4 * d->integrator.dt) : INFINITY;
    return st ? yk_fail(err, st, "a step of the free vibration failed") : YK_OK;
}
