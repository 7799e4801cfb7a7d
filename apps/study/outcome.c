/* One run of a study: a variant of the experiment, and the figures that were asked for. */
#include "study.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/json.h>

#define MARGIN "margin" /* the one result that is not in the summary */

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

/* ---- a run ---- */

static bool asks_for_times(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(names[i], "timing.", 7) == 0 || strncmp(names[i], "stages.", 7) == 0)
            return true;
    return false;
}

static bool asks_for_margin(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], MARGIN) == 0)
            return true;
    return false;
}

static enum yk_status take_figures(const struct yk_varied *variant, const char *const *names, size_t count, bool strict,
                                   double *figures, struct yk_err *err)
{
    json_t *summary = yk_json_read_text(variant->summary);
    enum yk_status st = summary ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for the summary");

    for (size_t i = 0; i < count && !st; i++)
        if (strcmp(names[i], MARGIN) == 0)
            figures[i] = variant->margin_s;
        else
            st = take_figure(summary, names[i], strict, &figures[i], err);
    json_decref(summary);
    return st;
}

enum yk_status yk_study_run(struct yk_variants *variants, const char *const *settings, size_t count,
                            const char *const *results, size_t result_count, bool strict, struct yk_outcome *o,
                            struct yk_err *err)
{
    const struct yk_varied_wish wish = {.margin = asks_for_margin(results, result_count),
                                        .times = asks_for_times(results, result_count)};
    struct yk_varied variant;
    enum yk_status st;

    *o = (struct yk_outcome){.figures = malloc((result_count + 1) * sizeof *o->figures)};
    if (!o->figures)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < result_count; i++)
        o->figures[i] = NAN;
    if (!(st = yk_variants_run(variants, settings, count, &wish, &variant, err)) && variant.summary)
        st = take_figures(&variant, results, result_count, strict, o->figures, err);
    o->status = variant.status;
    o->reason = variant.reason;
    variant.reason = NULL;
    yk_varied_free(&variant);
    return st;
}
