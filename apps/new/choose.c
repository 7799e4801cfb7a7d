/* Actuator, compensator and limits of a new test: the demand with an ideal actuator, then rehearsals with the smallest
 * actuators of a table that carry it, until one is good. The delay of the compensator is that of the rehearsal: each
 * shows what is left of it, and the next one adds that. */
#include "new.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/json.h>
#include <yoke/stepping.h>

#define RESERVE     0.15
#define FIRST_DELAY 0.010 /* s */
enum { ROWS = 8, DELAYS = 4, UNUSABLE = 2 };

static const char *const compensators[] = {"kind: lagrange, order: 3", "kind: velocity, order: 2",
                                           "kind: lagrange, order: 2"};

static enum yk_status open_model(const struct new_test *t, const char *folder, struct yk_model **model,
                                 struct yk_err *err)
{
    char path[2048], *text = new_experiment(t);

    if (!text)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    snprintf(path, sizeof path, "%s/%s.yaml", folder, t->name);
    const struct yk_model_source source = {.path = path, .text = text, .size = strlen(text), .rehearse = true};
    const enum yk_status st = yk_model_read(model, &source, err);

    free(text);
    return st;
}

/* ---- what the test asks ---- */

static enum yk_status follow(const struct yk_model *model, struct yk_motion_asked *asked, double *x, double *force,
                             struct yk_err *err)
{
    struct yk_stepping *stepping;
    enum yk_status st = yk_stepping_open(&stepping, model, err);

    if (st)
        return st;
    const struct yk_station *station = yk_stepping_station(stepping);

    for (size_t k = 0; k < asked->n && !st; k++) {
        st = k ? yk_stepping_step(stepping) : YK_OK;
        const struct yk_reading now = yk_station_reading(station, 0);

        x[k] = now.displacement;
        force[k] = now.force;
    }
    if (st)
        yk_fail(err, st, "with an ideal actuator the test diverges");
    yk_stepping_close(stepping);
    return st;
}

/* asked->x and asked->force are malloc'd, the caller's. */
static enum yk_status ask(struct new_test *t, const char *folder, struct yk_motion_asked *asked, struct yk_err *err)
{
    struct yk_model *model;
    enum yk_status st = open_model(t, folder, &model, err);

    if (st)
        return st;
    const size_t n = (size_t)yk_model_steps(model) + 1;
    double *x = calloc(n, sizeof *x), *force = calloc(n, sizeof *force);

    *asked = (struct yk_motion_asked){.n = n, .dt = yk_model_step(model), .x = x, .force = force};
    st = x && force ? follow(model, asked, x, force, err) : yk_fail(err, YK_E_MEMORY, "out of memory");
    yk_model_close(model);
    if (!st && !yk_asked_complete(asked))
        st = yk_fail(err, YK_E_INPUT, "the test is too short: it has less than five steps");
    if (!st) {
        const struct yk_asked_peaks peaks = yk_asked_peaks(asked);

        t->stroke = peaks.stroke;
        t->force = peaks.force;
        t->speed = peaks.speed;
    }
    return st;
}

/* ---- rehearsals ---- */

struct trial {
    json_t *verdict;
    double residual; /* delay that is left [s]; NAN: not known */
    int level;       /* 0 good, 1 doubtful, UNUSABLE */
    double worst;    /* the largest value over its bound, of the reasons */
};

static int level_of(const json_t *verdict)
{
    const char *word = yk_json_text(verdict, "level");

    return strcmp(word, "good") == 0 ? 0 : strcmp(word, "doubtful") == 0 ? 1 : UNUSABLE;
}

static double worst_of(const json_t *verdict)
{
    double worst = 0;
    json_t *reason;
    size_t k;

    json_array_foreach(json_object_get(verdict, "reasons"), k, reason) worst =
        fmax(worst, fabs(json_number_value(json_object_get(reason, "value")) /
                         json_number_value(json_object_get(reason, "bound"))));
    return worst;
}

static enum yk_status rehearse(const struct new_test *t, const char *folder, struct trial *trial, struct yk_err *err)
{
    struct yk_err stopped = {0};
    struct yk_model *model;
    char *text = NULL;
    enum yk_status st = open_model(t, folder, &model, err);

    *trial = (struct trial){.residual = NAN, .level = UNUSABLE};
    if (st)
        return st;
    yk_model_run(model, NULL, &text, &stopped); /* what stops it is in its verdict */
    yk_model_close(model);
    json_t *summary = text ? yk_json_read_text(text) : NULL;

    yk_free(text);
    if (!summary)
        return YK_OK;
    const json_t *left = json_object_get(json_object_get(json_object_get(summary, "tracking"), "actuator"), "delay_s");

    trial->verdict = json_incref(json_object_get(summary, "verdict"));
    trial->level = level_of(trial->verdict);
    trial->residual = json_is_number(left) ? json_number_value(left) : NAN;
    trial->worst = worst_of(trial->verdict);
    json_decref(summary);
    return YK_OK;
}

static bool is_better(const struct trial *a, const struct trial *b)
{
    return !b->verdict || a->level < b->level || (a->level == b->level && a->worst < b->worst);
}

/* The best of the rehearsals so far, and the settings that it had. */
struct best {
    struct trial trial;
    struct new_test settings;
};

static void keep(struct best *best, const struct new_test *t, struct trial *trial)
{
    if (trial->verdict && is_better(trial, &best->trial)) {
        json_decref(best->trial.verdict);
        *best = (struct best){*trial, *t};
    } else
        json_decref(trial->verdict);
}

/* Rehearsals with the compensator of t, each with the delay that the last one has shown. */
static enum yk_status tune(struct new_test *t, const char *folder, struct best *best, struct yk_err *err)
{
    for (int k = 0; k < DELAYS; k++) {
        struct trial trial;
        enum yk_status st = rehearse(t, folder, &trial, err);
        const double left = trial.residual;

        if (st)
            return st;
        keep(best, t, &trial);
        if (best->trial.level == 0 || isnan(left) || fabs(left) < 2e-4 || fabs(left) > 0.2)
            break;
        t->delay = round(1e4 * fmax(0, t->delay + left)) / 1e4;
    }
    return YK_OK;
}

static void take(struct new_test *t, const struct yk_actuator_row *row)
{
    t->actuator = row->name;
    t->capacity = row->force;
    t->travel = row->stroke;
    snprintf(t->plant, sizeof t->plant,
             "kind: hydraulic, area: %.6g m2, stroke: %.6g mm, supply: %.6g bar,\n                 "
             "valve_flow: %.6g l/min, valve_drop: %.6g bar, valve_bandwidth: %.6g Hz, piston_mass: %.6g kg",
             yk_actuator_area(row), 1e3 * row->stroke, 1e-5 * row->supply, 60e3 * row->flow, 1e-5 * row->drop,
             row->valve_Hz, row->piston_mass);
}

static enum yk_status try_rows(struct new_test *t, const struct yk_actuator_table *table,
                               const struct yk_motion_asked *asked, const char *folder, struct best *best,
                               size_t *tried, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < table->count && *tried < ROWS && !st && best->trial.level; i++) {
        struct yk_actuator_needed needed;

        yk_actuator_use_of(&table->rows[i], asked, &needed);
        if (needed.most > 1 - RESERVE)
            continue;
        ++*tried;
        take(t, &table->rows[i]);
        t->delay = FIRST_DELAY;
        for (size_t c = 0; c < sizeof compensators / sizeof *compensators && !st && best->trial.level; c++) {
            snprintf(t->compensator, sizeof t->compensator, "%s", compensators[c]);
            st = tune(t, folder, best, err);
        }
    }
    return st;
}

/* ---- the choice ---- */

/* What a table lacks: the demand beside its largest values. */
static enum yk_status too_small(const struct new_test *t, const struct yk_actuator_table *table, struct yk_err *err)
{
    double force = 0, stroke = 0;

    for (size_t i = 0; i < table->count; i++) {
        force = fmax(force, table->rows[i].force);
        stroke = fmax(stroke, table->rows[i].stroke);
    }
    return yk_fail(err, YK_E_RANGE,
                   "no actuator of the table carries the test with a reserve of 15 %%: it asks for %s, %s and %s; the "
                   "table has up to %s and %s. A smaller --peak or --share, or --table with your actuators",
                   yk_quantity_format(t->force, YK_PLAIN_FORCE, 3).text,
                   yk_quantity_format(t->stroke, YK_LENGTH, 3).text, yk_quantity_format(t->speed, YK_SPEED, 3).text,
                   yk_quantity_format(force, YK_PLAIN_FORCE, 3).text, yk_quantity_format(stroke, YK_LENGTH, 3).text);
}

enum yk_status new_choose(struct new_test *t, const struct yk_actuator_table *table, const char *folder,
                          struct new_choice *choice, struct yk_err *err)
{
    struct yk_motion_asked asked = {0};
    struct best best = {.trial = {.level = UNUSABLE + 1}};
    enum yk_status st = ask(t, folder, &asked, err);

    *choice = (struct new_choice){0};
    if (!st)
        st = try_rows(t, table, &asked, folder, &best, &choice->tried, err);
    free((void *)asked.x);
    free((void *)asked.force);
    yk_asked_free(&asked);
    if (!st && !choice->tried)
        st = too_small(t, table, err);
    if (best.trial.verdict)
        *t = best.settings;
    choice->verdict = best.trial.verdict;
    choice->found = best.trial.level < UNUSABLE;
    return st;
}
