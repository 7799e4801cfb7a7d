/* FMI 2.0 around a model. */
#include "model.h"
#include <yoke/fmi2.h>

#include <stdlib.h>
#include <string.h>

struct instance {
    struct model m;
    fmi2CallbackFunctions callbacks;
    fmi2Type type;
};

#define FUNCTION(result, name, arguments) __attribute__((visibility("default"))) result fmi2##name arguments;
FMI2_COMMON(FUNCTION)
FMI2_CO_SIMULATION(FUNCTION)
FMI2_MODEL_EXCHANGE(FUNCTION)

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    return fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    struct instance *i;

    if (model_behaviour.token && strcmp(guid, model_behaviour.token) != 0) {
        callbacks->logger(callbacks->componentEnvironment, name, fmi2Error, "logStatusError",
                          "%s is not my guid (100%%)", guid);
        return NULL;
    }
    if (strncmp(resources, "file:///", 8) != 0 || !(i = callbacks->allocateMemory(1, sizeof *i)))
        return NULL;
    i->callbacks = *callbacks;
    i->type = type;
    model_behaviour.start(&i->m);
    return i;
}

void fmi2FreeInstance(fmi2Component c)
{
    struct instance *i = c;

    i->callbacks.freeMemory(i);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean with_tolerance, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean with_stop, fmi2Real stop)
{
    ((struct instance *)c)->m.t = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    struct instance *i = c;

    model_behaviour.evaluate(&i->m);
    i->m.initialized = true;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    struct instance *i = c;

    memset(&i->m, 0, sizeof i->m);
    model_behaviour.start(&i->m);
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real x[])
{
    struct instance *i = c;

    if (!i->m.initialized || i->type == fmi2ModelExchange) /* in co-simulation only a step computes */
        model_behaviour.evaluate(&i->m);
    for (size_t k = 0; k < n; k++)
        x[k] = i->m.x[vr[k]];
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real x[])
{
    struct instance *i = c;

    for (size_t k = 0; k < n; k++) {
        i->m.x[vr[k]] = x[k];
        i->m.slope[vr[k]] = 0;
    }
    return fmi2OK;
}

#define NOTHING(name, type, modifier)                                                                                  \
    fmi2Status fmi2##name(fmi2Component c, const fmi2ValueReference vr[], size_t n, modifier type x[])                 \
    {                                                                                                                  \
        return fmi2Error;                                                                                              \
    }
NOTHING(GetInteger, fmi2Integer, )
NOTHING(GetBoolean, fmi2Boolean, )
NOTHING(GetString, fmi2String, )
NOTHING(SetInteger, fmi2Integer, const)
NOTHING(SetBoolean, fmi2Boolean, const)
NOTHING(SetString, fmi2String, const)

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    struct instance *i = c;

    if (!*state && !(*state = malloc(sizeof i->m)))
        return fmi2Error;
    memcpy(*state, &i->m, sizeof i->m);
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    struct instance *i = c;

    if (!model_behaviour.saves_nothing)
        memcpy(&i->m, state, sizeof i->m);
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    free(*state);
    *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    return fmi2Error;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    return fmi2Error;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    return fmi2Error;
}

/* By differences of what is linear: exact. */
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t n,
                                        const fmi2ValueReference known[], size_t m, const fmi2Real seed[],
                                        fmi2Real out[])
{
    struct instance *i = c;
    struct model low = i->m, high = i->m;

    for (size_t k = 0; k < m; k++) {
        low.x[known[k]] -= seed[k];
        high.x[known[k]] += seed[k];
    }
    model_behaviour.evaluate(&low);
    model_behaviour.evaluate(&high);
    for (size_t k = 0; k < n; k++)
        out[k] = 0.5 * (high.x[unknown[k]] - low.x[unknown[k]]);
    return fmi2OK;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real x[])
{
    for (size_t k = 0; k < n; k++)
        ((struct instance *)c)->m.slope[vr[k]] = x[k];
    return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real x[])
{
    return fmi2Error;
}

#ifndef WITHOUT_DO_STEP
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_return)
{
    struct instance *i = c;

    if (!model_behaviour.step)
        return fmi2Error;
    const fmi2Status st = (fmi2Status)model_behaviour.step(&i->m, t, h);
    i->m.t = t + h;
    return st;
}
#endif

fmi2Status fmi2CancelStep(fmi2Component c)
{
    return fmi2Error;
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *x)
{
    return fmi2Discard;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *x)
{
    return fmi2Discard;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *x)
{
    return fmi2Discard;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *x)
{
    *x = 0;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *x)
{
    return fmi2Discard;
}

/* ---- model exchange ---- */

fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    struct instance *i = c;

    memset(info, 0, sizeof *info);
    if (model_behaviour.event)
        info->valuesOfContinuousStatesChanged = model_behaviour.event(&i->m);
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_return, fmi2Boolean *event, fmi2Boolean *end)
{
    *event = *end = 0;
    return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t)
{
    ((struct instance *)c)->m.t = t;
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n)
{
    for (size_t k = 0; k < n; k++)
        ((struct instance *)c)->m.x[model_behaviour.states[k]] = x[k];
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t n)
{
    struct instance *i = c;

    model_behaviour.evaluate(&i->m);
    for (size_t k = 0; k < n; k++)
        dx[k] = i->m.x[model_behaviour.derivatives[k]];
    return fmi2OK;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real values[], size_t n)
{
    if (model_behaviour.indicators)
        model_behaviour.indicators(&((struct instance *)c)->m, values);
    return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    for (size_t k = 0; k < n; k++)
        x[k] = ((struct instance *)c)->m.x[model_behaviour.states[k]];
    return fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    for (size_t k = 0; k < n; k++)
        x[k] = 1;
    return fmi2OK;
}
