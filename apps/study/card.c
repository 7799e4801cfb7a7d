/* The files of a study, and its card: study.json, which says what the table is of. */
#include "parts.h"
#include <yoke/file.h>
#include <yoke/json.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- files ---- */

char *yk_study_path(const char *folder, const char *name)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

enum yk_status yk_study_slurp(const char *path, char **text, struct yk_err *err)
{
    struct stat info;
    FILE *in = fopen(path, "re");

    *text = NULL;
    if (!in || fstat(fileno(in), &info) || !S_ISREG(info.st_mode)) {
        yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "cannot be read: %s", in ? "not a file" : strerror(errno));
        if (in)
            fclose(in);
        return YK_E_INPUT;
    }
    const size_t size = (size_t)info.st_size;

    if ((*text = malloc(size + 1)))
        (*text)[fread(*text, 1, size, in)] = 0;
    fclose(in);
    return *text ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

enum yk_status yk_study_write(const char *folder, const char *name, const char *text, struct yk_err *err)
{
    char *path = yk_study_path(folder, name), *part = NULL;
    FILE *out = NULL;
    bool good = false;
    enum yk_status st = YK_OK;

    if (path && asprintf(&part, "%s.part", path) >= 0 && (out = yk_file_create_stream(part))) {
        good = fputs(text, out) >= 0;
        good = fclose(out) == 0 && good && rename(part, path) == 0;
    }
    if (!good)
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path ? path : name), "cannot be written: %s", strerror(errno));
    free(part);
    free(path);
    return st;
}

/* ---- study.json ---- */

static json_t *texts(const char *const *words, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(words[i]));
    return list;
}

json_t *yk_card_describe(const struct yk_study *s)
{
    const char *const text = yk_variants_text(s->variants);
    char checksum[32];

    snprintf(checksum, sizeof checksum, "%016" PRIx64, yk_crc64(0, text, strlen(text)));
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:I, s:o, s:I, s:[I, I], s:o}", "study", 1, "build",
                     yk_build_id(), "file", s->file, "title", yk_variants_title(s->variants), "checksum", checksum,
                     "set", texts(s->set, s->set_count), "vary", texts(s->vary, s->design->count), "sample",
                     s->sample ? s->sample : "grid", "seed", (json_int_t)s->design->seed, "results",
                     texts(s->results, s->result_count), "runs", (json_int_t)s->design->runs, "shard",
                     (json_int_t)s->shard, (json_int_t)s->shards, "require", texts(s->require, s->bound_count));
}

enum yk_status yk_card_load(const char *folder, json_t **card, struct yk_err *err)
{
    char *path = yk_study_path(folder, "study.json"), *text = NULL;
    enum yk_status st = path ? yk_study_slurp(path, &text, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    *card = NULL;
    if (!st && (!(*card = yk_json_read_text(text)) || !json_is_integer(json_object_get(*card, "study")))) {
        json_decref(*card);
        *card = NULL;
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "this file does not describe a study");
    }
    free(text);
    free(path);
    return st;
}

const char *yk_card_difference(json_t *a, json_t *b, bool with_shard)
{
    const char *key;
    json_t *value;

    json_object_foreach(a, key, value) if ((with_shard || strcmp(key, "shard") != 0) &&
                                           !json_equal(value, json_object_get(b, key))) return key;
    return NULL;
}

enum yk_status yk_card_compare(const char *folder, json_t *was, json_t *is, struct yk_err *err)
{
    const char *key = yk_card_difference(is, was, true);

    if (!key)
        return YK_OK;
    char *old = json_dumps(json_object_get(was, key), JSON_ENCODE_ANY | JSON_COMPACT),
         *new = json_dumps(json_object_get(is, key), JSON_ENCODE_ANY | JSON_COMPACT);

    yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(folder),
               "the folder holds another study: %s was %.300s and is %.300s; choose another folder with -o, or replace "
               "the study with --force",
               key, old ? old : "nothing", new ? new : "nothing");
    free(old);
    free(new);
    return YK_E_INPUT;
}

enum yk_status yk_study_card(struct yk_study_card *c, const char *folder, struct yk_err *err)
{
    json_t *card;
    const enum yk_status st = yk_card_load(folder, &card, err);

    *c = (struct yk_study_card){0};
    if (st)
        return st;
    const char *sample = json_string_value(json_object_get(card, "sample")),
               *title = json_string_value(json_object_get(card, "title")),
               *file = json_string_value(json_object_get(card, "file"));
    const json_t *shard = json_object_get(card, "shard");

    c->keys = json_array_size(json_object_get(card, "vary"));
    c->runs = (size_t)json_integer_value(json_object_get(card, "runs"));
    c->shard = (size_t)json_integer_value(json_array_get(shard, 0));
    c->shards = (size_t)json_integer_value(json_array_get(shard, 1));
    snprintf(c->sample, sizeof c->sample, "%.*s", (int)strcspn(sample ? sample : "", ":"), sample ? sample : "");
    snprintf(c->title, sizeof c->title, "%s", title ? title : "");
    snprintf(c->file, sizeof c->file, "%s", file ? file : "");
    json_decref(card);
    return YK_OK;
}

enum yk_status yk_card_store(const char *folder, json_t *card, struct yk_err *err)
{
    char *text = json_dumps(card, JSON_INDENT(2)), *line = NULL;
    enum yk_status st = text && asprintf(&line, "%s\n", text) >= 0 ? yk_study_write(folder, "study.json", line, err)
                                                                   : yk_fail(err, YK_E_MEMORY, "out of memory");

    free(text);
    free(line);
    return st;
}
