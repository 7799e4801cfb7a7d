/* Delays of what was measured: of the actuators of a recording, and of two signals. */
#ifndef YOKE_ANALYZE_MEASURED_H
#define YOKE_ANALYZE_MEASURED_H

#include <yoke/analysis.h>

/* A delay at the end of the range, signals that do not move, and records that are too short are refused. `longest`: as
 * for yk_delay_fit; 0: the default. */
enum yk_status recorded_delays(struct yk_recording *recording, const char *path, double longest,
                               struct yk_delay_report **reports, size_t *count, struct yk_err *err);
/* The same of two signals, n samples dt apart, in one unit or in any. */
enum yk_status signals_delay(size_t n, double dt, const double *command, const double *measured, double longest,
                             struct yk_delay_fit *fit, struct yk_track *track, struct yk_err *err);

#endif
