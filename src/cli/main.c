/* yoke: dispatch to the subcommands, and what they share. */
#include "base/number.h"
#include "cli/cli.h"
#include "cli/waiting.h"
#include "hdf5/h5_exit.h"
#include "yaml/fields.h"

#include "analyze/analyze.h"
#include "engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "cli/commands.def"
#undef COMMAND
    NULL,
};

static bool quiet; /* of this command: --quiet was given */
static bool failures_in_json;
static char *command_line, **program_words;

char **full_words(void)
{
    return program_words;
}

const char *full_command(void)
{
    return command_line ? command_line : "";
}

/* Words with blanks or other characters that a shell would not leave alone are quoted. */
static char *join_words(int argc, char **argv)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (int i = 0; out && i < argc; i++) {
        fputs(i ? " " : "", out);
        if (*argv[i] && argv[i][strspn(argv[i], plain)] == 0) {
            fputs(argv[i], out);
            continue;
        }
        fputc('\'', out);
        for (const char *c = argv[i]; *c; c++)
            *c == '\'' ? fputs("'\\''", out) : fputc(*c, out);
        fputc('\'', out);
    }
    return out && fclose(out) == 0 ? text : NULL;
}

bool take_options(const struct command *command, int argc, char **argv, const struct option_spec *specs,
                  struct words *words)
{
    bool options = true;

    *words = (struct words){argv, 0};
    for (int i = 0; i < argc; i++) {
        char *word = argv[i];
        const struct option_spec *s = specs;
        const char *value = NULL;

        if (options && strcmp(word, "--") == 0) {
            options = false;
            continue;
        }
        if (!options || word[0] != '-' || word[1] == 0) {
            words->rest[words->count++] = word;
            continue;
        }
        for (; s->name; s++) {
            const size_t length = strcspn(s->name, "|");
            const char *shorter = s->name[length] ? s->name + length + 1 : NULL;

            if ((shorter && strcmp(word, shorter) == 0) || (strncmp(word, s->name, length) == 0 && word[length] == 0))
                break;
            if (strncmp(word, s->name, length) == 0 && word[length] == '=') {
                value = word + length + 1;
                break;
            }
        }
        if (!s->name) {
            usage_error(command, "unknown option '%s'", word);
            return false;
        }
        if (s->kind == OPTION_FLAG && value) { /* --approach=no must not mean yes */
            usage_error(command, "'%s' takes no value: leave out '=%s', or the option", word, value);
            return false;
        }
        if (s->kind == OPTION_FLAG) {
            *(bool *)s->to = true;
            quiet = quiet || strncmp(s->name, "--quiet", 7) == 0;
            continue;
        }
        if (!value && ++i < argc && strncmp(argv[i], "--", 2) != 0) /* an option is no value, unless after = */
            value = argv[i];
        if (!value || !*value) { /* empty: an unset variable of a script; as a folder it would be the root */
            usage_error(command, "'%s' needs a value", word);
            return false;
        }
        if (s->kind == OPTION_TEXT) {
            *(const char **)s->to = value;
        } else {
            struct text_list *list = s->to;

            if (list->count == sizeof list->text / sizeof *list->text) {
                usage_error(command, "'%s' was given too often", word);
                return false;
            }
            list->text[list->count++] = value;
        }
    }
    return true;
}

bool parse_quantity(const struct command *command, const char *option, const char *text, enum yk_quantity quantity,
                    double min, double max, double *value)
{
    struct yk_err err = {0};
    double x;

    if (!text)
        return true;
    if (yk_quantity_parse(text, quantity, &x, &err))
        usage_error(command, "%s: %s", option, yk_err_line(&err).text);
    else if (!(x >= min && x <= max))
        usage_error(command, "%s '%s' is outside %g .. %g %s", option, text, min, max, yk_quantity_unit(quantity));
    else
        return *value = x, true;
    return false;
}

bool parse_count(const struct command *command, const char *option, const char *text, long least, long most,
                 long *value)
{
    double x;

    if (!text)
        return true;
    if (yk_number_list(text, &x, 1) != 1 || !(x >= (double)least && x <= (double)most) || x != floor(x)) {
        usage_error(command, "%s '%s' must be a whole number from %ld to %ld", option, text, least, most);
        return false;
    }
    *value = (long)x;
    return true;
}

void warn_of_missing_rows(uint64_t rows)
{
    if (rows)
        fprintf(stderr, "yoke: warning: %llu rows are missing in the recording: the disk did not keep up\n",
                (unsigned long long)rows);
}

void report_failures_in_json(void)
{
    failures_in_json = true;
}

/* null for a text that is empty, or that is not UTF-8 */
static json_t *text_or_null(const char *text)
{
    json_t *json = *text ? json_string(text) : NULL;

    return json ? json : json_null();
}

static json_t *failure_to_json(const struct yk_err *err)
{
    struct yk_err words = *err;

    *words.file = 0;
    return json_pack("{s:{s:s, s:o, s:o, s:o, s:o}}", "error", "status", yk_status_text(err->status), "file",
                     text_or_null(err->file), "line", err->line ? json_integer(err->line) : json_null(), "column",
                     err->column ? json_integer(err->column) : json_null(), "message",
                     text_or_null(yk_err_line(&words).text));
}

int report_failure(const struct yk_err *err)
{
    if (failures_in_json)
        print_json(failure_to_json(err));
    fprintf(stderr, "yoke: %s\n", yk_err_line(err).text);
    return yk_status_exit_code(err->status);
}

int usage_error(const struct command *command, const char *format, ...)
{
    char text[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const size_t length = strlen(text);
    const bool asks = length && text[length - 1] == '?';

    fprintf(stderr, "yoke %s: %s%s `yoke %s --help`\n", command->name, text, asks ? " See" : "; see", command->name);
    return 2;
}

int print_json(json_t *json)
{
    const bool good = json && json_dumpf(json, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) == 0 &&
                      putchar('\n') != EOF && fflush(stdout) == 0;

    json_decref(json);
    return good ? 0 : 1;
}

const char *first_given(const struct given_option *options)
{
    while (options->name && !options->is)
        options++;
    return options->name;
}

struct yk_quantity_text loop_time(double seconds)
{
    struct yk_quantity_text out;

    if (seconds >= 1e-3)
        return yk_quantity_format(seconds, YK_TIME, 3);
    snprintf(out.text, sizeof out.text, "%.3g us", 1e6 * seconds);
    return out;
}

json_t *json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static struct yk_experiment *load(const struct command *command, const struct words *words, const struct text_list *set,
                                  bool rehearsal, int *exit_code)
{
    struct yk_experiment *e = NULL;
    struct yk_err err = {0};

    *exit_code = 0;
    if (!quiet)
        waiting_begin();
    if (words->count != 1)
        *exit_code = usage_error(command, words->count ? "one experiment file at a time" : "which experiment file?");
    else if ((rehearsal ? yk_experiment_rehearse : yk_experiment_load)(&e, words->rest[0], set->text, set->count, &err))
        *exit_code = report_failure(&err);
    for (size_t i = 0; e && i < e->notes->count; i++)
        fprintf(stderr, "yoke: note: %s\n", e->notes->items[i]);
    return e;
}

struct yk_experiment *load_experiment(const struct command *command, const struct words *words,
                                      const struct text_list *set, int *exit_code)
{
    return load(command, words, set, false, exit_code);
}

struct yk_experiment *rehearse_experiment(const struct command *command, const struct words *words,
                                          const struct text_list *set, int *exit_code)
{
    return load(command, words, set, true, exit_code);
}

struct yk_plan *plan_experiment(struct yk_experiment *e, bool for_runs, int *exit_code)
{
    struct yk_err err = {0};
    struct yk_plan *plan;

    *exit_code = yk_plan_adopt(&plan, e, for_runs, &err) ? report_failure(&err) : 0;
    return plan;
}

int check_stability(const struct yk_plan *plan)
{
    const struct yk_experiment *e = yk_plan_experiment(plan);
    struct yk_stability s;
    struct yk_err err = {0};
    const bool warn =
        e->stability == YK_WARN_UNSTABLE || e->coupling; /* couplings may be worth studying beyond their limit */

    if (e->integrator && !(e->integrator->caps & YK_INTEG_CONDITIONAL))
        return 0;
    if (yk_check_stability(e, plan, &s, &err))
        return report_failure(&err);
    if (s.undecided)
        fprintf(stderr, "yoke: warning: this coupling is too large to predict whether the time step is stable\n");
    if (s.stable)
        return 0;
    yk_stability_words(e, &s, !warn, &err);
    if (!warn)
        return report_failure(&err);
    fprintf(stderr, "yoke: warning: %s\n", yk_err_line(&err).text);
    return 0;
}

int find_stream(const struct yk_recording *recording, const char *path, bool fine, bool ticks)
{
    const char *name = ticks ? "ticks" : fine ? "fine" : "system";
    const int stream = yk_recording_stream(recording, name);

    if (stream < 0)
        fprintf(stderr, "yoke: %s has no samples of %s\n", path,
                ticks ? "control ticks: the run had no specimen" : "the fine step: the run was not coupled");
    return stream;
}

int make_folder(const char *path)
{
    char *copy = strdup(path);
    int result = copy ? 0 : -1;

    for (char *at = copy ? copy + 1 : NULL; at && result == 0; at++) {
        const char here = *at;

        if (here != '/' && here != 0)
            continue;
        *at = 0;
        result = mkdir(copy, 0777) == 0 || errno == EEXIST ? 0 : -1;
        *at = here;
        if (here == 0)
            break;
    }
    free(copy);
    return result;
}

static void print_help(FILE *out)
{
    fputs("Yoke couples what is computed with what is tested.\n\nusage: yoke COMMAND [...]\n\n", out);
    for (const struct command *const *c = commands; *c; c++)
        fprintf(out, "  %-12s %s\n", (*c)->name, (*c)->summary);
    fputs(
        "\n`yoke COMMAND --help` or `yoke help COMMAND` explains a command; `yoke --version` or `yoke version` prints "
        "the build.\n"
        "Exit codes: 0 done, 2 bad input (nothing was run), 3 stopped by a limit or fault, 4 a check did not hold, 1 "
        "else.\n",
        out);
}

static const char *next_command(void *self)
{
    const struct command *const **at = self;

    return **at ? (*(*at)++)->name : NULL;
}

static int no_command(const char *name)
{
    const struct command *const *cursor = commands;
    char hint[96];

    if (*name)
        fprintf(stderr, "yoke: there is no command '%s'%s\n\n", name,
                yk_suggest(name, next_command, &cursor, "", hint, sizeof hint));
    print_help(stderr);
    return 2;
}

static const struct command *find_command(const char *name)
{
    for (const struct command *const *c = commands; *c; c++)
        if (strcmp(name, (*c)->name) == 0)
            return *c;
    return NULL;
}

static int help_of(const struct command *command)
{
    if (command->print_help)
        command->print_help(stdout);
    else
        fputs(command->help, stdout);
    return 0;
}

/* `yoke help` and `yoke help COMMAND`, also with --help or -h in front. */
static int help_with(int count, char **words)
{
    const struct command *command = count == 1 ? find_command(words[0]) : NULL;

    if (count == 0)
        return print_help(stdout), 0;
    if (count > 1) {
        fprintf(stderr, "yoke: help explains one command at a time: yoke help COMMAND\n");
        return 2;
    }
    return command ? help_of(command) : no_command(words[0]);
}

static int dispatch(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const struct command *command = find_command(name);

    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        puts(yk_build_id());
        return 0;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return help_with(argc - 2, argv + 2);
    if (!command)
        return no_command(name);
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return help_of(command);
    return command->run(argc - 2, argv + 2);
}

/* A stream that the caller has closed must not become the next file that is opened: messages would go into a recording.
 * What takes its place cannot be written (read) either. */
static void hold_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(1);
}

/* A real-time policy that the program was started with (chrt) would pass to every thread and to other programs. The
 * loop asks for its own. */
static void leave_real_time(void)
{
    const int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;

    if (policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE)
        sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
}

int main(int argc, char **argv)
{
    hold_streams();
    leave_real_time();
    yk_h5_end_silently();
    command_line = join_words(argc, argv);
    if ((program_words = calloc((size_t)argc + 1, sizeof *program_words)))
        memcpy(program_words, argv, (size_t)argc * sizeof *argv);
    const int code = dispatch(argc, argv);

    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "yoke: cannot write to standard output: %s\n", strerror(errno));
    return code ? code : 1;
}
