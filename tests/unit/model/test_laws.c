/* Element laws: what holds for every registered law, then values of each from its formula. */
#include "support/check.h"

#include <math.h>
#include <yoke/law.h>

#define PI 3.14159265358979323846

/* Settings to try, at least one line per law, with the scales of motion on which they are interesting. */
struct sample {
    const char *law;
    struct {
        const char *name;
        double value;
    } set[8];
    double d_scale, w_scale; /* m, m/s */
    double k_scale, c_scale; /* largest stiffness N/m and damping N s/m, for tolerances */
};

/* Places of the samples the tests below ask for by name. */
enum {
    GAP = 5,
    GAP_POSITIVE = 6,
    GAP_NEGATIVE_PRELOADED = 7,
    GAP_PRELOADED = 8,
    FRICTION = 9,
    SATURATING_DAMPER = 11,
    BOUC_WEN = 12,
    BOUC_WEN_LAST_EXACT = 15,
    BOUC_WEN_SQUARE = 16,
    PIER = 19,
    PIER_ELASTIC = 21,
    BILINEAR = 22,
};

static const struct sample samples[] = {
    {"spring", {{"stiffness", 300}}, 0.1, 1, 300, 1},
    {"spring", {{"stiffness", -20}}, 0.1, 1, 20, 1},
    {"damper", {{"damping", 40}}, 0.1, 1, 1, 40},
    {"cubic-spring", {{"stiffness", 100}, {"cubic", 5e4}}, 0.1, 1, 1600, 1},
    {"cubic-spring", {{"stiffness", 100}, {"cubic", -2e3}}, 0.1, 1, 100, 1},
    [GAP] = {"gap", {{"stiffness", 1e4}, {"gap", 0.02}}, 0.1, 1, 1e4, 1},
    [GAP_POSITIVE] = {"gap", {{"stiffness", 1e4}, {"gap", 0.02}, {"side", 1}}, 0.1, 1, 1e4, 1},
    [GAP_NEGATIVE_PRELOADED] = {"gap", {{"stiffness", 1e4}, {"preload", 300}, {"side", 2}}, 0.1, 1, 1e4, 1},
    [GAP_PRELOADED] = {"gap", {{"stiffness", 1e4}, {"preload", 300}}, 0.1, 1, 2e4, 1},
    [FRICTION] = {"friction", {{"force", 25}, {"slip_velocity", 0.01}}, 0.1, 0.02, 1, 2500},
    {"friction", {{"force", 25}, {"slip_velocity", 0.01}, {"viscous", 8}}, 0.1, 0.02, 1, 2500},
    [SATURATING_DAMPER] = {"saturating-damper", {{"linear", 0.65}, {"limit", 10}, {"knee", 0.55}}, 0.1, 1, 1, 19},
    [BOUC_WEN] = {"bouc-wen", {{"k0", 1000}, {"beta", 55}, {"gamma", 45}}, 0.02, 1, 1000, 1},
    {"bouc-wen", {{"k0", 1000}, {"beta", 50}, {"gamma", 50}, {"kh", 30}}, 0.02, 1, 1000, 1},
    {"bouc-wen", {{"k0", 1000}, {"beta", 20}, {"gamma", 80}}, 0.02, 1, 1000, 1},
    [BOUC_WEN_LAST_EXACT] = {"bouc-wen", {{"k0", 1000}, {"beta", 70}, {"gamma", -40}}, 0.04, 1, 4000, 1},
    [BOUC_WEN_SQUARE] = {"bouc-wen", {{"k0", 1000}, {"beta", 6}, {"gamma", 4}, {"n", 2}}, 0.02, 1, 1200, 1},
    {"bouc-wen", {{"k0", 1000}, {"beta", 1}, {"gamma", 1.5}, {"n", 2.5}}, 0.02, 1, 1000, 1},
    {"bouc-wen", {{"k0", 1000}, {"beta", 0}}, 0.02, 1, 1000, 1},
    [PIER] = {"softening-bouc-wen", {{"k", 221.444}, {"alpha", 200}, {"beta", 20}}, 0.1, 1, 450, 1},
    {"softening-bouc-wen",
     {{"k", 200}, {"rho", 1.2}, {"alpha", 50}, {"beta", 0.3}, {"gamma", 0.1}, {"n", 2}},
     0.1,
     1,
     450,
     1},
    [PIER_ELASTIC] = {"softening-bouc-wen", {{"k", 200}, {"alpha", 50}, {"beta", 0}}, 0.1, 1, 200, 1},
    [BILINEAR] = {"bilinear", {{"stiffness", 6438}, {"hardening", 0.02}, {"yield_slip", 0.002}}, 0.005, 1, 6438, 1},
    {"bilinear", {{"stiffness", 6438}, {"yield_slip", 0.002}}, 0.005, 1, 6438, 1},
};
enum { SAMPLES = sizeof samples / sizeof samples[0], STATE = 8 };

/* A law with its settings, ready to be asked. */
struct bench {
    const struct yk_law_ops *ops;
    union {
        double align;
        char bytes[256];
    } settings;
    double committed[STATE];
};

static enum yk_status set_up(struct bench *b, const struct sample *s, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    memset(b, 0, sizeof *b);
    b->ops = yk_law_find(s->law);
    assert_non_null(b->ops);
    assert_true(b->ops->settings_size <= sizeof b->settings.bytes);
    assert_true(b->ops->count <= STATE);
    yk_param_defaults(b->ops->params, b->settings.bytes);
    for (size_t i = 0; s->set[i].name && st == YK_OK; i++)
        st = yk_param_set(b->ops->params, b->settings.bytes, s->set[i].name, s->set[i].value, err);
    if (st == YK_OK)
        st = yk_param_check(b->ops->params, b->settings.bytes, err);
    if (st == YK_OK && b->ops->prepare)
        st = b->ops->prepare(b->settings.bytes, err);
    if (st == YK_OK && b->ops->rest)
        b->ops->rest(b->settings.bytes, 0, b->committed);
    return st;
}

static double trial_force(const struct bench *b, double d, double w)
{
    double trial[STATE];

    return b->ops->force(b->settings.bytes, b->committed, d, w, 0, trial);
}

static double commit(struct bench *b, double d, double w)
{
    double trial[STATE] = {0};
    double f = b->ops->force(b->settings.bytes, b->committed, d, w, 0, trial);

    memcpy(b->committed, trial, b->ops->count * sizeof *trial);
    return f;
}

static double stiffness(const struct bench *b, double d, double w)
{
    double k, c;

    b->ops->tangent(b->settings.bytes, b->committed, d, w, 0, &k, &c);
    return k;
}

static double damping(const struct bench *b, double d, double w)
{
    double k, c;

    b->ops->tangent(b->settings.bytes, b->committed, d, w, 0, &k, &c);
    return c;
}

/* splitmix64, uniform in [-1, 1): the same numbers on every machine */
static double uniform(uint64_t *seed)
{
    uint64_t x = *seed += 0x9e3779b97f4a7c15u;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) / 4503599627370496.0 - 1;
}

static void wander(struct bench *b, const struct sample *s, int moves, uint64_t *seed)
{
    for (int i = 0; i < moves; i++)
        commit(b, s->d_scale * uniform(seed), s->w_scale * uniform(seed));
}

/* ---- every law ---- */

static void every_law_is_found_by_its_name(void **state)
{
    for (const struct yk_law_ops *const *law = yk_laws; *law; law++) {
        assert_ptr_equal(yk_law_find((*law)->name), *law);
        assert_non_null((*law)->force);
        assert_non_null((*law)->tangent);
        assert_true((*law)->summary[0] && (*law)->reference[0]);
        assert_null(strchr((*law)->name, '_'));
        assert_true((*law)->count == 0 || (*law)->rest);
    }
    for (int i = 0; i < SAMPLES; i++)
        assert_non_null(yk_law_find(samples[i].law));
    assert_null(yk_law_find("no-such-law"));
}

static void check_setting(const struct yk_law_ops *law, const struct yk_param *p)
{
    assert_true(p->help && p->help[0] && p->help[strlen(p->help) - 1] != '.');
    assert_true(p->offset < law->settings_size);
    for (const struct yk_param *q = law->params; q < p; q++)
        assert_string_not_equal(q->name, p->name);
    if (p->type == YK_PARAM_CHOICE)
        assert_true(p->choices && p->fallback >= 0);
    else
        assert_true(p->min < p->max && (isnan(p->fallback) || (p->fallback >= p->min && p->fallback <= p->max)));
}

static void settings_have_unique_names_help_and_defaults_in_range(void **state)
{
    for (const struct yk_law_ops *const *law = yk_laws; *law; law++)
        for (const struct yk_param *p = (*law)->params; p->name; p++)
            check_setting(*law, p);
}

static void asking_twice_gives_the_same_and_leaves_the_committed_state(void **state)
{
    uint64_t seed = 1;

    for (int i = 0; i < SAMPLES; i++) {
        struct bench b, before;

        assert_ok(set_up(&b, &samples[i], &err));
        for (int trial = 0; trial < 50; trial++) {
            wander(&b, &samples[i], 3, &seed);
            before = b;
            double d = samples[i].d_scale * uniform(&seed), w = samples[i].w_scale * uniform(&seed);
            double f = trial_force(&b, d, w);
            trial_force(&b, -2 * d, -w);
            stiffness(&b, d, w);
            assert_true(trial_force(&b, d, w) == f);
            assert_memory_equal(&b, &before, sizeof b);
        }
    }
}

static void force_at_rest_is_zero_without_preload(void **state)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct bench b;

        assert_ok(set_up(&b, &samples[i], &err));
        assert_near(trial_force(&b, 0, 0), i == GAP_NEGATIVE_PRELOADED ? -300 : 0, 1e-12);
    }
}

/* Central difference of the force in d (or w). At a kink the one-sided differences disagree: *kink is then set. */
static double difference(const struct bench *b, double d, double w, double hd, double hw, double scale, int *kink)
{
    double h = hd + hw;
    double below = trial_force(b, d - hd, w - hw), here = trial_force(b, d, w), above = trial_force(b, d + hd, w + hw);

    *kink = fabs(above - 2 * here + below) / h > 1e-3 * scale;
    return (above - below) / (2 * h);
}

/* Step 1e-6 of the scale of motion: the difference itself is good to about 1e-9 of the stiffness. What remains is the
 * truncation error of the increments of bouc-wen with n != 1, whose tangent is the slope of the equation: 1e-6. */
static void tangent_is_the_derivative_of_the_force(void **state)
{
    uint64_t seed = 2;

    for (int i = 0; i < SAMPLES; i++) {
        const struct sample *s = &samples[i];
        struct bench b;
        int skipped = 0, kink;

        assert_ok(set_up(&b, s, &err));
        for (int trial = 0; trial < 400; trial++) {
            wander(&b, s, 2, &seed);
            double d = s->d_scale * uniform(&seed), w = s->w_scale * uniform(&seed);
            double k = difference(&b, d, w, 1e-6 * s->d_scale, 0, s->k_scale, &kink);
            if (kink)
                skipped++;
            else
                assert_near(stiffness(&b, d, w), k, 1e-6 * s->k_scale);
            double c = difference(&b, d, w, 0, 1e-6 * s->w_scale, s->c_scale, &kink);
            assert_near(damping(&b, d, w), c, 1e-6 * s->c_scale);
        }
        assert_true(skipped <= 4);
    }
}

static void stored_energy_has_the_force_as_its_slope(void **state)
{
    uint64_t seed = 3;
    int seen = 0;

    for (int i = 0; i < SAMPLES; i++) {
        const struct sample *s = &samples[i];
        const double h = 1e-5 * s->d_scale;
        struct bench b;

        assert_ok(set_up(&b, s, &err));
        for (int trial = 0; b.ops->stored && trial < 100; trial++, seen++) {
            double d = s->d_scale * uniform(&seed);
            double slope = (b.ops->stored(b.settings.bytes, d + h) - b.ops->stored(b.settings.bytes, d - h)) / (2 * h);
            assert_near(slope, trial_force(&b, d, 0), 1e-5 * s->k_scale * s->d_scale);
        }
    }
    assert_int_equal(seen, 800); /* two springs, two cubic springs, four gaps */
}

/* Dissipates by yielding: has a loop to show. */
static int yields(const struct sample *s)
{
    for (size_t i = 0; s->set[i].name; i++)
        if ((strcmp(s->set[i].name, "beta") == 0 || strcmp(s->set[i].name, "yield_slip") == 0) && s->set[i].value > 0)
            return 1;
    return 0;
}

/* Work of a motion that starts at rest and returns to d = 0: a law that has no stored energy left cannot give any. */
static double work_of_cycles(struct bench *b, double amplitude, double omega, int cycles)
{
    const int steps = 2000 * cycles;
    double work = 0, d0 = 0, f0 = 0;

    for (int i = 1; i <= steps; i++) {
        double phase = 2 * PI * cycles * i / steps;
        double d = i == steps ? 0 : amplitude * sin(phase), f = commit(b, d, amplitude * omega * cos(phase));

        work += 0.5 * (f + f0) * (d - d0);
        d0 = d;
        f0 = f;
    }
    return work;
}

static void closed_cycles_never_give_energy(void **state)
{
    for (int i = 0; i < SAMPLES; i++)
        for (double size = 0.05; size < 5; size *= 2) {
            const struct sample *s = &samples[i];
            struct bench b;

            assert_ok(set_up(&b, s, &err));
            double energy = s->k_scale * size * s->d_scale * size * s->d_scale;
            double work = work_of_cycles(&b, size * s->d_scale, s->w_scale / s->d_scale, 3);
            assert_true(work >= -1e-9 * energy);
            if (yields(s) && size > 1)
                assert_true(work > 0.01 * energy / size);
        }
}

static void finite_input_up_to_a_million_gives_finite_output(void **state)
{
    uint64_t seed = 4;

    for (int i = 0; i < SAMPLES; i++) {
        struct bench b;

        assert_ok(set_up(&b, &samples[i], &err));
        for (int trial = 0; trial < 3000; trial++) {
            /* sizes from 1e-12 to 1e6, now and then an arbitrary state that no path has produced */
            double d = uniform(&seed) * pow(10, 6 - 9 * (1 + uniform(&seed)));
            double w = uniform(&seed) * pow(10, 6 - 9 * (1 + uniform(&seed)));
            if (trial % 16 == 0)
                for (size_t j = 0; j < b.ops->count; j++)
                    b.committed[j] = 1e6 * uniform(&seed);
            assert_true(isfinite(stiffness(&b, d, w)) && isfinite(damping(&b, d, w)));
            assert_true(isfinite(commit(&b, d, w)));
            for (size_t j = 0; j < b.ops->count; j++)
                assert_true(isfinite(b.committed[j]));
        }
    }
}

static void inconsistent_settings_are_refused(void **state)
{
    struct bench b;

    assert_refused(
        set_up(&b, &(struct sample){"gap", {{"stiffness", 1}, {"gap", 1}, {"preload", 1}}, 1, 1, 1, 1}, &err),
        YK_E_INPUT, "preload = 1 N needs contact at rest, but gap = 1 m");
    assert_refused(set_up(&b, &(struct sample){"bouc-wen", {{"k0", 1}, {"beta", 2}, {"gamma", -2}}, 1, 1, 1, 1}, &err),
                   YK_E_INPUT, "beta + gamma must be positive");
    assert_refused(set_up(&b, &(struct sample){"bouc-wen", {{"k0", 1}, {"beta", 0}, {"gamma", 2}}, 1, 1, 1, 1}, &err),
                   YK_E_INPUT, "beta = 0");
    assert_refused(
        set_up(&b, &(struct sample){"softening-bouc-wen", {{"k", 1}, {"beta", 1}, {"gamma", -3}}, 1, 1, 1, 1}, &err),
        YK_E_INPUT, "gamma = -3");
    assert_refused(
        set_up(&b, &(struct sample){"bilinear", {{"stiffness", 1}, {"hardening", 1}, {"yield_slip", 1}}, 1, 1, 1, 1},
               &err),
        YK_E_RANGE, "not below 1");
    assert_refused(
        set_up(&b, &(struct sample){"friction", {{"force", 1e15}, {"slip_velocity", 1e-300}}, 1, 1, 1, 1}, &err),
        YK_E_RANGE, "not finite");
    assert_refused(set_up(&b, &(struct sample){"softening-bouc-wen", {{"k", 1}, {"rho", 0}}, 1, 1, 1, 1}, &err),
                   YK_E_RANGE, "rho = 0");
    assert_refused(set_up(&b, &(struct sample){"spring", {{NULL, 0}}, 1, 1, 1, 1}, &err), YK_E_INPUT, "stiffness");
}

/* ---- gap, friction, dampers ---- */

static void one_sided_gap_pushes_only_beyond_its_clearance(void **state)
{
    struct bench b;

    assert_ok(set_up(&b, &samples[GAP_POSITIVE], &err)); /* positive side, 20 mm, 10 kN/m */
    assert_near(trial_force(&b, 0.019, 0), 0, 0);
    assert_near(trial_force(&b, 0.025, 0), 50, 1e-10);
    assert_near(trial_force(&b, -0.5, 0), 0, 0);
    assert_near(stiffness(&b, 0.019, 0), 0, 0);
    assert_near(stiffness(&b, 0.021, 0), 1e4, 0);
}

static void two_sided_gap_is_odd(void **state)
{
    struct bench b;

    assert_ok(set_up(&b, &samples[GAP], &err));
    for (double d = 0; d < 0.1; d += 0.0037)
        assert_true(trial_force(&b, -d, 0) == -trial_force(&b, d, 0));
    assert_near(trial_force(&b, -0.03, 0), -100, 1e-10);
}

static void preloaded_stop_lets_go_after_preload_over_stiffness(void **state)
{
    struct bench b;

    assert_ok(
        set_up(&b, &samples[GAP_NEGATIVE_PRELOADED], &err)); /* negative side, 300 N, 10 kN/m: lets go at +30 mm */
    assert_near(trial_force(&b, 0, 0), -300, 1e-10);
    assert_near(trial_force(&b, 0.0299, 0), -1, 1e-10);
    assert_near(trial_force(&b, 0.0301, 0), 0, 0);
    assert_ok(set_up(&b, &samples[GAP_PRELOADED], &err)); /* both sides: the preloads cancel, the stiffnesses add */
    assert_near(trial_force(&b, 0.01, 0), 200, 1e-10);
    assert_near(trial_force(&b, 0.04, 0), 700, 1e-10);
}

static void friction_and_dampers_are_odd_and_reach_their_limits(void **state)
{
    struct bench friction, damper;

    assert_ok(set_up(&friction, &samples[FRICTION], &err));
    assert_ok(set_up(&damper, &samples[SATURATING_DAMPER], &err));
    for (double w = 0; w < 2; w += 0.0137) {
        assert_true(trial_force(&friction, 0, -w) == -trial_force(&friction, 0, w));
        assert_true(trial_force(&damper, 0, -w) == -trial_force(&damper, 0, w));
    }
    assert_near(trial_force(&friction, 0, 0.01), 25 * tanh(1), 1e-12);
    assert_near(trial_force(&friction, 0, 5), 25, 1e-12);
    assert_near(trial_force(&damper, 0, 0.55), 0.65 * 0.55 + 5, 1e-12);
    assert_near(damping(&damper, 0, 0), 18.8318181818, 1e-9); /* c1 + c2/c3 with c = 0.65, 10, 0.55 */
}

/* ---- Bouc-Wen ---- */

/* k0 = 1000 N/m, beta = 55, gamma = 45 1/m, n = 1 under u = 0.02 sin(2 pi t): values of the closed form worked out
 * by a separate program, in N. */
static const double quarter[] = {0.25, 0.75, 1.25, 1.75, 2.0};
static const double z_quarter[] = {8.64664717, -9.58025517, 9.54275902, -9.54432120, 6.63248358};

static void bouc_wen_follows_the_reference_values_at_any_step(void **state)
{
    for (int per_quarter = 1; per_quarter <= 1000; per_quarter *= 10) {
        struct bench b;
        double f = 0;

        assert_ok(set_up(&b, &samples[BOUC_WEN], &err));
        for (int i = 1, next = 0; i <= 8 * per_quarter; i++) {
            double t = 0.25 * i / per_quarter;
            f = commit(&b, 0.02 * sin(2 * PI * t), 0);
            if (t == quarter[next])
                assert_near(f, z_quarter[next++], 1e-8);
        }
        assert_near(f, z_quarter[4], 1e-8);
    }
}

/* Substeps along the path change nothing: 1000 commits land where one does, within their rounding errors. */
static void bouc_wen_closed_form_does_not_depend_on_the_step(void **state)
{
    uint64_t seed = 5;

    for (int i = BOUC_WEN; i <= BOUC_WEN_LAST_EXACT; i++) {
        struct bench one, many;

        assert_ok(set_up(&one, &samples[i], &err));
        many = one;
        for (int move = 0; move < 50; move++) {
            double from = one.committed[0], to = samples[i].d_scale * uniform(&seed);
            double f = commit(&one, to, 0), g = 0;
            for (int j = 1; j <= 1000; j++)
                g = commit(&many, j == 1000 ? to : from + (to - from) * j / 1000, 0);
            assert_near(g, f, 1e-10);
        }
    }
}

static void bouc_wen_saturates_at_its_yield_force(void **state)
{
    struct bench b;

    assert_ok(set_up(&b, &samples[BOUC_WEN], &err));
    assert_near(trial_force(&b, 1, 0), 10, 1e-12); /* k0/(beta + gamma) */
    assert_near(trial_force(&b, -1, 0), -10, 1e-12);
    assert_near(stiffness(&b, 1, 0), 0, 1e-9);
    assert_ok(set_up(&b, &samples[BOUC_WEN_SQUARE], &err));
    assert_near(trial_force(&b, 1, 0), 10, 1e-11); /* (k0/(beta + gamma))^(1/2) */
    assert_near(trial_force(&b, -1, 0), -10, 1e-11);
}

/* The incremental branch, entered by an exponent next to 1, against the closed form. */
static void bouc_wen_increments_agree_with_the_closed_form(void **state)
{
    uint64_t seed = 6;
    double worst = 0;

    for (int i = BOUC_WEN; i <= BOUC_WEN_LAST_EXACT; i++) {
        struct sample near_one = samples[i];
        struct bench exact, stepwise;

        near_one.set[4].name = "n"; /* kh may stand in [3]; without it the list ends there */
        near_one.set[4].value = 1 + 1e-12;
        if (!near_one.set[3].name)
            near_one.set[3].name = "kh";
        assert_ok(set_up(&exact, &samples[i], &err));
        assert_ok(set_up(&stepwise, &near_one, &err));
        for (int move = 0; move < 300; move++) {
            double d = 2 * samples[i].d_scale * uniform(&seed);
            worst = fmax(worst, fabs(commit(&stepwise, d, 0) - commit(&exact, d, 0)));
        }
    }
    print_message("bouc-wen increments against closed form: %.2g N\n", worst);
    assert_true(worst < 1e-5); /* 1e-6 z_y, which is 10 N in three of the samples and 33 N in the last */
}

/* n = 2 from rest: z = z_y tanh(d/d_y), and while unloading z = z_p tan(atan(Z/z_p) - s k0/z_p), z_p^2 = k0/(beta -
 * gamma). */
static void bouc_wen_with_exponent_two_is_a_hyperbolic_tangent(void **state)
{
    const double zp = sqrt(1000 / 2.0), Z = 10 * tanh(1.2);
    struct bench b;

    for (double d = 0.0007; d < 0.05; d *= 1.3) {
        assert_ok(set_up(&b, &samples[BOUC_WEN_SQUARE], &err)); /* z_y = 10 N, d_y = 10 mm, beta = 6, gamma = 4 */
        assert_near(trial_force(&b, d, 0), 10 * tanh(d / 0.01), 1e-7);
    }
    commit(&b, 0.012, 0);
    for (double s = 0.0005; s < zp / 1000 * atan(Z / zp); s += 0.0007)
        assert_near(trial_force(&b, 0.012 - s, 0), zp * tan(atan(Z / zp) - s * 1000 / zp), 1e-7);
}

/* Any exponent and shape: the force at the end of a path against the same path in 4000 commits. */
static double error_of_increments(double n, double gamma_over_beta)
{
    const double q = 1000 / pow(10, n), beta = q / (1 + gamma_over_beta); /* z_y = 10 N, d_y = 10 mm */
    const struct sample s = {
        "bouc-wen", {{"k0", 1000}, {"beta", beta}, {"gamma", gamma_over_beta * beta}, {"n", n}}, 0.03, 1, 1, 1};
    struct bench coarse, fine;
    uint64_t seed = 7;
    double worst = 0;

    assert_ok(set_up(&coarse, &s, &err));
    for (int move = 0; move < 60; move++) {
        double from = coarse.committed[0], to = s.d_scale * uniform(&seed), g = 0;

        fine = coarse;
        for (int j = 1; j <= 4000; j++)
            g = commit(&fine, j == 4000 ? to : from + (to - from) * j / 4000, 0);
        worst = fmax(worst, fabs(commit(&coarse, to, 0) - g) / 10);
    }
    print_message("bouc-wen n = %g, gamma/beta = %g: %.2g of the yield force\n", n, gamma_over_beta, worst);
    return worst;
}

static void bouc_wen_increments_keep_their_stated_accuracy(void **state)
{
    static const double exponents[] = {1.05, 1.3, 2, 3, 5, 10}, shapes[] = {-0.6, 0, 0.8, 9};

    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++)
            assert_true(error_of_increments(exponents[i], shapes[j]) <
                        (exponents[i] >= 2 && shapes[j] >= 0 ? 1e-8 : 2e-6));
}

static void at_the_committed_point_the_rate_chooses_the_branch(void **state)
{
    struct bench b;

    assert_ok(set_up(&b, &samples[BOUC_WEN], &err));
    commit(&b, 0.02, 0);
    assert_near(stiffness(&b, 0.02, 1), 1000 - 100 * b.committed[1], 1e-9);
    assert_near(stiffness(&b, 0.02, 0), 1000 - 100 * b.committed[1], 1e-9);
    assert_near(stiffness(&b, 0.02, -1), 1000 + 10 * b.committed[1], 1e-9);
    assert_ok(set_up(&b, &samples[PIER], &err));
    commit(&b, -0.02, 0);
    double elastic = 221.444 / (1 + 200 * 0.0004), r = b.committed[1];
    assert_true(r < 0);
    assert_near(stiffness(&b, -0.02, -1), elastic + 20 * r, 1e-9);
    assert_near(stiffness(&b, -0.02, 0), elastic + 20 * r, 1e-9);
    assert_near(stiffness(&b, -0.02, 1), elastic - 20 * r, 1e-9);
    assert_ok(set_up(&b, &samples[BILINEAR], &err));
    commit(&b, 0.005, 0);
    assert_near(stiffness(&b, 0.005, 1), 0.02 * 6438, 1e-9);
    assert_near(stiffness(&b, 0.005, 0), 6438, 1e-9);
    assert_near(stiffness(&b, 0.005, -1), 6438, 1e-9);
}

static void softening_bouc_wen_without_its_terms_is_a_spring(void **state)
{
    const struct sample linear = {"softening-bouc-wen", {{"k", 221}, {"beta", 0}}, 0.1, 1, 1, 1};
    uint64_t seed = 8;
    struct bench b;

    assert_ok(set_up(&b, &linear, &err));
    for (int i = 0; i < 100; i++) {
        double d = uniform(&seed);
        assert_near(stiffness(&b, d, 1), 221, 1e-10);
        assert_near(commit(&b, d, 1), 221 * d, 1e-11);
    }
}

/* Without hysteresis the force is the integral of rho k/(1 + alpha x^2), an arc tangent. */
static void softening_bouc_wen_without_loop_is_an_arc_tangent(void **state)
{
    struct bench b;

    assert_ok(set_up(&b, &samples[PIER_ELASTIC], &err));
    for (double d = 0.001; d < 0.3; d += 0.001)
        assert_near(commit(&b, d, 0), 200 / sqrt(50) * atan(sqrt(50) * d), 1e-9);
}

/* k = 221.444 N/m, alpha = 200 1/m2, beta = 20 1/m: eight classical Runge-Kutta increments per move, computed by a
 * separate program. */
static void softening_bouc_wen_takes_eight_increments_per_step(void **state)
{
    struct bench b;

    assert_ok(set_up(&b, &samples[PIER], &err));
    assert_near(commit(&b, 0.03, 0), 4.684900471421419, 1e-13);
    assert_near(commit(&b, -0.05, 0), -6.689383286421333, 1e-13);
    assert_near(commit(&b, 0.02, 0), 6.116487495346836, 1e-13);
    assert_near(commit(&b, 0.021, 0), 6.197613747524109, 1e-13);
}

/* The same path with 200000 increments per move, by the separate program: short steps come close to it. */
static void softening_bouc_wen_converges_to_the_exact_path(void **state)
{
    static const double turns[] = {0, 0.03, -0.05, 0.02, 0.021};
    static const double r[] = {0, 4.6849016197, -6.6894785404, 6.1165171095, 6.1976427753};
    struct bench b;

    assert_ok(set_up(&b, &samples[PIER], &err));
    for (int i = 1; i < 5; i++) {
        double f = 0;

        for (int j = 1; j <= 100; j++)
            f = commit(&b, turns[i - 1] + (turns[i] - turns[i - 1]) * j / 100, 0);
        assert_near(f, r[i], 7.5e-6); /* the kink at r = 0 costs up to beta k h^2/6, h = 0.1 mm */
    }
}

/* alpha = 0, rho = 1: eq. (9) is eq. (7) with kh = 0. Steps of 1 mm, increments of h = 0.125 mm: the kink
 * at r = 0 costs up to beta k h^2/6 = 1.4e-4 N, all else far less. */
static void softening_bouc_wen_without_softening_is_bouc_wen(void **state)
{
    const struct sample plain = {"softening-bouc-wen", {{"k", 1000}, {"beta", 55}, {"gamma", 45}}, 0.02, 1, 1, 1};
    struct bench soft, exact;

    assert_ok(set_up(&soft, &plain, &err));
    assert_ok(set_up(&exact, &samples[BOUC_WEN], &err));
    for (int i = 1; i <= 2000; i++) {
        double d = 0.02 * sin(0.05 * i);
        assert_near(commit(&soft, d, 0), commit(&exact, d, 0), 1.4e-4);
    }
    assert_near(trial_force(&soft, 5, 0), 10, 1e-6); /* a step of 500 yield extensions saturates */
    assert_near(trial_force(&soft, -5e5, 0), -10, 1e-6);
}

/* k = 6438 N/m, a = 0.02, d_y = 2 mm. After 5 mm the slip is at +d_y; reversing, it leaves the limit at once and
 * reaches -d_y after 4 mm. */
static void bilinear_loop_has_the_corners_of_its_formula(void **state)
{
    const double k = 6438, a = 0.02, y = 0.002;
    struct bench b;

    assert_ok(set_up(&b, &samples[BILINEAR], &err));
    assert_near(commit(&b, 0.002, 0), k * y, 1e-10);
    assert_near(commit(&b, 0.005, 0), k * (a * 0.005 + (1 - a) * y), 1e-10);
    assert_near(commit(&b, 0.003, 0), k * a * 0.003, 1e-10);
    assert_near(commit(&b, 0.001, 0), k * (a * 0.001 - (1 - a) * y), 1e-10);
    assert_near(commit(&b, -0.005, 0), -k * (a * 0.005 + (1 - a) * y), 1e-10);
    assert_near(commit(&b, 0.005, 0), k * (a * 0.005 + (1 - a) * y), 1e-10);
}

/* Steady loop of amplitude X: a parallelogram of area 4 (1 - a) k d_y (X - d_y). */
static void bilinear_loop_dissipates_the_area_of_its_parallelogram(void **state)
{
    struct bench b;

    assert_ok(set_up(&b, &samples[BILINEAR], &err));
    work_of_cycles(&b, 0.005, 1, 2);
    assert_near_relative(work_of_cycles(&b, 0.005, 1, 1), 4 * 0.98 * 6438 * 0.002 * 0.003, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_is_found_by_its_name),
        cmocka_unit_test(settings_have_unique_names_help_and_defaults_in_range),
        cmocka_unit_test(asking_twice_gives_the_same_and_leaves_the_committed_state),
        cmocka_unit_test(force_at_rest_is_zero_without_preload),
        cmocka_unit_test(tangent_is_the_derivative_of_the_force),
        cmocka_unit_test(stored_energy_has_the_force_as_its_slope),
        cmocka_unit_test(closed_cycles_never_give_energy),
        cmocka_unit_test(finite_input_up_to_a_million_gives_finite_output),
        cmocka_unit_test(inconsistent_settings_are_refused),
        cmocka_unit_test(one_sided_gap_pushes_only_beyond_its_clearance),
        cmocka_unit_test(two_sided_gap_is_odd),
        cmocka_unit_test(preloaded_stop_lets_go_after_preload_over_stiffness),
        cmocka_unit_test(friction_and_dampers_are_odd_and_reach_their_limits),
        cmocka_unit_test(bouc_wen_follows_the_reference_values_at_any_step),
        cmocka_unit_test(bouc_wen_closed_form_does_not_depend_on_the_step),
        cmocka_unit_test(bouc_wen_saturates_at_its_yield_force),
        cmocka_unit_test(bouc_wen_increments_agree_with_the_closed_form),
        cmocka_unit_test(bouc_wen_with_exponent_two_is_a_hyperbolic_tangent),
        cmocka_unit_test(bouc_wen_increments_keep_their_stated_accuracy),
        cmocka_unit_test(at_the_committed_point_the_rate_chooses_the_branch),
        cmocka_unit_test(softening_bouc_wen_without_its_terms_is_a_spring),
        cmocka_unit_test(softening_bouc_wen_without_loop_is_an_arc_tangent),
        cmocka_unit_test(softening_bouc_wen_takes_eight_increments_per_step),
        cmocka_unit_test(softening_bouc_wen_converges_to_the_exact_path),
        cmocka_unit_test(softening_bouc_wen_without_softening_is_bouc_wen),
        cmocka_unit_test(bilinear_loop_has_the_corners_of_its_formula),
        cmocka_unit_test(bilinear_loop_dissipates_the_area_of_its_parallelogram),
    };
    return cmocka_run_group_tests_name("laws", tests, NULL, NULL);
}
