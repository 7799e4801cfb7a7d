/* Messages of the dashboard: JSON in, frames out. */
#include "message.h"

#include <yoke/control.h>
#include <yoke/json.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- fields ---- */

/* A number within [min, max]; the fallback where it is absent. */
static enum yk_status take_number(const json_t *from, const char *key, double min, double max, double fallback,
                                  double *to, struct yk_err *err)
{
    const json_t *value = json_object_get(from, key);
    const double x = value ? json_number_value(value) : fallback;

    if ((value && !json_is_number(value)) || !(x >= min && x <= max))
        return yk_fail(err, YK_E_INPUT, "%s must be a number, %g .. %g", key, min, max);
    *to = x;
    return YK_OK;
}

static enum yk_status take_count(const json_t *from, const char *key, size_t min, size_t max, size_t fallback,
                                 size_t *to, struct yk_err *err)
{
    double x = 0;
    enum yk_status st = take_number(from, key, (double)min, (double)max, (double)fallback, &x, err);

    if (st)
        return st;
    if (x != floor(x))
        return yk_fail(err, YK_E_INPUT, "%s must be a whole number", key);
    *to = (size_t)x;
    return YK_OK;
}

/* One of a list of words; the first where it is absent. */
static enum yk_status take_choice(const json_t *from, const char *key, const char *const *words, int *to,
                                  struct yk_err *err)
{
    const json_t *value = json_object_get(from, key);
    const char *text = json_string_value(value);

    *to = 0;
    if (!value)
        return YK_OK;
    for (int i = 0; text && words[i]; i++)
        if (strcmp(text, words[i]) == 0) {
            *to = i;
            return YK_OK;
        }
    return yk_fail(err, YK_E_INPUT, "%s is not a word that is known there", key);
}

static enum yk_status take_channels(const json_t *from, struct yk_message *m, struct yk_err *err)
{
    const json_t *list = json_object_get(from, "channels");
    const size_t count = json_array_size(list);

    if (!json_is_array(list) || count > YK_MESSAGE_CHANNELS)
        return yk_fail(err, YK_E_INPUT, "channels must be a list of at most %d numbers", YK_MESSAGE_CHANNELS);
    if (!(m->channels = calloc(count + 1, sizeof *m->channels)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        const json_int_t number = json_integer_value(item);

        if (!json_is_integer(item) || number < 0 || number > UINT32_MAX)
            return yk_fail(err, YK_E_INPUT, "channels must be a list of numbers of channels");
        m->channels[i] = (uint32_t)number;
    }
    m->channel_count = count;
    return YK_OK;
}

/* ---- kinds ---- */

static enum yk_status take_points(const json_t *from, struct yk_message *m, struct yk_err *err)
{
    const enum yk_status st = take_channels(from, m, err);

    return st ? st : take_count(from, "points", 2, YK_MESSAGE_POINTS, 1000, &m->points, err);
}

static enum yk_status take_subscribe(const json_t *from, struct yk_message *m, struct yk_err *err)
{
    const enum yk_status st = take_points(from, m, err);

    return st ? st : take_number(from, "window_s", 1e-6, 1e9, 20, &m->window_s, err);
}

static enum yk_status take_history(const json_t *from, struct yk_message *m, struct yk_err *err)
{
    enum yk_status st = take_points(from, m, err);

    if (st || (st = take_number(from, "from_s", -1e12, 1e12, 0, &m->from_s, err)) ||
        (st = take_number(from, "to_s", -1e12, 1e12, 1e12, &m->to_s, err)))
        return st;
    return m->to_s >= m->from_s ? YK_OK : yk_fail(err, YK_E_INPUT, "to_s must not be before from_s");
}

static enum yk_status take_trigger(const json_t *from, struct yk_scope_wish *w, struct yk_err *err)
{
    static const char *const kinds[] = {"edge", "level", "limit", "event", NULL};
    static const char *const slopes[] = {"rise", "fall", "either", NULL};
    size_t channel = 0;
    int kind, slope;
    enum yk_status st;

    if (!json_is_object(from))
        return yk_fail(err, YK_E_INPUT, "a scope needs a trigger, unless it rolls");
    if ((st = take_choice(from, "kind", kinds, &kind, err)) || (st = take_choice(from, "slope", slopes, &slope, err)) ||
        (st = take_number(from, "level", -1e300, 1e300, 0, &w->level, err)) ||
        (st = take_count(from, "channel", 0, UINT32_MAX, 0, &channel, err)))
        return st;
    w->trigger = (enum yk_trigger)kind;
    w->slope = (enum yk_slope)slope;
    w->channel = (uint32_t)channel;
    return YK_OK;
}

static enum yk_status take_scope(const json_t *from, struct yk_message *m, struct yk_err *err)
{
    static const char *const modes[] = {"off", "single", "normal", "roll", NULL};
    struct yk_scope_wish *w = &m->scope;
    int mode;
    enum yk_status st;

    if (json_is_null(from))
        return YK_OK; /* off */
    if ((st = take_choice(from, "mode", modes, &mode, err)) || (st = take_channels(from, m, err)) ||
        (st = take_count(from, "length", 2, YK_MESSAGE_ROWS, 1000, &w->length, err)) ||
        (st = take_count(from, "pre", 0, w->length - 1, w->length / 4, &w->pre, err)))
        return st;
    if (!m->channel_count)
        return yk_fail(err, YK_E_INPUT, "a scope needs a channel");
    w->mode = json_object_get(from, "mode") ? (enum yk_scope_mode)mode : YK_SCOPE_SINGLE;
    return w->mode == YK_SCOPE_ROLL || w->mode == YK_SCOPE_OFF ? YK_OK
                                                               : take_trigger(json_object_get(from, "trigger"), w, err);
}

static enum yk_status take_control(const json_t *from, struct yk_message *m, struct yk_err *err)
{
    static const char *const words[] = {"pause", "resume", "step", "abort", NULL};
    int word;
    const enum yk_status st = json_object_get(from, "word") ? take_choice(from, "word", words, &word, err)
                                                            : yk_fail(err, YK_E_INPUT, "a control needs a word");

    if (st)
        return st;
    snprintf(m->word, sizeof m->word, "%s", words[word]);
    m->confirmed = json_is_true(json_object_get(from, "confirm"));
    return YK_OK;
}

static enum yk_status take_text(const json_t *from, const char *key, size_t most, struct yk_message *m,
                                struct yk_err *err)
{
    const json_t *text = json_object_get(from, key);

    if (!json_is_string(text) || !json_string_length(text) || json_string_length(text) > most)
        return yk_fail(err, YK_E_INPUT, "%s must be a text of 1 .. %zu bytes", key, most);
    m->text = strdup(json_string_value(text));
    return m->text ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

static enum yk_status take_note(const json_t *from, struct yk_message *m, struct yk_err *err)
{
    return take_text(from, "text", YK_MESSAGE_NOTE, m, err);
}

static enum yk_status take_console(const json_t *from, struct yk_message *m, struct yk_err *err)
{
    return take_text(from, "line", YK_CONSOLE_LINE, m, err);
}

static enum yk_status take_ping(const json_t *from, struct yk_message *m, struct yk_err *err)
{
    return YK_OK;
}

enum yk_status yk_message_parse(struct yk_message *m, const char *text, size_t size, struct yk_err *err)
{
    static const struct {
        const char *word;
        enum yk_message_kind kind;
        enum yk_status (*take)(const json_t *from, struct yk_message *m, struct yk_err *err);
    } kinds[] = {{"subscribe", YK_MESSAGE_SUBSCRIBE, take_subscribe},
                 {"history", YK_MESSAGE_HISTORY, take_history},
                 {"scope", YK_MESSAGE_SCOPE, take_scope},
                 {"control", YK_MESSAGE_CONTROL, take_control},
                 {"note", YK_MESSAGE_NOTED, take_note},
                 {"console", YK_MESSAGE_CONSOLE, take_console},
                 {"ping", YK_MESSAGE_PING, take_ping}};
    json_t *json;
    size_t request = 0;
    enum yk_status st = YK_E_INPUT;

    *m = (struct yk_message){0};
    if (size > YK_MESSAGE_BYTES)
        return yk_fail(err, YK_E_INPUT, "a message of %zu bytes; at most %d", size, YK_MESSAGE_BYTES);
    if (!(json = yk_json_read(text, size, JSON_REJECT_DUPLICATES)) || !json_is_object(json) ||
        json_object_size(json) != 1) {
        json_decref(json);
        return yk_fail(err, YK_E_INPUT, "a message must be a JSON object with one member");
    }
    const char *word = json_object_iter_key(json_object_iter(json));
    const json_t *body = json_object_iter_value(json_object_iter(json));

    yk_fail(err, YK_E_INPUT, "unknown kind of message");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(word, kinds[i].word) == 0 && (json_is_object(body) || kinds[i].kind == YK_MESSAGE_SCOPE)) {
            m->kind = kinds[i].kind;
            if (!(st = take_count(body, "request", 0, UINT32_MAX, 0, &request, err)))
                st = kinds[i].take(body, m, err);
            m->request = (uint32_t)request;
        }
    json_decref(json);
    return st;
}

void yk_message_free(struct yk_message *m)
{
    free(m->channels);
    free(m->text);
    *m = (struct yk_message){0};
}

/* ---- frames ---- */

enum { HEAD_WORDS = 8 };

void *yk_frame_create(const struct yk_frame *f, size_t *size, double **time, double **values, size_t *stride)
{
    const size_t names = (f->channel_count + 1) / 2; /* in pairs, of 8 bytes */
    const size_t head = HEAD_WORDS * sizeof(uint32_t) + 8 * names;
    const uint32_t words[HEAD_WORDS] = {
        0,       (uint32_t)f->kind, f->stream, f->request, (uint32_t)f->channel_count, (uint32_t)f->column_count,
        f->rows, f->trigger};
    char *bytes;

    *stride = f->rows > 1 ? 2 * f->column_count : f->column_count;
    *size = head + 8 * (f->column_count + f->channel_count * *stride);
    if (!(bytes = calloc(1, *size + 8)))
        return NULL;
    memcpy(bytes, words, sizeof words);
    memcpy(bytes, "YKF1", 4);
    if (f->channel_count)
        memcpy(bytes + sizeof words, f->channels, f->channel_count * sizeof *f->channels);
    *time = (double *)(bytes + head);
    *values = *time + f->column_count;
    return bytes;
}
