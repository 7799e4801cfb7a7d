/* Parts of `yoke identify --csv`. */
#ifndef YOKE_IDENTIFY_APP_H
#define YOKE_IDENTIFY_APP_H

#include "options.h"

#include <yoke/logger.h>
#include <yoke/measured.h>

enum { FILES = 32, RECORDS = 256, TABLE = 64, BANDS = 5 };

/* A file with its independent records: first to first + count - 1 of the job. */
struct recording {
    const char *path, *name; /* name: without folders */
    struct yk_log log;
    size_t first, count;
    struct yk_log_quality command, motion, force;
    double floor;                                        /* noise at rest over the standard deviation of the motion */
    double nrms, vaf, offset, bands[BANDS], least_delay; /* of the model; least_delay: of delay and gain alone */
};

struct job {
    const struct measured_words *words;
    struct recording file[FILES]; /* those that are fitted first */
    size_t files, fitted;
    struct yk_actuator_record record[RECORDS];
    size_t records, fitted_records;
    struct yk_identify_ask ask;
    struct yk_actuator_found found;
    struct yk_frequency_point point[TABLE];
    size_t points;
    double structure_Hz[8];
    size_t structures;
    double fitted_floor, held_floor;
};

/* Roles of the columns of a recording. */
enum { COMMAND, MOTION, FORCE, ROLES };
extern const double identify_bands[BANDS + 1]; /* [Hz] */

enum yk_status identify_read(struct job *j, struct yk_err *err);
/* Thins out a recording of more than a million rows at more than 4 kHz. */
enum yk_status identify_thin(struct recording *f, struct yk_err *err);
void identify_free(struct job *j);

struct json_t *identify_json(const struct job *j);
void identify_print(const struct job *j);
/* Files of the options -o, --frf and --residual; 0 or an exit code after a message. */
int identify_write(const struct job *j);
int identify_draw(const struct job *j);

/* Delay of the model at a frequency [s]. */
double identify_delay(const struct job *j, double frequency_Hz);

/* `yoke identify --csv`: argv has the words after `identify`. Exit code. */
int identify_recorded(int argc, char **argv);

#endif
