/* Experiments as their parts (yoke/parts.h). */
#include "door/parts.h"

#include "door/answers.h"
#include "rig/virtual/rig.h"
#include "transfer/physical.h"

#include <stdlib.h>
#include <string.h>
#include <yoke/progress.h>

enum yk_status yk_parts_open(struct yk_parts **parts, const struct yk_model_source *source, struct yk_err *err)
{
    struct yk_parts *p = calloc(1, sizeof *p);
    enum yk_status st;

    *parts = NULL;
    if (!p)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_model_load_source(&p->model, source, err)))
        free(p);
    else
        *parts = p;
    return st;
}

void yk_parts_close(struct yk_parts *p)
{
    if (p)
        yk_model_close(p->model);
    free(p);
}

enum yk_status yk_parts_model(struct yk_model **model, const struct yk_parts *p, struct yk_err *err)
{
    return yk_model_create(model, p->model, 0, err);
}

const struct yk_node *yk_parts_tree(const struct yk_parts *p)
{
    return p->model->tree;
}

const char *yk_parts_title(const struct yk_parts *p)
{
    return p->model->title;
}

const char *yk_parts_method(const struct yk_parts *p)
{
    return yk_model_method(p->model);
}

const char *yk_parts_path(const struct yk_parts *p)
{
    return p->model->path;
}

const char *yk_parts_overrides(const struct yk_parts *p)
{
    return p->model->overrides;
}

const char *yk_parts_note(const struct yk_parts *p, size_t k)
{
    return k < p->model->notes->count ? p->model->notes->items[k] : NULL;
}

double yk_parts_step(const struct yk_parts *p)
{
    return p->model->time.step;
}

double yk_parts_end(const struct yk_parts *p)
{
    return p->model->time.end;
}

long yk_parts_steps(const struct yk_parts *p)
{
    return p->model->steps;
}

/* ---- substructures ---- */

size_t yk_parts_count(const struct yk_parts *p)
{
    return p->model->substructure_count;
}

long yk_parts_find(const struct yk_parts *p, const char *name)
{
    for (size_t k = 0; k < p->model->substructure_count; k++)
        if (strcmp(p->model->substructures[k].name, name) == 0)
            return (long)k;
    return -1;
}

const struct yk_substructure *yk_part(const struct yk_parts *p, size_t k)
{
    return &p->model->substructures[k];
}

bool yk_part_is_specimen(const struct yk_parts *p, size_t k)
{
    return yk_is_physical(p->model->substructures[k].system);
}

const double *yk_part_places(const struct yk_parts *p, size_t k)
{
    return p->model->parts[k].place;
}

size_t yk_part_elements(const struct yk_parts *p, size_t k)
{
    return p->model->parts[k].probes.count;
}

const double *yk_part_member(const struct yk_parts *p, size_t k, size_t i)
{
    const struct yk_probe *probe = &p->model->parts[k].probes.items[i];

    return probe->terms ? probe->ends[0] : NULL;
}

size_t yk_part_anchors(const struct yk_parts *p, size_t k)
{
    return p->model->parts[k].anchors.count;
}

const double *yk_part_anchor(const struct yk_parts *p, size_t k, size_t i)
{
    return p->model->parts[k].anchors.at[i][0];
}

const struct yk_frame *yk_part_frame(const struct yk_parts *p, size_t k, const long **index)
{
    const struct yk_part *part = &p->model->parts[k];

    if (index)
        *index = part->index;
    return part->index ? &part->frame : NULL;
}

json_t *yk_part_sections(const struct yk_parts *p, size_t k)
{
    return yk_sections_json(&p->model->parts[k].sections);
}

void yk_part_print_sections(const struct yk_parts *p, size_t k, const char *indent, FILE *out)
{
    yk_sections_print(&p->model->parts[k].sections, indent, out);
}

/* ---- how they are joined and loaded ---- */

const struct yk_assembly *yk_parts_assembly(const struct yk_parts *p)
{
    return p->model->assembly;
}

size_t yk_parts_rows(const struct yk_parts *p)
{
    return p->model->row_count;
}

const struct yk_row *yk_parts_row(const struct yk_parts *p, size_t i)
{
    return &p->model->rows[i];
}

bool yk_parts_return_mass(struct yk_parts *p)
{
    return yk_model_return_mass(p->model);
}

size_t yk_parts_loads(const struct yk_parts *p)
{
    return p->model->load_count;
}

const struct yk_load *yk_parts_load(const struct yk_parts *p, size_t i)
{
    return &p->model->loads[i];
}

void yk_parts_load_at(const struct yk_parts *p, size_t k, double t, double *f)
{
    yk_model_load_at(p->model, k, t, f);
}

enum yk_status yk_part_ground(const struct yk_parts *p, size_t k, const size_t *dofs, size_t count,
                              struct yk_ground *ground, struct yk_err *err)
{
    return yk_model_ground(p->model, k, dofs, count, ground, err);
}

/* ---- its actuators ---- */

size_t yk_parts_actuators(const struct yk_parts *p)
{
    return yk_station_count(p->model->station);
}

const char *yk_parts_actuator(const struct yk_parts *p, size_t i)
{
    return yk_station_name(p->model->station, i);
}

const char *yk_parts_commanded(const struct yk_parts *p, size_t i)
{
    return yk_command_word(yk_station_kind(p->model->station, i));
}

bool yk_parts_simulate(const struct yk_parts *p)
{
    return !p->model->station || yk_station_simulates(p->model->station);
}

struct yk_pace yk_parts_pace(const struct yk_parts *p)
{
    return p->model->station ? yk_station_pace(p->model->station) : (struct yk_pace){0};
}

struct yk_swept yk_parts_swept(struct yk_parts *p, bool mounted)
{
    struct yk_swept swept = {.count = yk_station_count(p->model->station),
                             .sensors = yk_station_plan(p->model->station)->sensor_count};

    swept.rig = yk_station_rig(p->model->station, &swept.self);
    struct yk_virtual_rig *simulation = yk_rig_simulation(swept.rig, swept.self);
    if (!mounted && simulation)
        yk_virtual_rig_dismount(simulation);
    return swept;
}

bool yk_command_actuator(const struct yk_parts *parts, const char *name, size_t *index)
{
    const struct yk_model *model = parts->model;
    const long found = model->station ? name ? yk_station_find(model->station, name) : 0 : -1;

    *index = found < 0 ? 0 : (size_t)found;
    if (found >= 0)
        return true;
    if (!model->station) {
        fprintf(
            stderr,
            "yoke: %s: no substructure is physical, so there is no actuator; give one of them 'role: physical' and a "
            "'rig'\n",
            model->path);
        return false;
    }
    fprintf(stderr, "yoke: %s: there is no actuator '%s'; there are:", model->path, name);
    for (size_t i = 0; i < yk_station_count(model->station); i++)
        fprintf(stderr, " %s", yk_station_name(model->station, i));
    fputc('\n', stderr);
    return false;
}
