/* The section `calibration`: zeros of load cells, displacement sensors and other sensors, as `yoke rig` takes them. By
 * default it is the file NAME.calibration.yaml beside the experiment NAME.yaml. */
#include "experiment/build.h"

#include "transfer/station.h"
#include <yoke/file.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ENDING   ".calibration.yaml"
#define OLDEST_S (30 * 86400.0) /* a rig outside this process is not moved with an older zero */
#define AHEAD_S  86400.0        /* clocks of two machines may differ */

struct taken {
    double zero, command, deviation, seconds;
    char *date;
};

const struct yk_param yk_keys_zero[] = {
    YK_REAL(
        struct taken, zero, YK_NUMBER, YK_REQUIRED, -1e15, 1e15,
        "mean reading at zero, in m and N (rad and N m), or in the unit of the sensor; subtracted from every reading"),
    YK_REAL(struct taken, command, YK_NUMBER, 0, -1e15, 1e15,
            "command at zero, likewise, of the quantity that the actuator is commanded in; added to every command"),
    YK_REAL(struct taken, deviation, YK_NUMBER, 0, 0, 1e15, "standard deviation of the readings"),
    YK_REAL(struct taken, seconds, YK_TIME, 0, 0, 1e6, "time over which the mean was taken"),
    YK_TEXT(struct taken, date, YK_REQUIRED, "when it was taken: 2026-11-16T09:30:00+0100"),
    YK_PARAM_END,
};

/* ---- where the file is ---- */

char *yk_path_beside(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    char *name = NULL;

    if (asprintf(&name, "%.*s%s", (int)(dot && dot != base ? dot - path : (long)strlen(path)), path, ending) < 0)
        return NULL;
    return name;
}

char *yk_zeros_path(const struct yk_model *e)
{
    const struct yk_node *map = yk_node_get(e->tree, "calibration");

    if (!map || (map->type == YK_MAP && map->count == 0))
        return yk_path_beside(e->path, ENDING);
    if (map->type != YK_MAP || !map->items[0]->key_where.file || strcmp(map->items[0]->key_where.file, e->path) == 0)
        return NULL;
    return strdup(map->items[0]->key_where.file);
}

enum yk_status yk_build_include_zeros(struct yk_model *e, struct yk_err *err)
{
    const struct yk_node *named = yk_node_get(e->tree, "calibration");
    char *path = named ? NULL : yk_path_beside(e->path, ENDING), *setting = NULL;
    enum yk_status st = YK_OK;

    if (named && named->type == YK_SCALAR && strcmp(named->text, "none") == 0)
        return YK_OK;
    if (!named && path && access(path, F_OK) == 0) {
        const char *slash = strrchr(path, '/');

        if (strpbrk(path, "\"\\") || asprintf(&setting, "calibration=\"%s\"", slash ? slash + 1 : path) < 0)
            st = yk_fail(err, YK_E_INPUT, "%s: a name with \" or \\ cannot be read", path);
        else
            st = yk_tree_set(e->tree, setting, e->path, err);
    }
    free(setting);
    free(path);
    return st ? st : yk_tree_include(e->tree, "calibration", e->directory, &e->included, &e->text, err);
}

/* ---- reading ---- */

/* Which reading the key names. */
struct channel {
    size_t number;   /* readings.h */
    size_t actuator; /* SIZE_MAX: it is a sensor */
    bool force;
    double limit; /* of its readings; 0: none */
    const char *unit;
};

static bool find_channel(const struct yk_model *e, const char *key, struct channel *c)
{
    static const char *const units[2][2] = {{"m", "N"}, {"rad", "N m"}};
    const struct yk_supervisor *v = yk_station_supervisor(e->station);
    const size_t actuators = yk_station_count(e->station);
    const char *dot = strrchr(key, '.');
    const size_t length = dot ? (size_t)(dot - key) : 0;

    for (size_t k = 0; strncmp(key, "sensor.", 7) == 0 && k < v->sensor_count; k++)
        if (strcmp(key + 7, v->sensors[k].name) == 0) {
            *c = (struct channel){YK_COMMAND_KINDS * actuators + k, SIZE_MAX, false, v->sensors[k].limit,
                                  v->sensors[k].unit};
            return true;
        }
    const bool force = dot && strcmp(dot, ".force") == 0;

    for (size_t i = 0; (force || (dot && strcmp(dot, ".displacement") == 0)) && i < actuators; i++) {
        const char *name = yk_station_name(e->station, i);

        if (strlen(name) != length || strncmp(key, name, length) != 0)
            continue;
        *c = (struct channel){yk_channel_of(i, force ? YK_BY_FORCE : YK_BY_DISPLACEMENT), i, force,
                              yk_supervisor_limit(v, force ? YK_LIMIT_FORCE : YK_LIMIT_DISPLACEMENT, i),
                              units[yk_station_turns(e->station, i)][force]};
        return true;
    }
    return false;
}

bool yk_build_is_channel(const struct yk_model *e, const char *key)
{
    struct channel c;

    return find_channel(e, key, &c);
}

/* Seconds since a date of ISO 8601; false: it is none. */
static bool age_of(const char *date, double *seconds)
{
    struct tm at = {0};
    int sign = 1, hours = 0, minutes = 0, used = 0;
    char zone = 0;

    if (sscanf(date, "%4d-%2d-%2dT%2d:%2d:%2d%c%2d%2d%n", &at.tm_year, &at.tm_mon, &at.tm_mday, &at.tm_hour, &at.tm_min,
               &at.tm_sec, &zone, &hours, &minutes, &used) != 9 ||
        date[used] || (zone != '+' && zone != '-'))
        return false;
    sign = zone == '-' ? -1 : 1;
    at.tm_year -= 1900;
    at.tm_mon -= 1;
    const time_t then = timegm(&at) - (time_t)sign * (hours * 3600 + minutes * 60);
    *seconds = difftime(time(NULL), then);
    return true;
}

/* A command at zero is added behind the supervisor, so that no other limit stops it: it must lie where the actuator was
 * measured when the zero was taken. */
static enum yk_status judge_command(const struct yk_model *e, const struct yk_node *node, const struct taken *t,
                                    const struct channel *c, struct yk_err *err)
{
    const struct yk_supervisor *v = yk_station_supervisor(e->station);
    const struct yk_node *command = yk_node_get(node, "command");
    const bool counts =
        c->actuator != SIZE_MAX && yk_channel_of(c->actuator, yk_station_kind(e->station, c->actuator)) == c->number;
    const double near = counts ? yk_supervisor_limit(v, YK_LIMIT_POSITION_ERROR, c->actuator) : 0;
    const struct yk_where where = command ? command->where : node->where;

    if (!counts)
        return YK_OK;
    if (c->limit > 0 && fabs(t->command) > c->limit)
        return yk_fail_at(err, YK_E_RANGE, where,
                          "command of %s = %g is beyond its limit of %g. Take the zero again with `yoke rig %s`, or "
                          "delete it",
                          node->key, t->command, c->limit, e->path);
    if (near > 0 && yk_supervisor_action(v, YK_LIMIT_POSITION_ERROR) != YK_ACTION_WARN &&
        fabs(t->command - t->zero) > near * (1 + 1e-9))
        return yk_fail_at(
            err, YK_E_RANGE, where,
            "command %g and zero %g of %s differ by %g %s, more than limits.position_error = %g %s: the "
            "actuator would jump when it is enabled. Take the zero again with `yoke rig %s`, or delete it",
            t->command, t->zero, node->key, fabs(t->command - t->zero), c->unit, near, c->unit, e->path);
    return YK_OK;
}

static enum yk_status judge(const struct yk_model *e, const struct yk_node *node, const struct taken *t,
                            const struct channel *c, bool moves, struct yk_err *err)
{
    const struct yk_node *date = yk_node_get(node, "date");
    double age;

    if (c->limit > 0 && fabs(t->zero) > c->limit)
        return yk_fail_at(
            err, YK_E_RANGE, yk_node_get(node, "zero")->where,
            "zero of %s = %g is beyond its limit of %g: the sensor is wrong, or the zero belongs to another "
            "rig. Take it again with `yoke rig %s`, or delete it",
            node->key, t->zero, c->limit, e->path);
    const enum yk_status st = judge_command(e, node, t, c, err);

    if (st)
        return st;
    if (!age_of(t->date, &age))
        return yk_fail_at(err, YK_E_INPUT, date->where, "date '%s' is not written as 2026-11-16T09:30:00+0100",
                          t->date);
    if (age < -AHEAD_S)
        return yk_fail_at(err, YK_E_RANGE, date->where, "date %s lies %.0f days ahead; check the clock of this machine",
                          t->date, -age / 86400);
    if (moves && age > OLDEST_S)
        return yk_fail_at(
            err, YK_E_RANGE, date->where,
            "zero of %s was taken %.0f days ago; a rig outside this process needs one of the last %.0f days. "
            "Take it again with `yoke rig %s`, or set calibration: none",
            node->key, age / 86400, OLDEST_S / 86400, e->path);
    return YK_OK;
}

static void keep(struct yk_model *e, const char *key, const struct taken *t, const char *unit)
{
    struct yk_taken_zero *z = &e->zeros[e->zero_count++];

    *z = (struct yk_taken_zero){
        .zero = t->zero, .command = t->command, .deviation = t->deviation, .seconds = t->seconds};
    snprintf(z->channel, sizeof z->channel, "%s", key);
    snprintf(z->unit, sizeof z->unit, "%s", unit);
    snprintf(z->date, sizeof z->date, "%s", t->date);
}

static enum yk_status read_one(struct yk_model *e, const struct yk_node *node, bool applies, struct yk_err *err)
{
    static const struct yk_field_context plain = {.directory = "", .force_means = YK_FORCE};
    void *self;
    const bool moves = !(yk_station_rig(e->station, &self)->can & YK_RIG_SIMULATES);
    struct taken t = {0};
    struct channel c;
    enum yk_status st;

    if ((st = yk_field_type(node, YK_MAP, "a map with zero and date", err)) ||
        (st = yk_field_known(node, yk_keys_zero, NULL, err)))
        return st;
    if (!find_channel(e, node->key, &c))
        return yk_fail_at(
            err, YK_E_INPUT, node->key_where,
            "'%s' is none of this rig: ACTUATOR.displacement, ACTUATOR.force or sensor.NAME; the zero may "
            "belong to another file",
            node->key);
    if (!(st = yk_field_settings(node, yk_keys_zero, &t, &plain, err)) && !(st = judge(e, node, &t, &c, moves, err)) &&
        applies && !(st = yk_station_tare(e->station, c.number, t.zero, t.command, err)))
        keep(e, node->key, &t, c.unit);
    yk_param_free(yk_keys_zero, &t);
    return st;
}

/* Does the virtual rig replace another rig? The zeros of that rig then do not apply. */
static bool plays_another(const struct yk_model *e)
{
    bool all = true;

    for (size_t k = 0; k < yk_build_rig_count(e); k++)
        all = all && strcmp(yk_node_get(yk_build_rig_at(e, k), "backend")->text, "virtual") == 0;
    return e->players == YK_PLAYED_BY_VIRTUAL_RIG && !all;
}

enum yk_status yk_build_zeros(struct yk_model *e, struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(e->tree, "calibration");
    enum yk_status st = YK_OK;

    if (!map || map->type == YK_SCALAR)
        return YK_OK;
    if ((st = yk_field_type(map, YK_MAP, "a map of zeros, the name of a file, or none", err)))
        return st;
    if (!(e->zeros = calloc(map->count + 1, sizeof *e->zeros)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < map->count && !st; i++)
        st = read_one(e, map->items[i], !plays_another(e), err);
    return st;
}

/* ---- writing ---- */

struct zeros {
    const struct yk_taken_zero *of;
    size_t count;
};

static bool print_zeros(FILE *out, const void *self)
{
    const struct zeros *all = self;
    bool good = fputs("# Zeros of the sensors of a rig, taken by `yoke rig`; delete an entry to do without it.\n"
                      "calibration:\n",
                      out) >= 0;

    for (size_t i = 0; i < all->count && good; i++) {
        const struct yk_taken_zero *z = &all->of[i];

        good =
            fprintf(out, "  %s: { zero: %.17g, command: %.17g, deviation: %.3g, seconds: %.6g, date: \"%s\" } # %s\n",
                    z->channel, z->zero, z->command, z->deviation, z->seconds, z->date, z->unit) > 0;
    }
    return good;
}

enum yk_status yk_zeros_write(const char *path, const struct yk_taken_zero *zeros, size_t count, struct yk_err *err)
{
    if (yk_file_replace(path, print_zeros, &(struct zeros){zeros, count}))
        return YK_OK;
    return yk_fail(err, YK_E_IO, "cannot write %s: %s", path, strerror(errno));
}
