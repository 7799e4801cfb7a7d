/* For those who watch a run. The dashboard is another process, so that nothing it does can reach the loop. */
#include "cli/live.h"
#include "cli/apps.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NICE = 10 };

struct yk_telemetry *live_publish(const struct yk_model *model, const char *name,
                                  const struct yk_run_channels *channels, const char *description, const char *folder)
{
    char whole[PATH_MAX];
    const char *states[YK_STATES + 1] = {0};
    struct yk_stream streams[YK_STREAMS];
    const struct yk_telemetry_info info = {.title = model->title,
                                           .folder = folder ? realpath(folder, whole) : NULL,
                                           .description = description,
                                           .stream_count = yk_run_streams(channels, streams),
                                           .streams = streams,
                                           .states = states,
                                           .period_s = folder ? model->time.step : 1 / model->time.control_rate,
                                           .steps = folder ? model->steps : 0,
                                           .tracked = yk_station_count(model->station)};
    struct yk_telemetry *telemetry = NULL;
    struct yk_err err;

    for (int i = 0; i < YK_STATES; i++)
        states[i] = yk_rig_state_text((enum yk_rig_state)i);
    if (yk_telemetry_create(&telemetry, name, &info, &err))
        fprintf(stderr, "yoke: this run cannot be watched (`yoke watch`, `yoke dash`): %s\n", yk_err_line(&err).text);
    return telemetry;
}

/* In the new process: nothing but what POSIX allows there. */
static void become(const char *program, char **argv)
{
    setsid(); /* Ctrl-C is for the run, whose end ends this */
    if (nice(NICE) == -1)
        errno = 0;          /* it is as it is */
    dup2(2, 1);             /* its one line is not part of what the run prints */
    close_range(3, ~0u, 0); /* the files of the run are not for it */
    execv(program, argv);
    _exit(127);
}

void live_start(const char *name)
{
    char *argv[] = {"yoke-dash", "--run", (char *)name, NULL};
    char program[APP_PATH];
    pid_t process;

    if (!find_app("dash", program)) {
        fprintf(stderr, "yoke: the dashboard does not start: %s\n", program);
        return;
    }
    if ((process = fork()) == 0)
        become(program, argv);
    if (process < 0)
        fprintf(stderr, "yoke: the dashboard does not start: %s\n", strerror(errno));
}
