/* The backend of a rig: found by its name, with its settings read and checked. Nothing is opened here. */
#include "experiment/backend.h"
#include "experiment/channels.h"

#include "experiment/components.h"
#include "experiment/signals.h"

#include "rig/virtual/rig.h"
#include "transfer/station.h"
#include <yoke/plugin.h>

#include <stdlib.h>
#include <string.h>

YK_COMPONENT_NAMES(rig)

/* ---- its name ---- */

/* The backend that the file names, or that of the library of a plugin. */
static enum yk_status find_named(const struct yk_model *e, const struct yk_node *section, const struct yk_rig_ops **rig,
                                 struct yk_err *err)
{
    const struct yk_node *backend = yk_node_get(section, "backend"), *settings = yk_node_get(section, "settings");
    const struct yk_plugin *plugin;
    enum yk_status st;

    if (settings && (st = yk_field_type(settings, YK_MAP, "a map", err)))
        return st;
    if (yk_is_plugin(backend)) {
        if (!settings)
            return yk_fail_at(err, YK_E_INPUT, backend->where,
                              "a plugin needs rig.settings with 'library', the shared object to load");
        if (!(st = yk_build_plugin(e, backend, settings, "backends", &plugin, err)))
            *rig = plugin->rig;
        return st;
    }
    if ((*rig = yk_rig_find(backend->text)))
        return YK_OK;
    return yk_component_unknown_name(backend, "backend", next_rig, &(const struct yk_rig_ops *const *){yk_rigs}, err);
}

enum yk_status yk_build_find_backend(const struct yk_model *e, const struct yk_node *section,
                                     const struct yk_rig_ops **rig, struct yk_err *err)
{
    const struct yk_node *backend = yk_node_get(section, "backend"), *actuators = yk_node_get(section, "actuators");

    if (e->players != YK_PLAYED_BY_VIRTUAL_RIG)
        return find_named(e, section, rig, err);
    if (strcmp(backend->text, yk_rig_virtual.name) != 0 && (!actuators || actuators->type == YK_LIST))
        return yk_fail_at(err, YK_E_INPUT, backend->where,
                          "this uses the virtual rig instead of %s and needs rig.actuators and rig.specimen",
                          backend->text);
    *rig = &yk_rig_virtual;
    return YK_OK;
}

/* ---- what it has to serve ---- */

struct wanted {
    struct yk_rig_names names;
    struct yk_rig_scales scales;
    struct yk_rig_plan plan; /* without x0 and mem */
};

static void free_wanted(struct wanted *w)
{
    yk_rig_names_free(&w->names);
    yk_rig_scales_free(&w->scales);
    free((void *)w->plan.sensors);
    free((void *)w->plan.lines);
}

/* parts: the station is being built from them; NULL: it exists already. */
static enum yk_status find_wanted(const struct yk_model *e, const struct yk_node *section,
                                  const struct yk_station_parts *parts, struct wanted *w, struct yk_err *err)
{
    const struct yk_rig_plan *built = parts ? NULL : yk_station_plan(e->station);
    const struct yk_rig_line *all = parts ? parts->lines : built->lines;
    const size_t count = parts ? parts->line_count : built->line_count;
    enum yk_status st = yk_rig_names_of(e, section, parts, &w->names, err);

    if (st || (st = yk_rig_scales_make(&w->scales, &w->names, err)))
        return st;
    w->names.scales = &w->scales;
    const struct yk_node *sensor_map = w->names.sensors, *line_map = w->names.lines;
    const size_t sensors = sensor_map ? sensor_map->count : 0, lines = line_map ? line_map->count : 0;
    struct yk_rig_sensor *sensor = calloc(sensors + 1, sizeof *sensor);
    struct yk_rig_line *line = calloc(lines + 1, sizeof *line);

    w->plan = (struct yk_rig_plan){.count = w->names.count,
                                   .names = w->names.names,
                                   .kinds = w->names.kinds,
                                   .others = w->names.others,
                                   .tick = 1 / e->time.control_rate,
                                   .sensor_count = sensors,
                                   .sensors = sensor,
                                   .line_count = lines,
                                   .lines = line,
                                   .feeds_forward = w->names.feeds_forward};
    if (!sensor || !line)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    for (size_t i = 0; i < sensors; i++)
        sensor[i] = (struct yk_rig_sensor){sensor_map->items[i]->key, ""};
    for (size_t i = 0; i < lines; i++)
        for (size_t k = 0; k < count; k++)
            if (strcmp(all[k].name, line_map->items[i]->key) == 0)
                line[i] = all[k];
    return YK_OK;
}

/* Can the backend do what the file asks of it? */
static enum yk_status check_abilities(const struct yk_node *section, const struct yk_rig_plan *plan,
                                      const struct yk_rig_ops *rig, struct yk_err *err)
{
    const char *cannot = NULL;

    if (plan->sensor_count && !(rig->can & YK_RIG_SENSORS))
        cannot = "no sensors beside those of its actuators";
    if (plan->line_count && !(rig->can & YK_RIG_LINES))
        cannot = "no digital lines";
    for (size_t i = 0; i < plan->count; i++)
        if (plan->kinds[i] != YK_BY_DISPLACEMENT && !(rig->can & YK_RIG_COMMANDS))
            cannot = "commands of displacement only";
    if (plan->others && !(rig->can & YK_RIG_SWITCHES))
        cannot = "one control mode only (switch)";
    if (plan->feeds_forward && !(rig->can & YK_RIG_FEED_FORWARD))
        cannot = "no feed-forward";
    return cannot ? yk_fail_at(err, YK_E_UNSUPPORTED, yk_node_get(section, "backend")->where, "backend %s has %s",
                               rig->name, cannot)
                  : YK_OK;
}

/* ---- its settings ---- */

/* Backends with settings that no table holds. */
static const struct {
    const char *backend;
    yk_build_backend *build;
} builders[] = {{"udp-raw", yk_build_udp_raw},
                {"modbus", yk_build_modbus},
                {"comedi", yk_build_comedi},
                {"ethercat", yk_build_ethercat}};

static enum yk_status read_settings(const struct yk_model *e, const struct yk_node *section,
                                    const struct yk_node *settings, const struct yk_rig_names *names,
                                    const struct yk_rig_ops *rig, void **self, struct yk_err *err)
{
    const struct yk_node *backend = yk_node_get(section, "backend");
    const struct yk_component_kind kind = YK_COMPONENT_KIND(rig, YK_NUMBER);
    enum yk_status st;

    if ((st = yk_component_read(e->directory, YK_EITHER, settings, &kind, yk_is_plugin(backend) ? yk_keys_plugin : NULL,
                                self, err)))
        return yk_fail_within(err, settings->where.file ? YK_NOWHERE : backend->where, "%s", "");
    for (size_t k = 0; k < sizeof builders / sizeof *builders && !st; k++)
        if (strcmp(builders[k].backend, rig->name) == 0)
            st = builders[k].build(e, settings, names, *self, err);
    return st;
}

/* Does it have all that it needs? A failure is placed at the setting that it names, or at all of them. */
static enum yk_status check_settings(const struct yk_node *section, const struct yk_node *settings,
                                     const struct yk_rig_plan *plan, const struct yk_rig_ops *rig, const void *self,
                                     struct yk_err *err)
{
    const enum yk_status st = rig->check ? rig->check(self, plan, err) : YK_OK;
    const struct yk_node *at = st && *err->subject ? yk_node_get(settings, err->subject) : NULL;

    at = at ? at : settings;
    if (st)
        yk_fail_within(err, at->where.file ? at->where : yk_node_get(section, "backend")->where, "%s", "");
    return st;
}

/* Refuses different zeros of command and reading, unless the device reports its position: it is then enabled there. */
static enum yk_status check_scales(const struct yk_node *section, const struct yk_node *settings,
                                   const struct yk_rig_names *names, const struct yk_rig_ops *rig, struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(settings, "map"), *at = map ? map : yk_node_get(settings, "commands");

    at = at ? at : settings->where.file ? settings : yk_node_get(section, "backend");
    return rig->position ? YK_OK : yk_rig_scales_check(names, rig->name, at->where, err);
}

/* Hands the scales to the station, which converts the raw numbers of a backend. */
static void take_scales(const struct yk_model *e, const struct yk_station_parts *parts,
                        const struct yk_rig_names *names)
{
    yk_rig_scales_apply(names, parts);
    if (names->scales->old.file)
        yk_note(e->notes, names->scales->old,
                "scale and offset in the settings of a backend are read for the last time: write them into the section "
                "channels, as channels: { a1.force: { scale: 5 kN, offset: 20 N } }");
}

/* Reads and checks a section for `rig`; parts NULL: the station exists already. */
static enum yk_status read_section(const struct yk_model *e, const struct yk_node *section,
                                   const struct yk_station_parts *parts, const struct yk_rig_ops *rig, void **self,
                                   struct yk_err *err)
{
    const struct yk_node *settings = yk_node_get(section, "settings");
    struct wanted w = {0};
    enum yk_status st;

    /* settings of another backend do not concern the virtual rig */
    if (!settings || (rig->simulation && e->players == YK_PLAYED_BY_VIRTUAL_RIG))
        settings = &yk_component_nothing;
    if (!(st = find_wanted(e, section, parts, &w, err)) && !(st = check_abilities(section, &w.plan, rig, err)) &&
        (rig->simulation || !(st = yk_rig_scales_read(e, &w.names, err))) &&
        !(st = read_settings(e, section, settings, &w.names, rig, self, err)) &&
        (rig->simulation || !(st = check_scales(section, settings, &w.names, rig, err))) &&
        !(st = check_settings(section, settings, &w.plan, rig, *self, err)) && !rig->simulation && parts)
        take_scales(e, parts, &w.names);
    free_wanted(&w);
    return st;
}

enum yk_status yk_build_section(const struct yk_model *e, const struct yk_node *section,
                                const struct yk_station_parts *parts, const struct yk_rig_ops **rig, void **self,
                                struct yk_err *err)
{
    const enum yk_status st = yk_build_find_backend(e, section, rig, err);

    return st ? st : read_section(e, section, parts, *rig, self, err);
}

enum yk_status yk_model_check_backends(const struct yk_model *e, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < yk_build_rig_count(e) && e->station && !st; k++) {
        const struct yk_rig_ops *rig;
        void *self = NULL;

        if (!(st = find_named(e, yk_build_rig_at(e, k), &rig, err)) && !rig->simulation)
            st = read_section(e, yk_build_rig_at(e, k), NULL, rig, &self, err);
        if (self)
            rig->close(self);
        free(self);
    }
    return st;
}

enum yk_status yk_model_backend(const struct yk_model *e, const char *name, const char *backend, void **self,
                                struct yk_rig_scales *scales, struct yk_err *err)
{
    const struct yk_node *rigs = yk_node_get(e->tree, "rigs"),
                         *section = name ? yk_node_get(rigs, name) : yk_build_rig_at(e, 0),
                         *settings = yk_node_get(section, "settings");
    struct yk_rig_names names;
    enum yk_status st;

    *scales = (struct yk_rig_scales){0};
    if (backend && !settings)
        return yk_fail_at(err, YK_E_INPUT, section ? section->where : YK_IN_FILE(e->path),
                          "the rig has no 'settings' for the backend %s", backend);
    if ((st = yk_rig_names_of(e, section, NULL, &names, err)))
        return st;
    names.scales = scales;
    if (!(st = yk_rig_scales_make(scales, &names, err)) && !(st = yk_rig_scales_read(e, &names, err)) && backend)
        st = read_settings(e, section, settings, &names, yk_rig_find(backend), self, err);
    yk_rig_names_free(&names);
    return st;
}
