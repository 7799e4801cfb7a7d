/* EFC: equivalent force control, an implicit step of A that is solved by moving the specimen. docs/theory/efc.md.
 *
 *     A:  F1, the force command of the step
 *     B, j = 1..ss:  PI controller on the difference of command and feedback -> command; readings
 *     A:  what is left of the difference is corrected; d, v, a of the end of the step
 *
 * B is specimens, moved through all of its degrees of freedom, each tied to one of A. Its estimate is the KE and ME of
 * the method: here the inertia of the specimen is part of what its load cells read. Order 2 when the loop settles
 * within a step or the correction is exact. Units: N, m, s. */
#include "coupling/efc.h"
#include "coupling/efc_parts.h"
#include "coupling/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct efc {
    struct yk_efc_settings settings; /* first: the table of parameters points into it */
    struct yk_efc core;
    struct yk_coupled *c;
    double t;                   /* for which A is asked */
    size_t *dof_A, *dof_B;      /* tied by row r */
    double *sign;               /* of row r: u_B = sign u_A */
    double *d, *r, *a;          /* readings of the rows, as A counts */
    double *u, *v, *command;    /* of B, the rows */
    double *f0, *f1, *zero, *p; /* of A */
    double *a_B;                /* of B */
    double *lambda;
    struct yk_efc_settled *settled; /* NULL: a loop of samples */
};

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct efc *s = self;
    const size_t n = c->side[YK_COARSE].n, m = c->rows;

    yk_arena_array(mem, &s->dof_A, m);
    yk_arena_array(mem, &s->dof_B, m);
    yk_arena_each(mem, m, 9,
                  (double **const[]){&s->sign, &s->d, &s->r, &s->a, &s->u, &s->v, &s->command, &s->lambda, &s->a_B});
    yk_arena_each(mem, n, 4, (double **const[]){&s->f0, &s->f1, &s->zero, &s->p});
}

/* Row r of a side: its only degree of freedom and coefficient. False where it has none or several. */
static bool only_entry(const struct yk_side *side, size_t r, size_t *dof, double *coefficient)
{
    const struct yk_matrix *Gt = &side->Gt;
    int found = 0;

    for (size_t i = 0; i < side->n; i++) {
        const double x = yk_matrix_get(Gt, i, r);

        if (x == 0)
            continue;
        *dof = i;
        *coefficient = x;
        found++;
    }
    return found == 1;
}

static enum yk_status fit(const void *self, const struct yk_coupled *c, struct yk_err *err)
{
    const struct yk_side *A = &c->side[YK_COARSE], *B = &c->side[YK_FINE];

    if (!B->specimens)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "efc: moves specimens, and the fine side has none; give it role: physical");
    if (A->system->mass_divided_out)
        return yk_fail(err, YK_E_UNSUPPORTED, "efc: does not work with a mass that depends on the configuration");
    if (A->system->rate)
        return yk_fail(
            err, YK_E_UNSUPPORTED,
            "efc: asks the numerical side for its force at rest, but that depends on the rate: friction and "
            "nonlinear dampers there, and damping by the committed stiffness, need another coupling, such as "
            "feedback");
    if (c->rows != B->n)
        return yk_fail(
            err, YK_E_UNSUPPORTED,
            "efc: %zu degrees of freedom of the fine side have %zu interface rows; each must be joined to one "
            "of the coarse side",
            B->n, c->rows);
    for (size_t r = 0; r < c->rows; r++) {
        size_t a = 0, b = 0;
        double ca = 0, cb = 0;

        if (!only_entry(A, r, &a, &ca) || !only_entry(B, r, &b, &cb) || fabs(ca) != fabs(cb))
            return yk_fail(err, YK_E_UNSUPPORTED,
                           "efc: interface row %zu is not a plain join of two degrees of freedom", r);
    }
    return YK_OK;
}

/* rN(d): restoring force of A at rest in d. */
YK_RT static void restoring(void *self, const double *d, double *r)
{
    struct efc *s = self;
    struct yk_system *A = s->c->side[YK_COARSE].system;

    yk_system_force(A, s->t, s->zero, d, s->zero, r);
    for (size_t i = 0; i < A->n; i++)
        r[i] = -r[i];
}

/* A matrix of B on the interface rows, as A counts. */
static enum yk_status of_rows(const struct efc *s, const struct yk_matrix *of_B, struct yk_matrix *out,
                              struct yk_err *err)
{
    const size_t rows = s->c->rows;
    enum yk_status st = yk_matrix_init(out, YK_DENSE, rows, rows, err);

    for (size_t r = 0; r < rows && !st; r++)
        for (size_t q = 0; q < rows; q++)
            out->x[r + q * rows] = s->sign[r] * s->sign[q] * yk_matrix_get(of_B, s->dof_B[r], s->dof_B[q]);
    return st;
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct efc *s = self;
    const struct yk_system *A = c->side[YK_COARSE].system, *B = c->side[YK_FINE].system;
    struct yk_matrix KE = {0}, ME = {0}, CE = {0};
    enum yk_status st;

    s->c = c;
    yk_arena_pointer(mem, &s->c);
    for (size_t r = 0; r < c->rows; r++) {
        double ca = 1, cb = 1;

        only_entry(&c->side[YK_COARSE], r, &s->dof_A[r], &ca);
        only_entry(&c->side[YK_FINE], r, &s->dof_B[r], &cb);
        s->sign[r] = -ca / cb;
    }
    if ((st = of_rows(s, &B->K, &KE, err)) || (st = of_rows(s, &B->M, &ME, err)) || (st = of_rows(s, &B->C, &CE, err)))
        goto end;
    s->settings.dt_s = c->dt;
    s->settings.sample_s = c->dt / c->substeps;
    s->settings.MN = &A->M;
    s->settings.CN = &A->C;
    s->settings.KN = &A->K;
    s->settings.restoring = (struct yk_efc_restoring){A->linear ? NULL : restoring, s};
    s->settings.interface_count = c->rows;
    s->settings.interface_dof = s->dof_A;
    s->settings.KE = &KE;
    s->settings.ME = &ME;
    s->settings.CE = &CE;
    yk_arena_pointers(mem, &s->settings.MN, &s->settings.CN, &s->settings.KN, &s->settings.restoring.self,
                      &s->settings.interface_dof, &s->core.restoring.self);
    st = yk_efc_create(&s->core, &s->settings, mem, err);
    s->settings.KE = s->settings.ME = s->settings.CE = NULL;
end:
    yk_matrix_fini(&KE);
    yk_matrix_fini(&ME);
    yk_matrix_fini(&CE);
    return st;
}

static void fini(void *self)
{
    struct efc *s = self;

    yk_efc_destroy(&s->core);
    yk_efc_settled_free(s->settled);
}

static enum yk_status settle(void *self, const struct yk_matrix *M, const struct yk_matrix *C,
                             const struct yk_matrix *K, struct yk_err *err)
{
    struct efc *s = self;
    struct yk_efc_settled *x = calloc(1, sizeof *x);
    enum yk_status st;

    if (!x)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = of_rows(s, M, &x->M, err)) || (st = of_rows(s, C, &x->C, err)) || (st = of_rows(s, K, &x->K, err)) ||
        (st = yk_efc_settled_form(x, &s->core, err))) {
        yk_efc_settled_free(x);
        return st;
    }
    yk_efc_settled_free(s->settled);
    s->settled = x;
    return YK_OK;
}

/* Loads of A and, on the tied degrees of freedom, of B. */
YK_RT static void load_at(struct efc *s, double t, double *f)
{
    const struct yk_side *A = &s->c->side[YK_COARSE], *B = &s->c->side[YK_FINE];

    A->loading.at(A->loading.self, t, f);
    B->loading.at(B->loading.self, t, B->f);
    for (size_t r = 0; r < s->c->rows; r++)
        f[s->dof_A[r]] += s->sign[r] * B->f[s->dof_B[r]];
}

/* The readings of B after an evaluation, as A counts. */
YK_RT static void read_specimen(struct efc *s)
{
    const struct yk_side *B = &s->c->side[YK_FINE];

    B->system->ops->measured(B->system->self, s->u, s->a_B);
    for (size_t r = 0; r < s->c->rows; r++) {
        const size_t b = s->dof_B[r];

        s->d[r] = s->sign[r] * s->u[b];
        s->r[r] = s->sign[r] * (B->f[b] - B->p[b]);
        s->a[r] = s->sign[r] * s->a_B[b];
        s->lambda[r] = -s->r[r]; /* of a row that begins with A */
    }
}

/* The same where the loop has come to rest, and where B is then; the controller has nothing left to do. */
YK_RT static void read_settled(struct efc *s)
{
    yk_efc_settled_read(s->settled, &s->core, s->d, s->r, s->a);
    for (size_t r = 0; r < s->c->rows; r++) {
        s->u[s->dof_B[r]] = s->sign[r] * s->d[r];
        s->v[s->dof_B[r]] = s->sign[r] * s->settled->v[s->dof_A[r]];
        s->a_B[s->dof_B[r]] = s->sign[r] * s->a[r];
        s->lambda[r] = -s->r[r];
    }
    memset(s->core.sum, 0, s->c->rows * sizeof *s->core.sum);
}

/* The readings of B in its initial state, without inertia. */
static void read_first(struct efc *s)
{
    struct yk_side *A = &s->c->side[YK_COARSE], *B = &s->c->side[YK_FINE];

    if (!s->settled) {
        yk_side_evaluate(B, 0, B->u0, B->v0);
        read_specimen(s);
        return;
    }
    memcpy(s->settled->d, A->u0, A->n * sizeof(double));
    memcpy(s->settled->v, A->v0, A->n * sizeof(double));
    memset(s->settled->a, 0, A->n * sizeof(double));
    read_settled(s);
}

/* a0 balances the whole structure: A with its load, less the reaction that is read at rest, over both masses. */
static enum yk_status start(void *self)
{
    struct efc *s = self;
    struct yk_side *A = &s->c->side[YK_COARSE];
    const struct yk_matrix *ME = s->settled ? &s->settled->M : &s->core.ME;
    const size_t m = s->c->rows;
    struct yk_err err = {0};
    struct yk_matrix M = {0};
    struct yk_factor *factor = NULL;
    enum yk_status st;

    memset(s->v, 0, m * sizeof *s->v);
    for (size_t r = 0; r < m; r++)
        s->command[r] = A->u0[s->dof_A[r]];
    read_first(s);
    load_at(s, 0, s->f1);
    yk_system_force(A->system, 0, s->f1, A->u0, A->v0, s->p);
    for (size_t r = 0; r < m; r++)
        s->p[s->dof_A[r]] -= s->r[r];
    if ((st = yk_matrix_init(&M, YK_DENSE, A->n, A->n, &err)))
        return st;
    yk_matrix_to_dense(&A->system->M, M.x);
    for (size_t r = 0; r < m; r++)
        for (size_t q = 0; q < m; q++)
            M.x[s->dof_A[r] + s->dof_A[q] * A->n] += yk_matrix_get(ME, r, q);
    if (!(st = yk_factor_create(&factor, &M, NULL, &err))) {
        yk_factor_solve(factor, s->p);
        /* the specimen is still at rest: its inertia is not in the reading */
        for (size_t r = 0; r < m; r++)
            for (size_t q = 0; q < m; q++)
                s->r[r] += yk_matrix_get(ME, r, q) * s->p[s->dof_A[q]];
        yk_efc_start(&s->core, A->u0, A->v0, s->p, s->r);
    }
    yk_factor_destroy(factor);
    yk_matrix_fini(&M);
    return st;
}

YK_RT static struct yk_schedule schedule(const void *self, long step)
{
    const struct efc *s = self;

    return (struct yk_schedule){.phases = 1, .substeps = s->settled ? 0 : s->c->substeps, .stages = 1};
}

YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct efc *s = self;

    const double end = yk_coupled_time(s->c, 1);

    s->t = yk_coupled_time(s->c, 0);
    load_at(s, s->t, s->f0);
    load_at(s, end, s->f1);
    yk_efc_begin_step(&s->core, s->f0, s->f1);
    s->t = end;
    return YK_OK;
}

YK_RT static void fine_target(void *self, int phase, int substep, int stage, struct yk_kinematics *want)
{
    struct efc *s = self;
    const struct yk_efc_measured measured = {.d = s->d, .r = s->r, .a = s->a};
    const double h = s->settings.sample_s;

    yk_efc_sample(&s->core, &measured, s->p);
    for (size_t r = 0; r < s->c->rows; r++) {
        s->v[s->dof_B[r]] = s->sign[r] * (s->p[r] - s->command[r]) / h;
        s->command[r] = s->p[r];
        s->u[s->dof_B[r]] = s->sign[r] * s->p[r];
    }
    *want = (struct yk_kinematics){.c = 1, .u = s->u, .v = s->v};
}

YK_RT static enum yk_status fine_absorb(void *self, int phase, int substep, int stage)
{
    struct efc *s = self;

    read_specimen(s);
    return yk_all_finite(s->c->rows, s->command) ? YK_OK : YK_E_DIVERGED;
}

YK_RT static enum yk_status sync(void *self, int phase)
{
    struct efc *s = self;
    const struct yk_efc_measured measured = {.d = s->d, .r = s->r, .a = s->a};
    enum yk_status st;

    if (s->settled) {
        yk_efc_settled_move(s->settled, &s->core);
        read_settled(s);
    }
    st = yk_efc_end_step(&s->core, &measured);
    yk_side_commit(&s->c->side[YK_COARSE], yk_coupled_time(s->c, 1), s->core.d, s->core.v);
    return st;
}

/* B is where it was read to be, at the speed of its commands. */
YK_RT static void now(void *self, int side, struct yk_kinematics *reached)
{
    struct efc *s = self;
    const struct yk_efc_motion motion = yk_efc_now(&s->core);

    if (side == YK_COARSE) {
        *reached = (struct yk_kinematics){.u = motion.d, .v = motion.v, .a = motion.a};
        return;
    }
    *reached = (struct yk_kinematics){.u = s->u, .v = s->v, .a = s->a_B};
}

YK_RT static const double *lambda(void *self)
{
    return ((struct efc *)self)->lambda;
}

static size_t state(void *self, struct yk_span *spans, size_t most)
{
    struct efc *s = self;
    const struct yk_span all[] = {s->core.state, {s->core.sum, s->c->rows}, {s->d, s->c->rows}, {s->r, s->c->rows}};
    const size_t count = sizeof all / sizeof *all;

    memcpy(spans, all, (count < most ? count : most) * sizeof *spans);
    return count;
}

static enum yk_status resume(void *self)
{
    struct efc *s = self;

    yk_efc_resume(&s->core);
    return YK_OK;
}

static const struct yk_coupling_evidence evidence = {
    .order = 2,
    .order_subcycled = 2,
    .settle = settle,
};

const struct yk_coupling_ops yk_coupling_efc = {
    .name = "efc",
    .summary =
        "equivalent force control: an implicit step solved by moving the specimen; time.substeps control samples",
    .reference = "Wu, Wang, Shing and Ou 2007",
    .exchange = "commands to the specimen at every sample; its displacement and force back",
    .startup = "acceleration that balances the whole structure",
    .caps = YK_COUPLING_SPECIMENS | YK_COUPLING_CONSTANT_MASS | YK_COUPLING_DOFS_A | YK_COUPLING_DOFS_B,
    .stages = 1,
    .chains = 1,
    .cycle_steps = 1,
    .params = yk_efc_params,
    .size = sizeof(struct efc),
    .fit = fit,
    YK_OWN_PREPARATION,
    .schedule = schedule,
    YK_OWN_PHASE,
    .now = now,
    .lambda = lambda,
    YK_OWN_STATE,
    .evidence = &evidence,
};

struct yk_efc *yk_efc_of(const struct yk_coupling *coupling)
{
    return &((struct efc *)coupling->self)->core;
}
