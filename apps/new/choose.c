/* Actuator, compensator and limits of a new test: the demand with an ideal actuator, then rehearsals with the smallest
 * actuators of a table that carry it, until one is good. The delay of the compensator is that of the rehearsal: each
 * shows what is left of it, and the next one adds that; the last ones make the damping of the loop right. */
#include "new.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/json.h>
#include <yoke/stepping.h>

#define RESERVE     0.15
#define FIRST_DELAY 0.010 /* s */
#define LONGEST     0.1   /* s */
#define DIVERGED    100.0 /* m */
#define NEAR        1e-3
#define CLOSE       2e-4 /* s: a delay that nothing would show */
enum { ROWS = 8, DELAYS = 7, REHEARSALS = 24, UNUSABLE = 2, WRONG = 3 };

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
        if (!st && !(fabs(x[k]) < DIVERGED))
            st = YK_E_DIVERGED;
    }
    if (st)
        yk_fail(err, YK_E_RANGE,
                "even with an ideal actuator the test diverges: the specimen is too strong for its structure and "
                "this step; a faster --rate, or less --specimen-damping");
    yk_stepping_close(stepping);
    return st ? YK_E_RANGE : YK_OK;
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
    double missing;  /* decay of a free vibration without the rig less that with it [1/s]; NAN: not known */
    int level;       /* 0 good, 1 doubtful, UNUSABLE, WRONG: as `yoke check` judges the damping of the loop */
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

    *trial = (struct trial){.residual = NAN, .missing = NAN, .level = UNUSABLE};
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
    trial->level = json_is_true(json_object_get(summary, "finished")) ? level_of(trial->verdict) : UNUSABLE;
    trial->residual = json_is_number(left) ? json_number_value(left) : NAN;
    trial->worst = worst_of(trial->verdict);
    json_decref(summary);
    return YK_OK;
}

/* The damping of the loop beside that of the structure: where they differ by more than a fifth, `yoke check` calls it
 * wrong unless amplitudes change by less than 2 % until the end. A tenth and 1 % here, since its numbers differ. */
static void judge_damping(const struct new_test *t, const char *folder, struct trial *trial)
{
    static const char *const budgets[] = {"{\"budget\": 0.4}", "{\"budget\": 4}"}; /* s of CPU time */
    struct yk_err err = {0};
    struct yk_model *model;

    trial->missing = NAN;
    if (open_model(t, folder, &model, &err))
        return;
    for (size_t k = 0; k < sizeof budgets / sizeof *budgets && isnan(trial->missing); k++) {
        char *text = NULL;

        yk_model_analyze(model, "margin", budgets[k], &text, &err);
        json_t *found = text ? yk_json_read_text(text) : NULL;
        const json_t *with = json_object_get(found, "decay_per_s"),
                     *without = json_object_get(found, "decay_model_per_s");

        yk_free(text);
        if (json_is_number(with) && json_is_number(without)) {
            trial->missing = json_number_value(without) - json_number_value(with);
            if (fabs(trial->missing) > 0.1 * fabs(json_number_value(without)) && fabs(trial->missing) * t->end > 0.01)
                trial->level = WRONG;
        }
        if (found && strcmp(yk_json_text(found, "verdict"), "unstable") == 0) {
            trial->level = WRONG;
            json_decref(found);
            break;
        }
        json_decref(found);
    }
    if (isnan(trial->missing) && trial->level == 0) /* undecided within the budget, as it is for `yoke check` */
        trial->level = 1;
    yk_model_close(model);
}

static bool is_better(const struct trial *a, const struct trial *b)
{
    return !b->verdict || a->level < b->level || (a->level == b->level && a->worst < b->worst);
}

/* The best of the rehearsals so far, and the settings that it had. */
struct best {
    struct trial trial;
    struct new_test settings;
    int left; /* rehearsals that may still be made */
};

static void keep(struct best *best, const struct new_test *t, struct trial *trial)
{
    if (trial->verdict && is_better(trial, &best->trial)) {
        json_decref(best->trial.verdict);
        best->trial = *trial;
        best->settings = *t;
    } else
        json_decref(trial->verdict);
}

/* The next delay: what is left of it; then, by secants, so that nothing of the damping is missing. 0: no better one. */
static double next_change(const struct trial *now, const struct trial *last, double change)
{
    double next;

    if (now->level < WRONG || isnan(now->missing))
        return fabs(now->residual) >= CLOSE && fabs(now->residual) < 0.2 ? now->residual : 0;
    next = now->missing > 0 ? 5e-4 : -5e-4;
    if (!isnan(last->missing) && fabs(now->missing - last->missing) > 1e-9)
        next = -now->missing * change / (now->missing - last->missing);
    return fmax(-3e-3, fmin(3e-3, next));
}

/* Rehearsals with the compensator of t, each with the delay that the last one has shown. */
static enum yk_status tune(struct new_test *t, const char *folder, struct best *best, struct yk_err *err)
{
    struct trial last = {.missing = NAN};
    double change = 0;

    for (int k = 0; k < DELAYS && best->left-- > 0; k++) {
        struct trial trial;
        enum yk_status st = rehearse(t, folder, &trial, err);
        const double before = t->delay;

        if (st)
            return st;
        if (trial.level < UNUSABLE && (k > 1 || !(fabs(trial.residual) > NEAR))) /* far away it is not worth its time */
            judge_damping(t, folder, &trial);
        else if (trial.level < UNUSABLE)
            trial.level = WRONG;
        keep(best, t, &trial);
        change = next_change(&trial, &last, change);
        last = trial;
        t->delay = round(1e5 * fmax(0, fmin(before + change, fmin(LONGEST, 60 * t->step)))) / 1e5;
        change = t->delay - before;
        if (best->trial.level == 0 || fabs(change) < 5e-6)
            break;
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

    for (size_t i = 0; i < table->count && *tried < ROWS && !st && best->left > 0 && best->trial.level; i++) {
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

/* Shortfall of a table: the demand beside its largest values. */
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
    struct best best = {.trial = {.level = WRONG + 1}, .left = REHEARSALS};
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
