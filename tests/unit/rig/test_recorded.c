/* The plant of a recording: the model it names plus what the residual says, in a loop, scaled, as noise of its
 * spectrum, or not at all; a response becomes a model or is refused with the point that is missed. And the plants that
 * identified models become: a lag that is faster in one direction, state-space with one actuator and a direct path. */
#include "support/check.h"

#include <yoke/arena.h>
#include <yoke/random.h>
#include <yoke/transfer.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define TICK 1e-3

enum { ROWS = 4000 };

struct made {
    const struct yk_plant_ops *ops;
    void *self;
    struct yk_arena mem;
};

static enum yk_status make(struct made *p, const char *name, void *settings, struct yk_err *err)
{
    p->ops = yk_plant_find(name);
    p->mem = (struct yk_arena){0};
    p->self = yk_arena_take(&p->mem, p->ops->size);
    memcpy(p->self, settings, p->ops->size);
    return p->ops->init(p->self, TICK, &p->mem, err);
}

static void *settings_of(const char *name)
{
    void *settings = NULL;

    assert_ok(yk_param_settings(yk_plant_find(name)->params, yk_plant_find(name)->size, &settings, &err));
    return settings;
}

static void put(const char *plant, void *settings, const char *name, double value)
{
    assert_ok(yk_param_set(yk_plant_find(plant)->params, settings, name, value, &err));
}

static void put_text(const char *plant, void *settings, const char *name, char *text)
{
    for (const struct yk_param *p = yk_plant_find(plant)->params; p->name; p++)
        if (strcmp(p->name, name) == 0)
            *(char **)((char *)settings + p->offset) = text;
}

/* A file with a residual of `ROWS` rows: a ramp from 0 to 1 um beside a motion of 2 mm rms. */
static char residual_file[] = "/tmp/yoke-residual-XXXXXX", response_file[] = "/tmp/yoke-response-XXXXXX";
/* Noise with a memory of ten ticks, and its rms. */
static char noise_file[] = "/tmp/yoke-noise-XXXXXX";
static double noise_rms;

static int write_files(void **state)
{
    FILE *out = fdopen(mkstemp(residual_file), "w");

    fprintf(out, "time [s],residual [m],displacement [m]\n");
    for (int k = 0; k < ROWS; k++)
        fprintf(out, "%.3f,%.9g,%.9g\n", TICK * k, 1e-6 * k / ROWS, 2e-3 * (k % 2 ? 1 : -1));
    fclose(out);
    out = fdopen(mkstemp(response_file), "w");
    fprintf(out, "frequency [Hz],real,imaginary,weight\n");
    for (int k = 1; k <= 80; k++) { /* two lags of 7 and 30 Hz after 4 ms */
        const double complex s = 2 * M_PI * 0.25 * k * I, H = cexp(-0.004 * s) / ((1 + s / 44) * (1 + s / 188));

        fprintf(out, "%.9g,%.9g,%.9g,1\n", 0.25 * k, creal(H), cimag(H));
    }
    fclose(out);
    out = fdopen(mkstemp(noise_file), "w");
    double e = 0, square = 0;
    uint64_t random = 12345;
    for (int k = 0; k < ROWS; k++) {
        e = 0.9 * e + 1e-6 * yk_draw_normal(&random);
        square += e * e / ROWS;
        fprintf(out, "%.3f,%.9g\n", TICK * k, e);
    }
    noise_rms = sqrt(square);
    return fclose(out);
}

static int remove_files(void **state)
{
    return unlink(residual_file) + unlink(response_file) + unlink(noise_file);
}

/* Motion beyond that of the model in tick k of `n`. */
static void residual_of(void *settings, int n, double *e)
{
    struct made of, alone;
    void *lag = settings_of("first-order");

    put("first-order", lag, "time_constant", 0.02);
    yk_plant_find("recorded")->model(settings, yk_plant_find("first-order"), lag);
    assert_ok(make(&of, "recorded", settings, &err));
    assert_ok(make(&alone, "first-order", lag, &err));
    of.ops->reset(of.self, 0);
    alone.ops->reset(alone.self, 0);
    for (int k = 0; k < n; k++) {
        struct yk_plant_output a, b;
        const double u = 2e-3 * M_SQRT2 * sin(2 * M_PI * 0.5 * TICK * k);

        of.ops->step(of.self, u, 0, &a);
        alone.ops->step(alone.self, u, 0, &b);
        assert_true(a.v == b.v); /* a reading, not a motion */
        e[k] = a.x - b.x;
    }
    yk_arena_free(&of.mem);
    yk_arena_free(&alone.mem);
    free(lag);
}

static void the_residual_is_played_in_a_loop_from_a_start_of_the_seed(void **state)
{
    void *settings = settings_of("recorded");
    double e[2 * ROWS], again[2 * ROWS], other[2 * ROWS];

    put_text("recorded", settings, "residual", residual_file);
    put("recorded", settings, "residual_scale", 1);
    residual_of(settings, 2 * ROWS, e);
    residual_of(settings, 2 * ROWS, again);
    assert_memory_equal(e, again, sizeof e);
    int jumps = 0;
    for (int k = 1; k < 2 * ROWS; k++)
        jumps += fabs(e[k] - e[k - 1]) > 2e-8; /* the cross-fade takes 200 ticks for 1 um */
    assert_int_equal(jumps, 0);
    for (int k = 0; k < ROWS; k++) /* one turn is the record less the fade */
        assert_near(e[k + ROWS - 200], e[k], 1e-12);
    put("recorded", settings, "seed", 2);
    residual_of(settings, 2 * ROWS, other);
    assert_true(e[0] != other[0]);
    put("recorded", settings, "residual_scale", 0.25);
    residual_of(settings, 2 * ROWS, again);
    for (int k = 0; k < 2 * ROWS; k++)
        assert_near(again[k], 0.25 * other[k], 1e-15);
    put("recorded", settings, "residual_scale", 0); /* by the size of the motion: as large as that of the record */
    residual_of(settings, 2 * ROWS, again);
    assert_near(again[2 * ROWS - 1] / other[2 * ROWS - 1], 1, 0.02);
    free(settings);
}

static void coloured_noise_has_the_size_of_the_residual_and_analyses_have_none(void **state)
{
    void *settings = settings_of("recorded");
    const struct yk_plant_ops *ops = yk_plant_find("recorded");
    static double e[40 * ROWS];
    double square = 0, along = 0;

    put_text("recorded", settings, "residual", noise_file);
    put("recorded", settings, "residual_as", 1);
    put("recorded", settings, "residual_scale", 1);
    residual_of(settings, 40 * ROWS, e);
    for (int k = 0; k < 40 * ROWS; k++)
        square += e[k] * e[k] / (40 * ROWS);
    for (int k = 1; k < 40 * ROWS; k++)
        along += e[k] * e[k - 1] / (40 * ROWS);
    assert_near_relative(sqrt(square), noise_rms, 0.1);
    assert_near(along / square, 0.9, 0.03);
    assert_true(ops->noisy(settings, true));
    assert_false(ops->noisy(settings, false));
    residual_of(settings, ROWS, e);
    for (int k = 0; k < ROWS; k++)
        assert_true(e[k] == 0);
    free(settings);
}

/* Magnitude and phase of the motion under a sine. */
static double complex answer(struct made *p, double f)
{
    double complex sum = 0;
    struct yk_plant_output out;

    p->ops->reset(p->self, 0);
    for (int k = 0; k < 8000; k++) {
        p->ops->step(p->self, sin(2 * M_PI * f * TICK * k), 0, &out);
        if (k >= 4000)
            sum += out.x * cexp(-2 * M_PI * I * f * TICK * k) / 2000;
    }
    return sum * I;
}

static void a_response_becomes_a_model_or_is_refused(void **state)
{
    void *settings = settings_of("recorded");
    struct made p;

    put_text("recorded", settings, "response", response_file);
    put("recorded", settings, "order", 2);
    assert_ok(make(&p, "recorded", settings, &err));
    for (double f = 0.5; f < 20; f *= 2) {
        const double complex s = 2 * M_PI * f * I, H = cexp((-0.004 + 0.5 * TICK) * s) / ((1 + s / 44) * (1 + s / 188));
        const double complex found = answer(&p, f); /* held for a tick, read at its end */

        assert_near(cabs(found / H), 1, 0.01);
        assert_near(carg(found / H), 0, 0.01);
    }
    yk_arena_free(&p.mem);
    put("recorded", settings, "order", 1);
    assert_refused(make(&p, "recorded", settings, &err), YK_E_INPUT, "misses the point at");
    yk_arena_free(&p.mem);
    put_text("recorded", settings, "response", NULL);
    assert_refused(make(&p, "recorded", settings, &err), YK_E_INPUT, "neither is");
    yk_arena_free(&p.mem);
    free(settings);
}

/* Over a large step up and one down: time constants T/(1 + lead) and T/(1 - lead). */
static void a_lag_with_a_lead_is_faster_when_extending(void **state)
{
    void *settings = settings_of("first-order");
    struct yk_plant_output out = {0};
    struct made p;

    put("first-order", settings, "time_constant", 0.02);
    put("first-order", settings, "lead", 0.05);
    assert_ok(make(&p, "first-order", settings, &err));
    p.ops->reset(p.self, 0);
    for (int k = 0; k < 10; k++)
        p.ops->step(p.self, 1, 0, &out);
    assert_near(out.x, 1 - exp(-0.01 * 1.05 / 0.02), 1e-12);
    p.ops->reset(p.self, 1);
    for (int k = 0; k < 10; k++)
        p.ops->step(p.self, 0, 0, &out);
    assert_near(out.x, exp(-0.01 * 0.95 / 0.02), 1e-12);
    yk_arena_free(&p.mem);
    free(settings);
}

/* (1 + s Tz)/(1 + s T) = Tz/T + (1 - Tz/T)/(1 + s T) */
static void state_space_has_one_actuator_and_a_direct_path(void **state)
{
    double A[] = {-50}, B[] = {50}, C[] = {0.6}, D[] = {0.4};
    struct yk_reals *of[] = {NULL, NULL, NULL, NULL};
    const char *const names[] = {"A", "B", "C", "D"};
    double *const values[] = {A, B, C, D};
    void *settings = settings_of("state-space");
    struct yk_plant_output out = {0};
    struct made p;

    for (int i = 0; i < 4; i++)
        for (const struct yk_param *q = yk_plant_find("state-space")->params; q->name; q++)
            if (strcmp(q->name, names[i]) == 0) {
                of[i] = (struct yk_reals *)((char *)settings + q->offset);
                *of[i] = (struct yk_reals){values[i], 1};
            }
    assert_ok(make(&p, "state-space", settings, &err));
    p.ops->reset(p.self, 0.002);
    p.ops->step(p.self, 0.002, 0, &out);
    assert_near(out.x, 0.002, 1e-15);
    p.ops->reset(p.self, 0);
    for (int k = 1; k <= 30; k++) {
        p.ops->step(p.self, 1, 0, &out);
        assert_near(out.x, 0.4 + 0.6 * (1 - exp(-0.05 * k)), 1e-12);
    }
    yk_arena_free(&p.mem);
    free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_residual_is_played_in_a_loop_from_a_start_of_the_seed),
        cmocka_unit_test(coloured_noise_has_the_size_of_the_residual_and_analyses_have_none),
        cmocka_unit_test(a_response_becomes_a_model_or_is_refused),
        cmocka_unit_test(a_lag_with_a_lead_is_faster_when_extending),
        cmocka_unit_test(state_space_has_one_actuator_and_a_direct_path),
    };

    return cmocka_run_group_tests(tests, write_files, remove_files);
}
