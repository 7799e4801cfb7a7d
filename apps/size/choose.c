/* The smallest actuators that carry a test, and a rehearsal with them. */
#include "size.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/analysis.h>
#include <yoke/json.h>

enum { PER_ACTUATOR = 6, TRIES = 12 };
#define SMALL 0.002 /* of the stroke: the amplitude of a sine that is measured */
#define HEAVY 1e9   /* kg: a piston that is heavier than any specimen */
#define LIGHT 1e-6  /* of a piston: less mass of the specimen is rounding */

static void plant_text(const struct yk_actuator_row *row, double piston_mass, double load_mass, char *text, size_t size)
{
    const int length =
        snprintf(text, size,
                 "{ kind: hydraulic, area: %.6g m2, stroke: %.6g mm, supply: %.6g bar, valve_flow: %.6g l/min, "
                 "valve_drop: %.6g bar, valve_bandwidth: %.6g Hz, piston_mass: %.6g kg",
                 yk_actuator_area(row), 1e3 * row->stroke, 1e-5 * row->supply, 60e3 * row->flow, 1e-5 * row->drop,
                 row->valve_Hz, piston_mass);

    if (load_mass > 0)
        snprintf(text + length, size - (size_t)length, ", load_mass: %.6g kg }", load_mass);
    else
        snprintf(text + length, size - (size_t)length, " }");
}

void size_plant_text(const struct sized *of, char *text, size_t size)
{
    plant_text(of->row, of->row->piston_mass, of->moved_kg, text, size);
}

/* The smallest row after `after` that carries the motion of an actuator within the reserve. */
static void choose(struct sizing *s, struct sized *a, const struct yk_actuator_row *after)
{
    const size_t first = after ? (size_t)(after - s->table.rows) + 1 : 0;

    a->row = NULL;
    for (size_t i = first; i < s->table.count && !a->row; i++) {
        yk_actuator_use_of(&s->table.rows[i], &a->asked, &a->needed);
        if (a->needed.most <= 1 - s->words->size.reserve)
            a->row = &s->table.rows[i];
    }
}

/* Settings for the proposed actuators. compensated: by the delay of their data sheets [s]; NULL: not at all. */
static size_t settings_of(const struct sizing *s, const double *delay_s, char texts[][SIZE_TEXT])
{
    size_t count = 0;

    for (size_t i = 0; i < s->count; i++) {
        const char *name = s->of[i].name;
        char plant[300];

        if (s->of[i].moved_kg < 0)
            plant_text(s->of[i].row, HEAVY, 0, plant, sizeof plant);
        else
            size_plant_text(&s->of[i], plant, sizeof plant);
        snprintf(texts[count++], SIZE_TEXT, "rig.actuators.%s.plant=%s", name, plant);
        snprintf(texts[count++], SIZE_TEXT, "rig.actuators.%s.capacity={}", name);
        snprintf(texts[count++], SIZE_TEXT, "transfer.%s.controller={kind: none}", name);
        snprintf(texts[count++], SIZE_TEXT, "transfer.%s.estimator={kind: none}", name);
        if (delay_s)
            snprintf(texts[count++], SIZE_TEXT, "transfer.%s.compensator={kind: lagrange, order: 3, delay: %.6g}", name,
                     delay_s[i]);
        else
            snprintf(texts[count++], SIZE_TEXT, "transfer.%s.compensator={kind: none}", name);
    }
    return count;
}

static enum yk_status vary(const struct sizing *s, const double *delay_s, struct yk_model **model, struct yk_err *err)
{
    static char texts[SIZE_ACTUATORS * PER_ACTUATOR][SIZE_TEXT];
    const char *settings[SIZE_ACTUATORS * PER_ACTUATOR];
    const size_t count = settings_of(s, delay_s, texts);

    for (size_t i = 0; i < count; i++)
        settings[i] = texts[i];
    return yk_model_vary(model, s->model, settings, count, err);
}

static enum yk_status rehearse(const struct yk_model *model, const char *options, json_t **found, struct yk_err *err)
{
    char *text;
    enum yk_status st = yk_model_analyze(model, "verdict", options, &text, err);

    if (st)
        return st;
    *found = yk_json_read_text(text);
    yk_free(text);
    return *found ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

/* The demand of a rehearsal of no length, with the data sheets of the proposed actuators. */
static enum yk_status look(const struct sizing *s, json_t **found, struct yk_err *err)
{
    struct yk_model *model;
    enum yk_status st = vary(s, NULL, &model, err);

    if (st)
        return st;
    st = rehearse(model, "{\"budget\": 1e-9}", found, err);
    yk_model_close(model);
    return st;
}

static json_t *sheet_of(const json_t *found, const char *name)
{
    return json_object_get(json_object_get(json_object_get(found, "demand"), name), "sheet");
}

/* How much mass each actuator moves, by the model of the specimen: what is heavier than a piston must belong to its
 * equation of motion. A plant with a very heavy piston takes any specimen. */
static enum yk_status weigh(struct sizing *s, struct yk_err *err)
{
    json_t *found = NULL;
    enum yk_status st;

    for (size_t i = 0; i < s->count; i++)
        s->of[i].moved_kg = -1;
    st = look(s, &found, err);
    for (size_t i = 0; i < s->count && !st; i++) {
        const double mass = json_number_value(json_object_get(sheet_of(found, s->of[i].name), "moved_kg"));

        s->of[i].moved_kg = mass > LIGHT * s->of[i].row->piston_mass ? mass : 0;
    }
    json_decref(found);
    return st;
}

static enum yk_status read_sheets(struct sizing *s, double *delay_s, struct yk_err *err)
{
    json_t *found = NULL;
    const enum yk_status st = look(s, &found, err);

    for (size_t i = 0; i < s->count && !st; i++) {
        json_decref(s->of[i].sheet);
        s->of[i].sheet = json_incref(sheet_of(found, s->of[i].name));
        delay_s[i] = json_number_value(json_object_get(s->of[i].sheet, "delay_s"));
    }
    json_decref(found);
    return st;
}

/* The actuator whose capacity is a reason of the verdict; -1: none. */
static long overloaded(const struct sizing *s)
{
    static const char *const capacities[] = {"force", "stroke", "speed", "valve"};
    size_t k;
    json_t *reason;

    json_array_foreach(json_object_get(s->verdict, "reasons"), k, reason)
    {
        for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++)
            for (size_t i = 0; i < s->count && strcmp(yk_json_text(reason, "criterion"), capacities[c]) == 0; i++)
                if (strcmp(yk_json_text(reason, "actuator"), s->of[i].name) == 0)
                    return (long)i;
    }
    return -1;
}

/* Delay and gain of the proposed actuators with their specimens, by small sines. */
static enum yk_status measure(struct sizing *s, struct yk_err *err)
{
    static char texts[SIZE_ACTUATORS * PER_ACTUATOR][SIZE_TEXT];
    const char *settings[SIZE_ACTUATORS * PER_ACTUATOR + 64];
    struct yk_model_source source = {.path = NULL, .overrides = settings, .rehearse = true};
    const struct yk_text_list *given = &s->words->set;
    char *about = yk_model_describe(s->model);
    json_t *all = yk_json_read_text(about);
    struct yk_parts *parts = NULL;
    enum yk_status st;

    for (size_t i = 0; i < given->count; i++)
        settings[source.override_count++] = given->text[i];
    const size_t count = settings_of(s, NULL, texts);
    for (size_t i = 0; i < count; i++)
        settings[source.override_count++] = texts[i];
    source.path = yk_json_text(all, "path");
    st = yk_parts_open(&parts, &source, err);
    for (size_t i = 0; i < s->count && !st; i++) {
        struct sized *a = &s->of[i];
        const double at[2] = {a->frequency_Hz, json_number_value(json_object_get(a->sheet, "bandwidth_Hz"))};
        struct yk_response_point points[2];

        a->measured_delay_s[0] = a->measured_delay_s[1] = a->measured_gain = NAN;
        if (!(at[0] > 0) || (st = yk_parts_responses(parts, i, SMALL * a->row->stroke, 2, at, points, err)))
            continue;
        for (int k = 0; k < 2; k++)
            a->measured_delay_s[k] = *points[k].missing ? (double)NAN : points[k].response.delay_s;
        a->measured_gain = *points[1].missing ? (double)NAN : points[1].response.magnitude;
    }
    yk_parts_close(parts);
    json_decref(all);
    yk_free(about);
    return st;
}

enum yk_status size_choose(struct sizing *s, struct yk_err *err)
{
    double delay_s[SIZE_ACTUATORS];
    enum yk_status st;

    for (size_t i = 0; i < s->count; i++) {
        choose(s, &s->of[i], NULL);
        if (!s->of[i].row)
            return YK_OK;
    }
    if ((st = weigh(s, err)))
        return st;
    for (int k = 0; k < TRIES; k++) {
        struct yk_model *model;
        long small;

        if ((st = read_sheets(s, delay_s, err)) || (st = vary(s, delay_s, &model, err)))
            return st;
        json_decref(s->verdict);
        s->verdict = NULL;
        st = rehearse(model, NULL, &s->verdict, err);
        yk_model_close(model);
        if (st || (small = overloaded(s)) < 0)
            break;
        choose(s, &s->of[small], s->of[small].row);
        if (!s->of[small].row)
            return YK_OK;
    }
    return st ? st : measure(s, err);
}
