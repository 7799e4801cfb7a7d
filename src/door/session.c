/* Sessions: the loop of a run, at the pace of a program. */
#include "door/session.h"

#include "base/clock.h"
#include "experiment/commissioning.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOOP_BUDGET_S 2.0 /* of CPU time, to judge a loop before it moves a real rig; as `yoke run` */

/* ---- forces of the program ---- */

/* The loads of a side, or of the one domain, and the forces of the program. */
static void pushed_at(void *self, double t, double *f)
{
    const struct yk_pushed *p = self;

    if (p->loads.at)
        p->loads.at(p->loads.self, t, f);
    for (size_t i = 0; i < p->n; i++)
        f[i] += p->f[i];
}

static struct yk_loading *loading_of(struct yk_session *s, int side)
{
    struct yk_state *m = &s->loop.state;

    return m->problem ? &m->problem->side[side].loading : &m->domain->loading;
}

static int sides_of(const struct yk_session *s)
{
    return s->loop.state.problem ? YK_SIDES : 1;
}

/* Puts the forces of the program into the loads of the motion, or takes them out. */
void yk_session_attach(struct yk_session *s)
{
    yk_loop_attach(&s->loop);
    for (int k = 0; k < sides_of(s) && s->pushes; k++)
        *loading_of(s, k) = (struct yk_loading){pushed_at, &s->side[k]};
}

void yk_session_detach(struct yk_session *s)
{
    yk_loop_detach(&s->loop);
    for (int k = 0; k < sides_of(s) && s->pushes; k++)
        *loading_of(s, k) = s->side[k].loads;
}

enum yk_status yk_session_begin_pushing(struct yk_session *s, struct yk_err *err)
{
    const struct yk_state *m = &s->loop.state;

    for (int k = 0; k < sides_of(s); k++) {
        const size_t n = m->problem ? m->problem->side[k].n : m->domain->integrator.system->n;

        free(s->side[k].f);
        s->side[k] = (struct yk_pushed){*loading_of(s, k), n, calloc(n + 1, sizeof *s->side[k].f)};
        if (!s->side[k].f)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    s->pushes = true;
    s->loop.samples.balance.pushed = s->pushed;
    yk_session_attach(s);
    return YK_OK;
}

/* From the degrees of freedom of the substructures to those of the method. */
void yk_session_distribute(struct yk_session *s)
{
    const struct yk_state *m = &s->loop.state;
    const struct yk_model *model = m->model;

    for (int k = 0; k < sides_of(s); k++)
        memset(s->side[k].f, 0, s->side[k].n * sizeof *s->side[k].f);
    for (size_t k = 0; k < model->substructure_count; k++) {
        const double *f = s->pushed + s->loop.samples.channels.first[k];
        size_t first, index;
        int side = 0;

        if (!m->problem) {
            yk_matrix_add_product(m->modal ? &m->modal->map[k] : &m->assembly->map[k], 1, f, s->side[0].f);
            continue;
        }
        const struct yk_assembly *modal = yk_coupled_modal(m->problem, k, &index);

        yk_coupled_locate(m->problem, k, &side, &first);
        if (modal)
            yk_matrix_add_product(&modal->map[index], 1, f, s->side[side].f);
        else
            for (size_t i = 0; i < m->substructures[k].system->n; i++)
                s->side[side].f[first + i] += f[i];
    }
}

enum yk_status yk_session_push(struct yk_session *s, size_t k, size_t dof, double force, struct yk_err *err)
{
    const struct yk_model *model = s->loop.model;
    enum yk_status st;

    if (k >= model->substructure_count || dof >= model->substructures[k].system->n)
        return yk_fail(err, YK_E_INPUT, "substructure %zu has no degree of freedom %zu", k, dof);
    if (model->substructures[k].system->mass_divided_out)
        return yk_fail(err, YK_E_UNSUPPORTED, "%s takes no forces: its mass depends on the configuration",
                       model->substructures[k].name);
    if (s->follower.along)
        return yk_fail(err, YK_E_UNSUPPORTED, "a run along given displacements takes no forces");
    if (!isfinite(force))
        return yk_fail(err, YK_E_RANGE, "a force on %s.%s must be a finite number", model->substructures[k].name,
                       model->substructures[k].dofs[dof]);
    if (!s->pushes && force == 0)
        return YK_OK;
    if (!s->pushes && (st = yk_session_begin_pushing(s, err)))
        return st;
    s->pushed[s->loop.samples.channels.first[k] + dof] = force;
    yk_session_distribute(s);
    return YK_OK;
}

/* ---- begin and end ---- */

static enum yk_status check_rig(struct yk_session *s, const struct yk_model *model,
                                const struct yk_session_settings *settings, struct yk_err *err)
{
    const struct yk_judging how = {.periods = YK_MARGIN_CHECK, .budget_s = LOOP_BUDGET_S};
    struct yk_margin m = {.verdict = YK_LOOP_UNDECIDED};
    enum yk_status st;
    void *self;

    if (!model->station || yk_station_rig(model->station, &self)->can & YK_RIG_SIMULATES)
        return YK_OK;
    if (!settings->real_rig)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(model->path),
                          "this would move a rig outside this process, which the program did not ask for");
    if ((st = yk_commissioning_check(model, settings->uncommissioned, &s->commissioning, err)))
        return st;
    s->result.commissioning = s->commissioning;
    if (!settings->follow && model->stability == YK_REFUSE_UNSTABLE && yk_model_is_hybrid(model) &&
        !yk_hybrid_judge(model, &how, &m, NULL) && m.verdict == YK_LOOP_UNSTABLE)
        return yk_fail_at(err, YK_E_CHECK, model->method_where,
                          "the hybrid loop is unstable; no actuator was moved. `yoke check %s` explains it; set "
                          "method.stability: warn to run anyway",
                          model->path);
    return YK_OK;
}

/* A step beyond the stability limit of an integrator, as by `yoke run`. */
static enum yk_status check_step(const struct yk_model *model, struct yk_err *err)
{
    struct yk_stability stability;
    enum yk_status st;

    if (model->coupling || !(model->integrator->caps & YK_INTEG_CONDITIONAL) || model->stability == YK_WARN_UNSTABLE)
        return YK_OK;
    if ((st = yk_check_stability(model, &stability, err)) || stability.stable)
        return st;
    return yk_stability_words(model, &stability, true, err);
}

static enum yk_status open_recorder(struct yk_session *s, const char *path, struct yk_err *err)
{
    const struct yk_model *model = s->model;
    struct yk_stream streams[YK_STREAMS];
    char *method = yk_method_text(model), *description = yk_run_description(model);
    enum yk_status st = method && description ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    yk_provenance_take(&s->provenance);
    const struct yk_recording_info info = yk_run_info(model, method, description, &s->provenance);
    if (!st)
        st = yk_recorder_open(&s->loop.recorder, path, &info, streams, yk_run_streams(&s->channels, streams), err);
    free(method);
    free(description);
    return st;
}

static enum yk_status open_session(struct yk_session *s, const struct yk_session_settings *settings, struct yk_err *err)
{
    enum yk_status st;

    if (settings->realtime && (settings->keep_rows || !settings->recording))
        return yk_fail(err, YK_E_UNSUPPORTED, "a paced run is recorded to a file and keeps no rows in memory");
    if ((st = check_rig(s, s->model, settings, err)) ||
        (!settings->checked && !settings->follow && (st = check_step(s->model, err))) ||
        (settings->follow && (st = yk_follower_open(&s->follower, s->model, settings->follow, err))) ||
        (st = yk_run_channels(s->model, &s->channels, err)))
        return st;
    if (settings->follow)
        yk_run_channels_of_driver(&s->channels);
    for (int k = 0; k < YK_STREAMS && settings->keep_rows && !st; k++)
        st = yk_rows_open(&s->rows[k], &s->channels.streams[k], settings->keep, settings->keep_count, err);
    s->settings = yk_run_defaults();
    s->settings.threads = settings->threads > 1 ? settings->threads : 1;
    s->settings.realtime = settings->realtime;
    s->settings.driver = settings->follow ? &s->follower.driver : NULL;
    if (!(s->result.pace = calloc(1, sizeof *s->result.pace)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    s->loop = (struct yk_loop){.model = s->model,
                               .result = &s->result,
                               .settings = &s->settings,
                               .control = &s->control,
                               .rows = settings->keep_rows ? s->rows : NULL};
    if (!st && settings->recording)
        st = open_recorder(s, settings->recording, err);
    s->begin_ns = yk_clock_now_ns();
    if (st || (st = yk_loop_open(&s->loop, err)))
        return st;
    s->open = true;
    s->pushed = calloc(s->loop.samples.channels.dof_count + 1, sizeof *s->pushed);
    s->watched = calloc(s->loop.model->substructure_count + 1, sizeof *s->watched);
    return s->pushed && s->watched ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

enum yk_status yk_session_begin(struct yk_session **created, const struct yk_model *model,
                                const struct yk_session_settings *settings, struct yk_err *err)
{
    struct yk_session *s = calloc(1, sizeof *s);
    enum yk_status st;

    *created = NULL;
    if (!s)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    s->model = model;
    if ((st = open_session(s, settings, err))) {
        yk_session_close(s);
        return st;
    }
    *created = s;
    return YK_OK;
}

enum yk_status yk_session_open(struct yk_session **created, const struct yk_model *model, struct yk_err *err)
{
    return yk_session_begin(created, model, &(struct yk_session_settings){.threads = 1}, err);
}

char *yk_session_summary(const struct yk_session *s)
{
    return yk_run_summary(s->model, &s->channels, &s->result);
}

enum yk_status yk_session_end(struct yk_session *s, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    if (s->ended)
        return YK_OK;
    s->ended = true;
    if (s->open) {
        yk_loop_conclude(&s->loop);
        yk_beat_end(&s->loop.beat); /* of this thread, which began the run */
        s->result.wall_s = 1e-9 * (double)(yk_clock_now_ns() - s->begin_ns);
        s->result.provenance = s->loop.recorder ? &s->provenance : NULL;
    }
    if (s->loop.recorder) {
        char *summary = s->open ? yk_session_summary(s) : NULL;

        st = yk_recorder_close(s->loop.recorder, s->result.finished, summary ? summary : "{}", err);
        free(summary);
        s->loop.recorder = NULL;
    }
    return st;
}

void yk_session_close(struct yk_session *s)
{
    if (!s)
        return;
    yk_session_end(s, NULL);
    yk_loop_close(&s->loop);
    yk_run_result_free(&s->result);
    json_decref(s->commissioning);
    yk_run_channels_free(&s->channels);
    for (int k = 0; k < YK_STREAMS; k++)
        yk_rows_close(&s->rows[k]);
    for (size_t k = 0; s->watched && k < s->model->substructure_count; k++)
        free(s->watched[k]);
    for (int k = 0; k < YK_SIDES; k++)
        free(s->side[k].f);
    free(s->follower.room);
    free(s->watched);
    free(s->pushed);
    free(s);
}

/* ---- steps ---- */

bool yk_session_is_finished(const struct yk_session *s)
{
    return s->loop.state.step >= (s->follower.along ? (long)s->follower.along->steps : yk_model_steps(s->model));
}

long yk_session_steps(const struct yk_session *s)
{
    return s->loop.state.step;
}

/* The part of the state that the program looks at. */
void yk_session_see_motion(struct yk_session *s)
{
    const struct yk_model *model = s->loop.model;

    for (size_t k = 0; k < model->substructure_count; k++)
        if (s->watched[k]) {
            const size_t n = model->substructures[k].system->n;

            yk_state_now(&s->loop.state, k, s->watched[k], s->watched[k] + n, s->watched[k] + 2 * n);
        }
}

enum yk_status yk_session_advance(struct yk_session *s, long steps, double seconds, long *made, struct yk_err *err)
{
    const int64_t until = seconds > 0 ? yk_clock_now_ns() + (int64_t)(1e9 * seconds) : INT64_MAX;

    for (*made = 0; *made < steps && s->loop.goes_on && !s->ended && !atomic_load(&s->paused); ++*made) {
        yk_loop_step(&s->loop);
        if (s->watches)
            yk_session_see_motion(s);
        if (seconds > 0 && yk_clock_now_ns() > until) {
            ++*made;
            break;
        }
    }
    return s->result.status ? yk_fail(err, s->result.status, "%s", s->result.reason) : YK_OK;
}

enum yk_status yk_session_step(struct yk_session *s, struct yk_err *err)
{
    long made;

    return yk_session_advance(s, 1, 0, &made, err);
}

const char *yk_session_state(const struct yk_session *s)
{
    return atomic_load(&s->paused)        ? yk_rig_state_text(YK_STATE_PAUSED)
           : s->result.status             ? yk_rig_state_text(YK_STATE_TRIPPED)
           : s->ended || !s->loop.goes_on ? yk_rig_state_text(YK_STATE_DONE)
           : s->loop.beat.supervisor      ? yk_rig_state_text(s->loop.beat.supervisor->state)
                                          : yk_rig_state_text(YK_STATE_IDLE);
}

const char *yk_session_reason(const struct yk_session *s)
{
    return s->result.reason;
}

enum yk_status yk_session_request(struct yk_session *s, const char *what, struct yk_err *err)
{
    if (strcmp(what, "pause") == 0)
        atomic_store(&s->paused, true);
    else if (strcmp(what, "resume") == 0)
        atomic_store(&s->paused, false);
    else if (strcmp(what, "abort") == 0)
        yk_run_request(&s->control, YK_EVENT_ABORT);
    else
        return yk_fail(err, YK_E_INPUT, "'%s' is not one of: pause, resume, abort", what);
    return YK_OK;
}

/* ---- settings that change ---- */

/* "limits.force", "limits.actuators.a1.force" */
static double *find_limit(struct yk_supervisor *v, const struct yk_station *station, const char *key)
{
    const char *name = key + strlen("limits.");
    long actuator = -1;

    if (strncmp(key, "limits.", strlen("limits.")) != 0)
        return NULL;
    if (strncmp(name, "actuators.", strlen("actuators.")) == 0) {
        name += strlen("actuators.");
        for (size_t i = 0; i < yk_station_count(station); i++) {
            const size_t length = strlen(yk_station_name(station, i));

            if (strncmp(name, yk_station_name(station, i), length) == 0 && name[length] == '.') {
                actuator = (long)i;
                name += length + 1;
                break;
            }
        }
        if (actuator < 0)
            return NULL;
    }
    for (int k = 0; k < (actuator < 0 ? (int)YK_LIMIT_BAD_READING : (int)YK_LIMITS_OF_ONE); k++)
        if (strcmp(yk_limit_key((enum yk_limit_kind)k), name) == 0)
            return actuator < 0 ? &v->limits.limit[k] : &v->supervised[actuator].own.limit[k];
    return NULL;
}

enum yk_status yk_session_set(struct yk_session *s, const char *key, double value, struct yk_err *err)
{
    double *limit = s->loop.state.station ? find_limit(s->loop.beat.supervisor, s->loop.state.station, key) : NULL;

    if (!limit)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "'%s' cannot change while a run is under way; only limits of a station with actuators can, such "
                       "as limits.force or limits.actuators.NAME.force; others make another experiment",
                       key);
    if (!(value >= 0) || !isfinite(value))
        return yk_fail(err, YK_E_RANGE, "%s = %g is not a limit; 0 (none) and more are allowed", key, value);
    *limit = value;
    return YK_OK;
}

/* ---- what it shows ---- */

static const struct yk_stream *shown(const struct yk_session *s)
{
    return &s->channels.streams[YK_STREAM_SYSTEM];
}

size_t yk_session_channel_count(const struct yk_session *s)
{
    return shown(s)->count;
}

const char *yk_session_channel_name(const struct yk_session *s, size_t channel)
{
    return shown(s)->channels[channel].name;
}

const char *yk_session_channel_unit(const struct yk_session *s, size_t channel)
{
    return shown(s)->channels[channel].unit;
}

long yk_session_channel_find(const struct yk_session *s, const char *name)
{
    for (size_t i = 0; i < shown(s)->count; i++)
        if (strcmp(shown(s)->channels[i].name, name) == 0)
            return (long)i;
    return -1;
}

const double *yk_session_row(const struct yk_session *s)
{
    return s->loop.samples.row[YK_STREAM_SYSTEM];
}

const double *yk_session_motion(struct yk_session *s, size_t k, char which)
{
    const struct yk_model *model = s->model;
    const int at = which == 'u' ? 0 : which == 'v' ? 1 : which == 'a' ? 2 : -1;

    if (k >= model->substructure_count || at < 0)
        return NULL;
    const size_t n = model->substructures[k].system->n;
    if (!s->watched[k] && (s->watched[k] = calloc(3 * n + 1, sizeof(double)))) {
        s->watches = true;
        yk_session_see_motion(s);
    }
    return s->watched[k] ? s->watched[k] + (size_t)at * n : NULL;
}

const char *const yk_stream_names[YK_STREAMS] = {"system", "fine", "ticks"};

int yk_stream_number(const char *name)
{
    for (int k = 0; k < YK_STREAMS; k++)
        if (strcmp(yk_stream_names[k], name) == 0)
            return k;
    return -1;
}

struct yk_kept_rows yk_rows_shown(const struct yk_rows *r)
{
    struct yk_kept_rows rows = {0};

    if (r && r->width)
        rows = (struct yk_kept_rows){r->x, r->count, r->width, r->names, r->units};
    return rows;
}

struct yk_kept_rows yk_session_rows(const struct yk_session *s, const char *stream)
{
    const int k = yk_stream_number(stream);

    return yk_rows_shown(k < 0 ? NULL : &s->rows[k]);
}
