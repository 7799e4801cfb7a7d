/* An FMU of FMI 3.0, model exchange only: x' = -k x + s for the two states of an array, y = x. The input s is discrete:
 * it may be set in event mode only. An indicator passes zero where x[1] = 1.5; then x[2] becomes 7. At the first step
 * that ends at 2 s or later it asks to stop. */
#include <yoke/fmi3.h>

#include <stdlib.h>

enum { X = 1, DX, Y, K, S, Z };

struct decay {
    double x[2], k, s, t;
    bool at_event, jumped;
};

#define FUNCTION(result, name, arguments) __attribute__((visibility("default"))) result fmi3##name arguments;
FMI3_USED(FUNCTION)
FMI3_EXCHANGE(FUNCTION)

const char *fmi3GetVersion(void)
{
    return "3.0";
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    struct decay *d = calloc(1, sizeof *d);

    if (d) {
        d->x[0] = 1;
        d->x[1] = 2;
        d->k = 1;
        d->at_event = true;
    }
    return d;
}

void fmi3FreeInstance(fmi3Instance self)
{
    free(self);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance self, fmi3Boolean with, fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean stops, fmi3Float64 stop)
{
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance self)
{
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance self)
{
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance self, const fmi3ValueReference vr[], size_t n, fmi3Float64 x[], size_t count)
{
    const struct decay *d = self;

    for (size_t i = 0, at = 0; i < n; i++)
        if (vr[i] == Y || vr[i] == X) {
            x[at++] = d->x[0];
            x[at++] = d->x[1];
        } else {
            x[at++] = vr[i] == K ? d->k : d->s;
        }
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance self, const fmi3ValueReference vr[], size_t n, const fmi3Float64 x[],
                          size_t count)
{
    struct decay *d = self;

    for (size_t i = 0; i < n; i++)
        if (vr[i] == K)
            d->k = x[i];
        else if (vr[i] == S && d->at_event)
            d->s = x[i];
        else
            return fmi3Error;
    return fmi3OK;
}

fmi3Status fmi3EnterEventMode(fmi3Instance self)
{
    ((struct decay *)self)->at_event = true;
    return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance self, fmi3Boolean *again, fmi3Boolean *end, fmi3Boolean *nominals,
                                    fmi3Boolean *values, fmi3Boolean *timed, fmi3Float64 *next)
{
    struct decay *d = self;

    *values = !d->jumped && d->x[0] > 1.5;
    if (*values) {
        d->jumped = true;
        d->x[1] = 7;
    }
    *again = *end = *nominals = *timed = false;
    return fmi3OK;
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance self)
{
    ((struct decay *)self)->at_event = false;
    return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance self, fmi3Boolean no_return, fmi3Boolean *event, fmi3Boolean *end)
{
    *event = false;
    *end = ((struct decay *)self)->t > 2 - 1e-9;
    return fmi3OK;
}

fmi3Status fmi3SetTime(fmi3Instance self, fmi3Float64 t)
{
    ((struct decay *)self)->t = t;
    return fmi3OK;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance self, const fmi3Float64 x[], size_t n)
{
    struct decay *d = self;

    d->x[0] = x[0];
    d->x[1] = x[1];
    return n == 2 ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetContinuousStates(fmi3Instance self, fmi3Float64 x[], size_t n)
{
    const struct decay *d = self;

    x[0] = d->x[0];
    x[1] = d->x[1];
    return n == 2 ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance self, fmi3Float64 dx[], size_t n)
{
    const struct decay *d = self;

    dx[0] = -d->k * d->x[0] + d->s;
    dx[1] = -d->k * d->x[1] + d->s;
    return n == 2 ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetEventIndicators(fmi3Instance self, fmi3Float64 z[], size_t n)
{
    z[0] = ((struct decay *)self)->x[0] - 1.5;
    return n == 1 ? fmi3OK : fmi3Error;
}

/* ---- not called for this one, but looked up ---- */

#define ACCESS(type)                                                                                                   \
    fmi3Status fmi3Get##type(fmi3Instance self, const fmi3ValueReference vr[], size_t n, fmi3##type x[], size_t count) \
    {                                                                                                                  \
        return fmi3Error;                                                                                              \
    }                                                                                                                  \
    fmi3Status fmi3Set##type(fmi3Instance self, const fmi3ValueReference vr[], size_t n, const fmi3##type x[],         \
                             size_t count)                                                                             \
    {                                                                                                                  \
        return fmi3Error;                                                                                              \
    }
ACCESS(Float32)
ACCESS(Int32)
ACCESS(Int64)
ACCESS(UInt64)
ACCESS(Boolean)
