/* The register map of the backend `modbus`. */
#include "experiment/signals.h"

#include "rig/modbus.h"

#include <stdlib.h>

struct entry {
    int type, word_order;
};

const struct yk_param yk_keys_register[] = {
    YK_CHOICE(struct entry, type, "u16|i16|u32|i32|f32|u64|i64|f64", 1,
              "of a value in registers; those of 32 bits take two, those of 64 bits four. Coils and inputs have none"),
    YK_CHOICE(struct entry, word_order, "settings|big|little", 0, "of more than one register"),
    YK_NODE("holding", "address", 0, "a holding register, from 0 as on the wire: 40101 of a manual is 100"),
    YK_NODE("input", "address", 0, "an input register: readings only"),
    YK_NODE("coil", "address", 0, "a coil: lines"),
    YK_NODE("discrete", "address", 0, "a discrete input: lines that are inputs"),
    YK_NODE("scale", "number with unit", 0, "deprecated: write it into the section `channels`"),
    YK_NODE("offset", "number with unit", 0, "deprecated, likewise"),
    YK_PARAM_END,
};

/* Reads the place of a point, and the signal or line that its name refers to. */
static enum yk_status read_point(const struct yk_node *map, const struct yk_rig_names *names, struct yk_modbus_point *p,
                                 struct yk_err *err)
{
    static const char *const keys[YK_MODBUS_AREA_COUNT + 1] = {
#define X(id, key, ...) [YK_MODBUS_##id] = key,
        YK_MODBUS_AREAS(X)
#undef X
    };
    static const char *const needs[] = {"a coil or a discrete input", "a register"};
    struct yk_rig_entry means;
    int area;
    enum yk_status st;

    if ((st = yk_rig_place(map, keys, 65535, &area, &p->address, err)))
        return st;
    p->area = (enum yk_modbus_area)area;
    if ((st = yk_rig_entry(names, map, yk_modbus_has_bits(p->area), needs, &means, err)))
        return st;
    p->writes = means.writes;
    p->index = means.index;
    if (p->writes && (p->area == YK_MODBUS_INPUT || p->area == YK_MODBUS_DISCRETE))
        return yk_fail_at(err, YK_E_INPUT, map->key_where, "'%s' is written: it needs a holding register or a coil",
                          map->key);
    return means.line ? YK_OK : yk_rig_scale(names, map, map->key, means.writes, means.index, means.quantity, err);
}

enum yk_status yk_build_modbus(const struct yk_model *e, const struct yk_node *settings,
                               const struct yk_rig_names *names, void *self, struct yk_err *err)
{
    static const struct yk_field_context plain = {.directory = "", .force_means = YK_FORCE};
    static const enum yk_field_type types[] = {YK_TYPE_U16, YK_TYPE_I16, YK_TYPE_U32, YK_TYPE_I32,
                                               YK_TYPE_F32, YK_TYPE_U64, YK_TYPE_I64, YK_TYPE_F64};
    struct yk_modbus_rig *u = self;
    const struct yk_node *all;
    enum yk_status st;

    if ((st = yk_rig_map(settings, "the registers of the device", &all, err)))
        return st;
    if (!(u->map.points = calloc(all->count + 1, sizeof *u->map.points)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the register map");
    for (; u->map.count < all->count && !st; u->map.count++) {
        const struct yk_node *map = all->items[u->map.count];
        struct yk_modbus_point *p = &u->map.points[u->map.count];
        struct entry entry;

        if ((st = yk_field_type(map, YK_MAP, "a map: { holding: 100, type: i32 }", err)) ||
            (st = yk_field_known(map, yk_keys_register, NULL, err)) ||
            (st = yk_field_settings(map, yk_keys_register, &entry, &plain, err)))
            break;
        p->type = types[entry.type];
        p->low_first = entry.word_order ? entry.word_order == 2 : u->word_order == 1;
        st = read_point(map, names, p, err);
    }
    if (!st && (st = yk_modbus_plan(&u->map, u->combine, err)))
        yk_fail_within(err, all->where, "%s", "");
    return st;
}
