/* Parts of `yoke motion`. */
#ifndef YOKE_MOTION_APP_H
#define YOKE_MOTION_APP_H

#include "options.h"

#include <yoke/motion.h>

enum { MOST_PERIODS = 4096, MOST_DAMPINGS = 16, MOST_LEVELS = 256 };

/* A record after its corrections. */
struct loaded {
    const char *path;
    struct yk_motion motion;
};

struct work {
    const struct motion_options *options;
    struct loaded *records;
    size_t count;
    double damping[MOST_DAMPINGS], periods[MOST_PERIODS];
    size_t dampings, period_count;
    bool listed; /* the periods were given */
};

/* Reads and corrects the records. Not YK_OK: a message for the user is in err. */
enum yk_status motion_load(struct work *work, char **paths, size_t count, struct yk_err *err);
void motion_unload(struct work *work);
/* Prints the notes of a record to stderr. */
void motion_print_notes(const struct loaded *record);
struct json_t *motion_notes_json(const struct loaded *record);

int motion_info(struct work *work);
int motion_spectra(struct work *work);
int motion_scale(struct work *work);
int motion_convert(struct work *work);
int motion_fragility(const struct motion_options *options);

#endif
