/* Matrices and series from MATLAB files (version 5 to 7.3), by matio. "model.mat" holds one numeric matrix;
 * "model.mat:K" names one among several, "model.mat:fe.K" a field of a struct. Objects that are not matrices are passed
 * over.
 *
 * matio does not survive every damaged file, so it works in a process of its own and hands the matrix back (apart.h).
 */
#include "base/apart.h"
#include "scan.h"
#include <yoke/file.h>

#include <matio.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A short file cannot ask for gigabytes of empty columns. */
enum { FREE_SIZE = 1000000, SIZE_PER_ENTRY = 16 };

/* Is it a real numeric matrix? Full or sparse; complex and higher-dimensional ones are not. */
static bool is_matrix(const matvar_t *v)
{
    const bool numeric =
        v->class_type == MAT_C_SPARSE || (v->class_type >= MAT_C_DOUBLE && v->class_type <= MAT_C_UINT64);

    return numeric && v->rank == 2 && !v->isComplex && v->dims[0] > 0 && v->dims[1] > 0;
}

/* Values as numbers, whatever type they are stored in. */
static bool copy_values(enum matio_types type, const void *data, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++)
        switch (type) {
        case MAT_T_DOUBLE:
            x[i] = ((const double *)data)[i];
            break;
        case MAT_T_SINGLE:
            x[i] = ((const float *)data)[i];
            break;
        case MAT_T_INT8:
            x[i] = ((const int8_t *)data)[i];
            break;
        case MAT_T_UINT8:
            x[i] = ((const uint8_t *)data)[i];
            break;
        case MAT_T_INT16:
            x[i] = ((const int16_t *)data)[i];
            break;
        case MAT_T_UINT16:
            x[i] = ((const uint16_t *)data)[i];
            break;
        case MAT_T_INT32:
            x[i] = ((const int32_t *)data)[i];
            break;
        case MAT_T_UINT32:
            x[i] = ((const uint32_t *)data)[i];
            break;
        case MAT_T_INT64:
            x[i] = (double)((const int64_t *)data)[i];
            break;
        case MAT_T_UINT64:
            x[i] = (double)((const uint64_t *)data)[i];
            break;
        default:
            return false;
        }
    return true;
}

static bool copy_full(const matvar_t *v, double *x)
{
    const size_t n = v->dims[0] * v->dims[1];

    return v->data && v->nbytes / (size_t)(v->data_size ? v->data_size : 1) >= n &&
           copy_values(v->data_type, v->data, n, x);
}

/* Compressed columns as they should be: starts that do not fall, rows within the matrix, a value for each. */
static bool is_sound(const matvar_t *v)
{
    const mat_sparse_t *s = v->data;

    if (!s || !s->jc || s->njc != v->dims[1] + 1 || s->jc[0] != 0)
        return false;
    for (size_t j = 0; j < v->dims[1]; j++)
        if (s->jc[j + 1] < s->jc[j])
            return false;
    const size_t count = s->jc[v->dims[1]];
    if (count > s->ndata || count > s->nir || (count && (!s->data || !s->ir)))
        return false;
    for (size_t k = 0; k < count; k++)
        if (s->ir[k] >= v->dims[0])
            return false;
    return true;
}

static enum yk_status from_sparse(const char *path, const matvar_t *v, struct yk_matrix *out, struct yk_err *err)
{
    const mat_sparse_t *s = v->data;
    const size_t count = is_sound(v) ? s->jc[s->njc - 1] : 0;
    const size_t larger = v->dims[0] > v->dims[1] ? v->dims[0] : v->dims[1];
    int *row, *col;
    double *x;
    enum yk_status st;

    if (!is_sound(v))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "the sparse matrix '%s' cannot be understood", v->name);
    if (larger > FREE_SIZE && larger / SIZE_PER_ENTRY > count)
        return yk_fail_at(err, YK_E_RANGE, YK_IN_FILE(path), "'%s' has a size of %zu x %zu for only %zu entries",
                          v->name, v->dims[0], v->dims[1], count);
    row = malloc((count + 1) * sizeof *row);
    col = malloc((count + 1) * sizeof *col);
    x = malloc((count + 1) * sizeof *x);
    if (!row || !col || !x) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    } else if (!copy_values(v->data_type, s->data, count, x)) {
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "the values of '%s' cannot be understood", v->name);
    } else {
        for (size_t j = 0; j < v->dims[1]; j++)
            for (size_t k = s->jc[j]; k < s->jc[j + 1]; k++) {
                row[k] = (int)s->ir[k];
                col[k] = (int)j;
            }
        st = yk_matrix_from_triplets(out, v->dims[0], v->dims[1], count, row, col, x, err);
    }
    free(row);
    free(col);
    free(x);
    return st;
}

static enum yk_status convert(const char *path, const matvar_t *v, struct yk_matrix *out, struct yk_err *err)
{
    enum yk_status st;

    *out = (struct yk_matrix){0};
    if (v->class_type == MAT_C_SPARSE)
        st = from_sparse(path, v, out, err);
    else if (!(st = yk_matrix_init(out, YK_DENSE, v->dims[0], v->dims[1], err)) && !copy_full(v, out->x))
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "the values of '%s' cannot be understood", v->name);
    if (!st && !yk_matrix_is_finite(out))
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "'%s' holds a value that is not a finite number", v->name);
    if (st)
        yk_matrix_fini(out);
    return st;
}

/* The variable asked for, or the only matrix of the file. */
static enum yk_status find_variable(mat_t *file, const char *path, const char *name, char *found, size_t size,
                                    struct yk_err *err)
{
    size_t matrices = 0;
    matvar_t *v;

    while ((v = Mat_VarReadNextInfo(file))) {
        const bool wanted = v->name && is_matrix(v) && (!name || strcmp(v->name, name) == 0);

        if (wanted) {
            snprintf(found, size, "%s", v->name);
            matrices++;
        }
        Mat_VarFree(v);
    }
    if (matrices == 1)
        return YK_OK;
    if (name)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "there is no real matrix '%s'", name);
    return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "holds %zu matrices; name one, for example %s:K", matrices,
                      path);
}

/* "fe.K": the field K of the struct fe. */
static enum yk_status read_field(mat_t *file, const char *path, const char *name, struct yk_matrix *out,
                                 struct yk_err *err)
{
    char *head = strdup(name), *save = NULL;
    matvar_t *owner = head ? Mat_VarRead(file, strtok_r(head, ".", &save)) : NULL, *v = owner;

    for (const char *field; v && (field = strtok_r(NULL, ".", &save));)
        v = v->class_type == MAT_C_STRUCT && v->data ? Mat_VarGetStructFieldByName(v, field, 0) : NULL;
    enum yk_status st = v && is_matrix(v)
                            ? convert(path, v, out, err)
                            : yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "there is no real matrix '%s'", name);
    Mat_VarFree(owner);
    free(head);
    return st;
}

static enum yk_status read_variable(mat_t *file, const char *path, const char *name, struct yk_matrix *out,
                                    struct yk_err *err)
{
    char found[256];
    enum yk_status st;
    matvar_t *v;

    if (name && strchr(name, '.') && *name != '.')
        return read_field(file, path, name, out, err);
    if ((st = find_variable(file, path, name, found, sizeof found, err)))
        return st;
    Mat_Rewind(file);
    v = Mat_VarRead(file, found);
    st = v ? convert(path, v, out, err) : yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "'%s' cannot be read", found);
    Mat_VarFree(v);
    return st;
}

static enum yk_status read_here(const char *path_and_name, struct yk_matrix *out, struct yk_err *err)
{
    char *path = strdup(path_and_name), *colon = path ? strstr(path, ".mat:") : NULL;
    const char *name = NULL;
    mat_t *file;
    enum yk_status st;

    if (!path)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (colon) {
        colon[4] = 0;
        name = colon + 5;
    }
    if (!(file = Mat_Open(path, MAT_ACC_RDONLY))) {
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "cannot be opened as a MATLAB file");
    } else {
        st = read_variable(file, path, name, out, err);
        Mat_Close(file);
    }
    free(path);
    return st;
}

/* ---- in a process of its own ---- */

struct head {
    enum yk_form form;
    size_t rows, cols, count;
};

static bool put_all(FILE *out, const void *data, size_t size, size_t count)
{
    return fwrite(data, size, count, out) == count;
}

static enum yk_status read_and_hand_over(void *self, FILE *out, struct yk_err *err)
{
    struct yk_matrix A = {0};
    enum yk_status st = read_here(self, &A, err);

    if (st)
        return st;
    const struct head head = {A.form, A.rows, A.cols, A.form == YK_SPARSE ? (size_t)A.col[A.cols] : A.rows * A.cols};
    const bool whole = put_all(out, &head, sizeof head, 1) && put_all(out, A.x, sizeof *A.x, head.count) &&
                       (A.form == YK_DENSE || (put_all(out, A.row, sizeof *A.row, head.count) &&
                                               put_all(out, A.col, sizeof *A.col, A.cols + 1)));

    yk_matrix_fini(&A);
    return whole ? YK_OK : yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE((const char *)self), "out of memory");
}

static bool take_all(FILE *in, void *data, size_t size, size_t count)
{
    return data && fread(data, size, count, in) == count;
}

static enum yk_status take_sparse(FILE *in, const struct head *head, struct yk_matrix *out, struct yk_err *err)
{
    double *x = malloc((head->count + 1) * sizeof *x);
    int *row = malloc((head->count + 1) * sizeof *row), *col = malloc((head->count + 1) * sizeof *col);
    int *starts = malloc((head->cols + 1) * sizeof *starts);
    enum yk_status st;

    if (take_all(in, x, sizeof *x, head->count) && take_all(in, row, sizeof *row, head->count) &&
        take_all(in, starts, sizeof *starts, head->cols + 1) && col) {
        for (size_t j = 0; j < head->cols; j++)
            for (int k = starts[j]; k < starts[j + 1]; k++)
                col[k] = (int)j;
        st = yk_matrix_from_triplets(out, head->rows, head->cols, head->count, row, col, x, err);
    } else {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    free(x);
    free(row);
    free(col);
    free(starts);
    return st;
}

static enum yk_status take_over(FILE *in, struct yk_matrix *out, struct yk_err *err)
{
    struct head head;
    enum yk_status st;

    if (!take_all(in, &head, sizeof head, 1))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (head.form == YK_SPARSE)
        return take_sparse(in, &head, out, err);
    if ((st = yk_matrix_init(out, YK_DENSE, head.rows, head.cols, err)))
        return st;
    if (take_all(in, out->x, sizeof *out->x, head.count))
        return YK_OK;
    yk_matrix_fini(out);
    return yk_fail(err, YK_E_MEMORY, "out of memory");
}

/* Bytes of the file, which must be a regular one. */
static enum yk_status size_of_file(const char *path_and_name, size_t *size, struct yk_err *err)
{
    char *path = strdup(path_and_name), *colon = path ? strstr(path, ".mat:") : NULL;
    struct stat about = {0};
    enum yk_status st;

    if (!path)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (colon)
        colon[4] = 0;
    if (!(st = yk_file_check(path, err)) && stat(path, &about) == 0)
        *size = (size_t)about.st_size;
    free(path);
    return st;
}

/* zlib makes a thousand bytes of one at the most, and each is held twice while it is converted. */
enum yk_status yk_read_mat(const char *path_and_name, struct yk_matrix *out, struct yk_err *err)
{
    size_t size = 0;
    enum yk_status st = size_of_file(path_and_name, &size, err);
    const struct yk_apart apart = {.work = read_and_hand_over,
                                   .self = (void *)path_and_name,
                                   .name = path_and_name,
                                   .cpu_s = 0.5 + 1e-6 * (double)size,
                                   .bytes = ((size_t)256 << 20) + 2200 * size};
    FILE *in;

    if (st)
        return yk_fail_as(err, YK_E_INPUT);
    if ((st = yk_apart(&apart, &in, err)))
        return st;
    st = take_over(in, out, err);
    fclose(in);
    return st;
}

enum yk_status yk_read_series_mat(const char *path, double dt_s, struct yk_series *out, struct yk_err *err)
{
    struct yk_matrix A = {0};
    enum yk_status st = yk_read_mat(path, &A, err);

    if (st)
        return st;
    const bool vector = A.rows == 1 || A.cols == 1;
    const size_t n = vector ? A.rows * A.cols : A.rows;
    double *x = malloc((A.rows * A.cols + 1) * sizeof *x);
    *out = (struct yk_series){malloc((n + 1) * sizeof(double)), malloc((n + 1) * sizeof(double)), n};
    if (!x || !out->t || !out->y)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (vector ? !(dt_s > 0) : A.cols != 2)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path),
                        "%zu x %zu values; two columns time, value are expected, or one with `step`", A.rows, A.cols);
    if (!st) {
        yk_matrix_to_dense(&A, x);
        for (size_t i = 0; i < n; i++) {
            out->t[i] = vector ? (double)i * dt_s : x[i];
            out->y[i] = vector ? x[i] : x[n + i];
        }
        for (size_t i = 1; i < n && !st; i++)
            if (!(out->t[i] > out->t[i - 1]))
                st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "time does not increase at row %zu", i + 1);
    }
    if (st)
        yk_series_free(out);
    free(x);
    yk_matrix_fini(&A);
    return st;
}
