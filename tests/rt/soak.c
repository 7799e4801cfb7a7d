/* `make soak`: SOAK_SECONDS (600) of a paced run at 1 kHz on two threads, with faults that come at random and go again
 * before they trip: silence of the rig, frozen and missing readings, spikes of force, a rig that answers late, and an
 * operator who pauses, steps and resumes. Nothing may be lost: every row is in the recording, and the commands stay
 * within their limits. */
#include "support/check.h"
#include "support/random.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>

static const char text[] =
    "title: soak\n"
    "time: {step: 8 ms, substeps: 2, end: 600, control_rate: 1000 Hz}\n"
    "method: {coupling: iplsrt2}\n"
    "substructures:\n"
    "  frame: {rate: coarse, dofs: [x], mass: [1800], damping: [3000], stiffness: [71061]}\n"
    "  specimen: {role: physical, rate: fine, dofs: [x], actuators: {x: a1}, estimate: {mass: [200], stiffness: "
    "[35530]}}\n"
    "interfaces: [{join: [frame.x, specimen.x]}]\n"
    "loads: [{on: frame.x, kind: sine, amplitude: 1000 N, frequency: 1.3 Hz}]\n"
    "transfer: {a1: {compensator: {kind: velocity, order: 2, delay: 21 ms}, controller: {kind: imc, filter: 6 ms}}}\n"
    "rig: {backend: virtual, actuators: {a1: {plant: {kind: tt1}, sensors: {force_noise: 2 N}}},\n"
    "      specimen: {dofs: [x], mass: [0], stiffness: [35530]}}\n"
    "limits: {displacement: 200 mm, command_rate: {limit: 3 m/s, action: warn}, force: 20 kN, missed_deadlines: 0,\n"
    "         stall: 10, coarse_wait: 5, sensor_frozen: 60 ms, peer_silence: 50 ms}\n";

enum kind { CALM, SILENT, FROZEN, SPIKE, LATE, PAUSE, KINDS };

struct rig {
    const struct yk_rig_ops *ops;
    void *self;
    struct yk_run_control control;
    struct yk_reading last;
    uint64_t seed;
    enum kind kind;
    long left, counts[KINDS]; /* ticks of what goes on; how often each came */
    double sent, reach, rate;
};

static void choose(struct rig *r)
{
    static const long longest[KINDS] = {
        [CALM] = 400, [SILENT] = 30, [FROZEN] = 30, [SPIKE] = 2, [LATE] = 3, [PAUSE] = 60};

    r->kind = r->kind == CALM ? (enum kind)(1 + random_below(&r->seed, KINDS - 1)) : CALM;
    r->left = 1 + (long)random_below(&r->seed, (size_t)longest[r->kind]);
    r->counts[r->kind]++;
    if (r->kind == PAUSE)
        yk_run_request(&r->control, YK_EVENT_PAUSE);
}

static void wait_ns(int64_t ns)
{
    for (const int64_t due = yk_clock_now_ns() + ns; yk_clock_now_ns() < due;)
        ;
}

static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct rig *r = self;
    enum yk_rig_answer answer = r->ops->exchange(r->self, out, in);

    r->reach = fmax(r->reach, fabs(out->command[0]));
    r->rate = fmax(r->rate, fabs(out->command[0] - r->sent) * 1000);
    r->sent = out->command[0];
    if (r->left-- <= 0) {
        if (r->kind == PAUSE)
            yk_run_request(&r->control, r->seed & 1 ? YK_EVENT_STEP : YK_EVENT_RESUME);
        if (r->kind == PAUSE && r->seed & 1) /* after the step it is paused again */
            r->left = 20, r->seed++;
        else
            choose(r);
    }
    if (r->kind == SILENT || r->kind == FROZEN)
        *in->readings = r->last;
    if (r->kind == SILENT)
        answer = YK_RIG_HELD;
    if (r->kind == SPIKE)
        in->readings->force += 500;
    if (r->kind == LATE)
        wait_ns(1200000);
    r->last = *in->readings;
    return answer;
}

int main(void)
{
    static const struct yk_rig_ops ops = {.name = "soak", .exchange = exchange};
    const char *seconds = getenv("SOAK_SECONDS");
    char end[64];
    const char *const set[] = {end};
    struct yk_run_settings settings = yk_run_defaults();
    struct rig r = {.seed = 20240521};
    struct yk_model *e = NULL;
    struct recorded run;
    struct yk_err err;

    snprintf(end, sizeof end, "time.end=%g", 8e-3 * floor((seconds ? atof(seconds) : 600) / 8e-3));
    scratch_create(NULL);
    if (yk_model_parse(&e, "soak.yaml", text, strlen(text), set, 1, &err)) {
        fprintf(stderr, "%s\n", yk_err_line(&err).text);
        return 2;
    }
    r.ops = yk_station_rig(e->station, &r.self);
    yk_station_interpose(e->station, (struct yk_between){&ops, &r});
    settings.realtime = true;
    settings.threads = 2;
    recorded_run(&run, e, &settings, &r.control);

    bool rows = run.count[0] == (size_t)run.result.steps + 1;
    for (size_t i = 0; rows && i < run.count[0]; i++)
        rows = fabs(run.rows[0][i * run.width[0]] - 8e-3 * (double)i) < 1e-6;
    const struct yk_pace_report *p = run.result.pace;
    const bool good = !run.status && run.result.finished && rows && run.dropped == 0 && r.reach <= 0.2 &&
                      r.rate <= 3 * (1 + 1e-9) && run.count[1] == 2 * (size_t)run.result.steps + 1;

    printf("%ld of %ld steps in %.0f s%s%s%s\n", run.result.steps, e->steps, run.result.wall_s,
           *run.result.reason ? ": " : "", run.result.reason, yk_err_line(&run.err).text);
    printf("rows %zu (fine %zu), dropped %llu; %ld silences, %ld freezes, %ld spikes, %ld late answers, %ld pauses\n",
           run.count[0], run.count[1], (unsigned long long)run.dropped, r.counts[SILENT], r.counts[FROZEN],
           r.counts[SPIKE], r.counts[LATE], r.counts[PAUSE]);
    if (p)
        printf("late by %.3g us in the median; %ld deadlines missed (%ld woke late, %ld interrupted, %ld computed "
               "long, %ld "
               "rig late, %ld coarse side late); %lu warnings\n%s",
               1e6 * yk_timing_percentile(&p->lateness, 0.5), p->missed, p->missed_by[0], p->missed_by[1],
               p->missed_by[2], p->missed_by[3], p->missed_by[4], run.result.warnings,
               *p->degraded ? "degraded\n" : "");
    printf("commands up to %.3g m and %.3g m/s\n%s\n", r.reach, r.rate, good ? "nothing was lost" : "FAILED");
    recorded_free(&run);
    yk_model_close(e);
    scratch_remove(NULL);
    return good ? 0 : 4;
}
