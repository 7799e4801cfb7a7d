/* A run for those who watch: its telemetry, and the dashboard of `yoke run --live`. */
#ifndef YOKE_CLI_LIVE_H
#define YOKE_CLI_LIVE_H

#include "engine/engine.h"

/* The telemetry of a run; NULL after a message: one that cannot be watched is run all the same. `folder` of the
 * recording: NULL for a console, which has neither steps nor an end. */
struct yk_telemetry *live_publish(const struct yk_model *model, const char *name,
                                  const struct yk_run_channels *channels, const char *description, const char *folder);

/* Starts yoke-dash --run NAME as a process of its own and of low priority. It prints its address, and ends when the
 * run has ended and nobody looks any more. A run whose dashboard does not start is run all the same. */
void live_start(const char *name);

#endif
