/* A section `limits` to paste: the limits of the file, plus those that a rig outside this process needs, from the peaks
 * of a rehearsal. In m and N, or in rad and N m for rotary actuators. */
#include "experiment/build.h"

#include "transfer/station.h"

#include <math.h>
#include <string.h>

/* The next of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 times a power of ten. */
static double round_up(double x)
{
    static const double steps[] = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    const double ten = pow(10, floor(log10(x)));
    size_t k = 0;

    while (steps[k] * ten < x * (1 - 1e-12) && k + 1 < sizeof steps / sizeof *steps)
        k++;
    return steps[k] * ten;
}

/* The proposed limit: the peak times `margin`, rounded up; a small value if nothing moved. */
static double proposed(enum yk_limit_kind kind, enum yk_command_kind by, const struct yk_actuator_peaks *p,
                       double margin)
{
    const double command = p->command > 0 ? p->command : 1e-3,
                 least = by == YK_BY_FORCE ? 1 : 0.01; /* of it per second: a load is applied by a ramp */

    if (kind == YK_LIMIT_DISPLACEMENT && by != YK_BY_DISPLACEMENT) /* not the command, but limited */
        return round_up(margin * fmax(p->displacement, 1e-3));

    switch (kind) {
    case YK_LIMIT_DISPLACEMENT:
        return round_up(margin * command);
    case YK_LIMIT_COMMAND_RATE:
        return round_up(margin * fmax(p->rate, least * command));
    case YK_LIMIT_TRACKING_ERROR:
        return round_up(margin * fmax(p->error, 0.01 * command));
    default:
        return round_up(margin * fmax(p->force, 1));
    }
}

/* Writes a limit in mm or kN as in a file; for rotary actuators and other commands in the unit of the limit. */
static void write_proposed(enum yk_limit_kind kind, const struct yk_own_limits *own, double value, FILE *out)
{
    static const enum yk_quantity straight[YK_LIMITS] = {[YK_LIMIT_DISPLACEMENT] = YK_LENGTH,
                                                         [YK_LIMIT_COMMAND_RATE] = YK_SPEED,
                                                         [YK_LIMIT_FORCE] = YK_PLAIN_FORCE,
                                                         [YK_LIMIT_TRACKING_ERROR] = YK_LENGTH};
    const bool of_command = kind == YK_LIMIT_COMMAND_RATE || kind == YK_LIMIT_TRACKING_ERROR;
    const char *unit = yk_limit_unit(kind, own->kind, own->turns);

    if (own->turns || (of_command && own->kind != YK_BY_DISPLACEMENT))
        fprintf(out, "%s: %g %s", yk_limit_key(kind), value, unit);
    else
        fprintf(out, "%s: %s", yk_limit_key(kind), yk_quantity_format(value, straight[kind], 3).text);
}

/* A value of the file as it stands there, in flow style. */
static void write_node(const struct yk_node *node, FILE *out)
{
    if (node->type == YK_SCALAR) {
        fputs(node->text, out);
        return;
    }
    fputs(node->type == YK_MAP ? "{ " : "[", out);
    for (size_t i = 0; i < node->count; i++) {
        fputs(i ? ", " : "", out);
        if (node->type == YK_MAP)
            fprintf(out, "%s: ", node->items[i]->key);
        write_node(node->items[i], out);
    }
    fputs(node->type == YK_MAP ? " }" : "]", out);
}

/* Is it a needed limit that the file switches off (0)? A proposal replaces it. */
static bool is_replaced(const struct yk_node *item, const struct yk_limits *all, const struct yk_own_limits *own)
{
    for (int k = 0; k < YK_NEEDED_LIMITS; k++)
        if (strcmp(item->key, yk_limit_key(yk_needed_limits[k])) == 0)
            return !yk_has_limit(all, own, yk_needed_limits[k]);
    return false;
}

/* Writes the limits of the file for all actuators. */
static void write_common(const struct yk_node *map, const struct yk_supervisor *s, bool one, FILE *out)
{
    for (size_t i = 0; map && i < map->count; i++) {
        const struct yk_node *item = map->items[i];

        if (strcmp(item->key, "actuators") == 0 || (one && is_replaced(item, &s->limits, &s->supervised[0].own)))
            continue;
        fprintf(out, "  %s: ", item->key);
        write_node(item, out);
        fputc('\n', out);
    }
}

/* Writes the limits of actuator i: those of the file (`said`), then proposals for the missing ones. */
static void write_own(const struct yk_node *said, const struct yk_supervisor *s, size_t i,
                      const struct yk_actuator_peaks *peaks, double margin, const char *between, FILE *out)
{
    const struct yk_own_limits *own = &s->supervised[i].own;
    const char *separator = "";

    for (size_t k = 0; said && k < said->count; k++)
        if (!is_replaced(said->items[k], &s->limits, own)) {
            fprintf(out, "%s%s: ", separator, said->items[k]->key);
            write_node(said->items[k], out);
            separator = between;
        }
    for (int k = 0; k < YK_NEEDED_LIMITS; k++)
        if (!yk_has_limit(&s->limits, own, yk_needed_limits[k])) {
            fputs(separator, out);
            write_proposed(yk_needed_limits[k], own, proposed(yk_needed_limits[k], own->kind, &peaks[i], margin), out);
            separator = between;
        }
}

void yk_limits_propose(const struct yk_model *e, const struct yk_actuator_peaks *peaks, double margin, FILE *out)
{
    const struct yk_node *map = yk_node_get(e->tree, "limits"), *each = yk_node_get(map, "actuators");
    const struct yk_supervisor *s = yk_station_supervisor(e->station);
    const bool one =
        s->count == 1 && !each && s->supervised[0].own.kind == YK_BY_DISPLACEMENT; /* written as limits for all */

    fputs("limits:\n", out);
    write_common(map, s, one, out);
    if (one) {
        fputs("  ", out);
        write_own(NULL, s, 0, peaks, margin, "\n  ", out);
        fputc('\n', out);
        return;
    }
    fputs("  actuators:\n", out);
    for (size_t i = 0; i < s->count; i++) {
        const char *name = yk_station_name(e->station, i);

        fprintf(out, "    %s: { ", name);
        write_own(yk_node_get(each, name), s, i, peaks, margin, ", ", out);
        fputs(" }\n", out);
    }
}
