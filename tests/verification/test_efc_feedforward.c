/* The type of the loop of equivalent force control, and what the feed-forward makes of it: long commands, runs with an
 * actuator, models that are wrong. Figures of the runs are those of an independent program. docs/theory/efc.md,
 * sections 5 and 9. */
#include "support/check.h"
#include "support/efc_rig.h"

#include <math.h>
#include <string.h>

#define NONE YK_EFC_NONE
#define PEEK YK_EFC_PEEK
#define DISP YK_EFC_DISPLACEMENT
#define ACC  YK_EFC_ACCELERATION

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const struct efc_model springs = {1, {100}, {0}, {3600}, {0}, {0}, {3600}};
static const double rest[EFC_DOFS] = {0};

static void servo(struct yk_efc_settings *set, int feedforward, double omega, double zeta)
{
    set->feedforward = feedforward;
    set->actuator = YK_EFC_SERVO;
    set->frequency = omega / (2 * M_PI);
    set->damping = zeta;
}

/* ---- one long command ------------------------------------------------------------------------------------------ */

/* A step of 1 s in samples of 1 ms, with an actuator of 100 rad/s. */
static struct efc_plan long_step(enum yk_efc_law law, double Kp, double Ki)
{
    struct efc_plan plan = efc_plan(0, law, NONE, 1, 0.001);

    plan.set.Kp = Kp;
    plan.set.Ki = Ki;
    return plan;
}

static void open_long(struct efc_rig *rig, const struct efc_model *model, const struct efc_plan *plan)
{
    efc_rig_open(rig, model, plan);
    efc_rig_actuators(rig, 100, 0.9);
}

/* Displacements of the last samples, for rates: under held commands the velocity ripples and the acceleration jumps. */
static double path[3];

static double velocity(double h)
{
    return (3 * path[0] - 4 * path[1] + path[2]) / (2 * h);
}

static double acceleration(double h)
{
    return (path[0] - 2 * path[1] + path[2]) / (h * h);
}

/* A sample of the step; the error of the command at its end. */
static double sample(struct efc_rig *rig)
{
    const struct yk_efc *s = &rig->efc;
    double dc, tau;

    assert_int_equal(yk_efc_sample(&rig->efc, &(struct yk_efc_measured){.d = rig->dE, .r = rig->rE}, &dc), YK_OK);
    efc_actuator_step(&rig->actuator[0], dc);
    rig->dE[0] = rig->actuator[0].x;
    rig->vE[0] = rig->actuator[0].v;
    rig->aE[0] = rig->actuator[0].a;
    rig->rE[0] = rig->model.ME[0] * rig->aE[0] + rig->model.CE[0] * rig->vE[0] + rig->model.KE[0] * rig->dE[0];
    memmove(path + 1, path, 2 * sizeof *path);
    path[0] = rig->dE[0];
    tau = (double)s->tick * s->h;
    return (s->law == YK_EFC_STEP ? s->F1[0] : s->F0[0] + tau * (s->c1[0] + tau * s->c2[0])) -
           (yk_matrix_get(&s->KPD, 0, 0) + (1 + s->alpha) * yk_matrix_get(&s->KN, 0, 0)) * rig->dE[0] -
           (1 + s->alpha) * rig->rE[0];
}

static void begin(struct efc_rig *rig, double f1)
{
    yk_efc_begin_step(&rig->efc, rest, &f1);
}

/* Without feed-forward: no error after a jump. */
static void a_jump_is_followed_without_error(void **state)
{
    const struct efc_plan plan = long_step(YK_EFC_STEP, 2, 200);
    struct efc_rig rig;
    double error = 0;

    open_long(&rig, &springs, &plan);
    begin(&rig, 1);
    for (int j = 0; j < 1000; j++)
        error = sample(&rig);
    assert_near(error, 0, 1e-12);
    efc_rig_close(&rig);
}

/* A ramp: constant error 1/Ki - h of the rate (the feedback is one sample old), right rate. */
static void a_ramp_is_followed_with_constant_error(void **state)
{
    static const double gains[][2] = {{2, 200}, {1, 100}, {0, 20}};

    for (size_t g = 0; g < COUNT(gains); g++) {
        const struct efc_plan plan = long_step(YK_EFC_INTERPOLATION_2, gains[g][0], gains[g][1]);
        const double v0 = 1e-3;
        struct efc_rig rig;
        double error[1000], KH;

        open_long(&rig, &springs, &plan);
        KH = yk_matrix_get(&rig.efc.KH, 0, 0);
        yk_efc_start(&rig.efc, rest, &v0, rest, rest);
        begin(&rig, (KH - yk_matrix_get(&rig.efc.CPD, 0, 0)) * v0); /* F1 = c1 dt */
        assert_near(rig.efc.c2[0], 0, 1e-12);
        for (int j = 0; j < 1000; j++)
            error[j] = sample(&rig);
        assert_near_relative(error[999], KH * v0 * (1 / gains[g][1] - 0.001), 1e-6);
        assert_near_relative(error[999], error[899], 1e-5);
        assert_near_relative(velocity(0.001), KH * v0 / yk_matrix_get(&rig.efc.KT, 0, 0), 1e-6);
        efc_rig_close(&rig);
    }
}

/* A parabola: the error grows at the rate 2 c2 (1/Ki - h), the acceleration is right: 2 c2/KT, with damping and mass in
 * the specimen too. */
static void a_parabola_is_followed_in_acceleration_only(void **state)
{
    static const struct {
        struct efc_model model;
        double Kp, Ki;
    } rows[] = {
        {{1, {100}, {0}, {3600}, {0}, {0}, {3600}}, 2, 200},
        {{1, {100}, {0}, {3600}, {0}, {150}, {3600}}, 1, 100},
        {{1, {100}, {20}, {3600}, {10}, {50}, {3600}}, 0, 20},
    };

    for (size_t r = 0; r < COUNT(rows); r++) {
        const struct efc_plan plan = long_step(YK_EFC_INTERPOLATION_2, rows[r].Kp, rows[r].Ki);
        struct efc_rig rig;
        double error[1000], KT, c2;

        open_long(&rig, &rows[r].model, &plan);
        KT = yk_matrix_get(&rig.efc.KT, 0, 0);
        begin(&rig, 1);
        c2 = rig.efc.c2[0];
        for (int j = 0; j < 1000; j++)
            error[j] = sample(&rig);
        assert_near_relative(error[999] - error[899], 0.1 * 2 * c2 * (1 / rows[r].Ki - 0.001), 1e-5);
        assert_near_relative(acceleration(0.001), 2 * c2 / KT, 1e-4);
        efc_rig_close(&rig);
    }
}

/* With feed-forward the same specimens end where the settled specimen of eq. (15) does, in displacement, velocity and
 * acceleration. Under held commands the velocity that damping reads ripples by (w h)^2/12 of itself, and the
 * acceleration that inertia reads ends a sample w^2 h/2 of the velocity below its mean: that much is left. */
static void the_feedforward_follows_a_parabola_without_error(void **state)
{
    static const struct {
        struct efc_model model;
        double alpha, Kp, Ki, error, off; /* of the force, of the motion */
    } rows[] = {
        {{1, {100}, {0}, {3600}, {0}, {0}, {3600}}, 0, 2, 200, 1e-10, 1e-9},
        {{1, {100}, {0}, {3600}, {0}, {150}, {3600}}, -0.1, 1, 100, 1e-6, 5e-5},
        {{1, {100}, {20}, {3600}, {10}, {50}, {3600}}, -0.2, 0, 20, 1e-3, 2e-2},
    };

    for (size_t r = 0; r < COUNT(rows); r++)
        for (int type = YK_EFC_NO_FEEDFORWARD; type <= (int)YK_EFC_TYPE_4; type++) {
            struct efc_plan plan = long_step(YK_EFC_INTERPOLATION_2, rows[r].Kp, rows[r].Ki);
            const double *CE = rows[r].model.CE, *ME = rows[r].model.ME, al1 = 1 + rows[r].alpha;
            struct efc_rig rig;
            double error = 0, F1, KT, a, v, d;

            plan.set.alpha = rows[r].alpha;
            servo(&plan.set, type, 100, 0.9);
            open_long(&rig, &rows[r].model, &plan);
            begin(&rig, 1);
            for (int j = 0; j < 1000; j++)
                error = sample(&rig);
            F1 = rig.efc.F1[0];
            KT = yk_matrix_get(&rig.efc.KT, 0, 0);
            a = 2 * rig.efc.c2[0] / KT;
            v = (2 * rig.efc.c2[0] + rig.efc.c1[0] - al1 * CE[0] * a) / KT;
            d = (F1 - al1 * (CE[0] * v + ME[0] * a)) / KT;
            if (type == YK_EFC_NO_FEEDFORWARD) {
                /* what grew with the time of the step, less a constant part */
                assert_near_relative(error, 2 * F1 * (1 / rows[r].Ki - 0.001), 0.06);
                assert_true(d - rig.dE[0] > 0.005 * d && v - velocity(0.001) > 0.003 * v);
            } else {
                assert_near(error, 0, rows[r].error * F1);
                assert_near_relative(rig.dE[0], d, rows[r].off);
                assert_near_relative(velocity(0.001), v, rows[r].off);
            }
            assert_near_relative(acceleration(0.001), a, 1e-4);
            efc_rig_close(&rig);
        }
}

/* Type IV needs no feedback for it: with next to no gain there is no error, while type III
 * stays behind by the second derivative. */
static void type_4_follows_a_parabola_from_the_start(void **state)
{
    for (int type = YK_EFC_TYPE_3; type <= (int)YK_EFC_TYPE_4; type++) {
        struct efc_plan plan = long_step(YK_EFC_INTERPOLATION_2, 0, 1e-6);
        struct efc_rig rig;
        double error = 0;

        servo(&plan.set, type, 100, 0.9);
        open_long(&rig, &springs, &plan);
        begin(&rig, 1);
        for (int j = 0; j < 1000; j++)
            error = sample(&rig);
        if (type == YK_EFC_TYPE_4)
            assert_near(error, 0, 1e-6 * rig.efc.F1[0]);
        else /* it stands where 2 c2 D2 leaves it: the actuator's 1/w^2 and the held samples */
            assert_near_relative(error, 2 * rig.efc.c2[0] * (1e-4 - 0.018 * 0.0005 + 1e-6 / 12), 1e-3);
        efc_rig_close(&rig);
    }
}

/* The coefficients against the rule mu0 = b0/a0, mu1 = (b1 - mu0 a1)/a0 for an open loop N/(s D), whose signal enters
 * before the controller: through Kp + Ki/s it is Ki mu0, Kp mu0 + Ki mu1 behind it. What is left are the samples: h of
 * the feedback and h/2 of the held command. */
static void coefficients_follow_the_open_loop(void **state)
{
    static const double h = 1e-3, Kp = 1.5, Ki = 80, w = 70, zeta = 0.7, al = -0.1;
    static const struct efc_model model = {1, {100}, {10}, {3600}, {20}, {150}, {2000}};
    struct efc_plan plan = efc_plan(al, YK_EFC_INTERPOLATION_2, ACC, 0.02, h);
    struct efc_rig rig;
    double CF, a[2], b[2], mu[2];

    plan.set.Kp = Kp;
    plan.set.Ki = Ki;
    servo(&plan.set, YK_EFC_TYPE_3, w, zeta);
    efc_rig_open(&rig, &model, &plan);
    CF = 1 / yk_matrix_get(&rig.efc.KT, 0, 0);
    /* N = (Ki + Kp s) CF (KT + (1+al) CE s + ...) w^2, D = w^2 + 2 zeta w s + s^2 */
    a[0] = Ki * w * w;
    a[1] = w * w * (Kp + Ki * CF * (1 + al) * 150);
    b[0] = w * w;
    b[1] = 2 * zeta * w;
    mu[0] = b[0] / a[0];
    mu[1] = (b[1] - mu[0] * a[1]) / a[0];
    assert_near_relative(rig.efc.lead.share, Ki * (mu[0] - h), 1e-12);
    assert_near_relative(rig.efc.lead.first[0], Kp * (mu[0] - h) + Ki * mu[1] - h / 2, 1e-12);
    assert_near(rig.efc.lead.second[0], 0, 0);
    efc_rig_close(&rig);
}

/* Two lags and dead time, and a static gain: the same loop, another model. */
static void other_models_of_the_actuator(void **state)
{
    struct efc_plan plan = long_step(YK_EFC_INTERPOLATION_2, 1, 100), two = plan;
    struct efc_rig rig, lags;

    servo(&plan.set, YK_EFC_TYPE_4, 100, 1.25); /* lags of 5 and 20 ms */
    two.set.feedforward = YK_EFC_TYPE_4;
    two.set.T1 = 0.005;
    two.set.T2 = 0.020;
    efc_rig_open(&rig, &springs, &plan);
    efc_rig_open(&lags, &springs, &two);
    assert_near_relative(lags.efc.lead.first[0], rig.efc.lead.first[0], 1e-12);
    assert_near_relative(lags.efc.lead.second[0], rig.efc.lead.second[0], 1e-12);
    efc_rig_close(&rig);
    efc_rig_close(&lags);

    /* 1/(g (1 - x)): dead time as e^(sT), gain as a divisor */
    two.set.T2 = 0;
    two.set.dead_time = 0.002;
    two.set.gain = 0.8;
    efc_rig_open(&lags, &springs, &two);
    assert_near_relative(lags.efc.lead.share, 1 / 0.8 - 0.1, 1e-12);
    assert_near_relative(lags.efc.lead.first[0], (0.005 + 0.002 - 0.0005) / 0.8 - 0.001, 1e-12);
    assert_near_relative(lags.efc.lead.second[0],
                         (0.005 * 0.002 + 0.002 * 0.002 / 2 - 0.007 * 0.0005 + 1e-6 / 12) / 0.8 + 0.5e-6, 1e-12);
    efc_rig_close(&lags);
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

static void sine_1Hz(double t, double *f)
{
    f[0] = 10 * sin(2 * M_PI * t);
}

struct outcome {
    double error, residual, first, last; /* last: peak of the last 2 s */
    double beyond;                       /* share of the steps that end beyond their command */
};

/* Largest error over the peak of the whole structure, largest residual and that of the first step [N]. `change`, if
 * there is one, may put other coefficients into the rig. */
static struct outcome run_changed(const struct efc_model *model, const struct efc_plan *plan, const double *d0,
                                  void (*load)(double, double *), double end, void (*change)(struct efc_rig *))
{
    struct outcome o = {0};
    struct yk_domain whole;
    struct efc_rig rig;
    double most = 0, peak = 0, last = 0;

    efc_rig_open(&rig, model, plan);
    if (change)
        change(&rig);
    rig.load = load;
    efc_rig_start(&rig, d0);
    efc_rig_actuators(&rig, 100, 0.9);
    efc_whole_open(&whole, model, rig.efc.alpha, load, rig.efc.dt, d0);
    while (rig.step < lround(end / rig.efc.dt) && most < 1e3) {
        struct yk_kinematics reached;

        assert_int_equal(efc_step_actuated(&rig), YK_OK);
        assert_int_equal(yk_domain_step(&whole), YK_OK);
        yk_domain_now(&whole, &reached);
        most = fmax(most, fabs(rig.efc.d[0] - reached.u[0]));
        peak = fmax(peak, fabs(reached.u[0]));
        o.residual = fmax(o.residual, fabs(rig.efc.error[0]));
        o.beyond += !(rig.efc.error[0] * (rig.efc.F1[0] - last) > 0);
        last = rig.efc.F1[0];
        if (rig.step == 1)
            o.first = o.residual;
        if ((double)rig.step * rig.efc.dt > end - 2)
            o.last = fmax(o.last, fabs(rig.efc.d[0]));
    }
    o.error = most / peak;
    o.beyond /= (double)rig.step;
    efc_rig_close(&rig);
    efc_whole_close(&whole);
    return o;
}

static struct outcome run(const struct efc_model *model, const struct efc_plan *plan, const double *d0,
                          void (*load)(double, double *), double end)
{
    return run_changed(model, plan, d0, load, end, NULL);
}

static struct efc_plan spring_plan(int correction, int type, double omega, double gk)
{
    struct efc_plan plan = efc_plan(0, YK_EFC_INTERPOLATION_2, (enum yk_efc_correction)correction, 0.01, 0.001);

    plan.set.Kp = 2;
    plan.set.Ki = 200;
    plan.gk = gk;
    if (type)
        servo(&plan.set, type, omega, 0.9);
    return plan;
}

/* The spring of the other tests: what a step falls short of its command, and what it does to the motion. */
static void undershoot_of_a_spring_on_an_actuator(void **state)
{
    static const struct {
        int correction, type;
        double error, residual, first;
    } rows[] = {
        {PEEK, 0, 0.432353, 948.992, 0.521009},
        {PEEK, 3, 0.00232961, 3.71097, 0.271967},
        {PEEK, 4, 1.16005e-4, 0.239782, 4.64918e-4},
        {DISP, 0, 6.08939e-4, 621.354, 0.521009},
        {DISP, 3, 0.00220525, 3.71111, 0.271967},
        {DISP, 4, 7.27592e-6, 0.239778, 4.64918e-4},
        {ACC, 0, 0, 621.366, 0.521009},
        {ACC, 3, 0, 3.71299, 0.271967},
        {ACC, 4, 0, 0.239778, 4.64918e-4},
        {NONE, 4, 0.113868, 0.235101, 4.64918e-4},
    };

    for (size_t r = 0; r < COUNT(rows); r++) {
        const struct efc_plan plan = spring_plan(rows[r].correction, rows[r].type ? rows[r].type - 2 : 0, 100, 1);
        const struct outcome o = run(&springs, &plan, rest, sine_1Hz, 10);

        assert_near(o.error, rows[r].error, rows[r].error > 0 ? 2e-4 * rows[r].error : 1e-11);
        assert_near_relative(o.residual, rows[r].residual, 1e-4);
        assert_near_relative(o.first, rows[r].first, 1e-4);
    }
}

/* The rule for mu0 and mu1 added behind the controller that it is made for: next to nothing. */
static void put_behind_the_controller(struct efc_rig *rig)
{
    const double Kp = 2, Ki = 200, mu0 = 1 / Ki, mu1 = (0.018 - 0.0005 - Kp / Ki) / Ki;

    rig->efc.lead.share = 0;
    rig->efc.lead.first[0] = mu0;
    rig->efc.lead.second[0] = mu1;
}

/* As if the loop had no samples. */
static void forget_the_samples(struct efc_rig *rig)
{
    rig->efc.lead.share = 1;
    rig->efc.lead.first[0] = 0.018;
}

static void place_and_samples_matter(void **state)
{
    const struct efc_plan plan = spring_plan(DISP, YK_EFC_TYPE_3, 100, 1);

    assert_near_relative(run_changed(&springs, &plan, rest, sine_1Hz, 10, put_behind_the_controller).residual, 619.506,
                         1e-5);
    assert_near_relative(run_changed(&springs, &plan, rest, sine_1Hz, 10, forget_the_samples).residual, 157, 4e-3);
    assert_near(run(&springs, &plan, rest, sine_1Hz, 10).beyond, 0.851, 1e-3);
}

/* Accepted uncorrected, the motion grows without feed-forward and with type III; type IV leaves it bounded. */
static void uncorrected_runs_need_type_4(void **state)
{
    for (int type = 0; type <= 2; type++) {
        const struct efc_plan plan = spring_plan(NONE, type, 100, 1);
        const struct outcome o = run(&springs, &plan, rest, sine_1Hz, 10);

        assert_int_equal(o.error < 0.2, type == YK_EFC_TYPE_4);
    }
}

/* Less is left to the correction, so that a wrong estimate of the stiffness matters less; a model of the actuator that
 * is wrong by a tenth still takes away 98 % of the residual. */
static void wrong_estimates_matter_less(void **state)
{
    static const struct {
        int correction, type;
        double omega, gk, error, residual;
    } rows[] = {
        {DISP, 0, 100, 0.5, 0.177764, 755.176},   {DISP, 0, 100, 2, 0.210764, 589.331},
        {DISP, 3, 100, 0.5, 0.00243161, 4.05656}, {DISP, 3, 100, 2, 0.00173622, 3.02013},
        {DISP, 4, 100, 0.5, 8.7816e-5, 0.180422}, {DISP, 4, 100, 2, 4.3303e-4, 0.912836},
        {ACC, 0, 100, 2, 0.210798, 589.412},      {ACC, 3, 100, 2, 0.00201248, 3.02282},
        {ACC, 4, 100, 2, 4.33012e-4, 0.912836},   {DISP, 3, 90, 1, 0.00479224, 11.9578},
        {DISP, 4, 90, 1, 0.00342135, 11.5783},    {DISP, 3, 110, 1, 0.00395794, 10.0771},
        {DISP, 4, 110, 1, 0.00278368, 9.27544},
    };

    for (size_t r = 0; r < COUNT(rows); r++) {
        const struct efc_plan plan =
            spring_plan(rows[r].correction, rows[r].type ? rows[r].type - 2 : 0, rows[r].omega, rows[r].gk);
        const struct outcome o = run(&springs, &plan, rest, sine_1Hz, 10);

        assert_near_relative(o.error, rows[r].error, 3e-4);
        assert_near_relative(o.residual, rows[r].residual, 1e-4);
    }
}

/* With mass the loop becomes a fast one: the exact estimate is exact as ever, but it is the low one that grows. */
static void a_mass_with_feedforward_behaves_as_in_a_fast_loop(void **state)
{
    static const struct {
        int type;
        double gm, last, residual;
    } rows[] = {
        {0, 0.95, 0.797763, 1455.48}, {0, 1, 0.998259, 1446.87}, {0, 1.05, 1.24192, 1668.77},
        {3, 0.95, 2.73648, 77.2406},  {3, 1, 0.998259, 31.2544}, {3, 1.05, 0.392887, 31.057},
        {4, 0.95, 2.8992, 72.414},    {4, 1, 0.998259, 26.2708}, {4, 1.05, 0.370111, 25.8188},
    };
    const struct efc_model model = efc_family(1, 6, 0);
    const double d0[EFC_DOFS] = {0.01};

    for (size_t r = 0; r < COUNT(rows); r++) {
        struct efc_plan plan = efc_plan(0, YK_EFC_INTERPOLATION_2, ACC, 0.05, 0.001);
        struct outcome o;

        plan.gm = rows[r].gm;
        plan.set.Kp = 0;
        plan.set.Ki = 5;
        if (rows[r].type)
            servo(&plan.set, rows[r].type - 2, 100, 0.9);
        o = run(&model, &plan, d0, NULL, 20);
        assert_near_relative(o.last / 0.01, rows[r].last, 1e-4);
        assert_near_relative(o.residual, rows[r].residual, 1e-4);
    }
}

/* ---- several degrees of freedom -------------------------------------------------------------------------------- */

/* Three masses in a row; the first two carry the specimen, coupled springs and dampers. */
static struct efc_model chain(void)
{
    return (struct efc_model){.n = 3,
                              .MN = {100, 0, 0, 0, 80, 0, 0, 0, 60},
                              .KN = {9000, -4000, 0, -4000, 7000, -3000, 0, -3000, 3000},
                              .CE = {60, -20, 0, -20, 40, 0, 0, 0, 0},
                              .KE = {3000, -1000, 0, -1000, 2000, 0, 0, 0, 0}};
}

static void push(double t, double *f)
{
    f[0] = 20 * sin(5 * t);
    f[2] = 30 * sin(3 * t);
}

/* Largest component of the residual over that of the change of the command, over 10 s */
static double residual_of_the_chain(int type)
{
    const struct efc_model model = chain();
    struct efc_plan plan = efc_plan(0, YK_EFC_INTERPOLATION_2, ACC, 0.01, 0.001);
    struct efc_rig rig;
    double most = 0;

    plan.m = 2;
    plan.dof[0] = 1; /* out of order on purpose */
    plan.dof[1] = 0;
    plan.set.Kp = 1;
    plan.set.Ki = 100;
    if (type)
        servo(&plan.set, type, 100, 0.9);
    efc_rig_open(&rig, &model, &plan);
    rig.load = push;
    efc_rig_actuators(&rig, 100, 0.9);
    while (rig.step < 1000) {
        assert_int_equal(efc_step_actuated(&rig), YK_OK);
        for (size_t i = 0; i < 3; i++)
            most = fmax(most, fabs(rig.efc.error[i]));
    }
    efc_rig_close(&rig);
    return most;
}

static void the_matrices_of_several_degrees_of_freedom(void **state)
{
    const double none = residual_of_the_chain(0), three = residual_of_the_chain(YK_EFC_TYPE_3);
    const double four = residual_of_the_chain(YK_EFC_TYPE_4);

    assert_true(three < none / 50);
    assert_true(four < none / 1000);
}

/* A slow test takes samples beyond the step: the command stands still, and so does what leads it. */
static void a_held_command_is_not_led(void **state)
{
    const struct efc_plan plan = spring_plan(DISP, YK_EFC_TYPE_4, 100, 1);
    struct efc_rig rig;
    double dc = 0;

    efc_rig_open(&rig, &springs, &plan);
    efc_rig_actuators(&rig, 100, 0.9);
    begin(&rig, 1);
    for (int j = 0; j < 1000; j++) {
        const double *error = rig.efc.error, *sum = rig.efc.sum, share = rig.efc.lead.share;
        double still;

        assert_int_equal(yk_efc_sample(&rig.efc, &(struct yk_efc_measured){.d = rig.dE, .r = rig.rE}, &dc), YK_OK);
        still = (2 * error[0] + sum[0] + share * rig.efc.command[0]) / yk_matrix_get(&rig.efc.KT, 0, 0);
        if (j < 10)
            assert_true(dc > still + 1e-8); /* led by its rate and second derivative */
        else
            assert_near_relative(dc, still, 1e-12);
        efc_actuator_step(&rig.actuator[0], dc);
        rig.dE[0] = rig.actuator[0].x;
        rig.rE[0] = 3600 * rig.dE[0];
    }
    assert_near_relative(dc, rig.efc.F1[0] / yk_matrix_get(&rig.efc.KT, 0, 0), 1e-12);
    efc_rig_close(&rig);
}

/* ---- the module as a part of a program ------------------------------------------------------------------------- */

static void bad_settings_are_refused(void **state)
{
    double mass[] = {100};
    const struct yk_matrix M = {.form = YK_DIAGONAL, .rows = 1, .cols = 1, .x = mass};
    struct yk_efc_settings good = yk_efc_defaults(false), set;
    struct yk_efc efc;

    good.dt_s = 0.01;
    good.sample_s = 0.001;
    good.MN = &M;
    good.interface_count = 1;
    good.feedforward = YK_EFC_TYPE_3;
    EFC_REFUSED((void)0, YK_E_INPUT,
                "neither T1, T2 nor dead_time is given; give T1, T2 and dead_time as `yoke identify`");
    good.T1 = 0.01;
    EFC_REFUSED(set.feedforward = 3, YK_E_RANGE, "feedforward 3 is unknown");
    EFC_REFUSED(set.actuator = 2, YK_E_RANGE, "model 2 of the actuator");
    EFC_REFUSED(set.actuator = YK_EFC_SERVO, YK_E_INPUT, "frequency is not given");
    EFC_REFUSED(set.law = YK_EFC_STEP, YK_E_INPUT, "which law: step does not have; use law: interpolation-2");
    EFC_REFUSED(set.Ki = 0, YK_E_RANGE, "set Ki > 0");
    EFC_REFUSED(set.T2 = -1, YK_E_RANGE, "negative or not finite");
    EFC_REFUSED(set.dead_time = NAN, YK_E_RANGE, "negative or not finite");
    EFC_REFUSED(set.gain = 0, YK_E_RANGE, "negative or not finite");
    assert_ok(yk_efc_create(&efc, &good, NULL, &err));
    yk_efc_destroy(&efc);
}

static void the_cycle_makes_no_heap_and_no_system_calls(void **state)
{
    const struct efc_model model = chain();
    struct efc_plan plan = efc_plan(0, YK_EFC_INTERPOLATION_2, DISP, 0.01, 0.001);
    struct efc_rig rig;

    plan.m = 2;
    plan.dof[1] = 1;
    servo(&plan.set, YK_EFC_TYPE_4, 100, 0.9);
    efc_rig_open(&rig, &model, &plan);
    rig.load = push;
    efc_rig_actuators(&rig, 100, 0.9);
    efc_rig_assert_clean(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_is_followed_without_error),
        cmocka_unit_test(a_ramp_is_followed_with_constant_error),
        cmocka_unit_test(a_parabola_is_followed_in_acceleration_only),
        cmocka_unit_test(the_feedforward_follows_a_parabola_without_error),
        cmocka_unit_test(type_4_follows_a_parabola_from_the_start),
        cmocka_unit_test(coefficients_follow_the_open_loop),
        cmocka_unit_test(other_models_of_the_actuator),
        cmocka_unit_test(undershoot_of_a_spring_on_an_actuator),
        cmocka_unit_test(place_and_samples_matter),
        cmocka_unit_test(uncorrected_runs_need_type_4),
        cmocka_unit_test(wrong_estimates_matter_less),
        cmocka_unit_test(a_mass_with_feedforward_behaves_as_in_a_fast_loop),
        cmocka_unit_test(the_matrices_of_several_degrees_of_freedom),
        cmocka_unit_test(a_held_command_is_not_led),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(the_cycle_makes_no_heap_and_no_system_calls),
    };
    return cmocka_run_group_tests_name("feed-forward of equivalent force control", tests, NULL, NULL);
}
