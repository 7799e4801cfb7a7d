/* Recordings of an actuator: the files of the command line as independent records, with the quality of their columns.
 */
#include "identify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORTEST 2.0 /* [s]: a shorter segment says nothing */

static const struct yk_log_role roles[ROLES] = {[COMMAND] = {.name = "command", .quantity = YK_DISPLACEMENT},
                                                [MOTION] = {.name = "displacement", .quantity = YK_DISPLACEMENT},
                                                [FORCE] = {.name = "force", .quantity = YK_FORCE, .optional = true}};

/* --columns with what --command and --measured say; malloc'd. */
static char *columns_of(const struct measured_options *o)
{
    char *text = NULL;

    if (asprintf(&text, "%s%s%s%s%s%s%s", o->columns ? o->columns : "", o->columns && o->command ? "," : "",
                 o->command ? "command=" : "", o->command ? o->command : "",
                 (o->columns || o->command) && o->measured ? "," : "", o->measured ? "displacement=" : "",
                 o->measured ? o->measured : "") < 0)
        return NULL;
    return text;
}

static double deviation_of(size_t n, const double *x)
{
    double mean = 0, sum = 0;

    for (size_t k = 0; k < n; k++)
        mean += x[k] / (double)n;
    for (size_t k = 0; k < n; k++)
        sum += (x[k] - mean) * (x[k] - mean);
    return sqrt(sum / (double)n);
}

/* The sensors as they were recorded; the floor as the rows are identified. */
static enum yk_status judge(struct recording *f, struct yk_err *err)
{
    struct yk_log_quality thinned;
    enum yk_status st;

    if ((st = yk_log_judge(&f->log, COMMAND, &f->command, err)) ||
        (st = yk_log_judge(&f->log, MOTION, &f->motion, err)) ||
        (f->log.column[FORCE].x && (st = yk_log_judge(&f->log, FORCE, &f->force, err))))
        return st;
    if (f->motion.saturated)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(f->path),
                          "the motion stays at an extreme for 10 rows and leaves it in a jump: saturated; use the part "
                          "of the record within the range of the sensor");
    if ((st = identify_thin(f, err)) || (st = yk_log_judge(&f->log, MOTION, &thinned, err)))
        return st;
    f->floor = thinned.noise / deviation_of(f->log.rows, f->log.column[MOTION].x);
    return YK_OK;
}

static enum yk_status take(struct job *j, const char *path, const char *columns, struct yk_err *err)
{
    const struct measured_options *o = &j->words->of;
    struct recording *f = &j->file[j->files];
    const char *slash = strrchr(path, '/');
    enum yk_status st;

    if (j->files == FILES)
        return yk_fail(err, YK_E_RANGE, "more than %d files", FILES);
    *f = (struct recording){.path = path, .name = slash ? slash + 1 : path, .first = j->records};
    if ((st = yk_log_read(&f->log, path,
                          &(struct yk_log_ask){.roles = roles,
                                               .count = ROLES,
                                               .columns = *columns ? columns : NULL,
                                               .date = o->date,
                                               .decimal = o->decimal,
                                               .equal = o->equal},
                          err)))
        return st;
    j->files++;
    for (size_t i = 0; i + 1 < j->files; i++)
        if (strcmp(j->file[i].log.sha256, f->log.sha256) == 0)
            return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path),
                              "the same recording as %s; a file is fitted or held out, and once", j->file[i].path);
    if ((st = judge(f, err)))
        return st;
    for (size_t s = 0; s < f->log.segments && j->records < RECORDS; s++) {
        const size_t first = f->log.first[s], n = f->log.first[s + 1] - first;

        if ((double)n * f->log.step_s < SHORTEST)
            continue;
        j->record[j->records++] = (struct yk_actuator_record){.name = path,
                                                              .n = n,
                                                              .command = f->log.column[COMMAND].x + first,
                                                              .motion = f->log.column[MOTION].x + first,
                                                              .step_s = f->log.step_s};
        f->count++;
    }
    if (f->count == 0)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "%zu rows in %g s: a record takes %g s at least",
                          f->log.rows, (double)f->log.rows * f->log.step_s, SHORTEST);
    return YK_OK;
}

enum yk_status identify_read(struct job *j, struct yk_err *err)
{
    const struct measured_words *w = j->words;
    char *columns = columns_of(&w->of);
    enum yk_status st = columns ? take(j, w->of.csv, columns, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t i = 0; i < w->joint.count && !st; i++)
        st = take(j, w->joint.text[i], columns, err);
    j->fitted = j->files;
    j->fitted_records = j->records;
    for (size_t i = 0; i < w->of.hold_out.count && !st; i++)
        st = take(j, w->of.hold_out.text[i], columns, err);
    free(columns);
    return st;
}

void identify_free(struct job *j)
{
    for (size_t i = 0; i < j->files; i++)
        yk_log_free(&j->file[i].log);
}
