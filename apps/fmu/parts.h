/* Shared by the files of `yoke fmu`. */
#ifndef YOKE_FMU_PARTS_H
#define YOKE_FMU_PARTS_H

#include "options.h"

#include <yoke/fmu.h>

/* Each prints, and returns the exit code. */
int fmu_info(const char *path, bool json);
int fmu_check(const char *path, const struct fmu_options *given);
int fmu_run(const char *path, const struct fmu_options *given);

/* An FMU by itself: all inputs and outputs that are numbers are connected. */
struct courses {
    double *rows;   /* count x width, the time first */
    size_t *column; /* input of each column */
    size_t count, width;
};
struct alone {
    struct yk_fmu *fmu;
    size_t inputs, outputs, states;
    uint64_t number;
    double *in, *next, *out, *z; /* inputs at the begin and the end of a step */
    double *tried;               /* states of a trial */
    char **names, **in_names;
    bool *discrete; /* inputs that change at events or steps only */
    const char **units;
    struct courses courses;
    double start;          /* time of the first step */
    int substeps;          /* of model exchange, for the last step */
    double doubt, doubt_t; /* of it: largest relative error of a step that more substeps did not lower, and where */
    bool wants_end;
};
/* given: its start values, its file of inputs (NULL: none); token: another than its own, NULL: its own. `saves`: it is
 * asked to save its states. Close it even on failure. */
enum yk_status open_alone(struct alone *a, const char *path, const struct fmu_options *given, bool saves, double end,
                          const char *token, struct yk_err *err);
void close_alone(struct alone *a);
bool step_alone(struct alone *a, double t, double h); /* false: it failed, or ended itself */

enum yk_status read_courses(struct courses *c, const struct alone *a, const char *path, struct yk_err *err);
void set_courses(const struct courses *c, const struct alone *a, double t, bool before, double *in);

#endif
