/* yoke run: runs an experiment, shows progress, writes the recording and the summary. */
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "cli/folder.h"
#include "cli/gate.h"
#include "cli/instant.h"
#include "cli/live.h"
#include "cli/loop.h"
#include "cli/operator.h"
#include "cli/portable.h"
#include "cli/signals.h"
#include "cli/waiting.h"

#include "base/clock.h"
#include "engine/engine.h"
#include "page/report.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SHOWN = 12, LARGEST_REPORTED = 256 << 20, LISTEN_NS = 10000000 };
#define SLIGHTLY 0.1 /* of the delay that is compensated */

static struct yk_run_control control;
static atomic_bool done; /* the engine has ended */
static sem_t ended;      /* likewise, for who waits */
static struct trail trail;

static void ask_for_end(void)
{
    yk_run_request(&control, YK_EVENT_ABORT);
}

/* What the engine's thread needs and leaves. */
struct job {
    const struct yk_plan *plan;
    const struct yk_experiment *e;
    struct yk_run_settings settings;
    const struct yk_loop_report *loop;
    struct yk_provenance provenance;
    struct yk_recorder *recorder;
    struct yk_run_result result;
    struct yk_err err;
    enum yk_status status;
};

static void *work(void *arg)
{
    struct job *job = arg;

    signals_mark_loop();
    job->status = yk_run(job->plan, &job->settings, job->recorder, &control, &job->result, &job->err);
    atomic_store(&done, true);
    sem_post(&ended);
    return NULL;
}

/* "12 s left"; before the first step nobody knows. */
static const char *time_left(double fraction, int64_t passed_ns, char text[32])
{
    if (fraction > 0)
        snprintf(text, 32, "%.0f s left", 1e-9 * (double)passed_ns * (1 - fraction) / fraction);
    else
        snprintf(text, 32, "starting");
    return text;
}

static void print_bar(double fraction, const char *left, const char *state)
{
    enum { WIDTH = 40 };
    const int filled = (int)(fraction * WIDTH);
    char bar[WIDTH + 1];

    memset(bar, ' ', WIDTH);
    memset(bar, '#', (size_t)filled);
    bar[WIDTH] = 0;
    fprintf(stderr, "\r[%s] %5.1f %%  %s  %-8s ", bar, 100 * fraction, left, state);
}

/* Until the job is done: a bar on a terminal, otherwise a line now and then. */
static void watch(struct job *job, struct operator_desk *desk, bool quiet)
{
    const bool terminal = isatty(STDERR_FILENO);
    const int64_t begin = yk_clock_now_ns();
    struct waiting waiting = {.begin = begin};
    int64_t shown = begin;

    while (!yk_clock_await(&ended, LISTEN_NS)) {
        desk_hear(desk);
        const int64_t now = yk_clock_now_ns();
        const double fraction = (double)atomic_load(&control.step) / (double)job->e->steps;
        char left[32];

        if (quiet || now - shown < (terminal ? 100000000 : 2000000000) || !desk_takes_text(STDERR_FILENO))
            continue;
        shown = now;
        if (waiting_show(&waiting))
            continue;
        time_left(fraction, now - begin, left);
        if (terminal)
            print_bar(fraction, left, yk_state_text((enum yk_state)atomic_load(&control.state)));
        else
            fprintf(stderr, "%3.0f %% of %ld steps, %s\n", 100 * fraction, job->e->steps, left);
    }
    waiting_clear(&waiting);
    if (terminal && !quiet && shown != begin) {
        print_bar((double)atomic_load(&control.step) / (double)job->e->steps, "", "");
        fputc('\n', stderr);
    }
}

static bool write_text(const char *folder, const char *name, const char *text)
{
    char *path = NULL, *part = NULL;
    FILE *out = NULL;
    bool good = false;

    if (asprintf(&path, "%s/%s", folder, name) >= 0 && asprintf(&part, "%s.part", path) >= 0 &&
        (out = yk_file_create_stream(part))) {
        good = fputs(text, out) >= 0 && fputc('\n', out) != EOF;
        good = fclose(out) == 0 && good && rename(part, path) == 0;
    }
    if (!good)
        fprintf(stderr, "yoke: cannot write %s: %s\n", path ? path : name, strerror(errno));
    free(path);
    free(part);
    return good;
}

/* Those of an earlier run, whose recording has just been replaced: a kill would leave them beside the new one. */
static void remove_older(const char *folder)
{
    static const char *const names[] = {"summary.json", "report.html", "notes.txt"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = NULL;

        if (asprintf(&path, "%s/%s", folder, names[i]) >= 0)
            unlink(path);
        free(path);
    }
}

/* Actuators whose force is commented on by itself. */
static unsigned long implausible_forces(const struct yk_run_result *r)
{
    unsigned long count = 0;

    for (size_t i = 0; i < r->tracked_count; i++)
        count += *r->tracked[i].implausible_force != 0;
    return count;
}

/* Members whose iterations came to their bound. */
static void print_unconverged(const struct yk_experiment *e, const struct yk_unconverged *u)
{
    if (u->steps)
        printf("  WARNING: in %lu step%s a member did not converge (first in step %ld, last in step %ld: %s.%s); raise "
               "its "
               "iterations or shorten the step\n",
               u->steps, u->steps == 1 ? "" : "s", u->first, u->last, e->substructures[u->substructure].name,
               u->member);
}

/* Remarks of the rig: warnings and emergencies of its drives. */
static void print_notices(const struct yk_run_result *r)
{
    for (size_t i = 0; r->journal && i < yk_journal_count(r->journal); i++) {
        const struct yk_journal_entry *e = &r->journal->entries[i];

        if (e->event == YK_NOTICE && atomic_load(&e->complete))
            printf("  WARNING: the rig: %s (tick %ld)\n", e->words, e->tick);
    }
}

/* How the pace was kept, and what the limits had to say. */
static void print_pace(const struct yk_run_result *r)
{
    const struct yk_pace_report *p = r->pace;

    if (r->warnings > implausible_forces(r))
        printf("  %lu warnings, the first: %s\n", r->warnings, r->warning);
    print_notices(r);
    if (!p->paced)
        return;
    printf("  paced at %g Hz: lateness %s median, %s at the 99th percentile, %s at most\n", 1 / p->period_s,
           loop_time(yk_timing_percentile(&p->lateness, 0.5)).text,
           loop_time(yk_timing_percentile(&p->lateness, 0.99)).text,
           loop_time(1e-9 * (double)p->lateness.largest_ns).text);
    printf("  %ld deadline%s missed", p->missed, p->missed == 1 ? "" : "s");
    for (int i = 0; i < YK_MISS_CAUSES; i++)
        if (p->missed_by[i])
            printf(", %ld %s", p->missed_by[i], yk_miss_text((enum yk_miss_cause)i));
    if (p->slipped)
        printf("; the test clock paused for %ld tick%s", p->slipped, p->slipped == 1 ? "" : "s");
    putchar('\n');
    if (*p->degraded)
        printf("  DEGRADED: %s\n", p->degraded);
}

/* "actuator a1: tracking error 0.35 % NRMS; residual delay -0.33 ms (leads slightly) after compensating 21 ms" */
static void print_tracking(const struct yk_tracked *t)
{
    const struct yk_compensated *c = &t->compensated;
    const double late = t->indices.delay_s, wrong = late + c->filter_s; /* what the filter needs is no error */

    printf("  actuator %s: tracking error %.3g %% NRMS", t->actuator, 100 * t->indices.nrms);
    if (c->filter_s > 0)
        printf(" (%.3g %% without the lead for the filter)", 100 * t->indices.felt_nrms);
    printf("; ");
    if (c->lead_s == 0 && c->present && !c->idle)
        printf("residual delay %.3g ms", 1e3 * late);
    else if (c->lead_s == 0)
        printf("delay %.3g ms, nothing compensated", 1e3 * late);
    else
        printf("residual delay %.3g ms%s after compensating %.3g ms%s", 1e3 * late,
               late >= 0                       ? ""
               : wrong > -SLIGHTLY * c->lead_s ? " (leads slightly)"
                                               : " (LEADS: too much is compensated)",
               1e3 * c->lead_s, c->adapts ? " at first" : "");
    if (c->idle)
        printf(": its compensator has no delay to compensate, neither given nor estimated");
    if (c->filter_s > 0)
        printf(", of which %.3g ms compensate the filter of the load cell", 1e3 * c->filter_s);
    if (c->playout_s > 0)
        printf(", of which %.3g ms are the play-out of the site", 1e3 * c->playout_s);
    if (!isnan(c->estimated_s) && c->lead_s == 0)
        printf("; %.3g ms estimated", 1e3 * c->estimated_s);
    if (isfinite(c->gain))
        printf("; gain %.3f", c->gain);
    putchar('\n');
    if (*t->implausible_force)
        printf("  WARNING: %s\n", t->implausible_force);
}

/* Under equivalent force control, a specimen that does not arrive in time is corrected for by its estimate. */
#define SMALLEST_GAP 1e-12 /* m or rad: less than an atom is rounding, also of a structure that does not move */

/* The largest displacement of all channels; 0: none is recorded. */
static double largest_motion(const struct yk_stream *system, const double *peaks)
{
    double largest = 0;

    for (size_t i = 1; i < system->count; i++)
        if (strcmp(system->channels[i].kind, "displacement") == 0)
            largest = fmax(largest, peaks[i]);
    return largest;
}

static const char *drift_hint(const struct yk_experiment *e)
{
    if (e->coupling && e->coupling->caps & YK_COUPLING_SPECIMENS)
        return " - THE SPECIMEN DID NOT FOLLOW: what it did not do was made up for with its estimate, and the energies "
               "do "
               "not add up; let the loop settle (method.Ki, a longer step), or trust the estimate";
    return " - THE PARTS HAVE DRIFTED APART: shorten the step or choose another method";
}

/* What the recording has of the channels, where that is not all of them. */
static void print_recorded(const struct yk_run_channels *c)
{
    const size_t count = c->streams[YK_STREAM_SYSTEM].count, known = c->known[YK_STREAM_SYSTEM];
    const long every = c->every[YK_STREAM_SYSTEM];

    if (c->few)
        printf(
            "  recorded: %zu of %zu channels, those of interfaces, specimens and loads; `record` in the file chooses "
            "others\n",
            count, known);
    else if (count != known)
        printf("  recorded: %zu channels; without `record` %zu\n", count, known);
    if (every > 1)
        printf("  recorded: one step in %ld; peaks are those of all steps\n", every);
}

static void print_result(const struct yk_experiment *e, const struct yk_run_channels *channels,
                         const struct yk_run_result *r)
{
    const struct yk_stream *system = &channels->streams[YK_STREAM_SYSTEM];
    const double *peaks = r->peaks;
    const double largest = largest_motion(system, peaks);

    printf("%s\n", e->title);
    printf("  %ld of %ld steps of %g s in %.3g s (median step %s)\n", r->steps, e->steps, e->time.step, r->wall_s,
           loop_time(yk_timing_percentile(&r->timing, 0.5)).text);
    if (*r->reason)
        printf("  %s\n", r->reason);
    print_unconverged(e, &r->unconverged);
    print_pace(r);
    size_t shown = 0, more = 0;

    printf("  %-28s %14s %s\n", "channel", "largest", "unit");
    for (size_t i = 1; i < system->count; i++) {
        const struct yk_channel *c = &system->channels[i];

        if (strcmp(c->kind, "displacement") != 0)
            continue;
        if (shown == MOST_SHOWN) {
            more++;
            continue;
        }
        printf("  %-28s %14.6g %s\n", c->name, peaks[i], c->unit);
        shown++;
    }
    if (more)
        printf("  ... and %zu more, all in summary.json\n", more);
    print_recorded(channels);
    printf("  energy error %.3g %% of the largest energy\n",
           r->energy_scale > 0 ? 100 * r->energy_error / r->energy_scale : 0);
    if (e->row_count) {
        printf("  largest gap of an interface: displacement %.3g, velocity %.3g", r->drift_u, r->drift_v);
        if (largest > 0 && r->drift_u > fmax(0.1 * largest, SMALLEST_GAP))
            printf(", %.3g %% of the largest displacement%s", 100 * r->drift_u / largest, drift_hint(e));
        putchar('\n');
    }
    for (size_t i = 0; i < r->tracked_count; i++)
        print_tracking(&r->tracked[i]);
    if (r->has_reference)
        printf("  error against the reference: displacement %.3g %%, velocity %.3g %% NRMS\n", 100 * r->error_u,
               100 * r->error_v);
    if (*r->reference_note)
        printf("  reference: %s\n", r->reference_note);
}

/* What is there: somebody may have removed it. */
static void print_files(const char *folder)
{
    static const char *const names[] = {"run.h5", "summary.json", "report.html"};
    const char *before = "  files: ";
    const char *end = "";

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = NULL;

        if (asprintf(&path, "%s/%s", folder, names[i]) < 0)
            return;
        if (access(path, F_OK) == 0) {
            printf("%s%s", before, path);
            before = ", ";
            end = "\n";
        }
        free(path);
    }
    fputs(end, stdout);
}

/* The summary with what only the whole recording tells. A run that was too short for that has none of it. */
static char *summary_of_recording(struct job *job, const struct yk_run_channels *channels, const char *folder)
{
    char *path = NULL;

    if (asprintf(&path, "%s/run.h5", folder) < 0)
        return NULL;
    yk_run_track(&job->result, path, NULL);
    free(path);
    return yk_run_summary(job->e, channels, &job->result);
}

/* What only the command line says. */
struct wishes {
    const char *folder, *note;
    bool own_folder; /* it was made for this run */
    bool json, quiet, no_report, live, local;
    const char *uncommissioned; /* who takes the responsibility, and why */
    json_t *commissioning;      /* for the summary */
};

/* The page about the run. It is no result: the run counts without it. A long recording takes its time to read, for
 * which nobody should have to wait. */
static void write_report(const char *folder)
{
    char *recording = NULL, *page = NULL, *label = recording_label(folder);
    struct yk_err err = {0};
    struct stat about;

    if (label && asprintf(&recording, "%s/run.h5", folder) >= 0 && asprintf(&page, "%s/report.html", folder) >= 0 &&
        stat(recording, &about) == 0) {
        if (about.st_size > LARGEST_REPORTED)
            fprintf(stderr, "yoke: no report.html of %lld MB; `yoke report %s` writes it\n",
                    (long long)about.st_size >> 20, folder);
        else if (yk_report_write(&(struct yk_report_run){recording, label}, 1, page, &err))
            fprintf(stderr, "yoke: warning: no report.html: %s\n", yk_err_line(&err).text);
    }
    free(recording);
    free(page);
    free(label);
}

static int conclude(struct job *job, const struct yk_run_channels *channels, const struct wishes *wishes)
{
    const char *folder = wishes->folder;

    trail_add(&trail, "program", "end", "%s after %ld of %ld steps%s%s; recording %s/run.h5",
              yk_state_text(job->result.state), job->result.steps, job->e->steps, *job->result.reason ? ": " : "",
              job->result.reason, folder);
    job->result.audit = yk_audit_anchor(trail.log);
    job->result.loop = *job->loop;
    job->result.provenance = &job->provenance;
    char *summary = yk_run_summary(job->e, channels, &job->result);
    struct yk_err err = {0};
    int code = job->status ? report_failure(&job->err) : yk_status_exit_code(job->result.status);
    const bool kept = yk_recorder_close(job->recorder, job->result.finished, summary ? summary : "{}", &err) == YK_OK;

    if (!kept) {
        const int failed = report_failure(&err);

        code = job->result.status == YK_E_STOPPED ? code : failed;
    } else if (job->status == YK_OK && job->result.dropped == 0) {
        free(summary);
        summary = summary_of_recording(job, channels, folder);
    }
    if (job->status == YK_OK) {
        if (!summary || !write_text(folder, "summary.json", summary))
            code = code ? code : 1;
        if (kept && !wishes->no_report)
            write_report(folder);
        if (wishes->json && summary)
            puts(summary);
        else {
            print_result(job->e, channels, &job->result);
            print_files(folder);
        }
        if (job->result.status == YK_E_DIVERGED || job->result.state == YK_STATE_TRIPPED)
            fprintf(stderr, "yoke: %s%s\n", job->result.reason, kept ? "; the recording up to this point is kept" : "");
        tell_loop(job->loop);
        warn_of_missing_rows(job->result.dropped);
    }
    free(summary);
    yk_run_result_free(&job->result);
    return code;
}

/* The operator's socket. Nobody could speak to a paced run without it from another terminal, so that does not start. */
static int open_desk(struct operator_desk *desk, const struct yk_experiment *e, bool paced)
{
    struct yk_err err = {0};

    if (!desk_open(desk, &control, e->path, e->steps, &err))
        return 0;
    if (!paced) {
        fprintf(stderr, "yoke: `yoke control` will not reach this run: %s\n", yk_err_line(&err).text);
        return 0;
    }
    desk_close(desk);
    yk_fail_within(&err, YK_NOWHERE, "a paced run needs a socket for `yoke control`: ");
    return report_failure(&err);
}

static int run_plan(const struct yk_plan *plan, const struct yk_run_settings *settings,
                    const struct yk_loop_report *loop, const struct wishes *wishes)
{
    const struct yk_experiment *e = yk_plan_experiment(plan);
    const char *folder = wishes->folder;
    struct yk_run_channels channels = {0};
    struct job job = {.plan = plan, .e = e, .settings = *settings, .loop = loop};
    char *path = NULL, *method = NULL, *description = NULL;
    const bool paced = yk_run_is_paced(plan, settings);
    struct operator_desk desk;
    pthread_t thread;
    int code;

    signals_take(&(struct signal_use){ask_for_end, &done, e->station});
    if (make_folder(folder)) {
        fprintf(stderr, "yoke: cannot create the folder %s: %s\n", folder, strerror(errno));
        return 1;
    }
    yk_provenance_take(&job.provenance);
    job.provenance.command = full_command();
    job.provenance.note = wishes->note;
    if (yk_run_channels(plan, &channels, &job.err))
        return report_failure(&job.err);
    if ((code = open_desk(&desk, e, paced)))
        goto end;
    if ((code = !trail_open(&trail, e, desk.name)))
        goto end;
    desk.trail = &trail;
    desk.local = wishes->local;
    method = yk_method_text(e);
    description = yk_run_description(e);
    if (!method || !description || asprintf(&path, "%s/run.h5", folder) < 0) {
        fputs("yoke: out of memory\n", stderr);
        code = 1;
        goto end;
    }
    if (e->station && yk_station_record(e->station, folder, &job.err)) {
        code = report_failure(&job.err);
        goto end;
    }
    const struct yk_recording_info info = yk_run_info(e, method, description, &job.provenance);
    struct yk_stream streams[YK_STREAMS];
    const size_t stream_count = yk_run_streams(&channels, streams);
    if (yk_recorder_open(&job.recorder, path, &info, streams, stream_count, &job.err)) {
        code = report_failure(&job.err);
        goto end;
    }
    remove_older(folder);
    if (wishes->own_folder)
        folder_mark_latest(folder);
    if (paced || wishes->live)
        job.settings.telemetry = live_publish(e, desk.name, &channels, description, folder);
    if (paced && !settings->realtime && !wishes->quiet)
        fprintf(stderr,
                "paced on the wall clock, because the rig is real or has a clock of its own: 1 s of the test takes %g "
                "s; --realtime adds real-time priority and deadlines\n",
                e->time.scale);
    if (paced && !wishes->quiet && *desk.path)
        fprintf(stderr, "paced run '%s': yoke control pause|resume|step|abort|status, or the keys p r s q; l: local\n",
                desk.name);
    waiting_end();
    trail_begin(&trail, e, "run");
    if (wishes->commissioning && *yk_json_text(wishes->commissioning, "reason"))
        trail_add(&trail, yk_json_text(wishes->commissioning, "by"), "override", "commissioning: %s",
                  yk_json_text(wishes->commissioning, "reason"));
    if (wishes->live && job.settings.telemetry)
        live_start(desk.name);
    sem_init(&ended, 0, 0);
    if (pthread_create(&thread, NULL, work, &job) == 0) {
        watch(&job, &desk, wishes->quiet);
        pthread_join(thread, NULL);
    } else {
        work(&job);
    }
    desk_close(&desk);
    if (yk_telemetry_is_cut(job.settings.telemetry))
        fputs("yoke: another process truncated the telemetry; `yoke watch` could not follow the rest of this run\n",
              stderr);
    yk_telemetry_destroy(job.settings.telemetry);
    code = conclude(&job, &channels, wishes);
end:
    desk_close(&desk);
    trail_close(&trail);
    yk_run_channels_free(&channels);
    free(method);
    free(description);
    free(path);
    return code;
}

/* Asked before an older recording is replaced. */
static int check_set_up(const struct yk_plan *plan, const struct yk_run_settings *settings)
{
    struct yk_err err = {0};

    return yk_run_check(plan, settings, &err) ? report_failure(&err) : 0;
}

/* The options of a paced run; false after a message. */
static bool take_realtime(struct yk_run_settings *s, const char *spin, const char *priority, const char *cpus)
{
    long level = s->priority;
    double value[2];

    if (!s->realtime && (spin || priority || cpus))
        return usage_error(&command_run, "--spin, --priority and --cpus go with --realtime"), false;
    if (!parse_quantity(&command_run, "--spin", spin, YK_TIME, 0, 1, &s->spin_s) ||
        !parse_count(&command_run, "--priority", priority, 0, 98, &level))
        return false;
    s->priority = (int)level;
    if (cpus) {
        if (yk_number_list(cpus, value, 2) != 2 ||
            !(value[0] >= 0 && value[0] < 1024 && value[1] >= 0 && value[1] < 1024) || value[0] != floor(value[0]) ||
            value[1] != floor(value[1]))
            return usage_error(&command_run, "--cpus '%s' must be two cores, such as 3,2", cpus), false;
        s->cpu = (int)value[0];
        s->coarse_cpu = (int)value[1];
    }
    return true;
}

static int run(int argc, char **argv)
{
    struct text_list set = {0};
    struct wishes wishes = {0};
    const char *threads = NULL, *spin = NULL, *priority = NULL, *cpus = NULL, *budget = NULL, *start_at = NULL;
    struct timespec start;
    struct yk_run_settings settings = yk_run_defaults();
    struct yk_loop_report loop;
    double count = 1, budget_s = RUN_BUDGET_S;
    bool force = false, portable = false;
    const struct option_spec specs[] = {{"--output|-o", OPTION_TEXT, &wishes.folder},
                                        {"--force", OPTION_FLAG, &force},
                                        {"--note", OPTION_TEXT, &wishes.note},
                                        {"--portable-bits", OPTION_FLAG, &portable},
                                        {"--set", OPTION_LIST, &set},
                                        {"--threads", OPTION_TEXT, &threads},
                                        {"--json", OPTION_FLAG, &wishes.json},
                                        {"--quiet|-q", OPTION_FLAG, &wishes.quiet},
                                        {"--no-report", OPTION_FLAG, &wishes.no_report},
                                        {"--realtime", OPTION_FLAG, &settings.realtime},
                                        {"--live", OPTION_FLAG, &wishes.live},
                                        {"--local", OPTION_FLAG, &wishes.local},
                                        {"--uncommissioned", OPTION_TEXT, &wishes.uncommissioned},
                                        {"--spin", OPTION_TEXT, &spin},
                                        {"--priority", OPTION_TEXT, &priority},
                                        {"--cpus", OPTION_TEXT, &cpus},
                                        {"--approach", OPTION_FLAG, &settings.approach},
                                        {"--start-at", OPTION_TEXT, &start_at},
                                        {"--budget", OPTION_TEXT, &budget},
                                        {0}};
    struct words words;
    struct yk_experiment *e;
    struct yk_plan *plan = NULL;
    char *made = NULL;
    int code;

    if (!take_options(&command_run, argc, argv, specs, &words))
        return 2;
    if (threads && (yk_number_list(threads, &count, 1) != 1 || (count != 1 && count != 2)))
        return usage_error(&command_run, "--threads '%s' must be 1 or 2", threads);
    if (!take_realtime(&settings, spin, priority, cpus) ||
        !parse_quantity(&command_run, "--budget", budget, YK_TIME, 0, 1e6, &budget_s))
        return 2;
    if (start_at && !instant_parse(&command_run, "--start-at", start_at, &start))
        return 2;
    if (portable && (code = portable_begin(full_words())))
        return code;
    if (!(e = load_experiment(&command_run, &words, &set, &code)))
        return code;
    if ((code = wishes.folder
                    ? folder_check(wishes.folder, force, ", leave out -o for a new one, or replace it with --force")
                    : 0)) {
        yk_experiment_destroy(e);
        return code;
    }
    if (!(plan = plan_experiment(e, true, &code)))
        return code;
    if (!(code = gate_check(e, wishes.uncommissioned, &wishes.commissioning)) && !(code = check_stability(plan)) &&
        !(code = check_set_up(plan, &settings)) && !(code = check_loop(plan, budget_s, settings.realtime, &loop))) {
        if ((wishes.own_folder = !wishes.folder))
            wishes.folder = made = folder_make_new(words.rest[0]);
        settings.threads = (int)count;
        settings.commissioning = wishes.commissioning;
        if (start_at) {
            if (!wishes.quiet)
                fprintf(stderr, "ready; starts at %s\n", start_at);
            instant_await(&start);
        }
        code = wishes.folder ? run_plan(plan, &settings, &loop, &wishes) : 1;
        if (made)
            rmdir(made); /* where the run did not begin, and nothing is in it */
    }
    free(made);
    json_decref(wishes.commissioning);
    yk_plan_close(plan);
    return code;
}

const struct command command_run = {
    .name = "run",
    .summary = "run an experiment and record it",
    .options =
        "--output --force --note --portable-bits --set --threads --realtime --live --local --uncommissioned --approach "
        "--start-at --spin "
        "--priority --cpus "
        "--budget --json --quiet --no-report",
    .help =
        "usage: yoke run FILE [-o DIR [--force]] [--note TEXT] [--set KEY=VALUE]... [--threads 2] [--realtime]\n"
        "                [--live] [--local] [--uncommissioned \"NAME: REASON\"] [--approach] [--portable-bits] "
        "[--json] [--quiet] [--no-report]\n\n"
        "Reads and checks the experiment file, runs it as fast as possible or paced in real time, and writes\n"
        "  DIR/run.h5         all samples, the text of the experiment, and the date, machine and build (HDF5)\n"
        "  DIR/summary.json   the results in numbers\n"
        "  DIR/report.html    a page about the run, for the browser or the printer (see `yoke report`)\n"
        "By default DIR is a new folder out/NAME/DATE; the link out/NAME/latest points to the newest one.\n"
        "Ctrl-C ramps the actuators back, ends the run and keeps the recording. A second Ctrl-C shortens the ramp\n"
        "as far as the safety limits allow.\n"
        "If the loop with specimens is unstable, paced runs and runs on a rig outside this process are refused (exit\n"
        "code 4), unless the file sets method.stability: warn. Other runs start with a warning.\n\n"
        "  -o, --output DIR   folder for the files; refused if DIR already holds a recording\n"
        "  --force            replace that recording\n"
        "  --note TEXT        a remark of the operator, stored in the recording and in the summary\n"
        "  --set KEY=VALUE    replace a value of the file, such as time.step or loads.0.amplitude (lists count from "
        "0)\n"
        "  --threads N        2: run the coarse side of a parallel coupling, or half of every large sparse solve, on a "
        "second thread;\n"
        "                     same results\n"
        "  --realtime         pace the run: every control tick (without specimens: every fine step or step) starts on\n"
        "                     time, stretched by time.scale\n"
        "  --live             serve the dashboard of this run (see `yoke dash`) and print its address; for paced runs\n"
        "                     and for others\n"
        "  --local            refuse orders from elsewhere but pause and abort; the key l "
        "switches\n" UNCOMMISSIONED_HELP
        "  --start-at T       begin at an agreed instant, such as 2026-11-16T10:00:00Z, or +10s: loaded and checked "
        "before\n"
        "  --approach         let the start ramp begin anywhere; otherwise the run is refused if an actuator stands\n"
        "                     further from its start than limits.position_error\n"
        "  --spin T           watch the clock instead of sleeping during the last T of each wait; default 60us\n"
        "  --priority N       SCHED_FIFO priority of the loop, the coarse side one below; 0: normal; default 80\n"
        "  --cpus F,C         cores for the loop and for the coarse side; default: the last ones\n"
        "  --budget T         CPU time for judging the stability of the loop with specimens; default 2s; 0: do not "
        "judge\n"
        "  --portable-bits    make results identical to the last bit on every x86-64 CPU; large dense models run "
        "slower\n"
        "  --json             print the summary instead of the table\n"
        "  -q, --quiet        show no progress\n"
        "  --no-report        do not write report.html\n\n"
        "examples:\n"
        "  yoke run examples/oscillator/oscillator.yaml\n"
        "  yoke run frame.yaml -o out/coarse --set time.step=\"20 ms\" --set loads.0.amplitude=3\n",
    .run = run,
};
