/* What a program uses: reads an experiment once and makes a plan of it.
 *
 * A plan is constant: any number of threads may use it. Messages are data, see yoke/status.h; the library never prints,
 * exits or aborts. Blocks of one's own (laws, rigs, compensators, methods) are plugins, see yoke/plugin.h. */
#ifndef YOKE_H
#define YOKE_H

#include <yoke/status.h>

struct yk_plan;
/* Reads an experiment file, with settings as `yoke run --set` takes them, and prepares its method. */
enum yk_status yk_plan_open(struct yk_plan **plan, const char *path, const char *const *overrides,
                            size_t override_count, struct yk_err *err);
void yk_plan_close(struct yk_plan *plan);

const char *yk_plan_title(const struct yk_plan *plan);
const char *yk_plan_method(const struct yk_plan *plan); /* name of the integrator or coupling */
double yk_plan_step(const struct yk_plan *plan);        /* of the system [s] */
long yk_plan_steps(const struct yk_plan *plan);         /* to the end */

/* Version of the library and the revision it was built from. */
const char *yk_build_id(void);

#endif
