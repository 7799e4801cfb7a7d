/* Quantities of recordings: the table that the reader of logger files makes of them, and single numbers from what
 * `yoke identify`, `calibrate` and `replay` say about them, called as a user calls them. */
#include "quantity.h"

#include <yoke/json.h>
#include <yoke/logger.h>

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum { WORDS = 48 };

/* ---- a program and its words ---- */

/* "identify --csv {file} --json": words between blanks; {file} is the file of the claim, {folder} that of the case. */
static size_t split(const char *text, const char *folder, const char *file, char *words[WORDS])
{
    size_t n = 0;

    for (const char *p = text + strspn(text, " "); *p && n + 1 < WORDS; p += strspn(p, " ")) {
        const size_t length = strcspn(p, " ");
        const bool is_file = strncmp(p, "{file}", 6) == 0, is_folder = strncmp(p, "{folder}", 8) == 0;
        const size_t skip = is_file ? 6 : is_folder ? 8 : 0;

        if (asprintf(&words[n], "%s%.*s", is_file ? file : is_folder ? folder : "", (int)(length - skip), p + skip) < 0)
            break;
        n++;
        p += length;
    }
    words[n] = NULL;
    return n;
}

/* yoke-identify beside yoke-reproduce. */
static bool find_program(const char *name, char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    char *slash;

    if (length <= 0)
        return false;
    path[length] = 0;
    return (slash = strrchr(path, '/')) &&
           (size_t)snprintf(slash, size - (size_t)(slash - path), "/yoke-%s", name) < size - (size_t)(slash - path);
}

/* Standard output as JSON. */
static enum yk_status call(char *const *words, json_t **said, struct yk_err *err)
{
    posix_spawn_file_actions_t actions;
    char path[4096];
    int pipes[2], status = -1;
    pid_t child;

    *said = NULL;
    if (!find_program(words[0], path, sizeof path) || access(path, X_OK) != 0)
        return yk_fail(err, YK_E_INPUT, "there is no program yoke-%s beside this one", words[0]);
    if (pipe(pipes))
        return yk_fail(err, YK_E_IO, "no pipe: %s", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, pipes[0]);
    posix_spawn_file_actions_addclose(&actions, pipes[1]);
    const int failed = posix_spawn(&child, path, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    FILE *in = fdopen(pipes[0], "r");
    if (!failed && in)
        *said = json_loadf(in, 0, NULL);
    if (in)
        fclose(in);
    if (!failed)
        waitpid(child, &status, 0);
    if (!failed && *said && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return YK_OK;
    json_decref(*said);
    *said = NULL;
    return yk_fail(err, YK_E_INPUT, "yoke %s failed", words[0]);
}

/* The same words say the same: each is called once. */
static enum yk_status told(struct yk_lab *lab, const char *text, const char *file, const json_t **said,
                           struct yk_err *err)
{
    char *words[WORDS], *key = NULL;
    const size_t n = split(text, lab->folder, file, words);
    enum yk_status st = YK_OK;
    json_t *now;

    if (!lab->told)
        lab->told = json_object();
    if (n == 0 || asprintf(&key, "%s\n%s", file, text) < 0)
        st = yk_fail(err, YK_E_INPUT, "run: a command such as \"identify --csv {file} --json\"");
    else if (!json_object_get(lab->told, key) && !(st = call(words, &now, err)))
        json_object_set_new(lab->told, key, now);
    *said = st ? NULL : json_object_get(lab->told, key);
    for (size_t i = 0; i < n; i++)
        free(words[i]);
    free(key);
    return st;
}

/* ---- a number of an answer ---- */

/* The first object of a list whose field has that value. */
static const json_t *chosen(const json_t *list, const char *field, const char *value)
{
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one)
    {
        const json_t *is = json_object_get(one, field);

        if ((json_is_string(is) && strcmp(json_string_value(is), value) == 0) ||
            (json_is_number(is) && fabs(json_number_value(is) - atof(value)) <= 1e-6 * fabs(atof(value))))
            return one;
    }
    return NULL;
}

/* "points/frequency_Hz=8/gain", "runs/0/nrms" */
static enum yk_status pick(const json_t *said, const char *path, double *value, struct yk_err *err)
{
    char part[128];

    for (const char *p = path; said && *p; p += *p == '/') {
        const size_t length = strcspn(p, "/");
        char *equals;

        snprintf(part, sizeof part, "%.*s", (int)length, p);
        if ((equals = strchr(part, '=')))
            *equals = 0;
        said = equals                ? chosen(said, part, equals + 1)
               : json_is_array(said) ? json_array_get(said, (size_t)atol(part))
                                     : json_object_get(said, part);
        p += length;
    }
    if (!json_is_number(said))
        return yk_fail(err, YK_E_INPUT, "pick: there is no number '%s' in the answer", path);
    *value = json_number_value(said);
    return YK_OK;
}

static enum yk_status command(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, double *value, struct yk_err *err)
{
    const json_t *said;
    enum yk_status st = told(lab, ask->run, variant->file, &said, err);

    return st ? st : pick(said, ask->pick, value, err);
}

static const struct yk_param command_params[] = {
    YK_TEXT(struct yk_ask, run, YK_REQUIRED,
            "words of the command; {file} is `file`, {folder} that of the case. It must print JSON"),
    YK_TEXT(struct yk_ask, pick, YK_REQUIRED, "the number: points/frequency_Hz=8/gain, runs/0/nrms"),
    YK_PARAM_END,
};
const struct yk_quantity_ops yk_obtain_command = {
    .name = "command",
    .summary = "a number that a command of yoke says about a recording",
    .params = command_params,
    .value = command,
};

/* ---- the table of a logger ---- */

enum { ROWS, SEGMENTS, SEGMENT_ROWS, STEP, LEAST, MOST, RMS, QUANTUM, NOISE, CORRELATION };

static enum yk_status measure(const struct yk_log *log, const struct yk_ask *ask, double *value, struct yk_err *err)
{
    struct yk_log_quality quality;
    enum yk_status st;

    if (ask->of == SEGMENT_ROWS && (size_t)ask->rank > log->segments)
        return yk_fail(err, YK_E_RANGE, "rank = %d, but there are %zu records", ask->rank, log->segments);
    if ((st = yk_log_judge(log, 0, &quality, err)))
        return st;
    *value = (const double[]){[ROWS] = (double)log->rows,  [SEGMENTS] = (double)log->segments,
                              [STEP] = log->step_s,        [LEAST] = quality.min,
                              [MOST] = quality.max,        [RMS] = quality.rms,
                              [QUANTUM] = quality.quantum, [NOISE] = quality.noise}
        [ask->of == SEGMENT_ROWS || ask->of == CORRELATION ? 0 : ask->of];
    if (ask->of == SEGMENT_ROWS)
        *value = (double)(log->first[ask->rank] - log->first[ask->rank - 1]);
    if (ask->of == CORRELATION)
        *value = yk_log_correlation(log, 0, 1);
    return YK_OK;
}

/* The first column is the one that is asked for, the second one its partner for a correlation. */
static enum yk_status logged(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                             const struct yk_node *map, double *value, struct yk_err *err)
{
    const struct yk_log_role roles[] = {
        {ask->channel, strcmp(ask->channel, "force") == 0 ? YK_FORCE : YK_DISPLACEMENT, false},
        {ask->against, ask->against && strcmp(ask->against, "force") == 0 ? YK_FORCE : YK_DISPLACEMENT, false}};
    struct yk_log log;
    enum yk_status st =
        yk_log_read(&log, variant->file,
                    &(struct yk_log_ask){.roles = roles, .count = ask->against ? 2 : 1, .columns = ask->key}, err);

    if (st)
        return st;
    st = ask->of == CORRELATION && !ask->against ? yk_fail(err, YK_E_INPUT, "correlation: with which column? against")
                                                 : measure(&log, ask, value, err);
    yk_log_free(&log);
    return st;
}

static const struct yk_param logged_params[] = {
    ASK_OF("rows|segments|segment-rows|step|min|max|rms|quantum|noise|correlation",
           "of the column, or of the table; `segment-rows`: of record number `rank`; noise and correlation at rest"),
    YK_TEXT(struct yk_ask, channel, YK_REQUIRED, "command, displacement, force or velocity"),
    YK_TEXT(struct yk_ask, against, 0, "the other one, for `correlation`"),
    YK_TEXT(struct yk_ask, key, 0, "columns, as for `yoke identify --columns`"),
    ASK_RANK("of the record"),
    YK_PARAM_END,
};
const struct yk_quantity_ops yk_obtain_logged = {
    .name = "logged",
    .summary = "a column of the file of a logger, as the reader of `yoke identify --csv` sees it",
    .params = logged_params,
    .value = logged,
};
