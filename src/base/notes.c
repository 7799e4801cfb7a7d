#include "base/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void yk_note(struct yk_notes *notes, struct yk_where where, const char *format, ...)
{
    struct yk_err note = {0};
    char **items, *words = NULL;
    va_list args;

    if (!notes)
        return;
    va_start(args, format);
    const int length = vasprintf(&words, format, args);

    va_end(args);
    if (length < 0)
        return;
    yk_fail_at(&note, YK_E_INPUT, where, "%s", words);
    free(words);
    const struct yk_err_line line = yk_err_line(&note);

    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->items[i], line.text) == 0)
            return;
    if (!(items = realloc(notes->items, (notes->count + 1) * sizeof *items)))
        return;
    notes->items = items;
    if ((items[notes->count] = strdup(line.text)))
        notes->count++;
}

void yk_notes_free(struct yk_notes *notes)
{
    for (size_t i = 0; notes && i < notes->count; i++)
        free(notes->items[i]);
    if (notes)
        free(notes->items);
    free(notes);
}
