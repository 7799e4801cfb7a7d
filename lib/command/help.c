/* The page of `--help` and the words for completion, from the table of a command. */
#include "rows.h"

#include <string.h>

enum { WIDTH = 100, MARGIN = 2, COLUMN = 22 }; /* of the page; of the options; of their explanations */

/* The length of the word that a text begins with. In `whole` a bracket is one word: "[--set KEY=VALUE]...". */
static size_t word_length(const char *text, const char *end, bool whole)
{
    const char *c = text;

    for (int depth = 0; c < end && (depth > 0 || *c != ' '); c++)
        if (whole)
            depth += *c == '[' ? 1 : *c == ']' ? -1 : 0;
    return (size_t)(c - text);
}

/* Prints one line of text in as many lines of the page as it takes. The first begins at column `at`, the others at
 * `indent`. */
static void fill(FILE *out, const char *text, size_t length, bool whole, size_t at, size_t indent)
{
    bool first = true; /* of the line */

    for (const char *end = text + length; text < end;) {
        const size_t word = word_length(text, end, whole);

        if (!first && at + 1 + word > WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            first = true;
        }
        fprintf(out, "%s%.*s", first ? "" : " ", (int)word, text);
        at += word + !first;
        first = false;
        text += word + 1;
    }
    fputc('\n', out);
}

/* Every line of a text, filled. `at` is the column where the first one begins. */
static void fill_lines(FILE *out, const char *text, size_t at, size_t indent)
{
    for (bool first = true; text; first = false) {
        const size_t length = strcspn(text, "\n");

        if (!first && length)
            fprintf(out, "%*s", (int)indent, "");
        fill(out, text, length, false, first ? at : indent, indent);
        text = text[length] ? text + length + 1 : NULL;
    }
}

/* "-o, --output FILE" */
static size_t print_name(FILE *out, const struct yk_option *row)
{
    const char *bar = strchr(row->name, '|');
    int size = fprintf(out, "%*s%s%s", MARGIN, "", bar ? bar + 1 : "", bar ? ", " : "");

    size += fprintf(out, "%.*s", (int)strcspn(row->name, "|"), row->name);
    if (row->argument)
        size += fprintf(out, " %s", row->argument);
    return (size_t)size;
}

static void print_row(FILE *out, const struct yk_option *row)
{
    if (row->print) {
        row->print(out);
        return;
    }
    if (!row->name) {
        fputc('\n', out);
        fill_lines(out, row->help, 0, 0);
        fputc('\n', out);
        return;
    }
    const size_t used = print_name(out, row);

    if (used < COLUMN)
        fprintf(out, "%*s", (int)(COLUMN - used), "");
    else
        fprintf(out, "\n%*s", COLUMN, "");
    fill_lines(out, row->help, COLUMN, COLUMN);
}

void yk_command_help(const struct yk_command *command, FILE *out)
{
    struct yk_option_walk walk = yk_option_walk(command);
    const size_t indent = strlen("usage: yoke ") + strlen(command->name) + 1;
    const struct yk_option *row;

    for (const char *form = command->usage; form; form = strchr(form, '\n') ? strchr(form, '\n') + 1 : NULL) {
        fprintf(out, "%s yoke %s ", form == command->usage ? "usage:" : "      ", command->name);
        fill(out, form, strcspn(form, "\n"), true, indent, indent);
    }
    fputc('\n', out);
    fill_lines(out, command->about, 0, 0);
    for (bool first = true; (row = yk_option_next(&walk)); first = false) {
        if (first && row->name)
            fputc('\n', out);
        if (!row->name || row->help)
            print_row(out, row);
    }
    if (command->notes) {
        fputc('\n', out);
        fill_lines(out, command->notes, 0, 0);
    }
    if (command->json)
        fprintf(out, "\nprinted by --json:\n%s\n", command->json);
    if (command->examples)
        fputs("\nexamples:\n", out);
    for (const char *line = command->examples; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        fprintf(out, "  %.*s\n", (int)strcspn(line, "\n"), line);
}

void yk_command_list(const struct yk_command *command, FILE *out)
{
    struct yk_option_walk walk = yk_option_walk(command);
    const struct yk_option *row;
    const char *between = "";

    while ((row = yk_option_next(&walk)))
        if (row->name && row->help) {
            fprintf(out, "%s%.*s", between, (int)strcspn(row->name, "|"), row->name);
            between = " ";
        }
}
