/* Decay of an experiment that is left alone, by its real steps. docs/theory/delay.md, eq. (38), (39).
 *
 * By matrix: the state of a hybrid loop is more than that of the method: histories of compensators, integrals of
 * controllers, delay lines, filters. What is between the actuators and the sensors cannot be set, on a rig not even
 * looked at. But the structure can be started from each of its unit states, with the actuators at rest, and its answers
 * at every q-th step, Y_k = C A^(q k) B, tell the amplification matrix A^q of all that matters (realise.h).
 * Its spectral radius is |z|^q of the slowest motion; fast motions die out within q steps and are not asked for.
 *
 * By simulation: the largest velocities of the third and the fourth quarter of a long free vibration. Where that takes
 * too long: modal_decay.c. Units: N, m, s. */
#include "analyze/decay.h"
#include "analyze/realise.h"
#include "state/state.h"
#include <yoke/random.h>

#include "transfer/station.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define START_SPEED    1e-3 /* m/s: small against any limit */
#define PART_OF_PERIOD 7.3  /* samples in a period of the lowest mode: not whole, so that its overtones differ */
#define SUPERPOSITION  1e-7 /* of the largest answer: well above rounding */
#define BOUNDLESS      1e3  /* growth that needs no measuring; below what makes actuators saturate */
enum {
    STEPS_IN_PERIOD = YK_LONG_VIBRATION / YK_MARGIN_PERIODS, /* at most: with shorter steps it is cut */
    FEWEST_STEPS = 4000,
    MOST_INPUTS = 6,    /* unit states; of a larger structure as many mixtures */
    HIDDEN_STATES = 30, /* beyond those of the structure, at first */
    DOUBLINGS = 6,      /* of the time until the samples, when they hold more motions than they can tell */
    LOWEST_MODES = 8,   /* that are looked at for one that is no rigid-body mode */
    BLOCKS = 32         /* of a free vibration, whose amplitudes are compared */
};
#define RIGID   1e-10 /* of the highest eigenvalue: below it is a rigid-body mode */
#define DECAYED 1e-3  /* of the first amplitude: it will not come back */
#define GROWN   4     /* times the amplitude before: it will not stop */

/* ---- from states of the untorn structure and back ---- */

void yk_state_unload(struct yk_state *m)
{
    if (m->domain)
        m->domain->loading = (struct yk_loading){0};
    for (int s = 0; m->problem && s < YK_SIDES; s++)
        yk_side_unload(&m->problem->side[s]);
}

/* Plan of the measurement of an experiment. */
struct plan {
    struct yk_state *m;
    size_t n, inputs;  /* degrees of freedom; states it is started from */
    double omega;      /* of the lowest mode: u counts as omega u */
    double *W;         /* 2n x inputs: the states, in units of START_SPEED */
    double *state;     /* 2n */
    double *u, *v, *a; /* of one substructure */
    long stride, skip; /* steps between two samples; samples left out */
    size_t half;       /* half of the samples that are kept */
    struct yk_budget *budget;
};

double yk_lowest_elastic(const struct yk_system *s, bool *rigid)
{
    double w2[LOWEST_MODES], highest = 0;
    const size_t count = s->n < LOWEST_MODES ? s->n : LOWEST_MODES;

    *rigid = true;
    if (yk_eigen_symmetric(&s->K, &s->M, count, w2, NULL, NULL) || yk_eigen_largest(&s->K, &s->M, &highest, NULL))
        return 0;
    *rigid = !(w2[0] > RIGID * highest);
    for (size_t i = 0; i < count; i++)
        if (w2[i] > RIGID * highest)
            return sqrt(w2[i]);
    return 0;
}

/* Whole cycles of the method, about a seventh of the lowest period; less where the step is very short against it. */
static void choose_samples(struct plan *p)
{
    const struct yk_model *model = p->m->model;
    const int cycle = model->coupling ? model->coupling->cycle_steps : 1;
    double stride = 2 * M_PI / (p->omega * PART_OF_PERIOD * p->m->dt);

    p->skip = model->coupling ? 1 + model->coupling->start_steps : 0; /* the first steps may be made in another way */
    p->half = (2 * p->n + HIDDEN_STATES) / p->inputs + 1;
    stride = fmin(stride, (double)YK_LONG_VIBRATION / (double)(2 * p->half));
    p->stride = cycle * lround(fmax(stride / cycle, 1));
}

static enum yk_status make_plan(struct plan *p, struct yk_state *m, const struct yk_watched *how, struct yk_err *err)
{
    const struct yk_model *model = m->model;
    const size_t n = m->assembly->system->n, states = 2 * n;
    uint64_t seed = 1;
    size_t most = 0;

    *p = (struct plan){.m = m,
                       .n = n,
                       .inputs = states < MOST_INPUTS ? states : MOST_INPUTS,
                       .omega = how->omega,
                       .budget = how->budget};
    for (size_t k = 0; k < model->substructure_count; k++)
        most = m->substructures[k].system->n > most ? m->substructures[k].system->n : most;
    if (!(p->W = calloc(states * (p->inputs + 1) + 3 * most, sizeof *p->W)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    p->state = p->W + states * p->inputs;
    p->u = p->state + states;
    p->v = p->u + most;
    p->a = p->v + most;
    for (size_t j = 0; j < p->inputs; j++)
        for (size_t i = 0; i < states; i++)
            p->W[i + j * states] = states > MOST_INPUTS ? yk_draw(&seed) : i == j;
    choose_samples(p);
    return YK_OK;
}

static enum yk_status start(const struct plan *p, const double *w)
{
    for (size_t i = 0; i < 2 * p->n; i++)
        p->state[i] = w[i] * START_SPEED / (i < p->n ? p->omega : 1);
    return yk_state_start_from(p->m, p->state, p->state + p->n);
}

/* Projects the rate of the motion, v and a, on each start state; returns the largest. Displacement gaps of interfaces
 * closed in velocities are ignored. */
static double look(const struct plan *p, double *y)
{
    const struct yk_state *m = p->m;
    double most = 0;

    memset(p->state, 0, 2 * p->n * sizeof *p->state);
    for (size_t k = 0; k < m->model->substructure_count; k++) {
        yk_state_now(m, k, p->u, p->v, p->a);
        yk_matrix_add_product(&m->assembly->map[k], 1 / START_SPEED, p->v, p->state);
        yk_matrix_add_product(&m->assembly->map[k], 1 / (p->omega * START_SPEED), p->a, p->state + p->n);
    }
    for (size_t i = 0; i < p->inputs; i++)
        most = fmax(most, fabs(y[i] = yk_dot(2 * p->n, p->W + i * 2 * p->n, p->state)));
    return most;
}

enum yk_status yk_decay_step(struct yk_state *m, struct yk_budget *budget)
{
    struct yk_station *station = m->station;
    const enum yk_status st = yk_budget_spent(budget) ? YK_E_STOPPED : yk_state_step(m);

    return !st && station && *yk_station_trip(station) ? YK_E_DIVERGED : st;
}

/* The answers to state w, at intervals of `gap` in Y. */
static enum yk_status answer(const struct plan *p, const double *w, size_t gap, double *Y)
{
    enum yk_status st = start(p, w);
    double first = 0;

    for (long k = 0; k < p->skip + 2 * (long)p->half && !st; k++) {
        for (long i = 0; k && i < p->stride && !st; i++)
            st = yk_decay_step(p->m, p->budget);
        if (st)
            break;
        const double now = look(p, Y + (size_t)(k > p->skip ? k - p->skip : 0) * gap);

        first = k < 2 ? fmax(first, now) : first;
        if (!(now <= BOUNDLESS * first))
            st = YK_E_DIVERGED;
    }
    return st;
}

/* ---- by matrix ---- */

/* The answers to all states. */
static enum yk_status answer_all(const struct plan *p, double *Y)
{
    const size_t m = p->inputs;
    enum yk_status st = YK_OK;

    for (size_t j = 0; j < m && !st; j++)
        st = answer(p, p->W + j * 2 * p->n, m * m, Y + j * m);
    return st;
}

/* Does the answer to a mixture of the first two states follow from theirs, which are in Y? */
static enum yk_status superposes(const struct plan *p, const double *Y, bool *linear, struct yk_err *err)
{
    const size_t states = 2 * p->n, m = p->inputs, samples = 2 * p->half;
    double *mixed = calloc(samples * m + states, sizeof *mixed), *w = mixed ? mixed + samples * m : NULL;
    double worst = 0, largest = 0;
    enum yk_status st;

    if (!mixed)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < states; i++)
        w[i] = 0.7 * p->W[i] - 1.3 * p->W[i + states];
    st = answer(p, w, m, mixed);
    for (size_t k = 0; k < samples && !st; k++)
        for (size_t i = 0; i < m; i++) {
            const double *y = Y + k * m * m + i, *own = mixed + k * m + i;

            worst = fmax(worst, fabs(0.7 * y[0] - 1.3 * y[m] - *own));
            largest = fmax(largest, fabs(*own));
        }
    *linear = worst <= SUPERPOSITION * largest;
    free(mixed);
    return st;
}

enum yk_status yk_decay_by_matrix(struct yk_state *m, struct yk_watched *how, bool *linear, double *decay,
                                  struct yk_err *err)
{
    struct plan p;
    double radius = 0, *Y = NULL;
    bool complete = false, superposed = true;
    enum yk_status st = make_plan(&p, m, how, err);

    if (!st && !(Y = malloc(2 * p.half * p.inputs * p.inputs * sizeof *Y)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (int k = 0; k <= DOUBLINGS && !st && !complete && superposed; k++) {
        st = answer_all(&p, Y);
        if (linear && k == 0 && !st)
            st = superposes(&p, Y, &superposed, err);
        if (!st && superposed)
            st = yk_realise_radius(&(struct yk_samples){p.inputs, p.half, Y}, &radius, &complete, err);
        how->watched_s = (double)(p.stride * (p.skip + 2 * (long)p.half)) * m->dt;
        p.skip = 2 * p.skip + 2 * (long)p.half;
    }
    free(Y);
    free(p.W);
    if (linear)
        *linear = superposed;
    *decay = !superposed ? NAN : st == YK_E_DIVERGED ? -INFINITY : -log(radius) / ((double)p.stride * m->dt);
    return st == YK_E_DIVERGED ? YK_OK : st; /* growth beyond all bounds, whatever it is */
}

/* ---- by simulation ---- */

static double largest_speed(const struct plan *p)
{
    const struct yk_state *m = p->m;
    double most = 0;

    for (size_t k = 0; k < m->model->substructure_count; k++) {
        yk_state_now(m, k, p->u, p->v, p->a);
        for (size_t i = 0; i < m->substructures[k].system->n; i++)
            most = fmax(most, fabs(p->v[i]));
    }
    return most;
}

/* Amplitudes of a vibration: the largest velocities in equal parts of it. */
struct amplitudes {
    double block[BLOCKS];
    int blocks; /* complete */
};

/* Largest amplitude in each quarter of the blocks. */
static void quarter(const struct amplitudes *a, double *q)
{
    for (int k = 0; k < 4; k++) {
        q[k] = 0;
        for (int i = k * a->blocks / 4; i < (k + 1) * a->blocks / 4; i++)
            q[k] = fmax(q[k], a->block[i]);
    }
}

/* Is the outcome clear before the end? A beat does not count: all of it has decayed, or its growth is steady from
 * quarter to quarter. */
static bool is_clear(const struct amplitudes *a)
{
    double q[4];

    if (a->blocks < 8 || a->blocks % 4)
        return false;
    quarter(a, q);
    return (q[3] < DECAYED * q[0] && q[3] < q[2]) || (q[3] > GROWN * q[2] && q[2] > GROWN * q[1]);
}

static enum yk_status vibrate(const struct plan *p, const struct yk_watched *how, long steps, struct amplitudes *a)
{
    enum yk_status st;

    memset(p->state, 0, p->n * sizeof *p->state);
    for (size_t i = 0; i < p->n; i++)
        p->state[p->n + i] = START_SPEED * (1 + 0.3 * (double)(i % 3)); /* no mode is left out by symmetry */
    st = yk_state_start_from(p->m, p->state, p->state + p->n);
    for (long i = 0; i < steps && !st; i++)
        if (!(st = yk_decay_step(p->m, p->budget))) {
            double *most = &a->block[BLOCKS * i / steps];

            *most = fmax(*most, largest_speed(p));
            if (!(*most < BOUNDLESS * START_SPEED))
                st = YK_E_DIVERGED;
            a->blocks = (int)(BLOCKS * (i + 1) / steps);
            if (how->sign_only && BLOCKS * (i + 1) / steps > BLOCKS * i / steps && is_clear(a))
                break;
        }
    return st;
}

/* From the third to the fourth quarter. */
static double decay_seen(const struct amplitudes *a, double block_s)
{
    double q[4];

    quarter(a, q);
    return q[3] > 0 ? log(q[2] / q[3]) / (a->blocks / 4.0 * block_s) : INFINITY;
}

enum yk_status yk_decay_by_simulation(struct yk_state *m, struct yk_watched *how, double *decay, struct yk_err *err)
{
    struct plan p;
    struct amplitudes a = {0};
    double block_s = 0;
    enum yk_status st = make_plan(&p, m, how, err);

    if (!st) {
        const long steps =
            lround(fmax(how->periods * fmin(2 * M_PI / (p.omega * m->dt), STEPS_IN_PERIOD), FEWEST_STEPS));

        block_s = (double)steps / BLOCKS * m->dt;
        st = vibrate(&p, how, steps, &a);
        how->watched_s = a.blocks * block_s;
    }
    free(p.W);
    *decay = st == YK_E_DIVERGED ? -INFINITY : a.blocks >= 4 ? decay_seen(&a, block_s) : NAN;
    return st == YK_E_DIVERGED ? YK_OK : st;
}
