/* JSON, of Jansson (its json_t is `struct json_t`): numbers and texts as all answers and files of Yoke write them, and
 * the one safe way to read what somebody else may have written. */
#ifndef YOKE_JSON_H
#define YOKE_JSON_H

#include <stddef.h>
#include <stdio.h>

struct json_t;

/* The parser calls itself for every level, and threads of a server have small stacks: what is nested deeper than
 * YK_JSON_DEPTH is refused before it gets there. NULL: not JSON, or too deep. `flags`: as for Jansson. */
enum { YK_JSON_DEPTH = 64 };
struct json_t *yk_json_read(const char *text, size_t size, size_t flags);
struct json_t *yk_json_read_text(const char *text); /* NULL of NULL, too */
struct json_t *yk_json_read_stream(FILE *in);       /* up to 64 MB of it; likewise */
struct json_t *yk_json_read_file(const char *path);

struct json_t *yk_json_number(double x); /* null where not finite */
struct json_t *yk_json_numbers(int count, const double *x);
/* Any bytes as a JSON text: what is not UTF-8 loses what lies beyond ASCII; NULL is "". */
struct json_t *yk_json_any(const char *text);
/* A member that is a text; "" where it is not. */
const char *yk_json_text(const struct json_t *object, const char *key);
/* The present time of the wall clock, ISO 8601 with the zone. */
void yk_wall_time(char *text, size_t size);

#endif
