/* A map `setup`:
 *
 *     setup: { kind: pair, lever: 400 mm, geometry: exact, radius: 990 mm,
 *              calibrate: { a1: { reversed: true } }, moves: { h: [a1, a2], theta: [a1, -a2] } }
 *     setup: { kind: matrix, rows: { a1: { x: 1, theta: 200 mm }, a2: { x: 1, theta: -200 mm } } }
 *
 * `moves` states what a positive motion does: it drives a1 forwards and, with a minus, a2 backwards. */
#include "experiment/setup.h"

#include "experiment/components.h"

#include <stdlib.h>
#include <string.h>

const struct yk_param yk_keys_setup[] = {
    YK_NODE("kind", "name", YK_REQUIRED, "kind of the setup; its settings are written next to it"),
    YK_NODE("calibrate", "map of actuator to map", 0, "deprecated: write scale and offset into the section `channels`"),
    YK_NODE("moves", "map of degree of freedom to list of actuators", 0,
            "sign check: a positive motion moves these devices forwards, or backwards if the name has a minus"),
    YK_PARAM_END,
};

/* An entry of `calibrate`. */
struct device {
    double gain, offset, force_gain, force_offset;
    bool reversed;
};

const struct yk_param yk_keys_calibrate[] = {
    YK_REAL(struct device, gain, YK_STROKE_GAIN, 1, YK_TINY, 1e9,
            "stroke for one unit of the device, such as 12.5 mm/V; now channels: { a1.displacement: { scale: 12.5 mm/V "
            "} }, and likewise a1.command"),
    YK_REAL(struct device, offset, YK_DISPLACEMENT, 0, -1e3, 1e3, "stroke at which the device reads zero"),
    YK_REAL(struct device, force_gain, YK_FORCE_GAIN, 1, YK_TINY, 1e9,
            "force for one unit of the load cell, such as 5 kN/V; now channels: { a1.force: { scale: 5 kN/V } }"),
    YK_REAL(struct device, force_offset, YK_FORCE, 0, -1e9, 1e9, "force at which the load cell reads zero"),
    YK_FLAG(struct device, reversed, 0,
            "the positive direction of the device shortens the actuator; now sign: -1 in `channels`"),
    YK_PARAM_END,
};

/* A setup while it is read from its map. */
struct reading {
    const struct yk_dofs *dofs;
    size_t actuators;
    const char *const *names; /* of the actuators */
    double *rows;
    struct yk_calibration *calibration; /* of each actuator */
    double *per_unit;                   /* stroke for a unit of its device */
    struct yk_setup_sign *signs;
    size_t sign_count;
};

YK_COMPONENT_NAMES(setup)

static enum yk_status find_dof(const struct reading *r, struct yk_where where, const char *name, size_t *index,
                               struct yk_err *err)
{
    const long i = yk_dofs_find(r->dofs, name);

    *index = i < 0 ? 0 : (size_t)i;
    return i < 0 ? yk_dofs_missing(where, name, r->dofs, err) : YK_OK;
}

struct name_cursor {
    const char *const *names;
    size_t left;
};

static const char *next_name(void *self)
{
    struct name_cursor *c = self;

    return c->left ? (c->left--, *c->names++) : NULL;
}

static enum yk_status find_actuator(const struct reading *r, struct yk_where where, const char *name, size_t *index,
                                    struct yk_err *err)
{
    char hint[96];

    for (*index = 0; *index < r->actuators; ++*index)
        if (strcmp(r->names[*index], name) == 0)
            return YK_OK;
    return yk_fail_at(
        err, YK_E_INPUT, where, "the specimen has no actuator '%s'%s", name,
        yk_suggest(name, next_name, &(struct name_cursor){r->names, r->actuators}, "", hint, sizeof hint));
}

static enum yk_status read_row(struct reading *r, const struct yk_node *row, struct yk_err *err)
{
    size_t i, j;
    enum yk_status st;

    if ((st = find_actuator(r, row->key_where, row->key, &i, err)) ||
        (st = yk_field_type(row, YK_MAP, "a map of degree of freedom to number", err)))
        return st;
    for (size_t k = 0; k < row->count && !st; k++) {
        const struct yk_node *item = row->items[k];

        if (!(st = find_dof(r, item->key_where, item->key, &j, err)))
            st = yk_field_real(item, yk_dofs_sense(r->dofs->names[j]) == YK_ALONG ? YK_NUMBER : YK_LENGTH, -1e9, 1e9,
                               &r->rows[i + j * r->actuators], err);
    }
    return st;
}

static enum yk_status read_rows(struct reading *r, const struct yk_node *rows, struct yk_err *err)
{
    enum yk_status st = yk_field_type(rows, YK_MAP, "a map of actuators", err);

    if (!st && !(r->rows = calloc(r->actuators * r->dofs->n + 1, sizeof *r->rows)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; !st && k < rows->count; k++)
        st = read_row(r, rows->items[k], err);
    return st;
}

/* Forces keep the direction of the device, as do velocity and acceleration, which have no offset. */
static struct yk_calibration calibration_of(const struct device *d)
{
    const double sign = d->reversed ? -1 : 1;
    struct yk_calibration c = yk_calibration_none();

    c.read[YK_BY_DISPLACEMENT] = (struct yk_scale){sign * d->gain, d->offset};
    c.read[YK_BY_VELOCITY] = c.read[YK_BY_ACCELERATION] = (struct yk_scale){sign * d->gain, 0};
    c.read[YK_BY_FORCE] = (struct yk_scale){sign * d->force_gain, d->force_offset};
    c.sent.command = c.read[YK_BY_DISPLACEMENT];
    return c;
}

static enum yk_status read_calibration(struct reading *r, const struct yk_node *map, struct yk_err *err)
{
    static const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE};
    enum yk_status st = yk_field_type(map, YK_MAP, "a map of actuators", err);

    for (size_t k = 0; !st && k < map->count; k++) {
        const struct yk_node *item = map->items[k];
        struct device d;
        size_t i;

        if (!(st = find_actuator(r, item->key_where, item->key, &i, err)) &&
            !(st = yk_field_type(item, YK_MAP, "a map", err)) &&
            !(st = yk_field_known(item, yk_keys_calibrate, NULL, err)) &&
            !(st = yk_field_settings(item, yk_keys_calibrate, &d, &context, err)))
            r->calibration[i] = calibration_of(&d);
    }
    return st;
}

static enum yk_status read_moves(struct reading *r, const struct yk_node *map, struct yk_err *err)
{
    enum yk_status st = yk_field_type(map, YK_MAP, "a map of degrees of freedom", err);
    size_t most = 1;

    for (size_t k = 0; !st && k < map->count; k++)
        most += map->items[k]->count;
    if (!st && !(r->signs = calloc(most, sizeof *r->signs)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; !st && k < map->count; k++) {
        const struct yk_node *list = map->items[k];
        size_t dof;

        if (!(st = find_dof(r, list->key_where, list->key, &dof, err)))
            st = yk_field_type(list, YK_LIST, "a list of actuators, for example [a1, -a2]", err);
        for (size_t i = 0; !st && i < list->count; i++) {
            const struct yk_node *name = list->items[i];
            struct yk_setup_sign *s = &r->signs[r->sign_count];

            if ((st = yk_field_type(name, YK_SCALAR, "an actuator, with a minus if it moves backwards", err)))
                break;
            const bool back = name->text[0] == '-';
            *s = (struct yk_setup_sign){.dof = dof, .sign = back ? -1 : 1};
            if (!(st = find_actuator(r, name->where, name->text + back, &s->actuator, err)))
                r->sign_count++;
        }
    }
    return st;
}

static enum yk_status read_parts(struct reading *r, const struct yk_node *map, const struct yk_setup_ops *ops,
                                 void **self, struct yk_err *err)
{
    const struct yk_component_kind kind = {ops->name, ops->params, ops->size, YK_NUMBER, NULL};
    const struct yk_node *rows = yk_node_get(map, "rows"), *calibrate = yk_node_get(map, "calibrate"),
                         *moves = yk_node_get(map, "moves");
    enum yk_status st;

    if ((st = yk_component_read("", YK_EITHER, map, &kind, yk_keys_setup, self, err)) ||
        (rows && (st = read_rows(r, rows, err))) || (calibrate && (st = read_calibration(r, calibrate, err))) ||
        (moves && (st = read_moves(r, moves, err))))
        return st;
    return YK_OK;
}

/* Does the section `channels` (NULL: none) reverse the displacement of the actuator? */
static bool is_reversed(const struct yk_node *channels, const char *actuator)
{
    bool reversed = false;

    for (size_t k = 0; channels && channels->type == YK_MAP && k < channels->count; k++) {
        const struct yk_node *node = channels->items[k], *scale = yk_node_get(node, "scale"),
                             *sign = yk_node_get(node, "sign");
        const size_t length = strlen(actuator);

        if (strncmp(node->key, actuator, length) == 0 && strcmp(node->key + length, ".displacement") == 0)
            reversed = (scale && scale->text && *scale->text == '-') != (sign && sign->text && *sign->text == '-');
    }
    return reversed;
}

/* Creates the setup; the signs stated by `moves` refer to the raw numbers of the devices. */
static enum yk_status create(const struct reading *r, const struct yk_node *channels, const struct yk_setup_ops *ops,
                             void *self, struct yk_setup **setup, struct yk_arena *mem, struct yk_err *err)
{
    for (size_t i = 0; i < r->actuators; i++)
        r->per_unit[i] =
            (is_reversed(channels, r->names[i]) ? -1 : 1) * r->calibration[i].read[YK_BY_DISPLACEMENT].scale;
    return yk_setup_create(setup,
                           &(struct yk_setup_parts){.ops = ops,
                                                    .self = self,
                                                    .plan = {r->dofs->n, r->actuators,
                                                             (const char *const *)r->dofs->names, r->names, r->rows},
                                                    .signs = r->signs,
                                                    .sign_count = r->sign_count,
                                                    .per_unit = r->per_unit},
                           mem, err);
}

enum yk_status yk_build_setup(const struct yk_node *map, const struct yk_node *channels, const struct yk_dofs *dofs,
                              size_t actuators, const char *const *names, struct yk_setup **setup,
                              struct yk_calibration *calibration, struct yk_arena *mem, struct yk_err *err)
{
    struct reading r = {.dofs = dofs, .actuators = actuators, .names = names};
    const char *name = "matrix";
    const struct yk_setup_ops *ops;
    void *self = NULL;
    enum yk_status st = YK_OK;

    *setup = NULL;
    if (map && (st = yk_component_name(map, &name, err)))
        return st;
    if (!(ops = yk_setup_find(name)))
        return YK_COMPONENT_UNKNOWN(map, setup);
    r.calibration = calloc(actuators + 1, sizeof *r.calibration);
    r.per_unit = calloc(actuators + 1, sizeof *r.per_unit);
    if (!r.calibration || !r.per_unit)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; !st && i < actuators; i++)
        r.calibration[i] = yk_calibration_none();
    if (!st && !(st = read_parts(&r, map ? map : &yk_component_nothing, ops, &self, err))) {
        st = create(&r, channels, ops, self, setup, mem, err);
        self = NULL;
        if (st)
            yk_fail_within(err, map ? map->where : YK_NOWHERE, "%s", "");
        else if (calibration)
            memcpy(calibration, r.calibration, actuators * sizeof *calibration);
    }
    free(self);
    free(r.rows);
    free(r.calibration);
    free(r.per_unit);
    free(r.signs);
    return st;
}
