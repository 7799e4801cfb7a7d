/* The ticks of a run beside those that its sites recorded. */
#include "sites.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT64_MAX

struct side {
    struct yk_recording *recording;
    int stream;
    size_t columns;
    uint64_t rows;
    double *values;
    /* only for a site: */
    char *name;
    int command;      /* column of the site: what the run commanded */
    int sent;         /* column of the run: what it sent there */
    uint64_t *beside; /* row of each tick of the run; NONE: the site did not play its command */
    uint64_t of_run;  /* how many have one */
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

/* Compares the session from `first` to before `end` with the run and keeps it if it fits better than those before.
 * Command by command: the next row of the site that has the command of this tick. A site with a clock moves before the
 * first command and repeats the last one where none comes, so rows may lie between; a command that it never played has
 * no row. */
static void try_session(struct side *site, const struct side *run, uint64_t first, uint64_t end, uint64_t *beside)
{
    enum { AHEAD = 4096 };
    uint64_t next = first, count = 0;

    for (uint64_t row = 0; row < run->rows; row++) {
        uint64_t at = next;

        while (at < end && at < next + AHEAD && value(site, at, site->command) != value(run, row, site->sent))
            at++;
        const bool found = at < end && at < next + AHEAD;
        beside[row] = found ? at : NONE;
        next = found ? at + 1 : next;
        count += found;
    }
    if (count > site->of_run) {
        site->of_run = count;
        memcpy(site->beside, beside, run->rows * sizeof *beside);
    }
}

/* The session of the site in which the run was: its commands are those that the run sent. */
static bool find_session(struct side *site, const struct side *run, struct yk_err *err)
{
    const int number = yk_recording_find(site->recording, site->stream, "number");

    site->command = -1;
    for (size_t k = 0; number >= 0 && site->command < 0 && k < site->columns; k++) {
        const struct yk_channel *c = yk_recording_channel(site->recording, site->stream, k);
        char name[YK_CHANNEL_NAME + 8];

        snprintf(name, sizeof name, "%s.sent", c->owner);
        if (*c->owner && (site->sent = yk_recording_find(run->recording, run->stream, name)) >= 0)
            site->command = (int)k;
    }
    if (site->command < 0)
        return yk_fail(err, YK_E_INPUT, "this is no recording of a site of that run (yoke serve --site)"), false;
    uint64_t *beside = malloc((run->rows + 1) * sizeof *beside);
    site->beside = malloc((run->rows + 1) * sizeof *beside);
    if (!beside || !site->beside) {
        free(beside);
        return yk_fail(err, YK_E_MEMORY, "out of memory"), false;
    }
    for (uint64_t first = 0, end; first < site->rows; first = end) {
        end = first + 1;
        while (end < site->rows && value(site, end, number) == value(site, end - 1, number) + 1)
            end++;
        first += value(site, first, number) == 0; /* at rest, before the first command */
        try_session(site, run, first, end, beside);
    }
    free(beside);
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
                put(out, sites[i].beside[row] == NONE ? NAN : value(&sites[i], sites[i].beside[row], (int)k));
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

int export_sites(struct yk_recording *recording, const struct yk_text_list *names, const char *csv)
{
    struct side run = {.recording = recording}, *sites = calloc(names->count + 1, sizeof *sites);
    struct yk_err err = {0};
    bool good = sites && read_side(&run, &err), is_read = false;
    FILE *out = NULL;

    for (size_t i = 0; good && i < names->count; i++) {
        char *path = yk_command_recording(names->text[i]);

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
        free(sites[i].beside);
        free(sites[i].name);
    }
    free(sites);
    free(run.values);
    if (good)
        return 0;
    const int code = yk_command_fail(&err);
    return is_read ? code : 2; /* as for the recording of the run */
}
