/* Gauges from the rows of a run. */
#include <yoke/gauge.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How the limits that rows can show are seen: a stream, a channel of the actuator, and perhaps another one. */
static const struct {
    const char *limit;
    enum yk_gauge_kind kind;
    const char *stream, *channel, *other;
    const char *command; /* of actuators that are commanded so; NULL: of all that no earlier line is for */
} sights[] = {
    {"displacement", YK_GAUGE_VALUE, "ticks", "sent", NULL, "displacement"},
    {"displacement", YK_GAUGE_VALUE, "ticks", "displacement", NULL, NULL},
    {"force", YK_GAUGE_VALUE, "ticks", "force", NULL, NULL},
    {"velocity", YK_GAUGE_RATE, "ticks", "displacement", NULL, NULL},
    {"acceleration", YK_GAUGE_VALUE, "ticks", "acceleration", NULL, NULL},
    {"sensor_range", YK_GAUGE_VALUE, "ticks", "displacement", NULL, NULL},
    {"command_rate", YK_GAUGE_RATE, "ticks", "sent", NULL, NULL},
    {"tracking_error", YK_GAUGE_DIFFERENCE, "system", "target", "displacement", "displacement"},
    {"tracking_error", YK_GAUGE_DIFFERENCE, "system", "target", "force", "force"},
    {"tracking_error", YK_GAUGE_DIFFERENCE, "system", "target", "tracked", NULL},
    {"energy_error", YK_GAUGE_GROWTH, NULL, NULL, NULL, NULL},
    {"passivity", YK_GAUGE_VALUE, "system", "passivity_share", NULL, NULL},
};

static bool find(const struct yk_stream *s, const char *actuator, const char *channel, size_t *column)
{
    char name[YK_CHANNEL_NAME];

    snprintf(name, sizeof name, "%s.%s", actuator, channel);
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->channels[i].name, name) == 0) {
            *column = i;
            return true;
        }
    return false;
}

/* Finds the channels of its values; false if the run does not record them. */
static bool place(struct yk_gauge *g, const char *command, const struct yk_stream *streams, size_t count)
{
    for (size_t k = 0; k < sizeof sights / sizeof *sights; k++) {
        if (strcmp(g->limit, sights[k].limit) != 0 || (sights[k].command && strcmp(sights[k].command, command) != 0))
            continue;
        g->kind = sights[k].kind;
        if (g->kind == YK_GAUGE_GROWTH)
            return true;
        for (g->stream = 0; g->stream < count; g->stream++) {
            const struct yk_stream *s = &streams[g->stream];

            if (strcmp(s->name, sights[k].stream) == 0)
                return find(s, g->actuator, sights[k].channel, &g->column) &&
                       (!sights[k].other || find(s, g->actuator, sights[k].other, &g->other));
        }
    }
    return false;
}

static size_t count_limits(const json_t *actuators)
{
    size_t count = 0;

    for (size_t i = 0; i < json_array_size(actuators); i++)
        count += json_array_size(json_object_get(json_array_get(actuators, i), "limits"));
    return count;
}

enum yk_status yk_gauges_open(struct yk_gauges *gauges, const json_t *description, const struct yk_stream *streams,
                              size_t stream_count, struct yk_err *err)
{
    const json_t *actuators = json_object_get(description, "actuators");
    const double rate = json_number_value(json_object_get(description, "control_rate_hz")),
                 scale = json_number_value(json_object_get(description, "scale"));

    *gauges = (struct yk_gauges){.items = calloc(count_limits(actuators) + 1, sizeof *gauges->items)};
    if (!gauges->items)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < json_array_size(actuators); i++) {
        const json_t *actuator = json_array_get(actuators, i), *limits = json_object_get(actuator, "limits");
        const char *word = yk_json_text(actuator, "command"), *command = *word ? word : "displacement";
        const json_int_t told = json_integer_value(json_object_get(actuator, "window"));
        const size_t window = told > 0 && told <= YK_GAUGE_WINDOW ? (size_t)told : 1;

        for (size_t k = 0; k < json_array_size(limits); k++) {
            const json_t *limit = json_array_get(limits, k);
            struct yk_gauge g = {.number = i, .per_s = scale > 0 ? rate / scale : rate};

            snprintf(g.actuator, sizeof g.actuator, "%s", yk_json_text(actuator, "name"));
            snprintf(g.limit, sizeof g.limit, "%s", yk_json_text(limit, "limit"));
            snprintf(g.words, sizeof g.words, "%s", yk_json_text(limit, "words"));
            snprintf(g.unit, sizeof g.unit, "%s", yk_json_text(limit, "unit"));
            snprintf(g.action, sizeof g.action, "%s", yk_json_text(limit, "action"));
            g.max = json_number_value(json_object_get(limit, "max"));
            g.window = strcmp(g.limit, "velocity") == 0 ? window : 1;
            if (g.max > 0 && place(&g, command, streams, stream_count))
                gauges->items[gauges->count++] = g;
        }
    }
    return YK_OK;
}

void yk_gauges_close(struct yk_gauges *gauges)
{
    free(gauges->items);
    *gauges = (struct yk_gauges){0};
}

/* Over as many rows as the supervisor averages, as soon as there are so many. */
static bool rate_of(struct yk_gauge *g, double now, double *rate)
{
    const size_t oldest = (g->newest + 1 + YK_GAUGE_WINDOW - g->window + 1) % (YK_GAUGE_WINDOW + 1);
    const bool full = g->filled >= g->window;

    g->newest = (g->newest + 1) % (YK_GAUGE_WINDOW + 1);
    *rate = (now - g->past[oldest]) * g->per_s / (double)g->window;
    g->past[g->newest] = now;
    g->filled += !full;
    return full;
}

static void take(struct yk_gauge *g, double value)
{
    g->value = value;
    g->peak = fmax(g->peak, fabs(value));
}

void yk_gauges_row(struct yk_gauges *gauges, size_t stream, const double *row)
{
    for (size_t i = 0; i < gauges->count; i++) {
        struct yk_gauge *g = &gauges->items[i];

        if (g->kind == YK_GAUGE_GROWTH || g->stream != stream)
            continue;
        const double now = row[g->column];
        double rate;

        if (g->kind == YK_GAUGE_VALUE)
            take(g, now);
        else if (g->kind == YK_GAUGE_DIFFERENCE)
            take(g, now - row[g->other]);
        else if (rate_of(g, now, &rate))
            take(g, rate);
    }
}

void yk_gauges_tracks(struct yk_gauges *gauges, const struct yk_telemetry_track *tracks, size_t count)
{
    for (size_t i = 0; i < gauges->count; i++)
        if (gauges->items[i].kind == YK_GAUGE_GROWTH && gauges->items[i].number < count)
            take(&gauges->items[i], tracks[gauges->items[i].number].growth);
}

json_t *yk_gauges_json(const struct yk_gauges *gauges)
{
    json_t *all = json_array();

    for (size_t i = 0; i < gauges->count; i++) {
        const struct yk_gauge *g = &gauges->items[i];

        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:f, s:o, s:s}", "actuator", g->actuator,
                                             "limit", g->limit, "words", g->words, "unit", g->unit, "value",
                                             yk_json_number(g->value), "peak", yk_json_number(g->peak), "max", g->max,
                                             "share", yk_json_number(fabs(g->value) / g->max), "action", g->action));
    }
    return all;
}
