/* The commands of `yoke rig`: their table, and those that are short. A line is split into words, the first one names
 * the command, and the command gives an order to the loop and answers. */
#include "cli/rig_commands.h"

#include "base/json.h"
#include "cli/operator.h"
#include "experiment/channel_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN = 35 }; /* of the help */

/* ---- drives ---- */

static int order_plain(struct rig_desk *d, enum yk_console_order_kind kind, const char *done)
{
    struct yk_console_order o = {.kind = kind};
    const int code = rig_execute(d, &o);

    d->tested = d->tested_on = 0;
    if (!code)
        rig_say(d, "ok: %s", done);
    return code;
}

static int do_enable(struct rig_desk *d, struct rig_words *w)
{
    rig_look(d);
    if (!rig_no_more(d, w))
        return 2;
    if (d->now.trip.tripped)
        return rig_refuse_now(d, rig_obstacle(d));
    return order_plain(d, YK_ORDER_ENABLE, "drives enabled; the actuators are held where they are");
}

static int do_disable(struct rig_desk *d, struct rig_words *w)
{
    struct yk_console_order o = {.kind = YK_ORDER_DISABLE};

    struct yk_console_order down = {.kind = YK_ORDER_PRESSURE, .pressure = YK_PRESSURE_OFF};

    if (!rig_no_more(d, w))
        return 2;
    rig_look(d);
    if (d->now.pressure != YK_PRESSURE_OFF) /* before the drives let go; they do in any case */
        rig_carry_out(d, &down);
    if (rig_carry_out(d, &o)) {
        rig_say(d, "failed: %s", yk_err_line(&o.err).text);
        return yk_status_exit_code(o.status);
    }
    rig_say(d, "ok: drives disabled");
    return 0;
}

/* Lifts the limits of first motions until the next `disable`; somebody has to say so. */
static int do_full(struct rig_desk *d, struct rig_words *w)
{
    const char *obstacle = rig_obstacle(d);

    if (!rig_no_more(d, w))
        return 2;
    if (*obstacle)
        return rig_refuse_now(d, obstacle);
    return order_plain(d, YK_ORDER_FULL, "the limits are those of the test until the drives are disabled");
}

/* ---- pressure ---- */

static int do_pressure(struct rig_desk *d, struct rig_words *w)
{
    const struct yk_plc *plc = &d->limits->plc;
    const char *word = rig_next_word(w);
    const int requested = word ? yk_choice_index(YK_PRESSURE_CHOICES, word) : -1;
    struct yk_console_order o = {.kind = YK_ORDER_PRESSURE, .pressure = (enum yk_pressure)requested};
    int code;

    if (requested < 0 || !rig_no_more(d, w))
        return rig_refuse(d, "say pressure off, low or high");
    if (!plc->of[YK_LINE_PRESSURE_LOW] || (requested == YK_PRESSURE_HIGH && !plc->of[YK_LINE_PRESSURE_HIGH]))
        return rig_refuse(d, "the rig has no line with the role %s",
                          requested == YK_PRESSURE_HIGH ? "pressure_high" : "pressure_low");
    rig_look(d);
    if (requested != YK_PRESSURE_OFF && d->now.trip.tripped)
        return rig_refuse_now(d, rig_obstacle(d));
    if (requested != YK_PRESSURE_OFF && d->now.off)
        return rig_refuse_now(d, "the drives must hold the actuators before pressure comes: `enable` first");
    if (!(code = rig_execute(d, &o)))
        rig_say(d, d->now.acknowledged ? "ok: pressure %s, acknowledged" : "ok: pressure %s, but NOT acknowledged",
                yk_pressure_word((enum yk_pressure)d->now.pressure));
    return code;
}

/* mode ACTUATOR displacement|force */
static int do_mode(struct rig_desk *d, struct rig_words *w)
{
    const char *obstacle = rig_obstacle(d), *word;
    struct yk_console_order o = {.kind = YK_ORDER_MODE};
    int code;

    if (!rig_next_actuator(d, w, &o.actuator))
        return 2;
    const char *name = yk_station_name(d->station, o.actuator);

    word = rig_next_word(w);
    o.second = word && strcmp(word, "force") == 0;
    if (!word || (!o.second && strcmp(word, "displacement") != 0) || !rig_no_more(d, w))
        return rig_refuse(d, "say mode %s displacement, or mode %s force", name, name);
    if (!d->supervised[o.actuator].second.has)
        return rig_refuse(d, "%s has one control mode; transfer: { %s: { switch: ... } } gives it a second one", name,
                          name);
    if (*obstacle)
        return rig_refuse_now(d, obstacle);
    if (!(code = rig_execute(d, &o)))
        rig_say(d, "ok: %s in %s control, command %s", name, word,
                rig_text(d, o.actuator, o.second, d->seen[YK_SEEN * o.actuator + YK_SEEN_SENT]).text);
    return code;
}

static int do_reset(struct rig_desk *d, struct rig_words *w)
{
    struct yk_console_order o = {.kind = YK_ORDER_RESET};

    if (!rig_no_more(d, w))
        return 2;
    if (d->limits->plc.of[YK_LINE_RESET_KEY] && rig_carry_out(d, &o) && d->now.trip.tripped) {
        rig_say(d, "refused: %s", yk_err_line(&o.err).text);
        return 3;
    }
    return order_plain(d, YK_ORDER_RESET, "reset; the drives are disabled");
}

static int do_stop(struct rig_desk *d, struct rig_words *w)
{
    yk_console_stop(d->console, false);
    rig_say(d, "ok: nothing is moving");
    return 0;
}

static int do_quit(struct rig_desk *d, struct rig_words *w)
{
    if (d->guest)
        return rig_refuse(d, "the console belongs to its terminal; `yoke control abort` ends it");
    d->quit = true;
    return 0;
}

/* Only the terminal decides who commands. */
static int switch_to(struct rig_desk *d, struct rig_words *w, bool local)
{
    if (!rig_no_more(d, w))
        return 2;
    if (d->guest)
        return rig_refuse(d, "only the terminal of the console switches between local and remote");
    desk_switch(d->desk, local);
    rig_say(d, local ? "ok: local; orders from elsewhere are refused, but for stop" : "ok: remote");
    return 0;
}

static int do_local(struct rig_desk *d, struct rig_words *w)
{
    return switch_to(d, w, true);
}

static int do_remote(struct rig_desk *d, struct rig_words *w)
{
    return switch_to(d, w, false);
}

static int do_wait(struct rig_desk *d, struct rig_words *w)
{
    struct yk_console_order o = {.kind = YK_ORDER_WAIT};
    double seconds;
    int code;

    if (!rig_next_quantity(d, w, "a time", YK_TIME, &seconds) || !rig_no_more(d, w))
        return 2;
    if (!(seconds >= 0 && seconds <= 3600))
        return rig_refuse(d, "%g s is outside 0 .. 3600 s", seconds);
    o.ticks = lround(seconds / d->tick_s);
    if (!(code = rig_execute(d, &o)))
        rig_say(d, "ok: waited %g s", seconds);
    return code;
}

/* ---- lines ---- */

static int do_line(struct rig_desk *d, struct rig_words *w)
{
    const struct yk_supervisor *v = d->limits;
    const char *name = rig_next_word(w), *level = rig_next_word(w);
    struct yk_console_order o = {.kind = YK_ORDER_LINES};
    size_t k = 0;
    int code;

    while (name && k < v->line_count && strcmp(v->lines[k].name, name) != 0)
        k++;
    if (!name || !level || !rig_no_more(d, w))
        return rig_refuse(d, "say line NAME on, off or auto");
    if (k == v->line_count)
        return rig_refuse(d, "the rig has no line '%s'", name);
    if (!yk_line_is_output(v->lines[k].role))
        return rig_refuse(d, "%s is an input", name);
    if (v->lines[k].role == YK_LINE_ENABLE)
        return rig_refuse(d, "%s follows the drives: say enable or disable", name);
    if (v->lines[k].role == YK_LINE_PRESSURE_LOW || v->lines[k].role == YK_LINE_PRESSURE_HIGH)
        return rig_refuse(d, "%s follows the pressure: say pressure off, low or high", name);
    const bool on = strcmp(level, "on") == 0, off = strcmp(level, "off") == 0;

    if (!on && !off && strcmp(level, "auto") != 0)
        return rig_refuse(d, "'%s' is not on, off or auto", level);
    rig_look(d);
    if (!d->now.off)
        return rig_refuse(d, "with drives enabled the lines show the true state; `disable` first");
    d->tested = on || off ? d->tested | UINT32_C(1) << k : d->tested & ~(UINT32_C(1) << k);
    d->tested_on &= ~(UINT32_C(1) << k);
    if ((on || off) && on != v->lines[k].inverted)
        d->tested_on |= UINT32_C(1) << k;
    o.lines = d->tested;
    o.levels = d->tested_on;
    if (!(code = rig_execute(d, &o)))
        rig_say(d, "ok: line %s %s", name, level);
    return code;
}

/* ---- state, notes, check-list ---- */

static const char *state_words(const struct rig_desk *d)
{
    if (d->now.trip.tripped)
        return "TRIPPED";
    return d->now.off ? "drives disabled" : d->now.busy ? "moving" : "drives enabled, holding";
}

/* Value and raw number of a channel; false: the console does not see it. */
static bool find_seen(const struct rig_desk *d, const char *name, double *si, double *raw)
{
    const double *sensors = d->seen + YK_SEEN * d->count;
    const char *dot = strrchr(name, '.');

    for (size_t k = 0; k < d->sensors; k++)
        if (strncmp(name, "sensor.", 7) == 0 && strcmp(name + 7, d->limits->sensors[k].name) == 0) {
            *si = sensors[k];
            *raw = sensors[d->sensors + k];
            return true;
        }
    for (size_t i = 0; dot && i < d->count; i++) {
        const char *actuator = yk_station_name(d->station, i);
        const double *at = d->seen + YK_SEEN * i;
        const bool force = strcmp(dot, ".force") == 0;

        if (strlen(actuator) != (size_t)(dot - name) || strncmp(name, actuator, strlen(actuator)) != 0 ||
            !(force || strcmp(dot, ".displacement") == 0))
            continue;
        *si = at[force ? YK_SEEN_FORCE : YK_SEEN_DISPLACEMENT];
        *raw = at[force ? YK_SEEN_RAW_FORCE : YK_SEEN_RAW_DISPLACEMENT];
        return true;
    }
    return false;
}

/* Raw numbers of the channels of the file beside their values. */
static void say_raw(struct rig_desk *d)
{
    struct yk_channel_row *rows = NULL;
    struct yk_err unread = {0};
    size_t count = 0;
    double si, raw;
    void *self;
    const struct yk_rig_ops *rig = yk_station_rig(d->station, &self);
    const bool is_virtual = yk_rig_simulation(rig, self) != NULL; /* its actuators are devices by the table inside */

    if (yk_channel_rows(d->model, &rows, &count, &unread))
        count = 0;
    for (size_t k = 0; k < count; k++)
        if (find_seen(d, rows[k].name, &si, &raw)) {
            if (is_virtual && strncmp(rows[k].name, "sensor.", 7) != 0)
                raw = yk_scale_raw(&rows[k].scale, raw);
            rig_say(d, "  %s: raw %.6g%s%s is %.6g %s", rows[k].name, raw, *rows[k].raw ? " " : "", rows[k].raw, si,
                    rows[k].unit);
        }
    free(rows);
}

static int do_status(struct rig_desk *d, struct rig_words *w)
{
    const struct yk_supervisor *v = d->limits;
    struct yk_console_order first = {.kind = YK_ORDER_WAIT, .ticks = 1};

    rig_look(d);
    if (d->now.tick == 0) /* nothing has been read yet */
        rig_carry_out(d, &first);
    for (size_t i = 0; i < d->count; i++) {
        const double *at = d->seen + YK_SEEN * i;
        const enum yk_command_kind kind = rig_kind(d, i);

        rig_say(d, "  %s: command %s, displacement %s, force %s", yk_station_name(d->station, i),
                yk_command_is_rate(kind) ? "by rate" : rig_text(d, i, kind == YK_BY_FORCE, at[YK_SEEN_SENT]).text,
                rig_text(d, i, false, at[YK_SEEN_DISPLACEMENT]).text, rig_text(d, i, true, at[YK_SEEN_FORCE]).text);
    }
    for (size_t i = 0; i < d->count; i++)
        rig_say_limits(d, i);
    for (size_t k = 0; k < d->sensors; k++)
        rig_say(d, "  %s: %.6g %s", v->sensors[k].name, d->seen[YK_SEEN * d->count + k], v->sensors[k].unit);
    say_raw(d);
    for (size_t k = 0; k < v->line_count; k++)
        rig_say(d, "  line %s: level %d", v->lines[k].name, (int)(d->now.lines >> k & 1));
    if (v->plc.of[YK_LINE_PRESSURE_LOW])
        rig_say(d, "  pressure: %s, %s", yk_pressure_word((enum yk_pressure)d->now.pressure),
                d->now.acknowledged ? "acknowledged" : "not acknowledged");
    if (d->now.warnings)
        rig_say(d, "  %lld warnings, the first: %s", (long long)d->now.warnings, rig_trip_words(d, &d->now.warning));
    rig_say(d, "ok: %s%s%s; %lld ticks, %lld deadlines missed", state_words(d), d->now.trip.tripped ? ": " : "",
            d->now.trip.tripped ? rig_trip_words(d, &d->now.trip) : "", (long long)d->now.tick,
            (long long)d->now.missed);
    return 0;
}

static int do_note(struct rig_desk *d, struct rig_words *w)
{
    char text[RIG_TEXT] = "", date[40];
    const char *word;

    while ((word = rig_next_word(w)))
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? " " : "", word);
    if (!*text)
        return rig_refuse(d, "say note and a text");
    yk_wall_time(date, sizeof date);
    json_array_append_new(d->notes, json_pack("{s:s, s:o}", "date", date, "text", yk_json_any(text)));
    rig_say(d, "ok: noted for the protocol");
    return 0;
}

static int do_checklist(struct rig_desk *d, struct rig_words *w)
{
    return rig_no_more(d, w) ? rig_check(d) : 2;
}

/* ---- the table ---- */

static int do_help(struct rig_desk *d, struct rig_words *w);

static const struct {
    const char *name, *args, *help;
    int (*run)(struct rig_desk *d, struct rig_words *w);
} table[] = {
    {"enable", "", "enable the drives, hold the actuators", do_enable},
    {"disable", "", "disable the drives", do_disable},
    {"pressure", "off|low|high", "order a pressure, wait for the PLC", do_pressure},
    {"jog", "ACTUATOR AMOUNT [SPEED]", "move by an amount: jog a1 -2 mm", rig_do_jog},
    {"move", "ACTUATOR POSITION [SPEED]", "move to a place or force: move a1 5 mm 1 mm/s", rig_do_move},
    {"home", "", "move all actuators to where a run begins", rig_do_home},
    {"homing", "ACTUATOR", "let its drive look for its zero; drives off after", rig_do_homing},
    {"mode", "ACTUATOR MODE", "displacement or force control, without a step", do_mode},
    {"full", "", "limits of the test, until `disable`", do_full},
    {"stop", "", "stop a motion and hold; also Ctrl-C, Esc", do_stop},
    {"tare", "[CHANNEL] [TIME]", "take zeros: of all, a1, a1.force, force", rig_do_tare},
    {"tare!", "[CHANNEL] [TIME]", "likewise under load, without a question", rig_do_tare_surely},
    {"line", "NAME on|off|auto", "test an output line, drives disabled", do_line},
    {"identify", "ACTUATOR [KEY VALUE]...", "sweep, fit a model; keys: see below", rig_do_identify},
    {"checklist", "", "check the rig, write the protocol", do_checklist},
    {"status", "", "readings, lines, state", do_status},
    {"note", "TEXT", "a remark for the protocol", do_note},
    {"wait", "TIME", "hold for a while", do_wait},
    {"reset", "", "after a trip: clear it, drives disabled", do_reset},
    {"local", "", "refuse orders from elsewhere, but for stop", do_local},
    {"remote", "", "take orders from elsewhere again", do_remote},
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

static int do_help(struct rig_desk *d, struct rig_words *w)
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
        if (yk_line_is_output(v->lines[k].role) && v->lines[k].role != YK_LINE_ENABLE &&
            v->lines[k].role != YK_LINE_PRESSURE_LOW && v->lines[k].role != YK_LINE_PRESSURE_HIGH)
            json_array_append_new(lines, yk_json_any(v->lines[k].name));
    return json_pack("{s:o, s:o}", "commands", offered, "lines", lines);
}

/* ---- a line ---- */

void rig_stop(struct rig_desk *d)
{
    d->halted = true;
    yk_console_stop(d->console, false);
}

static int obey(struct rig_desk *d, const char *line)
{
    struct rig_words w;
    const char *word;

    if (!rig_split(&w, line))
        return rig_refuse(d, "the line is too long");
    if (!(word = rig_next_word(&w)) || *word == '#')
        return 0;
    if (d->guest)
        rig_say(d, "> %s", line + strspn(line, " "));
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(word, table[i].name) == 0)
            return table[i].run(d, &w);
    return rig_refuse(d, "unknown command '%.40s'; `help` lists them", word);
}

int rig_obey(struct rig_desk *d, const char *line)
{
    const bool of_list = d->busy;

    d->halted = of_list && d->halted;
    d->busy = true;
    const int code = obey(d, line);

    if (line[strspn(line, " \t")])
        trail_add(d->trail, d->by, code ? "failed" : "command", "%s%s%s", line, d->now.trip.tripped ? ": " : "",
                  d->now.trip.tripped ? rig_trip_words(d, &d->now.trip) : "");
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
