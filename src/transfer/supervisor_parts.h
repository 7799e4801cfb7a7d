/* What the files of the supervisor share. */
#ifndef YOKE_SUPERVISOR_PARTS_H
#define YOKE_SUPERVISOR_PARTS_H

#include "transfer/supervisor.h"

#include <stdint.h>

#define NO_ACTUATOR SIZE_MAX

/* The measured quantity of the command: displacement or force. */
double yk_supervised_measured(const struct yk_supervised *g) YK_RT;
/* Raises a trip if the limit is set and x is beyond it. NaN is beyond every limit. */
void yk_supervisor_check(struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator, double x) YK_RT;
/* Takes a trip, or only warns if that is its action; the drive is cut even after another trip. Returns whether it is
 * more than a warning. */
bool yk_supervisor_take_trip(struct yk_supervisor *s, const struct yk_trip *trip) YK_RT;
void yk_supervisor_warn(struct yk_supervisor *s, const struct yk_trip *trip) YK_RT;
/* Copies words, cut off if they do not fit. */
void yk_keep_words(char *to, size_t size, const char *words) YK_RT;
/* Makes the transition of the event; returns whether the state changes. */
bool yk_supervisor_dispatch(struct yk_supervisor *s, enum yk_event event) YK_RT;

#endif
