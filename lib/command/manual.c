/* The section of a command in the manual page, in the language of man(1), from the table of the command. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

/* One line of text: a dot or an apostrophe at its begin is no request. */
static void put_line(FILE *out, const char *text, size_t length)
{
    if (length && strchr(".' ", *text))
        fputs("\\&", out);
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\\')
            fputs("\\e", out);
        else if (text[i] == '-')
            fputs("\\-", out);
        else if (text[i] == '"') /* the arguments of a request are quoted by them */
            fputs("\\(dq", out);
        else
            fputc(text[i], out);
    fputc('\n', out);
}

/* A text that is filled: an empty line begins a paragraph, any other a new line. */
static void put_text(FILE *out, const char *text)
{
    for (bool first = true; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL) {
        const size_t length = strcspn(text, "\n");

        fputs(!length ? ".PP\n" : first ? "" : ".br\n", out);
        if (length)
            put_line(out, text, length);
        first = !length;
    }
}

/* Lines as they are. */
static void put_as_is(FILE *out, const char *text)
{
    fputs(".PP\n.nf\n", out);
    for (; text && *text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
        put_line(out, text, strcspn(text, "\n"));
    fputs(".fi\n", out);
}

static void put_printed(FILE *out, const struct yk_option *row)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);

    if (memory) {
        row->print(memory);
        if (fclose(memory) == 0)
            put_as_is(out, text + strspn(text, "\n"));
    }
    free(text);
}

static void put_row(FILE *out, const struct yk_option *row)
{
    const char *bar = row->name ? strchr(row->name, '|') : NULL;
    char line[200];

    if (row->print) {
        put_printed(out, row);
        return;
    }
    if (!row->name) {
        fputs(".PP\n", out);
        put_text(out, row->help);
        return;
    }
    snprintf(line, sizeof line, "%s%s%.*s%s%s", bar ? bar + 1 : "", bar ? ", " : "", (int)strcspn(row->name, "|"),
             row->name, row->argument ? " " : "", row->argument ? row->argument : "");
    fputs(".TP\n.B ", out);
    put_line(out, line, strlen(line));
    put_text(out, row->help);
}

void yk_command_manual(const struct yk_command *command, FILE *out)
{
    struct yk_option_walk walk = yk_option_walk(command);
    const struct yk_option *row;

    fprintf(out, ".SS %s\n", command->name);
    for (const char *form = command->usage; form; form = strchr(form, '\n') ? strchr(form, '\n') + 1 : NULL) {
        fprintf(out, "%s.B yoke %s\n", form == command->usage ? "" : ".br\n", command->name);
        put_line(out, form, strcspn(form, "\n"));
    }
    fputs(".PP\n", out);
    put_text(out, command->about);
    while ((row = yk_option_next(&walk)))
        if (!row->name || row->help)
            put_row(out, row);
    if (command->notes) {
        fputs(".PP\n", out);
        put_text(out, command->notes);
    }
    if (command->json) {
        fputs(".PP\nPrinted by \\-\\-json:\n", out);
        put_as_is(out, command->json);
    }
    if (command->examples)
        put_as_is(out, command->examples);
}
