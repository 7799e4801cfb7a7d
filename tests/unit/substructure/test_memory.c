/* Marked memory: a structure, and one assembled of two, go back to where they were marked. */
#include "support/check.h"
#include "support/lattice.h"
#include "support/laws.h"
#include "support/pier.h"

#include <stdlib.h>

/* Pushes the joint to u and commits, in one step. */
static void push(struct yk_system *system, double u)
{
    double x[3], v[3] = {0};

    for (size_t i = 0; i < system->n; i++)
        x[i] = u;
    x[0] *= 0.5; /* the pier follows by half: the bearing yields */
    system->ops->commit(system->self, 0, x, v);
}

/* Net force of the last degree of freedom at rest. */
static double force(struct yk_system *system)
{
    double u[3] = {0}, v[3] = {0}, f[3] = {0}, p[3];

    yk_system_force(system, 0, f, u, v, p);
    return p[system->n - 1];
}

static void check(struct yk_system *system)
{
    double marked, beyond;

    push(system, 0.01);
    marked = force(system);
    system->ops->mark(system->self);
    push(system, 0.02);
    push(system, -0.03);
    beyond = force(system);
    assert_true(beyond != marked);
    system->ops->rewind(system->self);
    assert_near(force(system), marked, 0);
    push(system, 0.02);
    push(system, -0.03);
    assert_near(force(system), beyond, 0);
}

static void memory_goes_back_to_the_mark(void **state)
{
    struct pier p;

    pier_make(&p, PIER_ISOLATED, 1, 0.05, NULL, 0.01, 1);
    check(p.torn.problem->side[YK_FINE].system);
    check(p.torn.untorn.system);
    pier_free(&p);
}

enum { MOST_SAMPLES = 200 };

/* Every sample of a law between the ground and a degree of freedom of its own. */
static struct yk_system *all_laws(void)
{
    struct yk_structure_parts parts = {0};
    struct yk_system *system;
    size_t n = 0;

    parts.elements = calloc(MOST_SAMPLES, sizeof *parts.elements);
    assert_non_null(parts.elements);
    for (; law_samples[n].law; n++) {
        struct law_bench b;

        assert_true(n < MOST_SAMPLES);
        assert_ok(law_set_up(&b, &law_samples[n], &err));
        parts.elements[n] = (struct yk_element){.law = b.ops, .settings = law_settings(&b), .from = -1, .to = (long)n};
    }
    parts.element_count = n;
    masses_alone(&parts, n, 1);
    assert_ok(yk_structure_create(&system, &parts, NULL, &err));
    return system;
}

/* Four commits, and the forces of a state after them; the same seed is the same way. */
static void go_on(struct yk_system *system, double t, uint64_t seed, double *p)
{
    double u[MOST_SAMPLES], v[MOST_SAMPLES], f[MOST_SAMPLES] = {0};

    for (int step = 1; step <= 5; step++) {
        for (size_t i = 0; i < system->n; i++) {
            u[i] = law_samples[i].d_scale * law_uniform(&seed);
            v[i] = law_samples[i].w_scale * law_uniform(&seed);
        }
        yk_system_force(system, t + 0.01 * step, f, u, v, p);
        if (step < 5)
            system->ops->commit(system->self, t + 0.01 * step, u, v);
    }
}

static void every_law_goes_back_to_the_bits_of_the_mark(void **state)
{
    struct yk_system *system = all_laws();
    double first[MOST_SAMPLES], again[MOST_SAMPLES], elsewhere[MOST_SAMPLES];

    go_on(system, 0, 1, first);
    system->ops->mark(system->self);
    go_on(system, 0.04, 2, first);
    go_on(system, 0.08, 3, elsewhere);
    for (int times = 0; times < 3; times++) {
        system->ops->rewind(system->self);
        go_on(system, 0.04, 2, again);
        assert_memory_equal(again, first, system->n * sizeof *first);
        assert_memory_not_equal(again, elsewhere, system->n * sizeof *first);
    }
    yk_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_goes_back_to_the_mark),
                                       cmocka_unit_test(every_law_goes_back_to_the_bits_of_the_mark)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
