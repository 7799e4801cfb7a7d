/* Parts of the reader of logger files. */
#ifndef YOKE_LOGGER_LOG_H
#define YOKE_LOGGER_LOG_H

#include <yoke/logger.h>
#include <yoke/text.h>

enum { LOG_COLUMNS = 4096 };

/* Place of the table in the file, and how its rows are split. */
struct yk_log_layout {
    struct yk_text text;
    char delimiter; /* ' ': runs of blanks; 0: one column */
    bool decimal_comma;
    bool plain;                  /* a load: comments are skipped, one column is enough */
    int first_line;              /* of the rows */
    const char *first;           /* they begin here */
    size_t fields;               /* of a row */
    struct yk_piece title, unit; /* lines; empty: there are none */
    int title_line, unit_line;
    double interval_s; /* of the header: between two rows; 0: unsaid */
};
enum yk_status yk_log_find_table(struct yk_log_layout *layout, const struct yk_log_ask *ask, struct yk_err *err);

/* The next line with content, in a load without its comment; false at the end. */
bool yk_log_line(const struct yk_log_layout *layout, struct yk_lines *lines, struct yk_piece *line);
/* Takes a field off the front; false at the end of the line. */
bool yk_log_field(const struct yk_log_layout *layout, struct yk_piece *rest, struct yk_piece *field);
size_t yk_log_fields(const struct yk_log_layout *layout, struct yk_piece line, struct yk_piece *field, size_t most);
bool yk_log_number(const struct yk_log_layout *layout, struct yk_piece field, double *value);
/* Fields up to the last value (a number, a date, or a number that is missing), and how many of them are values. */
size_t yk_log_count(const struct yk_log_layout *layout, struct yk_piece line, size_t *values);
/* A title that means a role, such as "disp" a displacement. */
bool yk_log_means(const char *title, const char *role);
/* The title of a column, without its unit, and the unit; both "" where there is none. */
void yk_log_title(const struct yk_log_layout *layout, size_t column, char name[YK_LOG_NAME], char unit[YK_LOG_UNIT]);

/* ---- time ---- */

struct yk_log_stamp {
    bool is_date;
    int y, a, b; /* year, and day and month in the order of the file */
    double s;    /* of the day */
};
bool yk_log_stamp(struct yk_piece field, struct yk_log_stamp *stamp);

/* The rows that were read, in the order of the file. */
struct yk_log_rows {
    size_t n, room;
    double *t;
    struct yk_log_stamp *stamp; /* instead of t; NULL */
    int *line;
    unsigned char *cut; /* a new record begins here */
    double *x[YK_LOG_ROLES];
};
/* Stamps become seconds from the first row. hint: what to do where day and month cannot be told apart. */
enum yk_status yk_log_date(const char *name, struct yk_log_rows *rows, const char *order, const char *hint,
                           struct yk_err *err);
/* Even rows in records; fills `log`. */
enum yk_status yk_log_even(const char *name, struct yk_log_rows *rows, const char *equal, struct yk_log *log,
                           struct yk_err *err);

enum yk_status yk_log_note(struct yk_log *log, struct yk_err *err, const char *format, ...) YK_PRINTF(3, 4);

#endif
