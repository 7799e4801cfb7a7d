/* Commissioning gates the run: a rig moves only after its check-list has passed for this rig, program and calibration,
 * or after somebody has taken the responsibility by name and reason. docs/first-test.md#9-the-gate */
#ifndef YOKE_COMMISSIONING_H
#define YOKE_COMMISSIONING_H

#include "experiment/experiment.h"

#include <jansson.h>

/* Name of the protocol without its ending, malloc'd: as given, or NAME.commissioning beside NAME.yaml. */
char *yk_commissioning_name(const struct yk_model *e, const char *given);

/* May a run move the rig of this experiment? Yes for a simulated one; otherwise a protocol must have passed, or
 * `override` ("NAME: REASON"; NULL: nobody) takes the responsibility. *record is what the summary keeps, NULL for
 * simulated rigs: {state: "passed", protocol, date, by} or {state: "overridden", by, reason, instead_of}. */
enum yk_status yk_commissioning_check(const struct yk_model *e, const char *override, json_t **record,
                                      struct yk_err *err);

#endif
