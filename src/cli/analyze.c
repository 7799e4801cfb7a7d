/* yoke analyze: dispatch to the analyses, and what they share. */
#include "cli/analyze.h"

#include <string.h>

int analyze_draw(const struct request *q, const struct yk_figure *figure)
{
    struct yk_err err = {0};

    if (yk_figure_write(figure, q->plot, &err))
        return report_failure(&err);
    if (!q->json)
        printf("picture: %s\n", q->plot);
    return 0;
}

void *analyze_samples(const struct request *q, size_t size, size_t *count, int *code)
{
    long wanted = 21;
    void *samples;

    *code = 2;
    if (!parse_count(&command_analyze, "--samples", q->samples, 2, 1000000, &wanted))
        return NULL;
    *count = (size_t)wanted;
    *code = 0;
    if (!(samples = malloc(*count * size))) {
        fputs("yoke: out of memory\n", stderr);
        *code = 1;
    }
    return samples;
}

bool analyze_plan(struct request *q, int *code)
{
    struct yk_err err = {0};

    *code = yk_plan_create(&q->plan, q->e, 0, &err) ? report_failure(&err) : 0;
    return !*code;
}

char *analyze_title(const struct request *q, const char *what)
{
    char *title = NULL;

    return asprintf(&title, "%s of %s: %s", what, yk_experiment_method(q->e), q->e->title) < 0 ? NULL : title;
}

static const struct analysis *const analyses[] = {
#define ANALYSIS(name) &analysis_##name,
#include "cli/analyses.def"
#undef ANALYSIS
    NULL,
};

/* What `delay` takes instead of an experiment. */
struct measured {
    const char *csv, *longest;
    struct yk_measured_columns columns;
};

/* False: it is an experiment. */
static bool delay_of_measured(const struct measured *m, const struct words *words, const struct text_list *set,
                              bool json, int *code)
{
    const struct command *c = &command_analyze;
    const bool of_delay = words->count > 0 && strcmp(words->rest[0], "delay") == 0,
               recording = of_delay && words->count == 2 && analyze_delay_is_recording(words->rest[1]),
               named = m->columns.command || m->columns.measured || m->columns.time;
    double longest = 0;

    if (!m->csv && !named && !m->longest && !recording)
        return false;
    *code = 2;
    if (!of_delay)
        usage_error(c, "--csv, --command, --measured, --time and --longest belong to the analysis delay");
    else if (!m->csv && named)
        usage_error(c, "--command, --measured and --time name columns of --csv FILE");
    else if (!m->csv && !recording)
        usage_error(c, "--longest is for measured data: a recording, or --csv FILE");
    else if (m->csv && words->count > 1)
        usage_error(c, "either --csv FILE or '%s'", words->rest[1]);
    else if (m->csv && (!m->columns.command || !m->columns.measured))
        usage_error(c, "--csv needs --command COLUMN and --measured COLUMN, a name or a number");
    else if (set->count)
        usage_error(c, "--set changes an experiment; it cannot change measured data");
    else if (parse_quantity(c, "--longest", m->longest, YK_TIME, 1e-6, 1e5, &longest))
        *code = m->csv ? analyze_delay_csv(m->csv, &m->columns, longest, json)
                       : analyze_delay_recording(words->rest[1], longest, json);
    return true;
}

static int run(int argc, char **argv)
{
    struct text_list set = {0};
    struct measured m = {0};
    struct request q = {0};
    const struct option_spec specs[] = {{"--steps", OPTION_TEXT, &q.steps},
                                        {"--halvings", OPTION_TEXT, &q.halvings},
                                        {"--samples", OPTION_TEXT, &q.samples},
                                        {"--scan", OPTION_TEXT, &q.scan},
                                        {"--methods", OPTION_TEXT, &q.methods},
                                        {"--actuator", OPTION_TEXT, &q.actuator},
                                        {"--amplitude", OPTION_TEXT, &q.amplitude},
                                        {"--frequencies", OPTION_TEXT, &q.frequencies},
                                        {"--csv", OPTION_TEXT, &m.csv},
                                        {"--command", OPTION_TEXT, &m.columns.command},
                                        {"--measured", OPTION_TEXT, &m.columns.measured},
                                        {"--time", OPTION_TEXT, &m.columns.time},
                                        {"--longest", OPTION_TEXT, &m.longest},
                                        {"--budget", OPTION_TEXT, &q.budget},
                                        {"--set", OPTION_LIST, &set},
                                        {"--plot", OPTION_TEXT, &q.plot},
                                        {"--json", OPTION_FLAG, &q.json},
                                        {0}};
    struct yk_err err = {0};
    struct words words;
    int code;

    if (!take_options(&command_analyze, argc, argv, specs, &words))
        return 2;
    if (q.plot && yk_figure_check_path(q.plot, &err))
        return report_failure(&err);
    if (delay_of_measured(&m, &words, &set, q.json, &code))
        return code;
    for (const struct analysis *const *a = analyses; words.count > 0 && *a; a++) {
        if (strcmp(words.rest[0], (*a)->name) != 0)
            continue;
        struct words file = {words.rest + 1, words.count - 1};
        struct yk_experiment *e = rehearse_experiment(&command_analyze, &file, &set, &code);

        if (!e)
            return code;
        q.e = e;
        q.file = file.rest[0];
        q.set = &set;
        code = (*a)->run(&q);
        yk_plan_close(q.plan);
        yk_experiment_destroy(e);
        return code;
    }
    return usage_error(&command_analyze, words.count ? "there is no analysis '%s'" : "which analysis?%s",
                       words.count ? words.rest[0] : "");
}

/* Every line of a text, `first` before the first and `other` before the rest. */
static void print_lines(FILE *out, const char *first, const char *other, const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        fprintf(out, "%s%.*s\n", line == text ? first : other, (int)strcspn(line, "\n"), line);
}

static void print_help(FILE *out)
{
    char first[32];

    for (const struct analysis *const *a = analyses; *a; a++)
        print_lines(out, a == analyses ? "usage: yoke analyze " : "       yoke analyze ", "       yoke analyze ",
                    (*a)->usage);
    fputs("\nThe analyses drive the same steps as a run. For the spectrum, nonlinear models are linearised.\n", out);
    for (const struct analysis *const *a = analyses; *a; a++) {
        snprintf(first, sizeof first, "  %-8s  ", (*a)->name);
        print_lines(out, first, "            ", (*a)->help);
    }
    fputs("\n"
          "  --steps LIST      0.1,0.5,1 or from:to:count, from:to:countlog; --frequencies likewise [Hz]\n"
          "  --scan KEY=LIST   repeat the spectrum for each value of a key of the file; with --plot, a map of the "
          "radius\n"
          "  --methods NAMES   integrators and couplings to compare, such as newmark,hht,lsrt2; one with settings is\n"
          "                    written {integrator: hht, alpha: -0.1}\n"
          "  --longest T       longest delay or lead to search for; default 0.2 s or a tenth of the record\n"
          "  --budget T        CPU time for each of the two ways to find the margin; default 60s\n"
          "  --plot FIG        write a figure (.svg, .png, .pdf), its data (.csv) and its gnuplot script (.gp) next to "
          "it\n\n",
          out);
    for (const struct analysis *const *a = analyses; *a; a++)
        print_lines(out, a == analyses ? "--json: " : "        ", "        ", (*a)->json);
    fputs("\nexamples:\n"
          "  yoke analyze spectrum examples/oscillator/oscillator.yaml --steps 0.1,0.5,1\n"
          "  yoke analyze spectrum examples/split-mass/split-mass.yaml --steps 0.01:2:60log \\\n"
          "       --scan substructures.A.mass=0.1:10:40log --plot map.svg\n"
          "  yoke analyze spectrum examples/oscillator/oscillator.yaml --methods newmark,hht,lsrt2 --plot methods.svg\n"
          "  yoke analyze frf examples/spring-specimen/spring-specimen.yaml --frequencies 1,2,5,10 --plot frf.svg\n"
          "  yoke analyze delay --csv t7.csv --command c --measured 3\n",
          out);
}

static const char *name_of(size_t i)
{
    return analyses[i] ? analyses[i]->name : NULL;
}

const struct command command_analyze = {
    .name = "analyze",
    .summary = "spectrum, order, energy, drift, margin, delay or frequency response of an experiment",
    .part = name_of,
    .options =
        "--steps --scan --methods --halvings --samples --actuator --amplitude --frequencies --csv --command --measured "
        "--time --longest --budget --set --plot --json",
    .print_help = print_help,
    .run = run,
};
