/* The functions of FMI 3.0, co-simulation, around an experiment. The standard asks for all of its functions; those that
 * an experiment has no use for return an error. */
#include "instance.h"
#include <yoke/fmi3.h>

#include <stdlib.h>

#define FUNCTION(result, name, arguments) __attribute__((visibility("default"))) result fmi3##name arguments;
FMI3_USED(FUNCTION)
FMI3_EXCHANGE(FUNCTION)
FMI3_UNUSED(FUNCTION)

struct instance {
    struct yk_exported *w;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
};

static void forward(void *self, int status, const char *category, const char *text)
{
    struct instance *i = self;

    if (i->log)
        i->log(i->environment, (fmi3Status)status, category, text);
}

const char *fmi3GetVersion(void)
{
    return "3.0";
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference vr[], size_t n, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    struct instance *i = calloc(1, sizeof *i);

    if (!i)
        return NULL;
    i->environment = environment;
    i->log = log;
    if ((i->w = yk_exported_open(resources, token, forward, i)))
        return i;
    free(i);
    return NULL;
}

void fmi3FreeInstance(fmi3Instance c)
{
    struct instance *i = c;

    if (i)
        yk_exported_close(i->w);
    free(i);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean with_tolerance, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean with_stop, fmi3Float64 stop)
{
    return (fmi3Status)yk_exported_start(((struct instance *)c)->w, start);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    return (fmi3Status)yk_exported_ready(((struct instance *)c)->w);
}

fmi3Status fmi3Terminate(fmi3Instance c)
{
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance c)
{
    return (fmi3Status)yk_exported_reset(((struct instance *)c)->w);
}

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 x[], size_t m)
{
    return m == n ? (fmi3Status)yk_exported_get(((struct instance *)c)->w, vr, n, x) : fmi3Error;
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 x[], size_t m)
{
    return m == n ? (fmi3Status)yk_exported_set(((struct instance *)c)->w, vr, n, x) : fmi3Error;
}

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    return (fmi3Status)yk_exported_save(((struct instance *)c)->w, (struct yk_exported_state **)state);
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    return (fmi3Status)yk_exported_restore(((struct instance *)c)->w, state);
}

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    yk_exported_forget(*state);
    *state = NULL;
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    *size = yk_exported_state_size(((struct instance *)c)->w, state);
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    return (fmi3Status)yk_exported_state_write(((struct instance *)c)->w, state, bytes, size);
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    return (fmi3Status)yk_exported_state_read(((struct instance *)c)->w, bytes, size,
                                              (struct yk_exported_state **)state);
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_return, fmi3Boolean *event,
                      fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *last)
{
    bool ended = false;
    const int st = yk_exported_step(((struct instance *)c)->w, t, h, &ended, last);

    *event = *early = false;
    *end = ended;
    return ended ? fmi3OK : (fmi3Status)st;
}

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[])
{
    return fmi3OK;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    return NULL;
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock)
{
    return NULL;
}

/* ---- what an experiment has no use for ---- */

#define NONE_OF(type)                                                                                                  \
    fmi3Status fmi3Get##type(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3##type x[], size_t m)        \
    {                                                                                                                  \
        return n ? fmi3Error : fmi3OK;                                                                                 \
    }                                                                                                                  \
    fmi3Status fmi3Set##type(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3##type x[], size_t m)  \
    {                                                                                                                  \
        return n ? fmi3Error : fmi3OK;                                                                                 \
    }
NONE_OF(Float32)
NONE_OF(Int8)
NONE_OF(UInt8)
NONE_OF(Int16)
NONE_OF(UInt16)
NONE_OF(Int32)
NONE_OF(UInt32)
NONE_OF(Int64)
NONE_OF(UInt64)
NONE_OF(Boolean)
NONE_OF(String)

#define NONE(name, ...)                                                                                                \
    fmi3Status fmi3##name(fmi3Instance c, __VA_ARGS__)                                                                 \
    {                                                                                                                  \
        return fmi3Error;                                                                                              \
    }
#define NOTHING(name)                                                                                                  \
    fmi3Status fmi3##name(fmi3Instance c)                                                                              \
    {                                                                                                                  \
        return fmi3Error;                                                                                              \
    }
#define VR const fmi3ValueReference vr[], size_t n
NONE(GetBinary, VR, size_t sizes[], fmi3Binary x[], size_t m)
NONE(SetBinary, VR, const size_t sizes[], const fmi3Binary x[], size_t m)
NONE(GetClock, VR, fmi3Clock x[])
NONE(SetClock, VR, const fmi3Clock x[])
NONE(GetNumberOfVariableDependencies, fmi3ValueReference vr, size_t *n)
NONE(GetVariableDependencies, fmi3ValueReference vr, size_t at[], fmi3ValueReference on[], size_t of[],
     fmi3DependencyKind kinds[], size_t n)
NONE(GetDirectionalDerivative, VR, const fmi3ValueReference on[], size_t m, const fmi3Float64 seed[], size_t s,
     fmi3Float64 x[], size_t k)
NONE(GetAdjointDerivative, VR, const fmi3ValueReference on[], size_t m, const fmi3Float64 seed[], size_t s,
     fmi3Float64 x[], size_t k)
NONE(GetIntervalDecimal, VR, fmi3Float64 x[], fmi3IntervalQualifier q[])
NONE(GetIntervalFraction, VR, fmi3UInt64 x[], fmi3UInt64 y[], fmi3IntervalQualifier q[])
NONE(GetShiftDecimal, VR, fmi3Float64 x[])
NONE(GetShiftFraction, VR, fmi3UInt64 x[], fmi3UInt64 y[])
NONE(SetIntervalDecimal, VR, const fmi3Float64 x[])
NONE(SetIntervalFraction, VR, const fmi3UInt64 x[], const fmi3UInt64 y[])
NONE(SetShiftDecimal, VR, const fmi3Float64 x[])
NONE(SetShiftFraction, VR, const fmi3UInt64 x[], const fmi3UInt64 y[])
NONE(UpdateDiscreteStates, fmi3Boolean *a, fmi3Boolean *b, fmi3Boolean *d, fmi3Boolean *e, fmi3Boolean *f,
     fmi3Float64 *t)
NONE(CompletedIntegratorStep, fmi3Boolean a, fmi3Boolean *event, fmi3Boolean *end)
NONE(SetTime, fmi3Float64 t)
NONE(SetContinuousStates, const fmi3Float64 x[], size_t n)
NONE(GetContinuousStateDerivatives, fmi3Float64 x[], size_t n)
NONE(GetEventIndicators, fmi3Float64 x[], size_t n)
NONE(GetContinuousStates, fmi3Float64 x[], size_t n)
NONE(GetNominalsOfContinuousStates, fmi3Float64 x[], size_t n)
NONE(GetNumberOfEventIndicators, size_t *n)
NONE(GetNumberOfContinuousStates, size_t *n)
NONE(GetOutputDerivatives, VR, const fmi3Int32 orders[], fmi3Float64 x[], size_t m)
NONE(ActivateModelPartition, fmi3ValueReference clock, fmi3Float64 t)
NOTHING(EnterConfigurationMode)
NOTHING(ExitConfigurationMode)
NOTHING(EnterEventMode)
NOTHING(EnterStepMode)
NOTHING(EvaluateDiscreteStates)
NOTHING(EnterContinuousTimeMode)
