/* Paced runs: the same bits as a run as fast as it can, deadlines, the operator, what is refused. Times are never
 * asserted but for what cannot be otherwise: a paced run does not end before its time. */
#include "state/state.h"
#include "support/check.h"
#include "support/patience.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* A frame in two halves; B is a model, or a specimen behind an actuator with a delay. A late machine ends no run. */
#define FRAME(b, more)                                                                                                 \
    "title: paced\n"                                                                                                   \
    "time: {step: 4 ms, substeps: 2, end: 0.2, control_rate: 2000 Hz, scale: 0.2, faster_than_real: true}\n"           \
    "method: {coupling: gc}\n"                                                                                         \
    "substructures:\n"                                                                                                 \
    "  A: {dofs: [x, y], rate: coarse, mass: [2, 1], damping: [2, 1], stiffness: [[300, -100], [-100, 100]],\n"        \
    "      initial: {displacement: {y: 10 mm}}}\n" b "interfaces: [{join: [A.y, B.y]}]\n"                              \
    "loads: [{on: A.x, kind: sine, amplitude: 2 N, frequency: 1.5 Hz}]\n" more
static const char models[] = FRAME(
    "  B: {dofs: [y], rate: fine, mass: [1], damping: [1], stiffness: [50], initial: {displacement: {y: 10 mm}}}\n",
    "limits: {missed_deadlines: 0, stall: 0, coarse_wait: 10}\n");
static const char specimen[] = FRAME(
    "  B: {role: physical, dofs: [y], rate: fine, actuators: {y: a1}, estimate: {mass: [1], stiffness: [50]},\n"
    "      initial: {displacement: {y: 10 mm}}}\n",
    "transfer: {a1: {compensator: {kind: lagrange, order: 2, delay: 1 ms}}}\n"
    "rig: {backend: virtual, actuators: {a1: {plant: {kind: delay, delay: 1 ms}, sensors: {force_noise: 1 mN}}},\n"
    "      specimen: {dofs: [y], mass: [0], stiffness: [50]}}\n"
    "limits: {missed_deadlines: 0, stall: 0, coarse_wait: 10, end_ramp: 0}\n");

static struct yk_run_settings paced(int threads)
{
    struct yk_run_settings s = yk_run_defaults();

    s.realtime = true;
    s.threads = threads;
    return s;
}

/* The file under a coupling, with substeps where it takes them, `scale` times as slow as the time of the experiment;
 * NULL where it cannot be. */
static struct yk_model *under(const char *text, const struct yk_coupling_ops *ops, double scale)
{
    const bool one = ops->caps & YK_COUPLING_NO_SUBSTEPS;
    char method[64], pace[64];
    const char *const set[] = {method, one ? "time.substeps=1" : "time.substeps=2", pace};
    struct yk_model *e = NULL;
    struct yk_err err;

    struct yk_state m;

    snprintf(method, sizeof method, "method={coupling: %s}", ops->name);
    snprintf(pace, sizeof pace, "time.scale=%g", scale);
    if (yk_model_parse(&e, "paced.yaml", text, strlen(text), set, 3, &err))
        return NULL;
    if (yk_state_open(&m, e, 0, &err)) {
        yk_model_close(e);
        return NULL;
    }
    yk_state_close(&m);
    return e;
}

/* Runs until the coarse side was in time: only then the rig of a run on two threads has not been kept waiting. Tries
 * again at a slower pace, which changes no number. False if it was late each time. */
static bool run_clean(struct recorded *r, const char *text, const struct yk_coupling_ops *ops, int threads)
{
    static const double scales[] = {0.2, 0.2, 0.2, 0.2, 0.5, 0.5, 0.5, 2, 2, 2};
    const size_t tries = sizeof scales / sizeof *scales;
    const struct yk_run_settings settings = paced(threads);

    for (size_t i = 0;; i++) {
        struct yk_model *e = under(text, ops, scales[i]);

        assert_non_null(e);
        recorded_run(r, e, &settings, NULL);
        yk_model_close(e);
        assert_int_equal(r->status, YK_OK);
        const bool in_time = r->result.pace->missed_by[YK_MISS_COARSE_LATE] == 0;
        if (in_time || i + 1 == tries)
            return in_time;
        recorded_free(r);
    }
}

/* Skips the case, behind all its couplings, if one of them was late each time. */
static void check_bits(const char *text, int at_least)
{
    int seen = 0, late = 0;

    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++) {
        struct yk_run_settings plain = yk_run_defaults();
        struct yk_model *e = under(text, *ops, 0.2);
        struct recorded offline, other;

        if (!e)
            continue;
        recorded_run(&offline, e, &plain, NULL);
        assert_int_equal(offline.result.steps, e->steps);
        plain.threads = 2;
        recorded_run(&other, e, &plain, NULL);
        recorded_assert_same(&offline, &other, (*ops)->name);
        recorded_free(&other);
        for (int threads = 1; threads <= 2; threads++) {
            if (run_clean(&other, text, *ops, threads)) {
                recorded_assert_same(&offline, &other, (*ops)->name);
            } else {
                print_message("%s on %d threads: its coarse side was late in each of ten runs\n", (*ops)->name,
                              threads);
                late++;
            }
            assert_int_equal(other.dropped, 0);
            assert_int_equal(other.result.pace->lateness.count > 0, true);
            recorded_free(&other);
        }
        recorded_free(&offline);
        yk_model_close(e);
        seen++;
    }
    print_message("%d couplings\n", seen);
    assert_true(seen >= at_least);
    if (late) {
        print_message("skipped: this machine was too busy to compare the bits of %d paced runs\n", late);
        skip();
    }
}

static void every_coupling_gives_the_same_bits_on_every_clock(void **state)
{
    int all = 0;

    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++)
        all++;
    check_bits(models, all - 1); /* efc works with specimens only */
}

static void and_so_it_does_with_a_specimen(void **state)
{
    check_bits(specimen, 8);
}

static void one_domain_is_paced_by_its_steps(void **state)
{
    static const char *const set[] = {"method={integrator: lsrt2}", "time={step: 4 ms, end: 0.1, scale: 1.5}"};
    const struct yk_run_settings settings = paced(1), plain = yk_run_defaults();
    struct yk_model *e = recorded_parse(models, set, 2);
    struct recorded r, offline;

    recorded_run(&r, e, &settings, NULL);
    recorded_run(&offline, e, &plain, NULL);
    recorded_assert_same(&offline, &r, "lsrt2");
    assert_int_equal(r.result.pace->lateness.count, 26);
    assert_true(r.result.wall_s > 1.5 * 0.1);
    assert_near(r.result.pace->period_s, 6e-3, 1e-12);
    recorded_free(&r);
    recorded_free(&offline);
    yk_model_close(e);
}

static void what_does_not_fit_is_refused_with_the_reason(void **state)
{
    static const char *const set[] = {"time.scale=1e-6"}, *const parallel[] = {"time.scale=1e-6",
                                                                               "method={coupling: pm}"};
    const struct yk_run_settings settings = paced(1);
    struct yk_model *e = recorded_parse(models, set, 1);
    struct recorded r;

    recorded_run(&r, e, &settings, NULL);
    assert_int_equal(r.status, YK_E_UNSUPPORTED);
    assert_non_null(strstr(yk_err_line(&r.err).text, "gc needs "));
    assert_non_null(strstr(yk_err_line(&r.err).text, "use a method whose sides run in parallel"));
    recorded_free(&r);
    yk_model_close(e);
    e = recorded_parse(models, parallel, 2);
    recorded_run(&r, e, &settings, NULL);
    assert_int_equal(r.status, YK_E_UNSUPPORTED);
    assert_non_null(strstr(yk_err_line(&r.err).text, "use --threads 2"));
    recorded_free(&r);
    yk_model_close(e);
}

/* ---- the operator ---- */

struct turn {
    const struct yk_model *e;
    const struct yk_run_settings *settings;
    struct yk_run_control control;
    struct recorded r;
};

static void *work(void *arg)
{
    struct turn *t = arg;

    recorded_run(&t->r, t->e, t->settings, &t->control);
    return NULL;
}

static void await_state(struct turn *t, enum yk_rig_state state)
{
    for (int i = 0; i < 20000 && atomic_load(&t->control.state) != (int)state; i++)
        patience_sleep(0.0005);
    assert_int_equal(atomic_load(&t->control.state), state);
}

/* Pauses, makes two single steps, goes on and aborts. */
static void lead(const char *text, bool realtime)
{
    static const char *const set[] = {"time.end=1e5", "time.scale=1"};
    struct yk_run_settings settings = yk_run_defaults();
    struct turn t = {.e = recorded_parse(text, set, 2), .settings = &settings};
    pthread_t thread;
    long at;

    settings.realtime = realtime;
    assert_int_equal(pthread_create(&thread, NULL, work, &t), 0);
    await_state(&t, YK_STATE_RUNNING);
    yk_run_request(&t.control, YK_EVENT_PAUSE);
    await_state(&t, YK_STATE_PAUSED);
    at = atomic_load(&t.control.step);
    usleep(30000);
    assert_int_equal(atomic_load(&t.control.step), at);
    for (int k = 1; k <= 2; k++) {
        yk_run_request(&t.control, YK_EVENT_STEP);
        for (int i = 0; i < 20000 && atomic_load(&t.control.step) < at + k; i++)
            patience_sleep(0.0005);
        assert_int_equal(atomic_load(&t.control.step), at + k);
        await_state(&t, YK_STATE_PAUSED);
        usleep(30000);
        assert_int_equal(atomic_load(&t.control.step), at + k);
    }
    yk_run_request(&t.control, YK_EVENT_RESUME);
    for (int i = 0; i < 20000 && atomic_load(&t.control.step) < at + 10; i++)
        patience_sleep(0.0005);
    yk_run_request(&t.control, YK_EVENT_ABORT);
    pthread_join(thread, NULL);
    assert_int_equal(t.r.result.status, YK_E_STOPPED);
    assert_non_null(strstr(t.r.result.reason, "stopped by request at step "));
    assert_true(t.r.result.steps >= at + 10);
    assert_int_equal(t.r.count[0], t.r.result.steps + 1);
    recorded_free(&t.r);
    yk_model_close((struct yk_model *)t.e);
}

static void an_operator_leads_a_run_of_models(void **state)
{
    lead(models, true);
    lead(models, false);
}

static void an_operator_leads_a_run_with_a_specimen(void **state)
{
    lead(specimen, true);
    lead(specimen, false);
}

/* ---- deadlines, on a clock of our own ---- */

static void a_paced_run_on_a_virtual_clock_misses_nothing(void **state)
{
    struct yk_clock clock = yk_clock_virtual(1);
    struct yk_run_settings settings = paced(1);
    struct yk_model *e = recorded_parse(specimen, NULL, 0);
    struct recorded r;

    settings.clock = &clock;
    recorded_run(&r, e, &settings, NULL);
    assert_true(r.result.finished);
    assert_int_equal(r.result.pace->missed, 0);
    assert_int_equal(r.result.pace->lateness.count, 400); /* 0.2 s at 2 kHz */
    /* the first is due 2 ms after the beginning, the others every 0.5 ms times 0.2 */
    assert_int_equal(clock.virtual_ns, 1 + 2000000 + 399 * 100000);
    recorded_free(&r);
    yk_model_close(e);
}

static void oversleep(struct yk_clock *clock, int64_t due_ns)
{
    clock->virtual_ns = due_ns + 1200000; /* 1.2 periods */
}

/* A run without actuators obeys `limits` of its file, too: 3 misses in a row end it unless the file says otherwise. */
static void models_obey_the_limits_of_deadlines(void **state)
{
    static const char *const limits[] = {"", "limits: {missed_deadlines: 0}\n", "limits: {missed_deadlines: 5}\n"};
    static const long steps[] = {3, 50, 5};

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct yk_clock clock = yk_clock_virtual(1);
        struct yk_run_settings settings = paced(1);
        char text[400];

        snprintf(text, sizeof text,
                 "title: late\ntime: {step: 1 ms, end: 50 ms}\nmethod: {integrator: lsrt2}\n"
                 "substructures: {a: {dofs: [x], mass: [1], stiffness: [100]}}\n%s",
                 limits[i]);
        struct yk_model *e = recorded_parse(text, NULL, 0);
        struct recorded r;

        clock.sleep_until = oversleep;
        settings.clock = &clock;
        recorded_run(&r, e, &settings, NULL);
        assert_int_equal(r.result.steps, steps[i]);
        recorded_free(&r);
        yk_model_close(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_coupling_gives_the_same_bits_on_every_clock),
        cmocka_unit_test(and_so_it_does_with_a_specimen),
        cmocka_unit_test(one_domain_is_paced_by_its_steps),
        cmocka_unit_test(what_does_not_fit_is_refused_with_the_reason),
        cmocka_unit_test(an_operator_leads_a_run_of_models),
        cmocka_unit_test(an_operator_leads_a_run_with_a_specimen),
        cmocka_unit_test(a_paced_run_on_a_virtual_clock_misses_nothing),
        cmocka_unit_test(models_obey_the_limits_of_deadlines),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
