/* A matrix from a file of any known kind. */
#include "scan.h"

#include <string.h>

/* The first line that is not empty starts with '%%'. */
static bool has_banner(const struct yk_text *text)
{
    struct yk_lines lines;
    struct yk_piece line;

    yk_lines_begin(&lines, text);
    while (yk_lines_next(&lines, &line))
        if (line.begin < line.end)
            return yk_piece_starts(line, "%%");
    return false;
}

bool yk_is_mat(const char *path)
{
    return yk_name_ends_in(path, ".mat") || strstr(path, ".mat:");
}

enum yk_status yk_read_matrix(const char *path, struct yk_matrix *out, struct yk_err *err)
{
    struct yk_text text;
    enum yk_status st;

    if (yk_is_mat(path))
        return yk_read_mat(path, out, err);
    if ((st = yk_text_load(&text, path, err)))
        return st;
    if (yk_name_ends_in(path, ".mtx") || yk_name_ends_in(path, ".mm") ||
        (!yk_name_ends_in(path, ".csv") && has_banner(&text)))
        st = yk_read_matrix_market(&text, out, err);
    else
        st = yk_read_csv_matrix(&text, out, err);
    yk_text_free(&text);
    return st;
}
