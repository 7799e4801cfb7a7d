/* Learning of the adaptive compensators, step by step: docs/theory/delay.md, eq. (14)-(17g), written a second time.
 *
 * Targets and readings are the same for both. They grow so slowly that it shows when the motion is first large enough
 * to be learnt from. Every command of the compensator must be that of the equations. */
#include "support/check.h"
#include "support/transfer.h"

#include <math.h>
#include <string.h>

#define DT    0.004
#define DELAY 0.017
#define PI    3.14159265358979323846

enum { STEPS = 2000, QUIET = 800, TERMS = 4, WINDOW = 60 /* of ats */ };

/* Three tones, so that all coefficients can be told apart; the reading is late, small and not quite of this model. */
static double tones(double t, double late, double gain)
{
    const double size = fmin(1, t / (QUIET * DT));

    t -= late;
    return size * gain *
           (8e-3 * sin(2 * PI * 1.3 * t) + 3e-3 * sin(2 * PI * 4.1 * t + 1) + 1e-3 * sin(2 * PI * 7.7 * t));
}

static double target_at(int k)
{
    return tones(k * DT, 0, 1);
}

static double reading_at(int k)
{
    return tones(k * DT, 0.021 + 0.002 * sin(0.01 * k), 0.93);
}

/* Derivatives of the cubic through the last four at the newest, x[0]: h x', h^2 x'', h^3 x'''. */
static void at_newest(const double *x, double *d)
{
    d[0] = x[0];
    d[1] = (11 * x[0] - 18 * x[1] + 9 * x[2] - 2 * x[3]) / 6;
    d[2] = 2 * x[0] - 5 * x[1] + 4 * x[2] - x[3];
    d[3] = x[0] - 3 * x[1] + 3 * x[2] - x[3];
}

/* Memory of the equations. */
struct model {
    double x[TERMS], y[5], u[5]; /* targets, readings, commands, newest first */
    double theta[TERMS], start[TERMS], P[TERMS][TERMS], level;
    double used[TERMS]; /* cats: coefficients that follow theta */
    int n;
    double samples[WINDOW][TERMS]; /* ats: psi and command, newest first */
    int count;
};

static void push(double *x, int count, double value)
{
    memmove(x + 1, x, (size_t)(count - 1) * sizeof *x);
    x[0] = value;
}

static double between(double low, double x, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* eq. (15) and its next term */
static void expand(struct model *m, int n, double T, double variance)
{
    double term = 1;

    *m = (struct model){.n = n};
    for (int i = 0; i < n; i++, term *= DELAY / T / i) {
        m->start[i] = m->theta[i] = m->used[i] = term;
        m->P[i][i] = variance;
    }
}

/* eq. (14) of the target, T^i x^(i) each */
static double command_of(const struct model *m, const double *theta, double T)
{
    double d[TERMS], sum = 0;

    at_newest(m->x, d);
    for (int i = 0; i < m->n; i++)
        sum += theta[i] * d[i] * pow(T / DT, i);
    return sum;
}

/* The terms of the reading before the newest. */
static void terms_of_reading(const struct model *m, double T, double *psi)
{
    psi[0] = m->y[1];
    psi[1] = T / DT * (m->y[0] - m->y[2]) / 2;
    psi[2] = T * T / DT / DT * (m->y[0] - 2 * m->y[1] + m->y[2]);
}

static void bound(double *theta, double T, double spread, double longest)
{
    theta[0] = between(1 - spread, theta[0], 1 + spread);
    theta[1] = between(0, theta[1], longest / T);
    theta[2] = between(0, theta[2], longest * longest / T / T);
}

/* eq. (17c) */
static void recursive_least_squares(struct model *m, const double *psi, double u, double lambda)
{
    double Ppsi[TERMS] = {0}, size = lambda, error = u;

    for (int i = 0; i < m->n; i++) {
        for (int j = 0; j < m->n; j++)
            Ppsi[i] += m->P[i][j] * psi[j];
        size += psi[i] * Ppsi[i];
        error -= psi[i] * m->theta[i];
    }
    for (int i = 0; i < m->n; i++) {
        m->theta[i] += Ppsi[i] / size * error;
        for (int j = 0; j < m->n; j++)
            m->P[i][j] = (m->P[i][j] - Ppsi[i] * Ppsi[j] / size) / lambda;
    }
}

/* ---- the compensators ---- */

#define MAIN_HZ 1.7

/* eq. (17) */
static void amb_learns(struct model *m)
{
    const double gain = 0.2, motion = 3e-4, T = 1 / (2 * PI * MAIN_HZ);
    double psi[3], error = m->u[1], size = motion * motion;

    terms_of_reading(m, T, psi);
    for (int i = 0; i < 3; i++) {
        error -= m->theta[i] * psi[i];
        size += psi[i] * psi[i];
    }
    for (int i = 0; i < 3; i++)
        m->theta[i] += gain * error / size * psi[i];
    bound(m->theta, T, 0.3, 0.1);
}

static double amb_commands(struct model *m)
{
    return command_of(m, m->theta, 1 / (2 * PI * MAIN_HZ));
}

/* eq. (17e) */
static void cats_learns(struct model *m)
{
    const double memory = 1.5, motion = 2e-3, rate = 0.8, T = 1 / (2 * PI * MAIN_HZ);
    double psi[3];

    terms_of_reading(m, T, psi);
    m->level += DT * MAIN_HZ * (psi[0] * psi[0] - m->level);
    if (m->level <= motion * motion)
        return;
    recursive_least_squares(m, psi, m->u[1], exp(-DT / memory));
    for (int i = 0; i < 3; i++) {
        const double most = rate * DT * fmax(fabs(m->start[i]), 0.01);

        m->used[i] += between(-most, m->theta[i] - m->used[i], most);
    }
    bound(m->used, T, 0.3, 0.1);
}

static double cats_commands(struct model *m)
{
    return command_of(m, m->used, 1 / (2 * PI * MAIN_HZ));
}

#define CUTOFF_HZ 15.0

/* Both pass a filter of their own before they are remembered; derivatives by the five points about the middle. */
static void feed_forward_learns(struct model *m)
{
    const double memory = 2, motion = 1e-3, spread = 0.4, T = 1 / (3 * CUTOFF_HZ), *y = m->y;
    const double psi[TERMS] = {y[2], T / DT * (-y[0] + 8 * y[1] - 8 * y[3] + y[4]) / 12,
                               pow(T / DT, 2) * (-y[0] + 16 * y[1] - 30 * y[2] + 16 * y[3] - y[4]) / 12,
                               pow(T / DT, 3) * (y[0] - 2 * y[1] + 2 * y[3] - y[4]) / 2};

    m->level += DT * CUTOFF_HZ * (y[0] * y[0] - m->level);
    if (m->level <= motion * motion)
        return;
    recursive_least_squares(m, psi, m->u[2], exp(-DT / memory));
    for (int i = 0; i < m->n; i++)
        m->theta[i] = between((1 - spread) * m->start[i], m->theta[i], (1 + spread) * m->start[i]);
}

static double feed_forward_commands(struct model *m)
{
    return command_of(m, m->theta, 1 / (3 * CUTOFF_HZ));
}

/* eq. (16), solved by Cramer's rule */
static double determinant(double A[3][3])
{
    return A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) - A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
           A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
}

static void ats_learns(struct model *m)
{
    double R[3][3] = {{0}}, q[3] = {0};

    for (int k = WINDOW - 1; k > 0; k--)
        memcpy(m->samples[k], m->samples[k - 1], sizeof m->samples[k]);
    terms_of_reading(m, DT, m->samples[0]);
    m->samples[0][3] = m->u[1];
    if (++m->count < WINDOW)
        return;
    for (int k = 0; k < WINDOW; k++) {
        const double *psi = m->samples[k];

        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++)
                R[i][j] += psi[i] * psi[j];
            q[i] += psi[i] * (psi[3] - psi[0] * m->start[0] - psi[1] * m->start[1] - psi[2] * m->start[2]);
        }
    }
    if (R[0][0] <= WINDOW * 1e-3 * 1e-3) /* its rms is below `motion` */
        return;
    for (int i = 0; i < 3; i++)
        R[i][i] *= 1 + 1e-8;
    for (int i = 0; i < 3; i++) {
        double replaced[3][3];

        memcpy(replaced, R, sizeof R);
        for (int j = 0; j < 3; j++)
            replaced[j][i] = q[j];
        m->theta[i] = m->start[i] + determinant(replaced) / determinant(R);
    }
    bound(m->theta, DT, 0.3, 0.1);
}

static double ats_commands(struct model *m)
{
    return command_of(m, m->theta, DT);
}

/* ---- side by side ---- */

struct equations {
    const char *name;
    const struct setting *set;
    int terms;
    double T, variance; /* variance of the coefficients at the start */
    double cutoff_Hz;   /* of the filters; 0: none */
    double (*commands)(struct model *);
    void (*learns)(struct model *);
};

/* The commands agree in every step, and in the end the coefficients have moved. */
static void assert_follows(const struct equations *e)
{
    struct compensator c = compensator_open(e->name, e->set, DT, 1);
    struct yk_filter of_command = {0}, of_reading = {0};
    struct model m;
    double moved = 0;

    expand(&m, e->terms, e->T, e->variance);
    if (e->cutoff_Hz > 0)
        assert_ok(yk_filter_butterworth(&of_command, 4, e->cutoff_Hz, DT, false, &err));
    of_reading = of_command;
    for (int k = 0; k < STEPS; k++) {
        push(m.x, TERMS, target_at(k));
        const double expected = e->commands(&m), fixed = command_of(&m, m.start, e->T),
                     got = compensator_predict(&c, 0, target_at(k), 0, DELAY);

        if (!(fabs(got - expected) <= 1e-9 * 8e-3))
            fail_msg("%s, step %d: %.15g, expected %.15g", e->name, k, got, expected);
        moved = fmax(moved, fabs(expected - fixed));
        push(m.u, 5, e->cutoff_Hz > 0 ? yk_filter_step(&of_command, expected) : expected);
        push(m.y, 5, e->cutoff_Hz > 0 ? yk_filter_step(&of_reading, reading_at(k)) : reading_at(k));
        e->learns(&m);
        compensator_learn(&c, reading_at(k));
    }
    assert_true(moved > 1e-4);
    compensator_close(&c);
}

static void amb_follows_the_gradient(void **state)
{
    static const struct setting set[] = {{"gain", 0.2}, {"frequency", MAIN_HZ}, {"motion", 3e-4}, {NULL, 0}};

    assert_follows(&(struct equations){.name = "amb",
                                       .set = set,
                                       .terms = 3,
                                       .T = 1 / (2 * PI * MAIN_HZ),
                                       .commands = amb_commands,
                                       .learns = amb_learns});
}

static void ats_fits_its_window(void **state)
{
    static const struct setting set[] = {{"window", WINDOW}, {"motion", 1e-3}, {NULL, 0}};

    assert_follows(&(struct equations){
        .name = "ats", .set = set, .terms = 3, .T = DT, .commands = ats_commands, .learns = ats_learns});
}

static void cats_learns_from_large_motion_at_its_rate(void **state)
{
    static const struct setting set[] = {
        {"memory", 1.5}, {"frequency", MAIN_HZ}, {"motion", 2e-3}, {"rate", 0.8}, {NULL, 0}};

    assert_follows(&(struct equations){.name = "cats",
                                       .set = set,
                                       .terms = 3,
                                       .T = 1 / (2 * PI * MAIN_HZ),
                                       .variance = DT / (1.5 * 2e-3 * 2e-3),
                                       .commands = cats_commands,
                                       .learns = cats_learns});
}

static void feed_forward_fits_its_coefficients(void **state)
{
    static const struct setting set[] = {{"adapt", 1},     {"memory", 2},   {"cutoff", CUTOFF_HZ},
                                         {"motion", 1e-3}, {"spread", 0.4}, {NULL, 0}};

    assert_follows(&(struct equations){.name = "feed-forward",
                                       .set = set,
                                       .terms = 4,
                                       .T = 1 / (3 * CUTOFF_HZ),
                                       .variance = DT / (1e-3 * 1e-3),
                                       .cutoff_Hz = CUTOFF_HZ,
                                       .commands = feed_forward_commands,
                                       .learns = feed_forward_learns});
}

/* eq. (17f), (17g): the command is what the taps give after the sample that it is part of; found by iteration. */
static void fir_solves_the_loop_of_its_command(void **state)
{
    static const double taps[] = {1.9, -0.8, -0.1}, covariance[] = {3e3, -1e3, 0, -1e3, 4e3, 500, 0, 500, 2e3};
    const struct yk_compensator_ops *ops = yk_compensator_find("fir");
    const double lambda = exp(-DT / 0.7);
    struct compensator c = {.ops = ops, .stages = 1};
    struct yk_filter of_command = {0}, of_reading;
    struct model m = {.n = 3};

    assert_ok(yk_param_settings(ops->params, ops->size, &c.self, &err));
    set_reals(ops->params, c.self, "taps", taps, 3);
    set_reals(ops->params, c.self, "covariance", covariance, 9);
    assert_ok(yk_param_set(ops->params, c.self, "adapt", 1, &err));
    assert_ok(yk_param_set(ops->params, c.self, "memory", 0.7, &err));
    assert_ok(yk_param_set(ops->params, c.self, "order", 2, &err));
    assert_ok(yk_param_set(ops->params, c.self, "cutoff", CUTOFF_HZ, &err));
    assert_ok(ops->init(c.self, DT, 1, &c.mem, &err));
    ops->reset(c.self, 0);

    assert_ok(yk_filter_butterworth(&of_command, 2, CUTOFF_HZ, DT, false, &err));
    of_reading = of_command;
    memcpy(m.theta, taps, sizeof taps);
    for (int i = 0; i < 9; i++)
        m.P[i / 3][i % 3] = covariance[i];
    for (int k = 0; k < STEPS; k++) {
        struct model after = m;
        double expected = 0, before = 1;

        push(m.x, 3, target_at(k));
        push(m.y, 3, yk_filter_step(&of_reading, k ? reading_at(k - 1) : 0));
        for (int i = 0; i < 200 && fabs(expected - before) > 1e-17; i++) {
            struct yk_filter trial = of_command;

            before = expected;
            after = m;
            recursive_least_squares(&after, m.y, yk_filter_step(&trial, expected), lambda);
            expected = after.theta[0] * m.x[0] + after.theta[1] * m.x[1] + after.theta[2] * m.x[2];
        }
        yk_filter_step(&of_command, expected);
        m = after;
        const double got = compensator_predict(&c, 0, target_at(k), 0, DELAY);
        if (!(fabs(got - expected) <= 1e-9 * 8e-3))
            fail_msg("fir, step %d: %.15g, expected %.15g", k, got, expected);
        compensator_learn(&c, reading_at(k));
    }
    assert_true(fabs(m.theta[0] - taps[0]) > 0.01);
    compensator_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amb_follows_the_gradient),
        cmocka_unit_test(ats_fits_its_window),
        cmocka_unit_test(cats_learns_from_large_motion_at_its_rate),
        cmocka_unit_test(feed_forward_fits_its_coefficients),
        cmocka_unit_test(fir_solves_the_loop_of_its_command),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
