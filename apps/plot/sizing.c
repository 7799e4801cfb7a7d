/* yoke plot --sizing: force over speed of a recording, beside the capacity of its simulated actuators. */
#include "plot.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/json.h>
#include <yoke/sizing.h>
#include <yoke/yoke.h>

enum { SETTINGS = 256, POINTS = 64 };

/* Everything that the picture needs. */
struct sizing {
    struct plot_source source;
    size_t count;
    char names[YK_SIZING_PICTURES][YK_CHANNEL_NAME];
    struct yk_motion_asked asked[YK_SIZING_PICTURES];
    struct yk_sizing_picture pictures[YK_SIZING_PICTURES];
    double speeds[YK_SIZING_PICTURES][POINTS];
};

/* Actuators are the channels NAME.force with a NAME.displacement; both are picked. */
static int find_actuators(struct sizing *s)
{
    const struct plot_source *source = &s->source;

    if (!source->recording) {
        fprintf(stderr, "yoke: %s is no recording of a run: --sizing needs one\n", source->path);
        return 2;
    }
    const size_t all = yk_recording_channels(source->recording, source->stream);

    for (size_t i = 0; i < all && s->count < YK_SIZING_PICTURES; i++) {
        const char *name = yk_recording_channel(source->recording, source->stream, i)->name, *dot = strrchr(name, '.');
        char other[YK_CHANNEL_NAME];

        if (!dot || strcmp(dot, ".force") != 0)
            continue;
        snprintf(other, sizeof other, "%.*s.displacement", (int)(dot - name) < 100 ? (int)(dot - name) : 100, name);
        if (yk_recording_find(source->recording, source->stream, other) < 0)
            continue;
        snprintf(s->names[s->count], sizeof *s->names, "%.*s", (int)(dot - name), name);
        if (!plot_pick(&s->source, name) || !plot_pick(&s->source, other))
            return 2;
        s->count++;
    }
    if (!s->count)
        fprintf(stderr, "yoke: %s has no actuator with force and displacement\n", source->path);
    return s->count ? 0 : 2;
}

/* The demand of `yoke check` with the capacities, from the experiment in the recording; NULL: it cannot be read. */
static json_t *demand_of(const struct sizing *s)
{
    const struct yk_recording *r = s->source.recording;
    const char *text = yk_recording_text(r, "experiment"), *path = yk_recording_text(r, "experiment_path"),
               *kept = yk_recording_text(r, "overrides"), *settings[SETTINGS];
    char *words = strdup(kept ? kept : ""), *rest = words, *answer = NULL;
    struct yk_model_source source = {
        .path = path ? path : s->source.path, .text = text, .overrides = settings, .rehearse = true};
    struct yk_model *model = NULL;
    json_t *found = NULL;

    for (char *line; words && source.override_count < SETTINGS && (line = strsep(&rest, "\n"));)
        if (*line)
            settings[source.override_count++] = line;
    source.size = text ? strlen(text) : 0;
    if (text && yk_model_read(&model, &source, NULL) == YK_OK &&
        yk_model_analyze(model, "verdict", "{\"budget\": 1e-9}", &answer, NULL) == YK_OK) {
        json_t *all = yk_json_read_text(answer);

        found = json_incref(json_object_get(all, "demand"));
        json_decref(all);
    }
    yk_free(answer);
    yk_model_close(model);
    free(words);
    return found;
}

/* The curve of a data sheet, or largest speed and force as a box. */
static void take_capacity(struct yk_sizing_picture *p, const json_t *demand, double *speeds)
{
    const json_t *sheet = json_object_get(demand, "sheet"), *list = json_object_get(sheet, "speeds_m_s"),
                 *speed = json_object_get(json_object_get(demand, "speed"), "capacity"),
                 *force = json_object_get(json_object_get(demand, "force"), "capacity");
    const size_t count = json_array_size(list);

    p->speed = speeds;
    if (count > 1 && count <= POINTS) {
        for (size_t i = 0; i < count; i++)
            speeds[i] = json_number_value(json_array_get(list, i));
        p->points = count;
        p->force = json_number_value(json_object_get(sheet, "force_N"));
    } else if (json_is_number(speed) && json_is_number(force)) {
        speeds[0] = speeds[1] = json_number_value(speed);
        p->points = 2;
        p->force = json_number_value(force);
    }
}

static int fill(struct sizing *s)
{
    const struct plot_curve *time = plot_curve_of(&s->source, "time");
    json_t *demand = demand_of(s);
    int code = 0;

    for (size_t i = 0; i < s->count && !code; i++) {
        char name[YK_CHANNEL_NAME + 16];
        struct yk_motion_asked *m = &s->asked[i];

        snprintf(name, sizeof name, "%s.displacement", s->names[i]);
        *m = (struct yk_motion_asked){.n = s->source.rows,
                                      .dt = s->source.rows > 1 ? time->values[1] - time->values[0] : 0,
                                      .x = plot_curve_of(&s->source, name)->values};
        snprintf(name, sizeof name, "%s.force", s->names[i]);
        m->force = plot_curve_of(&s->source, name)->values;
        if (!yk_asked_complete(m)) {
            fprintf(stderr, "yoke: %s has less than five samples between --from and --to\n", s->source.path);
            code = 2;
        }
        s->pictures[i] = (struct yk_sizing_picture){.name = s->names[i], .asked = m};
        take_capacity(&s->pictures[i], json_object_get(demand, s->names[i]), s->speeds[i]);
    }
    json_decref(demand);
    return code;
}

int plot_sizing(const struct plot_request *q, const char *word)
{
    struct sizing *s = calloc(1, sizeof *s);
    struct yk_err err = {0};
    int code;

    if (!s)
        return 1;
    if (!(code = plot_open(&s->source, word, q)) && !(code = find_actuators(s)) && !(code = plot_read(&s->source, q)) &&
        !(code = fill(s))) {
        const char *title = q->title ? q->title : yk_recording_text(s->source.recording, "title");

        if (yk_sizing_draw(s->pictures, s->count, title, q->output, &err))
            code = yk_command_fail(&err);
        else
            printf("%s\n", q->output);
    }
    for (size_t i = 0; i < s->count; i++)
        yk_asked_free(&s->asked[i]);
    plot_close(&s->source);
    free(s);
    return code;
}
