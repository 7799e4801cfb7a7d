/* An FMU with degrees of freedom of its own (model exchange): displacement u and velocity v are its states, forces its
 * inputs. docs/fmi.md.
 *
 *     a = der(v)(t, u, v, f),   M = (da/df)^-1,   p = M a
 *
 * M is found by differences at the start and must be the same elsewhere; all states of the FMU are degrees of freedom.
 * So there is nothing to remember: a force is one evaluation. Units: N, m, rad, s, kg. */
#include "substructure/fmu_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME 1e-9 /* relative: of masses at different states */

struct own {
    struct yk_system system;
    struct yk_fmu *fmu;
    const size_t *u_at, *v_at; /* states, malloc'd */
    uint64_t number;
    double *z, *out;     /* states; outputs: n accelerations, n derivatives of the displacements */
    const double *K, *C; /* malloc'd, n x n */
    struct yk_fmu_balance balance;
};

/* Accelerations under the forces f. */
YK_RT static bool evaluate(struct own *s, double t, const double *f, const double *u, const double *v)
{
    const size_t n = s->system.n;
    struct yk_fmu_ask ask = {.what = YK_FMU_STEP,
                             .course = YK_FMU_HELD,
                             .substeps = 1,
                             .from = s->number,
                             .as = yk_fmu_number(s->fmu),
                             .t = t,
                             .begin = f,
                             .end = f,
                             .z = s->z};
    enum yk_fmu_outcome outcome;

    for (size_t i = 0; i < n; i++) {
        s->z[s->u_at[i]] = u[i];
        s->z[s->v_at[i]] = v[i];
    }
    if ((outcome = yk_fmu_ask(s->fmu, &ask, s->out, NULL)) == YK_FMU_STATE_GONE &&
        yk_fmu_again(s->fmu, f, &s->number, NULL, NULL) == YK_FMU_FINE) {
        ask.from = s->number;
        outcome = yk_fmu_ask(s->fmu, &ask, s->out, NULL);
    }
    return outcome == YK_FMU_FINE;
}

YK_RT static void force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    struct own *s = self;
    const size_t n = s->system.n;
    const bool good = evaluate(s, t, f, u, v);

    memset(p, 0, n * sizeof *p);
    yk_matrix_add_product(&s->system.M, 1, s->out, p);
    for (size_t i = 0; i < n; i++) {
        p[i] = good ? p[i] : (double)NAN;
        s->balance.r[i] = f[i] - p[i];
    }
}

/* A new start: the FMU of a run that failed is started again. */
static void rest(void *self, const double *u)
{
    struct own *s = self;

    if (yk_fmu_has_failed(s->fmu)) {
        memset(s->z, 0, yk_fmu_states(s->fmu) * sizeof *s->z);
        (void)yk_fmu_again(s->fmu, s->z, &s->number, NULL, NULL);
    }
}

YK_RT static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    const struct own *s = self;
    const size_t bytes = s->system.n * s->system.n * sizeof *K;

    memcpy(K, s->K, bytes);
    memcpy(C, s->C, bytes);
}

YK_RT static void account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    struct own *s = self;

    yk_fmu_account(&s->system, &s->balance, f, u, v, energy);
}

static bool fault(const void *self, char *text, size_t size)
{
    return yk_fmu_fault(((const struct own *)self)->fmu, text, size);
}

static void destroy(void *self)
{
    struct own *s = self;

    yk_fmu_close(s->fmu);
    free((void *)s->u_at);
    free((void *)s->v_at);
    free((void *)s->K);
    free((void *)s->C);
}

static const struct yk_system_ops ops = {
    .force = force, .rest = rest, .tangent = tangent, .account = account, .fault = fault, .destroy = destroy};

/* ---- preparation ---- */

/* d a/dx by central differences, into D (n x n): x is one of f, u and v. */
static enum yk_status differentiate(struct own *s, double *f, double *u, double *v, double *x, double by, double *D,
                                    struct yk_err *err)
{
    const size_t n = s->system.n;

    for (size_t j = 0; j < n; j++) {
        const double at = x[j];
        bool good;

        x[j] = at + by;
        good = evaluate(s, 0, f, u, v);
        memcpy(D + j * n, s->out, n * sizeof *D);
        x[j] = at - by;
        good = good && evaluate(s, 0, f, u, v);
        x[j] = at;
        if (!good)
            return yk_fail(err, YK_E_INPUT, "the FMU cannot be evaluated near its start");
        for (size_t i = 0; i < n; i++)
            D[i + j * n] = (D[i + j * n] - s->out[i]) / (2 * by);
    }
    return YK_OK;
}

/* M = W^-1, symmetric, into the dense matrix of the system. */
static enum yk_status invert(struct own *s, const double *W, struct yk_err *err)
{
    const size_t n = s->system.n;
    struct yk_arena mem = {0};
    struct yk_lu lu = {0};
    double *M = s->system.M.x, most = 0;
    enum yk_status st;

    yk_lu_layout(&lu, n, &mem);
    if (!(st = yk_arena_check(&mem, err))) {
        memcpy(lu.a, W, n * n * sizeof *W);
        if (yk_lu_factor(&lu))
            st = yk_fail(err, YK_E_SINGULAR, "a degree of freedom of the FMU is not moved by forces: it has no mass");
    }
    for (size_t j = 0; j < n && !st; j++) {
        M[j + j * n] = 1;
        yk_lu_solve(&lu, M + j * n);
    }
    for (size_t i = 0; i < n * n; i++)
        most = fmax(most, fabs(M[i]));
    for (size_t j = 0; j < n && !st; j++)
        for (size_t i = 0; i < j; i++) {
            if (!(fabs(M[i + j * n] - M[j + i * n]) <= 1e-6 * most))
                st = yk_fail(err, YK_E_UNSUPPORTED, "the mass of the FMU is not symmetric");
            M[i + j * n] = M[j + i * n] = 0.5 * (M[i + j * n] + M[j + i * n]);
        }
    yk_arena_free(&mem);
    return st;
}

/* Velocities are the derivatives of the displacements, and the mass is the same at other states. */
static enum yk_status check_form(struct own *s, double *f, double *u, double *v, double *W, double *other,
                                 struct yk_err *err)
{
    const size_t n = s->system.n;
    enum yk_status st;

    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < n; i++) {
            u[i] = s->system.u0[i] + 1e-3 * k * (double)(i + 1);
            v[i] = s->system.v0[i] + 1e-2 * k * (double)(n - i);
        }
        if (!evaluate(s, 0, f, u, v))
            return yk_fail(err, YK_E_INPUT, "the FMU cannot be evaluated near its start");
        for (size_t i = 0; i < n; i++)
            if (!(fabs(s->out[n + i] - v[i]) <= 1e-12 * fmax(1, fabs(v[i]))))
                return yk_fail(err, YK_E_UNSUPPORTED,
                               "the velocity of degree of freedom %zu is not the derivative of its displacement",
                               i + 1);
        if ((st = differentiate(s, f, u, v, f, 1, k ? other : W, err)))
            return st;
        for (size_t i = 0; k && i < n * n; i++)
            if (!(fabs(other[i] - W[i]) <= SAME * fabs(W[i]) + 1e-12 * fabs(W[0])))
                return yk_fail(err, YK_E_UNSUPPORTED, "the mass of the FMU depends on its motion");
    }
    return YK_OK;
}

static enum yk_status prepare(struct own *s, struct yk_fmu_parts *p, struct yk_err *err)
{
    const size_t n = p->n, bytes = n * sizeof(double);
    const struct yk_fmu_start start = {
        .in_process = p->in_process, .timeout_s = p->timeout_s, .end_s = p->end_s + p->step};
    double *room = calloc(3 * n + 2 * n * n, sizeof *room), *f = room, *u = f + n, *v = u + n, *W = v + n,
           *other = W + n * n, *K = calloc(n * n, sizeof *K), *C = calloc(n * n, sizeof *C);
    enum yk_status st = room && K && C ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    s->K = K;
    s->C = C;
    if (!st && !(st = yk_fmu_start(s->fmu, &start, f, &s->number, NULL, NULL, err)) &&
        !(st = check_form(s, f, u, v, W, other, err)) && !(st = yk_matrix_init(&s->system.M, YK_DENSE, n, n, err)) &&
        !(st = yk_matrix_init(&s->system.K, YK_DENSE, n, n, err)) &&
        !(st = yk_matrix_init(&s->system.C, YK_DENSE, n, n, err)) && !(st = invert(s, W, err))) {
        memcpy(u, s->system.u0, bytes);
        memcpy(v, s->system.v0, bytes);
        if (!(st = differentiate(s, f, u, v, u, 1e-6, W, err)))
            st = differentiate(s, f, u, v, v, 1e-5, other, err);
        for (size_t j = 0; j < n && !st; j++) { /* K = -M da/du, C = -M da/dv */
            yk_matrix_add_product(&s->system.M, -1, W + j * n, K + j * n);
            yk_matrix_add_product(&s->system.M, -1, other + j * n, C + j * n);
        }
        yk_fmu_symmetrize(n, n, K);
        yk_fmu_symmetrize(n, n, C);
        memcpy(s->system.K.x, K, n * bytes);
        memcpy(s->system.C.x, C, n * bytes);
    }
    free(room);
    return st;
}

enum yk_status yk_fmu_own_system(struct yk_system **system, struct yk_fmu_parts *p, struct yk_arena *mem,
                                 struct yk_err *err)
{
    struct yk_arena own = {0};
    struct own *s = yk_arena_take(mem = mem ? mem : &own, sizeof *s);
    enum yk_status st = YK_OK;

    *system = NULL;
    if (!s) {
        yk_fmu_parts_free(p);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    s->system =
        (struct yk_system){.n = p->n, .constant_tangents = true, .ops = &ops, .self = s, .u0 = p->u0, .v0 = p->v0};
    s->fmu = p->fmu;
    s->u_at = p->displacement;
    s->v_at = p->velocity;
    yk_arena_array(mem, &s->z, yk_fmu_states(p->fmu) + 1);
    yk_arena_array(mem, &s->out, 2 * p->n);
    yk_arena_pointer(mem, &s->system.self);
    yk_fmu_balance_layout(&s->balance, p->n, mem);
    s->system.own = own;
    if (yk_fmu_states(p->fmu) != 2 * p->n || yk_fmu_has_events(p->fmu))
        st = yk_fail(
            err, YK_E_UNSUPPORTED,
            "an FMU with degrees of freedom of its own must have no other states (it has %zu, of %zu degrees of "
            "freedom) and no events",
            yk_fmu_states(p->fmu), p->n);
    if (!st && !(st = yk_arena_check(mem, err)))
        st = prepare(s, p, err);
    p->fmu = NULL;
    p->u0 = p->v0 = NULL;
    p->displacement = p->velocity = NULL;
    yk_fmu_parts_free(p);
    if (st)
        yk_system_destroy(&s->system);
    else
        *system = &s->system;
    return st;
}
