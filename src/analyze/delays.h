/* Shared by the reports of delays from runs and from recordings. */
#ifndef YOKE_ANALYZE_DELAYS_H
#define YOKE_ANALYZE_DELAYS_H

#include "analyze/analyze.h"

/* Samples of one actuator. */
struct yk_delay_log {
    double *target, *command, *measured;
};
/* All but the name, of n samples every dt. */
enum yk_status yk_evaluate_delays(size_t n, double dt, double longest, const struct yk_delay_log *log,
                                  struct yk_delay_report *r, struct yk_err *err);

struct yk_recording;
/* Channel that measures the quantity in which an actuator is commanded: ".displacement", ".force" or ".tracked". */
const char *yk_tracked_channel(const struct yk_recording *recording, int stream, const char *actuator);
/* One channel of a stream, malloc'd: "<actuator><what>". */
enum yk_status yk_take_channel(struct yk_recording *recording, int stream, const char *actuator, const char *what,
                               double **values, struct yk_err *err);

#endif
