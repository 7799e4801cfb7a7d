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

char *analyze_title(const struct request *q, const char *what)
{
    char *title = NULL;

    return asprintf(&title, "%s of %s: %s", what, yk_experiment_method(q->e), q->e->title) < 0 ? NULL : title;
}

json_t *analyze_numbers(int count, const double *x)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_number(x[i]));
    return list;
}

static const struct {
    const char *name;
    int (*run)(const struct request *);
} analyses[] = {
    {"spectrum", analyze_spectrum}, {"order", analyze_order}, {"energy", analyze_energy}, {"drift", analyze_drift},
    {"margin", analyze_margin},     {"delay", analyze_delay}, {"frf", analyze_frf}};

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
        usage_error(c, "--csv, --command, --measured, --time and --longest are of the analysis delay");
    else if (!m->csv && named)
        usage_error(c, "--command, --measured and --time name columns of --csv FILE");
    else if (!m->csv && !recording)
        usage_error(c, "--longest is for measured data: a recording, or --csv FILE");
    else if (m->csv && words->count > 1)
        usage_error(c, "either --csv FILE or '%s'", words->rest[1]);
    else if (m->csv && (!m->columns.command || !m->columns.measured))
        usage_error(c, "--csv needs --command COLUMN and --measured COLUMN, a name or a number");
    else if (set->count)
        usage_error(c, "--set changes an experiment; what was measured stays as it is");
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
    for (size_t i = 0; words.count > 0 && i < sizeof analyses / sizeof *analyses; i++) {
        if (strcmp(words.rest[0], analyses[i].name) != 0)
            continue;
        struct words file = {words.rest + 1, words.count - 1};
        struct yk_experiment *e = rehearse_experiment(&command_analyze, &file, &set, &code);

        if (!e)
            return code;
        q.e = e;
        q.file = file.rest[0];
        q.set = &set;
        code = analyses[i].run(&q);
        yk_experiment_destroy(e);
        return code;
    }
    return usage_error(&command_analyze, words.count ? "there is no analysis '%s'" : "which analysis?%s",
                       words.count ? words.rest[0] : "");
}

const struct command command_analyze = {
    .name = "analyze",
    .summary = "spectrum, order, energy, drift, margin, delay or frequency response of an experiment",
    .options =
        "spectrum order energy drift margin delay frf --steps --scan --halvings --samples --actuator --amplitude "
        "--frequencies --csv --command --measured --time --longest --budget --set --plot --json",
    .help =
        "usage: yoke analyze spectrum FILE [--steps LIST] [--scan KEY=LIST] [--set KEY=VALUE]... [--plot FIG] "
        "[--json]\n"
        "       yoke analyze order FILE    [--halvings 4]    [--set KEY=VALUE]... [--plot FIG] [--json]\n"
        "       yoke analyze energy|drift FILE [--samples 21] [--set KEY=VALUE]... [--plot FIG] [--json]\n"
        "       yoke analyze margin|delay FILE [--budget T]  [--set KEY=VALUE]... [--json]\n"
        "       yoke analyze delay DIR                       [--longest \"200 ms\"] [--json]\n"
        "       yoke analyze delay --csv FILE --command COLUMN --measured COLUMN [--time COLUMN] [--longest T] "
        "[--json]\n"
        "       yoke analyze frf FILE      [--actuator NAME] [--frequencies LIST] [--amplitude \"10 mm\"]\n"
        "                                  [--set KEY=VALUE]... [--plot FIG] [--json]\n\n"
        "Analyses drive the steps of a run; nonlinear models are linearised for the spectrum.\n"
        "  spectrum  eigenvalues of the amplification matrix of one cycle at each step, largest modulus first; of the\n"
        "            principal pair the numerical damping ratio and the relative error of the frequency\n"
        "  order     error at time.end for the step, its half, its quarter ...; order from the two finest\n"
        "  energy    kinetic, stored and dissipated energy and work of the loads along the run\n"
        "  drift     gaps of displacement, velocity and acceleration across the interfaces along the run\n"
        "  margin    stability of the loop with a specimen and its delay margin: by the "
        "amplification\n"
        "            matrix of integrator and transfer system together, and by bisection of free vibrations\n"
        "  delay     delays, gains and errors of the actuators in a run, over the spectrum of the target, and in the\n"
        "            picture of measured over target: of an experiment, of the folder of a run, or from one column of "
        "a\n"
        "            file to another, evenly spaced, by name or by number; time in s (default: `time` or the first), "
        "the\n"
        "            others in one unit, or as the header says: time [ms]\n"
        "  frf       from the target of an actuator to its measured displacement, through compensator, controller, "
        "plant,\n"
        "            specimen and sensors at the ticks of a run: magnitude, phase, and delay at the due times "
        "(negative:\n"
        "            early); default 0.1:20:24log Hz and 10 mm\n\n"
        "  --steps LIST      0.1,0.5,1 or from:to:count, from:to:countlog; --frequencies likewise [Hz]\n"
        "  --scan KEY=LIST   repeats the spectrum for each value of a key of the file; with --plot a map of the "
        "radius\n"
        "  --longest T       delay as far as is looked, to either side; default 0.2 s, or a tenth of the record\n"
        "  --budget T        CPU time for each way to a margin; 60s\n"
        "  --plot FIG        writes a picture (.svg, .png, .pdf) with its data (.csv) and gnuplot script (.gp) beside "
        "it\n\n"
        "--json: spectrum {points: [{step, radius, eigenvalues: [[re, im], ...], counts, "
        "principal}]}\n"
        "        (with --scan each point has value and there is scan: {key, values});\n"
        "        order {steps, errors: {u, v, lambda}, order: {u, v, lambda}, "
        "reference};\n"
        "        energy {samples: [{time, kinetic, ...}], largest_J, error_max_J, "
        "ratio_final};\n"
        "        drift {samples: [{time, u, v, a, interface_work}], largest: {u, "
        "v, a}};\n"
        "        margin {stable, decay_per_s, decay_model_per_s, by_matrix, margin_s, "
        "margin_simulated_s,\n"
        "        verdict, growth_s, margin_complete};\n"
        "        delay {actuators: {name: {command_delay_s, command_gain, command_residual, "
        "target_delay_s,\n"
        "        target_gain, target_residual, amplitude, nrms, peak_m (peak_rad of actuators "
        "that turn),\n"
        "        frequency_domain: {amplitude, delay_s, frequency_Hz}, synchronisation: "
        "{amplitude, phase_rad,\n"
        "        area_m2}}}}; of columns {delay_s, gain, residual, frequency_domain};\n"
        "        frf {actuator, amplitude_m, points: [{frequency_Hz, magnitude, phase_rad, "
        "delay_s}]}\n\n"
        "examples:\n"
        "  yoke analyze spectrum examples/oscillator/oscillator.yaml --steps 0.1,0.5,1\n"
        "  yoke analyze spectrum examples/split-mass/split-mass.yaml --steps 0.01:2:60log \\\n"
        "       --scan substructures.A.mass=0.1:10:40log --plot map.svg\n"
        "  yoke analyze frf examples/spring-specimen/spring-specimen.yaml --frequencies 1,2,5,10 --plot frf.svg\n"
        "  yoke analyze delay --csv t7.csv --command c --measured 3\n",
    .run = run,
};
