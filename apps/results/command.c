/* The words and options of `yoke results`. */
#include "options.h"

static const struct yk_option options[] = {
    {"--csv", "FILE", "every result at every step, for other programs", YK_INTO(struct results_options, csv)},
    {"--summary", NULL, "add the results to DIR/summary.json instead of printing them, as `yoke run` does",
     YK_INTO(struct results_options, summary)},
    {"--json", NULL, "print the results as JSON", YK_INTO(struct results_options, json)},
    {0},
};

const struct yk_command command_results = {
    .name = "results",
    .summary = "storey drifts, storey and base shear, reactions, end forces of a run of a frame",
    .usage = "DIR [--csv FILE] [--json]",
    .about =
        "Results of a frame in a recording: peak and residual drifts over the height, absolute accelerations of "
        "floors, "
        "storey shear, base shear and its ratio to the weight, overturning moment, reactions, end forces of all "
        "members. They are found again from the recorded displacements and forces of members; a result whose channels "
        "were not recorded is not known. Residual: mean over the last period.",
    .options = options,
    .json =
        "{\"drift\": {\"peak\", \"storey\", \"time_s\", \"residual\", \"still_moving\", \"period_s\"},\n"
        "\"storeys\": [{\"name\", \"floor\", \"height_m\", \"peak\", \"time_s\", \"least\", \"most\", \"residual\", "
        "\"amplitude\", \"shear_N\",\n\"displacement_m\", \"acceleration_m_s2\"}], \"base\", \"overturning\", "
        "\"reactions\", \"members\", \"hinges\": [{\"name\", "
        "\"least_rad\", \"most_rad\", \"ductility\", \"state\", \"yield_rad\", \"cap_rad\", \"last_rad\"}], "
        "\"weight_N\", \"note\"}",
    .examples = "yoke results out/fibre-frame/latest\n"
                "yoke results out/fibre-frame/latest --csv results.csv",
};
