/* The words of `yoke explain`. */
#include "options.h"

static const struct yk_option options[] = {
    {"--set", "KEY=VALUE", "replace a value of the file before anything is removed",
     YK_INTO(struct explain_options, set)},
    {"--jobs|-j", "N", "reruns at the same time; default: one per processor", YK_INTO(struct explain_options, jobs),
     .least = 1, .most = 64},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct explain_options, json)},
    {0},
};

const struct yk_command command_explain = {
    .name = "explain",
    .summary = "what limited a test: reruns on the virtual rig with one cause removed",
    .usage = "RUN|FILE [--set KEY=VALUE]... [--jobs N] [--json]",
    .about =
        "Runs the experiment of a recording, or of an experiment file, again on the virtual rig: as it is, and several "
        "times with one possible cause of error removed (limits of the actuators, their delay and dynamics, the "
        "compensation, errors of the sensors, the time step, the estimate, the coupling). The error against the "
        "reference, or its estimate "
        "where the structure has none, shows what each cause contributes. The cause without which the error is "
        "smallest comes first. What a real rig did beyond its model on the virtual rig is not explained.",
    .options = options,
    .json = "{title, verdict, measure, error, worst (key of the cause or null), causes: [{cause, words, error, level, "
            "advice,\n"
            "refused}] with the smallest error first}; error is null if a rerun did not come to its end.",
    .examples = "yoke explain out/spring-specimen\n"
                "yoke explain examples/spring-specimen/spring-specimen.yaml --set transfer.a1.compensator.kind=none",
};
