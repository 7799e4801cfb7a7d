/* yoke reference: the experiment-file reference, from the tables the reader uses. */
#include "cli/cli.h"

#include <yoke/plugin.h>

static int run(int argc, char **argv)
{
    const struct yk_plugin *plugin;
    struct yk_err err = {0};
    struct words words;

    if (!take_options(&command_reference, argc, argv, (const struct option_spec[]){{0}}, &words))
        return 2;
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
    .options = "",
    .help = "usage: yoke reference [PLUGIN.so]\n\n"
            "Prints the manual of the experiment file (docs/experiment-file.md), generated from the tables that the "
            "reader uses,\n"
            "or the entry of a plugin.\n\n"
            "example:\n"
            "  yoke reference > docs/experiment-file.md\n",
    .run = run,
};
