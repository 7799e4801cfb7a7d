/* Sizes of actuators: sine motion of a mass, spring and damper against closed forms, docs/theory/sizing.md; the table.
 */
#include "support/check.h"
#include "support/scratch.h"

#include <yoke/sizing.h>

#include <math.h>
#include <stdlib.h>

#define TWO_PI 6.283185307179586
enum { SAMPLES = 20001, PERIODS = 2 };

/* Motion X sin(wt) of a mass m, a spring k and a damper c. */
struct oscillator {
    double X, f, m, k, c;
    double x[SAMPLES], force[SAMPLES];
    struct yk_motion_asked asked;
};

static void swing(struct oscillator *o)
{
    const double w = TWO_PI * o->f, dt = PERIODS / o->f / (SAMPLES - 1);

    for (size_t i = 0; i < SAMPLES; i++) {
        const double t = (double)i * dt;

        o->x[i] = o->X * sin(w * t);
        o->force[i] = o->X * ((o->k - o->m * w * w) * sin(w * t) + o->c * w * cos(w * t));
    }
    o->asked = (struct yk_motion_asked){.n = SAMPLES, .dt = dt, .x = o->x, .force = o->force};
    assert_true(yk_asked_complete(&o->asked));
}

static const struct yk_actuator_row row = {
    .name = "105 kN", .force = 105e3, .stroke = 0.125, .flow = 1.05e-3, .drop = 7e6, .valve_Hz = 100, .supply = 21e6};

static void peaks_of_a_sine_have_closed_forms(void **state)
{
    static struct oscillator o[] = {{.X = 0.03, .f = 1.5, .m = 0, .k = 2e6, .c = 0},
                                    {.X = 0.02, .f = 2.5, .m = 4000, .k = 2e6, .c = 3e4},
                                    {.X = 0.01, .f = 6, .m = 8000, .k = 1e6, .c = 1e5},
                                    {.X = 0.05, .f = 0.4, .m = 0, .k = 0, .c = 4e5}};

    for (size_t i = 0; i < sizeof o / sizeof *o; i++) {
        swing(&o[i]);
        const double w = TWO_PI * o[i].f, K = o[i].k - o[i].m * w * w, C = o[i].c * w;
        const struct yk_asked_peaks p = yk_asked_peaks(&o[i].asked);
        struct yk_actuator_needed needed;

        assert_near_relative(p.stroke, o[i].X, 1e-6);
        assert_near_relative(p.speed, o[i].X * w, 1e-6);
        assert_near_relative(p.acceleration, o[i].X * w * w, 1e-6);
        assert_near_relative(p.force, o[i].X * hypot(K, C), 1e-6);
        assert_near_relative(p.power, 0.5 * w * o[i].X * o[i].X * (C + hypot(K, C)), 1e-6);
        yk_actuator_use_of(&row, &o[i].asked, &needed);
        assert_near_relative(needed.stroke, o[i].X / 0.125, 1e-6);
        assert_near_relative(needed.force, o[i].X * hypot(K, C) / 105e3, 1e-6);
        assert_near_relative(needed.flow, 5e-3 * o[i].X * w, 1e-6);
        yk_asked_free(&o[i].asked);
    }
}

/* The ellipse of force and speed touches a smaller parabola: for a spring or a mass, with the largest force and speed
 * over the capacities, a and b, it is b/sqrt(1 - (a/2b)^2) if a^2 < 2 b^2, else a; for a damper (a + sqrt(a^2 + 4
 * b^2))/2. */
static void the_smallest_curve_touches_the_ellipse(void **state)
{
    static struct oscillator o;
    const double unloaded = 1.05e-3 * sqrt(3) / 5e-3;

    for (int i = 0; i < 12; i++) {
        const double w = TWO_PI * (0.5 + 0.4 * i), speed = 0.03 * w / unloaded;
        struct yk_actuator_needed needed;

        o = (struct oscillator){.X = 0.03,
                                .f = 0.5 + 0.4 * i,
                                .k = i % 3 == 0 ? 2.5e6 : 0,
                                .m = i % 3 == 1 ? 3000 : 0,
                                .c = i % 3 == 2 ? 2e5 : 0};
        swing(&o);
        const double force = 0.03 * hypot(o.k - o.m * w * w, o.c * w) / 105e3,
                     touching = o.c > 0 ? 0.5 * (force + sqrt(force * force + 4 * speed * speed))
                                : force * force < 2 * speed * speed ? speed / sqrt(1 - pow(0.5 * force / speed, 2))
                                                                    : force;

        yk_actuator_use_of(&row, &o.asked, &needed);
        assert_near_relative(needed.curve, touching, 1e-6);
        assert_near_relative(needed.most, fmax(fmax(needed.stroke, needed.force), touching), 1e-6);
        yk_asked_free(&o.asked);
    }
}

/* A piston adds its own inertia. */
static void the_piston_moves_as_well(void **state)
{
    static struct oscillator o = {.X = 0.02, .f = 5, .k = 1e6}, alone = {.X = 0.02, .f = 5, .k = 1e6, .m = 300};
    struct yk_actuator_row heavy = row;
    struct yk_actuator_needed a, b;

    heavy.piston_mass = 300;
    swing(&o);
    swing(&alone);
    yk_actuator_use_of(&heavy, &o.asked, &a);
    yk_actuator_use_of(&row, &alone.asked, &b);
    assert_near_relative(a.force, b.force, 1e-6);
    assert_near_relative(a.curve, b.curve, 1e-6);
    yk_asked_free(&o.asked);
    yk_asked_free(&alone.asked);
}

/* A box of the largest force and speed; a curve of three points: by hand; the parabola of a valve in 2,001 points: eq.
 * (3), where the force is against the motion. */
static void an_outline_shrinks_to_the_largest_sample(void **state)
{
    static double x[] = {0, 0, 0, 0, 0}, speeds[2001];
    double F[] = {0, 30, 0, -60, 20}, v[] = {0, 0, 1.2, -0.5, -0.9};
    struct yk_motion_asked asked = {.n = 5, .dt = 0.1, .x = x, .force = F, .v = v};
    const double box[] = {2, 2}, bent[] = {2, 1.8, 0};
    struct yk_outline_used used =
        yk_sizing_used(&(struct yk_sizing_picture){.asked = &asked, .points = 2, .force = 100, .speed = box});

    assert_near(used.most, 0.6, 1e-12); /* 1.2 of 2 comes before 60 of 100 */
    assert_near(used.at_s, 0.2, 1e-12);
    used = yk_sizing_used(&(struct yk_sizing_picture){.asked = &asked, .points = 3, .force = 100, .speed = bent});
    assert_near(used.most, (0.5 + 3.6 * 0.6) / 3.6, 1e-12); /* the line from (50, 1.8) to (100, 0) */
    assert_near(used.at_s, 0.3, 1e-12);
    v[3] = 0.5; /* now the force of 60 helps */
    used = yk_sizing_used(&(struct yk_sizing_picture){.asked = &asked, .points = 3, .force = 100, .speed = bent});
    assert_near(used.most, 0.6, 1e-12); /* of the force alone, and 1.2 of 2 */
    F[3] = -10;
    v[3] = 1.8;
    used = yk_sizing_used(&(struct yk_sizing_picture){.asked = &asked, .points = 3, .force = 100, .speed = bent});
    assert_near(used.most, (1.8 - 0.4 * 0.1) / 2, 1e-12);
    assert_near(yk_sizing_helped(&(struct yk_sizing_picture){.points = 3, .speed = bent}), 2.4, 1e-12);
    used = yk_sizing_used(&(struct yk_sizing_picture){.asked = &asked});
    assert_true(isnan(used.most));

    for (size_t i = 0; i <= 2000; i++)
        speeds[i] = yk_actuator_speed(&row, 105e3 * (double)i / 2000);
    for (int k = 1; k < 40; k++) {
        struct yk_actuator_needed needed;
        double force[] = {2.5e3 * k, 0, 0, 0, 0}, fast[] = {0.01 * (40 - k), 0, 0, 0, 0}, still[5] = {0};

        asked = (struct yk_motion_asked){.n = 5, .dt = 0.1, .x = x, .force = force, .v = fast, .a = still};
        yk_actuator_use_of(&row, &asked, &needed);
        used = yk_sizing_used(
            &(struct yk_sizing_picture){.asked = &asked, .points = 2001, .force = 105e3, .speed = speeds});
        assert_near_relative(used.most, needed.curve, 1e-3);
    }
}

static void the_largest_speed_falls_with_the_force(void **state)
{
    assert_near_relative(yk_actuator_area(&row), 5e-3, 1e-12);
    assert_near_relative(yk_actuator_speed(&row, 0), 1.05e-3 * sqrt(3) / 5e-3, 1e-12);
    assert_near_relative(yk_actuator_speed(&row, 0.75 * 105e3), 0.5 * 1.05e-3 * sqrt(3) / 5e-3, 1e-12);
    assert_near(yk_actuator_speed(&row, 105e3), 0, 1e-12);
    assert_near(yk_actuator_speed(&row, 200e3), 0, 1e-12);
}

/* ---- tables ---- */

#define HEAD "name,force_kN,stroke_mm,valve_flow_l_min,valve_drop_bar,valve_Hz,supply_bar,piston_mass_kg\n"

static void the_shipped_table_is_sorted_by_size(void **state)
{
    struct yk_actuator_table t;

    assert_ok(yk_actuator_table_read(&t, YOKE_SOURCE "/data/actuators/classes.csv", &err));
    assert_true(t.count > 50);
    for (size_t i = 1; i < t.count; i++)
        assert_true(yk_actuator_power(&t.rows[i - 1]) <= yk_actuator_power(&t.rows[i]));
    yk_actuator_table_free(&t);
}

static void wrong_tables_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "there is no actuator in this table"},
        {HEAD, "there is no actuator in this table"},
        {"name,force\n", "there is no column 'force'"},
        {"name,name\n", "column 'name' is there twice"},
        {"name,force_kN\n", "column 'stroke_mm' is missing"},
        {HEAD "a,1,2\n", "3 values, but 8 columns"},
        {HEAD "a,1,2,3,4,5,6,7,8\n", "more values than the 8 columns"},
        {HEAD "a,1,2,big,4,5,6,7\n", "'big' is not a number (valve_flow_l_min)"},
        {HEAD "a,-1,2,3,4,5,6,7\n", "force_kN = -1; 0.001 .. 1e+06 is allowed"},
        {HEAD "a,nan,2,3,4,5,6,7\n", "force_kN"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_actuator_table t;

        scratch_write("table.csv", cases[i].text);
        struct yk_err why = {0};

        assert_true(yk_actuator_table_read(&t, scratch_path("table.csv"), &why) != YK_OK);
        if (!strstr(yk_err_line(&why).text, cases[i].words))
            fail_msg("%s: %s", cases[i].words, yk_err_line(&why).text);
    }
}

static void a_table_of_more_actuators_than_are_read_is_refused(void **state)
{
    static const char line[] = "a,1,2,3,4,5,6,7\n";
    const size_t most = 10000, head = strlen(HEAD), length = strlen(line);
    char *text = malloc(head + (most + 1) * length + 1);
    struct yk_actuator_table t;

    assert_non_null(text);
    strcpy(text, HEAD);
    for (size_t i = 0; i <= most; i++)
        memcpy(text + head + i * length, line, length + 1);
    scratch_write("table.csv", text);
    assert_refused(yk_actuator_table_read(&t, scratch_path("table.csv"), &err), YK_E_MEMORY, "at most 10000 actuators");
    text[head + most * length] = 0;
    scratch_write("table.csv", text);
    assert_ok(yk_actuator_table_read(&t, scratch_path("table.csv"), &err));
    assert_int_equal(t.count, most);
    yk_actuator_table_free(&t);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peaks_of_a_sine_have_closed_forms),
        cmocka_unit_test(the_smallest_curve_touches_the_ellipse),
        cmocka_unit_test(the_piston_moves_as_well),
        cmocka_unit_test(an_outline_shrinks_to_the_largest_sample),
        cmocka_unit_test(the_largest_speed_falls_with_the_force),
        cmocka_unit_test(the_shipped_table_is_sorted_by_size),
        cmocka_unit_test(wrong_tables_are_refused_with_their_place),
        cmocka_unit_test(a_table_of_more_actuators_than_are_read_is_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
