/* yoke benchmark: community benchmarks of hybrid simulation, with our chains or the user's. */
#include "options.h"

#include "marths.h"
#include "ranking.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the problems: their chains, and what runs them ---- */

static const char *name_rths(size_t i)
{
    return yk_rths_entries[i].name;
}

static const char *name_marths(size_t i)
{
    return yk_marths_entry(i) ? yk_marths_entry(i)->name : NULL;
}

static const struct problem {
    const char *name;
    const char *(*chain)(size_t i); /* NULL at the end */
    void (*list)(void);
    int (*run)(const struct benchmark_request *request);
} problems[] = {
    {"rths", name_rths, benchmark_list_rths, benchmark_rths},
    {"marths", name_marths, benchmark_list_marths, benchmark_marths},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static const struct problem *find_problem(const char *name)
{
    for (size_t i = 0; name && i < PROBLEMS; i++)
        if (strcmp(problems[i].name, name) == 0)
            return &problems[i];
    return NULL;
}

static bool is_chain(const struct problem *p, const char *word)
{
    size_t i = 0;

    while (p->chain(i) && strcmp(p->chain(i), word) != 0)
        i++;
    return p->chain(i);
}

/* The chains that the words name: entries of ours, or files; all entries where there are no words. */
static bool take_chains(const struct problem *p, const struct yk_words *words, struct benchmark_request *q)
{
    q->named = words->count > 1;
    for (size_t i = 0; words->count == 1 && p->chain(i); i++)
        q->chains[q->count++] = p->chain(i);
    for (int i = 1; i < words->count; i++) {
        const char *word = words->rest[i];

        if (q->count == MOST_CHAINS)
            return yk_misuse(&command_benchmark, "more than %d chains", MOST_CHAINS), false;
        if (!is_chain(p, word) && !(word = q->room[q->count] = realpath(word, NULL)))
            return yk_misuse(&command_benchmark,
                             "there is no chain '%s', and no file of that name; --list shows the chains",
                             words->rest[i]),
                   false;
        const size_t length = strlen(word);

        if (length > 3 && strcmp(word + length - 3, ".so") == 0)
            return yk_misuse(&command_benchmark,
                             "'%s' is a shared object: name it in a file, transfer: { a1: { compensator: { kind: "
                             "plugin, library: FILE.so } } }",
                             word),
                   false;
        q->chains[q->count++] = word;
    }
    return true;
}

/* ---- the command ---- */

static int run(int argc, char **argv)
{
    struct benchmark_options g = {.q = {.scale = 0.4, .end_s = 22}, .jobs = sysconf(_SC_NPROCESSORS_ONLN)};
    struct benchmark_request *q = &g.q;
    char *record = NULL;
    struct yk_words words;
    int code = 2;

    if (!yk_take_options(&command_benchmark, argc, argv, &g, &words))
        return 2;
    const struct problem *p = find_problem(words.count ? words.rest[0] : NULL);
    if (!p)
        return yk_misuse(&command_benchmark, "name the benchmark: rths or marths");
    if (g.list) {
        p->list();
        return 0;
    }
    if (q->record && !(record = realpath(q->record, NULL)))
        return yk_misuse(&command_benchmark, "--record %s: %s", q->record, strerror(errno));
    if (q->unit && !record)
        return yk_misuse(&command_benchmark, "--unit goes with --record");
    if (q->folder && yk_make_folder(q->folder)) { /* before the runs, so that none is lost */
        fprintf(stderr, "yoke: cannot create the folder %s: %s\n", q->folder, strerror(errno));
        free(record);
        return 1;
    }
    q->record = record;
    q->plants = (int)g.plants;
    q->jobs = (int)g.jobs;
    if (take_chains(p, &words, q))
        code = p->run(q);
    for (size_t i = 0; i < MOST_CHAINS; i++)
        free(q->room[i]);
    free(record);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_benchmark, run, argc, argv);
}
