/* HDF5 files that a stranger has made: recordings and reduced models with other types, forms, storage and links than
 * the program writes. They are read or refused with a message; their reader does not fail, and nothing of another file
 * gets through them. 120 of each kind, 5,000 with YOKE_MUTANTS=all. A dashboard that lists a folder of them goes on. */
#include "fuzz/crafted.h"
#include "support/dashboard.h"
#include "support/mutate.h"
#include "support/random.h"
#include "support/scratch.h"

#include "hdf5/seal.h"
#include "record/record.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yoke/reduction.h>

enum { CHOICES = 90, FEW = 40 };
static const double secret = 1234.5;

/* The verdict on a reader. It crashed if its process failed or if what it read holds something of the other file. */
static enum verdict judge(enum yk_status st, const struct yk_err *e, bool leaked)
{
    return leaked || strstr(e->wording, "its reader") ? CRASHED
           : !st                                      ? READ_IT
           : *e->wording                              ? REFUSED_IT
                                                      : WITHOUT_A_WORD;
}

static enum verdict read_recording(const char *path)
{
    struct yk_recording *recording;
    struct yk_err e = {0};
    enum yk_status st = yk_recording_open(&recording, path, &e);
    bool leaked = false;

    for (int s = 0; s < 2 && !st; s++) {
        const int stream = yk_recording_stream(recording, s ? "ticks" : "system");
        const size_t columns = stream < 0 ? 0 : yk_recording_channels(recording, stream);
        double *row = calloc(columns + 1, sizeof *row);

        for (uint64_t i = 0; stream >= 0 && i < yk_recording_rows(recording, stream) && i < 20 && !st; i++) {
            st = yk_recording_read(recording, stream, i, 1, row, &e);
            for (size_t k = 0; k < columns && !st; k++)
                leaked |= row[k] == secret;
        }
        free(row);
    }
    yk_recording_close(recording);
    return judge(st, &e, leaked);
}

static enum verdict read_model(const char *path)
{
    struct yk_reduced r;
    struct yk_err e = {0};
    const enum yk_status st = yk_reduced_load(&r, path, &e);
    bool leaked = false;

    for (size_t i = 0; !st && i < r.n * r.full; i++)
        leaked |= r.T[i] == secret;
    if (!st)
        yk_reduced_free(&r);
    return judge(st, &e, leaked);
}

static void make_secret(char path[600])
{
    FILE *out;

    snprintf(path, 600, "%s", scratch_path("secret"));
    assert_non_null(out = fopen(path, "w"));
    for (int i = 0; i < 10000; i++)
        fwrite(&secret, sizeof secret, 1, out);
    fclose(out);
}

/* Most choices are right: a file with one deviation is read further than one with ten. */
static void craft(const char *path, uint64_t seed, bool model)
{
    char elsewhere[600];
    uint8_t choices[CHOICES] = {0};
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;

    for (size_t wrong = random_below(&state, 4); wrong > 0; wrong--)
        choices[random_below(&state, CHOICES)] = (uint8_t)random_below(&state, 256);
    make_secret(elsewhere);
    craft_file(path, elsewhere, choices, CHOICES, model);
    if (model)
        assert_ok(yk_seal_put(path, &err));
}

static void tally_crafted(bool model, const char *what)
{
    const char *wanted = getenv("YOKE_MUTANTS");
    const size_t count = wanted && strcmp(wanted, "all") == 0 ? 5000 : 120;
    struct tally t = {0};
    char path[600];

    snprintf(path, sizeof path, "%s", scratch_path("crafted.h5"));
    for (size_t i = 0; i < count; i++) {
        double wall_s;

        craft(path, i, model);
        const enum verdict verdict = verdict_of(model ? read_model : read_recording, path, &wall_s);

        t.count[verdict]++;
        t.longest_s = wall_s > t.longest_s ? wall_s : t.longest_s;
        if (verdict > REFUSED_IT)
            print_error("%s %zu: verdict %d after %.3g s\n", what, i, (int)verdict, wall_s);
    }
    assert_no_fault(&t, what);
    assert_true(t.count[READ_IT] > count / 10);
}

static void crafted_recordings_are_read_or_refused(void **state)
{
    tally_crafted(false, "crafted recordings");
}

static void crafted_models_are_read_or_refused(void **state)
{
    tally_crafted(true, "crafted models");
}

/* ---- single deviations, in words ---- */

/* A file that is right, then changed by `spoil`. */
static void spoiled(char path[600], bool model, void (*spoil)(hid_t file, const char *elsewhere))
{
    char elsewhere[600];
    hid_t file;

    make_secret(elsewhere);
    snprintf(path, 600, "%s", scratch_path("spoiled.h5"));
    craft_file(path, elsewhere, NULL, 0, model);
    assert_true((file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT)) >= 0);
    spoil(file, elsewhere);
    H5Fclose(file);
    if (model)
        assert_ok(yk_seal_put(path, &err));
}

static void put_array(hid_t file, const char *name, hid_t type, const void *data)
{
    const hsize_t many = 4096;
    hid_t space = H5Screate_simple(1, &many, NULL), at;

    H5Adelete(file, name);
    at = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(at, type, data) >= 0);
    H5Aclose(at);
    H5Sclose(space);
}

static void many_versions(hid_t file, const char *elsewhere)
{
    static const int ones[4096] = {1, 1, 1, 1};

    put_array(file, "format_version", H5T_STD_I32LE, ones);
}

static void many_formats(hid_t file, const char *elsewhere)
{
    static char formats[4096][21] = {"yoke reduced model 2"};
    hid_t type = craft_text(21);

    put_array(file, "format", type, formats);
    H5Tclose(type);
}

static void put_external(hid_t file, const char *name, hid_t type, int rank, const hsize_t *extent,
                         const char *elsewhere)
{
    hid_t create = H5Pcreate(H5P_DATASET_CREATE),
          space = rank ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);

    H5Pset_external(create, elsewhere, 0, H5F_UNLIMITED);
    H5Ldelete(file, name, H5P_DEFAULT);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(create);
}

static void text_elsewhere(hid_t file, const char *elsewhere)
{
    hid_t type = craft_text(800);

    put_external(file, "experiment", type, 0, NULL, elsewhere);
    H5Tclose(type);
}

static void samples_elsewhere(hid_t file, const char *elsewhere)
{
    put_external(file, "system/samples", H5T_IEEE_F64LE, 2, (const hsize_t[]){20, 4}, elsewhere);
}

static void soft_link(hid_t file, const char *elsewhere)
{
    H5Lmove(file, "system/samples", file, "aside", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/aside", file, "system/samples", H5P_DEFAULT, H5P_DEFAULT);
}

static void external_link(hid_t file, const char *elsewhere)
{
    H5Ldelete(file, "experiment", H5P_DEFAULT);
    H5Lcreate_external(elsewhere, "experiment", file, "experiment", H5P_DEFAULT, H5P_DEFAULT);
}

static void many_rows(hid_t file, const char *elsewhere)
{
    const hsize_t extent[] = {(hsize_t)1 << 50, 4}, chunk[] = {16, 4};
    hid_t create = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, extent, NULL);

    H5Pset_chunk(create, 2, chunk);
    H5Pset_deflate(create, 9);
    H5Ldelete(file, "system/samples", H5P_DEFAULT);
    H5Dclose(H5Dcreate2(file, "system/samples", H5T_IEEE_F64LE, space, H5P_DEFAULT, create, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(create);
}

/* Texts of JSON that call a parser ten thousand times from within. */
static void deep_texts(hid_t file, const char *elsewhere)
{
    static char deep[20001];
    hid_t type = craft_text(sizeof deep - 1), space = H5Screate(H5S_SCALAR);

    memset(deep, '[', 10000);
    memset(deep + 10000, ']', 10000);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "summary" : "description";

        H5Ldelete(file, name, H5P_DEFAULT);
        hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, deep) >= 0);
        H5Dclose(set);
    }
    H5Sclose(space);
    H5Tclose(type);
}

static void nothing(hid_t file, const char *elsewhere)
{
}

static void each_deviation_is_named(void **state)
{
    static const struct {
        bool model;
        void (*spoil)(hid_t file, const char *elsewhere);
        const char *words; /* "": it is read */
    } cases[] = {{false, nothing, ""},
                 {true, nothing, ""},
                 {false, many_versions, "'format_version' is not a single number"},
                 {true, many_formats, "is not a whole model file of `yoke reduce`"},
                 {false, text_elsewhere, "'experiment' has its data in another file, which is not read"},
                 {false, samples_elsewhere, "'system/samples' has its data in another file, which is not read"},
                 {false, soft_link, "'system/samples' is a link to somewhere else, which is not followed"},
                 {false, external_link, "'experiment' is a link to somewhere else, which is not followed"},
                 {false, many_rows, "'system/samples' claims more values than the file can hold"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_recording *recording = NULL;
        struct yk_reduced r = {0};
        struct yk_err e = {0};
        char path[600];

        spoiled(path, cases[i].model, cases[i].spoil);
        if (cases[i].model)
            yk_reduced_load(&r, path, &e);
        else
            yk_recording_open(&recording, path, &e);
        if (!*cases[i].words ? e.status != YK_OK : !strstr(e.wording, cases[i].words))
            fail_msg("case %zu: %s", i, yk_err_line(&e).text);
        yk_recording_close(recording);
        if (cases[i].model && !e.status)
            yk_reduced_free(&r);
    }
}

/* ---- who lists a folder ---- */

static void a_dashboard_lists_a_folder_of_them(void **state)
{
    char *answer, opened[700];
    int status;

    for (uint64_t i = 0; i < FEW; i++) {
        char folder[64], path[600];

        snprintf(folder, sizeof folder, "runs/%d", (int)i);
        mkdir(scratch_path("runs"), 0777);
        mkdir(scratch_path(folder), 0777);
        snprintf(path, sizeof path, "%s/run.h5", scratch_path(folder));
        if (i < 2) {
            char from[600];

            spoiled(from, false, i ? deep_texts : many_versions);
            assert_int_equal(rename(from, path), 0);
        } else {
            craft(path, i, false);
        }
    }
    answer = web_get(dash.port, "/api/runs", dash.authorized, &status);
    assert_int_equal(status, 200);
    assert_non_null(strstr(answer, "/39\""));
    free(answer);
    snprintf(opened, sizeof opened, "/api/run?run=recording:%s/1", scratch_path("runs")); /* also one that is opened */
    free(web_get(dash.port, opened, dash.authorized, &status));
    assert_int_equal(status, 200);
    assert_true(dash_is_alive());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_deviation_is_named),
        cmocka_unit_test(crafted_recordings_are_read_or_refused),
        cmocka_unit_test(crafted_models_are_read_or_refused),
    };
    const struct CMUnitTest listed[] = {cmocka_unit_test(a_dashboard_lists_a_folder_of_them)};
    const int failed = cmocka_run_group_tests(tests, scratch_create, scratch_remove);

    return failed ? failed : cmocka_run_group_tests(listed, dash_set_up, dash_tear_down);
}
