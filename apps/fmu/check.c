/* yoke fmu check: does an FMU keep the promises of its description? */
#include "parts.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100, WARM = 1000 };

/* "4.6 us" */
static struct yk_quantity_text duration(double seconds)
{
    struct yk_quantity_text out;

    if (seconds >= 1e-3)
        return yk_quantity_format(seconds, YK_TIME, 3);
    snprintf(out.text, sizeof out.text, "%.3g us", 1e6 * seconds);
    return out;
}

struct checking {
    json_t *list; /* NULL: words */
    bool broken;
    int steps; /* at most STEPS, an even number, not beyond the time that the FMU is made for */
};

/* verdict: "ok", "remark" or "wrong"; what is wrong breaks a promise of the description. */
static void tell(struct checking *c, const char *what, const char *verdict, const char *why)
{
    c->broken = c->broken || strcmp(verdict, "wrong") == 0;
    if (c->list)
        json_array_append_new(c->list, json_pack("{s:s, s:s, s:s}", "check", what, "verdict", verdict, "reason", why));
    else
        printf("  %-34s %-7s %s\n", what, verdict, why);
}

/* STEPS steps, the outputs of each after the other; false: one failed. */
static bool walk_steps(struct alone *a, double h, int first, int count, double *rows)
{
    for (int i = 0; i < count; i++) {
        if (!step_alone(a, (double)(first + i) * h, h))
            return false;
        memcpy(rows + (size_t)i * a->outputs, a->out, a->outputs * sizeof *rows);
    }
    return true;
}

static void check_token(struct checking *c, const char *path)
{
    struct alone a;
    struct yk_err err = {0};
    const bool refused = open_alone(&a, path, NULL, true, 1, "{00000000-0000-0000-0000-000000000000}", &err) != YK_OK;

    tell(c, "a wrong token", refused ? "ok" : "remark",
         refused ? "is refused" : "is accepted; the standard asks to refuse it");
    close_alone(&a);
}

static void check_costs(struct checking *c, struct alone *a, double h)
{
    uint64_t heap = 0, most = 0, calls, ns, warnings = 0;
    double sum = 0;
    int made = 0;
    char words[160];

    for (int round = 0; round < WARM / STEPS; round++) { /* from the start, again and again */
        if (yk_fmu_again(a->fmu, a->in, &a->number, a->out, a->z) != YK_FMU_FINE)
            return;
        for (int i = 0; i < c->steps && step_alone(a, i * h, h); i++, made++) {
            yk_fmu_costs(a->fmu, &calls, &ns, &warnings);
            heap += calls;
            most = ns > most ? ns : most;
            sum += (double)ns;
        }
    }
    snprintf(words, sizeof words, "mean %s, largest %s; %.3g heap call%s a step",
             duration(1e-9 * sum / fmax(1, made)).text, duration(1e-9 * (double)most).text,
             (double)heap / fmax(1, made), (long)heap == made ? "" : "s");
    tell(c, "time of a step", heap ? "remark" : "ok", words);
    snprintf(words, sizeof words, "%llu", (unsigned long long)warnings);
    tell(c, "warnings of the FMU", warnings ? "remark" : "ok", words);
}

static void check_steps(struct checking *c, struct alone *a, double h)
{
    const int all = c->steps, part = all / 2;
    const size_t n = a->outputs * (size_t)all, bytes = n * sizeof(double);
    double *first = calloc(3 * n + 1, sizeof *first), *second = first + n, *third = second + n;
    char words[600];
    uint64_t half;

    if (!first)
        return;
    if (!walk_steps(a, h, 0, part, first)) {
        yk_fmu_fault(a->fmu, words, sizeof words);
        tell(c, "steps with start values", "wrong", words);
        free(first);
        return;
    }
    half = a->number;
    (void)walk_steps(a, h, part, part, first + n / 2);
    tell(c, "steps with start values", yk_fmu_has_failed(a->fmu) ? "wrong" : "ok", "");
    if (yk_fmu_saves(a->fmu) && yk_fmu_chosen(a->fmu) == YK_FMU_COSIMULATION) {
        a->number = half;
        (void)walk_steps(a, h, part, part, second + n / 2);
        tell(c, "back to a saved state", memcmp(first + n / 2, second + n / 2, bytes / 2) == 0 ? "ok" : "wrong",
             "the same steps again must give the same bits");
    }
    if (yk_fmu_again(a->fmu, a->in, &a->number, a->out, a->z) == YK_FMU_FINE) {
        (void)walk_steps(a, h, 0, all, third);
        tell(c, "a second instance", memcmp(first, third, bytes) == 0 ? "ok" : "remark", "must give the same bits");
    }
    check_costs(c, a, h);
    free(first);
}

int fmu_check(const char *path, const struct fmu_options *given)
{
    struct checking c = {.list = given->json ? json_array() : NULL};
    struct alone a;
    struct yk_err err = {0};
    double h = 0.01;
    int code = 0;

    if (open_alone(&a, path, NULL, true, 1e6, NULL, &err)) {
        yk_command_fail(&err);
        close_alone(&a);
        json_decref(c.list);
        return 2;
    }
    h = isnan(yk_fmu_description(a.fmu)->step) ? h : yk_fmu_description(a.fmu)->step;
    if (!yk_option_quantity(&command_fmu, "--step", given->step, YK_TIME, 1e-9, 1e6, &h)) {
        close_alone(&a);
        json_decref(c.list);
        return 2;
    }
    const double stop = yk_fmu_description(a.fmu)->stop;
    c.steps = isnan(stop) || stop / h >= STEPS ? STEPS : (int)fmax(2, 2 * floor(stop / h / 2));
    if (!given->json)
        printf("%s: %s, steps of %g s\n", path, yk_fmu_description(a.fmu)->model, h);
    tell(&c, "loading and initialization", "ok",
         yk_fmu_chosen(a.fmu) == YK_FMU_EXCHANGE ? "model exchange" : "co-simulation");
    check_token(&c, path);
    check_steps(&c, &a, h);
    if (given->json)
        code = yk_print_json(json_pack("{s:b, s:o}", "holds", !c.broken, "checks", c.list));
    close_alone(&a);
    return c.broken ? 4 : code;
}
