/* FMI 2.0. */
#include "fmi/calls.h"
#include "fmi/description.h"
#include <yoke/fmi2.h>

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct functions {
#define FUNCTION(result, name, arguments) result(*name) arguments;
    FMI2_COMMON(FUNCTION)
    FMI2_CO_SIMULATION(FUNCTION)
    FMI2_MODEL_EXCHANGE(FUNCTION)
#undef FUNCTION
    fmi2CallbackFunctions callbacks; /* some FMUs keep the address */
};

#define CALL(c, name, ...)                                                                                             \
    (yk_fmu_enter((c), "fmi2" #name), (int)((struct functions *)(c)->functions)->name(__VA_ARGS__))

static void logger(fmi2ComponentEnvironment self, fmi2String instance, fmi2Status status, fmi2String category,
                   fmi2String message, ...)
{
    char text[YK_FMU_TEXT];
    va_list arguments;

    va_start(arguments, message);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    vsnprintf(text, sizeof text, message ? message : "", arguments); // NOLINT: the standard hands over a format
#pragma GCC diagnostic pop
    va_end(arguments);
    if (self)
        yk_fmu_log(self, (int)status, text);
}

/* POSIX has no other way to turn an object pointer into a function pointer. */
#define LOOK_UP(result, name, arguments)                                                                               \
    if (!(*(void **)&f->name = dlsym(c->object, "fmi2" #name)) && yk_fmu_needs(c->job, #name))                         \
        return "fmi2" #name;

static const char *look_up(struct yk_fmu_callee *c, struct functions *f)
{
    FMI2_COMMON(LOOK_UP)
    if (c->job->interface == YK_FMU_COSIMULATION) {
        FMI2_CO_SIMULATION(LOOK_UP)
    } else {
        FMI2_MODEL_EXCHANGE(LOOK_UP)
    }
    return NULL;
}

static const char *load(struct yk_fmu_callee *c, struct yk_err *err)
{
    struct functions *f = c->functions = calloc(1, sizeof *f);
    const char *missing, *platform;

    if (!f)
        return "memory";
    if ((missing = look_up(c, f)))
        return missing;
    f->callbacks = (fmi2CallbackFunctions){logger, calloc, free, NULL, c};
    yk_fmu_enter(c, "fmi2GetTypesPlatform");
    platform = f->GetTypesPlatform();
    if (!platform || strcmp(platform, "default") != 0) {
        yk_fail(err, YK_E_UNSUPPORTED, "the shared object has other types than this platform (fmi2GetTypesPlatform)");
        return "";
    }
    return NULL;
}

/* A path as a URI: other than unreserved characters become %XX. */
static void write_uri(const char *path, char *uri, size_t size)
{
    static const char *const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    size_t n = (size_t)snprintf(uri, size, "file://");

    for (; *path && n + 4 < size; path++)
        if (strchr(plain, *path))
            uri[n++] = *path;
        else
            n += (size_t)snprintf(uri + n, size - n, "%%%02X", (unsigned char)*path);
    uri[n] = 0;
}

static bool create(struct yk_fmu_callee *c)
{
    struct functions *f = c->functions;
    char uri[2400];

    write_uri(c->job->resources, uri, sizeof uri);
    yk_fmu_enter(c, "fmi2Instantiate");
    c->component =
        f->Instantiate(c->job->name, c->job->interface == YK_FMU_EXCHANGE ? fmi2ModelExchange : fmi2CoSimulation,
                       c->job->token, uri, &f->callbacks, 0, 0);
    return c->component != NULL;
}

static int enter_initialization(struct yk_fmu_callee *c)
{
    const struct yk_fmu_job *j = c->job;
    const int st = CALL(c, SetupExperiment, c->component, !isnan(j->tolerance), isnan(j->tolerance) ? 0 : j->tolerance,
                        j->start, !isnan(j->stop), isnan(j->stop) ? 0 : j->stop);

    return st > fmi2Warning ? st : CALL(c, EnterInitializationMode, c->component);
}

static int reals(struct yk_fmu_callee *c, bool set, const uint32_t *vr, size_t n, double *x)
{
    return set ? CALL(c, SetReal, c->component, vr, n, x) : CALL(c, GetReal, c->component, vr, n, x);
}

static int other(struct yk_fmu_callee *c, bool set, const struct yk_fmu_port *p, double *x)
{
    int value = set ? (int)lrint(*x) : 0, st;

    if (p->type == YK_FMU_REAL)
        return reals(c, set, &p->vr, 1, x);
    if (p->type == YK_FMU_BOOLEAN) {
        value = set ? *x != 0 : 0;
        st = set ? CALL(c, SetBoolean, c->component, &p->vr, 1, &value)
                 : CALL(c, GetBoolean, c->component, &p->vr, 1, &value);
    } else {
        st = set ? CALL(c, SetInteger, c->component, &p->vr, 1, &value)
                 : CALL(c, GetInteger, c->component, &p->vr, 1, &value);
    }
    *x = value;
    return st;
}

static int save(struct yk_fmu_callee *c, void **state)
{
    return CALL(c, GetFMUstate, c->component, state);
}

static int restore(struct yk_fmu_callee *c, void *state)
{
    return CALL(c, SetFMUstate, c->component, state);
}

static void forget(struct yk_fmu_callee *c, void **state)
{
    (void)CALL(c, FreeFMUstate, c->component, state);
}

static int derive(struct yk_fmu_callee *c, const uint32_t *out, size_t n, uint32_t in, double *d)
{
    return !((struct functions *)c->functions)->GetDirectionalDerivative
               ? fmi2Error
               : CALL(c, GetDirectionalDerivative, c->component, out, n, &in, 1, &(double){1}, d);
}

/* The value of the beginning and the slope. */
static int line(struct yk_fmu_callee *c, double t, double h, const double *begin, const double *end)
{
    const struct yk_fmu_job *j = c->job;
    int worst = fmi2OK;

    for (size_t i = 0; i < j->inputs; i++) {
        const struct yk_fmu_port *p = &j->input[i];
        const double slope = (end[i] - begin[i]) / h / p->factor;
        double x = (begin[i] - p->offset) / p->factor;
        int st;

        if (p->absent)
            continue;
        st = reals(c, true, &p->vr, 1, &x);
        worst = st > worst ? st : worst;
        st = CALL(c, SetRealInputDerivatives, c->component, &p->vr, 1, &(fmi2Integer){1}, &slope);
        worst = st > worst ? st : worst;
    }
    return worst;
}

static int step(struct yk_fmu_callee *c, double t, double h)
{
    const struct functions *f = c->functions;
    fmi2Boolean terminated = 0;
    const int st = CALL(c, DoStep, c->component, t, h, 0);

    if (st == fmi2Discard && f->GetBooleanStatus &&
        CALL(c, GetBooleanStatus, c->component, fmi2Terminated, &terminated) == fmi2OK && terminated) {
        c->wants_end = true;
        if (!f->GetRealStatus ||
            CALL(c, GetRealStatus, c->component, fmi2LastSuccessfulTime, &c->reached) > fmi2Warning)
            c->reached = NAN;
    }
    return st;
}

/* ---- model exchange ---- */

static int derivatives(struct yk_fmu_callee *c, double *dz)
{
    return c->job->states ? CALL(c, GetDerivatives, c->component, dz, c->job->states) : fmi2OK;
}

static int completed(struct yk_fmu_callee *c, bool *event)
{
    fmi2Boolean enter = 0, end = 0;
    const int st = c->job->completes ? CALL(c, CompletedIntegratorStep, c->component, 0, &enter, &end) : fmi2OK;

    c->wants_end |= end != 0;
    *event = enter != 0;
    return st;
}

static int event(struct yk_fmu_callee *c, bool *states_changed, double *next)
{
    enum { MOST = 100 };
    fmi2EventInfo info = {.newDiscreteStatesNeeded = 1};
    int st = fmi2OK;

    *states_changed = false;
    for (int i = 0; st <= fmi2Warning && info.newDiscreteStatesNeeded; i++) {
        if (i == MOST)
            return fmi2Error;
        st = CALL(c, NewDiscreteStates, c->component, &info);
        *states_changed |= info.valuesOfContinuousStatesChanged != 0;
        c->wants_end |= info.terminateSimulation != 0;
    }
    *next = info.nextEventTimeDefined ? info.nextEventTime : INFINITY;
    return st > fmi2Warning ? st : CALL(c, EnterContinuousTimeMode, c->component);
}

#define FMI_VERSION "2"
#define FMI_CALLS   yk_fmu_calls2
#include "fmi/alike.h"
