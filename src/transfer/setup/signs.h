/* Do the devices move in the directions that the user states? */
#ifndef YOKE_SIGNS_H
#define YOKE_SIGNS_H

#include "transfer/setup.h"

/* D: motion of the devices per unit of each degree of freedom, actuators x dofs. The message names what is reversed or
 * exchanged, where one such mistake explains all that is wrong. */
enum yk_status yk_setup_check_signs(const struct yk_setup_plan *plan, const double *D,
                                    const struct yk_setup_sign *signs, size_t count, struct yk_err *err);

#endif
