/* Data files of a new test: the record as a table in m/s2, copies of matrices. */
#include "new.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum yk_status new_read_record(struct new_test *t, struct yk_err *err)
{
    const struct yk_motion_ask ask = {.step_s = t->record_step, .unit = t->record_unit};
    struct yk_motion_measures measures;
    enum yk_status st;

    if (strcmp(t->record, "synthetic") == 0) {
        t->motion.n = 0;
        t->peak = isnan(t->peak) ? 0.2 * 9.80665 : t->peak;
        return YK_OK;
    }
    if ((st = yk_motion_read(&t->motion, t->record, &ask, err))) {
        yk_fail_within(err, YK_NOWHERE, "--record: ");
        return yk_fail_as(err, YK_E_INPUT);
    }
    yk_motion_measure(t->motion.n, t->motion.step_s, t->motion.a, &measures);
    if (!(measures.pga > 0))
        return yk_fail(err, YK_E_INPUT, "--record: %s has no motion", t->record);
    t->peak = isnan(t->peak) ? measures.pga : t->peak;
    const double factor = t->peak / measures.pga;

    for (size_t i = 0; i < t->motion.n; i++)
        t->motion.a[i] *= factor;
    return YK_OK;
}

static enum yk_status failed(const char *path, struct yk_err *err)
{
    return yk_fail(err, YK_E_INPUT, "%s: %s", path, strerror(errno));
}

enum yk_status new_copy_file(const char *from, const char *to, struct yk_err *err)
{
    char block[65536];
    size_t count;
    struct stat about;
    FILE *in = fopen(from, "rb"), *out = NULL;
    bool good = in && !fstat(fileno(in), &about);

    if (good && !S_ISREG(about.st_mode)) {
        fclose(in);
        return yk_fail(err, YK_E_INPUT, "%s is no regular file", from);
    }
    if (!good || !(out = fopen(to, "wbx"))) {
        const enum yk_status st = failed(good ? to : from, err);

        if (in)
            fclose(in);
        return st;
    }
    while ((count = fread(block, 1, sizeof block, in)) > 0 && good)
        good = fwrite(block, 1, count, out) == count;
    good = good && !ferror(in) && !fchmod(fileno(out), about.st_mode & 0777);
    fclose(in);
    good = !fclose(out) && good;
    return good ? YK_OK : failed(to, err);
}

static enum yk_status write_record(const struct new_test *t, const char *path, struct yk_err *err)
{
    FILE *out = fopen(path, "wx");
    bool good = out != NULL;

    if (!good)
        return failed(path, err);
    fprintf(out, "# %s, format %s, scaled to %.6g m/s2\ntime [s],acceleration [m/s2]\n", t->record, t->motion.format,
            t->peak);
    for (size_t i = 0; i < t->motion.n; i++)
        fprintf(out, "%.9g,%.9g\n", (double)i * t->motion.step_s, t->motion.a[i]);
    good = !ferror(out);
    good = !fclose(out) && good;
    return good ? YK_OK : failed(path, err);
}

static enum yk_status keep_name(struct new_test *t, const char *name, struct yk_err *err)
{
    char *copy = strdup(name);

    if (!copy || t->file_count == NEW_FILES)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    t->files[t->file_count++] = copy;
    return YK_OK;
}

enum yk_status new_write_data(struct new_test *t, const char *folder, struct yk_err *err)
{
    char path[2048];
    enum yk_status st = YK_OK;

    for (int k = 0; k < 2 && t->matrix_file[k] && !st; k++) {
        const char *slash = strrchr(t->matrix_file[k], '/'), *name = slash ? slash + 1 : t->matrix_file[k];

        if (k && strcmp(name, t->files[0]) == 0) /* two variables of one file are not copied twice */
            return yk_fail(err, YK_E_INPUT, "--stiffness-matrix: has the name of the mass matrix, %s", name);
        if (strchr(name, '\''))
            return yk_fail(err, YK_E_INPUT, "%s: a name with ' cannot stand in the experiment file", name);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (!(st = new_copy_file(t->matrix_file[k], path, err)))
            st = keep_name(t, name, err);
    }
    if (!t->motion.n || st)
        return st;
    snprintf(path, sizeof path, "%s/record.csv", folder);
    st = write_record(t, path, err);
    return st ? st : keep_name(t, "record.csv", err);
}
