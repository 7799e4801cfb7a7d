/* Parts of `yoke calibrate`. */
#ifndef YOKE_CALIBRATE_APP_H
#define YOKE_CALIBRATE_APP_H

#include "options.h"

#include <yoke/calibrate.h>
#include <yoke/fields.h>
#include <yoke/logger.h>

enum { RUNS = 64, UNIT = 16 };

/* Contents of the calibration file, its data and the result. */
struct job {
    const struct calibrate_options *options;
    const char *path;
    char *directory, *columns;
    struct yk_node *tree;
    const struct yk_node *section;
    void *settings[YK_CALIBRATE_LAWS];
    char over[32], unit[UNIT]; /* what settings depend on, "current" and "A"; "": nothing */
    struct yk_fitted_setting setting[YK_CALIBRATE_SETTINGS];
    struct yk_measured_loop run[RUNS]; /* those that are fitted first */
    struct yk_log log[RUNS];
    char *file[RUNS], *name[RUNS];
    size_t record[RUNS]; /* of a file with several, from 1; 0: it has one */
    size_t runs, fitted;
    struct yk_calibrate_ask ask;
    struct yk_calibrated found;
};

enum yk_status calibrate_read(struct job *job, struct yk_err *err);
void calibrate_free(struct job *job);

struct json_t *calibrate_json(const struct job *job);
void calibrate_print(const struct job *job);
bool calibrate_write(FILE *out, const void *job);
/* A picture for each run in the folder; 0 or an exit code after a message. */
int calibrate_draw(const struct job *job);

#endif
