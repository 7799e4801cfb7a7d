/* One experiment with many settings (yoke/variants.h). The runs share the experiment that was read, and a reference
 * solution for each combination of the varied settings that have a part in it, made when the first run needs it. */
#include "analyze/analyze.h"
#include "engine/engine.h"
#include "engine/reference.h"
#include "state/state.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/variants.h>

#define LARGEST_KEPT 1e7 /* numbers of all references */
enum { MOST_KEPT = 1000, MOST_PEAKS = 8 };

struct kept_reference {
    char *settings; /* those that have a part in it */
    struct yk_model *model;
    struct yk_reference *reference; /* NULL: it cannot be made; the runs tell why */
};

struct yk_variants {
    struct yk_model *base;
    char **with;                 /* keys that have a part in the reference; NULL at the end */
    pthread_mutex_t lock;        /* of what follows */
    struct kept_reference *kept; /* NULL: runs make their own */
    size_t count, room;
};

/* ---- references ---- */

/* The reference is of the untorn structure with models instead of specimens, by a method of its own: these
 * sections have no part in it. */
static bool leaves_reference(const char *key)
{
    static const char *const sections[] = {"method.", "transfer.", "limits.", "record.", "rig.actuators."};

    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strncmp(key, sections[i], strlen(sections[i])) == 0)
            return strcmp(key, "method.path") != 0; /* how its equations are solved, too */
    return false;
}

/* Numbers of one reference. */
static double size_of(const struct yk_model *model)
{
    double size = 0;

    for (size_t k = 0; k < model->substructure_count; k++)
        size += 2 * (double)model->substructures[k].system->n * (double)(model->steps + 1);
    return size;
}

enum yk_status yk_variants_announce(struct yk_variants *v, const char *const *keys, const size_t *values, size_t count,
                                    struct yk_err *err)
{
    double references = 1;
    size_t matter = 0;

    if (!v->base->reference)
        return YK_OK;
    if (!(v->with = calloc(count + 1, sizeof *v->with)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < count; k++) {
        if (leaves_reference(keys[k]))
            continue;
        if (!(v->with[matter++] = strdup(keys[k])))
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        references *= values[k] ? (double)values[k] : MOST_KEPT + 1;
    }
    if (references <= MOST_KEPT && references * size_of(v->base) <= LARGEST_KEPT)
        v->kept = calloc(v->room = (size_t)references, sizeof *v->kept);
    return YK_OK;
}

static void free_kept(struct kept_reference *k)
{
    if (k->reference)
        yk_reference_close(k->reference);
    free(k->reference);
    yk_model_close(k->model);
    free(k->settings);
}

static void make_reference(struct kept_reference *k, const struct yk_variants *v, const char *const *settings,
                           size_t count)
{
    if (yk_model_with_settings(v->base, settings, count, &k->model, NULL) || size_of(k->model) > LARGEST_KEPT ||
        yk_model_complete(k->model, NULL) || !yk_model_reference(k->model) ||
        !(k->reference = calloc(1, sizeof *k->reference)))
        return;
    if (yk_reference_open(k->reference, k->model, true, NULL)) {
        yk_reference_close(k->reference);
        free(k->reference);
        k->reference = NULL;
    }
}

static bool has_a_part(const struct yk_variants *v, const char *setting)
{
    for (char **with = v->with; *with; with++)
        if (strncmp(setting, *with, strlen(*with)) == 0 && setting[strlen(*with)] == '=')
            return true;
    return false;
}

/* Settings one after the other, malloc'd. */
static char *join(const char *const *settings, size_t count)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s\n", settings[i]);
    return fclose(out) ? NULL : text;
}

/* The reference of a run, made ahead. NULL: there is none, it cannot be made, or there are too many of them to keep; it
 * is then left to the run. */
static const struct yk_reference *reference_of(struct yk_variants *v, const char *const *settings, size_t count)
{
    const char **with = v->kept ? calloc(count + 1, sizeof *with) : NULL;
    struct kept_reference *found = NULL;
    size_t matter = 0;
    char *text = NULL;

    for (size_t i = 0; with && i < count; i++)
        if (has_a_part(v, settings[i]))
            with[matter++] = settings[i];
    if (with && (text = join(with, matter))) {
        pthread_mutex_lock(&v->lock);
        for (size_t i = 0; i < v->count && !found; i++)
            found = strcmp(v->kept[i].settings, text) == 0 ? &v->kept[i] : NULL;
        if (!found && v->count < v->room) {
            found = &v->kept[v->count++];
            found->settings = text;
            text = NULL;
            make_reference(found, v, with, matter);
        }
        pthread_mutex_unlock(&v->lock);
    }
    free(text);
    free(with);
    return found ? found->reference : NULL;
}

/* ---- the experiment ---- */

enum yk_status yk_variants_open(struct yk_variants **variants, const struct yk_model_source *source, struct yk_err *err)
{
    struct yk_model_source virtual = *source;
    struct yk_variants *v = calloc(1, sizeof *v);
    enum yk_status st;

    *variants = NULL;
    if (!v)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    virtual.rehearse = true;
    if ((st = yk_model_load_source(&v->base, &virtual, err))) {
        free(v);
        return st;
    }
    pthread_mutex_init(&v->lock, NULL);
    *variants = v;
    return YK_OK;
}

void yk_variants_close(struct yk_variants *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->count; i++)
        free_kept(&v->kept[i]);
    free(v->kept);
    for (size_t i = 0; v->with && v->with[i]; i++)
        free(v->with[i]);
    free(v->with);
    pthread_mutex_destroy(&v->lock);
    yk_model_close(v->base);
    free(v);
}

const char *yk_variants_title(const struct yk_variants *v)
{
    return v->base->title;
}

const char *yk_variants_text(const struct yk_variants *v)
{
    return v->base->text;
}

const char *yk_variants_note(const struct yk_variants *v, size_t k)
{
    return k < v->base->notes->count ? v->base->notes->items[k] : NULL;
}

static void list_results(const struct yk_model *model, FILE *out)
{
    size_t shown = 0;

    if (model->reference)
        fprintf(out, "errors.displacement_nrms%c", 0);
    for (size_t i = 0; model->station && i < yk_station_count(model->station); i++)
        fprintf(out, "tracking.%s.nrms%c", yk_station_name(model->station, i), 0);
    for (size_t k = 0; !model->station && k < model->substructure_count; k++)
        for (size_t i = 0; i < model->substructures[k].system->n && shown < MOST_PEAKS; i++, shown++)
            fprintf(out, "peaks.%s.%s.u%c", model->substructures[k].name, model->substructures[k].dofs[i], 0);
    fprintf(out, "energy.error_relative%cverdict.grade%c", 0, 0);
}

char **yk_variants_results(const struct yk_variants *v, struct yk_err *err)
{
    char *text = NULL, **names = NULL;
    size_t size = 0, count = 0;
    FILE *out = open_memstream(&text, &size);

    if (out) {
        list_results(v->base, out);
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

/* ---- a run ---- */

void yk_varied_free(struct yk_varied *variant)
{
    free(variant->reason);
    free(variant->summary);
    *variant = (struct yk_varied){0};
}

/* Delay margin of the loop [s]. Without a budget, so that it does not depend on the machine. */
static enum yk_status find_margin(const struct yk_model *model, double *margin, struct yk_err *err)
{
    const struct yk_judging how = {.margin = true, .no_model = true};
    struct yk_margin m;
    enum yk_status st;

    if (!model->station || !yk_model_is_hybrid(model))
        return YK_OK;
    if (!(st = yk_hybrid_judge(model, &how, &m, err)))
        *margin = m.verdict == YK_LOOP_STABLE ? m.margin_s : m.verdict == YK_LOOP_UNSTABLE ? 0 : NAN;
    return st;
}

/* A step beyond the limit of a conditionally stable integrator, where the file does not allow it. */
static enum yk_status refuse_unstable(const struct yk_model *model, struct yk_err *err)
{
    struct yk_stability s;
    enum yk_status st;

    if (model->coupling || model->stability == YK_WARN_UNSTABLE || !(model->integrator->caps & YK_INTEG_CONDITIONAL))
        return YK_OK;
    if ((st = yk_check_stability(model, &s, err)) || s.stable)
        return st;
    return yk_stability_words(model, &s, true, err);
}

static enum yk_status refused(struct yk_varied *variant, enum yk_status st, const struct yk_err *why,
                              struct yk_err *err)
{
    if (err)
        *err = *why;
    if (st == YK_E_MEMORY)
        return st;
    variant->status = "refused";
    if (asprintf(&variant->reason, "%s", yk_err_line(why).text) >= 0)
        return YK_OK;
    variant->reason = NULL;
    return yk_fail(err, YK_E_MEMORY, "out of memory");
}

static enum yk_status run_plan(const struct yk_model *model, const struct yk_reference *reference,
                               const struct yk_varied_wish *wish, struct yk_varied *variant, struct yk_err *err)
{
    struct yk_run_settings settings = yk_run_defaults();
    struct yk_clock still = yk_clock_virtual(0);
    struct yk_run_control control = {0};
    struct yk_run_channels channels = {0};
    struct yk_run_result result = {0};
    struct yk_err why = {0};
    enum yk_status st = yk_run_channels(model, &channels, &why);

    if (!wish->times)
        settings.clock = &still; /* to read the machine's takes a good part of a small step */
    settings.reference = reference;
    if (!st)
        st = yk_run(model, &settings, NULL, &control, &result, &why);
    if (st) {
        st = refused(variant, st, &why, err);
    } else {
        variant->status = result.status == YK_OK ? "finished" : result.status == YK_E_DIVERGED ? "diverged" : "stopped";
        variant->reason = *result.reason ? strdup(result.reason) : NULL;
        if (!(variant->summary = yk_run_summary(model, &channels, &result)))
            st = yk_fail(err, YK_E_MEMORY, "out of memory for the summary");
        else if (wish->margin)
            st = find_margin(model, &variant->margin_s, err);
    }
    yk_run_result_free(&result);
    yk_run_channels_free(&channels);
    return st;
}

enum yk_status yk_variants_run(struct yk_variants *v, const char *const *settings, size_t count,
                               const struct yk_varied_wish *wish, struct yk_varied *variant, struct yk_err *err)
{
    static const struct yk_varied_wish none = {0};
    const struct yk_reference *reference = reference_of(v, settings, count);
    struct yk_model *model = NULL;
    struct yk_err why = {0};
    enum yk_status st;

    *variant = (struct yk_varied){.margin_s = NAN};
    if ((st = yk_model_with_settings(v->base, settings, count, &model, &why)) || (st = refuse_unstable(model, &why)) ||
        (st = reference ? yk_model_prepare(model, 0, &why) : yk_model_complete(model, &why)))
        st = refused(variant, st, &why, err);
    else
        st = run_plan(model, reference, wish ? wish : &none, variant, err);
    yk_model_close(model);
    return st;
}
