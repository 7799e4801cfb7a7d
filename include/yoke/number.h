/* Decimal numbers in text, independent of the locale. */
#ifndef YOKE_NUMBER_H
#define YOKE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* Reads [sign] digits [. digits] [e|E|d|D [sign] digits] at p, not beyond `end`, and returns where it stops, or NULL
 * where no number starts. The value is rounded to nearest; a value that is too large becomes infinite, so callers
 * check. */
const char *yk_number_scan(const char *p, const char *end, double *value);

/* The text is nan, inf or infinity in any case and with any sign: a number, but not a finite one. */
bool yk_number_is_not_finite(const char *p, const char *end);

/* "0.1,0.5,1" to finite numbers; at most `most`. Returns the count, 0 when malformed. */
size_t yk_number_list(const char *text, double *values, size_t most);
/* The same, or "from:to:count" (evenly), or "from:to:countlog" (evenly in the logarithm). */
size_t yk_number_range(const char *text, double *values, size_t most);
/* The end of a value in a list of any values: a comma that is not within brackets or quotes, or the end of the text. */
const char *yk_value_end(const char *p);

#endif
