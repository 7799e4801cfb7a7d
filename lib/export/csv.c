/* One stream as text: a line of channel names, then a line for each row; numbers with 17 digits read back exactly. */
#include <yoke/export.h>
#include <yoke/file.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 20 };

/* Names with a comma, a quote or a line end stand in quotes (RFC 4180). */
static void put_name(FILE *out, const char *name)
{
    if (!strpbrk(name, ",\"\r\n")) {
        fputs(name, out);
        return;
    }
    putc('"', out);
    for (; *name; name++) {
        if (*name == '"')
            putc('"', out);
        putc(*name, out);
    }
    putc('"', out);
}

static void put_header(FILE *out, const struct yk_recording *recording, int stream)
{
    for (size_t i = 0; i < yk_recording_channels(recording, stream); i++) {
        if (i)
            putc(',', out);
        put_name(out, yk_recording_channel(recording, stream, i)->name);
    }
    putc('\n', out);
}

static void put_row(FILE *out, const double *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            putc(',', out);
        if (isnan(row[i])) /* printf would give some of them a sign */
            fputs("nan", out);
        else
            fprintf(out, "%.17g", row[i]);
    }
    putc('\n', out);
}

static enum yk_status put_rows(FILE *out, struct yk_recording *recording, int stream, const char *path,
                               struct yk_err *err)
{
    const uint64_t total = yk_recording_rows(recording, stream);
    const size_t columns = yk_recording_channels(recording, stream), fitting = BLOCK_BYTES / sizeof(double) / columns;
    const uint64_t block = fitting ? fitting : 1;
    double *rows = malloc(block * columns * sizeof *rows);
    enum yk_status st = YK_OK;

    if (!rows)
        return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(path), "out of memory");
    for (uint64_t first = 0, n; first < total && !st; first += n) {
        n = total - first < block ? total - first : block;
        st = yk_recording_read(recording, stream, first, n, rows, err);
        for (uint64_t i = 0; i < n && !st; i++)
            put_row(out, rows + i * columns, columns);
        if (!st && ferror(out))
            st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", strerror(errno));
    }
    free(rows);
    return st;
}

/* With a point as decimal sign whatever the caller's locale. */
static enum yk_status put_stream(FILE *out, struct yk_recording *recording, int stream, const char *path,
                                 struct yk_err *err)
{
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), old;
    enum yk_status st;

    if (!plain)
        return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(path), "out of memory");
    old = uselocale(plain);
    put_header(out, recording, stream);
    st = put_rows(out, recording, stream, path, err);
    uselocale(old);
    freelocale(plain);
    if (!st && fflush(out))
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", strerror(errno));
    return st;
}

/* Straight to a pipe, a terminal or another thing that has no temporary name. */
static enum yk_status export_in_place(struct yk_recording *recording, int stream, const char *path, struct yk_err *err)
{
    FILE *out = fopen(path, "we");
    enum yk_status st;

    if (!out)
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be opened: %s", strerror(errno));
    st = put_stream(out, recording, stream, path, err);
    fclose(out);
    return st;
}

enum yk_status yk_export_csv(struct yk_recording *recording, int stream, const char *path, struct yk_err *err)
{
    struct stat there;
    char *part;
    FILE *out;
    enum yk_status st;

    if (!strcmp(path, "-"))
        return put_stream(stdout, recording, stream, "standard output", err);
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return export_in_place(recording, stream, path, err);

    if ((st = yk_part_name(&part, path, err)))
        return st;
    if (!(out = yk_file_create_stream(part))) {
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be created: %s", strerror(errno));
        goto fail;
    }
    st = put_stream(out, recording, stream, path, err);
    if (fclose(out) && !st)
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", strerror(errno));
    if (st || (st = yk_part_keep(part, path, err)))
        unlink(part);
fail:
    free(part);
    return st;
}
