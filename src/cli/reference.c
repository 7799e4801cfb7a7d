/* yoke reference: the experiment-file reference, from the tables the reader uses. */
#include "cli/cli.h"

#include <yoke/plugin.h>

struct given {
    bool schema;
};

static int run(int argc, char **argv)
{
    const struct yk_plugin *plugin;
    struct yk_err err = {0};
    struct yk_words words;
    struct given g = {0};

    if (!yk_take_options(&command_reference, argc, argv, &g, &words))
        return 2;
    if (g.schema && words.count)
        return yk_misuse(&command_reference, "--schema is for the experiment file, not for a plugin");
    if (g.schema)
        return yk_experiment_schema(stdout, &err) ? yk_command_fail(&err) : 0;
    if (words.count > 1)
        return yk_misuse(&command_reference, "one plugin at a time");
    if (!words.count)
        yk_experiment_reference(stdout);
    else if (yk_plugin_load(words.rest[0], &plugin, &err))
        return yk_command_fail(&err);
    else
        yk_plugin_reference(plugin, stdout);
    return ferror(stdout) ? 1 : 0;
}

static const struct yk_option options[] = {
    {"--schema", NULL, "the same as JSON Schema, for editors that complete and check YAML (docs/editors.md)",
     YK_INTO(struct given, schema)},
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
    .run = run,
};
