/* What the readers share: lines, tokens, numbers with their place in the file, and lists that grow with the data. */
#ifndef YOKE_MODEL_READ_SCAN_H
#define YOKE_MODEL_READ_SCAN_H

#include "model/read.h"

struct yk_span {
    const char *begin, *end;
};

/* The lines of a text, one after the other. LF, CR LF, CR CR LF and a lone CR each end one line. */
struct yk_lines {
    const char *name, *p, *end;
    int line; /* number of the line handed out last */
};

void yk_lines_begin(struct yk_lines *lines, const struct yk_text *text); /* skips a byte-order mark */
bool yk_lines_next(struct yk_lines *lines, struct yk_span *line);        /* without blanks at either end */
struct yk_where yk_lines_where(const struct yk_lines *lines);

bool yk_is_blank(char c);
struct yk_span yk_span_trim(struct yk_span span);
bool yk_span_is(struct yk_span span, const char *word);     /* in any case */
bool yk_span_starts(struct yk_span span, const char *word); /* in any case */
/* Takes the next blank-separated token off the front of `rest`. */
bool yk_token_next(struct yk_span *rest, struct yk_span *token);

/* A piece of the file made fit for a message. */
struct yk_quote {
    char text[44];
};
struct yk_quote yk_quote(struct yk_span span);

/* The whole token as a finite number. */
enum yk_status yk_token_real(const struct yk_lines *lines, struct yk_span token, double *value, struct yk_err *err);

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
    struct yk_growing row; /* the values of the row handed out last */
    char separator;        /* ',' ';' or ' ', 0 while unknown       */
    bool begun;            /* past the place where a header may be  */
    struct yk_span header; /* empty where there is none             */
    int header_line;
};
void yk_rows_begin(struct yk_rows *rows, const struct yk_text *text);
enum yk_status yk_rows_next(struct yk_rows *rows, bool *more, struct yk_err *err);
void yk_rows_end(struct yk_rows *rows);

/* The unit in brackets after the name of a column, from 0; "" if there is none. */
void yk_rows_unit(const struct yk_rows *rows, size_t column, char *unit, size_t size);

bool yk_name_ends_in(const char *path, const char *ending); /* in any case */
/* The first lines look like those of a PEER AT2 file. */
bool yk_looks_like_at2(const struct yk_text *text);

#endif
