/* yoke fmu: what an FMU is, whether it keeps its promises, and a run of it alone. */
#include "parts.h"

#include <string.h>

static int run(int argc, char **argv)
{
    struct fmu_options g = {0};
    struct yk_words words;

    if (!yk_take_options(&command_fmu, argc, argv, &g, &words))
        return 2;
    if (words.count != 2)
        return yk_misuse(&command_fmu, "what to do, and with which FMU?");
    if (strcmp(words.rest[0], "info") == 0)
        return fmu_info(words.rest[1], g.json);
    if (strcmp(words.rest[0], "check") == 0)
        return fmu_check(words.rest[1], &g);
    if (strcmp(words.rest[0], "run") == 0)
        return fmu_run(words.rest[1], &g);
    return yk_misuse(&command_fmu, "there is no `yoke fmu %s`: info, check or run", words.rest[0]);
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_fmu, run, argc, argv);
}
