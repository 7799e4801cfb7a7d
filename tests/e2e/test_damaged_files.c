/* Damaged recordings, model files and matrices: every one is read or refused with a message, within 2 s and without a
 * crash. 500 recordings, 500 model files, 200 matrices through pipes and 500 MATLAB files under the address sanitizer
 * (`make sanitize`) or with YOKE_MUTANTS=all; a tenth of that otherwise. */
#include "support/check.h"
#include "support/mutate.h"
#include "support/scratch.h"

#include <matio.h>

#include "base/clock.h"
#include "model/read.h"
#include "record/record.h"
#include <stdlib.h>
#include <unistd.h>
#include <yoke/export.h>
#include <yoke/reduction.h>

static enum verdict judge(enum yk_status st, const struct yk_err *err)
{
    return st == YK_OK ? READ_IT : err->wording[0] ? REFUSED_IT : WITHOUT_A_WORD;
}

/* ---- recordings ---- */

/* Opens it and reads every row of every stream, as all commands do. */
static enum verdict read_recording(const char *path)
{
    static const char *const streams[] = {"system", "fine", "ticks"};
    struct yk_recording *recording;
    struct yk_err err = {0};
    enum yk_status st = yk_recording_open(&recording, path, &err);

    for (size_t i = 0; i < sizeof streams / sizeof *streams && !st; i++) {
        const int stream = yk_recording_stream(recording, streams[i]);

        if (stream >= 0)
            st = yk_export_csv(recording, stream, "/dev/null", &err);
    }
    yk_recording_close(recording);
    return judge(st, &err);
}

/* Rows of zeros: what is not zero in the file is its structure, and most of the damage goes there. */
static struct bytes make_recording(const char *name, bool killed)
{
    static const struct yk_channel channels[] = {{.name = "time", .unit = "s"},
                                                 {.name = "frame.x.u", .unit = "m"},
                                                 {.name = "frame.x.v", .unit = "m/s"},
                                                 {.name = "a1", .unit = "N"}};
    const struct yk_stream streams[] = {{"system", 4, channels}, {"ticks", 3, channels}};
    const struct yk_recording_info info = {"A frame", "title: A frame\n", "frame.yaml", "", "build", "lsrt2", NULL,
                                           NULL};
    struct yk_recorder *recorder;
    struct bytes b;

    assert_ok(yk_recorder_open(&recorder, scratch_path(name), &info, streams, 2, &err));
    for (int i = 0; i < 9000; i++) {
        yk_recorder_push_waiting(recorder, 0, (double[4]){0});
        yk_recorder_push_waiting(recorder, 1, (double[3]){0});
    }
    if (killed) {
        yk_clock_sleep_until(yk_clock_now_ns() + 1000000000);
        b = bytes_of_file(scratch_path(name)); /* as a kill would leave it now */
    }
    assert_ok(yk_recorder_close(recorder, true, "{\"finished\": true}", &err));
    return killed ? b : bytes_of_file(scratch_path(name));
}

static void damaged_recordings_are_read_or_refused(void **state)
{
    struct bytes finished = make_recording("finished.h5", false), killed = make_recording("killed.h5", true);
    const size_t half = mutant_count(500) / 2;
    struct tally t = {0};

    tally_mutants(&t, finished, read_recording, half, 1, 0, scratch_path("mutant.h5"));
    tally_mutants(&t, killed, read_recording, half, 1001, 0, scratch_path("mutant.h5"));
    free(finished.at);
    free(killed.at);
    assert_no_fault(&t, "recordings");
}

/* ---- model files ---- */

static enum verdict read_model(const char *path)
{
    struct yk_reduced r;
    struct yk_err err = {0};
    const enum yk_status st = yk_reduced_load(&r, path, &err);

    if (!st)
        yk_reduced_free(&r);
    return judge(st, &err);
}

/* Masses in a row, reduced to the last one and five modes. */
static struct bytes make_model(const char *path)
{
    enum { N = 12 };
    struct yk_reduce_settings settings = yk_reduce_defaults();
    const char *names[N] = {"m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9", "m10", "m11", "m12"};
    struct yk_matrix M, K;
    struct yk_reduced r;

    assert_ok(yk_matrix_init(&M, YK_DIAGONAL, N, N, &err));
    assert_ok(yk_matrix_init(&K, YK_DENSE, N, N, &err));
    for (size_t i = 0; i < N; i++) {
        M.x[i] = 1;
        K.x[i + i * N] = 1 + (i + 1 < N);
        if (i > 0)
            K.x[i + (i - 1) * N] = K.x[i - 1 + i * N] = -1;
    }
    const struct yk_linear_model model = {.M = &M, .K = &K, .names = names};
    settings.modes = 5;
    assert_ok(yk_reduce(&r, &model, &(size_t){N - 1}, 1, yk_reduction_find("craig-bampton"), &settings, &err));
    assert_ok(yk_reduced_save(&r, path, &err));
    yk_reduced_free(&r);
    yk_matrix_fini(&M);
    yk_matrix_fini(&K);
    return bytes_of_file(path);
}

static void damaged_model_files_are_refused(void **state)
{
    struct bytes model = make_model(scratch_path("model.h5"));
    struct tally t = {0};

    tally_mutants(&t, model, read_model, mutant_count(500), 2001, 0, scratch_path("mutant.h5"));
    free(model.at);
    assert_no_fault(&t, "model files");
    assert_int_equal(t.count[READ_IT], 0); /* the checksum is over every byte */
}

/* ---- matrices ---- */

static enum verdict read_matrix(const char *path)
{
    struct yk_matrix A = {0};
    struct yk_err err = {0};
    const enum yk_status st = yk_read_matrix(path, &A, &err);

    if (!st)
        yk_matrix_fini(&A);
    return judge(st, &err);
}

/* More than a page of the reader, so that its room must grow. */
static void damaged_matrices_through_pipes_are_read_or_refused(void **state)
{
    struct tally t = {0};

    for (int market = 0; market < 2; market++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);

        fputs(market ? "%%MatrixMarket matrix coordinate real symmetric\n60 60 1830\n" : "# stiffness [N/m]\n", out);
        for (int j = 1; j <= 60; j++) {
            for (int i = market ? j : 1; i <= 60; i++)
                if (market)
                    fprintf(out, "%d %d %.17g\n", i, j, 1.0 / (i + j));
                else
                    fprintf(out, "%.17g%s", 1.0 / (i + j), i < 60 ? ", " : "\n");
        }
        fclose(out);
        tally_mutants(&t, (struct bytes){(unsigned char *)text, size}, read_matrix, mutant_count(200) / 2,
                      3001 + 1000 * (uint64_t)market, 1, NULL);
        free(text);
    }
    assert_no_fault(&t, "matrices through pipes");
}

/* ---- MATLAB files ---- */

static enum verdict read_matlab(const char *path)
{
    struct yk_matrix A = {0};
    struct yk_err err = {0};
    const enum yk_status st = yk_read_mat(path, &A, &err);

    if (!st)
        yk_matrix_fini(&A);
    return judge(st, &err);
}

static struct bytes make_matlab(const char *path, enum mat_ft version, enum matio_compression how)
{
    mat_t *file = Mat_CreateVer(path, NULL, version);
    double x[20 * 20];
    matvar_t *v;

    for (int i = 0; i < 400; i++)
        x[i] = i % 21 ? 0 : 1e3;
    v = Mat_VarCreate("K", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, (size_t[]){20, 20}, x, 0);
    assert_int_equal(Mat_VarWrite(file, v, how), 0);
    Mat_VarFree(v);
    Mat_Close(file);
    return bytes_of_file(path);
}

static void damaged_matlab_files_are_read_or_refused(void **state)
{
    static const struct {
        enum mat_ft version;
        enum matio_compression how;
    } kinds[] = {{MAT_FT_MAT5, MAT_COMPRESSION_NONE},
                 {MAT_FT_MAT5, MAT_COMPRESSION_ZLIB},
                 {MAT_FT_MAT73, MAT_COMPRESSION_NONE},
                 {MAT_FT_MAT4, MAT_COMPRESSION_NONE}};
    struct tally t = {0};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct bytes file = make_matlab(scratch_path("K.mat"), kinds[i].version, kinds[i].how);

        tally_mutants(&t, file, read_matlab, mutant_count(500) / 4, 5001 + 1000 * i, 0, scratch_path("mutant.mat"));
        free(file.at);
    }
    assert_no_fault(&t, "MATLAB files");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_recordings_are_read_or_refused),
        cmocka_unit_test(damaged_model_files_are_refused),
        cmocka_unit_test(damaged_matrices_through_pipes_are_read_or_refused),
        cmocka_unit_test(damaged_matlab_files_are_read_or_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
