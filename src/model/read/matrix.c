/* A matrix from a file of any known kind. */
#include "scan.h"

/* The first line that is not empty starts with '%%'. */
static bool has_banner(const struct yk_text *text)
{
    struct yk_lines lines;
    struct yk_span line;

    yk_lines_begin(&lines, text);
    while (yk_lines_next(&lines, &line))
        if (line.begin < line.end)
            return yk_span_starts(line, "%%");
    return false;
}

enum yk_status yk_read_matrix(const char *path, struct yk_matrix *out, struct yk_err *err)
{
    struct yk_text text;
    enum yk_status st = yk_text_load(&text, path, err);

    if (st)
        return st;
    if (yk_name_ends_in(path, ".mat"))
        st = yk_fail(err, YK_E_UNSUPPORTED,
                     "%s: MATLAB files are not read; save the matrix as Matrix Market (.mtx) or CSV", path);
    else if (yk_name_ends_in(path, ".mtx") || yk_name_ends_in(path, ".mm") ||
             (!yk_name_ends_in(path, ".csv") && has_banner(&text)))
        st = yk_read_matrix_market(&text, out, err);
    else
        st = yk_read_csv_matrix(&text, out, err);
    yk_text_free(&text);
    return st;
}
