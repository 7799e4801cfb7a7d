/* Recordings for ParaView, quoFEM and DesignSafe. */
#include "others.h"
#include <yoke/export.h>
#include <yoke/json.h>

#include <errno.h>
#include <ftw.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- ParaView ---- */

struct shape {
    double (*place)[3];
    size_t points, room;
    size_t (*cell)[3];
    size_t cells;
    struct moving { /* a degree of freedom that moves a point */
        size_t point;
        int axis, column;
    } * moving;
    size_t count;
};

static void shape_free(struct shape *s)
{
    free(s->place);
    free(s->cell);
    free(s->moving);
}

/* The point at a place, new where there is none. */
static size_t point_at(struct shape *s, const double *at)
{
    for (size_t i = 0; i < s->points; i++)
        if (memcmp(s->place[i], at, sizeof s->place[i]) == 0)
            return i;
    memcpy(s->place[s->points], at, sizeof s->place[0]);
    return s->points++;
}

static bool place_of(const json_t *json, double *at)
{
    for (size_t a = 0; a < 3; a++)
        at[a] = json_number_value(json_array_get(json, a));
    return json_array_size(json) == 3;
}

/* Degrees of freedom named x, y or z, or node.x, ..., with a place and a recorded displacement. */
static void add_dofs(struct shape *s, const json_t *part, const struct yk_recording *recording, int stream)
{
    const json_t *dofs = json_object_get(part, "dofs"), *places = json_object_get(part, "places");
    const char *owner = json_string_value(json_object_get(part, "name"));

    for (size_t i = 0; owner && i < json_array_size(dofs); i++) {
        const char *dof = json_string_value(json_array_get(dofs, i)), *dot = dof ? strrchr(dof, '.') : NULL;
        const char *direction = dot ? dot + 1 : dof, *axis;
        char name[2 * YK_CHANNEL_NAME];
        double at[3];

        if (!dof || direction[0] == 0 || direction[1] || !(axis = strchr("xyz", direction[0])) ||
            !place_of(json_array_get(places, i), at))
            continue;
        snprintf(name, sizeof name, "%s.%s.u", owner, dof);
        const int column = yk_recording_find(recording, stream, name);
        if (column >= 0)
            s->moving[s->count++] =
                (struct moving){point_at(s, at), (int)(strchr("xyz", *axis) - strchr("xyz", 'x')), column};
    }
}

static void add_lines(struct shape *s, const json_t *part)
{
    const json_t *lines = json_object_get(part, "lines");

    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i);
        double from[3], to[3];

        if (place_of(json_array_get(line, 0), from) && place_of(json_array_get(line, 1), to)) {
            s->cell[s->cells][0] = point_at(s, from);
            s->cell[s->cells][1] = point_at(s, to);
            s->cell[s->cells++][2] = SIZE_MAX;
        }
    }
}

static bool find_shape(struct shape *s, struct yk_recording *recording, int stream)
{
    const char *text = yk_recording_text(recording, "description");
    json_t *all = yk_json_read_text(text), *parts = json_object_get(json_object_get(all, "sketch"), "substructures");
    size_t dofs = 0, lines = 0;

    for (size_t k = 0; k < json_array_size(parts); k++) {
        dofs += json_array_size(json_object_get(json_array_get(parts, k), "dofs"));
        lines += json_array_size(json_object_get(json_array_get(parts, k), "lines"));
    }
    s->place = malloc((dofs + 2 * lines + 1) * sizeof *s->place);
    s->cell = malloc((lines + 1) * sizeof *s->cell);
    s->moving = malloc((dofs + 1) * sizeof *s->moving);
    for (size_t k = 0; s->place && s->cell && s->moving && k < json_array_size(parts); k++) {
        add_dofs(s, json_array_get(parts, k), recording, stream);
        add_lines(s, json_array_get(parts, k));
    }
    json_decref(all);
    return s->count > 0;
}

int export_vtk(struct yk_recording *recording, const char *path, long frames)
{
    const int stream = yk_recording_stream(recording, "system");

    if (stream < 0) {
        fputs("yoke: the recording has no system steps: no method led this run\n", stderr);
        return 2;
    }
    const uint64_t rows = yk_recording_rows(recording, stream);
    const size_t columns = yk_recording_channels(recording, stream),
                 n = rows < (uint64_t)frames ? rows : (size_t)frames;
    struct shape s = {0};
    struct yk_err err = {0};
    int code = 0;

    if (!find_shape(&s, recording, stream)) {
        fprintf(
            stderr,
            "yoke: no recorded degree of freedom has coordinates: kinds frame, and imported models with nodes, have\n");
        shape_free(&s);
        return 2;
    }
    double *row = malloc(columns * sizeof *row), *times = malloc((n + 1) * sizeof *times),
           *values = calloc(3 * s.points * (n + 1), sizeof *values);
    for (size_t i = 0; row && times && values && i < n && !code; i++) {
        if (yk_recording_read(recording, stream, n > 1 ? i * (rows - 1) / (n - 1) : 0, 1, row, &err))
            code = yk_command_fail(&err);
        times[i] = row[0];
        for (size_t k = 0; k < s.count; k++)
            values[3 * (i * s.points + s.moving[k].point) + (size_t)s.moving[k].axis] = row[s.moving[k].column];
    }
    const struct yk_vtk_grid grid = {s.points, s.cells, &s.place[0][0], (const size_t(*)[3])s.cell};
    if (!row || !times || !values)
        code = (fprintf(stderr, "yoke: out of memory\n"), 1);
    else if (!code && yk_vtk_write(path, &grid, &(struct yk_vtk_field){"displacement", values}, 1, times, n, &err))
        code = yk_command_fail(&err);
    free(row);
    free(times);
    free(values);
    shape_free(&s);
    return code;
}

/* ---- summary.json ---- */

/* FOLDER/NAME beside the recording; to be freed. */
static char *beside(const char *recording_path, const char *name)
{
    const char *slash = strrchr(recording_path, '/');
    char *path = NULL;

    return asprintf(&path, "%.*s%s", slash ? (int)(slash - recording_path + 1) : 0, recording_path, name) < 0 ? NULL
                                                                                                              : path;
}

/* summary.json has indices that the copy in the recording lacks. */
static json_t *load_summary(const struct yk_recording *recording, const char *recording_path)
{
    char *path = beside(recording_path, "summary.json");
    json_t *summary = yk_json_read_file(path);
    const char *text = yk_recording_text(recording, "summary");

    free(path);
    return summary ? summary : yk_json_read_text(text);
}

/* "peaks.frame.x.u": keys may have dots themselves, so the longest that fits is tried first. */
static const json_t *find(const json_t *json, const char *name)
{
    const json_t *found = json_object_get(json, name);

    for (const char *dot = name + strlen(name); !found && dot > name; dot--) {
        char key[256];

        if (*dot != '.' || (size_t)(dot - name) >= sizeof key)
            continue;
        memcpy(key, name, (size_t)(dot - name));
        key[dot - name] = 0;
        if (json_object_get(json, key))
            found = find(json_object_get(json, key), dot + 1);
    }
    return found;
}

int export_results(struct yk_recording *recording, const char *recording_path, const char *names, const char *path)
{
    json_t *summary = load_summary(recording, recording_path);
    char *list = strdup(names), *rest = NULL;
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    int code = 0;

    if (!out || !list)
        code = (fprintf(stderr, "yoke: cannot write %s: %s\n", path, strerror(errno)), 1);
    for (const char *name = code ? NULL : strtok_r(list, ",", &rest), *first = name; name;
         name = strtok_r(NULL, ",", &rest)) {
        const json_t *figure = find(summary, name);

        if (!json_is_number(figure)) {
            fprintf(stderr, "yoke: summary.json has no number '%s'\n", name);
            code = 2;
            break;
        }
        fprintf(out, "%s%.17g", name == first ? "" : " ", json_number_value(figure));
    }
    if (out)
        fputc('\n', out);
    if (out && out != stdout && fclose(out))
        code = (fprintf(stderr, "yoke: cannot write %s: %s\n", path, strerror(errno)), 1);
    if (code == 2 && out != stdout)
        remove(path);
    free(list);
    json_decref(summary);
    return code;
}

/* ---- DesignSafe ---- */

static FILE *create(const char *folder, const char *name)
{
    char *path = NULL;
    FILE *out = asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : fopen(path, "w");

    if (!out)
        fprintf(stderr, "yoke: cannot write %s: %s\n", path ? path : name, strerror(errno));
    free(path);
    return out;
}

/* Closes what create() opened; false after a message if something was not written. */
static bool finish(FILE *out, const char *folder, const char *name)
{
    const bool is_bad = ferror(out) != 0;

    if (fclose(out) == 0 && !is_bad)
        return true;
    fprintf(stderr, "yoke: cannot write %s/%s: %s\n", folder, name, strerror(errno));
    return false;
}

static bool copy(const char *from, const char *folder, const char *name)
{
    FILE *in = fopen(from, "r"), *out = in ? create(folder, name) : NULL;
    char block[65536];
    size_t n;

    while (out && !ferror(out) && (n = fread(block, 1, sizeof block, in)) > 0)
        fwrite(block, 1, n, out);
    const bool is_read = in && !ferror(in);
    if (!is_read)
        fprintf(stderr, "yoke: cannot read %s: %s\n", from, strerror(errno));
    if (in)
        fclose(in);
    return out && finish(out, folder, name) && is_read;
}

static bool put_text(const char *folder, const char *name, const char *text)
{
    FILE *out = create(folder, name);

    if (out)
        fputs(text ? text : "", out);
    return out && finish(out, folder, name);
}

/* The categories of a hybrid simulation, and what goes into each. */
static const struct {
    const char *folder, *words;
} categories[] = {
    {"global-model", "the experiment file: the whole structure, how it is divided, loads and method"},
    {"simulation-coordinator", "the program that advanced all parts, as it was built and called"},
    {"simulation-substructures", "what was computed"},
    {"experimental-substructures", "what was tested: actuators, limits, calibration"},
    {"coordinator-output", "one row for each step of the method: run.h5, steps.csv"},
    {"simulation-output", "rows of the fine side of a coupling, if there is one"},
    {"experimental-output", "one row for each control tick: commands and readings"},
    {"report", "summary.json, and report.html if it was made"},
};
enum { MODEL, COORDINATOR, SIMULATED, TESTED, STEPS, FINE, TICKS, REPORT, CATEGORIES };

static bool write_parts(const struct yk_recording *recording, char *const *folders)
{
    const char *text = yk_recording_text(recording, "description");
    json_t *all = yk_json_read_text(text), *parts = json_object_get(json_object_get(all, "sketch"), "substructures");
    bool good = true;

    for (size_t k = 0; k < json_array_size(parts) && good; k++) {
        const json_t *part = json_array_get(parts, k);
        const char *role = json_string_value(json_object_get(part, "role")),
                   *own = json_string_value(json_object_get(part, "name"));
        char name[160], *dump = json_dumps(part, JSON_INDENT(1));

        if (own && !strchr(own, '/')) /* a recording may come from anybody */
            snprintf(name, sizeof name, "%.150s.json", own);
        else
            snprintf(name, sizeof name, "%zu.json", k + 1);
        good = put_text(folders[role && strcmp(role, "physical") == 0 ? TESTED : SIMULATED], name, dump);
        free(dump);
    }
    char *actuators = json_dumps(json_object_get(all, "actuators"), JSON_INDENT(1)),
         *calibration = json_dumps(json_object_get(all, "calibration"), JSON_INDENT(1));
    good = good && put_text(folders[TESTED], "actuators.json", actuators) &&
           put_text(folders[TESTED], "calibration.json", calibration);
    free(actuators);
    free(calibration);
    json_decref(all);
    return good;
}

static bool write_readme(const struct yk_recording *recording, const char *folder)
{
    static const char *const texts[] = {"title", "method", "date", "build", "experiment_path", "overrides", "note"};
    FILE *out = create(folder, "README.md");

    if (!out)
        return false;
    fprintf(out,
            "# %s\n\nA hybrid simulation, in the categories of the DesignSafe data depot. SI units throughout; every "
            "table has its\n"
            "channels in the first line, and `channels.json` explains them.\n\n| folder | category |\n|---|---|\n",
            yk_recording_text(recording, "title"));
    for (int i = 0; i < CATEGORIES; i++)
        fprintf(out, "| `%s` | %s |\n", categories[i].folder, categories[i].words);
    fputs("\n| | |\n|---|---|\n", out);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (yk_recording_text(recording, texts[i]) && *yk_recording_text(recording, texts[i]))
            fprintf(out, "| %s | %s |\n", texts[i], yk_recording_text(recording, texts[i]));
    return finish(out, folder, "README.md");
}

static bool write_channels(const struct yk_recording *recording, const char *folder)
{
    static const char *const streams[] = {"system", "fine", "ticks"};
    json_t *all = json_object();

    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        const int stream = yk_recording_stream(recording, streams[i]);
        json_t *list = json_array();

        for (size_t k = 0; stream >= 0 && k < yk_recording_channels(recording, stream); k++) {
            const struct yk_channel *c = yk_recording_channel(recording, stream, k);

            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "name", c->name, "units", c->unit,
                                                  "long_name", yk_channel_words(c), "kind", c->kind));
        }
        json_object_set_new(all, streams[i], list);
    }
    char *text = json_dumps(all, JSON_INDENT(1));
    const bool good = put_text(folder, "channels.json", text);
    free(text);
    json_decref(all);
    return good;
}

static bool write_table(struct yk_recording *recording, const char *name, const char *folder, const char *file)
{
    const int stream = yk_recording_stream(recording, name);
    struct yk_err err = {0};
    char *path = NULL;
    bool good = stream < 0 || yk_recording_rows(recording, stream) == 0;

    if (!good && asprintf(&path, "%s/%s", folder, file) >= 0 && !(good = !yk_export_csv(recording, stream, path, &err)))
        yk_command_fail(&err);
    free(path);
    return good;
}

static bool write_all(struct yk_recording *recording, const char *recording_path, const char *folder,
                      char *const *folders)
{
    char *summary = beside(recording_path, "summary.json"), *report = beside(recording_path, "report.html");
    const char *experiment = yk_recording_text(recording, "experiment_path"),
               *slash = experiment ? strrchr(experiment, '/') : NULL;
    struct stat there;
    bool good = summary && report && write_readme(recording, folder) && write_channels(recording, folder) &&
                put_text(folders[MODEL],
                         slash                       ? slash + 1
                         : experiment && *experiment ? experiment
                                                     : "experiment.yaml",
                         yk_recording_text(recording, "experiment")) &&
                put_text(folders[MODEL], "settings.txt", yk_recording_text(recording, "overrides")) &&
                put_text(folders[COORDINATOR], "command.txt", yk_recording_text(recording, "command")) &&
                put_text(folders[COORDINATOR], "build.txt", yk_recording_text(recording, "build")) &&
                write_parts(recording, folders) && copy(recording_path, folders[STEPS], "run.h5") &&
                write_table(recording, "system", folders[STEPS], "steps.csv") &&
                write_table(recording, "fine", folders[FINE], "fine.csv") &&
                write_table(recording, "ticks", folders[TICKS], "ticks.csv");

    if (good && stat(summary, &there) == 0)
        good = copy(summary, folders[REPORT], "summary.json");
    if (good && stat(report, &there) == 0)
        good = copy(report, folders[REPORT], "report.html");
    free(summary);
    free(report);
    return good;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info;
    (void)type;
    (void)at;
    return remove(path);
}

int export_designsafe(struct yk_recording *recording, const char *recording_path, const char *folder)
{
    char *folders[CATEGORIES] = {0};
    struct stat there;
    bool good = true;

    if (stat(folder, &there) == 0) {
        fprintf(stderr, "yoke: %s is there already; name a new folder\n", folder);
        return 2;
    }
    for (int i = 0; i < CATEGORIES && good; i++)
        if (asprintf(&folders[i], "%s/%s", folder, categories[i].folder) < 0 || yk_make_folder(folders[i]))
            good = fprintf(stderr, "yoke: cannot create the folder %s: %s\n", folder, strerror(errno)) < 0;
    good = good && write_all(recording, recording_path, folder, folders);
    for (int i = 0; i < CATEGORIES; i++)
        free(folders[i]);
    if (!good) /* a part of it could be taken for all */
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return good ? 0 : 1;
}
