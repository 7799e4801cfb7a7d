/* yoke bench: the benchmarks as ratios to baselines that run alternately. */
#include "cli/cli.h"

#include "bench/bench.h"
#include "engine/engine.h"
#include <yoke/linalg.h>

#include <math.h>
#include <string.h>

static bool holds(const struct yk_bench_result *r)
{
    return isnan(r->ratio_limit) || r->ratio <= r->ratio_limit;
}

static json_t *to_json(const struct yk_bench_result *r)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:b}", "name", r->name, "reference", r->reference, "ratio",
                     json_number(r->ratio), "ratio_limit", json_number(r->ratio_limit), "seconds_per_op",
                     json_number(r->seconds_per_op), "reference_seconds", json_number(r->reference_seconds), "holds",
                     holds(r));
}

static void print_result(const struct yk_bench_result *r)
{
    printf("%-40s %9.2f ", r->name, r->ratio);
    if (isnan(r->ratio_limit))
        printf("%7s %-8s", "-", "");
    else
        printf("%7.2f %-8s", r->ratio_limit, holds(r) ? "holds" : "TOO SLOW");
    printf(" %10.3f us  %s\n", 1e6 * r->seconds_per_op, r->reference);
    fflush(stdout);
}

static bool begins(size_t i, const char *word)
{
    char name[64];

    return yk_bench_name(i, name, sizeof name) && strncmp(name, word, strlen(word)) == 0;
}

static bool names_any(const char *word)
{
    bool any = false;

    for (size_t i = 0; i < yk_bench_count(); i++)
        any |= begins(i, word);
    return any;
}

/* All of them, or those whose names begin with one of the words. */
static bool is_wanted(const struct words *words, size_t i)
{
    bool wanted = words->count == 0;

    for (int k = 0; k < words->count; k++)
        wanted |= begins(i, words->rest[k]);
    return wanted;
}

static int run(int argc, char **argv)
{
    bool json = false;
    const struct option_spec specs[] = {{"--json", OPTION_FLAG, &json}, {0}};
    struct yk_bench_result r;
    struct yk_err err = {0};
    struct words words;
    size_t slow = 0, made = 0;

    if (!take_options(&command_bench, argc, argv, specs, &words))
        return 2;
    for (int k = 0; k < words.count; k++)
        if (!names_any(words.rest[k]))
            return usage_error(&command_bench, "no benchmark has a name that begins with '%s'", words.rest[k]);
    if (yk_blas_reserve(&err))
        return report_failure(&err);
    json_t *results = json_array();
    if (!json)
        printf("%-40s %9s %7s %-8s %13s  reference\n", "benchmark", "ratio", "limit", "verdict", "time");
    for (size_t i = 0; i < yk_bench_count(); i++) {
        if (!is_wanted(&words, i))
            continue;
        if (yk_bench_run(i, &r, &err)) {
            json_decref(results);
            return report_failure(&err);
        }
        slow += !holds(&r);
        made++;
        if (json)
            json_array_append_new(results, to_json(&r));
        else
            print_result(&r);
    }
    if (!json)
        json_decref(results);
    else if (print_json(json_pack("{s:s, s:b, s:o}", "build", yk_build_id(), "holds", slow == 0, "results", results)))
        return 1;
    if (slow)
        fprintf(stderr, "yoke: %zu of %zu benchmarks exceed their limit\n", slow, made);
    return slow ? 4 : 0;
}

const struct command command_bench = {
    .name = "bench",
    .summary = "time the steps of every method and the control ticks, as ratios to a baseline",
    .options = "--json",
    .help = "usage: yoke bench [NAME...] [--json]\n\n"
            "Times every benchmark and its baseline alternately in this process and prints their ratio. The ratio "
            "depends little\n"
            "on the machine and mostly on the code. Exit code 4 if a ratio exceeds its limit.\n\n"
            "  NAME   only benchmarks whose names begin with it, such as step/chain\n\n"
            "--json: {build, holds, results: [{name, reference, ratio, ratio_limit, seconds_per_op, reference_seconds, "
            "holds}]};\n"
            "        `reference` names the baseline; ratio_limit is null if there is no limit.\n\n"
            "examples:\n"
            "  yoke bench\n"
            "  yoke bench step/chain step/truss\n",
    .run = run,
};
