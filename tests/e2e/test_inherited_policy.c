/* A program started with a real-time policy (chrt -f 50 yoke ...): the loop alone has one, and it is its own. */
#include "support/check.h"
#include "support/patience.h"
#include "support/program.h"
#include "support/scratch.h"

#include "base/clock.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define SPRING  YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"
#define SPLIT   YOKE_SOURCE "/examples/paced-split-mass/paced-split-mass.yaml"
#define PATIENT "limits={displacement: 200 mm, missed_deadlines: 0, stall: 0, coarse_wait: 10}"

enum { INHERITED = 5, THREADS_MOST = 8 };

static void adopt(int policy, int priority)
{
    if (sched_setscheduler(0, policy, &(struct sched_param){.sched_priority = priority}))
        skip(); /* this machine refuses real-time scheduling */
}

/* Starts it with the inherited policy; the test itself goes on with the normal one. */
static void start(struct program *p, const char *const *words)
{
    adopt(SCHED_FIFO, INHERITED);
    program_start(p, words, 0);
    adopt(SCHED_OTHER, 0);
}

/* The priorities of the real-time threads of a process, the highest first; 0 at the end. How many threads it has. */
static int priorities_of(pid_t pid, int priority[THREADS_MOST + 1])
{
    char path[64];
    struct dirent *entry;
    int threads = 0, found = 0;

    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *tasks = opendir(path);
    assert_non_null(tasks);
    while ((entry = readdir(tasks))) {
        struct sched_param param;
        const pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);

        if (thread <= 0 || sched_getparam(thread, &param))
            continue;
        threads++;
        if (sched_getscheduler(thread) != SCHED_OTHER && found < THREADS_MOST)
            priority[found++] = param.sched_priority;
    }
    closedir(tasks);
    for (int i = 0; i < found; i++)
        for (int k = i + 1; k < found; k++)
            if (priority[k] > priority[i]) {
                const int higher = priority[k];

                priority[k] = priority[i];
                priority[i] = higher;
            }
    priority[found] = 0;
    return threads;
}

/* Such a program comes to have at least that many threads, and of these exactly those priorities. */
static void check(const char *const *words, int threads, int highest, int second)
{
    int priority[THREADS_MOST + 1] = {0}, count = 0;
    struct program p;
    bool as_wanted = false;

    start(&p, words);
    for (int tries = 0; tries < 400 && !as_wanted && kill(p.pid, 0) == 0; tries++) {
        patience_sleep(0.05);
        count = priorities_of(p.pid, priority);
        as_wanted = count >= threads && priority[0] == highest && (!highest || priority[1] == second) &&
                    (!highest || !second || priority[2] == 0);
    }
    kill(p.pid, SIGTERM);
    program_wait(&p);
    if (!as_wanted)
        fail_msg("yoke %s: %d threads, priorities %d %d %d; code %d, %s%s", words[1], count, priority[0], priority[1],
                 priority[2], p.code, p.out, p.err);
    program_free(&p);
}

static void a_paced_run_has_only_its_loop_in_real_time(void **state)
{
    check((const char *const[]){YOKE_PROGRAM, "run", SPRING, "-o", scratch_path("run"), "--realtime", "--set",
                                "time.end=60", "--set", PATIENT, NULL},
          3, 80, 0);
}

static void the_coarse_side_is_one_below(void **state)
{
    check((const char *const[]){YOKE_PROGRAM, "run", SPLIT, "-o", scratch_path("split"), "--realtime", "--threads", "2",
                                "--set", "time.end=60", "--set", PATIENT, NULL},
          4, 80, 79);
}

static void a_paced_run_that_asks_for_normal_scheduling_gets_it(void **state)
{
    check((const char *const[]){YOKE_PROGRAM, "run", SPRING, "-o", scratch_path("normal"), "--realtime", "--priority",
                                "0", "--set", "time.end=60", "--set", PATIENT, NULL},
          3, 0, 0);
}

static void a_served_rig_has_only_its_loop_in_real_time(void **state)
{
    check((const char *const[]){YOKE_PROGRAM, "serve", SPRING, "--udp", "0", NULL}, 2, 70, 0);
    check((const char *const[]){YOKE_PROGRAM, "serve", SPRING, "--udp", "0", "--site", scratch_path("site"), NULL}, 3,
          70, 0);
}

static void a_console_has_only_its_loop_in_real_time(void **state)
{
    check((const char *const[]){YOKE_PROGRAM, "rig", SPRING, "-c", "enable; wait 60 s", "--set", PATIENT, NULL}, 2, 80,
          0);
}

static void a_dashboard_has_none(void **state)
{
    check((const char *const[]){YOKE_PROGRAM, "dash", "--port", "0", NULL}, 2, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_paced_run_has_only_its_loop_in_real_time),
        cmocka_unit_test(the_coarse_side_is_one_below),
        cmocka_unit_test(a_paced_run_that_asks_for_normal_scheduling_gets_it),
        cmocka_unit_test(a_served_rig_has_only_its_loop_in_real_time),
        cmocka_unit_test(a_console_has_only_its_loop_in_real_time),
        cmocka_unit_test(a_dashboard_has_none),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
