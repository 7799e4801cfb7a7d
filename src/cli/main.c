/* yoke: dispatch to the subcommands, and what they share. */
#include "cli/apps.h"
#include "cli/cli.h"
#include <yoke/fields.h>
#include <yoke/number.h>
#include <yoke/progress.h>

#include "analyze/analyze.h"
#include "engine/engine.h"

#include <string.h>

const struct yk_command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "cli/commands.def"
#undef COMMAND
    NULL,
};

void warn_of_missing_rows(uint64_t rows)
{
    if (rows)
        fprintf(stderr, "yoke: warning: %llu rows are missing in the recording: the disk did not keep up\n",
                (unsigned long long)rows);
}

static struct yk_model *load(const struct yk_command *command, const struct yk_words *words,
                             const struct yk_text_list *set, bool rehearsal, int *exit_code)
{
    struct yk_model *model = NULL;
    struct yk_err err = {0};

    *exit_code = 0;
    if (!yk_command_is_quiet())
        yk_waiting_begin();
    if (words->count != 1)
        *exit_code = yk_misuse(command, words->count ? "one experiment file at a time" : "which experiment file?");
    else if ((rehearsal ? yk_model_rehearse : yk_model_load)(&model, words->rest[0], set->text, set->count, &err))
        *exit_code = yk_command_fail(&err);
    for (size_t i = 0; model && i < model->notes->count; i++)
        fprintf(stderr, "yoke: note: %s\n", model->notes->items[i]);
    return model;
}

struct yk_model *load_experiment(const struct yk_command *command, const struct yk_words *words,
                                 const struct yk_text_list *set, int *exit_code)
{
    return load(command, words, set, false, exit_code);
}

struct yk_model *rehearse_experiment(const struct yk_command *command, const struct yk_words *words,
                                     const struct yk_text_list *set, int *exit_code)
{
    return load(command, words, set, true, exit_code);
}

int prepare_model(struct yk_model *model, bool for_runs)
{
    struct yk_err err = {0};

    if (!(for_runs ? yk_model_complete(model, &err) : yk_model_prepare(model, 0, &err)))
        return 0;
    yk_model_close(model);
    return yk_command_fail(&err);
}

int check_stability(const struct yk_model *model)
{
    struct yk_stability s;
    struct yk_err err = {0};
    const bool warn = model->stability == YK_WARN_UNSTABLE ||
                      model->coupling; /* couplings may be worth studying beyond their limit */

    if (model->integrator && !(model->integrator->caps & YK_INTEG_CONDITIONAL))
        return 0;
    if (yk_check_stability(model, &s, &err))
        return yk_command_fail(&err);
    if (s.undecided)
        fprintf(stderr, "yoke: warning: this coupling is too large to predict whether the time step is stable\n");
    if (s.stable)
        return 0;
    yk_stability_words(model, &s, !warn, &err);
    if (!warn)
        return yk_command_fail(&err);
    fprintf(stderr, "yoke: warning: %s\n", yk_err_line(&err).text);
    return 0;
}

static void print_help(FILE *out)
{
    fputs("Yoke couples what is computed with what is tested.\n\nusage: yoke COMMAND [...]\n\n", out);
    for (const struct yk_command *const *c = commands; *c; c++)
        fprintf(out, "  %-12s %s\n", (*c)->name, (*c)->summary);
    fputs(
        "\n`yoke COMMAND --help` or `yoke help COMMAND` explains a command; `yoke --version` or `yoke version` prints "
        "the build.\n"
        "Exit codes: 0 done, 2 bad input (nothing was run), 3 stopped by a limit or fault, 4 a check did not hold, "
        "5 the results are unusable, 1 else.\n",
        out);
}

static const char *next_command(void *self)
{
    const struct yk_command *const **at = self;

    return **at ? (*(*at)++)->name : NULL;
}

static int no_command(const char *name)
{
    const struct yk_command *const *cursor = commands;
    char hint[96];

    if (*name)
        fprintf(stderr, "yoke: there is no command '%s'%s\n\n", name,
                yk_suggest(name, next_command, &cursor, "", hint, sizeof hint));
    print_help(stderr);
    return 2;
}

static const struct yk_command *find_command(const char *name)
{
    for (const struct yk_command *const *c = commands; *c; c++)
        if (strcmp(name, (*c)->name) == 0)
            return *c;
    return NULL;
}

/* `yoke help` and `yoke help COMMAND`, also with --help or -h in front. */
static int help_with(int count, char **words, char *program)
{
    const struct yk_command *command = count == 1 ? find_command(words[0]) : NULL;

    if (count == 0)
        return print_help(stdout), 0;
    if (count == 1 && strcmp(words[0], "--manual") == 0) { /* for the manual page, when the program is built */
        for (const struct yk_command *const *c = commands; *c; c++)
            yk_command_manual(*c, stdout);
        return 0;
    }
    if (count > 1) {
        fprintf(stderr, "yoke: help explains one command at a time: yoke help COMMAND\n");
        return 2;
    }
    if (!command)
        return no_command(words[0]);
    if (!command->run)
        return start_app(command->name, (char *[]){program, words[0], "--help", NULL});
    yk_command_help(command, stdout);
    return 0;
}

static int dispatch(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const struct yk_command *command = find_command(name);

    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        puts(yk_build_id());
        return 0;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return help_with(argc - 2, argv + 2, argv[0]);
    if (!command)
        return no_command(name);
    if (!command->run)
        return start_app(command->name, argv);
    if (yk_command_asks_help(argc - 2, argv + 2)) {
        yk_command_help(command, stdout);
        return 0;
    }
    return command->run(argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
    yk_command_begin(argc, argv);
    return yk_command_end(dispatch(argc, argv));
}
