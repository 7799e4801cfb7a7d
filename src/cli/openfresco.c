/* yoke serve --openfresco, yoke host --openfresco: each session of the other program is a run, recorded in its own
 * folder. */
#include "cli/openfresco.h"

#include "base/clock.h"
#include "cli/folder.h"
#include "cli/gate.h"
#include "cli/operator.h"
#include "cli/trail.h"
#include "engine/peer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yoke/end_signals.h>

enum { LISTEN_NS = 20000000 };

static struct yk_run_control control;
static struct trail trail;
static atomic_bool stop, done;

static void ask_for_end(void)
{
    atomic_store(&stop, true);
    yk_run_request(&control, YK_EVENT_ABORT);
}

struct job {
    const struct yk_model *model;
    const char *file, *output; /* of the experiment; folder for the sessions, NULL: out/NAME/DATE */
    struct yk_run_settings settings;
    struct yk_run_channels channels;
    struct yk_provenance provenance;
    struct yk_peer *peer;
    long sessions; /* 0: any number */
    bool records;
    int code;
};

/* The folder of a session; malloc'd, NULL after a message. */
static char *folder_of(const struct job *job, unsigned long session)
{
    char *folder = NULL;

    if (!job->output)
        return folder_make_new(job->file);
    if (asprintf(&folder, "%s/session-%03lu", job->output, session) < 0)
        return NULL;
    if (folder_check(folder, false, "") == 0 && yk_make_folder(folder) == 0)
        return folder;
    fprintf(stderr, "yoke: cannot record in %s\n", folder);
    free(folder);
    return NULL;
}

/* Prints one line about a session. */
static void print_session(const struct job *job, const struct yk_run_result *result, const char *folder,
                          unsigned long trials)
{
    const struct yk_peer_counts *c = yk_peer_counts(job->peer);

    printf("session %lu: %lu trials in %ld steps; %s%s%s\n", atomic_load(&c->sessions),
           atomic_load(&c->trials) - trials, result->steps,
           *result->reason ? result->reason : "the other program ended it", folder ? "; recorded in " : "",
           folder ? folder : "");
    fflush(stdout);
}

/* One session; false: the server cannot go on. */
static bool make_session(struct job *job)
{
    const struct yk_peer_counts *c = yk_peer_counts(job->peer);
    const unsigned long trials = atomic_load(&c->trials);
    char *folder = job->records ? folder_of(job, atomic_load(&c->sessions)) : NULL, *path = NULL;
    struct yk_run_result result = {0};
    struct yk_err err = {0};
    bool good = !job->records || (folder && asprintf(&path, "%s/run.h5", folder) >= 0);

    yk_provenance_take(&job->provenance);
    job->provenance.command = yk_command_line();
    trail_begin(&trail, job->model, "host");
    if (good &&
        !yk_run_recorded(job->model, &job->settings, &control, &job->provenance, path, &job->channels, &result, &err)) {
        if (folder && !job->output)
            folder_mark_latest(folder);
        print_session(job, &result, folder, trials);
        trail_add(&trail, "program", "end", "session %lu after %ld steps%s%s", atomic_load(&c->sessions), result.steps,
                  *result.reason ? ": " : "", result.reason);
        warn_of_missing_rows(result.dropped);
    } else {
        job->code = good ? yk_command_fail(&err) : 1;
        good = false;
    }
    yk_run_result_free(&result);
    yk_peer_end(job->peer);
    free(path);
    free(folder);
    return good;
}

/* The thread that moves the actuators. */
static void *work(void *arg)
{
    struct job *job = arg;

    yk_signals_mark_loop();
    for (long made = 0; !atomic_load(&stop) && (!job->sessions || made < job->sessions);) {
        if (yk_peer_await(job->peer, yk_clock_now_ns() + LISTEN_NS)) {
            if (!make_session(job))
                break;
            made++;
        } else if (*yk_peer_refusal(job->peer)) {
            fprintf(stderr, "yoke: a program was turned away: %s\n", yk_peer_refusal(job->peer));
        }
    }
    atomic_store(&done, true);
    return NULL;
}

static void print_start(const struct job *job, const struct yk_peer_settings *s, const char *dialect, bool hardware)
{
    const struct yk_model *model = job->model;
    const size_t n = yk_station_count(model->station);

    printf("%s %zu actuator%s (", hardware ? "moving" : "simulating", n, n == 1 ? "" : "s");
    for (size_t i = 0; i < n; i++)
        printf("%s%s", i ? ", " : "", yk_station_name(model->station, i));
    printf(") for %s in steps of %g s, %s, on %s %s:%d\n", dialect, model->time.step,
           s->paced ? "in real time" : "as fast as possible", s->udp ? "UDP" : "TCP", s->host, yk_peer_port(job->peer));
    fflush(stdout);
}

static int serve(struct job *job, const struct yk_peer_settings *settings, const char *dialect, bool hardware)
{
    const struct yk_model *model = job->model;
    struct operator_desk desk;
    struct yk_err err = {0};
    pthread_t thread;

    yk_signals_take(&(struct yk_signal_use){ask_for_end, &done, true});
    if (yk_peer_create(&job->peer, settings, model, &err) || yk_run_channels(job->model, &job->channels, &err))
        return yk_command_fail(&err);
    yk_run_channels_of_driver(&job->channels);
    job->settings.driver = yk_peer_driver(job->peer);
    if (yk_run_check(job->model, &job->settings, &err))
        return yk_command_fail(&err);
    if (desk_open(&desk, &control, model->path, 0, &err)) {
        if (hardware) { /* nobody could stop it from another terminal */
            desk_close(&desk);
            yk_fail_within(&err, YK_NOWHERE, "a rig needs a socket for `yoke control`: ");
            return yk_command_fail(&err);
        }
        fprintf(stderr, "yoke: `yoke control` will not reach this server: %s\n", yk_err_line(&err).text);
    }
    if (hardware && !trail_open(&trail, model, desk.name)) {
        desk_close(&desk);
        return 1;
    }
    desk.trail = &trail;
    print_start(job, settings, dialect, hardware);
    if (pthread_create(&thread, NULL, work, job) == 0) {
        while (!atomic_load(&done)) {
            desk_hear(&desk);
            yk_clock_sleep_until(yk_clock_now_ns() + LISTEN_NS);
        }
        pthread_join(thread, NULL);
    } else {
        work(job);
    }
    desk_close(&desk);
    trail_close(&trail);
    const struct yk_peer_counts *c = yk_peer_counts(job->peer);
    printf("%lu sessions (%lu lost), %lu trials, %lu commits, %lu answers; %lu connections turned away\n",
           atomic_load(&c->sessions), atomic_load(&c->lost), atomic_load(&c->trials), atomic_load(&c->commits),
           atomic_load(&c->replies), atomic_load(&c->refused));
    return job->code;
}

const char *openfresco_given(const struct openfresco_options *o)
{
    return yk_first_given((const struct yk_given[]){{"--dialect", o->dialect},
                                                    {"--transport", o->transport},
                                                    {"--settle", o->settle},
                                                    {"--output", o->output},
                                                    {"--sessions", o->sessions},
                                                    {"--realtime", o->realtime},
                                                    {"--no-recording", o->no_recording},
                                                    {0}});
}

/* The options as numbers; false after a message. */
static bool understand(const struct yk_command *command, const struct openfresco_options *o, struct yk_peer_settings *s,
                       long *sessions)
{
    static const char dialects[] = "generic|actor|simulink", transports[] = "tcp|udp";
    const int dialect = o->dialect ? yk_choice_index(dialects, o->dialect) : 0,
              transport = o->transport ? yk_choice_index(transports, o->transport) : 0;
    long port = 0;

    *s = yk_peer_defaults();
    if (dialect < 0)
        return yk_misuse(command, "--dialect '%s' is not one of: generic, actor, simulink", o->dialect), false;
    if (transport < 0)
        return yk_misuse(command, "--transport '%s' is not one of: tcp, udp", o->transport), false;
    if (!yk_option_count(command, "--openfresco", o->port, 0, 65535, &port) ||
        !yk_option_count(command, "--sessions", o->sessions, 1, 1000000000, sessions) ||
        !yk_option_quantity(command, "--silence", o->silence, YK_TIME, 1e-3, 86400, &s->silence_s) ||
        !yk_option_quantity(command, "--settle", o->settle, YK_TIME, 0, 3600, &s->settle_s))
        return false;
    s->dialect = (enum yk_fresco_dialect)dialect;
    s->udp = transport == 1;
    s->port = (int)port;
    s->host = o->bind ? o->bind : s->host;
    s->paced = o->realtime || o->hardware;
    return true;
}

/* The checks of a run that mean something here: the other program has the method, and its stability is its own. Limits
 * were asked for when the file was read. */
static bool moves_hardware(const struct yk_model *model)
{
    void *self;

    if (model->station && !(yk_station_rig(model->station, &self)->can & YK_RIG_SIMULATES))
        return true;
    fprintf(stderr, "yoke: %s: %s\n", model->path,
            model->station ? "its rig is virtual, so there is nothing to move; `yoke serve` simulates it"
                           : "no substructure is physical, so there is no rig to move");
    return false;
}

int openfresco_serve(const struct yk_command *command, const struct yk_words *words, const struct yk_text_list *set,
                     const struct openfresco_options *o)
{
    struct job job = {.settings = yk_run_defaults(), .records = !o->no_recording, .output = o->output};
    struct yk_peer_settings settings;
    struct yk_model *model;
    int code;

    if (!understand(command, o, &settings, &job.sessions))
        return 2;
    if (!(model = o->hardware ? load_experiment(command, words, set, &code)
                              : rehearse_experiment(command, words, set, &code)))
        return code;
    if (o->hardware && !moves_hardware(model)) {
        yk_model_close(model);
        return 2;
    }
    if ((code = prepare_model(model, false)))
        return code;
    job.model = model;
    job.file = words->rest[0];
    job.settings.realtime = settings.paced;
    job.settings.approach = o->approach;
    if (o->hardware)
        job.settings.priority = o->priority;
    json_t *commissioning = NULL;

    if (o->hardware && (code = gate_check(model, o->uncommissioned, &commissioning))) {
        yk_model_close(model);
        return code;
    }
    job.settings.commissioning = commissioning;
    code = serve(&job, &settings, o->dialect ? o->dialect : "generic", o->hardware);
    yk_peer_destroy(job.peer);
    yk_run_channels_free(&job.channels);
    json_decref(commissioning);
    yk_model_close(model);
    return code;
}

const struct yk_option openfresco_options[] = {
    {"--openfresco", "PORT", "TCP or UDP port to listen on; 0: a free one", YK_INTO(struct openfresco_options, port)},
    {"--dialect", "D", "generic: genericClient, GenericTCP (default); actor: ShadowSite; simulink: SimSimulink",
     YK_INTO(struct openfresco_options, dialect)},
    {"--transport", "T", "tcp (default) or udp", YK_INTO(struct openfresco_options, transport)},
    {"--settle", "T", "hold each trial for T of test time before its force is read (default 0)",
     YK_INTO(struct openfresco_options, settle)},
    {"--sessions", "N", "end after N sessions", YK_INTO(struct openfresco_options, sessions)},
    {"--output|-o", "DIR", "folder for the sessions, DIR/session-001 and so on; default: out/NAME/DATE",
     YK_INTO(struct openfresco_options, output)},
    {"--no-recording", NULL, "record nothing", YK_INTO(struct openfresco_options, no_recording)},
    {0},
};
