#include "support/dashboard.h"
#include "support/own_shm.h"
#include "support/patience.h"
#include "support/scratch.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define FILE_ YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"

struct dashboard dash;

static bool is_built(void)
{
    struct program p;
    bool has;

    program_run(&p, "dash", "--listen", "nowhere");
    has = !strstr(p.err, "without CivetWeb");
    program_free(&p);
    return has;
}

void dash_read_address(const char *path)
{
    char text[300] = "";

    dash.port = 0;
    for (int tries = 0; tries < 1500 && !dash.port; tries++) {
        FILE *in = fopen(path, "r");

        patience_sleep(0.02);
        if (!in)
            continue;
        while (fgets(text, sizeof text, in) && !dash.port)
            if (sscanf(text, "dashboard: http://127.0.0.1:%d/?token=%63[0-9a-f]", &dash.port, dash.token) != 2)
                dash.port = 0;
        fclose(in);
    }
    assert_true(dash.port > 0);
    snprintf(dash.authorized, sizeof dash.authorized, "Authorization: Bearer %s\r\n", dash.token);
}

void dash_start_server(void)
{
    program_start(&dash.server, (const char *const[]){YOKE_PROGRAM, "dash", scratch_path("runs"), "--port", "0", NULL},
                  0);
    dash_read_address(dash.server.out_path);
}

void dash_stop_server(void)
{
    kill(dash.server.pid, SIGTERM);
    program_wait(&dash.server);
    assert_int_equal(dash.server.code, 0);
    program_free(&dash.server); /* its number stays */
}

bool dash_is_alive(void)
{
    int status;
    char *answer = web_get(dash.port, "/api/runs", dash.authorized, &status);
    const bool good = status == 200;

    free(answer);
    return good && kill(dash.server.pid, 0) == 0;
}

void dash_name_run(void)
{
    static int number;
    char command[1400];

    snprintf(dash.run_name, sizeof dash.run_name, "dash-%ld-%d", (long)getpid(), number++);
    snprintf(dash.run_file, sizeof dash.run_file, "%s/%s.yaml", scratch_path(""), dash.run_name);
    snprintf(dash.folder, sizeof dash.folder, "%s/%s", scratch_path("runs"), dash.run_name);
    snprintf(command, sizeof command, "mkdir -p %s && cp %s %s", scratch_path("runs"), FILE_, dash.run_file);
    assert_int_equal(system(command), 0);
}

void dash_start_run(struct program *p, const char *set)
{
    dash_name_run();
    program_start(p,
                  (const char *const[]){YOKE_PROGRAM, "run", dash.run_file, "-o", dash.folder, "--realtime",
                                        "--no-report", "--priority", "0", "--set", PATIENT, "--set", set, NULL},
                  0);
}

void dash_watch_run(struct web_socket *w)
{
    char path[200];

    snprintf(path, sizeof path, "/ws?run=live:%s", dash.run_name);
    dash_watch(w, path);
}

void dash_watch(struct web_socket *w, const char *path)
{
    for (int tries = 0; tries < 200; tries++) {
        web_open(w, dash.port, path, dash.authorized);
        if (w->fd >= 0)
            return;
        patience_sleep(0.05);
    }
    fail_msg("the run is not seen");
}

int dash_set_up(void **state)
{
    char command[700];

    dash.alone = own_shm();
    if (scratch_create(state))
        return 1;
    snprintf(command, sizeof command, "mkdir -p %s", scratch_path("runs"));
    assert_int_equal(system(command), 0);
    if (!is_built()) {
        print_message("this program was built without CivetWeb: nothing to test\n");
        scratch_remove(state);
        exit(0);
    }
    dash_start_server();
    return 0;
}

int dash_tear_down(void **state)
{
    dash_stop_server();
    return scratch_remove(state);
}
