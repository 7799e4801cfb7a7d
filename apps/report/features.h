/* Views of the samples besides curves over time: loops, spectra, delay over time, demand on actuators. Each is a member
 * of a JSON array, written with the comma before it where it is not the first. */
#ifndef YOKE_REPORT_FEATURES_H
#define YOKE_REPORT_FEATURES_H

#include "columns.h"

#include <jansson.h>
#include <stdio.h>

/* Force over displacement of every actuator, every recorded element and every degree of freedom with a recorded
 * restoring force. `state`: a column; only rows in which it is `value` count; -1: all rows. */
void yk_page_loops(FILE *out, const struct yk_page_columns *c, const char *stream, int state, double value,
                   bool *first);
/* Is it what the actuator of this target measures in the quantity of its command: displacement, force, ...? */
bool yk_page_follows(const struct yk_channel *reading, const struct yk_channel *target);
/* The measured motion over the target: a line if both are synchronous. */
void yk_page_synchronisation(FILE *out, const struct yk_page_columns *c, bool *first);
/* Amplitudes of the largest displacements over the frequency. */
void yk_page_spectra(FILE *out, const struct yk_page_columns *c, bool *first);
/* The delay that fits the tracking error best, sum (x_t - x_m) v_t / sum v_t^2, in each of 100 windows. */
void yk_page_delays(FILE *out, const struct yk_page_columns *c, bool *first);
/* Force over speed of every actuator with measured displacement and force, and how much it uses of the capacity in
 * `demand`, that of the summary; NULL: none is known. */
void yk_page_demands(FILE *out, const struct yk_page_columns *c, const json_t *demand, bool *first);

#endif
