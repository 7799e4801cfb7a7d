/* Element laws: the force of a one-dimensional element as a function of its extension and rate.
 *
 * d is the extension (displacement of the second end minus that of the first), w its rate; a positive force resists a
 * positive extension. A law with memory keeps its internal variables in `count` doubles. `force` starts from the
 * committed variables and writes the trial ones: evaluating twice is harmless, and a rollback just drops the trial. The
 * path from the committed extension to d is taken as monotone. */
#ifndef YOKE_LAW_H
#define YOKE_LAW_H

#include <yoke/param.h>

struct yk_law_ops {
    const char *name;              /* key in experiment files: "bouc-wen"                */
    const char *summary;           /* one line with the formula                          */
    const char *reference;         /* where the law comes from                           */
    const struct yk_param *params; /* settings, ended by YK_PARAM_END                    */
    size_t settings_size;
    bool linear;  /* f = k d + c w: becomes part of the matrices */
    size_t count; /* internal variables (doubles); the first is the committed extension if any */

    /* Optional: derives constants from the settings, refuses inconsistent ones. */
    enum yk_status (*prepare)(void *settings, struct yk_err *err);
    /* Internal variables at rest with extension d; may be NULL where count == 0. */
    void (*rest)(const void *settings, double d, double *state);
    double (*force)(const void *settings, const double *committed, double d, double w, double *trial) YK_RT;
    /* Stiffness df/dd and damping df/dw at (d, w), reached from the committed state. */
    void (*tangent)(const void *settings, const double *committed, double d, double w, double *k, double *c) YK_RT;
    /* Energy that can be recovered, as a function of the extension alone; NULL for a law whose work depends on the path
     * (it is then accounted as dissipated). */
    double (*stored)(const void *settings, double d) YK_RT;
};

extern const struct yk_law_ops *const yk_laws[]; /* every registered law, NULL at the end */
const struct yk_law_ops *yk_law_find(const char *name);

#endif
