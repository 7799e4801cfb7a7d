/* What the runs of a study share: the experiment that was read, and a reference solution for each combination of the
 * varied settings that have a part in it, made when the first run needs it. */
#include "engine/reference.h"
#include "study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_KEPT 1e7 /* numbers of all references */
enum { MOST_KEPT = 1000 };

struct yk_kept_reference {
    char *settings; /* those that have a part in it */
    struct yk_experiment *e;
    struct yk_plan *plan;
    struct yk_reference *reference; /* NULL: it cannot be made; the runs tell why */
};

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
static double size_of(const struct yk_experiment *e)
{
    double size = 0;

    for (size_t k = 0; k < e->substructure_count; k++)
        size += 2 * (double)e->substructures[k].system->n * (double)(e->steps + 1);
    return size;
}

void yk_study_frame_open(struct yk_study_frame *f, const struct yk_experiment *base, const struct yk_design *d)
{
    double references = 1;

    *f = (struct yk_study_frame){.base = base, .lock = PTHREAD_MUTEX_INITIALIZER};
    for (size_t k = 0; k < d->count; k++) {
        f->matters[k] = !leaves_reference(d->vary[k].key);
        if (f->matters[k]) /* of a range every run has another value */
            references *= d->vary[k].count ? (double)d->vary[k].count : MOST_KEPT + 1;
    }
    if (base->reference && references <= MOST_KEPT && references * size_of(base) <= LARGEST_KEPT)
        f->kept = calloc((size_t)references, sizeof *f->kept);
}

static void free_kept(struct yk_kept_reference *k)
{
    if (k->reference)
        yk_reference_close(k->reference);
    free(k->reference);
    yk_plan_close(k->plan);
    yk_experiment_destroy(k->e);
    free(k->settings);
}

void yk_study_frame_close(struct yk_study_frame *f)
{
    for (size_t i = 0; i < f->count; i++)
        free_kept(&f->kept[i]);
    free(f->kept);
    pthread_mutex_destroy(&f->lock);
    *f = (struct yk_study_frame){0};
}

static void make(struct yk_kept_reference *k, const struct yk_study_frame *f, const char *const *settings, size_t count)
{
    if (yk_experiment_set(f->base, settings, count, &k->e, NULL) || size_of(k->e) > LARGEST_KEPT ||
        yk_plan_complete(&k->plan, k->e, NULL) || !yk_plan_reference(k->plan) ||
        !(k->reference = calloc(1, sizeof *k->reference)))
        return;
    if (yk_reference_open(k->reference, k->plan, true, NULL)) {
        yk_reference_close(k->reference);
        free(k->reference);
        k->reference = NULL;
    }
}

/* The settings that matter, one after the other; malloc'd. */
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

const struct yk_reference *yk_study_frame_reference(struct yk_study_frame *f, const char *const *settings, size_t count)
{
    const char *with[YK_STUDY_KEYS];
    struct yk_kept_reference *found = NULL;
    size_t matter = 0;
    char *text;

    for (size_t i = 0; i < count; i++)
        if (f->matters[i])
            with[matter++] = settings[i];
    if (!f->kept || !(text = join(with, matter)))
        return NULL;
    pthread_mutex_lock(&f->lock);
    for (size_t i = 0; i < f->count && !found; i++)
        found = strcmp(f->kept[i].settings, text) == 0 ? &f->kept[i] : NULL;
    if (!found) {
        found = &f->kept[f->count++];
        found->settings = text;
        text = NULL;
        make(found, f, with, matter);
    }
    pthread_mutex_unlock(&f->lock);
    free(text);
    return found->reference;
}
