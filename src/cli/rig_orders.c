/* The commands of `yoke rig`: a line of words to an order for the loop, and its answer. */
#include "cli/identify.h"
#include "cli/rig.h"

#include "base/json.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 32, TEXT = 512, COLUMN = 35 };
#define ROUNDING     1e-12 /* m, N: nothing */
#define LOADED       0.05  /* of a limit: a tare of more needs a confirmation */
#define RATE_SHARE   0.1   /* of limits.command_rate: speed without --speed */
#define CROSSING_S   20.0  /* or from zero to the limit in this time, whichever is slower */
#define SLOW         1e-3  /* m/s, rad/s: without any limit */
#define SLOW_LOADING 10.0  /* N/s */
#define MARGIN       0.9   /* of a limit of rate that a speed may use */

/* ---- speaking ---- */

void rig_say(struct rig_desk *d, const char *format, ...)
{
    char line[2 * TEXT];
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

/* Says why not; returns 2. */
static int refuse(struct rig_desk *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse(struct rig_desk *d, const char *format, ...)
{
    char line[TEXT];
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

static enum yk_quantity quantity_of(const struct rig_desk *d, size_t i, bool force)
{
    const bool turns = yk_station_turns(d->station, i);

    if (force)
        return turns ? YK_MOMENT : YK_PLAIN_FORCE;
    return turns ? YK_ANGLE : YK_LENGTH;
}

struct yk_quantity_text rig_text(const struct rig_desk *d, size_t i, bool force, double x)
{
    return yk_quantity_format(fabs(x) < ROUNDING ? 0 : x, quantity_of(d, i, force), 4);
}

static bool by_force(const struct rig_desk *d, size_t i)
{
    return yk_station_kind(d->station, i) == YK_BY_FORCE;
}

/* ---- the loop ---- */

void rig_look(struct rig_desk *d)
{
    yk_console_read(d->console, &d->now, d->seen);
}

enum yk_status rig_carry_out(struct rig_desk *d, struct yk_console_order *o)
{
    if (d->halted && (o->kind == YK_ORDER_MOVE || o->kind == YK_ORDER_SWEEP))
        return o->status = yk_fail(&o->err, YK_E_STOPPED, "the actuators are held where they are");
    yk_console_give(d->console, o);
    while (!yk_console_is_done(d->console))
        d->face->idle(d);
    rig_look(d);
    return o->status;
}

/* The same; its failure is answered. Returns the exit code. */
static int carry_out(struct rig_desk *d, struct yk_console_order *o)
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
    static char words[TEXT];

    rig_look(d);
    *words = 0;
    if (d->now.trip.tripped)
        snprintf(words, sizeof words, "tripped: %s; `reset` when the cause is gone", rig_trip_words(d, &d->now.trip));
    else if (d->now.off)
        snprintf(words, sizeof words, "the drives are disabled; `enable` first");
    return words;
}

static int not_now(struct rig_desk *d, const char *why)
{
    refuse(d, "%s", why);
    return d->now.trip.tripped ? 3 : 2;
}

/* ---- words of a line ---- */

struct args {
    char copy[TEXT], *word[WORDS];
    int count, at;
};

static bool split(struct args *a, const char *line)
{
    char *rest, *word;

    *a = (struct args){0};
    if (strlen(line) >= sizeof a->copy)
        return false;
    rest = strcpy(a->copy, line);
    while ((word = strsep(&rest, " \t\r\n")))
        if (*word) {
            if (a->count == WORDS)
                return false;
            a->word[a->count++] = word;
        }
    return true;
}

static bool is_number(const char *word)
{
    return isdigit((unsigned char)*word) || strchr("+-.", *word);
}

static const char *next_word(struct args *a)
{
    return a->at < a->count ? a->word[a->at++] : NULL;
}

/* A number and its unit, which may be a word of its own. False after an answer. */
static bool next_quantity(struct rig_desk *d, struct args *a, const char *what, enum yk_quantity quantity, double *si)
{
    struct yk_err err = {0};
    char text[TEXT] = "", *end; /* as long as a line */

    if (a->at >= a->count || !is_number(a->word[a->at]))
        return refuse(d, "%s is missing: a number with its unit, such as 5 %s", what,
                      *yk_quantity_unit(quantity) == 'm' ? "mm" : yk_quantity_unit(quantity)),
               false;
    do
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? " " : "", a->word[a->at++]);
    while (a->at < a->count && !is_number(a->word[a->at]) &&
           (strspn(text, "+-.0123456789eE") == strlen(text) || /* N m is the only unit of two words */
            (text[strlen(text) - 1] == 'N' && strcmp(a->word[a->at], "m") == 0)));
    if (yk_quantity_parse(text, quantity, si, &err))
        return refuse(d, "%s: %s", what, yk_err_line(&err).text), false;
    if (strtod(text, &end) != 0 && !*end && quantity != YK_NUMBER)
        return refuse(d, "%s '%s' has no unit; a bare number would be in %s", what, text, yk_quantity_unit(quantity)),
               false;
    return true;
}

static bool next_actuator(struct rig_desk *d, struct args *a, size_t *i)
{
    const char *name = next_word(a);
    const long found = name ? yk_station_find(d->station, name) : -1;

    if (found >= 0)
        return *i = (size_t)found, true;
    char names[TEXT] = "";

    for (size_t k = 0; k < d->count; k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", k ? ", " : "",
                 yk_station_name(d->station, k));
    if (name)
        refuse(d, "there is no actuator '%s'; there are: %s", name, names);
    else
        refuse(d, "name an actuator: %s", names);
    return false;
}

static bool no_more(struct rig_desk *d, const struct args *a)
{
    return a->at >= a->count || (refuse(d, "'%s' is too much", a->word[a->at]), false);
}

/* ---- enable, disable, reset ---- */

static int order_plain(struct rig_desk *d, enum yk_console_order_kind kind, const char *done)
{
    struct yk_console_order o = {.kind = kind};
    const int code = carry_out(d, &o);

    d->tested = d->tested_on = 0;
    if (!code)
        rig_say(d, "ok: %s", done);
    return code;
}

static int do_enable(struct rig_desk *d, struct args *a)
{
    rig_look(d);
    if (!no_more(d, a))
        return 2;
    if (d->now.trip.tripped)
        return not_now(d, rig_obstacle(d));
    return order_plain(d, YK_ORDER_ENABLE, "drives enabled; the actuators are held where they are");
}

static int do_disable(struct rig_desk *d, struct args *a)
{
    struct yk_console_order o = {.kind = YK_ORDER_DISABLE};

    if (!no_more(d, a))
        return 2;
    if (rig_carry_out(d, &o)) {
        rig_say(d, "failed: %s", yk_err_line(&o.err).text);
        return yk_status_exit_code(o.status);
    }
    rig_say(d, "ok: drives disabled");
    return 0;
}

static int do_reset(struct rig_desk *d, struct args *a)
{
    return no_more(d, a) ? order_plain(d, YK_ORDER_RESET, "reset; the drives are disabled") : 2;
}

static int do_stop(struct rig_desk *d, struct args *a)
{
    yk_console_stop(d->console, false);
    rig_say(d, "ok: nothing is moving");
    return 0;
}

static int do_quit(struct rig_desk *d, struct args *a)
{
    if (d->guest)
        return refuse(d, "the console belongs to its terminal; `yoke control abort` ends it");
    d->quit = true;
    return 0;
}

static int do_wait(struct rig_desk *d, struct args *a)
{
    struct yk_console_order o = {.kind = YK_ORDER_WAIT};
    double seconds;
    int code;

    if (!next_quantity(d, a, "a time", YK_TIME, &seconds) || !no_more(d, a))
        return 2;
    if (!(seconds >= 0 && seconds <= 3600))
        return refuse(d, "%g s is outside 0 .. 3600 s", seconds);
    o.ticks = lround(seconds / d->tick_s);
    if (!(code = carry_out(d, &o)))
        rig_say(d, "ok: waited %g s", seconds);
    return code;
}

/* ---- moving ---- */

double rig_largest_speed(const struct rig_desk *d, size_t i)
{
    const struct yk_supervisor *v = d->limits;
    const bool force = by_force(d, i);
    const double rate = yk_supervisor_limit(v, YK_LIMIT_COMMAND_RATE, i),
                 reach = yk_supervisor_limit(v, force ? YK_LIMIT_FORCE : YK_LIMIT_DISPLACEMENT, i);
    double speed = INFINITY;

    if (d->speed > 0 && !force)
        return d->speed;
    if (rate > 0)
        speed = RATE_SHARE * rate;
    if (reach > 0)
        speed = fmin(speed, reach / CROSSING_S);
    return isfinite(speed) ? speed : force ? SLOW_LOADING : SLOW;
}

bool rig_beyond(const struct rig_desk *d, size_t i, double to, char *why, size_t size)
{
    const bool force = by_force(d, i);
    const enum yk_limit_kind kind = force ? YK_LIMIT_FORCE : YK_LIMIT_DISPLACEMENT;
    const double limit = yk_supervisor_limit(d->limits, kind, i);

    if (!(limit > 0) || fabs(to) <= limit)
        return false;
    snprintf(why, size, "%s to %s is beyond limits.%s = %s; nothing was moved", yk_station_name(d->station, i),
             rig_text(d, i, force, to).text, yk_limit_key(kind), rig_text(d, i, force, limit).text);
    return true;
}

struct yk_console_order rig_move(const struct rig_desk *d, size_t i, double x, double speed, double *to)
{
    const double largest = rig_largest_speed(d, i);

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
static int go(struct rig_desk *d, struct args *a, bool relative)
{
    const char *obstacle = rig_obstacle(d);
    double x, speed = 0;
    char why[TEXT];
    size_t i;
    int code;

    if (!next_actuator(d, a, &i))
        return 2;
    const bool force = by_force(d, i);
    const enum yk_quantity rate = force ? YK_FORCE_RATE : yk_station_turns(d->station, i) ? YK_TURN_RATE : YK_SPEED;

    if (yk_command_is_rate(yk_station_kind(d->station, i)))
        return refuse(d, "%s is commanded by a rate; only displacements and forces can be moved by hand",
                      yk_station_name(d->station, i));
    if (!next_quantity(d, a, relative ? "the amount" : "the position", quantity_of(d, i, force), &x))
        return 2;
    const bool is_timed = a->at < a->count;
    if ((is_timed && !next_quantity(d, a, "the speed", rate, &speed)) || !no_more(d, a))
        return 2;
    if (*obstacle)
        return not_now(d, obstacle);
    if (is_timed && !(speed > 0))
        return refuse(d, "a speed must be positive");
    if (speed > rig_largest_speed(d, i))
        return refuse(d, "%s is faster than the largest speed of %s, %s (see --speed and limits.command_rate)",
                      yk_quantity_format(speed, rate, 4).text, yk_station_name(d->station, i),
                      yk_quantity_format(rig_largest_speed(d, i), rate, 4).text);
    if (relative)
        x += d->seen[YK_SEEN * i + YK_SEEN_SENT];
    if (rig_beyond(d, i, x, why, sizeof why))
        return refuse(d, "%s", why);
    double *to = calloc(d->count, sizeof *to);
    struct yk_console_order o = {0};

    if (!to)
        return refuse(d, "out of memory");
    o = rig_move(d, i, x, speed, to);
    if (!(code = carry_out(d, &o)))
        say_place(d, i);
    free(to);
    return code;
}

static int do_jog(struct rig_desk *d, struct args *a)
{
    return go(d, a, true);
}

static int do_move(struct rig_desk *d, struct args *a)
{
    return go(d, a, false);
}

static int do_home(struct rig_desk *d, struct args *a)
{
    const char *obstacle = rig_obstacle(d);
    double *to = calloc(2 * d->count, sizeof *to), *one = to ? to + d->count : NULL;
    struct yk_console_order o = {.kind = YK_ORDER_MOVE, .to = to};
    int code = 2;

    if (!to || !no_more(d, a) || *obstacle) {
        code = *obstacle ? not_now(d, obstacle) : 2;
        free(to);
        return code;
    }
    for (size_t i = 0; i < d->count; i++) {
        const bool displaced = yk_station_kind(d->station, i) == YK_BY_DISPLACEMENT;

        to[i] = displaced ? yk_station_start(d->station, i) : 0;
        o.duration_s = fmax(o.duration_s, rig_move(d, i, to[i], 0, one).duration_s);
    }
    if (!(code = carry_out(d, &o)))
        rig_say(d, "ok: all actuators are where a run begins");
    free(to);
    return code;
}

/* ---- tare ---- */

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

static void keep_zero(struct rig_desk *d, const struct yk_taken_zero *zero)
{
    for (size_t k = 0; k < d->zero_count; k++)
        if (strcmp(d->zeros[k].channel, zero->channel) == 0) {
            d->zeros[k] = *zero;
            return;
        }
    d->zeros[d->zero_count++] = *zero;
}

/* Where the drive is off, an actuator that was moved is later enabled where it is. */
static double command_at(const struct rig_desk *d, const struct channel *c, double mean, double zero,
                         const struct yk_correction *now)
{
    const double sent = d->seen[YK_SEEN * c->actuator + YK_SEEN_SENT],
                 near = yk_supervisor_limit(d->limits, YK_LIMIT_POSITION_ERROR, c->actuator);

    return d->now.off && fabs(mean - sent) > near ? zero : sent + now->command_zero;
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
        char question[TEXT];

        snprintf(question, sizeof question,
                 "%s reads %.4g %s, more than %.0f %% of limits.%s = %.4g %s. Is it really at zero?", c->name,
                 mean * unit.factor, unit.text, 100 * LOADED, c->limit_key, c->limit * wide.factor, wide.text);
        if (d->face->ask(d, question) != 1)
            return refuse(
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
        zero.command = o.command = command_at(d, c, mean, zero.zero, now);
    keep_zero(d, &zero);
    if (yk_zeros_write(d->zeros_path, d->zeros, d->zero_count, &err)) {
        rig_say(d, "failed: %s", yk_err_line(&err).text);
        return 1;
    }
    const int code = carry_out(d, &o);

    if (!code)
        rig_say(d, "ok: zero of %s %.6g %s, deviation %.3g %s over %g s", c->name, zero.zero * unit.factor, unit.text,
                zero.deviation * unit.factor, unit.text, zero.seconds);
    return code;
}

static int tare(struct rig_desk *d, struct args *a, bool sure)
{
    const char *what = a->at < a->count && !is_number(a->word[a->at]) ? next_word(a) : NULL;
    const size_t channels = 2 * d->count + d->sensors;
    double seconds = d->tare_s;
    bool any = false;

    if ((a->at < a->count && !next_quantity(d, a, "a time", YK_TIME, &seconds)) || !no_more(d, a))
        return 2;
    if (!(seconds >= d->tick_s && seconds <= 600))
        return refuse(d, "%g s is outside %g .. 600 s", seconds, d->tick_s);
    for (size_t k = 0; k < channels; k++) {
        const struct channel c = channel_at(d, k);

        any |= is_meant(d, &c, what);
    }
    if (!any)
        return refuse(
            d,
            "there is no reading '%s'; say ACTUATOR, ACTUATOR.force, displacement, force, sensors, or nothing for all",
            what);
    if (!d->zeros_path)
        return refuse(d, "the experiment file has its own section calibration, which is not rewritten");
    rig_look(d);
    if (d->now.trip.tripped)
        return not_now(d, rig_obstacle(d));
    struct yk_console_order o = {.kind = YK_ORDER_WAIT, .ticks = lround(seconds / d->tick_s)};
    int code = 0;

    o.room = (size_t)o.ticks;
    if (!(o.rows = malloc(o.room * yk_console_width(d->console) * sizeof *o.rows)))
        return refuse(d, "out of memory");
    if (!(code = carry_out(d, &o)))
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

static int do_tare(struct rig_desk *d, struct args *a)
{
    return tare(d, a, false);
}

static int do_tare_surely(struct rig_desk *d, struct args *a)
{
    return tare(d, a, true);
}

/* ---- lines ---- */

static int do_line(struct rig_desk *d, struct args *a)
{
    const struct yk_supervisor *v = d->limits;
    const char *name = next_word(a), *level = next_word(a);
    struct yk_console_order o = {.kind = YK_ORDER_LINES};
    size_t k = 0;
    int code;

    while (name && k < v->line_count && strcmp(v->lines[k].name, name) != 0)
        k++;
    if (!name || !level || !no_more(d, a))
        return refuse(d, "say line NAME on, off or auto");
    if (k == v->line_count)
        return refuse(d, "the rig has no line '%s'", name);
    if (!yk_line_is_output(v->lines[k].role))
        return refuse(d, "%s is an input", name);
    if (v->lines[k].role == YK_LINE_ENABLE)
        return refuse(d, "%s follows the drives: say enable or disable", name);
    const bool on = strcmp(level, "on") == 0, off = strcmp(level, "off") == 0;

    if (!on && !off && strcmp(level, "auto") != 0)
        return refuse(d, "'%s' is not on, off or auto", level);
    rig_look(d);
    if (!d->now.off)
        return refuse(d, "with drives enabled the lines show the true state; `disable` first");
    d->tested = on || off ? d->tested | UINT32_C(1) << k : d->tested & ~(UINT32_C(1) << k);
    d->tested_on &= ~(UINT32_C(1) << k);
    if ((on || off) && on != v->lines[k].inverted)
        d->tested_on |= UINT32_C(1) << k;
    o.lines = d->tested;
    o.levels = d->tested_on;
    if (!(code = carry_out(d, &o)))
        rig_say(d, "ok: line %s %s", name, level);
    return code;
}

/* ---- identify ---- */

/* "from 0.1 Hz to 20 Hz amplitude 1 mm duration 20 s order 2" */
static bool read_sweep(struct rig_desk *d, struct args *a, struct yk_sweep *sweep, int *order)
{
    const char *word;

    while ((word = next_word(a))) {
        const struct {
            const char *name;
            enum yk_quantity quantity;
            double *to;
        } keys[] = {{"from", YK_FREQUENCY, &sweep->from_Hz},
                    {"to", YK_FREQUENCY, &sweep->to_Hz},
                    {"amplitude", YK_LENGTH, &sweep->amplitude_m},
                    {"duration", YK_TIME, &sweep->duration_s}};
        size_t k = 0;

        while (k < sizeof keys / sizeof *keys && strcmp(keys[k].name, word) != 0)
            k++;
        if (k < sizeof keys / sizeof *keys) {
            if (!next_quantity(d, a, word, keys[k].quantity, keys[k].to))
                return false;
        } else if (strcmp(word, "order") == 0 && a->at < a->count &&
                   yk_choice_index("1|2|servo", a->word[a->at]) >= 0) {
            *order = yk_choice_index("1|2|servo", next_word(a)) + 1;
        } else {
            return refuse(d, "'%s': say from, to, amplitude, duration, or order 1, 2 or servo", word), false;
        }
    }
    return true;
}

/* Does the sweep stay within the limits? With a margin: the supervisor trips at them. */
static bool fits(struct rig_desk *d, size_t i, const struct yk_sweep *s)
{
    static const struct {
        enum yk_limit_kind kind;
        int power; /* of the angular frequency */
        const char *unit[2];
    } bounds[] = {{YK_LIMIT_DISPLACEMENT, 0, {"m", "rad"}},
                  {YK_LIMIT_COMMAND_RATE, 1, {"m/s", "rad/s"}},
                  {YK_LIMIT_VELOCITY, 1, {"m/s", "rad/s"}},
                  {YK_LIMIT_ACCELERATION, 2, {"m/s2", "rad/s2"}}};
    const struct yk_supervisor *v = d->limits;

    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        const double limit = yk_supervisor_limit(v, bounds[k].kind, i),
                     from = k == 0 ? fabs(d->seen[YK_SEEN * i + YK_SEEN_SENT]) : 0,
                     most = from + s->amplitude_m * pow(2 * M_PI * s->to_Hz, bounds[k].power);
        const char *unit = bounds[k].unit[yk_station_turns(d->station, i)];

        if (limit > 0 && most > (k ? MARGIN : 1) * limit)
            return refuse(d, "the sweep of %s would reach %.4g %s, and limits.%s is %.4g %s; lower the amplitude%s",
                          yk_station_name(d->station, i), most, unit, yk_limit_key(bounds[k].kind), limit, unit,
                          k ? " or `to`" : ""),
                   false;
    }
    return true;
}

/* Sent and measured, from the rows of the sweep. */
static bool make_record(const struct rig_desk *d, size_t i, const struct yk_console_order *o,
                        struct yk_sweep_record *record)
{
    const size_t width = yk_console_width(d->console), quiet = yk_sweep_quiet(&o->sweep, d->tick_s);
    const double centre = o->rows[YK_SEEN * i + YK_SEEN_SENT]; /* a sweep begins at zero */

    *record = (struct yk_sweep_record){.tick_s = d->tick_s,
                                       .n = o->made,
                                       .command = calloc(o->made, sizeof *record->command),
                                       .measured = calloc(o->made, sizeof *record->measured)};
    for (size_t k = 0; record->command && record->measured && k < o->made; k++) {
        const double *row = o->rows + width * k + YK_SEEN * i;

        record->command[k] = row[YK_SEEN_SENT] - centre;
        record->measured[k] = row[YK_SEEN_DISPLACEMENT];
        record->offset += k >= quiet ? record->measured[k] / (double)(o->made - quiet) : 0;
    }
    return record->command && record->measured;
}

static int do_identify(struct rig_desk *d, struct args *a)
{
    struct identify_ask ask = {
        .sweep = yk_sweep_defaults(), .mounted = true, .station = d->station, .tick_s = d->tick_s};
    struct yk_console_order o = {.kind = YK_ORDER_SWEEP};
    struct yk_sweep_record record = {0};
    const char *obstacle = rig_obstacle(d);
    struct yk_err err = {0};
    int order = 0, code;
    char *text = NULL;
    size_t size = 0;

    ask.sweep.amplitude_m = NAN; /* not said */
    if (!next_actuator(d, a, &o.actuator))
        return 2;
    if (yk_station_kind(d->station, o.actuator) != YK_BY_DISPLACEMENT)
        return refuse(d, "only actuators that are commanded by displacement can be swept");
    if (!read_sweep(d, a, &ask.sweep, &order))
        return 2;
    if (isnan(ask.sweep.amplitude_m))
        ask.sweep.amplitude_m =
            fmin(yk_sweep_defaults().amplitude_m, yk_sine_amplitude(d->station, o.actuator, ask.sweep.to_Hz));
    if (yk_sweep_check(&ask.sweep, d->tick_s, &err))
        return refuse(d, "%s", yk_err_line(&err).text);
    if (*obstacle)
        return not_now(d, obstacle);
    if (!fits(d, o.actuator, &ask.sweep))
        return 2;
    o.sweep = ask.sweep;
    o.room = yk_sweep_ticks(&o.sweep, d->tick_s);
    if (!(o.rows = malloc(o.room * yk_console_width(d->console) * sizeof *o.rows)))
        return refuse(d, "out of memory for a sweep of %zu ticks", o.room);
    if (!(code = carry_out(d, &o))) {
        FILE *out = open_memstream(&text, &size);
        enum yk_status st = YK_E_MEMORY;

        if (out && make_record(d, o.actuator, &o, &record))
            st = identify_record(&ask, o.actuator, order, &record, out, &err);
        if (out)
            fclose(out);
        if (st) {
            rig_say(d, "failed: %s", yk_err_line(&err).text);
            code = yk_status_exit_code(st);
        } else {
            rig_say_text(d, text);
            rig_say(d, "ok: %s identified from %zu ticks", yk_station_name(d->station, o.actuator), o.made);
        }
        free(text);
        yk_sweep_free(&record);
    }
    free(o.rows);
    return code;
}

/* ---- the rest ---- */

static const char *state_words(const struct rig_desk *d)
{
    if (d->now.trip.tripped)
        return "TRIPPED";
    return d->now.off ? "drives disabled" : d->now.busy ? "moving" : "drives enabled, holding";
}

static int do_status(struct rig_desk *d, struct args *a)
{
    const struct yk_supervisor *v = d->limits;

    rig_look(d);
    for (size_t i = 0; i < d->count; i++) {
        const double *at = d->seen + YK_SEEN * i;
        const enum yk_command_kind kind = yk_station_kind(d->station, i);

        rig_say(d, "  %s: command %s, displacement %s, force %s", yk_station_name(d->station, i),
                yk_command_is_rate(kind) ? "by rate" : rig_text(d, i, kind == YK_BY_FORCE, at[YK_SEEN_SENT]).text,
                rig_text(d, i, false, at[YK_SEEN_DISPLACEMENT]).text, rig_text(d, i, true, at[YK_SEEN_FORCE]).text);
    }
    for (size_t k = 0; k < d->sensors; k++)
        rig_say(d, "  %s: %.6g %s", v->sensors[k].name, d->seen[YK_SEEN * d->count + k], v->sensors[k].unit);
    for (size_t k = 0; k < v->line_count; k++)
        rig_say(d, "  line %s: level %d", v->lines[k].name, (int)(d->now.lines >> k & 1));
    if (d->now.warnings)
        rig_say(d, "  %lld warnings, the first: %s", (long long)d->now.warnings, rig_trip_words(d, &d->now.warning));
    rig_say(d, "ok: %s%s%s; %lld ticks, %lld deadlines missed", state_words(d), d->now.trip.tripped ? ": " : "",
            d->now.trip.tripped ? rig_trip_words(d, &d->now.trip) : "", (long long)d->now.tick,
            (long long)d->now.missed);
    return 0;
}

static int do_note(struct rig_desk *d, struct args *a)
{
    char text[TEXT] = "", date[40];
    const char *word;

    while ((word = next_word(a)))
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? " " : "", word);
    if (!*text)
        return refuse(d, "say note and a text");
    yk_wall_time(date, sizeof date);
    json_array_append_new(d->notes, json_pack("{s:s, s:o}", "date", date, "text", yk_json_any(text)));
    rig_say(d, "ok: noted for the protocol");
    return 0;
}

static int do_checklist(struct rig_desk *d, struct args *a)
{
    return no_more(d, a) ? rig_check(d) : 2;
}

static int do_help(struct rig_desk *d, struct args *a);

static const struct {
    const char *name, *args, *help;
    int (*run)(struct rig_desk *d, struct args *a);
} table[] = {
    {"enable", "", "enable the drives, hold the actuators", do_enable},
    {"disable", "", "disable the drives", do_disable},
    {"jog", "ACTUATOR AMOUNT [SPEED]", "move by an amount: jog a1 -2 mm", do_jog},
    {"move", "ACTUATOR POSITION [SPEED]", "move to a place or force: move a1 5 mm 1 mm/s", do_move},
    {"home", "", "move all actuators to where a run begins", do_home},
    {"stop", "", "stop a motion and hold; also Ctrl-C, Esc", do_stop},
    {"tare", "[CHANNEL] [TIME]", "take zeros: of all, a1, a1.force, force", do_tare},
    {"tare!", "[CHANNEL] [TIME]", "likewise under load, without a question", do_tare_surely},
    {"line", "NAME on|off|auto", "test an output line, drives disabled", do_line},
    {"identify", "ACTUATOR [KEY VALUE]...", "sweep, fit a model; keys: see below", do_identify},
    {"checklist", "", "check the rig, write the protocol", do_checklist},
    {"status", "", "readings, lines, state", do_status},
    {"note", "TEXT", "a remark for the protocol", do_note},
    {"wait", "TIME", "hold for a while", do_wait},
    {"reset", "", "after a trip: clear it, drives disabled", do_reset},
    {"help", "", "these commands", do_help},
    {"quit", "", "hold, disable the drives and leave", do_quit},
};
enum { COMMANDS = sizeof table / sizeof *table };

void rig_print_commands(FILE *out)
{
    for (int i = 0; i < COMMANDS; i++) {
        const int used = fprintf(out, "  %s %s", table[i].name, table[i].args);

        fprintf(out, "%*s%s\n", COLUMN - used, "", table[i].help);
    }
    fputs("  keys of identify: from F, to F, amplitude X, duration T, order 1|2|servo\n", out);
}

static int do_help(struct rig_desk *d, struct args *a)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out) {
        rig_print_commands(out);
        fclose(out);
        rig_say_text(d, text);
    }
    free(text);
    rig_say(d, "ok: every number needs its unit");
    return 0;
}

json_t *rig_describe(const struct yk_supervisor *v)
{
    json_t *offered = json_array(), *lines = json_array();

    for (int i = 0; i < COMMANDS; i++)
        if (table[i].run != do_quit)
            json_array_append_new(offered, json_pack("{s:s, s:s, s:s}", "name", table[i].name, "args", table[i].args,
                                                     "words", table[i].help));
    for (size_t k = 0; k < v->line_count; k++)
        if (yk_line_is_output(v->lines[k].role) && v->lines[k].role != YK_LINE_ENABLE)
            json_array_append_new(lines, yk_json_any(v->lines[k].name));
    return json_pack("{s:o, s:o}", "commands", offered, "lines", lines);
}

void rig_stop(struct rig_desk *d)
{
    d->halted = true;
    yk_console_stop(d->console, false);
}

static int obey(struct rig_desk *d, const char *line)
{
    struct args a;
    const char *word;

    if (!split(&a, line))
        return refuse(d, "the line is too long");
    if (!(word = next_word(&a)) || *word == '#')
        return 0;
    if (d->guest)
        rig_say(d, "> %s", line + strspn(line, " "));
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(word, table[i].name) == 0)
            return table[i].run(d, &a);
    return refuse(d, "unknown command '%.40s'; `help` lists them", word);
}

int rig_obey(struct rig_desk *d, const char *line)
{
    const bool of_list = d->busy;

    d->halted = of_list && d->halted;
    d->busy = true;
    const int code = obey(d, line);

    d->busy = of_list;
    if (!d->guest) /* it is the code of the program */
        d->code = d->code ? d->code : code;
    return code;
}

int rig_obey_list(struct rig_desk *d, const char *list)
{
    char *copy = strdup(list), *rest = copy;
    int code = 0;

    d->busy = true;
    d->halted = false;
    for (const char *line; copy && !code && !d->quit && !rig_is_ending() && (line = strsep(&rest, ";\n"));) {
        code = rig_obey(d, line);
        if (!code && d->halted) { /* just when it was done */
            rig_say(d, "stopped: the actuators are held where they are");
            code = 3;
        }
    }
    d->busy = false;
    free(copy);
    return code;
}
