/* Stability of the closed hybrid loop, and its margin in delay, by the real steps on the virtual rig.
 *
 * The margin is the delay, added to the drives, at which decay first turns into growth, by bisection. Growth is looked
 * for at delays that double, then between them: it may begin earlier and end again. Decay is found by amplification
 * matrix; where the loop is not linear, by free vibration (decay.c); where that takes too long, by a short one
 * (modal_decay.c). docs/theory/delay.md, section 6. */
#include "analyze/decay.h"

#include <yoke/analyze.h>
#include <yoke/virtual_rig.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_ADDED 1.0  /* s */
#define LONGEST_PART  0.01 /* of a short vibration: longer delays are felt by modes that it is too short for */
#define RESOLUTION    1e-7 /* s */
#define ROUGH         2e-3 /* relative; of simulations, which know no better */
#define ROUGHER       0.1  /* relative; of short ones */
enum {
    LONG_TICKS = 10000000, /* of all actuators in one free vibration: what is not worth waiting for */
    BRIEF_TICKS = 200000,  /* and in a short one */
    BRIEF_STEPS = 400,     /* at least */
    SCANNED = 23,          /* delays below the one found, at which growth is looked for, too */
    FIRST_SCANNED = 7      /* and below the time between two forces */
};

/* How decay is found: by matrix, by free vibration over periods of the lowest mode, or by one over few steps. */
struct effort {
    int periods;
    long steps;
    struct yk_motions *motions; /* that a short vibration is seen as */
};

/* Decay that is not told from none [1/s]: by rounding, by samples that miss the peaks of a vibration, or by a short
 * one. */
static bool decays(double decay, struct effort effort)
{
    return decay >= (effort.steps ? -1e-2 : effort.periods ? -1e-6 : -1e-8);
}

bool yk_experiment_is_hybrid(const struct yk_experiment *e)
{
    return e->station && e->assembly.system;
}

/* Nothing that stops a run or lets it begin slowly. */
static void unlimit(struct yk_station *station)
{
    struct yk_limits *limits = &yk_station_supervisor(station)->limits;

    memset(limits->limit, 0, sizeof limits->limit);
    limits->start_ramp = limits->end_ramp = 0;
}

/* An experiment without noise and loads, with a delay added to its actuators. */
static enum yk_status open_loop(const struct yk_experiment *e, double added, struct yk_motion *m, struct yk_err *err)
{
    void *rig;
    enum yk_status st;

    if (e->station && yk_station_rig(e->station, &rig) == &yk_rig_virtual)
        yk_virtual_rig_quieten(rig);
    if (e->station) {
        unlimit(e->station);
        if ((st = yk_station_add_delay(e->station, added, err)))
            return st;
    }
    if (!(st = yk_motion_open(m, e, 0, 1, err)))
        yk_motion_unload(m);
    return st;
}

/* Start values of all substructures, which a loop that is judged is given others in place of. */
static double *keep_start(const struct yk_experiment *e)
{
    size_t n = 1;
    double *kept, *at;

    for (size_t k = 0; k < e->substructure_count; k++)
        n += 2 * e->substructures[k].system->n;
    if (!(kept = at = malloc(n * sizeof *kept)))
        return NULL;
    for (size_t k = 0; k < e->substructure_count; k++) {
        const struct yk_system *s = e->substructures[k].system;

        memcpy(at, s->u0, s->n * sizeof *at);
        memcpy(at + s->n, s->v0, s->n * sizeof *at);
        at += 2 * s->n;
    }
    return kept;
}

static void restore_start(const struct yk_experiment *e, double *kept)
{
    const double *at = kept;

    for (size_t k = 0; k < e->substructure_count; k++) {
        struct yk_system *s = e->substructures[k].system;

        memcpy(s->u0, at, s->n * sizeof *at);
        memcpy(s->v0, at + s->n, s->n * sizeof *at);
        at += 2 * s->n;
    }
    free(kept);
}

/* The decay, or where `linear` is asked for, only whether the loop is. */
static enum yk_status examine(const struct yk_experiment *e, struct effort effort, double added, double *decay,
                              bool *linear, struct yk_err *err)
{
    double *start = keep_start(e);
    struct yk_motion m;
    enum yk_status st;

    if (!start)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!(st = open_loop(e, added, &m, err))) {
        st = linear           ? yk_decay_is_linear(&m, linear, err)
             : effort.steps   ? yk_decay_of_motions(&m, effort.motions, effort.steps, !e->station, decay, err)
             : effort.periods ? yk_decay_by_simulation(&m, effort.periods, decay, err)
                              : yk_decay_by_matrix(&m, decay, err);
        yk_motion_close(&m);
        if (st && !linear)
            yk_fail_within(err, YK_NOWHERE, "hybrid loop: ");
    }
    restore_start(e, start);
    return st;
}

static enum yk_status decay_of(const struct yk_experiment *e, struct effort effort, double added, double *decay,
                               struct yk_err *err)
{
    return examine(e, effort, added, decay, NULL, err);
}

/* A delay with growth and one below it without. */
struct bracket {
    double stable, unstable; /* s; INFINITY: none was found */
};

/* By doubling a delay. */
static enum yk_status find_growth(const struct yk_experiment *e, struct effort effort, double longest,
                                  struct bracket *b, struct yk_err *err)
{
    double decay;
    enum yk_status st = YK_OK;

    *b = (struct bracket){0, INFINITY};
    for (double d = 0.5 / e->time.control_rate; !st && b->unstable == INFINITY && d < longest; d *= 2)
        if (!(st = decay_of(e, effort, d, &decay, err)))
            *(decays(decay, effort) ? &b->stable : &b->unstable) = d;
    return st;
}

/* Growth may begin earlier and end again: delays below `most`, `count` of them, evenly spaced. */
static enum yk_status scan_below(const struct yk_experiment *e, struct effort effort, double most, int count,
                                 struct bracket *b, struct yk_err *err)
{
    double decay, stable = 0;
    enum yk_status st = YK_OK;

    for (int k = 1; k <= count && !st; k++) {
        const double d = most * k / (count + 1);

        if (!(st = decay_of(e, effort, d, &decay, err)) && !decays(decay, effort)) {
            *b = (struct bracket){stable, d};
            break;
        }
        stable = d;
    }
    return st;
}

/* Windows of the structure are parts of its periods; those of a mass in the loop, of the time between two forces. */
static enum yk_status scan(const struct yk_experiment *e, struct effort effort, struct bracket *b, struct yk_err *err)
{
    const struct yk_pace pace = yk_station_pace(e->station);
    const double most = b->stable, between = pace.dt / pace.stages;
    enum yk_status st = YK_OK;

    if (between < most)
        st = scan_below(e, effort, between, FIRST_SCANNED, b, err);
    return st || b->stable < most ? st : scan_below(e, effort, most, SCANNED, b, err);
}

static enum yk_status find_margin(const struct yk_experiment *e, struct effort effort, double longest, double *margin,
                                  struct yk_err *err)
{
    const double resolution = effort.steps ? ROUGHER : effort.periods ? ROUGH : 0;
    struct bracket b;
    double decay;
    enum yk_status st = find_growth(e, effort, longest, &b, err);

    if (!st && !effort.steps)
        st = scan(e, effort, &b, err);
    while (!st && b.unstable < INFINITY && b.unstable - b.stable > fmax(RESOLUTION, resolution * b.unstable)) {
        const double middle = 0.5 * (b.stable + b.unstable);

        if (!(st = decay_of(e, effort, middle, &decay, err)))
            *(decays(decay, effort) ? &b.stable : &b.unstable) = middle;
    }
    *margin = b.unstable < INFINITY ? b.stable : INFINITY;
    return st;
}

/* The structure without the rig. NULL: some couplings cannot do with models, and some models, whose mass depends on
 * their configuration, cannot be joined. */
static enum yk_status copy_models(const struct yk_experiment *e, struct yk_experiment **model, struct yk_err *err)
{
    struct yk_err reason = {0};
    enum yk_status st;

    if (e->coupling && e->coupling->caps & YK_COUPLING_SPECIMENS)
        return YK_OK;
    st = yk_experiment_copy(e, true, model, &reason);
    if (st && st != YK_E_UNSUPPORTED && err)
        *err = reason;
    return st == YK_E_UNSUPPORTED ? YK_OK : st;
}

/* The model in place of the specimens, if it can be compared with them in a short vibration. */
static const struct yk_experiment *comparable(const struct yk_experiment *rig, const struct yk_experiment *model)
{
    const struct yk_system *s = model ? model->assembly.system : NULL;

    return s && s->n == rig->assembly.system->n ? model : NULL;
}

/* All of `out`, in one way. The model comes first: a short vibration of the rig is compared with it. */
static enum yk_status judge(const struct yk_experiment *rig, const struct yk_experiment *model, struct effort effort,
                            struct yk_margin *out, struct yk_err *err)
{
    enum yk_status st;

    out->decay_model = NAN;
    if ((model && (st = decay_of(model, effort, 0, &out->decay_model, err))) ||
        (st = decay_of(rig, effort, 0, &out->decay, err)))
        return st;
    out->by_matrix = !effort.periods && !effort.steps;
    out->brief = effort.steps > 0;
    out->stable = decays(out->decay, effort);
    out->longest_s = effort.steps ? LONGEST_PART * (double)effort.steps * rig->time.step : LONGEST_ADDED;
    return out->stable ? find_margin(rig, effort, out->longest_s, &out->margin_s, err) : YK_OK;
}

static enum yk_status judge_briefly(const struct yk_experiment *rig, const struct yk_experiment *model, long steps,
                                    struct yk_margin *out, struct yk_err *err)
{
    struct yk_motions motions = {0};
    enum yk_status st;

    model = comparable(rig, model);
    if (!(st = yk_motions_find(&motions, model ? model : rig, err)))
        st = judge(rig, model, (struct effort){.steps = steps, .motions = &motions}, out, err);
    yk_motions_free(&motions);
    return st;
}

enum yk_status yk_hybrid_decay(const struct yk_experiment *experiment, double *decay, struct yk_err *err)
{
    struct yk_experiment *rig = NULL;
    bool linear = false;
    enum yk_status st;

    if (!(st = yk_experiment_copy(experiment, false, &rig, err)) &&
        !(st = examine(rig, (struct effort){0}, 0, NULL, &linear, err)))
        st = decay_of(rig, (struct effort){.periods = linear ? 0 : YK_MARGIN_PERIODS}, 0, decay, err);
    yk_experiment_destroy(rig);
    return st;
}

/* Steps of a short vibration where a long one would need too many ticks; else 0. */
static long when_long(const struct yk_experiment *e)
{
    const double ticks = (double)yk_station_count(e->station) * e->time.step * e->time.control_rate; /* in a step */

    return ticks * YK_LONG_VIBRATION > LONG_TICKS ? lround(fmax(BRIEF_TICKS / ticks, BRIEF_STEPS)) : 0;
}

enum yk_status yk_hybrid_margin(const struct yk_experiment *experiment, int periods, struct yk_margin *out,
                                struct yk_err *err)
{
    const long brief = periods < 0 ? when_long(experiment) : 0;
    struct effort effort = {.periods = periods < 0 ? 0 : periods};
    struct yk_experiment *rig = NULL, *model = NULL;
    bool linear = true;
    enum yk_status st;

    *out = (struct yk_margin){0};
    if (!(st = yk_experiment_copy(experiment, false, &rig, err)) && !(st = copy_models(experiment, &model, err)) &&
        brief)
        st = judge_briefly(rig, model, brief, out, err);
    else if (!st && (effort.periods || !(st = examine(rig, effort, 0, NULL, &linear, err)))) {
        effort.periods = linear ? effort.periods : YK_MARGIN_PERIODS;
        st = judge(rig, model, effort, out, err);
    }
    yk_experiment_destroy(rig);
    yk_experiment_destroy(model);
    return st;
}
