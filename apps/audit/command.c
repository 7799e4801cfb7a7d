/* `yoke audit` in `yoke --help`, the completion and the help of its program. */
#include "options.h"

enum { MOST_SHOWN = 1000000 };

static const struct yk_option options[] = {
    {.name = "verify", .argument = "[LOG]", .help = "check the chain of the log"},
    {.name = "show", .argument = "[LOG]", .help = "print its last entries"},
    {"--against", "RUN",
     "a recording, its folder, or a summary.json: the log must contain the last line that this run wrote; shows lines "
     "that were cut off at the end",
     YK_INTO(struct audit_options, against)},
    {"--last", "N", "how many entries to show; default 20", YK_INTO(struct audit_options, last), .least = 1,
     .most = MOST_SHOWN},
    {"--json", NULL, "print the verdict as JSON", YK_INTO(struct audit_options, json)},
    {0},
};

const struct yk_command command_audit = {
    .name = "audit",
    .summary = "show or verify the log of what was done to rigs",
    .usage = "verify [LOG] [--against RUN] [--json]\n"
             "show [LOG] [--last N]",
    .about = "Runs and consoles on a rig outside this process append every command, limit, override and end to one "
             "log: who, when, what. Each line holds the hash of the line above it. `verify` reads the log and names "
             "the first line whose chain does not hold (exit code 4): a line was changed, removed, inserted or moved.",
    .options = options,
    .notes = "LOG is $YOKE_AUDIT by default, or yoke/audit.log in $XDG_STATE_HOME or ~/.local/state.",
    .examples = "yoke audit show --last 50\n"
                "yoke audit verify --against out/column/latest",
};
