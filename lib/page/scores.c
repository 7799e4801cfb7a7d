/* The page of scores: one table and pictures, in the style of the report. */
#include <yoke/file.h>
#include <yoke/page.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The best of a column: the value of the smallest size. NaN where there is none. */
static double best_of(const struct yk_score_page *p, size_t column)
{
    double best = NAN;

    for (size_t i = 0; i < p->row_count; i++) {
        const double value = fabs(p->rows[i].values[column]);

        if (isfinite(value) && !(value >= best))
            best = value;
    }
    return best;
}

static void put_cell(FILE *out, const char *tag, const char *text)
{
    fprintf(out, "<%s>", tag);
    yk_page_html(out, text);
    fprintf(out, "</%.2s>", tag);
}

static void put_row(FILE *out, const struct yk_score_page *p, const struct yk_score_row *row)
{
    fputs("<tr>", out);
    put_cell(out, "td", row->name);
    put_cell(out, "td", row->of);
    for (size_t k = 0; k < p->column_count; k++) {
        const double value = row->values[k];
        const bool best = fabs(value) <= best_of(p, k);

        if (isfinite(value))
            fprintf(out, "<td class=\"n\">%s%.3g%s</td>", best ? "<b>" : "", value, best ? "</b>" : "");
        else
            fputs("<td class=\"n\">-</td>", out);
    }
    put_cell(out, "td class=\"warn\"", row->remark);
    fputs("</tr>\n", out);
}

static void put_table(FILE *out, const struct yk_score_page *p)
{
    fputs("<div class=\"card scroll\"><table>\n<tr><th>chain</th><th>run</th>", out);
    for (size_t k = 0; k < p->column_count; k++)
        put_cell(out, "th class=\"n\"", p->columns[k]);
    fputs("<th>remark</th></tr>\n", out);
    for (size_t i = 0; i < p->row_count; i++)
        put_row(out, p, &p->rows[i]);
    fputs("</table></div>\n<p class=\"note\">", out);
    yk_page_html(out, p->legend);
    fputs(" The best of each column is bold.</p>\n", out);
}

static enum yk_status put_picture(FILE *out, const struct yk_score_picture *picture, struct yk_err *err)
{
    FILE *in = fopen(picture->path, "r");
    char *bytes = NULL;
    size_t size = 0;
    const bool read = in && getdelim(&bytes, &size, 0, in) >= 0;

    if (read) {
        fputs("<figure class=\"card\"><img style=\"width:100%\" alt=\"", out);
        yk_page_html(out, picture->caption);
        fputs("\" src=\"data:image/svg+xml;base64,", out);
        yk_page_base64(out, bytes, strlen(bytes));
        fputs("\"><figcaption>", out);
        yk_page_html(out, picture->caption);
        fputs("</figcaption></figure>\n", out);
    }
    if (in)
        fclose(in);
    free(bytes);
    return read ? YK_OK : yk_fail_at(err, YK_E_IO, YK_IN_FILE(picture->path), "cannot be read: %s", strerror(errno));
}

static enum yk_status put_page(FILE *out, const struct yk_score_page *p, struct yk_err *err)
{
    const struct yk_asset *style = yk_page_asset("report.css");
    enum yk_status st = YK_OK;

    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
          "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    yk_page_html(out, p->title);
    fputs(" - Yoke</title>\n<style>", out);
    if (style)
        fwrite(style->bytes, 1, style->size, out);
    fputs(".scroll "
          "td{white-space:nowrap}figure.card{background:#fff;color:#16202b;max-width:900px;margin-inline:auto}</"
          "style>\n</head>\n<body>\n"
          "<div class=\"page\">\n<div class=\"head\"><div>",
          out);
    put_cell(out, "h1", p->title);
    fputs("<p class=\"sub\">", out);
    yk_page_html(out, p->settings);
    fputs("</p></div></div>\n<p>", out);
    yk_page_html(out, p->problem);
    fputs("</p>\n", out);
    put_table(out, p);
    for (size_t i = 0; i < p->picture_count && !st; i++)
        st = put_picture(out, &p->pictures[i], err);
    fputs("</div>\n</body>\n</html>\n", out);
    return st;
}

enum yk_status yk_score_page_write(const struct yk_score_page *page, const char *path, struct yk_err *err)
{
    FILE *out = yk_file_create_stream(path);
    enum yk_status st = YK_OK;

    if (out)
        st = put_page(out, page, err);
    if (!out || ferror(out) | fclose(out))
        st = st ? st : yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", strerror(errno));
    return st;
}
