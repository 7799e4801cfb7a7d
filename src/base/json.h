/* Numbers and texts for JSON. */
#ifndef YOKE_JSON_H
#define YOKE_JSON_H

#include "base/notes.h"

#include <jansson.h>

json_t *yk_json_number(double x); /* null where not finite */
/* Any bytes as a JSON text: what is not UTF-8 loses what lies beyond ASCII; NULL is "". */
json_t *yk_json_any(const char *text);
json_t *yk_json_notes(const struct yk_notes *notes); /* a list of texts */
/* A member that is a text; "" where it is not. */
const char *yk_json_text(const json_t *object, const char *key);
/* The present time of the wall clock, ISO 8601 with the zone. */
void yk_wall_time(char *text, size_t size);

#endif
