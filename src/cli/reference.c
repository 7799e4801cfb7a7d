/* yoke reference: the experiment-file reference, from the tables the reader uses. */
#include "cli/cli.h"

static int run(int argc, char **argv)
{
    struct words words;

    if (!take_options(&command_reference, argc, argv, (const struct option_spec[]){{0}}, &words))
        return 2;
    if (words.count)
        return usage_error(&command_reference, "it takes no arguments");
    yk_experiment_reference(stdout);
    return ferror(stdout) ? 1 : 0;
}

const struct command command_reference = {
    .name = "reference",
    .summary = "print the reference of the experiment file",
    .options = "",
    .help = "usage: yoke reference\n\n"
            "Prints docs/experiment-file.md from the tables that the reader itself uses.\n\n"
            "example:\n"
            "  yoke reference > docs/experiment-file.md\n",
    .run = run,
};
