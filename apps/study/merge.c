/* The shards of a study, made on several machines, become one table. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct shard {
    json_t *card;
    char *text, *at; /* its table, and the row that is next */
};

/* The header, then the next row of each shard in turn. */
static enum yk_status interleave(struct shard *all, size_t count, size_t runs, char **merged, struct yk_err *err)
{
    size_t size, turn = 0;
    FILE *out = open_memstream(merged, &size);

    if (!out)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < count; k++)
        all[k].at = all[k].text + strcspn(all[k].text, "\n");
    fwrite(all[0].text, 1, (size_t)(all[0].at - all[0].text), out);
    for (size_t run = 0; run < runs; run++, turn = turn + 1 < count ? turn + 1 : 0) {
        struct shard *s = &all[turn]; /* it stands at the end of a line */
        char *end = *s->at ? strchr(s->at + 1, '\n') : NULL;

        if (!end || strtoul(s->at + 1, NULL, 10) != run) {
            fclose(out);
            return yk_fail(err, YK_E_INPUT,
                           "shard %zu/%zu is not complete: run %zu is missing; run `yoke study` for this shard again",
                           turn + 1, count, run);
        }
        fwrite(s->at, 1, (size_t)(end - s->at), out);
        s->at = end;
    }
    fputc('\n', out);
    return fclose(out) ? yk_fail(err, YK_E_MEMORY, "out of memory") : YK_OK;
}

/* Puts the shard of a folder in its place. */
static enum yk_status take_shard(struct shard *all, size_t count, const char *folder, json_t **first,
                                 struct yk_err *err)
{
    struct yk_study_card c;
    json_t *card;
    char *path = NULL;
    enum yk_status st;

    if ((st = yk_study_card(&c, folder, err)) || (st = yk_card_load(folder, &card, err)))
        return st;
    const char *key = *first ? yk_card_difference(*first, card, false) : NULL;

    if (key)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(folder), "this is a shard of another study: its %s differs", key);
    else if (c.shards != count || c.shard < 1 || c.shard > count)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(folder), "this is shard %zu/%zu, but %zu folders were given",
                        c.shard, c.shards, count);
    else if (all[c.shard - 1].card)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(folder), "shard %zu/%zu was given twice", c.shard, c.shards);
    else if (!(path = yk_study_path(folder, "table.csv")))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (!(st = yk_study_slurp(path, &all[c.shard - 1].text, err)))
        all[c.shard - 1].card = json_incref(card);
    *first = *first || st ? *first : json_incref(card);
    json_decref(card);
    free(path);
    return st;
}

enum yk_status yk_study_merge(const char *const *folders, size_t count, const char *to, bool force, struct yk_err *err)
{
    struct shard *all = calloc(count + 1, sizeof *all);
    char *merged = NULL, *there = yk_study_path(to, "study.json");
    json_t *card = NULL;
    enum yk_status st = all && there ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && count == 0)
        st = yk_fail(err, YK_E_INPUT, "there are no shards to merge");
    if (!st && !force && access(there, F_OK) == 0)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(to), "the folder holds a study already; --force replaces it");
    for (size_t k = 0; k < count && !st; k++)
        st = take_shard(all, count, folders[k], &card, err);
    if (!st && count > 0)
        st = interleave(all, count, (size_t)json_integer_value(json_object_get(card, "runs")), &merged, err);
    if (!st) {
        json_object_set_new(card, "shard", json_pack("[i, i]", 1, 1));
        if (!(st = yk_study_write(to, "table.csv", merged, err)))
            st = yk_card_store(to, card, err);
    }
    for (size_t k = 0; all && k < count; k++) {
        json_decref(all[k].card);
        free(all[k].text);
    }
    json_decref(card);
    free(merged);
    free(there);
    free(all);
    return st;
}
