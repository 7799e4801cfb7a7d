#include "cli/export_sites.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct side {
    struct yk_recording *recording;
    int stream;
    size_t columns;
    uint64_t rows;
    double *values;
    char *name;      /* of a site */
    uint64_t first;  /* row of the first command of the session */
    uint64_t of_run; /* how many commands are those of the run */
};

static bool read_side(struct side *s, struct yk_err *err)
{
    s->stream = yk_recording_stream(s->recording, "ticks");
    if (s->stream < 0)
        return yk_fail(err, YK_E_INPUT, "no control ticks are recorded there"), false;
    s->columns = yk_recording_channels(s->recording, s->stream);
    s->rows = yk_recording_rows(s->recording, s->stream);
    s->values = malloc((s->rows * s->columns + 1) * sizeof *s->values);
    if (!s->values)
        return yk_fail(err, YK_E_MEMORY, "out of memory"), false;
    return yk_recording_read(s->recording, s->stream, 0, s->rows, s->values, err) == YK_OK;
}

static double value(const struct side *s, uint64_t row, int column)
{
    return s->values[row * s->columns + (size_t)column];
}

/* The session of the site in which the run was: its commands are those that the run sent. */
static bool find_session(struct side *site, const struct side *run, struct yk_err *err)
{
    const int number = yk_recording_find(site->recording, site->stream, "number");
    int asked = -1, sent = -1;

    for (size_t k = 0; number >= 0 && asked < 0 && k < site->columns; k++) {
        const struct yk_channel *c = yk_recording_channel(site->recording, site->stream, k);
        char name[YK_CHANNEL_NAME + 8];

        snprintf(name, sizeof name, "%s.sent", c->owner);
        if (*c->owner && (sent = yk_recording_find(run->recording, run->stream, name)) >= 0)
            asked = (int)k;
    }
    if (asked < 0)
        return yk_fail(err, YK_E_INPUT, "this is no recording of a site of that run (yoke serve --site)"), false;
    for (uint64_t row = 0; row < site->rows; row++) {
        uint64_t same = 0;

        if (value(site, row, number) != 1)
            continue;
        while (row + same < site->rows && same < run->rows && value(site, row + same, number) == (double)same + 1 &&
               value(site, row + same, asked) == value(run, same, sent))
            same++;
        if (same > site->of_run) {
            site->of_run = same;
            site->first = row;
        }
    }
    if (!site->of_run)
        return yk_fail(err, YK_E_INPUT, "the site was not commanded by this run%s",
                       yk_recording_finished(site->recording) ? "" : ", or is still recording; end it first (Ctrl-C)"),
               false;
    return true;
}

static void put(FILE *out, double x)
{
    if (isnan(x))
        fputs(",nan", out);
    else
        fprintf(out, ",%.17g", x);
}

static void write_all(FILE *out, const struct side *run, const struct side *sites, size_t count)
{
    for (size_t k = 0; k < run->columns; k++)
        fprintf(out, "%s%s", k ? "," : "", yk_recording_channel(run->recording, run->stream, k)->name);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sites[i].columns; k++)
            fprintf(out, ",%s.%s", sites[i].name, yk_recording_channel(sites[i].recording, sites[i].stream, k)->name);
    for (uint64_t row = 0; row < run->rows; row++) {
        fprintf(out, "\n%.17g", value(run, row, 0));
        for (size_t k = 1; k < run->columns; k++)
            put(out, value(run, row, (int)k));
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < sites[i].columns; k++)
                put(out, row < sites[i].of_run ? value(&sites[i], sites[i].first + row, (int)k) : NAN);
    }
    fputc('\n', out);
}

/* The name of a folder without those above it, as it stands before the columns. No two sites may have the same. */
static bool name_side(struct side *sites, size_t i, const char *folder, struct yk_err *err)
{
    char *path = strdup(folder);

    sites[i].name = path ? strdup(basename(path)) : NULL;
    free(path);
    if (!sites[i].name)
        return yk_fail(err, YK_E_MEMORY, "out of memory"), false;
    for (size_t k = 0; k < i; k++)
        if (strcmp(sites[k].name, sites[i].name) == 0)
            return yk_fail(err, YK_E_INPUT,
                           "another --sites has this name, too; the columns would have the same names"),
                   false;
    return true;
}

int export_sites(struct yk_recording *recording, const struct text_list *names, const char *csv)
{
    struct side run = {.recording = recording}, *sites = calloc(names->count + 1, sizeof *sites);
    struct yk_err err = {0};
    bool good = sites && read_side(&run, &err), is_read = false;
    FILE *out = NULL;

    for (size_t i = 0; good && i < names->count; i++) {
        char *path = recording_path(names->text[i]);

        if (!path || yk_recording_open(&sites[i].recording, path, &err))
            good = false; /* that names the file */
        else if (!name_side(sites, i, names->text[i], &err) || !read_side(&sites[i], &err) ||
                 !find_session(&sites[i], &run, &err))
            good = (yk_fail_within(&err, YK_NOWHERE, "%s: ", names->text[i]), false);
        else
            fprintf(stderr, "%s: %lu of %lu ticks\n", sites[i].name, (unsigned long)sites[i].of_run,
                    (unsigned long)run.rows);
        free(path);
    }
    is_read = good;
    if (good) {
        out = strcmp(csv, "-") == 0 ? stdout : fopen(csv, "w");
        if (out)
            write_all(out, &run, sites, names->count);
        if (!out || ferror(out) | (out != stdout && fclose(out)))
            good = (yk_fail(&err, YK_E_IO, "cannot write %s: %s", csv, strerror(errno)), false);
    }
    for (size_t i = 0; sites && i < names->count; i++) {
        if (sites[i].recording)
            yk_recording_close(sites[i].recording);
        free(sites[i].values);
        free(sites[i].name);
    }
    free(sites);
    free(run.values);
    if (good)
        return 0;
    const int code = report_failure(&err);
    return is_read ? code : 2; /* as for the recording of the run */
}
