/* Runs the installed program as a user would: its words, its output, its exit code. */
#ifndef YOKE_TEST_PROGRAM_H
#define YOKE_TEST_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct program {
    pid_t pid;
    int code;         /* exit code; -signal where a signal ended it */
    char *out, *err;  /* what it printed */
    long resident_kB; /* the most memory it held */
    double wall_s;

    /* private */
    char out_path[600], err_path[600];
    double begin_s;
};

/* Starts `words` (NULL at the end; the first is the program itself), with at most file_limit bytes per file unless 0.
 * `run ... -o DIR` gets a --force, so that tests may use a folder again; `run ... --output=DIR` does not. */
void program_start(struct program *p, const char *const *words, size_t file_limit);
/* program_start, with a pipe to its standard input, whose end for writing is *to. */
void program_start_piped(struct program *p, const char *const *words, int *to);
/* `run` and `host` get --uncommissioned; false: they do not. */
extern bool program_is_commissioned_by_tests;
/* Waits for the end and collects. */
void program_wait(struct program *p);
void program_free(struct program *p);
void program_sleep(double seconds);

/* Starts YOKE_PROGRAM with the words given and waits: program_run(&p, "run", file, "-o", dir). */
#define program_run(p, ...)                                                                                            \
    do {                                                                                                               \
        program_start((p), (const char *const[]){YOKE_PROGRAM, __VA_ARGS__, NULL}, 0);                                 \
        program_wait(p);                                                                                               \
    } while (0)

/* Exit code of `words`. What was printed on both outputs is kept until the next call. */
int program_code(const char *const *words);
const char *program_said(void);
/* The last one said this. */
void assert_said(const char *words);
/* Its exit code is 0; otherwise what it said is shown. */
void assert_runs(const char *const *words);

#endif
