/* yoke benchmark: community benchmarks of hybrid simulation, with our chains or the user's. */
#include "cli/benchmark.h"

#include "benchmark/marths.h"
#include "benchmark/ranking.h"

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

static const char *part(size_t i)
{
    return i < PROBLEMS ? problems[i].name : NULL;
}

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
static bool take_chains(const struct problem *p, const struct words *words, struct benchmark_request *q)
{
    q->named = words->count > 1;
    for (size_t i = 0; words->count == 1 && p->chain(i); i++)
        q->chains[q->count++] = p->chain(i);
    for (int i = 1; i < words->count; i++) {
        const char *word = words->rest[i];

        if (q->count == MOST_CHAINS)
            return usage_error(&command_benchmark, "more than %d chains", MOST_CHAINS), false;
        if (!is_chain(p, word) && !(word = q->room[q->count] = realpath(word, NULL)))
            return usage_error(&command_benchmark,
                               "there is no chain '%s', and no file of that name; --list shows the chains",
                               words->rest[i]),
                   false;
        const size_t length = strlen(word);

        if (length > 3 && strcmp(word + length - 3, ".so") == 0)
            return usage_error(&command_benchmark,
                               "'%s' is a shared object: name it in a file, transfer: { a1: { compensator: { kind: "
                               "plugin, library: FILE.so } } }",
                               word),
                   false;
        q->chains[q->count++] = word;
    }
    return true;
}

int benchmark_write(const char *folder, const char *name, void (*write)(const void *self, FILE *out), const void *self)
{
    char *path = NULL;
    FILE *out = NULL;
    bool good = asprintf(&path, "%s/%s", folder, name) >= 0 && (out = fopen(path, "w"));

    if (out) {
        write(self, out);
        good = !ferror(out);
        good &= fclose(out) == 0;
    }
    if (!good)
        fprintf(stderr, "yoke: cannot write %s/%s: %s\n", folder, name, strerror(errno));
    free(path);
    return good ? 0 : 1;
}

/* ---- the command ---- */

static int run(int argc, char **argv)
{
    struct benchmark_request q = {.scale = 0.4, .end_s = 22};
    const char *plants = NULL, *scale = NULL, *end = NULL, *jobs = NULL;
    bool list = false;
    const struct option_spec specs[] = {{"--case", OPTION_TEXT, &q.cases},
                                        {"--plants", OPTION_TEXT, &plants},
                                        {"--noise", OPTION_FLAG, &q.noise},
                                        {"--record", OPTION_TEXT, &q.record},
                                        {"--unit", OPTION_TEXT, &q.unit},
                                        {"--scale", OPTION_TEXT, &scale},
                                        {"--end", OPTION_TEXT, &end},
                                        {"--jobs|-j", OPTION_TEXT, &jobs},
                                        {"--output|-o", OPTION_TEXT, &q.folder},
                                        {"--write", OPTION_TEXT, &q.write},
                                        {"--list", OPTION_FLAG, &list},
                                        {"--json", OPTION_FLAG, &q.json},
                                        {"--quiet|-q", OPTION_FLAG, &q.quiet},
                                        {0}};
    long perturbed = 0, threads = sysconf(_SC_NPROCESSORS_ONLN);
    char *record = NULL;
    struct words words;
    int code = 2;

    if (!take_options(&command_benchmark, argc, argv, specs, &words))
        return 2;
    const struct problem *p = find_problem(words.count ? words.rest[0] : NULL);
    if (!p)
        return usage_error(&command_benchmark, "name the benchmark: rths or marths");
    if (list) {
        p->list();
        return 0;
    }
    if (!parse_count(&command_benchmark, "--plants", plants, 0, 100000, &perturbed) ||
        !parse_count(&command_benchmark, "--jobs", jobs, 1, 64, &threads) ||
        !parse_quantity(&command_benchmark, "--scale", scale, YK_NUMBER, 1e-6, 1e3, &q.scale) ||
        !parse_quantity(&command_benchmark, "--end", end, YK_TIME, 1, 1e4, &q.end_s))
        return 2;
    if (q.record && !(record = realpath(q.record, NULL)))
        return usage_error(&command_benchmark, "--record %s: %s", q.record, strerror(errno));
    if (q.unit && !record)
        return usage_error(&command_benchmark, "--unit goes with --record");
    if (q.folder && make_folder(q.folder)) { /* before the runs, so that none is lost */
        fprintf(stderr, "yoke: cannot create the folder %s: %s\n", q.folder, strerror(errno));
        free(record);
        return 1;
    }
    q.record = record;
    q.plants = (int)perturbed;
    q.jobs = (int)threads;
    if (take_chains(p, &words, &q))
        code = p->run(&q);
    for (size_t i = 0; i < MOST_CHAINS; i++)
        free(q.room[i]);
    free(record);
    return code;
}

const struct command command_benchmark = {
    .name = "benchmark",
    .summary = "judge compensators and controllers by a benchmark problem of hybrid simulation",
    .options = "--case --plants --noise --record --unit --scale --end --jobs --output --write --list --json --quiet",
    .part = part,
    .help =
        "usage: yoke benchmark rths|marths [CHAIN...] [--case N,...|all] [--plants N] [--noise]\n"
        "                      [--record FILE [--unit U]] [--scale X] [--end S] [--jobs N] [-o DIR] [--json] "
        "[--quiet]\n"
        "       yoke benchmark rths CHAIN --case N --write FILE\n"
        "       yoke benchmark rths|marths --list\n\n"
        "rths    the benchmark problem of real-time hybrid simulation (Silva and others 2020): a frame of three "
        "storeys\n"
        "        on moving ground, a spring torn out of the first storey, a hydraulic actuator that is 25 ms late,\n"
        "        4096 Hz; nine indices.\n"
        "marths  the multi-axial problem (Condori Uribe and others 2023): two actuators that act on each other move "
        "the\n"
        "        node of a frame in translation and rotation, 1024 Hz; ten indices, of each actuator or direction.\n\n"
        "  CHAIN        a name of --list, or a file with the section `transfer` of an experiment, for the actuator a1\n"
        "               (marths: a1 and a2); none: all of --list. File names in it, such as the library of a plugin, "
        "are\n"
        "               relative to it\n"
        "  --case       rths: 1 to 4, or several such as 1,3; default all. marths: A, as published, where the "
        "specimen\n"
        "               is not what was taken out of the frame, or B, where it is (default)\n"
        "  --plants N   also N perturbed plants, the same ones for every chain\n"
        "  --noise      sensors with noise\n"
        "  --record     file with a ground acceleration; default: a synthetic one from a seed\n"
        "  --unit U     of its values, if the file does not state it, such as m/s2\n"
        "  --scale X    factor on the ground motion; default 0.4\n"
        "  --end S      duration; default 22 s; the first 5 s of rths are quiet\n"
        "  -o DIR       write there runs.csv, time histories (of the best chain, or of up to six that were named) and\n"
        "               report.html; rths: also ranking.md and ranking.svg\n"
        "  --write FILE the problem as an experiment file, for yoke run\n\n"
        "See docs/benchmarks.md.\n\n"
        "examples:\n"
        "  yoke benchmark rths\n"
        "  yoke benchmark rths sample feed-forward-rls --plants 20 --noise -o out/rths\n"
        "  yoke benchmark marths rls joint-rls --plants 3 --noise\n",
    .run = run,
};
