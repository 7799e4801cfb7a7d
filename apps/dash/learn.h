/* Examples that a page may run on the virtual rig with other settings. The list is built in: a page chooses from it and
 * moves sliders within their ranges, and never names a file or a command. */
#ifndef YOKE_DASH_LEARN_H
#define YOKE_DASH_LEARN_H

#include <yoke/status.h>

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

enum { YK_LEARN_RUNS = 4 }; /* at the same time */

struct yk_learn {
    char folder[96];   /* for files and recordings; "": not made yet */
    char program[512]; /* that runs them */
    int made;          /* so far */
    struct {
        pid_t process; /* 0: none */
        char name[32];
    } runs[YK_LEARN_RUNS];
};

/* The list, as the protocol has it. */
json_t *yk_learn_list(void);
/* Starts an example; its process ends with the thread that calls this, or before. `name`: what the run is called, room
 * for 32 characters. */
enum yk_status yk_learn_start(struct yk_learn *learn, const char *example, const json_t *settings, char *name,
                              struct yk_err *err);
/* Does its process go on? */
bool yk_learn_runs(struct yk_learn *learn, const char *name);
/* The first words of the program, if it ended at once. */
void yk_learn_complaint(const struct yk_learn *learn, const char *name, char *text, size_t size);
/* Asks the process of a run to end; false where there is none. */
bool yk_learn_stop(struct yk_learn *learn, const char *name);
/* Takes note of processes that have ended. */
void yk_learn_reap(struct yk_learn *learn);
/* Ends all of them and removes the folder. */
void yk_learn_close(struct yk_learn *learn);

#endif
