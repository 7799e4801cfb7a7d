/* The model of the reference solution: exact for linear structures, otherwise LSRT3, with substeps. */
#include "base/progress.h"
#include "state/state.h"

#include <stdio.h>
#include <string.h>

enum { LARGEST_EXACT = 400 };

static bool has_reduced(const struct yk_model *model)
{
    for (size_t k = 0; k < model->substructure_count; k++)
        if (model->parts[k].ground)
            return true;
    return false;
}

/* The structure, with full models instead of reduced ones where they exist. */
static enum yk_status vary_structure(struct yk_reference_model *r, const struct yk_model *model, struct yk_err *err)
{
    struct yk_err reason = {0};

    if (has_reduced(model)) {
        r->in_full = yk_model_with_players(model, YK_PLAYED_BY_FULL_MODELS, &r->model, &reason) == YK_OK;
        if (r->in_full)
            return YK_OK;
        snprintf(r->note, sizeof r->note, "%.*s", (int)sizeof r->note - 1, yk_err_line(&reason).text);
    }
    return yk_model_with_players(model, YK_PLAYED_BY_MODELS, &r->model, err);
}

static enum yk_status open_plan(struct yk_reference_model *r, const struct yk_model *model, struct yk_err *err)
{
    enum yk_status st;

    if ((st = vary_structure(r, model, err)) == YK_E_UNSUPPORTED)
        yk_fail_hint(err, "; such a structure has no `reference: monolithic`");
    if (st)
        return st;
    const struct yk_system *untorn = r->model->assembly->system;

    if (!untorn)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(model->path),
                          "reference: monolithic needs a structure that can be assembled; here a joined mass depends "
                          "on the configuration");
    if ((st = yk_model_integrate_by(r->model, untorn->linear && untorn->n <= LARGEST_EXACT ? "exact" : "lsrt3", err)))
        return st;
    st = yk_model_prepare(r->model, model->time.step / YK_REFERENCE_SUBSTEPS, err);
    return st ? yk_fail_within(err, YK_IN_FILE(model->path), "reference: monolithic: ") : YK_OK;
}

enum yk_status yk_reference_model_open(struct yk_reference_model *r, const struct yk_model *model, struct yk_err *err)
{
    const char *stage = yk_progress("preparing the reference");
    enum yk_status st;

    *r = (struct yk_reference_model){0};
    if ((st = open_plan(r, model, err)))
        yk_reference_model_close(r);
    yk_progress(stage);
    return st;
}

void yk_reference_model_close(struct yk_reference_model *r)
{
    yk_model_close(r->model);
    *r = (struct yk_reference_model){0};
}
