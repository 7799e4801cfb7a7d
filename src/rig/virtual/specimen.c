/* The specimen of a virtual rig. docs/theory/test-rigs.md, eq. (11)-(19).
 *
 * With c the degrees of freedom that actuators move and b the free ones, p the net force without load,
 *
 *     M_bb a_b = p_b - M_bc a_c,      r_c = M_cc a_c + M_cb a_b - p_c
 *
 * Where the mass is divided out, p an acceleration and W = dp/df:
 *
 *     W_cc r_c = a_c - p_c,           a_b = p_b + W_bc r_c
 *
 * Between ticks an actuator moves along the cubic that starts at its last position and ends with its x, v and a; a
 * plant under a held command may jump in v and a at the start of a tick, never at its end. A jump of v_c is an impulse:
 * v_b takes part in it. The free ones are advanced by the pair of Dormand and Prince (1980), order 5 with an error
 * estimate of order 4; a substep is repeated with a shorter one until the estimate is below ACCURACY of the largest
 * response so far, or a LIMIT-th of the tick is reached. Laws with memory commit at the end of every accepted substep.
 * Units: N, m, rad, s. */
#include "rig/virtual/specimen.h"

#include <yoke/arena.h>

#include "linalg/definite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STAGES = 7,
    LIMIT = 4096,    /* of substeps in a tick */
    BUDGET = 16384,  /* of attempts in a tick; beyond, every substep is taken as it comes */
    MOST_ROUNDS = 50 /* to an equilibrium */
};
#define SETTLED  1e-12 /* of the largest load: what may be left in equilibrium */
#define ACCURACY 1e-10 /* local; a run of 1e5 substeps stays below 1e-6 even if all errors add up */
#define FAINT    1e-3  /* of the largest response: smaller ones are kept as accurate as this one */
#define FIRST    0.1   /* first substep times the fastest rate */
#define STABLE   3.0   /* substep times the fastest rate at which the pair is still stable */
#define SAFETY   0.9
#define SHRINK   0.2
#define GROW     5.0
/* Longest substep times the fastest rate with laws that remember: they take the path of a substep as monotone and so
 * miss up to (rate h)^2/8 of the amplitude where it turns round. */
#define MONOTONE 1e-3

struct yk_specimen {
    struct yk_system *system;
    size_t n, c, b;
    size_t *moved, *free;
    double tick;
    struct yk_arena own;            /* where it was created without an arena */
    double *u, *v, *a, *p;          /* n: state under evaluation, net force there */
    double *zero, *work, *load;     /* n; load: on free ones */
    double *x1, *v1, *a1, *jerk;    /* c: path in the tick, from its end */
    double *r;                      /* c: force of the specimen */
    double *u0, *v0;                /* b: start of the substep */
    double *answer;                 /* b: of the free ones to actuators and net force */
    double *slope_u, *slope_v;      /* b x STAGES */
    double *peak_u, *peak_v;        /* b: largest so far */
    double largest_u, largest_v;    /* of them, and of the actuators */
    double first, substep, longest; /* s */
    struct yk_factor *M;            /* M_bb; NULL where the mass is divided out or nothing is free */
    double *unit, *W;               /* n x c: loads of one on the moved, and what they do */
    struct yk_lu Wcc;
    long substeps;
};

/* ---- the equations of motion ---- */

/* Actuators at `back` before the end of the tick. */
YK_RT static void place_actuators(struct yk_specimen *s, double back)
{
    for (size_t i = 0; i < s->c; i++) {
        const size_t k = s->moved[i];
        const double j = s->jerk[i];

        s->u[k] = s->x1[i] - back * (s->v1[i] - back * (0.5 * s->a1[i] - back * j / 6));
        s->v[k] = s->v1[i] - back * (s->a1[i] - 0.5 * back * j);
        s->a[k] = s->a1[i] - back * j;
    }
}

/* W, and its part of the moved ones factored. */
YK_RT static void take_mobility(struct yk_specimen *s)
{
    s->system->ops->mobility(s->system->self, s->u, s->c, s->unit, s->W);
    for (size_t j = 0; j < s->c; j++)
        for (size_t i = 0; i < s->c; i++)
            s->Wcc.a[i + j * s->c] = s->W[s->moved[i] + j * s->n];
    if (yk_lu_factor(&s->Wcc))
        for (size_t i = 0; i < s->c * s->c; i++)
            s->Wcc.a[i] = NAN;
}

/* a_b += W_bc r */
YK_RT static void add_mobility(struct yk_specimen *s, const double *r, double *a)
{
    for (size_t j = 0; j < s->c; j++)
        for (size_t i = 0; i < s->b; i++)
            a[s->free[i]] += s->W[s->free[i] + j * s->n] * r[j];
}

/* The free ones under the acceleration of the moved ones in `imposed` (n, zero elsewhere): -M_bb^-1 M_bc imposed_c,
 * plus M_bb^-1 p_b. Of `out` only the first b are written, in the order of the free ones. */
YK_RT static void free_response(struct yk_specimen *s, const double *imposed, const double *p, double *out)
{
    memset(s->work, 0, s->n * sizeof *s->work);
    yk_matrix_add_product(&s->system->M, -1, imposed, s->work);
    for (size_t i = 0; i < s->b; i++)
        out[i] = s->work[s->free[i]] + p[s->free[i]];
    yk_factor_solve(s->M, out);
}

/* Net force in the state (u, v) and acceleration of the free ones there, under that of the actuators. */
YK_RT static void evaluate(struct yk_specimen *s, double t)
{
    yk_system_force(s->system, t, s->load, s->u, s->v, s->p);
    if (s->system->mass_divided_out) {
        take_mobility(s);
        for (size_t i = 0; i < s->c; i++)
            s->r[i] = s->a[s->moved[i]] - s->p[s->moved[i]];
        yk_lu_solve(&s->Wcc, s->r);
        for (size_t i = 0; i < s->b; i++)
            s->a[s->free[i]] = s->p[s->free[i]];
        add_mobility(s, s->r, s->a);
    } else if (s->b) {
        for (size_t i = 0; i < s->b; i++)
            s->a[s->free[i]] = 0;
        free_response(s, s->a, s->p, s->answer);
        for (size_t i = 0; i < s->b; i++)
            s->a[s->free[i]] = s->answer[i];
    }
}

/* The force at the actuators in the state evaluated last. */
YK_RT static void react(struct yk_specimen *s, double *r)
{
    if (!s->system->mass_divided_out) {
        for (size_t i = 0; i < s->n; i++)
            s->work[i] = -s->p[i];
        yk_matrix_add_product(&s->system->M, 1, s->a, s->work);
        for (size_t i = 0; i < s->c; i++)
            r[i] = s->work[s->moved[i]];
    } else {
        memcpy(r, s->r, s->c * sizeof *r);
    }
}

/* ---- a tick ---- */

/* The actuators start the tick with another velocity than they ended the last one: an impulse. */
YK_RT static void take_impulse(struct yk_specimen *s)
{
    double *jump = s->p; /* holds nothing yet */

    memset(jump, 0, s->n * sizeof *jump);
    for (size_t i = 0; i < s->c; i++)
        jump[s->moved[i]] = s->v1[i] - s->tick * (s->a1[i] - 0.5 * s->tick * s->jerk[i]) - s->v[s->moved[i]];
    if (s->system->mass_divided_out) {
        take_mobility(s);
        for (size_t i = 0; i < s->c; i++)
            s->r[i] = jump[s->moved[i]];
        yk_lu_solve(&s->Wcc, s->r);
        add_mobility(s, s->r, s->v);
    } else if (s->system->M.form != YK_DIAGONAL) {
        free_response(s, jump, s->zero, s->answer);
        for (size_t i = 0; i < s->b; i++)
            s->v[s->free[i]] += s->answer[i];
    }
}

/* Path of a tick: the cubic from the present state of the actuators to the new one. */
YK_RT static void set_path(struct yk_specimen *s, const double *x, const double *v, const double *a)
{
    const double h = s->tick;

    for (size_t i = 0; i < s->c; i++) {
        const double from = s->u[s->moved[i]];

        s->x1[i] = x[i];
        s->v1[i] = v[i];
        s->a1[i] = a[i];
        s->jerk[i] = 6 * (x[i] - from - h * (v[i] - 0.5 * h * a[i])) / (h * h * h);
    }
}

YK_RT static void note_peaks(struct yk_specimen *s)
{
    for (size_t i = 0; i < s->c; i++) {
        s->largest_u = fmax(s->largest_u, fabs(s->u[s->moved[i]]));
        s->largest_v = fmax(s->largest_v, fabs(s->v[s->moved[i]]));
    }
    for (size_t i = 0; i < s->b; i++) {
        s->peak_u[i] = fmax(s->peak_u[i], fabs(s->u[s->free[i]]));
        s->peak_v[i] = fmax(s->peak_v[i], fabs(s->v[s->free[i]]));
        s->largest_u = fmax(s->largest_u, s->peak_u[i]);
        s->largest_v = fmax(s->largest_v, s->peak_v[i]);
    }
}

/* Free state at the start of the substep plus h times the weighted slopes of the first `count` stages. */
YK_RT static void combine(struct yk_specimen *s, double h, const double *weight, int count)
{
    for (size_t i = 0; i < s->b; i++) {
        double u = 0, v = 0;

        for (int k = 0; k < count; k++) {
            u += weight[k] * s->slope_u[i + (size_t)k * s->b];
            v += weight[k] * s->slope_v[i + (size_t)k * s->b];
        }
        s->u[s->free[i]] = s->u0[i] + h * u;
        s->v[s->free[i]] = s->v0[i] + h * v;
    }
}

YK_RT static void take_slope(struct yk_specimen *s, double t, double back, int stage)
{
    double *v = s->slope_u + (size_t)stage * s->b, *a = s->slope_v + (size_t)stage * s->b;

    place_actuators(s, back);
    evaluate(s, t - back);
    for (size_t i = 0; i < s->b; i++) {
        v[i] = s->v[s->free[i]];
        a[i] = s->a[s->free[i]];
    }
}

/* How many times too large the estimated error of the substep is, the worst of all. */
YK_RT static double excess(const struct yk_specimen *s, double h)
{
    /* order 5 less order 4 */
    static const double e[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                     -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    double worst = 0;

    for (size_t i = 0; i < s->b; i++) {
        double du = 0, dv = 0;

        for (size_t k = 0; k < STAGES; k++) {
            du += e[k] * s->slope_u[i + k * s->b];
            dv += e[k] * s->slope_v[i + k * s->b];
        }
        if (!isfinite(du) || !isfinite(dv))
            return INFINITY;
        const double size_u = fmax(fmax(s->peak_u[i], fabs(s->u[s->free[i]])), FAINT * s->largest_u),
                     size_v = fmax(fmax(s->peak_v[i], fabs(s->v[s->free[i]])), FAINT * s->largest_v);
        if (fabs(h * du) > worst * ACCURACY * size_u)
            worst = fabs(h * du) / (ACCURACY * size_u);
        if (fabs(h * dv) > worst * ACCURACY * size_v)
            worst = fabs(h * dv) / (ACCURACY * size_v);
    }
    return worst;
}

/* From `back` before the end of the tick on, by h; the slope there is the first one. Leaves the new state in u and v
 * and the slope there as the last. */
YK_RT static double attempt(struct yk_specimen *s, double t, double back, double h)
{
    static const double node[STAGES] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
    static const double w[STAGES][STAGES - 1] = {
        {0},
        {0.2},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
    };

    for (int k = 1; k < STAGES; k++) {
        combine(s, h, w[k], k);
        take_slope(s, t, fmax(back - node[k] * h, 0), k);
    }
    return excess(s, h);
}

YK_RT static void begin_substep(struct yk_specimen *s)
{
    for (size_t i = 0; i < s->b; i++) {
        s->u0[i] = s->u[s->free[i]];
        s->v0[i] = s->v[s->free[i]];
    }
}

YK_RT static void commit(struct yk_specimen *s, double t)
{
    if (s->system->ops->commit)
        s->system->ops->commit(s->system->self, t, s->u, s->v);
}

/* The free ones through the tick. */
YK_RT static void advance(struct yk_specimen *s, double t)
{
    const double least = s->tick / LIMIT;
    double back = s->tick;

    take_impulse(s);
    take_slope(s, t, back, 0);
    begin_substep(s);
    for (int tries = 0; back > 0; tries++) {
        const bool last = back - s->substep < 1e-3 * least;
        const double h = last ? back : s->substep, error = attempt(s, t, back, h);
        const double factor = fmin(fmax(SAFETY * pow(error, -0.2), SHRINK), GROW);

        if (error > 1 && h > least && tries < BUDGET) {
            s->substep = fmax(h * fmin(factor, SAFETY), least);
            continue;
        }
        commit(s, t - fmax(back - h, 0));
        note_peaks(s);
        begin_substep(s);
        memcpy(s->slope_u, s->slope_u + (STAGES - 1) * s->b, s->b * sizeof *s->slope_u);
        memcpy(s->slope_v, s->slope_v + (STAGES - 1) * s->b, s->b * sizeof *s->slope_v);
        back = last || isinf(error) ? 0 : back - h; /* what is not finite stays so */
        if (!last || h * factor > s->substep)
            s->substep = fmin(fmax(h * factor, least), s->longest);
        s->substeps++;
    }
}

/* Nothing is free: the state is that of the actuators. */
YK_RT static void follow(struct yk_specimen *s, double t, const double *x, const double *v, const double *a)
{
    for (size_t i = 0; i < s->c; i++) {
        const size_t k = s->moved[i];

        s->u[k] = x[i];
        s->v[k] = v[i];
        s->a[k] = a[i];
    }
    evaluate(s, t);
    commit(s, t);
    s->substeps++;
}

YK_RT void yk_specimen_step(struct yk_specimen *s, double t, const double *x, const double *v, const double *a,
                            double *r)
{
    if (s->b) {
        set_path(s, x, v, a);
        advance(s, t);
    } else {
        follow(s, t, x, v, a);
    }
    react(s, r);
}

YK_RT void yk_specimen_load(struct yk_specimen *s, size_t dof, double force)
{
    s->load[dof] = force;
}

/* One step of Newton's method for the free ones, eq. (19a): K_bb d = p_b. False: they stand, or cannot be found. */
static bool approach_equilibrium(struct yk_specimen *s, double *K, struct yk_lu *bb)
{
    double left = 0, most = 0;

    if (s->system->ops->rest)
        s->system->ops->rest(s->system->self, s->u);
    yk_system_force(s->system, 0, s->load, s->u, s->v, s->p);
    s->system->ops->tangent(s->system->self, s->u, s->v, K, K + s->n * s->n);
    for (size_t i = 0; i < s->b; i++) {
        left = fmax(left, fabs(s->answer[i] = s->p[s->free[i]]));
        most = fmax(most, fabs(s->load[s->free[i]]));
        for (size_t j = 0; j < s->b; j++)
            bb->a[i + j * s->b] = K[s->free[i] + s->free[j] * s->n];
    }
    if (!(left > SETTLED * most) || yk_lu_factor(bb))
        return false;
    yk_lu_solve(bb, s->answer);
    for (size_t i = 0; i < s->b; i++)
        s->u[s->free[i]] += s->answer[i];
    return true;
}

/* Puts the free degrees of freedom in equilibrium with their loads. */
static void settle(struct yk_specimen *s)
{
    double *K = NULL;
    struct yk_arena mem = {0};
    struct yk_lu bb = {0};
    bool loaded = false;

    for (size_t i = 0; i < s->n; i++)
        loaded |= s->load[i] != 0;
    if (!loaded || s->system->mass_divided_out || !s->system->ops->tangent)
        return;
    yk_lu_layout(&bb, s->b, &mem);
    if (bb.a && (K = malloc(2 * s->n * s->n * sizeof *K)))
        for (int round = 0; round < MOST_ROUNDS && approach_equilibrium(s, K, &bb); round++)
            ;
    free(K);
    yk_arena_free(&mem);
}

void yk_specimen_rest(struct yk_specimen *s, const double *x, double *r)
{
    const struct yk_system *system = s->system;

    memcpy(s->u, system->u0, s->n * sizeof *s->u);
    memcpy(s->v, system->v0, s->n * sizeof *s->v);
    for (size_t i = 0; i < s->c; i++) {
        s->u[s->moved[i]] = x[i];
        s->v[s->moved[i]] = s->a[s->moved[i]] = 0;
    }
    settle(s);
    if (system->ops->rest)
        system->ops->rest(system->self, s->u);
    s->largest_u = s->largest_v = 0;
    memset(s->peak_u, 0, s->b * sizeof *s->peak_u);
    memset(s->peak_v, 0, s->b * sizeof *s->peak_v);
    s->substep = s->first;
    s->substeps = 0;
    note_peaks(s);
    evaluate(s, 0);
    commit(s, 0);
    react(s, r);
}

YK_RT struct yk_specimen_state yk_specimen_now(const struct yk_specimen *s)
{
    return (struct yk_specimen_state){s->u, s->v, s->a, s->substeps};
}

/* ---- preparation ---- */

static void layout(struct yk_specimen *s, struct yk_arena *mem)
{
    const size_t n = s->n, c = s->c, b = s->b;

    yk_arena_pointer(mem, &s->system);
    yk_arena_array(mem, &s->moved, c);
    yk_arena_array(mem, &s->free, b + 1);
    yk_arena_each(mem, n, 7, (double **[]){&s->u, &s->v, &s->a, &s->p, &s->zero, &s->work, &s->load});
    yk_arena_each(mem, c, 5, (double **[]){&s->x1, &s->v1, &s->a1, &s->jerk, &s->r});
    yk_arena_each(mem, b + 1, 5, (double **[]){&s->u0, &s->v0, &s->answer, &s->peak_u, &s->peak_v});
    yk_arena_each(mem, STAGES * b + 1, 2, (double **[]){&s->slope_u, &s->slope_v});
    if (s->system->mass_divided_out) {
        yk_arena_each(mem, n * c, 2, (double **[]){&s->unit, &s->W});
        yk_lu_layout(&s->Wcc, c, mem);
    }
}

static enum yk_status check_plan(const struct yk_specimen_mounting *plan, struct yk_err *err)
{
    const size_t n = plan->system->n;

    if ((plan->count == 0 && !plan->loaded) || plan->count > n)
        return yk_fail(err, YK_E_RANGE, "specimen: actuators move %zu of its %zu degrees of freedom", plan->count, n);
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->moved[i] >= n)
            return yk_fail(err, YK_E_RANGE, "specimen: there is no degree of freedom %zu, only %zu", plan->moved[i] + 1,
                           n);
        for (size_t k = 0; k < i; k++)
            if (plan->moved[k] == plan->moved[i])
                return yk_fail(err, YK_E_INPUT, "specimen: degree of freedom %zu is moved twice", plan->moved[i] + 1);
    }
    if (!(plan->tick > 0 && isfinite(plan->tick)))
        return yk_fail(err, YK_E_RANGE, "specimen: a tick of %g s is not above 0", plan->tick);
    if (plan->system->mass_divided_out && !plan->system->ops->mobility)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "specimen: this kind has its mass divided out and has no 'mobility', so its force on actuators "
                       "is not known");
    return YK_OK;
}

static void sort_dofs(struct yk_specimen *s, const struct yk_specimen_mounting *plan)
{
    size_t free = 0;

    memcpy(s->moved, plan->moved, s->c * sizeof *s->moved);
    for (size_t i = 0; i < s->n; i++) {
        bool moved = false;

        for (size_t k = 0; k < s->c; k++)
            moved |= s->moved[k] == i;
        if (!moved)
            s->free[free++] = i;
    }
    for (size_t k = 0; s->unit && k < s->c; k++)
        s->unit[s->moved[k] + k * s->n] = 1;
}

/* The symmetric part of the free rows and columns of A (dense, n x n). */
static void free_part(const struct yk_specimen *s, const double *A, double *part)
{
    for (size_t j = 0; j < s->b; j++)
        for (size_t i = 0; i < s->b; i++)
            part[i + j * s->b] = 0.5 * (A[s->free[i] + s->free[j] * s->n] + A[s->free[j] + s->free[i] * s->n]);
}

/* Mass divided out: the forces of the actuators act on the free ones too: A_b - W_bc W_cc^-1 A_c. */
static void hold_moved(struct yk_specimen *s, double *A)
{
    for (size_t j = 0; j < s->n; j++) {
        double *column = A + j * s->n;

        for (size_t i = 0; i < s->c; i++)
            s->r[i] = -column[s->moved[i]];
        yk_lu_solve(&s->Wcc, s->r);
        add_mobility(s, s->r, column);
    }
}

static enum yk_status largest_eigenvalue(size_t n, double *A, const struct yk_matrix *M, double *most,
                                         struct yk_err *err)
{
    const struct yk_matrix B = {.form = YK_DENSE, .rows = n, .cols = n, .x = A};
    double size = 0;

    *most = 0;
    for (size_t i = 0; i < n * n; i++)
        size = fmax(size, fabs(A[i]));
    return size > 0 ? yk_eigen_largest(&B, M, most, err) : YK_OK;
}

/* The fastest rate of the free ones, with the tangents of the initial state: sqrt(k/m) and c/m together. */
static enum yk_status fastest_rate(struct yk_specimen *s, const struct yk_matrix *M, double *rate, struct yk_err *err)
{
    const struct yk_matrix *const A[] = {&s->system->K, &s->system->C};
    double *full = calloc(s->n * s->n + s->b * s->b, sizeof *full), most[2] = {0, 0};
    enum yk_status st = full ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (int k = 0; k < 2 && !st; k++) {
        double *part = full + s->n * s->n;

        yk_matrix_to_dense(A[k], full);
        if (s->system->mass_divided_out)
            hold_moved(s, full);
        free_part(s, full, part);
        st = largest_eigenvalue(s->b, part, M, &most[k], err);
    }
    free(full);
    *rate = 0.5 * fmax(most[1], 0) + sqrt(0.25 * most[1] * most[1] + fmax(most[0], 0));
    return st;
}

static enum yk_status free_mass(const struct yk_specimen *s, struct yk_matrix *M, struct yk_err *err)
{
    enum yk_status st = yk_matrix_init(M, YK_DENSE, s->b, s->b, err);

    for (size_t j = 0; j < s->b && !st; j++)
        for (size_t i = 0; i < s->b; i++)
            M->x[i + j * s->b] = yk_matrix_get(&s->system->M, s->free[i], s->free[j]);
    return st;
}

static const char *name_of(const struct yk_specimen_mounting *plan, size_t dof)
{
    return plan->names ? plan->names[dof] : "one";
}

/* Mass of the free ones, and the first substep. */
static enum yk_status prepare_free(struct yk_specimen *s, const struct yk_specimen_mounting *plan, struct yk_arena *mem,
                                   struct yk_err *err)
{
    struct yk_matrix M = {0};
    enum yk_status st = free_mass(s, &M, err);
    double rate = 0;
    size_t bad;

    if (!st && !yk_matrix_is_definite(&M, &bad))
        st = yk_fail(err, YK_E_SINGULAR,
                     "specimen: no actuator moves %s and it has no mass (pivot <= 0), so its motion is not known; give "
                     "it mass, or an actuator that is not commanded by force",
                     name_of(plan, s->free[bad]));
    if (!st && s->system->mass_divided_out) {
        memcpy(s->u, s->system->u0, s->n * sizeof *s->u);
        take_mobility(s);
    }
    if (!st)
        st = fastest_rate(s, &M, &rate, err);
    if (!st && !(rate * s->tick / STABLE <= LIMIT))
        st = yk_fail(err, YK_E_RANGE,
                     "specimen: its fastest free motion (%g rad/s) needs more than %d substeps in a tick of %g s; "
                     "soften it, give it more mass, or let an actuator move it",
                     rate, LIMIT, s->tick);
    if (!st && !s->system->mass_divided_out)
        st = yk_matrix_compact(&M, err);
    if (!st && !s->system->mass_divided_out)
        st = yk_factor_create(&s->M, &M, mem, err);
    s->longest = s->system->ops->commit && rate * s->tick > MONOTONE ? fmax(MONOTONE / rate, s->tick / LIMIT) : s->tick;
    s->first = fmin(rate * s->tick > FIRST ? FIRST / rate : s->tick, s->longest);
    yk_matrix_fini(&M);
    return st;
}

enum yk_status yk_specimen_create(struct yk_specimen **created, const struct yk_specimen_mounting *plan,
                                  struct yk_arena *mem, struct yk_err *err)
{
    enum yk_status st = check_plan(plan, err);
    struct yk_arena own = {0};
    struct yk_specimen *s;

    *created = NULL;
    if (st)
        return st;
    if (!(s = yk_arena_take(mem = mem ? mem : &own, sizeof *s))) {
        yk_arena_free(&own);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    s->system = plan->system;
    s->n = plan->system->n;
    s->c = plan->count;
    s->b = s->n - s->c;
    s->tick = plan->tick;
    layout(s, mem);
    if (!(st = yk_arena_check(mem, err))) {
        sort_dofs(s, plan);
        if (s->b)
            st = prepare_free(s, plan, mem, err);
    }
    s->own = own;
    if (st) {
        yk_specimen_destroy(s);
        return st;
    }
    for (size_t i = 0; i < s->c; i++)
        s->work[i] = s->system->u0[s->moved[i]];
    yk_specimen_rest(s, s->work, s->work);
    *created = s;
    return YK_OK;
}

void yk_specimen_destroy(struct yk_specimen *s)
{
    struct yk_arena own;

    if (!s)
        return;
    own = s->own;
    yk_factor_destroy(s->M);
    yk_arena_free(&own);
}
