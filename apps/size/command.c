/* `yoke check --size` in the help of `yoke check`, the completion and the help of its program. */
#include "options.h"

const struct yk_option size_rows[] = {
    {"--size", NULL,
     "only proposes the smallest actuators that carry the test, rehearses it with them and shows what follows from "
     "their data sheets beside what is measured",
     YK_INTO(struct size_options, size)},
    {"--table", "FILE",
     "with --size: your actuators (CSV, columns as in data/actuators/classes.csv) instead of the "
     "usual classes",
     YK_INTO(struct size_options, table)},
    {"--reserve", "P", "with --size: part of the capacity that stays unused; default 15 %",
     YK_INTO(struct size_options, reserve), .quantity = YK_NUMBER, .least = 0, .most = 0.95},
    {"--plot", "OUT.svg", "with --size: force over speed of the test beside the capacity of the proposed actuators",
     YK_INTO(struct size_options, plot)},
    {0},
};

static const struct yk_option options[] = {
    {.rows = size_rows, .at = offsetof(struct size_words, size)},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct size_words, set)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct size_words, json)},
    {0},
};

const struct yk_command command_size = {
    .name = "check",
    .summary = "propose actuators that carry a test",
    .usage = "FILE --size [--table FILE] [--reserve P] [--plot OUT.svg] [--set KEY=VALUE]... [--json]",
    .about =
        "The program of `yoke check --size`: the test with ideal actuators shows what it asks of each; the smallest "
        "ones of a table that give it are proposed, and the test is rehearsed with them (docs/theory/sizing.md). "
        "Exit code 4 if the table has none, or if the rehearsal is unusable.",
    .options = options,
};
