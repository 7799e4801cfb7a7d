/* yoke trial: a command, as a template. */
#include "cli/cli.h"

static int run(int argc, char **argv)
{
    struct words words;

    if (!take_options(&command_trial, argc, argv, (const struct option_spec[]){{0}}, &words))
        return 2;
    puts("a trial");
    return 0;
}

const struct command command_trial = {
    .name = "trial",
    .summary = "print two words",
    .options = "",
    .help = "usage: yoke trial\n\n"
            "example:\n"
            "  yoke trial\n",
    .run = run,
};
