/* Pages: HTML files that can be mailed and opened years later, without the program and without a network.
 *
 * Texts in every form that a page needs, a page of scores, and the scripts and styles of web/dist. A library of its
 * own, libyoke-page.a, beside libyoke; it needs Jansson (its json_t is `struct json_t`). */
#ifndef YOKE_PAGE_H
#define YOKE_PAGE_H

#include <stdio.h>
#include <yoke/json.h>
#include <yoke/status.h>

/* ---- texts: whatever stands in a name, a title or a file stays text ---- */

/* Text for HTML, also within quotes of an attribute. */
void yk_page_html(FILE *out, const char *text);
/* A JSON string that may stand in a <script> element: no < > &; broken UTF-8 becomes U+FFFD. NULL: null. */
void yk_page_string(FILE *out, const char *text);
/* A member of a JSON object, `,"name":"text"`; without the comma if it is the first. */
void yk_page_member(FILE *out, const char *name, const char *text, bool first);
/* JSON that may stand in a <script> element; NULL: null. */
void yk_page_json(FILE *out, const struct json_t *json);
/* A JSON number with 9 digits; null if it is not finite. */
void yk_page_number(FILE *out, double x);
/* Base64 (RFC 4648) without quotes. */
void yk_page_base64(FILE *out, const void *bytes, size_t size);
/* Numbers as a JSON string: little-endian, 4 or 8 bytes each, in base64. */
void yk_page_floats(FILE *out, const float *x, size_t n);
void yk_page_doubles(FILE *out, const double *x, size_t n);

/* ---- a page of scores, such as the indices of a benchmark ---- */

struct yk_score_row {
    const char *name;     /* what is judged */
    const char *of;       /* under which conditions: "case 1" */
    const double *values; /* a number for each column; not finite: a dash */
    const char *remark;   /* "" if all is well */
};

struct yk_score_picture {
    const char *path; /* of an SVG file, which becomes part of the page */
    const char *caption;
};

struct yk_score_page {
    const char *title, *problem, *settings; /* in words */
    const char *const *columns;             /* their names, with units; small values are good */
    size_t column_count;
    const char *legend; /* what the columns mean */
    const struct yk_score_row *rows;
    size_t row_count;
    const struct yk_score_picture *pictures;
    size_t picture_count;
};

/* Writes one HTML file without a script: a table whose best values stand out, and the pictures. */
enum yk_status yk_score_page_write(const struct yk_score_page *page, const char *path, struct yk_err *err);

/* ---- causes ---- */

/* Cause that a criterion of the verdict points at: its key in `yoke explain`, and words for a report. */
struct yk_cause {
    const char *key, *words;
};
/* NULL: the criterion shows a symptom, whose cause it does not tell. */
const struct yk_cause *yk_cause_of(const char *criterion);

/* ---- files that are compiled in ---- */

/* cmake/assets.cmake makes tables of them. */
struct yk_asset {
    const char *path;   /* "report.js" */
    const char *type;   /* "text/javascript; charset=utf-8" */
    const char *sha256; /* 64 hexadecimal digits, for tags and the content security policy */
    size_t size;
    const unsigned char *bytes;
};

/* A file of web/dist; NULL: there is none of that name. */
const struct yk_asset *yk_page_asset(const char *path);
/* A file of another table, whose last row has no path. */
const struct yk_asset *yk_page_asset_in(const struct yk_asset *table, const char *path);

#endif
