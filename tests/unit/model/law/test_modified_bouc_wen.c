/* Modified Bouc-Wen model: against the differential equations as they stand in the paper, by Runge-Kutta of order 4 in
 * steps 400 times as short; limits in closed form; the tangent against difference quotients. */
#include "support/check.h"
#include "support/laws.h"

#include <math.h>

#define PI 3.14159265358979323846

struct numbers {
    double Fy, zm, n, c0, c1, k0, k1, q;
};

/* A damper at 0 and 1 A, the variant with an exponent, and other powers n: SI. */
static const struct numbers dampers[] = {
    {140, 0.044e-3, 2, 729, 23.5e3, 0, 866, 0},     {1096, 0.150e-3, 2, 6306, 155e3, 0, 866, 0},
    {1096, 0.150e-3, 1, 6306, 155e3, 2e5, 866, 0},  {1096, 0.150e-3, 3.5, 6306, 155e3, 2e5, 866, 0},
    {74, 0.047e-3, 2, 301, 36.9e3, 0, 968, 0.371},  {702, 0.178e-3, 2, 2042, 264e3, 0, 968, 0.371},
    {702, 0.178e-3, 1.4, 2042, 264e3, 1e5, 0, 1.3},
};
enum { DAMPERS = sizeof dampers / sizeof *dampers };

static struct law_bench bench_of(const struct numbers *p)
{
    const struct law_sample sample = {.law = "modified-bouc-wen",
                                      .set = {{"yield_force", p->Fy},
                                              {"yield_slip", p->zm},
                                              {"n", p->n},
                                              {"viscous", p->c0},
                                              {"series_viscous", p->c1},
                                              {"inner_stiffness", p->k0},
                                              {"stiffness", p->k1},
                                              {"exponent", p->q},
                                              {"smooth", 0}}};
    struct law_bench b;

    assert_ok(law_set_up(&b, &sample, &err));
    return b;
}

/* Two sines without a common period: up to 0.14 m/s, 8 mm. */
static double path(double t, double *v)
{
    *v = 0.006 * 2 * PI * 2.5 * cos(2 * PI * 2.5 * t) + 0.002 * 2 * PI * 3.7 * cos(2 * PI * 3.7 * t);
    return 0.006 * sin(2 * PI * 2.5 * t) + 0.002 * sin(2 * PI * 3.7 * t);
}

static double raised(const struct numbers *p, double v)
{
    return v == 0 ? 0 : copysign(pow(fabs(v), p->q), v);
}

/* y and z (of the largest value 1) as in the paper; returns c1 y'. */
static double rates(const struct numbers *p, double t, const double *at, double *rate)
{
    double v;
    const double x = path(t, &v), hysteretic = p->Fy * at[1] + p->k0 * (x - at[0]);

    rate[0] = p->q > 0 ? (hysteretic + p->c0 * raised(p, v)) / p->c1 : (hysteretic + p->c0 * v) / (p->c0 + p->c1);
    const double slip = v - rate[0], loading = at[1] * slip > 0;

    rate[1] = slip / p->zm * (1 - loading * pow(fabs(at[1]), p->n));
    return p->c1 * rate[0];
}

static void advance(const struct numbers *p, double t, double h, double *at)
{
    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double rate[4][2], to[2] = {at[0], at[1]};

    for (int j = 0; j < 4; j++) {
        double here[2] = {at[0], at[1]};

        for (int c = 0; c < 2 && j; c++)
            here[c] += node[j] * h * rate[j - 1][c];
        rates(p, t + node[j] * h, here, rate[j]);
        for (int c = 0; c < 2; c++)
            to[c] += h / 6 * weight[j] * rate[j][c];
    }
    at[0] = to[0];
    at[1] = to[1];
}

/* The law along the path in steps of h: root mean square of the difference over that of the force. */
static double distance(const struct numbers *p, double h)
{
    const int steps = (int)lround(1.2 / h), fine = (int)lround(h / 2.5e-6);
    struct law_bench b = bench_of(p);
    double at[2] = {0, 0}, v, error = 0, size = 0;

    path(0, &v);
    law_commit_after(&b, 0, v, 0);
    for (int i = 1; i <= steps; i++) {
        double unused[2];

        for (int k = 0; k < fine; k++)
            advance(p, h * (i - 1 + (double)k / fine), h / fine, at);
        const double x = path(h * i, &v), f = law_commit_after(&b, x, v, h);
        const double wanted = rates(p, h * i, at, unused) + p->k1 * x;

        error += (f - wanted) * (f - wanted);
        size += wanted * wanted;
    }
    return sqrt(error / size);
}

/* Steps of 5 ms, where 0.7 mm of slip in a step is sixteen times zm: the plateaus remain right. */
static void law_follows_its_differential_equations(void **state)
{
    for (int i = 0; i < DAMPERS; i++) {
        const double one = distance(&dampers[i], 1e-3), half = distance(&dampers[i], 0.5e-3),
                     five = distance(&dampers[i], 5e-3);

        print_message("damper %d: %.2g with steps of 1 ms, %.2g of 0.5 ms, %.2g of 5 ms\n", i, one, half, five);
        assert_true(one < 3e-3 && half < 0.5 * one && five < 0.1);
    }
}

/* At a constant rate v the slip is over, z is 1, and both forms have a force in closed form:
 * c1 (Fy + c0 v)/(c0 + c1), or Fy + c0 v^q. */
static void a_constant_rate_has_the_force_of_the_paper(void **state)
{
    static const double rate[] = {0.02, 0.2, 2};

    for (int i = 0; i < DAMPERS; i++)
        for (int j = 0; j < 3; j++)
            for (int sign = -1; sign <= 1; sign += 2) {
                struct numbers p = dampers[i];
                const double v = rate[j], h = 1e-3;

                p.k0 = p.k1 = 0;
                const double wanted = p.q > 0 ? p.Fy + p.c0 * pow(v, p.q) : p.c1 * (p.Fy + p.c0 * v) / (p.c0 + p.c1);
                struct law_bench b = bench_of(&p);
                double f = 0;

                if (p.q > 0 ? p.c1 * v < wanted : p.c1 * v < p.Fy)
                    continue; /* the damper in series takes the whole rate */
                for (int k = 1; k <= 3000; k++)
                    f = law_commit_after(&b, sign * v * h * k, sign * v, h);
                assert_near(f, sign * wanted, 1e-6 * wanted);
            }
}

/* Held at d, after a slip, the element relaxes through c1: for k0 = 0 the plateau falls, u' < 0 unloads along a
 * straight line, z' = -Fy z/((c0 + c1) zm), so that z = z0 exp(-t Fy/((c0 + c1) zm)). Second order. */
static void a_held_element_relaxes_exponentially(void **state)
{
    const struct numbers p = dampers[1];
    const double D = 1e-3, t = 0.02, rate = p.Fy / ((p.c0 + p.c1) * p.zm);
    double error[2];

    for (int fine = 0; fine < 2; fine++) {
        const int steps = fine ? 40 : 20;
        struct law_bench b = bench_of(&p);
        double f = 0;

        law_commit(&b, D, 0); /* at once: slips by D c1/(c0 + c1) */
        const double u = D * p.c1 / (p.c0 + p.c1), z0 = tanh(u / p.zm);
        const double share = p.c1 / (p.c0 + p.c1);

        assert_near(b.committed[1], u, 1e-12 * D);
        assert_near(b.committed[2], z0, 1e-12);
        for (int i = 0; i < steps; i++)
            f = law_commit_after(&b, D, 0, t / steps);
        error[fine] = fabs(f - p.k1 * D - share * p.Fy * z0 * exp(-rate * t)) / p.Fy;
    }
    assert_true(error[0] < 1e-3);
    assert_near(log2(error[0] / error[1]), 2, 0.2);
}

static void tangent_is_the_derivative_with_time(void **state)
{
    uint64_t seed = 7;
    int compared = 0;

    for (int i = 0; i < DAMPERS; i++) {
        struct numbers p = dampers[i];
        struct law_bench b = bench_of(&p);

        for (int j = 0; j < 300; j++) {
            const double h = 1e-3 * (1.5 + law_uniform(&seed)), w = 0.2 * law_uniform(&seed);
            const double d = b.committed[0] + w * h, step = 1e-9, stiff = p.Fy / p.zm + p.k0 + p.k1 + p.c0 / h;
            double k, c, trial[LAW_STATE], f[3];

            b.ops->tangent(b.settings.bytes, b.committed, d, w, h, &k, &c);
            for (int side = 0; side < 3; side++)
                f[side] = b.ops->force(b.settings.bytes, b.committed, d + (side - 1) * step, w, h, trial);
            assert_true(k >= 0 && c >= 0);
            if (fabs(f[2] - 2 * f[1] + f[0]) < 1e-5 * stiff * step) { /* else a bend, or another number of substeps */
                assert_near(k, (f[2] - f[0]) / (2 * step), 1e-4 * stiff);
                compared++;
            }
            law_commit_after(&b, d, w, h);
        }
    }
    assert_true(compared > 1500);
}

/* Steps from 1 us to 10 s, rates to 10 m/s, slips to 1e6 zm: z stays within 1, u does not oscillate. */
static void no_step_is_too_long(void **state)
{
    uint64_t seed = 8;

    for (int i = 0; i < DAMPERS; i++) {
        struct law_bench b = bench_of(&dampers[i]);

        for (int j = 0; j < 5000; j++) {
            const double h = pow(10, 3.5 * law_uniform(&seed) - 2.5), w = 10 * law_uniform(&seed);
            const double f = law_commit_after(&b, b.committed[0] + w * h, w, h);

            assert_true(isfinite(f) && fabs(b.committed[2]) <= 1);
            assert_true(fabs(f - dampers[i].k1 * b.committed[0]) <= dampers[i].Fy +
                                                                        dampers[i].c0 * (11 + pow(10, dampers[i].q)) +
                                                                        dampers[i].k0 * fabs(b.committed[1]));
        }
    }
}

static void exponents_below_the_range_are_refused(void **state)
{
    struct law_bench b;
    const struct law_sample sample = {
        .law = "modified-bouc-wen",
        .set = {{"yield_force", 1}, {"yield_slip", 1e-4}, {"series_viscous", 1e4}, {"exponent", 0.01}}};

    assert_refused(law_set_up(&b, &sample, &err), YK_E_RANGE, "exponent = 0.01");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_follows_its_differential_equations),
        cmocka_unit_test(a_constant_rate_has_the_force_of_the_paper),
        cmocka_unit_test(a_held_element_relaxes_exponentially),
        cmocka_unit_test(tangent_is_the_derivative_with_time),
        cmocka_unit_test(no_step_is_too_long),
        cmocka_unit_test(exponents_below_the_range_are_refused),
    };
    return cmocka_run_group_tests_name("modified_bouc_wen", tests, NULL, NULL);
}
