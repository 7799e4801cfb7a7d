/* An FMU stepped by itself, with its inputs as they are at the start, or from a file. */
#include "parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_S 10.0
#define TOLERANCE 1e-6 /* of a step of model exchange, relative */
enum { LEAST_SUBSTEPS = 2, MOST_SUBSTEPS = 4096 };

void close_alone(struct alone *a)
{
    for (size_t i = 0; a->names && i < a->outputs; i++)
        free(a->names[i]);
    for (size_t i = 0; a->in_names && i < a->inputs; i++)
        free(a->in_names[i]);
    free(a->names);
    free(a->in_names);
    free((void *)a->units);
    free(a->in);
    free(a->out);
    free(a->z);
    free(a->discrete);
    free(a->courses.rows);
    free(a->courses.column);
    yk_fmu_close(a->fmu);
}

/* One element of a variable, as it is. */
static enum yk_status connect(struct alone *a, const struct yk_fmu_variable *v, size_t element, struct yk_err *err)
{
    const bool input = v->causality == YK_FMU_INPUT;
    char name[300];
    enum yk_status st;

    snprintf(name, sizeof name, v->size > 1 ? "%.250s[%zu]" : "%.280s", v->name, element + 1);
    if ((st = input ? yk_fmu_input(a->fmu, name, YK_QUANTITY_COUNT, err)
                    : yk_fmu_output(a->fmu, name, YK_QUANTITY_COUNT, err)))
        return st;
    char *kept = strdup(name);
    if (!kept)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (input) {
        a->discrete[a->inputs] = v->variability == YK_FMU_DISCRETE || v->type > YK_FMU_FLOAT32;
        a->in_names[a->inputs] = kept;
        a->in[a->inputs++] = v->start;
    } else {
        a->names[a->outputs] = kept;
        a->units[a->outputs++] = v->unit;
    }
    return YK_OK;
}

/* All inputs and outputs that are numbers, as they are. */
static enum yk_status connect_all(struct alone *a, struct yk_err *err)
{
    const struct yk_fmu_description *d = yk_fmu_description(a->fmu);
    size_t room = 1;
    enum yk_status st = YK_OK;

    a->states = yk_fmu_states(a->fmu);
    a->start = isnan(d->start) ? 0 : d->start;
    for (size_t i = 0; i < d->variable_count; i++)
        room += d->variables[i].size;
    a->in = calloc(2 * room, sizeof *a->in);
    a->next = a->in + room;
    a->out = calloc(room, sizeof *a->out);
    a->names = calloc(room, sizeof *a->names);
    a->in_names = calloc(room, sizeof *a->in_names);
    a->discrete = calloc(room, sizeof *a->discrete);
    a->units = calloc(room, sizeof *a->units);
    a->z = calloc(2 * (a->states + 1), sizeof *a->z);
    a->tried = a->z + a->states + 1;
    if (!a->in || !a->out || !a->names || !a->in_names || !a->discrete || !a->units || !a->z)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < d->variable_count && !st; i++) {
        const struct yk_fmu_variable *v = &d->variables[i];

        if (v->type == YK_FMU_OTHER || (v->causality != YK_FMU_INPUT && v->causality != YK_FMU_OUTPUT) ||
            (v->causality == YK_FMU_INPUT && v->size > 1)) /* an array keeps its start values */
            continue;
        for (size_t k = 0; k < v->size && !st; k++)
            st = connect(a, v, k, err);
    }
    return st;
}

/* "NAME=VALUE": of an input, a number in its own unit; of others, as in `parameters` of an experiment. */
static enum yk_status set_start(struct alone *a, const char *text, struct yk_err *err)
{
    const char *equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : strlen(text);
    char *end;

    for (size_t i = 0; equals && i < a->inputs; i++)
        if (strncmp(a->in_names[i], text, length) == 0 && !a->in_names[i][length]) {
            const bool yes = strcmp(equals + 1, "true") == 0;

            if (yes || strcmp(equals + 1, "false") == 0) {
                a->in[i] = yes;
                return YK_OK;
            }
            a->in[i] = strtod(equals + 1, &end);
            return end > equals + 1 && !*end && isfinite(a->in[i])
                       ? YK_OK
                       : yk_fail(err, YK_E_INPUT, "'%s' is no number for the input '%s'", equals + 1, a->in_names[i]);
        }
    return yk_fmu_parameters(a->fmu, text, err);
}

enum yk_status open_alone(struct alone *a, const char *path, const struct fmu_options *given, bool saves, double end,
                          const char *token, struct yk_err *err)
{
    const struct yk_fmu_start start = {.timeout_s = TIMEOUT_S, .end_s = end, .no_saving = !saves};
    const char *kind = given && given->interface ? given->interface : "";
    const enum yk_fmu_wish wish = strcmp(kind, "model-exchange") == 0  ? YK_FMU_WANTS_EXCHANGE
                                  : strcmp(kind, "co-simulation") == 0 ? YK_FMU_WANTS_COSIMULATION
                                                                       : YK_FMU_ANY_INTERFACE;
    enum yk_status st;

    *a = (struct alone){.substeps = LEAST_SUBSTEPS};
    if ((st = yk_fmu_open(&a->fmu, path, "fmu", err)) || (st = yk_fmu_choose(a->fmu, wish, true, err)) ||
        (st = yk_fmu_handle_events(a->fmu, YK_FMU_EVENTS_LOCATED, err)) || (st = connect_all(a, err)))
        return st;
    for (size_t i = 0; given && i < given->set.count && !st; i++)
        st = set_start(a, given->set.text[i], err);
    if (!st && given && given->input)
        st = read_courses(&a->courses, a, given->input, err);
    if (token)
        yk_fmu_pretend(a->fmu, token);
    if (st)
        return st;
    set_courses(&a->courses, a, a->start, false, a->in);
    return yk_fmu_start(a->fmu, &start, a->in, &a->number, a->out, a->z, err);
}

static enum yk_fmu_outcome ask(struct alone *a, enum yk_fmu_request what, enum yk_fmu_course course, int substeps,
                               double t, double h, double *out, double *z)
{
    const bool exchange = yk_fmu_chosen(a->fmu) == YK_FMU_EXCHANGE;
    const struct yk_fmu_ask step = {.what = what,
                                    .course = course,
                                    .substeps = substeps,
                                    .keep = !exchange,
                                    .from = a->number,
                                    .as = yk_fmu_number(a->fmu),
                                    .t = t,
                                    .h = h,
                                    .begin = a->in,
                                    .end = course == YK_FMU_HELD ? a->in : a->next,
                                    .z = a->z};
    const enum yk_fmu_outcome outcome = yk_fmu_ask(a->fmu, &step, out, z);

    if (outcome == YK_FMU_FINE && (!exchange || what == YK_FMU_COMMIT))
        a->number = step.as;
    return outcome;
}

/* Substeps of model exchange: doubled until the states at the end of the step change by less than TOLERANCE. */
static void choose_substeps(struct alone *a, double t, double h)
{
    double *coarse = calloc(2 * a->states + 1, sizeof *coarse), *fine = coarse + a->states, worst = 0;

    a->substeps = LEAST_SUBSTEPS;
    for (bool first = true; coarse && a->states; first = false, a->substeps *= 2) {
        if (first && ask(a, YK_FMU_STEP, YK_FMU_LINEAR, a->substeps, t, h, NULL, coarse) != YK_FMU_FINE)
            memset(coarse, 0, a->states * sizeof *coarse);
        if (ask(a, YK_FMU_STEP, YK_FMU_LINEAR, 2 * a->substeps, t, h, NULL, fine) != YK_FMU_FINE)
            memset(fine, 0xff, a->states * sizeof *fine); /* not a number */
        worst = 0;
        for (size_t k = 0; k < a->states; k++) {
            const struct yk_fmu_variable *v = yk_fmu_state(yk_fmu_description(a->fmu), k);
            const double change = fabs(fine[k] - coarse[k]) / (fabs(a->z[k]) + fabs(fine[k]) + fabs(v->nominal));

            worst = change <= worst ? worst : change;
            coarse[k] = fine[k];
        }
        if (worst <= TOLERANCE || a->substeps >= MOST_SUBSTEPS)
            break;
    }
    if (!(worst <= a->doubt) && !(worst <= TOLERANCE)) {
        a->doubt = worst;
        a->doubt_t = t + h;
    }
    free(coarse);
}

bool step_alone(struct alone *a, double t, double h)
{
    enum yk_fmu_course course = yk_fmu_best_course(a->fmu, false);
    enum yk_fmu_outcome outcome;

    memcpy(a->next, a->in, a->inputs * sizeof *a->in);
    set_courses(&a->courses, a, a->start + t, false, a->in);
    set_courses(&a->courses, a, a->start + t + h, true, a->next);
    if (yk_fmu_chosen(a->fmu) == YK_FMU_EXCHANGE) {
        choose_substeps(a, t, h);
        yk_fmu_forgive(a->fmu); /* too few substeps may have led to where the model is not defined */
        outcome = ask(a, YK_FMU_COMMIT, YK_FMU_LINEAR, 2 * a->substeps, t, h, a->out, a->z);
    } else {
        for (size_t i = 0; i < a->inputs; i++)
            course = a->discrete[i] ? YK_FMU_HELD : course;
        outcome = ask(a, YK_FMU_STEP, course, 1, t, h, a->out, a->z);
    }
    a->wants_end = outcome == YK_FMU_WANTS_END;
    return outcome == YK_FMU_FINE;
}
