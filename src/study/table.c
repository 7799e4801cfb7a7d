/* The table of a study: table.csv as it is read, and the same as table.h5.
 *
 * A row is "run,settings...,results...,status,reason,check"; fields with commas or quotes stand in quotes. Numbers have
 * 17 digits, so that nothing is lost between the two forms; a figure that does not exist is empty. The check is the
 * CRC-64/XZ of the row before its last comma: a figure that a disk or an editor has changed does not become a finding.
 */
#include "base/number.h"
#include "hdf5/h5.h"
#include "hdf5/seal.h"
#include "study/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK "check"
enum { CHECK_DIGITS = 16 };

/* ---- rows as text ---- */

static void put_field(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\n\r")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out); /* a row is a line */
    }
    fputc('"', out);
}

char *yk_csv_header(const struct yk_study *s)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fputs("run", out);
    for (size_t k = 0; k < s->design->count; k++) {
        fputc(',', out);
        put_field(out, s->design->vary[k].key);
    }
    for (size_t i = 0; i < s->result_count; i++) {
        fputc(',', out);
        put_field(out, s->results[i]);
    }
    fputs(",status,reason," CHECK "\n", out);
    return fclose(out) ? NULL : text;
}

char *yk_csv_row(size_t run, size_t keys, char *const *values, size_t results, const struct yk_outcome *o)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(out, "%zu", run);
    for (size_t k = 0; k < keys; k++) {
        fputc(',', out);
        put_field(out, values[k]);
    }
    for (size_t i = 0; i < results; i++)
        if (isnan(o->figures[i]))
            fputc(',', out);
        else
            fprintf(out, ",%.17g", o->figures[i]);
    fprintf(out, ",%s,", o->status);
    put_field(out, o->reason ? o->reason : "");
    fflush(out); /* text and size are now those of the row so far */
    fprintf(out, ",%016" PRIx64 "\n", yk_crc64(0, text, size));
    return fclose(out) ? NULL : text;
}

bool yk_csv_is_whole(const char *line, size_t length)
{
    char check[CHECK_DIGITS + 2];

    if (length < sizeof check - 1)
        return false;
    snprintf(check, sizeof check, ",%016" PRIx64, yk_crc64(0, line, length - (sizeof check - 1)));
    return memcmp(line + length - (sizeof check - 1), check, sizeof check - 1) == 0;
}

/* The field at *p, ended by a zero in its place; *p goes to the next one. NULL: the line has no more. */
static char *take_field(char **p)
{
    char *at = *p, *begin = at, *to = at;

    if (!at)
        return NULL;
    if (*at == '"') {
        for (at++; *at && !(*at == '"' && at[1] != '"'); at++) {
            at += *at == '"';
            *to++ = *at;
        }
        at += *at == '"';
    } else {
        at += strcspn(at, ",");
        to = at;
    }
    *p = *at == ',' ? at + 1 : NULL;
    *to = 0;
    return begin;
}

/* ---- reading ---- */

/* False: it is none. */
static bool take_figure(const char *text, double *x)
{
    const char *end = text + strlen(text);

    if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0)
        *x = *text == '-' ? -INFINITY : INFINITY;
    else if (!*text)
        *x = NAN;
    else
        return yk_number_scan(text, end, x) == end;
    return true;
}

static bool is_status(const char *text)
{
    static const char *const known[] = {"finished", "diverged", "stopped", "refused", "out of bounds"};

    for (size_t i = 0; text && i < sizeof known / sizeof *known; i++)
        if (strcmp(text, known[i]) == 0)
            return true;
    return false;
}

enum yk_status yk_table_damaged(const char *path, size_t line, struct yk_err *err)
{
    return yk_fail_at(err, YK_E_INPUT, (struct yk_where){path, (int)line, 1},
                      "this is not a row of a study's table, or it was changed; delete it and those below, and the "
                      "study makes them again");
}

static enum yk_status read_header(struct yk_table *t, char *line, const char *path, struct yk_err *err)
{
    const char *name;
    size_t columns = 1;

    for (const char *p = line; (p = strchr(p, ',')); p++)
        columns++;
    if (!(t->names = calloc(columns, sizeof *t->names)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    name = take_field(&line);
    if (!name || strcmp(name, "run") != 0)
        return yk_table_damaged(path, 1, err);
    for (columns = 0; line; columns++)
        t->names[columns] = take_field(&line);
    if (columns < t->keys + 3 || !t->names[columns - 1] || strcmp(t->names[columns - 1], CHECK) != 0)
        return yk_table_damaged(path, 1, err);
    t->results = columns - t->keys - 3;
    return YK_OK;
}

static enum yk_status read_row(struct yk_table *t, size_t row, char *line, const char *path, struct yk_err *err)
{
    const bool whole = yk_csv_is_whole(line, strlen(line));
    const char *run = take_field(&line), *figure = "";
    char *end;

    if (!whole)
        return yk_table_damaged(path, row + 2, err);
    if (!(t->values[row] = calloc(t->keys + 1, sizeof *t->values[row])))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    t->run[row] = strtoul(run, &end, 10);
    if (end == run || *end)
        return yk_table_damaged(path, row + 2, err);
    for (size_t k = 0; k < t->keys; k++)
        if (!(t->values[row][k] = take_field(&line)))
            return yk_table_damaged(path, row + 2, err);
    for (size_t i = 0; i < t->results; i++) {
        if (!(figure = take_field(&line)) || !take_figure(figure, &t->figures[row * t->results + i]))
            return yk_table_damaged(path, row + 2, err);
    }
    t->status[row] = take_field(&line);
    t->reason[row] = take_field(&line);
    return is_status(t->status[row]) && t->reason[row] && take_field(&line) && !line
               ? YK_OK
               : yk_table_damaged(path, row + 2, err);
}

enum yk_status yk_table_read(struct yk_table *t, const char *folder, size_t keys, struct yk_err *err)
{
    char *path = yk_study_path(folder, "table.csv"), *line, *next;
    enum yk_status st;

    *t = (struct yk_table){.keys = keys};
    if (!path)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_study_slurp(path, &t->text, err))) {
        free(path);
        return st;
    }
    size_t most = 0;

    for (const char *p = t->text; (p = strchr(p, '\n')); p++)
        most++;
    t->run = calloc(most + 1, sizeof *t->run);
    t->values = calloc(most + 1, sizeof *t->values);
    t->status = calloc(most + 1, sizeof *t->status);
    t->reason = calloc(most + 1, sizeof *t->reason);
    if (!t->run || !t->values || !t->status || !t->reason)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (line = t->text; !st && (next = strchr(line, '\n')); line = next + 1) {
        *next = 0;
        if (!t->names) {
            st = read_header(t, line, path, err);
            if (!st && !(t->figures = calloc((most + 1) * (t->results + 1), sizeof *t->figures)))
                st = yk_fail(err, YK_E_MEMORY, "out of memory");
        } else {
            st = read_row(t, t->rows++, line, path, err);
        }
    }
    if (!st && !t->names)
        st = yk_table_damaged(path, 1, err);
    free(path);
    return st;
}

void yk_table_free(struct yk_table *t)
{
    for (size_t i = 0; t->values && i < t->rows; i++)
        free(t->values[i]);
    free(t->values);
    free(t->run);
    free(t->figures);
    free(t->status);
    free(t->reason);
    free(t->names);
    free(t->text);
    *t = (struct yk_table){0};
}

bool yk_value_number(const char *text, double *x, const char **unit)
{
    const char *end = yk_number_scan(text, text + strlen(text), x);

    if (!end || !isfinite(*x))
        return false;
    *unit = end + strspn(end, " ");
    return true;
}

/* ---- HDF5 ---- */

/* Times in the file would make two files of the same table differ. */
static hid_t without_times(hid_t class)
{
    const hid_t properties = H5Pcreate(class);

    H5Pset_obj_track_times(properties, 0);
    return properties;
}

static void put(hid_t at, const char *name, hid_t type, size_t rows, const void *data)
{
    const hsize_t size = rows;
    const hid_t space = H5Screate_simple(1, &size, NULL), properties = without_times(H5P_DATASET_CREATE),
                set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);

    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
}

/* Texts, each in as many bytes as the longest needs. */
static bool put_texts(hid_t at, const char *name, size_t rows, char *const *texts, size_t stride)
{
    size_t longest = 1;

    for (size_t i = 0; i < rows; i++)
        longest = strlen(texts[i * stride]) > longest ? strlen(texts[i * stride]) : longest;
    char *block = calloc(rows + 1, longest);
    const hid_t type = H5Tcopy(H5T_C_S1);

    if (block) {
        for (size_t i = 0; i < rows; i++)
            memcpy(block + i * longest, texts[i * stride], strlen(texts[i * stride]));
        H5Tset_size(type, longest);
        H5Tset_strpad(type, H5T_STR_NULLPAD);
        H5Tset_cset(type, H5T_CSET_UTF8);
        put(at, name, type, rows, block);
    }
    const bool good = block;

    H5Tclose(type);
    free(block);
    return good;
}

static bool put_columns(hid_t file, const struct yk_table *t)
{
    const hid_t properties = without_times(H5P_GROUP_CREATE),
                settings = H5Gcreate2(file, "settings", H5P_DEFAULT, properties, H5P_DEFAULT),
                results = H5Gcreate2(file, "results", H5P_DEFAULT, properties, H5P_DEFAULT);
    double *column = calloc(t->rows + 1, sizeof *column);
    char **texts = calloc(t->rows + 1, sizeof(char *));
    uint64_t *run = calloc(t->rows + 1, sizeof *run);
    bool good = column && texts && run;

    for (size_t i = 0; good && i < t->rows; i++)
        run[i] = t->run[i];
    if (good)
        put(file, "run", H5T_NATIVE_UINT64, t->rows, run);
    for (size_t k = 0; k < t->keys && good; k++) {
        bool numbers = true;

        for (size_t i = 0; i < t->rows; i++) {
            const char *unit = "";

            texts[i] = t->values[i][k];
            numbers = numbers && yk_value_number(texts[i], &column[i], &unit) && !*unit;
        }
        if (numbers)
            put(settings, t->names[k], H5T_NATIVE_DOUBLE, t->rows, column);
        else
            good = put_texts(settings, t->names[k], t->rows, texts, 1);
    }
    for (size_t r = 0; r < t->results && good; r++) {
        for (size_t i = 0; i < t->rows; i++)
            column[i] = t->figures[i * t->results + r];
        put(results, t->names[t->keys + r], H5T_NATIVE_DOUBLE, t->rows, column);
    }
    good = good && put_texts(file, "status", t->rows, t->status, 1) && put_texts(file, "reason", t->rows, t->reason, 1);
    H5Gclose(results);
    H5Gclose(settings);
    H5Pclose(properties);
    free(column);
    free(texts);
    free(run);
    return good;
}

static void put_card(hid_t file, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);

    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const hid_t attribute = H5Acreate2(file, "study", type, space, H5P_DEFAULT, H5P_DEFAULT);

    H5Awrite(attribute, type, text);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

enum yk_status yk_table_write_h5(const struct yk_table *t, const char *folder, struct yk_err *err)
{
    char *path = yk_study_path(folder, "table.h5"), *part = NULL, *card = NULL, *card_path = NULL;
    enum yk_status st =
        path && (card_path = yk_study_path(folder, "study.json")) ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && !(st = yk_part_create(&part, path, err)) && !(st = yk_study_slurp(card_path, &card, err))) {
        yk_h5_enter();
        const hid_t properties = without_times(H5P_FILE_CREATE),
                    file = H5Fcreate(part, H5F_ACC_TRUNC, properties, H5P_DEFAULT);
        const bool good = put_columns(file, t);

        put_card(file, card);
        H5Pclose(properties);
        H5Fclose(file);
        if (!good)
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
        else if (*yk_h5_reason())
            st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(part), "cannot write the table: %s", yk_h5_reason());
        yk_h5_leave();
        st = st ? st : yk_part_keep(part, path, err);
    }
    if (st && part)
        unlink(part);
    free(card);
    free(card_path);
    free(part);
    free(path);
    return st;
}
