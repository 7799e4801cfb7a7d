/* One living copy of the model of an FMU: initialization, trials, saved states, events.
 *
 * Model exchange: z' = g(t, z, inputs) by the classical Runge-Kutta method of order 4 in equal substeps. */
#include "fmi/instance.h"

#include "base/clock.h"
#include "fmi/calls.h"
#include "fmi/description.h"

#include <dlfcn.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK, WARNING, DISCARD, ERROR, FATAL };
enum { MOST_PARTS = 16, MOST_EVENTS = 1000, BISECTIONS = 30 };

/* A saved state, with what belongs to it outside the FMU. */
struct slot {
    uint64_t number, used; /* 0: free */
    void *state;
    double next_event;
    signed char *sign; /* of the indicators */
};

struct yk_fmu_instance {
    struct yk_fmu_callee callee;
    const struct yk_fmu_job *job;
    struct slot slots[YK_FMU_STATES_KEPT];
    uint64_t first, live, uses; /* number of the state after initialization; of the state the model is in */
    double next_event;
    signed char *sign;
    bool plain_inputs, plain_outputs; /* scalars of type Real only: one call for all */
    uint32_t *vr;                     /* of inputs or outputs, gathered */
    double *x, *at, *z, *k, *w, *mid, *values;
};

/* ---- what the FMU tells ---- */

void yk_fmu_enter(struct yk_fmu_callee *c, const char *function)
{
    snprintf(c->where, 32, "%s", function);
}

void yk_fmu_log(struct yk_fmu_callee *c, int status, const char *text)
{
    const bool error = status >= DISCARD;

    c->warnings += status == WARNING;
    if (status == OK || (c->text_is_error && !error) || (*c->text && !error))
        return;
    c->text_is_error |= error;
    snprintf(c->text, YK_FMU_TEXT, "%s", text);
    for (char *p = c->text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = ' ';
}

bool yk_fmu_needs(const struct yk_fmu_job *j, const char *function)
{
    static const struct {
        const char *names;
        size_t flag; /* of the job; 0: never called, or only if it is there */
    } optional[] = {
        {"|GetFMUState|SetFMUState|FreeFMUState|", offsetof(struct yk_fmu_job, saves)},
        {"|SetRealInputDerivatives|", offsetof(struct yk_fmu_job, interpolates)},
        {"|CompletedIntegratorStep|", offsetof(struct yk_fmu_job, completes)},
        {"|SetDebugLogging|Reset|GetString|SetString|SerializedFMUStateSize|SerializeFMUState|"
         "DeSerializeFMUState|GetDirectionalDerivative|GetRealOutputDerivatives|CancelStep|GetStatus|GetRealStatus|"
         "GetIntegerStatus|GetBooleanStatus|GetStringStatus|GetNominalsOfContinuousStates|",
         0},
    };
    char name[64];

    if (j->interface == YK_FMU_EXCHANGE &&
        (!strcmp(function, "InstantiateCoSimulation") || !strcmp(function, "DoStep")))
        return false;
    snprintf(name, sizeof name, "|%s|", function);
    for (size_t k = 0; k < sizeof optional / sizeof *optional; k++)
        if (strcasestr(optional[k].names, name))
            return optional[k].flag && *((const bool *)j + optional[k].flag);
    return true;
}

static enum yk_fmu_outcome outcome_of(int status)
{
    return status <= WARNING   ? YK_FMU_FINE
           : status == DISCARD ? YK_FMU_DISCARDED
           : status == FATAL   ? YK_FMU_FATAL
                               : YK_FMU_FAILED;
}

/* ---- values in and out ---- */

static bool is_plain(const struct yk_fmu_port *ports, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ports[i].type != YK_FMU_REAL || ports[i].size != 1 || ports[i].absent || ports[i].discrete)
            return false;
    return true;
}

enum { ALL, CONTINUOUS, DISCRETE }; /* inputs */

static int set_inputs(struct yk_fmu_instance *i, const double *si, int which)
{
    const struct yk_fmu_job *j = i->job;
    int st = OK;

    for (size_t k = 0; k < j->inputs; k++)
        i->x[k] = (si[k] - j->input[k].offset) / j->input[k].factor;
    if (!j->inputs)
        return OK;
    if (i->plain_inputs) {
        for (size_t k = 0; k < j->inputs; k++)
            i->vr[k] = j->input[k].vr;
        return i->callee.calls->reals(&i->callee, true, i->vr, j->inputs, i->x);
    }
    for (size_t k = 0; k < j->inputs && st <= WARNING; k++)
        if (!j->input[k].absent && (which == ALL || j->input[k].discrete == (which == DISCRETE)))
            st = i->callee.calls->other(&i->callee, true, &j->input[k], &i->x[k]);
    return st;
}

static enum yk_fmu_outcome get_outputs(struct yk_fmu_instance *i, union yk_fmu_word *answer)
{
    const struct yk_fmu_job *j = i->job;
    int st = OK;
    bool finite = true;

    if (i->plain_outputs && j->outputs) {
        for (size_t k = 0; k < j->outputs; k++)
            i->vr[k] = j->output[k].vr;
        st = i->callee.calls->reals(&i->callee, false, i->vr, j->outputs, i->x);
    }
    for (size_t k = 0; !i->plain_outputs && k < j->outputs && st <= WARNING; k++)
        st = i->callee.calls->other(&i->callee, false, &j->output[k], &i->x[k]);
    for (size_t k = 0; k < j->outputs && st <= WARNING; k++) {
        const struct yk_fmu_port *p = &j->output[k];
        const bool si = p->factor == 1 && p->offset == 0; /* then to the last bit, the sign of zero included */

        answer[YK_FMU_ANSWER_HEAD + k].x = si ? i->x[k] : p->factor * i->x[k] + p->offset;
        finite = finite && isfinite(i->x[k]);
    }
    return st > WARNING ? outcome_of(st) : finite ? YK_FMU_FINE : YK_FMU_NOT_FINITE;
}

/* ---- saved states ---- */

static struct slot *find_slot(struct yk_fmu_instance *i, uint64_t number)
{
    for (size_t k = 0; k < YK_FMU_STATES_KEPT; k++)
        if (i->slots[k].number == number && number)
            return &i->slots[k];
    return NULL;
}

static void note_events(struct yk_fmu_instance *i, double *next, signed char *sign)
{
    *next = i->next_event;
    if (i->job->indicators)
        memcpy(sign, i->sign, i->job->indicators);
}

/* The state of now gets a number; the one that was not used for longest makes room. */
static int save(struct yk_fmu_instance *i, uint64_t number)
{
    struct slot *oldest = NULL;
    int st;

    i->live = number;
    if (!i->job->saves)
        return OK;
    for (size_t k = 0; k < YK_FMU_STATES_KEPT; k++) {
        struct slot *s = &i->slots[k];

        if (s->number == i->first && i->first)
            continue;
        if (!oldest || s->used < oldest->used)
            oldest = s;
    }
    oldest->number = 0;
    if ((st = i->callee.calls->save(&i->callee, &oldest->state)) > WARNING)
        return st;
    note_events(i, &oldest->next_event, oldest->sign);
    oldest->number = number;
    oldest->used = ++i->uses;
    return OK;
}

static enum yk_fmu_outcome go_back(struct yk_fmu_instance *i, uint64_t number)
{
    struct slot *s;
    int st;

    if (i->live == number)
        return YK_FMU_FINE;
    if (!(s = find_slot(i, number)))
        return YK_FMU_STATE_GONE;
    s->used = ++i->uses;
    if ((st = i->callee.calls->restore(&i->callee, s->state)) > WARNING)
        return outcome_of(st);
    i->next_event = s->next_event;
    if (i->job->indicators)
        memcpy(i->sign, s->sign, i->job->indicators);
    i->live = number;
    return YK_FMU_FINE;
}

static void drop_component(struct yk_fmu_instance *i)
{
    for (size_t k = 0; k < YK_FMU_STATES_KEPT; k++) {
        if (i->slots[k].state && i->callee.component)
            i->callee.calls->forget(&i->callee, &i->slots[k].state);
        i->slots[k].state = NULL;
        i->slots[k].number = i->slots[k].used = 0;
    }
    if (i->callee.component)
        i->callee.calls->release(&i->callee);
    i->first = i->live = 0;
}

/* ---- initialization ---- */

static void read_signs(struct yk_fmu_instance *i, const double *values)
{
    for (size_t k = 0; k < i->job->indicators; k++)
        if (values[k] != 0 || !i->sign[k])
            i->sign[k] = values[k] > 0 ? 1 : -1;
}

static enum yk_fmu_outcome settle_exchange(struct yk_fmu_instance *i, union yk_fmu_word *answer)
{
    const struct yk_fmu_calls *call = i->callee.calls;
    bool changed;
    int st;

    if ((st = call->event(&i->callee, &changed, &i->next_event)) > WARNING ||
        (st = call->states(&i->callee, i->z)) > WARNING || (st = call->indicators(&i->callee, i->values)) > WARNING)
        return outcome_of(st);
    read_signs(i, i->values);
    memcpy(answer + YK_FMU_ANSWER_HEAD + i->job->outputs, i->z, i->job->states * sizeof(double));
    return get_outputs(i, answer);
}

static enum yk_fmu_outcome initialize(struct yk_fmu_instance *i, uint64_t number, const double *inputs,
                                      union yk_fmu_word *answer)
{
    const struct yk_fmu_job *j = i->job;
    const struct yk_fmu_calls *call = i->callee.calls;
    struct yk_fmu_callee *c = &i->callee;
    enum yk_fmu_outcome outcome;
    int st = OK;

    drop_component(i);
    c->wants_end = false;
    if (!call->create(c))
        return YK_FMU_FAILED;
    for (size_t k = 0; k < j->parameters && st <= WARNING; k++) {
        double x = (j->parameter[k].value - j->parameter[k].offset) / j->parameter[k].factor;

        st = call->other(c, true, &j->parameter[k], &x);
    }
    if (st > WARNING || (st = call->enter_initialization(c)) > WARNING || (st = set_inputs(i, inputs, ALL)) > WARNING)
        return outcome_of(st);
    if ((outcome = get_outputs(i, answer)) == YK_FMU_FAILED || outcome == YK_FMU_FATAL)
        return outcome;
    if ((st = call->exit_initialization(c)) > WARNING)
        return outcome_of(st);
    if (j->interface == YK_FMU_EXCHANGE)
        outcome = settle_exchange(i, answer);
    if (outcome == YK_FMU_FINE && (st = save(i, number)) > WARNING)
        return outcome_of(st);
    i->first = number;
    return outcome == YK_FMU_FINE && c->wants_end ? YK_FMU_WANTS_END : outcome;
}

/* ---- co-simulation ---- */

static int set_course(struct yk_fmu_instance *i, enum yk_fmu_course course, double t, double h, const double *begin,
                      const double *end)
{
    if (course == YK_FMU_LINEAR)
        return i->callee.calls->line(&i->callee, t, h, begin, end);
    if (course != YK_FMU_MEAN)
        return set_inputs(i, end, ALL);
    for (size_t k = 0; k < i->job->inputs; k++)
        i->at[k] = 0.5 * (begin[k] + end[k]);
    return set_inputs(i, i->at, ALL);
}

/* From t over h in equal parts, the inputs on their line as a whole. */
static int advance_in(struct yk_fmu_instance *i, int parts, enum yk_fmu_course course, double t, double h,
                      const double *begin, const double *end)
{
    const double start = i->job->start;
    double from[YK_FMU_MOST_INPUTS], to[YK_FMU_MOST_INPUTS];
    int st = OK;

    for (int p = 0; p < parts && st <= WARNING; p++) {
        const double a = (double)p / parts, b = (double)(p + 1) / parts;

        for (size_t k = 0; k < i->job->inputs; k++) {
            from[k] = begin[k] + a * (end[k] - begin[k]);
            to[k] = p + 1 == parts ? end[k] : begin[k] + b * (end[k] - begin[k]);
        }
        if (course == YK_FMU_LINEAR)
            st = set_course(i, course, start + t + a * h, h / parts, from, to);
        else if (p == 0)
            st = set_course(i, course, start + t, h, begin, end);
        if (st <= WARNING)
            st = i->callee.calls->step(&i->callee, start + t + a * h, h / parts);
        if (i->callee.wants_end)
            break;
    }
    return st;
}

/* A step that the model discards is tried again in more and more parts. */
static enum yk_fmu_outcome advance(struct yk_fmu_instance *i, uint64_t from, int pieces, enum yk_fmu_course course,
                                   double t, double h, const double *begin, const double *end)
{
    int st = DISCARD;

    for (int parts = pieces; parts <= MOST_PARTS * pieces && (st == DISCARD || st == ERROR); parts *= 2) {
        if (parts > pieces) {
            i->live = 0;
            if (!i->job->saves || !i->job->variable_step || i->callee.wants_end || go_back(i, from) != YK_FMU_FINE)
                break;
        }
        st = advance_in(i, parts, course, t, h, begin, end);
    }
    i->callee.text_is_error = i->callee.text_is_error && st > WARNING;
    return i->callee.wants_end ? YK_FMU_WANTS_END : outcome_of(st);
}

/* ---- model exchange ---- */

/* Inputs at the fraction s of a step. */
static void inputs_at(struct yk_fmu_instance *i, enum yk_fmu_course course, double s, double h, const double *begin,
                      const double *end)
{
    const size_t n = i->job->inputs, half = n / 2;

    for (size_t k = 0; k < n; k++)
        i->at[k] = course == YK_FMU_HELD || s == 1 ? end[k]
                   : course == YK_FMU_MEAN         ? 0.5 * (begin[k] + end[k])
                                                   : begin[k] + s * (end[k] - begin[k]);
    for (size_t k = 0; course == YK_FMU_HERMITE && s < 1 && k < half; k++) {
        const double u = begin[k], w = end[k], du = h * begin[half + k], dw = h * end[half + k];
        const double s2 = s * s, s3 = s2 * s;

        i->at[k] = (2 * s3 - 3 * s2 + 1) * u + (s3 - 2 * s2 + s) * du + (3 * s2 - 2 * s3) * w + (s3 - s2) * dw;
        i->at[half + k] = ((6 * s2 - 6 * s) * (u - w) + (3 * s2 - 4 * s + 1) * du + (3 * s2 - 2 * s) * dw) / h;
    }
}

struct stretch {
    enum yk_fmu_course course;
    double t, h; /* of the whole step */
    const double *begin, *end;
};

/* g at the fraction s, into k */
static int slope(struct yk_fmu_instance *i, const struct stretch *e, double s, const double *z, double *k)
{
    const struct yk_fmu_calls *call = i->callee.calls;
    int st;

    inputs_at(i, e->course, s, e->h, e->begin, e->end);
    if ((st = call->point(&i->callee, i->job->start + e->t + s * e->h, z)) > WARNING ||
        (st = set_inputs(i, i->at, CONTINUOUS)) > WARNING)
        return st;
    return k ? call->derivatives(&i->callee, k) : OK;
}

/* z from the fraction a to b in n substeps; the model is then set to the end. */
static int integrate(struct yk_fmu_instance *i, const struct stretch *e, double a, double b, int n, double *z)
{
    const size_t m = i->job->states;
    double *k[4] = {i->k, i->k + m, i->k + 2 * m, i->k + 3 * m};
    int st = OK;

    for (int q = 0; q < n && m && e->h > 0 && st <= WARNING; q++) {
        static const double c[4] = {0, 0.5, 0.5, 1};
        const double s0 = a + (b - a) * q / n, ds = (b - a) / n, h = ds * e->h;

        for (int r = 0; r < 4 && st <= WARNING; r++) {
            for (size_t x = 0; x < m; x++)
                i->mid[x] = z[x] + (r ? c[r] * h * k[r - 1][x] : 0);
            st = slope(i, e, r == 3 && q + 1 == n ? b : s0 + c[r] * ds, i->mid, k[r]);
        }
        for (size_t x = 0; x < m; x++)
            z[x] += h / 6 * (k[0][x] + 2 * (k[1][x] + k[2][x]) + k[3][x]);
    }
    return st > WARNING ? st : slope(i, e, b, z, NULL);
}

static enum yk_fmu_outcome answer_states(struct yk_fmu_instance *i, const double *z, union yk_fmu_word *answer)
{
    const enum yk_fmu_outcome outcome = get_outputs(i, answer);
    bool finite = true;

    for (size_t k = 0; k < i->job->states; k++) {
        answer[YK_FMU_ANSWER_HEAD + i->job->outputs + k].x = z[k];
        finite = finite && isfinite(z[k]);
    }
    return outcome == YK_FMU_FINE && !finite ? YK_FMU_NOT_FINITE : outcome;
}

static bool has_crossed(const struct yk_fmu_instance *i)
{
    for (size_t k = 0; k < i->job->indicators; k++)
        if (i->values[k] * i->sign[k] < 0)
            return true;
    return false;
}

/* Does the step bring another value to an input that changes at events only? */
static bool switches(const struct yk_fmu_instance *i, const struct stretch *e)
{
    for (size_t k = 0; k < i->job->inputs; k++)
        if (i->job->input[k].discrete && e->begin[k] != e->end[k])
            return true;
    return false;
}

/* First event in (a, b] of the step, as a fraction, to 1e-9 of it; b if it is only known to be before. w: z at a. */
static int locate(struct yk_fmu_instance *i, const struct stretch *e, double a, double b, int n, double *found)
{
    double low = a, high = b;
    int st = OK;

    for (int q = 0; q < BISECTIONS && high - low > 1e-9 && st <= WARNING; q++) {
        const double s = 0.5 * (low + high);

        memcpy(i->z, i->w, i->job->states * sizeof *i->z);
        if ((st = integrate(i, e, a, s, n, i->z)) <= WARNING)
            st = i->callee.calls->indicators(&i->callee, i->values);
        if (has_crossed(i))
            high = s;
        else
            low = s;
    }
    *found = high;
    return st;
}

/* Accepts a step, with its events: at the end of it, or where they happen. */
static enum yk_fmu_outcome commit(struct yk_fmu_instance *i, const struct stretch *e, int substeps, const double *z0,
                                  union yk_fmu_word *answer)
{
    const struct yk_fmu_calls *call = i->callee.calls;
    const size_t bytes = i->job->states * sizeof(double);
    const double start = i->job->start;
    double a = 0;
    int st = OK;

    memcpy(i->w, z0, bytes);
    for (int events = 0; a < 1 || events == 0; events++) {
        double b = 1;
        bool enter, changed;

        if (events > MOST_EVENTS)
            return YK_FMU_EVENTS;
        if (i->job->locates && e->h > 0 && i->next_event < start + e->t + e->h)
            b = fmax(a, fmin(1, (i->next_event - start - e->t) / e->h));
        memcpy(i->z, i->w, bytes);
        if ((st = integrate(i, e, a, b, substeps, i->z)) > WARNING ||
            (st = call->indicators(&i->callee, i->values)) > WARNING)
            return outcome_of(st);
        if (i->job->locates && has_crossed(i)) {
            if ((st = locate(i, e, a, b, substeps, &b)) > WARNING)
                return outcome_of(st);
            memcpy(i->z, i->w, bytes);
            if ((st = integrate(i, e, a, b, substeps, i->z)) > WARNING ||
                (st = call->indicators(&i->callee, i->values)) > WARNING)
                return outcome_of(st);
        }
        if ((st = call->completed(&i->callee, &enter)) > WARNING)
            return outcome_of(st);
        if (enter || has_crossed(i) || start + e->t + b * e->h >= i->next_event || (b == 1 && switches(i, e))) {
            if ((st = call->enter_events(&i->callee)) > WARNING ||
                (b == 1 && (st = set_inputs(i, e->end, DISCRETE)) > WARNING) ||
                (st = call->event(&i->callee, &changed, &i->next_event)) > WARNING ||
                (changed && (st = call->states(&i->callee, i->z)) > WARNING) ||
                (st = call->indicators(&i->callee, i->values)) > WARNING)
                return outcome_of(st);
        }
        read_signs(i, i->values);
        memcpy(i->w, i->z, bytes);
        a = b;
        if (i->callee.wants_end) {
            i->callee.reached = start + e->t + b * e->h;
            break;
        }
    }
    const enum yk_fmu_outcome outcome = answer_states(i, i->w, answer);
    return i->callee.wants_end ? YK_FMU_WANTS_END : outcome;
}

/* ---- requests ---- */

static enum yk_fmu_outcome derive(struct yk_fmu_instance *i, size_t input, union yk_fmu_word *answer)
{
    const struct yk_fmu_job *j = i->job;
    int st;

    if (!i->plain_outputs || input >= j->inputs || j->input[input].absent)
        return YK_FMU_FAILED;
    for (size_t k = 0; k < j->outputs; k++)
        i->vr[k] = j->output[k].vr;
    st = i->callee.calls->derive(&i->callee, i->vr, j->outputs, j->input[input].vr, i->x);
    for (size_t k = 0; k < j->outputs && st <= WARNING; k++)
        answer[YK_FMU_ANSWER_HEAD + k].x = i->x[k] * j->output[k].factor / j->input[input].factor;
    return outcome_of(st);
}

static enum yk_fmu_outcome make_step(struct yk_fmu_instance *i, const union yk_fmu_word *request,
                                     union yk_fmu_word *answer)
{
    const struct yk_fmu_job *j = i->job;
    const enum yk_fmu_course course = (enum yk_fmu_course)(request[0].n >> 8 & 0xff);
    const int substeps = (int)(request[0].n >> 16 & 0xffff);
    const bool keep = request[0].n >> 32 & 1;
    const struct stretch e = {course, request[3].x, request[4].x, &request[YK_FMU_REQUEST_HEAD].x,
                              &request[YK_FMU_REQUEST_HEAD + j->inputs].x};
    const double *z = &request[YK_FMU_REQUEST_HEAD + 2 * j->inputs].x;
    enum yk_fmu_outcome outcome = go_back(i, request[1].n);
    int st = OK;

    if (j->interface == YK_FMU_EXCHANGE && outcome == YK_FMU_STATE_GONE && !j->saves && !j->completes &&
        !j->indicators && isinf(i->next_event))
        outcome = YK_FMU_FINE; /* all that it remembers is z */
    if (outcome != YK_FMU_FINE)
        return outcome;
    if (j->interface == YK_FMU_EXCHANGE && (request[0].n & 0xff) == YK_FMU_COMMIT) {
        if ((outcome = commit(i, &e, substeps, z, answer)) == YK_FMU_FINE)
            st = save(i, request[2].n);
        return outcome == YK_FMU_FINE ? outcome_of(st) : outcome;
    }
    if (j->interface == YK_FMU_EXCHANGE) {
        memcpy(i->z, z, j->states * sizeof *z);
        st = integrate(i, &e, 0, 1, substeps, i->z);
        return st > WARNING ? outcome_of(st) : answer_states(i, i->z, answer);
    }
    if (e.h > 0 && (outcome = advance(i, request[1].n, substeps, course, e.t, e.h, e.begin, e.end)) != YK_FMU_FINE) {
        i->live = 0;
        if (outcome == YK_FMU_WANTS_END)
            get_outputs(i, answer);
        return outcome;
    }
    i->live = request[2].n;
    if ((outcome = get_outputs(i, answer)) == YK_FMU_FINE && keep)
        outcome = outcome_of(save(i, request[2].n));
    return outcome;
}

void yk_fmu_instance_answer(struct yk_fmu_instance *i, const union yk_fmu_word *request, union yk_fmu_word *answer)
{
    const int64_t begin = yk_clock_now_ns();
    enum yk_fmu_outcome outcome = YK_FMU_FAILED;
    fenv_t mode;

    fegetenv(&mode);
    i->callee.reached = NAN;
    switch (request[0].n & 0xff) {
    case YK_FMU_INIT:
        outcome = initialize(i, request[2].n, &request[YK_FMU_REQUEST_HEAD + i->job->inputs].x, answer);
        break;
    case YK_FMU_STEP:
    case YK_FMU_COMMIT:
        outcome = make_step(i, request, answer);
        break;
    case YK_FMU_KEEP:
        outcome = i->live != request[2].n ? YK_FMU_STATE_GONE : outcome_of(save(i, request[2].n));
        break;
    case YK_FMU_DERIVE:
        outcome = derive(i, request[2].n, answer);
        break;
    default:
        break;
    }
    fesetenv(&mode);               /* an FMU may have changed the rounding */
    if (outcome == YK_FMU_FATAL) { /* nothing of it may be called any more */
        i->callee.component = NULL;
        i->live = 0;
    }
    if (outcome == YK_FMU_FINE) /* else the name of the function that failed stays */
        yk_fmu_enter(&i->callee, "");
    answer[0].n = (uint64_t)outcome;
    answer[1].n = i->callee.warnings;
    answer[2].n = (uint64_t)(yk_clock_now_ns() - begin);
    answer[3].n = 0;
    answer[4].x = i->callee.reached - i->job->start;
}

/* ---- open and close ---- */

static enum yk_status take_memory(struct yk_fmu_instance *i, struct yk_err *err)
{
    const struct yk_fmu_job *j = i->job;
    const size_t ports = 1 + (j->inputs > j->outputs ? j->inputs : j->outputs), m = j->states + 1;
    bool good = (i->vr = calloc(ports, sizeof *i->vr)) && (i->x = calloc(ports, sizeof *i->x)) &&
                (i->at = calloc(ports, sizeof *i->at)) && (i->z = calloc(m, sizeof *i->z)) &&
                (i->k = calloc(4 * m, sizeof *i->k)) && (i->mid = calloc(m, sizeof *i->mid)) &&
                (i->w = calloc(m, sizeof *i->w)) && (i->values = calloc(j->indicators + 1, sizeof *i->values)) &&
                (i->sign = calloc(j->indicators + 1, 1));

    for (size_t k = 0; good && j->indicators && k < YK_FMU_STATES_KEPT; k++)
        good = (i->slots[k].sign = calloc(j->indicators, 1)) != NULL;
    return good ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

// NOLINTBEGIN(readability-non-const-parameter): they are written through the callee
enum yk_status yk_fmu_instance_open(struct yk_fmu_instance **opened, const struct yk_fmu_job *job, char *where,
                                    char *text, struct yk_err *err)
// NOLINTEND(readability-non-const-parameter)
{
    struct yk_fmu_instance *i = calloc(1, sizeof *i);
    const char *missing;
    enum yk_status st;

    *opened = NULL;
    if (!i)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    i->job = job;
    i->next_event = INFINITY;
    i->callee = (struct yk_fmu_callee){
        .job = job, .calls = job->version == 3 ? &yk_fmu_calls3 : &yk_fmu_calls2, .where = where, .text = text};
    i->plain_inputs = is_plain(job->input, job->inputs);
    i->plain_outputs = is_plain(job->output, job->outputs);
    yk_fmu_enter(&i->callee, "dlopen");
    if (!(st = take_memory(i, err)) && !(i->callee.object = dlopen(job->object, RTLD_NOW | RTLD_LOCAL)))
        st = yk_fail(err, YK_E_INPUT, "the shared object cannot be loaded: %s", dlerror());
    if (!st && (missing = i->callee.calls->load(&i->callee, err)))
        st = *missing ? yk_fail(err, YK_E_INPUT, "the shared object has no function %s", missing) : YK_E_UNSUPPORTED;
    if (st)
        yk_fmu_instance_close(i);
    else
        *opened = i;
    return st;
}

void yk_fmu_instance_close(struct yk_fmu_instance *i)
{
    if (!i)
        return;
    if (i->callee.component && i->live)
        (void)i->callee.calls->terminate(&i->callee);
    drop_component(i);
    if (i->callee.object)
        dlclose(i->callee.object);
    for (size_t k = 0; k < YK_FMU_STATES_KEPT; k++)
        free(i->slots[k].sign);
    free(i->callee.functions);
    free(i->vr);
    free(i->x);
    free(i->at);
    free(i->z);
    free(i->k);
    free(i->w);
    free(i->mid);
    free(i->values);
    free(i->sign);
    free(i);
}
