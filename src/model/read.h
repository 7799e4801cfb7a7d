/* Readers of the data files users bring. Each takes the text of a whole file, so that a test or a fuzzer can feed it
 * from memory, and refuses what it cannot read with file:line and the reason. Nothing is kept on failure. */
#ifndef YOKE_READ_H
#define YOKE_READ_H

#include <yoke/linalg.h>
#include <yoke/series.h>

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

/* A table of fibres: y, z [m], area [m2] and the name of a material, separated by commas or semicolons; a first line
 * may name them. *rows is malloc'd and the caller's even after a failure. */
struct yk_fibre_row {
    double y, z, area;
    char material[64];
    struct yk_where where; /* its line */
};
enum yk_status yk_read_fibres(const struct yk_text *text, struct yk_fibre_row **rows, size_t *count,
                              struct yk_err *err);

#endif
