/* The examples: where they are, a list of them, and copies. */
#include "new.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yoke/json.h>
#include <yoke/text.h>

enum { PATH_ROOM = 4096 };

/* ---- where they are ---- */

const char *new_shipped(const char *installed, const char *in_tree)
{
    static char path[PATH_ROOM];
    char resolved[PATH_ROOM];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 512);

    if (length <= 0)
        return NULL;
    path[length] = 0;
    char *slash = strrchr(path, '/');

    for (int k = 0; slash && k < 2; k++) {
        snprintf(slash, 512, "%s%s", k ? "/../" : "/../../share/yoke/", k ? in_tree : installed);
        if (realpath(path, resolved) && access(resolved, R_OK) == 0)
            return strcpy(path, resolved);
    }
    return NULL;
}

const char *new_examples(void)
{
    return new_shipped("examples", "examples");
}

/* ---- the list ---- */

static char *join(const char *a, const char *b)
{
    char *path = malloc(strlen(a) + strlen(b) + 2);

    return path ? sprintf(path, "%s/%s", a, b), path : NULL;
}

static json_t *names_of(const char *folder, const char *pattern)
{
    char *path = join(folder, pattern);
    glob_t found = {0};
    json_t *list = json_array();

    if (path && glob(path, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            json_array_append_new(list, json_string(strrchr(found.gl_pathv[i], '/') + 1));
    globfree(&found);
    free(path);
    return list;
}

static json_t *one_example(const char *all, const char *name, const char *shows)
{
    char *folder = join(all, name);
    json_t *files = names_of(folder, "*.yaml"), *pictures = names_of(folder, "*.svg"),
           *first = json_array_get(pictures, 0);
    char *picture = first ? join(folder, json_string_value(first)) : NULL;
    json_t *example = json_pack("{s:s, s:o, s:s, s:o, s:s?}", "name", name, "shows", yk_json_any(shows), "folder",
                                folder, "files", files, "picture", picture);

    json_decref(pictures);
    free(picture);
    free(folder);
    return example;
}

/* The rows of the tables in README.md: | [name](name/README.md) | shows |, with an experiment file in the folder. */
static json_t *read_list(const char *folder, struct yk_err *err)
{
    char *path = join(folder, "README.md");
    struct yk_text text = {0};
    struct yk_lines lines;
    struct yk_piece line;
    json_t *list;

    if (!path || yk_text_load(&text, path, err)) {
        free(path);
        return NULL;
    }
    list = json_array();
    yk_lines_begin(&lines, &text);
    while (yk_lines_next(&lines, &line)) {
        char name[64], shows[400];
        char row[600];

        snprintf(row, sizeof row, "%.*s", (int)(line.end - line.begin), line.begin);
        if (sscanf(row, "| [%63[^]]](%*[^)]) | %399[^|]", name, shows) != 2)
            continue;
        for (size_t n = strlen(shows); n && shows[n - 1] == ' ';)
            shows[--n] = 0;
        json_t *example = one_example(folder, name, shows);

        if (json_array_size(json_object_get(example, "files")))
            json_array_append_new(list, example);
        else
            json_decref(example);
    }
    yk_text_free(&text);
    free(path);
    return list;
}

int new_list(bool json)
{
    const char *found = new_examples();
    char folder[PATH_ROOM];
    struct yk_err err = {0};

    if (!found) {
        yk_fail(&err, YK_E_INPUT, "the examples are not installed (share/yoke/examples)");
        return yk_command_fail(&err);
    }
    strcpy(folder, found);
    json_t *list = read_list(folder, &err), *example;
    size_t k;

    if (!list)
        return yk_command_fail(&err);
    if (json)
        return yk_print_json(json_pack("{s:o}", "examples", list));
    json_array_foreach(list, k, example)
    {
        const char *picture = yk_json_text(example, "picture");

        printf("%-28s %s\n", yk_json_text(example, "name"), yk_json_text(example, "shows"));
        if (*picture)
            printf("%-28s %s\n", "", picture);
    }
    json_decref(list);
    return 0;
}

/* ---- copies ---- */

#define OUTSIDE "../../data/"

/* Files outside the folder of an example are its own in the copy: OUTSIDE/a/b.csv becomes data/b.csv. */
static enum yk_status take_along(const char *from, const char *to, const char *word, size_t length, FILE *out,
                                 struct yk_err *err)
{
    char outside[PATH_ROOM], inside[PATH_ROOM];
    const char *name = word;

    for (size_t i = 0; i < length; i++)
        if (word[i] == '/')
            name = word + i + 1;
    const int rest = (int)(word + length - name);

    snprintf(outside, sizeof outside, "%s/%.*s", from, (int)length, word);
    snprintf(inside, sizeof inside, "%s/data", to);
    mkdir(inside, 0777);
    snprintf(inside, sizeof inside, "%s/data/%.*s", to, rest, name);
    fprintf(out, "data/%.*s", rest, name);
    return access(inside, F_OK) == 0 ? YK_OK : new_copy_file(outside, inside, err);
}

/* An experiment file: the schema is the installed one, data files come along. */
static enum yk_status copy_experiment(const char *from, const char *to, const char *source, const char *target,
                                      struct yk_err *err)
{
    const char *schema = new_shipped("experiment.schema.json", "build/experiment.schema.json"), *p, *hit;
    struct yk_text text = {0};
    enum yk_status st = yk_text_load(&text, source, err);
    FILE *out = st ? NULL : fopen(target, "wx");

    if (!st && !out)
        st = yk_fail(err, YK_E_INPUT, "%s: %s", target, strerror(errno));
    p = text.data;
    if (!st && strncmp(p, "# yaml-language-server:", 23) == 0) {
        if (schema)
            fprintf(out, "# yaml-language-server: $schema=%s\n", schema);
        p = strchr(p, '\n') ? strchr(p, '\n') + 1 : p + strlen(p);
    }
    while (!st && (hit = strstr(p, OUTSIDE))) {
        const size_t length = strcspn(hit, " ,}]'\"\r\n");

        fwrite(p, 1, (size_t)(hit - p), out);
        st = take_along(from, to, hit, length, out, err);
        p = hit + length;
    }
    if (!st)
        fputs(p, out);
    if (out && fclose(out) && !st)
        st = yk_fail(err, YK_E_INPUT, "%s: %s", target, strerror(errno));
    yk_text_free(&text);
    return st;
}

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);

    return n >= m && strcmp(name + n - m, end) == 0;
}

/* Folders that runs and builds made, and hidden files: they are not copied. */
static bool is_left_over(const char *name)
{
    return *name == '.' || strcmp(name, "out") == 0 || strcmp(name, "build") == 0 || strcmp(name, "__pycache__") == 0;
}

static enum yk_status copy_folder(const char *from, const char *to, struct yk_err *err)
{
    DIR *folder = opendir(from);
    enum yk_status st = YK_OK;
    struct dirent *entry;

    if (!folder)
        return yk_fail(err, YK_E_INPUT, "%s: %s", from, strerror(errno));
    while (!st && (entry = readdir(folder))) {
        struct stat about;

        if (is_left_over(entry->d_name))
            continue;
        char *source = join(from, entry->d_name), *target = join(to, entry->d_name);

        if (!source || !target)
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
        else if (lstat(source, &about) == 0 && S_ISDIR(about.st_mode))
            st = mkdir(target, 0777) ? yk_fail(err, YK_E_INPUT, "%s: %s", target, strerror(errno))
                                     : copy_folder(source, target, err);
        else if (S_ISREG(about.st_mode) && ends_with(entry->d_name, ".yaml"))
            st = copy_experiment(from, to, source, target, err);
        else if (S_ISREG(about.st_mode))
            st = new_copy_file(source, target, err);
        free(source);
        free(target);
    }
    closedir(folder);
    return st;
}

enum yk_status new_copy(const char *example, const char *folder, struct yk_err *err)
{
    const char *found = new_examples();
    char *from = found ? join(found, example) : NULL;
    struct stat about;
    enum yk_status st;

    if (!found)
        return yk_fail(err, YK_E_INPUT, "the examples are not installed (share/yoke/examples)");
    if (!from)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (strchr(example, '/') || *example == '.' || stat(from, &about) || !S_ISDIR(about.st_mode))
        st = yk_fail(err, YK_E_INPUT, "--from: there is no example '%.60s'; `yoke new --list` names them", example);
    else
        st = copy_folder(from, folder, err);
    free(from);
    return st;
}
