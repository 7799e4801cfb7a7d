#include "support/pier.h"
#include "support/check.h"

#include <stdlib.h>

static struct yk_matrix diagonal(size_t n, const double *x)
{
    struct yk_matrix A = {0};

    assert_ok(yk_matrix_init(&A, YK_DIAGONAL, n, n, &err));
    if (x)
        memcpy(A.x, x, n * sizeof *x);
    return A;
}

static struct yk_element element(const char *law, long from, long to, size_t count, const char *const *name,
                                 const double *value)
{
    const struct yk_law_ops *ops = yk_law_find(law);
    void *settings;

    assert_non_null(ops);
    settings = calloc(1, ops->settings_size);
    assert_non_null(settings);
    yk_param_defaults(ops->params, settings);
    for (size_t i = 0; i < count; i++)
        assert_ok(yk_param_set(ops->params, settings, name[i], value[i], &err));
    if (ops->prepare)
        assert_ok(ops->prepare(settings, &err));
    return (struct yk_element){.law = ops, .settings = settings, .from = from, .to = to};
}

static struct yk_system *structure(size_t n, const double *mass, const struct yk_element *elements)
{
    struct yk_structure_parts parts = {.M = diagonal(n, mass), .C = diagonal(n, NULL), .K = diagonal(n, NULL)};
    struct yk_system *system;

    parts.element_count = n; /* one below each mass */
    parts.elements = calloc(n, sizeof *elements);
    assert_non_null(parts.elements);
    memcpy(parts.elements, elements, n * sizeof *elements);
    assert_ok(yk_structure_create(&system, &parts, NULL, &err));
    return system;
}

static struct yk_element spring(long from, long to, double k)
{
    return element("spring", from, to, 1, (const char *[]){"stiffness"}, &k);
}

/* The pier, its bearing, or both in one. */
static struct yk_system *pier_system(enum pier_kind kind)
{
    const double k = TWO_PI * TWO_PI * PIER_STIFFNESS, little = 1e-12 * PIER_DECK;
    struct yk_element e[2];

    if (kind == PIER_AS_BUILT) {
        e[0] = element("softening-bouc-wen", -1, 0, 3, (const char *[]){"k", "alpha", "beta"}, (double[]){k, 200, 20});
        return structure(1, (double[]){1 + little}, e);
    }
    e[0] = spring(-1, 0, k);
    e[1] = kind == PIER_LINEAR ? spring(0, 1, PIER_BEARING * k)
                               : element("bilinear", 0, 1, 3, (const char *[]){"stiffness", "hardening", "yield_slip"},
                                         (double[]){PIER_BEARING * k, 0.02, 2e-3});
    return structure(2, (double[]){1, little}, e);
}

/* -M b times the ground acceleration */
static void inertia(void *self, double t, double *f)
{
    const struct pier_load *load = self;

    for (size_t i = 0; i < load->n; i++)
        f[i] = -load->mass[i] * load->ground(t);
}

void pier_make(struct pier *p, enum pier_kind kind, double deck_Hz2, double moved, double (*ground)(double t),
               double dt, int substeps)
{
    const struct yk_element below = spring(-1, 0, TWO_PI * TWO_PI * deck_Hz2 * PIER_DECK);
    struct yk_system *systems[] = {structure(1, (double[]){PIER_DECK}, &below), pier_system(kind)};
    char *dofs[] = {"pier", "node"};
    struct yk_substructure deck = {"deck", &dofs[1], systems[0], false}, pier = {"pier", dofs, systems[1], true};

    p->node = systems[1]->n - 1;
    assert_ok(yk_transfer_mass(&deck, 0, &pier, p->node, moved, &err));
    for (int s = 0; s < YK_SIDES; s++) {
        p->load[s] = (struct pier_load){.n = systems[s]->n, .ground = ground};
        for (size_t i = 0; i < systems[s]->n; i++)
            p->load[s].mass[i] = yk_matrix_get(&systems[s]->M, i, i);
    }
    torn_from_systems(&p->torn, systems, (bool[]){false, true}, 2, &(struct torn_join){0, 0, 1, p->node}, 1, dt,
                      substeps);
    for (int s = 0; s < YK_SIDES && ground; s++)
        torn_load(&p->torn, s, (struct yk_loading){inertia, &p->load[s]});
}

void pier_free(struct pier *p)
{
    torn_free(&p->torn);
}
