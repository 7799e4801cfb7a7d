/* The vehicle on four nonlinear suspensions, frame reduced to 30 + 4 coordinates: base motion, monolithic and
 * partitioned runs against an independent prototype in another language. The numbers are those of the specification.
 * The frame is reduced anew from examples/vehicle/full/full.yaml, so that the model file beside it is checked as well.
 */
#include "support/check.h"
#include "support/scratch.h"

#include "state/state.h"
#include <yoke/fidelity.h>

#include <math.h>
#include <stdlib.h>

enum { MOUNTS = 4, STEPS = 1000 };

static const char reduced_file[] = YOKE_SOURCE "/examples/vehicle/vehicle.yaml";

/* Interface displacements of the frame (and of the suspensions) at every millisecond, and the multipliers. */
struct path {
    double u[STEPS + 1][MOUNTS], other[STEPS + 1][MOUNTS], lambda[STEPS + 1][MOUNTS];
};
static struct path reference, monolithic, run;

static size_t interface_of(const struct yk_substructure *s)
{
    return s->system->n - MOUNTS; /* the last coordinates */
}

static void keep(const struct yk_state *m, struct path *p, long k)
{
    const struct yk_substructure *subs = m->substructures;
    double u[2][64], unused[64];

    for (size_t s = 0; s < 2; s++)
        yk_state_now(m, s, u[s], unused, unused);
    for (size_t i = 0; i < MOUNTS; i++) {
        p->u[k][i] = u[0][interface_of(&subs[0]) + i];
        p->other[k][i] = u[1][i];
        p->lambda[k][i] = yk_state_multipliers(m) ? yk_state_lambda(m)[i] : 0;
    }
}

/* Runs the reduced vehicle with some settings; false where the motion diverges. */
static bool follow(struct path *p, const char *const *set, size_t count)
{
    struct yk_model *e;
    struct yk_state motion;
    enum yk_status st = YK_OK;
    long every;

    assert_ok(yk_model_load(&e, reduced_file, set, count, &err));
    assert_ok(yk_state_open(&motion, e, 0, &err));
    assert_int_equal(yk_state_start(&motion), YK_OK);
    every = e->steps / STEPS;
    memset(p, 0, sizeof *p);
    keep(&motion, p, 0);
    for (long k = 1; k <= e->steps && !st; k++) {
        st = yk_state_step(&motion);
        if (k % every == 0)
            keep(&motion, p, k / every);
    }
    yk_state_close(&motion);
    yk_model_close(e);
    return !st && fabs(p->u[STEPS][0]) < 1;
}

static double mean_square(const struct path *p)
{
    double sum = 0;

    for (int k = 0; k <= STEPS; k++)
        for (int i = 0; i < MOUNTS; i++)
            sum += pow(p->u[k][i] - reference.u[k][i], 2);
    return sum / ((STEPS + 1) * MOUNTS);
}

static double rms_gap(const struct path *p)
{
    double sum = 0;

    for (int k = 0; k <= STEPS; k++)
        for (int i = 0; i < MOUNTS; i++)
            sum += pow(p->u[k][i] - p->other[k][i], 2);
    return sqrt(sum / ((STEPS + 1) * MOUNTS));
}

static double second_difference(const struct path *p)
{
    double sum = 0;

    for (int k = 1; k < STEPS; k++)
        for (int i = 0; i < MOUNTS; i++)
            sum += pow(p->lambda[k + 1][i] - 2 * p->lambda[k][i] + p->lambda[k - 1][i], 2);
    return sqrt(sum / ((STEPS - 1) * MOUNTS));
}

static void assert_interface(const struct path *p, int k, const double *wanted)
{
    for (int i = 0; i < MOUNTS; i++)
        assert_near_relative(p->u[k][i], wanted[i], 1e-3);
}

static int run_reference(void **state)
{
    static const char *const fine[] = {"method.integrator=newmark-newton", "time.substeps=1", "time.step=1e-4"};

    return follow(&reference, fine, 3) ? 0 : -1;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* z(0.1) and dz/dt(0.1) of the four wheels */
static void road_moves_the_wheels_as_specified(void **state)
{
    static const double z[MOUNTS] = {7.0601e-4, 7.8248e-4, 8.0891e-4, 8.0896e-4};
    static const double rate[MOUNTS] = {0.25182458, 0.08918778, 0.23618826, 0.14244752};
    static const double zero[MOUNTS] = {0};
    struct yk_model *e;
    double p[MOUNTS];

    assert_ok(yk_model_load(&e, reduced_file, NULL, 0, &err));
    struct yk_system *s = e->substructures[1].system;

    yk_system_force(s, 0.1, zero, zero, zero, p);
    for (int i = 0; i < MOUNTS; i++)
        assert_near_relative(p[i], 35 * z[i] + 0.65 * rate[i] + 10 * rate[i] / (0.55 + fabs(rate[i])), 1e-5);
    yk_model_close(e);
}

/* The whole experiment with the full frame and with the reduced one, both monolithic. */
static void full_against_reduced(void **state)
{
    static double full[STEPS + 1][MOUNTS], few[STEPS + 1][MOUNTS];
    struct yk_reduce_settings settings = yk_reduce_defaults();
    struct yk_model *e;
    struct yk_reduced r;
    size_t dofs[MOUNTS], last[MOUNTS];
    double difference = 0, size = 0;

    assert_ok(yk_model_load(&e, YOKE_SOURCE "/examples/vehicle/full/full.yaml", NULL, 0, &err));
    const struct yk_substructure *s = &e->substructures[0];
    const struct yk_linear_model model = {
        .M = &s->system->M, .C = &s->system->C, .K = &s->system->K, .names = (const char *const *)s->dofs};
    struct yk_forced response = {
        .dofs = dofs, .count = MOUNTS, .attached = e->substructures[1].system, .dt = 1e-3, .end = 1};

    for (size_t i = 0; i < MOUNTS; i++) {
        dofs[i] = e->rows[i].dof[0];
        last[i] = 30 + i;
    }
    assert_ok(yk_reduce(&r, &model, dofs, MOUNTS, yk_reduction_find("craig-bampton"), &settings, &err));
    assert_ok(yk_forced_run(&model, &response, full[0], &err));
    response.dofs = last;
    assert_ok(yk_forced_run(&(struct yk_linear_model){.M = &r.M, .C = &r.C, .K = &r.K}, &response, few[0], &err));
    for (int k = 0; k <= STEPS; k++)
        for (int i = 0; i < MOUNTS; i++) {
            difference += pow(full[k][i] - few[k][i], 2);
            size += pow(full[k][i], 2);
        }
    assert_near_relative(difference / ((STEPS + 1) * MOUNTS), 6.494e-15, 1e-3);
    assert_near_relative(difference / size, 1.528e-8, 1e-3);
    assert_near_relative(sqrt(size / ((STEPS + 1) * MOUNTS)), 6.5186e-4, 1e-4);
    /* newmark-newton of the experiment is the same rule */
    static const char *const set[] = {"method.integrator=newmark-newton", "method.tolerance=1e-12", "time.substeps=1"};

    assert_true(follow(&monolithic, set, 3));
    for (int i = 0; i < MOUNTS; i++)
        assert_near_relative(monolithic.u[STEPS][i], few[STEPS][i], 1e-8);
    assert_near_relative(mean_square(&monolithic), 1.600e-11, 1e-3);
    yk_reduced_free(&r);
    yk_model_close(e);
}

static void accurate_motion(void **state)
{
    assert_interface(&reference, 500, (const double[]){-5.0268e-4, -4.6839e-4, -5.1728e-4, -4.7865e-4});
    assert_interface(&reference, 1000, (const double[]){-1.19110e-3, -1.15639e-3, -1.09594e-3, -1.05982e-3});
}

static void partitioned_runs_agree_with_the_prototype(void **state)
{
    static const struct {
        const char *set[4];
        double mse, gap, chatter; /* gap 0: none */
    } rows[] = {
        {{"time.substeps=1", "method.rho=1", "method.link=ramp", "time.step=1e-3"}, 1.899e-11, 0, 0.827},
        {{"time.substeps=1", "method.rho=1", "method.link=ramp", "time.step=1e-4"}, 1.117e-15, 0, 0},
        {{"time.substeps=10", "method.rho=1", "method.link=printed-coarse", "time.step=1e-3"},
         3.940e-10,
         3.851e-5,
         1.193},
        {{"time.substeps=10", "method.rho=0.5", "method.link=printed-coarse", "time.step=1e-3"},
         1.229e-9,
         4.127e-5,
         1.005},
        {{"time.substeps=10", "method.rho=1", "method.link=ramp", "time.step=1e-3"}, 2.283e-11, 5.781e-7, 1.561},
        {{"time.substeps=10", "method.rho=0.8", "method.link=ramp", "time.step=1e-3"}, 2.241e-11, 5.739e-7, 1.452},
        {{"time.substeps=10", "method.rho=0.5", "method.link=ramp", "time.step=1e-3"}, 2.607e-11, 5.673e-7, 1.313},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        print_message("%s %s %s %s\n", rows[k].set[0], rows[k].set[1], rows[k].set[2], rows[k].set[3]);
        assert_true(follow(&run, rows[k].set, 4));
        assert_near_relative(mean_square(&run), rows[k].mse, 2e-3);
        assert_near(rms_gap(&run), rows[k].gap, rows[k].gap > 0 ? 1e-3 * rows[k].gap : 1e-15);
        if (rows[k].chatter > 0)
            assert_near_relative(second_difference(&run), rows[k].chatter, 2e-3);
        if (k == 0)
            assert_interface(&run, 1000, (const double[]){-1.19679e-3, -1.16439e-3, -1.10002e-3, -1.06758e-3});
        if (k == 5)
            assert_interface(&run, 1000, (const double[]){-1.17903e-3, -1.14601e-3, -1.08429e-3, -1.05138e-3});
    }
}

/* As printed with the step of the fine side, the link makes the motion grow without bound. */
static void link_that_diverges(void **state)
{
    static const char *const set[] = {"method.rho=1", "method.link=printed-fine"};

    assert_false(follow(&run, set, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(road_moves_the_wheels_as_specified),
        cmocka_unit_test(accurate_motion),
        cmocka_unit_test(full_against_reduced),
        cmocka_unit_test(partitioned_runs_agree_with_the_prototype),
        cmocka_unit_test(link_that_diverges),
    };

    return cmocka_run_group_tests(tests, run_reference, NULL);
}
