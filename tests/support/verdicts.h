/* Verdicts of experiments in tests, and a test that is good. */
#ifndef YOKE_TEST_VERDICTS_H
#define YOKE_TEST_VERDICTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Two storeys whose first column is a specimen; it follows its targets well and has a reference that it agrees with.
 * `end_s`: its length. A static buffer. */
const char *healthy_test(double end_s);

/* The verdict of a whole run with these settings, or of a rehearsal of it; the caller releases it. */
json_t *judged_test(const char *text, const char *const *set, size_t count, bool rehearsed);
const char *level_of(const json_t *verdict);
/* The criterion of the first reason; "": none. */
const char *first_of(const json_t *verdict);
/* Is a word one of "a|b|c"? */
bool is_one_of(const char *word, const char *words);

#endif
