/* Numbers and texts for JSON. */
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FILE_MOST = 64 << 20 };

/* Brackets outside of texts. */
static bool is_shallow(const char *text, size_t size)
{
    bool in_text = false;
    int depth = 0;

    for (size_t i = 0; i < size; i++) {
        if (in_text && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            in_text = !in_text;
        else if (!in_text && (text[i] == '[' || text[i] == '{') && ++depth > YK_JSON_DEPTH)
            return false;
        else if (!in_text && (text[i] == ']' || text[i] == '}'))
            depth--;
    }
    return true;
}

json_t *yk_json_read(const char *text, size_t size, size_t flags)
{
    return is_shallow(text, size) ? json_loadb(text, size, flags, NULL) : NULL;
}

json_t *yk_json_read_text(const char *text)
{
    return text ? yk_json_read(text, strlen(text), 0) : NULL;
}

json_t *yk_json_read_stream(FILE *in)
{
    char *text = NULL, *grown;
    size_t size = 0, room = 0, got = 1;
    json_t *json = NULL;

    while (in && got > 0 && size < FILE_MOST) {
        if (size == room) {
            room = room ? 2 * room : 1 << 16;
            if (!(grown = realloc(text, room)))
                break;
            text = grown;
        }
        size += got = fread(text + size, 1, room - size, in);
    }
    if (in && got == 0 && !ferror(in))
        json = yk_json_read(text, size, 0);
    free(text);
    return json;
}

json_t *yk_json_read_file(const char *path)
{
    FILE *in = path ? fopen(path, "re") : NULL;
    json_t *json = yk_json_read_stream(in);

    if (in)
        fclose(in);
    return json;
}

json_t *yk_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *yk_json_any(const char *text)
{
    const char *given = text ? text : "";
    json_t *json = json_string(given);
    char *copy = json ? NULL : strdup(given);

    for (char *c = copy; c && *c; c++)
        *c = (char)((unsigned char)*c < 128 ? *c : '?');
    if (copy)
        json = json_string(copy);
    free(copy);
    return json;
}

json_t *yk_json_notes(const struct yk_notes *notes)
{
    json_t *all = json_array();

    for (size_t i = 0; i < notes->count; i++)
        json_array_append_new(all, yk_json_any(notes->items[i]));
    return all;
}

const char *yk_json_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

void yk_wall_time(char *text, size_t size)
{
    const time_t now = time(NULL);
    struct tm local;

    if (!localtime_r(&now, &local) || !strftime(text, size, "%Y-%m-%dT%H:%M:%S%z", &local))
        *text = 0;
}
