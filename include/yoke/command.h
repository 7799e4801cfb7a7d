/* Common parts of commands on the terminal: options, messages, exit codes, JSON. For `yoke` itself, for the programs
 * `yoke-NAME` that it starts (apps/), and for commands of your own. A command and its options are described once, in a
 * table; parsing, `--help`, completion and the manual page are made from it.
 *
 *     struct given {
 *         const char *output;
 *         double rate;
 *         bool json;
 *     };
 *     static const struct yk_option options[] = {
 *         {"--output|-o", "FILE", "file for the result", YK_INTO(struct given, output)},
 *         {"--rate", "F", "samples per second; default 100 Hz", YK_INTO(struct given, rate),
 *          .quantity = YK_FREQUENCY, .least = 1, .most = 1e5},
 *         {"--json", NULL, "print the result as JSON", YK_INTO(struct given, json)},
 *         {0},
 *     };
 *
 * Exit codes: 0 done; 2 bad input or usage (nothing was run); 3 stopped by a limit or fault; 4 a check did not hold; 5
 * the results of a run are unusable; 1 anything else.
 *
 * A library of its own, libyoke-command.a, beside libyoke, which never prints; it needs jansson. For the main thread of
 * a program that is one command: programs that show messages in another way take them as data (yoke/status.h). */
#ifndef YOKE_COMMAND_H
#define YOKE_COMMAND_H

#include <stdatomic.h>
#include <stdio.h>
#include <yoke/json.h>
#include <yoke/recording.h>
#include <yoke/units.h>

/* The values of an option that may be given several times. */
struct yk_text_list {
    const char *text[64];
    size_t count;
};

enum yk_option_kind {
    YK_OPTION_FLAG,  /* bool; takes no value */
    YK_OPTION_TEXT,  /* const char *         */
    YK_OPTION_LIST,  /* struct yk_text_list      */
    YK_OPTION_VALUE, /* double: a quantity with its unit, from least to most [SI] */
    YK_OPTION_COUNT  /* long: a whole number from least to most */
};
/* Destination of the value of an option: a field of the struct that yk_take_options fills. The type of the field
 * decides how the text is read. A field of an option that is not given keeps the value that it had. */
#define YK_INTO(type, field)                                                                                           \
    .at = offsetof(type, field), .kind = _Generic(((type *)0)->field, bool                                             \
                                                  : YK_OPTION_FLAG, const char *                                       \
                                                  : YK_OPTION_TEXT, struct yk_text_list                                    \
                                                  : YK_OPTION_LIST, double                                            \
                                                  : YK_OPTION_VALUE, long                                              \
                                                  : YK_OPTION_COUNT)

/* A row of the table, which ends with a row of nothing. A name that begins with "-" is an option. Another name is a
 * word of the command ("pause"): it is explained and completed, and the command reads it itself. A row with a help
 * alone is a paragraph between options, an option without a help an old word that is still taken and not shown. A row
 * with `rows` stands for another table, whose struct begins at `at`. */
struct yk_option {
    const char *name;     /* "--output"; with a short form "--output|-o" */
    const char *argument; /* "FILE"; NULL: takes no value */
    const char *help;     /* filled to the width of the page; a line break in it stays */
    size_t at;            /* this and the next by YK_INTO */
    enum yk_option_kind kind;
    enum yk_quantity quantity; /* of a YK_OPTION_VALUE */
    double least, most;        /* of a YK_OPTION_VALUE or YK_OPTION_COUNT */
    const struct yk_option *rows;
    void (*print)(FILE *out); /* a row with this alone: a part of the page that the command prints itself */
};

struct yk_command {
    const char *name;    /* "plot": `yoke plot`, or the program yoke-plot */
    const char *summary; /* half a line, for the list of commands */
    const char *usage;   /* the words after the name, one form on each line: "DIR [-o OUT.svg]" */
    const char *about;   /* paragraphs, separated by an empty line; filled */
    const struct yk_option *options;
    const char *notes;                 /* paragraphs after the options, or NULL */
    const char *json;                  /* what --json prints; lines are printed as they are; or NULL */
    const char *examples;              /* command lines, one on each line; or NULL */
    int (*run)(int argc, char **argv); /* the words after the name; NULL: the program yoke-NAME runs it */
};

/* The words of a command line that belong to no option, in their order. */
struct yk_words {
    char **rest;
    int count;
};

/* Reads a command line without the name of the command: "--name value", "--name=value", "-n value", options anywhere,
 * no more of them after "--". Fills the struct at `to`. False after a message on stderr: the exit code is then 2. */
bool yk_take_options(const struct yk_command *command, int argc, char **argv, void *to, struct yk_words *words);

/* A quantity or a whole number in a text that is not simply an option, read like one. NULL leaves *value. False after a
 * message. */
bool yk_option_quantity(const struct yk_command *command, const char *option, const char *text,
                        enum yk_quantity quantity, double least, double most, double *value);
bool yk_option_count(const struct yk_command *command, const char *option, const char *text, long least, long most,
                     long *value);

/* The row of a word ("pause") of a command; NULL: it has no such word. */
const struct yk_option *yk_command_row(const struct yk_command *command, const char *word);
/* Was --quiet or -q among the options? */
bool yk_command_is_quiet(void);
/* The name of the first option that was given; NULL: none of them. The list ends without a name. */
struct yk_given {
    const char *name;
    bool is;
};
const char *yk_first_given(const struct yk_given *options);

/* ---- the page of --help, the manual page, and completion ---- */

void yk_command_help(const struct yk_command *command, FILE *out);
/* Its section of the manual page, for man(1). */
void yk_command_manual(const struct yk_command *command, FILE *out);
/* Its words and options, with blanks between them. */
void yk_command_list(const struct yk_command *command, FILE *out);

/* ---- the program of a command ---- */

/* Answers --help, runs the command, and reports an output that could not be written. Returns the exit code of the
 * process. argv as main has it, of `yoke NAME ...` or of `yoke-NAME ...`; `run` gets the words after that. */
int yk_command_main(const struct yk_command *command, int (*run)(int argc, char **argv), int argc, char **argv);
/* Its parts, for a program that is several commands. Begin: closed standard streams do not become files, and a
 * real-time policy of the caller is not inherited. End: reports an output that could not be written, and returns the
 * exit code. */
void yk_command_begin(int argc, char **argv);
int yk_command_end(int code);
/* Is --help or -h among the words, before a "--"? */
bool yk_command_asks_help(int argc, char **argv);
/* The words that started the command, as a shell would take them: "yoke study frame.yaml". */
const char *yk_command_line(void);
char **yk_command_words(void); /* each by itself, NULL at the end; NULL when out of memory */

/* ---- messages ---- */

/* Prints the message of a failure in one line, "yoke: file:line:column: words", and returns its exit code. */
int yk_command_fail(const struct yk_err *err);
/* From now on failures are also printed on the standard output: {error: {status, file, line, column, message}}. */
void yk_command_fail_in_json(void);
/* Prints "yoke NAME: text", a hint at --help, and returns 2. */
int yk_misuse(const struct yk_command *command, const char *format, ...) YK_PRINTF(2, 3);

/* ---- what is written ---- */

/* Prints JSON and releases it; returns 0, or 1 when it could not be written. */
int yk_print_json(struct json_t *json);
/* Makes the folder and the ones above it; 0, or -1 with errno. */
int yk_make_folder(const char *path);

/* ---- a service: what works until a signal ends it ---- */

struct yk_service {
    void (*run)(void *self, const atomic_bool *stop);  /* returns soon after *stop */
    void (*print_counts)(FILE *out, const void *self); /* in half a line: what it has done so far */
    void *self;
    int priority; /* SCHED_FIFO of the thread that runs it, where allowed; 0: normal */
};
/* From now on Ctrl-C, SIGTERM, SIGHUP, ... end the service in an orderly way. Before it opens anything or starts
 * threads.
 */
void yk_command_serve_begin(void);
/* Runs it in a thread until such a signal comes, and keeps its counts up to date on a terminal. */
void yk_command_serve(const struct yk_service *service);

/* ---- recordings ---- */

/* The recording that a word of the command line means, malloc'd, NULL when out of memory: DIR/run.h5 of a folder,
 * DIR/latest/run.h5 of one that holds a folder for each run, otherwise the word itself. */
char *yk_command_recording(const char *word);
/* Label of the recording that a word means, malloc'd, NULL when out of memory: the name of its folder, also for
 * FOLDER/run.h5; for out/frame/latest it is frame. */
char *yk_command_label(const char *word);
/* Is the output (may be NULL) the recording itself, which writing would destroy? True after a message. */
bool yk_command_replaces(const char *output, const char *recording);
/* The stream of a recording that --fine or --ticks selects, the system steps by default; -1 after a message. */
int yk_command_stream(const struct yk_recording *recording, const char *path, bool fine, bool ticks);

#endif
