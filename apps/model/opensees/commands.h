/* The commands of an OpenSees model, one after the other, without the language around them. */
#ifndef YOKE_MODEL_OPENSEES_COMMANDS_H
#define YOKE_MODEL_OPENSEES_COMMANDS_H

#include <yoke/text.h>

struct opensees_command {
    int line;
    const struct yk_piece *word; /* the first is the name of the command */
    size_t count;
};
struct opensees_commands {
    const char *name; /* of the file */
    struct opensees_command *list;
    size_t count;
    struct yk_piece *words;
};

/* Words are separated by blanks, commands by ends of lines and semicolons; "..." and {...} are one word, a backslash
 * continues a line, '#' starts a comment. The block of a fibre section becomes commands of its own. */
enum yk_status opensees_read(struct opensees_commands *commands, const struct yk_text *text, struct yk_err *err);
void opensees_free(struct opensees_commands *commands);

#endif
