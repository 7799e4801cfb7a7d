/* Recordings in folders. */
#include "catalogue.h"
#include "feed.h"

#include <yoke/json.h>

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST = 500 };

enum yk_status yk_catalogue_open(struct yk_catalogue *c, const char *const *folders, size_t count, struct yk_err *err)
{
    *c = (struct yk_catalogue){.folders = calloc(count + 1, sizeof *c->folders)};
    if (!c->folders)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        if (!(c->folders[i] = realpath(folders[i], NULL))) {
            yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(folders[i]), "cannot be opened: %s", strerror(errno));
            yk_catalogue_close(c);
            return YK_E_INPUT;
        }
    return YK_OK;
}

static void drop(struct yk_listed *l)
{
    free(l->id);
    free(l->name);
    free(l->title);
    free(l->started);
    free(l->folder);
    free(l->state);
}

void yk_catalogue_close(struct yk_catalogue *c)
{
    for (size_t i = 0; i < c->count; i++)
        drop(&c->items[i]);
    for (char **f = c->folders; f && *f; f++)
        free(*f);
    free(c->items);
    free(c->folders);
    *c = (struct yk_catalogue){0};
}

static char *text_of(const struct yk_recording *r, const char *name)
{
    const char *text = r ? yk_recording_text(r, name) : NULL;

    return strdup(text ? text : "");
}

static char *state_of(const struct yk_recording *r)
{
    const char *summary = r ? yk_recording_text(r, "summary") : NULL;
    json_t *json = yk_json_read_text(summary);
    char *copy = strdup(yk_recorded_state(json));

    json_decref(json);
    return copy;
}

/* "frame/2026-11-15T18-40-12": the last two parts of the folder. */
static char *name_of(const char *folder)
{
    const char *last = strrchr(folder, '/'), *at = last;

    while (at && at > folder && at[-1] != '/')
        at--;
    return strdup(at ? at : folder);
}

static bool read_one(struct yk_listed *l, const char *path)
{
    struct yk_recording *r = NULL;

    yk_recording_open(&r, path, NULL); /* an unreadable one is listed all the same */
    l->title = text_of(r, "title");
    l->started = text_of(r, "date");
    l->state = state_of(r);
    yk_recording_close(r);
    if (!(l->folder = strdup(path)))
        return false;
    *strrchr(l->folder, '/') = 0;
    l->name = name_of(l->folder);
    return asprintf(&l->id, "recording:%s", l->folder) >= 0 && l->name && l->title && l->started && l->state;
}

static int newest_first(const void *a, const void *b)
{
    const long long x = ((const struct yk_listed *)a)->changed, y = ((const struct yk_listed *)b)->changed;

    return (x < y) - (x > y);
}

/* An entry that is known and unchanged, taken out of the old list; or a new one. */
static struct yk_listed entry_of(struct yk_catalogue *old, const char *path, long long changed)
{
    struct yk_listed l = {.changed = changed};
    const size_t length = strlen(path) - strlen("/run.h5");

    for (size_t i = 0; i < old->count; i++)
        if (old->items[i].folder && old->items[i].changed == changed && strlen(old->items[i].folder) == length &&
            strncmp(old->items[i].folder, path, length) == 0) {
            l = old->items[i];
            old->items[i] = (struct yk_listed){0};
            return l;
        }
    if (!read_one(&l, path)) {
        drop(&l);
        l = (struct yk_listed){0};
    }
    return l;
}

static void glob_under(glob_t *found, const char *folder)
{
    static const char *const patterns[] = {"run.h5", "*/run.h5", "*/*/run.h5"};

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        char *pattern = NULL;

        if (asprintf(&pattern, "%s/%s", folder, patterns[i]) >= 0)
            glob(pattern, found->gl_pathv ? GLOB_APPEND : 0, NULL, found);
        free(pattern);
    }
}

/* The files that a glob found, by the time of their last change; "latest" is a link to another one of them. */
static size_t order(const glob_t *found, struct yk_listed *items)
{
    size_t count = 0;

    for (size_t i = 0; i < found->gl_pathc; i++) {
        struct stat info;

        if (strstr(found->gl_pathv[i], "/latest/run.h5") || stat(found->gl_pathv[i], &info) || !S_ISREG(info.st_mode))
            continue;
        items[count].name = found->gl_pathv[i]; /* the path, for now */
        items[count++].changed = (long long)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    }
    qsort(items, count, sizeof *items, newest_first);
    return count < MOST ? count : MOST;
}

void yk_catalogue_refresh(struct yk_catalogue *c)
{
    struct yk_catalogue old = {.items = c->items, .count = c->count};
    struct yk_listed *items;
    glob_t found = {0};

    for (char **f = c->folders; f && *f; f++)
        glob_under(&found, *f);
    if ((items = calloc(found.gl_pathc + 1, sizeof *items))) {
        const size_t count = order(&found, items);

        c->items = items;
        c->count = 0;
        for (size_t i = 0; i < count; i++) {
            const struct yk_listed l = entry_of(&old, items[i].name, items[i].changed);

            if (l.id && !yk_catalogue_find(c, l.id))
                c->items[c->count++] = l;
            else
                drop((struct yk_listed *)&l);
        }
        yk_catalogue_close(&old);
    }
    globfree(&found);
}

const struct yk_listed *yk_catalogue_find(const struct yk_catalogue *c, const char *id)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->items[i].id, id) == 0)
            return &c->items[i];
    return NULL;
}
