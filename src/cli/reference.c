/* yoke reference: the experiment-file reference, from the tables the reader uses. */
#include "cli/cli.h"

#include <yoke/plugin.h>

static int run(int argc, char **argv)
{
    const struct yk_plugin *plugin;
    struct yk_err err = {0};
    struct words words;
    bool schema = false;
    const struct option_spec specs[] = {{"--schema", OPTION_FLAG, &schema}, {0}};

    if (!take_options(&command_reference, argc, argv, specs, &words))
        return 2;
    if (schema && words.count)
        return usage_error(&command_reference, "--schema is for the experiment file, not for a plugin");
    if (schema)
        return yk_experiment_schema(stdout, &err) ? report_failure(&err) : 0;
    if (words.count > 1)
        return usage_error(&command_reference, "one plugin at a time");
    if (!words.count)
        yk_experiment_reference(stdout);
    else if (yk_plugin_load(words.rest[0], &plugin, &err))
        return report_failure(&err);
    else
        yk_plugin_reference(plugin, stdout);
    return ferror(stdout) ? 1 : 0;
}

const struct command command_reference = {
    .name = "reference",
    .summary = "print the reference of the experiment file",
    .options = "--schema",
    .help = "usage: yoke reference [PLUGIN.so | --schema]\n\n"
            "Prints the manual of the experiment file (docs/experiment-file.md), generated from the tables that the "
            "reader uses,\n"
            "or the entry of a plugin.\n\n"
            "  --schema   the same as JSON Schema, for editors that complete and check YAML (docs/editors.md)\n\n"
            "examples:\n"
            "  yoke reference > docs/experiment-file.md\n"
            "  yoke reference --schema > yoke.schema.json\n",
    .run = run,
};
