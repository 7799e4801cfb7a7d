/* An FMU of FMI 2.0 (co-simulation) with the functions that its flags need and no others. y follows u with the value
 * that u had at the beginning of the step; at 0.35 s it ends itself. */
#include <yoke/fmi2.h>

#include <stdlib.h>

enum { U = 1, Y };
#define END 0.35

struct ender {
    double u, y;
};

#define FUNCTION __attribute__((visibility("default")))
FUNCTION const char *fmi2GetTypesPlatform(void);
FUNCTION const char *fmi2GetVersion(void);
FUNCTION fmi2Component fmi2Instantiate(fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions *,
                                       fmi2Boolean, fmi2Boolean);
FUNCTION void fmi2FreeInstance(fmi2Component);
FUNCTION fmi2Status fmi2SetupExperiment(fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean, fmi2Real);
FUNCTION fmi2Status fmi2EnterInitializationMode(fmi2Component);
FUNCTION fmi2Status fmi2ExitInitializationMode(fmi2Component);
FUNCTION fmi2Status fmi2Terminate(fmi2Component);
FUNCTION fmi2Status fmi2GetReal(fmi2Component, const fmi2ValueReference[], size_t, fmi2Real[]);
FUNCTION fmi2Status fmi2SetReal(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Real[]);
FUNCTION fmi2Status fmi2GetInteger(fmi2Component, const fmi2ValueReference[], size_t, fmi2Integer[]);
FUNCTION fmi2Status fmi2SetInteger(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Integer[]);
FUNCTION fmi2Status fmi2GetBoolean(fmi2Component, const fmi2ValueReference[], size_t, fmi2Boolean[]);
FUNCTION fmi2Status fmi2SetBoolean(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Boolean[]);
FUNCTION fmi2Status fmi2DoStep(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean);
FUNCTION fmi2Status fmi2GetBooleanStatus(fmi2Component, const fmi2StatusKind, fmi2Boolean *);
FUNCTION fmi2Status fmi2GetRealStatus(fmi2Component, const fmi2StatusKind, fmi2Real *);

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    return calloc(1, sizeof(struct ender));
}

void fmi2FreeInstance(fmi2Component c)
{
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean with, fmi2Real tolerance, fmi2Real start, fmi2Boolean stops,
                               fmi2Real stop)
{
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real x[])
{
    const struct ender *e = c;

    for (size_t i = 0; i < n; i++)
        x[i] = vr[i] == U ? e->u : e->y;
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real x[])
{
    struct ender *e = c;

    for (size_t i = 0; i < n; i++)
        if (vr[i] == U)
            e->u = x[i];
    return fmi2OK;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer x[])
{
    return fmi2Error;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer x[])
{
    return fmi2Error;
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean x[])
{
    return fmi2Error;
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean x[])
{
    return fmi2Error;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_return)
{
    struct ender *e = c;

    e->y = e->u;
    return t + h > END ? fmi2Discard : fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    *value = kind == fmi2Terminated;
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    *value = END;
    return fmi2OK;
}
