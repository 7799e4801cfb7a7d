/* yoke bench: the benchmarks as ratios to baselines that run alternately. */
#include "bench.h"
#include "models.h"
#include "options.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <yoke/linalg.h>
#include <yoke/yoke.h>

static bool holds(const struct yk_bench_result *r)
{
    return isnan(r->ratio_limit) || r->ratio <= r->ratio_limit;
}

static json_t *to_json(const struct yk_bench_result *r)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:b}", "name", r->name, "reference", r->reference, "ratio",
                     yk_json_number(r->ratio), "ratio_limit", yk_json_number(r->ratio_limit), "seconds_per_op",
                     yk_json_number(r->seconds_per_op), "reference_seconds", yk_json_number(r->reference_seconds),
                     "holds", holds(r));
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
static bool is_wanted(const struct yk_words *words, size_t i)
{
    bool wanted = words->count == 0;

    for (int k = 0; k < words->count; k++)
        wanted |= begins(i, words->rest[k]);
    return wanted;
}

static int list(const struct yk_words *words, bool json)
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
        return yk_print_json(json_pack("{s:o, s:o}", "benchmarks", names, "models", models));
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
        return yk_misuse(&command_bench, "there is no model '%s': %s", name, names);
    }
    if (folder && yk_make_folder(folder)) {
        fprintf(stderr, "yoke: cannot create the folder %s: %s\n", folder, strerror(errno));
        return 1;
    }
    if ((folder && yk_bench_write(model, folder, &err)) || yk_bench_move(model, &motion, &err))
        return yk_command_fail(&err);
    return yk_print_json(json_pack("{s:s, s:I, s:f, s:I, s:s, s:b, s:f, s:f}", "model", model->name, "dofs",
                                   (json_int_t)motion.dofs, "step_s", YK_BENCH_STEP, "steps", (json_int_t)model->steps,
                                   "integrator", model->integrator, "modal", model->text != NULL, "seconds_per_step",
                                   motion.seconds_per_step, "peak_m", motion.peak));
}

static int measure(const struct yk_words *words, bool json)
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
            return yk_command_fail(&err);
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
    else if (yk_print_json(
                 json_pack("{s:s, s:b, s:o}", "build", yk_build_id(), "holds", slow == 0, "results", results)))
        return 1;
    if (slow)
        fprintf(stderr, "yoke: %zu of %zu benchmarks exceed their limit\n", slow, made);
    return slow ? 4 : 0;
}

static int run(int argc, char **argv)
{
    struct timing_options g = {0};
    struct yk_err err = {0};
    struct yk_words words;

    if (!yk_take_options(&command_bench, argc, argv, &g, &words))
        return 2;
    for (int k = 0; k < words.count; k++)
        if (!names_any(words.rest[k]))
            return yk_misuse(&command_bench, "no benchmark has a name that begins with '%s'", words.rest[k]);
    if (g.folder && !g.model)
        return yk_misuse(&command_bench, "-o needs --model: what should be written?");
    if (yk_blas_reserve(&err))
        return yk_command_fail(&err);
    return g.list ? list(&words, g.json) : g.model ? show_model(g.model, g.folder) : measure(&words, g.json);
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_bench, run, argc, argv);
}
