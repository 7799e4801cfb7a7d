/* Whole files as text, and their lines and words, for readers of files of your own. Whatever a path names, reading
 * ends: a pipe that stays silent is given up after a while, devices are refused. */
#ifndef YOKE_TEXT_H
#define YOKE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <yoke/status.h>

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

/* Reads a regular file, a pipe, or what is typed at a terminal. Devices and sockets are refused. A gzip file is
 * unpacked; not so by yk_text_load_limited. */
enum yk_status yk_text_load(struct yk_text *text, const char *path, struct yk_err *err);
enum yk_status yk_text_load_limited(struct yk_text *text, const char *path, const struct yk_text_limits *limits,
                                    struct yk_err *err);
void yk_text_free(struct yk_text *text);
/* A gzip file becomes its content; other text stays. */
bool yk_text_is_packed(const struct yk_text *text);
enum yk_status yk_text_unpack(struct yk_text *text, struct yk_err *err);

/* ---- lines, words, numbers with their place in the file ---- */

/* Part of a text, such as a line or a word. */
struct yk_piece {
    const char *begin, *end;
};

/* The lines of a text, one after the other. LF, CR LF, CR CR LF and a lone CR each end one line. */
struct yk_lines {
    const char *name, *p, *end;
    int line; /* number of the line handed out last */
};

void yk_lines_begin(struct yk_lines *lines, const struct yk_text *text); /* skips a byte-order mark */
bool yk_lines_next(struct yk_lines *lines, struct yk_piece *line);       /* without blanks at either end */
struct yk_where yk_lines_where(const struct yk_lines *lines);

bool yk_is_blank(char c);
struct yk_piece yk_piece_trim(struct yk_piece piece);
bool yk_piece_is(struct yk_piece piece, const char *word);     /* in any case */
bool yk_piece_starts(struct yk_piece piece, const char *word); /* in any case */
/* Takes the next blank-separated token off the front of `rest`. */
bool yk_token_next(struct yk_piece *rest, struct yk_piece *token);

/* Made fit for a message. */
struct yk_quote {
    char text[44];
};
struct yk_quote yk_quote(struct yk_piece piece);

/* The whole token as a finite number. */
enum yk_status yk_token_real(const struct yk_lines *lines, struct yk_piece token, double *value, struct yk_err *err);

#endif
