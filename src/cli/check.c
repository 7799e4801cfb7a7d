/* yoke check: reads an experiment file, explains what would run, and predicts stability. */
#include "cli/check_compensators.h"
#include "cli/loop.h"
#include "plan/plan.h"
#include "program/answers.h"

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
static int show_channels(const struct yk_plan *plan, bool json)
{
    struct yk_run_channels all = {0}, recorded = {0};
    json_t *list = json ? json_array() : NULL;
    struct yk_err err = {0};

    if (yk_run_channels_known(plan, &all, &err) || yk_run_channels(plan, &recorded, &err)) {
        yk_run_channels_free(&all);
        json_decref(list);
        return report_failure(&err);
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
        print_json(list);
    return 0;
}

static int run(int argc, char **argv)
{
    struct text_list set = {0};
    bool json = false, channels = false, compensators = false;
    const char *budget = NULL;
    const struct option_spec specs[] = {
        {"--set", OPTION_LIST, &set},           {"--budget", OPTION_TEXT, &budget},
        {"--channels", OPTION_FLAG, &channels}, {"--compensators", OPTION_FLAG, &compensators},
        {"--json", OPTION_FLAG, &json},         {0}};
    struct yk_findings f = {.budget_s = YK_CHECK_BUDGET_S};
    struct yk_experiment *loaded;
    struct yk_plan *plan;
    struct yk_err err = {0};
    struct words words;
    int code;

    if (!take_options(&command_check, argc, argv, specs, &words) ||
        !parse_quantity(&command_check, "--budget", budget, YK_TIME, 1e-9, 1e6, &f.budget_s))
        return 2;
    if (json)
        report_failures_in_json();
    if (!(loaded = rehearse_experiment(&command_check, &words, &set, &code)) ||
        !(plan = plan_experiment(loaded, true, &code)))
        return code;
    if (channels) {
        code = show_channels(plan, json);
        yk_plan_close(plan);
        return code;
    }
    if (compensators) {
        if (!yk_plan_experiment(plan)->assembly.borrowed)
            yk_findings_frequencies(yk_plan_experiment(plan), &f);
        code = check_compensators(plan, f.frequency_count && f.frequency_Hz[0] > 0 ? f.frequency_Hz[0] : 1, f.budget_s,
                                  json);
        yk_plan_close(plan);
        return code;
    }
    struct loop_progress progress;

    loop_progress_begin(&progress, f.budget_s, &f.progress, &f.self);
    const enum yk_status st = yk_findings_make(plan, &f, &err);
    loop_progress_end(&progress);
    if (st) {
        code = report_failure(&err);
    } else {
        code = yk_findings_good(&f) ? 0 : 4;
        if (json)
            print_json(yk_findings_json(plan, &f));
        else
            yk_findings_print(plan, &f, stdout);
    }
    yk_findings_free(plan, &f);
    yk_plan_close(plan);
    return code;
}

const struct command command_check = {
    .name = "check",
    .summary = "read an experiment file, explain it, predict stability and cost",
    .options = "--set --budget --channels --compensators --json",
    .help =
        "usage: yoke check FILE [--set KEY=VALUE]... [--budget T] [--channels | --compensators] [--json]\n\n"
        "Reads and checks the experiment without running it. Reports the structure, its natural frequencies, the "
        "loads,\n"
        "whether the time step is stable for the method (found by driving its real step), and the cost of a step on "
        "this\n"
        "machine. With specimens it also reports whether the loop is stable, its delay margin, and the safety limits "
        "that\n"
        "a rig outside this process needs, found in a rehearsal on the virtual rig.\n"
        "Exit code 4 if the time step or the loop with specimens is unstable, or if the loop damps wrongly.\n\n"
        "  --budget T   CPU time for judging the loop, and again for the rehearsal; default 20s. If it does not "
        "suffice,\n"
        "               the result is reported as undecided\n"
        "  --channels   only lists the channels of the run with their units; x marks those that are recorded (see "
        "`record`\n"
        "               in the file); with --json: [{name, unit, kind, owner, long_name, stream, recorded}]\n"
        "  --compensators  only rehearses the test with several compensators for each actuator and recommends one;\n"
        "               with --json: [{actuator, frequency_Hz, gain, delay_s, delay_high_s,\n"
        "               candidates: [{compensator, own, finished, tracking_nrms, best}]}]\n\n"
        "--json: {title, method, steps, step_s, dofs, linear, substructures (as in `yoke model info`), "
        "frequencies_Hz,\n"
        "         stability: {stable, radius, limit_s}, step_cost_s, solving: [{path, current, symmetric, cost_s, "
        "given_s, modal_s}],\n"
        "         hybrid_loop: {stable, wrong, margin_s, decay_per_s, decay_model_per_s, verdict, margin_complete, "
        "growth_s,\n"
        "         spent_s, variations {specimen_softer_s, specimen_stiffer_s, actuators_slower_s, actuators_faster_s, "
        "gain}} "
        "or null,\n"
        "         idle_compensators: [actuators whose compensator has no delay to compensate],\n"
        "         readings: {name: {gain, offset, filter_delay_s}} of those that are corrected,\n"
        "         elements: [{substructure, name, advice}] for which the step is too long,\n"
        "         loads: [{kind, ground, source, file, peak, unit, peak_time_s, from_s, until_s, record_s}], "
        "reference_s,\n"
        "         members: {nonlinear, hinges, sections, fibres, evaluations_per_step} of frames,\n"
        "         notes: [what the user should know of the file],\n"
        "         limits: {missing, proposal, no_proposal, rehearsed_s, complete} or null}; limit_s is null if there "
        "is no limit.\n"
        "         If the file is refused: {error: {status, file, line, column, message}}; null if unknown.\n\n"
        "examples:\n"
        "  yoke check examples/oscillator/oscillator.yaml\n"
        "  yoke check frame.yaml --set method.integrator=newmark --set method.beta=0 --json\n",
    .run = run,
};
