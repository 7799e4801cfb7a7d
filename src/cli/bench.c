/* yoke bench: the benchmarks as ratios to baselines that run alternately. */
#include "cli/cli.h"

#include "bench/bench.h"
#include "bench/models.h"
#include "engine/engine.h"
#include <yoke/linalg.h>

#include <errno.h>
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

static int list(const struct words *words, bool json)
{
    json_t *names = json_array(), *models = json_array();
    char name[64];

    for (size_t i = 0; yk_bench_name(i, name, sizeof name); i++)
        if (is_wanted(words, i)) {
            json_array_append_new(names, json_string(name));
            if (!json)
                puts(name);
        }
    for (const struct yk_bench_model *m = yk_bench_models; m->name; m++)
        json_array_append_new(models, json_string(m->name));
    if (json)
        return print_json(json_pack("{s:o, s:o}", "benchmarks", names, "models", models));
    json_decref(names);
    json_decref(models);
    return 0;
}

/* A model for other programs: its files, and its motion here. */
static int show_model(const char *name, const char *folder)
{
    const struct yk_bench_model *model = yk_bench_model_find(name);
    struct yk_bench_motion motion;
    struct yk_err err = {0};

    if (!model) {
        char names[200] = "";

        for (const struct yk_bench_model *m = yk_bench_models; m->name; m++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "", m->name);
        return usage_error(&command_bench, "there is no model '%s': %s", name, names);
    }
    if (folder && make_folder(folder)) {
        fprintf(stderr, "yoke: cannot create the folder %s: %s\n", folder, strerror(errno));
        return 1;
    }
    if ((folder && yk_bench_write(model, folder, &err)) || yk_bench_move(model, &motion, &err))
        return report_failure(&err);
    return print_json(json_pack("{s:s, s:I, s:f, s:I, s:s, s:b, s:f, s:f}", "model", model->name, "dofs",
                                (json_int_t)motion.dofs, "step_s", YK_BENCH_STEP, "steps", (json_int_t)model->steps,
                                "integrator", model->integrator, "modal", model->text != NULL, "seconds_per_step",
                                motion.seconds_per_step, "peak_m", motion.peak));
}

static int measure(const struct words *words, bool json)
{
    struct yk_bench_result r;
    struct yk_err err = {0};
    size_t slow = 0, made = 0;
    json_t *results = json_array();

    if (!json)
        printf("%-40s %9s %7s %-8s %13s  reference\n", "benchmark", "ratio", "limit", "verdict", "time");
    for (size_t i = 0; i < yk_bench_count(); i++) {
        if (!is_wanted(words, i))
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

static int run(int argc, char **argv)
{
    bool json = false, names = false;
    const char *model = NULL, *folder = NULL;
    const struct option_spec specs[] = {{"--json", OPTION_FLAG, &json},
                                        {"--list", OPTION_FLAG, &names},
                                        {"--model", OPTION_TEXT, &model},
                                        {"--output|-o", OPTION_TEXT, &folder},
                                        {0}};
    struct yk_err err = {0};
    struct words words;

    if (!take_options(&command_bench, argc, argv, specs, &words))
        return 2;
    for (int k = 0; k < words.count; k++)
        if (!names_any(words.rest[k]))
            return usage_error(&command_bench, "no benchmark has a name that begins with '%s'", words.rest[k]);
    if (folder && !model)
        return usage_error(&command_bench, "-o needs --model: what should be written?");
    if (yk_blas_reserve(&err))
        return report_failure(&err);
    return names ? list(&words, json) : model ? show_model(model, folder) : measure(&words, json);
}

const struct command command_bench = {
    .name = "bench",
    .summary = "time the steps of every method and the control ticks, as ratios to a baseline",
    .options = "--json --list --model --output",
    .help = "usage: yoke bench [NAME...] [--json] [--list]\n"
            "       yoke bench --model MODEL [-o DIR]\n\n"
            "Times every benchmark and its baseline alternately in this process and prints their ratio. The ratio "
            "depends little\n"
            "on the machine and mostly on the code. Exit code 4 if a ratio exceeds its limit.\n\n"
            "  NAME      only benchmarks whose names begin with it, such as step/chain\n"
            "  --list    print the names, measure nothing; names do not change between versions\n"
            "  --model   a model that other programs step too, such as truss-1000 (--list --json names all): print its "
            "motion\n"
            "            here as JSON, and write the matrices of a linear one to DIR\n\n"
            "--json: {build, holds, results: [{name, reference, ratio, ratio_limit, seconds_per_op, reference_seconds, "
            "holds}]};\n"
            "        `reference` names the baseline; ratio_limit is null if there is no limit.\n"
            "--list --json: {benchmarks: [name], models: [name]}\n"
            "--model: {model, dofs, step_s, steps, integrator, modal, seconds_per_step, peak_m}\n\n"
            "examples:\n"
            "  yoke bench\n"
            "  yoke bench step/chain step/truss\n"
            "  yoke bench --model truss-1000 -o out/truss\n",
    .run = run,
};
