/* FMI 3.0. */
#include "fmi/calls.h"
#include "fmi/description.h"
#include <yoke/fmi3.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct functions {
#define FUNCTION(result, name, arguments) result(*name) arguments;
    FMI3_USED(FUNCTION)
    FMI3_EXCHANGE(FUNCTION)
#undef FUNCTION
};

#define CALL(c, name, ...)                                                                                             \
    (yk_fmu_enter((c), "fmi3" #name), (int)((struct functions *)(c)->functions)->name(__VA_ARGS__))

static void logger(fmi3InstanceEnvironment self, fmi3Status status, fmi3String category, fmi3String message)
{
    if (self)
        yk_fmu_log(self, (int)status, message ? message : "");
}

static const char *load(struct yk_fmu_callee *c, struct yk_err *err)
{
    struct functions *f = c->functions = calloc(1, sizeof *f);

    if (!f)
        return "memory";
#define FUNCTION(result, name, arguments)                                                                              \
    if (!(*(void **)&f->name = dlsym(c->object, "fmi3" #name)) && yk_fmu_needs(c->job, #name))                         \
        return "fmi3" #name;
    FMI3_USED(FUNCTION)
    if (c->job->interface == YK_FMU_EXCHANGE) {
        FMI3_EXCHANGE(FUNCTION)
    }
#undef FUNCTION
    yk_fmu_enter(c, "fmi3GetVersion");
    if (!f->GetVersion() || strncmp(f->GetVersion(), "3.", 2) != 0) {
        yk_fail(err, YK_E_UNSUPPORTED, "the shared object says that it is not of FMI 3 (fmi3GetVersion)");
        return "";
    }
    return NULL;
}

/* During a step: the inputs at an instant of their line; at its end exactly their values there. */
static void update(fmi3InstanceEnvironment self, fmi3Float64 t, fmi3Boolean set_requested, fmi3Boolean get_allowed,
                   fmi3Boolean step_finished, fmi3Boolean can_return, fmi3Boolean *return_requested,
                   fmi3Float64 *return_time)
{
    struct yk_fmu_callee *c = self;

    if (return_requested)
        *return_requested = false;
    if (!set_requested || !(c->line_h > 0))
        return;
    const double s = fmin(1, fmax(0, (t - c->line_t) / c->line_h));
    for (size_t i = 0; i < c->job->inputs; i++) {
        const struct yk_fmu_port *p = &c->job->input[i];
        const double si = s == 1 ? c->end[i] : c->begin[i] + s * (c->end[i] - c->begin[i]);
        const double x = (si - p->offset) / p->factor;

        if (!p->absent)
            (void)((struct functions *)c->functions)->SetFloat64(c->component, &p->vr, 1, &x, 1);
    }
}

static bool create(struct yk_fmu_callee *c)
{
    struct functions *f = c->functions;
    const struct yk_fmu_job *j = c->job;
    uint32_t vr[YK_FMU_MOST_INPUTS];
    size_t n = 0;
    char resources[800];

    snprintf(resources, sizeof resources, "%s/", j->resources);
    for (size_t i = 0; j->intermediate && i < j->inputs; i++)
        if (!j->input[i].absent)
            vr[n++] = j->input[i].vr;
    if (j->interface == YK_FMU_EXCHANGE) {
        yk_fmu_enter(c, "fmi3InstantiateModelExchange");
        c->component =
            f->InstantiateModelExchange(j->name, j->token, *j->resources ? resources : NULL, false, false, c, logger);
        return c->component != NULL;
    }
    yk_fmu_enter(c, "fmi3InstantiateCoSimulation");
    c->component = f->InstantiateCoSimulation(j->name, j->token, *j->resources ? resources : NULL, false, false, false,
                                              false, vr, n, c, logger, n ? update : NULL);
    return c->component != NULL;
}

static int enter_initialization(struct yk_fmu_callee *c)
{
    const struct yk_fmu_job *j = c->job;

    return CALL(c, EnterInitializationMode, c->component, !isnan(j->tolerance), isnan(j->tolerance) ? 0 : j->tolerance,
                j->start, !isnan(j->stop), isnan(j->stop) ? 0 : j->stop);
}

static int reals(struct yk_fmu_callee *c, bool set, const uint32_t *vr, size_t n, double *x)
{
    return set ? CALL(c, SetFloat64, c->component, vr, n, x, n) : CALL(c, GetFloat64, c->component, vr, n, x, n);
}

/* One element of an array, or a value of another type. */
#define ACCESS(Type, type, from)                                                                                       \
    do {                                                                                                               \
        type *values = calloc(p->size, sizeof *values);                                                                \
                                                                                                                       \
        if (!values)                                                                                                   \
            return fmi3Error;                                                                                          \
        st = set && p->size == 1 ? fmi3OK : CALL(c, Get##Type, c->component, &p->vr, 1, values, p->size);              \
        if (set && st <= fmi3Warning) {                                                                                \
            values[p->element] = (type)(from);                                                                         \
            st = CALL(c, Set##Type, c->component, &p->vr, 1, values, p->size);                                         \
        }                                                                                                              \
        *x = (double)values[p->element];                                                                               \
        free(values);                                                                                                  \
    } while (0)

static int other(struct yk_fmu_callee *c, bool set, const struct yk_fmu_port *p, double *x)
{
    int st = fmi3Error;

    switch (p->type) {
    case YK_FMU_REAL:
        ACCESS(Float64, fmi3Float64, *x);
        break;
    case YK_FMU_FLOAT32:
        ACCESS(Float32, fmi3Float32, *x);
        break;
    case YK_FMU_INTEGER:
        ACCESS(Int32, fmi3Int32, lrint(*x));
        break;
    case YK_FMU_INT64:
        ACCESS(Int64, fmi3Int64, lrint(*x));
        break;
    case YK_FMU_UINT64:
        ACCESS(UInt64, fmi3UInt64, lrint(fmax(0, *x)));
        break;
    case YK_FMU_BOOLEAN:
        ACCESS(Boolean, fmi3Boolean, *x != 0);
        break;
    default:
        break;
    }
    return st;
}

static int save(struct yk_fmu_callee *c, void **state)
{
    return CALL(c, GetFMUState, c->component, state);
}

static int restore(struct yk_fmu_callee *c, void *state)
{
    return CALL(c, SetFMUState, c->component, state);
}

static void forget(struct yk_fmu_callee *c, void **state)
{
    (void)CALL(c, FreeFMUState, c->component, state);
}

static int derive(struct yk_fmu_callee *c, const uint32_t *out, size_t n, uint32_t in, double *d)
{
    return !((struct functions *)c->functions)->GetDirectionalDerivative
               ? fmi3Error
               : CALL(c, GetDirectionalDerivative, c->component, out, n, &in, 1, &(double){1}, 1, d, n);
}

static int line(struct yk_fmu_callee *c, double t, double h, const double *begin, const double *end)
{
    c->begin = begin;
    c->end = end;
    c->line_t = t;
    c->line_h = h;
    update(c, t, true, false, false, false, NULL, NULL);
    return fmi3OK;
}

static int step(struct yk_fmu_callee *c, double t, double h)
{
    fmi3Boolean event = false, end = false, early = false;
    fmi3Float64 last = t + h;
    const int st = CALL(c, DoStep, c->component, t, h, false, &event, &end, &early, &last);

    c->line_h = 0;
    c->wants_end |= end;
    c->reached = end ? last : NAN;
    return st <= fmi3Warning && early && !end ? fmi3Error : st;
}

/* ---- model exchange ---- */

static int derivatives(struct yk_fmu_callee *c, double *dz)
{
    return c->job->states ? CALL(c, GetContinuousStateDerivatives, c->component, dz, c->job->states) : fmi3OK;
}

static int completed(struct yk_fmu_callee *c, bool *event)
{
    bool end = false;

    *event = false;
    const int st = c->job->completes ? CALL(c, CompletedIntegratorStep, c->component, false, event, &end) : fmi3OK;
    c->wants_end |= end;
    return st;
}

static int event(struct yk_fmu_callee *c, bool *states_changed, double *next)
{
    enum { MOST = 100 };
    bool again = true, end = false, nominals, changed, timed = false;
    int st = fmi3OK;

    *states_changed = false;
    for (int i = 0; st <= fmi3Warning && again; i++) {
        if (i == MOST)
            return fmi3Error;
        st = CALL(c, UpdateDiscreteStates, c->component, &again, &end, &nominals, &changed, &timed, next);
        *states_changed |= changed;
        c->wants_end |= end;
    }
    if (!timed)
        *next = INFINITY;
    return st > fmi3Warning ? st : CALL(c, EnterContinuousTimeMode, c->component);
}

#define FMI_VERSION "3"
#define FMI_CALLS   yk_fmu_calls3
#include "fmi/alike.h"
