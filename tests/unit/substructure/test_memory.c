/* Marked memory: a structure, and one assembled of two, go back to where they were marked. */
#include "support/check.h"
#include "support/pier.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_goes_back_to_the_mark)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
