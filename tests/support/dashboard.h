/* A dashboard for the tests of one program, and runs that it shows. */
#ifndef YOKE_TEST_DASHBOARD_H
#define YOKE_TEST_DASHBOARD_H

#include "support/check.h"
#include "support/program.h"
#include "support/web.h"

/* deadlines that are missed are none of these tests' business */
#define PATIENT                                                                                                        \
    "limits={displacement: 200 mm, force: 8.3 kN, missed_deadlines: 0, stall: 0, start_ramp: 0.1, end_ramp: 0.1}"

extern struct dashboard {
    struct program server;
    int port;
    char token[64], authorized[128];               /* the second: as a header */
    char run_file[600], run_name[64], folder[600]; /* of the last run */
    bool alone;                                    /* nobody else uses this /dev/shm */
} dash;

/* For a group of tests: a server in a scratch folder. Ends the program where no dashboard was built. */
int dash_set_up(void **state);
int dash_tear_down(void **state);
void dash_start_server(void);
void dash_stop_server(void);
/* The address that a server printed into a file, into port and token. */
void dash_read_address(const char *path);
bool dash_is_alive(void);
/* A name of its own, since tests run beside each other. */
void dash_name_run(void);
/* A paced run with a new name. */
void dash_start_run(struct program *p, const char *set);
/* A viewer of the run, once it is seen. */
void dash_watch_run(struct web_socket *w);
/* Opens the address of a run, once its telemetry is there. */
void dash_watch(struct web_socket *w, const char *path);

#endif
