/* Helpers of the tests of the program: files in the scratch folder, exit codes, words, JSON. */
#ifndef YOKE_TEST_CLI_H
#define YOKE_TEST_CLI_H

#include "support/program.h"

#include <jansson.h>
#include <stdbool.h>

#define OSCILLATOR YOKE_SOURCE "/examples/oscillator/oscillator.yaml"

/* A path in the scratch folder that stays valid. */
char *path_of(const char *name);

void write_file(const char *path, const char *content);

bool there(const char *path);

void check_code(const struct program *p, int code, const char *file, int line);
#define assert_code(p, code) check_code(p, code, __FILE__, __LINE__)

void check_words(const char *text, const char *words, const char *file, int line);
#define assert_words(text, words) check_words(text, words, __FILE__, __LINE__)

/* The ticks of a recording as `yoke export` writes them; malloc'd. */
char *export_ticks(const char *program, const char *folder);
#define exported_ticks(folder) export_ticks(YOKE_PROGRAM, folder)
/* All of standard output is one JSON value. */
json_t *json_of(const struct program *p);

#endif
