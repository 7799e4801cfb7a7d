/* The multi-axial benchmark: its parts against the numbers of its public package, as computed by an independent
 * program, and what follows for chains. (The published ground motions may not be distributed; docs/benchmarks.md has
 * the indices measured with them.) */
#include "benchmark/indices.h"
#include "benchmark/marths_plant.h"
#include "support/check.h"
#include "transfer/setup.h"

#include <yoke/linalg.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* ---- plant ---- */

static double complex transfer(const struct yk_marths_model *m, int i, int j, double complex s)
{
    double complex n = 0, d = 0;

    for (int k = 0; k < 3; k++)
        n = n * s + m->N[i][j][k];
    for (int k = 0; k <= YK_MARTHS_ORDER; k++)
        d = d * s + m->D[j][k];
    return n / d;
}

static void plant_has_the_published_response(void **state)
{
    const struct yk_marths_model m = yk_marths_model(&(struct yk_marths_plant){{0}, 0});
    const double rest[2][2] = {{0.863811578, 0.131069964}, {0.139613367, 0.925791941}},
                 size[2][2] = {{0.6530, 0.1370}, {0.1055, 0.8458}}, late[2][2] = {{52.87, 5.98}, {52.87, 21.44}},
                 w = 2 * M_PI * 2.29;

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const double complex H = transfer(&m, i, j, I * w);

            assert_near(creal(transfer(&m, i, j, 0)), rest[i][j], 1e-9);
            assert_near(cabs(H), size[i][j], 1e-4);
            assert_near(-1000 * carg(H) / w, late[i][j], 0.01);
        }
}

/* Steps of each command: strokes after 1, 10 and 100 samples. */
static void realisation_has_the_published_step_response(void **state)
{
    static const double expected[2][3][2] = {
        {{0.001143418, 0.000184805}, {0.089265207, 0.014427471}, {0.683918958, 0.110538259}},
        {{0.000575986, 0.002450193}, {0.086851000, 0.385716843}, {0.134386803, 0.883581871}},
    };
    enum { S = YK_MARTHS_STATES, ALL = S + 2 };
    const struct yk_marths_model m = yk_marths_model(&(struct yk_marths_plant){{0}, 0});
    const struct yk_realisation r = yk_marths_realise(&m);
    double G[ALL * ALL] = {0}, E[ALL * ALL] = {0}, term[ALL * ALL] = {0};

    for (int i = 0; i < S; i++) {
        for (int j = 0; j < S; j++)
            G[i + j * ALL] = r.A[i * S + j] / YK_MARTHS_RATE;
        for (int j = 0; j < 2; j++)
            G[i + (S + j) * ALL] = r.B[2 * i + j] / YK_MARTHS_RATE;
    }
    for (int i = 0; i < ALL; i++)
        E[i + i * ALL] = term[i + i * ALL] = 1;
    for (int k = 1; k <= 4; k++) { /* a Runge-Kutta step: exp(G) up to the fourth power */
        double next[ALL * ALL] = {0};

        for (int j = 0; j < ALL; j++)
            for (int c = 0; c < ALL; c++)
                for (int i = 0; i < ALL; i++)
                    next[i + j * ALL] += G[i + c * ALL] * term[c + j * ALL] / k;
        memcpy(term, next, sizeof term);
        for (int i = 0; i < ALL * ALL; i++)
            E[i] += term[i];
    }
    for (int j = 0; j < 2; j++) {
        double x[ALL] = {[S] = j == 0, [S + 1] = j == 1};

        for (int k = 1, at = 0; k <= 100; k++) {
            double next[ALL] = {0};

            for (int c = 0; c < ALL; c++)
                for (int i = 0; i < ALL; i++)
                    next[i] += E[i + c * ALL] * x[c];
            memcpy(x, next, sizeof x);
            if (k != 1 && k != 10 && k != 100)
                continue;
            for (int i = 0; i < 2; i++) {
                double y = 0;

                for (int c = 0; c < S; c++)
                    y += r.C[i * S + c] * x[c];
                assert_near(y, expected[j][at][i], 1e-9);
            }
            at++;
        }
    }
}

static void perturbed_plants_keep_their_gains_at_rest(void **state)
{
    const struct yk_marths_model nominal = yk_marths_model(&(struct yk_marths_plant){{0}, 0});

    for (int k = 1; k < 20; k++) {
        const struct yk_marths_plant drawn = yk_marths_draw(k);
        const struct yk_marths_model m = yk_marths_model(&drawn);

        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                assert_near(creal(transfer(&m, i, j, 0)), creal(transfer(&nominal, i, j, 0)), 1e-12);
        assert_true(m.D[0][1] != nominal.D[0][1]);
    }
}

/* ---- coupler ---- */

static void coupler_gives_the_published_strokes_and_back(void **state)
{
    static const char *const dofs[] = {"x", "theta"}, *const names[] = {"a1", "a2"};
    static const double ends[] = {0.26670, -0.127, 0.26670, 0.127};
    const struct yk_setup_ops *ops = yk_setup_find("coupler");
    struct yk_setup_parts parts = {.ops = ops,
                                   .plan = {.dofs = 2, .actuators = 2, .dof_names = dofs, .actuator_names = names}};
    const double zero[2] = {0}, poses[2][2] = {{1e-3, 1e-3}, {10e-3, 20e-3}},
                 strokes[2][2] = {{1.126866419e-3, 0.872866881e-3}, {12.486488233e-3, 7.406835283e-3}};
    struct yk_arena mem = {0};
    struct yk_setup *setup;
    struct yk_reals *given;

    assert_non_null(ops);
    assert_ok(yk_param_settings(ops->params, ops->size, &parts.self, &err));
    given = (struct yk_reals *)((char *)parts.self + ops->params[0].offset);
    given->x = malloc(sizeof ends);
    given->n = 4;
    memcpy(given->x, ends, sizeof ends);
    assert_ok(yk_setup_create(&setup, &parts, &mem, &err));
    for (int k = 0; k < 2; k++) {
        double y[2], v[2], a[2], u[2] = {0};

        yk_setup_targets(setup, poses[k], zero, zero, y, v, a);
        assert_near(y[0], strokes[k][0], 2e-8); /* their angle has six digits */
        assert_near(y[1], strokes[k][1], 2e-8);
        assert_int_equal(yk_setup_motion(setup, y, NULL, NULL, u, v, a), YK_OK);
        assert_near(u[0], poses[k][0], 1e-12);
        assert_near(u[1], poses[k][1], 1e-12);
    }
    yk_setup_destroy(setup);
    yk_arena_free(&mem);
}

/* ---- Riccati ---- */

/* The equation of x+ = a x + u with weights q and r: x^2 + (r (1 - a^2) - q) x - q r = 0. And the equation itself for a
 * matrix. */
static void riccati_equation_is_solved(void **state)
{
    const double a = 1.3, q = 2, r = 0.5, b = r * (1 - a * a) - q;
    double X, G = 1 / r, x[9];
    const double A[9] = {1.02, 0.1, 0, -0.2, 0.9, 0.3, 0, 0.1, 0.7}, B[3] = {0, 0, 1},
                 Q[9] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
    double BB[9], W[9], AX[9];

    assert_ok(yk_riccati(1, &a, &G, &q, &X, &err));
    assert_near_relative(X, (-b + sqrt(b * b + 4 * q * r)) / 2, 1e-12);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            BB[i + 3 * j] = B[i] * B[j] / 0.1;
    assert_ok(yk_riccati(3, A, BB, Q, x, &err));
    /* X = A^T X A - A^T X B (R + B^T X B)^-1 B^T X A + Q, with one command */
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            AX[i + 3 * j] = 0;
            for (int k = 0; k < 3; k++)
                AX[i + 3 * j] += A[k + 3 * i] * x[k + 3 * j];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            W[i + 3 * j] = Q[i + 3 * j] - AX[i + 6] * AX[j + 6] / (0.1 + x[8]);
            for (int k = 0; k < 3; k++)
                W[i + 3 * j] += AX[i + 3 * k] * A[k + 3 * j];
            assert_near(W[i + 3 * j], x[i + 3 * j], 1e-10);
        }
}

static void riccati_equation_without_a_solution_is_refused(void **state)
{
    const double A[4] = {2, 0, 0, 0.5}, G[4] = {0, 0, 0, 1}, Q[4] = {1, 0, 0, 1}; /* the growing state is not reached */
    double X[4];

    assert_refused(yk_riccati(2, A, G, Q, X, &err), YK_E_DIVERGED, "stabilises");
}

/* ---- the loop ---- */

static struct yk_marths_result run(const char *chain, enum yk_marths_variant variant, int plant, bool noise)
{
    const struct yk_marths_problem problem = {
        .variant = variant, .chain = chain, .scale = 0.4, .end_s = 18, .noise = noise};
    const struct yk_marths_plant drawn = yk_marths_draw(plant);
    struct yk_marths_result result;
    struct yk_marths *marths;

    assert_ok(yk_marths_open(&marths, &problem, &err));
    assert_ok(yk_marths_run(marths, &drawn, &result, &err));
    yk_marths_close(marths);
    return result;
}

/* With perfect tracking the strokes are a sample late: their error is that of a shift by h, and no other. */
static void perfect_tracking_is_a_sample_late(void **state)
{
    const struct yk_marths_result r = run("perfect", YK_MARTHS_B, 0, false);

    for (int i = 0; i < 2; i++) {
        assert_near(r.J1[i], 1000 / YK_MARTHS_RATE, 1e-9);
        assert_true(r.J2[i] > 1 && r.J2[i] < 2);
    }
    assert_true(r.J8[0] < 1);
    assert_true(r.realizable);
}

/* The histories that are drawn are those that are judged. */
static void histories_have_the_error_that_is_judged(void **state)
{
    const struct yk_marths_problem problem = {.variant = YK_MARTHS_B, .chain = "separate", .scale = 0.4, .end_s = 18};
    const struct yk_marths_plant nominal = yk_marths_draw(0);
    const struct yk_marths_result r = run("separate", YK_MARTHS_B, 0, false);
    struct yk_histories h;
    struct yk_marths *marths;

    assert_ok(yk_marths_open(&marths, &problem, &err));
    assert_ok(yk_marths_histories(marths, &nominal, &h, &err));
    const double judged[] = {r.J2[0], r.J2[1], r.J7[0], r.J7[1], r.J8[0], r.J8[2]};
    assert_int_equal(h.count, sizeof judged / sizeof *judged);
    for (size_t i = 0; i < h.count; i++)
        assert_near_relative(yk_index_rms(h.all[i].x, h.all[i].y, h.samples), judged[i], 1e-12);
    yk_histories_free(&h);
    yk_marths_close(marths);
}

static void coupling_of_the_actuators_matters(void **state)
{
    const struct yk_marths_result alone = run("separate", YK_MARTHS_B, 0, false),
                                  joint = run("inverse", YK_MARTHS_B, 0, false);

    assert_true(alone.J2[0] > 20 && joint.J2[0] < 2);
    assert_true(alone.J8[0] > 5 && joint.J8[0] < 0.6);
}

/* On the nominal plant and on three others, with and without noise. */
static void joint_adaptation_beats_the_published_filters(void **state)
{
    for (int plant = 0; plant <= 3; plant++)
        for (int noise = 0; noise < 2; noise++) {
            const struct yk_marths_result ours = run("joint-rls", YK_MARTHS_B, plant, noise),
                                          theirs = run("rls", YK_MARTHS_B, plant, noise);
            int worse = 0;

            for (int i = 0; i < YK_MARTHS_INDICES; i++) {
                double mine, other;

                yk_marths_index(&ours, i, &mine);
                yk_marths_index(&theirs, i, &other);
                worse += fabs(mine) > fabs(other) + 1e-9;
                assert_true(fabs(mine) <= 1.15 * fabs(other) + 1e-9);
            }
            assert_true(worse <= 4);
        }
}

static void noise_of_both_strokes_is_one_and_cancels_in_the_rotation(void **state)
{
    const struct yk_marths_result quiet = run("inverse", YK_MARTHS_A, 0, false),
                                  noisy = run("inverse", YK_MARTHS_A, 0, true);

    assert_true(noisy.J5[0] > 1.5 * quiet.J5[0]);
    assert_near(noisy.J5[1], quiet.J5[1], 0.05);
}

static void state_feedback_tracks_and_rejects_noise(void **state)
{
    const struct yk_marths_result none = run("none", YK_MARTHS_B, 0, true), lqi = run("lqi", YK_MARTHS_B, 0, true);

    assert_true(lqi.J2[0] < 0.3 * none.J2[0] && lqi.J2[1] < 0.3 * none.J2[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plant_has_the_published_response),
        cmocka_unit_test(realisation_has_the_published_step_response),
        cmocka_unit_test(perturbed_plants_keep_their_gains_at_rest),
        cmocka_unit_test(coupler_gives_the_published_strokes_and_back),
        cmocka_unit_test(riccati_equation_is_solved),
        cmocka_unit_test(riccati_equation_without_a_solution_is_refused),
        cmocka_unit_test(perfect_tracking_is_a_sample_late),
        cmocka_unit_test(histories_have_the_error_that_is_judged),
        cmocka_unit_test(coupling_of_the_actuators_matters),
        cmocka_unit_test(joint_adaptation_beats_the_published_filters),
        cmocka_unit_test(noise_of_both_strokes_is_one_and_cancels_in_the_rotation),
        cmocka_unit_test(state_feedback_tracks_and_rejects_noise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
