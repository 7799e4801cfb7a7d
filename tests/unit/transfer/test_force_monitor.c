/* Forces that cannot be right: found in a few half cycles, and never where a specimen yields, rubs, softens, has a gap
 * or a load cell with noise. Motions and specimens are formulas of this file. */
#include "support/check.h"
#include "support/random.h"

#include "transfer/force_monitor.h"

#include <math.h>

#define PI        3.14159265358979323846
#define TICK      1e-3 /* s */
#define STIFFNESS 1e6  /* N/m: the estimate */
#define TICKS     20000L
#define LIMIT     6 /* half cycles: the default of limits.implausible_force */

/* ---- motions [m] ---- */

static double sine(double t)
{
    return 0.01 * sin(2 * PI * 1.1 * t);
}

static double off_centre(double t)
{
    return 0.03 + sine(t);
}

static double growing(double t)
{
    return 0.001 * t * sin(2 * PI * 1.3 * t);
}

static double decaying(double t)
{
    return 0.02 * exp(-0.2 * t) * sin(2 * PI * 0.9 * t);
}

static double drifting(double t)
{
    return 0.002 * t + 0.006 * sin(2 * PI * 1.1 * t);
}

/* many frequencies, rising and dying away as an earthquake does */
static double irregular(double t)
{
    double x = 0;

    for (int k = 1; k <= 12; k++)
        x += 0.004 / k * sin(2 * PI * 0.37 * k * t + k * k);
    return x * (t < 3 ? t / 3 : t < 12 ? 1 : exp(-0.3 * (t - 12)));
}

static double (*const motions[])(double t) = {sine, off_centre, growing, decaying, drifting, irregular};
#define MOTIONS (sizeof motions / sizeof *motions)

/* ---- specimens: force [N] at x, reached from the last x in a tick ---- */

struct memory {
    double x, z, w; /* last displacement, and what else is remembered */
};

static double elastic(struct memory *m, double x)
{
    return STIFFNESS * x;
}

static double softer_than_believed(struct memory *m, double x)
{
    return 0.05 * STIFFNESS * x;
}

/* ideally plastic from 2 mm on; z is the slip */
static double plastic(struct memory *m, double x)
{
    const double slip = x - m->z;

    if (fabs(slip) > 2e-3)
        m->z = x - copysign(2e-3, slip);
    return STIFFNESS * (x - m->z);
}

/* stiff before it slides, at a fiftieth of the motion */
static double friction(struct memory *m, double x)
{
    const double slip = x - m->z;

    if (fabs(slip) > 2e-4)
        m->z = x - copysign(2e-4, slip);
    return 10 * STIFFNESS * (x - m->z);
}

static double rigid_friction(struct memory *m, double x)
{
    if (x != m->x)
        m->z = copysign(3000, x - m->x);
    return m->z;
}

/* A = 1, beta = gamma = 1/2, n = 1 in units of the yield displacement, by Euler steps; hardening 2 % */
static double bouc_wen(struct memory *m, double x)
{
    const double dx = (x - m->x) / 2e-3;

    for (int k = 0; k < 10; k++)
        m->z += 0.1 * (dx - 0.5 * fabs(dx) * m->z - 0.5 * dx * fabs(m->z));
    return STIFFNESS * (0.02 * x + 0.98 * 2e-3 * m->z);
}

static double gap(struct memory *m, double x)
{
    return fabs(x) > 4e-3 ? STIFFNESS * (x - copysign(4e-3, x)) : 0;
}

static double one_sided(struct memory *m, double x)
{
    return x > 1e-3 ? STIFFNESS * (x - 1e-3) : 0;
}

/* in contact under a preload, and lifted off from -2 mm on */
static double uplift(struct memory *m, double x)
{
    return fmax(STIFFNESS * (x + 2e-3), 0);
}

/* rocks: lifts at 0.3 mm, then nothing but a weak return */
static double rocking(struct memory *m, double x)
{
    return fabs(x) < 3e-4 ? STIFFNESS * x : copysign(300, x) * (1 - 5 * (fabs(x) - 3e-4));
}

/* two slack braces that take tension only and grow longer when they yield: pinched */
static double slack(struct memory *m, double x)
{
    m->z = fmax(m->z, x - 2e-3);
    m->w = fmin(m->w, x + 2e-3);
    return STIFFNESS * (fmax(x - m->z, 0) + fmin(x - m->w, 0));
}

/* buckles at 1 mm of shortening, keeps losing strength from there on; tension yields at 3 mm. w: shortening so far */
static double buckling(struct memory *m, double x)
{
    const double strength = fmax(200, 1000 - 0.05 * STIFFNESS * m->w), F = STIFFNESS * (x - m->z);

    if (F > 3000)
        m->z = x - 3000 / STIFFNESS;
    if (F < -strength) {
        m->w += m->z - strength / STIFFNESS - x;
        m->z = x + strength / STIFFNESS;
    }
    return STIFFNESS * (x - m->z);
}

static double stiffening(struct memory *m, double x)
{
    return STIFFNESS * x * (1 + 1e4 * x * x);
}

static double damped(struct memory *m, double x)
{
    return STIFFNESS * x + 1e5 * (x - m->x) / TICK;
}

static double damper(struct memory *m, double x)
{
    return 1e5 * (x - m->x) / TICK;
}

/* a load cell behind a filter of 10 ms */
static double filtered(struct memory *m, double x)
{
    m->z += 0.1 * (STIFFNESS * x - m->z);
    return m->z;
}

static const struct specimen {
    const char *name;
    double (*force)(struct memory *m, double x);
} specimens[] = {{"elastic", elastic},
                 {"softer than believed", softer_than_believed},
                 {"plastic", plastic},
                 {"friction", friction},
                 {"rigid friction", rigid_friction},
                 {"Bouc-Wen", bouc_wen},
                 {"gap", gap},
                 {"one-sided", one_sided},
                 {"uplift", uplift},
                 {"rocking", rocking},
                 {"slack braces", slack},
                 {"buckling", buckling},
                 {"stiffening", stiffening},
                 {"damped", damped},
                 {"damper", damper},
                 {"filtered", filtered}};
#define SPECIMENS (sizeof specimens / sizeof *specimens)

/* ---- faults of the load cell ---- */

static double right(double F)
{
    return F;
}

static double reversed(double F)
{
    return -F;
}

static double zero(double F)
{
    return 0;
}

static double constant(double F)
{
    return 432.1;
}

static double clipped(double F)
{
    return F > 1500 ? 1500 : F < -1500 ? -1500 : F;
}

static double clipped_above(double F)
{
    return F > 1500 ? 1500 : F;
}

/* ---- a run ---- */

struct trial {
    double (*motion)(double t);
    const struct specimen *specimen;
    double (*cell)(double F);
    double from;       /* s: of the fault */
    double noise;      /* standard deviation [N]; of the displacement, as a force of the estimate, a thousandth of it */
    bool one_of_many;  /* other actuators move the specimen too */
    bool noise_after;  /* the fault, as of an amplifier behind the load cell */
    bool awaits_force; /* a force that has not responded yet is judged at the end, as where it only warns */
};

struct outcome {
    long most;                     /* half cycles in a row */
    double found;                  /* s: when LIMIT was reached; INFINITY: never */
    enum yk_force_verdict verdict; /* then */
};

/* A random number of variance 1: the sum of twelve of variance 1/3, halved. */
static double normal(uint64_t *seed)
{
    double sum = 0;

    for (int k = 0; k < 12; k++)
        sum += random_value(seed);
    return 0.5 * sum;
}

static struct outcome watch(const struct trial *t)
{
    struct yk_force_monitor m = {.alone = !t->one_of_many};
    struct outcome o = {.found = INFINITY};
    struct memory memory = {.x = t->motion(0)};
    uint64_t seed = 11;

    for (long k = 0; k < TICKS; k++) {
        const double time = (double)k * TICK, x = t->motion(time), F = t->specimen->force(&memory, x),
                     hiss = t->noise > 0 ? t->noise * normal(&seed) : 0,
                     x_read = t->noise > 0 ? x + 1e-3 * t->noise / STIFFNESS * normal(&seed) : x;
        const double F_read = time < t->from ? F + hiss : t->noise_after ? t->cell(F) + hiss : t->cell(F + hiss);
        const long wrong = yk_force_monitor_step(&m, STIFFNESS * x_read, x_read, F_read);

        memory.x = x;
        if (t->awaits_force && m.finding.verdict == YK_FORCE_CONSTANT && !m.alive && k < TICKS - 1)
            continue;
        o.most = wrong > o.most ? wrong : o.most;
        if (wrong >= LIMIT && !isfinite(o.found)) {
            o.found = time;
            o.verdict = m.finding.verdict;
        }
    }
    return o;
}

/* ---- no false alarm ---- */

/* Sixteen specimens, six motions, load cells without noise and with 0.5 % and 5 % of the largest elastic force. */
static void no_passive_specimen_is_found_implausible(void **state)
{
    static const double noises[] = {0, 50, 500};

    for (size_t s = 0; s < SPECIMENS; s++)
        for (size_t k = 0; k < MOTIONS; k++)
            for (size_t n = 0; n < 3; n++)
                for (int many = 0; many < 2; many++) {
                    const struct trial t = {.motion = motions[k],
                                            .specimen = &specimens[s],
                                            .cell = right,
                                            .noise = noises[n],
                                            .one_of_many = many,
                                            .awaits_force = true};
                    const struct outcome o = watch(&t);

                    /* off its centre the rocking one changes its force by 30 N, which is lost in noise */
                    if (specimens[s].force == rocking && motions[k] == off_centre && n > 0)
                        continue;
                    if (o.most > LIMIT / 2)
                        print_error("%s, motion %zu, noise %g: %ld half cycles, verdict %d at %g s\n",
                                    specimens[s].name, k, noises[n], o.most, o.verdict, o.found);
                    assert_true(o.most <= LIMIT / 2); /* and not by a hair */
                }
}

/* ---- faults ---- */

/* Half cycles of E from the fault until it is found; the first, under way when it begins, counts as a whole. */
static double half_cycles(const struct trial *t, const struct outcome *o, double frequency)
{
    return ceil(2 * frequency * (o->found - t->from));
}

static void assert_found(const struct trial *t, enum yk_force_verdict verdict, double most)
{
    const struct outcome o = watch(t);
    const double took = half_cycles(t, &o, 1.1);

    if (o.verdict != verdict || !(took <= most))
        print_error("%s from %g s, noise %g: verdict %d after %g half cycles\n", t->specimen->name, t->from, t->noise,
                    o.verdict, took);
    assert_int_equal(o.verdict, verdict);
    assert_true(took <= most);
}

static const double starts[] = {0, 5.13}, noises[] = {0, 50, 500};

static void a_reversed_force_is_found_in_eight_half_cycles(void **state)
{
    for (size_t s = 0; s < SPECIMENS; s++)
        for (int k = 0; k < 2; k++)
            for (int n = 0; n < 2; n++) {
                const struct trial t = {
                    .motion = sine, .specimen = &specimens[s], .cell = reversed, .from = starts[k], .noise = noises[n]};

                assert_found(&t, YK_FORCE_REVERSED, 8);
            }
}

/* Several actuators that share a specimen: only a force that is nearly the opposite of the expected one is judged. */
static void one_reversed_force_of_several_is_found_where_the_specimen_is_elastic(void **state)
{
    for (int k = 0; k < 2; k++)
        for (int n = 0; n < 3; n++) {
            const struct trial t = {.motion = sine,
                                    .specimen = &specimens[0],
                                    .cell = reversed,
                                    .from = starts[k],
                                    .noise = noises[n],
                                    .one_of_many = true};

            assert_found(&t, YK_FORCE_REVERSED, 8);
        }
}

/* Is a force found reversed that is `gain` times the expected one and early by `degrees`, on a sine? */
static bool found_reversed(double gain, double degrees, bool alone)
{
    struct yk_force_monitor m = {.alone = alone};

    for (long k = 0; k < 6000; k++) {
        const double angle = 2 * PI * 1.1 * (double)k * TICK, x = 0.01 * sin(angle);

        yk_force_monitor_step(&m, STIFFNESS * x, x, gain * STIFFNESS * 0.01 * sin(angle + degrees * PI / 180));
    }
    assert_true(m.finding.verdict == YK_FORCE_REVERSED || m.finding.verdict == YK_FORCE_PLAUSIBLE);
    return m.finding.verdict == YK_FORCE_REVERSED;
}

/* Values at which the verdict changes. On a sine, and a force early by phi, the loop is q = pi/4 sin phi of its
 * rectangle; over a half cycle rho = c/sqrt(c^2 + b s^2), c = cos phi, s = sin phi, b = 1 - 8/pi^2. */
static void the_sign_is_judged_by_correlation_and_loop(void **state)
{
    assert_true(found_reversed(-0.021, 0, true)); /* a force below 2 % of the expected one is too faint */
    assert_false(found_reversed(-0.019, 0, true));
    assert_true(found_reversed(-1, -21.6, true));  /* q = 0.289: less work than 0.3 of the rectangle */
    assert_false(found_reversed(-1, -23.4, true)); /* q = 0.312 */
    assert_true(found_reversed(1, -76.5, true));   /* q < -0.5 and rho = 0.48: it gives work without end */
    assert_false(found_reversed(1, -75, true));    /* rho = 0.52 */
    assert_true(found_reversed(-1, 47, false));    /* one of several: rho = -0.907, below -0.9 */
    assert_false(found_reversed(-1, 49, false));   /* rho = -0.893 */
}

static void a_constant_force_is_found_in_nine_half_cycles(void **state)
{
    static double (*const cells[])(double F) = {zero, constant};

    for (size_t s = 0; s < SPECIMENS; s++)
        for (int c = 0; c < 2; c++)
            for (int k = 0; k < 2; k++)
                for (int n = 0; n < 2; n++)
                    for (int after = 0; after < 2; after++) {
                        const struct trial t = {.motion = sine,
                                                .specimen = &specimens[s],
                                                .cell = cells[c],
                                                .from = starts[k],
                                                .noise = noises[n],
                                                .noise_after = after};

                        assert_found(&t, YK_FORCE_CONSTANT, 9);
                    }
}

/* A load cell that dies in the middle of an irregular motion, of a specimen that was as expected. */
static void a_force_that_dies_under_way_is_found(void **state)
{
    for (size_t k = 0; k < MOTIONS; k++) {
        const struct trial t = {
            .motion = motions[k], .specimen = &specimens[0], .cell = zero, .from = 5.13, .noise = 50};
        const struct outcome o = watch(&t);

        assert_int_equal(o.verdict, YK_FORCE_CONSTANT);
        assert_true(o.found - t.from < 5);
    }
}

static void a_clipped_force_is_found_in_seven_half_cycles_or_in_thirteen_of_one_side(void **state)
{
    static double (*const forces[])(struct memory * m, double x) = {elastic, gap, stiffening, damped, filtered};

    for (size_t s = 0; s < sizeof forces / sizeof *forces; s++)
        for (int k = 0; k < 2; k++)
            for (int n = 0; n < 3; n++) {
                const struct specimen specimen = {"clipped", forces[s]};
                struct trial t = {
                    .motion = sine, .specimen = &specimen, .cell = clipped, .from = starts[k], .noise = noises[n]};

                assert_found(&t, YK_FORCE_CLIPPED, 7);
                t.cell = clipped_above;
                assert_found(&t, YK_FORCE_CLIPPED, 13);
            }
}

/* A motion that runs away gives no half cycle: at its end the sign is clear all the same. */
static void a_force_that_drives_the_motion_away_is_seen_to_be_reversed(void **state)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        struct yk_force_monitor m = {.alone = true};

        for (int k = 0; k < 300; k++) {
            const double x = 1e-4 * exp(0.02 * k);

            assert_int_equal(yk_force_monitor_step(&m, STIFFNESS * x, x, sign * STIFFNESS * x), 0);
        }
        assert_int_equal(yk_force_monitor_ran_reversed(&m), sign < 0);
        assert_int_equal(m.finding.verdict, sign < 0 ? YK_FORCE_REVERSED : YK_FORCE_PLAUSIBLE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_passive_specimen_is_found_implausible),
        cmocka_unit_test(a_reversed_force_is_found_in_eight_half_cycles),
        cmocka_unit_test(one_reversed_force_of_several_is_found_where_the_specimen_is_elastic),
        cmocka_unit_test(the_sign_is_judged_by_correlation_and_loop),
        cmocka_unit_test(a_constant_force_is_found_in_nine_half_cycles),
        cmocka_unit_test(a_force_that_dies_under_way_is_found),
        cmocka_unit_test(a_clipped_force_is_found_in_seven_half_cycles_or_in_thirteen_of_one_side),
        cmocka_unit_test(a_force_that_drives_the_motion_away_is_seen_to_be_reversed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
