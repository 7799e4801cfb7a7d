/* The description of a watched run: what does not change. docs/dashboard-protocol.md */
#include "feed_parts.h"

#include <yoke/json.h>

#include <stdlib.h>
#include <string.h>

static const char *clock_of(const char *stream)
{
    return strcmp(stream, "ticks") == 0 ? "station" : "test";
}

static json_t *streams_array(const struct yk_feed *f)
{
    static const char *const words[][2] = {
        {"system", "system steps"}, {"fine", "fine steps"}, {"ticks", "control ticks"}};
    json_t *all = json_array();

    for (size_t i = 0; i < f->stream_count; i++) {
        const char *name = f->streams[i].name, *said = name;

        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            said = strcmp(words[k][0], name) == 0 ? words[k][1] : said;
        json_array_append_new(all,
                              json_pack("{s:o, s:o, s:o, s:s}", "name", yk_json_any(name), "words", yk_json_any(said),
                                        "period_s", yk_json_number(f->period_s[i]), "clock", clock_of(name)));
    }
    return all;
}

static json_t *channels_array(const struct yk_feed *f)
{
    json_t *all = json_array();

    for (size_t s = 0; s < f->stream_count; s++)
        for (size_t i = 0; i < f->streams[s].count; i++) {
            const struct yk_channel *c = &f->streams[s].channels[i];
            const size_t id = f->first_channel[s] + i;
            char key[YK_TELEMETRY_STREAM + YK_CHANNEL_NAME + 1];

            snprintf(key, sizeof key, "%s:%s", f->streams[s].name, c->name);
            json_array_append_new(all,
                                  json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "id", (json_int_t)id, "stream",
                                            (json_int_t)s, "key", yk_json_any(key), "name", yk_json_any(c->name),
                                            "unit", yk_json_any(c->unit), "kind", yk_json_any(c->kind), "owner",
                                            yk_json_any(c->owner), "words", yk_json_any(yk_channel_words(c))));
        }
    return all;
}

/* Adds the texts of a recording. */
static void add_texts(struct yk_feed *f, const struct yk_recording *r)
{
    static const char *const texts[][2] = {{"method", "method"},      {"date", "started"}, {"command", "command"},
                                           {"note", "note"},          {"build", "build"},  {"experiment", "experiment"},
                                           {"host", "host"},          {"user", "user"},    {"cpu", "cpu"},
                                           {"overrides", "overrides"}};
    const char *summary = r ? yk_recording_text(r, "summary") : NULL;
    json_t *parsed = yk_json_read_text(summary);

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        json_object_set_new(f->about, texts[i][1], yk_json_any(r ? yk_recording_text(r, texts[i][0]) : NULL));
    json_object_set_new(f->about, "summary", parsed ? parsed : json_null());
}

static void set_periods(struct yk_feed *f)
{
    const double step = json_number_value(json_object_get(f->about, "step_s")),
                 substeps = json_number_value(json_object_get(f->about, "substeps")),
                 rate = json_number_value(json_object_get(f->about, "control_rate_hz"));

    for (size_t i = 0; i < f->stream_count; i++)
        f->period_s[i] = strcmp(f->streams[i].name, "ticks") == 0  ? rate > 0 ? 1 / rate : 0
                         : strcmp(f->streams[i].name, "fine") == 0 ? substeps > 0 ? step / substeps : step
                                                                   : step;
}

/* The description that the run made of itself, and what is known besides. */
enum yk_status yk_feed_describe(struct yk_feed *f, const char *title, const char *description,
                                const struct yk_recording *r, struct yk_err *err)
{
    static const char *const lists[] = {"actuators", "limits", NULL};
    const json_t *actuators;
    json_t *states = json_array();

    f->about = yk_json_read_text(description);
    if (!json_is_object(f->about)) {
        json_decref(f->about);
        f->about = json_object();
    }
    for (const char *const *l = lists; *l; l++)
        if (!json_is_array(json_object_get(f->about, *l)))
            json_object_set_new(f->about, *l, json_array());
    if (!json_is_object(json_object_get(f->about, "sketch")))
        json_object_set_new(f->about, "sketch",
                            json_pack("{s:[], s:[], s:[]}", "substructures", "interfaces", "loads"));
    for (int i = 0; i < YK_STATES; i++)
        json_array_append_new(states, json_string(yk_rig_state_text((enum yk_rig_state)i)));
    set_periods(f);
    json_object_set_new(f->about, "id", yk_json_any(f->id));
    json_object_set_new(f->about, "name", yk_json_any(f->name));
    json_object_set_new(f->about, "title", yk_json_any(title));
    json_object_set_new(f->about, "folder", yk_json_any(f->folder));
    json_object_set_new(f->about, "streams", streams_array(f));
    json_object_set_new(f->about, "channels", channels_array(f));
    json_object_set_new(f->about, "states", states);
    add_texts(f, r);
    actuators = json_object_get(f->about, "actuators");
    f->actuator_count = json_array_size(actuators);
    if (!(f->actuators = calloc(f->actuator_count + YK_TELEMETRY_TRACKED + 1, sizeof *f->actuators)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < f->actuator_count + YK_TELEMETRY_TRACKED; i++)
        f->actuators[i] = i < f->actuator_count ? yk_json_text(json_array_get(actuators, i), "name") : "?";
    return yk_gauges_open(&f->gauges, f->about, f->streams, f->stream_count, err);
}

char *yk_feed_description(struct yk_feed *f)
{
    char *text;

    pthread_mutex_lock(&f->lock);
    json_object_set_new(f->about, "live", json_boolean(f->live));
    text = json_dumps(f->about, JSON_COMPACT);
    pthread_mutex_unlock(&f->lock);
    return text;
}
