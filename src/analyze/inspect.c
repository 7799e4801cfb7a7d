/* Checks of a model by its matrices.
 *
 * The mass that moves along x is b^T M b with b = 1 for every degree of freedom x. A mode is a rigid-body mode if its
 * strain energy phi^T K phi cancels, |phi^T K phi| < CANCELLED sum |phi_i K_ij phi_j|, and the next elastic mode is far
 * above: files hold 9 to 16 digits, so neither test would do alone. */
#include "base/rotation.h"
#include "linalg/definite.h"

#include <yoke/inspect.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CANCELLED      1e-8 /* remaining part of the strain energy of a rigid motion */
#define FAR_BELOW      1e-6 /* of the next eigenvalue                              */
#define MOST_ASYMMETRY 1e-6

void yk_inspection_free(struct yk_inspection *x)
{
    free(x->frequency_Hz);
    free(x->shape);
    free(x->largest);
    *x = (struct yk_inspection){0};
}

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for the modes of a model");
}

/* ---- names ---- */

static size_t node_length(const char *dof)
{
    const char *dot = strrchr(dof, '.');

    return dot ? (size_t)(dot - dof) : 0;
}

static int by_node(const void *a, const void *b)
{
    const char *one = *(const char *const *)a, *two = *(const char *const *)b;
    const size_t m = node_length(one), n = node_length(two);
    const int order = strncmp(one, two, m < n ? m : n);

    return order ? order : m < n ? -1 : m > n;
}

static enum yk_status count_nodes(struct yk_inspection *x, const struct yk_substructure *s, struct yk_err *err)
{
    const char **names = malloc((x->n + 1) * sizeof *names);

    if (!names)
        return no_memory(err);
    for (size_t i = 0; i < x->n; i++)
        names[i] = s->dofs[i];
    qsort(names, x->n, sizeof *names, by_node);
    for (size_t i = 0; i < x->n; i++)
        if (node_length(names[i]) && (i == 0 || by_node(&names[i - 1], &names[i]) != 0))
            x->nodes++;
    free(names);
    return YK_OK;
}

/* ---- mass ---- */

/* Is it said of every degree of freedom in which direction it moves? */
static bool knows_directions(const struct yk_substructure *s)
{
    for (size_t i = 0; i < s->system->n; i++) {
        const size_t node = node_length(s->dofs[i]);
        const char *direction = s->dofs[i] + (node ? node + 1 : 0);

        if (!yk_is_rotation(s->dofs[i]) && (!*direction || !strchr("xyzq", *direction) || direction[1]))
            return false;
    }
    return !s->system->mass_divided_out;
}

static enum yk_status moving_mass(struct yk_inspection *x, const struct yk_substructure *s, struct yk_err *err)
{
    const bool known = knows_directions(s);
    double *b = calloc(2 * x->n, sizeof *b), *product = b + x->n;

    if (!b)
        return no_memory(err);
    for (int axis = 0; axis < YK_AXES; axis++) {
        bool any = false;

        for (size_t i = 0; i < x->n; i++) {
            const size_t node = node_length(s->dofs[i]);
            const char *direction = s->dofs[i] + (node ? node + 1 : 0);

            b[i] = direction[0] == "xyz"[axis] && !direction[1];
            any |= b[i] != 0;
        }
        memset(product, 0, x->n * sizeof *product);
        yk_matrix_add_product(&s->system->M, 1, b, product);
        x->mass_kg[axis] = any && known ? yk_dot(x->n, b, product) : NAN;
    }
    free(b);
    return YK_OK;
}

/* ---- modes ---- */

/* sum_ij |phi_i K_ij phi_j| */
static double gross_energy(const struct yk_matrix *K, const double *phi)
{
    double sum = 0;

    for (size_t j = 0; j < K->cols; j++) {
        const size_t first = K->form == YK_SPARSE ? (size_t)K->col[j] : K->form == YK_DENSE ? j * K->rows : j;
        const size_t end = K->form == YK_SPARSE ? (size_t)K->col[j + 1] : K->form == YK_DENSE ? first + K->rows : j + 1;

        for (size_t k = first; k < end; k++) {
            const size_t i = K->form == YK_SPARSE ? (size_t)K->row[k] : K->form == YK_DENSE ? k - first : j;

            sum += fabs(phi[i] * K->x[k] * phi[j]);
        }
    }
    return sum;
}

static size_t largest_at(size_t n, const double *phi)
{
    size_t largest = 0;

    for (size_t i = 1; i < n; i++)
        if (fabs(phi[i]) > fabs(phi[largest]))
            largest = i;
    return largest;
}

/* Rigid: those whose energy cancels, below the last wide gap. */
static void classify(struct yk_inspection *x, const struct yk_matrix *K, const double *w2)
{
    size_t cancelled = 0;

    for (size_t k = 0; k < x->modes; k++) {
        const double gross = gross_energy(K, x->shape + k * x->n);

        x->largest[k] = largest_at(x->n, x->shape + k * x->n);
        if (cancelled == k && fabs(w2[k]) <= CANCELLED * gross) {
            cancelled++;
            if (k + 1 == x->modes || fabs(w2[k]) < FAR_BELOW * fabs(w2[k + 1]))
                x->rigid = k + 1;
        }
        x->negative += w2[k] < -CANCELLED * gross;
        x->frequency_Hz[k] = sqrt(w2[k]) / (2 * M_PI); /* NaN where negative */
    }
    for (size_t k = 0; k < x->rigid; k++)
        x->frequency_Hz[k] = 0;
}

static enum yk_status find_modes(struct yk_inspection *x, const struct yk_system *system, size_t modes,
                                 struct yk_err *err)
{
    double *w2 = calloc(modes + 1, sizeof *w2);
    enum yk_status st = YK_OK;

    x->frequency_Hz = calloc(modes + 1, sizeof *x->frequency_Hz);
    x->largest = calloc(modes + 1, sizeof *x->largest);
    x->shape = calloc(modes * x->n + 1, sizeof *x->shape);
    if (!w2 || !x->frequency_Hz || !x->largest || !x->shape)
        st = no_memory(err);
    else if (!(st = yk_eigen_symmetric(&system->K, &system->M, modes, w2, x->shape, err)))
        x->modes = modes;
    if (!st)
        classify(x, &system->K, w2);
    free(w2);
    return st;
}

enum yk_status yk_inspect(struct yk_inspection *x, const struct yk_substructure *s, size_t modes, struct yk_err *err)
{
    const struct yk_system *system = s->system;
    size_t i, j;
    enum yk_status st;

    *x = (struct yk_inspection){.n = system->n};
    x->asymmetry_mass = yk_matrix_asymmetry(&system->M, &i, &j);
    x->asymmetry_stiffness = yk_matrix_asymmetry(&system->K, &i, &j);
    x->mass_definite = yk_matrix_is_definite(&system->M, &x->mass_lost);
    if ((st = count_nodes(x, s, err)) || (st = moving_mass(x, s, err)))
        return st;
    if (x->mass_definite && x->asymmetry_mass <= MOST_ASYMMETRY && x->asymmetry_stiffness <= MOST_ASYMMETRY)
        st = find_modes(x, system, modes < x->n ? modes : x->n, err);
    if (st)
        yk_inspection_free(x);
    return st;
}
