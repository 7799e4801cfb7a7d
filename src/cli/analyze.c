/* yoke analyze: spectrum, order and energy of the method of an experiment, by its own steps. */
#include "cli/cli.h"

#include <yoke/analyze.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 10000 };

struct request {
    const struct yk_experiment *e;
    const char *steps, *halvings, *samples;
    bool json;
};

/* ---- spectrum ---- */

struct roots {
    size_t n;
    double *re, *im;
};

static enum yk_status find_roots(const struct yk_experiment *e, struct yk_system *linear, double dt,
                                 struct roots *roots, struct yk_err *err)
{
    struct yk_domain domain;
    enum yk_status st = yk_domain_create(&domain, e->integrator, e->settings, linear, (struct yk_loading){0}, dt, err);

    if (st)
        return st;
    roots->n = yk_amplification_size(&domain);
    roots->re = malloc(2 * roots->n * sizeof *roots->re);
    roots->im = roots->re ? roots->re + roots->n : NULL;
    st = roots->re ? yk_spectrum(&domain, roots->re, roots->im, err) : yk_fail(err, YK_E_MEMORY, "out of memory");
    yk_domain_destroy(&domain);
    return st;
}

static json_t *roots_json(double dt, const struct roots *r)
{
    json_t *values = json_array();

    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(values, json_pack("[f, f]", r->re[i], r->im[i]));
    return json_pack("{s:f, s:f, s:o}", "step", dt, "radius", hypot(r->re[0], r->im[0]), "eigenvalues", values);
}

static void roots_print(double dt, const struct roots *r)
{
    printf("%12.6g %14.10f ", dt, hypot(r->re[0], r->im[0]));
    for (size_t i = 0; i < r->n && i < 8; i++)
        printf(" %.5f", hypot(r->re[i], r->im[i]));
    puts(r->n > 8 ? " ..." : "");
}

static int spectrum(const struct request *q)
{
    double *steps = malloc(MOST_STEPS * sizeof *steps);
    size_t count = 1;
    json_t *points = json_array();
    struct yk_system *linear = NULL;
    struct yk_err err = {0};
    int code = 0;

    steps[0] = q->e->time.step;
    if (q->steps && !(count = parse_numbers(q->steps, steps, MOST_STEPS)))
        code = usage_error(&command_analyze, "--steps '%s' is not a list of numbers such as 0.1,0.5,1", q->steps);
    for (size_t i = 0; i < count && !code; i++)
        if (!(steps[i] > 0))
            code = usage_error(&command_analyze, "--steps: %g s is not a positive step", steps[i]);
    if (!code && yk_linearise(q->e->assembly.system, &linear, &err))
        code = report_failure(&err);
    if (!code && !q->json)
        printf("%12s %14s  %s\n", "step [s]", "radius", "moduli of the eigenvalues");
    for (size_t i = 0; i < count && !code; i++) {
        struct roots r = {0};

        if (find_roots(q->e, linear, steps[i], &r, &err))
            code = report_failure(&err);
        else if (q->json)
            json_array_append_new(points, roots_json(steps[i], &r));
        else
            roots_print(steps[i], &r);
        free(r.re);
    }
    yk_system_destroy(linear);
    free(steps);
    if (!code && q->json)
        return print_json(json_pack("{s:o}", "points", points));
    json_decref(points);
    return code;
}

/* ---- order ---- */

static json_t *numbers_json(int count, const double *x)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_number(x[i]));
    return list;
}

static int order(const struct request *q)
{
    double halvings = 4;
    struct yk_order o;
    struct yk_err err = {0};

    if (q->halvings && (parse_numbers(q->halvings, &halvings, 1) != 1 || halvings != floor(halvings) || halvings < 1 ||
                        halvings > YK_HALVINGS_MAX))
        return usage_error(&command_analyze, "--halvings '%s' must be a whole number from 1 to %d", q->halvings,
                           YK_HALVINGS_MAX);
    if (yk_observed_order(q->e, (int)halvings, &o, &err))
        return report_failure(&err);
    if (q->json)
        return print_json(json_pack("{s:o, s:{s:o, s:o, s:n}, s:{s:o, s:o, s:n}, s:s}", "steps",
                                    numbers_json(o.count, o.step), "errors", "u", numbers_json(o.count, o.error_u), "v",
                                    numbers_json(o.count, o.error_v), "lambda", "order", "u", json_number(o.order_u),
                                    "v", json_number(o.order_v), "lambda", "reference", o.reference));
    printf("%12s %14s %14s   (largest error at t = %g s, against the %s)\n", "step [s]", "u", "v", q->e->time.end,
           o.reference);
    for (int i = 0; i < o.count; i++)
        printf("%12.6g %14.6e %14.6e\n", o.step[i], o.error_u[i], o.error_v[i]);
    printf("%12s %14.3f %14.3f\n", "order", o.order_u, o.order_v);
    return 0;
}

/* ---- energy ---- */

static int energy(const struct request *q)
{
    double wanted = 21;
    struct yk_energy_sample *s;
    struct yk_err err = {0};
    double largest = 0, error = 0;
    int code = 0;

    if (q->samples &&
        (parse_numbers(q->samples, &wanted, 1) != 1 || wanted != floor(wanted) || wanted < 2 || wanted > 1e6))
        return usage_error(&command_analyze, "--samples '%s' must be a whole number from 2 to 1000000", q->samples);
    const size_t count = (size_t)wanted;
    if (!(s = malloc(count * sizeof *s))) {
        fputs("yoke: out of memory\n", stderr);
        return 1;
    }
    if (yk_energy_history(q->e, count, s, &err)) {
        free(s);
        return report_failure(&err);
    }
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fmax(s[i].kinetic + s[i].stored, fabs(s[i].work)));
        error = fmax(error, fabs(s[i].error));
    }
    if (q->json) {
        json_t *list = json_array();

        for (size_t i = 0; i < count; i++)
            json_array_append_new(list, json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "time", s[i].t, "kinetic",
                                                  s[i].kinetic, "stored", s[i].stored, "dissipated", s[i].dissipated,
                                                  "work", s[i].work, "error", s[i].error));
        code = print_json(json_pack(
            "{s:o, s:f, s:f, s:o}", "samples", list, "largest_J", largest, "error_max_J", error, "ratio_final",
            json_number((s[count - 1].kinetic + s[count - 1].stored) / (s[0].kinetic + s[0].stored))));
    } else {
        printf("%10s %13s %13s %13s %13s %13s   [s, J]\n", "time", "kinetic", "stored", "dissipated", "work", "error");
        for (size_t i = 0; i < count; i++)
            printf("%10.4g %13.6e %13.6e %13.6e %13.6e %13.3e\n", s[i].t, s[i].kinetic, s[i].stored, s[i].dissipated,
                   s[i].work, s[i].error);
        printf("largest error %.3e J, %.3g of the largest energy\n", error, largest > 0 ? error / largest : 0);
    }
    free(s);
    return code;
}

static const struct {
    const char *name;
    int (*run)(const struct request *);
} analyses[] = {{"spectrum", spectrum}, {"order", order}, {"energy", energy}};

static int run(int argc, char **argv)
{
    struct text_list set = {0};
    struct request q = {0};
    const struct option_spec specs[] = {
        {"--steps", OPTION_TEXT, &q.steps},     {"--halvings", OPTION_TEXT, &q.halvings},
        {"--samples", OPTION_TEXT, &q.samples}, {"--set", OPTION_LIST, &set},
        {"--json", OPTION_FLAG, &q.json},       {0}};
    struct words words;
    int code;

    if (!take_options(&command_analyze, argc, argv, specs, &words))
        return 2;
    for (size_t i = 0; words.count > 0 && i < sizeof analyses / sizeof *analyses; i++) {
        if (strcmp(words.rest[0], analyses[i].name) != 0)
            continue;
        struct words file = {words.rest + 1, words.count - 1};
        struct yk_experiment *e = load_experiment(&command_analyze, &file, &set, &code);

        if (!e)
            return code;
        q.e = e;
        code = analyses[i].run(&q);
        yk_experiment_destroy(e);
        return code;
    }
    return usage_error(&command_analyze, words.count ? "there is no analysis '%s'" : "which analysis?%s",
                       words.count ? words.rest[0] : "");
}

const struct command command_analyze = {
    .name = "analyze",
    .summary = "spectrum, order or energy of an experiment's method",
    .options = "spectrum order energy --steps --halvings --samples --set --json",
    .help = "usage: yoke analyze spectrum FILE [--steps 0.1,0.5,1] [--set KEY=VALUE]... [--json]\n"
            "       yoke analyze order FILE    [--halvings 4]      [--set KEY=VALUE]... [--json]\n"
            "       yoke analyze energy FILE   [--samples 21]      [--set KEY=VALUE]... [--json]\n\n"
            "Every analysis drives the steps that a run would make; nonlinear models are linearised for the spectrum.\n"
            "  spectrum  eigenvalues of the amplification matrix at each step, largest modulus first\n"
            "  order     error at time.end for the step, its half, its quarter ...; order from the two finest\n"
            "  energy    kinetic, stored and dissipated energy and work of the loads along the run\n\n"
            "--json: {\"points\": [{\"step\", \"radius\", \"eigenvalues\": [[re, im], ...]}]},\n"
            "        {\"steps\", \"errors\": {\"u\", \"v\", \"lambda\"}, \"order\": {\"u\", \"v\", \"lambda\"}, "
            "\"reference\"},\n"
            "        {\"samples\": [{\"time\", \"kinetic\", ...}], \"largest_J\", \"error_max_J\", \"ratio_final\"}\n\n"
            "examples:\n"
            "  yoke analyze spectrum examples/oscillator/oscillator.yaml --steps 0.1,0.5,1\n"
            "  yoke analyze order examples/oscillator/oscillator.yaml --set method.integrator=lsrt3\n",
    .run = run,
};
