/* A program of one's own over the library: reads an experiment once, runs it once as a whole, then step by step, and
 * looks at one of its channels.
 *
 *     cc program.c $(pkg-config --cflags --libs yoke) -o program && ./program oscillator.yaml oscillator.x.u */
#include <stdio.h>
#include <stdlib.h>
#include <yoke/yoke.h>

static int failed(const struct yk_err *err)
{
    fprintf(stderr, "%s\n", yk_err_line(err).text);
    return yk_status_exit_code(err->status);
}

/* The largest value of a channel over all steps. */
static enum yk_status largest(const struct yk_model *model, const char *channel, double *most, struct yk_err *err)
{
    struct yk_session *run;
    enum yk_status st = yk_session_open(&run, model, err);
    long at = st ? -1 : yk_session_channel_find(run, channel);

    if (!st && at < 0)
        st = yk_fail(err, YK_E_INPUT, "there is no channel '%s'", channel);
    for (*most = 0; !st; st = yk_session_step(run, err)) {
        const double now = yk_session_row(run)[at];

        *most = now > *most ? now : *most;
        if (yk_session_is_finished(run))
            break;
    }
    if (!st)
        printf("%s: at most %.6g %s\n", channel, *most, yk_session_channel_unit(run, (size_t)at));
    yk_session_close(run);
    return st;
}

int main(int argc, char **argv)
{
    struct yk_err err = {0};
    struct yk_model *model;
    char *summary;
    double most;

    if (argc != 3) {
        fprintf(stderr, "usage: %s FILE CHANNEL\n", argv[0]);
        return 2;
    }
    if (yk_model_open(&model, argv[1], NULL, 0, &err))
        return failed(&err);
    printf("%s: %ld steps of %g s by %s\n", yk_model_title(model), yk_model_steps(model), yk_model_step(model),
           yk_model_method(model));
    if (yk_model_run(model, NULL, &summary, &err)) /* a path instead of NULL records the run */
        return failed(&err);
    printf("a summary of %s\n", summary ? "the whole run is there" : "nothing");
    free(summary);
    if (largest(model, argv[2], &most, &err))
        return failed(&err);
    yk_model_close(model);
    return 0;
}
