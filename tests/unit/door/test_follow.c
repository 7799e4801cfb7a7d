/* Runs along given displacements (yk_session_settings.follow): nothing acts back. */
#include "support/check.h"
#include "support/scratch.h"

#include <yoke/yoke.h>

#include <math.h>
#include <stdlib.h>

enum { STEPS = 2000 };
#define K 35530.0

static double u[STEPS], measured[STEPS], force[STEPS], rest[1], rest_force[1];

/* A sine of 10 mm at 1.3 Hz, which begins gently. */
static void make_sine(double h)
{
    for (int k = 0; k < STEPS; k++) {
        const double t = (k + 1) * h;

        u[k] = 0.01 * fmin(1, t) * sin(2 * M_PI * 1.3 * t);
    }
}

static struct yk_model *open_example(const char *const *overrides, size_t count)
{
    struct yk_model *model;

    assert_ok(
        yk_model_read(&model,
                      &(struct yk_model_source){.path = YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml",
                                                .overrides = overrides,
                                                .override_count = count},
                      &err));
    return model;
}

static struct yk_following along_u(size_t steps)
{
    return (struct yk_following){.steps = steps,
                                 .dofs = 1,
                                 .u = u,
                                 .measured = measured,
                                 .force = force,
                                 .rest = rest,
                                 .rest_force = rest_force};
}

static void follow(const struct yk_model *model, struct yk_following *f, const char *recording)
{
    const struct yk_session_settings settings = {.follow = f, .recording = recording};
    struct yk_session *s;
    long made;

    assert_ok(yk_session_begin(&s, model, &settings, &err));
    assert_ok(yk_session_advance(s, (long)f->steps + 1, 0, &made, &err));
    assert_true(yk_session_is_finished(s));
    assert_ok(yk_session_end(s, &err));
    assert_string_equal(yk_session_reason(s), "");
    yk_session_close(s);
}

static void a_specimen_follows_and_answers(void **state)
{
    struct yk_model *model = open_example(NULL, 0);
    struct yk_following f = along_u(STEPS);
    const double h = yk_model_fine_step(model);
    const char *part;
    double worst = 0;

    make_sine(h);
    assert_int_equal(yk_model_specimen_dofs(model), 1);
    assert_string_equal(yk_model_specimen_dof(model, 0, &part), "x");
    assert_string_equal(part, "specimen");
    assert_null(yk_model_specimen_dof(model, 1, NULL));
    follow(model, &f, scratch_path("follow.h5"));
    assert_int_equal(f.made, STEPS);
    assert_near(rest[0], 0, 1e-9);
    assert_near(rest_force[0], 0, 1e-3);
    for (int k = 0; k < STEPS; k++) {
        assert_near(force[k], K * measured[k], 1e-9 * K); /* a spring */
        worst = fmax(worst, fabs(measured[k] - u[k]));
    }
    assert_true(worst < 2e-4); /* its compensator works as in any run */

    struct yk_record *record;
    assert_ok(yk_record_read(&record, scratch_path("follow.h5"), &err));
    assert_true(yk_record_is_finished(record));
    assert_int_equal(yk_record_rows(record, "system").count, 0);
    assert_true(yk_record_rows(record, "ticks").count > (size_t)STEPS);
    yk_record_close(record);
    yk_model_close(model);
}

/* Without compensation, the fed-back loop of this structure is unstable; here nothing is fed back, and the same
 * commands give the same answer, whatever the structure would do. */
static void the_loop_does_not_matter(void **state)
{
    static const char *const stable[] = {"transfer.a1.compensator={kind: none}"},
                             *unstable[] = {"transfer.a1.compensator={kind: none}",
                                            "substructures.frame.damping=[[100]]", "limits.energy_error=1.2"};
    static double first[STEPS];
    struct yk_model *one = open_example(stable, 1), *two = open_example(unstable, 3);
    struct yk_following f = along_u(STEPS);

    make_sine(yk_model_fine_step(one));
    follow(one, &f, NULL);
    memcpy(first, measured, sizeof first);
    follow(two, &f, NULL);
    assert_memory_equal(first, measured, sizeof first);
    yk_model_close(one);
    yk_model_close(two);
}

static void limits_are_those_of_any_run(void **state)
{
    static const char *const limits[] = {"limits.displacement=8 mm"};
    struct yk_model *model = open_example(limits, 1);
    struct yk_following f = along_u(STEPS);
    const struct yk_session_settings settings = {.follow = &f};
    struct yk_session *s;
    long made;

    make_sine(yk_model_fine_step(model));
    assert_ok(yk_session_begin(&s, model, &settings, &err));
    assert_int_equal(yk_session_advance(s, STEPS + 1, 0, &made, NULL), YK_E_STOPPED);
    assert_true(f.made > 10 && f.made < STEPS);
    assert_false(yk_session_is_finished(s));
    assert_non_null(strstr(yk_session_reason(s), "a1"));
    assert_ok(yk_session_end(s, &err));
    yk_session_close(s);
    yk_model_close(model);
}

static void wrong_arrays_are_refused(void **state)
{
    struct yk_model *model = open_example(NULL, 0);
    struct yk_following f = along_u(STEPS);
    struct yk_session *s;
    void *bytes;
    size_t size;

    make_sine(0.01);
    f.dofs = 2;
    assert_refused(yk_session_begin(&s, model, &(struct yk_session_settings){.follow = &f}, &err), YK_E_INPUT,
                   "the specimens of this experiment have 1");
    f.dofs = 1;
    u[7] = NAN;
    assert_refused(yk_session_begin(&s, model, &(struct yk_session_settings){.follow = &f}, &err), YK_E_RANGE,
                   "displacement 7 of the run is not a finite number");
    u[7] = 0;
    assert_ok(yk_session_begin(&s, model, &(struct yk_session_settings){.follow = &f}, &err));
    assert_refused(yk_session_save(s, &bytes, &size, &err), YK_E_UNSUPPORTED, "along given displacements");
    assert_refused(yk_session_push(s, 0, 0, 1, &err), YK_E_UNSUPPORTED, "takes no forces");
    yk_session_close(s);
    yk_model_close(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_specimen_follows_and_answers),
        cmocka_unit_test(the_loop_does_not_matter),
        cmocka_unit_test(limits_are_those_of_any_run),
        cmocka_unit_test(wrong_arrays_are_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
