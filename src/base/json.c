/* Numbers and texts for JSON. */
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
