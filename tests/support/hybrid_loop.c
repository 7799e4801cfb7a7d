#include "support/hybrid_loop.h"

#include "support/check.h"
#include "support/duffing.h"

#include <stdlib.h>

static struct yk_matrix number(double value)
{
    struct yk_matrix m = {0};

    assert_ok(yk_matrix_init(&m, YK_DIAGONAL, 1, 1, &err));
    m.x[0] = value;
    return m;
}

/* One tick of x'' + 2 zeta w x' + w^2 x = w^2 u, u held, by the exponential of [A B; 0 0] h. */
static void discretise(struct hybrid_loop *l)
{
    const double w = l->it.lag;
    double M[9] = {0}, E[9];

    M[3] = l->h;
    M[1] = -w * w * l->h;
    M[4] = -2 * l->it.damping * w * l->h;
    M[7] = w * w * l->h;
    assert_ok(yk_expm(3, M, E, &err));
    for (int i = 0; i < 2; i++) {
        l->A[i][0] = E[i];
        l->A[i][1] = E[i + 3];
        l->B[i] = E[i + 6];
    }
}

static void open_integrator(struct hybrid_loop *l)
{
    const struct loop_case *it = &l->it;
    const struct yk_integrator_ops *ops = method_ops(&it->method);
    void *settings = method_settings(ops, it->method.set);

    l->system = duffing_create(number(it->m), number(it->c), number(it->k_j), 0, true, NULL, NULL);
    assert_ok(yk_integrator_create(&l->integrator, ops, settings, l->system, it->dt, NULL, &err));
    free(settings);
    l->stages = ops->stages;
    l->h = it->dt / (l->stages * it->ticks);
}

static double load_at(const struct hybrid_loop *l, double t)
{
    return l->it.load ? l->it.load(t) : 0;
}

static void begin(struct hybrid_loop *l)
{
    const struct loop_case *it = &l->it;

    l->command = l->x_e = l->lag_x = l->x = l->used = it->x0;
    l->r_e = it->k_e * it->x0;
    for (int i = 0; i < LOOP_LINE; i++)
        l->line[i] = it->x0;
    l->p = load_at(l, 0) - it->k_n * it->x0 - l->r_e;
    l->a = l->p / it->m;
    l->integrator.ops->start(l->integrator.self, &it->x0, (double[]){0}, &l->p);
    l->compensator.ops->reset(l->compensator.self, it->x0);
    compensator_reached(&l->compensator, l->stages - 1, it->x0, 0, l->a);
    yk_optimal_feedback_reset(&l->feedback, it->x0, l->r_e);
}

void hybrid_loop_open(struct hybrid_loop *l, const struct loop_case *it)
{
    *l = (struct hybrid_loop){.it = *it, .tau_c = it->tau_c};
    open_integrator(l);
    l->compensator = compensator_open(it->compensator, it->compensation, it->dt, l->stages);
    if (it->estimator)
        l->estimator = estimator_open(it->estimator, it->estimation, it->dt, it->tau_c);
    l->feedback.window = l->stages * it->ticks;
    l->feedback.rule = it->rule;
    l->feedback.monotone = it->monotone;
    yk_optimal_feedback_layout(&l->feedback, &l->mem);
    assert_ok(yk_arena_check(&l->mem, &err));
    assert_ok(yk_optimal_feedback_init(&l->feedback, &err));
    if (it->lag > 0)
        discretise(l);
    assert_true(it->tau / l->h < LOOP_LINE - 2);
    begin(l);
}

void hybrid_loop_close(struct hybrid_loop *l)
{
    yk_integrator_destroy(&l->integrator);
    yk_system_destroy(l->system);
    compensator_close(&l->compensator);
    if (l->it.estimator)
        estimator_close(&l->estimator);
    yk_arena_free(&l->mem);
}

/* Position of the actuator at the end of a tick. */
static double move(struct hybrid_loop *l, double command)
{
    const double age = l->it.tau / l->h;
    const int whole = (int)(age + 1e-9);
    const double part = age - whole, x = l->lag_x, v = l->lag_v;

    if (l->it.lag > 0) {
        l->lag_x = l->A[0][0] * x + l->A[0][1] * v + l->B[0] * command;
        l->lag_v = l->A[1][0] * x + l->A[1][1] * v + l->B[1] * command;
        return l->lag_x;
    }
    memmove(l->line + 1, l->line, (LOOP_LINE - 1) * sizeof *l->line);
    l->line[0] = command;
    return l->line[whole] + part * (l->line[whole + 1] - l->line[whole]);
}

static void tick(struct hybrid_loop *l, double command)
{
    const double before = l->x_e;

    l->x_e = move(l, command);
    l->r_e = l->it.k_e * l->x_e + (l->x_e >= before ? l->it.friction : -l->it.friction);
    yk_optimal_feedback_push(&l->feedback, l->x_e, l->r_e);
}

/* The force of the sample of the window that is nearest to the target. */
static double nearest_tick(struct hybrid_loop *l, double x)
{
    const struct yk_optimal_feedback *f = &l->feedback;
    int best = 0;

    for (int i = 1; i <= f->window; i++)
        if (fabs(f->x[i] - x) < fabs(f->x[best] - x))
            best = i;
    l->used = f->x[best];
    return f->r[best];
}

/* Leads the actuator to the command and returns the force of the specimen. */
static double visit(struct hybrid_loop *l, int stage, double x, double v)
{
    const double from = l->command, shift = l->it.mid_tick ? 0.5 : 0;
    double force = 0;

    l->target_x[stage] = x;
    l->target_v[stage] = v;
    l->command = compensator_predict(&l->compensator, stage, x, v, l->tau_c);
    for (int s = 1; s <= l->it.ticks; s++)
        tick(l, from + (l->command - from) * (s - shift) / l->it.ticks);
    compensator_learn(&l->compensator, l->x_e);
    if (l->it.optimal) {
        yk_optimal_feedback_choose(&l->feedback, x, &force, &l->used);
        return l->it.whole_ticks ? nearest_tick(l, x) : force;
    }
    l->used = l->x_e;
    return l->r_e;
}

void hybrid_loop_step(struct hybrid_loop *l)
{
    const struct yk_integrator *it = &l->integrator;
    struct yk_kinematics k;

    for (int stage = 0; stage < l->stages; stage++) {
        it->ops->target(it->self, stage, &k);
        const double r = visit(l, stage, k.u[0], k.v[0]);
        l->p = load_at(l, ((double)l->step + k.c) * it->dt) - l->it.c * k.v[0] - l->it.k_n * k.u[0] - r;
        assert_int_equal(it->ops->absorb(it->self, stage, &l->p), YK_OK);
        l->a_before = l->a;
        l->a = l->p / l->it.m;
        if (stage + 1 < l->stages)
            compensator_reached(&l->compensator, stage, l->target_x[stage], l->target_v[stage], l->a);
    }
    l->step++;
    if (l->it.estimator)
        l->tau_c = estimator_update(&l->estimator, l->target_x[l->stages - 1], l->command, l->x_e);
    it->ops->now(it->self, &k);
    l->x = k.u[0];
    l->v = k.v[0];
    l->a = k.a[0];
    compensator_reached(&l->compensator, l->stages - 1, l->x, l->v, l->a);
}
