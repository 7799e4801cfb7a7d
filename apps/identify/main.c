/* yoke identify: sweeps an actuator of the rig, fits a model, proposes controllers. */
#include "identify.h"
#include "sweep.h"
#include <yoke/file.h>
#include <yoke/identify_joint.h>

#include <jansson.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct one {
    struct sweep_ask ask;
    int order;
    size_t actuator;
    struct yk_identification result;
};

/* ---- shared ---- */

struct section {
    const struct sweep_ask *ask;
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

int sweep_write(const struct sweep_ask *ask, bool (*write)(const void *self, FILE *out), const void *self)
{
    const bool good = yk_file_replace(ask->out, print_section, &(struct section){ask, write, self});

    if (!good)
        fprintf(stderr, "yoke: cannot write %s: %s\n", ask->out, strerror(errno));
    else if (!ask->json)
        printf("section transfer: %s\n", ask->out);
    return good ? 0 : 1;
}

int sweep_draw(const struct sweep_ask *ask, const struct yk_figure *figure)
{
    struct yk_err err = {0};

    if (yk_figure_write(figure, ask->plot, &err))
        return yk_command_fail(&err);
    if (!ask->json)
        printf("picture: %s\n", ask->plot);
    return 0;
}

/* ---- the work ---- */

static enum yk_status identify(struct one *j, struct yk_err *err)
{
    struct yk_swept swept = yk_parts_swept(j->ask.parts, j->ask.mounted);
    struct yk_sweep_record record;
    enum yk_status st;

    swept.actuator = j->actuator;
    if ((st = yk_sweep_run(&record, &swept, j->ask.tick_s, &j->ask.sweep, err)))
        return st;
    st = yk_identification_make(&j->result, &record, j->order, err);
    yk_sweep_free(&record);
    return st;
}

/* ---- what comes out ---- */

static json_t *lags_json(const struct yk_lags *m)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "gain", yk_json_number(m->gain), "T1_s", yk_json_number(m->T1),
                     "T2_s", yk_json_number(m->T2), "dead_time_s", yk_json_number(m->dead_time), "damping",
                     yk_json_number(m->damping));
}

static json_t *gains_json(const struct yk_pid_gains *g)
{
    return json_pack("{s:o, s:o, s:o}", "K", yk_json_number(g->K), "Ti_s", yk_json_number(g->Ti), "Td_s",
                     yk_json_number(g->Td));
}

static json_t *bode_json(const struct one *j)
{
    json_t *list = json_array();

    for (int i = 0; i < YK_BODE_POINTS; i++)
        json_array_append_new(list,
                              json_pack("{s:f, s:[o, o], s:[o, o]}", "frequency_Hz", j->result.measured[i].frequency_Hz,
                                        "magnitude", yk_json_number(j->result.measured[i].magnitude),
                                        yk_json_number(j->result.model[i].magnitude), "phase_rad",
                                        yk_json_number(j->result.measured[i].phase_rad),
                                        yk_json_number(j->result.model[i].phase_rad)));
    return list;
}

static json_t *to_json(const struct one *j)
{
    const struct yk_identified *f = &j->result.found;
    const struct yk_proposal *p = &j->result.proposal;

    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:{s:o, s:o}, s:{s:o, s:o, s:o}}, s:o}",
                     "actuator", j->result.actuator, "order", f->order, "model", lags_json(&f->model), "deviation",
                     lags_json(&f->deviation), "offset_m", yk_json_number(f->offset_m), "fit_percent",
                     yk_json_number(f->fit_percent), "residual_m", yk_json_number(f->residual_m), "proposal", "pi",
                     gains_json(&p->pi), "pid", gains_json(&p->pid), "imc", "filter_s", yk_json_number(p->imc_filter_s),
                     "delay_s", yk_json_number(p->imc_delay_s), "ziegler_nichols", "p", gains_json(&p->quick_p), "pi",
                     gains_json(&p->quick_pi), "pid", gains_json(&p->quick_pid), "bode", bode_json(j));
}

static bool write_fragment(const void *self, FILE *out)
{
    const struct one *j = self;

    return fprintf(out, "; fit %.2f %%.\n", j->result.found.fit_percent) > 0 &&
           yk_identification_section(&j->result, out);
}

static int draw(const struct one *j)
{
    double f[YK_BODE_POINTS], y[4][YK_BODE_POINTS];
    char *title = NULL;
    int code = 1;

    for (int i = 0; i < YK_BODE_POINTS; i++) {
        const bool drawn = i % 2 == 1; /* the line of the model is seen between the measured points */

        f[i] = j->result.measured[i].frequency_Hz;
        y[0][i] = drawn ? j->result.measured[i].magnitude : NAN;
        y[1][i] = j->result.model[i].magnitude;
        y[2][i] = drawn ? j->result.measured[i].phase_rad * 180 / M_PI : NAN;
        y[3][i] = j->result.model[i].phase_rad * 180 / M_PI;
    }
    const struct yk_plot_series series[] = {
        {.name = "measured",
         .style = YK_PLOT_POINTS,
         .n = YK_BODE_POINTS,
         .x = f,
         .y = y[0],
         .origin = YK_PLOT_MEASURED},
        {.name = "model", .style = YK_PLOT_LINE, .n = YK_BODE_POINTS, .x = f, .y = y[1]},
        {.name = "measured",
         .style = YK_PLOT_POINTS,
         .n = YK_BODE_POINTS,
         .x = f,
         .y = y[2],
         .origin = YK_PLOT_MEASURED},
        {.name = "model", .style = YK_PLOT_LINE, .n = YK_BODE_POINTS, .x = f, .y = y[3]}};
    const struct yk_plot_axis x = {.label = "frequency [Hz]", .log = true};
    const struct yk_plot_panel panels[] = {
        {.x = x, .y = {.label = "magnitude", .log = true}, .series = series, .count = 2},
        {.x = x, .y.label = "phase [deg]", .series = series + 2, .count = 2}};

    if (asprintf(&title, "Actuator %s: command to displacement, fit %.2f %%", j->result.actuator,
                 j->result.found.fit_percent) >= 0)
        code = sweep_draw(&j->ask, &(struct yk_figure){.title = title, .panels = panels, .count = 2});
    free(title);
    return code;
}

static int identify_and_show(struct one *j)
{
    struct yk_err err = {0};
    int code = 0;

    if (identify(j, &err))
        return yk_command_fail(&err);
    if (j->ask.json)
        code = yk_print_json(to_json(j));
    else
        yk_identification_print(&j->result, stdout);
    if (!code && j->ask.out)
        code = sweep_write(&j->ask, write_fragment, j);
    return code || !j->ask.plot ? code : draw(j);
}

/* The order of one actuator, or of several together; 0 is the default of both. */
static bool read_order(const struct identify_options *g, int *order)
{
    const struct yk_command *c = &command_identify;
    long poles = 0;

    *order = 0;
    if (g->joint) {
        if (!yk_option_count(c, "--order", g->order, 1, YK_MATRIX_ORDER, &poles))
            return false;
        *order = (int)poles;
        return true;
    }
    if (g->order && strcmp(g->order, "1") != 0 && strcmp(g->order, "2") != 0 && strcmp(g->order, "servo") != 0)
        return yk_misuse(c, "--order '%s' must be 1, 2 or servo", g->order), false;
    if (g->order)
        *order = g->order[0] == 's' ? YK_MODEL_SERVO : g->order[0] - '0';
    return true;
}

static bool read_settings(const struct identify_options *g, struct one *j)
{
    const struct yk_command *c = &command_identify;
    struct yk_sweep *sweep = &j->ask.sweep;
    struct yk_err err = {0};

    *sweep = yk_sweep_defaults();
    if (g->joint && g->actuator)
        return yk_misuse(c, "--actuator is for one; name those that act on each other with --actuators a1,a2"), false;
    if (!read_order(g, &j->order))
        return false;
    if (j->ask.plot && yk_figure_check_path(j->ask.plot, &err))
        return yk_command_fail(&err), false;
    return yk_option_quantity(c, "--from", g->from, YK_FREQUENCY, 0, 1e6, &sweep->from_Hz) &&
           yk_option_quantity(c, "--to", g->to, YK_FREQUENCY, 1e-6, 1e6, &sweep->to_Hz) &&
           yk_option_quantity(c, "--amplitude", g->amplitude, YK_LENGTH, 1e-9, 1e3, &sweep->amplitude_m) &&
           yk_option_quantity(c, "--duration", g->duration, YK_TIME, 1e-3, 1e6, &sweep->duration_s);
}

/* A sweep is one of displacements; false after a message. */
static bool is_swept(struct yk_parts *parts, size_t i)
{
    const char *word = yk_parts_commanded(parts, i);

    return strcmp(word, "displacement") == 0 ||
           !yk_misuse(&command_identify, "actuator '%s' is commanded by %s, and a sweep is one of displacements",
                      yk_parts_actuator(parts, i), word);
}

/* The actuators of "a1,a2", or all; false after a message. */
static bool find_actuators(struct yk_parts *parts, const char *names, size_t *found, size_t *count)
{
    size_t first;
    char *copy, *rest, *name;
    bool good = true;

    *count = 0;
    if (!names) {
        if (!yk_command_actuator(parts, NULL, &first))
            return false;
        for (size_t i = 0; i < yk_parts_actuators(parts) && i <= YK_JOINT_ACTUATORS; i++)
            found[(*count)++] = i;
    }
    rest = copy = strdup(names ? names : "");
    while (good && names && *count <= YK_JOINT_ACTUATORS && (name = strsep(&rest, ","))) {
        good = yk_command_actuator(parts, name, &found[*count]);
        for (size_t i = 0; good && i < *count; i++)
            if (found[i] == found[*count])
                good = !yk_misuse(&command_identify, "--actuators names '%s' twice", name);
        *count += good;
    }
    free(copy);
    for (size_t i = 0; good && i < *count && i < YK_JOINT_ACTUATORS; i++)
        good = is_swept(parts, found[i]);
    if (good && (*count < 2 || *count > YK_JOINT_ACTUATORS))
        good = !yk_misuse(&command_identify, "%s%zu actuators: there must be 2 to %d to be identified together",
                          *count > YK_JOINT_ACTUATORS ? "more than " : "",
                          *count > YK_JOINT_ACTUATORS ? *count - 1 : *count, YK_JOINT_ACTUATORS);
    return good;
}

/* A sweep knows neither supervisor nor pace: hardware is swept in its console. */
static bool may_sweep(struct yk_parts *parts)
{
    struct yk_err err = {0};

    if (yk_parts_simulate(parts))
        return true;
    yk_fail_at(
        &err, YK_E_UNSUPPORTED, YK_IN_FILE(yk_parts_path(parts)),
        "its rig is real, and `yoke identify` sweeps simulated rigs only; `yoke rig %s` sweeps an actuator within "
        "the limits (identify); --set rig.backend=virtual sweeps the virtual rig",
        yk_parts_path(parts));
    return yk_command_fail(&err), false;
}

static int sweep_asked(struct yk_parts *parts, const struct identify_options *g, struct one *j)
{
    size_t actuators[YK_JOINT_ACTUATORS + 1], count = 0;

    if (!may_sweep(parts))
        return 2;
    if (g->joint) {
        if (!find_actuators(parts, g->actuators, actuators, &count))
            return 2;
    } else if (!yk_command_actuator(parts, g->actuator, &j->actuator) || !is_swept(parts, j->actuator)) {
        return 2;
    }
    j->ask.parts = parts;
    j->ask.tick_s = yk_parts_pace(parts).tick;
    j->result = (struct yk_identification){.actuator = yk_parts_actuator(parts, j->actuator),
                                           .sweep = j->ask.sweep,
                                           .tick_s = j->ask.tick_s,
                                           .mounted = j->ask.mounted};
    return g->joint ? sweep_joint(&j->ask, count, actuators, (size_t)j->order) : identify_and_show(j);
}

/* The first option that goes with --csv alone. */
static const char *recorded_option(const struct measured_options *o)
{
    const struct yk_given given[] = {{"--columns", o->columns},
                                     {"--command", o->command},
                                     {"--measured", o->measured},
                                     {"--band", o->band},
                                     {"--orders", o->orders},
                                     {"--frf", o->frf},
                                     {"--residual", o->residual},
                                     {"--date", o->date},
                                     {"--decimal", o->decimal},
                                     {"--equal", o->equal},
                                     {"--hold-out", o->hold_out.count > 0},
                                     {0}};

    return yk_first_given(given);
}

static int run(int argc, char **argv)
{
    struct identify_options g = {0};
    struct one j = {0};
    struct yk_parts *parts;
    struct yk_words words;
    int code;

    char **copy = malloc(((size_t)argc + 1) * sizeof *copy); /* yk_take_options gathers words in front */

    if (!copy)
        return 1;
    memcpy(copy, argv, ((size_t)argc + 1) * sizeof *copy);
    if (!yk_take_options(&command_identify, argc, argv, &g, &words)) {
        free(copy);
        return 2;
    }
    code = g.recorded.csv ? identify_recorded(argc, copy) : 0;
    free(copy);
    if (g.recorded.csv)
        return code;
    if (recorded_option(&g.recorded))
        return yk_misuse(&command_identify, "%s goes with --csv", recorded_option(&g.recorded));
    g.joint |= g.actuators != NULL;
    j.ask = (struct sweep_ask){.mounted = g.mounted, .json = g.json, .out = g.out, .plot = g.plot};
    if (!read_settings(&g, &j))
        return 2;
    if (!(parts = yk_command_parts(&command_identify, &words, &g.set, false, &code)))
        return code;
    code = sweep_asked(parts, &g, &j);
    yk_parts_close(parts);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_identify, run, argc, argv);
}
