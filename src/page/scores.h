/* A page of scores, such as the indices of a benchmark: a table whose best values stand out, and pictures. One HTML
 * file without a script. */
#ifndef YOKE_PAGE_SCORES_H
#define YOKE_PAGE_SCORES_H

#include <yoke/status.h>

struct yk_score_row {
    const char *name;     /* what is judged */
    const char *of;       /* under which conditions: "case 1" */
    const double *values; /* a number for each column; not finite: a dash */
    const char *remark;   /* "" where all is well */
};

struct yk_score_picture {
    const char *path; /* of an SVG file, which becomes part of the page */
    const char *caption;
};

struct yk_score_page {
    const char *title, *problem, *settings; /* in words */
    const char *const *columns;             /* their names, with units; small is good */
    size_t column_count;
    const char *legend; /* what the columns mean */
    const struct yk_score_row *rows;
    size_t row_count;
    const struct yk_score_picture *pictures;
    size_t picture_count;
};

enum yk_status yk_score_page_write(const struct yk_score_page *page, const char *path, struct yk_err *err);

#endif
