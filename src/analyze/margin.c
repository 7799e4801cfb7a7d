/* Stability of the closed hybrid loop, and its margin in delay, by the real steps on the virtual rig.
 *
 * The margin is the delay, added to the commands, at which decay first turns into growth, by bisection. Growth is
 * looked for at delays that double, then between them: it may begin earlier and end again. Decay is found by
 * amplification matrix; where the loop is not linear or too large for one, by free vibration (decay.c); where that
 * takes too long, by a short one (modal_decay.c). All of it within a budget of CPU time: what was not found within it
 * is undecided. docs/theory/delay.md, section 6. */
#include "analyze/condensed.h"
#include "analyze/decay.h"
#include "analyze/delayed_loop.h"
#include "state/state.h"

#include "analyze/analyze.h"
#include "base/progress.h"
#include "rig/virtual/rig.h"
#include "transfer/physical.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_ADDED 1.0  /* s */
#define LONGEST_PART  0.01 /* of a short vibration: longer delays are felt by modes that it is too short for */
#define RESOLUTION    1e-7 /* s */
#define ROUGH         2e-3 /* relative; of simulations, which know no better */
#define ROUGHER       0.1  /* relative; of short ones */
enum {
    LONG_TICKS = 10000000, /* of all actuators in one free vibration: too long to wait for */
    BRIEF_TICKS = 200000,  /* and in a short one */
    BRIEF_STEPS = 400,     /* at least */
    SCANNED = 23,          /* delays below the one found, at which growth is looked for, too */
    FIRST_SCANNED = 7,     /* and below the time between two forces */
    MATRIX_DOFS = 100,     /* at most: the work for a matrix grows with the cube */
    MODAL_DOFS = 1000      /* likewise for all modes of a structure */
};
#define RAMP_S     1.0  /* a ramp that shows the delay of actuators lasts so long */
#define RAMP_SPEED 1e-3 /* m/s: small against any limit */
enum { RAMP_TARGETS = 100, RAMP_TICKS = 100000 };
#define LEAST_BUDGET_S 1e-9
#define SLOWEST_PART   0.1 /* of the test: the period that counts where nothing has a frequency */

/* How decay is found: by matrix, by free vibration over periods of the lowest mode, or by one over few steps. */
struct effort {
    struct yk_watched how;
    long steps;
    struct yk_motions *motions;         /* that a short vibration is seen as */
    bool known;                         /* the decay without an added delay was found already */
    struct yk_delayed_loop *loop;       /* tells of any delay whether it decays; NULL: each needs an examination */
    const struct yk_rig_varied *varied; /* NULL: the rig as it was read */
    bool imagined;                      /* specimens answer as estimated, without the rig */
};

/* Decay that is not told from none [1/s]: by rounding, by samples that miss the peaks of a vibration, or by a short
 * one. */
static bool decays(double decay, const struct effort *effort)
{
    return decay >= (effort->steps ? -1e-2 : effort->how.periods ? -1e-6 : -1e-8);
}

bool yk_model_is_hybrid(const struct yk_model *model)
{
    return model->station && model->assembly->system;
}

/* The decay. `linear` is asked for where a matrix is tried: without superposition there is none. */
static enum yk_status examine(const struct yk_model *model, struct effort *effort, double added, double *decay,
                              bool *linear, struct yk_err *err)
{
    struct yk_state m;
    struct yk_station *station;
    enum yk_status st = yk_loop_motion(model, effort->varied, added, &m, err);

    if (st)
        return st;
    station = m.station;
    if (effort->imagined) {
        yk_for_specimens(&m, yk_physical_imagine);
        m.station = NULL;
    }
    st = effort->steps ? yk_decay_of_motions(&m, &effort->how, effort->motions, effort->steps, !m.station, decay, err)
         : effort->how.periods ? yk_decay_by_simulation(&m, &effort->how, decay, err)
                               : yk_decay_by_matrix(&m, &effort->how, linear, decay, err);
    m.station = station;
    yk_state_close(&m);
    return st && st != YK_E_STOPPED ? yk_fail_within(err, YK_NOWHERE, "hybrid loop: ") : st;
}

static enum yk_status decay_of(const struct yk_model *model, struct effort *effort, double added, double *decay,
                               struct yk_err *err)
{
    return examine(model, effort, added, decay, NULL, err);
}

/* ---- the margin ---- */

/* A delay with growth and one below it without. */
struct bracket {
    double stable, unstable; /* s; INFINITY: none was found */
};

/* Does it decay with a delay? The answer narrows the bracket. */
static enum yk_status try_delay(const struct yk_model *model, struct effort *effort, double delay, struct bracket *b,
                                struct yk_err *err)
{
    long growing;
    double decay;
    enum yk_status st;

    if (effort->loop && yk_delayed_loop_count(effort->loop, delay, &growing)) {
        *(growing ? &b->unstable : &b->stable) = delay;
        return YK_OK;
    }
    st = decay_of(model, effort, delay, &decay, err);
    if (!st)
        *(decays(decay, effort) ? &b->stable : &b->unstable) = delay;
    return st;
}

/* By doubling a delay. */
static enum yk_status find_growth(const struct yk_model *model, struct effort *effort, double longest,
                                  struct bracket *b, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (double d = 0.5 / model->time.control_rate; !st && b->unstable == INFINITY && d < longest; d *= 2)
        st = try_delay(model, effort, d, b, err);
    return st;
}

static enum yk_status bisect(const struct yk_model *model, struct effort *effort, struct bracket *b, struct yk_err *err)
{
    const double resolution = effort->steps ? ROUGHER : effort->how.periods ? ROUGH : 0;
    enum yk_status st = YK_OK;

    while (!st && b->unstable < INFINITY && b->unstable - b->stable > fmax(RESOLUTION, resolution * b->unstable))
        st = try_delay(model, effort, 0.5 * (b->stable + b->unstable), b, err);
    return st;
}

/* Growth may begin earlier and end again: delays below `most`, `count` of them, evenly spaced. */
static enum yk_status scan_below(const struct yk_model *model, struct effort *effort, double most, int count,
                                 struct bracket *b, struct yk_err *err)
{
    struct bracket below = {0, INFINITY};
    enum yk_status st = YK_OK;

    for (int k = 1; k <= count && !st && below.unstable == INFINITY; k++)
        st = try_delay(model, effort, most * k / (count + 1), &below, err);
    if (below.unstable < INFINITY)
        *b = below;
    return st;
}

/* Windows of the structure are parts of its periods; those of a mass in the loop, of the time between two forces. */
static enum yk_status scan(const struct yk_model *model, struct effort *effort, struct bracket *b, struct yk_err *err)
{
    const struct yk_pace pace = yk_station_pace(yk_model_first(model)->station);
    const double most = b->stable, between = pace.dt / pace.stages;
    enum yk_status st = YK_OK;

    if (between < most)
        st = scan_below(model, effort, between, FIRST_SCANNED, b, err);
    return st || b->stable < most ? st : scan_below(model, effort, most, SCANNED, b, err);
}

/* Opens the count of unstable motions by delay, which works for linear loops only. */
static enum yk_status open_delayed(const struct yk_model *model, struct effort *effort, struct yk_err *err)
{
    struct yk_state m;
    enum yk_status st =
        effort->how.periods || effort->steps ? YK_OK : yk_loop_motion(model, effort->varied, 0, &m, err);

    if (st || effort->how.periods || effort->steps)
        return st;
    st = yk_delayed_loop_open(&effort->loop, &m, &effort->how, err);
    yk_state_close(&m);
    return st;
}

/* Free vibrations take long: before windows are looked for, the margin that there is without them is found. */
static enum yk_status find_margin(const struct yk_model *model, struct effort *effort, struct yk_margin *out,
                                  struct yk_err *err)
{
    const double longest = out->longest_s;
    struct bracket b = {0, INFINITY};
    enum yk_status st = open_delayed(model, effort, err);

    if (!st)
        st = find_growth(model, effort, longest, &b, err);

    if (st == YK_E_STOPPED) /* as far as was looked */
        out->longest_s = b.stable;
    if (!st && effort->how.periods)
        st = bisect(model, effort, &b, err);
    out->windows = !st && !effort->steps;
    if (out->windows)
        out->windows = !(st = scan(model, effort, &b, err));
    if (!st)
        st = bisect(model, effort, &b, err);
    out->margin_s = b.unstable < INFINITY ? b.stable : INFINITY;
    out->growth_s = b.unstable;
    out->complete = !st;
    return st == YK_E_STOPPED ? YK_OK : st;
}

/* ---- what is compared ---- */

/* The structure without the rig. NULL: some couplings cannot do with models, and some models, whose mass depends on
 * their configuration, cannot be joined. */
static enum yk_status vary_models(const struct yk_model *rig, struct yk_model **model, struct yk_err *err)
{
    struct yk_err reason = {0};
    enum yk_status st;

    if (rig->coupling && rig->coupling->caps & YK_COUPLING_SPECIMENS)
        return YK_OK;
    st = yk_model_with_players(rig, YK_PLAYED_BY_MODELS, model, &reason);
    if (st && st != YK_E_UNSUPPORTED && err)
        *err = reason;
    return st == YK_E_UNSUPPORTED ? YK_OK : st;
}

/* Can the models be compared with the specimens in a short vibration? */
static bool is_comparable(const struct yk_model *rig, const struct yk_model *model)
{
    const struct yk_system *s = model ? model->assembly->system : NULL;

    return s && s->n == rig->assembly->system->n;
}

static bool same_matrix(const struct yk_matrix *A, const struct yk_matrix *B)
{
    for (size_t i = 0; i < A->rows; i++)
        for (size_t j = 0; j < A->cols; j++)
            if (yk_matrix_get(A, i, j) != yk_matrix_get(B, i, j))
                return false;
    return true;
}

/* Are the models of the specimens what the file estimates? The structure with them is then that of the loop. */
static bool is_as_estimated(const struct yk_model *rig, const struct yk_model *model)
{
    for (size_t k = 0; k < rig->substructure_count; k++) {
        const struct yk_system *s = rig->substructures[k].system, *m = model->substructures[k].system;

        if (yk_is_physical(s) && !(m->linear && m->n == s->n && same_matrix(&m->M, &s->M) &&
                                   same_matrix(&m->C, &s->C) && same_matrix(&m->K, &s->K)))
            return false;
    }
    return true;
}

static const struct yk_margin UNKNOWN = {
    .verdict = YK_LOOP_UNDECIDED, .decay = NAN, .decay_model = NAN, .margin_s = NAN, .growth_s = INFINITY};

/* An experiment under judgement. */
struct loop {
    const struct yk_judging *how;
    const struct yk_model *rig; /* on the virtual rig */
    struct yk_model *model;     /* with models only; NULL: not needed, or there is none */
    struct effort effort;
    struct yk_budget budget;
    struct yk_margin *out;
};

/* The lowest angular frequency that sets the duration of what is watched. The estimate of a specimen may be zero, and
 * the structure then a loose one, whose rigid-body modes have none: the models of the rig know better. */
static enum yk_status find_frequency(struct loop *l, struct yk_err *err)
{
    const struct yk_model *model = l->rig;
    const double fastest = M_PI / (7 * model->time.step);
    bool rigid, still;
    double w = yk_lowest_elastic(model->assembly->system, &rigid), found = 0;
    enum yk_status st = YK_OK;

    if (rigid && !l->model)
        st = vary_models(model, &l->model, err);
    if (rigid && l->model && l->model->assembly->system)
        found = yk_lowest_elastic(l->model->assembly->system, &still);
    w = found > 0 ? found : w;
    l->effort.how.omega = w > 0 ? w : fmin(2 * M_PI / (SLOWEST_PART * model->time.end), fastest);
    return st;
}

/* Steps of a short vibration where a long one would need too many ticks; else 0. */
static long when_long(const struct yk_model *model)
{
    const double ticks =
        (double)yk_station_count(model->station) * model->time.step * model->time.control_rate; /* in a step */

    return ticks * YK_LONG_VIBRATION > LONG_TICKS && model->assembly->system->n <= MODAL_DOFS
               ? lround(fmax(BRIEF_TICKS / ticks, BRIEF_STEPS))
               : 0;
}

/* By matrix where that is asked for, the loop is linear and it is not too large. */
static enum yk_status choose_way(struct loop *l, struct yk_err *err)
{
    bool linear = false;
    enum yk_status st = YK_OK;

    if (l->effort.steps)
        return YK_OK;
    l->out->large = l->rig->assembly->system->n > MATRIX_DOFS;
    if (l->how->periods <= 0 && !l->out->large)
        st = examine(l->rig, &l->effort, 0, &l->out->decay, &linear, err);
    l->effort.known = linear;
    l->effort.how.periods = l->how->periods > 0 ? l->how->periods : linear ? 0 : YK_MARGIN_PERIODS;
    return st;
}

/* ---- the verdict ---- */

/* Lag of actuator i behind its command, in time, at the end of a ramp. A compensator that adapts may have made the
 * command steeper than the targets: `rate` is that of the command. */
static double lag_behind_command(const struct yk_station *station, size_t i, double reached, double rate)
{
    return rate > 0 ? (yk_station_state(station, i).command - reached) / rate : (double)NAN;
}

/* Which actuator is furthest from its targets, in time? On a ramp its lag is the speed times what is left of its delay.
 * A compensator or an estimator that adapts does so on the ramp already, and what it began with is what counts: `lead`.
 * `before`: work. */
static void ramp(struct yk_station *station, const double *lead, double *before, struct yk_margin *out)
{
    const struct yk_pace pace = yk_station_pace(station);
    const double spacing = pace.dt / pace.stages;
    const long targets = lround(fmin(fmax(RAMP_S / spacing, RAMP_TARGETS), RAMP_TICKS * pace.tick / spacing)) + 1;
    const size_t n = yk_station_count(station);

    for (long k = 1; k <= targets; k++) {
        for (size_t i = 0; i < n; i++) {
            before[i] = yk_station_state(station, i).command;
            yk_station_set_target(station, i, RAMP_SPEED * (double)k * spacing, RAMP_SPEED);
        }
        yk_station_move(station, (double)k * spacing);
    }
    for (size_t i = 0; i < n; i++) {
        const struct yk_compensated c = yk_station_compensated(station, i);
        const struct yk_reading now = yk_station_reading(station, i);
        const enum yk_command_kind kind = yk_station_kind(station, i);
        const double reached = kind == YK_BY_FORCE ? now.force : now.displacement,
                     rate = (yk_station_state(station, i).command - before[i]) / spacing,
                     delay = lag_behind_command(station, i, reached, rate);
        const bool adapts = (c.adapts || isfinite(c.estimated_s)) && !yk_command_is_rate(kind) && isfinite(delay);
        const double late = adapts ? delay - lead[i] : (double)targets * spacing - reached / RAMP_SPEED;

        if (isfinite(late) && !(fabs(late) <= fabs(out->late_s))) {
            out->actuator = i;
            out->late_s = late;
            out->lead_s = lead[i];
            out->adapts = adapts;
        }
    }
}

static void find_latest(const struct yk_model *model, struct yk_margin *out)
{
    const size_t n = yk_station_count(model->station);
    double *x = calloc(3 * n, sizeof *x);
    struct yk_state m;

    out->late_s = NAN;
    if (x && !yk_loop_motion(model, NULL, 0, &m, NULL)) {
        for (size_t i = 0; i < n; i++)
            x[n + i] = yk_station_compensated(m.station, i).lead_s;
        if (!yk_station_rest(m.station, x, NULL))
            ramp(m.station, x + n, x + 2 * n, out);
        yk_state_close(&m);
    }
    free(x);
}

/* By states of the model on the rig if its matrices are those without the rig, else by a model without the rig. */
static enum yk_status judge_model(struct loop *l, struct yk_err *err)
{
    enum yk_status st;

    l->effort.imagined = is_as_estimated(l->rig, l->model);
    if (!l->effort.imagined && !l->model->first && (st = yk_model_prepare(l->model, 0, err)))
        return st;
    st = decay_of(l->effort.imagined ? l->rig : l->model, &l->effort, 0, &l->out->decay_model, err);
    l->effort.imagined = false;
    return st;
}

/* All of `out`, in one way. The model comes first where a short vibration of the rig is compared with it. */
static enum yk_status judge(struct loop *l, bool compare, struct yk_err *err)
{
    struct yk_margin *out = l->out;
    struct effort *effort = &l->effort;
    enum yk_status st;

    out->by_matrix = !effort->how.periods && !effort->steps;
    out->brief = effort->steps > 0;
    out->longest_s = effort->steps ? LONGEST_PART * (double)effort->steps * l->rig->time.step : LONGEST_ADDED;
    effort->how.sign_only = !l->how->margin && !l->how->exact;
    if (effort->steps && compare && (st = judge_model(l, err)))
        return st;
    st = effort->known ? YK_OK : decay_of(l->rig, effort, 0, &out->decay, err);
    out->watched_s = effort->how.watched_s;
    if (st)
        return st;
    out->stable = decays(out->decay, effort);
    out->verdict = out->stable ? YK_LOOP_STABLE : YK_LOOP_UNSTABLE;
    if ((!out->stable || l->how->margin) && !effort->varied)
        find_latest(l->rig, out);
    if (!l->how->margin)
        return YK_OK;
    if (!effort->steps && compare && (st = judge_model(l, err)))
        return st;
    effort->how.sign_only = true;
    if (out->stable)
        return find_margin(l->rig, effort, out, err);
    out->margin_s = out->growth_s = 0;
    out->complete = true;
    return YK_OK;
}

static enum yk_status judge_briefly(struct loop *l, struct yk_err *err)
{
    const bool compare = is_comparable(l->rig, l->model);
    struct yk_motions motions = {0};
    enum yk_status st;

    l->effort.motions = &motions;
    if (!(st = yk_motions_find(&motions, compare ? l->model : l->rig, err)))
        st = judge(l, compare, err);
    yk_motions_free(&motions);
    l->effort.motions = NULL;
    return st;
}

/* Once more, by free vibrations. */
static enum yk_status judge_again(struct loop *l, struct yk_err *err)
{
    enum yk_status st;

    *l->out = UNKNOWN;
    yk_budget_begin(&l->budget, l->how->budget_s);
    yk_delayed_loop_close(l->effort.loop);
    l->effort.loop = NULL;
    l->effort.known = false;
    l->effort.how.periods = YK_MARGIN_PERIODS;
    st = judge(l, false, err);
    l->out->spent_s = yk_budget_used_s(&l->budget);
    return st;
}

/* A model of fewer degrees of freedom, where there is one; c->model is NULL otherwise. */
static enum yk_status condense(struct yk_condensed *c, const struct yk_model *model, const struct yk_judging *how,
                               struct yk_err *err)
{
    *c = (struct yk_condensed){0};
    return how->periods <= 0 && how->modes != YK_IN_FULL && !model->condensed_modes &&
                   model->assembly->system->n > MATRIX_DOFS
               ? yk_condensed_open(c, model, how->modes, how->budget_s, err)
               : YK_OK;
}

static enum yk_status judge_plan(const struct yk_model *model, const struct yk_judging *how, struct yk_margin *out,
                                 struct yk_err *err)
{
    struct yk_virtual_model virtual = {0};
    struct loop l = {.how = how, .out = out};
    enum yk_status st;

    *out = UNKNOWN;
    yk_budget_begin(&l.budget, how->budget_s);
    l.effort = (struct effort){
        .how.budget = &l.budget, .varied = how->varied, .steps = how->periods < 0 ? when_long(model) : 0};
    if (how->varied && l.effort.steps) { /* a short vibration is compared with that of the rig as it was read */
        out->brief = true;
        return YK_OK;
    }
    if ((st = yk_virtual_model_open(&virtual, model, err)))
        return st;
    l.rig = virtual.model;
    if (!(((how->margin && !how->no_model) || l.effort.steps) && (st = vary_models(l.rig, &l.model, err))) &&
        !(st = find_frequency(&l, err)) && !(st = choose_way(&l, err)))
        st = l.effort.steps ? judge_briefly(&l, err) : judge(&l, l.model, err);
    out->spent_s = yk_budget_used_s(&l.budget);
    if (how->simulated)
        *how->simulated = *out;
    if ((!st || st == YK_E_STOPPED) && how->simulated && out->by_matrix) {
        l.out = how->simulated;
        st = judge_again(&l, err);
    }
    yk_delayed_loop_close(l.effort.loop);
    yk_model_close(l.model);
    yk_virtual_model_close(&virtual);
    return st == YK_E_STOPPED ? YK_OK : st;
}

enum yk_status yk_hybrid_judge(const struct yk_model *model, const struct yk_judging *how, struct yk_margin *out,
                               struct yk_err *err)
{
    const char *stage = yk_progress("judging the hybrid loop");
    struct yk_judging own = *how;
    struct yk_condensed c;
    struct yk_budget spent;
    enum yk_status st;

    yk_budget_begin(&spent, 0);
    if (!(st = condense(&c, model, how, err))) {
        const double before = yk_budget_used_s(&spent);

        own.budget_s = how->budget_s > 0 ? fmax(how->budget_s - before, LEAST_BUDGET_S) : 0;
        st = judge_plan(c.model ? c.model : model, &own, out, err);
        out->spent_s += before;
        if (c.model) {
            out->modes = c.modes;
            out->unlike = c.unlike;
        }
    }
    yk_condensed_close(&c);
    yk_progress(stage);
    return st;
}

enum yk_status yk_hybrid_margin(const struct yk_model *model, int periods, struct yk_margin *out, struct yk_err *err)
{
    return yk_hybrid_judge(model, &(struct yk_judging){.periods = periods, .margin = true}, out, err);
}

enum yk_status yk_hybrid_decay(const struct yk_model *model, double *decay, struct yk_err *err)
{
    struct yk_margin out;
    const struct yk_judging how = {.exact = true};
    const enum yk_status st = yk_hybrid_judge(model, &how, &out, err);

    *decay = out.decay;
    return st;
}

/* ---- another rig than the one that was read ---- */

static const struct yk_rig_varied variations[YK_VARIATIONS] = {
    [YK_SOFTER] = {1 - YK_VARIED_BY, 1, 1},
    [YK_STIFFER] = {1 + YK_VARIED_BY, 1, 1},
    [YK_SLOWER] = {1, 1 + YK_VARIED_BY, 1},
    [YK_FASTER] = {1, 1 - YK_VARIED_BY, 1},
};
#define MOST_GAIN 20.0 /* factor on the measured forces: the end of the search */
#define GAIN_STEP 0.02 /* relative: the factor is known so well */

/* Rest of a budget [s]; 0: it is used up. */
static double left_of(const struct yk_judging *how, double spent_s)
{
    return how->budget_s > 0 ? fmax(how->budget_s - spent_s, 0) : 0;
}

/* The loop with the forces times `gain`: false if it was not found within the budget. */
static bool try_gain(const struct yk_model *model, const struct yk_judging *how, double gain, struct yk_robustness *out,
                     enum yk_status *st, struct yk_err *err)
{
    const struct yk_rig_varied varied = {1, 1, gain};
    struct yk_judging one = {.periods = how->periods, .no_model = true, .varied = &varied, .modes = YK_IN_FULL};
    struct yk_margin m;

    one.budget_s = left_of(how, out->spent_s);
    if (how->budget_s > 0 && !(one.budget_s > 0))
        return false;
    if ((*st = yk_hybrid_judge(model, &one, &m, err)) || m.verdict == YK_LOOP_UNDECIDED) {
        out->spent_s += m.spent_s;
        return false;
    }
    out->spent_s += m.spent_s;
    *(m.verdict == YK_LOOP_STABLE ? &out->gain : &out->gain_growth) = gain;
    return true;
}

/* By doubling the factor, then by bisection. */
static enum yk_status find_gain(const struct yk_model *model, const struct yk_judging *how, struct yk_robustness *out,
                                struct yk_err *err)
{
    enum yk_status st = YK_OK;
    bool known = true;

    out->gain = 1;
    out->gain_growth = INFINITY;
    for (double g = 2; known && out->gain_growth == INFINITY && g < MOST_GAIN; g *= 2)
        known = try_gain(model, how, g, out, &st, err);
    while (known && out->gain_growth < INFINITY && out->gain_growth - out->gain > GAIN_STEP * out->gain)
        known = try_gain(model, how, sqrt(out->gain * out->gain_growth), out, &st, err);
    out->gain_complete = known;
    return st;
}

static enum yk_status vary_rig(const struct yk_model *model, const struct yk_judging *how, struct yk_robustness *out,
                               struct yk_err *err)
{
    struct yk_err own = {0};
    enum yk_status st;

    *out = (struct yk_robustness){.gain = NAN, .gain_growth = INFINITY};
    for (int k = 0; k < YK_VARIATIONS; k++) {
        struct yk_judging one = {
            .periods = how->periods, .margin = true, .no_model = true, .varied = &variations[k], .modes = YK_IN_FULL};

        out->of[k] = UNKNOWN;
        one.budget_s = left_of(how, out->spent_s) / (YK_VARIATIONS + 1 - k);
        if (how->budget_s > 0 && !(one.budget_s > 0))
            continue;
        st = yk_hybrid_judge(model, &one, &out->of[k], &own);
        out->spent_s += out->of[k].spent_s;
        out->brief |= out->of[k].brief;
        if (st == YK_E_UNSUPPORTED) {
            out->of[k] = UNKNOWN;
            out->impossible[k] = true;
            snprintf(out->why, sizeof out->why, "%.*s", (int)sizeof out->why - 1, yk_err_line(&own).text);
        } else if (st) {
            if (err)
                *err = own;
            return st;
        }
    }
    return find_gain(model, how, out, err);
}

enum yk_status yk_hybrid_robustness(const struct yk_model *model, const struct yk_judging *how,
                                    struct yk_robustness *out, struct yk_err *err)
{
    const char *stage = yk_progress("judging the loop with other specimens and actuators");
    struct yk_condensed c;
    enum yk_status st;

    if (!(st = condense(&c, model, how, err)))
        st = vary_rig(c.model ? c.model : model, how, out, err);
    yk_condensed_close(&c);
    yk_progress(stage);
    return st;
}
