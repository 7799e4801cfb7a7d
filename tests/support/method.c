#include "support/method.h"

#include "support/check.h"
#include "support/duffing.h"

#include <stdlib.h>
#include <string.h>

void set_reals(const struct yk_param *params, void *settings, const char *name, const double *x, size_t n)
{
    for (const struct yk_param *p = params; p->name; p++)
        if (strcmp(p->name, name) == 0) {
            struct yk_reals *list = (struct yk_reals *)((char *)settings + p->offset);

            *list = (struct yk_reals){malloc(n * sizeof *x), n};
            assert_non_null(list->x);
            memcpy(list->x, x, n * sizeof *x);
            return;
        }
    fail_msg("there is no setting '%s'", name);
}

void *method_settings(const struct yk_integrator_ops *ops, const struct setting *set)
{
    void *settings = calloc(1, ops->size);

    assert_non_null(settings);
    yk_param_defaults(ops->params, settings);
    for (size_t i = 0; set && i < METHOD_SETTINGS && set[i].name; i++)
        assert_ok(yk_param_set(ops->params, settings, set[i].name, set[i].value, &err));
    return settings;
}

const struct yk_integrator_ops *method_ops(const struct method *method)
{
    const struct yk_integrator_ops *ops = yk_integrator_find(method->integrator);

    assert_non_null(ops);
    return ops;
}

const char *method_label(const struct method *method)
{
    static char label[128];
    size_t used = (size_t)snprintf(label, sizeof label, "%s", method->integrator);

    for (size_t i = 0; i < METHOD_SETTINGS && method->set[i].name; i++)
        used +=
            (size_t)snprintf(label + used, sizeof label - used, " %s=%g", method->set[i].name, method->set[i].value);
    return label;
}

void method_open(struct yk_domain *d, const struct method *method, struct yk_system *system, struct yk_loading loading,
                 double dt)
{
    const struct yk_integrator_ops *ops = method_ops(method);
    void *settings = method_settings(ops, method->set);

    assert_ok(yk_domain_create(d, ops, settings, system, loading, dt, NULL, &err));
    free(settings);
    assert_int_equal(yk_domain_start(d, system->u0, system->v0), YK_OK);
}

struct yk_system *oscillator_create(double omega, double xi, double u0, double v0)
{
    struct yk_matrix M, C, K;

    assert_ok(yk_matrix_init(&M, YK_DENSE, 1, 1, &err));
    assert_ok(yk_matrix_init(&C, YK_DENSE, 1, 1, &err));
    assert_ok(yk_matrix_init(&K, YK_DENSE, 1, 1, &err));
    M.x[0] = 1;
    C.x[0] = 2 * xi * omega;
    K.x[0] = omega * omega;
    return duffing_create(M, C, K, 0, true, &u0, &v0);
}

/* diagonal * I + neighbour on both sides of it */
static void tridiagonal(struct yk_matrix *A, size_t n, enum yk_form form, double diagonal, double neighbour)
{
    int *row = malloc(3 * n * sizeof *row), *col = malloc(3 * n * sizeof *col);
    double *value = malloc(3 * n * sizeof *value);
    size_t count = 0;

    assert_true(row && col && value);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i ? i - 1 : 0; j <= i + 1 && j < n; j++, count++) {
            row[count] = (int)i;
            col[count] = (int)j;
            value[count] = i == j ? diagonal : neighbour;
        }
    if (form == YK_SPARSE)
        assert_ok(yk_matrix_from_triplets(A, n, n, count, row, col, value, &err));
    else
        assert_ok(yk_matrix_init(A, form, n, n, &err));
    for (size_t i = 0; form == YK_DIAGONAL && i < n; i++)
        A->x[i] = diagonal;
    for (size_t i = 0; form == YK_DENSE && i < count; i++)
        A->x[(size_t)row[i] + (size_t)col[i] * n] = value[i];
    free(row);
    free(col);
    free(value);
}

void chain_matrices(const struct chain *c, enum yk_form form, struct yk_matrix *M, struct yk_matrix *C,
                    struct yk_matrix *K)
{
    tridiagonal(M, c->n, form == YK_SPARSE ? YK_DIAGONAL : form, c->m, 0);
    tridiagonal(C, c->n, form, c->a * c->m + 2 * c->b * c->k, -c->b * c->k);
    tridiagonal(K, c->n, form, 2 * c->k, -c->k);
}
