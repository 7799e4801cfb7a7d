/* Is the modal path faster? docs/performance.md, "The modal path".
 *
 * Estimates for one stage of a step, on a 2.8 GHz x86 with AVX2. They only have to be right in proportion, and they are
 * constants, so that a file takes the same path on every run. */
#include "linalg/symmetric.h"
#include "substructure/assembled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEWEST_MODES = 33,
    SMALL_ORDER = 128,    /* up to which equations are solved with an inverse */
    PART_PRODUCTS = 5,    /* with each column of what is not linear: u, v, force, solution ... */
    TANGENT_PRODUCTS = 10 /* ... and where its tangents are followed */
};

#define SPARSE_ENTRY 0.6e-9 /* of a product */
#define DENSE_ENTRY  0.1e-9 /* likewise, and of a solution with an inverse ... */
#define FAR_ENTRY    0.3e-9 /* ... that is not in the nearer caches */
#define NEAR_ENTRIES 1e5
#define MODE_STEP    2e-9     /* a mode */
#define MODES_RATE   0.7e-9   /* finding the modes, for n^3 */
#define CORRECTION   2e-9     /* a correction of rank r, for r^2 ... */
#define LU_PRODUCT   0.045e-9 /* ... and for r^3 */
#define CLEAR_GAIN   1.5      /* less is not worth other bits */

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
static enum yk_status looks_classical(const struct yk_system *s, const struct yk_linear *l, bool *classical,
                                      struct yk_err *err)
{
    const size_t n = s->n;
    double *x = calloc(4 * n + 1, sizeof *x), *y = x + n, *Kx = y + n, *Cx = Kx + n, across[2], size = 0;
    struct yk_factor *M = NULL;
    enum yk_status st = x ? yk_factor_create(&M, &s->M, NULL, err)
                          : yk_fail(err, YK_E_MEMORY, "out of memory for the modes of the structure");

    for (size_t i = 0; i < n && !st; i++) {
        x[i] = sin(1 + (double)(i * i));
        y[i] = cos(2 + 3 * (double)i);
    }
    for (int k = 0; k < 2 && !st; k++) {
        memset(Kx, 0, 2 * n * sizeof *Kx);
        yk_matrix_add_product(&l->K, 1, k ? y : x, Kx);
        yk_matrix_add_product(&l->C, 1, k ? x : y, Cx);
        yk_factor_solve(M, Kx);
        across[k] = yk_dot(n, Kx, Cx);
        size += sqrt(yk_dot(n, Kx, Kx) * yk_dot(n, Cx, Cx));
    }
    *classical = !st && fabs(across[0] - across[1]) <= 1e-9 * size;
    yk_factor_destroy(M);
    free(x);
    return st;
}

/* A stage in modes, and what is read after it. Where tangents change, as if the method followed them. */
static double cost_in_modes(const struct yk_assembly *of, double reads)
{
    const struct yk_system *s = of->system;
    const double n = (double)s->n, r = (double)yk_modal_columns(of), a_product = cost_of_entries(n * n) / n;
    const bool changes = !s->linear && !s->constant_tangents;

    return MODE_STEP * n + reads * a_product + (changes ? TANGENT_PRODUCTS : PART_PRODUCTS) * cost_of_entries(r * n) +
           (changes ? CORRECTION * r * r + LU_PRODUCT * r * r * r : 0);
}

static enum yk_status pays(const struct yk_assembly *of, const struct yk_modal_wish *wish, bool *modal,
                           struct yk_err *err)
{
    struct yk_system *s = of->system;
    const double n = (double)s->n;
    struct yk_linear l = {0};
    double solution;
    enum yk_status st;

    *modal = false;
    /* reading all u, v and a takes as long as a dense step: no need to look at the matrices */
    if (s->n > SMALL_ORDER && wish->reads >= 3 * n)
        return YK_OK;
    if (s->n < FEWEST_MODES || yk_modal_obstacle(of))
        return YK_OK;
    if ((st = cost_of_solution(s, &solution, err)))
        return st;
    s->solving.modal.given_s = solution + cost_of_product(&s->K) + cost_of_product(&s->C);
    s->solving.modal.modal_s = cost_in_modes(of, wish->reads);
    if (CLEAR_GAIN * s->solving.modal.modal_s >= s->solving.modal.given_s)
        return YK_OK;
    if (wish->steps * (s->solving.modal.given_s - s->solving.modal.modal_s) <= MODES_RATE * n * n * n) {
        s->solving.modal.reason = "finding the modes takes longer than the run would save";
        return YK_OK;
    }
    if (!(st = yk_modal_linear(of, &l, err)) && !(st = looks_classical(s, &l, modal, err)) && !*modal)
        s->solving.modal.reason = "the damping is not classical";
    yk_modal_linear_free(&l);
    return st == YK_E_UNSUPPORTED ? YK_OK : st;
}

enum yk_status yk_modal_choose(struct yk_assembly *modal, const struct yk_assembly *of,
                               const struct yk_modal_wish *wish, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_err reason = {0};
    bool taken = wish->use == YK_MODAL_ALWAYS;
    enum yk_status st = wish->use == YK_MODAL_IF_FASTER ? pays(of, wish, &taken, &reason) : YK_OK;

    *modal = (struct yk_assembly){0};
    if (!st && taken)
        st = yk_modal_create(modal, of, mem, &reason);
    if (st)
        of->system->solving.modal.reason = yk_modal_obstacle(of)    ? yk_modal_obstacle(of)
                                           : st == YK_E_UNSUPPORTED ? "the damping is not classical"
                                                                    : "the modes were not found";
    if (st && st != YK_E_MEMORY && wish->use == YK_MODAL_IF_FASTER)
        return YK_OK;
    if (st && err)
        *err = reason;
    if (!st && taken)
        modal->system->solving = (struct yk_solving){.modal = of->system->solving.modal};
    return st;
}
