/* MATLAB files: every layout that MATLAB writes, and what is refused. */
#include "support/check.h"
#include "support/scratch.h"

#include "model/read.h"

#include <math.h>
#include <matio.h>
#include <stdlib.h>

static size_t dims[2] = {2, 2};
static double K[] = {30, -10, -10, 10}; /* column-major */

static mat_t *create(const char *path, enum mat_ft version)
{
    mat_t *file = Mat_CreateVer(path, NULL, version);

    assert_non_null(file);
    return file;
}

static void write(mat_t *file, const char *name, enum matio_classes class, enum matio_types type, void *data)
{
    matvar_t *v = Mat_VarCreate(name, class, type, 2, dims, data, 0);

    assert_non_null(v);
    assert_int_equal(Mat_VarWrite(file, v, MAT_COMPRESSION_ZLIB), 0);
    Mat_VarFree(v);
}

static void check_K(const char *path)
{
    struct yk_matrix A;

    assert_ok(yk_read_matrix(path, &A, &err));
    assert_int_equal(A.rows, 2);
    for (size_t j = 0; j < 2; j++)
        for (size_t i = 0; i < 2; i++)
            assert_near(yk_matrix_get(&A, i, j), K[i + 2 * j], 0);
    yk_matrix_fini(&A);
}

static void the_only_matrix_is_read_in_every_version(void **state)
{
    static const enum mat_ft versions[] = {MAT_FT_MAT5, MAT_FT_MAT73};
    char text[] = "some words";
    size_t text_dims[2] = {1, sizeof text - 1};

    for (size_t i = 0; i < 2; i++) {
        const char *path = scratch_path(i ? "k73.mat" : "k5.mat");
        mat_t *file = create(path, versions[i]);
        matvar_t *note = Mat_VarCreate("note", MAT_C_CHAR, MAT_T_UINT8, 2, text_dims, text, 0);

        Mat_VarWrite(file, note, MAT_COMPRESSION_NONE); /* passed over */
        Mat_VarFree(note);
        write(file, "K", MAT_C_DOUBLE, MAT_T_DOUBLE, K);
        Mat_Close(file);
        check_K(path);
    }
}

static void other_number_types_are_converted(void **state)
{
    int16_t small[] = {30, -10, -10, 10};
    float single[] = {30, -10, -10, 10};
    const char *path = scratch_path("types.mat");
    mat_t *file = create(path, MAT_FT_MAT5);
    char named[512];

    write(file, "A", MAT_C_INT16, MAT_T_INT16, small);
    write(file, "B", MAT_C_SINGLE, MAT_T_SINGLE, single);
    Mat_Close(file);
    for (int i = 0; i < 2; i++) {
        snprintf(named, sizeof named, "%s:%c", path, "AB"[i]);
        check_K(named);
    }
}

static void sparse_matrices_are_read(void **state)
{
    mat_uint32_t ir[] = {0, 1, 0, 1}, jc[] = {0, 2, 4};
    mat_sparse_t sparse = {.nzmax = 4, .ir = ir, .nir = 4, .jc = jc, .njc = 3, .ndata = 4, .data = K};
    const char *path = scratch_path("sparse.mat");
    mat_t *file = create(path, MAT_FT_MAT5);

    write(file, "K", MAT_C_SPARSE, MAT_T_DOUBLE, &sparse);
    Mat_Close(file);
    check_K(path);
}

static void sparse_matrices_are_read_in_version_7_3(void **state)
{
    mat_uint32_t ir[] = {0, 1, 0, 1}, jc[] = {0, 2, 4};
    mat_sparse_t sparse = {.nzmax = 4, .ir = ir, .nir = 4, .jc = jc, .njc = 3, .ndata = 4, .data = K};
    const char *path = scratch_path("sparse73.mat");
    mat_t *file = create(path, MAT_FT_MAT73);

    write(file, "K", MAT_C_SPARSE, MAT_T_DOUBLE, &sparse);
    Mat_Close(file);
    check_K(path);
}

static void sparse_matrices_that_contradict_themselves_are_refused(void **state)
{
    mat_uint32_t beyond[] = {0, 7, 0, 1}, good[] = {0, 1, 0, 1}, falling[] = {0, 4, 2}, jc[] = {0, 2, 4};
    mat_sparse_t bad[] = {{.nzmax = 4, .ir = beyond, .nir = 4, .jc = jc, .njc = 3, .ndata = 4, .data = K},
                          {.nzmax = 4, .ir = good, .nir = 4, .jc = falling, .njc = 3, .ndata = 4, .data = K}};

    for (size_t i = 0; i < 2; i++) {
        const char *path = scratch_path(i ? "falling.mat" : "beyond.mat");
        mat_t *file = create(path, MAT_FT_MAT5);
        struct yk_matrix A;

        write(file, "K", MAT_C_SPARSE, MAT_T_DOUBLE, &bad[i]);
        Mat_Close(file);
        assert_refused(yk_read_matrix(path, &A, &err), YK_E_INPUT, "the sparse matrix 'K' cannot be understood");
    }
}

static void fields_of_structs_are_read(void **state)
{
    const char *fields[] = {"K", "name"};
    size_t one[2] = {1, 1};
    const char *path = scratch_path("struct.mat");
    char named[512];
    mat_t *file = create(path, MAT_FT_MAT5);
    matvar_t *fe = Mat_VarCreateStruct("fe", 2, one, fields, 2);
    struct yk_matrix A;

    Mat_VarSetStructFieldByName(fe, "K", 0, Mat_VarCreate("K", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, K, 0));
    assert_int_equal(Mat_VarWrite(file, fe, MAT_COMPRESSION_NONE), 0);
    Mat_VarFree(fe);
    Mat_Close(file);
    snprintf(named, sizeof named, "%s:fe.K", path);
    check_K(named);
    snprintf(named, sizeof named, "%s:fe.M", path);
    assert_refused(yk_read_matrix(named, &A, &err), YK_E_INPUT, "there is no real matrix 'fe.M'");
    snprintf(named, sizeof named, "%s:fe.K.L", path);
    assert_refused(yk_read_matrix(named, &A, &err), YK_E_INPUT, "there is no real matrix 'fe.K.L'");
}

/* The bytes MATLAB writes: a double matrix stored as uint8, which is shorter, in an element of its own (version 5), and
 * before it an object (class 17, opaque), as tf and ss are. */
static void shorter_types_are_widened_and_objects_passed_over(void **state)
{
    static const unsigned char matrix[] = {14,  0, 0, 0, 56, 0, 0, 0, 6, 0, 0, 0, 8,  0,  0,  0,  6, 0, 0, 0, 0, 0,
                                           0,   0, 5, 0, 0,  0, 8, 0, 0, 0, 2, 0, 0,  0,  2,  0,  0, 0, 1, 0, 1, 0,
                                           'K', 0, 0, 0, 2,  0, 0, 0, 4, 0, 0, 0, 30, 10, 10, 20, 0, 0, 0, 0};
    static const unsigned char object[] = {14, 0, 0, 0, 40,  0,   0, 0, 6, 0, 0, 0, 8,   0,   0,   0,
                                           17, 0, 0, 0, 0,   0,   0, 0, 1, 0, 4, 0, 'M', 'C', 'O', 'S',
                                           1,  0, 2, 0, 't', 'f', 0, 0, 1, 0, 2, 0, 't', 'f', 0,   0};
    const double wanted[] = {30, 10, 10, 20};
    const char *path = scratch_path("short.mat");
    FILE *out = fopen(path, "wb");
    char header[128];
    struct yk_matrix A;

    assert_non_null(out);
    memset(header, ' ', sizeof header);
    memcpy(header, "MATLAB 5.0 MAT-file", 19);
    memset(header + 116, 0, 8);
    memcpy(header + 124, "\0\1IM", 4);
    assert_int_equal(fwrite(header, 1, sizeof header, out), sizeof header);
    assert_int_equal(fwrite(object, 1, sizeof object, out), sizeof object);
    assert_int_equal(fwrite(matrix, 1, sizeof matrix, out), sizeof matrix);
    assert_int_equal(fclose(out), 0);
    assert_ok(yk_read_matrix(path, &A, &err));
    for (size_t i = 0; i < 4; i++)
        assert_near(yk_matrix_get(&A, i % 2, i / 2), wanted[i], 0);
    yk_matrix_fini(&A);
}

static void what_cannot_be_meant_is_refused(void **state)
{
    double bad[] = {1, 2, 3, NAN};
    const char *path = scratch_path("several.mat");
    char named[512];
    mat_t *file = create(path, MAT_FT_MAT5);
    struct yk_matrix A;

    write(file, "K", MAT_C_DOUBLE, MAT_T_DOUBLE, K);
    write(file, "bad", MAT_C_DOUBLE, MAT_T_DOUBLE, bad);
    Mat_Close(file);
    assert_refused(yk_read_matrix(path, &A, &err), YK_E_INPUT, "holds 2 matrices; name one");
    snprintf(named, sizeof named, "%s:nope", path);
    assert_refused(yk_read_matrix(named, &A, &err), YK_E_INPUT, "there is no real matrix 'nope'");
    snprintf(named, sizeof named, "%s:bad", path);
    assert_refused(yk_read_matrix(named, &A, &err), YK_E_INPUT, "not a finite number");
    assert_refused(yk_read_matrix("missing.mat", &A, &err), YK_E_INPUT, "missing.mat: cannot be opened: No such file");
}

static void series_come_as_two_columns_or_as_a_vector(void **state)
{
    double columns[] = {0, 0.5, 3, 4}, back[] = {1, 0.5, 3, 4}; /* t, t, y, y */
    size_t row[2] = {1, 4};
    const char *path = scratch_path("series.mat");
    char named[512];
    mat_t *file = create(path, MAT_FT_MAT5);
    matvar_t *v = Mat_VarCreate("accel", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, row, columns, 0);
    struct yk_series s;

    write(file, "motion", MAT_C_DOUBLE, MAT_T_DOUBLE, columns);
    write(file, "back", MAT_C_DOUBLE, MAT_T_DOUBLE, back);
    Mat_VarWrite(file, v, MAT_COMPRESSION_NONE);
    Mat_VarFree(v);
    Mat_Close(file);
    snprintf(named, sizeof named, "%s:motion", path);
    assert_ok(yk_read_series(named, 0, YK_FORCE, &s, NULL, &err));
    assert_int_equal(s.n, 2);
    assert_near(s.t[1], 0.5, 0);
    assert_near(s.y[1], 4, 0);
    yk_series_free(&s);
    snprintf(named, sizeof named, "%s:accel", path);
    assert_ok(yk_read_series(named, 0.1, YK_FORCE, &s, NULL, &err));
    assert_int_equal(s.n, 4);
    assert_near(s.t[3], 0.3, 1e-15);
    yk_series_free(&s);
    assert_refused(yk_read_series(named, 0, YK_FORCE, &s, NULL, &err), YK_E_INPUT,
                   "two columns time, value are expected");
    snprintf(named, sizeof named, "%s:back", path);
    assert_refused(yk_read_series(named, 0, YK_FORCE, &s, NULL, &err), YK_E_INPUT, "time does not increase at row 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_only_matrix_is_read_in_every_version),
        cmocka_unit_test(other_number_types_are_converted),
        cmocka_unit_test(sparse_matrices_are_read),
        cmocka_unit_test(sparse_matrices_are_read_in_version_7_3),
        cmocka_unit_test(sparse_matrices_that_contradict_themselves_are_refused),
        cmocka_unit_test(fields_of_structs_are_read),
        cmocka_unit_test(shorter_types_are_widened_and_objects_passed_over),
        cmocka_unit_test(what_cannot_be_meant_is_refused),
        cmocka_unit_test(series_come_as_two_columns_or_as_a_vector),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
