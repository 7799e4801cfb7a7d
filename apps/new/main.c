/* yoke new: a folder with an experiment of your own. It is written beside its place under another name, so that it is
 * there as a whole or not at all. */
#include "new.h"

#include <errno.h>
#include <ftw.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yoke/file.h>
#include <yoke/json.h>

/* ---- the folder ---- */

static enum yk_status name_it(struct new_test *t, const char *word, struct yk_err *err)
{
    struct stat about;
    size_t n = strlen(word);

    while (n > 1 && word[n - 1] == '/')
        n--;
    if (!n || n >= sizeof t->folder - 32)
        return yk_fail(err, YK_E_INPUT, "the name of the folder must have 1 to %zu letters", sizeof t->folder - 33);
    snprintf(t->folder, sizeof t->folder, "%.*s", (int)n, word);
    const char *slash = strrchr(t->folder, '/'), *name = slash ? slash + 1 : t->folder;

    if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != strlen(name) ||
        *name == '.' || *name == '-' || !*name || strlen(name) >= sizeof t->name)
        return yk_fail(err, YK_E_INPUT, "'%.60s' is no name for a test: up to %zu letters, digits, - _ .", name,
                       sizeof t->name - 1);
    strcpy(t->name, name);
    if (lstat(t->folder, &about) == 0)
        return yk_fail(err, YK_E_INPUT, "%s exists already; nothing is overwritten, choose another name", t->folder);
    return YK_OK;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about, (void)kind, (void)at;
    return remove(path);
}

static void drop(const char *folder)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static enum yk_status begin(const struct new_test *t, char *work, size_t size, struct yk_err *err)
{
    const char *slash = strrchr(t->folder, '/');

    snprintf(work, size, "%.*s.%s-XXXXXX", slash ? (int)(slash + 1 - t->folder) : 0, t->folder, t->name);
    if (mkdtemp(work))
        return chmod(work, 0755) ? yk_fail(err, YK_E_INPUT, "%s: %s", work, strerror(errno)) : YK_OK;
    return yk_fail(err, YK_E_INPUT, "%s cannot be made: %s", t->folder, strerror(errno));
}

/* A folder that appeared meanwhile stays: mkdir claims the name, and only an empty folder is replaced. */
static enum yk_status settle(const struct new_test *t, const char *work, struct yk_err *err)
{
    if (mkdir(t->folder, 0755) || rename(work, t->folder))
        return yk_fail(err, YK_E_INPUT, "%s cannot be made: %s", t->folder, strerror(errno));
    return YK_OK;
}

static bool put(FILE *out, const void *text)
{
    return fputs(text, out) >= 0;
}

static enum yk_status write_text(const char *folder, const char *name, char *text, struct yk_err *err)
{
    char path[2048];
    enum yk_status st = YK_OK;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!text)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!yk_file_replace(path, put, text))
        st = yk_fail(err, YK_E_INPUT, "%s: %s", path, strerror(errno));
    free(text);
    return st;
}

/* ---- the test ---- */

static enum yk_status read_table(const struct new_options *o, struct yk_actuator_table *table, struct yk_err *err)
{
    const char *path = o->table ? o->table : new_shipped("actuators/classes.csv", "data/actuators/classes.csv");

    if (!path)
        return yk_fail(err, YK_E_INPUT, "the table of actuators is not installed; say --table");
    return yk_actuator_table_read(table, path, err) ? yk_fail_as(err, YK_E_INPUT) : YK_OK;
}

static enum yk_status make(struct new_test *t, const struct yk_actuator_table *table, const char *work,
                           struct new_choice *choice, struct yk_err *err)
{
    char file[80];
    enum yk_status st;

    if ((st = new_read_record(t, err)) || (st = new_write_data(t, work, err)) || (st = new_complete(t, work, err)) ||
        (st = new_choose(t, table, work, choice, err)) || !choice->found)
        return st;
    snprintf(file, sizeof file, "%s.yaml", t->name);
    if (!(st = write_text(work, file, new_experiment(t), err)))
        st = write_text(work, "README.md", new_readme(t, yk_json_text(choice->verdict, "level")), err);
    return st;
}

static int say(const struct new_test *t, const struct new_choice *choice, bool json)
{
    if (json) {
        char file[1200];
        json_t *files = json_array();

        snprintf(file, sizeof file, "%s/%s.yaml", t->folder, t->name);
        for (size_t i = 0; i < t->file_count; i++)
            json_array_append_new(files, json_string(t->files[i]));
        return yk_print_json(json_pack("{s:s, s:s, s:o, s:s, s:f, s:f, s:s, s:O}", "folder", t->folder, "file", file,
                                       "files", files, "actuator", t->actuator, "step_s", t->step, "delay_s", t->delay,
                                       "verdict", yk_json_text(choice->verdict, "level"), "reasons",
                                       json_object_get(choice->verdict, "reasons")));
    }
    printf(
        "%s/%s.yaml\n  actuator   %s; the test asks for %s, %s and %s\n  delay      %s, compensated\n  rehearsal  %s\n",
        t->folder, t->name, t->actuator, yk_quantity_format(t->stroke, YK_LENGTH, 3).text,
        yk_quantity_format(t->force, YK_PLAIN_FORCE, 3).text, yk_quantity_format(t->speed, YK_SPEED, 3).text,
        yk_time_format(t->delay).text, yk_json_text(choice->verdict, "level"));
    json_t *reason = json_array_get(json_object_get(choice->verdict, "reasons"), 0);

    if (reason)
        printf("             %s\n", yk_json_text(reason, "text"));
    printf("next\n  cd %s\n  yoke check %s.yaml\n  yoke run %s.yaml -o out/first\n", t->folder, t->name, t->name);
    return 0;
}

/* No actuator made it usable: the first reason, and exit code 4. */
static int give_up(const struct new_choice *choice, bool json)
{
    json_t *reasons = json_object_get(choice->verdict, "reasons");

    fprintf(
        stderr,
        "yoke new: unusable with each of %zu actuators that carry the test, so nothing was written: %s\n  a smaller "
        "--share or --specimen-damping, a longer --period or a faster --rate make the loop easier\n",
        choice->tried, yk_json_text(json_array_get(reasons, 0), "text"));
    if (json)
        yk_print_json(json_pack("{s:s, s:O?}", "verdict", "unusable", "reasons", reasons));
    return 4;
}

static int finish(struct new_test *t, const char *work, const struct new_choice *choice, bool json, struct yk_err *err)
{
    if (!choice->found) {
        drop(work);
        return give_up(choice, json);
    }
    if (settle(t, work, err)) {
        drop(work);
        return yk_command_fail(err);
    }
    return say(t, choice, json);
}

static int create(const struct new_options *o, struct new_test *t)
{
    const bool ask = o->ask || (!o->defaults && !o->json && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
    struct yk_actuator_table table = {0};
    struct new_choice choice = {0};
    struct yk_err err = {0};
    char work[1200];
    int code;

    if (new_answer(t, o, ask, &err) || read_table(o, &table, &err) || begin(t, work, sizeof work, &err))
        return yk_command_fail(&err);
    if (make(t, &table, work, &choice, &err)) {
        drop(work);
        code = yk_command_fail(&err);
    } else
        code = finish(t, work, &choice, o->json, &err);
    json_decref(choice.verdict);
    yk_motion_free(&t->motion);
    for (size_t i = 0; i < t->file_count; i++)
        free((char *)t->files[i]);
    yk_actuator_table_free(&table);
    return code;
}

/* ---- a copy ---- */

static int copy(const struct new_options *o, struct new_test *t)
{
    struct yk_err err = {0};
    char work[1200];

    if (begin(t, work, sizeof work, &err))
        return yk_command_fail(&err);
    if (new_copy(o->from, work, &err) || settle(t, work, &err)) {
        drop(work);
        return yk_command_fail(&err);
    }
    if (o->json)
        return yk_print_json(json_pack("{s:s, s:s}", "folder", t->folder, "example", o->from));
    printf("%s: a copy of the example %s; its README.md explains it\n", t->folder, o->from);
    return 0;
}

static bool has_answers(const struct new_options *o)
{
    return o->storeys || o->mass || o->stiffness || o->period || o->damping || o->mass_matrix || o->stiffness_matrix ||
           o->at || o->specimen || o->share || o->specimen_stiffness || o->specimen_damping || o->yield_force ||
           o->record || o->unit || o->record_step || o->peak || o->rate || o->table;
}

static int run(int argc, char **argv)
{
    struct new_options o = {0};
    struct new_test t = {.period = NAN, .share = NAN, .k = NAN, .c = NAN, .yield = NAN, .peak = NAN};
    struct yk_words words;
    struct yk_err err = {0};

    if (!yk_take_options(&command_new, argc, argv, &o, &words))
        return 2;
    if (o.json)
        yk_command_fail_in_json();
    if (o.list)
        return words.count || o.from || has_answers(&o) ? yk_misuse(&command_new, "--list stands alone, or with --json")
                                                        : new_list(o.json);
    if (words.count != 1)
        return yk_misuse(&command_new, "which folder?");
    if (o.from && has_answers(&o))
        return yk_misuse(&command_new, "--from copies an example as it is; other answers are for a new test");
    if (name_it(&t, words.rest[0], &err))
        return yk_command_fail(&err);
    return o.from ? copy(&o, &t) : create(&o, &t);
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_new, run, argc, argv);
}
