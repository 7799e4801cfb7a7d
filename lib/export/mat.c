/* One stream as a MATLAB file: a column for each channel, and the cell arrays `channels` and `units` with the names as
 * recorded, in the order of the columns. Version 5, compressed; version 7.3 when a column is too long for it. */
#include <yoke/export.h>
#include <yoke/file.h>
#include <yoke/hdf5.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <matio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    NAME_LENGTH = 63,         /* of a MATLAB variable                    */
    BLOCK_BYTES = 1 << 20,    /* read at once                            */
    COLUMNS_BYTES = 256 << 20 /* of the columns gathered in one pass     */
};

struct variable {
    char name[NAME_LENGTH + 1];
};

struct job {
    struct yk_recording *recording;
    int stream;
    const char *path;
    uint64_t rows;
    size_t columns;
    struct variable *variables;
    mat_t *mat;
};

/* ---- names ---- */

static bool taken(const struct job *job, size_t count, const char *name)
{
    if (!strcmp(name, "channels") || !strcmp(name, "units"))
        return true;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(job->variables[i].name, name))
            return true;
    return false;
}

/* Letters, digits and underscores, a letter first; _2, _3, ... where two channels would share a name. */
static void name_variable(struct job *job, size_t index)
{
    const char *channel = yk_recording_channel(job->recording, job->stream, index)->name;
    char *name = job->variables[index].name;
    char base[NAME_LENGTH + 1];
    size_t n = 0;

    if (!isalpha((unsigned char)*channel))
        base[n++] = 'x';
    for (; *channel && n < NAME_LENGTH; channel++)
        base[n++] = isascii((unsigned char)*channel) && isalnum((unsigned char)*channel) ? *channel : '_';
    base[n] = 0;

    strcpy(name, base);
    for (unsigned k = 2; taken(job, index, name); k++) {
        char suffix[16];
        int length = snprintf(suffix, sizeof suffix, "_%u", k);
        snprintf(name, sizeof base, "%.*s%s", NAME_LENGTH - length, base, suffix);
    }
}

/* ---- writing; matio 7.3 uses HDF5, so its calls stand between yk_h5_enter and yk_h5_leave ---- */

static bool write_variable(mat_t *mat, matvar_t *variable)
{
    bool good;

    if (!variable)
        return false;
    yk_h5_enter();
    good = Mat_VarWrite(mat, variable, MAT_COMPRESSION_ZLIB) == 0;
    yk_h5_leave();
    Mat_VarFree(variable);
    return good;
}

static bool write_column(const struct job *job, size_t index, double *column)
{
    size_t size[] = {job->rows, 1};

    return write_variable(job->mat, Mat_VarCreate(job->variables[index].name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, size,
                                                  column, MAT_F_DONT_COPY_DATA));
}

static matvar_t *text_variable(const char *text)
{
    size_t size[] = {*text ? 1 : 0, strlen(text)};

    return Mat_VarCreate(NULL, MAT_C_CHAR, MAT_T_UTF8, 2, size, (void *)text, 0);
}

static bool write_labels(const struct job *job, const char *name, bool units)
{
    size_t size[] = {job->columns, 1};
    matvar_t *cell = Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, size, NULL, 0);

    for (size_t i = 0; cell && i < job->columns; i++) {
        const struct yk_channel *channel = yk_recording_channel(job->recording, job->stream, i);
        Mat_VarSetCell(cell, (int)i, text_variable(units ? channel->unit : channel->name));
    }
    return write_variable(job->mat, cell);
}

static uint64_t at_most(uint64_t n, uint64_t limit)
{
    return n < limit ? n : limit;
}

/* Reads all rows in blocks and keeps columns [first, first + count), one after another. */
static enum yk_status gather(const struct job *job, size_t first, size_t count, double *block, uint64_t block_rows,
                             double *columns, struct yk_err *err)
{
    enum yk_status st;

    for (uint64_t row = 0, n; row < job->rows; row += n) {
        n = at_most(block_rows, job->rows - row);
        if ((st = yk_recording_read(job->recording, job->stream, row, n, block, err)))
            return st;
        for (size_t c = 0; c < count; c++)
            for (uint64_t i = 0; i < n; i++)
                columns[c * job->rows + row + i] = block[i * job->columns + first + c];
    }
    return YK_OK;
}

/* As many columns in one pass over the recording as fit into COLUMNS_BYTES, and one more. */
static enum yk_status write_columns(const struct job *job, struct yk_err *err)
{
    const uint64_t column_bytes = (job->rows ? job->rows : 1) * sizeof(double);
    const size_t group = at_most(1 + COLUMNS_BYTES / column_bytes, job->columns);
    const uint64_t block_rows = 1 + BLOCK_BYTES / sizeof(double) / job->columns;
    double *block = malloc(block_rows * job->columns * sizeof *block), *columns = malloc(group * column_bytes);
    enum yk_status st = YK_OK;

    if (!block || !columns)
        st = yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(job->path), "out of memory");
    for (size_t first = 0; first < job->columns && !st; first += group) {
        size_t count = at_most(group, job->columns - first);
        st = gather(job, first, count, block, block_rows, columns, err);
        for (size_t c = 0; c < count && !st; c++)
            if (!write_column(job, first + c, columns + c * job->rows))
                st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(job->path), "variable %s cannot be written",
                                job->variables[first + c].name);
    }
    free(columns);
    free(block);
    return st;
}

/* matio does not notice a full disk while it writes version 5: are all variables there, and the last one whole? */
static bool complete(const struct job *job, const char *part)
{
    matvar_t *variable = NULL;
    size_t count = 0;
    bool whole;
    mat_t *mat;

    yk_h5_enter();
    mat = Mat_Open(part, MAT_ACC_RDONLY);
    while (mat && (variable = Mat_VarReadNextInfo(mat))) {
        Mat_VarFree(variable);
        count++;
    }
    variable = mat ? Mat_VarRead(mat, "units") : NULL;
    whole = variable && count == job->columns + 2;
    Mat_VarFree(variable);
    if (mat)
        Mat_Close(mat);
    yk_h5_leave();
    return whole;
}

/* HDF5, behind version 7.3, does not survive a full disk, so there must be room for the numbers even uncompressed. */
static enum yk_status check_room(const struct job *job, const char *part, struct yk_err *err)
{
    const uint64_t wanted = job->rows * job->columns * sizeof(double) + (4 << 20);
    uint64_t room = UINT64_MAX;
    struct rlimit limit;
    struct statvfs disk;

    if (statvfs(part, &disk) == 0)
        room = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < room)
        room = limit.rlim_cur;
    if (room < wanted)
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(job->path), "may take %.0f MB, and there is room for %.0f MB",
                          (double)wanted / 1e6, (double)room / 1e6);
    return YK_OK;
}

static enum yk_status write_file(struct job *job, const char *part, enum mat_ft version, struct yk_err *err)
{
    const int fd = yk_file_create(part); /* so that the library finds a file of ours and follows no link */
    enum yk_status st;

    if (fd < 0)
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(job->path), "cannot be created: %s", strerror(errno));
    close(fd);
    if (version == MAT_FT_MAT73 && (st = check_room(job, part, err)))
        return st;
    yk_h5_enter();
    job->mat = Mat_CreateVer(part, "MATLAB MAT-file written by yoke", version);
    yk_h5_leave();
    if (!job->mat)
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(job->path), "cannot be created: %s", strerror(errno));
    if (!(st = write_columns(job, err)) && (!write_labels(job, "channels", false) || !write_labels(job, "units", true)))
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(job->path), "the names of the channels cannot be written");
    yk_h5_enter();
    if (Mat_Close(job->mat) && !st)
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(job->path), "cannot be closed");
    yk_h5_leave();
    if (!st && !complete(job, part))
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(job->path), "could not be written completely; is the disk full?");
    return st;
}

enum yk_status yk_export_mat_from(struct yk_recording *recording, int stream, const char *path, uint64_t v73_bytes,
                                  struct yk_err *err)
{
    struct job job = {.recording = recording,
                      .stream = stream,
                      .path = path,
                      .rows = yk_recording_rows(recording, stream),
                      .columns = yk_recording_channels(recording, stream)};
    const enum mat_ft version = job.rows * sizeof(double) < v73_bytes ? MAT_FT_MAT5 : MAT_FT_MAT73;
    char *part = NULL;
    enum yk_status st;

    if (!(job.variables = calloc(job.columns, sizeof *job.variables)))
        return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(path), "out of memory");
    for (size_t i = 0; i < job.columns; i++)
        name_variable(&job, i);
    if ((st = yk_part_name(&part, path, err)))
        goto fail;
    if ((st = write_file(&job, part, version, err)) || (st = yk_part_keep(part, path, err)))
        unlink(part);
fail:
    free(part);
    free(job.variables);
    return st;
}

enum yk_status yk_export_mat(struct yk_recording *recording, int stream, const char *path, struct yk_err *err)
{
    return yk_export_mat_from(recording, stream, path, UINT64_C(1) << 31, err);
}
