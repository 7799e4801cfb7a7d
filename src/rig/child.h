/* A program that is started beside this one, and ended with it. */
#ifndef YOKE_CHILD_H
#define YOKE_CHILD_H

#include <sys/types.h>
#include <yoke/param.h>

/* An interpreter with a script that serves on a port: `PROGRAM SCRIPT PORT`. */
struct yk_interpreter {
    char *program, *script, *log; /* settings, malloc'd; NULL: OpenSees, none, a file in the folder */
    char *folder;                 /* malloc'd, for its files, removed at the end; NULL: nothing was started */
    pid_t child;                  /* 0: none, or it has ended by itself */
    int how;                      /* it ended, as waitpid tells */
};
#define YK_INTERPRETER_PARAMS(owner, field)                                                                            \
    {.name = "script",                                                                                                 \
     .type = YK_PARAM_FILE,                                                                                            \
     .offset = offsetof(owner, field.script),                                                                          \
     .fallback = 0,                                                                                                    \
     .help = "script that is started as `PROGRAM SCRIPT PORT`, and serves on that port; without it, the server must "  \
             "run already"},                                                                                           \
        {.name = "program",                                                                                            \
         .type = YK_PARAM_TEXT,                                                                                        \
         .offset = offsetof(owner, field.program),                                                                     \
         .fallback = 0,                                                                                                \
         .help = "interpreter of the script; default OpenSees"},                                                       \
    {                                                                                                                  \
        .name = "log", .type = YK_PARAM_TEXT, .offset = offsetof(owner, field.log), .fallback = 0,                     \
        .help =                                                                                                        \
            "file for what the interpreter prints; by default only its last line is shown, where it ends too early"    \
    }
/* Is there a script that can be read, or a port of a server? */
enum yk_status yk_interpreter_check(const struct yk_interpreter *i, int port, struct yk_err *err);
/* Starts it where there is a script; *port 0: a free one is chosen. Without a script, a port must be given. */
enum yk_status yk_interpreter_start(struct yk_interpreter *i, int *port, struct yk_err *err);
/* A failure in words: how the interpreter has ended (by which signal or code), or `why` if it has not; and its log. */
void yk_interpreter_fault(struct yk_interpreter *i, const char *why, char *text, size_t size);
/* If the script has ended by itself, adds that to the failure. */
void yk_interpreter_explain(struct yk_interpreter *i, struct yk_err *err);
/* Ends it, and frees the settings. */
void yk_interpreter_end(struct yk_interpreter *i);

#endif
