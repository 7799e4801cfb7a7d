/* Execution of a study: its runs on several threads and processes, rows in order, a search. Its description: card.c;
 * merging of shards: merge.c. */
#include "parts.h"
#include <yoke/mpi.h>
#include <yoke/parallel.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { TRIES = 32 }; /* runs that may be refused before the study is */

/* ---- runs ---- */

struct work {
    struct yk_study s;
    size_t all, before; /* runs of this shard; in the table when it began */
    FILE *table;
    struct yk_outcome tried[TRIES]; /* of runs that were made before the study began */
    size_t tried_run[TRIES], tried_count;
    bool strict;

    pthread_mutex_t lock; /* of what follows */
    size_t handed;        /* runs that somebody makes or made, beyond `before` */
    size_t next;          /* row that is due */
    char **rows;          /* complete, and waiting for earlier ones; by place - before */
    enum yk_status status;
    struct yk_err err;
    atomic_bool over;
};

static size_t run_at(const struct yk_study *s, size_t place)
{
    return s->shard - 1 + place * s->shards;
}

/* "key=value" of every key of a run; values and settings are malloc'd. */
static bool settings_of(const struct yk_design *d, size_t run, char **values, char **settings)
{
    bool good = true;

    for (size_t k = 0; k < d->count; k++) {
        settings[k] = NULL;
        values[k] = yk_design_value(d, run, k);
        if (!values[k] || asprintf(&settings[k], "%s=%s", d->vary[k].key, values[k]) < 0) {
            settings[k] = NULL;
            good = false;
        }
    }
    return good;
}

static void free_texts(char **list, size_t count)
{
    for (size_t k = 0; k < count; k++)
        free(list[k]);
}

static enum yk_status make_run(struct work *w, size_t run, bool strict, struct yk_outcome *o, struct yk_err *err)
{
    const struct yk_study *s = &w->s;
    char *values[YK_STUDY_KEYS], *settings[YK_STUDY_KEYS];
    enum yk_status st = settings_of(s->design, run, values, settings)
                            ? yk_study_run(s->variants, (const char *const *)settings, s->design->count, s->results,
                                           s->result_count, strict, o, err)
                            : yk_fail(err, YK_E_MEMORY, "out of memory");

    free_texts(values, s->design->count);
    free_texts(settings, s->design->count);
    return st;
}

/* A run that came to its end but does not keep a bound. */
static void judge_bounds(const struct yk_study *s, struct yk_outcome *o)
{
    for (size_t i = 0; i < s->bound_count && strcmp(o->status, "finished") == 0; i++) {
        const struct yk_bound *b = &s->bounds[i];
        const double x = o->figures[b->result];

        if (b->at_least ? x >= b->value : x <= b->value)
            continue;
        o->status = "out of bounds";
        free(o->reason);
        if (asprintf(&o->reason, "%s = %g is not %s %g", s->results[b->result], x,
                     b->at_least ? ">=" : "<=", b->value) < 0)
            o->reason = NULL;
    }
}

static double cost_of(const struct yk_study *s, const char *status, double figure)
{
    return strcmp(status, "finished") == 0 && !isnan(figure) ? yk_result_cost(s->results[0], figure) : NAN;
}

/* value: cost that a search minimizes; NAN if the run gives none. */
static enum yk_status make_row(struct work *w, size_t run, char **row, double *value, struct yk_err *err)
{
    const struct yk_design *d = w->s.design;
    char *values[YK_STUDY_KEYS], *settings[YK_STUDY_KEYS];
    struct yk_outcome own = {0}, *o = NULL;
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < w->tried_count; i++)
        o = w->tried_run[i] == run ? &w->tried[i] : o;
    if (!o) {
        o = &own;
        st = make_run(w, run, false, o, err);
    }
    if (!st) {
        judge_bounds(&w->s, o);
        *value = cost_of(&w->s, o->status, o->figures[0]);
    }
    if (!st &&
        (!settings_of(d, run, values, settings) || !(*row = yk_csv_row(run, d->count, values, w->s.result_count, o))))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st) {
        free_texts(values, d->count);
        free_texts(settings, d->count);
    }
    yk_outcome_free(&own);
    return st;
}

static void fail(struct work *w, enum yk_status st, const struct yk_err *err)
{
    if (!w->status) {
        w->status = st;
        w->err = *err;
    }
    atomic_store(&w->over, true);
}

/* Rows go to the table in the order of their numbers, each as soon as those before it are there. */
static void commit(struct work *w, size_t place, char *row)
{
    struct yk_err err = {0};

    w->rows[place - w->before] = row;
    while (w->next < w->all && w->rows[w->next - w->before]) {
        char **due = &w->rows[w->next - w->before];

        if (fputs(*due, w->table) < 0)
            break;
        free(*due);
        *due = NULL;
        w->next++;
    }
    if (fflush(w->table))
        fail(w, yk_fail(&err, YK_E_IO, "the table cannot be written: %s", strerror(errno)), &err);
    if (w->s.progress)
        w->s.progress(w->s.progress_self, w->next, w->before, w->all);
}

/* ---- who makes them: threads, and the other processes of mpirun ---- */

static bool hand_out(void *self, size_t *place)
{
    struct work *w = self;

    pthread_mutex_lock(&w->lock);
    const bool more = !atomic_load(&w->over) && w->before + w->handed < w->all;

    *place = more ? w->before + w->handed++ : SIZE_MAX;
    pthread_mutex_unlock(&w->lock);
    return more;
}

static void take_in(void *self, size_t place, enum yk_status st, char *text)
{
    struct work *w = self;
    struct yk_err err = {0};

    pthread_mutex_lock(&w->lock);
    if (st)
        fail(w, yk_fail(&err, st, "%s", text ? text : "out of memory"), &err);
    else if (!text)
        fail(w, yk_fail(&err, YK_E_MEMORY, "out of memory"), &err);
    else
        commit(w, place, text);
    pthread_mutex_unlock(&w->lock);
    if (st)
        free(text);
}

static enum yk_status make_place(void *self, size_t place, char **row, struct yk_err *err)
{
    struct work *w = self;
    double value;

    return make_row(w, run_at(&w->s, place), row, &value, err);
}

static void make_runs(void *self, size_t thread)
{
    struct work *w = self;
    size_t place;

    while (hand_out(w, &place)) {
        struct yk_err err = {0};
        char *row = NULL;
        const enum yk_status st = make_place(w, place, &row, &err);

        if (st && asprintf(&row, "%s", yk_err_line(&err).text) < 0)
            row = NULL;
        take_in(w, place, st, row);
    }
}

static void *serve(void *self)
{
    yk_ranks_serve(&(struct yk_rank_work){self, hand_out, take_in});
    return NULL;
}

static void share_out(struct work *w)
{
    pthread_t server;
    const bool others = yk_mpi_size() > 1, served = others && pthread_create(&server, NULL, serve, w) == 0;

    if (w->s.jobs > 0)
        yk_parallel((size_t)w->s.jobs, w->s.jobs, make_runs, w);
    if (served)
        pthread_join(server, NULL);
    else if (others)
        serve(w);
}

/* ---- a search ---- */

struct tuning {
    struct work *w;
    struct yk_table before; /* rows of an earlier call, which are not made again */
    size_t run;
};

static bool is_same_run(const struct yk_design *d, size_t run, char *const *values)
{
    bool same = true;

    for (size_t k = 0; k < d->count; k++) {
        char *value = yk_design_value(d, run, k);

        same = same && value && strcmp(value, values[k]) == 0;
        free(value);
    }
    return same;
}

/* The next run, at a point that the search chose. */
static double value_at(void *self, const double *x)
{
    struct tuning *tuning = self;
    struct work *w = tuning->w;
    const struct yk_design *d = w->s.design;
    const struct yk_table *before = &tuning->before;
    const size_t run = tuning->run;
    double value = NAN;
    struct yk_err err = {0};
    char *row = NULL;

    if (run >= w->all || atomic_load(&w->over))
        return NAN;
    tuning->run++;
    memcpy(d->points + run * d->count, x, d->count * sizeof *x);
    if (run < before->rows && is_same_run(d, run, before->values[run]))
        return cost_of(&w->s, before->status[run], before->figures[run * before->results]);
    if (run < before->rows) {
        fail(w,
             yk_fail(&err, YK_E_INPUT,
                     "run %zu of the table does not belong to this search; --force replaces the table", run),
             &err);
        return NAN;
    }
    const enum yk_status st = make_row(w, run, &row, &value, &err);

    if (st)
        fail(w, st, &err);
    else
        commit(w, run, row);
    return value;
}

static enum yk_status tune(struct work *w, struct yk_err *err)
{
    struct tuning tuning = {.w = w};
    enum yk_status st = YK_OK;

    if (w->before)
        st = yk_table_read(&tuning.before, w->s.folder, w->s.design->count, err);
    if (!st)
        st = yk_search(w->s.design->count, w->all, value_at, &tuning, err);
    yk_table_free(&tuning.before);
    return st;
}

/* Runs spread over the design, until one is not refused: settings that no run takes are a mistake, as are results that
 * the summary does not have. */
static enum yk_status try_runs(struct work *w, struct yk_err *err)
{
    const size_t most = w->s.design->sampling == YK_SAMPLE_TUNE ? 1 : TRIES, tries = w->all < most ? w->all : most;

    for (size_t i = 0; i < tries; i++) {
        struct yk_outcome *o = &w->tried[i];
        const size_t run = run_at(&w->s, i * w->all / tries);
        const enum yk_status st = make_run(w, run, w->strict, o, err);

        w->tried_run[i] = run;
        w->tried_count = i + 1;
        if (st)
            return st;
        if (strcmp(o->status, "refused") != 0)
            return YK_OK;
    }
    return yk_fail(err, YK_E_INPUT, "%s; %zu of %zu runs were tried, and all of them were refused", w->tried[0].reason,
                   tries, w->all);
}

/* ---- the table during the study ---- */

/* Rows that are complete; what a kill left of another one is cut off. */
static enum yk_status count_rows(struct work *w, const char *path, const char *header, struct yk_err *err)
{
    char *text, *end;
    enum yk_status st = yk_study_slurp(path, &text, err);

    if (st)
        return st;
    end = strrchr(text, '\n');
    const size_t kept = end ? (size_t)(end - text) + 1 : 0, head = strlen(header);

    text[kept] = 0;
    if (kept > 0 && strncmp(text, header, head) != 0) {
        free(text);
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path),
                          "this is not the table of this study; --force replaces it");
    }
    size_t rows = 0;

    for (const char *p = kept ? text + head : text; *p && !st; p = strchr(p, '\n') + 1, rows++)
        if (!yk_csv_is_whole(p, strcspn(p, "\n")))
            st = yk_table_damaged(path, rows + 2, err);
        else if (rows >= w->all || strtoul(p, NULL, 10) != run_at(&w->s, rows))
            st = yk_fail_at(err, YK_E_INPUT, (struct yk_where){path, (int)rows + 2, 1},
                            "run %zu is expected in this row", run_at(&w->s, rows));
    w->before = w->next = rows;
    free(text);
    if (!st &&
        (fseek(w->table, 0, SEEK_SET) || ftruncate(fileno(w->table), (off_t)kept) ||
         fseek(w->table, (long)kept, SEEK_SET) || (kept == 0 && fputs(header, w->table) < 0) || fflush(w->table)))
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", strerror(errno));
    return st;
}

/* One process at a time works on a table. */
static enum yk_status open_table(struct work *w, bool anew, struct yk_err *err)
{
    char *path = yk_study_path(w->s.folder, "table.csv"), *header = yk_csv_header(&w->s);
    enum yk_status st = YK_OK;
    int fd = -1;

    if (!path || !header)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if ((fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) >= 0 && flock(fd, LOCK_EX | LOCK_NB))
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "another process is working on this study");
    else if (fd < 0 || !(w->table = fdopen(fd, "r+")) || (anew && ftruncate(fd, 0)))
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", strerror(errno));
    if (!w->table && fd >= 0)
        close(fd);
    if (!st)
        st = count_rows(w, path, header, err);
    free(path);
    free(header);
    return st;
}

/* The study of the folder: a new one, after a trial, or the one that is there. */
static enum yk_status take_folder(struct work *w, struct yk_err *err)
{
    char *path = yk_study_path(w->s.folder, "study.json");
    json_t *is = yk_card_describe(&w->s), *was = NULL;
    const bool known = path && access(path, F_OK) == 0 && !w->s.force;
    enum yk_status st = path && is ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && known) {
        if (!(st = yk_card_load(w->s.folder, &was, err)) && !(st = yk_card_compare(w->s.folder, was, is, err)))
            st = open_table(w, false, err);
    } else if (!st && !(st = try_runs(w, err)) && !(st = open_table(w, w->s.force, err))) {
        st = w->before ? yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(w->s.folder),
                                    "the folder has a table.csv with rows, but no study.json that describes them; "
                                    "--force replaces the table")
                       : yk_card_store(w->s.folder, is, err);
    }
    json_decref(was);
    json_decref(is);
    free(path);
    return st;
}

/* Runs share the reference solutions that do not depend on what is varied; of a range every run has another value. */
static enum yk_status announce(const struct yk_study *study, struct yk_err *err)
{
    const char *keys[YK_STUDY_KEYS];
    size_t values[YK_STUDY_KEYS];

    for (size_t k = 0; k < study->design->count; k++) {
        keys[k] = study->design->vary[k].key;
        values[k] = study->design->vary[k].count;
    }
    return yk_variants_announce(study->variants, keys, values, study->design->count, err);
}

static enum yk_status open_work(struct work *w, const struct yk_study *study, char ***fallback, struct yk_err *err)
{
    *w = (struct work){.s = *study, .strict = study->result_count > 0, .lock = PTHREAD_MUTEX_INITIALIZER};
    *fallback = NULL;
    if (study->shard < 1 || study->shard > study->shards || study->shards > study->design->runs)
        return yk_fail(err, YK_E_RANGE, "shard %zu/%zu: i/n with 1 <= i <= n and n of 1 .. %zu runs is expected",
                       study->shard, study->shards, study->design->runs);
    w->all = (study->design->runs - study->shard) / study->shards + 1;
    if (!w->strict) {
        if (!(*fallback = yk_variants_results(study->variants, err)))
            return YK_E_MEMORY;
        w->s.results = (const char *const *)*fallback;
        while ((*fallback)[w->s.result_count])
            w->s.result_count++;
    }
    return announce(study, err);
}

static void close_work(struct work *w, char **fallback)
{
    for (size_t i = 0; w->rows && i < w->all - w->before; i++)
        free(w->rows[i]);
    for (size_t i = 0; i < w->tried_count; i++)
        yk_outcome_free(&w->tried[i]);
    free(w->rows);
    free(fallback);
    pthread_mutex_destroy(&w->lock);
}

enum yk_status yk_study_make(const struct yk_study *study, struct yk_err *err)
{
    struct work w;
    char **fallback;
    bool shared = false;
    enum yk_status st = open_work(&w, study, &fallback, err);

    if (!st && !(st = take_folder(&w, err))) {
        if (!(w.rows = calloc(w.all - w.before + 1, sizeof *w.rows)))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
        else if (study->design->sampling == YK_SAMPLE_TUNE)
            st = tune(&w, err);
        else
            share_out(&w);
        shared = w.rows && study->design->sampling != YK_SAMPLE_TUNE;
    }
    if (!shared)
        yk_study_dismiss();
    if (!st && w.status) {
        st = w.status;
        if (err)
            *err = w.err;
    }
    if (w.table && fclose(w.table) && !st)
        st = yk_fail(err, YK_E_IO, "the table cannot be written: %s", strerror(errno));
    close_work(&w, fallback);
    return st;
}

enum yk_status yk_study_help(const struct yk_study *study, struct yk_err *err)
{
    struct work w;
    char **fallback;
    enum yk_status st = open_work(&w, study, &fallback, err);

    if (st)
        yk_study_excuse(err);
    else
        st = yk_ranks_help(&w, make_place, err);
    close_work(&w, fallback);
    return st;
}
