/* yoke fmu: what an FMU is, whether it keeps its promises, and a run of it alone. */
#include "cli/cli.h"

#include "fmi/fmu.h"
#include <yoke/param.h>
#include <yoke/yoke.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100, WARM = 1000 };
#define TIMEOUT_S 10.0

static const char *word_of(const char *choices, int index)
{
    static char word[32];
    const char *choice = yk_choice_at(choices, index);

    snprintf(word, sizeof word, "%.*s", (int)strcspn(choice, "|"), choice);
    return word;
}

/* ---- info ---- */

static void print_interface(const struct yk_fmu_interface *i, const char *name)
{
    if (!i->offered)
        return;
    printf("  %-15s %s.so;%s%s%s%s%s%s%s", name, i->identifier, i->saves ? " saves its state," : " saves no state,",
           i->serializes ? " serializes it," : "", i->differentiates ? " directional derivatives," : "",
           i->variable_step ? " steps of any length," : "", i->interpolates ? " interpolates inputs," : "",
           i->intermediate ? " intermediate update," : "", i->needs_tool ? " needs its tool," : "");
    if (i->internal_step > 0)
        printf(" internal step %g s,", i->internal_step);
    puts(i->only_once ? " one instance per process" : " many instances");
}

static void print_info(const struct yk_fmu *fmu)
{
    const struct yk_fmu_description *d = yk_fmu_description(fmu);

    printf("%s: %s (FMI %s)%s%s\n", yk_fmu_path(fmu), d->model, d->version_text, *d->tool ? ", made by " : "", d->tool);
    if (*d->description)
        printf("  %s\n", d->description);
    print_interface(&d->interface[YK_FMU_COSIMULATION], "co-simulation");
    print_interface(&d->interface[YK_FMU_EXCHANGE], "model exchange");
    if (d->derivative_count || d->indicators)
        printf("  %zu continuous states, %zu event indicators\n", d->derivative_count, d->indicators);
    printf("  %-28s %-20s %-11s %-8s %s\n", "variable", "causality", "variability", "unit", "start");
    for (size_t i = 0; i < d->variable_count; i++) {
        const struct yk_fmu_variable *v = &d->variables[i];
        char name[64], start[32] = "";

        snprintf(name, sizeof name, v->size > 1 ? "%.40s[%zu]" : "%.60s", v->name, v->size);
        if (v->has_start && v->type != YK_FMU_OTHER)
            snprintf(start, sizeof start, "%g", v->start);
        printf("  %-28s %-20s ", name, word_of(YK_FMU_CAUSALITIES, v->causality));
        printf("%-11s %-8s %s\n", word_of(YK_FMU_VARIABILITIES, v->variability), *v->unit ? v->unit : "-", start);
    }
}

static json_t *interface_json(const struct yk_fmu_interface *i)
{
    if (!i->offered)
        return json_null();
    return json_pack("{s:s, s:b, s:b, s:b, s:b, s:b, s:o}", "identifier", i->identifier, "saves_state", i->saves,
                     "serializes_state", i->serializes, "directional_derivatives", i->differentiates, "variable_step",
                     i->variable_step, "interpolates_inputs", i->interpolates || i->intermediate, "internal_step_s",
                     json_number(i->internal_step > 0 ? i->internal_step : NAN));
}

static json_t *info_json(const struct yk_fmu *fmu)
{
    const struct yk_fmu_description *d = yk_fmu_description(fmu);
    json_t *list = json_array();

    for (size_t i = 0; i < d->variable_count; i++) {
        const struct yk_fmu_variable *v = &d->variables[i];
        json_t *one = json_pack("{s:s, s:I, s:s}", "name", v->name, "value_reference", (json_int_t)v->vr, "causality",
                                word_of(YK_FMU_CAUSALITIES, v->causality));

        json_object_set_new(one, "variability", json_string(word_of(YK_FMU_VARIABILITIES, v->variability)));
        json_object_set_new(one, "unit", json_string(v->unit));
        json_object_set_new(one, "size", json_integer((json_int_t)v->size));
        json_object_set_new(one, "start", json_number(v->has_start ? v->start : NAN));
        json_array_append_new(list, one);
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:I, s:I, s:o}", "model", d->model, "fmi", d->version_text, "token",
                     d->token, "co_simulation", interface_json(&d->interface[YK_FMU_COSIMULATION]), "model_exchange",
                     interface_json(&d->interface[YK_FMU_EXCHANGE]), "states", (json_int_t)d->derivative_count,
                     "event_indicators", (json_int_t)d->indicators, "variables", list);
}

static int info(const char *path, bool json)
{
    struct yk_fmu *fmu;
    struct yk_err err = {0};
    int code = 0;

    if (yk_fmu_open(&fmu, path, "fmu", &err)) {
        report_failure(&err);
        return 2;
    }
    if (json)
        code = print_json(info_json(fmu));
    else
        print_info(fmu);
    yk_fmu_close(fmu);
    return code;
}

/* ---- an FMU by itself ---- */

struct alone {
    struct yk_fmu *fmu;
    size_t inputs, outputs, states;
    uint64_t number;
    double *in, *out, *z;
    char **names;
    const char **units;
};

static void close_alone(struct alone *a)
{
    for (size_t i = 0; a->names && i < a->outputs; i++)
        free(a->names[i]);
    free(a->names);
    free((void *)a->units);
    free(a->in);
    free(a->out);
    free(a->z);
    yk_fmu_close(a->fmu);
}

/* All inputs and outputs that are numbers, as they are. */
static enum yk_status connect_all(struct alone *a, struct yk_err *err)
{
    const struct yk_fmu_description *d = yk_fmu_description(a->fmu);
    size_t room = 0;
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < d->variable_count; i++)
        room += d->variables[i].size;
    a->in = calloc(room + 1, sizeof *a->in);
    a->out = calloc(room + 1, sizeof *a->out);
    a->names = calloc(room + 1, sizeof *a->names);
    a->units = calloc(room + 1, sizeof *a->units);
    a->z = calloc(d->derivative_count + 1, sizeof *a->z);
    if (!a->in || !a->out || !a->names || !a->units || !a->z)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < d->variable_count && !st; i++) {
        const struct yk_fmu_variable *v = &d->variables[i];

        if (v->type == YK_FMU_OTHER || (v->causality != YK_FMU_INPUT && v->causality != YK_FMU_OUTPUT))
            continue;
        if (v->causality == YK_FMU_INPUT && v->size == 1) {
            if (!(st = yk_fmu_input(a->fmu, v->name, YK_QUANTITY_COUNT, err)))
                a->in[a->inputs++] = v->start;
            continue;
        }
        for (size_t k = 0; v->causality == YK_FMU_OUTPUT && k < v->size && !st; k++) {
            char name[300];

            snprintf(name, sizeof name, v->size > 1 ? "%.250s[%zu]" : "%.280s", v->name, k + 1);
            if ((st = yk_fmu_output(a->fmu, name, YK_QUANTITY_COUNT, err)))
                break;
            if (!(a->names[a->outputs] = strdup(name)))
                return yk_fail(err, YK_E_MEMORY, "out of memory");
            a->units[a->outputs++] = v->unit;
        }
    }
    a->states = yk_fmu_states(a->fmu);
    return st;
}

static enum yk_status open_alone(struct alone *a, const char *path, const struct text_list *set, double end,
                                 const char *token, struct yk_err *err)
{
    const struct yk_fmu_start start = {.timeout_s = TIMEOUT_S, .end_s = end};
    enum yk_status st;

    *a = (struct alone){0};
    if ((st = yk_fmu_open(&a->fmu, path, "fmu", err)) ||
        (st = yk_fmu_choose(a->fmu, YK_FMU_ANY_INTERFACE, true, err)) || (st = connect_all(a, err)))
        return st;
    for (size_t i = 0; set && i < set->count && !st; i++)
        st = yk_fmu_parameters(a->fmu, set->text[i], err);
    if (token)
        yk_fmu_pretend(a->fmu, token);
    return st ? st : yk_fmu_start(a->fmu, &start, a->in, &a->number, a->out, a->z, err);
}

static bool step_alone(struct alone *a, double t, double h)
{
    const bool exchange = yk_fmu_chosen(a->fmu) == YK_FMU_EXCHANGE;
    const struct yk_fmu_ask ask = {.what = yk_fmu_has_events(a->fmu) ? YK_FMU_COMMIT : YK_FMU_STEP,
                                   .course = YK_FMU_HELD,
                                   .substeps = exchange ? 4 : 1,
                                   .keep = true,
                                   .from = a->number,
                                   .as = yk_fmu_number(a->fmu),
                                   .t = t,
                                   .h = h,
                                   .begin = a->in,
                                   .end = a->in,
                                   .z = a->z};

    if (yk_fmu_ask(a->fmu, &ask, a->out, a->z) != YK_FMU_FINE)
        return false;
    if (!exchange || yk_fmu_has_events(a->fmu))
        a->number = ask.as;
    return true;
}

static char *joined(const char *first, char *const *names, const char *const *units, size_t count)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fputs(first, out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "\n%s", names ? names[i] : units[i]);
    return fclose(out) == 0 ? text : NULL;
}

static int record_alone(struct alone *a, const char *path, const char *folder, double step, long steps)
{
    const struct yk_fmu_description *d = yk_fmu_description(a->fmu);
    const size_t width = a->outputs + 1;
    double *rows = calloc(width * (size_t)(steps + 1), sizeof *rows);
    char *names = joined("time", a->names, NULL, a->outputs), *units = joined("s", NULL, a->units, a->outputs),
         file[1024], words[600] = "";
    struct yk_err err = {0};
    long made = 0;
    int code = 0;

    if (!rows || !names || !units || make_folder(folder) != 0) {
        fprintf(stderr, "yoke: %s cannot be made, or out of memory\n", folder);
        free(rows);
        free(names);
        free(units);
        return 1;
    }
    memcpy(rows + 1, a->out, a->outputs * sizeof *rows);
    for (; made < steps && step_alone(a, (double)made * step, step); made++) {
        rows[(size_t)(made + 1) * width] = (double)(made + 1) * step;
        memcpy(rows + (size_t)(made + 1) * width + 1, a->out, a->outputs * sizeof *rows);
    }
    if (yk_fmu_fault(a->fmu, words, sizeof words)) {
        fprintf(stderr, "yoke: %s: %s\n", path, words);
        code = 3;
    }
    snprintf(file, sizeof file, "%s/run.h5", folder);
    const struct yk_record_content content = {
        .title = d->model,
        .experiment = "",
        .experiment_path = path,
        .overrides = "",
        .method = "fmu",
        .description = "{}",
        .summary = "{}",
        .finished = made == steps,
        .streams = {{.rows = rows, .count = (size_t)made + 1, .channels = width, .names = names, .units = units}}};
    if (yk_record_write(file, &content, &err))
        code = report_failure(&err);
    else
        printf("%s: %ld steps of %g s; %s\n", d->model, made, step, file);
    free(rows);
    free(names);
    free(units);
    return code;
}

static int run_alone(const char *path, const char *end_text, const char *step_text, const char *folder,
                     const struct text_list *set)
{
    struct alone a = {0};
    struct yk_fmu *look;
    struct yk_err err = {0};
    double end, step;
    int code;

    if (yk_fmu_open(&look, path, "fmu", &err)) {
        report_failure(&err);
        return 2;
    }
    end = yk_fmu_description(look)->stop;
    step = yk_fmu_description(look)->step;
    yk_fmu_close(look);
    end = isnan(end) ? 10 : end;
    step = isnan(step) ? 0.01 : step;
    if (!parse_quantity(&command_fmu, "--end", end_text, YK_TIME, 1e-9, 1e9, &end) ||
        !parse_quantity(&command_fmu, "--step", step_text, YK_TIME, 1e-9, 1e6, &step))
        return 2;
    if (!(end / step < 1e8))
        return usage_error(&command_fmu, "%g s in steps of %g s are too many steps", end, step);
    if (open_alone(&a, path, set, end, NULL, &err)) {
        report_failure(&err);
        code = 2;
    } else {
        code = record_alone(&a, path, folder ? folder : "out/fmu", step, lround(end / step));
    }
    close_alone(&a);
    return code;
}

/* ---- check ---- */

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
    const bool refused = open_alone(&a, path, NULL, 1, "{00000000-0000-0000-0000-000000000000}", &err) != YK_OK;

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
             loop_time(1e-9 * sum / fmax(1, made)).text, loop_time(1e-9 * (double)most).text,
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

static int check_fmu(const char *path, const char *step_text, bool json)
{
    struct checking c = {.list = json ? json_array() : NULL};
    struct alone a;
    struct yk_err err = {0};
    double h = 0.01;
    int code = 0;

    if (open_alone(&a, path, NULL, 1e6, NULL, &err)) {
        report_failure(&err);
        close_alone(&a);
        json_decref(c.list);
        return 2;
    }
    h = isnan(yk_fmu_description(a.fmu)->step) ? h : yk_fmu_description(a.fmu)->step;
    if (!parse_quantity(&command_fmu, "--step", step_text, YK_TIME, 1e-9, 1e6, &h)) {
        close_alone(&a);
        json_decref(c.list);
        return 2;
    }
    const double stop = yk_fmu_description(a.fmu)->stop;
    c.steps = isnan(stop) || stop / h >= STEPS ? STEPS : (int)fmax(2, 2 * floor(stop / h / 2));
    if (!json)
        printf("%s: %s, steps of %g s\n", path, yk_fmu_description(a.fmu)->model, h);
    tell(&c, "loading and initialization", "ok",
         yk_fmu_chosen(a.fmu) == YK_FMU_EXCHANGE ? "model exchange" : "co-simulation");
    check_token(&c, path);
    check_steps(&c, &a, h);
    if (json)
        code = print_json(json_pack("{s:b, s:o}", "holds", !c.broken, "checks", c.list));
    close_alone(&a);
    return c.broken ? 4 : code;
}

/* ---- the command ---- */

static int run(int argc, char **argv)
{
    const char *end = NULL, *step = NULL, *folder = NULL;
    struct text_list set = {0};
    bool json = false;
    const struct option_spec specs[] = {{"--end", OPTION_TEXT, &end},   {"--step", OPTION_TEXT, &step},
                                        {"--set", OPTION_LIST, &set},   {"--output|-o", OPTION_TEXT, &folder},
                                        {"--json", OPTION_FLAG, &json}, {0}};
    struct words words;

    if (!take_options(&command_fmu, argc, argv, specs, &words))
        return 2;
    if (words.count != 2)
        return usage_error(&command_fmu, "what to do, and with which FMU?");
    if (strcmp(words.rest[0], "info") == 0)
        return info(words.rest[1], json);
    if (strcmp(words.rest[0], "check") == 0)
        return check_fmu(words.rest[1], step, json);
    if (strcmp(words.rest[0], "run") == 0)
        return run_alone(words.rest[1], end, step, folder, &set);
    return usage_error(&command_fmu, "there is no `yoke fmu %s`: info, check or run", words.rest[0]);
}

static const char *part(size_t i)
{
    static const char *const parts[] = {"info", "check", "run", NULL};

    return parts[i];
}

const struct command command_fmu = {
    .name = "fmu",
    .summary = "describe, check or run a model of another program (FMI)",
    .options = "--end --step --set --output --json",
    .part = part,
    .help = "usage: yoke fmu info FILE.fmu [--json]\n"
            "       yoke fmu check FILE.fmu [--step H] [--json]\n"
            "       yoke fmu run FILE.fmu [--end T] [--step H] [--set NAME=VALUE]... [-o DIR]\n\n"
            "A functional mock-up unit (FMU) is a model of another simulation program. An experiment uses it as "
            "substructure,\n"
            "specimen, controller, actuator or load (`kind: fmu`, docs/fmi.md).\n\n"
            "  info    interfaces, abilities, variables with causality, unit and start value\n"
            "  check   loads it in a process of its own and tries what its description promises; exit code 4 if\n"
            "          something does not hold\n"
            "  run     steps it alone, with its inputs at their start values, and records its outputs; default: the "
            "time\n"
            "          that the FMU recommends\n\n"
            "examples:\n"
            "  yoke fmu info absorber.fmu\n"
            "  yoke fmu run absorber.fmu --end 20 s --step 10 ms --set k=2000 -o out/absorber\n",
    .run = run,
};
