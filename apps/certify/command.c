/* `yoke check --certify` and `--cuts` in the help of `yoke check`, the completion and the help of their program. */
#include "options.h"

const struct yk_option certify_rows[] = {
    {"--certify", NULL,
     "only proves that the loop is stable for all values within the limits of the section `uncertain`, and how much "
     "wider "
     "they may be; --budget is then the CPU time of the proof",
     YK_INTO(struct certify_options, certify)},
    {"--changing", NULL, "with --certify: also if values of specimens and sensors change during the test",
     YK_INTO(struct certify_options, changing)},
    {"--cuts", NULL,
     "only ranks the places where the structure can be cut, and the commands, by the delay that is certified for each",
     YK_INTO(struct certify_options, cuts)},
    {"-o", "DIR", "with --certify or --cuts: folder of the results; default out/NAME/certify",
     YK_INTO(struct certify_options, output)},
    {0},
};

static const struct yk_option options[] = {
    {.rows = certify_rows, .at = offsetof(struct certify_words, certify)},
    {"--budget", "T", "CPU time of the proof; default 20 s", YK_INTO(struct certify_words, budget_s),
     .quantity = YK_TIME, .least = 1e-9, .most = 1e6},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct certify_words, set)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct certify_words, json)},
    {0},
};

const struct yk_command command_certify = {
    .name = "check",
    .summary = "certify the stability of a hybrid loop",
    .usage = "FILE --certify [--changing] [--budget T] [-o DIR] [--set KEY=VALUE]... [--json]\n"
             "FILE --cuts [-o DIR] [--set KEY=VALUE]... [--json]",
    .about = "The program of `yoke check --certify` and `yoke check --cuts` (docs/theory/certificates.md). Exit code 4 "
             "if an "
             "unstable loop was found within the limits, or if nothing could be proved.",
    .options = options,
};
