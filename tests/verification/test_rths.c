/* The benchmark of real-time hybrid simulation: the loop against a second program of the same problem, written out here
 * from its equations with four plain Runge-Kutta stages for frame, reference and plant; and what the problem asks of a
 * good compensator. */
#include "benchmark/indices.h"
#include "benchmark/ranking.h"
#include "support/check.h"
#include "support/scratch.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 12 * 4096, RECORD = 700 };
#define H (1 / 4096.0)

/* ---- ground motion: a burst of three frequencies, samples of 10 ms, as a file ---- */

static double ground[RECORD];
static const char *record;

static int write_record(void **state)
{
    char *text = calloc(RECORD, 40);
    size_t length = 0;

    if (scratch_create(state) || !text)
        return -1;
    for (int i = 0; i < RECORD; i++) {
        const double t = 0.01 * i, envelope = t < 5 ? 1 - cos(0.4 * M_PI * t) : 0;

        ground[i] = 0.5 * envelope * (sin(21 * t) + 0.7 * sin(8 * t) + 0.3 * sin(60 * t));
        length += (size_t)sprintf(text + length, "%.2f, %.17g\n", t, ground[i]);
    }
    record = strdup(scratch_write("ground.csv", text));
    free(text);
    return record ? 0 : -1;
}

/* 0.4 of the record, which begins after 5 s. */
static double at(double t)
{
    const double x = (t - 5) / 0.01;
    const int i = (int)floor(x);

    return t <= 5 || i + 1 >= RECORD ? 0 : 0.4 * (ground[i] + (x - i) * (ground[i + 1] - ground[i]));
}

/* ---- the second program ---- */

struct body {
    double m[3], C[3][3], K[3][3];
    double x[6], force, ag[3]; /* held; at begin, middle and end of the step */
};
struct plant {
    double x[5], u;
};

static void rate_of_body(const void *self, double share, const double *x, double *dx)
{
    const struct body *b = self;

    for (int i = 0; i < 3; i++) {
        double p = -1000 * b->ag[(int)(2 * share)] - (i == 0 ? b->force : 0);

        for (int j = 0; j < 3; j++)
            p -= b->C[i][j] * x[3 + j] + b->K[i][j] * x[j];
        dx[i] = x[3 + i];
        dx[3 + i] = p / b->m[i];
    }
}

static void rate_of_plant(const void *self, double share, const double *x, double *dx)
{
    const struct plant *p = self;

    dx[0] = x[1];
    dx[1] = 2.1283e13 * (1.0261 * p->u - x[3]) - 425 * x[1] - 9.9976e4 * x[0];
    dx[2] = x[0] - 4.2297e6 * x[4] - 3.3 * x[2];
    dx[3] = x[4];
    dx[4] = (x[2] - 114.22 * x[4] - 1.19e6 * x[3]) / 29.13;
}

static void runge_kutta(const void *self, void (*rate)(const void *, double, const double *, double *), int n,
                        double *x)
{
    double k[4][6], y[6];

    rate(self, 0, x, k[0]);
    for (int s = 1; s < 4; s++) {
        for (int i = 0; i < n; i++)
            y[i] = x[i] + (s == 3 ? 1 : 0.5) * H * k[s - 1][i];
        rate(self, s == 3 ? 1 : 0.5, y, k[s]);
    }
    for (int i = 0; i < n; i++)
        x[i] += H / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

/* Case 1; its damping, rounded, is that of an eigenvalue solver of another library. */
static struct body frame(void)
{
    return (struct body){
        .m = {1000, 1000, 1000},
        .C = {{14084.2984348, -7873.20658567, 440.44801605},
              {-7873.20658567, 14943.65335596, -6348.8254268},
              {440.44801605, -6348.8254268, 7222.96174068}},
        .K = {{26054883.879603837, -23133938.877108198, 5937035.463339146},
              {-23133938.877108198, 32560774.186380334, -14419970.777236985},
              {5937035.463339146, -14419970.777236981, 9267275.506224312}},
    };
}

/* The sample controller: phase lead, then PI, both by Tustin's rule. */
struct sample {
    double target, lead, error, integral;
};

static double command(struct sample *s, double target, double measured)
{
    const double a = 50.8316, b = 8570.3973, q = 2 / H;
    const double lead = ((a * q + b) * target + (b - a * q) * s->target + (q - b) * s->lead) / (q + b);

    s->target = target;
    s->lead = lead;
    s->integral += 95 * H / 2 * (lead - measured + s->error);
    s->error = lead - measured;
    return 2 * s->error + s->integral;
}

static double rms(const double *x, const double *y)
{
    double sx = 0, sd = 0, mx = 0, md = 0;

    for (int k = 0; k < SAMPLES; k++) {
        mx += x[k] / SAMPLES;
        md += (y[k] - x[k]) / SAMPLES;
    }
    for (int k = 0; k < SAMPLES; k++) {
        sx += (x[k] - mx) * (x[k] - mx);
        sd += (y[k] - x[k] - md) * (y[k] - x[k] - md);
    }
    return 100 * sqrt(sd / sx);
}

static void sample_controller_agrees_with_a_second_program(void **state)
{
    struct body whole = frame(), part = frame();
    struct plant plant = {0};
    struct sample controller = {0};
    double *target = calloc(4 * SAMPLES, sizeof *target), *measured = target + SAMPLES, *first = measured + SAMPLES,
           *third = first + SAMPLES, *errors = calloc(SAMPLES, sizeof *errors);
    double force = 0;
    struct yk_rths *rths;
    struct yk_rths_result result;

    part.m[0] -= 29.13;
    part.C[0][0] -= 114.22;
    part.K[0][0] -= 1.19e6;
    for (int k = 0; k < SAMPLES; k++) {
        const double t = k * H, now = plant.x[2];

        target[k] = part.x[0];
        measured[k] = plant.x[3];
        first[k] = whole.x[0];
        third[k] = whole.x[2];
        errors[k] = part.x[2];
        plant.u = command(&controller, part.x[0], plant.x[3]);
        for (int i = 0; i < 3; i++)
            part.ag[i] = whole.ag[i] = at(t + 0.5 * i * H);
        part.force = force;
        runge_kutta(&part, rate_of_body, 6, part.x);
        runge_kutta(&whole, rate_of_body, 6, whole.x);
        runge_kutta(&plant, rate_of_plant, 5, plant.x);
        force = now;
    }
    const struct yk_rths_problem problem = {.number = 1,
                                            .chain = yk_rths_entries[1].chain,
                                            .record = record,
                                            .unit = "m/s2",
                                            .scale = 0.4,
                                            .end_s = SAMPLES * H};
    assert_string_equal(yk_rths_entries[1].name, "sample");
    assert_ok(yk_rths_open(&rths, &problem, &err));
    assert_ok(yk_rths_run(rths, &(struct yk_rths_plant){0}, NULL, &result, &err));
    assert_near_relative(result.J[1], rms(target, measured), 1e-5);
    assert_near_relative(result.J[3], rms(first, measured), 1e-5);
    assert_near_relative(result.J[6], rms(third, errors), 1e-5);
    assert_true(result.J[1] > 5 && result.J[1] < 15); /* not close to nothing */
    assert_false(result.diverged);
    yk_rths_close(rths);
    free(target);
    free(errors);
}

/* ---- what is asked of a good compensator ---- */

static struct yk_ranking rank(const char *name, int plants, bool noise)
{
    struct yk_ranking r = {.entries = yk_rths_entries,
                           .count = 1,
                           .problem = {.scale = 0.4, .end_s = 20, .noise = noise},
                           .cases = {1, 2, 3, 4},
                           .case_count = 4,
                           .plants = plants};

    while (strcmp(r.entries->name, name) != 0)
        r.entries++;
    assert_ok(yk_ranking_make(&r, 2, NULL, NULL, &err));
    return r;
}

static void adapted_inverse_meets_the_bar_in_every_case_and_beats_the_sample_controller(void **state)
{
    struct yk_ranking ours = rank("feed-forward-rls", 0, false), sample = rank("sample", 0, false);

    for (int i = 0; i < 4; i++) {
        const double *J = yk_ranking_at(&ours, 0, i, 0)->J, *other = yk_ranking_at(&sample, 0, i, 0)->J;

        assert_true(J[1] <= 0.3);
        assert_true(J[3] <= 2.5);
        for (int k = 0; k < YK_RTHS_INDICES; k++)
            assert_true(J[k] < other[k]);
    }
    yk_ranking_free(&ours);
    yk_ranking_free(&sample);
}

static void perturbed_plants_are_stable_with_one_setting(void **state)
{
    struct yk_ranking r = rank("feed-forward-rls", 12, false);
    const struct yk_ranked s = yk_ranking_sum(&r, 0);

    assert_int_equal(s.diverged, 0);
    assert_true(s.worst[1] <= 0.6);
    yk_ranking_free(&r);
}

static void every_plant_can_be_built(void **state)
{
    for (int k = 0; k < 2000; k++)
        assert_true(3.3 + 1.3 * yk_rths_draw(k).leakage > 0);
}

/* The histories that are drawn are those that are judged: J2 is the std of their difference over that of the target. */
static void histories_have_the_error_that_is_judged(void **state)
{
    const struct yk_rths_problem problem = {.number = 2, .chain = yk_rths_entries[0].chain, .scale = 0.4, .end_s = 9};
    const struct yk_rths_plant nominal = yk_rths_draw(0);
    struct yk_rths_result result;
    struct yk_histories h;
    struct yk_rths *rths;

    assert_ok(yk_rths_open(&rths, &problem, &err));
    assert_ok(yk_rths_run(rths, &nominal, NULL, &result, &err));
    assert_ok(yk_rths_histories(rths, &nominal, &h, &err));
    assert_int_equal(h.count, 1 + YK_RTHS_FLOORS);
    assert_near_relative(yk_index_rms(h.all[0].x, h.all[0].y, h.samples), result.J[1], 1e-12);
    assert_near_relative(yk_index_rms(h.all[1].x, h.all[1].y, h.samples), result.J[3], 1e-12);
    assert_near_relative(yk_index_rms(h.all[3].x, h.all[3].y, h.samples), result.J[6], 1e-12);
    yk_histories_free(&h);
    yk_rths_close(rths);
}

/* With noise, what is left is the noise of the displacement sensor, 16 um. */
static void noise_leaves_the_floor_of_the_sensor(void **state)
{
    struct yk_ranking r = rank("feed-forward-rls", 0, true), quiet = rank("feed-forward-rls", 0, false);
    const struct yk_rths_problem problem = {.number = 1, .chain = r.entries->chain, .scale = 0.4, .end_s = 20};
    struct yk_rths_traces traces = {0};
    struct yk_rths_result result;
    struct yk_rths *rths;
    double mean = 0, square = 0;

    assert_ok(yk_rths_open(&rths, &problem, &err));
    const size_t n = yk_rths_samples(rths);
    traces.floor[0] = calloc(n, sizeof(double));
    assert_ok(yk_rths_run(rths, &(struct yk_rths_plant){0}, &traces, &result, &err));
    for (size_t k = 0; k < n; k++) {
        mean += traces.floor[0][k] / (double)n;
        square += traces.floor[0][k] * traces.floor[0][k] / (double)n;
    }
    const double floor = 100 * 1.6e-5 / sqrt(square - mean * mean), J2 = yk_ranking_at(&quiet, 0, 0, 0)->J[1];
    assert_near_relative(yk_ranking_at(&r, 0, 0, 0)->J[1], sqrt(floor * floor + J2 * J2), 0.03);
    free(traces.floor[0]);
    yk_rths_close(rths);
    yk_ranking_free(&r);
    yk_ranking_free(&quiet);
}

static void commanding_the_target_itself_does_not_work(void **state)
{
    struct yk_ranking r = rank("none", 0, false);

    assert_true(!(yk_ranking_sum(&r, 0).worst[3] < 100));
    yk_ranking_free(&r);
}

static void results_do_not_depend_on_the_threads(void **state)
{
    struct yk_ranking one = {.entries = yk_rths_entries,
                             .count = 2,
                             .problem = {.scale = 0.4, .end_s = 7, .noise = true},
                             .cases = {3},
                             .case_count = 1,
                             .plants = 30},
                      two = one;

    assert_ok(yk_ranking_make(&one, 1, NULL, NULL, &err));
    assert_ok(yk_ranking_make(&two, 2, NULL, NULL, &err));
    assert_memory_equal(one.results, two.results, 2 * 31 * sizeof *one.results);
    yk_ranking_free(&one);
    yk_ranking_free(&two);
}

static void a_chain_that_makes_no_sense_is_refused(void **state)
{
    struct yk_rths_problem problem = {
        .number = 1, .chain = "{ compensator: { kind: nonsense } }", .scale = 1, .end_s = 6};
    struct yk_rths *rths;

    assert_refused(yk_rths_open(&rths, &problem, &err), YK_E_INPUT, "nonsense");
    problem.chain = "{ compensator: { kind: feed-forward, coefficients: [1, 2, 3, 4, 5] } }";
    assert_refused(yk_rths_open(&rths, &problem, &err), YK_E_RANGE, "coefficients");
    problem.chain = "{ compensator: { kind: feed-forward, coefficients: [1, 2, 3], order: 1 } }";
    assert_refused(yk_rths_open(&rths, &problem, &err), YK_E_RANGE, "order");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample_controller_agrees_with_a_second_program),
        cmocka_unit_test(adapted_inverse_meets_the_bar_in_every_case_and_beats_the_sample_controller),
        cmocka_unit_test(perturbed_plants_are_stable_with_one_setting),
        cmocka_unit_test(every_plant_can_be_built),
        cmocka_unit_test(histories_have_the_error_that_is_judged),
        cmocka_unit_test(noise_leaves_the_floor_of_the_sensor),
        cmocka_unit_test(commanding_the_target_itself_does_not_work),
        cmocka_unit_test(results_do_not_depend_on_the_threads),
        cmocka_unit_test(a_chain_that_makes_no_sense_is_refused),
    };

    return cmocka_run_group_tests(tests, write_record, scratch_remove);
}
