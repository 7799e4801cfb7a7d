/* The experiment file that is the only word of a command. */
#include <yoke/parts.h>
#include <yoke/progress.h>

struct yk_parts *yk_command_parts(const struct yk_command *command, const struct yk_words *words,
                                  const struct yk_text_list *set, bool rehearse, int *code)
{
    struct yk_parts *p = NULL;
    struct yk_err err = {0};

    *code = 0;
    if (!yk_command_is_quiet())
        yk_waiting_begin();
    if (words->count != 1)
        *code = yk_misuse(command, words->count ? "one experiment file at a time" : "which experiment file?");
    else if (yk_parts_open(&p,
                           &(struct yk_model_source){.path = words->rest[0],
                                                     .overrides = set->text,
                                                     .override_count = set->count,
                                                     .rehearse = rehearse},
                           &err))
        *code = yk_command_fail(&err);
    for (size_t k = 0; p && yk_parts_note(p, k); k++)
        fprintf(stderr, "yoke: note: %s\n", yk_parts_note(p, k));
    return p;
}
