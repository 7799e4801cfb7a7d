/* yoke calibrate: settings of laws from measured loops. */
#include "calibrate.h"

#include <yoke/figure.h>
#include <yoke/file.h>
#include <yoke/json.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    interrupted = 1;
}

static bool stop(void *self)
{
    return interrupted;
}

static int calibrate(struct job *job)
{
    struct yk_err err = {0};
    int code = 0;

    if (calibrate_read(job, &err))
        return yk_command_fail(&err);
    signal(SIGINT, on_interrupt);
    job->ask.stop = stop;
    if (yk_calibrate(&job->ask, &job->found, &err))
        return yk_command_fail(&err);
    if (job->options->json)
        code = yk_print_json(calibrate_json(job));
    else
        calibrate_print(job);
    if (!code && job->options->out) {
        if (!yk_file_replace(job->options->out, calibrate_write, job)) {
            fprintf(stderr, "yoke: cannot write %s: %s\n", job->options->out, strerror(errno));
            return 1;
        }
        if (!job->options->json)
            printf("law: %s\n", job->options->out);
    }
    return code || !job->options->plot ? code : calibrate_draw(job);
}

static int run(int argc, char **argv)
{
    struct calibrate_options o = {0};
    struct job *job = calloc(1, sizeof *job);
    struct yk_words words;
    int code = 2;

    if (!job) {
        fprintf(stderr, "yoke: out of memory\n");
        return 1;
    }
    job->options = &o;
    if (yk_take_options(&command_calibrate, argc, argv, &o, &words)) {
        if (o.json)
            yk_command_fail_in_json();
        if (words.count != 1) {
            code = yk_misuse(&command_calibrate, "which file with a section `calibrate`?");
        } else {
            job->path = words.rest[0];
            code = calibrate(job);
        }
    }
    calibrate_free(job);
    free(job);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_calibrate, run, argc, argv);
}
