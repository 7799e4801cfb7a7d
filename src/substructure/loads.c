/* Loads on a structure: f(t) = sum_i s_i(t) g_i, with g_i the direction of load i in the free degrees of freedom. */
#include <yoke/substructure.h>

#include <stdlib.h>
#include <string.h>

struct direction {
    const struct yk_signal_ops *signal;
    const void *settings;
    size_t first, count; /* entries in index and value; all of them: the index is not needed */
};

struct yk_load_set {
    size_t n, count;
    struct direction *directions;
    size_t *index;
    double *value;
};

static enum yk_status no_memory(size_t count, struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for %zu loads", count);
}

static struct yk_load_set *allocate(size_t n, size_t count)
{
    struct yk_load_set *set = calloc(1, sizeof *set);

    if (set) {
        *set = (struct yk_load_set){.n = n, .count = count};
        set->directions = calloc(count + 1, sizeof *set->directions);
        set->index = malloc((count * n + 1) * sizeof *set->index);
        set->value = malloc((count * n + 1) * sizeof *set->value);
    }
    if (set && set->directions && set->index && set->value)
        return set;
    yk_load_set_destroy(set);
    return NULL;
}

/* Direction i, behind those before it. */
static void put(struct yk_load_set *set, size_t i, const struct yk_signal_ops *signal, const void *settings,
                const double *g)
{
    const size_t first = i ? set->directions[i - 1].first + set->directions[i - 1].count : 0;
    struct direction *d = &set->directions[i];
    size_t entries = 0;

    *d = (struct direction){.signal = signal, .settings = settings, .first = first};
    for (size_t k = 0; k < set->n; k++)
        entries += g[k] != 0;
    for (size_t k = 0; k < set->n; k++)
        if (g[k] != 0 || 2 * entries > set->n) { /* mostly full: without an index */
            set->index[first + d->count] = k;
            set->value[first + d->count++] = g[k];
        }
}

enum yk_status yk_load_set_create(struct yk_load_set **created, const struct yk_assembly *assembly,
                                  const struct yk_load *loads, size_t count, struct yk_err *err)
{
    const size_t n = assembly->system->n;
    double *g = malloc((n + 1) * sizeof *g);

    *created = g ? allocate(n, count) : NULL;
    for (size_t i = 0; *created && i < count; i++) {
        memset(g, 0, n * sizeof *g);
        yk_matrix_add_product(&assembly->map[loads[i].substructure], 1, loads[i].direction, g); /* T^T, transposed */
        put(*created, i, loads[i].signal, loads[i].settings, g);
    }
    free(g);
    return *created ? YK_OK : no_memory(count, err);
}

enum yk_status yk_load_set_project(struct yk_load_set **created, const struct yk_load_set *set,
                                   const struct yk_matrix *P, struct yk_err *err)
{
    double *g = malloc((set->n + P->cols + 1) * sizeof *g), *seen = g ? g + set->n : NULL;

    *created = g ? allocate(P->cols, set->count) : NULL;
    for (size_t i = 0; *created && i < set->count; i++) {
        const struct direction *d = &set->directions[i];

        memset(g, 0, (set->n + P->cols) * sizeof *g);
        for (size_t k = d->first; k < d->first + d->count; k++)
            g[set->index[k]] = set->value[k];
        yk_matrix_add_transposed_product(P, 1, g, seen);
        put(*created, i, d->signal, d->settings, seen);
    }
    free(g);
    return *created ? YK_OK : no_memory(set->count, err);
}

void yk_load_set_destroy(struct yk_load_set *set)
{
    if (!set)
        return;
    free(set->directions);
    free(set->index);
    free(set->value);
    free(set);
}

YK_RT void yk_load_set_at(void *self, double t, double *f)
{
    const struct yk_load_set *set = self;

    size_t i = 0;

    if (set->count && set->directions[0].count == set->n) { /* in modes, usually */
        const struct direction *d = &set->directions[i++];

        yk_scaled(set->n, d->signal->value(d->settings, t), set->value, f);
    } else {
        memset(f, 0, set->n * sizeof *f);
    }
    for (; i < set->count; i++) {
        const struct direction *d = &set->directions[i];
        const double s = d->signal->value(d->settings, t);

        if (d->count == set->n) {
            yk_add_scaled(set->n, s, set->value + d->first, f);
            continue;
        }
        for (size_t k = d->first; k < d->first + d->count; k++)
            f[set->index[k]] += s * set->value[k];
    }
}
