/* What the two forms of `yoke identify` share: one actuator, and several together. */
#ifndef YOKE_CLI_IDENTIFY_H
#define YOKE_CLI_IDENTIFY_H

#include "analyze/identify.h"
#include "cli/cli.h"
#include "report/figure.h"

struct identify_ask {
    struct yk_sweep sweep;
    bool mounted, json;
    const char *out, *plot;
    struct yk_station *station;
    double tick_s;
};
/* The rig of the station, with its specimen taken off unless it is to be mounted. */
struct yk_swept identify_rig(const struct identify_ask *ask);
/* " from 0.1 to 20 Hz, 10 mm, ..." */
void identify_print_sweep(const struct identify_ask *ask, FILE *out);
/* Writes the section `transfer` to ask->out and says so. `write` returns false where it cannot. */
int identify_write(const struct identify_ask *ask, bool (*write)(const void *self, FILE *out), const void *self);
int identify_draw(const struct identify_ask *ask, const struct yk_figure *figure);
/* Fits a model to a sweep that was recorded and prints it with its proposals; order 0: chosen by the fit. */
enum yk_status identify_record(const struct identify_ask *ask, size_t actuator, int order,
                               const struct yk_sweep_record *record, FILE *out, struct yk_err *err);
/* Of several actuators, by their indices; order 0: chosen by the fit. Returns the exit code. */
int identify_joint(const struct identify_ask *ask, size_t count, const size_t *actuators, size_t order);

#endif
