/* jog, move, home: actuators by hand, never faster nor further than the limits allow. */
#include "cli/rig_commands.h"

#define HOMING_S 120 /* longest homing */

#include <math.h>
#include <stdlib.h>

#define RATE_SHARE   0.1  /* of limits.command_rate: speed without --speed */
#define RATE_MARGIN  0.9  /* of the limit of a console */
#define CROSSING_S   20.0 /* or from zero to the limit in this time, whichever is slower */
#define SLOW         1e-3 /* m/s, rad/s: without any limit */
#define SLOW_LOADING 10.0 /* N/s */

static bool by_force(const struct rig_desk *d, size_t i)
{
    return rig_kind(d, i) == YK_BY_FORCE;
}

static double largest_speed(const struct rig_desk *d, size_t i)
{
    const struct yk_supervisor *v = d->limits;
    const bool force = by_force(d, i);
    const double rate = yk_supervisor_limit(v, YK_LIMIT_COMMAND_RATE, i),
                 reach = yk_supervisor_limit(v, force ? YK_LIMIT_FORCE : YK_LIMIT_DISPLACEMENT, i);
    double speed = INFINITY;

    if (d->speed > 0 && !force)
        return rate > 0 ? fmin(d->speed, RATE_MARGIN * rate) : d->speed;
    if (rate > 0)
        speed = fmin(RATE_MARGIN * rate, RATE_SHARE * yk_supervisor_limit_of_test(v, YK_LIMIT_COMMAND_RATE, i));
    if (reach > 0)
        speed = fmin(speed, reach / CROSSING_S);
    return isfinite(speed) ? speed : force ? SLOW_LOADING : SLOW;
}

/* Farther than limits.console.travel from where the drives were enabled, and from where a run begins? */
static bool beyond_travel(const struct rig_desk *d, size_t i, double to, char *why, size_t size)
{
    const double travel = yk_supervisor_travel(d->limits, i), from = d->enabled_at[i],
                 begin = yk_station_start(d->station, i);

    if (!(travel > 0) || (to >= fmin(from, begin) - travel && to <= fmax(from, begin) + travel))
        return false;
    snprintf(why, size,
             "%s to %s is farther than limits.console.travel = %s from %s, where the drives were enabled; nothing was "
             "moved. "
             "`full` allows what the test may do",
             yk_station_name(d->station, i), rig_text(d, i, false, to).text, rig_text(d, i, false, travel).text,
             rig_text(d, i, false, from).text);
    return true;
}

void rig_say_limits(struct rig_desk *d, size_t i)
{
    const struct yk_supervisor *v = d->limits;
    const double travel = yk_supervisor_travel(v, i), force = yk_supervisor_limit(v, YK_LIMIT_FORCE, i);
    const bool turns = yk_station_turns(d->station, i), by = by_force(d, i);
    const enum yk_quantity rate = by ? YK_FORCE_RATE : turns ? YK_TURN_RATE : YK_SPEED;

    rig_say(d, "  %s: limits of the %s: %s%s%s%s%s", yk_station_name(d->station, i), d->now.full ? "test" : "console",
            yk_quantity_format(largest_speed(d, i), rate, 3).text, force > 0 ? ", " : "",
            force > 0 ? rig_text(d, i, true, force).text : "", travel > 0 ? ", travel " : "",
            travel > 0 ? rig_text(d, i, false, travel).text : "");
}

bool rig_beyond(const struct rig_desk *d, size_t i, double to, char *why, size_t size)
{
    const bool force = by_force(d, i);
    const enum yk_limit_kind kind = force ? YK_LIMIT_FORCE : YK_LIMIT_DISPLACEMENT;
    const double limit = yk_supervisor_limit(d->limits, kind, i);

    if (!(limit > 0) || fabs(to) <= limit)
        return beyond_travel(d, i, to, why, size);
    snprintf(why, size, "%s to %s is beyond limits.%s = %s; nothing was moved", yk_station_name(d->station, i),
             rig_text(d, i, force, to).text, yk_limit_key(kind), rig_text(d, i, force, limit).text);
    return true;
}

struct yk_console_order rig_move(const struct rig_desk *d, size_t i, double x, double speed, double *to)
{
    const double largest = largest_speed(d, i);

    for (size_t k = 0; k < d->count; k++)
        to[k] = d->seen[YK_SEEN * k + YK_SEEN_SENT];
    const double way = fabs(x - to[i]);

    to[i] = x;
    return (struct yk_console_order){.kind = YK_ORDER_MOVE,
                                     .to = to,
                                     .duration_s =
                                         fmax(YK_RAMP_SLOPE * way / (speed > 0 ? fmin(speed, largest) : largest),
                                              yk_supervisor_shortest(d->limits, i, way))};
}

static void say_place(struct rig_desk *d, size_t i)
{
    const double *at = d->seen + YK_SEEN * i;

    rig_say(d, "ok: %s at %s, %s", yk_station_name(d->station, i), rig_text(d, i, false, at[YK_SEEN_DISPLACEMENT]).text,
            rig_text(d, i, true, at[YK_SEEN_FORCE]).text);
}

/* jog ACTUATOR AMOUNT [SPEED], move ACTUATOR POSITION [SPEED] */
static int go(struct rig_desk *d, struct rig_words *w, bool relative)
{
    const char *obstacle = rig_obstacle(d);
    double x, speed = 0;
    char why[RIG_TEXT];
    size_t i;
    int code;

    if (!rig_next_actuator(d, w, &i))
        return 2;
    const bool force = by_force(d, i);
    const enum yk_quantity rate = force ? YK_FORCE_RATE : yk_station_turns(d->station, i) ? YK_TURN_RATE : YK_SPEED;

    if (yk_command_is_rate(rig_kind(d, i)))
        return rig_refuse(d, "%s is commanded by a rate; only displacements and forces can be moved by hand",
                          yk_station_name(d->station, i));
    if (!rig_next_quantity(d, w, relative ? "the amount" : "the position", rig_quantity(d, i, force), &x))
        return 2;
    const bool is_timed = w->at < w->count;
    if ((is_timed && !rig_next_quantity(d, w, "the speed", rate, &speed)) || !rig_no_more(d, w))
        return 2;
    if (*obstacle)
        return rig_refuse_now(d, obstacle);
    if (is_timed && !(speed > 0))
        return rig_refuse(d, "a speed must be positive");
    if (speed > largest_speed(d, i))
        return rig_refuse(d, "%s is faster than the largest speed of %s, %s (see --speed and limits.command_rate)",
                          yk_quantity_format(speed, rate, 4).text, yk_station_name(d->station, i),
                          yk_quantity_format(largest_speed(d, i), rate, 4).text);
    if (relative)
        x += d->seen[YK_SEEN * i + YK_SEEN_SENT];
    if (rig_beyond(d, i, x, why, sizeof why))
        return rig_refuse(d, "%s", why);
    double *to = calloc(d->count, sizeof *to);
    struct yk_console_order o = {0};

    if (!to)
        return rig_refuse(d, "out of memory");
    o = rig_move(d, i, x, speed, to);
    if (!(code = rig_execute(d, &o)))
        say_place(d, i);
    free(to);
    return code;
}

int rig_do_jog(struct rig_desk *d, struct rig_words *w)
{
    return go(d, w, true);
}

int rig_do_move(struct rig_desk *d, struct rig_words *w)
{
    return go(d, w, false);
}

int rig_do_home(struct rig_desk *d, struct rig_words *w)
{
    const char *obstacle = rig_obstacle(d);
    double *to = calloc(2 * d->count, sizeof *to), *one = to ? to + d->count : NULL;
    struct yk_console_order o = {.kind = YK_ORDER_MOVE, .to = to};
    int code = 2;

    if (!to || !rig_no_more(d, w) || *obstacle) {
        code = *obstacle ? rig_refuse_now(d, obstacle) : 2;
        free(to);
        return code;
    }
    for (size_t i = 0; i < d->count; i++) {
        const bool displaced = rig_kind(d, i) == YK_BY_DISPLACEMENT;

        if (d->now.modes >> i & 1) {
            free(to);
            return rig_refuse(d, "%s is in force control: say mode %s displacement first",
                              yk_station_name(d->station, i), yk_station_name(d->station, i));
        }

        to[i] = displaced ? yk_station_start(d->station, i) : 0;
        o.duration_s = fmax(o.duration_s, rig_move(d, i, to[i], 0, one).duration_s);
    }
    if (!(code = rig_execute(d, &o)))
        rig_say(d, "ok: all actuators are where a run begins");
    free(to);
    return code;
}

/* homing ACTUATOR */
int rig_do_homing(struct rig_desk *d, struct rig_words *w)
{
    const char *obstacle = rig_obstacle(d);
    struct yk_console_order o = {.kind = YK_ORDER_HOMING, .ticks = lround(HOMING_S / d->tick_s)};
    int code;

    if (!rig_next_actuator(d, w, &o.actuator) || !rig_no_more(d, w))
        return 2;
    if (rig_kind(d, o.actuator) != YK_BY_DISPLACEMENT)
        return rig_refuse(d, "only actuators that are commanded by displacement have a zero to look for");
    if (*obstacle)
        return rig_refuse_now(d, obstacle);
    if (!(code = rig_execute(d, &o)))
        rig_say(d, "ok: %s at its zero, displacement %s; the drives are disabled. Check the tare, then `enable`",
                yk_station_name(d->station, o.actuator),
                rig_text(d, o.actuator, false, d->seen[YK_SEEN * o.actuator + YK_SEEN_DISPLACEMENT]).text);
    return code;
}
