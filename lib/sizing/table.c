/* Tables of actuators: CSV with a line of column names, comments after '#'. */
#include <yoke/number.h>
#include <yoke/sizing.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8, LINE = 1000, MOST_ROWS = 10000 };

/* The columns, the factor to SI, and the allowed range in the unit of the column. */
static const struct {
    const char *name;
    size_t at;
    double factor, least, most;
} columns[COLUMNS] = {
    {"name", 0, 0, 0, 0},
    {"force_kN", offsetof(struct yk_actuator_row, force), 1e3, 1e-3, 1e6},
    {"stroke_mm", offsetof(struct yk_actuator_row, stroke), 1e-3, 1e-2, 1e5},
    {"valve_flow_l_min", offsetof(struct yk_actuator_row, flow), 1 / 60e3, 1e-3, 1e6},
    {"valve_drop_bar", offsetof(struct yk_actuator_row, drop), 1e5, 0.1, 1e4},
    {"valve_Hz", offsetof(struct yk_actuator_row, valve_Hz), 1, 0.1, 1e5},
    {"supply_bar", offsetof(struct yk_actuator_row, supply), 1e5, 0.1, 1e4},
    {"piston_mass_kg", offsetof(struct yk_actuator_row, piston_mass), 1, 1e-3, 1e7},
};

struct reader {
    const char *path;
    int line;
    int order[COLUMNS]; /* of the columns of the file */
    int count;
};

static struct yk_where place(const struct reader *r, int column)
{
    return (struct yk_where){.file = r->path, .line = r->line, .column = column};
}

static char *trimmed(char *text)
{
    size_t length;

    text += strspn(text, " \t\"");
    for (length = strlen(text); length && strchr(" \t\r\n\"", text[length - 1]);)
        text[--length] = 0;
    return text;
}

static enum yk_status read_names(struct reader *r, char *line, struct yk_err *err)
{
    unsigned seen = 0;

    for (char *rest = line, *word; (word = strsep(&rest, ","));) {
        int k = 0;

        word = trimmed(word);
        while (k < COLUMNS && strcmp(columns[k].name, word) != 0)
            k++;
        for (const char *at = word; *at; at++)
            if (*at < ' ' || *at > '~')
                return yk_fail_at(err, YK_E_INPUT, place(r, 1), "this is no table: its first line is not text");
        if (k == COLUMNS || seen & 1u << k)
            return yk_fail_at(err, YK_E_INPUT, place(r, 1),
                              k == COLUMNS ? "there is no column '%.40s'; known are name, force_kN, stroke_mm, "
                                             "valve_flow_l_min, valve_drop_bar, valve_Hz, supply_bar, piston_mass_kg"
                                           : "column '%.40s' is there twice",
                              word);
        seen |= 1u << k;
        r->order[r->count++] = k;
    }
    for (int k = 0; k < COLUMNS; k++)
        if (!(seen & 1u << k))
            return yk_fail_at(err, YK_E_INPUT, place(r, 1), "column '%s' is missing", columns[k].name);
    return YK_OK;
}

static enum yk_status read_row(struct reader *r, char *line, struct yk_actuator_row *row, struct yk_err *err)
{
    const char *begin = line;
    char *rest = line;

    for (int i = 0; i < r->count; i++) {
        const int k = r->order[i];
        char *word = strsep(&rest, ",");
        double value;

        if (!word)
            return yk_fail_at(err, YK_E_INPUT, place(r, 1), "%d values, but %d columns", i, r->count);
        const int column = (int)(word - begin) + 1;
        word = trimmed(word);
        if (k == 0) {
            snprintf(row->name, sizeof row->name, "%s", word);
            continue;
        }
        if (yk_number_list(word, &value, 1) != 1)
            return yk_fail_at(err, YK_E_INPUT, place(r, column), "'%.40s' is not a number (%s)", word, columns[k].name);
        if (!(value >= columns[k].least && value <= columns[k].most))
            return yk_fail_at(err, YK_E_RANGE, place(r, column), "%s = %g; %g .. %g is allowed", columns[k].name, value,
                              columns[k].least, columns[k].most);
        *(double *)((char *)row + columns[k].at) = value * columns[k].factor;
    }
    if (rest)
        return yk_fail_at(err, YK_E_INPUT, place(r, 1), "more values than the %d columns", r->count);
    return YK_OK;
}

static int by_size(const void *a, const void *b)
{
    const struct yk_actuator_row *x = a, *y = b;
    const double p = yk_actuator_power(x), q = yk_actuator_power(y);

    return p < q ? -1 : p > q ? 1 : (x->stroke > y->stroke) - (x->stroke < y->stroke);
}

static enum yk_status read_rows(struct reader *r, FILE *in, struct yk_actuator_table *table, struct yk_err *err)
{
    char line[LINE];
    enum yk_status st = YK_OK;

    while (!st && fgets(line, sizeof line, in)) {
        r->line++;
        line[strcspn(line, "#")] = 0;
        if (!*trimmed(line))
            continue;
        if (!r->count) {
            st = read_names(r, line, err);
            continue;
        }
        struct yk_actuator_row *rows = realloc(table->rows, (table->count + 1) * sizeof *rows);

        if (rows)
            table->rows = rows;
        if (!rows || table->count >= MOST_ROWS)
            return yk_fail_at(err, YK_E_MEMORY, place(r, 1), "at most %d actuators", MOST_ROWS);
        rows[table->count] = (struct yk_actuator_row){0};
        st = read_row(r, line, &rows[table->count], err);
        table->count += !st;
    }
    if (!st && ferror(in))
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(r->path), "cannot be read: %s", strerror(errno));
    if (!st && !table->count)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(r->path), "there is no actuator in this table");
    return st;
}

enum yk_status yk_actuator_table_read(struct yk_actuator_table *table, const char *path, struct yk_err *err)
{
    struct reader r = {.path = path};
    FILE *in = fopen(path, "r");
    enum yk_status st;

    *table = (struct yk_actuator_table){0};
    if (!in)
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be read: %s", strerror(errno));
    st = read_rows(&r, in, table, err);
    fclose(in);
    if (st)
        yk_actuator_table_free(table);
    else
        qsort(table->rows, table->count, sizeof *table->rows, by_size);
    return st;
}

void yk_actuator_table_free(struct yk_actuator_table *table)
{
    free(table->rows);
    *table = (struct yk_actuator_table){0};
}
