/* Layout of a logger file: first line of its table, separator of the fields, titles of the columns. docs/measured.md,
 * section 1. */
#include "log.h"

#include <yoke/number.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LOOK_LINES = 5000, BLOCK = 10, LINE_MOST = 1 << 20 };

/* ---- fields ---- */

bool yk_log_line(const struct yk_log_layout *layout, struct yk_lines *lines, struct yk_piece *line)
{
    while (yk_lines_next(lines, line)) {
        if (layout->plain && line->begin < line->end) {
            const char *comment = memchr(line->begin, '#', (size_t)(line->end - line->begin));

            if (comment)
                *line = yk_piece_trim((struct yk_piece){line->begin, comment});
        }
        if (line->begin < line->end && *line->begin != '#')
            return true;
    }
    return false;
}

bool yk_log_field(const struct yk_log_layout *layout, struct yk_piece *rest, struct yk_piece *field)
{
    const char *p = rest->begin;

    if (!p || p > rest->end)
        return false;
    if (layout->delimiter == ' ')
        return yk_token_next(rest, field);
    if (p < rest->end && *p == '"') /* the delimiter may stand within quotes */
        for (p++; p < rest->end && *p != '"'; p++)
            ;
    while (p < rest->end && *p != layout->delimiter)
        p++;
    *field = yk_piece_trim((struct yk_piece){rest->begin, p});
    if (field->end - field->begin >= 2 && *field->begin == '"' && field->end[-1] == '"')
        *field = yk_piece_trim((struct yk_piece){field->begin + 1, field->end - 1});
    rest->begin = p + 1; /* behind the end after the last field */
    return true;
}

size_t yk_log_fields(const struct yk_log_layout *layout, struct yk_piece line, struct yk_piece *field, size_t most)
{
    size_t n = 0;

    while (n < most && yk_log_field(layout, &line, &field[n]))
        n++;
    return n;
}

bool yk_log_number(const struct yk_log_layout *layout, struct yk_piece field, double *value)
{
    char copy[64];
    size_t n = 0;

    if (layout->delimiter == ',' || !memchr(field.begin, ',', (size_t)(field.end - field.begin)))
        return field.begin < field.end && yk_number_scan(field.begin, field.end, value) == field.end;
    for (const char *p = field.begin; p < field.end && n < sizeof copy; p++)
        if (*p != ',')
            copy[n++] = *p;
        else if (layout->decimal_comma)
            copy[n++] = '.';
    return n > 0 && n < sizeof copy && yk_number_scan(copy, copy + n, value) == copy + n;
}

/* A number, a date, or a number that is missing. */
static bool is_value(const struct yk_log_layout *layout, struct yk_piece field)
{
    struct yk_log_stamp stamp;
    double value;

    return yk_log_number(layout, field, &value) || yk_log_stamp(field, &stamp) ||
           yk_number_is_not_finite(field.begin, field.end);
}

/* Words of events may follow the last value. */
size_t yk_log_count(const struct yk_log_layout *layout, struct yk_piece line, size_t *values)
{
    struct yk_piece field;
    size_t core = 0;

    *values = 0;
    for (size_t i = 0; i <= LOG_COLUMNS && yk_log_field(layout, &line, &field); i++)
        if (is_value(layout, field)) {
            core = i + 1;
            ++*values;
        }
    return core;
}

/* ---- delimiter and decimal comma ---- */

struct run {
    size_t longest, fields;
    double clean; /* values among the fields */
};

static struct run longest_run(const struct yk_log_layout *layout)
{
    const size_t least = layout->delimiter ? 2 : 1;
    struct yk_lines lines;
    struct yk_piece line;
    struct run best = {0};
    size_t length = 0, fields = 0, sum = 0;

    yk_lines_begin(&lines, &layout->text);
    while (lines.line < LOOK_LINES && yk_log_line(layout, &lines, &line)) {
        size_t values;
        const size_t n = yk_log_count(layout, line, &values);

        if (n != fields || n < least) {
            length = sum = 0;
            fields = n;
        }
        length += n >= least;
        sum += values;
        if (length > best.longest)
            best = (struct run){length, fields, (double)sum / (double)(length * fields)};
    }
    return best;
}

/* Do fields look like "0,123", and might all of them be thousands, "1,234"? */
static bool has_commas(const struct yk_log_layout *layout, bool *ambiguous)
{
    struct yk_lines lines;
    struct yk_piece line, field;
    bool any = false;

    *ambiguous = true;
    yk_lines_begin(&lines, &layout->text);
    while (lines.line < LOOK_LINES && yk_lines_next(&lines, &line)) {
        while (yk_log_field(layout, &line, &field)) {
            const char *comma = memchr(field.begin, ',', (size_t)(field.end - field.begin)), *p = field.begin;
            double ignored;

            if (!comma || !yk_log_number(layout, field, &ignored))
                continue;
            any = true;
            p += *p == '-' || *p == '+';
            if (field.end - comma != 4 || comma - p > 3 || *p == '0')
                *ambiguous = false;
        }
    }
    return any;
}

static enum yk_status choose_delimiter(struct yk_log_layout *layout, const struct yk_log_ask *ask, struct yk_err *err)
{
    static const char delimiters[] = ";\t|, ";
    struct run best = {0};
    char found = 0;
    bool ambiguous;

    layout->decimal_comma = true; /* where the delimiter is none */
    for (const char *d = delimiters; *d; d++) {
        layout->delimiter = *d;
        const struct run run = longest_run(layout);
        const double better = (double)run.longest, as_good = 0.9 * (double)best.longest;

        if (run.longest >= 1 &&
            (!found || (double)best.longest < 0.9 * better || (better >= as_good && run.clean > best.clean + 0.01))) {
            best = run;
            found = *d;
        }
    }
    if (!found && layout->plain) {
        layout->delimiter = 0;
        best = longest_run(layout);
        if (best.longest == 0)
            return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(layout->text.name), "no numbers in the file");
    } else if (!found) {
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(layout->text.name),
                          "there is no table of numbers with two columns or more");
    }
    layout->delimiter = found;
    layout->fields = best.fields;
    if (found == ',' || !has_commas(layout, &ambiguous))
        return YK_OK;
    if (ask->decimal)
        layout->decimal_comma = strcmp(ask->decimal, "comma") == 0;
    else if (ambiguous)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(layout->text.name),
                          "numbers such as 1,234 may have a decimal comma or thousands; %s",
                          layout->plain ? "write them with a decimal point" : "give --decimal comma or point");
    return YK_OK;
}

/* ---- titles and units ---- */

static bool is_unit(struct yk_piece field)
{
    static const char *const more[] = {"V", "mV", "A", "-", "1", "%", "C", "degC"};
    char unit[24];
    double factor;

    if (field.end - field.begin >= 2 && (*field.begin == '[' || *field.begin == '('))
        field = yk_piece_trim((struct yk_piece){field.begin + 1, field.end - 1});
    if (field.begin == field.end)
        return true;
    if (field.end - field.begin >= (long)sizeof unit)
        return false;
    snprintf(unit, sizeof unit, "%.*s", (int)(field.end - field.begin), field.begin);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (strcmp(unit, more[i]) == 0)
            return true;
    return !yk_unit_factor(unit, unit, &factor, NULL);
}

static bool is_unit_row(const struct yk_log_layout *layout, struct yk_piece line)
{
    struct yk_piece field;
    size_t n = 0, filled = 0;

    while (yk_log_field(layout, &line, &field)) {
        if (!is_unit(field))
            return false;
        n++;
        filled += field.begin < field.end;
    }
    return n >= 2 - (size_t)layout->plain && filled > 0;
}

static bool is_title_row(const struct yk_log_layout *layout, struct yk_piece line)
{
    size_t values, n = 0;
    struct yk_piece rest = line, field;

    if (!line.begin || line.begin == line.end)
        return false;
    while (yk_log_field(layout, &rest, &field))
        n++;
    yk_log_count(layout, line, &values);
    return n >= layout->fields && values < layout->fields;
}

/* Field k of a row of titles. "Disp [mm]" are two tokens between blanks. */
static struct yk_piece title_field(const struct yk_log_layout *layout, struct yk_piece line, size_t column)
{
    struct yk_piece field = {NULL, NULL}, next;
    size_t at = 0;

    if (layout->delimiter != ' ') {
        for (size_t k = 0; k <= column; k++)
            if (!yk_log_field(layout, &line, &field))
                return (struct yk_piece){NULL, NULL};
        return field;
    }
    while (yk_token_next(&line, &next)) {
        if ((*next.begin == '[' || *next.begin == '(') && at > 0) {
            if (at == column + 1)
                field.end = next.end;
            continue;
        }
        if (++at == column + 1)
            field = next;
    }
    return at > column ? field : (struct yk_piece){NULL, NULL};
}

/* As UTF-8: bytes that are none are taken for Latin-1. */
static void copy_name(struct yk_piece from, char *to, size_t size)
{
    size_t n = 0;

    for (const char *p = from.begin; p < from.end && n + 4 < size; p++) {
        const unsigned char c = (unsigned char)*p;
        const bool follows = p + 1 < from.end && ((unsigned char)p[1] & 0xc0) == 0x80;

        if (c < 0x80)
            to[n++] = (char)(c < ' ' || c == 0x7f ? ' ' : c);
        else if (c >= 0xc2 && c < 0xe0 && follows) {
            to[n++] = (char)c;
            to[n++] = *++p;
        } else {
            to[n++] = (char)(0xc0 | c >> 6);
            to[n++] = (char)(0x80 | (c & 0x3f));
        }
    }
    to[n] = 0;
}

static const char *last_of(struct yk_piece span, char a, char b)
{
    for (const char *p = span.end; p > span.begin; p--)
        if (p[-1] == a || p[-1] == b)
            return p - 1;
    return NULL;
}

void yk_log_title(const struct yk_log_layout *layout, size_t column, char name[YK_LOG_NAME], char unit[YK_LOG_UNIT])
{
    struct yk_piece title = title_field(layout, layout->title, column), own = title_field(layout, layout->unit, column);
    const char *open = title.begin < title.end ? last_of(title, '[', '(') : NULL;

    *name = *unit = 0;
    if (open && open > title.begin && /* "Force (axial)" has no unit */
        (title.end[-1] == ']' || (title.end[-1] == ')' && is_unit((struct yk_piece){open, title.end})))) {
        if (own.begin == own.end)
            own = (struct yk_piece){open, title.end};
        title = yk_piece_trim((struct yk_piece){title.begin, open});
    }
    if (own.end - own.begin >= 2 && (*own.begin == '[' || *own.begin == '('))
        own = (struct yk_piece){own.begin + 1, own.end - 1};
    if (title.begin)
        copy_name(title, name, YK_LOG_NAME);
    if (own.begin)
        copy_name(yk_piece_trim(own), unit, YK_LOG_UNIT);
}

/* ---- the table ---- */

/* "Sampling Interval:  0.001", "Sample Rate (Hz): 1000" */
static void take_header(struct yk_log_layout *layout, struct yk_piece line)
{
    char words[80];
    size_t n = 0;
    double number = 0;
    const char *colon = last_of(line, ':', '=');

    if (!colon || line.end - colon > 40)
        return;
    const struct yk_piece value = yk_piece_trim((struct yk_piece){colon + 1, line.end});
    const char *end = yk_number_scan(value.begin, value.end, &number);

    for (const char *p = line.begin; p < colon && n + 1 < sizeof words; p++)
        words[n++] = (char)tolower((unsigned char)*p);
    words[n] = 0;
    if (!end || !(number > 0) || !strstr(words, "sampl"))
        return;
    if (strstr(words, "interval") || strstr(words, "period"))
        layout->interval_s = number;
    else if (strstr(words, "rate") || strstr(words, "frequency"))
        layout->interval_s = 1 / number;
}

/* How many of the next lines, at most a block, have as many fields. */
static size_t block_length(const struct yk_log_layout *layout, struct yk_lines lines)
{
    struct yk_piece line;
    size_t n = 0, values;

    while (n < BLOCK && yk_log_line(layout, &lines, &line) && yk_log_count(layout, line, &values) == layout->fields)
        n++;
    return n;
}

enum yk_status yk_log_find_table(struct yk_log_layout *layout, const struct yk_log_ask *ask, struct yk_err *err)
{
    struct yk_piece line, above[2] = {{NULL, NULL}, {NULL, NULL}}; /* the line before, and the one before that */
    struct yk_lines lines, before;
    int number[2] = {0};
    enum yk_status st = choose_delimiter(layout, ask, err);

    if (st)
        return st;
    const size_t wanted = longest_run(layout).longest;
    yk_lines_begin(&lines, &layout->text);
    for (before = lines; yk_lines_next(&lines, &line); before = lines) {
        if (line.end - line.begin > LINE_MOST)
            return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&lines), "the line is longer than 1 MB");
        const bool comment = line.begin < line.end && *line.begin == '#';

        if (line.begin == line.end || (comment && layout->plain))
            continue;
        if (comment)
            line = yk_piece_trim((struct yk_piece){line.begin + 1, line.end});
        else if (block_length(layout, before) >= (wanted < BLOCK ? wanted : BLOCK))
            break;
        take_header(layout, line);
        above[1] = above[0];
        number[1] = number[0];
        above[0] = line;
        number[0] = lines.line;
    }
    layout->first = before.p;
    layout->first_line = before.line;
    if (layout->fields > LOG_COLUMNS)
        return yk_fail_at(err, YK_E_INPUT, (struct yk_where){layout->text.name, before.line + 1, 0},
                          "more than %d columns", LOG_COLUMNS);
    for (int k = 0; k < 2; k++) /* title and units, in either order */
        if (above[k].begin && is_unit_row(layout, above[k]) && !layout->unit.begin) {
            layout->unit = above[k];
            layout->unit_line = number[k];
        } else if (above[k].begin && !layout->title.begin && is_title_row(layout, above[k])) {
            layout->title = above[k];
            layout->title_line = number[k];
        } else {
            break;
        }
    return YK_OK;
}
