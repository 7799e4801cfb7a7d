/* Problems as models that are read from text, and steppings of their variants. */
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum yk_status yk_problem_read(struct yk_model **model, const char *chain, const char *name, char *text, size_t size,
                               struct yk_err *err)
{
    const char *last = *chain == '{' ? NULL : strrchr(chain, '/');
    char *path = NULL;
    enum yk_status st;

    *model = NULL;
    if (asprintf(&path, "%.*s%s", last ? (int)(last + 1 - chain) : 0, chain, name) < 0)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else
        st = yk_model_read(model, &(struct yk_model_source){.path = path, .text = text, .size = size}, err);
    free(path);
    free(text);
    return st;
}

enum yk_status yk_problem_ground(const struct yk_model *model, double from, double step, size_t count, double **ground,
                                 struct yk_err *err)
{
    struct yk_stepping *stepping;
    enum yk_status st = yk_stepping_open(&stepping, model, err);

    *ground = NULL;
    if (st)
        return st;
    const struct yk_load *load = yk_stepping_load(stepping, 0);

    if (!(*ground = malloc(count * sizeof **ground)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < count && !st; k++) {
        const double t = from + (double)k * step;

        (*ground)[k] = t > 0 ? load->signal->value(load->settings, t) : 0;
    }
    yk_stepping_close(stepping);
    return st;
}

enum yk_status yk_problem_start(struct yk_problem_run *run, const struct yk_model *of, const char *const *settings,
                                size_t count, struct yk_err *err)
{
    enum yk_status st;

    *run = (struct yk_problem_run){0};
    if ((st = yk_model_vary(&run->model, of, settings, count, err)) ||
        (st = yk_stepping_open(&run->stepping, run->model, err))) {
        yk_problem_end(run);
        return st;
    }
    run->station = yk_stepping_station(run->stepping);
    return YK_OK;
}

void yk_problem_end(struct yk_problem_run *run)
{
    yk_stepping_close(run->stepping);
    yk_model_close(run->model);
}
