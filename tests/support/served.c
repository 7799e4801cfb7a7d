#include "support/served.h"
#include "support/check.h"
#include "support/patience.h"

#include <signal.h>
#include <unistd.h>

void words_add(const char **words, int *n, const char *const *more)
{
    for (; more && *more && *n < WORDS_MOST - 1; more++)
        words[(*n)++] = *more;
    words[*n] = NULL;
}

void rig_first_line(const struct rig *r, char *line, int size)
{
    for (int tries = 0; tries < 3000; tries++) {
        FILE *in = fopen(r->p.out_path, "r");

        if (in && fgets(line, size, in) && strchr(line, '\n')) {
            fclose(in);
            return;
        }
        if (in)
            fclose(in);
        patience_sleep(0.01);
    }
    fail_msg("yoke serve did not start");
}

void served_start(struct rig *r, const char *program, bool shm, const char *file, const char *const *options)
{
    static int number;
    const char *words[WORDS_MOST] = {program, "serve", file};
    char line[256];
    int n = 3;

    *r = (struct rig){.backend = shm ? "rig.backend=shm" : "rig.backend=udp", .key = shm ? "name" : "port"};
    snprintf(r->address, sizeof r->address, "%d", 0);
    if (shm)
        snprintf(r->address, sizeof r->address, "e2e-%d-%d", (int)getpid(), number++);
    words_add(words, &n, (const char *const[]){shm ? "--shm" : "--udp", r->address, NULL});
    words_add(words, &n, options);
    program_start(&r->p, words, 0);
    rig_first_line(r, line, sizeof line);
    assert_memory_equal(line, "simulating 1 actuator (", 23);
    if (!shm)
        assert_int_equal(sscanf(strrchr(line, ':'), ":%120s", r->address), 1);
}

void rig_stop(struct rig *r, int with)
{
    kill(r->p.pid, with);
    program_wait(&r->p);
    if (r->p.code)
        print_error("%s", r->p.err);
    assert_int_equal(r->p.code, 0);
    assert_non_null(strstr(r->p.out, "waiting: "));
    program_free(&r->p);
}
