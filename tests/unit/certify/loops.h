/* Loops of the reference cases: a structure by central differences, specimens behind a delay and a servo. */
#ifndef CERTIFY_LOOPS_H
#define CERTIFY_LOOPS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/certify.h>
#include <yoke/linalg.h>

enum { LOOP_CHAINS = 2, LOOP_BACK = 7, LOOP_STATES = LOOP_CHAINS * (LOOP_BACK + 2), LOOP_PORTS = 8 };

/* From degree of freedom i to ground; frequency 0: an ideal actuator. Widths 0: certain. */
struct loop_chain {
    double k, c, frequency, damping, delay; /* delay: in ticks */
    double width_k, width_c, width_g, width_f;
};
struct loop_case {
    size_t n;
    double h, M[2], C[4], K[4]; /* M diagonal */
    struct loop_chain chain[LOOP_CHAINS];
};

static inline void loop_servo(double frequency, double damping, double h, double *Phi, double *Gamma)
{
    const double w = 2 * M_PI * frequency, A[9] = {0, -w * w, 0, 1, -2 * damping * w, 0, 0, w * w, 0};
    double Ah[9], E[9];

    for (int i = 0; i < 9; i++)
        Ah[i] = h * A[i];
    yk_expm(3, Ah, E, NULL);
    Phi[0] = E[0];
    Phi[1] = E[1];
    Phi[2] = E[3];
    Phi[3] = E[4];
    Gamma[0] = E[6];
    Gamma[1] = E[7];
}

/* One step from state (each: x now and before, then position and speed of the servo) and pushes w to the next and y. */
static inline void loop_step(const struct loop_case *q, const double *state, const double *w, double *next, double *y)
{
    const size_t each = LOOP_BACK + 2;
    double r[2] = {0}, left[2], A[4] = {0}, right[2];
    size_t port = 0;

    for (size_t i = 0; i < q->n; i++) {
        const struct loop_chain *a = &q->chain[i];
        const double *x = state + i * each;
        const size_t n = (size_t)floor(a->delay);
        const double f = a->delay - (double)n;
        double u = (1 - f) * x[n] + f * x[n + 1], xe, ve = 0, force;
        double *to = next + i * each;

        if (a->width_f > 0) {
            y[port] = a->width_f * (x[n + 1] - x[n]);
            u += w[port++];
        }
        if (a->frequency > 0) {
            double Phi[4], Gamma[2];
            const double *s = x + LOOP_BACK;

            loop_servo(a->frequency, a->damping, q->h, Phi, Gamma);
            xe = Phi[0] * s[0] + Phi[2] * s[1] + Gamma[0] * u;
            ve = Phi[1] * s[0] + Phi[3] * s[1] + Gamma[1] * u;
        } else {
            xe = u;
        }
        to[LOOP_BACK] = xe;
        to[LOOP_BACK + 1] = ve;
        force = a->k * xe + a->c * ve;
        if (a->width_k > 0) {
            y[port] = a->width_k * a->k * xe;
            force += w[port++];
        }
        if (a->width_c > 0) {
            y[port] = a->width_c * a->c * ve;
            force += w[port++];
        }
        if (a->width_g > 0) {
            y[port] = a->width_g * force;
            force += w[port++];
        }
        r[i] = force;
    }
    for (size_t i = 0; i < q->n; i++) { /* (M/h2 + C/2h) x+ = M (2 x - x-)/h2 + C x-/2h - K x - r */
        right[i] = -r[i] + q->M[i] / (q->h * q->h) * (2 * state[i * each] - state[i * each + 1]);
        for (size_t j = 0; j < q->n; j++) {
            right[i] += q->C[i + 2 * j] / (2 * q->h) * state[j * each + 1] - q->K[i + 2 * j] * state[j * each];
            A[i + 2 * j] = q->C[i + 2 * j] / (2 * q->h) + (i == j ? q->M[i] / (q->h * q->h) : 0);
        }
    }
    if (q->n == 1) {
        left[0] = right[0] / A[0];
        left[1] = 0;
    } else {
        const double det = A[0] * A[3] - A[1] * A[2];

        left[0] = (A[3] * right[0] - A[2] * right[1]) / det;
        left[1] = (A[0] * right[1] - A[1] * right[0]) / det;
    }
    for (size_t i = 0; i < q->n; i++) {
        double *to = next + i * each;

        memmove(to + 1, state + i * each, (LOOP_BACK - 1) * sizeof *to);
        to[0] = left[i];
    }
}

/* Ports of a chain in the order delay, stiffness, damping, gain. */
static inline void loop_family(const struct loop_case *q, struct yk_family *f)
{
    const size_t states = q->n * (LOOP_BACK + 2);
    double state[LOOP_STATES], w[LOOP_PORTS], next[LOOP_STATES], y[LOOP_PORTS];
    size_t ports = 0;

    for (size_t i = 0; i < q->n; i++) {
        const struct loop_chain *a = &q->chain[i];

        ports += (size_t)((a->width_f > 0) + (a->width_k > 0) + (a->width_c > 0) + (a->width_g > 0));
    }
    if (yk_family_make(f, states, ports, NULL))
        abort();
    for (size_t j = 0; j < states + ports; j++) {
        memset(state, 0, sizeof state);
        memset(w, 0, sizeof w);
        *(j < states ? &state[j] : &w[j - states]) = 1;
        loop_step(q, state, w, next, y);
        memcpy(j < states ? f->A + j * states : f->B + (j - states) * states, next, states * sizeof *next);
        memcpy(j < states ? f->C + j * ports : f->D + (j - states) * ports, y, ports * sizeof *y);
    }
    for (size_t j = 0; j < ports; j++)
        f->parameter[j] = j;
}

/* A problem of one family. */
static inline enum yk_status loop_give(void *user, const double *delta, const struct yk_family **family,
                                       struct yk_err *err)
{
    (void)delta;
    (void)err;
    *family = user;
    return YK_OK;
}

#define LOOP_K0 157913.6704174297
#define LOOP_C0 1256.637061435917

static inline struct loop_case loop_one_mass(void)
{
    return (struct loop_case){.n = 1, .h = 2e-3, .M = {1000}, .C = {LOOP_C0}};
}

/* Cases A2 and A4 of docs/theory/certificates.md. */
static inline struct loop_case loop_a2(void)
{
    struct loop_case q = loop_one_mass();

    q.chain[0] = (struct loop_chain){.k = LOOP_K0, .delay = 2, .width_k = 0.2, .width_f = 1};
    return q;
}

static inline struct loop_case loop_a4(double frequency)
{
    struct loop_case q = loop_one_mass();

    q.K[0] = 0.4 * LOOP_K0;
    q.chain[0] = (struct loop_chain){.k = 0.6 * LOOP_K0,
                                     .c = 300,
                                     .frequency = frequency,
                                     .damping = 0.7,
                                     .delay = 1.5,
                                     .width_k = 0.2,
                                     .width_c = 0.5,
                                     .width_g = 0.02,
                                     .width_f = 0.5};
    return q;
}

/* Two masses, two chains. */
static inline struct loop_case loop_a5(void)
{
    struct loop_case q = {.n = 2, .h = 2e-3, .M = {1000, 800}, .K = {270e3, -120e3, -120e3, 120e3}};

    for (int i = 0; i < 4; i++)
        q.C[i] = 0.002 * q.K[i];
    q.C[0] += 0.3 * q.M[0];
    q.C[3] += 0.3 * q.M[1];
    for (int i = 0; i < 2; i++)
        q.chain[i] = (struct loop_chain){.k = i ? 40e3 : 80e3,
                                         .c = i ? 100 : 200,
                                         .frequency = i ? 50 : 60,
                                         .damping = i ? 0.8 : 0.7,
                                         .delay = 1.5,
                                         .width_k = 0.2,
                                         .width_c = 0.5,
                                         .width_g = 0.02,
                                         .width_f = 0.5};
    return q;
}

#endif
