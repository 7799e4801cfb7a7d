/* The functions of FMI 2.0, co-simulation, around an experiment. */
#include "instance.h"
#include <yoke/fmi2.h>

#include <stdlib.h>

#define FUNCTION(result, name, arguments) __attribute__((visibility("default"))) result fmi2##name arguments;
FMI2_COMMON(FUNCTION)
FMI2_CO_SIMULATION(FUNCTION)

struct instance {
    struct yk_exported *w;
    fmi2CallbackFunctions callbacks;
    char name[128];
    double start, last;
    bool ended;
};

static void forward(void *self, int status, const char *category, const char *text)
{
    struct instance *i = self;

    if (i->callbacks.logger)
        i->callbacks.logger(i->callbacks.componentEnvironment, i->name, (fmi2Status)status, category, "%s", text);
}

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
    struct instance *i = calloc(1, sizeof *i);

    if (!i)
        return NULL;
    if (callbacks)
        i->callbacks = *callbacks;
    for (size_t k = 0; name && name[k] && k < sizeof i->name - 1; k++)
        i->name[k] = name[k];
    if (type == fmi2CoSimulation && (i->w = yk_exported_open(resources, guid, forward, i)))
        return i;
    if (type != fmi2CoSimulation)
        forward(i, fmi2Error, "logStatusError", "this FMU is for co-simulation");
    free(i);
    return NULL;
}

void fmi2FreeInstance(fmi2Component c)
{
    struct instance *i = c;

    if (i)
        yk_exported_close(i->w);
    free(i);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean with_tolerance, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean with_stop, fmi2Real stop)
{
    ((struct instance *)c)->start = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    struct instance *i = c;

    return (fmi2Status)yk_exported_start(i->w, i->last = i->start);
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    return (fmi2Status)yk_exported_ready(((struct instance *)c)->w);
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    return (fmi2Status)yk_exported_reset(((struct instance *)c)->w);
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real x[])
{
    return (fmi2Status)yk_exported_get(((struct instance *)c)->w, vr, n, x);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real x[])
{
    return (fmi2Status)yk_exported_set(((struct instance *)c)->w, vr, n, x);
}

/* There are no variables of other types. */
#define NONE(name, type, modifier)                                                                                     \
    fmi2Status fmi2##name(fmi2Component c, const fmi2ValueReference vr[], size_t n, modifier type x[])                 \
    {                                                                                                                  \
        return n ? fmi2Error : fmi2OK;                                                                                 \
    }
NONE(GetInteger, fmi2Integer, )
NONE(GetBoolean, fmi2Boolean, )
NONE(GetString, fmi2String, )
NONE(SetInteger, fmi2Integer, const)
NONE(SetBoolean, fmi2Boolean, const)
NONE(SetString, fmi2String, const)

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    return (fmi2Status)yk_exported_save(((struct instance *)c)->w, (struct yk_exported_state **)state);
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    return (fmi2Status)yk_exported_restore(((struct instance *)c)->w, state);
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    yk_exported_forget(*state);
    *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    *size = yk_exported_state_size(((struct instance *)c)->w, state);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    return (fmi2Status)yk_exported_state_write(((struct instance *)c)->w, state, bytes, size);
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    return (fmi2Status)yk_exported_state_read(((struct instance *)c)->w, bytes, size,
                                              (struct yk_exported_state **)state);
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t n,
                                        const fmi2ValueReference known[], size_t m, const fmi2Real seed[],
                                        fmi2Real out[])
{
    return fmi2Error;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real x[])
{
    return fmi2Error;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real x[])
{
    return fmi2Error;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_return)
{
    struct instance *i = c;

    return (fmi2Status)yk_exported_step(i->w, t, h, &i->ended, &i->last);
}

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
    *x = ((struct instance *)c)->last;
    return kind == fmi2LastSuccessfulTime ? fmi2OK : fmi2Discard;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *x)
{
    return fmi2Discard;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *x)
{
    *x = ((struct instance *)c)->ended;
    return kind == fmi2Terminated ? fmi2OK : fmi2Discard;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *x)
{
    return fmi2Discard;
}
