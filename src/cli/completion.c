/* yoke completion: a completion script for bash or zsh, made from the command tables. */
#include "cli/cli.h"

#include <string.h>

static void print_bash(void)
{
    puts("# completion of yoke for bash; in zsh: autoload -U bashcompinit && bashcompinit first\n"
         "_yoke() {\n"
         "    local word=${COMP_WORDS[COMP_CWORD]}\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    printf("        COMPREPLY=($(compgen -W \"");
    for (const struct yk_command *const *c = commands; *c; c++)
        printf("%s ", (*c)->name);
    puts("help version --help --version\" -- \"$word\"))\n"
         "        return\n"
         "    fi\n"
         "    case ${COMP_WORDS[1]} in");
    for (const struct yk_command *const *c = commands; *c; c++) {
        printf("    %s) COMPREPLY=($(compgen -W \"", (*c)->name);
        yk_command_list(*c, stdout);
        puts(" --help\" -- \"$word\")) ;;");
    }
    printf("    help) COMPREPLY=($(compgen -W \"");
    for (const struct yk_command *const *c = commands; *c; c++)
        printf("%s ", (*c)->name);
    puts("\" -- \"$word\")); return ;;\n"
         "    version) return ;;\n"
         "    esac\n"
         "    case $word in -*) ;; *) COMPREPLY+=($(compgen -f -- \"$word\")) ;; esac\n"
         "}\n"
         "complete -o filenames -F _yoke yoke");
}

static int run(int argc, char **argv)
{
    struct yk_words words;

    if (!yk_take_options(&command_completion, argc, argv, NULL, &words))
        return 2;
    if (words.count != 1 || (strcmp(words.rest[0], "bash") != 0 && strcmp(words.rest[0], "zsh") != 0))
        return yk_misuse(&command_completion, "bash or zsh?");
    if (strcmp(words.rest[0], "zsh") == 0)
        puts("autoload -U bashcompinit && bashcompinit");
    print_bash();
    return 0;
}

static const struct yk_option options[] = {
    {.name = "bash", .help = "for ~/.bashrc"},
    {.name = "zsh", .help = "for ~/.zshrc"},
    {0},
};

const struct yk_command command_completion = {
    .name = "completion",
    .summary = "print a completion script for the shell",
    .usage = "bash|zsh",
    .about = "Prints a script that completes the commands of yoke, their words and their options.",
    .options = options,
    .examples = "eval \"$(yoke completion bash)\"",
    .run = run,
};
