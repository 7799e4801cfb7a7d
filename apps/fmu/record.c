/* yoke fmu run: an FMU by itself, recorded. */
#include "parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/yoke.h>

static char *joined(const char *first, char *const *names, const char *const *units, size_t count)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fputs(first, out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "\n%s", names ? names[i] : units[i]);
    return fclose(out) == 0 ? text : NULL;
}

/* Steps from the start on; rows of time and outputs. Returns how many rows; the last step may be shorter. */
static size_t step_all(struct alone *a, double *rows, size_t width, double step, long steps, double duration)
{
    size_t made = 1;

    rows[0] = a->start;
    memcpy(rows + 1, a->out, a->outputs * sizeof *rows);
    for (long k = 0; k < steps && !a->wants_end; k++) {
        const double t = (double)k * step, h = fmin(step, duration - t);

        if (!step_alone(a, t, k + 1 < steps ? step : h) && !a->wants_end)
            break;
        double *row = rows + made++ * width;
        row[0] = a->start + (a->wants_end ? yk_fmu_stopped_at(a->fmu) : k + 1 < steps ? (double)(k + 1) * step : t + h);
        memcpy(row + 1, a->out, a->outputs * sizeof *rows);
    }
    return made;
}

/* How it ended, in words; the exit code. */
static int tell_end(const struct alone *a, const char *path)
{
    char words[600];

    if (yk_fmu_fault(a->fmu, words, sizeof words)) {
        fprintf(a->wants_end ? stdout : stderr, "%s%s: %s\n", a->wants_end ? "" : "yoke: ", path, words);
        return a->wants_end ? 0 : 3;
    }
    if (a->doubt == 0)
        return 0;
    fprintf(stderr,
            "yoke: %s: model exchange: more substeps change the step to t = %g s by %.2g of its states; smaller steps "
            "may help (--step)\n",
            path, a->start + a->doubt_t, a->doubt);
    return a->doubt < 1e-3 ? 0 : 3;
}

static int record_alone(struct alone *a, const char *path, const char *folder, double step, double duration)
{
    const struct yk_fmu_description *d = yk_fmu_description(a->fmu);
    const size_t width = a->outputs + 1;
    const bool varies = yk_fmu_chosen(a->fmu) == YK_FMU_EXCHANGE || yk_fmu_flags(a->fmu)->variable_step;
    const long steps = (long)(varies ? ceil(duration / step * (1 - 1e-12)) : floor(duration / step * (1 + 1e-9)));
    double *rows = calloc(width * (size_t)(steps + 2), sizeof *rows);
    char *names = joined("time", a->names, NULL, a->outputs), *units = joined("s", NULL, a->units, a->outputs),
         file[1024];
    struct yk_err err = {0};
    int code;

    if (!rows || !names || !units || yk_make_folder(folder) != 0) {
        fprintf(stderr, "yoke: %s cannot be made, or out of memory\n", folder);
        free(rows);
        free(names);
        free(units);
        return 1;
    }
    const size_t made = step_all(a, rows, width, step, steps, duration);
    code = tell_end(a, path);
    snprintf(file, sizeof file, "%s/run.h5", folder);
    const struct yk_record_content content = {
        .title = d->model,
        .experiment = "",
        .experiment_path = path,
        .overrides = "",
        .method = "fmu",
        .description = "{}",
        .summary = "{}",
        .finished = code == 0,
        .streams = {{.rows = rows, .count = made, .channels = width, .names = names, .units = units}}};
    if (yk_record_write(file, &content, &err))
        code = yk_command_fail(&err);
    else
        printf("%s: %zu steps of %g s; %s\n", d->model, made - 1, step, file);
    free(rows);
    free(names);
    free(units);
    return code;
}

int fmu_run(const char *path, const struct fmu_options *given)
{
    struct alone a = {0};
    struct yk_fmu *look;
    struct yk_err err = {0};
    double start, end, step;
    int code;

    if (given->interface && strcmp(given->interface, "model-exchange") != 0 &&
        strcmp(given->interface, "co-simulation") != 0)
        return yk_misuse(&command_fmu, "--interface is model-exchange or co-simulation, not '%s'", given->interface);
    if (yk_fmu_open(&look, path, "fmu", &err)) {
        yk_command_fail(&err);
        return 2;
    }
    start = yk_fmu_description(look)->start;
    end = yk_fmu_description(look)->stop;
    step = yk_fmu_description(look)->step;
    yk_fmu_close(look);
    start = isnan(start) ? 0 : start;
    const bool known = end > start;
    end = known ? end : start + 10;
    if (!yk_option_quantity(&command_fmu, "--end", given->end, YK_TIME, -1e9, 1e9, &end))
        return 2;
    step = step > 0 ? step : known ? (end - start) / 500 : 0.01;
    if (!yk_option_quantity(&command_fmu, "--step", given->step, YK_TIME, 1e-15, 1e6, &step))
        return 2;
    if (!(end > start))
        return yk_misuse(&command_fmu, "--end %g s is not after the start of this FMU, %g s", end, start);
    if (!((end - start) / step < 1e8))
        return yk_misuse(&command_fmu, "%g s in steps of %g s are too many steps", end - start, step);
    if (open_alone(&a, path, given, false, end - start, NULL, &err)) {
        yk_command_fail(&err);
        code = 2;
    } else {
        code = record_alone(&a, path, given->folder ? given->folder : "out/fmu", step, end - start);
    }
    close_alone(&a);
    return code;
}
