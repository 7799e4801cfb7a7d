/* Decimal numbers in text, whatever the locale says about the decimal mark. */
#ifndef YOKE_BASE_NUMBER_H
#define YOKE_BASE_NUMBER_H

#include <stdbool.h>

/* Reads [sign] digits [. digits] [e|E|d|D [sign] digits] at p, not beyond `end`, and returns where it stops, or NULL
 * where no number starts. The value is rounded to nearest; what is too large becomes infinite, so callers check. */
const char *yk_number_scan(const char *p, const char *end, double *value);

/* The text is nan, inf or infinity in any case and with any sign: a number, but not a finite one. */
bool yk_number_is_not_finite(const char *p, const char *end);

#endif
