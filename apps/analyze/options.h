/* Options of `yoke analyze`. */
#ifndef YOKE_ANALYZE_OPTIONS_H
#define YOKE_ANALYZE_OPTIONS_H

#include <yoke/analysis.h>
#include <yoke/command.h>

extern const struct yk_command command_analyze;

struct request {
    struct yk_parts *parts;
    struct yk_model *model;         /* NULL until analyze_model */
    const char *file;               /* path of the experiment */
    const struct yk_text_list *set; /* overrides it was read with */
    const char *steps, *halvings, *samples, *scan, *plot;
    const char *methods;                            /* to compare; spectrum and order */
    const char *budget;                             /* margin */
    const char *actuator, *amplitude, *frequencies; /* frf */
    bool json;
};

/* Measured data, which `delay` takes instead of an experiment. */
struct measured {
    const char *csv, *longest;
    struct measured_columns { /* names or numbers; time NULL: found, or the first */
        const char *time, *command, *measured;
        const char *list; /* instead: as of `yoke identify --columns` */
    } columns;
};

struct analyze_options {
    struct request q;
    struct measured m;
    struct yk_text_list set;
};

#endif
