/* Numbers and texts for JSON: yoke/json.h, and the notes of a reader. */
#ifndef YOKE_BASE_JSON_H
#define YOKE_BASE_JSON_H

#include "base/notes.h"

#include <jansson.h>
#include <stdbool.h>
#include <yoke/json.h>

json_t *yk_json_notes(const struct yk_notes *notes); /* a list of texts */

#endif
