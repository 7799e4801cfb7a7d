/* The functions of an FMU behind one table for FMI 2.0 and 3.0. A status is that of the standard: 0 ok, 1 warning, 2
 * discard, 3 error, 4 fatal. Private to instance.c, calls2.c and calls3.c: the host. */
#ifndef YOKE_FMI_CALLS_H
#define YOKE_FMI_CALLS_H

#include "fmi/instance.h"

struct yk_fmu_calls;
/* Context of the functions of one instance. */
struct yk_fmu_callee {
    const struct yk_fmu_job *job;
    const struct yk_fmu_calls *calls;
    void *object;    /* of dlopen */
    void *functions; /* table, malloc'd by `load` */
    void *component; /* NULL: none yet */
    char *where, *text;
    bool text_is_error;
    unsigned long warnings;
    bool wants_end;
    double reached; /* where it ended the step early; NAN: it did not */
    /* inputs on a straight line, for FMI 3, which asks for them during the step */
    const double *begin, *end;
    double line_t, line_h; /* h = 0: not now */
};

struct yk_fmu_calls {
    /* NULL: all are there; otherwise the name of the first that is missing. */
    const char *(*load)(struct yk_fmu_callee *c, struct yk_err *err);
    bool (*create)(struct yk_fmu_callee *c);
    void (*release)(struct yk_fmu_callee *c);
    int (*enter_initialization)(struct yk_fmu_callee *c);
    int (*exit_initialization)(struct yk_fmu_callee *c);
    int (*terminate)(struct yk_fmu_callee *c);
    int (*reals)(struct yk_fmu_callee *c, bool set, const uint32_t *vr, size_t n, double *x);
    int (*other)(struct yk_fmu_callee *c, bool set, const struct yk_fmu_port *p, double *x);
    int (*save)(struct yk_fmu_callee *c, void **state);
    int (*restore)(struct yk_fmu_callee *c, void *state);
    void (*forget)(struct yk_fmu_callee *c, void **state);
    /* derivatives of the outputs by one input, raw units */
    int (*derive)(struct yk_fmu_callee *c, const uint32_t *out, size_t n, uint32_t in, double *d);
    /* co-simulation; `line`: inputs run from begin to end */
    int (*line)(struct yk_fmu_callee *c, double t, double h, const double *begin, const double *end);
    int (*step)(struct yk_fmu_callee *c, double t, double h);
    /* model exchange */
    int (*point)(struct yk_fmu_callee *c, double t, const double *z);
    int (*derivatives)(struct yk_fmu_callee *c, double *dz);
    int (*states)(struct yk_fmu_callee *c, double *z);
    int (*indicators)(struct yk_fmu_callee *c, double *values);
    int (*completed)(struct yk_fmu_callee *c, bool *event);
    int (*enter_events)(struct yk_fmu_callee *c);
    /* from event mode to continuous time; *next INFINITY: no event of time */
    int (*event)(struct yk_fmu_callee *c, bool *states_changed, double *next);
};
extern const struct yk_fmu_calls yk_fmu_calls2, yk_fmu_calls3;

void yk_fmu_log(struct yk_fmu_callee *c, int status, const char *text);
void yk_fmu_enter(struct yk_fmu_callee *c, const char *function);
/* Must the object have this function (its name without the prefix)? Some are called only if a flag promises what they
 * do, others never. */
bool yk_fmu_needs(const struct yk_fmu_job *job, const char *function);

#endif
