/* The order of a coupling as it is observed: largest error on a split mass, for a step and its half.
 *
 * One mass of 1 kg on a spring of 1 N/m, torn so that A has two thirds of the mass and one third of the stiffness; from
 * u = v = 1 the exact motion is u = cos t + sin t on both sides. */
#include "analyze/analyze.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 800 };
#define END_S 2.0

/* Largest error of u on either side up to the end. */
static enum yk_status run(struct yk_coupling *c, int steps, double *error)
{
    enum yk_status st = yk_coupling_start(c, NULL, NULL);

    *error = 0;
    for (int i = 1; i <= steps && !st; i++) {
        const double t = END_S * i / steps;

        st = yk_coupling_step(c);
        for (int s = 0; s < YK_SIDES && !st; s++) {
            struct yk_kinematics k;

            c->ops->now(c->self, s, &k);
            *error = fmax(*error, fabs(k.u[0] - cos(t) - sin(t)));
        }
    }
    return st;
}

static enum yk_status error_with(const struct yk_coupling_ops *ops, const void *settings,
                                 const struct yk_coupled_parts *parts, int steps, double *error, struct yk_err *err)
{
    struct yk_coupled_parts finer = *parts;
    struct yk_coupled *problem = NULL;
    struct yk_coupling coupling = {0};
    enum yk_status st;

    finer.dt = END_S / steps;
    if (!(st = yk_coupled_create(&problem, &finer, NULL, err)) &&
        !(st = yk_coupling_create(&coupling, ops, settings, problem, NULL, err))) {
        if ((st = run(&coupling, steps, error)))
            yk_fail(err, st, "%s diverged on the split mass", ops->name);
        yk_coupling_destroy(&coupling);
    }
    yk_coupled_destroy(problem);
    return st;
}

enum yk_status yk_measure_coupling_order(const struct yk_coupling_ops *ops, int substeps, double *order,
                                         struct yk_err *err)
{
    char *dof[] = {"x"}, *names[] = {"A", "B"};
    struct yk_substructure subs[] = {{names[0], dof, NULL, false}, {names[1], dof, NULL, true}};
    size_t sub[] = {0, 1}, which[] = {0, 0};
    double coefficient[] = {1, -1}, coarse = 0, fine = 0;
    const struct yk_row row = {2, sub, which, coefficient, YK_NOWHERE};
    struct yk_assembly untorn = {0};
    void *settings = yk_param_block(ops->size, ops->user);
    enum yk_status st = settings ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st)
        yk_param_defaults(ops->params, settings);
    if (!st && !(st = yk_one_mass(&subs[0].system, 2.0 / 3, 0, 1.0 / 3, 1, err)) &&
        !(st = yk_one_mass(&subs[1].system, 1.0 / 3, 0, 2.0 / 3, 1, err)) &&
        !(st = yk_assembly_create(&untorn, subs, 2, &row, 1, NULL, err))) {
        const struct yk_coupled_parts parts = {
            .substructures = subs, .count = 2, .rows = &row, .row_count = 1, .substeps = substeps, .untorn = &untorn};

        if (!(st = error_with(ops, settings, &parts, STEPS, &coarse, err)) &&
            !(st = error_with(ops, settings, &parts, 2 * STEPS, &fine, err)))
            *order = log2(coarse / fine);
        yk_assembly_destroy(&untorn);
    }
    yk_system_destroy(subs[0].system);
    yk_system_destroy(subs[1].system);
    free(settings);
    return st;
}
