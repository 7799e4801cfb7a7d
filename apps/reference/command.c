/* `yoke reference` in `yoke --help`, the completion and the help of its program. */
#include "options.h"

static const struct yk_option options[] = {
    {"--schema", NULL, "the same as JSON Schema, for editors that complete and check YAML (docs/editors.md)",
     YK_INTO(struct reference_options, schema)},
    {0},
};

const struct yk_command command_reference = {
    .name = "reference",
    .summary = "print the reference of the experiment file",
    .usage = "[PLUGIN.so | --schema]",
    .about = "Prints the manual of the experiment file (docs/experiment-file.md), generated from the tables that the "
             "reader uses, or the entry of a plugin.",
    .options = options,
    .examples = "yoke reference > docs/experiment-file.md\n"
                "yoke reference --schema > yoke.schema.json",
};
