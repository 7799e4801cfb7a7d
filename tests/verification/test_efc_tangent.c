/* Equivalent force control of structures that yield and soften: the sweeps of a correction over a nonlinear numerical
 * substructure (NS), and the secant of the specimen. Errors are against the HHT method of the whole, solved by Newton's
 * iteration here; figures are those of an independent program. docs/theory/efc.md, section 10. */
#include "support/check.h"
#include "support/efc_rig.h"
#include "support/trap.h"

#include <math.h>
#include <string.h>

#define PEEK YK_EFC_PEEK
#define DISP YK_EFC_DISPLACEMENT
#define ACC  YK_EFC_ACCELERATION

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* ---- springs --------------------------------------------------------------------------------------------------- */

/* k x; k x/(1 + |x|/a); or bilinear with kinematic hardening, yielding at a [N] with 5 % of k left. */
struct spring {
    enum { LINEAR, SOFTENING, BILINEAR } kind;
    double k, a, slip;
};

/* Force and tangent; the slip that would be remembered goes to *slip. */
static double pull(const struct spring *s, double x, double *tangent, double *slip)
{
    const double left = 0.05, elastic = (1 - left) * s->k, yield = (1 - left) * s->a;
    const double trial = elastic * (x - s->slip), fold = 1 + fabs(x) / s->a;
    const bool yields = s->kind == BILINEAR && fabs(trial) > yield;

    *slip = yields ? x - copysign(yield / elastic, trial) : s->slip;
    if (s->kind == SOFTENING) {
        *tangent = s->k / (fold * fold);
        return s->k * x / fold;
    }
    *tangent = yields ? left * s->k : s->k;
    return s->kind == LINEAR ? s->k * x : left * s->k * x + elastic * (x - *slip);
}

static double pull_and_keep(struct spring *s, double x)
{
    double tangent, slip;
    const double f = pull(s, x, &tangent, &slip);

    s->slip = slip;
    return f;
}

static double trial_force(const struct spring *s, double x)
{
    double tangent, slip;

    return pull(s, x, &tangent, &slip);
}

static void ns_force(void *self, const double *d, double *r)
{
    r[0] = trial_force(self, d[0]);
}

/* ---- one mass, 10 s of a sine at 0.8 Hz ------------------------------------------------------------------------ */

enum { STEPS = 1000 };
static const double mass = 100, dt = 0.01, h = 0.001;

static double load(int step)
{
    return 100 * sin(2 * M_PI * 0.8 * dt * step);
}

/* The whole structure, alpha = 0; its peak */
static double whole(struct spring ns, struct spring specimen, double *d)
{
    double v = 0, a = 0, peak = 0;

    d[0] = 0;
    for (int i = 0; i < STEPS; i++) {
        const double p = d[i] + dt * v + dt * dt / 4 * a;
        double x = d[i], way = 1, a1;

        for (int k = 0; k < 60 && fabs(way) > 1e-15; k++) {
            double kn, ke, slip;
            const double f = pull(&ns, x, &kn, &slip) + pull(&specimen, x, &ke, &slip);

            way = (load(i + 1) - f - mass * (x - p) * 4 / (dt * dt)) / (mass * 4 / (dt * dt) + kn + ke);
            x += way;
        }
        pull_and_keep(&ns, x);
        pull_and_keep(&specimen, x);
        a1 = (x - p) * 4 / (dt * dt);
        v += dt / 2 * (a + a1);
        a = a1;
        d[i + 1] = x;
        peak = fmax(peak, fabs(x));
    }
    return peak;
}

static struct yk_efc_settings settings(enum yk_efc_correction correction, int sweeps, double least)
{
    struct yk_efc_settings set = yk_efc_defaults(false);

    set.correction = correction;
    set.sweeps = sweeps;
    set.dt_s = dt;
    set.sample_s = h;
    if (least > 0) {
        set.tangent = YK_EFC_SECANT;
        set.least_travel = least;
    }
    return set;
}

/* Largest error over the peak. gk: estimate of the specimen's stiffness over its initial one */
static double error_of(struct spring ns, struct spring specimen, double gk, struct yk_efc_settings set)
{
    double mn[] = {mass}, kn[] = {ns.k}, ke[] = {gk * specimen.k}, path[STEPS + 1], x = 0, R = 0, most = 0;
    const struct yk_matrix MN = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = mn};
    const struct yk_matrix KN = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = kn};
    const struct yk_matrix KE = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = ke};
    const double peak = whole(ns, specimen, path), rest = 0;
    const struct yk_efc_measured measured = {.d = &x, .r = &R};
    struct efc_actuator actuator;
    struct yk_efc efc;

    set.MN = &MN;
    set.KN = &KN;
    set.KE = &KE;
    set.interface_count = 1;
    set.restoring = (struct yk_efc_restoring){ns_force, &ns};
    assert_ok(yk_efc_create(&efc, &set, NULL, &err));
    efc_actuator_init(&actuator, 100, 0.9, h, 0);
    yk_efc_start(&efc, &rest, &rest, &rest, &rest);
    for (int i = 0; i < STEPS; i++) {
        const double f0 = load(i), f1 = load(i + 1);

        yk_efc_begin_step(&efc, &f0, &f1);
        for (int j = 0; j < 10; j++) {
            double dc;

            assert_int_equal(yk_efc_sample(&efc, &measured, &dc), YK_OK);
            efc_actuator_step(&actuator, dc);
            x = actuator.x;
            R = pull_and_keep(&specimen, x);
        }
        assert_int_equal(yk_efc_end_step(&efc, &measured), YK_OK);
        pull_and_keep(&ns, efc.d[0]);
        most = fmax(most, fabs(efc.d[0] - path[i + 1]));
    }
    yk_efc_destroy(&efc);
    return most / peak;
}

static const struct spring linear = {LINEAR, 3600, 1, 0}, soft = {SOFTENING, 3600, 0.01, 0};
static const struct spring yielding = {BILINEAR, 3600, 20, 0}, stiff = {BILINEAR, 36000, 100, 0};

/* A substructure that yields by the correction's factor of the error, and by each sweep by another (KN - K)/KT. */
static void sweeps_follow_a_yielding_substructure(void **state)
{
    static const struct {
        enum yk_efc_correction correction;
        int sweeps;
        double error;
    } rows[] = {{ACC, 1, 0.109326},  {ACC, 2, 1.02659e-4},  {ACC, 3, 8.76219e-8},  {ACC, 5, 0},
                {DISP, 1, 0.109351}, {DISP, 2, 1.95813e-4}, {DISP, 3, 1.15733e-4}, {DISP, 5, 1.15677e-4}};

    for (size_t r = 0; r < COUNT(rows); r++)
        assert_near(error_of(yielding, linear, 1, settings(rows[r].correction, rows[r].sweeps, 0)), rows[r].error,
                    rows[r].error > 0 ? 1e-4 * rows[r].error + 1e-11 : 1e-12);
}

static void the_secant_follows_the_specimen(void **state)
{
    static const struct {
        const struct spring *ns, *specimen;
        enum yk_efc_correction correction;
        int sweeps;
        double least, gk, error;
    } rows[] = {
        {&linear, &soft, ACC, 1, 0, 1, 0.189766},      {&linear, &soft, ACC, 1, 1e-3, 1, 5.01894e-4},
        {&linear, &soft, ACC, 1, 0, 2, 0.322696},      {&linear, &soft, ACC, 1, 1e-3, 2, 5.41582e-4},
        {&linear, &soft, DISP, 1, 0, 1, 0.18978},      {&linear, &soft, DISP, 1, 1e-3, 1, 5.06509e-4},
        {&linear, &yielding, ACC, 1, 0, 1, 0.10932},   {&linear, &yielding, ACC, 1, 1e-3, 1, 0.00155778},
        {&linear, &yielding, DISP, 1, 0, 2, 0.201631}, {&linear, &yielding, DISP, 1, 1e-3, 2, 0.0015294},
        {&linear, &stiff, ACC, 1, 0, 1, 0.0154862},    {&linear, &stiff, ACC, 1, 1e-4, 1, 0.00858684},
        {&linear, &stiff, DISP, 1, 0, 2, 0.123984},    {&linear, &stiff, DISP, 1, 1e-4, 2, 0.0106596},
        {&yielding, &linear, ACC, 3, 0, 2, 0.114179},  {&yielding, &linear, ACC, 3, 1e-3, 2, 2.37366e-4},
        {&soft, &soft, ACC, 1, 0, 1, 0.672275},        {&soft, &soft, ACC, 3, 0, 1, 0.563893},
        {&soft, &soft, ACC, 1, 1e-3, 1, 0.563082},     {&soft, &soft, ACC, 3, 1e-3, 1, 0.00543097},
    };

    for (size_t r = 0; r < COUNT(rows); r++) {
        const struct yk_efc_settings set = settings(rows[r].correction, rows[r].sweeps, rows[r].least);

        assert_near_relative(error_of(*rows[r].ns, *rows[r].specimen, rows[r].gk, set), rows[r].error, 1e-3);
    }
}

/* A model of the actuator does as much, and the two add up. */
static void feedforward_and_secant_add_up(void **state)
{
    struct yk_efc_settings led = settings(ACC, 1, 0), both = settings(ACC, 1, 1e-3);

    led.feedforward = both.feedforward = YK_EFC_TYPE_4;
    led.actuator = both.actuator = YK_EFC_SERVO;
    led.frequency = both.frequency = 100 / (2 * M_PI);
    led.damping = both.damping = 0.9;
    assert_true(error_of(linear, soft, 1, led) < 3e-4);
    assert_true(error_of(linear, soft, 1, both) < 1e-6);
}

/* ---- where they must not harm ---------------------------------------------------------------------------------- */

/* A stop that is a thousand times stiffer than the loop. */
static void stop_force(void *self, const double *d, double *r)
{
    const double *k = self;

    r[0] = 3600 * d[0] + (d[0] > 0.002 ? *k * (d[0] - 0.002) : 0);
}

/* A bend beyond the reach of the initial stiffness: the sweeps stop where they would run away. */
static void sweeps_that_would_diverge_are_dropped(void **state)
{
    static const int sweeps[] = {1, 2, 20};
    double k = 4e9, mn[] = {mass}, kn[] = {3600}, last[COUNT(sweeps)];
    const struct yk_matrix MN = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = mn};
    const struct yk_matrix KN = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = kn};
    const double rest = 0, f0 = 0, f1 = 12000;

    for (size_t i = 0; i < COUNT(sweeps); i++) {
        struct yk_efc_settings set = settings(PEEK, sweeps[i], 0);
        double x = 0.0019, R = 3600 * 0.0019;
        struct yk_efc efc;

        set.MN = &MN;
        set.KN = &KN;
        set.interface_count = 1;
        set.restoring = (struct yk_efc_restoring){stop_force, &k};
        assert_ok(yk_efc_create(&efc, &set, NULL, &err));
        yk_efc_start(&efc, &rest, &rest, &rest, &rest);
        yk_efc_begin_step(&efc, &f0, &f1);
        assert_int_equal(yk_efc_end_step(&efc, &(struct yk_efc_measured){.d = &x, .r = &R}), YK_OK);
        last[i] = efc.d[0];
        assert_true(last[i] > 0.002);
        yk_efc_destroy(&efc);
    }
    assert_near(last[1], last[0], 0);
    assert_near(last[2], last[0], 0);
}

/* Small travel, of noise say, teaches nothing; a force that falls as the specimen goes on counts as none; one that
 * rises steeply as twice the estimate. */
static void the_secant_is_guarded(void **state)
{
    static const double rows[][4] = {/* travel, change of the reaction, share before, after */
                                     {0.9e-3, -100, 0.5, 0.5},
                                     {2e-3, 1.8, 0.5, 0.25},
                                     {-2e-3, -1.8, 0.5, 0.25},
                                     {2e-3, -1, 0.5, 0},
                                     {2e-3, 1e6, 0.5, 2}};

    for (size_t r = 0; r < COUNT(rows); r++) {
        struct yk_efc_settings set = settings(ACC, 1, 1e-3);
        double mn[] = {mass}, ke[] = {3600}, x = 0.004, R = 7, dc;
        const struct yk_matrix MN = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = mn};
        const struct yk_matrix KE = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = ke};
        const struct yk_efc_measured measured = {.d = &x, .r = &R};
        const double rest = 0;
        struct yk_efc efc;

        set.MN = &MN;
        set.KE = &KE;
        set.interface_count = 1;
        assert_ok(yk_efc_create(&efc, &set, NULL, &err));
        yk_efc_start(&efc, &rest, &rest, &rest, &rest);
        yk_efc_begin_step(&efc, &rest, &rest);
        assert_int_equal(yk_efc_sample(&efc, &measured, &dc), YK_OK);
        assert_near(efc.secant.share, 1, 0);
        efc.secant.share = rows[r][2];
        x += rows[r][0];
        R += rows[r][1];
        assert_int_equal(yk_efc_sample(&efc, &measured, &dc), YK_OK);
        assert_near(efc.secant.share, rows[r][3], 1e-12);
        yk_efc_resume(&efc);
        assert_near(efc.secant.share, 1, 0);
        yk_efc_destroy(&efc);
    }
}

/* Two actuators and a third degree of freedom: an estimate that is twice too stiff everywhere is found out, and the
 * correction is then that of the right one. */
static void one_share_for_several_degrees_of_freedom(void **state)
{
    const struct efc_model model = {.n = 3,
                                    .MN = {100, 0, 0, 0, 80, 0, 0, 0, 60},
                                    .KN = {9000, -4000, 0, -4000, 7000, -3000, 0, -3000, 3000},
                                    .KE = {3000, -1000, 0, -1000, 2000, 0, 0, 0, 0}};

    for (int correction = DISP; correction <= (int)ACC; correction++) {
        struct efc_plan plan = efc_plan(-0.05, YK_EFC_INTERPOLATION_2, (enum yk_efc_correction)correction, 0.02, 0.001);
        double d[2][3];

        plan.m = 2;
        plan.dof[0] = 1;
        plan.dof[1] = 0;
        for (int k = 0; k < 2; k++) {
            struct efc_rig rig;
            const double f0[3] = {0}, f1[3] = {30, -10, 20}, x[2] = {3e-4, 5e-4};
            const double R[2] = {2000 * x[0] - 1000 * x[1], -1000 * x[0] + 3000 * x[1]};

            plan.gk = k ? 2 : 1;
            plan.set.tangent = k ? YK_EFC_SECANT : YK_EFC_ESTIMATE;
            plan.set.least_travel = k ? 1e-4 : 0;
            /* the rig gives a mass matrix of zeros, which is no mass */
            efc_rig_open(&rig, &model, &plan);
            yk_efc_begin_step(&rig.efc, f0, f1);
            if (k) {
                double dc[2];
                const double none[2] = {0};

                assert_int_equal(yk_efc_sample(&rig.efc, &(struct yk_efc_measured){.d = none, .r = none}, dc), YK_OK);
            }
            assert_int_equal(yk_efc_end_step(&rig.efc, &(struct yk_efc_measured){.d = x, .r = R, .a = f0}), YK_OK);
            assert_near(rig.efc.secant.share, k ? 0.5 : 1, 1e-12);
            memcpy(d[k], rig.efc.d, sizeof d[k]);
            efc_rig_close(&rig);
        }
        for (int i = 0; i < 3; i++)
            assert_near_relative(d[1][i], d[0][i], 1e-11);
    }
}

/* ---- the module as a part of a program ------------------------------------------------------------------------- */

static void bad_settings_are_refused(void **state)
{
    double mn[] = {100}, ke[] = {3600}, none[] = {0};
    const struct yk_matrix M = {.form = YK_DIAGONAL, .rows = 1, .cols = 1, .x = mn};
    const struct yk_matrix K = {.form = YK_DIAGONAL, .rows = 1, .cols = 1, .x = ke};
    const struct yk_matrix Z = {.form = YK_DIAGONAL, .rows = 1, .cols = 1, .x = none};
    struct yk_efc_settings good = settings(ACC, 1, 1e-3), set;
    struct yk_efc efc;

    good.MN = &M;
    good.KE = &K;
    good.interface_count = 1;
    EFC_REFUSED(set.tangent = 2, YK_E_RANGE, "tangent 2 is unknown");
    EFC_REFUSED(set.least_travel = 0, YK_E_RANGE, "least_travel = 0: it must be positive; ten times the noise");
    EFC_REFUSED(set.least_travel = NAN, YK_E_RANGE, "must be positive");
    EFC_REFUSED(set.correction = PEEK, YK_E_INPUT, "serves the corrections displacement and acceleration");
    EFC_REFUSED(set.KE = NULL, YK_E_INPUT, "scales the estimated stiffness, and that is zero");
    EFC_REFUSED(set.KE = &Z, YK_E_INPUT, "scales the estimated stiffness, and that is zero");
    EFC_REFUSED(set.ME = &M, YK_E_UNSUPPORTED, "inertia is part of that force; leave the mass out of the estimate");
    EFC_REFUSED(set.sweeps = 0, YK_E_RANGE, "0 sweeps of the correction are outside [1, 100]");
    good.tangent = YK_EFC_ESTIMATE;
    EFC_REFUSED((set.correction = YK_EFC_NONE, set.sweeps = 2), YK_E_INPUT,
                "2 sweeps need a correction, but there is none");
}

struct work {
    struct yk_efc efc;
    struct spring ns;
    double x, R;
};

static void run_steps(void *arg)
{
    struct work *w = arg;
    const double f0 = 50, f1 = -50;

    for (int k = 0; k < 40; k++) {
        yk_efc_begin_step(&w->efc, &f0, &f1);
        for (int j = 0; j < 10; j++) {
            yk_efc_sample(&w->efc, &(struct yk_efc_measured){.d = &w->x, .r = &w->R}, &w->x);
            w->R = trial_force(&soft, w->x);
        }
        yk_efc_end_step(&w->efc, &(struct yk_efc_measured){.d = &w->x, .r = &w->R});
    }
}

static void the_cycle_makes_no_heap_and_no_system_calls(void **state)
{
    struct yk_efc_settings set = settings(ACC, 5, 1e-6);
    double mn[] = {mass}, k[] = {3600};
    const struct yk_matrix MN = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = mn};
    const struct yk_matrix K = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = k};
    struct work w = {.ns = soft};
    const double rest = 0;

    set.Kp = 0;
    set.Ki = 500;
    set.MN = &MN;
    set.KN = set.KE = &K;
    set.interface_count = 1;
    set.restoring = (struct yk_efc_restoring){ns_force, &w.ns};
    assert_ok(yk_efc_create(&w.efc, &set, NULL, &err));
    yk_efc_start(&w.efc, &rest, &rest, &rest, &rest);
    run_steps(&w);
    assert_true(w.efc.secant.share != 1);
    assert_clean(run_steps, &w);
    yk_efc_destroy(&w.efc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_follow_a_yielding_substructure),
        cmocka_unit_test(the_secant_follows_the_specimen),
        cmocka_unit_test(feedforward_and_secant_add_up),
        cmocka_unit_test(sweeps_that_would_diverge_are_dropped),
        cmocka_unit_test(the_secant_is_guarded),
        cmocka_unit_test(one_share_for_several_degrees_of_freedom),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(the_cycle_makes_no_heap_and_no_system_calls),
    };
    return cmocka_run_group_tests_name("tangents of equivalent force control", tests, NULL, NULL);
}
