/* The data of a figure as CSV: every array of samples once, whatever number of curves show it; and text that comes from
 * users, made safe for CSV and for gnuplot. */
#include "figure_parts.h"

#include <math.h>
#include <string.h>

/* ---- texts ---- */

/* Bytes of the UTF-8 character at s, 0 where there is none. */
static size_t utf8_length(const unsigned char *s)
{
    const size_t length = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : *s >= 0xe0 && *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;

    if (*s >= 0x80 && *s < 0xc2)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* A text of a user. `special` characters become octal numbers, or get a double quote in front; control characters
 * become blanks, and bytes that are not UTF-8 question marks. */
static void put_text(FILE *out, const char *text, const char *special, bool octal)
{
    const unsigned char *s = (const unsigned char *)(text ? text : "");

    while (*s) {
        const size_t length = utf8_length(s);

        if (length > 1)
            fwrite(s, 1, length, out);
        else if (strchr(special, *s))
            fprintf(out, octal ? "\\%03o" : "\"%c", *s);
        else
            fputc(length == 0 ? '?' : *s < ' ' || *s == 0x7f ? ' ' : *s, out);
        s += length ? length : 1;
    }
}

/* The same text as a cell of CSV, in double quotes. */
static void put_cell(FILE *out, const char *text)
{
    fputc('"', out);
    put_text(out, text, "\"", false);
    fputc('"', out);
}

void yk_figure_quote(FILE *out, const char *text)
{
    const bool apostrophe = text && strchr(text, '\'');

    fputc(apostrophe ? '"' : '\'', out);
    put_text(out, text, apostrophe ? "\"\\`" : "", true);
    fputc(apostrophe ? '"' : '\'', out);
}

/* ---- columns ---- */

static double grid_at(double low, double high, bool log, double at, size_t count)
{
    const double share = count > 1 ? at / (double)(count - 1) : 0;

    return log ? low * pow(high / low, share) : low + (high - low) * share;
}

double yk_figure_grid_x(const struct yk_plot_panel *p, double column)
{
    return grid_at(p->heat->x_min, p->heat->x_max, p->x.log, column, p->heat->columns);
}

double yk_figure_grid_y(const struct yk_plot_panel *p, double row)
{
    return grid_at(p->heat->y_min, p->heat->y_max, p->y.log, row, p->heat->rows);
}

static double column_value(const struct yk_figure_column *c, size_t i)
{
    if (!c->panel)
        return c->x[i];
    const size_t columns = c->panel->heat->columns;

    return c->coordinate ? yk_figure_grid_y(c->panel, (double)(i / columns))
                         : yk_figure_grid_x(c->panel, (double)(i % columns));
}

size_t yk_figure_column_of(struct yk_figure_table *t, const char *label, const double *x, size_t n)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->columns[i].x == x && t->columns[i].n == n && strcmp(t->columns[i].label, label) == 0)
            return i + 1;
    t->columns[t->count] = (struct yk_figure_column){.label = label, .n = n, .x = x};
    return ++t->count;
}

size_t yk_figure_heat_column(struct yk_figure_table *t, const char *label, const struct yk_plot_panel *panel,
                             int coordinate)
{
    t->columns[t->count] = (struct yk_figure_column){
        .label = label, .n = panel->heat->rows * panel->heat->columns, .panel = panel, .coordinate = coordinate};
    return ++t->count;
}

void yk_figure_write_data(FILE *out, const struct yk_figure_table *t)
{
    size_t rows = 0;

    for (size_t c = 0; c < t->count; c++) {
        rows = t->columns[c].n > rows ? t->columns[c].n : rows;
        fputs(c ? "," : "", out);
        put_cell(out, t->columns[c].label);
    }
    fputc('\n', out);
    for (size_t i = 0; i < rows; i++) {
        for (size_t c = 0; c < t->count; c++) {
            const double value = i < t->columns[c].n ? column_value(&t->columns[c], i) : 0;

            fputs(c ? "," : "", out);
            if (i < t->columns[c].n)
                fprintf(out, isfinite(value) ? "%.10g" : "nan", value);
        }
        fputc('\n', out);
    }
}
