/* The reference of the experiment file, from the tables the reader uses. */
#ifndef YOKE_REFERENCE_H
#define YOKE_REFERENCE_H

#include <stdio.h>
#include <yoke/plugin.h>

/* In Markdown. */
void reference_print(FILE *out);
/* The entry of a plugin, like those of the built-in components. */
void reference_plugin(const struct yk_plugin *plugin, FILE *out);
/* For editors: a JSON Schema (draft 7). */
enum yk_status reference_schema(FILE *out, struct yk_err *err);

#endif
