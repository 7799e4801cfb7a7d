/* Calibration of laws: the sines of a machine with a damper and the loops of a damper on a shake table (data/measured).
 * Expected figures: an independent prototype on the same files, its tolerances; lower is fine. Made loops: the numbers
 * of the law are known. */
#include "support/check.h"

#include <yoke/calibrate.h>
#include <yoke/logger.h>
#include <yoke/random.h>

#include <math.h>
#include <stdlib.h>

#define DATA YOKE_SOURCE "/data/measured/"

static const double nowhere[YK_CALIBRATE_POINTS];

struct file {
    const char *name;
    double current;
    struct yk_log log;
};

static struct yk_measured_loop open_loop(struct file *f)
{
    static const struct yk_log_role roles[] = {{.name = "displacement", .quantity = YK_DISPLACEMENT},
                                               {.name = "force", .quantity = YK_FORCE},
                                               {.name = "velocity", .quantity = YK_VELOCITY, .optional = true}};
    char path[512];

    snprintf(path, sizeof path, DATA "%s.csv.gz", f->name);
    assert_ok(yk_log_read(&f->log, path, &(struct yk_log_ask){.roles = roles, .count = 3}, &err));
    return (struct yk_measured_loop){
        f->name, f->log.rows, f->log.column[0].x, f->log.column[1].x, f->log.column[2].x, f->log.step_s, f->current};
}

static void *settings_of(const char *law)
{
    const struct yk_law_ops *ops = yk_law_find(law);
    void *settings = NULL;

    assert_ok(yk_param_settings(ops->params, ops->settings_size, &settings, &err));
    return settings;
}

static struct yk_fitted_setting number(size_t law, const char *name, double start)
{
    return (struct yk_fitted_setting){.name = name, .law = law, .points = 1, .start = {start}};
}

/* Friction with a spring, Bouc-Wen with a damper, modified Bouc-Wen, hyperbolic tangent: NRMS of each on one run [%].
 */
static void calibrate_one(const struct yk_measured_loop *run, double force, double nrms[4])
{
    void *of[] = {settings_of("friction"),          settings_of("spring"),
                  settings_of("bouc-wen"),          settings_of("damper"),
                  settings_of("modified-bouc-wen"), settings_of("tanh-damper")};
    const char *const names[] = {"friction", "spring", "bouc-wen", "damper", "modified-bouc-wen", "tanh-damper"};
    struct yk_fitted_setting set[4][6] = {
        {number(0, "force", force), number(0, "slip_velocity", 0.005), number(0, "viscous", 500),
         number(1, "stiffness", 1000)},
        {number(0, "k0", force / 1e-3), number(0, "beta", 500), number(0, "gamma", 0), number(0, "kh", 1000),
         number(1, "damping", 500)},
        {number(0, "yield_force", force), number(0, "yield_slip", 1e-4), number(0, "viscous", 1000),
         number(0, "series_viscous", 5e4), number(0, "stiffness", 0)},
        {number(0, "force", force), number(0, "slip_velocity", 0.01), number(0, "skew", 0.5), number(0, "smooth", 2e-4),
         number(0, "viscous", 500), number(0, "stiffness", 1000)}};
    const size_t settings[] = {4, 5, 5, 6}, first[] = {0, 2, 4, 5}, laws[] = {2, 2, 1, 1};

    set[0][3].least = -1e5, set[0][3].most = 1e6;
    set[1][2].least = -1e4, set[1][2].most = 1e4;
    for (int i = 0; i < 4; i++) {
        struct yk_calibrate_ask ask = {.laws = laws[i],
                                       .setting = set[i],
                                       .settings = settings[i],
                                       .runs = run,
                                       .run_count = 1,
                                       .offset = YK_NUISANCE_EACH,
                                       .starts = 3,
                                       .threads = 2};
        struct yk_calibrated found;

        for (size_t k = 0; k < laws[i]; k++) {
            ask.law[k].ops = yk_law_find(names[first[i] + k]);
            ask.law[k].settings = of[first[i] + k];
        }
        assert_ok(yk_calibrate(&ask, &found, &err));
        nrms[i] = 100 * found.mean_nrms;
        yk_calibrated_free(&found);
    }
    for (int i = 0; i < 6; i++)
        free(of[i]);
}

/* The loops of the shake table have their velocity, as published: with one derived from the displacement the hyperbolic
 * tangent leaves 8.9 % of the second. */
static void laws_follow_single_runs_as_the_prototype(void **state)
{
    static const struct {
        struct file file;
        double force, nrms[4];
    } cases[] = {
        {{.name = "utfsm/sine-25mm-0.25Hz-0A"}, 150, {14.4, 14.0, 11.9, 10.8}},
        {{.name = "utfsm/sine-25mm-0.25Hz-0.5A"}, 700, {11.1, 11.6, 4.8, 5.7}},
        {{.name = "utfsm/sine-25mm-0.5Hz-1A"}, 1100, {14.8, 9.3, 4.5, 7.9}},
        {{.name = "utfsm/sine-5mm-3Hz-0A"}, 150, {9.9, 10.0, 7.2, 8.0}},
        {{.name = "utfsm/sine-5mm-3Hz-1A"}, 1100, {23.2, 7.8, 4.9, 13.2}},
        {{.name = "utfsm/sine-2mm-5Hz-0.5A"}, 700, {18.7, 9.1, 7.3, 10.7}},
        {{.name = "utfpr/loop-0V"}, 50, {11.5, 8.4, 7.0, 7.1}},
        {{.name = "utfpr/loop-0.88V"}, 100, {15.8, 10.4, 6.5, 7.3}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct file f = cases[i].file;
        const struct yk_measured_loop run = open_loop(&f);
        double nrms[4];

        calibrate_one(&run, cases[i].force, nrms);
        print_message("%s: %.1f %.1f %.1f %.1f\n", f.name, nrms[0], nrms[1], nrms[2], nrms[3]);
        for (int k = 0; k < 4; k++)
            assert_true(nrms[k] > 1 && nrms[k] < cases[i].nrms[k] + 0.5);
        yk_log_free(&f.log);
    }
}

/* Mean NRMS of the 14 sines with given numbers. Those of the prototype follow the sines no better than ours, and not
 * as its table says (11.7 %; 16.8 % for 25 mm 0.25 Hz at 0 A, 15.1 % for 5 mm 3 Hz at 0 A): a second program evaluates
 * the equations of the law with them and finds 14.7 and 13.9 % for these two, as here. */
static double mean_with(const struct yk_measured_loop *runs, const struct yk_fitted_setting *set,
                        const double (*value)[3], void *settings)
{
    const struct yk_law_ops *ops = yk_law_find("modified-bouc-wen");
    const struct yk_fitted_setting fixed = {.name = "stiffness",
                                            .points = 1,
                                            .start = {value[4][0]},
                                            .least = value[4][0] - 0.01,
                                            .most = value[4][0] + 0.01};
    double mean = 0;

    for (int i = 0; i < 14; i++) {
        struct yk_calibrated found;
        const struct yk_calibrate_ask ask = {.law = {{ops, settings}},
                                             .laws = 1,
                                             .setting = &fixed,
                                             .settings = 1,
                                             .runs = &runs[i],
                                             .run_count = 1,
                                             .cycles = 5,
                                             .offset = YK_NUISANCE_EACH,
                                             .soft = 0.1,
                                             .starts = 1,
                                             .threads = 1};

        for (int k = 0; k < 4; k++)
            assert_ok(yk_param_set(ops->params, settings, set[k].name, yk_fitted_value(&set[k], value[k], runs[i].over),
                                   &err));
        assert_ok(yk_calibrate(&ask, &found, &err));
        mean += found.mean_nrms / 14;
        yk_calibrated_free(&found);
    }
    return mean;
}

/* One set of numbers for 14 sines at five currents. */
static void one_law_follows_all_sines(void **state)
{
    static struct file files[14];
    static const char *const sines[] = {"25mm-0.25Hz", "25mm-0.5Hz", "5mm-3Hz"};
    static char names[14][64];
    struct yk_measured_loop runs[14];
    void *settings = settings_of("modified-bouc-wen");
    const struct yk_fitted_setting set[] = {
        {.name = "yield_force", .points = 3, .at = {0, 0.5, 1}, .start = {150, 700, 1100}, .least = 5, .most = 5000},
        {.name = "yield_slip", .points = 2, .at = {0, 1}, .start = {1e-4, 1e-4}, .geometric = true},
        {.name = "viscous", .points = 2, .at = {0, 1}, .start = {1000, 1000}, .geometric = true},
        {.name = "series_viscous", .points = 2, .at = {0, 1}, .start = {5e4, 5e4}, .geometric = true},
        {.name = "stiffness", .points = 1},
    };
    static const double expected[5][3] = {{140, 666, 1096}, {4.4e-5, 1.5e-4}, {729, 6306}, {2.35e4, 1.55e5}, {866}};
    struct yk_calibrate_ask ask = {.law = {{yk_law_find("modified-bouc-wen"), settings}},
                                   .laws = 1,
                                   .setting = set,
                                   .settings = 5,
                                   .runs = runs,
                                   .run_count = 14,
                                   .cycles = 5,
                                   .offset = YK_NUISANCE_EACH,
                                   .soft = 0.1,
                                   .starts = 1,
                                   .threads = 2};
    struct yk_calibrated found, turned;
    size_t n = 0;

    for (int s = 0; s < 4; s++)
        for (double current = 0; current <= 1; current += s < 3 ? 0.5 : 0.25, n++) {
            snprintf(names[n], sizeof names[n], "utfsm/sine-%s-%gA", s < 3 ? sines[s] : "2mm-5Hz", current);
            files[n] = (struct file){.name = names[n], .current = current};
            runs[n] = open_loop(&files[n]);
        }
    assert_ok(yk_calibrate(&ask, &found, &err));
    print_message("mean %.2f %%\n", 100 * found.mean_nrms);
    assert_true(found.mean_nrms < 0.120);
    for (size_t i = 0; i < 14; i++)
        assert_true(found.run[i].nrms < 0.192);
    for (int i = 0; i < 5; i++)
        for (size_t k = 0; k < set[i].points; k++) {
            /* c0 at 0 A is found at 813 +- 110: in a flat valley, see below */
            assert_near(found.value[i][k], expected[i][k], (i == 2 && k == 0 ? 0.12 : 0.1) * expected[i][k]);
            assert_true(found.spread[i][k] > 0 && found.spread[i][k] < 0.2 * expected[i][k]);
            assert_false(found.bounded[i][k]);
        }
    assert_near(100 * mean_with(runs, set, expected, settings), 11.14, 0.03);
    assert_true(found.mean_nrms < mean_with(runs, set, expected, settings));
    for (size_t i = 0; i < 7; i++) { /* neither their order nor the threads matter, to the last bit */
        const struct yk_measured_loop swap = runs[i];

        runs[i] = runs[13 - i];
        runs[13 - i] = swap;
    }
    ask.threads = 1;
    assert_ok(yk_calibrate(&ask, &turned, &err));
    for (int i = 0; i < 5; i++)
        for (size_t k = 0; k < set[i].points; k++)
            assert_true(turned.value[i][k] == found.value[i][k] && turned.spread[i][k] == found.spread[i][k]);
    yk_calibrated_free(&found);
    yk_calibrated_free(&turned);
    for (n = 0; n < 14; n++)
        yk_log_free(&files[n].log);
    free(settings);
}

/* ---- made loops ---- */

enum { ROWS = 4000, SEEDS = 8 };

struct made {
    const char *law;
    struct yk_fitted_setting set[4]; /* `start` is the truth */
    size_t settings;
    const char *known; /* a setting that is not fitted */
    double value;
};

/* A sine of 5 mm at 3 Hz, its force with the noise and steps of a load cell. */
static struct yk_measured_loop make(const struct made *m, void *settings, double *x, double *f, uint64_t seed)
{
    const struct yk_law_ops *ops = yk_law_find(m->law);
    double state[2][64] = {{0}};

    assert_true(!ops->prepare || ops->prepare(settings, NULL) == YK_OK);
    if (ops->rest)
        ops->rest(settings, 0, state[0]);
    for (int k = 0; k < ROWS; k++) {
        const double t = 1e-3 * (k - 200), w = 2 * M_PI * 3, rise = t < 0 ? 0 : fmin(1, t);

        x[k] = 5e-3 * rise * sin(w * t);
        f[k] = ops->force(settings, state[k % 2], x[k],
                          t < 0 ? 0 : 5e-3 * (rise * w * cos(w * t) + (t < 1 ? sin(w * t) : 0)), k ? 1e-3 : 0,
                          state[(k + 1) % 2]);
        if (!ops->count)
            memset(state, 0, sizeof state);
    }
    for (int k = 0; k < ROWS; k++)
        f[k] = 3 * round((f[k] + 40 + 3 * yk_draw_normal(&seed)) / 3);
    return (struct yk_measured_loop){m->law, ROWS, x, f, NULL, 1e-3, 0};
}

/* Truth within three of the stated spreads and three percent, which the filter may round off. */
static void numbers_of_made_loops_are_found(void **state)
{
    const struct made cases[] = {
        {"bouc-wen", {number(0, "k0", 2e6), number(0, "beta", 1500), number(0, "kh", 2e4)}, 3, NULL, 0},
        {"bilinear",
         {number(0, "stiffness", 8e5), number(0, "yield_slip", 1e-3), number(0, "hardening", 0.05)},
         3,
         NULL,
         0},
        {"maxwell", {number(0, "stiffness", 4e5), number(0, "damping", 2e4)}, 2, NULL, 0},
        {"modified-bouc-wen",
         {number(0, "yield_force", 700), number(0, "yield_slip", 2e-4), number(0, "viscous", 1500),
          number(0, "series_viscous", 6e4)},
         4,
         NULL,
         0},
        {"friction",
         {number(0, "force", 400), number(0, "slip_velocity", 0.004), number(0, "viscous", 900)},
         3,
         NULL,
         0},
        {"pendulum", {number(0, "radius", 1.2), number(0, "friction", 0.05)}, 2, "weight", 1e5},
    };
    const char *wish = getenv("YOKE_SEEDS"); /* the full count: 100 */
    const uint64_t seeds = wish ? (uint64_t)atol(wish) : SEEDS;
    double *x = malloc(2 * ROWS * sizeof *x), *f = x + ROWS;

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct yk_law_ops *ops = yk_law_find(cases[c].law);
        void *truth = settings_of(cases[c].law);
        uint64_t good = 0;

        if (cases[c].known)
            assert_ok(yk_param_set(ops->params, truth, cases[c].known, cases[c].value, &err));
        for (size_t i = 0; i < cases[c].settings; i++)
            assert_ok(yk_param_set(ops->params, truth, cases[c].set[i].name, cases[c].set[i].start[0], &err));
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            const struct yk_measured_loop run = make(&cases[c], truth, x, f, 7919 * seed);
            void *settings = settings_of(cases[c].law);
            struct yk_fitted_setting set[4];
            struct yk_calibrated found;
            bool near = true;

            if (cases[c].known)
                assert_ok(yk_param_set(ops->params, settings, cases[c].known, cases[c].value, &err));
            for (size_t i = 0; i < cases[c].settings; i++) {
                set[i] = cases[c].set[i];
                set[i].start[0] *= i % 2 ? 1.5 : 0.6;
                assert_ok(yk_param_set(ops->params, settings, set[i].name, set[i].start[0], &err));
            }
            const struct yk_calibrate_ask ask = {.law = {{ops, settings}},
                                                 .laws = 1,
                                                 .setting = set,
                                                 .settings = cases[c].settings,
                                                 .runs = &run,
                                                 .run_count = 1,
                                                 .cutoff_Hz = 60,
                                                 .offset = YK_NUISANCE_EACH,
                                                 .starts = 2,
                                                 .threads = 2};
            assert_ok(yk_calibrate(&ask, &found, &err));
            for (size_t i = 0; i < cases[c].settings; i++)
                near &= fabs(found.value[i][0] - cases[c].set[i].start[0]) <
                        3 * found.spread[i][0] + 0.03 * cases[c].set[i].start[0];
            good += near;
            if (!near)
                for (size_t i = 0; i < cases[c].settings; i++)
                    print_message("%s %s %g +- %g, truth %g\n", cases[c].law, set[i].name, found.value[i][0],
                                  found.spread[i][0], cases[c].set[i].start[0]);
            yk_calibrated_free(&found);
            free(settings);
        }
        print_message("%s: %d of %d\n", cases[c].law, (int)good, (int)seeds);
        assert_true(good >= seeds - (seeds + 19) / 20);
        free(truth);
    }
    free(x);
}

/* Two runs whose forces are 1.2 times and a 1.2th of the law: levels of their own, the law in between. A third one is
 * held out, at twice the force. */
static void levels_of_runs_leave_the_law_its_own(void **state)
{
    const struct made m = {"maxwell", {number(0, "stiffness", 4e5), number(0, "damping", 2e4)}, 2, NULL, 0};
    static const double level[] = {1.2, 1 / 1.2, 2};
    const struct yk_law_ops *ops = yk_law_find(m.law);
    void *truth = settings_of(m.law), *settings = settings_of(m.law);
    struct yk_fitted_setting set[2] = {number(0, "stiffness", 2e5), number(0, "damping", 3e4)};
    struct yk_measured_loop runs[3];
    struct yk_calibrated found;
    double *x = malloc(6 * ROWS * sizeof *x);

    for (size_t i = 0; i < 2; i++) {
        assert_ok(yk_param_set(ops->params, truth, m.set[i].name, m.set[i].start[0], &err));
        assert_ok(yk_param_set(ops->params, settings, set[i].name, set[i].start[0], &err));
    }
    for (size_t i = 0; i < 3; i++) {
        double *f = x + (2 * i + 1) * ROWS;

        runs[i] = make(&m, truth, x + 2 * i * ROWS, f, 7919 * (i + 1));
        for (int k = 0; k < ROWS; k++)
            f[k] *= level[i];
    }
    const struct yk_calibrate_ask ask = {.law = {{ops, settings}},
                                         .laws = 1,
                                         .setting = set,
                                         .settings = 2,
                                         .runs = runs,
                                         .run_count = 2,
                                         .held = runs + 2,
                                         .held_count = 1,
                                         .cutoff_Hz = 60,
                                         .offset = YK_NUISANCE_EACH,
                                         .level = true,
                                         .starts = 1,
                                         .threads = 2};
    assert_ok(yk_calibrate(&ask, &found, &err));
    for (size_t i = 0; i < 3; i++)
        assert_near_relative(found.run[i].level, level[i], 0.01);
    for (size_t i = 0; i < 2; i++)
        assert_near_relative(found.value[i][0], m.set[i].start[0], 0.02);
    yk_calibrated_free(&found);
    free(truth);
    free(settings);
    free(x);
}

static void what_is_no_loop_is_refused(void **state)
{
    double x[400], f[400];
    void *settings = settings_of("spring");
    struct yk_fitted_setting set = number(0, "stiffness", 1000);
    struct yk_measured_loop run = {"made", 400, x, f, NULL, 0.01, 0};
    struct yk_calibrate_ask ask = {.law = {{yk_law_find("spring"), settings}},
                                   .laws = 1,
                                   .setting = &set,
                                   .settings = 1,
                                   .runs = &run,
                                   .run_count = 1,
                                   .offset = YK_NUISANCE_EACH,
                                   .starts = 1,
                                   .threads = 1};
    struct yk_calibrated found;

    for (int k = 0; k < 400; k++) {
        x[k] = 0.01 * sin(0.05 * k);
        f[k] = 7;
    }
    assert_refused(yk_calibrate(&ask, &found, &err), YK_E_INPUT, "the force is constant");
    f[17] = NAN;
    assert_refused(yk_calibrate(&ask, &found, &err), YK_E_INPUT, "row 18 is not finite");
    for (int k = 0; k < 400; k++) {
        x[k] = 0.01;
        f[k] = sin(k);
    }
    assert_refused(yk_calibrate(&ask, &found, &err), YK_E_INPUT, "the displacement does not change");
    run.n = 3;
    assert_refused(yk_calibrate(&ask, &found, &err), YK_E_INPUT, "3 rows are too few");
    set.name = "stifness";
    run.n = 400;
    for (int k = 0; k < 400; k++)
        x[k] = 0.01 * sin(0.05 * k);
    assert_refused(yk_calibrate(&ask, &found, &err), YK_E_INPUT, "no number of this name");
    assert_true(yk_fitted_value(&set, nowhere, 0) == 0);
    free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_follow_single_runs_as_the_prototype),
        cmocka_unit_test(one_law_follows_all_sines),
        cmocka_unit_test(numbers_of_made_loops_are_found),
        cmocka_unit_test(levels_of_runs_leave_the_law_its_own),
        cmocka_unit_test(what_is_no_loop_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
