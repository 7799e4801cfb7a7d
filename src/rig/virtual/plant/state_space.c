/* One actuator, or several that act on each other: x' = A x + B u + F f, y = C x + D u, behind a dead time of the
 * commands u; f are the forces of the specimens. docs/theory/control.md, eq. (20b)-(20d). Exact for commands held over
 * each tick, at any fraction of a tick, and forces likewise. At rest at y0 the commands are P^-1 y0 with P = D - C A^-1
 * B, so A and P must be regular. Units: m, s, N; the states have those of the user. Matrices are given row by row and
 * kept column by column. */
#include "transfer/dynamics.h"
#include <yoke/linalg.h>

#include <stdlib.h>
#include <string.h>

struct state_space {
    struct yk_reals A, B, C, F, D;
    double dead_time;
    /* private */
    size_t n, s; /* actuators, states */
    double *a, *b, *c, *f, *d;
    double *held[2];        /* s x (s + 2 n): state, commands and forces to the state, over the two parts of a tick */
    double *rest;           /* (s + n) x n: state and commands at rest, for outputs of one */
    double *x, *rate, *now; /* state, its derivative; state, commands and forces */
    struct yk_delay_line *lines;
};

/* to (rows x columns), by columns */
static void by_columns(const struct yk_reals *from, size_t rows, size_t columns, double *to)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            to[i + j * rows] = from->n ? from->x[i * columns + j] : 0;
}

static enum yk_status check_sizes(struct state_space *p, size_t n, struct yk_err *err)
{
    const struct {
        const char *name;
        const struct yk_reals *m;
        size_t rows, columns;
        bool needed;
    } all[] = {{"B", &p->B, p->s, n, true},
               {"C", &p->C, n, p->s, true},
               {"F", &p->F, p->s, n, false},
               {"D", &p->D, n, n, false}};

    if (p->s == 0 || p->s * p->s != p->A.n)
        return yk_fail(err, YK_E_RANGE, "A has %zu numbers; it must be square", p->A.n);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].m->n != all[k].rows * all[k].columns && (all[k].needed || all[k].m->n))
            return yk_fail(err, YK_E_RANGE, "%s has %zu numbers; %zu states and %zu actuators need %zu x %zu",
                           all[k].name, all[k].m->n, p->s, n, all[k].rows, all[k].columns);
    return YK_OK;
}

/* exp of [A B F; 0 0 0] times t: what the state becomes under commands and forces that are held. */
static enum yk_status hold(const struct state_space *p, double t, double *to, struct yk_err *err)
{
    const size_t all = p->s + 2 * p->n;
    double *G = calloc(2 * all * all, sizeof *G), *E = G + all * all;
    enum yk_status st = G ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for a plant");

    for (size_t i = 0; i < p->s && !st; i++) {
        for (size_t j = 0; j < p->s; j++)
            G[i + j * all] = t * p->a[i + j * p->s];
        for (size_t j = 0; j < p->n; j++) {
            G[i + (p->s + j) * all] = t * p->b[i + j * p->s];
            G[i + (p->s + p->n + j) * all] = t * p->f[i + j * p->s];
        }
    }
    if (!st && !(st = yk_expm(all, G, E, err)))
        for (size_t j = 0; j < all; j++)
            memcpy(to + j * p->s, E + j * all, p->s * sizeof *to);
    free(G);
    return st;
}

/* States and commands at rest, column by column for an output of one. */
static enum yk_status find_rest(const struct state_space *p, struct yk_err *err)
{
    const size_t n = p->n, s = p->s, rows = s + n;
    struct yk_arena mem = {0};
    struct yk_lu A = {0}, P = {0};
    enum yk_status st = YK_OK;

    yk_lu_layout(&A, s, &mem);
    yk_lu_layout(&P, n, &mem);
    if (!A.a || !P.a) {
        yk_arena_free(&mem);
        return yk_fail(err, YK_E_MEMORY, "out of memory for a plant");
    }
    memcpy(A.a, p->a, s * s * sizeof *A.a);
    if (yk_lu_factor(&A))
        st = yk_fail(err, YK_E_SINGULAR, "A is singular: commands that are held would not hold the actuators");
    for (size_t j = 0; j < n && !st; j++) { /* x for a command of one: -A^-1 B */
        double *x = p->rest + j * rows;

        for (size_t i = 0; i < s; i++)
            x[i] = -p->b[i + j * s];
        yk_lu_solve(&A, x);
        for (size_t i = 0; i < n; i++) {
            P.a[i + j * n] = p->d[i + j * n];
            for (size_t k = 0; k < s; k++)
                P.a[i + j * n] += p->c[i + k * n] * x[k];
        }
    }
    if (!st && yk_lu_factor(&P))
        st = yk_fail(err, YK_E_SINGULAR, "C A^-1 B is singular: not every position can be held by a command");
    /* for an output of one: commands P^-1, states X P^-1 */
    double *X = st ? NULL : malloc((s * n + 1) * sizeof *X);
    if (!st && !X)
        st = yk_fail(err, YK_E_MEMORY, "out of memory for a plant");
    for (size_t j = 0; j < n && !st; j++)
        memcpy(X + j * s, p->rest + j * rows, s * sizeof *X);
    for (size_t j = 0; j < n && !st; j++) {
        double *to = p->rest + j * rows, *u = to + s;

        memset(u, 0, n * sizeof *u);
        u[j] = 1;
        yk_lu_solve(&P, u);
        for (size_t i = 0; i < s; i++) {
            to[i] = 0;
            for (size_t k = 0; k < n; k++)
                to[i] += X[i + k * s] * u[k];
        }
    }
    free(X);
    yk_arena_free(&mem);
    return st;
}

static enum yk_status init(void *self, size_t n, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct state_space *p = self;
    enum yk_status st = yk_tick_check(h, "state-space", err);

    p->n = n;
    p->s = (size_t)lround(sqrt((double)p->A.n));
    if (st || (st = check_sizes(p, n, err)))
        return st;
    const size_t s = p->s, all = s + 2 * n;
    yk_arena_array(mem, &p->a, s * (s + 3 * n) + n * n);
    yk_arena_array(mem, &p->held[0], 2 * s * all);
    yk_arena_array(mem, &p->rest, (s + n) * n);
    yk_arena_array(mem, &p->x, 2 * s + all);
    yk_arena_array(mem, &p->lines, n);
    if (!p->a || !p->held[0] || !p->rest || !p->x || !p->lines)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a plant");
    p->b = p->a + s * s;
    p->c = p->b + s * n;
    p->f = p->c + s * n;
    p->d = p->f + s * n;
    p->held[1] = p->held[0] + s * all;
    p->rate = p->x + s;
    p->now = p->rate + s;
    yk_arena_pointers(mem, &p->b, &p->c, &p->f, &p->d, &p->held[1], &p->rate, &p->now);
    by_columns(&p->A, s, s, p->a);
    by_columns(&p->B, s, n, p->b);
    by_columns(&p->C, n, s, p->c);
    by_columns(&p->F, s, n, p->f);
    by_columns(&p->D, n, n, p->d);
    for (size_t i = 0; i < n; i++)
        if ((st = yk_delay_line_init(&p->lines[i], p->dead_time, h, mem, err)))
            return st;
    if ((st = hold(p, p->lines[0].rest * h, p->held[0], err)) ||
        (st = hold(p, (1 - p->lines[0].rest) * h, p->held[1], err)))
        return st;
    return find_rest(p, err);
}

YK_RT static void reset(void *self, const double *x0)
{
    struct state_space *p = self;
    const size_t rows = p->s + p->n;

    for (size_t i = 0; i < rows; i++) {
        double at = 0;

        for (size_t j = 0; j < p->n; j++)
            at += p->rest[i + j * rows] * x0[j];
        if (i < p->s)
            p->x[i] = at;
        else
            yk_delay_line_reset(&p->lines[i - p->s], at);
    }
}

/* The state over one part of the tick, under commands of the age `age`. */
YK_RT static void advance(struct state_space *p, const double *held, size_t age, const double *force)
{
    const size_t all = p->s + 2 * p->n;

    memcpy(p->now, p->x, p->s * sizeof *p->now);
    for (size_t j = 0; j < p->n; j++) {
        p->now[p->s + j] = yk_delay_line_get(&p->lines[j], age);
        p->now[p->s + p->n + j] = force[j];
    }
    for (size_t i = 0; i < p->s; i++) {
        p->x[i] = 0;
        for (size_t j = 0; j < all; j++)
            p->x[i] += held[i + j * p->s] * p->now[j];
    }
}

/* C times a vector of states, for actuator i */
YK_RT static double seen(const struct state_space *p, size_t i, const double *x)
{
    double y = 0;

    for (size_t k = 0; k < p->s; k++)
        y += p->c[i + k * p->n] * x[k];
    return y;
}

/* A x, and B u + F f with the commands and forces of the last part */
YK_RT static void derive(const struct state_space *p, const double *x, bool driven, double *rate)
{
    for (size_t i = 0; i < p->s; i++) {
        rate[i] = 0;
        for (size_t k = 0; k < p->s; k++)
            rate[i] += p->a[i + k * p->s] * x[k];
        for (size_t j = 0; j < p->n && driven; j++)
            rate[i] += p->b[i + j * p->s] * p->now[p->s + j] + p->f[i + j * p->s] * p->now[p->s + p->n + j];
    }
}

YK_RT static void step(void *self, const double *u, const double *force, struct yk_plant_output *out)
{
    struct state_space *p = self;

    for (size_t j = 0; j < p->n; j++)
        yk_delay_line_push(&p->lines[j], u[j]);
    advance(p, p->held[0], p->lines[0].whole + 1, force);
    advance(p, p->held[1], p->lines[0].whole, force);
    derive(p, p->x, true, p->rate);
    for (size_t i = 0; i < p->n; i++) {
        out[i].x = seen(p, i, p->x);
        for (size_t j = 0; j < p->n; j++)
            out[i].x += p->d[i + j * p->n] * p->now[p->s + j];
        out[i].v = seen(p, i, p->rate);
    }
    derive(p, p->rate, false, p->now); /* commands and forces are not needed any more */
    for (size_t i = 0; i < p->n; i++)
        out[i].a = seen(p, i, p->now);
}

static bool yields(const void *self)
{
    return ((const struct state_space *)self)->F.n > 0;
}

static const struct yk_param params[] = {
    YK_REALS(struct state_space, A, YK_NUMBER, YK_REQUIRED, -1e12, 1e12, "rows of A: states by states"),
    YK_REALS(struct state_space, B, YK_NUMBER, YK_REQUIRED, -1e12, 1e12, "rows of B: states by actuators"),
    YK_REALS(struct state_space, C, YK_NUMBER, YK_REQUIRED, -1e12, 1e12, "rows of C: actuators by states"),
    YK_REALS(struct state_space, F, YK_NUMBER, 0, -1e12, 1e12,
             "rows of F: states by actuators, for the forces of the specimens; none if it is left out"),
    YK_REALS(struct state_space, D, YK_NUMBER, 0, -1e12, 1e12,
             "rows of D: actuators by actuators, what a command moves at once; none if it is left out"),
    YK_REAL(struct state_space, dead_time, YK_TIME, 0, 0, 100, "of all commands"),
    YK_PARAM_END,
};

/* ---- one actuator ---- */

static enum yk_status init_one(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    return init(self, 1, h, mem, err);
}

YK_RT static void reset_one(void *self, double x0)
{
    reset(self, &x0);
}

YK_RT static void step_one(void *self, double u, double force, struct yk_plant_output *out)
{
    step(self, &u, &force, out);
}

static const struct yk_joint_plant_ops joint = {.init = init, .reset = reset, .step = step};

const struct yk_plant_ops yk_plant_state_space = {
    .name = "state-space",
    .summary = "one actuator, or several that interact: x' = A x + B u + F f, y = C x + D u, with a dead time",
    .reference = "",
    .params = params,
    .size = sizeof(struct state_space),
    .init = init_one,
    .reset = reset_one,
    .step = step_one,
    .yields = yields,
    .joint = &joint,
};
