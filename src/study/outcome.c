/* One run of a study: a variant of the experiment, its plan, the run, and the figures that were asked for. */
#include "base/json.h"
#include "engine/engine.h"
#include "engine/reference.h"
#include "study/study.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN "margin" /* the one result that is not in the summary */
enum { MOST_PEAKS = 8 };

void yk_outcome_free(struct yk_outcome *o)
{
    free(o->reason);
    free(o->figures);
    *o = (struct yk_outcome){0};
}

/* ---- figures of the summary ---- */

/* "peaks.frame.x.u": keys may have dots in them, so the longest one that is there goes first. */
static const json_t *find(const json_t *at, const char *path)
{
    char key[256];

    if (strlen(path) >= sizeof key)
        return NULL;
    for (size_t length = strlen(path); length > 0; length--) {
        if (path[length] && path[length] != '.')
            continue;
        memcpy(key, path, length);
        key[length] = 0;
        const json_t *below = json_object_get(at, key), *found;

        if (below && !path[length])
            return below;
        if (below && (json_is_null(below) || (found = find(below, path + length + 1))))
            return json_is_null(below) ? below : found;
    }
    return NULL;
}

static enum yk_status take_figure(const json_t *summary, const char *name, bool strict, double *figure,
                                  struct yk_err *err)
{
    const json_t *found = find(summary, name);

    *figure = json_is_boolean(found) ? json_is_true(found) : json_is_number(found) ? json_number_value(found) : NAN;
    if (!strict || json_is_number(found) || json_is_boolean(found) || json_is_null(found))
        return YK_OK;
    if (found)
        return yk_fail(err, YK_E_INPUT,
                       "--result %s is not a number but a group; name one of its figures, as in summary.json", name);
    return yk_fail(err, YK_E_INPUT,
                   "--result %s: the summary has no such figure; it has those of summary.json, such as "
                   "errors.displacement_nrms, tracking.ACTUATOR.nrms, peaks.CHANNEL and energy.error_relative, and "
                   "margin",
                   name);
}

/* Delay margin of the loop [s]: 0 where it is unstable, infinite where no delay of up to a second makes it so. Without
 * a budget, so that it does not depend on the machine. */
static enum yk_status find_margin(const struct yk_plan *plan, double *margin, struct yk_err *err)
{
    const struct yk_judging how = {.margin = true, .no_model = true};
    struct yk_margin m;
    enum yk_status st;

    *margin = NAN;
    if (!yk_plan_experiment(plan)->station || !yk_experiment_is_hybrid(yk_plan_experiment(plan)))
        return YK_OK;
    if (!(st = yk_hybrid_judge(plan, &how, &m, err)))
        *margin = m.verdict == YK_LOOP_STABLE ? m.margin_s : m.verdict == YK_LOOP_UNSTABLE ? 0 : NAN;
    return st;
}

static enum yk_status take_figures(const struct yk_plan *plan, const struct yk_run_channels *channels,
                                   const struct yk_run_result *result, const char *const *names, size_t count,
                                   bool strict, double *figures, struct yk_err *err)
{
    char *text = yk_run_summary(yk_plan_experiment(plan), channels, result);
    json_t *summary = yk_json_read_text(text);
    enum yk_status st = summary ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for the summary");

    for (size_t i = 0; i < count && !st; i++)
        st = strcmp(names[i], MARGIN) == 0 ? find_margin(plan, &figures[i], err)
                                           : take_figure(summary, names[i], strict, &figures[i], err);
    json_decref(summary);
    free(text);
    return st;
}

/* ---- a run ---- */

static bool asks_for_times(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(names[i], "timing.", 7) == 0 || strncmp(names[i], "stages.", 7) == 0)
            return true;
    return false;
}

/* A step beyond the limit of a conditionally stable integrator, where the file does not allow it. */
static enum yk_status refuse_unstable(const struct yk_experiment *e, struct yk_err *err)
{
    struct yk_stability s;
    enum yk_status st;

    if (e->coupling || e->stability == YK_WARN_UNSTABLE || !(e->integrator->caps & YK_INTEG_CONDITIONAL))
        return YK_OK;
    if ((st = yk_check_stability(e, NULL, &s, err)) || s.stable)
        return st;
    return yk_stability_words(e, &s, true, err);
}

/* What cannot be blamed on the settings ends the study. */
static enum yk_status refused(struct yk_outcome *o, enum yk_status st, const struct yk_err *why)
{
    if (st == YK_E_MEMORY)
        return st;
    o->status = "refused";
    if (asprintf(&o->reason, "%s", yk_err_line(why).text) >= 0)
        return YK_OK;
    o->reason = NULL;
    return YK_E_MEMORY;
}

static enum yk_status run_plan(const struct yk_plan *plan, const struct yk_reference *reference,
                               const char *const *names, size_t count, bool strict, struct yk_outcome *o,
                               struct yk_err *err)
{
    struct yk_run_settings settings = yk_run_defaults();
    struct yk_clock still = yk_clock_virtual(0);
    struct yk_run_control control = {0};
    struct yk_run_channels channels = {0};
    struct yk_run_result result = {0};
    struct yk_err why = {0};
    enum yk_status st = yk_run_channels(plan, &channels, &why);

    if (!asks_for_times(names, count))
        settings.clock = &still; /* to read the machine's takes a good part of a small step */
    settings.reference = reference;
    if (!st)
        st = yk_run(plan, &settings, NULL, &control, &result, &why);
    if (st) {
        if ((st = refused(o, st, &why)) && err)
            *err = why;
    } else {
        o->status = result.status == YK_OK ? "finished" : result.status == YK_E_DIVERGED ? "diverged" : "stopped";
        o->reason = *result.reason ? strdup(result.reason) : NULL;
        st = take_figures(plan, &channels, &result, names, count, strict, o->figures, err);
    }
    yk_run_result_free(&result);
    yk_run_channels_free(&channels);
    return st;
}

enum yk_status yk_study_run(struct yk_study_frame *frame, const char *const *settings, size_t count,
                            const char *const *results, size_t result_count, bool strict, struct yk_outcome *o,
                            struct yk_err *err)
{
    const struct yk_reference *reference = yk_study_frame_reference(frame, settings, count);
    struct yk_experiment *e = NULL;
    struct yk_plan *plan = NULL;
    struct yk_err why = {0};
    enum yk_status st;

    *o = (struct yk_outcome){.figures = malloc((result_count + 1) * sizeof *o->figures)};
    if (!o->figures)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < result_count; i++)
        o->figures[i] = NAN;
    if ((st = yk_experiment_set(frame->base, settings, count, &e, &why)) || (st = refuse_unstable(e, &why)) ||
        (st = reference ? yk_plan_create(&plan, e, 0, &why) : yk_plan_complete(&plan, e, &why))) {
        if ((st = refused(o, st, &why)) && err)
            *err = why;
    } else {
        st = run_plan(plan, reference, results, result_count, strict, o, err);
    }
    yk_plan_close(plan);
    yk_experiment_destroy(e);
    return st;
}

/* ---- default figures ---- */

static void list_results(const struct yk_experiment *e, FILE *out)
{
    size_t shown = 0;

    if (e->reference)
        fprintf(out, "errors.displacement_nrms%c", 0);
    for (size_t i = 0; e->station && i < yk_station_count(e->station); i++)
        fprintf(out, "tracking.%s.nrms%c", yk_station_name(e->station, i), 0);
    for (size_t k = 0; !e->station && k < e->substructure_count; k++)
        for (size_t i = 0; i < e->substructures[k].system->n && shown < MOST_PEAKS; i++, shown++)
            fprintf(out, "peaks.%s.%s.u%c", e->substructures[k].name, e->substructures[k].dofs[i], 0);
    fprintf(out, "energy.error_relative%c", 0);
}

char **yk_study_default_results(const struct yk_experiment *e, struct yk_err *err)
{
    char *text = NULL, **names = NULL;
    size_t size = 0, count = 0;
    FILE *out = open_memstream(&text, &size);

    if (out) {
        list_results(e, out);
        if (fclose(out) == 0)
            for (const char *p = text; p < text + size; p += strlen(p) + 1)
                count++;
    }
    if (count && (names = malloc((count + 1) * sizeof *names + size))) {
        char *copy = memcpy(names + count + 1, text, size);

        for (size_t i = 0; i < count; i++, copy += strlen(copy) + 1)
            names[i] = copy;
        names[count] = NULL;
    }
    free(text);
    if (!names)
        yk_fail(err, YK_E_MEMORY, "out of memory");
    return names;
}
