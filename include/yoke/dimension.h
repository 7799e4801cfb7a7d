/* Units as powers of base units, for programs that compute with units of their own. */
#ifndef YOKE_DIMENSION_H
#define YOKE_DIMENSION_H

#include <yoke/status.h>

/* Powers of m, kg, s and of what devices count (V) in a unit, and its factor to SI. The radian, the cycle of Hz and the
 * per cent are pure numbers; so is "". */
enum yk_status yk_unit_dimension(const char *unit, double power[4], double *factor, struct yk_err *err);

#endif
