/* yoke replay: a recorded test again, with other compensators and estimators. */
#include "replay.h"

#include <yoke/figure.h>
#include <yoke/json.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CUTOFF_HZ 30.0

/* Forwards and backwards: no phase. */
static enum yk_status low_pass(double *x, size_t n, double cutoff_Hz, double h, struct yk_err *err)
{
    struct yk_filter f = {0};
    enum yk_status st = yk_filter_butterworth(&f, 4, cutoff_Hz, h, false, err);

    for (int pass = 0; pass < 2 && !st; pass++) {
        yk_filter_reset(&f, x[0]);
        for (size_t k = 0; k < n; k++)
            x[k] = yk_filter_step(&f, x[k]);
        for (size_t k = 0; k < n / 2; k++) {
            const double swap = x[k];

            x[k] = x[n - 1 - k];
            x[n - 1 - k] = swap;
        }
    }
    return st;
}

static double rest_of(const double *x, size_t n, double h)
{
    const size_t rows = (size_t)fmin((double)n, fmax(1, 0.5 / h));
    double mean = 0;

    for (size_t k = 0; k < rows; k++)
        mean += x[k] / (double)rows;
    return mean;
}

/* Command and motion less their rest; the target is the command without what is faster than the cut-off. */
static enum yk_status read_recording(struct job *j, struct yk_err *err)
{
    static const struct yk_log_role roles[] = {{.name = "command", .quantity = YK_DISPLACEMENT},
                                               {.name = "displacement", .quantity = YK_DISPLACEMENT}};
    enum yk_status st =
        yk_log_read(&j->log, j->options->csv,
                    &(struct yk_log_ask){.roles = roles, .count = 2, .columns = j->options->columns}, err);

    if (st)
        return st;
    j->n = j->log.first[1]; /* the first of independent records */
    j->h = j->log.step_s;
    if ((double)j->n * j->h < 4)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(j->options->csv), "%zu rows in %g s: 4 s at least", j->n,
                          (double)j->n * j->h);
    if (!(j->target = malloc(3 * j->n * sizeof *j->target)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for a recording");
    j->x = j->target + j->n;
    j->u = j->x + j->n;
    const double u0 = rest_of(j->log.column[0].x, j->n, j->h), x0 = rest_of(j->log.column[1].x, j->n, j->h);
    for (size_t k = 0; k < j->n; k++) {
        j->target[k] = j->u[k] = j->log.column[0].x[k] - u0;
        j->x[k] = j->log.column[1].x[k] - x0;
    }
    return low_pass(j->target, j->n, j->options->cutoff_Hz > 0 ? j->options->cutoff_Hz : CUTOFF_HZ, j->h, err);
}

static void free_job(struct job *j)
{
    for (size_t i = 0; i < j->trials; i++) {
        free(j->trial[i].settings);
        free(j->trial[i].y);
    }
    free(j->plant_settings);
    free(j->target);
    yk_log_free(&j->log);
}

static int replay(struct job *j)
{
    struct yk_err err = {0};
    int code = 0;

    if ((j->options->plot && yk_figure_check_path(j->options->plot, &err)) || read_recording(j, &err) ||
        replay_machine(j, &err) || replay_choose(j, &err) || replay_track(j, &err) || replay_estimate(j, &err) ||
        replay_experiment(j, &err))
        return yk_command_fail(&err);
    if (j->options->json)
        code = yk_print_json(replay_json(j));
    else
        replay_print(j);
    return code || !j->options->plot ? code : replay_draw(j);
}

static int run(int argc, char **argv)
{
    struct replay_options o = {0};
    struct job *j = calloc(1, sizeof *j);
    struct yk_words words;
    int code = 2;

    if (!j) {
        fprintf(stderr, "yoke: out of memory\n");
        return 1;
    }
    j->options = &o;
    if (yk_take_options(&command_replay, argc, argv, &o, &words)) {
        if (o.json)
            yk_command_fail_in_json();
        if (words.count > 1 || (words.count && o.csv) || (!words.count && !o.csv))
            code = yk_misuse(&command_replay, "one recording: --csv FILE");
        else {
            o.csv = o.csv ? o.csv : words.rest[0];
            code = replay(j);
        }
    }
    free_job(j);
    free(j);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_replay, run, argc, argv);
}
