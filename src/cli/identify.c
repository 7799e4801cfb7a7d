/* yoke identify: sweeps an actuator of the rig, fits a model, proposes controllers. */
#include "cli/identify.h"
#include "base/file.h"

#include "analyze/identify_joint.h"
#include "rig/virtual/rig.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODE_POINTS = 40 };

struct job {
    struct identify_ask ask;
    int order;
    size_t actuator;
    struct yk_identified found;
    struct yk_proposal proposal;
    struct yk_response measured[BODE_POINTS], model[BODE_POINTS];
};

/* ---- shared ---- */

struct yk_swept identify_rig(const struct identify_ask *ask)
{
    struct yk_swept swept = {.count = yk_station_count(ask->station),
                             .sensors = yk_station_plan(ask->station)->sensor_count};

    swept.rig = yk_station_rig(ask->station, &swept.self);
    if (!ask->mounted && swept.rig == &yk_rig_virtual)
        yk_virtual_rig_dismount(swept.self);
    return swept;
}

void identify_print_sweep(const struct identify_ask *ask, FILE *out)
{
    fprintf(out, " from %g to %g Hz, %g mm, %g s at %g Hz, %s\n", ask->sweep.from_Hz, ask->sweep.to_Hz,
            1e3 * ask->sweep.amplitude_m, ask->sweep.duration_s, 1 / ask->tick_s,
            ask->mounted ? "specimen mounted" : "without specimen");
}

struct section {
    const struct identify_ask *ask;
    bool (*write)(const void *self, FILE *out);
    const void *self;
};

static bool print_section(FILE *out, const void *self)
{
    const struct section *s = self;

    return fprintf(out, "# Identified by a sweep from %g to %g Hz at %g Hz", s->ask->sweep.from_Hz, s->ask->sweep.to_Hz,
                   1 / s->ask->tick_s) > 0 &&
           s->write(s->self, out) && !ferror(out);
}

int identify_write(const struct identify_ask *ask, bool (*write)(const void *self, FILE *out), const void *self)
{
    const bool good = yk_file_replace(ask->out, print_section, &(struct section){ask, write, self});

    if (!good)
        fprintf(stderr, "yoke: cannot write %s: %s\n", ask->out, strerror(errno));
    else if (!ask->json)
        printf("section transfer: %s\n", ask->out);
    return good ? 0 : 1;
}

int identify_draw(const struct identify_ask *ask, const struct yk_figure *figure)
{
    struct yk_err err = {0};

    if (yk_figure_write(figure, ask->plot, &err))
        return report_failure(&err);
    if (!ask->json)
        printf("picture: %s\n", ask->plot);
    return 0;
}

/* ---- the work ---- */

/* Two lags that come out nearly equal stand for poles that are complex. */
static enum yk_status fit(const struct yk_sweep_record *record, int order, struct yk_identified *found,
                          struct yk_err *err)
{
    const enum yk_status st = yk_identify(record, order ? order : YK_MODEL_LAGS, found, err);
    struct yk_identified servo;

    if (!st && !order && found->model.T1 < 1.5 * found->model.T2 &&
        !yk_identify(record, YK_MODEL_SERVO, &servo, NULL) && servo.residual_m < found->residual_m)
        *found = servo;
    return st;
}

/* The model of a record, its response, and what follows from it. */
static enum yk_status evaluate(struct job *j, const struct yk_sweep_record *record, struct yk_err *err)
{
    double f[BODE_POINTS];
    enum yk_status st = fit(record, j->order, &j->found, err);

    if (st)
        return st;
    yk_sweep_frequencies(&j->ask.sweep, BODE_POINTS, f);
    yk_sweep_response(record, BODE_POINTS, f, j->measured);
    yk_lags_response(&j->found.model, BODE_POINTS, f, j->model);
    return yk_propose(&j->found.model, j->ask.tick_s, &j->proposal, err);
}

static enum yk_status identify(struct job *j, struct yk_err *err)
{
    struct yk_swept swept = identify_rig(&j->ask);
    struct yk_sweep_record record;
    enum yk_status st;

    swept.actuator = j->actuator;
    if ((st = yk_sweep_run(&record, &swept, j->ask.tick_s, &j->ask.sweep, err)))
        return st;
    st = evaluate(j, &record, err);
    yk_sweep_free(&record);
    return st;
}

/* ---- what comes out ---- */

static json_t *lags_json(const struct yk_lags *m)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "gain", json_number(m->gain), "T1_s", json_number(m->T1), "T2_s",
                     json_number(m->T2), "dead_time_s", json_number(m->dead_time), "damping", json_number(m->damping));
}

static json_t *gains_json(const struct yk_pid_gains *g)
{
    return json_pack("{s:o, s:o, s:o}", "K", json_number(g->K), "Ti_s", json_number(g->Ti), "Td_s", json_number(g->Td));
}

static json_t *bode_json(const struct job *j)
{
    json_t *list = json_array();

    for (int i = 0; i < BODE_POINTS; i++)
        json_array_append_new(
            list, json_pack("{s:f, s:[o, o], s:[o, o]}", "frequency_Hz", j->measured[i].frequency_Hz, "magnitude",
                            json_number(j->measured[i].magnitude), json_number(j->model[i].magnitude), "phase_rad",
                            json_number(j->measured[i].phase_rad), json_number(j->model[i].phase_rad)));
    return list;
}

static json_t *to_json(const struct job *j)
{
    const struct yk_identified *f = &j->found;
    const struct yk_proposal *p = &j->proposal;

    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:{s:o, s:o}, s:{s:o, s:o, s:o}}, s:o}",
                     "actuator", yk_station_name(j->ask.station, j->actuator), "order", f->order, "model",
                     lags_json(&f->model), "deviation", lags_json(&f->deviation), "offset_m", json_number(f->offset_m),
                     "fit_percent", json_number(f->fit_percent), "residual_m", json_number(f->residual_m), "proposal",
                     "pi", gains_json(&p->pi), "pid", gains_json(&p->pid), "imc", "filter_s",
                     json_number(p->imc_filter_s), "delay_s", json_number(p->imc_delay_s), "ziegler_nichols", "p",
                     gains_json(&p->quick_p), "pi", gains_json(&p->quick_pi), "pid", gains_json(&p->quick_pid), "bode",
                     bode_json(j));
}

/* A parameter with its standard deviation, or that the sweep says nothing about it. */
static void print_parameter(FILE *out, const char *name, double scale, double value, double deviation, const char *unit)
{
    if (fabs(scale * value) < 1e-9)
        fprintf(out, "  %-10s %12g\n", name, 0.0);
    else if (isfinite(deviation) && deviation < 0.5 * fabs(value))
        fprintf(out, "  %-10s %12.6g  +- %.2g%s\n", name, scale * value, scale * deviation, unit);
    else if (isfinite(deviation))
        fprintf(out, "  %-10s %12s  between 0 and %.2g%s: the sweep does not tell it apart from the others\n", name,
                "-", scale * (value + 2 * deviation), unit);
    else
        fprintf(out, "  %-10s %12.6g  (not determined)\n", name, scale * value);
}

/* The section `transfer` of an experiment file. */
static bool write_section(const struct job *j, FILE *out)
{
    const struct yk_lags *m = &j->found.model;
    const struct yk_proposal *p = &j->proposal;
    const char *name = yk_station_name(j->ask.station, j->actuator);

    if (m->damping > 0)
        return fprintf(out,
                       "transfer:\n"
                       "  %s:\n"
                       "    compensator: { kind: model-inverse, frequency: %.7g Hz, damping: %.7g, delay: %.7g s }\n",
                       name, 1 / (2 * M_PI * m->T1), m->damping, p->open_delay_s) > 0;
    return fprintf(out,
                   "transfer:\n"
                   "  %s:\n"
                   "    compensator: { kind: lagrange, order: 3, delay: %.7g s }\n"
                   "    controller:  { kind: imc, gain: %.7g, T1: %.7g s, T2: %.7g s, dead_time: %.7g s, "
                   "filter: %.7g s }\n",
                   name, p->imc_delay_s, m->gain, m->T1, p->imc_T2_s, m->dead_time, p->imc_filter_s) > 0;
}

static void print_found(const struct job *j, FILE *out)
{
    const struct yk_lags *m = &j->found.model, *d = &j->found.deviation;
    const struct yk_proposal *p = &j->proposal;

    fprintf(out, "%s: sweep", yk_station_name(j->ask.station, j->actuator));
    identify_print_sweep(&j->ask, out);
    print_parameter(out, "gain", 1, m->gain, d->gain, "");
    if (m->damping > 0) {
        const double f = 1 / (2 * M_PI * m->T1);

        print_parameter(out, "frequency", 1, f, f * d->T1 / m->T1, " Hz");
        print_parameter(out, "damping", 1, m->damping, d->damping, "");
    } else {
        print_parameter(out, "T1", 1e3, m->T1, d->T1, " ms");
        if (j->found.order == YK_MODEL_LAGS)
            print_parameter(out, "T2", 1e3, m->T2, d->T2, " ms");
    }
    print_parameter(out, "dead time", 1e3, m->dead_time, d->dead_time, " ms");
    fprintf(out, "  fit        %12.4f %%, rms residual %.3g mm\n", j->found.fit_percent, 1e3 * j->found.residual_m);
    fprintf(out, "proposed\n");
    if (!(m->damping > 0))
        fprintf(out, "  imc        filter %.5g ms, delay to compensate %.5g ms\n", 1e3 * p->imc_filter_s,
                1e3 * p->imc_delay_s);
    fprintf(out, "  pi         K %.5g, Ti %.5g ms\n", p->pi.K, 1e3 * p->pi.Ti);
    fprintf(out, "  pid        K %.5g, Ti %.5g ms, Td %.5g ms\n", p->pid.K, 1e3 * p->pid.Ti, 1e3 * p->pid.Td);
    fprintf(out, "faster, with overshoot (Ziegler and Nichols)\n");
    fprintf(out, "  p          K %.5g\n", p->quick_p.K);
    fprintf(out, "  pi         K %.5g, Ti %.5g ms\n", p->quick_pi.K, 1e3 * p->quick_pi.Ti);
    fprintf(out, "  pid        K %.5g, Ti %.5g ms, Td %.5g ms\n", p->quick_pid.K, 1e3 * p->quick_pid.Ti,
            1e3 * p->quick_pid.Td);
    fprintf(out, "to paste (then compare with others: yoke check FILE --compensators)\n");
    write_section(j, out);
}

static bool write_fragment(const void *self, FILE *out)
{
    const struct job *j = self;

    return fprintf(out, "; fit %.2f %%.\n", j->found.fit_percent) > 0 && write_section(j, out);
}

static int draw(const struct job *j)
{
    double f[BODE_POINTS], y[4][BODE_POINTS];
    char *title = NULL;
    int code = 1;

    for (int i = 0; i < BODE_POINTS; i++) {
        const bool drawn = i % 2 == 1; /* the line of the model is seen between the measured points */

        f[i] = j->measured[i].frequency_Hz;
        y[0][i] = drawn ? j->measured[i].magnitude : NAN;
        y[1][i] = j->model[i].magnitude;
        y[2][i] = drawn ? j->measured[i].phase_rad * 180 / M_PI : NAN;
        y[3][i] = j->model[i].phase_rad * 180 / M_PI;
    }
    const struct yk_plot_series series[] = {
        {.name = "measured", .style = YK_PLOT_POINTS, .n = BODE_POINTS, .x = f, .y = y[0], .origin = YK_PLOT_MEASURED},
        {.name = "model", .style = YK_PLOT_LINE, .n = BODE_POINTS, .x = f, .y = y[1]},
        {.name = "measured", .style = YK_PLOT_POINTS, .n = BODE_POINTS, .x = f, .y = y[2], .origin = YK_PLOT_MEASURED},
        {.name = "model", .style = YK_PLOT_LINE, .n = BODE_POINTS, .x = f, .y = y[3]}};
    const struct yk_plot_axis x = {.label = "frequency [Hz]", .log = true};
    const struct yk_plot_panel panels[] = {
        {.x = x, .y = {.label = "magnitude", .log = true}, .series = series, .count = 2},
        {.x = x, .y.label = "phase [deg]", .series = series + 2, .count = 2}};

    if (asprintf(&title, "Actuator %s: command to displacement, fit %.2f %%",
                 yk_station_name(j->ask.station, j->actuator), j->found.fit_percent) >= 0)
        code = identify_draw(&j->ask, &(struct yk_figure){.title = title, .panels = panels, .count = 2});
    free(title);
    return code;
}

static int identify_and_show(struct job *j)
{
    struct yk_err err = {0};
    int code = 0;

    if (identify(j, &err))
        return report_failure(&err);
    if (j->ask.json)
        code = print_json(to_json(j));
    else
        print_found(j, stdout);
    if (!code && j->ask.out)
        code = identify_write(&j->ask, write_fragment, j);
    return code || !j->ask.plot ? code : draw(j);
}

enum yk_status identify_record(const struct identify_ask *ask, size_t actuator, int order,
                               const struct yk_sweep_record *record, FILE *out, struct yk_err *err)
{
    struct job j = {.ask = *ask, .actuator = actuator, .order = order};
    const enum yk_status st = evaluate(&j, record, err);

    if (!st)
        print_found(&j, out);
    return st;
}

struct given {
    const char *actuator, *actuators, *from, *to, *amplitude, *duration, *order;
    bool joint;
};

/* The order of one actuator, or of several together; 0 is the default of both. */
static bool read_order(const struct given *g, int *order)
{
    const struct command *c = &command_identify;
    long poles = 0;

    *order = 0;
    if (g->joint) {
        if (!parse_count(c, "--order", g->order, 1, YK_MATRIX_ORDER, &poles))
            return false;
        *order = (int)poles;
        return true;
    }
    if (g->order && strcmp(g->order, "1") != 0 && strcmp(g->order, "2") != 0 && strcmp(g->order, "servo") != 0)
        return usage_error(c, "--order '%s' must be 1, 2 or servo", g->order), false;
    if (g->order)
        *order = g->order[0] == 's' ? YK_MODEL_SERVO : g->order[0] - '0';
    return true;
}

static bool read_settings(const struct given *g, struct job *j)
{
    const struct command *c = &command_identify;
    struct yk_sweep *sweep = &j->ask.sweep;
    struct yk_err err = {0};

    *sweep = yk_sweep_defaults();
    if (g->joint && g->actuator)
        return usage_error(c, "--actuator is for one; name those that act on each other with --actuators a1,a2"), false;
    if (!read_order(g, &j->order))
        return false;
    if (j->ask.plot && yk_figure_check_path(j->ask.plot, &err))
        return report_failure(&err), false;
    return parse_quantity(c, "--from", g->from, YK_FREQUENCY, 0, 1e6, &sweep->from_Hz) &&
           parse_quantity(c, "--to", g->to, YK_FREQUENCY, 1e-6, 1e6, &sweep->to_Hz) &&
           parse_quantity(c, "--amplitude", g->amplitude, YK_LENGTH, 1e-9, 1e3, &sweep->amplitude_m) &&
           parse_quantity(c, "--duration", g->duration, YK_TIME, 1e-3, 1e6, &sweep->duration_s);
}

/* A sweep is one of displacements; false after a message. */
static bool is_swept(const struct yk_experiment *e, size_t i)
{
    const enum yk_command_kind kind = yk_station_kind(e->station, i);

    return kind == YK_BY_DISPLACEMENT ||
           !usage_error(&command_identify, "actuator '%s' is commanded by %s, and a sweep is one of displacements",
                        yk_station_name(e->station, i), yk_command_word(kind));
}

/* The actuators of "a1,a2", or all; false after a message. */
static bool find_actuators(const struct yk_experiment *e, const char *names, size_t *found, size_t *count)
{
    size_t first;
    char *copy, *rest, *name;
    bool good = true;

    *count = 0;
    if (!names) {
        if (!find_actuator(e, NULL, &first))
            return false;
        for (size_t i = 0; i < yk_station_count(e->station) && i <= YK_JOINT_ACTUATORS; i++)
            found[(*count)++] = i;
    }
    rest = copy = strdup(names ? names : "");
    while (good && names && *count <= YK_JOINT_ACTUATORS && (name = strsep(&rest, ","))) {
        good = find_actuator(e, name, &found[*count]);
        for (size_t i = 0; good && i < *count; i++)
            if (found[i] == found[*count])
                good = !usage_error(&command_identify, "--actuators names '%s' twice", name);
        *count += good;
    }
    free(copy);
    for (size_t i = 0; good && i < *count && i < YK_JOINT_ACTUATORS; i++)
        good = is_swept(e, found[i]);
    if (good && (*count < 2 || *count > YK_JOINT_ACTUATORS))
        good = !usage_error(&command_identify, "%s%zu actuators: there must be 2 to %d to be identified together",
                            *count > YK_JOINT_ACTUATORS ? "more than " : "",
                            *count > YK_JOINT_ACTUATORS ? *count - 1 : *count, YK_JOINT_ACTUATORS);
    return good;
}

/* A sweep knows neither supervisor nor pace: hardware is swept in its console. */
static bool may_sweep(const struct yk_experiment *e)
{
    struct yk_err err = {0};

    if (!e->station || yk_station_simulates(e->station))
        return true;
    yk_fail_at(
        &err, YK_E_UNSUPPORTED, YK_IN_FILE(e->path),
        "its rig is real, and `yoke identify` sweeps simulated rigs only; `yoke rig %s` sweeps an actuator within "
        "the limits (identify); --set rig.backend=virtual sweeps the virtual rig",
        e->path);
    return report_failure(&err), false;
}

static int identify_asked(const struct yk_experiment *e, const struct given *g, struct job *j)
{
    size_t actuators[YK_JOINT_ACTUATORS + 1], count = 0;

    if (!may_sweep(e))
        return 2;
    if (g->joint) {
        if (!find_actuators(e, g->actuators, actuators, &count))
            return 2;
    } else if (!find_actuator(e, g->actuator, &j->actuator) || !is_swept(e, j->actuator)) {
        return 2;
    }
    j->ask.station = e->station;
    j->ask.tick_s = yk_station_pace(e->station).tick;
    return g->joint ? identify_joint(&j->ask, count, actuators, (size_t)j->order) : identify_and_show(j);
}

static int run(int argc, char **argv)
{
    struct text_list set = {0};
    struct given g = {0};
    struct job j = {0};
    const struct option_spec specs[] = {{"--actuator", OPTION_TEXT, &g.actuator},
                                        {"--joint", OPTION_FLAG, &g.joint},
                                        {"--actuators", OPTION_TEXT, &g.actuators},
                                        {"--from", OPTION_TEXT, &g.from},
                                        {"--to", OPTION_TEXT, &g.to},
                                        {"--amplitude", OPTION_TEXT, &g.amplitude},
                                        {"--duration", OPTION_TEXT, &g.duration},
                                        {"--order", OPTION_TEXT, &g.order},
                                        {"--mounted", OPTION_FLAG, &j.ask.mounted},
                                        {"--output|-o", OPTION_TEXT, &j.ask.out},
                                        {"--plot", OPTION_TEXT, &j.ask.plot},
                                        {"--set", OPTION_LIST, &set},
                                        {"--json", OPTION_FLAG, &j.ask.json},
                                        {0}};
    struct yk_experiment *e;
    struct words words;
    int code;

    if (!take_options(&command_identify, argc, argv, specs, &words))
        return 2;
    g.joint |= g.actuators != NULL;
    if (!read_settings(&g, &j))
        return 2;
    if (!(e = load_experiment(&command_identify, &words, &set, &code)))
        return code;
    code = identify_asked(e, &g, &j);
    yk_experiment_destroy(e);
    return code;
}

const struct command command_identify = {
    .name = "identify",
    .summary = "sweep an actuator of the rig, fit a model, propose controllers",
    .options = "--actuator --joint --actuators --from --to --amplitude --duration --order --mounted --output --plot "
               "--set --json",
    .help =
        "usage: yoke identify FILE [--actuator NAME] [--from 0.1] [--to 20] [--amplitude \"10 mm\"] [--duration 60]\n"
        "                     [--order 1|2|servo] [--mounted] [-o OUT.yaml] [--plot FIG] [--set KEY=VALUE]... "
        "[--json]\n"
        "       yoke identify FILE --joint [--actuators A1,A2,...] [--order N] [...]\n\n"
        "Sweeps an actuator of the virtual rig with a sine of rising frequency, without compensator and controller, "
        "and\n"
        "fits gain e^(-dead_time s)/((T1 s + 1)(T2 s + 1)) to the measured displacement by least squares of the "
        "output\n"
        "error. Proposes the filter of an imc controller and the delay that remains for a compensator, gains of pi and "
        "pid\n"
        "without overshoot (Chien, Hrones and Reswick), and faster gains of p, pi and pid (Ziegler and Nichols).\n\n"
        "--joint: for actuators that act on each other. Sweeps one after the other while the displacements of all are\n"
        "recorded, and fits a matrix of transfer functions: a denominator for each command, a numerator for each pair, "
        "and\n"
        "a dead time of all commands. Proposes a compensator for all of them together, joint-inverse or "
        "joint-feed-forward,\n"
        "and prints the plant of the virtual rig (kind state-space) for the section `rig`.\n\n"
        "  --actuator NAME   an actuator of `transfer`; default: the first\n"
        "  --joint           all actuators together, 2 to 6; --actuators A1,A2: these together\n"
        "  --from, --to      frequencies of the sweep [Hz]; --amplitude [m], --duration [s]; other units may be given\n"
        "  --order           1: one lag; 2: two lags; servo: second order with complex poles, frequency and damping;\n"
        "                    default: two lags, or a servo where they come out nearly equal and it fits better;\n"
        "                    with --joint: poles for each command, 1 to 8; default: chosen by the fit\n"
        "  --mounted         sweep with the specimen mounted; default: without\n"
        "  -o OUT.yaml       write a section `transfer`, which an experiment file includes with `transfer: OUT.yaml`\n"
        "                    (with --joint, the plant is in it as a comment)\n"
        "  --plot FIG        draw the Bode diagram of measurement and model, with --joint of every pair (.svg, .png, "
        ".pdf)\n\n"
        "--json: {actuator, order, model: {gain, T1_s, T2_s, dead_time_s, damping}, deviation: the same (standard "
        "deviations),\n"
        "         offset_m, fit_percent, residual_m, proposal: {pi: {K, Ti_s, Td_s}, pid, imc: {filter_s, delay_s},\n"
        "         ziegler_nichols: {p, pi, pid}},\n"
        "         bode: [{frequency_Hz, magnitude: [measured, model], phase_rad: [measured, model]}]}\n"
        "--joint --json: {actuators, dead_time_s, commands: [{actuator, denominator, poles: [{frequency_Hz, "
        "damping}]}],\n"
        "         pairs: [{command, displacement, fit_percent, numerator, zeros, bode}], zeros_of_determinant, "
        "invertible,\n"
        "         compensator, errors: [{frequency_Hz, joint_inverse, joint_feed_forward}]}; polynomials by falling "
        "powers of s\n\n"
        "examples:\n"
        "  yoke identify examples/spring-specimen/spring-specimen.yaml --plot bode.svg\n"
        "  yoke identify rig.yaml --actuator a2 --to 40 --amplitude 2mm -o transfer.yaml --json\n"
        "  yoke identify rig.yaml --joint -o transfer.yaml --plot pairs.svg\n",
    .run = run,
};
