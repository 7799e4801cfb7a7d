/* Commands on the terminal: messages, exit codes, the frame of a program (yoke/command.h). */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yoke/command.h>
#include <yoke/hdf5.h>

static bool failures_in_json;
static char *command_line, **program_words;

char **yk_command_words(void)
{
    return program_words;
}

const char *yk_command_line(void)
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

void yk_command_fail_in_json(void)
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

int yk_command_fail(const struct yk_err *err)
{
    if (failures_in_json)
        yk_print_json(failure_to_json(err));
    fprintf(stderr, "yoke: %s\n", yk_err_line(err).text);
    return yk_status_exit_code(err->status);
}

int yk_misuse(const struct yk_command *command, const char *format, ...)
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

int yk_print_json(json_t *json)
{
    const bool good = json && json_dumpf(json, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) == 0 &&
                      putchar('\n') != EOF && fflush(stdout) == 0;

    json_decref(json);
    return good ? 0 : 1;
}

const char *yk_first_given(const struct yk_given *options)
{
    while (options->name && !options->is)
        options++;
    return options->name;
}

int yk_make_folder(const char *path)
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

void yk_command_begin(int argc, char **argv)
{
    hold_streams();
    leave_real_time();
    yk_h5_end_silently();
    command_line = join_words(argc, argv);
    if ((program_words = calloc((size_t)argc + 1, sizeof *program_words)))
        memcpy(program_words, argv, (size_t)argc * sizeof *argv);
}

int yk_command_end(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "yoke: cannot write to standard output: %s\n", strerror(errno));
    return code ? code : 1;
}

bool yk_command_asks_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

int yk_command_main(const struct yk_command *command, int (*run)(int argc, char **argv), int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL, *own = slash ? slash + 1 : argc > 0 ? argv[0] : "";
    /* started by `yoke NAME ...`, whose words it has, or as yoke-NAME */
    const int first = argc > 1 && strncmp(own, "yoke-", 5) != 0 && strcmp(argv[1], command->name) == 0 ? 2 : 1;
    int code = 0;

    yk_command_begin(argc, argv);
    if (yk_command_asks_help(argc - first, argv + first))
        yk_command_help(command, stdout);
    else
        code = run(argc - first, argv + first);
    return yk_command_end(code);
}
