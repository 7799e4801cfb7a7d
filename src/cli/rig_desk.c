/* Shared by the commands of a console: how they answer, and how an order reaches the loop. */
#include "cli/rig_commands.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-12 /* m, N: nothing */

/* ---- answers ---- */

void rig_say(struct rig_desk *d, const char *format, ...)
{
    char line[2 * RIG_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    d->face->say(d, line);
}

void rig_say_text(struct rig_desk *d, const char *text)
{
    char *copy = strdup(text), *rest = copy;

    for (const char *line; copy && (line = strsep(&rest, "\n"));)
        if (*line || rest)
            d->face->say(d, line);
    free(copy);
}

int rig_refuse(struct rig_desk *d, const char *format, ...)
{
    char line[RIG_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    rig_say(d, "refused: %s", line);
    return 2;
}

const char *rig_trip_words(const struct rig_desk *d, const struct yk_trip *trip)
{
    static char words[256];

    yk_trip_text(trip, yk_station_names(d->station), words, sizeof words);
    return words;
}

enum yk_quantity rig_quantity(const struct rig_desk *d, size_t i, bool force)
{
    const bool turns = yk_station_turns(d->station, i);

    if (force)
        return turns ? YK_MOMENT : YK_PLAIN_FORCE;
    return turns ? YK_ANGLE : YK_LENGTH;
}

struct yk_quantity_text rig_text(const struct rig_desk *d, size_t i, bool force, double x)
{
    return yk_quantity_format(fabs(x) < ROUNDING ? 0 : x, rig_quantity(d, i, force), 4);
}

/* ---- the loop ---- */

void rig_look(struct rig_desk *d)
{
    yk_console_read(d->console, &d->now, d->seen);
    d->own.full = d->now.full;
    for (size_t i = 0; d->own.switches && i < d->count; i++)
        if (d->supervised[i].second.has)
            d->supervised[i].own = d->supervised[i].second.limits[d->now.modes >> i & 1];
}

enum yk_status rig_carry_out(struct rig_desk *d, struct yk_console_order *o)
{
    if (d->halted && (o->kind == YK_ORDER_MOVE || o->kind == YK_ORDER_SWEEP || o->kind == YK_ORDER_HOMING))
        return o->status = yk_fail(&o->err, YK_E_STOPPED, "the actuators are held where they are");
    yk_console_give(d->console, o);
    while (!yk_console_is_done(d->console))
        d->face->idle(d);
    rig_look(d);
    for (size_t i = 0; (o->kind == YK_ORDER_ENABLE || o->kind == YK_ORDER_ZERO) && i < d->count; i++)
        d->enabled_at[i] = d->seen[YK_SEEN * i + YK_SEEN_SENT];
    return o->status;
}

int rig_execute(struct rig_desk *d, struct yk_console_order *o)
{
    const enum yk_status st = rig_carry_out(d, o);

    if (d->now.trip.tripped)
        rig_say(d, "TRIPPED: %s; the action is %s. `reset` when the cause is gone", rig_trip_words(d, &d->now.trip),
                yk_action_text(d->now.trip.action));
    else if (st)
        rig_say(d, "%s: %s", st == YK_E_STOPPED ? "stopped" : "failed", yk_err_line(&o->err).text);
    return d->now.trip.tripped ? 3 : st ? yk_status_exit_code(st) : 0;
}

const char *rig_obstacle(struct rig_desk *d)
{
    static char words[RIG_TEXT];

    rig_look(d);
    *words = 0;
    if (d->now.trip.tripped)
        snprintf(words, sizeof words, "tripped: %s; `reset` when the cause is gone", rig_trip_words(d, &d->now.trip));
    else if (d->now.off)
        snprintf(words, sizeof words, "the drives are disabled; `enable` first");
    return words;
}

int rig_refuse_now(struct rig_desk *d, const char *why)
{
    rig_refuse(d, "%s", why);
    return d->now.trip.tripped ? 3 : 2;
}
