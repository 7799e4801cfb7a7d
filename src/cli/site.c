#include "cli/site.h"

#include "cli/folder.h"
#include "engine/engine.h"
#include "record/record.h"
#include "transfer/station.h"
#include "transfer/supervisor.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Columns of the recording before those of the actuators, and of each actuator. */
enum { TIME, UNIX, NUMBER, STATE, FIRST };
enum { COMMAND, SENT, DISPLACEMENT, FORCE, ACCELERATION, EACH };

struct site {
    struct yk_rig_part *rig;
    struct yk_supervisor supervisor;
    struct yk_supervised *supervised;
    struct yk_sensor_limit *sensors;
    size_t count;
    double *sent, *row;
    struct yk_channel *channels;
    struct yk_recorder *recorder;
    const char *const *names;
    double tick_s;
    long number; /* of the command in the session */
    char words[200];
    char tripped[200]; /* the first trip of all sessions */
    bool is_lost;      /* the trip was told */
};

/* ---- the layer ---- */

static void record(struct site *s, const double *asked, const struct yk_rig_in *in)
{
    double *row = s->row;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    row[TIME] = s->tick_s * (double)s->number;
    row[UNIX] = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    row[NUMBER] = (double)s->number;
    row[STATE] = s->supervisor.state;
    for (size_t i = 0; i < s->count; i++) {
        double *of = row + FIRST + EACH * i;

        of[COMMAND] = asked[i];
        of[SENT] = s->sent[i];
        of[DISPLACEMENT] = in->readings[i].displacement;
        of[FORCE] = in->readings[i].force;
        of[ACCELERATION] = in->readings[i].acceleration;
    }
    if (s->recorder)
        yk_recorder_push(s->recorder, 0, row);
}

/* A new session: the supervisor begins anew where the rig stands, and follows. */
static enum yk_status rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct site *s = self;
    const enum yk_status st = yk_rig_part.rest(s->rig, x, in, err);

    if (st)
        return st;
    memcpy(s->sent, x, s->count * sizeof *s->sent);
    s->supervisor.trip = (struct yk_trip){0};
    yk_supervisor_rest(&s->supervisor, x, x, in->readings);
    yk_supervisor_event(&s->supervisor, YK_EVENT_ARM);
    yk_supervisor_inputs(&s->supervisor, in->sensors, in->lines);
    if (yk_supervisor_stands(&s->supervisor))
        yk_supervisor_event(&s->supervisor, YK_EVENT_START);
    s->number = 0;
    s->is_lost = false;
    record(s, x, in);
    return YK_OK;
}

static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct site *s = self;
    const bool sends = yk_supervisor_commands(&s->supervisor, out->command, s->sent);
    const struct yk_rig_out own = {.command = s->sent, .ahead = out->ahead, .lines = out->lines};
    enum yk_rig_answer answer = YK_RIG_HELD;

    s->number++;
    if (sends) {
        answer = yk_rig_part.exchange(s->rig, &own, in);
        if (answer == YK_RIG_FRESH)
            yk_supervisor_inputs(&s->supervisor, in->sensors, in->lines);
        yk_supervisor_readings(&s->supervisor, answer, s->sent, in->readings);
    }
    if (s->supervisor.cut && yk_rig_part.cut)
        yk_rig_part.cut(s->rig, out->lines);
    record(s, out->command, in);
    const bool is_unrecorded = s->recorder && yk_recorder_failed(s->recorder);
    if ((!s->supervisor.trip.tripped && !is_unrecorded) || s->is_lost)
        return answer;
    s->is_lost = true;
    if (s->supervisor.trip.tripped) {
        char text[sizeof s->words];

        yk_trip_text(&s->supervisor.trip, s->names, text, sizeof text);
        snprintf(s->words, sizeof s->words, "limit of the site: %.170s", text);
    } else
        snprintf(s->words, sizeof s->words, "the site cannot record: is its disk full?");
    if (!*s->tripped)
        memcpy(s->tripped, s->words, sizeof s->tripped);
    return YK_RIG_REFUSED;
}

static const char *reason(const void *self)
{
    return ((const struct site *)self)->words;
}

static enum yk_status enable(void *self, bool on, const struct yk_rig_out *out, struct yk_err *err)
{
    struct site *s = self;

    return yk_rig_part.enable ? yk_rig_part.enable(s->rig, on, out, err) : YK_OK;
}

static void cut(void *self, uint32_t lines)
{
    struct site *s = self;

    if (yk_rig_part.cut)
        yk_rig_part.cut(s->rig, lines);
}

static enum yk_rig_world world(const void *self)
{
    return yk_rig_world(&yk_rig_part, ((const struct site *)self)->rig);
}

static const struct yk_rig_ops *inner(const void *self, size_t k, void **inner, const char **name)
{
    *inner = ((const struct site *)self)->rig;
    *name = "";
    return k == 0 ? &yk_rig_part : NULL;
}

const struct yk_rig_ops site_rig = {
    .name = "site",
    .summary = "a rig with the supervisor and the recording of its site",
    .can = YK_RIG_EVERYTHING,
    .rest = rest,
    .exchange = exchange,
    .enable = enable,
    .reason = reason,
    .cut = cut,
    .world = world,
    .inner = inner,
};

/* ---- preparation ---- */

static void name_channel(struct yk_channel *c, const char *name, const char *unit, const char *kind, const char *owner)
{
    *c = (struct yk_channel){0};
    snprintf(c->name, sizeof c->name, "%s%s%s", owner, *owner ? "." : "", name);
    snprintf(c->unit, sizeof c->unit, "%s", unit);
    snprintf(c->kind, sizeof c->kind, "%s", kind);
    snprintf(c->owner, sizeof c->owner, "%s", owner);
    snprintf(c->long_name, sizeof c->long_name, "%s%s%s", owner, *owner ? ", " : "", kind);
}

static void name_channels(struct site *s, const struct yk_rig_plan *plan, const struct yk_station *station,
                          const size_t *actuators)
{
    name_channel(&s->channels[TIME], "time", "s", "time", "");
    name_channel(&s->channels[UNIX], "unix", "s", "time since 1970", "");
    name_channel(&s->channels[NUMBER], "number", "", "number of the tick in the session", "");
    name_channel(&s->channels[STATE], "state", "", "state of the supervisor", "");
    for (size_t i = 0; i < plan->count; i++) {
        struct yk_channel *of = s->channels + FIRST + EACH * i;
        const bool turns = yk_station_turns(station, actuators[i]);
        const char *unit = yk_station_unit(station, actuators[i]), *name = plan->names[i];

        name_channel(&of[COMMAND], "command", unit, "command of the run", name);
        name_channel(&of[SENT], "sent", unit, "sent command", name);
        name_channel(&of[DISPLACEMENT], "displacement", turns ? "rad" : "m", "measured displacement", name);
        name_channel(&of[FORCE], "force", turns ? "N m" : "N", "measured force", name);
        name_channel(&of[ACCELERATION], "acceleration", turns ? "rad/s2" : "m/s2", "measured acceleration", name);
    }
}

static void make_supervisor(struct site *s, const struct yk_model *model, const struct yk_rig_part *rig)
{
    const struct yk_supervisor *all = yk_station_supervisor(model->station);
    const struct yk_rig_member *m = &rig->member;

    for (size_t i = 0; i < s->count; i++)
        s->supervised[i].own = all->supervised[m->actuators[i]].own;
    for (size_t k = 0; k < m->sensor_count; k++)
        s->sensors[k] = all->sensors[m->sensors[k]];
    yk_supervisor_init(&s->supervisor, &all->limits, s->supervised, s->count,
                       yk_tick_of(m->plan.tick, model->time.scale > 0 ? model->time.scale : 1));
    yk_supervisor_watch(&s->supervisor, s->sensors, m->sensor_count, m->plan.lines, m->plan.line_count);
}

int site_record(struct site *s, const struct yk_model *model, const char *dir)
{
    const struct yk_stream stream = {"ticks", FIRST + EACH * s->count, s->channels};
    struct yk_provenance provenance;
    struct yk_err err = {0};
    char *path = NULL;
    int code;

    if ((code = folder_check(dir, false, "")) || (code = folder_make(dir)))
        return code;
    if (asprintf(&path, "%s/run.h5", dir) < 0) {
        fputs("yoke: out of memory\n", stderr);
        return 1;
    }
    yk_provenance_take(&provenance);
    provenance.command = yk_command_line();
    const struct yk_recording_info info = yk_run_info(model, "site", "{}", &provenance);
    if (yk_recorder_open(&s->recorder, path, &info, &stream, 1, &err))
        code = yk_command_fail(&err);
    else
        yk_recorder_touch(s->recorder);
    free(path);
    return code;
}

int site_open(struct site **site, const struct yk_model *model, struct yk_rig_part *rig)
{
    const struct yk_rig_plan *plan = &rig->member.plan;
    struct site *s = calloc(1, sizeof *s);
    const size_t n = plan->count;
    int code = 1;

    if (s) {
        *s = (struct site){.rig = rig, .count = n, .names = plan->names, .tick_s = plan->tick};
        s->supervised = calloc(n + 1, sizeof *s->supervised);
        s->sensors = calloc(plan->sensor_count + 1, sizeof *s->sensors);
        s->sent = calloc(n + 1, sizeof *s->sent);
        s->row = calloc(FIRST + EACH * n, sizeof *s->row);
        s->channels = calloc(FIRST + EACH * n, sizeof *s->channels);
    }
    if (s && s->supervised && s->sensors && s->sent && s->row && s->channels) {
        name_channels(s, plan, model->station, rig->member.actuators);
        make_supervisor(s, model, rig);
        code = 0;
    } else
        fprintf(stderr, "yoke: out of memory\n");
    *site = s;
    return code;
}

int site_close(struct site *s)
{
    struct yk_err err = {0};
    int code = 0;

    if (!s)
        return 0;
    if (s->recorder) {
        const uint64_t dropped = yk_recorder_dropped(s->recorder, 0);
        json_t *summary =
            json_pack("{s:s, s:o, s:I}", "kind", "site", "trip", *s->tripped ? json_string(s->tripped) : json_null(),
                      "dropped_samples", (json_int_t)dropped);
        char *text = json_dumps(summary, JSON_INDENT(2));

        if (yk_recorder_close(s->recorder, true, text ? text : "{}", &err))
            code = yk_command_fail(&err);
        warn_of_missing_rows(dropped);
        json_decref(summary);
        free(text);
    }
    if (*s->tripped) {
        fprintf(stderr, "yoke: %s\n", s->tripped);
        code = code ? code : 3;
    }
    free(s->supervised);
    free(s->sensors);
    free(s->sent);
    free(s->row);
    free(s->channels);
    free(s);
    return code;
}
