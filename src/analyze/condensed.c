/* The loop of a large linear structure in a few coordinates, see condensed.h. Units: m, s.
 *
 * Whether the coordinates suffice is not estimated but tried: the actuators of the full loop and of the condensed one
 * are pushed alike, and the commands that follow are compared. A push is as short as motions that the method resolves.
 */
#include "analyze/condensed.h"

#include "analyze/decay.h"
#include "base/progress.h"
#include "linalg/blas.h"

#include <math.h>
#include <stdlib.h>

#define PUSH        1e-5 /* m or rad: small against any limit */
#define PUSH_STEPS  8.0  /* that a push lasts: motions that are shorter are not resolved by the method */
#define SAME        0.01 /* of the largest answer: the loops count as one */
#define BUDGET_PART 0.25 /* for the answer of the full loop */
enum {
    LEAST_TICKS = 8,   /* of a push */
    PERIODS = 2,       /* of the lowest mode, that an answer lasts */
    LEAST_STEPS = 400, /* and at least and at most so long */
    MOST_STEPS = 2000,
};
static const size_t kept[] = {24, 48, 90}; /* numbers of shapes that are tried */

/* A push of all actuators, and the commands that follow. */
struct answer {
    size_t actuators, ticks;
    double *push; /* ticks x actuators */
    double *commands;
    size_t room, made;
    long steps;
};

static void answer_free(struct answer *a)
{
    free(a->push);
    free(a->commands);
    *a = (struct answer){0};
}

/* Each actuator by another amount, so that they do not cancel. */
static bool plan_answer(struct answer *a, const struct yk_model *model)
{
    const double tick = yk_station_pace(model->station).tick;
    bool rigid;
    const double omega = yk_lowest_elastic(model->assembly->system, &rigid), dt = model->time.step,
                 period = omega > 0 ? 2 * M_PI / omega : 0;

    *a = (struct answer){.actuators = yk_station_count(model->station)};
    a->ticks = (size_t)fmax(ceil(PUSH_STEPS * dt / tick), LEAST_TICKS);
    a->steps = lround(fmin(fmax(PERIODS * period / dt, LEAST_STEPS), MOST_STEPS) + (double)a->ticks * tick / dt);
    a->room = (size_t)((double)a->steps * dt / tick + 1) * a->actuators;
    a->push = malloc(a->ticks * a->actuators * sizeof *a->push);
    a->commands = malloc(a->room * sizeof *a->commands);
    if (!a->push || !a->commands)
        return false;
    for (size_t t = 0; t < a->ticks; t++)
        for (size_t i = 0; i < a->actuators; i++)
            a->push[t * a->actuators + i] =
                PUSH * (1 + 0.3 * (double)(i % 3)) * pow(sin(M_PI * (double)(t + 1) / (double)(a->ticks + 1)), 2);
    return true;
}

/* Ends early where the loop diverges or the budget is spent. */
static enum yk_status take_answer(struct answer *a, const struct yk_model *model, struct yk_budget *budget,
                                  struct yk_err *err)
{
    struct yk_delay_probe probe = {
        .push = a->push, .pushes = a->ticks * a->actuators, .commands = a->commands, .room = a->room};
    struct yk_state m;
    double *zero;
    enum yk_status st = yk_loop_motion(model, NULL, 0, &m, err);

    if (st)
        return st;
    if (!(zero = yk_doubles(m.assembly->system->n)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else
        st = yk_state_start_from(&m, zero, zero);
    yk_station_probe(m.station, &probe);
    for (long i = 0; i < a->steps && !st; i++)
        st = yk_decay_step(&m, budget);
    yk_station_probe(m.station, NULL);
    a->made = probe.made < a->room ? probe.made : a->room;
    free(zero);
    yk_state_close(&m);
    return st == YK_E_STOPPED || st == YK_E_DIVERGED ? YK_OK : st;
}

/* Infinite if one of them ended before the push did, and as long again. */
static double compare(const struct answer *full, const struct answer *few)
{
    const size_t made = full->made < few->made ? full->made : few->made;
    double worst = 0, most = 0;

    if (made < 2 * full->ticks * full->actuators)
        return INFINITY;
    for (size_t i = 0; i < made; i++) {
        worst = fmax(worst, fabs(full->commands[i] - few->commands[i]));
        most = fmax(most, fabs(full->commands[i]));
    }
    return most > 0 ? worst / most : INFINITY;
}

void yk_condensed_close(struct yk_condensed *c)
{
    yk_model_close(c->model);
    *c = (struct yk_condensed){0};
}

static enum yk_status make(struct yk_condensed *c, const struct yk_model *model, size_t modes, struct yk_err *err)
{
    enum yk_status st;

    *c = (struct yk_condensed){.modes = modes, .unlike = NAN};
    if (!(st = yk_model_condense(model, modes, &c->model, err)))
        st = yk_model_prepare(c->model, 0, err);
    if (st)
        yk_condensed_close(c);
    return st;
}

/* With the answer of the full loop, which is taken the first time. */
static enum yk_status try(struct yk_condensed *c, const struct yk_model *full, struct answer *known,
                          struct yk_budget *budget, struct yk_err *err)
{
    struct answer few;
    enum yk_status st = YK_OK;

    if (!known->push && !plan_answer(known, c->model))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (known->made == 0 && (st = take_answer(known, full, budget, err)))
        return st;
    few = *known;
    if (!(few.commands = malloc(few.room * sizeof *few.commands)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!(st = take_answer(&few, c->model, NULL, err)))
        c->unlike = compare(known, &few);
    free(few.commands);
    return st;
}

static enum yk_status find(struct yk_condensed *c, const struct yk_model *model, double budget_s, struct yk_err *err)
{
    struct yk_virtual_model virtual;
    struct yk_budget budget;
    struct answer full = {0};
    enum yk_status st = yk_virtual_model_open(&virtual, model, err);

    if (st)
        return st;
    yk_budget_begin(&budget, BUDGET_PART * budget_s);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        if ((st = make(c, model, kept[i], err)) || (st = try(c, virtual.model, &full, &budget, err)) ||
            c->unlike <= SAME)
            break;
        yk_condensed_close(c);
    }
    answer_free(&full);
    yk_virtual_model_close(&virtual);
    return st;
}

enum yk_status yk_condensed_open(struct yk_condensed *c, const struct yk_model *model, size_t modes, double budget_s,
                                 struct yk_err *err)
{
    const char *stage = yk_progress("condensing the hybrid loop");
    struct yk_err reason = {0};
    enum yk_status st;

    *c = (struct yk_condensed){0};
    if ((st = modes ? make(c, model, modes, &reason) : find(c, model, budget_s, &reason)))
        yk_condensed_close(c);
    yk_progress(stage);
    if (st == YK_E_MEMORY && err)
        *err = reason;
    return st == YK_E_MEMORY ? st : YK_OK;
}
