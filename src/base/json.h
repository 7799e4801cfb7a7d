/* Numbers and texts for JSON. */
#ifndef YOKE_JSON_H
#define YOKE_JSON_H

#include "base/notes.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* JSON that somebody else may have written; nothing else in the program parses JSON. The parser calls itself for every
 * level, and threads of a server have small stacks: what is nested deeper than YK_JSON_DEPTH is refused before it gets
 * there. NULL: not JSON, or too deep. `flags`: as for jansson. */
enum { YK_JSON_DEPTH = 64 };
json_t *yk_json_read(const char *text, size_t size, size_t flags);
json_t *yk_json_read_text(const char *text); /* NULL of NULL, too */
json_t *yk_json_read_stream(FILE *in);       /* up to 64 MB of it; likewise */
json_t *yk_json_read_file(const char *path);

json_t *yk_json_number(double x); /* null where not finite */
/* Any bytes as a JSON text: what is not UTF-8 loses what lies beyond ASCII; NULL is "". */
json_t *yk_json_any(const char *text);
json_t *yk_json_notes(const struct yk_notes *notes); /* a list of texts */
/* A member that is a text; "" where it is not. */
const char *yk_json_text(const json_t *object, const char *key);
/* The present time of the wall clock, ISO 8601 with the zone. */
void yk_wall_time(char *text, size_t size);

#endif
