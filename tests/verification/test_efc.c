/* Equivalent force control against an independent prototype: constants, corrections, a nonlinear substructure, the
 * module itself; and against the library's HHT method where the two must agree. Where a row has no tolerance of its
 * own, half a unit of its last digit holds. With actuators: test_efc_actuators.c. docs/theory/efc.md */
#include "support/check.h"
#include "support/efc_names.h"

#include <math.h>

/* ---- constants and the first steps ----------------------------------------------------------------------------- */

static void sine_2Hz(double t, double *f)
{
    f[0] = 10 * sin(4 * M_PI * t);
}

static const struct efc_model damped = {1, {100}, {30}, {3600}, {50}, {20}, {1000}};

static void constants_of_the_integrator(void **state)
{
    struct efc_plan plan = efc_plan(-0.1, LAW_2, PEEK, 0.01, 0.001);
    struct efc_rig rig;

    efc_rig_open(&rig, &damped, &plan);
    assert_near_relative(yk_matrix_get(&rig.efc.KPD, 0, 0), 3.311140495868e6, 1e-11);
    assert_near_relative(yk_matrix_get(&rig.efc.CPD, 0, 0), 3.308140495868e4, 1e-11);
    assert_near_relative(yk_matrix_get(&rig.efc.MPD, 0, 0), 6.528702479339e1, 1e-11);
    assert_near_relative(yk_matrix_get(&rig.efc.KT, 0, 0), 3.315280495868e6, 1e-11);
    assert_int_equal(rig.efc.samples, 10);
    yk_efc_start(&rig.efc, (double[]){1e-3}, (double[]){2e-2}, (double[]){-0.3}, (double[]){5});
    yk_efc_begin_step(&rig.efc, (double[]){1}, (double[]){2});
    assert_near_relative(rig.efc.F1[0], 3.954222487603e3, 1e-11);
    efc_rig_close(&rig);
}

static void runs_with_the_ideal_specimen(void **state)
{
    static const struct {
        enum yk_efc_law law;
        enum yk_efc_correction correction;
        int step;
        double d, v, a, R, F;
    } rows[] = {
        {LAW_1, PEEK, 1, 2.475074750544e-07, 4.909239174632e-05, 8.182065291053e-03, 3.418501713079e-01,
         1.127999102079},
        {LAW_1, PEEK, 2, 1.474927951418e-06, 1.958505575853e-04, 1.900498411246e-02, 4.650618646529e-01,
         5.307028113177},
        {LAW_1, PEEK, 100, -6.688115473207e-04, -2.445968937219e-03, 2.343847167272e-02, 4.632167554160e-02,
         -2.216654258343e+03},
        {LAW_2, PEEK, 2, 1.390713299012e-06, 1.791468248767e-04, 1.622102866103e-02, 7.751945328755e-01,
         5.307028113177},
        {LAW_2, PEEK, 100, -6.809232793903e-04, -2.379561536634e-03, 2.147930131651e-02, 2.842792121409e-01,
         -2.256582985103e+03},
        {LAW_2, ACC, 1, 2.346038215551e-07, 4.653298939936e-05, 7.755498233226e-03, 3.418501713079e-01, 1.127999102079},
        {LAW_2, ACC, 2, 1.336143095671e-06, 1.733642299387e-04, 1.596820793440e-02, 7.537791803175e-01, 5.151789029274},
        {LAW_2, ACC, 100, -6.877516491510e-04, -2.339907698194e-03, 2.130622560409e-02, 2.695722627096e-01,
         -2.279172527640e+03},
    };

    for (size_t r = 0; r < COUNT(rows); r++) {
        struct efc_plan plan = efc_plan(-0.1, rows[r].law, rows[r].correction, 0.01, 0.001);
        struct efc_rig rig;
        struct yk_efc_motion now;

        efc_rig_open(&rig, &damped, &plan);
        rig.load = sine_2Hz;
        while (rig.step < rows[r].step)
            assert_int_equal(efc_step_ideal(&rig), YK_OK);
        now = yk_efc_now(&rig.efc);
        assert_near_relative(now.d[0], rows[r].d, 1e-9);
        assert_near_relative(now.v[0], rows[r].v, 1e-9);
        assert_near_relative(now.a[0], rows[r].a, 1e-9);
        assert_near_relative(rig.rE[0], rows[r].R, 1e-9);
        assert_near_relative(yk_efc_record(&rig.efc).command[0], rows[r].F, 1e-9);
        efc_rig_close(&rig);
    }
}

/* ---- corrections ----------------------------------------------------------------------------------------------- */

/* A linear specimen read a little off the solution of the step: peek turns the error round, (1+al) KE/KH of it; the
 * other two have none left where the command was not reached, and past it the displacement correction is peek. */
static void what_the_corrections_make_of_an_error(void **state)
{
    static const double alphas[] = {0, -0.1, -0.3}, offs[] = {-1e-4, 1e-4};
    static const struct efc_model model = {1, {100}, {0}, {3600}, {0}, {0}, {2500}};

    for (size_t k = 0; k < COUNT(alphas); k++)
        for (size_t i = 0; i < COUNT(offs); i++)
            for (int correction = NONE; correction <= (int)ACC; correction++) {
                const double al1 = 1 + alphas[k], f0 = 0, f1 = 100;
                const struct efc_plan plan =
                    efc_plan(alphas[k], LAW_2, (enum yk_efc_correction)correction, 0.05, 0.001);
                const bool turned = correction == (int)PEEK || (correction == (int)DISP && offs[i] > 0);
                struct efc_rig rig;
                double solution, x, R, left;

                efc_rig_open(&rig, &model, &plan);
                yk_efc_begin_step(&rig.efc, &f0, &f1);
                solution = rig.efc.F1[0] / yk_matrix_get(&rig.efc.KT, 0, 0);
                x = solution + offs[i];
                R = 2500 * x;
                assert_int_equal(yk_efc_end_step(&rig.efc, &(struct yk_efc_measured){&x, &R, &f0}), YK_OK);
                left = (yk_efc_now(&rig.efc).d[0] - solution) / offs[i];
                if (turned)
                    assert_near_relative(left, -al1 * 2500 / yk_matrix_get(&rig.efc.KH, 0, 0), 1e-9);
                else
                    assert_near(left, correction == (int)NONE ? 1 : 0, 1e-11);
                efc_rig_close(&rig);
            }
}

/* ---- runs against the whole structure -------------------------------------------------------------------------- */

/* A bare mass as specimen, under a load */
static void choice_of_interpolation(void **state)
{
    static const struct efc_model model = {1, {100}, {0}, {3600}, {50}, {0}, {0}};
    static const struct {
        enum yk_efc_law law;
        double max, rms, d[3], radius;
    } rows[] = {
        {LAW_1, 0.2273, 0.1907, {-1.222245e-3, -6.294744e-4, -8.367489e-4}, 0.999600},
        {LAW_2, 0.0656, 0.0528, {-1.245400e-3, -7.279245e-4, -1.111134e-3}, 0.999900},
    };
    static const double ends[3] = {1, 5, 10};

    for (size_t r = 0; r < COUNT(rows); r++) {
        const struct efc_plan plan = efc_plan(0, rows[r].law, PEEK, 0.01, 0.001);
        struct efc_rig rig;
        struct efc_comparison c;

        for (int k = 0; k < 3; k++) {
            efc_rig_open(&rig, &model, &plan);
            rig.load = sine_2Hz;
            efc_compare(&rig, efc_step_ideal, at_rest, ends[k], (struct efc_watched){0}, &c);
            assert_near_relative(yk_efc_now(&rig.efc).d[0], rows[r].d[k], 1e-6);
            efc_rig_close(&rig);
        }
        assert_near(c.max, rows[r].max, 5e-5);
        assert_near(c.rms, rows[r].rms, 5e-5);
        efc_rig_open(&rig, &model, &plan);
        assert_near(efc_radius(&rig), rows[r].radius, 5e-7);
        efc_rig_close(&rig);
    }
}

static void the_whole_structure_of_the_bare_mass(void **state)
{
    static const struct efc_model model = {1, {100}, {0}, {3600}, {50}, {0}, {0}};
    static const double want[][2] = {{1, -1.252815e-3}, {5, -7.640505e-4}, {10, -1.223177e-3}};
    struct yk_domain whole;
    struct yk_kinematics now;

    efc_whole_open(&whole, &model, 0, sine_2Hz, 0.01, at_rest);
    for (size_t k = 0; k < COUNT(want); k++) {
        while (whole.step < lround(want[k][0] / 0.01))
            assert_int_equal(yk_domain_step(&whole), YK_OK);
        yk_domain_now(&whole, &now);
        assert_near_relative(now.u[0], want[k][1], 1e-6);
    }
    efc_whole_close(&whole);
}

/* ---- a nonlinear numerical substructure ------------------------------------------------------------------------ */

/* Two masses in a row, the specimen a spring on the first; the spring between them stiffens. */
struct stiffening {
    double k[2], k3;
};

static void stiffening_force(void *self, const double *d, double *r)
{
    const struct stiffening *s = self;
    const double x = d[1] - d[0], between = s->k[1] * x + s->k3 * x * x * x;

    r[0] = s->k[0] * d[0] - between;
    r[1] = between;
}

enum { SWEEPS = 80 };

static void open_stiffening(struct yk_efc *efc, struct stiffening *s, double alpha, enum yk_efc_correction correction)
{
    double mn[] = {100, 60}, kn[] = {s->k[0] + s->k[1], -s->k[1], -s->k[1], s->k[1]}, ke[] = {2000};
    const struct yk_matrix MN = {.form = YK_DIAGONAL, .rows = 2, .cols = 2, .x = mn};
    const struct yk_matrix KN = {.form = YK_DENSE, .rows = 2, .cols = 2, .x = kn};
    const struct yk_matrix KE = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = ke};
    struct yk_efc_settings set = yk_efc_defaults(false);

    set.alpha = alpha;
    set.law = STEP;
    set.correction = correction;
    set.dt_s = 0.02;
    set.sample_s = 0.02 / SWEEPS;
    set.Kp = 0;
    set.Ki = 0.5 / set.sample_s;
    set.MN = &MN;
    set.KN = &KN;
    set.KE = &KE;
    set.interface_count = 1;
    set.restoring = (struct yk_efc_restoring){stiffening_force, s};
    assert_ok(yk_efc_create(efc, &set, NULL, &err));
}

/* The HHT balance between two accepted states, largest over the degrees of freedom [N] */
static double imbalance(struct stiffening *s, double alpha, const double *d0, const struct yk_efc_motion *now,
                        double f0, double f1)
{
    static const double mass[] = {100, 60};
    const double f[2][2] = {{0, 0}, {f0, f1}};
    double r0[2], r1[2], most = 0;

    stiffening_force(s, d0, r0);
    stiffening_force(s, now->d, r1);
    r0[0] += 2000 * d0[0];
    r1[0] += 2000 * now->d[0];
    for (int i = 0; i < 2; i++)
        most = fmax(most, fabs(mass[i] * now->a[i] + (1 + alpha) * (r1[i] - f[i][1]) - alpha * (r0[i] - f[i][0])));
    return most;
}

/* The actuator is as fast as the samples; 80 of them halve the error each. */
static void a_nonlinear_substructure_is_balanced(void **state)
{
    static const struct {
        double alpha;
        enum yk_efc_correction correction;
    } rows[] = {{0, NONE}, {-0.1, NONE}, {-0.1, PEEK}, {-0.1, DISP}, {-0.1, ACC}};
    struct stiffening s = {{3000, 4000}, 4e6};

    for (size_t r = 0; r < COUNT(rows); r++) {
        double x = 0, R = 0, d0[2] = {0}, bent = 0;
        const struct yk_efc_measured measured = {.d = &x, .r = &R};
        struct yk_efc efc;

        open_stiffening(&efc, &s, rows[r].alpha, rows[r].correction);
        yk_efc_start(&efc, d0, d0, d0, &R);
        for (int step = 1; step <= 200; step++) {
            const double f0 = 100 * sin(0.1 * (step - 1)), f1 = 100 * sin(0.1 * step);
            struct yk_efc_motion now = yk_efc_now(&efc);

            memcpy(d0, now.d, sizeof d0);
            yk_efc_begin_step(&efc, (double[]){0, f0}, (double[]){0, f1});
            for (int j = 0; j < SWEEPS; j++) {
                assert_int_equal(yk_efc_sample(&efc, &measured, &x), YK_OK);
                R = 2000 * x;
            }
            assert_int_equal(yk_efc_end_step(&efc, &measured), YK_OK);
            assert_true(imbalance(&s, rows[r].alpha, d0, &now, f0, f1) < 1e-7);
            bent = fmax(bent, s.k3 / s.k[1] * pow(now.d[1] - now.d[0], 2));
        }
        assert_true(bent > 0.2); /* the stiffening matters */
        yk_efc_destroy(&efc);
    }
}

/* ---- the module as a part of a program ------------------------------------------------------------------------- */

static void defaults_follow_the_kind_of_specimen(void **state)
{
    const struct yk_efc_settings spring = yk_efc_defaults(false), mass = yk_efc_defaults(true);

    assert_int_equal(spring.law, LAW_2);
    assert_int_equal(spring.correction, ACC);
    assert_near(spring.Kp, 2, 0);
    assert_near(spring.Ki, 200, 0);
    assert_near(mass.Kp, 0, 0);
    assert_near(mass.Ki, 5, 0);
}

static void bad_settings_are_refused(void **state)
{
    double mass[] = {100, 100}, bad[] = {NAN, 1};
    const struct yk_matrix M = {.form = YK_DIAGONAL, .rows = 2, .cols = 2, .x = mass};
    const struct yk_matrix N = {.form = YK_DIAGONAL, .rows = 2, .cols = 2, .x = bad};
    struct yk_matrix Z = {0};
    const size_t twice[] = {1, 1}, far[] = {2};
    struct yk_efc_settings good = yk_efc_defaults(false), set;
    struct yk_efc efc;

    good.dt_s = 0.01;
    good.sample_s = 0.001;
    good.MN = &M;
    good.interface_count = 2;
    EFC_REFUSED(set.alpha = 0.1, YK_E_RANGE, "alpha = 0.1 is outside [-1/3, 0]");
    EFC_REFUSED(set.alpha = NAN, YK_E_RANGE, "outside [-1/3, 0]");
    EFC_REFUSED(set.Kp = -1, YK_E_RANGE, "Kp = -1");
    EFC_REFUSED(set.Kp = set.Ki = 0, YK_E_RANGE, "one must be positive");
    EFC_REFUSED(set.law = 3, YK_E_RANGE, "command law 3");
    EFC_REFUSED(set.correction = -1, YK_E_RANGE, "correction -1");
    EFC_REFUSED(set.dt_s = 0, YK_E_RANGE, "must be positive");
    EFC_REFUSED(set.sample_s = 0.0015, YK_E_RANGE, "not a whole number of samples of 0.0015 s");
    EFC_REFUSED(set.sample_s = 0.02, YK_E_RANGE, "not a whole number");
    EFC_REFUSED(set.MN = NULL, YK_E_INPUT, "no mass matrix");
    EFC_REFUSED(set.MN = &N, YK_E_INPUT, "MN has an entry that is not a number");
    EFC_REFUSED((set.KE = &M, set.interface_count = 1), YK_E_INPUT, "KE is 2 x 2, expected 1 x 1");
    EFC_REFUSED(set.interface_count = 3, YK_E_RANGE, "3 interface degrees of freedom of 2");
    EFC_REFUSED(set.interface_dof = twice, YK_E_INPUT, "1 is listed twice");
    EFC_REFUSED((set.interface_dof = far, set.interface_count = 1), YK_E_RANGE, "2 is not below 2");
    assert_ok(yk_matrix_init(&Z, YK_DIAGONAL, 2, 2, &err));
    EFC_REFUSED(set.MN = &Z, YK_E_SINGULAR, "efc: ");
    yk_matrix_fini(&Z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_of_the_integrator),           cmocka_unit_test(runs_with_the_ideal_specimen),
        cmocka_unit_test(what_the_corrections_make_of_an_error), cmocka_unit_test(choice_of_interpolation),
        cmocka_unit_test(the_whole_structure_of_the_bare_mass),  cmocka_unit_test(a_nonlinear_substructure_is_balanced),
        cmocka_unit_test(defaults_follow_the_kind_of_specimen),  cmocka_unit_test(bad_settings_are_refused),
    };
    return cmocka_run_group_tests_name("equivalent force control", tests, NULL, NULL);
}
