/* A structure in its undamped modes q. docs/theory/modal.md, eq. (1)-(4).
 *
 *     u = X q,   X^T M X = I,   X^T K X = diag(w^2),   X^T C X = diag(c)   where the damping is classical
 *
 * M, C and K are those of the assembled structure in its initial state. The same integrator or coupling then steps
 * scalars instead of matrices; loads come in and displacements go out through the maps of the assembly, X^T T_k^T.
 * Parts that are not linear are evaluated in their own degrees of freedom. Units: q in kg^1/2 m. */
#include "linalg/modes.h"
#include "linalg/symmetric.h"
#include "substructure/assembled.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MODES = 4000 }; /* modes and maps take n*n numbers each */

/* |c_ij| / (w_i + w_j) of two modes, like a damping ratio: what is neglected of it moves the response by less than
 * 1e-10 of its peak. */
#define CLASSICAL 1e-10

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for the modes of the structure");
}

static enum yk_status refuse(struct yk_err *err, const char *reason)
{
    return yk_fail_about(err, YK_E_UNSUPPORTED, "path", "path: modal cannot be taken here: %s", reason);
}

static enum yk_status check(const struct yk_assembly *of, struct yk_err *err)
{
    const struct yk_system *s = of->system;

    if (s->mass_divided_out)
        return refuse(err, "the mass depends on the configuration");
    if (s->n > MOST_MODES)
        return yk_fail_about(err, YK_E_RANGE, "path",
                             "path: modal cannot be taken here: %zu degrees of freedom are more than %d; reduce the "
                             "model first (yoke reduce)",
                             s->n, MOST_MODES);
    if (of->borrowed && !s->linear)
        return refuse(err, "no substructure is linear; put what is not linear into a substructure of its own and join "
                           "it to the rest");
    return YK_OK;
}

/* Diagonal of X^T C X; refused where it is not all. */
static enum yk_status take_damping(const struct yk_matrix *C, const double *X, const double *w2, double *c,
                                   struct yk_err *err)
{
    const size_t n = C->rows;
    double *S = malloc((n * n + 1) * sizeof *S), most = 0, worst = 0;
    size_t at[2] = {0, 0};
    enum yk_status st = S ? yk_congruence(C, X, S, err) : no_memory(err);

    for (size_t j = 0; j < n && !st; j++) {
        c[j] = S[j + j * n];
        most = fmax(most, fabs(c[j]));
    }
    for (size_t j = 0; j < n && !st; j++)
        for (size_t i = 0; i < n; i++) {
            const double w = sqrt(fabs(w2[i])) + sqrt(fabs(w2[j]));
            const double beyond = fabs(S[i + j * n]) - 4 * DBL_EPSILON * (double)n * most; /* rounding of the sums */

            if (i == j || beyond <= worst * w)
                continue;
            worst = w > 0 ? beyond / w : INFINITY;
            at[0] = j;
            at[1] = i;
        }
    free(S);
    if (!st && worst > CLASSICAL)
        st = yk_fail_about(err, YK_E_UNSUPPORTED, "path",
                           "path: modal cannot be taken here: the damping is not classical; it joins modes %zu (%.4g "
                           "Hz) and %zu (%.4g Hz) by %.2g of critical damping, at most %g is rounding",
                           at[0] + 1, sqrt(fabs(w2[at[0]])) / 6.283185307179586, at[1] + 1,
                           sqrt(fabs(w2[at[1]])) / 6.283185307179586, worst, CLASSICAL);
    return st;
}

/* M = 1, K = diag(w2), C = diag(c) */
static enum yk_status take_matrices(struct yk_assembled *a, struct yk_err *err)
{
    struct yk_system *s = &a->system;
    const size_t n = s->n;
    struct yk_matrix *const all[] = {&s->M, &s->C, &s->K};
    enum yk_status st = YK_OK;

    for (int i = 0; i < 3 && !st; i++)
        st = yk_matrix_init(all[i], YK_DIAGONAL, n, n, err);
    if (st || (st = yk_modes(&a->whole->K, &a->whole->M, s->K.x, a->modes, err)) ||
        (st = take_damping(&a->whole->C, a->modes, s->K.x, s->C.x, err)))
        return st;
    for (size_t i = 0; i < n; i++)
        s->M.x[i] = 1;
    return YK_OK;
}

/* The parts that are not linear. */
static enum yk_status take_parts(struct yk_assembled *a, struct yk_assembly *modal, const struct yk_assembly *of,
                                 struct yk_arena *mem, struct yk_err *err)
{
    const struct yk_assembled *given = of->borrowed ? NULL : of->system->self;
    size_t most = 0;

    a->parts = yk_arena_take(mem, (of->count + 1) * sizeof *a->parts);
    for (size_t k = 0; a->parts && given && k < given->count; k++) {
        struct yk_system *own = given->parts[k].system;
        struct yk_part *part = &a->parts[a->count];

        if (own->linear)
            continue;
        part->system = own;
        part->map = &modal->map[k];
        part->f = yk_arena_doubles(mem, own->n);
        part->u = yk_arena_doubles(mem, own->n);
        part->v = yk_arena_doubles(mem, own->n);
        part->p = yk_arena_doubles(mem, own->n);
        if (!own->constant_tangents && own->n > most)
            most = own->n;
        a->count++;
    }
    a->Ksub = yk_arena_doubles(mem, most * most);
    a->Csub = yk_arena_doubles(mem, most * most);
    return yk_arena_check(mem, err);
}

static enum yk_status make(struct yk_assembled *a, struct yk_assembly *modal, const struct yk_assembly *of,
                           struct yk_arena *mem, struct yk_err *err)
{
    struct yk_system *s = &a->system;
    const size_t n = s->n;
    enum yk_status st;

    a->modes = malloc((n * n + 1) * sizeof *a->modes);
    s->u0 = calloc(n + 1, sizeof(double));
    s->v0 = calloc(n + 1, sizeof(double));
    yk_arena_each(mem, n, 4, (double **const[]){&a->f, &a->u, &a->v, &a->work});
    if (!a->modes || !s->u0 || !s->v0 || !modal->map)
        return no_memory(err);
    if ((st = yk_arena_check(mem, err)) || (st = take_matrices(a, err)))
        return st;
    for (size_t k = 0; k < of->count && !st; k++)
        st = yk_project(a->modes, &of->map[k], &modal->map[k], err);
    if (st || (st = take_parts(a, modal, of, mem, err)))
        return st;
    yk_modal_from(modal, a->whole->u0, s->u0);
    yk_modal_from(modal, a->whole->v0, s->v0);
    return YK_OK;
}

enum yk_status yk_modal_create(struct yk_assembly *modal, const struct yk_assembly *of, struct yk_arena *mem,
                               struct yk_err *err)
{
    struct yk_arena own = {0};
    struct yk_assembled *a;
    enum yk_status st = check(of, err);

    *modal = (struct yk_assembly){0};
    if (st)
        return st;
    if (!(a = yk_arena_take(mem = mem ? mem : &own, sizeof *a)))
        return no_memory(err);
    a->whole = of->system;
    a->system = (struct yk_system){.n = of->system->n,
                                   .linear = of->system->linear,
                                   .constant_tangents = of->system->constant_tangents,
                                   .path = YK_SOLVE_MODAL,
                                   .ops = &yk_assembled_ops,
                                   .self = a};
    *modal = (struct yk_assembly){
        .system = &a->system, .count = of->count, .map = calloc(of->count + 1, sizeof *modal->map), .own = own};
    if ((st = make(a, modal, of, mem, err)))
        yk_assembly_destroy(modal);
    return st;
}

/* ---- does it pay? ------------------------------------------------------------------------------------------------
 *
 * Estimates for one stage of a step, on a 2.8 GHz x86 with AVX2. They only have to be right in proportion, and they are
 * constants, so that a file takes the same path on every run. */

enum { FEWEST_MODES = 33, SMALL_ORDER = 128 /* up to which equations are solved with an inverse */ };

#define SPARSE_ENTRY 0.6e-9 /* of a product */
#define DENSE_ENTRY  0.1e-9 /* likewise, and of a solution with an inverse ... */
#define FAR_ENTRY    0.3e-9 /* ... that is not in the nearer caches */
#define NEAR_ENTRIES 1e5
#define MODE_STEP    2e-9   /* a mode */
#define MODES_RATE   1.2e-9 /* finding the modes, for n^3 */
#define CLEAR_GAIN   1.5    /* less is not worth other bits */

static double cost_of_entries(double count)
{
    return count * (count > NEAR_ENTRIES ? FAR_ENTRY : DENSE_ENTRY);
}

static double cost_of_product(const struct yk_matrix *A)
{
    return A->form == YK_SPARSE  ? SPARSE_ENTRY * (double)yk_matrix_nonzeros(A)
           : A->form == YK_DENSE ? cost_of_entries((double)A->rows * (double)A->cols)
                                 : 0;
}

/* A solution with M + C + K. */
static enum yk_status cost_of_solution(const struct yk_system *s, double *cost, struct yk_err *err)
{
    struct yk_matrix sum = {0};
    struct yk_symmetric ldlt;
    enum yk_status st = YK_OK;

    *cost = cost_of_entries((double)s->n * (double)s->n);
    if (s->n <= SMALL_ORDER)
        return YK_OK;
    if (!(st = yk_matrix_combine(&sum, 3, (double[]){1, 1, 1}, (const struct yk_matrix *[]){&s->M, &s->C, &s->K},
                                 err)) &&
        sum.form == YK_SPARSE && !(st = yk_symmetric_create(&ldlt, &sum, YK_SOLVE_AUTO, 0, err))) {
        *cost = ldlt.solve_s;
        yk_symmetric_fini(&ldlt);
    }
    yk_matrix_fini(&sum);
    return st;
}

/* x^T C M^-1 K y = y^T C M^-1 K x for all x and y where the damping is classical: a first look, for one pair. */
static enum yk_status looks_classical(const struct yk_system *s, bool *classical, struct yk_err *err)
{
    const size_t n = s->n;
    double *x = calloc(4 * n + 1, sizeof *x), *y = x + n, *Kx = y + n, *Cx = Kx + n, across[2], size = 0;
    struct yk_factor *M = NULL;
    enum yk_status st = x ? yk_factor_create(&M, &s->M, NULL, err) : no_memory(err);

    for (size_t i = 0; i < n && !st; i++) {
        x[i] = sin(1 + (double)(i * i));
        y[i] = cos(2 + 3 * (double)i);
    }
    for (int k = 0; k < 2 && !st; k++) {
        memset(Kx, 0, 2 * n * sizeof *Kx);
        yk_matrix_add_product(&s->K, 1, k ? y : x, Kx);
        yk_matrix_add_product(&s->C, 1, k ? x : y, Cx);
        yk_factor_solve(M, Kx);
        across[k] = yk_dot(n, Kx, Cx);
        size += sqrt(yk_dot(n, Kx, Kx) * yk_dot(n, Cx, Cx));
    }
    *classical = !st && fabs(across[0] - across[1]) <= 1e-9 * size;
    yk_factor_destroy(M);
    free(x);
    return st;
}

static enum yk_status pays(const struct yk_assembly *of, const struct yk_modal_wish *wish, bool *modal,
                           struct yk_err *err)
{
    struct yk_system *s = of->system;
    const double n = (double)s->n, reading = wish->reads * cost_of_entries(n * n) / n;
    double solution;
    enum yk_status st;

    *modal = false;
    if (s->n < FEWEST_MODES || s->n > MOST_MODES || s->mass_divided_out || !(s->linear || s->constant_tangents))
        return YK_OK;
    if ((st = cost_of_solution(s, &solution, err)))
        return st;
    s->solving.given_s = solution + cost_of_product(&s->K) + cost_of_product(&s->C);
    s->solving.modal_s = MODE_STEP * n + reading;
    if (CLEAR_GAIN * s->solving.modal_s < s->solving.given_s &&
        wish->steps * (s->solving.given_s - s->solving.modal_s) > MODES_RATE * n * n * n)
        return looks_classical(s, modal, err);
    return YK_OK;
}

enum yk_status yk_modal_choose(struct yk_assembly *modal, const struct yk_assembly *of,
                               const struct yk_modal_wish *wish, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_err reason = {0};
    bool taken = wish->use == YK_MODAL_ALWAYS;
    enum yk_status st = wish->use == YK_MODAL_IF_FASTER ? pays(of, wish, &taken, err) : YK_OK;

    *modal = (struct yk_assembly){0};
    if (st || !taken)
        return st;
    st = yk_modal_create(modal, of, mem, &reason);
    if (st == YK_E_UNSUPPORTED && wish->use == YK_MODAL_IF_FASTER)
        return YK_OK;
    if (st && err)
        *err = reason;
    if (!st)
        modal->system->solving =
            (struct yk_solving){.given_s = of->system->solving.given_s, .modal_s = of->system->solving.modal_s};
    return st;
}

/* X^T M x */
void yk_modal_from(const struct yk_assembly *modal, const double *x, double *q)
{
    const struct yk_assembled *a = modal->system->self;
    const size_t n = a->system.n;
    const struct yk_matrix X = {.form = YK_DENSE, .rows = n, .cols = n, .x = a->modes};

    memset(a->work, 0, n * sizeof *a->work);
    memset(q, 0, n * sizeof *q);
    yk_matrix_add_product(&a->whole->M, 1, x, a->work);
    yk_matrix_add_transposed_product(&X, 1, a->work, q);
}

void yk_modal_start(const struct yk_assembly *modal, const double **u0, const double **v0)
{
    const struct yk_assembled *a = modal->system->self;

    yk_modal_from(modal, a->whole->u0, a->u); /* what the energy account begins with */
    yk_modal_from(modal, a->whole->v0, a->v);
    *u0 = a->u;
    *v0 = a->v;
}

/* M X p */
void yk_modal_force(const struct yk_assembly *modal, const double *p, double *f)
{
    const struct yk_assembled *a = modal->system->self;
    const size_t n = a->system.n;
    const struct yk_matrix X = {.form = YK_DENSE, .rows = n, .cols = n, .x = a->modes};

    memset(a->work, 0, n * sizeof *a->work);
    memset(f, 0, n * sizeof *f);
    yk_matrix_add_product(&X, 1, p, a->work);
    yk_matrix_add_product(&a->whole->M, 1, a->work, f);
}

enum yk_status yk_modal_project(const struct yk_assembly *modal, struct yk_matrix *A, struct yk_err *err)
{
    const struct yk_assembled *a = modal->system->self;
    struct yk_matrix B = {0};
    enum yk_status st = yk_project(a->modes, A, &B, err);

    if (!st) {
        yk_matrix_fini(A);
        *A = B;
    }
    return st;
}
