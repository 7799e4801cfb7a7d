/* Requests that FMI 2 and FMI 3 answer with functions of the same name and arguments, and the table of all requests:
 * the end of calls2.c and calls3.c, for the CALL and the struct functions of each. Status 0: good, 1: a warning. */
#include "fmi/calls.h"

static void release(struct yk_fmu_callee *c)
{
    yk_fmu_enter(c, "fmi" FMI_VERSION "FreeInstance");
    ((struct functions *)c->functions)->FreeInstance(c->component);
    c->component = NULL;
}

static int exit_initialization(struct yk_fmu_callee *c)
{
    return CALL(c, ExitInitializationMode, c->component);
}

static int terminate(struct yk_fmu_callee *c)
{
    return CALL(c, Terminate, c->component);
}

static int point(struct yk_fmu_callee *c, double t, const double *z)
{
    const int st = CALL(c, SetTime, c->component, t);

    return st > 1 || !c->job->states ? st : CALL(c, SetContinuousStates, c->component, z, c->job->states);
}

static int states(struct yk_fmu_callee *c, double *z)
{
    return c->job->states ? CALL(c, GetContinuousStates, c->component, z, c->job->states) : 0;
}

static int indicators(struct yk_fmu_callee *c, double *values)
{
    return c->job->indicators ? CALL(c, GetEventIndicators, c->component, values, c->job->indicators) : 0;
}

static int enter_events(struct yk_fmu_callee *c)
{
    return CALL(c, EnterEventMode, c->component);
}

const struct yk_fmu_calls FMI_CALLS = {
    .load = load,
    .create = create,
    .release = release,
    .enter_initialization = enter_initialization,
    .exit_initialization = exit_initialization,
    .terminate = terminate,
    .reals = reals,
    .other = other,
    .save = save,
    .restore = restore,
    .forget = forget,
    .derive = derive,
    .line = line,
    .step = step,
    .point = point,
    .derivatives = derivatives,
    .states = states,
    .indicators = indicators,
    .completed = completed,
    .enter_events = enter_events,
    .event = event,
};
