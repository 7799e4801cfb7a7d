#include "support/rosenbrock.h"

#include "support/check.h"
#include "support/pendulum.h"

#include <math.h>
#include <stdlib.h>

void within(double x, double y, double tolerance, const char *label, const char *what)
{
    if (!(fabs(x - y) <= tolerance)) {
        print_error("%s: %s = %.12g, wanted %.12g within %.2g\n", label, what, x, y, tolerance);
        fail();
    }
}

void sine_load(void *self, double t, double *f)
{
    f[0] = sin(2 * t);
}

static void rig_load(void *self, double t, double *f)
{
    f[0] = 500 * sin(2 * M_PI * 2 * t);
    f[1] = 15 * sin(2 * M_PI * 1.5 * t);
}

const struct yk_loading rig_loads[YK_SIDES] = {{rig_load, NULL}, {NULL, NULL}};

void pendulum_torn(struct torn *t, double dt, int substeps)
{
    const double u0[] = {0.02, 5e-4, 0.3}, v0[3] = {0}, m = 10, c = 40, k = 1000;
    const struct pendulum settings = {
        .platform_mass = 1, .mass = 0.34, .stiffness = 4e5, .length = 0.167, .gravity = 9.81};
    struct yk_structure_parts parts = {.u0 = malloc(sizeof(double)), .v0 = calloc(1, sizeof(double))};
    struct yk_system *systems[2];

    assert_ok(yk_matrix_init(&parts.M, YK_DENSE, 1, 1, &err));
    assert_ok(yk_matrix_init(&parts.C, YK_DENSE, 1, 1, &err));
    assert_ok(yk_matrix_init(&parts.K, YK_DENSE, 1, 1, &err));
    parts.M.x[0] = m;
    parts.C.x[0] = c;
    parts.K.x[0] = k;
    parts.u0[0] = u0[0];
    assert_ok(yk_structure_create(&systems[0], &parts, NULL, &err));
    systems[1] = pendulum_make(&settings, u0, v0);
    torn_from_systems(t, systems, (bool[]){false, true}, 2, &(struct torn_join){0, 0, 1, 0}, 1, dt, substeps);
}
