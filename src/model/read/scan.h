/* Shared by the readers, beside yoke/text.h: lists that grow with the data, rows of tables. */
#ifndef YOKE_MODEL_READ_SCAN_H
#define YOKE_MODEL_READ_SCAN_H

#include "model/read.h"

struct yk_growing {
    double *x;
    size_t n, room;
};
enum yk_status yk_growing_push(struct yk_growing *list, double value, struct yk_err *err);
void yk_growing_free(struct yk_growing *list);

/* The rows of a table of numbers: separators, comments and a header line are dealt with. The same separator must hold
 * for the whole file, which distinguishes a decimal comma from a separator. */
struct yk_rows {
    struct yk_lines lines;
    struct yk_growing row;  /* the values of the row handed out last */
    char separator;         /* ',' ';' or ' ', 0 while unknown       */
    bool begun;             /* past the place where a header may be  */
    struct yk_piece header; /* empty where there is none             */
    int header_line;
};
void yk_rows_begin(struct yk_rows *rows, const struct yk_text *text);
enum yk_status yk_rows_next(struct yk_rows *rows, bool *more, struct yk_err *err);
void yk_rows_end(struct yk_rows *rows);

bool yk_name_ends_in(const char *path, const char *ending); /* in any case */

#endif
