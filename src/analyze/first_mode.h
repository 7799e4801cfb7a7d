/* The root of the first mode, followed from short steps on: where it leaves the true one, the roots of other modes may
 * be nearer to that. */
#ifndef YOKE_ANALYZE_FIRST_MODE_H
#define YOKE_ANALYZE_FIRST_MODE_H

#include "analyze/analyze.h"

/* Follows it to just before the step dt; from the beginning, if dt is shorter than the last one. */
enum yk_status yk_first_mode_approach(const struct yk_model *model, double dt, struct yk_first_mode *mode,
                                      struct yk_err *err);

#endif
