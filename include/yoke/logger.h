/* Tables that loggers write: text with header lines, titles, units, dates, decimal commas, pauses; also compressed with
 * gzip. The columns that are asked for are read in SI, evenly spaced in time.
 *
 *     static const struct yk_log_role roles[] = {{"command", YK_DISPLACEMENT}, {"force", YK_FORCE, .optional = true}};
 *     yk_log_read(&log, "chirp.txt.gz", &(struct yk_log_ask){.roles = roles, .count = 2, .columns = "command=5:10 mm"},
 *                 &err);
 *
 * docs/measured.md has the rules. A file without the columns is refused with a table of those that it has. Loads of
 * experiments are read with the same reader (yoke/series.h). */
#ifndef YOKE_LOGGER_H
#define YOKE_LOGGER_H

#include <yoke/units.h>

enum { YK_LOG_ROLES = 48, YK_LOG_NAME = 80, YK_LOG_UNIT = 24 };

struct yk_log_role {
    const char *name; /* "displacement"; a title of this name is taken, or one of its usual synonyms */
    enum yk_quantity quantity;
    bool optional;
};

struct yk_log_ask {
    const struct yk_log_role *roles; /* at most YK_LOG_ROLES; NULL: every column of numbers, in its own unit */
    size_t count;
    /* "command=3:10 mm,force=CHANNEL1:9806.65 N": name or number of a column, and the value of one of its units; also
     * "time". NULL: titles decide. */
    const char *columns;
    bool first_is_time;  /* the first column is the time where nothing says which one is */
    const char *date;    /* order of dates: "dmy", "mdy"; NULL: found */
    const char *decimal; /* "comma", "point"; NULL: found */
    const char *equal;   /* of rows with the same time: "first", "last", "mean"; NULL: first */
};

struct yk_log_column {
    char name[YK_LOG_NAME]; /* as in the file */
    char unit[YK_LOG_UNIT]; /* of the title; "" where there is none */
    double *x;              /* [SI]; NULL: an optional role that the file does not have */
    double factor;          /* SI for one unit of the file */
};

struct yk_log {
    struct yk_log_column column[YK_LOG_ROLES]; /* one for each role */
    size_t count, rows, lines;                 /* lines: rows that were read, before resampling */
    double *time;                              /* [s] from the first row of the file */
    double step_s;
    size_t segments, *first; /* independent records: rows first[k] to first[k + 1] - 1 */
    char sha256[65];         /* of the file as it is */
    char *notes;             /* lines for the user; "" where there are none */
};

enum yk_status yk_log_read(struct yk_log *log, const char *path, const struct yk_log_ask *ask, struct yk_err *err);
/* The same from memory; `name` is used in messages. */
enum yk_status yk_log_parse(struct yk_log *log, const char *name, const char *text, size_t size,
                            const struct yk_log_ask *ask, struct yk_err *err);
void yk_log_free(struct yk_log *log);

/* Quality of a sensor, judged by its column. */
struct yk_log_quality {
    double min, max, rms;
    double quantum; /* step of the converter: median distance of neighbouring levels that occur; 0: none seen */
    double noise;   /* standard deviation at rest: of the rows before the first motion, one second at most */
    size_t rest;    /* so many rows; 0: it is moving from the start, and noise is NaN */
    bool saturated; /* ten equal extremes in a row */
    double line_Hz; /* strongest line of the noise above 5 times its floor; 0: none */
};
enum yk_status yk_log_judge(const struct yk_log *log, size_t column, struct yk_log_quality *quality,
                            struct yk_err *err);
/* Correlation of the noise of two columns at rest; NaN where they do not rest. */
double yk_log_correlation(const struct yk_log *log, size_t a, size_t b);

#endif
