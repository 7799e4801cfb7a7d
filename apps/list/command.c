/* `yoke list` in `yoke --help`, the completion and the help of its program. */
#include "options.h"

static const struct yk_option options[] = {
    {.name = "integrators", .help = "time integration of one structure"},
    {.name = "couplings", .help = "time integration of several substructures, with steps of their own"},
    {.name = "laws", .help = "force and displacement of an element"},
    {.name = "signals", .help = "loads and targets over time"},
    {.name = "substructures", .help = "kinds of substructure"},
    {.name = "compensators", .help = "what makes up for the delay of an actuator"},
    {.name = "estimators", .help = "what finds the delay while the test runs"},
    {.name = "controllers", .help = "what tracks a target"},
    {.name = "plants", .help = "models of actuators on the virtual rig"},
    {.name = "setups", .help = "how actuators move a specimen"},
    {.name = "backends", .help = "ways to reach a rig"},
    {.name = "formats", .help = "files that models are read from"},
    {.name = "reductions", .help = "ways to reduce a large substructure"},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct list_options, json)},
    {0},
};

const struct yk_command command_list = {
    .name = "list",
    .summary = "list the registered methods, laws, signals and other components",
    .usage = "[FAMILY|PLUGIN.so] [--json]",
    .about = "Lists the registered components, all or one family, or the component of a plugin, with their order, "
             "number of stages and published source. `yoke list couplings` also measures the orders of convergence on "
             "a split mass. --json prints one object with an array per family; each entry has name, summary, reference "
             "(the published source), settings and, if they apply, order and stages.",
    .options = options,
    .examples = "yoke list\n"
                "yoke list integrators --json",
};
