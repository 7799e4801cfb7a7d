/* The section `channels` as a table, whatever backend is used. */
#include "experiment/channel_rows.h"

#include "experiment/channels.h"

#include "transfer/station.h"

#include <stdlib.h>
#include <string.h>

/* Unit of a channel: of the quantity of an actuator, or of a sensor. */
static const char *unit_of(const struct yk_model *e, const char *key)
{
    static const struct {
        const char *word;
        const char *units[2]; /* straight, rotary */
    } quantities[] = {{"displacement", {"m", "rad"}},
                      {"velocity", {"m/s", "rad/s"}},
                      {"acceleration", {"m/s2", "rad/s2"}},
                      {"force", {"N", "N m"}},
                      {"feed_velocity", {"m/s", "rad/s"}},
                      {"feed_force", {"N", "N m"}},
                      {"feed_acceleration", {"m/s2", "rad/s2"}},
                      {"force_command", {"N", "N m"}}};
    const struct yk_rig_plan *plan = yk_station_plan(e->station);
    const char *dot = strrchr(key, '.');

    for (size_t k = 0; strncmp(key, "sensor.", 7) == 0 && k < plan->sensor_count; k++)
        if (strcmp(key + 7, plan->sensors[k].name) == 0)
            return plan->sensors[k].unit;
    for (size_t i = 0; dot && i < yk_station_count(e->station); i++) {
        const char *name = yk_station_name(e->station, i);

        if (strlen(name) != (size_t)(dot - key) || strncmp(key, name, strlen(name)) != 0)
            continue;
        for (size_t k = 0; k < sizeof quantities / sizeof *quantities; k++)
            if (strcmp(dot + 1, quantities[k].word) == 0)
                return quantities[k].units[yk_station_turns(e->station, i)];
        return yk_station_unit(e->station, i);
    }
    return "";
}

static double zero_of(const struct yk_model *e, const char *key)
{
    for (size_t k = 0; k < e->zero_count; k++)
        if (strcmp(e->zeros[k].channel, key) == 0)
            return e->zeros[k].zero;
    return 0;
}

enum yk_status yk_channel_rows(const struct yk_model *e, struct yk_channel_row **rows, size_t *count,
                               struct yk_err *err)
{
    const struct yk_node *all = yk_node_get(e->tree, "channels");
    enum yk_status st = YK_OK;

    *count = 0;
    if (!(*rows = calloc((all ? all->count : 0) + 1, sizeof **rows)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; all && e->station && k < all->count && !st; k++) {
        const struct yk_node *map = all->items[k], *raw = yk_node_get(map, "raw");
        struct yk_channel_row *row = &(*rows)[(*count)++];

        *row = (struct yk_channel_row){.name = map->key,
                                       .raw = raw && raw->text ? raw->text : "",
                                       .unit = unit_of(e, map->key),
                                       .scale = YK_RAW_IS_SI,
                                       .zero = zero_of(e, map->key)};
        for (size_t r = 0; r < yk_build_rig_count(e) && !st; r++) {
            struct yk_rig_names names;

            if (!(st = yk_rig_names_of(e, yk_build_rig_at(e, r), NULL, &names, err)))
                st = yk_rig_channel_read(map, &names, &row->scale, err);
            yk_rig_names_free(&names);
        }
    }
    return st;
}
