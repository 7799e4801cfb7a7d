#include "support/coupled.h"
#include "engine/crew.h"
#include "support/check.h"

#include <stdlib.h>

static struct yk_matrix dense(size_t n, const double *rows)
{
    struct yk_matrix A = {0};

    assert_ok(yk_matrix_init(&A, YK_DENSE, n, n, &err));
    for (size_t i = 0; rows && i < n; i++)
        for (size_t j = 0; j < n; j++)
            A.x[i + j * n] = rows[i * n + j];
    return A;
}

static double *copy(size_t n, const double *x)
{
    double *y = calloc(n, sizeof *y);

    assert_non_null(y);
    if (x)
        memcpy(y, x, n * sizeof *y);
    return y;
}

static char **dof_names(size_t n)
{
    char **names = calloc(n, sizeof *names);

    assert_non_null(names);
    for (size_t i = 0; i < n; i++)
        assert_true(asprintf(&names[i], "q%zu", i) > 0);
    return names;
}

void torn_from_systems(struct torn *t, struct yk_system **systems, const bool *fine, size_t count,
                       const struct torn_join *joins, size_t join_count, double dt, int substeps)
{
    struct yk_row *rows = calloc(join_count + 1, sizeof *rows);
    size_t(*index)[2][2] = calloc(join_count + 1, sizeof *index);
    double coefficient[2] = {1, -1};
    bool plain = true;

    *t = (struct torn){.count = count, .subs = calloc(count, sizeof *t->subs)};
    assert_true(rows && index && t->subs);
    for (size_t k = 0; k < count; k++) {
        t->subs[k].system = systems[k];
        t->subs[k].fine = fine[k];
        t->subs[k].dofs = dof_names(systems[k]->n);
        assert_true(asprintf(&t->subs[k].name, "S%zu", k) > 0);
        plain = plain && !systems[k]->mass_divided_out;
    }
    for (size_t r = 0; r < join_count; r++) {
        index[r][0][0] = joins[r].part_a;
        index[r][0][1] = joins[r].part_b;
        index[r][1][0] = joins[r].dof_a;
        index[r][1][1] = joins[r].dof_b;
        rows[r] = (struct yk_row){2, index[r][0], index[r][1], coefficient, {"test", 1, 1}};
    }
    if (plain) /* a configuration-dependent mass has no untorn structure */
        assert_ok(yk_assembly_create(&t->untorn, t->subs, count, rows, join_count, NULL, &err));
    const struct yk_coupled_parts parts = {.substructures = t->subs,
                                           .count = count,
                                           .rows = rows,
                                           .row_count = join_count,
                                           .dt = dt,
                                           .substeps = substeps,
                                           .untorn = plain ? &t->untorn : NULL};
    assert_ok(yk_coupled_create(&t->problem, &parts, NULL, &err));
    free(rows);
    free(index);
}

void torn_make(struct torn *t, const struct torn_part *parts, size_t count, const struct torn_join *joins,
               size_t join_count, double dt, int substeps)
{
    struct yk_system **systems = calloc(count, sizeof *systems);
    bool *fine = calloc(count, sizeof *fine);

    assert_true(systems && fine);
    for (size_t k = 0; k < count; k++) {
        const size_t n = parts[k].n;
        struct yk_structure_parts p = {.M = dense(n, parts[k].M),
                                       .C = dense(n, parts[k].C),
                                       .K = dense(n, parts[k].K),
                                       .u0 = copy(n, parts[k].u0),
                                       .v0 = copy(n, parts[k].v0)};

        assert_ok(yk_structure_create(&systems[k], &p, NULL, &err));
        fine[k] = parts[k].fine;
    }
    torn_from_systems(t, systems, fine, count, joins, join_count, dt, substeps);
    free(systems);
    free(fine);
}

void torn_load(struct torn *t, int side, struct yk_loading loading)
{
    t->problem->side[side].loading = loading;
}

void torn_free(struct torn *t)
{
    yk_coupled_destroy(t->problem);
    if (t->untorn.map)
        yk_assembly_destroy(&t->untorn);
    for (size_t k = 0; k < t->count; k++) {
        for (size_t i = 0; i < t->subs[k].system->n; i++)
            free(t->subs[k].dofs[i]);
        free(t->subs[k].dofs);
        free(t->subs[k].name);
        yk_system_destroy(t->subs[k].system);
    }
    free(t->subs);
    *t = (struct torn){0};
}

void torn_split_mass(struct torn *t, double b, double u0, double v0, double dt, int substeps)
{
    const double mA = b / (1 + b), mB = 1 / (1 + b), kA = mB, kB = mA;
    const struct torn_part parts[] = {{false, 1, &mA, NULL, &kA, &u0, &v0}, {true, 1, &mB, NULL, &kB, &u0, &v0}};

    torn_make(t, parts, 2, &(struct torn_join){0, 0, 1, 0}, 1, dt, substeps);
}

/* Couplings of tests whose coarse side works on a second thread. */
enum { MOST_CREWS = 4 };
static struct {
    struct yk_coupling *coupling;
    struct yk_crew *crew;
} crews[MOST_CREWS];

static void hire(struct yk_coupling *c)
{
    struct yk_crew *crew;
    int i = 0;

    assert_ok(yk_crew_hire(&crew, c, &err));
    while (crew && crews[i].coupling)
        assert_true(++i < MOST_CREWS);
    if (crew) {
        crews[i].coupling = c;
        crews[i].crew = crew;
    }
}

void torn_open(struct yk_coupling *c, struct torn *t, const char *name, const char *const *setting, const double *value,
               size_t settings, int threads)
{
    const struct yk_coupling_ops *ops = yk_coupling_find(name);
    void *block;

    assert_non_null(ops);
    block = calloc(1, ops->size);
    assert_non_null(block);
    yk_param_defaults(ops->params, block);
    for (size_t i = 0; i < settings; i++)
        assert_ok(yk_param_set(ops->params, block, setting[i], value[i], &err));
    assert_ok(yk_coupling_create(c, ops, block, t->problem, NULL, &err));
    free(block);
    if (threads > 1)
        hire(c);
    assert_int_equal(yk_coupling_start(c, NULL, NULL), YK_OK);
}

enum yk_status torn_step_watched(struct yk_coupling *c, void (*on_fine)(void *self, double t), void *self)
{
    enum yk_need need;
    double t;

    do {
        if ((need = yk_coupling_next(c, &t)))
            yk_coupling_absorb(c);
        if (c->fine_reached)
            on_fine(self, c->fine_t);
    } while (need);
    return c->status;
}

enum yk_status torn_step(struct yk_coupling *c)
{
    for (int i = 0; i < MOST_CREWS; i++)
        if (crews[i].coupling == c)
            return yk_crew_step(crews[i].crew);
    return yk_coupling_step(c);
}

void torn_close(struct yk_coupling *c)
{
    for (int i = 0; i < MOST_CREWS; i++)
        if (crews[i].coupling == c) {
            yk_crew_dismiss(crews[i].crew);
            crews[i].coupling = NULL;
        }
    yk_coupling_destroy(c);
}
