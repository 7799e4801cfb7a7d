/* Loads on a structure: f(t) = sum_i s_i(t) g_i, with g_i the direction of load i in the free degrees of freedom. */
#include <yoke/substructure.h>

#include <stdlib.h>
#include <string.h>

struct direction {
    const struct yk_signal_ops *signal;
    const void *settings;
    size_t first, count; /* entries in index and value */
};

struct yk_load_set {
    size_t n, count;
    struct direction *directions;
    size_t *index;
    double *value;
    size_t rows;
    double *projected; /* rows x count: P^T g_i */
};

/* The direction in the free degrees of freedom, g = T^T d; `map` is transposed. */
static void add_direction(struct yk_load_set *set, size_t i, const struct yk_load *load, const struct yk_matrix *map,
                          double *dense, size_t *entries)
{
    struct direction *d = &set->directions[i];

    memset(dense, 0, set->n * sizeof *dense);
    yk_matrix_add_product(map, 1, load->direction, dense);
    *d = (struct direction){.signal = load->signal, .settings = load->settings, .first = *entries};
    for (size_t k = 0; k < set->n; k++)
        if (dense[k] != 0) {
            set->index[*entries] = k;
            set->value[(*entries)++] = dense[k];
            d->count++;
        }
}

enum yk_status yk_load_set_create(struct yk_load_set **created, const struct yk_assembly *assembly,
                                  const struct yk_load *loads, size_t count, struct yk_err *err)
{
    const size_t n = assembly->system->n;
    struct yk_load_set *set = calloc(1, sizeof *set);
    double *dense = malloc((n + 1) * sizeof *dense);
    size_t entries = 0;

    *created = NULL;
    if (set) {
        set->n = n;
        set->count = count;
        set->directions = calloc(count + 1, sizeof *set->directions);
        set->index = malloc((count * n + 1) * sizeof *set->index);
        set->value = malloc((count * n + 1) * sizeof *set->value);
    }
    if (!set || !dense || !set->directions || !set->index || !set->value) {
        free(dense);
        yk_load_set_destroy(set);
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu loads", count);
    }
    for (size_t i = 0; i < count; i++)
        add_direction(set, i, &loads[i], &assembly->map[loads[i].substructure], dense, &entries);
    free(dense);
    *created = set;
    return YK_OK;
}

void yk_load_set_destroy(struct yk_load_set *set)
{
    if (!set)
        return;
    free(set->directions);
    free(set->index);
    free(set->value);
    free(set->projected);
    free(set);
}

YK_RT void yk_load_set_at(void *self, double t, double *f)
{
    const struct yk_load_set *set = self;

    memset(f, 0, set->n * sizeof *f);
    for (size_t i = 0; i < set->count; i++) {
        const struct direction *d = &set->directions[i];
        const double s = d->signal->value(d->settings, t);

        for (size_t k = d->first; k < d->first + d->count; k++)
            f[set->index[k]] += s * set->value[k];
    }
}

enum yk_status yk_load_set_project(struct yk_load_set *set, const struct yk_matrix *P, struct yk_err *err)
{
    double *g = malloc((set->n + 1) * sizeof *g);

    set->rows = P->cols;
    set->projected = calloc(set->rows * set->count + 1, sizeof *set->projected);
    if (!g || !set->projected) {
        free(g);
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu loads", set->count);
    }
    for (size_t i = 0; i < set->count; i++) {
        const struct direction *d = &set->directions[i];

        memset(g, 0, set->n * sizeof *g);
        for (size_t k = d->first; k < d->first + d->count; k++)
            g[set->index[k]] = set->value[k];
        yk_matrix_add_transposed_product(P, 1, g, set->projected + i * set->rows);
    }
    free(g);
    return YK_OK;
}

YK_RT void yk_load_set_trace(void *self, double t, double *q)
{
    const struct yk_load_set *set = self;
    const double *g = set->projected;

    memset(q, 0, set->rows * sizeof *q);
    for (size_t i = 0; i < set->count; i++, g += set->rows) {
        const struct direction *d = &set->directions[i];
        const double s = d->signal->value(d->settings, t);

        for (size_t r = 0; r < set->rows; r++)
            q[r] += s * g[r];
    }
}
