/* yoke benchmark: community benchmarks of hybrid simulation, with our chains or the user's. */
#include "benchmark/ranking.h"
#include "cli/cli.h"
#include "cli/meter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CHAINS = 64 };

static const char *part(size_t i)
{
    return i == 0 ? "rths" : NULL;
}

static const struct yk_rths_entry *find_entry(const char *name)
{
    const struct yk_rths_entry *e = yk_rths_entries;

    while (e->name && strcmp(e->name, name) != 0)
        e++;
    return e->name ? e : NULL;
}

/* The chains that the words name: entries of ours, or files. */
static bool take_chains(const struct words *words, struct yk_rths_entry *chains, char **room, size_t *count)
{
    *count = 0;
    for (const struct yk_rths_entry *e = yk_rths_entries; words->count == 1 && e->name; e++)
        chains[(*count)++] = *e;
    for (int i = 1; i < words->count; i++) {
        const char *word = words->rest[i];
        const struct yk_rths_entry *e = find_entry(word);
        char *path = e ? NULL : realpath(word, NULL);

        if (*count == MOST_CHAINS)
            return usage_error(&command_benchmark, "more than %d chains", MOST_CHAINS), false;
        if (e) {
            chains[(*count)++] = *e;
        } else if (path) {
            room[*count] = path;
            chains[(*count)++] = (struct yk_rths_entry){word, path, "from a file"};
        } else {
            return usage_error(&command_benchmark,
                               "there is no chain '%s', and no file of that name; --list shows the chains", word),
                   false;
        }
    }
    return true;
}

/* "all" or "1,3" */
static bool take_cases(const char *text, struct yk_ranking *r)
{
    r->case_count = 0;
    if (!text || strcmp(text, "all") == 0) {
        for (int i = 1; i <= YK_RTHS_CASES; i++)
            r->cases[r->case_count++] = i;
        return true;
    }
    for (const char *p = text; *p; p += p[1] == ',' ? 2 : 1) {
        if (*p < '1' || *p > '0' + YK_RTHS_CASES || (p[1] && p[1] != ',') || r->case_count == YK_RTHS_CASES)
            return usage_error(&command_benchmark, "--case '%s' must be all, or some of 1 to %d such as 1,3", text,
                               YK_RTHS_CASES),
                   false;
        r->cases[r->case_count++] = *p - '0';
    }
    if (!r->case_count)
        return usage_error(&command_benchmark, "--case needs a number"), false;
    return true;
}

static void list_chains(void)
{
    for (const struct yk_rths_entry *e = yk_rths_entries; e->name; e++)
        printf("%-20s %s\n  %s\n", e->name, e->summary, e->chain);
}

static json_t *to_json(const struct yk_ranking *r)
{
    json_t *runs = json_array();

    for (size_t i = 0; i < r->count; i++)
        for (int at = 0; at < r->case_count; at++)
            for (int plant = 0; plant <= r->plants; plant++) {
                const struct yk_rths_result *one = yk_ranking_at(r, i, at, plant);
                json_t *J = json_array();

                for (int k = 0; k < YK_RTHS_INDICES; k++)
                    json_array_append_new(J, json_number(one->J[k]));
                json_array_append_new(runs, json_pack("{s:s, s:i, s:i, s:o, s:f, s:b, s:b}", "chain",
                                                      r->entries[i].name, "case", r->cases[at], "plant", plant, "J", J,
                                                      "peak_force_N", one->peak_force, "saturated", one->saturated,
                                                      "diverged", one->diverged));
            }
    return json_pack("{s:s, s:b, s:i, s:o}", "benchmark", "rths", "noise", r->problem.noise, "plants", r->plants,
                     "runs", runs);
}

static int conclude(const struct yk_ranking *r, const char *folder, bool json)
{
    struct yk_err err = {0};

    if (folder && make_folder(folder)) {
        fprintf(stderr, "yoke: cannot create the folder %s: %s\n", folder, strerror(errno));
        return 1;
    }
    if (folder && yk_ranking_write(r, folder, &err))
        return report_failure(&err);
    if (json)
        return print_json(to_json(r));
    yk_ranking_print(r, stdout);
    if (folder)
        printf("files: %s/runs.csv, ranking.md, ranking.svg\n", folder);
    return 0;
}

static int write_file(const struct yk_ranking *r, const char *path)
{
    struct yk_rths_problem problem = r->problem;
    struct yk_err err = {0};
    FILE *out = fopen(path, "wx");

    problem.number = r->cases[0];
    problem.chain = r->entries[0].chain;
    if (!out) {
        fprintf(stderr, "yoke: cannot create %s: %s\n", path, strerror(errno));
        return 1;
    }
    const enum yk_status st = yk_rths_write(&problem, out, &err);
    if (fclose(out) && !st)
        yk_fail(&err, YK_E_IO, "cannot write %s: %s", path, strerror(errno));
    return err.status ? report_failure(&err) : 0;
}

static int run(int argc, char **argv)
{
    const char *cases = NULL, *plants = NULL, *scale = NULL, *end = NULL, *jobs = NULL, *folder = NULL, *write = NULL;
    bool list = false, json = false, quiet = false;
    struct yk_rths_entry chains[MOST_CHAINS];
    char *room[MOST_CHAINS] = {0}, *record = NULL;
    struct yk_ranking r = {.entries = chains, .problem = {.scale = 0.4, .end_s = 30}};
    const struct option_spec specs[] = {{"--case", OPTION_TEXT, &cases},
                                        {"--plants", OPTION_TEXT, &plants},
                                        {"--noise", OPTION_FLAG, &r.problem.noise},
                                        {"--record", OPTION_TEXT, &r.problem.record},
                                        {"--unit", OPTION_TEXT, &r.problem.unit},
                                        {"--scale", OPTION_TEXT, &scale},
                                        {"--end", OPTION_TEXT, &end},
                                        {"--jobs|-j", OPTION_TEXT, &jobs},
                                        {"--output|-o", OPTION_TEXT, &folder},
                                        {"--write", OPTION_TEXT, &write},
                                        {"--list", OPTION_FLAG, &list},
                                        {"--json", OPTION_FLAG, &json},
                                        {"--quiet|-q", OPTION_FLAG, &quiet},
                                        {0}};
    long perturbed = 0, threads = sysconf(_SC_NPROCESSORS_ONLN);
    struct yk_err err = {0};
    struct words words;
    int code = 0;

    if (!take_options(&command_benchmark, argc, argv, specs, &words))
        return 2;
    if (words.count == 0 || strcmp(words.rest[0], "rths") != 0)
        return usage_error(&command_benchmark, "name the benchmark: rths");
    if (list) {
        list_chains();
        return 0;
    }
    if (!take_cases(cases, &r) || !parse_count(&command_benchmark, "--plants", plants, 0, 100000, &perturbed) ||
        !parse_count(&command_benchmark, "--jobs", jobs, 1, 64, &threads) ||
        !parse_quantity(&command_benchmark, "--scale", scale, YK_NUMBER, 1e-6, 1e3, &r.problem.scale) ||
        !parse_quantity(&command_benchmark, "--end", end, YK_TIME, 1, 1e4, &r.problem.end_s))
        return 2;
    if (r.problem.record && !(record = realpath(r.problem.record, NULL)))
        return usage_error(&command_benchmark, "--record %s: %s", r.problem.record, strerror(errno));
    if (r.problem.unit && !record)
        return usage_error(&command_benchmark, "--unit goes with --record");
    r.problem.record = record;
    r.plants = (int)perturbed;
    if (!take_chains(&words, chains, room, &r.count))
        code = 2;
    else if (write && (r.count != 1 || r.case_count != 1))
        code = usage_error(&command_benchmark, "--write needs one chain and one --case");
    else if (write)
        code = write_file(&r, write);
    else {
        struct meter meter = meter_begin(quiet || json);

        if (yk_ranking_make(&r, (int)threads, meter_show, &meter, &err))
            code = report_failure(&err);
        else
            code = conclude(&r, folder, json);
    }
    yk_ranking_free(&r);
    for (int i = 0; i < MOST_CHAINS; i++)
        free(room[i]);
    free(record);
    return code;
}

const struct command command_benchmark = {
    .name = "benchmark",
    .summary = "judge compensators and controllers by a benchmark problem of hybrid simulation",
    .options = "--case --plants --noise --record --unit --scale --end --jobs --output --write --list --json --quiet",
    .part = part,
    .help =
        "usage: yoke benchmark rths [CHAIN...] [--case N,...|all] [--plants N] [--noise] [--record FILE [--unit U]]\n"
        "                           [--scale X] [--end S] [--jobs N] [-o DIR] [--json] [--quiet]\n"
        "       yoke benchmark rths CHAIN --case N --write FILE\n"
        "       yoke benchmark rths --list\n\n"
        "The benchmark problem of real-time hybrid simulation (Silva and others 2020): a frame of three storeys on\n"
        "moving ground, a spring torn out of the first storey, a hydraulic actuator that is 24 ms late, 4096 Hz.\n"
        "Every CHAIN of compensator and controller is judged by the nine indices of the problem.\n\n"
        "  CHAIN        a name of --list, or a file with the section `transfer` of an experiment, for the actuator "
        "a1;\n"
        "               none: all of --list, ranked by the rms of the tracking error (J2)\n"
        "  --case N     1 to 4, or several such as 1,3; default all\n"
        "  --plants N   also N perturbed plants, the same ones for every chain\n"
        "  --noise      sensors with noise, converters with their steps\n"
        "  --record     file with a ground acceleration; default: a synthetic one from a seed\n"
        "  --unit U     of its values, if the file does not state it, such as m/s2\n"
        "  --scale X    factor on the ground motion; default 0.4\n"
        "  --end S      duration; default 30 s, of which the first 5 s are quiet\n"
        "  -o DIR       write runs.csv, ranking.md and ranking.svg there\n"
        "  --write FILE the same problem as an experiment file, for yoke run\n\n"
        "See docs/benchmarks.md.\n\n"
        "examples:\n"
        "  yoke benchmark rths\n"
        "  yoke benchmark rths sample feed-forward-rls --plants 20 --noise -o out/rths\n",
    .run = run,
};
