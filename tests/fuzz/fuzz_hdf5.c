/* Recordings and reduced models that deviate in types, forms, storage and links, written by HDF5 itself: they are read
 * or refused, their reader does not fail, and nothing of another file is read through them. */
#include "fuzz.h"

#include "crafted.h"
#include "hdf5/seal.h"
#include "record/record.h"
#include <yoke/reduction.h>

static const double secret = 1234.5;
static char folder[] = "/tmp/yoke-fuzz-XXXXXX", path[64], elsewhere[64];

static void read_recording(void)
{
    struct yk_recording *recording;
    struct yk_err err = {0};
    double rows[20 * 4];

    if (yk_recording_open(&recording, path, &err)) {
        fuzz_check(err.wording[0] && !strstr(err.wording, "its reader"));
        return;
    }
    for (int s = 0; s < 2; s++) {
        const int stream = yk_recording_stream(recording, s ? "ticks" : "system");

        if (stream < 0 || yk_recording_channels(recording, stream) != 4 || yk_recording_rows(recording, stream) != 20)
            continue;
        err = (struct yk_err){0};
        if (yk_recording_read(recording, stream, 0, 20, rows, &err))
            fuzz_check(!strstr(err.wording, "its reader"));
        else
            for (int i = 0; i < 20 * 4; i++)
                fuzz_check(rows[i] != secret);
    }
    yk_recording_close(recording);
}

static void read_model(void)
{
    struct yk_reduced r;
    struct yk_err err = {0};

    fuzz_check(yk_seal_put(path, &err) == YK_OK);
    if (yk_reduced_load(&r, path, &err)) {
        fuzz_check(err.wording[0] && !strstr(err.wording, "its reader"));
        return;
    }
    for (size_t i = 0; i < r.n * r.full; i++)
        fuzz_check(r.T[i] != secret);
    yk_reduced_free(&r);
}

static void clean_up(void)
{
    unlink(elsewhere);
    rmdir(folder);
}

static void set_up(void)
{
    FILE *out;

    fuzz_check(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/file.h5", folder);
    snprintf(elsewhere, sizeof elsewhere, "%s/secret", folder);
    fuzz_check((out = fopen(elsewhere, "w")) != NULL);
    for (int i = 0; i < 10000; i++)
        fwrite(&secret, sizeof secret, 1, out);
    fclose(out);
    atexit(clean_up);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!*path)
        set_up();
    if (size == 0)
        return 0;
    craft_file(path, elsewhere, data + 1, size - 1, data[0] & 1);
    if (data[0] & 1)
        read_model();
    else
        read_recording();
    unlink(path);
    return 0;
}
