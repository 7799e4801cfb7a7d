/* The commands of an OpenSees model, one after the other, without the language around them. */
#ifndef YOKE_MODEL_IMPORT_OPENSEES_COMMANDS_H
#define YOKE_MODEL_IMPORT_OPENSEES_COMMANDS_H

#include "model/read/scan.h"

struct yk_command {
    int line;
    const struct yk_span *word; /* the first is the name of the command */
    size_t count;
};
struct yk_commands {
    const char *name; /* of the file */
    struct yk_command *list;
    size_t count;
    struct yk_span *words;
};

/* Words are separated by blanks, commands by ends of lines and semicolons; "..." and {...} are one word, a backslash
 * continues a line, '#' starts a comment. The block of a fibre section becomes commands of its own. */
enum yk_status yk_commands_read(struct yk_commands *commands, const struct yk_text *text, struct yk_err *err);
void yk_commands_free(struct yk_commands *commands);

#endif
