/* yoke check: reads an experiment file, explains what would run, and predicts stability. */
#include "certify/options.h"
#include "cli/apps.h"
#include "cli/check_compensators.h"
#include "door/answers.h"
#include "size/options.h"
#include "state/state.h"
#include <yoke/progress.h>

#include <string.h>

/* ---- --channels ---- */

/* Prints one channel, or adds it to a list. */
static void show_channel(const struct yk_channel *c, const char *stream, bool recorded, json_t *list)
{
    if (list)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "name", c->name, "unit", c->unit,
                                              "kind", c->kind, "owner", c->owner, "long_name", c->long_name, "stream",
                                              stream, "recorded", recorded));
    else
        printf("  %c %-36s %-7s %s\n", recorded ? 'x' : ' ', c->name, c->unit, c->long_name);
}

/* All channels there are; those that are recorded come in the same order. */
static int show_channels(const struct yk_model *model, bool json)
{
    struct yk_run_channels all = {0}, recorded = {0};
    json_t *list = json ? json_array() : NULL;
    struct yk_err err = {0};

    if (yk_run_channels_known(model, &all, &err) || yk_run_channels(model, &recorded, &err)) {
        yk_run_channels_free(&all);
        json_decref(list);
        return yk_command_fail(&err);
    }
    for (int k = 0; k < YK_STREAMS; k++) {
        const struct yk_stream *s = &all.streams[k], *chosen = &recorded.streams[k];
        size_t next = 0;

        if (s->count && !json)
            printf("%s: %zu of %zu channels are recorded (x)\n", s->name, chosen->count, s->count);
        for (size_t i = 0; i < s->count; i++) {
            const bool is_next = next < chosen->count && strcmp(chosen->channels[next].name, s->channels[i].name) == 0;

            show_channel(&s->channels[i], s->name, is_next, list);
            next += is_next;
        }
    }
    yk_run_channels_free(&all);
    yk_run_channels_free(&recorded);
    if (json)
        yk_print_json(list);
    return 0;
}

struct given {
    struct yk_text_list set;
    double budget_s;
    bool json, channels, compensators;
    struct size_options size;
    struct certify_options certify;
};

static int run(int argc, char **argv)
{
    struct given g = {.budget_s = YK_CHECK_BUDGET_S};
    struct yk_findings f = {0};
    struct yk_model *model;
    struct yk_err err = {0};
    struct yk_words words;
    int code;

    if (!yk_take_options(&command_check, argc, argv, &g, &words))
        return 2;
    if (g.size.size)
        return yk_command_words() ? start_app("size", yk_command_words()) : 1;
    if (g.certify.certify || g.certify.cuts)
        return yk_command_words() ? start_app("certify", yk_command_words()) : 1;
    if (g.certify.changing || g.certify.output)
        return yk_misuse(&command_check, "--changing and -o go with --certify");
    if (g.size.table || g.size.plot || g.size.reserve > 0)
        return yk_misuse(&command_check, "--table, --reserve and --plot go with --size");
    f.budget_s = g.budget_s;
    if (g.json)
        yk_command_fail_in_json();
    if (!(model = rehearse_experiment(&command_check, &words, &g.set, &code)) || (code = prepare_model(model, true)))
        return code;
    if (g.channels) {
        code = show_channels(model, g.json);
        yk_model_close(model);
        return code;
    }
    if (g.compensators) {
        if (!model->assembly->borrowed)
            yk_findings_frequencies(model, &f);
        code = check_compensators(model, f.frequency_count && f.frequency_Hz[0] > 0 ? f.frequency_Hz[0] : 1, f.budget_s,
                                  g.json);
        yk_model_close(model);
        return code;
    }
    const enum yk_status st = yk_findings_make(model, &f, &err);

    yk_waiting_end();
    if (st) {
        code = yk_command_fail(&err);
    } else {
        code = yk_findings_good(&f) ? 0 : 4;
        if (g.json)
            yk_print_json(yk_findings_json(model, &f));
        else
            yk_findings_print(model, &f, stdout);
    }
    yk_findings_free(model, &f);
    yk_model_close(model);
    return code;
}

static const struct yk_option options[] = {
    {"--budget", "T",
     "CPU time for judging the loop, and again for the rehearsal; default 20 s. If it does not suffice, the result is "
     "reported as undecided",
     YK_INTO(struct given, budget_s), .quantity = YK_TIME, .least = 1e-9, .most = 1e6},
    {"--channels", NULL,
     "only lists the channels of the run with their units; x marks those that are recorded (see `record` in the file); "
     "with --json: [{name, unit, kind, owner, long_name, stream, recorded}]",
     YK_INTO(struct given, channels)},
    {"--compensators", NULL,
     "only rehearses the test with several compensators for each actuator and recommends one; with --json: [{actuator, "
     "frequency_Hz, gain, delay_s, delay_high_s, candidates: [{compensator, own, finished, tracking_nrms, level, "
     "reason, best}]}]",
     YK_INTO(struct given, compensators)},
    {.rows = size_rows, .at = offsetof(struct given, size)},
    {.rows = certify_rows, .at = offsetof(struct given, certify)},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct given, set)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct given, json)},
    {0},
};

const struct yk_command command_check = {
    .name = "check",
    .summary = "read an experiment file, explain it, predict stability and cost",
    .usage = "FILE [--set KEY=VALUE]... [--budget T] [--channels | --compensators] [--json]\n"
             "FILE --size [--table FILE] [--reserve P] [--plot OUT.svg] [--set KEY=VALUE]... [--json]\n"
             "FILE --certify [--changing] [--budget T] [-o DIR] [--set KEY=VALUE]... [--json]\n"
             "FILE --cuts [-o DIR] [--set KEY=VALUE]... [--json]",
    .about = "Reads and checks the experiment without running it. Reports the structure, its natural frequencies, the "
             "loads, whether the time step is stable for the method (found by driving its real step), and the cost of "
             "a step on this machine. With specimens it also reports whether the loop is stable, its delay margin, and "
             "the safety limits that a rig outside this process needs, found in a rehearsal on the virtual rig. Exit "
             "code 4 if the time step or the loop with specimens is unstable, if the loop damps wrongly, or if the "
             "verdict of the "
             "rehearsal is unusable.",
    .options = options,
    .json =
        "{title, method, steps, step_s, dofs, linear, substructures (as in `yoke model info`), frequencies_Hz,\n"
        "stability: {stable, radius, limit_s}, step_cost_s, solving: [{path, current, symmetric, cost_s, given_s, "
        "modal_s}],\n"
        "hybrid_loop: {stable, wrong, margin_s, decay_per_s, decay_model_per_s, verdict, margin_complete, growth_s,\n"
        "spent_s, variations {specimen_softer_s, specimen_stiffer_s, actuators_slower_s, actuators_faster_s, gain}} or "
        "null,\n"
        "idle_compensators: [actuators whose compensator has no delay to compensate],\n"
        "readings: {name: {gain, offset, filter_delay_s}} of those that are corrected,\n"
        "elements: [{substructure, name, advice}] for which the step is too long,\n"
        "loads: [{kind, ground, source, file, peak, unit, peak_time_s, from_s, until_s, record_s}], reference_s,\n"
        "members: {nonlinear, hinges, sections, fibres, evaluations_per_step} of frames,\n"
        "notes: [what the user should know of the file],\n"
        "demand of the rehearsal: {actuator: {stroke, speed, force: {demand, at_s, capacity, used}, valve: {used, "
        "at_s}, power_W,\n"
        "power_at_s, sheet: {delay_s, bandwidth_Hz, oil_column_Hz, area_m2, flow_m3_s, force_N, moved_kg, speeds_m_s} "
        "or "
        "null}} "
        "or "
        "null,\n"
        "verdict of the rehearsal: {level, reasons: [{criterion, level, actuator, value, bound, text, why, advice}],\n"
        "measures, rehearsed_s, complete, fault} or null,\n"
        "limits: {missing, proposal, no_proposal, rehearsed_s, complete} or null}; limit_s is null if there is no "
        "limit.\n"
        "With --size: {title, reserve, demand: {actuator: {stroke_m, speed_m_s, acceleration_m_s2, force_N, power_W, "
        "each "
        "with its\n"
        "..._at_s, frequency_Hz}}, proposal: {actuator: {name, plant, stroke_used, force_used, curve_used, most_at_s, "
        "flow_m3_s,\n"
        "moved_kg, sheet, measured_delay_s, measured_gain_at_bandwidth} or null}, verdict of the rehearsal with "
        "them}.\n"
        "With --certify: {title, certified, radius, radius_found, gap, changing, worst: {key: value}, costs: [{key, "
        "alone,\n"
        "without}], arcs, boxes, method, critical_Hz, undecided_at_Hz, budget_spent, spent_s, checksum}.\n"
        "If the file is refused: {error: {status, file, line, column, message}}; null if unknown.",
    .examples = "yoke check examples/oscillator/oscillator.yaml\n"
                "yoke check examples/spring-specimen/spring-specimen.yaml --size --plot out/sizing.svg\n"
                "yoke check frame.yaml --set method.integrator=newmark --set method.beta=0 --json",
    .run = run,
};
