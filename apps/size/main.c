/* yoke check --size: the smallest actuators of a table that carry a test. docs/theory/sizing.md. */
#include "size.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yoke/figure.h>
#include <yoke/json.h>

/* ---- the table ---- */

/* --table, the one of the installation (libexec/yoke), or of the source tree with its build folder. */
static const char *find_table(const char *given)
{
    static char path[4096];
    static const char *const beside[] = {"/../../share/yoke/actuators/classes.csv", "/../data/actuators/classes.csv"};
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);

    if (given)
        return given;
    path[length > 0 ? length : 0] = 0;
    char *slash = strrchr(path, '/');

    for (size_t i = 0; slash && i < sizeof beside / sizeof *beside; i++) {
        strcpy(slash, beside[i]);
        if (access(path, R_OK) == 0)
            return path;
    }
    return "data/actuators/classes.csv";
}

/* ---- in words ---- */

static void print_demand(const struct sized *a)
{
    const struct yk_asked_peaks *p = &a->peaks;

    printf("  %-13s stroke %s at %.3g s, speed %s at %.3g s, acceleration %s at %.3g s,\n", a->name,
           yk_quantity_format(p->stroke, YK_LENGTH, 3).text, p->stroke_at,
           yk_quantity_format(p->speed, YK_SPEED, 3).text, p->speed_at,
           yk_quantity_format(p->acceleration, YK_PLAIN_ACCELERATION, 3).text, p->acceleration_at);
    printf("  %-13s force %s at %.3g s, power %.3g kW at %.3g s; moves about %.3g Hz\n", "",
           yk_quantity_format(p->force, YK_PLAIN_FORCE, 3).text, p->force_at, 1e-3 * p->power, p->power_at,
           a->frequency_Hz);
}

static double sheet_number(const struct sized *a, const char *key)
{
    return json_number_value(json_object_get(a->sheet, key));
}

static void print_proposal(const struct sized *a)
{
    char plant[300];

    if (!a->row) {
        printf("  %-13s no actuator of the table carries it\n", a->name);
        return;
    }
    size_plant_text(a, plant, sizeof plant);
    printf("  %-13s %s\n", a->name, a->row->name);
    printf("  %-13s uses %.3g %% of its stroke, %.3g %% of its force, %.3g %% of force and speed together; most at "
           "%.3g s; flow %.3g l/min\n",
           "", 100 * a->needed.stroke, 100 * a->needed.force, 100 * a->needed.curve, a->needed.at_s,
           60e3 * a->needed.flow);
    if (a->sheet) {
        printf("  %-13s data sheet: delay %.3g ms, bandwidth %.3g Hz (gain 0.707), oil column %.3g Hz\n", "",
               1e3 * sheet_number(a, "delay_s"), sheet_number(a, "bandwidth_Hz"), sheet_number(a, "oil_column_Hz"));
        printf(
            "  %-13s measured:   delay %.3g ms at %.3g Hz; gain %.3g at %.3g Hz; with the specimen, by small sines\n",
            "", 1e3 * a->measured_delay_s[0], a->frequency_Hz, a->measured_gain, sheet_number(a, "bandwidth_Hz"));
    }
    if (a->moved_kg > 0)
        printf("  %-13s moves %.4g kg of specimen and fixture, by their model\n", "", a->moved_kg);
    printf("  %-13s plant: %s\n", "", plant);
}

static void print_verdict(const struct sizing *s)
{
    const json_t *first = json_array_get(json_object_get(s->verdict, "reasons"), 0);

    if (s->verdict)
        printf("rehearsal with them, compensated by the delays of their data sheets: %s%s%s\n",
               yk_json_text(s->verdict, "level"), first ? ": " : "", yk_json_text(first, "text"));
}

static void print(const struct sizing *s, const char *table)
{
    printf("%s\ndemand, with ideal actuators\n", yk_model_title(s->model));
    for (size_t i = 0; i < s->count; i++)
        print_demand(&s->of[i]);
    printf("smallest of %zu actuators of %s, with a reserve of %.3g %%\n", s->table.count, table,
           100 * s->words->size.reserve);
    for (size_t i = 0; i < s->count; i++)
        print_proposal(&s->of[i]);
    print_verdict(s);
}

/* ---- as JSON ---- */

static json_t *demand_json(const struct sized *a)
{
    const struct yk_asked_peaks *p = &a->peaks;

    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "stroke_m", p->stroke, "stroke_at_s",
                     p->stroke_at, "speed_m_s", p->speed, "speed_at_s", p->speed_at, "acceleration_m_s2",
                     p->acceleration, "acceleration_at_s", p->acceleration_at, "force_N", p->force, "force_at_s",
                     p->force_at, "power_W", p->power, "power_at_s", p->power_at, "frequency_Hz", a->frequency_Hz);
}

static json_t *proposal_json(const struct sized *a)
{
    char plant[300];

    if (!a->row)
        return json_null();
    size_plant_text(a, plant, sizeof plant);
    return json_pack("{s:o, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:O?, s:o, s:o}", "name", yk_json_any(a->row->name),
                     "plant", plant, "stroke_used", a->needed.stroke, "force_used", a->needed.force, "curve_used",
                     a->needed.curve, "most_at_s", a->needed.at_s, "flow_m3_s", a->needed.flow, "moved_kg", a->moved_kg,
                     "sheet", a->sheet, "measured_delay_s", yk_json_number(a->measured_delay_s[0]),
                     "measured_gain_at_bandwidth", yk_json_number(a->measured_gain));
}

static int print_as_json(const struct sizing *s)
{
    json_t *demand = json_object(), *proposal = json_object();

    for (size_t i = 0; i < s->count; i++) {
        json_object_set_new(demand, s->of[i].name, demand_json(&s->of[i]));
        json_object_set_new(proposal, s->of[i].name, proposal_json(&s->of[i]));
    }
    return yk_print_json(json_pack("{s:o, s:f, s:o, s:o, s:O?}", "title", yk_json_any(yk_model_title(s->model)),
                                   "reserve", s->words->size.reserve, "demand", demand, "proposal", proposal, "verdict",
                                   s->verdict));
}

/* ---- the command ---- */

static enum yk_status draw(const struct sizing *s, struct yk_err *err)
{
    struct yk_sizing_picture pictures[SIZE_ACTUATORS];
    double speeds[SIZE_ACTUATORS][21];

    for (size_t i = 0; i < s->count; i++) {
        const struct sized *a = &s->of[i];
        const size_t points = a->row ? 21 : 0;

        for (size_t k = 0; k < points; k++)
            speeds[i][k] = yk_actuator_speed(a->row, a->row->force * (double)k / 20);
        pictures[i] = (struct yk_sizing_picture){a->name, &a->asked, points, a->row ? a->row->force : 0, speeds[i]};
    }
    return yk_sizing_draw(pictures, s->count, yk_model_title(s->model), s->words->size.plot, err);
}

static int exit_code(const struct sizing *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (!s->of[i].row)
            return 4;
    return strcmp(yk_json_text(s->verdict, "level"), "unusable") == 0 ? 4 : 0;
}

static int size(struct sizing *s)
{
    const char *table = find_table(s->words->size.table);
    struct yk_err err = {0};
    int code;

    if ((s->words->size.plot && yk_figure_check_path(s->words->size.plot, &err)) ||
        yk_actuator_table_read(&s->table, table, &err) || size_ask(s, &err) || size_choose(s, &err))
        return yk_command_fail(&err);
    code = exit_code(s);
    if (s->words->json)
        code = print_as_json(s) ? 1 : code;
    else
        print(s, table);
    if (s->words->size.plot && draw(s, &err))
        return yk_command_fail(&err);
    if (s->words->size.plot && !s->words->json)
        printf("%s\n", s->words->size.plot);
    return code;
}

static int run(int argc, char **argv)
{
    struct size_words words = {.size.reserve = 0.15};
    struct sizing s = {.words = &words};
    struct yk_words rest;
    struct yk_err err = {0};
    int code;

    if (!yk_take_options(&command_size, argc, argv, &words, &rest))
        return 2;
    if (rest.count != 1)
        return yk_misuse(&command_size, "which experiment file?");
    if (words.json)
        yk_command_fail_in_json();
    if (yk_model_read(
            &s.model,
            &(struct yk_model_source){
                .path = rest.rest[0], .overrides = words.set.text, .override_count = words.set.count, .rehearse = true},
            &err))
        return yk_command_fail(&err);
    code = size(&s);
    for (size_t i = 0; i < s.count; i++) {
        free(s.of[i].x);
        free(s.of[i].force);
        yk_asked_free(&s.of[i].asked);
        json_decref(s.of[i].sheet);
    }
    json_decref(s.verdict);
    yk_actuator_table_free(&s.table);
    yk_model_close(s.model);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_size, run, argc, argv);
}
