/* The key `iterate` of an experiment file. */
#include "iterate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/fields.h>

static const struct yk_param keys[] = {
    YK_CHOICE(struct settings, kind, "periodic|record", 0, "steady vibration, or a whole record"),
    YK_TEXT(struct settings, frequency, 0, "periodic: of the load; from..to for a response curve"),
    YK_COUNT(struct settings, harmonics, 1, 1, MOST_HARMONICS, YK_WHEN("kind=periodic", "periodic: of the motion")),
    YK_FLAG(struct settings, mean, 0, YK_WHEN("kind=periodic", "periodic: the mean displacement is found as well")),
    YK_COUNT(struct settings, settle, 40, 2, 100000, YK_WHEN("kind=periodic", "periodic: most periods of a run")),
    YK_COUNT(struct settings, average, 5, 1, 1000, YK_WHEN("kind=periodic", "periodic: periods of an average")),
    YK_REAL(struct settings, steady, YK_NUMBER, 1e-3, 1e-9, 1,
            YK_WHEN("kind=periodic", "periodic: two averages that differ by less end a run")),
    YK_REAL(struct settings, step, YK_NUMBER, 0.1, 1e-4, 10,
            YK_WHEN("kind=periodic", "response curve: first step along it")),
    YK_REAL(struct settings, step_limit, YK_NUMBER, 2, 0, 1e6,
            YK_WHEN("kind=periodic", "periodic: longest correction over the first one; 0: none")),
    YK_CHOICE(struct settings, update, "good|bad", 0, YK_WHEN("kind=periodic", "periodic: Broyden's update")),
    YK_REALS(struct settings, ladder, YK_NUMBER, 0, 1e-6, 1,
             YK_WHEN("kind=record", "record: load factors, one after the other; the last is 1")),
    YK_REAL(struct settings, bound, YK_NUMBER, 1.2, 1, 100,
            YK_WHEN("kind=record", "record: largest target over the largest of prediction and last run")),
    YK_REAL(struct settings, tolerance, YK_NUMBER, 1e-3, 1e-12, 1, "error of the interface at which it ends"),
    YK_COUNT(struct settings, most, 12, 1, 10000, "runs of a rung, of a frequency, or corrections of a point"),
    YK_REAL(struct settings, change, YK_NUMBER, 0.05, 0, 1,
            "fall of the energy of a run at equal motion from which the specimen has changed"),
    YK_REAL(struct settings, rest_limit, YK_FORCE, 0, 0, 1e15, "drift of the force at rest that stops; 0: none"),
    YK_NODE("budget", "map of runs, full, work", 0, "what the specimen may have to bear"),
    YK_NODE("model", "map", 0, "record: model of the specimen; default: its estimate, refitted"),
    YK_PARAM_END,
};

#define BUDGET(field) offsetof(struct settings, budget.field)
static const struct yk_param budget_keys[] = {
    {.name = "runs", .type = YK_PARAM_COUNT, .offset = BUDGET(runs), .min = 0, .max = 1000000, .help = "0: any number"},
    {.name = "full",
     .type = YK_PARAM_COUNT,
     .offset = BUDGET(full),
     .fallback = -1,
     .min = -1,
     .max = 1000000,
     .help = "runs at more than 90 % of the largest motion; -1: any number"},
    {.name = "work",
     .type = YK_PARAM_REAL,
     .quantity = YK_ENERGY,
     .offset = BUDGET(work),
     .min = 0,
     .max = 1e15,
     .help = "work put into the specimen; 0: any"},
    YK_PARAM_END,
};
#define MODEL(field) offsetof(struct settings, model.field)
static const struct yk_param model_keys[] = {
    {.name = "kind", .type = YK_PARAM_CHOICE, .offset = MODEL(kind), .choices = "linear|bilinear", .help = "its law"},
    {.name = "stiffness",
     .type = YK_PARAM_REAL,
     .quantity = YK_STIFFNESS,
     .offset = MODEL(stiffness),
     .min = 0,
     .max = 1e15,
     .help = "default: that of the estimate"},
    {.name = "damping",
     .type = YK_PARAM_REAL,
     .quantity = YK_DAMPING,
     .offset = MODEL(damping),
     .min = 0,
     .max = 1e15,
     .when = "kind=linear",
     .help = "linear"},
    {.name = "yield",
     .type = YK_PARAM_REAL,
     .quantity = YK_FORCE,
     .offset = MODEL(yield),
     .min = 0,
     .max = 1e15,
     .when = "kind=bilinear",
     .help = "bilinear: force at first yield"},
    {.name = "hardening",
     .type = YK_PARAM_REAL,
     .quantity = YK_NUMBER,
     .offset = MODEL(hardening),
     .min = 0,
     .max = 0.99,
     .when = "kind=bilinear",
     .help = "bilinear: stiffness after yield over the first"},
    {.name = "refit",
     .type = YK_PARAM_FLAG,
     .offset = MODEL(refit),
     .fallback = 1,
     .min = 0,
     .max = 1,
     .help = "after each run"},
    YK_PARAM_END,
};

static const struct yk_field_context plain = {.directory = "", .force_means = YK_FORCE};

static enum yk_status read_map(const struct yk_node *node, const struct yk_param *table, struct settings *s,
                               struct yk_err *err)
{
    enum yk_status st;

    if ((st = yk_field_type(node, YK_MAP, "a map", err)) || (st = yk_field_known(node, table, NULL, err)))
        return st;
    return yk_field_settings(node, table, s, &plain, err);
}

/* "1.3 Hz", or "0.5..2.2 Hz" */
static enum yk_status read_frequency(struct settings *s, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(map, "frequency");
    const char *text = s->frequency ? s->frequency : "", *dots = strstr(text, "..");
    char first[64];
    double low = 0, high = 0;
    struct yk_err why = {0};

    if (s->kind != KIND_PERIODIC)
        return node ? yk_fail_at(err, YK_E_INPUT, node->where, "iterate.frequency is for kind: periodic") : YK_OK;
    if (!node)
        return yk_fail_at(err, YK_E_INPUT, map->where,
                          "iterate.frequency is missing: that of the load, such as 1.3 Hz, or 0.5..2.2 Hz for a "
                          "response curve");
    if (dots) {
        char *end;

        low = strtod(text, &end);
        const char *unit = dots + 2 + strspn(dots + 2, "+-.0123456789eE");

        if (end == dots) /* the unit of the second counts for both */
            snprintf(first, sizeof first, "%.*s%s", (int)(dots - text), text, unit);
        else
            snprintf(first, sizeof first, "%.*s", (int)(dots - text), text);
        if (yk_si(first, "frequency", &low, &why) || yk_si(dots + 2, "frequency", &high, &why) || !(low > 0) ||
            !(high > 0) || high == low)
            return yk_fail_at(err, YK_E_INPUT, node->where,
                              "iterate.frequency: '%s' is no interval of frequencies, such as 0.5..2.2 Hz", text);
    } else if (yk_si(text, "frequency", &low, &why) || !(low > 0)) {
        return yk_fail_at(err, YK_E_INPUT, node->where, "iterate.frequency: '%s' is no frequency, such as 1.3 Hz",
                          text);
    }
    s->from = low;
    s->to = high;
    return YK_OK;
}

static enum yk_status check_ladder(const struct settings *s, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(map, "ladder");
    bool good = s->ladder.n <= MOST_RUNGS;

    for (size_t i = 1; i < s->ladder.n; i++)
        good &= s->ladder.x[i] > s->ladder.x[i - 1];
    if (s->ladder.n && (!good || s->ladder.x[s->ladder.n - 1] != 1))
        return yk_fail_at(err, YK_E_INPUT, node ? node->where : map->where,
                          "ladder must rise and end with 1, in %d load factors at most", MOST_RUNGS);
    return YK_OK;
}

/* The model of the specimen where the file has none: its estimate. */
static enum yk_status complete_model(struct settings *s, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(map, "model");

    if (node && s->kind != KIND_RECORD)
        return yk_fail_at(err, YK_E_INPUT, node->where,
                          "iterate.model is for kind: record; periodic iterations take "
                          "the estimate of the specimen");
    if (s->model.kind == YK_SPECIMEN_BILINEAR && !(s->model.yield > 0 && s->model.stiffness > 0))
        return yk_fail_at(err, YK_E_INPUT, node->where, "iterate.model: a bilinear model needs stiffness and yield");
    s->model.given = node && s->model.stiffness > 0;
    return YK_OK;
}

enum yk_status settings_read(struct settings *s, const struct yk_parts *parts, struct yk_err *err)
{
    const struct yk_node *root = yk_parts_tree(parts), *map = yk_node_get(root, "iterate"), *budget, *model;
    enum yk_status st;

    *s = (struct settings){.budget.full = -1, .model.refit = true};
    if (!map)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(yk_parts_path(parts)),
                          "there is no key `iterate`, such as iterate: { kind: record, tolerance: 0.1 %% }; see "
                          "docs/iterate.md");
    if ((st = read_map(map, keys, s, err)))
        return st;
    if ((budget = yk_node_get(map, "budget")) && (st = read_map(budget, budget_keys, s, err)))
        return st;
    if ((model = yk_node_get(map, "model")) && (st = read_map(model, model_keys, s, err)))
        return st;
    if (s->budget.full == 0)
        return yk_fail_at(err, YK_E_INPUT, budget->where, "budget.full: 0 leaves no run at full amplitude");
    if ((st = read_frequency(s, map, err)) || (st = check_ladder(s, map, err)))
        return st;
    return complete_model(s, map, err);
}

void settings_free(struct settings *s)
{
    yk_param_free(keys, s);
}
