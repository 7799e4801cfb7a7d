/* Parts of the readers of records: the lines of a file, fields of fixed width, what every format has in common. */
#ifndef YOKE_MOTION_PARTS_H
#define YOKE_MOTION_PARTS_H

#include <yoke/motion.h>
#include <yoke/text.h>

#define STANDARD_GRAVITY 9.80665

/* A file as lines, with the blanks that a fixed format needs. */
struct lines {
    const char *name;
    struct yk_piece *line; /* without what ends it */
    size_t count;
};

/* Contents of a file in one of the formats. Values are in the unit of the file until the end. */
struct found {
    struct lines *lines;
    struct yk_motion *motion;
    const struct yk_motion_ask *ask;
    double declared;    /* number of values */
    size_t declared_at; /* line from 0 that says so */
    double unit;        /* m/s2 for one of the file */
    double peak;        /* that the header states, in the unit of the file; NaN: none */
    bool remove_mean;
    size_t room;
};

typedef enum yk_status (*read_format)(struct found *found, struct yk_err *err);
enum yk_status motion_cosmos(struct found *found, struct yk_err *err);
enum yk_status motion_csmip(struct found *found, struct yk_err *err);
enum yk_status motion_smc(struct found *found, struct yk_err *err);
enum yk_status motion_knet(struct found *found, struct yk_err *err);
enum yk_status motion_esm(struct found *found, struct yk_err *err);

/* The line with this number from 0; empty beyond the end. */
struct yk_piece motion_line(const struct lines *lines, size_t i);
struct yk_where motion_place(const struct lines *lines, size_t i);
/* Rest of the line behind `word`, in any case; NULL: the line does not have it. */
const char *motion_behind(struct yk_piece line, const char *word);
/* The first number in [p, end), wherever it begins; NULL: there is none. */
const char *motion_number(const char *p, const char *end, double *value);
/* Field k of a line of fields of fixed width. False: it is blank, or no number. */
bool motion_field(struct yk_piece line, size_t k, size_t width, double *value);
/* The first line from `from` on that is a header line of `needs` lines, or the message that the file is cut there. */
enum yk_status motion_need(const struct lines *lines, size_t count, const char *what, struct yk_err *err);
/* Fills value[0..count-1] from lines of `per_line` fields of `width`, beginning at line `from`. */
enum yk_status motion_header(const struct lines *lines, size_t from, size_t per_line, size_t width, double *value,
                             size_t count, const char *what, struct yk_err *err);
enum yk_status motion_add(struct found *found, double value, struct yk_err *err);
/* Values of fixed width from line `from` on, until `declared` are read, or a line that stops them. *next: the line
 * after them. */
enum yk_status motion_fixed(struct found *found, size_t from, size_t per_line, size_t width,
                            bool (*stops)(struct yk_piece line), size_t *next, struct yk_err *err);
/* The unit of an acceleration as records write it; false: unknown, or none. */
bool motion_unit(const char *begin, const char *end, double *factor);
enum yk_status motion_refuse(const struct found *found, size_t line, const char *kind, struct yk_err *err);
void motion_note(struct yk_motion *motion, const char *format, ...) YK_PRINTF(2, 3);

#endif
