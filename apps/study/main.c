/* yoke study: an experiment run with many settings; a table, the best run, Sobol indices, a picture. */
#include "ida.h"
#include "options.h"
#include "study.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yoke/mpi.h>
#include <yoke/number.h>
#include <yoke/progress.h>

enum {
    MOST_RESULTS = 64,
    ENOUGH_BLOCKS = 64 /* with fewer, the output calls Sobol indices a hint; a choice, not a bound */
};

/* ---- what came out ---- */

static void print_indices(const struct yk_table *t)
{
    for (size_t i = 0; i < t->results; i++) {
        double first[YK_STUDY_KEYS], total[YK_STUDY_KEYS];
        struct yk_err err = {0};
        size_t used;

        if (yk_table_indices(t, i, first, total, &used, &err)) {
            printf("  %s\n", yk_err_line(&err).text);
            continue;
        }
        printf("  Sobol indices of %s, from %zu of %zu blocks%s\n  %-44s %10s %10s\n", t->names[t->keys + i], used,
               t->rows / (t->keys + 2), used < ENOUGH_BLOCKS ? " (too few for more than a hint; try saltelli:256)" : "",
               "setting", "first", "total");
        for (size_t k = 0; k < t->keys; k++)
            printf("  %-44s %10.4f %10.4f\n", t->names[k], first[k], total[k]);
    }
}

static void print_counts(const struct yk_table *t)
{
    size_t finished = 0, shown = 0;

    for (size_t i = 0; i < t->rows; i++)
        finished += strcmp(t->status[i], "finished") == 0;
    printf("  %zu runs, %zu finished\n", t->rows, finished);
    for (size_t i = 0; i < t->rows && shown < 3; i++)
        if (strcmp(t->status[i], "finished") != 0) {
            printf("  run %zu %s: %s\n", t->run[i], t->status[i], t->reason[i]);
            shown++;
        }
    if (t->rows - finished > shown)
        printf("  ... and %zu more, with their reasons in the table\n", t->rows - finished - shown);
}

static void print_best(const struct yk_table *t)
{
    const size_t best = yk_table_best(t);

    if (best == SIZE_MAX) {
        puts("  no best run: none finished with results that can be used");
        return;
    }
    const char *verdict = yk_table_verdict(t, best);

    printf("  best run %zu: %s = %.6g%s%s with\n", t->run[best], t->names[t->keys], t->figures[best * t->results],
           *verdict ? ", " : "", verdict);
    for (size_t k = 0; k < t->keys; k++)
        printf("    %s = %s\n", t->names[k], t->values[best][k]);
}

static int conclude(const char *folder)
{
    struct yk_study_card card;
    struct yk_table t = {0};
    struct yk_err err = {0};
    char note[1600];
    int code = 0;

    if (yk_study_conclude(folder, note, sizeof note, &err) || yk_study_card(&card, folder, &err) ||
        yk_table_read(&t, folder, card.keys, &err)) {
        code = yk_command_fail(&err);
    } else {
        printf("%s\n", card.title);
        print_counts(&t);
        if (card.shards == 1) {
            print_best(&t);
            if (strcmp(card.sample, "saltelli") == 0)
                print_indices(&t);
        } else {
            printf("  shard %zu of %zu; `yoke study merge` puts the shards together\n", card.shard, card.shards);
        }
        printf("  files: %s/table.csv, table.h5%s\n", folder,
               card.shards > 1 ? ""
               : *note         ? ", findings.json"
                               : ", findings.json, study.svg");
        if (*note)
            fprintf(stderr, "yoke: %s\n", note);
    }
    yk_table_free(&t);
    return code;
}

/* ---- the command ---- */

static int merge(const struct yk_words *words, const char *folder, bool force)
{
    struct yk_err err = {0};

    if (!folder || words->count < 3)
        return yk_misuse(&command_study, "merge needs two or more folders of shards and -o DIR");
    if (yk_make_folder(folder)) {
        fprintf(stderr, "yoke: cannot create the folder %s: %s\n", folder, strerror(errno));
        return 1;
    }
    if (yk_study_merge((const char *const *)words->rest + 1, (size_t)words->count - 1, folder, force, &err))
        return yk_command_fail(&err);
    return conclude(folder);
}

/* "out/NAME/study", and the shard behind it. */
static char *default_folder(const char *file, const struct yk_study *s)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
    const int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    char *folder = NULL;
    const int made = s->shards > 1 ? asprintf(&folder, "out/%.*s/study-%zu-of-%zu", length, name, s->shard, s->shards)
                                   : asprintf(&folder, "out/%.*s/study", length, name);

    return made < 0 ? NULL : folder;
}

/* "a,b" of every --result; the copies are kept in *room. */
static size_t split_results(const struct yk_text_list *given, const char **names, char **room)
{
    size_t count = 0, size = 1;

    for (size_t i = 0; i < given->count; i++)
        size += strlen(given->text[i]) + 1;
    if (!(*room = calloc(1, size)))
        return 0;
    for (size_t i = 0; i < given->count; i++)
        strcat(strcat(*room, given->text[i]), ",");
    for (char *save, *w = strtok_r(*room, ",", &save); w && count < MOST_RESULTS; w = strtok_r(NULL, ",", &save))
        names[count++] = w;
    return count;
}

static bool parse_shard(const char *text, size_t *shard, size_t *shards)
{
    double i = 1, n = 1;
    const char *end = text + strlen(text), *p = yk_number_scan(text, end, &i);

    if (!p || *p != '/' || yk_number_scan(p + 1, end, &n) != end || !(i >= 1 && i <= n && n <= 1e6) || i != floor(i) ||
        n != floor(n))
        return yk_misuse(&command_study, "--shard '%s' must be i/n with 1 <= i <= n, such as 2/8", text), false;
    *shard = (size_t)i;
    *shards = (size_t)n;
    return true;
}

/* "margin>=0.01" of every --require; the name goes to the results, unless it is there. */
static bool parse_bounds(const struct yk_text_list *given, const char **names, size_t *count, struct yk_bound *bounds,
                         char **room)
{
    for (size_t i = 0; i < given->count; i++) {
        const char *text = given->text[i], *sign = strpbrk(text, "<>"), *end = text + strlen(text);
        struct yk_bound *b = &bounds[i];

        if (i >= YK_STUDY_BOUNDS || !sign || sign == text || sign[1] != '=' ||
            yk_number_scan(sign + 2, end, &b->value) != end || !isfinite(b->value) || *count == MOST_RESULTS ||
            !(room[i] = strndup(text, (size_t)(sign - text))))
            return yk_misuse(&command_study, "--require '%s' must be RESULT>=NUMBER or RESULT<=NUMBER", text), false;
        b->at_least = *sign == '>';
        for (b->result = 0; b->result < *count && strcmp(names[b->result], room[i]) != 0;)
            b->result++;
        if (b->result == *count)
            names[(*count)++] = room[i];
    }
    return true;
}

/* A process that cannot take part: the others of mpirun must not wait for it. */
static int leave_out(int code)
{
    struct yk_err err = {0};

    if (yk_mpi_size() > 1 && yk_mpi_rank() == 0) {
        yk_study_dismiss();
    } else if (yk_mpi_size() > 1) {
        yk_fail(&err, YK_E_INPUT, "another process of this study cannot read it");
        yk_study_excuse(&err);
    }
    return code;
}

/* The experiment of the only word; NULL after a message. */
static struct yk_variants *read_experiment(const struct yk_words *words, const struct yk_text_list *set, int *code)
{
    struct yk_variants *variants = NULL;
    struct yk_err err = {0};

    *code = 0;
    if (!yk_command_is_quiet())
        yk_waiting_begin();
    if (words->count != 1) {
        *code = yk_misuse(&command_study, words->count ? "one experiment file at a time" : "which experiment file?");
    } else {
        const struct yk_model_source source = {
            .path = words->rest[0], .overrides = set->text, .override_count = set->count};

        *code = yk_variants_open(&variants, &source, &err) ? yk_command_fail(&err) : 0;
    }
    for (size_t i = 0; variants && yk_variants_note(variants, i); i++)
        fprintf(stderr, "yoke: note: %s\n", yk_variants_note(variants, i));
    yk_waiting_end();
    return variants;
}

static int run_study(struct yk_study *s, const struct yk_text_list *vary, struct yk_design *design, uint64_t seed,
                     const struct yk_words *words, const struct yk_text_list *set)
{
    struct yk_err err = {0};
    char *made = NULL;
    int code = 0;

    if (yk_design_open(design, vary->text, vary->count, s->sample, seed, &err))
        return leave_out(yk_command_fail(&err));
    if (!(s->variants = read_experiment(words, set, &code)))
        return leave_out(code);
    if (yk_mpi_rank() > 0) {
        code = yk_study_help(s, &err) ? yk_command_fail(&err) : 0;
        yk_variants_close(s->variants);
        return code;
    }
    if (!s->folder)
        s->folder = made = default_folder(s->file, s);
    if (!s->folder || yk_make_folder(s->folder)) {
        fprintf(stderr, "yoke: cannot create the folder %s: %s\n", s->folder ? s->folder : "", strerror(errno));
        code = leave_out(1);
    } else if (yk_study_make(s, &err)) {
        code = yk_command_fail(&err);
        rmdir(s->folder); /* where nothing was begun */
    } else {
        code = conclude(s->folder);
    }
    yk_variants_close(s->variants);
    free(made);
    return code;
}

enum { SEARCHED = 100 }; /* runs of a search */

static bool understand(const struct study_options *g, struct yk_study *s)
{
    s->sample = g->sample;
    s->folder = g->folder;
    s->force = g->force;
    return !g->shard || parse_shard(g->shard, &s->shard, &s->shards);
}

/* The options that exclude or need each other. */
static bool goes_together(const struct study_options *g, const struct yk_study *s)
{
    if (yk_mpi_size() > 1 && (g->jobs || g->tune))
        yk_misuse(&command_study, "under mpirun each process makes one run after the other: leave out %s",
                  g->jobs ? "--jobs and start more processes" : "mpirun, since each run of --tune needs the last");
    else if (g->tune && (s->sample || g->shard))
        yk_misuse(&command_study, "--tune chooses its own runs, one after the other: leave out %s",
                  s->sample ? "--sample" : "--shard");
    else if (!g->tune && (g->runs || g->require.count))
        yk_misuse(&command_study, "--runs and --require go with --tune");
    else if (g->tune && !yk_study_can_tune())
        yk_misuse(&command_study, "--tune: this program was built without NLopt (Debian: libnlopt-dev); "
                                  "--sample sobol:N searches without it");
    else if (g->vary.count == 0)
        yk_misuse(&command_study, "nothing is varied; give --vary KEY=VALUES");
    else if (g->tune && g->results.count == sizeof g->results.text / sizeof *g->results.text)
        yk_misuse(&command_study, "--result was given too many times");
    else
        return true;
    return false;
}

/* A search is a way to sample, and its result is the first. `search` keeps the words. */
static void prepare_search(struct study_options *g, struct yk_study *s, char *search, size_t size)
{
    memmove(&g->results.text[1], &g->results.text[0], g->results.count * sizeof *g->results.text);
    g->results.text[0] = g->tune;
    g->results.count++;
    snprintf(search, size, "tune:%ld", g->runs ? g->runs : SEARCHED);
    s->sample = search;
}

/* The runs, with the results that were asked for. */
static int make_study(const struct yk_study *plain, struct study_options *g, const struct yk_words *words)
{
    struct yk_study s = *plain;
    const char *names[MOST_RESULTS];
    char search[40], *room = NULL, *bound_names[YK_STUDY_BOUNDS] = {0};
    struct yk_bound bounds[YK_STUDY_BOUNDS];
    struct yk_design design = {0};
    struct yk_meter meter;
    int code = 2;

    if (g->tune)
        prepare_search(g, &s, search, sizeof search);
    s.file = words->count > 0 ? words->rest[0] : NULL;
    s.set = g->set.text;
    s.set_count = g->set.count;
    s.vary = g->vary.text;
    s.design = &design;
    s.results = names;
    s.result_count = split_results(&g->results, names, &room);
    s.require = g->require.text;
    s.bounds = bounds;
    s.bound_count = g->require.count;
    s.jobs = yk_mpi_size() > 1 ? 1 : (int)(g->jobs ? g->jobs : sysconf(_SC_NPROCESSORS_ONLN));
    if (parse_bounds(&g->require, names, &s.result_count, bounds, bound_names)) {
        meter = yk_meter_begin(g->quiet);
        s.progress = yk_meter_show;
        s.progress_self = &meter;
        code = run_study(&s, &g->vary, &design, (uint64_t)g->seed, words, &g->set);
        yk_design_close(&design);
    }
    for (size_t i = 0; i < YK_STUDY_BOUNDS; i++)
        free(bound_names[i]);
    free(room);
    return code;
}

static int study(int argc, char **argv)
{
    struct study_options g = {.seed = 1, .flat = 0.2};
    struct yk_study s = {.shard = 1, .shards = 1};
    struct yk_words words;

    if (!yk_take_options(&command_study, argc, argv, &g, &words))
        return 2;
    if (words.count > 0 && strcmp(words.rest[0], "merge") == 0)
        return yk_mpi_rank() > 0 ? 0 : merge(&words, g.folder, g.force);
    if (g.ida)
        return words.count == 1 ? study_ida(&g, words.rest[0]) : yk_misuse(&command_study, "which experiment file?");
    return understand(&g, &s) && goes_together(&g, &s) ? make_study(&s, &g, &words) : 2;
}

/* Under mpirun the processes share the runs, and the first one speaks. */
static int run(int argc, char **argv)
{
    struct yk_err err = {0};
    int code;

    if (yk_mpi_join(&err))
        return yk_command_fail(&err);
    if (yk_mpi_rank() > 0 && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        code = 1;
    else
        code = study(argc, argv);
    yk_mpi_leave();
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_study, run, argc, argv);
}
