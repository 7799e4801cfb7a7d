/* Reductions of small chains against closed forms, refusals, model files and threads. */
#include "support/check.h"
#include "support/scratch.h"

#include <yoke/fidelity.h>

#include <math.h>
#include <stdlib.h>

enum { MASSES = 12 };

/* Masses 1 in a row joined by springs 1; `left`: a spring to the ground at the first one. */
struct chain {
    struct yk_matrix M, K;
    char *names[MASSES];
    struct yk_linear_model model;
};

static void chain_make(struct chain *c, size_t n, bool left)
{
    assert_ok(yk_matrix_init(&c->M, YK_DIAGONAL, n, n, &err));
    assert_ok(yk_matrix_init(&c->K, YK_DENSE, n, n, &err));
    for (size_t i = 0; i < n; i++) {
        c->M.x[i] = 1;
        c->K.x[i + i * n] = (i > 0 || left) + (i + 1 < n);
        if (i > 0)
            c->K.x[i + (i - 1) * n] = c->K.x[i - 1 + i * n] = -1;
        assert_true(asprintf(&c->names[i], "m%zu", i + 1) > 0);
    }
    c->model = (struct yk_linear_model){.M = &c->M, .K = &c->K, .names = (const char *const *)c->names};
}

static void chain_free(struct chain *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(c->names[i]);
    yk_matrix_fini(&c->M);
    yk_matrix_fini(&c->K);
}

static enum yk_status reduce(struct yk_reduced *r, const struct chain *c, size_t dof, const char *method, size_t modes,
                             double band, struct yk_err *err)
{
    struct yk_reduce_settings settings = yk_reduce_defaults();

    settings.modes = modes;
    settings.band_Hz = band;
    return yk_reduce(r, &c->model, &dof, 1, yk_reduction_find(method), &settings, err);
}

/* A chain held at both ends: w_k = 2 sin(k pi / (2 n)), n - 1 masses. */
static void modes_of_a_held_chain(void **state)
{
    struct chain c;
    struct yk_reduced r;

    chain_make(&c, MASSES, true);
    assert_ok(reduce(&r, &c, MASSES - 1, "craig-bampton", 5, 0, &err));
    assert_int_equal(r.n, 6);
    for (int k = 0; k < 5; k++)
        assert_near(sqrt(r.w2[k]), 2 * sin((k + 1) * M_PI / (2 * MASSES)), 1e-12);
    assert_near(r.K.x[5 + 5 * 6], 1.0 / MASSES, 1e-12); /* springs in series */
    assert_string_equal(r.names[5], "m12");
    assert_string_equal(r.full_names[0], "m1");
    yk_reduced_free(&r);
    chain_free(&c, MASSES);
}

/* All modes kept: nothing is lost; every method gives the frequencies of the full model. */
static void all_modes_are_exact(void **state)
{
    struct chain c;
    double full[MASSES], few[MASSES];
    struct yk_reduced r;

    chain_make(&c, MASSES, true);
    assert_ok(yk_eigen_symmetric(&c.K, &c.M, MASSES, full, NULL, &err));
    assert_ok(reduce(&r, &c, 3, "craig-bampton", MASSES - 1, 0, &err));
    assert_ok(yk_eigen_symmetric(&r.K, &r.M, MASSES, few, NULL, &err));
    for (int k = 0; k < MASSES; k++)
        assert_near(few[k], full[k], 1e-10);
    yk_reduced_free(&r);
    chain_free(&c, MASSES);
}

static void band_decides_how_many(void **state)
{
    struct chain c;
    struct yk_reduced r;

    chain_make(&c, MASSES, true);
    /* modes 1 to 4 of the held chain lie below */
    assert_ok(reduce(&r, &c, MASSES - 1, "craig-bampton", 0, 1.01 * 2 * sin(4 * M_PI / 24) / (2 * M_PI), &err));
    assert_int_equal(r.modes, 4);
    yk_reduced_free(&r);
    assert_refused(reduce(&r, &c, MASSES - 1, "craig-bampton", 0, 1e-3, &err), YK_E_RANGE,
                   "no mode lies below 0.001 Hz");
    chain_free(&c, MASSES);
}

/* A free chain: T of every method reproduces the rigid motion; statics of rubin and guyan are exact at the interface.
 */
static void rigid_motion_is_kept(void **state)
{
    static const char *const methods[] = {"craig-bampton", "rubin", "guyan"};
    struct chain c;

    chain_make(&c, MASSES, false);
    for (int m = 0; m < 3; m++) {
        struct yk_reduced r;
        double w2[MASSES];

        assert_ok(reduce(&r, &c, 0, methods[m], m == 2 ? 0 : 4, 0, &err));
        assert_ok(yk_eigen_symmetric(&r.K, &r.M, r.n, w2, NULL, &err));
        assert_near(w2[0], 0, 1e-10);
        for (size_t i = 0; i < MASSES && m != 1; i++)
            assert_near(r.T[i + (r.n - 1) * MASSES], 1, 1e-10); /* the shape of the interface is rigid */
        yk_reduced_free(&r);
    }
    chain_free(&c, MASSES);
}

/* Residual flexibility: a static force at the interface moves it as it moves the full model. */
static void rubin_is_exact_in_statics(void **state)
{
    struct chain c;
    struct yk_reduced r;
    struct yk_factor *f;
    double x[4] = {0, 0, 0, 1};

    chain_make(&c, MASSES, true);
    assert_ok(reduce(&r, &c, 7, "rubin", 3, 0, &err));
    assert_ok(yk_factor_create(&f, &r.K, NULL, &err));
    yk_factor_solve(f, x);
    assert_near(x[3], 8, 1e-9); /* eight springs in series */
    yk_factor_destroy(f);
    yk_reduced_free(&r);
    chain_free(&c, MASSES);
}

static void loose_interior_is_explained(void **state)
{
    struct chain c;
    struct yk_reduced r;

    chain_make(&c, 6, false);
    /* cut between the third and the fourth: the last three move freely when the first is held */
    c.K.x[2 + 3 * 6] = c.K.x[3 + 2 * 6] = 0;
    c.K.x[2 + 2 * 6] = c.K.x[3 + 3 * 6] = 1;
    assert_refused(reduce(&r, &c, 0, "craig-bampton", 2, 0, &err), YK_E_SINGULAR,
                   "can still move rigidly in 1 way, so K_ii is singular; hold m");
    assert_refused(reduce(&r, &c, 0, "guyan", 0, 0, &err), YK_E_SINGULAR, "or use the method rubin");
    chain_free(&c, 6);
}

static void what_cannot_be_reduced_is_refused(void **state)
{
    struct chain c;
    struct yk_reduced r;
    struct yk_reduce_settings settings = yk_reduce_defaults();

    chain_make(&c, MASSES, true);
    assert_refused(reduce(&r, &c, 99, "guyan", 0, 0, &err), YK_E_RANGE, "100 is not among 1 .. 12");
    assert_refused(reduce(&r, &c, 0, "craig-bampton", 0, 0, &err), YK_E_RANGE, "at least one mode");
    assert_refused(reduce(&r, &c, 0, "craig-bampton", 12, 0, &err), YK_E_RANGE, "12 modes were requested");
    assert_refused(reduce(&r, &c, 0, "rubin", 12, 0, &err), YK_E_RANGE, "keep at most 11 modes");
    assert_refused(yk_reduce(&r, &c.model, (size_t[]){1, 1}, 2, yk_reduction_find("guyan"), &settings, &err),
                   YK_E_INPUT, "named twice");
    assert_refused(yk_reduce(&r, &c.model, NULL, 0, yk_reduction_find("guyan"), &settings, &err), YK_E_INPUT,
                   "at least one");
    free(c.names[0]);
    c.names[0] = strdup("q1");
    assert_refused(reduce(&r, &c, 0, "craig-bampton", 2, 0, &err), YK_E_INPUT, "name of a modal coordinate");
    assert_null(yk_reduction_find("nothing"));
    chain_free(&c, MASSES);
}

static void model_file_keeps_everything(void **state)
{
    struct chain c;
    struct yk_reduced r, again;
    double x[6] = {1, 2, 3, 4, 5, 6}, u[MASSES], v[MASSES];

    chain_make(&c, MASSES, true);
    assert_ok(reduce(&r, &c, MASSES - 1, "craig-bampton", 5, 0, &err));
    assert_ok(yk_reduced_save(&r, scratch_path("chain.h5"), &err));
    assert_ok(yk_reduced_load(&again, scratch_path("chain.h5"), &err));
    assert_int_equal(again.full, MASSES);
    assert_int_equal(again.modes, 5);
    assert_int_equal(again.interface_dofs[0], MASSES - 1);
    assert_string_equal(again.method, "craig-bampton");
    assert_memory_equal(again.K.x, r.K.x, 36 * sizeof(double));
    assert_memory_equal(again.M.x, r.M.x, 36 * sizeof(double));
    assert_memory_equal(again.w2, r.w2, 5 * sizeof(double));
    for (int i = 0; i < 6; i++)
        assert_string_equal(again.names[i], r.names[i]);
    assert_string_equal(again.full_names[4], "m5");
    yk_reduced_recover(&r, x, u);
    yk_reduced_recover(&again, x, v);
    assert_memory_equal(u, v, sizeof u);
    assert_near(u[MASSES - 1], 6, 1e-15); /* the interface is a coordinate */
    yk_reduced_free(&r);
    yk_reduced_free(&again);
    chain_free(&c, MASSES);
}

static void other_files_are_refused(void **state)
{
    struct yk_reduced r;
    FILE *out = fopen(scratch_path("text.h5"), "w");

    fputs("nothing", out);
    fclose(out);
    assert_refused(yk_reduced_load(&r, scratch_path("text.h5"), &err), YK_E_INPUT, "cannot be opened");
    assert_refused(yk_reduced_load(&r, scratch_path("absent.h5"), &err), YK_E_INPUT, "cannot be opened");
}

/* The same bits on one thread and on two. */
static void two_threads_reduce_alike(void **state)
{
    struct yk_reduce_job jobs[2][4];
    struct chain c[4];
    const size_t dof = 0;

    for (int k = 0; k < 4; k++)
        chain_make(&c[k], (size_t)(MASSES - k), false);
    for (int t = 0; t < 2; t++) {
        for (int k = 0; k < 4; k++) {
            jobs[t][k] = (struct yk_reduce_job){.model = c[k].model,
                                                .dofs = &dof,
                                                .count = 1,
                                                .method = yk_reductions[k % 2],
                                                .settings = yk_reduce_defaults()};
            jobs[t][k].settings.modes = 5;
        }
        assert_ok(yk_reduce_all(jobs[t], 4, t + 1, &err));
    }
    for (int k = 0; k < 4; k++) {
        const struct yk_reduced *a = &jobs[0][k].out, *b = &jobs[1][k].out;

        assert_memory_equal(a->T, b->T, a->full * a->n * sizeof(double));
        assert_memory_equal(a->K.x, b->K.x, a->n * a->n * sizeof(double));
        yk_reduced_free(&jobs[0][k].out);
        yk_reduced_free(&jobs[1][k].out);
        chain_free(&c[k], (size_t)(MASSES - k));
    }
}

/* One job that fails leaves the others whole. */
static void failed_job_is_told(void **state)
{
    struct yk_reduce_job jobs[2];
    struct chain c;
    const size_t dofs[2] = {0, 99};

    chain_make(&c, MASSES, true);
    for (int k = 0; k < 2; k++)
        jobs[k] = (struct yk_reduce_job){.model = c.model,
                                         .dofs = &dofs[k],
                                         .count = 1,
                                         .method = yk_reduction_find("guyan"),
                                         .settings = yk_reduce_defaults()};
    assert_refused(yk_reduce_all(jobs, 2, 2, &err), YK_E_RANGE, "100 is not among");
    assert_int_equal(jobs[0].status, YK_OK);
    yk_reduced_free(&jobs[0].out);
    chain_free(&c, MASSES);
}

/* A unit step on a mass 1 with a spring 1: u = 1 - cos t, to the accuracy of the rule. */
static void step(void *self, double t, double *f)
{
    f[0] = 1;
}

static void response_of_an_oscillator(void **state)
{
    const size_t dof = 0;
    struct chain c;
    double u[1001];

    chain_make(&c, 1, true);
    const struct yk_forced response = {.dofs = &dof, .count = 1, .force = step, .dt = 1e-3, .end = 1};

    assert_ok(yk_forced_run(&c.model, &response, u, &err));
    for (int k = 0; k <= 1000; k += 100)
        assert_near(u[k], 1 - cos(1e-3 * k), 1e-7);
    chain_free(&c, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_of_a_held_chain),
        cmocka_unit_test(all_modes_are_exact),
        cmocka_unit_test(band_decides_how_many),
        cmocka_unit_test(rigid_motion_is_kept),
        cmocka_unit_test(rubin_is_exact_in_statics),
        cmocka_unit_test(loose_interior_is_explained),
        cmocka_unit_test(what_cannot_be_reduced_is_refused),
        cmocka_unit_test(model_file_keeps_everything),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(two_threads_reduce_alike),
        cmocka_unit_test(failed_job_is_told),
        cmocka_unit_test(response_of_an_oscillator),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
