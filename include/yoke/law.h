/* Element laws: the force of a one-dimensional element as a function of its extension and rate.
 *
 * d is the extension (displacement of the second end minus that of the first), w its rate; a positive force resists a
 * positive extension. A law with memory keeps its internal variables in `count` doubles. `force` starts from the
 * committed variables and writes the trial ones: evaluating twice is harmless, and a rollback just drops the trial. The
 * path from the committed extension to d is taken as monotone; h is the time since the commit [s], 0 at the committed
 * state itself. Between rotations d is an angle [rad] and the force a moment [N m]; as a fibre d is a strain and the
 * force a stress [Pa]. */
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
    bool rate;    /* the force depends on w: not for fibres and hinges, which know no rates */
    size_t count; /* internal variables (doubles); the first is the committed extension if any */

    /* Optional: derives constants from the settings, refuses inconsistent ones. Lists, points and texts are freed
     * after it: it copies what it needs of them into the settings. */
    enum yk_status (*prepare)(void *settings, struct yk_err *err);
    /* Internal variables at rest with extension d; may be NULL where count == 0. */
    void (*rest)(const void *settings, double d, double *state);
    double (*force)(const void *settings, const double *committed, double d, double w, double h, double *trial) YK_RT;
    /* Stiffness df/dd and damping df/dw at (d, w), reached from the committed state. */
    void (*tangent)(const void *settings, const double *committed, double d, double w, double h, double *k,
                    double *c) YK_RT;
    /* Optional: n copies of the law at once, all of them after the time h and without a rate. Variable j of copy i is
     * at [j * n + i]; the stiffness k may be NULL. */
    void (*forces)(const void *settings, size_t n, const double *committed, const double *d, double h, double *trial,
                   double *f, double *k) YK_RT;
    /* Optional: what steps of h [s] make of the law, in words, where the user should know. False: nothing. */
    bool (*advise)(const void *settings, double h, char *text, size_t size);
    /* Energy that can be recovered, as a function of the extension alone; NULL for a law whose work depends on the path
     * (it is then accounted as dissipated). */
    double (*stored)(const void *settings, double d) YK_RT;
    void *user; /* see plugin.h */
};

extern const struct yk_law_ops *const yk_laws[]; /* every registered law, NULL at the end */
const struct yk_law_ops *yk_law_find(const char *name);

enum { YK_LAW_VARIABLES = 64 }; /* most of a law that is used in arrays */
/* As `forces` of a law; one copy after the other where it has none. */
void yk_law_forces(const struct yk_law_ops *law, const void *settings, size_t n, const double *committed,
                   const double *d, double h, double *trial, double *f, double *k) YK_RT;

#endif
