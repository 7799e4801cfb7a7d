/* The commissioning check-list of a rig. What can be measured is measured; the rest is asked of the person. The
 * protocol is written in Markdown and in JSON.
 *
 * Each actuator moves a small way to both sides and back. Scale and sign follow from the means at both ends,
 *     scale = (x+ - x-)/(c+ - c-),   stiffness = (f+ - f-)/(x+ - x-),
 * and the delay is the area between command and reading, each taken from 0 to 1: the first moment of the response of
 * the actuator, whatever its shape and however fast it is moved. */
#include "cli/rig.h"

#include "base/json.h"
#include "experiment/commissioning.h"
#include "record/record.h"
#include <yoke/file.h>
#include <yoke/sha256.h>

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 400 };
#define NOISE_S     1.0  /* of standstill */
#define STANDING_S  0.3  /* at each end of a motion */
#define PATIENCE_S  20.0 /* for a person to press a button */
#define PIECE_S     0.1  /* of that */
#define SMALL       0.05 /* of limits.displacement: the largest motion */
#define SMALL_M     2e-3 /* likewise, m or rad */
#define WITHIN      0.8  /* of limits.position_error: an actuator that goes the wrong way must not trip by it */
#define SCALE_ERROR 0.05
#define NOISE_SHARE 0.1  /* of limits.position_error */
#define FORCE_SHARE 0.01 /* of limits.force */
#define FELT        5.0  /* standard deviations: a force that answers */

/* X(id, word, leaves the list open) */
#define RESULT_LIST(X)                                                                                                 \
    X(PASS, "pass", false)                                                                                             \
    X(FAIL, "FAIL", false)                                                                                             \
    X(CONFIRMED, "confirmed", false)                                                                                   \
    X(UNANSWERED, "not answered", true)                                                                                \
    X(ASSUMED, "not confirmed", true)                                                                                  \
    X(NOT_TESTED, "not tested", true)                                                                                  \
    X(NOT_APPLICABLE, "not applicable", false)
enum result {
#define X(id, ...) id,
    RESULT_LIST(X)
#undef X
};
static const struct {
    const char *word;
    bool open;
} results[] = {
#define X(id, word, open) {word, open},
    RESULT_LIST(X)
#undef X
};

struct list {
    struct rig_desk *d;
    json_t *items;
    bool failed;
    int open; /* items that were not tested, or not confirmed by a person */
};

/* ---- findings ---- */

static void find(struct list *l, const char *item, const char *of, enum result result, json_t *values,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));
static void find(struct list *l, const char *item, const char *of, enum result result, json_t *values,
                 const char *format, ...)
{
    char words[TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    l->failed |= result == FAIL;
    l->open += results[result].open;
    rig_say(l->d, "  %-14s %s%s%s: %s", results[result].word, item, *of ? " of " : "", of, words);
    json_array_append_new(l->items,
                          json_pack("{s:s, s:o, s:s, s:s, s:o}", "item", item, "of", yk_json_any(of), "result",
                                    results[result].word, "words", words, "values", values ? values : json_object()));
}

static enum result answer(struct list *l, const char *question)
{
    const int said = l->d->yes ? 1 : l->d->face->ask(l->d, question);

    if (l->d->yes) /* --yes lets the list go on; nobody has looked */
        return ASSUMED;
    return said < 0 ? UNANSWERED : said ? CONFIRMED : FAIL;
}

/* ---- one actuator ---- */

/* Rows on the way to a place and of the standstill there; means and deviations of its second half. */
struct seen {
    double *rows;
    size_t made;
    double x, x_deviation, f, f_deviation, command;
};

/* Moves (NaN: stays) and stands for a while, all of it recorded. */
static enum yk_status stand(struct list *l, size_t i, double to, double seconds, struct seen *s)
{
    struct rig_desk *d = l->d;
    const size_t width = yk_console_width(d->console), still = (size_t)(seconds / d->tick_s) + 1, half = still / 2;
    double *places = calloc(d->count, sizeof *places);
    struct yk_console_order move = {0}, wait = {.kind = YK_ORDER_WAIT, .ticks = (long)still, .room = still};
    enum yk_status st = YK_E_MEMORY;

    rig_look(d);
    *s = (struct seen){0};
    if (places) {
        move = rig_move(d, i, isnan(to) ? d->seen[YK_SEEN * i + YK_SEEN_SENT] : to, 0, places);
        move.room = isnan(to) ? 0 : (size_t)((move.duration_s + 2) / d->tick_s) + 1;
        s->rows = move.rows = malloc((move.room + still) * width * sizeof *move.rows);
    }
    if (s->rows && !(st = isnan(to) ? YK_OK : rig_carry_out(d, &move))) {
        wait.rows = s->rows + width * move.made;
        st = rig_carry_out(d, &wait);
    }
    if (!st) {
        const double *rows = wait.rows + width * half;

        s->made = move.made + wait.made;
        rig_statistics(rows, wait.made - half, width, YK_SEEN * i + YK_SEEN_DISPLACEMENT, &s->x, &s->x_deviation);
        rig_statistics(rows, wait.made - half, width, YK_SEEN * i + YK_SEEN_FORCE, &s->f, &s->f_deviation);
        s->command = d->seen[YK_SEEN * i + YK_SEEN_SENT];
    }
    free(places);
    if (!st && d->now.trip.tripped)
        st = YK_E_STOPPED;
    return st;
}

/* From one place to the next [s]. */
static double delay_of(const struct rig_desk *d, const struct seen *from, const struct seen *to, size_t i)
{
    const size_t width = yk_console_width(d->console);
    double area = 0;

    for (size_t k = 0; k < to->made; k++) {
        const double *row = to->rows + width * k + YK_SEEN * i;

        area += (row[YK_SEEN_SENT] - from->command) / (to->command - from->command) -
                (row[YK_SEEN_DISPLACEMENT] - from->x) / (to->x - from->x);
    }
    return area * d->tick_s;
}

static void judge_noise(struct list *l, size_t i, const struct seen *s)
{
    const struct rig_desk *d = l->d;
    const struct yk_supervisor *v = d->limits;
    const char *name = yk_station_name(d->station, i);
    const double near = yk_supervisor_limit(v, YK_LIMIT_POSITION_ERROR, i),
                 force = yk_supervisor_limit(v, YK_LIMIT_FORCE, i);
    const bool good =
        (near == 0 || s->x_deviation <= NOISE_SHARE * near) && (force == 0 || s->f_deviation <= FORCE_SHARE * force);

    find(l, "noise floor", name, good ? PASS : FAIL,
         json_pack("{s:f, s:f}", "displacement", s->x_deviation, "force", s->f_deviation),
         "deviation %s and %s over %g s%s", rig_text(d, i, false, s->x_deviation).text,
         rig_text(d, i, true, s->f_deviation).text, NOISE_S,
         good ? "" : "; allowed are 10 % of limits.position_error and 1 % of limits.force");
}

static void judge_motion(struct list *l, size_t i, const struct seen *up, const struct seen *down)
{
    const struct rig_desk *d = l->d;
    const char *name = yk_station_name(d->station, i);
    const double moved = up->x - down->x, scale = moved / (up->command - down->command), felt = up->f - down->f,
                 stiffness = felt / moved, delay = delay_of(d, up, down, i);
    const bool answers = fabs(felt) > FELT * hypot(up->f_deviation, down->f_deviation) && fabs(felt) > 0;

    find(l, "sign and scale", name, fabs(scale - 1) <= SCALE_ERROR ? PASS : FAIL,
         json_pack("{s:o, s:f, s:f}", "scale", yk_json_number(scale), "commanded", up->command - down->command,
                   "measured", moved),
         "commanded %s, measured %s: scale %.4f%s", rig_text(d, i, false, up->command - down->command).text,
         rig_text(d, i, false, moved).text, scale,
         scale < 0                       ? "; the sensor or the actuator is reversed"
         : fabs(scale - 1) > SCALE_ERROR ? "; check the gain of the sensor and what blocks the actuator"
                                         : "");
    if (!answers)
        find(l, "sign of the force", name, NOT_TESTED, NULL, "the load cell does not answer: no specimen, or a gap");
    else
        find(l, "sign of the force", name, stiffness > 0 ? PASS : FAIL,
             json_pack("{s:f, s:f}", "stiffness", stiffness, "force", felt), "%s over %s: stiffness %s%s",
             rig_text(d, i, true, felt).text, rig_text(d, i, false, moved).text,
             yk_quantity_format(stiffness, yk_station_turns(d->station, i) ? YK_TURN_STIFFNESS : YK_PLAIN_STIFFNESS, 4)
                 .text,
             stiffness > 0 ? "" : "; the load cell is reversed, or the specimen pushes");
    find(l, "loop delay", name, delay >= 0 && delay < 0.2 ? PASS : FAIL,
         json_pack("{s:o}", "delay_s", yk_json_number(delay)), "%.3g ms from command to reading, %.3g control ticks",
         1e3 * delay, delay / d->tick_s);
}

/* Both sides must refuse, and so must the switches of the rig. */
static void judge_limits(struct list *l, size_t i)
{
    struct rig_desk *d = l->d;
    const char *name = yk_station_name(d->station, i);
    const double limit = yk_supervisor_limit(d->limits, YK_LIMIT_DISPLACEMENT, i);
    char why[TEXT], question[TEXT];

    if (!(limit > 0))
        find(l, "software limits", name, FAIL, NULL, "limits.displacement is not set");
    else
        find(l, "software limits", name,
             rig_beyond(d, i, 1.001 * limit, why, sizeof why) && rig_beyond(d, i, -1.001 * limit, why, sizeof why)
                 ? PASS
                 : FAIL,
             json_pack("{s:f}", "limit", limit), "positions beyond +-%s are refused",
             rig_text(d, i, false, limit).text);
    snprintf(question, sizeof question,
             "Has the positive end switch of %s stopped it in the positive direction, and the negative "
             "one in the other?",
             name);
    const enum result said = answer(l, question);

    find(l, "end switches", name, said, NULL, "asked: %s", question);
}

static enum yk_status check_actuator(struct list *l, size_t i)
{
    struct rig_desk *d = l->d;
    const struct yk_supervisor *v = d->limits;
    const double near = yk_supervisor_limit(v, YK_LIMIT_POSITION_ERROR, i),
                 reach = yk_supervisor_limit(v, YK_LIMIT_DISPLACEMENT, i);
    struct seen quiet = {0}, up = {0}, down = {0}, back = {0};
    double way = SMALL_M, start;
    char question[TEXT];
    enum yk_status st;

    if (near > 0)
        way = fmin(way, 0.5 * WITHIN * near);
    if (reach > 0)
        way = fmin(way, SMALL * reach);
    rig_look(d);
    start = d->seen[YK_SEEN * i + YK_SEEN_SENT];
    if (!(st = stand(l, i, NAN, NOISE_S, &quiet)))
        judge_noise(l, i, &quiet);
    if (!st && yk_station_kind(d->station, i) == YK_BY_DISPLACEMENT) {
        if (reach > 0 && fabs(start) + way > reach)
            find(l, "sign and scale", yk_station_name(d->station, i), FAIL, NULL,
                 "it stands too near its limit to be moved");
        else if (!(st = stand(l, i, start + way, STANDING_S, &up)) &&
                 !(st = stand(l, i, start - way, STANDING_S, &down)) && !(st = stand(l, i, start, STANDING_S, &back)))
            judge_motion(l, i, &up, &down);
        if (!st) {
            snprintf(question, sizeof question, "Has %s moved in its positive direction first, as drawn?",
                     yk_station_name(d->station, i));
            const enum result said = answer(l, question);

            find(l, "direction", yk_station_name(d->station, i), said, NULL, "asked: %s", question);
            judge_limits(l, i);
        }
    }
    free(quiet.rows);
    free(up.rows);
    free(down.rows);
    free(back.rows);
    return st;
}

/* ---- the whole rig ---- */

static bool reset(struct rig_desk *d)
{
    struct yk_console_order o = {.kind = YK_ORDER_RESET};

    return !rig_carry_out(d, &o) && !d->now.trip.tripped;
}

/* Waits until something trips, or nothing does any more. */
static bool await_trip(struct rig_desk *d, bool tripped)
{
    for (double waited = 0; waited < PATIENCE_S && !rig_is_ending() && !d->halted; waited += PIECE_S) {
        struct yk_console_order wait = {.kind = YK_ORDER_WAIT, .ticks = lround(PIECE_S / d->tick_s)};

        rig_carry_out(d, &wait);
        if (!tripped)
            reset(d);
        if (d->now.trip.tripped == tripped)
            return true;
    }
    return false;
}

static void check_stop(struct list *l)
{
    struct rig_desk *d = l->d;
    const struct yk_supervisor *v = d->limits;
    static const char question[] = "Has the emergency stop been pressed, and did it take the power from the drives?";
    bool any = false;

    for (size_t k = 0; k < v->line_count; k++) {
        if (v->lines[k].role != YK_LINE_EMERGENCY_STOP)
            continue;
        any = true;
        rig_say(d, "  press the emergency stop (line `%s`) now, within %g s", v->lines[k].name, PATIENCE_S);
        const bool tripped = await_trip(d, true) && d->now.trip.kind == YK_LIMIT_EMERGENCY_STOP;

        find(l, "emergency stop", v->lines[k].name, tripped ? PASS : FAIL, NULL, "%s",
             tripped               ? "the line tripped and the drive was cut"
             : d->now.trip.tripped ? rig_trip_words(d, &d->now.trip)
                                   : "the line did not change");
        if (d->now.trip.tripped)
            rig_say(d, "  release it again, within %g s", PATIENCE_S);
        if (d->now.trip.tripped && !await_trip(d, false))
            find(l, "emergency stop", v->lines[k].name, FAIL, NULL, "it was not released");
    }
    if (!any) {
        const enum result said = answer(l, question);

        find(l, "emergency stop", "", said, NULL, "no line has this role; asked: %s", question);
    }
}

/* Orders a pressure; how long does the acknowledgement take? */
static enum yk_status check_pressure(struct list *l, enum yk_pressure pressure)
{
    static const enum yk_line_role roles[YK_PRESSURES] = {YK_LINE_PRESSURE_LOW, YK_LINE_PRESSURE_LOW,
                                                          YK_LINE_PRESSURE_HIGH};
    struct rig_desk *d = l->d;
    struct yk_console_order o = {.kind = YK_ORDER_PRESSURE, .pressure = pressure};
    enum yk_status st;

    if (!d->limits->plc.of[roles[pressure]])
        return YK_OK;
    rig_look(d);
    const int64_t begin = d->now.tick;

    st = rig_carry_out(d, &o);
    const double took_s = (double)(d->now.tick - begin) * d->tick_s;
    const bool good = !st && d->now.acknowledged && d->now.pressure == (int64_t)pressure;

    find(l, "pressure", yk_pressure_word(pressure), good ? PASS : FAIL, json_pack("{s:f}", "took_s", took_s),
         good ? "acknowledged after %s" : "not acknowledged after %s", yk_quantity_format(took_s, YK_TIME, 3).text);
    return st;
}

/* A heartbeat that stands still trips; the permissive is taken away by hand. */
static void check_plc(struct list *l)
{
    struct rig_desk *d = l->d;
    const struct yk_supervisor *v = d->limits;
    const double limit = yk_supervisor_limit(v, YK_LIMIT_HEARTBEAT, SIZE_MAX);

    for (size_t k = 0; k < v->line_count && !d->now.trip.tripped; k++) {
        const char *name = v->lines[k].name;

        if (v->lines[k].role == YK_LINE_HEARTBEAT_IN && limit > 0) {
            struct yk_console_order wait = {.kind = YK_ORDER_WAIT, .ticks = lround(2 * limit / d->tick_s)};

            rig_carry_out(d, &wait);
            find(l, "heartbeat", name, d->now.trip.tripped ? FAIL : PASS, NULL, "%s",
                 d->now.trip.tripped ? rig_trip_words(d, &d->now.trip) : "it beats");
        }
        if (v->lines[k].role != YK_LINE_PERMISSIVE)
            continue;
        rig_say(d, "  take the permissive away (line `%s`) now, within %g s", name, PATIENCE_S);
        const bool tripped = await_trip(d, true) && d->now.trip.kind == YK_LIMIT_PERMISSIVE;

        find(l, "permissive", name, tripped ? PASS : FAIL, NULL, "%s",
             tripped               ? "the line tripped"
             : d->now.trip.tripped ? rig_trip_words(d, &d->now.trip)
                                   : "the line did not change");
        if (d->now.trip.tripped && !await_trip(d, false))
            find(l, "permissive", name, FAIL, NULL, "the trip could not be reset");
    }
}

/* The rig hears nothing for a while. One that notices has ended the session or reports the loss. */
static void check_watchdog(struct list *l)
{
    struct rig_desk *d = l->d;
    struct yk_console_order silence = {.kind = YK_ORDER_SILENCE, .ticks = lround(d->watchdog_s / d->tick_s)},
                            wait = {.kind = YK_ORDER_WAIT, .ticks = lround(PIECE_S / d->tick_s)};
    void *self;

    if (yk_station_rig(d->station, &self)->can & YK_RIG_SIMULATES) {
        find(l, "watchdog", "", NOT_APPLICABLE, NULL, "the rig is simulated in this process");
        return;
    }
    rig_carry_out(d, &silence);
    rig_carry_out(d, &wait);
    const bool noticed =
        d->now.trip.tripped && (d->now.trip.kind == YK_LIMIT_RIG_LOST || d->now.trip.kind == YK_LIMIT_RIG_REFUSED);

    find(l, "watchdog", "", noticed ? PASS : FAIL, json_pack("{s:f}", "silence_s", d->watchdog_s), "%s of silence: %s",
         yk_quantity_format(d->watchdog_s, YK_TIME, 3).text,
         noticed ? rig_trip_words(d, &d->now.trip) : "the rig did not notice");
    if (d->now.trip.tripped && !reset(d))
        find(l, "watchdog", "", FAIL, NULL, "the rig did not come back");
}

/* ---- the protocol ---- */

static bool print_text(FILE *out, const void *text)
{
    return fputs(text, out) >= 0;
}

/* A cell of a table must not end it. */
static void print_cell(FILE *out, const char *text)
{
    for (; *text; text++)
        fprintf(out, *text == '|' ? "\\|" : "%c", *text);
}

static char *as_markdown(const json_t *p)
{
    const json_t *items = json_object_get(p, "items"), *zeros = json_object_get(p, "calibration"),
                 *notes = json_object_get(p, "notes");
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(out, "# Commissioning of %s\n\n%s, by %s on %s\n\n", yk_json_text(p, "experiment"), yk_json_text(p, "date"),
            yk_json_text(p, "user"), yk_json_text(p, "host"));
    fprintf(out, "Verdict: **%s**\n\n", yk_json_text(p, "verdict"));
    fprintf(out, "- file: SHA-256 %s\n- program: %s\n- backend: %s, %g Hz\n\n", yk_json_text(p, "sha256"),
            yk_json_text(p, "build"), yk_json_text(p, "backend"),
            json_number_value(json_object_get(p, "control_rate_hz")));
    fputs("| item | of | result | finding |\n|---|---|---|---|\n", out);
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);

        fprintf(out, "| %s | %s | %s | ", yk_json_text(item, "item"), yk_json_text(item, "of"),
                yk_json_text(item, "result"));
        print_cell(out, yk_json_text(item, "words"));
        fputs(" |\n", out);
    }
    fputs("\n## Calibration\n\n", out);
    for (size_t i = 0; i < json_array_size(zeros); i++) {
        const json_t *z = json_array_get(zeros, i);

        fprintf(out, "- %s: zero %.6g %s, deviation %.3g, taken %s\n", yk_json_text(z, "channel"),
                json_number_value(json_object_get(z, "zero")), yk_json_text(z, "unit"),
                json_number_value(json_object_get(z, "deviation")), yk_json_text(z, "date"));
    }
    if (!json_array_size(zeros))
        fputs("No zero was taken.\n", out);
    if (json_array_size(notes))
        fputs("\n## Notes\n\n", out);
    for (size_t i = 0; i < json_array_size(notes); i++)
        fprintf(out, "- %s: %s\n", yk_json_text(json_array_get(notes, i), "date"),
                yk_json_text(json_array_get(notes, i), "text"));
    return fclose(out) == 0 ? text : NULL;
}

static json_t *calibration_of(const struct rig_desk *d)
{
    const struct yk_model now = {.zeros = d->zeros, .zero_count = d->zero_count};

    return yk_calibration_json(&now);
}

/* SHA-256 of the file as it is now; "": it cannot be read. */
static void hash_file(const char *path, char hash[65])
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    const ssize_t size = in ? getdelim(&text, &room, EOF, in) : -1;

    *hash = 0;
    if (size >= 0)
        yk_sha256(text, (size_t)size, hash);
    if (in)
        fclose(in);
    free(text);
}

static const char *verdict_of(const struct list *l)
{
    return l->failed ? "FAILED" : l->open ? "incomplete" : "passed";
}

static json_t *protocol_of(const struct list *l)
{
    const struct rig_desk *d = l->d;
    struct yk_provenance p;
    char hash[65];
    void *self;

    yk_provenance_take(&p);
    hash_file(d->model->path, hash);
    char rig[65];

    yk_model_rig_hash(d->model, rig);
    return json_pack("{s:s, s:o, s:o, s:o, s:s, s:s, s:s, s:o, s:s, s:f, s:s, s:O, s:o, s:O}", "date", p.date, "host",
                     yk_json_any(p.host), "user", yk_json_any(p.user), "experiment", yk_json_any(d->model->path),
                     "sha256", hash, "rig_sha256", rig, "build", yk_build_id(), "settings",
                     yk_json_any(d->model->overrides), "backend", yk_station_rig(d->station, &self)->name,
                     "control_rate_hz", d->model->time.control_rate, "verdict", verdict_of(l), "items", l->items,
                     "calibration", calibration_of(d), "notes", d->notes);
}

static bool write_protocol(const struct list *l)
{
    struct rig_desk *d = l->d;
    char *name = yk_commissioning_name(d->model, d->protocol), *page = NULL, *data = NULL;
    json_t *p = protocol_of(l);
    char *markdown = p ? as_markdown(p) : NULL, *json = p ? json_dumps(p, JSON_INDENT(2) | JSON_PRESERVE_ORDER) : NULL;
    const bool good = name && markdown && json && asprintf(&page, "%s.md", name) >= 0 &&
                      asprintf(&data, "%s.json", name) >= 0 && yk_file_replace(page, print_text, markdown) &&
                      yk_file_replace(data, print_text, json);

    if (good)
        rig_say(d, "  protocol: %s, %s", page, data);
    else
        rig_say(d, "failed: cannot write the protocol %s: %s", page ? page : "", strerror(errno));
    json_decref(p);
    free(markdown);
    free(json);
    free(name);
    free(page);
    free(data);
    return good;
}

int rig_check(struct rig_desk *d)
{
    struct list l = {.d = d, .items = json_array()};
    struct yk_console_order enable = {.kind = YK_ORDER_ENABLE}, disable = {.kind = YK_ORDER_DISABLE};
    enum yk_status st = YK_OK;

    rig_look(d);
    if (d->now.trip.tripped ||
        (d->now.off &&
         d->face->ask(d, "Each actuator will be moved by up to 2 mm to both sides. Is the rig clear?") != 1)) {
        rig_say(d, "refused: %s", d->now.trip.tripped ? rig_obstacle(d) : "nobody said that the rig is clear (--yes)");
        json_decref(l.items);
        return d->now.trip.tripped ? 3 : 2;
    }
    if ((st = rig_carry_out(d, &enable)))
        find(&l, "enable", "", FAIL, NULL, "%s", yk_err_line(&enable.err).text);
    st = st ? st : check_pressure(&l, YK_PRESSURE_LOW);
    for (size_t i = 0; i < d->count && !st; i++)
        st = check_actuator(&l, i);
    st = st ? st : check_pressure(&l, YK_PRESSURE_HIGH);
    st = st ? st : check_pressure(&l, YK_PRESSURE_OFF);
    if (d->now.trip.tripped)
        find(&l, "motion", "", FAIL, NULL, "%s", rig_trip_words(d, &d->now.trip));
    else if (st)
        find(&l, "motion", "", FAIL, NULL, "stopped");
    if (!st) {
        check_plc(&l);
        check_stop(&l);
        check_watchdog(&l);
    }
    rig_carry_out(d, &disable);
    const bool written = write_protocol(&l);

    rig_say(d, "%s: check-list with %zu findings; the drives are disabled", l.failed ? "FAILED" : "ok",
            json_array_size(l.items));
    if (l.open)
        rig_say(d,
                "  incomplete: %d item%s not tested, or not confirmed by a person; a rig outside this process needs "
                "all of them before a run",
                l.open, l.open == 1 ? " was" : "s were");
    json_decref(l.items);
    return l.failed ? 4 : written ? 0 : 1;
}
