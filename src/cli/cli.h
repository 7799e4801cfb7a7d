/* Shared by the subcommands. One file per subcommand; each exports one table. */
#ifndef YOKE_CLI_H
#define YOKE_CLI_H

#include "experiment/experiment.h"
#include "transfer/physical.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct command {
    const char *name;
    const char *summary; /* one line */
    const char *help;    /* usage, options, examples; NULL: print_help prints them */
    void (*print_help)(FILE *out);
    const char *options;           /* for completion: words separated by blanks */
    const char *(*part)(size_t i); /* for completion: names in a table, NULL at the end; may be NULL */
    int (*run)(int argc, char **argv);
};

#define COMMAND(name) extern const struct command command_##name;
#include "cli/commands.def"
#undef COMMAND
extern const struct command *const commands[]; /* NULL at the end */

/* Words of a command line: options taken out, the rest left in order. */
struct words {
    char **rest;
    int count;
};

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_LIST };
struct option_spec {
    const char *name; /* "--json"; short form after a bar: "--output|-o" */
    enum option_kind kind;
    void *to; /* bool *, const char **, struct text_list * */
};
struct text_list {
    const char *text[64];
    size_t count;
};

/* Takes options anywhere on the line, "--name value" and "--name=value"; returns false after a message for an unknown
 * one. */
bool take_options(const struct command *command, int argc, char **argv, const struct option_spec *specs,
                  struct words *words);

/* "10 mm" of an option to SI, within [min, max]; NULL leaves *value. False after a message. */
bool parse_quantity(const struct command *command, const char *option, const char *text, enum yk_quantity quantity,
                    double min, double max, double *value);
/* A whole number likewise. */
bool parse_count(const struct command *command, const char *option, const char *text, long least, long most,
                 long *value);

/* The name of the first option that was given; NULL: none of them. The list ends without a name. */
struct given_option {
    const char *name;
    bool is;
};
const char *first_given(const struct given_option *options);

/* Prints the message of a failure and returns its exit code. */
int report_failure(const struct yk_err *err);
/* Tells that rows are missing in a recording; 0: says nothing. */
void warn_of_missing_rows(uint64_t rows);
/* From now on failures are also printed on the standard output: {error: {status, file, line, column, message}}. */
void report_failures_in_json(void);
/* Prints "yoke NAME: text", a hint at --help, and returns 2. */
int usage_error(const struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints JSON and releases it; returns 0, or 1 when it could not be written. */
int print_json(json_t *json);
json_t *json_number(double x); /* null where not finite */
/* A time of the loop: in us up to a millisecond, then in ms and s. */
struct yk_quantity_text loop_time(double seconds);
/* Loads the experiment of words->rest[0], the only word allowed. NULL after a message; *exit_code is then set. */
struct yk_experiment *load_experiment(const struct command *command, const struct words *words,
                                      const struct text_list *set, int *exit_code);
/* The same with the virtual rig instead of the backend, for commands that must not move a real one. */
struct yk_experiment *rehearse_experiment(const struct command *command, const struct words *words,
                                          const struct text_list *set, int *exit_code);
/* Of an experiment, which it takes over; NULL after a message. */
struct yk_plan *plan_experiment(struct yk_experiment *e, bool for_runs, int *exit_code);
/* Checks the step against the method's limit: refuses or warns as set in the file. Returns an exit code, 0 to
 * continue. */
int check_stability(const struct yk_plan *plan);
/* Makes the folder and the ones above it; 0, or -1 with errno. */
int make_folder(const char *path);
/* The words that started the program, as a shell would take them. */
const char *full_command(void);
char **full_words(void); /* each by itself, NULL at the end; NULL when out of memory */
/* The recording that a word of the command line means, malloc'd, NULL when out of memory: DIR/run.h5 of a folder,
 * DIR/latest/run.h5 of one that holds a folder for each run, otherwise the word itself. */
char *recording_path(const char *word);
/* Is the output (may be NULL) the recording itself, which writing would destroy? True after a message. */
bool is_recording(const char *out, const char *recording);
/* What to call it, malloc'd, NULL when out of memory: the folder's own name; that of out/frame/latest is frame. */
char *recording_label(const char *word);

/* An actuator of the station of an experiment, by name; NULL: the first. False after a message. */
bool find_actuator(const struct yk_experiment *e, const char *name, size_t *index);
/* The stream of a recording that --fine or --ticks selects, the system steps by default; -1 after a message. */
struct yk_recording;
int find_stream(const struct yk_recording *recording, const char *path, bool fine, bool ticks);

#endif
