/* yoke reference: the experiment-file reference, from the tables the reader uses. */
#include "options.h"
#include "reference.h"

static int run(int argc, char **argv)
{
    const struct yk_plugin *plugin;
    struct yk_err err = {0};
    struct yk_words words;
    struct reference_options g = {0};

    if (!yk_take_options(&command_reference, argc, argv, &g, &words))
        return 2;
    if (g.schema && words.count)
        return yk_misuse(&command_reference, "--schema is for the experiment file, not for a plugin");
    if (g.schema)
        return reference_schema(stdout, &err) ? yk_command_fail(&err) : 0;
    if (words.count > 1)
        return yk_misuse(&command_reference, "one plugin at a time");
    if (!words.count)
        reference_print(stdout);
    else if (yk_plugin_load(words.rest[0], &plugin, &err))
        return yk_command_fail(&err);
    else
        reference_plugin(plugin, stdout);
    return ferror(stdout) ? 1 : 0;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_reference, run, argc, argv);
}
