/* yoke trial: a command, as a template. */
#include "cli/cli.h"

struct given {
    bool loud;
};

static int run(int argc, char **argv)
{
    struct given g = {0};
    struct yk_words words;

    if (!yk_take_options(&command_trial, argc, argv, &g, &words))
        return 2;
    puts(g.loud ? "A TRIAL" : "a trial");
    return 0;
}

static const struct yk_option options[] = {
    {"--loud", NULL, "in capital letters", YK_INTO(struct given, loud)},
    {0},
};

const struct yk_command command_trial = {
    .name = "trial",
    .summary = "print two words",
    .usage = "[--loud]",
    .about = "Prints two words.",
    .options = options,
    .examples = "yoke trial",
    .run = run,
};
