/* The formats by name, ending and content, and the files that belong together. */
#include "model/import/import.h"
#include <yoke/file.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define YK_IMPORT(name) extern const struct yk_import_format yk_import_##name;
#include "model/import/formats.def"
#undef YK_IMPORT

const struct yk_import_format *const yk_import_formats[] = {
#define YK_IMPORT(name) &yk_import_##name,
#include "model/import/formats.def"
#undef YK_IMPORT
    NULL,
};

const struct yk_import_format *yk_import_format_find(const char *name)
{
    for (const struct yk_import_format *const *f = yk_import_formats; *f; f++)
        if (strcmp((*f)->name, name) == 0)
            return *f;
    return NULL;
}

/* endings: ".sti|.mas" */
static bool ends_in(const char *name, const char *endings)
{
    for (const char *e = endings; e; e = strchr(e, '|') ? strchr(e, '|') + 1 : NULL) {
        char ending[16] = "";

        memcpy(ending, e, strcspn(e, "|"));
        if (yk_name_ends_in(name, ending))
            return true;
    }
    return false;
}

bool yk_import_has_ending(const char *name)
{
    for (const struct yk_import_format *const *f = yk_import_formats; *f; f++)
        if (ends_in(name, (*f)->endings))
            return true;
    return false;
}

/* Some endings tell the format, others (.mtx, .txt) only the content does. A pipe is not looked into: it can be read
 * only once, and that is for the reader of the matrix. */
const struct yk_import_format *yk_import_recognise(const char *path)
{
    const struct yk_import_format *found = NULL;
    struct yk_text text;

    if (yk_is_mat(path) || yk_name_ends_in(path, ".csv"))
        return NULL;
    for (const struct yk_import_format *const *f = yk_import_formats; *f && !found; f++)
        if (!(*f)->recognise && ends_in(path, (*f)->endings))
            found = *f;
    if (found || yk_file_check(path, NULL) || yk_text_load(&text, path, NULL))
        return found;
    for (const struct yk_import_format *const *f = yk_import_formats; *f && !found; f++)
        if ((*f)->recognise && (*f)->recognise(&text))
            found = *f;
    yk_text_free(&text);
    return found;
}

/* Last occurrence of `word` in the name of the file, in any case; NULL: none. */
static const char *last_word(const char *path, const char *word)
{
    const char *slash = strrchr(path, '/'), *found = NULL;

    for (const char *p = slash ? slash + 1 : path; *p; p++)
        if (strncasecmp(p, word, strlen(word)) == 0)
            found = p;
    return found;
}

bool yk_import_is_part(const char *path, const char *word)
{
    return word && last_word(path, word);
}

char *yk_import_companion(const char *path, const char *from, const char *to)
{
    const char *at = path && from && to ? last_word(path, from) : NULL;
    char *other = at ? malloc(strlen(path) + strlen(to) + 1) : NULL, *end;
    bool lower = true;

    if (!other)
        return NULL;
    for (const char *p = at; p < at + strlen(from); p++)
        lower &= !isupper((unsigned char)*p);
    memcpy(other, path, (size_t)(at - path));
    end = other + (at - path);
    for (const char *p = to; *p; p++)
        *end++ = (char)(lower ? tolower((unsigned char)*p) : toupper((unsigned char)*p));
    strcpy(end, at + strlen(from));
    if (strcmp(other, path) != 0 && access(other, R_OK) == 0)
        return other;
    free(other);
    return NULL;
}
