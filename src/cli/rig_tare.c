/* tare: the mean of a reading over a while becomes its zero, which is kept in a file. */
#include "cli/rig_commands.h"

#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOADED 0.05 /* of a limit: a tare of more needs a confirmation */

/* A reading that has a zero. */
struct channel {
    char name[96];
    const char *unit;
    size_t column, number; /* of a row; see yk_station_tare */
    size_t actuator;       /* SIZE_MAX: a sensor of the rig */
    bool force;
    const char *limit_key;
    double limit; /* 0: none */
};

static struct channel channel_at(const struct rig_desk *d, size_t k)
{
    static const char *const units[2][2] = {{"m", "N"}, {"rad", "N m"}};
    const struct yk_supervisor *v = d->limits;
    struct channel c = {.actuator = k / 2, .force = k % 2};

    if (k < 2 * d->count) {
        snprintf(c.name, sizeof c.name, "%s.%s", yk_station_name(d->station, c.actuator),
                 c.force ? "force" : "displacement");
        c.unit = units[yk_station_turns(d->station, c.actuator)][c.force];
        c.column = YK_SEEN * c.actuator + (c.force ? YK_SEEN_FORCE : YK_SEEN_DISPLACEMENT);
        c.number = yk_channel_of(c.actuator, c.force ? YK_BY_FORCE : YK_BY_DISPLACEMENT);
        c.limit_key = c.force ? "force" : "displacement";
        c.limit = yk_supervisor_limit(v, c.force ? YK_LIMIT_FORCE : YK_LIMIT_DISPLACEMENT, c.actuator);
        return c;
    }
    k -= 2 * d->count;
    c = (struct channel){.unit = v->sensors[k].unit,
                         .column = YK_SEEN * d->count + k,
                         .number = YK_COMMAND_KINDS * d->count + k,
                         .actuator = SIZE_MAX,
                         .limit_key = "sensors",
                         .limit = v->sensors[k].limit};
    snprintf(c.name, sizeof c.name, "sensor.%s", v->sensors[k].name);
    return c;
}

/* Is it meant: a1.force, a1, force, displacement, sensors, sensor.strain; NULL: all? */
static bool is_meant(const struct rig_desk *d, const struct channel *c, const char *what)
{
    if (!what || strcmp(what, c->name) == 0)
        return true;
    if (c->actuator == SIZE_MAX)
        return strcmp(what, "sensors") == 0;
    return strcmp(what, c->limit_key) == 0 || strcmp(what, yk_station_name(d->station, c->actuator)) == 0;
}

void rig_statistics(const double *rows, size_t n, size_t width, size_t column, double *mean, double *deviation)
{
    double sum = 0, squares = 0;

    for (size_t k = 0; k < n; k++)
        sum += rows[width * k + column];
    *mean = n ? sum / (double)n : 0;
    for (size_t k = 0; k < n; k++)
        squares += (rows[width * k + column] - *mean) * (rows[width * k + column] - *mean);
    *deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
}

/* Keeps a zero with those of the other channels, and writes them all; or keeps those that there were. */
static enum yk_status keep_zero(struct rig_desk *d, const struct yk_taken_zero *zero, struct yk_err *err)
{
    const size_t before = d->zero_count;
    size_t k = 0;

    while (k < before && strcmp(d->zeros[k].channel, zero->channel) != 0)
        k++;
    const struct yk_taken_zero was = d->zeros[k];

    d->zeros[k] = *zero;
    d->zero_count = k < before ? before : before + 1;
    const enum yk_status st = yk_zeros_write(d->zeros_path, d->zeros, d->zero_count, err);

    if (st) {
        d->zeros[k] = was;
        d->zero_count = before;
    }
    return st;
}

/* Zero of the command: the last sent one. If the drive is off and the actuator was moved, the zero of the reading
 * instead, so that it is later enabled where it is. */
static double command_at(const struct rig_desk *d, const struct channel *c, double zero,
                         const struct yk_correction *now)
{
    const double sent = d->seen[YK_SEEN * c->actuator + YK_SEEN_SENT] + now->command_zero,
                 near = yk_supervisor_limit(d->limits, YK_LIMIT_POSITION_ERROR, c->actuator);

    return d->now.off && fabs(zero - sent) > near ? zero : sent;
}

/* One channel, from the rows that were seen. Returns the exit code. */
static int take_zero(struct rig_desk *d, const struct channel *c, const struct yk_console_order *rows, bool sure)
{
    const struct yk_correction *now = &yk_station_corrections(d->station)->of[c->number];
    const size_t width = yk_console_width(d->console);
    struct yk_taken_zero zero = {.seconds = (double)rows->made * d->tick_s};
    struct yk_console_order o = {.kind = YK_ORDER_ZERO, .channel = c->number};
    struct yk_err err = {0};
    double mean;

    rig_statistics(rows->rows, rows->made, width, c->column, &mean, &zero.deviation);
    const struct yk_display_unit unit = yk_unit_for_display(c->unit, fmax(fabs(mean), 10 * zero.deviation)),
                                 wide = yk_unit_for_display(c->unit, c->limit);

    if (c->limit > 0 && fabs(mean) > LOADED * c->limit && !sure) {
        char question[RIG_TEXT];

        snprintf(question, sizeof question,
                 "%s reads %.4g %s, more than %.0f %% of limits.%s = %.4g %s. Is it really at zero?", c->name,
                 mean * unit.factor, unit.text, 100 * LOADED, c->limit_key, c->limit * wide.factor, wide.text);
        if (d->face->ask(d, question) != 1)
            return rig_refuse(
                d, "%s reads %.4g %s, more than %.0f %% of limits.%s = %.4g %s; `tare! %s` takes it all the same",
                c->name, mean * unit.factor, unit.text, 100 * LOADED, c->limit_key, c->limit * wide.factor, wide.text,
                c->name);
    }
    snprintf(zero.channel, sizeof zero.channel, "%s", c->name);
    snprintf(zero.unit, sizeof zero.unit, "%s", c->unit);
    yk_wall_time(zero.date, sizeof zero.date);
    zero.zero = o.zero = now->zero + mean;
    if (c->actuator != SIZE_MAX &&
        yk_station_kind(d->station, c->actuator) == (c->force ? YK_BY_FORCE : YK_BY_DISPLACEMENT))
        zero.command = o.command = command_at(d, c, zero.zero, now);
    if (keep_zero(d, &zero, &err)) {
        rig_say(d, "failed: %s", yk_err_line(&err).text);
        return 1;
    }
    const int code = rig_execute(d, &o);

    if (!code)
        rig_say(d, "ok: zero of %s %.6g %s, deviation %.3g %s over %g s", c->name, zero.zero * unit.factor, unit.text,
                zero.deviation * unit.factor, unit.text, zero.seconds);
    return code;
}

static int tare(struct rig_desk *d, struct rig_words *w, bool sure)
{
    const char *what = w->at < w->count && !rig_is_number(w->word[w->at]) ? rig_next_word(w) : NULL;
    const size_t channels = 2 * d->count + d->sensors;
    double seconds = d->tare_s;
    bool any = false;

    if ((w->at < w->count && !rig_next_quantity(d, w, "a time", YK_TIME, &seconds)) || !rig_no_more(d, w))
        return 2;
    if (!(seconds >= d->tick_s && seconds <= 600))
        return rig_refuse(d, "%g s is outside %g .. 600 s", seconds, d->tick_s);
    for (size_t k = 0; k < channels; k++) {
        const struct channel c = channel_at(d, k);

        any |= is_meant(d, &c, what);
    }
    if (!any)
        return rig_refuse(
            d,
            "there is no reading '%s'; say ACTUATOR, ACTUATOR.force, displacement, force, sensors, or nothing for all",
            what);
    if (!d->zeros_path)
        return rig_refuse(d, "the experiment file has its own section calibration, which is not rewritten");
    rig_look(d);
    if (d->now.trip.tripped)
        return rig_refuse_now(d, rig_obstacle(d));
    if (d->now.modes)
        return rig_refuse(d, "an actuator is in force control: say mode ACTUATOR displacement first");
    struct yk_console_order o = {.kind = YK_ORDER_WAIT, .ticks = lround(seconds / d->tick_s)};
    int code = 0;

    o.room = (size_t)o.ticks;
    if (!(o.rows = malloc(o.room * yk_console_width(d->console) * sizeof *o.rows)))
        return rig_refuse(d, "out of memory");
    if (!(code = rig_execute(d, &o)))
        for (size_t k = 0; k < channels; k++) {
            const struct channel c = channel_at(d, k);

            if (is_meant(d, &c, what)) {
                const int one = take_zero(d, &c, &o, sure || d->yes);

                code = code ? code : one;
            }
        }
    free(o.rows);
    return code;
}

int rig_do_tare(struct rig_desk *d, struct rig_words *w)
{
    return tare(d, w, false);
}

int rig_do_tare_surely(struct rig_desk *d, struct rig_words *w)
{
    return tare(d, w, true);
}
