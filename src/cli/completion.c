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
    for (const struct command *const *c = commands; *c; c++)
        printf("%s ", (*c)->name);
    puts("help version --help --version\" -- \"$word\"))\n"
         "        return\n"
         "    fi\n"
         "    case ${COMP_WORDS[1]} in");
    for (const struct command *const *c = commands; *c; c++) {
        printf("    %s) COMPREPLY=($(compgen -W \"", (*c)->name);
        for (size_t i = 0; (*c)->part && (*c)->part(i); i++)
            printf("%s ", (*c)->part(i));
        printf("%s --help\" -- \"$word\")) ;;\n", (*c)->options);
    }
    printf("    help) COMPREPLY=($(compgen -W \"");
    for (const struct command *const *c = commands; *c; c++)
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
    struct words words;

    if (!take_options(&command_completion, argc, argv, (const struct option_spec[]){{0}}, &words))
        return 2;
    if (words.count != 1 || (strcmp(words.rest[0], "bash") != 0 && strcmp(words.rest[0], "zsh") != 0))
        return usage_error(&command_completion, "bash or zsh?");
    if (strcmp(words.rest[0], "zsh") == 0)
        puts("autoload -U bashcompinit && bashcompinit");
    print_bash();
    return 0;
}

const struct command command_completion = {
    .name = "completion",
    .summary = "print a completion script for the shell",
    .options = "bash zsh",
    .help = "usage: yoke completion bash|zsh\n\n"
            "example, in ~/.bashrc:\n"
            "  eval \"$(yoke completion bash)\"\n",
    .run = run,
};
