/* Exports: the CSV text to the letter, the MAT file as matio reads it back. */
#include "support/check.h"
#include "support/scratch.h"

#include "record/record.h"
#include <math.h>
#include <matio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yoke/export.h>

enum { LONG_NAME = 90 };

static const struct yk_recording_info info = {
    .title = "t", .experiment = "e", .experiment_path = "e.yaml", .overrides = "", .build = "b", .method = "m"};

static struct yk_recording *recorded(const char *file, const struct yk_channel *channels, size_t count,
                                     const double *rows, size_t row_count)
{
    const struct yk_stream stream = {"system", count, channels};
    struct yk_recorder *recorder;
    struct yk_recording *recording;

    assert_ok(yk_recorder_open(&recorder, scratch_path(file), &info, &stream, 1, &err));
    for (size_t i = 0; i < row_count; i++)
        assert_int_equal(yk_recorder_push_waiting(recorder, 0, rows + i * count), YK_OK);
    assert_ok(yk_recorder_close(recorder, true, "{}", &err));
    assert_ok(yk_recording_open(&recording, scratch_path(file), &err));
    return recording;
}

static const struct yk_channel plain[] = {
    {.name = "time", .unit = "s"}, {.name = "frame.x.u", .unit = "m"}, {.name = "odd, \"name\""}};
static const double few[] = {0, 0.1, -1, 0.001, 1e-300, INFINITY, 0.002, -0.0, NAN};
static const char few_text[] = "time,frame.x.u,\"odd, \"\"name\"\"\"\n"
                               "0,0.10000000000000001,-1\n"
                               "0.001,1e-300,inf\n"
                               "0.002,-0,nan\n";

/* The whole file as text; to be freed. */
static char *content(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static void csv_has_a_header_and_exact_numbers(void **state)
{
    struct yk_recording *recording = recorded("few.h5", plain, 3, few, 3);
    char *text;

    assert_ok(yk_export_csv(recording, 0, scratch_path("few.csv"), &err));
    text = content(scratch_path("few.csv"));
    assert_string_equal(text, few_text);
    assert_int_equal(access(scratch_path("few.csv.part"), F_OK), -1);
    free(text);
    yk_recording_close(recording);
}

static void csv_goes_to_standard_output(void **state)
{
    struct yk_recording *recording = recorded("out.h5", plain, 3, few, 3);
    const char *path = scratch_path("out.csv");
    char *text;
    int saved;

    fflush(stdout);
    saved = dup(1);
    assert_non_null(freopen(path, "w", stdout));
    assert_int_equal(yk_export_csv(recording, 0, "-", NULL), YK_OK);
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    text = content(path);
    assert_string_equal(text, few_text);
    free(text);
    yk_recording_close(recording);
}

static void csv_of_many_blocks_is_complete(void **state)
{
    enum { ROWS = 100000 };
    static const struct yk_channel two[] = {{.name = "time", .unit = "s"}, {.name = "x", .unit = "m"}};
    double *rows = calloc(ROWS, 2 * sizeof *rows), a, b;
    struct yk_recording *recording;
    char line[128];
    FILE *file;
    int n = 0;

    for (int i = 0; i < ROWS; i++) {
        rows[2 * i] = i * 1e-3;
        rows[2 * i + 1] = sin(i);
    }
    recording = recorded("many.h5", two, 2, rows, ROWS);
    assert_ok(yk_export_csv(recording, 0, scratch_path("many.csv"), &err));
    file = fopen(scratch_path("many.csv"), "r");
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file) && sscanf(line, "%lf,%lf", &a, &b) == 2 && a == rows[2 * n] &&
           b == rows[2 * n + 1])
        n++;
    assert_int_equal(n, ROWS);
    fclose(file);
    free(rows);
    yk_recording_close(recording);
}

/* In a child whose files may have no more than 4 KB. */
static bool fails_on_a_full_disk(enum yk_status (*export)(struct yk_recording *, int, const char *, struct yk_err *),
                                 struct yk_recording *recording, const char *path)
{
    struct rlimit limit = {4096, 4096};
    struct yk_err err = {0};
    int status;
    pid_t child;

    fflush(NULL);
    if (!(child = fork())) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(export(recording, 0, path, &err) == YK_E_IO && strstr(yk_err_line(&err).text, path) ? 0 : 1);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static enum yk_status export_v73(struct yk_recording *recording, int stream, const char *path, struct yk_err *err)
{
    return yk_export_mat_from(recording, stream, path, 1, err);
}

static void a_failed_export_leaves_nothing(void **state)
{
    static double rows[10000 * 3];
    struct yk_recording *recording;

    for (int i = 0; i < 30000; i++)
        rows[i] = rand();
    recording = recorded("full.h5", plain, 3, rows, 10000);
    assert_true(fails_on_a_full_disk(yk_export_csv, recording, scratch_path("full.csv")));
    assert_true(fails_on_a_full_disk(yk_export_mat, recording, scratch_path("full.mat")));
    assert_true(fails_on_a_full_disk(export_v73, recording, scratch_path("full73.mat")));
    assert_refused(yk_export_csv(recording, 0, scratch_path("no/such.csv"), &err), YK_E_IO, "No such file");
    assert_refused(yk_export_mat(recording, 0, scratch_path("no/such.mat"), &err), YK_E_IO, "No such file");
    assert_refused(yk_export_csv(recording, 0, scratch_path(""), &err), YK_E_IO, "not a regular file");
    assert_refused(yk_export_mat(recording, 0, "/dev/null", &err), YK_E_IO, "not a regular file");
    assert_ok(yk_export_csv(recording, 0, "/dev/null", &err)); /* written in place, and not replaced by a file */
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"full.csv", "full.mat", "full73.mat"};
        char part[64];
        snprintf(part, sizeof part, "%s.part", names[i]);
        assert_int_equal(access(scratch_path(names[i]), F_OK), -1);
        assert_int_equal(access(scratch_path(part), F_OK), -1);
    }
    yk_recording_close(recording);
}

static void assert_column(mat_t *mat, const char *name, const double *want, size_t rows, size_t stride)
{
    matvar_t *variable = Mat_VarRead(mat, name);
    size_t wrong = 0;

    if (!variable)
        print_error("no variable %s\n", name);
    assert_non_null(variable);
    assert_int_equal(variable->class_type, MAT_C_DOUBLE);
    assert_int_equal(variable->rank, 2);
    assert_int_equal(variable->dims[0], rows);
    assert_int_equal(variable->dims[1], 1);
    for (size_t i = 0; i < rows; i++)
        wrong += memcmp((double *)variable->data + i, want + i * stride, sizeof *want) != 0;
    assert_int_equal(wrong, 0);
    Mat_VarFree(variable);
}

static void assert_cell(mat_t *mat, const char *name, size_t index, const char *want)
{
    matvar_t *cell = Mat_VarRead(mat, name), *text;
    char got[128] = "";

    assert_non_null(cell);
    assert_int_equal(cell->class_type, MAT_C_CELL);
    text = Mat_VarGetCell(cell, (int)index);
    assert_non_null(text);
    assert_int_equal(text->class_type, MAT_C_CHAR);
    if (strlen(want)) {
        assert_int_equal(text->dims[1], strlen(want));
        for (size_t i = 0; i < strlen(want); i++) /* version 7.3 stores characters of two bytes */
            got[i] = (char)(text->data_size == 2 ? ((uint16_t *)text->data)[i] : ((uint8_t *)text->data)[i]);
    } else {
        assert_int_equal(text->dims[0] * text->dims[1], 0);
    }
    assert_string_equal(got, want);
    Mat_VarFree(cell);
}

static void check_mat(uint64_t v73_bytes, enum mat_ft version)
{
    enum { COLUMNS = 9, ROWS = 5000 };
    struct yk_channel channels[COLUMNS] = {{.name = "time", .unit = "s"},      {.name = "frame.x.u", .unit = "m"},
                                           {.name = "frame-x-u", .unit = "N"}, {.name = "1st floor"},
                                           {.name = "units", .unit = "V"},     {.name = "frame.x.u_2", .unit = "m"}};
    const char *variables[COLUMNS] = {"time", "frame_x_u", "frame_x_u_2", "x1st_floor", "units_2", "frame_x_u_2_2"};
    char names[3][64];
    double *rows = calloc(ROWS, COLUMNS * sizeof *rows);
    struct yk_recording *recording;
    mat_t *mat;

    /* three channels whose names differ only after 63 characters */
    for (int i = 0; i < 3; i++) {
        memset(channels[6 + i].name, 'a', LONG_NAME);
        channels[6 + i].name[LONG_NAME - 1] = (char)('x' + i);
        memset(names[i], 'a', 63);
        names[i][63] = 0;
        if (i)
            memcpy(names[i] + 61, i == 1 ? "_2" : "_3", 3);
        variables[6 + i] = names[i];
    }
    for (int i = 0; i < ROWS * COLUMNS; i++)
        rows[i] = i % 7 ? sin(i) : -i;
    recording = recorded("mat.h5", channels, COLUMNS, rows, ROWS);
    assert_ok(yk_export_mat_from(recording, 0, scratch_path("a.mat"), v73_bytes, &err));
    mat = Mat_Open(scratch_path("a.mat"), MAT_ACC_RDONLY);
    assert_non_null(mat);
    assert_int_equal(Mat_GetVersion(mat), version);
    for (size_t c = 0; c < COLUMNS; c++) {
        assert_column(mat, variables[c], rows + c, ROWS, COLUMNS);
        assert_cell(mat, "channels", c, channels[c].name);
        assert_cell(mat, "units", c, channels[c].unit);
    }
    Mat_Close(mat);
    free(rows);
    yk_recording_close(recording);
}

static void mat_version_5_reads_back(void **state)
{
    check_mat(UINT64_C(1) << 31, MAT_FT_MAT5);
}

static void mat_version_73_reads_back(void **state)
{
    check_mat(5000 * 8, MAT_FT_MAT73);
}

static void mat_version_5_is_compressed(void **state)
{
    static double rows[20000 * 3];
    struct yk_recording *recording = recorded("zero.h5", plain, 3, rows, 20000);
    struct stat file;

    assert_ok(yk_export_mat(recording, 0, scratch_path("zero.mat"), &err));
    assert_int_equal(stat(scratch_path("zero.mat"), &file), 0);
    assert_true(file.st_size < 20000); /* 480 KB of zeros */
    yk_recording_close(recording);
}

static void a_recording_without_rows_is_exported(void **state)
{
    struct yk_recording *recording = recorded("none.h5", plain, 3, NULL, 0);
    char *text;

    assert_ok(yk_export_csv(recording, 0, scratch_path("none.csv"), &err));
    text = content(scratch_path("none.csv"));
    assert_string_equal(text, "time,frame.x.u,\"odd, \"\"name\"\"\"\n");
    free(text);
    assert_ok(yk_export_mat(recording, 0, scratch_path("none.mat"), &err));
    yk_recording_close(recording);
}

/* Somebody has put links where the parts will be, to a file that must stay as it is. */
static void parts_follow_no_link(void **state)
{
    static enum yk_status (*const exports[])(struct yk_recording *, int, const char *,
                                             struct yk_err *) = {yk_export_csv, yk_export_mat, yk_export_hdf5};
    struct yk_recording *r = recorded("linked.h5", plain, 3, few, 3);
    const struct yk_vtk_grid grid = {.points = 1, .place = (double[]){0, 0, 0}};
    char path[700], part[710], *victim = strdup(scratch_write("victim", "as it was"));

    snprintf(path, sizeof path, "%s", scratch_path("linked"));
    snprintf(part, sizeof part, "%s.part", path);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(symlink(victim, part), 0);
        assert_ok(i < 3 ? exports[i](r, 0, path, &err) : yk_vtk_write(path, &grid, NULL, 0, NULL, 1, &err));
        assert_string_equal(scratch_text("victim"), "as it was");
        assert_int_not_equal(access(part, F_OK), 0);
    }
    free(victim);
    yk_recording_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_has_a_header_and_exact_numbers),
        cmocka_unit_test(csv_goes_to_standard_output),
        cmocka_unit_test(csv_of_many_blocks_is_complete),
        cmocka_unit_test(a_failed_export_leaves_nothing),
        cmocka_unit_test(mat_version_5_reads_back),
        cmocka_unit_test(mat_version_73_reads_back),
        cmocka_unit_test(parts_follow_no_link),
        cmocka_unit_test(mat_version_5_is_compressed),
        cmocka_unit_test(a_recording_without_rows_is_exported),
    };
    return cmocka_run_group_tests_name("export", tests, scratch_create, scratch_remove);
}
