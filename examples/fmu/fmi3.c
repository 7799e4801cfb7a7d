/* FMI 3.0 co-simulation around a model. */
#include "model.h"
#include <yoke/fmi3.h>

#include <stdlib.h>
#include <string.h>

struct instance {
    struct model m;
    void *environment;
    fmi3IntermediateUpdateCallback update;
};

#define FUNCTION(result, name, arguments) __attribute__((visibility("default"))) result fmi3##name arguments;
FMI3_USED(FUNCTION)

const char *fmi3GetVersion(void)
{
    return "3.0";
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference vr[], size_t n, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    struct instance *i;

    if (model_behaviour.token && strcmp(token, model_behaviour.token) != 0) {
        log(environment, fmi3Error, NULL, "this is not my token (100%)");
        return NULL;
    }
    if (!(i = calloc(1, sizeof *i)))
        return NULL;
    i->environment = environment;
    i->update = update;
    model_behaviour.start(&i->m);
    return i;
}

void fmi3FreeInstance(fmi3Instance c)
{
    free(c);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean with_tolerance, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean with_stop, fmi3Float64 stop)
{
    ((struct instance *)c)->m.t = start;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    struct instance *i = c;

    model_behaviour.evaluate(&i->m);
    i->m.initialized = true;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance c)
{
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance c)
{
    return fmi3Error;
}

/* Variables of two elements have the value reference of the first. */
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 x[], size_t m)
{
    struct instance *i = c;
    size_t at = 0;

    if (!i->m.initialized)
        model_behaviour.evaluate(&i->m);
    for (size_t k = 0; k < n; k++)
        for (size_t q = 0; q < m / n; q++)
            x[at++] = i->m.x[vr[k] + q];
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 x[], size_t m)
{
    if (n != m)
        return fmi3Error;
    for (size_t k = 0; k < n; k++)
        ((struct instance *)c)->m.x[vr[k]] = x[k];
    return fmi3OK;
}

#define NOTHING(type)                                                                                                  \
    fmi3Status fmi3Get##type(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3##type x[], size_t m)        \
    {                                                                                                                  \
        return fmi3Error;                                                                                              \
    }                                                                                                                  \
    fmi3Status fmi3Set##type(fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3##type x[], size_t m)  \
    {                                                                                                                  \
        return fmi3Error;                                                                                              \
    }
NOTHING(Float32)
NOTHING(Int32)
NOTHING(Int64)
NOTHING(UInt64)
NOTHING(Boolean)

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    struct instance *i = c;

    if (!*state && !(*state = malloc(sizeof i->m)))
        return fmi3Error;
    memcpy(*state, &i->m, sizeof i->m);
    return fmi3OK;
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    memcpy(&((struct instance *)c)->m, state, sizeof(struct model));
    return fmi3OK;
}

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    free(*state);
    *state = NULL;
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    return fmi3Error;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    return fmi3Error;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    return fmi3Error;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknown[], size_t n,
                                        const fmi3ValueReference known[], size_t m, const fmi3Float64 seed[], size_t s,
                                        fmi3Float64 out[], size_t o)
{
    return fmi3Error;
}

/* Ten pieces, with the inputs of the end of each: asked for in between if the importer has them; on a line from the
 * last ones. */
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_return, fmi3Boolean *event,
                      fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *last)
{
    enum { PIECES = 10 };
    struct instance *i = c;

    *event = *end = *early = false;
    for (int k = 0; k < PIECES; k++) {
        double before[MOST_VALUES];

        memcpy(before, i->m.x, sizeof before);
        if (i->update) {
            i->update(i->environment, k + 1 == PIECES ? t + h : t + (k + 1) * h / PIECES, true, false, false, false,
                      early, last);
            for (int q = 0; q < MOST_VALUES; q++) {
                i->m.slope[q] = (i->m.x[q] - before[q]) / (h / PIECES);
                i->m.x[q] = before[q];
            }
        }
        if (model_behaviour.step)
            model_behaviour.step(&i->m, t + k * h / PIECES, h / PIECES);
    }
    *last = t + h;
    return fmi3OK;
}
