/* yoke run: runs an experiment, shows progress, writes the recording and the summary. */
#include "base/json.h"
#include "cli/apps.h"
#include "cli/folder.h"
#include "cli/gate.h"
#include "cli/instant.h"
#include "cli/live.h"
#include "cli/loop.h"
#include "cli/operator.h"
#include "cli/portable.h"

#include "base/clock.h"
#include "engine/engine.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yoke/end_signals.h>
#include <yoke/file.h>
#include <yoke/number.h>
#include <yoke/progress.h>

enum { UNUSABLE_CODE = 5, MOST_EXPLAINED = 2 };
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

/* Input and results of the engine's thread. */
struct job {
    const struct yk_model *model;
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

    yk_signals_mark_loop();
    job->status = yk_run(job->model, &job->settings, job->recorder, &control, &job->result, &job->err);
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
    struct yk_waiting waiting = {.begin = begin};
    int64_t shown = begin;

    while (!yk_clock_await(&ended, LISTEN_NS)) {
        desk_hear(desk);
        const int64_t now = yk_clock_now_ns();
        const double fraction = (double)atomic_load(&control.step) / (double)job->model->steps;
        char left[32];

        if (quiet || now - shown < (terminal ? 100000000 : 2000000000) || !desk_takes_text(STDERR_FILENO))
            continue;
        shown = now;
        if (yk_waiting_show(&waiting))
            continue;
        time_left(fraction, now - begin, left);
        if (terminal)
            print_bar(fraction, left, yk_rig_state_text((enum yk_rig_state)atomic_load(&control.state)));
        else
            fprintf(stderr, "%3.0f %% of %ld steps, %s\n", 100 * fraction, job->model->steps, left);
    }
    yk_waiting_clear(&waiting);
    if (terminal && !quiet && shown != begin) {
        print_bar((double)atomic_load(&control.step) / (double)job->model->steps, "", "");
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

/* Removes files of an earlier run, whose recording was just replaced: a kill would leave them beside the new one. */
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
static void print_unconverged(const struct yk_model *model, const struct yk_unconverged *u)
{
    if (u->steps)
        printf("  WARNING: in %lu step%s a member did not converge (first in step %ld, last in step %ld: %s.%s); raise "
               "its "
               "iterations or shorten the step\n",
               u->steps, u->steps == 1 ? "" : "s", u->first, u->last, model->substructures[u->substructure].name,
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
    if (!p->paced && p->asked)
        printf("  not paced: a paced run would be late at %ld of %ld ticks of %s; the longest answer of the rig took "
               "%s\n",
               p->answered_late, p->asked, yk_time_format(p->period_s).text, yk_time_format(p->longest_answer_s).text);
    if (!p->paced)
        return;
    printf("  paced at %g Hz: lateness %s median, %s at the 99th percentile, %s at most\n", 1 / p->period_s,
           yk_time_format(yk_timing_percentile(&p->lateness, 0.5)).text,
           yk_time_format(yk_timing_percentile(&p->lateness, 0.99)).text,
           yk_time_format(1e-9 * (double)p->lateness.largest_ns).text);
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
    const double late = t->indices.delay_s, wrong = late + c->filter_s; /* the lead for the filter is no error */

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
    if (t->passive)
        printf("  actuator %s: its transfer generated %.4g J; passivity control took out %.4g J\n", t->actuator,
               t->generated, t->paid);
    if (t->delay_share > YK_MOST_OF_MARGIN)
        printf("  WARNING: actuator %s: the residual delay is %.0f %% of the delay at which the loop becomes unstable; "
               "compensate more, or make the actuator faster\n",
               t->actuator, 100 * t->delay_share);
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

static const char *drift_hint(const struct yk_model *model)
{
    if (model->coupling && model->coupling->caps & YK_COUPLING_SPECIMENS)
        return " - THE SPECIMEN DID NOT FOLLOW: what it did not do was made up for with its estimate, and the energies "
               "do "
               "not add up; let the loop settle (method.Ki, a longer step), or trust the estimate";
    return " - THE PARTS HAVE DRIFTED APART: shorten the step or choose another method";
}

/* Says which channels are recorded, unless all of them are. */
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

/* How far a quasi-static test went, and the forces there. */
static void print_static(const struct yk_run_result *r)
{
    double least[2] = {0}, most[2] = {0};

    for (size_t i = 0; i < r->point_count; i++) {
        least[0] = fmin(least[0], r->points[i].displacement);
        most[0] = fmax(most[0], r->points[i].displacement);
        least[1] = fmin(least[1], r->points[i].force);
        most[1] = fmax(most[1], r->points[i].force);
    }
    printf("\n  quasi-static test: %zu points (`static` in summary.json), displacement %.6g to %.6g, force %.6g to "
           "%.6g (SI)\n",
           r->point_count, least[0], most[0], least[1], most[1]);
}

static void print_result(const struct yk_model *model, const struct yk_run_channels *channels,
                         const struct yk_run_result *r)
{
    const struct yk_stream *system = &channels->streams[YK_STREAM_SYSTEM];
    const double *peaks = r->peaks;
    const double largest = largest_motion(system, peaks);

    printf("%s\n", model->title);
    printf("  %ld of %ld steps of %g s in %.3g s", r->steps, model->steps, model->time.step, r->wall_s);
    if (r->points)
        print_static(r);
    else
        printf(" (median step %s)\n", yk_time_format(yk_timing_percentile(&r->timing, 0.5)).text);
    if (*r->reason)
        printf("  %s\n", r->reason);
    print_unconverged(model, &r->unconverged);
    print_pace(r);
    if (r->points) { /* nothing was integrated */
        for (size_t i = 0; i < r->tracked_count; i++)
            print_tracking(&r->tracked[i]);
        return;
    }
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
    if (model->row_count) {
        printf("  largest gap of an interface: displacement %.3g, velocity %.3g", r->drift_u, r->drift_v);
        if (largest > 0 && r->drift_u > fmax(0.1 * largest, SMALLEST_GAP))
            printf(", %.3g %% of the largest displacement%s", 100 * r->drift_u / largest, drift_hint(model));
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

/* The verdict with its reasons, the weightiest first. */
static void print_verdict(const struct yk_model *model, const struct yk_judgement *v)
{
    const char *const *names = model->station ? yk_station_names(model->station) : NULL;
    char text[320];

    printf("  verdict: %s%s\n", yk_level_word(v->level),
           v->level == YK_LEVEL_UNUSABLE ? " - DO NOT USE THESE RESULTS" : "");
    for (size_t i = 0; i < v->count; i++) {
        const struct yk_reason *r = &v->reasons[i];

        yk_reason_text(r, names, text, sizeof text);
        printf("    %zu. %s: %s\n", i + 1, yk_level_word(r->level), text);
        if (i < MOST_EXPLAINED)
            printf("       %s\n       %s\n", yk_criterion_why(r->criterion), yk_criterion_advice(r->criterion));
    }
}

/* Prints the files that exist: somebody may have removed one. */
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
    return yk_run_summary(job->model, channels, &job->result);
}

/* Settings that only the command line has. */
struct wishes {
    const char *folder, *note;
    bool own_folder; /* it was made for this run */
    bool json, quiet, no_report, live, local, accept_quality;
    const char *uncommissioned; /* who takes the responsibility, and why */
    json_t *commissioning;      /* for the summary */
};

/* The page about the run, which is no result: the run counts without it. It is made by another process, so that nothing
 * of it is in the one that moves a rig. A long recording takes its time to read, for which nobody should have to wait.
 */
static void write_report(const char *folder)
{
    char *recording = NULL, *page = NULL, said[1024];
    struct stat about;

    if (asprintf(&recording, "%s/run.h5", folder) >= 0 && asprintf(&page, "%s/report.html", folder) >= 0 &&
        stat(recording, &about) == 0) {
        if (about.st_size > LARGEST_REPORTED)
            fprintf(stderr, "yoke: no report.html of %lld MB; `yoke report %s` writes it\n",
                    (long long)about.st_size >> 20, folder);
        else if (!run_app("report", (char *[]){"yoke-report", "--own", "-o", page, "--", recording, NULL}, said,
                          sizeof said))
            fprintf(stderr, "yoke: warning: no report.html: %s\n", said);
    }
    free(recording);
    free(page);
}

/* Drifts, forces and reactions of frames, into the summary; likewise by another process. */
static void add_results(const struct yk_model *model, const char *folder)
{
    char said[1024];
    bool frame = false;

    for (size_t k = 0; k < model->substructure_count; k++)
        frame |= model->parts[k].index != NULL;
    if (frame &&
        !run_app("results", (char *[]){"yoke-results", "--summary", "--", (char *)folder, NULL}, said, sizeof said))
        fprintf(stderr, "yoke: warning: no results of the frame: %s\n", said);
}

/* Says once more, where errors are looked for, why the results cannot be used. */
static int refuse_quality(const struct yk_model *model, const struct yk_judgement *v)
{
    char text[320];

    yk_reason_text(&v->reasons[0], model->station ? yk_station_names(model->station) : NULL, text, sizeof text);
    fprintf(stderr,
            "yoke: the results are unusable: %s; the recording is kept. --accept-quality: exit code 0 instead of 5\n",
            text);
    return UNUSABLE_CODE;
}

static int conclude(struct job *job, const struct yk_run_channels *channels, const struct wishes *wishes)
{
    const char *folder = wishes->folder;

    trail_add(&trail, "program", "end", "%s after %ld of %ld steps%s%s; recording %s/run.h5",
              yk_rig_state_text(job->result.state), job->result.steps, job->model->steps,
              *job->result.reason ? ": " : "", job->result.reason, folder);
    job->result.audit = yk_audit_anchor(trail.log);
    job->result.loop = *job->loop;
    yk_run_judge_delays(&job->result);
    job->result.provenance = &job->provenance;
    struct yk_measures measures;
    struct yk_judgement verdict;
    yk_run_verdict(job->model, &job->result, &measures, &verdict);
    char *summary = yk_run_summary(job->model, channels, &job->result);
    struct yk_err err = {0};
    int code = job->status ? yk_command_fail(&job->err) : yk_status_exit_code(job->result.status);
    const bool kept = yk_recorder_close(job->recorder, job->result.finished, summary ? summary : "{}", &err) == YK_OK;

    if (!kept) {
        const int failed = yk_command_fail(&err);

        code = job->result.status == YK_E_STOPPED ? code : failed;
    } else if (job->status == YK_OK && job->result.dropped == 0) {
        free(summary);
        summary = summary_of_recording(job, channels, folder);
    }
    if (job->status == YK_OK) {
        if (!summary || !write_text(folder, "summary.json", summary))
            code = code ? code : 1;
        if (kept && !wishes->no_report) {
            add_results(job->model, folder);
            write_report(folder);
        }
        if (wishes->json && summary)
            puts(summary);
        else {
            print_result(job->model, channels, &job->result);
            print_verdict(job->model, &verdict);
            print_files(folder);
        }
        if (job->result.status == YK_E_DIVERGED || job->result.state == YK_STATE_TRIPPED)
            fprintf(stderr, "yoke: %s%s\n", job->result.reason, kept ? "; the recording up to this point is kept" : "");
        tell_loop(job->loop);
        warn_of_missing_rows(job->result.dropped);
        if (!code && verdict.level == YK_LEVEL_UNUSABLE && !wishes->accept_quality)
            code = refuse_quality(job->model, &verdict);
    }
    free(summary);
    yk_run_result_free(&job->result);
    return code;
}

/* The operator's socket. Nobody could speak to a paced run without it from another terminal, so that does not start. */
static int open_desk(struct operator_desk *desk, const struct yk_model *model, bool paced)
{
    struct yk_err err = {0};

    if (!desk_open(desk, &control, model->path, model->steps, &err)) {
        desk->station = model->station;
        return 0;
    }
    if (!paced) {
        fprintf(stderr, "yoke: `yoke control` will not reach this run: %s\n", yk_err_line(&err).text);
        return 0;
    }
    desk_close(desk);
    yk_fail_within(&err, YK_NOWHERE, "a paced run needs a socket for `yoke control`: ");
    return yk_command_fail(&err);
}

static int run_plan(const struct yk_model *model, const struct yk_run_settings *settings,
                    const struct yk_loop_report *loop, const struct wishes *wishes)
{
    const char *folder = wishes->folder;
    struct yk_run_channels channels = {0};
    struct job job = {.model = model, .settings = *settings, .loop = loop};
    char *path = NULL, *method = NULL, *description = NULL;
    const bool paced = yk_run_is_paced(model, settings);
    struct operator_desk desk;
    pthread_t thread;
    int code;

    yk_signals_take(&(struct yk_signal_use){ask_for_end, &done, model->station});
    if (yk_make_folder(folder)) {
        fprintf(stderr, "yoke: cannot create the folder %s: %s\n", folder, strerror(errno));
        return 1;
    }
    yk_provenance_take(&job.provenance);
    job.provenance.command = yk_command_line();
    job.provenance.note = wishes->note;
    if (yk_run_channels(model, &channels, &job.err))
        return yk_command_fail(&job.err);
    if ((code = open_desk(&desk, model, paced)))
        goto end;
    if ((code = !trail_open(&trail, model, desk.name)))
        goto end;
    desk.trail = &trail;
    desk.local = wishes->local;
    method = yk_method_text(model);
    description = yk_run_description(model);
    if (!method || !description || asprintf(&path, "%s/run.h5", folder) < 0) {
        fputs("yoke: out of memory\n", stderr);
        code = 1;
        goto end;
    }
    if (model->station && yk_station_record(model->station, folder, &job.err)) {
        code = yk_command_fail(&job.err);
        goto end;
    }
    const struct yk_recording_info info = yk_run_info(model, method, description, &job.provenance);
    struct yk_stream streams[YK_STREAMS];
    const size_t stream_count = yk_run_streams(&channels, streams);
    if (yk_recorder_open(&job.recorder, path, &info, streams, stream_count, &job.err)) {
        code = yk_command_fail(&job.err);
        goto end;
    }
    remove_older(folder);
    if (wishes->own_folder)
        folder_mark_latest(folder);
    if (paced || wishes->live)
        job.settings.telemetry = live_publish(model, desk.name, &channels, description, folder);
    if (paced && !settings->realtime && !wishes->quiet)
        fprintf(stderr,
                "paced on the wall clock, because the rig is real or has a clock of its own: 1 s of the test takes %g "
                "s; --realtime adds real-time priority and deadlines\n",
                model->time.scale);
    if (paced && !wishes->quiet && *desk.path)
        fprintf(stderr, "paced run '%s': yoke control pause|resume|step|abort|status, or the keys p r s q; l: local\n",
                desk.name);
    yk_waiting_end();
    trail_begin(&trail, model, "run");
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
static int check_set_up(const struct yk_model *model, const struct yk_run_settings *settings)
{
    struct yk_err err = {0};

    return yk_run_check(model, settings, &err) ? yk_command_fail(&err) : 0;
}

struct given {
    struct wishes wishes;
    struct yk_text_list set;
    const char *cpus, *start_at;
    long threads, priority;  /* priority -1: not given */
    double spin_s, budget_s; /* spin -1: not given */
    bool force, portable, realtime, approach;
};

/* The options of a paced run; false after a message. */
static bool take_realtime(struct yk_run_settings *s, const struct given *g)
{
    double value[2];

    s->realtime = g->realtime;
    s->approach = g->approach;
    s->threads = (int)g->threads;
    if (!s->realtime && (g->spin_s >= 0 || g->priority >= 0 || g->cpus))
        return yk_misuse(&command_run, "--spin, --priority and --cpus go with --realtime"), false;
    if (g->spin_s >= 0)
        s->spin_s = g->spin_s;
    if (g->priority >= 0)
        s->priority = (int)g->priority;
    if (g->cpus) {
        if (yk_number_list(g->cpus, value, 2) != 2 ||
            !(value[0] >= 0 && value[0] < 1024 && value[1] >= 0 && value[1] < 1024) || value[0] != floor(value[0]) ||
            value[1] != floor(value[1]))
            return yk_misuse(&command_run, "--cpus '%s' must be two cores, such as 3,2", g->cpus), false;
        s->cpu = (int)value[0];
        s->coarse_cpu = (int)value[1];
    }
    return true;
}

static int run(int argc, char **argv)
{
    struct given g = {.threads = 1, .priority = -1, .spin_s = -1, .budget_s = RUN_BUDGET_S};
    struct wishes *wishes = &g.wishes;
    struct timespec start;
    struct yk_run_settings settings = yk_run_defaults();
    struct yk_loop_report loop;
    struct yk_words words;
    struct yk_model *model;
    char *made = NULL;
    int code;

    if (!yk_take_options(&command_run, argc, argv, &g, &words))
        return 2;
    if (!take_realtime(&settings, &g))
        return 2;
    if (g.start_at && !instant_parse(&command_run, "--start-at", g.start_at, &start))
        return 2;
    if (g.portable && (code = portable_begin(yk_command_words())))
        return code;
    if (!(model = load_experiment(&command_run, &words, &g.set, &code)))
        return code;
    if ((code = wishes->folder
                    ? folder_check(wishes->folder, g.force, ", leave out -o for a new one, or replace it with --force")
                    : 0)) {
        yk_model_close(model);
        return code;
    }
    if ((code = prepare_model(model, true)))
        return code;
    if (!(code = gate_check(model, wishes->uncommissioned, &wishes->commissioning)) &&
        !(code = model->static_path ? 0 : check_stability(model)) && !(code = check_set_up(model, &settings)) &&
        !(code = check_loop(model, g.budget_s, settings.realtime, &loop))) {
        if ((wishes->own_folder = !wishes->folder))
            wishes->folder = made = folder_make_new(words.rest[0]);
        settings.commissioning = wishes->commissioning;
        if (g.start_at) {
            if (!wishes->quiet)
                fprintf(stderr, "ready; starts at %s\n", g.start_at);
            instant_await(&start);
        }
        code = wishes->folder ? run_plan(model, &settings, &loop, wishes) : 1;
        if (made)
            rmdir(made); /* where the run did not begin, and nothing is in it */
    }
    free(made);
    json_decref(wishes->commissioning);
    yk_model_close(model);
    return code;
}

static const struct yk_option options[] = {
    {"--output|-o", "DIR", "folder for the files; refused if DIR already holds a recording",
     YK_INTO(struct given, wishes.folder)},
    {"--force", NULL, "replace that recording", YK_INTO(struct given, force)},
    {"--note", "TEXT", "a remark of the operator, stored in the recording and in the summary",
     YK_INTO(struct given, wishes.note)},
    {"--set", "KEY=VALUE", "replace a value of the file, such as time.step or loads.0.amplitude (lists count from 0)",
     YK_INTO(struct given, set)},
    {"--threads", "N",
     "2: run the coarse side of a parallel coupling, or half of every large sparse solve, on a second thread; same "
     "results",
     YK_INTO(struct given, threads), .least = 1, .most = 2},
    {"--realtime", NULL,
     "pace the run: every control tick (without specimens: every fine step or step) starts on time, stretched by "
     "time.scale",
     YK_INTO(struct given, realtime)},
    {"--live", NULL,
     "serve the dashboard of this run (see `yoke dash`) and print its address; for paced runs and for others",
     YK_INTO(struct given, wishes.live)},
    {"--local", NULL, "refuse orders from elsewhere but pause and abort; the key l switches",
     YK_INTO(struct given, wishes.local)},
    {.rows = uncommissioned_option, .at = offsetof(struct given, wishes.uncommissioned)},
    {"--start-at", "T", "begin at an agreed instant, such as 2026-11-16T10:00:00Z, or +10s: loaded and checked before",
     YK_INTO(struct given, start_at)},
    {"--approach", NULL,
     "let the start ramp begin anywhere; otherwise the run is refused if an actuator stands further from its start "
     "than limits.position_error",
     YK_INTO(struct given, approach)},
    {"--spin", "T", "watch the clock instead of sleeping during the last T of each wait; default 60 us",
     YK_INTO(struct given, spin_s), .quantity = YK_TIME, .least = 0, .most = 1},
    {"--priority", "N", "SCHED_FIFO priority of the loop, the coarse side one below; 0: normal; default 80",
     YK_INTO(struct given, priority), .least = 0, .most = 98},
    {"--cpus", "F,C", "cores for the loop and for the coarse side; default: the last ones",
     YK_INTO(struct given, cpus)},
    {"--budget", "T", "CPU time for judging the stability of the loop with specimens; default 2 s; 0: do not judge",
     YK_INTO(struct given, budget_s), .quantity = YK_TIME, .least = 0, .most = 1e6},
    {"--portable-bits", NULL,
     "make results identical to the last bit on every x86-64 CPU; large dense models run slower",
     YK_INTO(struct given, portable)},
    {"--accept-quality", NULL, "exit code 0 instead of 5 if the results are unusable; the verdict stays",
     YK_INTO(struct given, wishes.accept_quality)},
    {"--json", NULL, "print the summary instead of the table", YK_INTO(struct given, wishes.json)},
    {"--quiet|-q", NULL, "show no progress", YK_INTO(struct given, wishes.quiet)},
    {"--no-report", NULL, "do not write report.html", YK_INTO(struct given, wishes.no_report)},
    {0},
};

const struct yk_command command_run = {
    .name = "run",
    .summary = "run an experiment and record it",
    .usage = "FILE [-o DIR [--force]] [--note TEXT] [--set KEY=VALUE]... [--threads 2] [--realtime] [--live] [--local] "
             "[--uncommissioned \"NAME: REASON\"] [--approach] [--portable-bits] [--accept-quality] [--json] [--quiet] "
             "[--no-report]",
    .about = "Reads and checks the experiment file, runs it as fast as possible or paced in real time, and writes\n"
             "  DIR/run.h5         all samples, the text of the experiment, and the date, machine and build (HDF5)\n"
             "  DIR/summary.json   the results in numbers\n"
             "  DIR/report.html    a page about the run, for the browser or the printer (see `yoke report`)\n"
             "By default DIR is a new folder out/NAME/DATE; the link out/NAME/latest points to the newest one. Ctrl-C "
             "ramps the actuators back, ends the run and keeps the recording. A second Ctrl-C shortens the ramp as far "
             "as the safety limits allow. If the loop with specimens is unstable, paced runs and runs on a rig outside "
             "this process are refused (exit code 4), unless the file sets method.stability: warn. Other runs start "
             "with a warning.",
    .options = options,
    .notes = "Keys in the terminal of a paced run: p pause, r resume, s one step, q abort, l local or remote. If the "
             "machine refuses the priority or the cores of --realtime, the run goes on and is reported as degraded.",
    .examples = "yoke run examples/oscillator/oscillator.yaml\n"
                "yoke run frame.yaml -o out/coarse --set time.step=\"20 ms\" --set loads.0.amplitude=3",
    .run = run,
};
