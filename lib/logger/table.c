/* The columns of a logger file that somebody asks for. docs/measured.md, section 1. */
#include "binary.h"

#include <yoke/number.h>
#include <yoke/sha256.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum yk_status yk_log_note(struct yk_log *log, struct yk_err *err, const char *format, ...)
{
    char line[300], *longer;
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (asprintf(&longer, "%s%s\n", log->notes ? log->notes : "", line) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    free(log->notes);
    log->notes = longer;
    return YK_OK;
}

void yk_log_free(struct yk_log *log)
{
    for (size_t c = 0; c < log->count; c++)
        free(log->column[c].x);
    free(log->time);
    free(log->first);
    free(log->notes);
    *log = (struct yk_log){0};
}

/* ---- which column is which ---- */

/* Titles that mean a role. */
static const char *const synonyms[][8] = {
    {"time", "t", "seconds", "elapsed time", "elapsed", "zeit", "time stamp"},
    {"command", "cmd", "target", "reference", "demand", "setpoint", "displacement command"},
    {"displacement", "disp", "position", "measured", "stroke", "feedback", "response", "displ"},
    {"force", "load", "measured force", "axial force", "kraft"},
    {"velocity", "speed", "rate"},
};

bool yk_log_means(const char *title, const char *role)
{
    if (strcasecmp(title, role) == 0)
        return true;
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        if (strcmp(synonyms[i][0], role) != 0)
            continue;
        for (size_t j = 1; j < 8 && synonyms[i][j]; j++)
            if (strcasecmp(title, synonyms[i][j]) == 0)
                return true;
    }
    return false;
}

struct take { /* a column that is read */
    long column;
    double factor;
};

struct reading {
    struct yk_log_layout layout;
    const struct yk_log_ask *ask;
    struct yk_log *log;
    struct yk_log_rows rows;
    struct take time, role[YK_LOG_ROLES];
    struct yk_piece *field; /* of a row: LOG_COLUMNS + 2 */
    bool by_count;          /* no time column: rows times the interval of the header */
    int bad_line;           /* incomplete last line */
};

static long find_title(const struct reading *r, const char *wanted, bool synonym)
{
    char name[YK_LOG_NAME], unit[YK_LOG_UNIT];

    for (size_t c = 0; r->layout.title.begin && c < r->layout.fields; c++) {
        yk_log_title(&r->layout, c, name, unit);
        if (*name && (synonym ? yk_log_means(name, wanted) : strcasecmp(name, wanted) == 0))
            return (long)c;
    }
    return -1;
}

/* Minimum, maximum and rms of every column, for whoever must say which one is which. */
static enum yk_status refuse_with_table(struct reading *r, const char *role, const char *given, struct yk_err *err)
{
    const size_t n = r->layout.fields < 24 ? r->layout.fields : 24;
    double low[24], high[24], square[24], value;
    size_t count[24] = {0};
    struct yk_lines lines = {.name = r->layout.text.name, .p = r->layout.first, .line = r->layout.first_line};
    struct yk_piece line;
    char text[900] = "", name[YK_LOG_NAME], unit[YK_LOG_UNIT];
    size_t used = 0;

    lines.end = r->layout.text.data + r->layout.text.size;
    while (yk_lines_next(&lines, &line)) {
        const size_t found = yk_log_fields(&r->layout, line, r->field, n);

        for (size_t c = 0; c < found; c++) {
            if (!yk_log_number(&r->layout, r->field[c], &value))
                continue;
            low[c] = count[c] ? fmin(low[c], value) : value;
            high[c] = count[c] ? fmax(high[c], value) : value;
            square[c] = (count[c] ? square[c] : 0) + value * value;
            count[c]++;
        }
    }
    for (size_t c = 0; c < n && used < sizeof text - 120; c++) {
        yk_log_title(&r->layout, c, name, unit);
        used += (size_t)snprintf(text + used, sizeof text - used, "\n  %zu  %-.30s%s%s%s", c + 1, *name ? name : "-",
                                 *unit ? " [" : "", unit, *unit ? "]" : "");
        if (count[c])
            used += (size_t)snprintf(text + used, sizeof text - used, ": min %.6g, max %.6g, rms %.6g", low[c], high[c],
                                     sqrt(square[c] / (double)count[c]));
        else
            used += (size_t)snprintf(text + used, sizeof text - used, ": no numbers");
    }
    const struct yk_where where = {r->layout.text.name, r->layout.first_line + 1, 0};
    if (given)
        return yk_fail_at(err, YK_E_INPUT, where, "there is no column '%s' (%s), neither as a title nor as a number:%s",
                          given, role, text);
    return yk_fail_at(
        err, YK_E_INPUT, where,
        "no column is known as %s; say which ones are what, e.g. --columns %s=2:10 mm (name or number, and "
        "the value of one unit):%s",
        role, role, text);
}

/* The part of --columns for a role: "3:10 mm"; false: none. */
static bool mapped(const char *columns, const char *role, char *name, size_t name_size, char *scale, size_t scale_size)
{
    for (const char *p = columns; p && *p; p += *p == ',') {
        const char *end = p + strcspn(p, ","), *equals = memchr(p, '=', (size_t)(end - p));
        const struct yk_piece key = yk_piece_trim((struct yk_piece){p, equals ? equals : end});

        if (equals && yk_piece_is(key, role)) {
            const char *colon = memchr(equals, ':', (size_t)(end - equals));
            const struct yk_piece of = yk_piece_trim((struct yk_piece){equals + 1, colon ? colon : end});

            snprintf(name, name_size, "%.*s", (int)(of.end - of.begin), of.begin);
            snprintf(scale, scale_size, "%.*s", colon ? (int)(end - colon - 1) : 0, colon ? colon + 1 : "");
            return true;
        }
        p = end;
    }
    return false;
}

static enum yk_status find_scale(const struct reading *r, const char *role, long column, const char *scale,
                                 enum yk_quantity quantity, double *factor, struct yk_err *err)
{
    char name[YK_LOG_NAME], unit[YK_LOG_UNIT], text[64];
    const struct yk_where where = {.file = r->layout.text.name, .line = r->layout.first_line};
    struct yk_err ignored;

    yk_log_title(&r->layout, (size_t)column, name, unit);
    *factor = 1;
    if (*scale) {
        const char *p = scale + strspn(scale, " ");

        snprintf(text, sizeof text, "%s%s", strchr("+-.0123456789", *p) ? "" : "1 ", p);
        if (yk_quantity_parse(text, quantity, factor, err))
            return yk_fail_within(err, YK_NOWHERE, "--columns %s: ", role);
        if (*factor == 0)
            return yk_fail(err, YK_E_RANGE, "--columns %s: one unit cannot be 0", role);
        return YK_OK;
    }
    if (!*unit)
        return YK_OK; /* SI */
    snprintf(text, sizeof text, "1 %s", unit);
    if (yk_quantity_parse(text, quantity, factor, &ignored))
        return yk_fail_at(err, YK_E_UNIT, where,
                          "column %ld '%s' is in %s; give the %s of one %s: --columns \"%s=%ld:10 %s\"", column + 1,
                          name, unit, role, unit, role, column + 1, yk_quantity_unit(quantity));
    return YK_OK;
}

/* *column stays -1 where a role is not found. */
static enum yk_status find_role(struct reading *r, const char *role, enum yk_quantity quantity, struct take *take,
                                struct yk_err *err)
{
    char name[YK_LOG_NAME] = "", scale[48] = "";
    const bool given = mapped(r->ask->columns, role, name, sizeof name, scale, sizeof scale);
    double number;

    take->column = given ? find_title(r, name, false) : find_title(r, role, true);
    take->factor = 1;
    if (given && take->column < 0 && yk_number_scan(name, name + strlen(name), &number) == name + strlen(name) &&
        number >= 1 && number <= (double)r->layout.fields && number == floor(number))
        take->column = (long)number - 1;
    if (given && take->column < 0)
        return refuse_with_table(r, role, name, err);
    if (take->column < 0)
        return YK_OK;
    struct yk_lines lines = {.name = r->layout.text.name, .p = r->layout.first, .line = 0};
    struct yk_piece line;
    struct yk_log_stamp stamp;
    lines.end = r->layout.text.data + r->layout.text.size;
    if (quantity == YK_TIME && yk_lines_next(&lines, &line) &&
        yk_log_fields(&r->layout, line, r->field, LOG_COLUMNS) > (size_t)take->column &&
        !yk_log_number(&r->layout, r->field[take->column], &number) && yk_log_stamp(r->field[take->column], &stamp))
        return YK_OK; /* a date needs no unit */
    return find_scale(r, role, take->column, scale, quantity, &take->factor, err);
}

/* A title, a column of dates, or the interval of the header. */
static enum yk_status find_time(struct reading *r, struct yk_err *err)
{
    struct yk_lines lines = {.name = r->layout.text.name, .p = r->layout.first, .line = 0};
    struct yk_piece line;
    struct yk_log_stamp stamp;
    double number;
    enum yk_status st = find_role(r, "time", YK_TIME, &r->time, err);

    if (st || r->time.column >= 0)
        return st;
    lines.end = r->layout.text.data + r->layout.text.size;
    const size_t n = yk_lines_next(&lines, &line) ? yk_log_fields(&r->layout, line, r->field, LOG_COLUMNS) : 0;
    for (size_t c = 0; c < n && r->time.column < 0; c++)
        if (!yk_log_number(&r->layout, r->field[c], &number) && yk_log_stamp(r->field[c], &stamp))
            r->time.column = (long)c;
    r->by_count = r->time.column < 0 && r->layout.interval_s > 0;
    if (r->ask->first_is_time && r->time.column < 0 && !r->by_count)
        r->time = (struct take){0, 1};
    return r->time.column >= 0 || r->by_count ? YK_OK : refuse_with_table(r, "time", NULL, err);
}

static enum yk_status check_keys(const struct reading *r, struct yk_err *err)
{
    for (const char *p = r->ask->columns; p && *p;) {
        const char *end = p + strcspn(p, ","), *equals = memchr(p, '=', (size_t)(end - p));
        const struct yk_piece key = yk_piece_trim((struct yk_piece){p, equals ? equals : end});
        bool known = false; /* roles of other commands may stand in the same words */
        char all[160] = "time";

        for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
            known |= equals && yk_piece_is(key, synonyms[i][0]);
        for (size_t i = 0; i < r->ask->count; i++) {
            known |= equals && yk_piece_is(key, r->ask->roles[i].name);
            snprintf(all + strlen(all), sizeof all - strlen(all), ", %s", r->ask->roles[i].name);
        }
        if (!known)
            return yk_fail(err, YK_E_INPUT, "--columns: '%s' must be ROLE=COLUMN[:VALUE OF ONE UNIT]; roles are %s",
                           yk_quote((struct yk_piece){p, end}).text, all);
        p = end + (*end == ',');
    }
    return YK_OK;
}

/* Every column whose first row is a number, but the time. */
static enum yk_status take_all(struct reading *r, struct yk_err *err)
{
    struct yk_lines lines = {.name = r->layout.text.name, .p = r->layout.first, .line = r->layout.first_line};
    struct yk_piece line;
    double value;

    lines.end = r->layout.text.data + r->layout.text.size;
    const size_t n = yk_lines_next(&lines, &line) ? yk_log_fields(&r->layout, line, r->field, LOG_COLUMNS) : 0;
    for (size_t c = 0; c < n && c < r->layout.fields && r->log->count < YK_LOG_ROLES; c++) {
        struct yk_log_column *to = &r->log->column[r->log->count];

        if ((long)c == r->time.column || !yk_log_number(&r->layout, r->field[c], &value))
            continue;
        yk_log_title(&r->layout, c, to->name, to->unit);
        if (!*to->name)
            snprintf(to->name, sizeof to->name, "%zu", c + 1);
        to->factor = 1;
        r->role[r->log->count++] = (struct take){(long)c, 1};
    }
    return r->log->count ? YK_OK : refuse_with_table(r, "a number", NULL, err);
}

static enum yk_status find_roles(struct reading *r, struct yk_err *err)
{
    enum yk_status st = check_keys(r, err);

    if (!st)
        st = find_time(r, err);
    if (!st && !r->ask->roles)
        return take_all(r, err);
    for (size_t i = 0; i < r->ask->count && !st; i++) {
        const struct yk_log_role *role = &r->ask->roles[i];

        if ((st = find_role(r, role->name, role->quantity, &r->role[i], err)))
            return st;
        if (r->role[i].column < 0 && !role->optional)
            return refuse_with_table(r, role->name, NULL, err);
        if (r->role[i].column >= 0)
            yk_log_title(&r->layout, (size_t)r->role[i].column, r->log->column[i].name, r->log->column[i].unit);
        r->log->column[i].factor = r->role[i].factor;
    }
    return st;
}

/* ---- rows ---- */

static bool grow(void *array, size_t size, size_t room)
{
    void **at = array, *larger = realloc(*at, room * size);

    if (larger)
        *at = larger;
    return larger != NULL;
}

static enum yk_status make_room(struct reading *r, bool stamps, struct yk_err *err)
{
    struct yk_log_rows *rows = &r->rows;
    const size_t room = rows->room ? 2 * rows->room : 4096;
    bool good = room <= 200000000 && grow(&rows->t, sizeof *rows->t, room) &&
                grow(&rows->line, sizeof *rows->line, room) && grow(&rows->cut, 1, room) &&
                (!stamps || grow(&rows->stamp, sizeof *rows->stamp, room));

    for (size_t i = 0; i < r->log->count && good; i++)
        if (r->role[i].column >= 0)
            good = grow(&rows->x[i], sizeof(double), room);
    rows->room = room;
    return good ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory, or more than 10^8 rows");
}

/* Words behind the values: 1 a pause or its end, -1 other words, 0 none. */
static int event_in(const struct reading *r, size_t found, size_t from)
{
    int event = 0;

    for (size_t c = from; c < found; c++) {
        const struct yk_piece f = r->field[c];

        for (const char *p = f.begin; p < f.end; p++)
            if (yk_piece_starts((struct yk_piece){p, f.end}, "pause") ||
                yk_piece_starts((struct yk_piece){p, f.end}, "resume"))
                return 1;
        if (f.begin < f.end)
            event = -1;
    }
    return event;
}

/* Why a line is no row: the end of a file that was cut off, or another table. */
static enum yk_status refuse_line(struct reading *r, const struct yk_lines *lines, size_t found, size_t column,
                                  struct yk_err *err)
{
    struct yk_lines next = *lines;
    struct yk_piece line;
    const struct yk_piece field = column < found ? r->field[column] : (struct yk_piece){"", ""};
    double value;
    bool more = yk_lines_next(&next, &line);

    if (!more && found <= r->layout.fields && r->rows.n >= 10) {
        r->bad_line = lines->line;
        return YK_OK;
    }
    if (column < found && !yk_number_is_not_finite(field.begin, field.end) && field.begin < field.end) {
        for (size_t k = 0; k < 3 && more; k++, more = yk_lines_next(&next, &line)) { /* titles of another table? */
            const size_t n = yk_log_fields(&r->layout, line, r->field, LOG_COLUMNS);

            if (n >= 2 && yk_log_number(&r->layout, r->field[0], &value) && !yk_log_number(&r->layout, field, &value) &&
                found > 1 && column == 0)
                return yk_fail_at(err, YK_E_INPUT, yk_lines_where(lines),
                                  "a second table begins here; one file has one table, so split it");
        }
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(lines), "column %zu: '%s' is not a number", column + 1,
                          yk_quote(field).text);
    }
    if (column < found && field.begin < field.end)
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(lines),
                          "column %zu: '%s' is not a finite number; cut the rows without readings out", column + 1,
                          yk_quote(field).text);
    return yk_fail_at(err, YK_E_INPUT, yk_lines_where(lines),
                      "%zu fields in the row, and column %zu is missing: the table has %zu; a second table?", found,
                      column + 1, r->layout.fields);
}

static bool take_value(struct reading *r, const struct take *take, size_t found, double *value)
{
    if ((size_t)take->column >= found || !yk_log_number(&r->layout, r->field[take->column], value) || !isfinite(*value))
        return false;
    *value *= take->factor;
    return isfinite(*value);
}

/* *wrong: the column that has no value; -1: none. */
static void take_row(struct reading *r, size_t found, long *wrong)
{
    struct yk_log_rows *rows = &r->rows;
    const size_t k = rows->n;

    *wrong = -1;
    if (r->by_count)
        rows->t[k] = (double)k * r->layout.interval_s;
    else if (rows->stamp ? (size_t)r->time.column >= found || !yk_log_stamp(r->field[r->time.column], &rows->stamp[k])
                         : !take_value(r, &r->time, found, &rows->t[k]))
        *wrong = r->time.column;
    for (size_t i = 0; i < r->log->count && *wrong < 0; i++)
        if (r->role[i].column >= 0 && !take_value(r, &r->role[i], found, &rows->x[i][k]))
            *wrong = r->role[i].column;
}

static bool is_row_of_numbers(const struct reading *r, size_t found)
{
    double value;

    for (size_t c = 0; c < found && c < r->layout.fields; c++)
        if (yk_log_number(&r->layout, r->field[c], &value))
            return true;
    return false;
}

static enum yk_status read_rows(struct reading *r, struct yk_err *err)
{
    struct yk_lines lines = {.name = r->layout.text.name, .p = r->layout.first, .line = r->layout.first_line};
    struct yk_piece line;
    bool cut = false, stamps = false;
    enum yk_status st = YK_OK;
    double value;

    lines.end = r->layout.text.data + r->layout.text.size;
    while (!st && yk_lines_next(&lines, &line)) {
        const size_t found = yk_log_fields(&r->layout, line, r->field, LOG_COLUMNS + 1);
        long wrong;

        if (line.begin == line.end || *line.begin == '#')
            continue;
        if (!is_row_of_numbers(r, found) && event_in(r, found, 0) > 0) { /* "Pause" in a line of its own */
            cut = true;
            continue;
        }
        if (r->rows.n == 0 && r->time.column >= 0)
            stamps = !yk_log_number(&r->layout, r->field[r->time.column], &value);
        if (r->rows.n == r->rows.room && (st = make_room(r, stamps, err)))
            return st;
        take_row(r, found, &wrong);
        if (wrong < 0 && found > r->layout.fields && yk_log_number(&r->layout, r->field[r->layout.fields], &value))
            wrong = (long)found; /* more values than the table has */
        if (wrong >= 0) {
            st = refuse_line(r, &lines, found, (size_t)wrong, err);
            continue;
        }
        const int event = found > r->layout.fields ? event_in(r, found, r->layout.fields) : 0;
        r->rows.cut[r->rows.n] = cut;
        r->rows.line[r->rows.n++] = lines.line;
        cut = event > 0;
        for (size_t c = r->layout.fields; cut && c < found; c++) /* "Resume" stands in the first row after it */
            for (const char *p = r->field[c].begin; p < r->field[c].end; p++)
                if (yk_piece_starts((struct yk_piece){p, r->field[c].end}, "resume")) {
                    r->rows.cut[r->rows.n - 1] = 1;
                    cut = false;
                }
    }
    return st;
}

/* Stamps that are too coarse to tell rows apart. */
static bool are_coarse(const struct reading *r)
{
    size_t equal = 0;

    for (size_t k = 1; k < r->rows.n; k++)
        equal += r->rows.t[k] == r->rows.t[k - 1];
    return r->layout.interval_s > 0 && 2 * equal > r->rows.n;
}

static enum yk_status parse(struct reading *r, struct yk_err *err)
{
    const char *name = r->layout.text.name;
    enum yk_status st;

    if (!(r->field = malloc((LOG_COLUMNS + 2) * sizeof *r->field)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_log_find_table(&r->layout, r->ask, err)) || (st = find_roles(r, err)) || (st = read_rows(r, err)))
        return st;
    r->log->lines = r->rows.n;
    if (r->bad_line && (st = yk_log_note(r->log, err, "line %d, the last one, is incomplete: left out", r->bad_line)))
        return st;
    if (r->rows.stamp && (st = yk_log_date(name, &r->rows, r->ask->date, "give --date dmy or mdy", err)))
        return st;
    if (r->rows.stamp && are_coarse(r)) {
        for (size_t k = 0; k < r->rows.n; k++)
            r->rows.t[k] = (double)k * r->layout.interval_s;
        if ((st = yk_log_note(r->log, err, "dates are too coarse: the sampling interval of the header, %g s, counts",
                              r->layout.interval_s)))
            return st;
    }
    return yk_log_even(name, &r->rows, r->ask->equal, r->log, err);
}

static enum yk_status parse_text(struct yk_log *log, const struct yk_text *text, const struct yk_log_ask *ask,
                                 struct yk_err *err)
{
    struct reading r = {.layout.text = *text, .ask = ask, .log = log};
    enum yk_status st;

    log->count = ask->count;
    st = parse(&r, err);
    free(r.field);
    free(r.rows.t);
    free(r.rows.stamp);
    free(r.rows.line);
    free(r.rows.cut);
    for (size_t i = 0; i < YK_LOG_ROLES; i++)
        free(r.rows.x[i]);
    if (!st && !log->notes && !(log->notes = strdup("")))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (st)
        yk_log_free(log);
    return st;
}

enum yk_status yk_log_parse(struct yk_log *log, const char *name, const char *text, size_t size,
                            const struct yk_log_ask *ask, struct yk_err *err)
{
    struct yk_text copy = {.name = name, .data = malloc(size + 1), .size = size};
    enum yk_status st;

    *log = (struct yk_log){0};
    if (!copy.data)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    memcpy(copy.data, text, size);
    copy.data[size] = 0;
    yk_sha256(copy.data, copy.size, log->sha256);
    if (!(st = yk_text_unpack(&copy, err)) && !(st = yk_log_unpack(&copy, err)))
        st = parse_text(log, &copy, ask, err);
    yk_text_free(&copy);
    return st;
}

enum yk_status yk_log_read(struct yk_log *log, const char *path, const struct yk_log_ask *ask, struct yk_err *err)
{
    const struct yk_text_limits limits = yk_text_limits();
    struct yk_text text;
    enum yk_status st;

    *log = (struct yk_log){0};
    if ((st = yk_text_load_limited(&text, path, &limits, err)))
        return yk_fail_as(err, st == YK_E_IO ? YK_E_INPUT : st);
    yk_sha256(text.data, text.size, log->sha256);
    if (!(st = yk_text_unpack(&text, err)) && !(st = yk_log_unpack(&text, err)))
        st = parse_text(log, &text, ask, err);
    yk_text_free(&text);
    return st;
}
