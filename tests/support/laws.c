#include "support/laws.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

static const double strong[] = {60e3, 0.003, 80e3, 0.015, 30e3, 0.06}, weak[] = {50e3, 0.003, 70e3, 0.014, 20e3, 0.055},
                    hardening[] = {20e3, 0.001, 30e3, 0.004, 31e3, 0.008}, gone[] = {40e3, 0.002, 60e3, 0.01, 0, 0.02};

/* A side of 60 kN and a weaker one of 50 kN, which deteriorates less */
#define IMK_SIDES                                                                                                      \
    {"stiffness", 2e7}, {"yield", 60e3}, {"plastic", 0.02}, {"post_capping", 0.08}, {"capping", 1.15},                 \
        {"yield_negative", 50e3}, {"plastic_negative", 0.018}, {"post_capping_negative", 0.07},                        \
    {                                                                                                                  \
        "rate_negative", 0.7                                                                                           \
    }
#define IMK_LAMBDAS                                                                                                    \
    {"residual", 0.1}, {"residual_negative", 0.15}, {"lambda_S", 0.8}, {"lambda_C", 0.9}, {"lambda_A", 0.7},           \
    {                                                                                                                  \
        "lambda_K", 1.2                                                                                                \
    }

const struct law_sample law_samples[] = {
    {"spring", {{"stiffness", 300}}, LAW_SCALES(0.1, 1, 300, 1)},
    {"spring", {{"stiffness", -20}}, LAW_SCALES(0.1, 1, 20, 1)},
    {"damper", {{"damping", 40}}, LAW_SCALES(0.1, 1, 1, 40)},
    {"cubic-spring", {{"stiffness", 100}, {"cubic", 5e4}}, LAW_SCALES(0.1, 1, 1600, 1)},
    {"cubic-spring", {{"stiffness", 100}, {"cubic", -2e3}}, LAW_SCALES(0.1, 1, 100, 1)},
    [LAW_GAP] = {"gap", {{"stiffness", 1e4}, {"gap", 0.02}}, LAW_SCALES(0.1, 1, 1e4, 1)},
    [LAW_GAP_POSITIVE] = {"gap", {{"stiffness", 1e4}, {"gap", 0.02}, {"side", 1}}, LAW_SCALES(0.1, 1, 1e4, 1)},
    [LAW_GAP_NEGATIVE_PRELOADED] = {"gap",
                                    {{"stiffness", 1e4}, {"preload", 300}, {"side", 2}},
                                    LAW_SCALES(0.1, 1, 1e4, 1)},
    [LAW_GAP_PRELOADED] = {"gap", {{"stiffness", 1e4}, {"preload", 300}}, LAW_SCALES(0.1, 1, 2e4, 1)},
    [LAW_FRICTION] = {"friction", {{"force", 25}, {"slip_velocity", 0.01}}, LAW_SCALES(0.1, 0.02, 1, 2500)},
    {"friction", {{"force", 25}, {"slip_velocity", 0.01}, {"viscous", 8}}, LAW_SCALES(0.1, 0.02, 1, 2500)},
    [LAW_SATURATING_DAMPER] = {"saturating-damper",
                               {{"linear", 0.65}, {"limit", 10}, {"knee", 0.55}},
                               LAW_SCALES(0.1, 1, 1, 19)},
    [LAW_BOUC_WEN] = {"bouc-wen", {{"k0", 1000}, {"beta", 55}, {"gamma", 45}}, LAW_SCALES(0.02, 1, 1000, 1)},
    {"bouc-wen", {{"k0", 1000}, {"beta", 50}, {"gamma", 50}, {"kh", 30}}, LAW_SCALES(0.02, 1, 1000, 1)},
    {"bouc-wen", {{"k0", 1000}, {"beta", 20}, {"gamma", 80}}, LAW_SCALES(0.02, 1, 1000, 1)},
    [LAW_BOUC_WEN_LAST_EXACT] = {"bouc-wen",
                                 {{"k0", 1000}, {"beta", 70}, {"gamma", -40}},
                                 LAW_SCALES(0.04, 1, 4000, 1)},
    [LAW_BOUC_WEN_SQUARE] = {"bouc-wen",
                             {{"k0", 1000}, {"beta", 6}, {"gamma", 4}, {"n", 2}},
                             LAW_SCALES(0.02, 1, 1200, 1),
                             .steps = 1e-8},
    {"bouc-wen", {{"k0", 1000}, {"beta", 1}, {"gamma", 1.5}, {"n", 2.5}}, LAW_SCALES(0.02, 1, 1000, 1), .steps = 1e-8},
    {"bouc-wen", {{"k0", 1000}, {"beta", 0}}, LAW_SCALES(0.02, 1, 1000, 1)},
    [LAW_PIER] = {"softening-bouc-wen",
                  {{"k", 221.444}, {"alpha", 200}, {"beta", 20}},
                  LAW_SCALES(0.1, 1, 450, 1),
                  .steps = 2e-4},
    {"softening-bouc-wen",
     {{"k", 200}, {"rho", 1.2}, {"alpha", 50}, {"beta", 0.3}, {"gamma", 0.1}, {"n", 2}},
     LAW_SCALES(0.1, 1, 450, 1),
     .steps = 2e-4},
    [LAW_PIER_ELASTIC] = {"softening-bouc-wen",
                          {{"k", 200}, {"alpha", 50}, {"beta", 0}},
                          LAW_SCALES(0.1, 1, 200, 1),
                          .steps = 2e-4},
    [LAW_BILINEAR] = {"bilinear",
                      {{"stiffness", 6438}, {"hardening", 0.02}, {"yield_slip", 0.002}},
                      LAW_SCALES(0.005, 1, 6438, 1)},
    {"bilinear", {{"stiffness", 6438}, {"yield_slip", 0.002}}, LAW_SCALES(0.005, 1, 6438, 1)},
    [LAW_PINCHING] = {"pinching", {{"px", 0.7}, {"py", 0.3}}, LAW_SCALES(0.04, 1, 2e7, 1), .points = {strong, weak}},
    [LAW_PINCHING_DAMAGE] = {"pinching",
                             {{"px", 0.6}, {"py", 0.25}, {"D1", 0.01}, {"D2", 0.05}, {"beta", 0.4}},
                             LAW_SCALES(0.04, 1, 2e7, 1),
                             .points = {strong}},
    {"pinching",
     {{"px", 0.3}, {"py", 0.8}, {"D2", 0.3}, {"beta", 1}},
     LAW_SCALES(0.03, 1, 2e7, 1),
     .points = {gone, hardening}},
    {"pinching", {{NULL, 0}}, LAW_SCALES(0.03, 1, 2e7, 1), .points = {hardening}},
    {"imk",
     {{"stiffness", 2e7}, {"yield", 60e3}, {"plastic", 0.02}, {"post_capping", 0.08}, {"capping", 1.15}},
     LAW_SCALES(0.05, 1, 2e7, 1)},
    [LAW_IMK_BILINEAR] = {"imk",
                          {{"hysteresis", 0}, IMK_SIDES, {"lambda_C", 0.9}, {"lambda_K", 1.2}},
                          LAW_SCALES(0.05, 1, 2e7, 1)},
    [LAW_IMK_PEAK] = {"imk", {{"hysteresis", 1}, IMK_SIDES, IMK_LAMBDAS}, LAW_SCALES(0.05, 1, 2e7, 1)},
    [LAW_IMK_PINCHING] = {"imk",
                          {{"hysteresis", 2}, IMK_SIDES, IMK_LAMBDAS, {"kappa_F", 0.4}},
                          LAW_SCALES(0.05, 1, 2e7, 1)},
    {"imk",
     {{"hysteresis", 2},
      {"stiffness", 2e7},
      {"yield", 60e3},
      {"plastic", 0.02},
      {"post_capping", 0.08},
      {"residual", 0.3},
      {"ultimate", 0.045}},
     LAW_SCALES(0.05, 1, 2e7, 1)},
    {"elastoplastic",
     {{"stiffness", 6438}, {"yield_positive", 0.002}, {"yield_negative", 0.0015}},
     LAW_SCALES(0.005, 1, 6438, 1)},
    {"steel", {{"E", 200e9}, {"fy", 420e6}, {"hardening", 0.01}}, LAW_SCALES(0.01, 1, 200e9, 1)},
    {"steel",
     {{"E", 2e6}, {"fy", 4e3}, {"R0", 18}, {"a1", 0.05}, {"a3", 0.04}, {"dead_band", 2e-6}},
     LAW_SCALES(0.01, 1, 2e6, 1)},
    {"concrete", {{"fc", 30e6}, {"ec", 0.002}, {"fu", 6e6}, {"eu", 0.006}}, LAW_SCALES(0.008, 1, 30e9, 1)},
    {"concrete-tension",
     {{"fc", 30e6}, {"ec", 0.002}, {"fu", 6e6}, {"eu", 0.006}, {"ft", 2.5e6}, {"softening", 1.5e9}},
     LAW_SCALES(0.008, 1, 30e9, 1)},
    {"power-damper", {{"damping", 20}, {"exponent", 0.4}, {"smooth", 0.02}}, LAW_SCALES(0.1, 1, 1, 210)},
    {"power-damper", {{"damping", 20}, {"exponent", 2}}, LAW_SCALES(0.1, 1, 1, 40)},
    {"maxwell", {{"stiffness", 5000}, {"damping", 100}}, LAW_SCALES(0.02, 1, 5000, 1), .time = 0.02},
    {"maxwell",
     {{"stiffness", 5000}, {"damping", 40}, {"exponent", 0.4}},
     LAW_SCALES(0.02, 1, 5000, 1),
     .time = 0.001,
     .steps = 0.05},
    {"maxwell",
     {{"stiffness", 5000}, {"damping", 40}, {"exponent", 1.6}},
     LAW_SCALES(0.02, 1, 5000, 1),
     .time = 0.001,
     .steps = 0.05},
    {"pendulum", {{"weight", 500}, {"radius", 2}, {"friction", 0.06}}, LAW_SCALES(0.1, 1, 3e4, 1)},
    {"pendulum", {{"weight", 500}, {"radius", 2}, {"friction", 0.06}, {"normal", 1}}, LAW_SCALES(0.1, 1, 3e4, 1)},
    {"pendulum",
     {{"weight", 500}, {"radius", 2}, {"friction", 0.08}, {"friction_rate", 2}, {"friction_slow", 0.03}, {"normal", 1}},
     LAW_SCALES(0.1, 1, 4e4, 60)},
    {"modified-bouc-wen",
     {{"yield_force", 25}, {"yield_slip", 0.005}, {"viscous", 8}, {"series_viscous", 400}, {"stiffness", 100}},
     LAW_SCALES(0.02, 1, 5000, 8),
     .time = 0.02,
     .steps = 0.02},
    {"modified-bouc-wen",
     {{"yield_force", 25},
      {"yield_slip", 0.005},
      {"n", 2.5},
      {"viscous", 8},
      {"series_viscous", 400},
      {"inner_stiffness", 50},
      {"exponent", 0.5},
      {"smooth", 0.02}},
     LAW_SCALES(0.02, 1, 5000, 60),
     .time = 0.02,
     .steps = 0.02},
    {"tanh-damper",
     {{"force", 25}, {"slip_velocity", 0.1}, {"skew", 0.8}, {"smooth", 0.01}, {"viscous", 8}, {"stiffness", 50}},
     LAW_SCALES(0.1, 0.5, 2050, 260)},
    {.law = NULL},
};

enum yk_status law_set_up(struct law_bench *b, const struct law_sample *s, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    memset(b, 0, sizeof *b);
    b->ops = yk_law_find(s->law);
    assert_non_null(b->ops);
    assert_true(b->ops->settings_size <= sizeof b->settings.bytes);
    assert_true(b->ops->count <= LAW_STATE);
    yk_param_defaults(b->ops->params, b->settings.bytes);
    for (size_t i = 0; s->set[i].name && st == YK_OK; i++)
        st = yk_param_set(b->ops->params, b->settings.bytes, s->set[i].name, s->set[i].value, err);
    for (const struct yk_param *p = b->ops->params; p->name; p++)
        if (p->type == YK_PARAM_POINTS && s->points[strcmp(p->name, "negative") == 0])
            *(struct yk_reals *)(b->settings.bytes + p->offset) =
                (struct yk_reals){(double *)s->points[strcmp(p->name, "negative") == 0], 6};
    if (st == YK_OK)
        st = yk_param_check(b->ops->params, b->settings.bytes, err);
    if (st == YK_OK && b->ops->prepare)
        st = b->ops->prepare(b->settings.bytes, err);
    if (st == YK_OK && b->ops->rest)
        b->ops->rest(b->settings.bytes, 0, b->committed);
    return st;
}

struct law_bench law_bilinear(double stiffness, double ratio, double yield)
{
    const struct law_sample sample = {
        .law = "bilinear", .set = {{"stiffness", stiffness}, {"hardening", ratio}, {"yield_slip", yield / stiffness}}};
    struct law_bench b;

    assert_ok(law_set_up(&b, &sample, &err));
    return b;
}

void *law_settings(const struct law_bench *b)
{
    char *copy = malloc(b->ops->settings_size);

    assert_non_null(copy);
    memcpy(copy, b->settings.bytes, b->ops->settings_size);
    for (const struct yk_param *p = b->ops->params; p->name; p++)
        if (p->type == YK_PARAM_POINTS) {
            struct yk_reals *list = (struct yk_reals *)(copy + p->offset);
            double *own = calloc(list->n + 1, sizeof *own);

            assert_non_null(own);
            for (size_t i = 0; i < list->n; i++)
                own[i] = list->x[i];
            list->x = own;
        }
    return copy;
}

double law_force(const struct law_bench *b, double d, double w)
{
    double trial[LAW_STATE];

    return b->ops->force(b->settings.bytes, b->committed, d, w, 0, trial);
}

double law_commit_after(struct law_bench *b, double d, double w, double h)
{
    double trial[LAW_STATE] = {0};
    double f = b->ops->force(b->settings.bytes, b->committed, d, w, h, trial);

    memcpy(b->committed, trial, b->ops->count * sizeof *trial);
    return f;
}

double law_commit(struct law_bench *b, double d, double w)
{
    return law_commit_after(b, d, w, 0);
}

double law_stiffness(const struct law_bench *b, double d, double w)
{
    double k, c;

    b->ops->tangent(b->settings.bytes, b->committed, d, w, 0, &k, &c);
    return k;
}

double law_damping(const struct law_bench *b, double d, double w)
{
    double k, c;

    b->ops->tangent(b->settings.bytes, b->committed, d, w, 0, &k, &c);
    return c;
}

/* splitmix64 */
double law_uniform(uint64_t *seed)
{
    uint64_t x = *seed += 0x9e3779b97f4a7c15u;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) / 4503599627370496.0 - 1;
}

void law_wander(struct law_bench *b, const struct law_sample *s, int moves, uint64_t *seed)
{
    for (int i = 0; i < moves; i++)
        law_commit(b, s->d_scale * law_uniform(seed), s->w_scale * law_uniform(seed));
}

double law_work_of_cycles(struct law_bench *b, double amplitude, double omega, int cycles)
{
    const int steps = 2000 * cycles;
    double work = 0, d0 = 0, f0 = 0;

    for (int i = 1; i <= steps; i++) {
        double phase = 2 * PI * cycles * i / steps;
        double d = i == steps ? 0 : amplitude * sin(phase), f = law_commit(b, d, amplitude * omega * cos(phase));

        work += 0.5 * (f + f0) * (d - d0);
        d0 = d;
        f0 = f;
    }
    return work;
}
