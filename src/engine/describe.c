/* Description of a run for pages about it: the structure to draw, actuators and limits. JSON. */
#include "engine/engine.h"

#include "base/json.h"
#include "experiment/channel_rows.h"
#include "transfer/physical.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/gauge.h>

/* A sketch of more is a blot. Of larger models only the degrees of freedom with interfaces and loads are named. */
enum { MOST_DOFS = 300, MOST_LINES = 3000, MOST_ROWS = 1000 };
_Static_assert((int)YK_WINDOW <= (int)YK_GAUGE_WINDOW, "gauges average over as many rows as the supervisor");

/* A name of a file, or what is left of it when it is not UTF-8. */
static json_t *name_of(const char *text)
{
    json_t *json = json_string(text);

    return json ? json : json_string("?");
}

/* null where it is unknown */
static json_t *point(const double *at)
{
    return at && isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]) ? json_pack("[f, f, f]", at[0], at[1], at[2])
                                                                       : json_null();
}

/* ---- the structure ---- */

/* Does an interface or a load act on it? */
static bool is_used(const struct yk_model *model, size_t k, size_t dof)
{
    for (size_t r = 0; r < model->row_count; r++)
        for (size_t t = 0; t < model->rows[r].count; t++)
            if (model->rows[r].substructure[t] == k && model->rows[r].dof[t] == dof)
                return true;
    for (size_t l = 0; l < model->load_count; l++)
        if (model->loads[l].substructure == k && !model->loads[l].ground && model->loads[l].direction[dof] != 0)
            return true;
    return false;
}

/* Name and place of each degree of freedom; of large models only those in use. */
static void add_dofs(const struct yk_model *model, size_t k, json_t *substructure)
{
    const struct yk_substructure *s = &model->substructures[k];
    json_t *dofs = json_array(), *places = json_array();
    const double *place = model->parts[k].place;

    for (size_t i = 0; i < s->system->n; i++) {
        if (s->system->n > MOST_DOFS && !is_used(model, k, i))
            continue;
        json_array_append_new(dofs, name_of(s->dofs[i]));
        json_array_append_new(places, point(place ? place + 3 * i : NULL));
    }
    json_object_set_new(substructure, "dofs", dofs);
    json_object_set_new(substructure, "places", places);
}

/* The end of an element: a degree of freedom by its name, null for the ground, "base" for one that is moved. */
static json_t *end_of(const struct yk_substructure *s, long dof)
{
    return dof >= 0 ? name_of(s->dofs[dof]) : dof == -1 ? json_null() : json_string("base");
}

static void add_line(json_t *lines, const double *from, const double *to)
{
    json_array_append_new(lines, json_pack("[o, o]", point(from), point(to)));
}

/* The first degree of freedom at the same place. */
static size_t node_of(const double *place, size_t dof)
{
    size_t first = 0;

    while (memcmp(place + 3 * first, place + 3 * dof, 3 * sizeof *place) != 0)
        first++;
    return first;
}

/* Lines of a model without members: to its supports, and between the nodes that its stiffness couples. */
static void add_couplings(const struct yk_model *model, size_t k, json_t *lines)
{
    const struct yk_system *system = model->substructures[k].system;
    const size_t n = system->n;
    const double *place = model->parts[k].place;
    bool *joined = place && n <= MOST_DOFS ? calloc(n * n + 1, sizeof *joined) : NULL;

    for (size_t i = 0; joined && i < model->parts[k].anchors.count && i < MOST_LINES; i++)
        add_line(lines, model->parts[k].anchors.at[i][0], model->parts[k].anchors.at[i][1]);
    for (size_t i = 0; joined && i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const size_t a = node_of(place, i), b = node_of(place, j);

            if (a == b || joined[a * n + b] || yk_matrix_get(&system->K, i, j) == 0)
                continue;
            joined[a * n + b] = joined[b * n + a] = true;
            add_line(lines, place + 3 * i, place + 3 * j);
        }
    free(joined);
}

/* Held nodes with the names of what is held. Held nodes of imported models are held in all directions. */
static json_t *supports_of(const struct yk_model *model, size_t k)
{
    static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
    json_t *all = json_array();

    for (size_t i = 0; i < model->parts[k].held.count && i < MOST_DOFS; i++) {
        const struct yk_support *s = &model->parts[k].held.items[i];
        json_t *held = json_array();

        for (unsigned d = 0; d < sizeof names / sizeof *names; d++)
            if (s->held >> d & 1)
                json_array_append_new(held, json_string(names[d]));
        json_array_append_new(all, json_pack("{s:o, s:o}", "at", point(s->at), "held", held));
    }
    for (size_t i = 0; i < model->parts[k].anchors.count && i < MOST_DOFS; i++)
        json_array_append_new(all,
                              json_pack("{s:o, s:s}", "at", point(model->parts[k].anchors.at[i][1]), "held", "all"));
    return all;
}

/* Members of frames as lines between points, other elements by what they connect. */
static void add_elements(const struct yk_model *model, size_t k, json_t *substructure)
{
    const struct yk_probes *probes = &model->parts[k].probes;
    json_t *lines = json_array(), *members = json_array(), *elements = json_array();

    for (size_t i = 0; i < probes->count && i < MOST_LINES; i++) {
        const struct yk_probe *p = &probes->items[i];

        if (p->terms) {
            add_line(lines, p->ends[0], p->ends[1]);
            json_array_append_new(members, name_of(p->name));
        } else if (p->element.law)
            json_array_append_new(elements,
                                  json_pack("{s:o, s:s, s:o, s:o}", "name", name_of(p->name), "law",
                                            p->element.law->name, "from", end_of(&model->substructures[k], p->element.from),
                                            "to", end_of(&model->substructures[k], p->element.to)));
    }
    if (json_array_size(lines) == 0)
        add_couplings(model, k, lines);
    json_object_set_new(substructure, "lines", lines);
    json_object_set_new(substructure, "members", members);
    json_object_set_new(substructure, "elements", elements);
    json_object_set_new(substructure, "supports", supports_of(model, k));
}

static json_t *actuators_of(const struct yk_model *model, const struct yk_system *system)
{
    size_t first = 0;
    const size_t count = yk_is_physical(system) ? yk_physical_actuators(system, &first) : 0;
    json_t *names = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(names, name_of(yk_station_name(model->station, first + i)));
    return names;
}

static json_t *substructure_object(const struct yk_model *model, size_t k)
{
    const struct yk_substructure *s = &model->substructures[k];
    json_t *all =
        json_pack("{s:o, s:o, s:s, s:s, s:I, s:o}", "name", name_of(s->name), "kind", name_of(yk_model_kind(model, k)),
                  "role", yk_is_physical(s->system) ? "physical" : "numerical", "rate",
                  model->coupling && !model->substructures[k].fine ? "coarse" : "fine", "dof_count",
                  (json_int_t)s->system->n, "actuators", actuators_of(model, s->system));

    add_dofs(model, k, all);
    add_elements(model, k, all);
    return all;
}

static json_t *interfaces_array(const struct yk_model *model)
{
    json_t *all = json_array();

    for (size_t r = 0; r < model->row_count && r < MOST_ROWS; r++) {
        const struct yk_row *row = &model->rows[r];
        json_t *terms = json_array();
        char number[24];

        snprintf(number, sizeof number, "%zu", r);
        for (size_t t = 0; t < row->count; t++) {
            const struct yk_substructure *s = &model->substructures[row->substructure[t]];

            json_array_append_new(terms, json_pack("{s:o, s:o, s:f}", "substructure", name_of(s->name), "dof",
                                                   name_of(s->dofs[row->dof[t]]), "factor", row->coefficient[t]));
        }
        json_array_append_new(all,
                              json_pack("{s:o, s:o}", "name",
                                        name_of(model->row_names && model->row_names[r] ? model->row_names[r] : number),
                                        "terms", terms));
    }
    return all;
}

/* -1 for a force that mostly acts against its degree of freedom, such as a weight along a vertical axis. */
static int sign_of(const struct yk_load *load, double end_s)
{
    enum { SAMPLES = 2000 };
    double least = 0, most = 0;

    for (int i = 0; i <= SAMPLES; i++) {
        const double value = load->signal->value(load->settings, end_s * i / SAMPLES);

        least = fmin(least, value);
        most = fmax(most, value);
    }
    return -least > 1.5 * most ? -1 : 1; /* about as much both ways: no sign of its own */
}

/* Loads with their degrees of freedom; none for a ground motion, which acts on the whole substructure. */
static json_t *loads_array(const struct yk_model *model)
{
    json_t *all = json_array();

    for (size_t l = 0; l < model->load_count; l++) {
        const struct yk_load *load = &model->loads[l];
        const struct yk_substructure *s = &model->substructures[load->substructure];
        json_t *dofs = json_array();
        char words[96];

        for (size_t i = 0; !load->ground && i < s->system->n && json_array_size(dofs) < MOST_DOFS; i++)
            if (load->direction[i] != 0)
                json_array_append_new(dofs, name_of(s->dofs[i]));
        snprintf(words, sizeof words, "%s, %s", load->ground ? "ground motion" : "force", load->signal->name);
        json_array_append_new(all, json_pack("{s:o, s:b, s:o, s:i, s:o, s:I}", "substructure", name_of(s->name),
                                             "ground", load->ground, "dofs", dofs, "sign",
                                             load->ground ? 1 : sign_of(load, model->time.end), "words", name_of(words),
                                             "entry", (json_int_t)load->entry));
    }
    return all;
}

/* ---- limits ---- */

/* `actuator`: SIZE_MAX for those of the whole run. */
static json_t *limits_array(const struct yk_supervisor *s, size_t actuator)
{
    const bool of_one = actuator != SIZE_MAX;
    json_t *all = json_array();

    for (int k = of_one ? 0 : YK_LIMITS_OF_ONE; k < (of_one ? (int)YK_LIMITS_OF_ONE : (int)YK_LIMIT_BAD_READING); k++) {
        const enum yk_limit_kind kind = (enum yk_limit_kind)k;
        const double most = yk_supervisor_limit(s, kind, actuator);
        const struct yk_own_limits *own = of_one ? &s->supervised[actuator].own : &(struct yk_own_limits){0};

        if (most > 0)
            json_array_append_new(all,
                                  json_pack("{s:s, s:s, s:s, s:f, s:s}", "limit", yk_limit_key(kind), "words",
                                            yk_limit_words(kind), "unit", yk_limit_unit(kind, own->kind, own->turns),
                                            "max", most, "action", yk_action_text(yk_supervisor_action(s, kind))));
    }
    return all;
}

static json_t *actuators_array(const struct yk_model *model)
{
    json_t *all = json_array();

    for (size_t k = 0; k < model->substructure_count; k++) {
        const struct yk_system *system = model->substructures[k].system;
        size_t first = 0;
        const size_t count = yk_is_physical(system) ? yk_physical_actuators(system, &first) : 0;

        for (size_t i = first; i < first + count; i++)
            json_array_append_new(all, json_pack("{s:o, s:o, s:b, s:s, s:i, s:o}", "name",
                                                 name_of(yk_station_name(model->station, i)), "specimen",
                                                 name_of(model->substructures[k].name), "rotary",
                                                 yk_station_turns(model->station, i), "command",
                                                 yk_command_word(yk_station_kind(model->station, i)), "window",
                                                 yk_station_supervisor(model->station)->limits.window, "limits",
                                                 limits_array(yk_station_supervisor(model->station), i)));
    }
    return all;
}

json_t *yk_calibration_json(const struct yk_model *model)
{
    json_t *all = json_array();

    for (size_t i = 0; i < model->zero_count; i++) {
        const struct yk_taken_zero *z = &model->zeros[i];

        json_array_append_new(all,
                              json_pack("{s:o, s:o, s:f, s:f, s:f, s:f, s:o}", "channel", name_of(z->channel), "unit",
                                        name_of(z->unit), "zero", z->zero, "command", z->command, "deviation",
                                        z->deviation, "seconds", z->seconds, "date", name_of(z->date)));
    }
    return all;
}

json_t *yk_channel_scales_json(const struct yk_model *model)
{
    struct yk_channel_row *rows = NULL;
    struct yk_err unread = {0};
    json_t *all = json_array();
    size_t count = 0;

    if (!yk_channel_rows(model, &rows, &count, &unread))
        for (size_t i = 0; i < count; i++)
            json_array_append_new(all,
                                  json_pack("{s:o, s:o, s:o, s:f, s:f, s:f}", "channel", name_of(rows[i].name), "raw",
                                            name_of(rows[i].raw), "unit", name_of(rows[i].unit), "scale",
                                            rows[i].scale.scale, "offset", rows[i].scale.offset, "zero", rows[i].zero));
    free(rows);
    return all;
}

json_t *yk_certificates_json(const struct yk_model *model)
{
    json_t *all = json_array();

    for (size_t i = 0; i < model->certificate_count; i++) {
        const struct yk_certificate *c = &model->certificates[i];

        json_array_append_new(all,
                              json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:f, s:I}", "channel",
                                        name_of(c->channel), "sensor", name_of(c->sensor), "serial", name_of(c->serial),
                                        "certificate", name_of(c->certificate), "date", name_of(c->date), "due",
                                        name_of(c->due), "uncertainty", c->uncertainty, "as_found", c->as_found,
                                        "as_left", c->as_left, "overdue_days", (json_int_t)c->overdue_days));
    }
    return all;
}

char *yk_run_description(const struct yk_model *model)
{
    void *self;
    json_t *substructures = json_array(), *all;
    char *text;

    for (size_t k = 0; k < model->substructure_count; k++)
        json_array_append_new(substructures, substructure_object(model, k));
    all = json_pack("{s:f, s:f, s:i, s:f, s:f, s:I, s:o, s:{s:o, s:o, s:o}, s:o, s:o, s:o, s:o, s:o}", "step_s",
                    model->time.step, "end_s", model->time.end, "substeps", model->time.substeps, "control_rate_hz",
                    model->time.control_rate, "scale", model->time.scale, "steps", (json_int_t)model->steps, "rig",
                    model->station ? json_string(yk_station_rig(model->station, &self)->name) : json_null(), "sketch",
                    "substructures", substructures, "interfaces", interfaces_array(model), "loads", loads_array(model),
                    "actuators", actuators_array(model), "limits",
                    model->station ? limits_array(yk_station_supervisor(model->station), SIZE_MAX) : json_array(),
                    "calibration", yk_calibration_json(model), "channels", yk_channel_scales_json(model), "notes",
                    yk_json_notes(model->notes));
    text = all ? json_dumps(all, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(all);
    return text;
}

struct yk_recording_info yk_run_info(const struct yk_model *model, const char *method, const char *description,
                                     const struct yk_provenance *provenance)
{
    return (struct yk_recording_info){.title = model->title,
                                      .experiment = model->text,
                                      .experiment_path = model->path,
                                      .overrides = model->overrides,
                                      .build = yk_build_id(),
                                      .method = method,
                                      .provenance = provenance,
                                      .description = description};
}
