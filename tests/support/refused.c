#include "support/refused.h"

#include "experiment/experiment.h"
#include "support/scratch.h"

#include <stdlib.h>

char *unmark(const char *marked, int *line, int *column)
{
    const char *at = strchr(marked, '@');
    char *text = strdup(marked);

    assert_non_null(text);
    *line = *column = 0;
    if (!at)
        return text;
    *line = *column = 1;
    for (const char *c = marked; c < at; c++) {
        *column = *c == '\n' ? 1 : *column + 1;
        *line += *c == '\n';
    }
    memmove(text + (at - marked), at + 1, strlen(at));
    return text;
}

int check_refusal(const struct refusal *c)
{
    struct yk_model *e = NULL;
    struct yk_err err = {0};
    char path[512];
    int line, column;
    char *text = unmark(c->text, &line, &column);

    snprintf(path, sizeof path, "%s", scratch_path("bad.yaml"));
    enum yk_status st = yk_model_parse(&e, path, text, strlen(text), NULL, 0, &err);
    const bool placed = strcmp(err.file, path) == 0 && (!line || (err.line == line && err.column == column));
    const bool good = st == c->status && err.status == st && !e && placed && strstr(yk_err_line(&err).text, c->words);
    if (!good)
        print_error("%s\n  got    %s (%s)\n  wanted :%d:%d: ..%s.. (%s)\n", text,
                    yk_err_line(&err).text + (strcmp(err.file, path) == 0 ? strlen(path) : 0), yk_status_text(st), line,
                    column, c->words, yk_status_text(c->status));
    yk_model_close(e);
    free(text);
    return !good;
}

void check_all(const struct refusal *cases, size_t count)
{
    int bad = 0;

    for (size_t i = 0; i < count; i++)
        bad += check_refusal(&cases[i]);
    assert_int_equal(bad, 0);
}

void check_files(const struct file_refusal *cases, size_t count)
{
    int bad = 0;

    for (size_t i = 0; i < count; i++) {
        scratch_write(cases[i].file, cases[i].content);
        bad += check_refusal(&cases[i].refusal);
        remove(scratch_path(cases[i].file));
    }
    assert_int_equal(bad, 0);
}
