/* Readers of the data files users bring. Each takes the text of a whole file, so that a test or a fuzzer can feed it
 * from memory, and refuses what it cannot read with file:line and the reason. Nothing is kept on failure. */
#ifndef YOKE_READ_H
#define YOKE_READ_H

#include <yoke/linalg.h>
#include <yoke/param.h>

struct yk_text {
    const char *name; /* for messages */
    char *data;       /* NUL terminated */
    size_t size;      /* without the NUL */
};

/* How much is read, and how long a pipe or a terminal is waited for. */
struct yk_text_limits {
    size_t bytes;     /* 1 GiB                                            */
    double writer_s;  /* for someone to open a pipe for writing: 2 s      */
    double silence_s; /* for more, while the other end stays open: 30 s   */
};
struct yk_text_limits yk_text_limits(void); /* the defaults */

/* Reads a regular file, a pipe, or what is typed at a terminal. Devices and sockets are refused. */
enum yk_status yk_text_load(struct yk_text *text, const char *path, struct yk_err *err);
enum yk_status yk_text_load_limited(struct yk_text *text, const char *path, const struct yk_text_limits *limits,
                                    struct yk_err *err);
void yk_text_free(struct yk_text *text);

/* Matrix Market, coordinate or array, real, integer or pattern, general, symmetric or skew-symmetric. */
enum yk_status yk_read_matrix_market(const struct yk_text *text, struct yk_matrix *out, struct yk_err *err);
/* Rows of numbers separated by commas, semicolons, tabs or blanks; '#' starts a comment; a first row of words is a
 * header. */
enum yk_status yk_read_csv_matrix(const struct yk_text *text, struct yk_matrix *out, struct yk_err *err);
/* MATLAB files, version 5 to 7.3: "model.mat" with one real matrix, full or sparse, or "model.mat:K", or a field of a
 * struct, "model.mat:fe.K". */
enum yk_status yk_read_mat(const char *path, struct yk_matrix *out, struct yk_err *err);
bool yk_is_mat(const char *path);
/* By the name's ending (.mtx, .mat, .csv, .txt) and, failing that, by content. */
enum yk_status yk_read_matrix(const char *path, struct yk_matrix *out, struct yk_err *err);

/* PEER AT2 in its variants. *named: the file says its unit, and the values are in m/s2; otherwise they are what stands
 * there. Refused if there are fewer or more values than NPTS. */
enum yk_status yk_read_at2(const struct yk_text *text, struct yk_series *out, bool *named, struct yk_err *err);
/* Two columns time, value; or, with dt_s > 0, one column. Units in brackets after their names, "t [ms], F [kN]", are
 * converted; the value measures `quantity`. *named (may be NULL): the file says the unit of the values; otherwise they
 * are what stands there. */
enum yk_status yk_read_series_csv(const struct yk_text *text, double dt_s, enum yk_quantity quantity,
                                  struct yk_series *out, bool *named, struct yk_err *err);
/* A matrix of a MATLAB file with two columns time, value; or, with dt_s > 0, a vector. */
enum yk_status yk_read_series_mat(const char *path, double dt_s, struct yk_series *out, struct yk_err *err);
/* By the name's ending (.at2, .mat, .csv, .txt) and content. An AT2 file has a step of its own. */
enum yk_unit_said {
    YK_UNIT_UNSAID,
    YK_UNIT_SAID,  /* by the file; the values are in SI */
    YK_UNIT_OF_AT2 /* unsaid, in a format whose files are in g by custom */
};
enum yk_status yk_read_series(const char *path, double dt_s, enum yk_quantity quantity, struct yk_series *out,
                              enum yk_unit_said *unit, struct yk_err *err); /* unit may be NULL */
void yk_series_free(struct yk_series *series);

/* A table of fibres: y, z [m], area [m2] and the name of a material, separated by commas or semicolons; a first line
 * may name them. *rows is malloc'd and the caller's even after a failure. */
struct yk_fibre_row {
    double y, z, area;
    char material[64];
    struct yk_where where; /* its line */
};
enum yk_status yk_read_fibres(const struct yk_text *text, struct yk_fibre_row **rows, size_t *count,
                              struct yk_err *err);

/* Some columns of a table of numbers with a header, as loggers write them: "time [s], command [mm], measured [mm]". */
struct yk_column {
    const char *name;  /* in the header, with or without its unit, or the number of the column from 1 */
    const char *other; /* taken where there is no such column; NULL: none */
    char unit[24];     /* in brackets after the name; "": none */
    double *x;
};
struct yk_columns {
    struct yk_column *column; /* the caller's, `count` of them */
    size_t count, rows;
    int *line; /* of every row in the file */
};
enum yk_status yk_read_columns(const struct yk_text *text, struct yk_columns *columns, struct yk_err *err);
void yk_columns_free(struct yk_columns *columns); /* what was read */

#endif
