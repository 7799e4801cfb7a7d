/* An experiment as an FMU: what goes into the archive. The token is a function of the content, and dates are those of
 * the experiment file (or SOURCE_DATE_EPOCH), so the same export gives the same file. */
#include "fmu_archive.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <jansson.h>
#include <libgen.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yoke/archive.h>
#include <yoke/json.h>
#include <yoke/sha256.h>

enum { MOST_ENTRIES = 1000 };

struct variable {
    char kind; /* 'p', 'i' or 'o' */
    char *name, *unit;
    double start;
    size_t substructure, dof;
};

struct writing {
    const struct fmu_wish *wish;
    json_t *about, *tree; /* of yk_model_describe */
    char *directory, identifier[128];
    struct variable *variables;
    size_t count;
    struct yk_archive_entry entries[MOST_ENTRIES];
    size_t entry_count;
    bool saves;    /* its states can be saved */
    char *dropped; /* loads that inputs replace: one character each, 'x' or ' ' */
};

/* ---- archive entries ---- */

/* Takes over name and bytes. */
static enum yk_status add_entry(struct writing *w, char *name, void *bytes, size_t size, struct yk_err *err)
{
    if (!name || !bytes || w->entry_count == MOST_ENTRIES) {
        free(name);
        free(bytes);
        return yk_fail(err, YK_E_MEMORY, "out of memory, or more than %d files", MOST_ENTRIES);
    }
    for (size_t i = 0; i < w->entry_count; i++)
        if (strcmp(w->entries[i].name, name) == 0) {
            const bool same = w->entries[i].size == size && memcmp(w->entries[i].bytes, bytes, size) == 0;

            if (!same)
                yk_fail(err, YK_E_UNSUPPORTED, "two different files would be %s in the FMU; rename one", name);
            free(name);
            free(bytes);
            return same ? YK_OK : YK_E_UNSUPPORTED;
        }
    w->entries[w->entry_count++] = (struct yk_archive_entry){name, bytes, size};
    return YK_OK;
}

static enum yk_status add_text(struct writing *w, const char *name, char *text, struct yk_err *err)
{
    return add_entry(w, strdup(name), text, text ? strlen(text) : 0, err);
}

static enum yk_status add_file(struct writing *w, const char *name, const char *path, struct yk_err *err)
{
    FILE *in = fopen(path, "re");
    char *bytes = NULL;
    long size = 0;

    if (in && fseek(in, 0, SEEK_END) == 0 && (size = ftell(in)) >= 0 && (bytes = malloc((size_t)size + 1))) {
        rewind(in);
        if (fread(bytes, 1, (size_t)size, in) != (size_t)size) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (in)
        fclose(in);
    if (!bytes)
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be read: %s", strerror(errno));
    return add_entry(w, strdup(name), bytes, (size_t)size, err);
}

/* ---- the experiment and its files ---- */

/* Models of other programs consist of several files: those whose names begin alike, up to the first dot or underscore.
 */
static enum yk_status take_companions(struct writing *w, const char *path, struct yk_err *err)
{
    char *copy = strdup(path), *again = strdup(path);
    const char *folder = copy ? dirname(copy) : NULL, *base = again ? basename(again) : "";
    const size_t stem = strcspn(base, "._");
    DIR *dir = folder && stem ? opendir(folder) : NULL;
    const struct dirent *entry;
    struct stat about;
    enum yk_status st = YK_OK;

    while (dir && !st && (entry = readdir(dir))) {
        char from[1200], inside[300];

        if (strncmp(entry->d_name, base, stem) != 0 || !strchr("._", entry->d_name[stem]))
            continue;
        snprintf(from, sizeof from, "%.900s/%s", folder, entry->d_name);
        snprintf(inside, sizeof inside, "resources/data/%.200s", entry->d_name);
        if (stat(from, &about) == 0 && S_ISREG(about.st_mode))
            st = add_file(w, inside, from, err);
    }
    if (dir)
        closedir(dir);
    free(copy);
    free(again);
    return st;
}

/* A text that names a file, also with the name of a variable after a colon: its copy, and the new text. */
static enum yk_status take_file(struct writing *w, const char *key, const char *text, json_t **changed,
                                struct yk_err *err)
{
    const size_t length = strlen(w->directory) + strlen(text) + 2;
    char *path = malloc(length), *name = NULL, *colon;
    struct stat about;
    enum yk_status st = YK_OK;

    *changed = NULL;
    if (!path)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    snprintf(path, length, "%s%s%s", *text == '/' ? "" : w->directory, *text == '/' ? "" : "/", text);
    if (stat(path, &about) != 0 && (colon = strrchr(path, ':')))
        *colon = 0;
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
        char *copy = strdup(path), inside[300];
        const char *base = copy ? basename(copy) : "";

        name = strdup(base);
        snprintf(inside, sizeof inside, "resources/data/%.200s", base);
        st = add_file(w, inside, path, err);
        if (!st && strcmp(key, "model") == 0)
            st = take_companions(w, path, err);
        colon = strrchr(text, ':');
        *changed = json_sprintf("data/%s%s", name ? name : "",
                                colon && !strchr(colon, '/') && !strstr(base, colon) ? colon : "");
        free(copy);
        free(name);
    }
    free(path);
    return st;
}

/* Files that the tree names go along; what must not is refused. */
static enum yk_status walk(struct writing *w, json_t *node, struct yk_err *err)
{
    const char *key;
    json_t *value, *changed;
    void *next;
    size_t i;
    enum yk_status st = YK_OK;

    if (json_is_object(node)) {
        const char *kind = json_string_value(json_object_get(node, "kind"));

        if (kind && strcmp(kind, "plugin") == 0)
            return yk_fail(err, YK_E_UNSUPPORTED,
                           "an experiment with plugins cannot be exported: they are not part of it");
        if (kind && strcmp(kind, "fmu") == 0) /* an FMU in an FMU has no process of its own */
            json_object_set_new(node, "isolation", json_string("none"));
        json_object_foreach_safe(node, next, key, value)
        {
            if (json_is_string(value) && strcmp(key, "title") != 0 && !st &&
                !(st = take_file(w, key, json_string_value(value), &changed, err)) && changed)
                json_object_set_new(node, key, changed);
            else if (!st && !json_is_string(value))
                st = walk(w, value, err);
        }
    } else if (json_is_array(node)) {
        json_array_foreach(node, i, value)
        {
            if (json_is_string(value) && !st && !(st = take_file(w, "", json_string_value(value), &changed, err)) &&
                changed)
                json_array_set_new(node, i, changed);
            else if (!st && !json_is_string(value))
                st = walk(w, value, err);
        }
    }
    return st;
}

/* ---- variables ---- */

static enum yk_status add_variable(struct writing *w, char kind, const char *name, const char *unit, double start,
                                   size_t substructure, size_t dof, struct yk_err *err)
{
    struct variable *wider = realloc(w->variables, (w->count + 1) * sizeof *wider), v = {.kind = kind};

    if (wider)
        w->variables = wider;
    v.name = strdup(name);
    v.unit = strdup(unit);
    v.start = start;
    v.substructure = substructure;
    v.dof = dof;
    if (!wider || !v.name || !v.unit) {
        free(v.name);
        free(v.unit);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    w->variables[w->count++] = v;
    return YK_OK;
}

/* "frame.n1.x" among the substructures. */
static bool find_dof(const struct writing *w, const char *name, size_t *substructure, size_t *dof)
{
    const json_t *all = json_object_get(w->about, "substructures"), *one, *d;
    size_t i, k;

    json_array_foreach(all, i, one)
    {
        const char *sub = json_string_value(json_object_get(one, "name"));
        const size_t length = strlen(sub);

        if (strncmp(name, sub, length) != 0 || name[length] != '.')
            continue;
        json_array_foreach(json_object_get(one, "dofs"), k, d) if (strcmp(json_string_value(d), name + length + 1) == 0)
        {
            *substructure = i;
            *dof = k;
            return true;
        }
    }
    return false;
}

static bool turns(const char *dof)
{
    const char *last = strrchr(dof, '.') ? strrchr(dof, '.') + 1 : dof;

    return strncmp(last, "theta", 5) == 0 || strncmp(last, "phi", 3) == 0 || strncmp(last, "psi", 3) == 0 ||
           strncmp(last, "rot", 3) == 0 || strcmp(last, "rx") == 0 || strcmp(last, "ry") == 0 ||
           strcmp(last, "rz") == 0;
}

static enum yk_status add_inputs(struct writing *w, struct yk_err *err)
{
    json_t *loads = json_object_get(w->tree, "loads");
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < w->wish->input_count && !st; i++) {
        const char *name = w->wish->inputs[i], *on = NULL;
        size_t substructure, dof;
        char *end;

        if (strncmp(name, "force.", 6) == 0)
            on = name + 6;
        else if (strncmp(name, "load.", 5) == 0) {
            const long number = strtol(name + 5, &end, 10);
            const json_t *load = *end || number < 0 ? NULL : json_array_get(loads, (size_t)number);

            if (!load)
                return yk_fail(err, YK_E_INPUT, "input %s: there is no such load; they count from 0", name);
            if (!(on = json_string_value(json_object_get(load, "on"))))
                return yk_fail(err, YK_E_UNSUPPORTED, "input %s is a ground motion; only forces can be inputs", name);
            w->dropped[number] = 'x';
        }
        if (!on || !find_dof(w, on, &substructure, &dof))
            return yk_fail(err, YK_E_INPUT, "input '%s' is neither force.SUBSTRUCTURE.DOF nor load.NUMBER", name);
        st = add_variable(w, 'i', name, turns(on) ? "N m" : "N", 0, substructure, dof, err);
    }
    return st;
}

/* The text of a key, "substructures.frame.rayleigh.ratio"; lists count from 0. */
static const char *find_key(const json_t *node, const char *key)
{
    char part[200];

    while (node && *key) {
        const size_t length = strcspn(key, ".");

        snprintf(part, sizeof part, "%.*s", (int)(length < 199 ? length : 199), key);
        node = json_is_array(node) ? json_array_get(node, strtoul(part, NULL, 10)) : json_object_get(node, part);
        key += length + (key[length] == '.');
    }
    return json_string_value(node);
}

static enum yk_status add_parameters(struct writing *w, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < w->wish->parameter_count && !st; i++) {
        const char *key = w->wish->parameters[i], *text = find_key(w->tree, key);
        double si;

        if (!text || yk_si(text, NULL, &si, NULL))
            return yk_fail(err, YK_E_INPUT, "parameter '%s' is no number in the experiment file", key);
        st = add_variable(w, 'p', key, "", si, 0, 0, err);
    }
    return st;
}

static enum yk_status add_outputs(struct writing *w, struct yk_err *err)
{
    const json_t *channel, *all = json_object_get(json_object_get(w->about, "channels"), "system");
    enum yk_status st = YK_OK;
    size_t i, before = w->count;

    json_array_foreach(all, i, channel)
    {
        const char *name = json_string_value(json_array_get(channel, 0)),
                   *unit = json_string_value(json_array_get(channel, 1));
        bool wanted_here = w->wish->output_count == 0;

        if (i == 0 || st) /* time */
            continue;
        for (size_t k = 0; k < w->wish->output_count; k++)
            wanted_here = wanted_here || fnmatch(w->wish->outputs[k], name, 0) == 0;
        if (wanted_here)
            st = add_variable(w, 'o', name, unit, 0, 0, 0, err);
    }
    if (!st && w->count == before)
        return yk_fail(err, YK_E_INPUT, "no channel fits --output; see `yoke check FILE --channels`");
    return st;
}

static void drop_loads(struct writing *w)
{
    json_t *loads = json_object_get(w->tree, "loads");

    for (size_t i = json_array_size(loads); i-- > 0;)
        if (w->dropped[i] == 'x')
            json_array_remove(loads, i);
}

static char *variables_json(const struct writing *w)
{
    json_t *list = json_array(), *all = json_pack("{s:s, s:o}", "build", yk_build_id(), "variables", list);
    char *text;

    for (size_t i = 0; i < w->count; i++) {
        const struct variable *v = &w->variables[i];

        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:f, s:I, s:I}", "kind",
                                              v->kind == 'p'   ? "parameter"
                                              : v->kind == 'i' ? "input"
                                                               : "output",
                                              "name", v->name, "unit", v->unit, "start", v->start, "substructure",
                                              (json_int_t)v->substructure, "dof", (json_int_t)v->dof));
    }
    text = json_dumps(all, JSON_INDENT(1));
    json_decref(all);
    return text;
}

/* ---- the description ---- */

static void print_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, out);
}

/* Units of channels in powers of kg, m, s and rad. */
static const struct {
    const char *name;
    int kg, m, s, rad;
} units[] = {
    {"m", 0, 1, 0, 0},      {"m/s", 0, 1, -1, 0},    {"m/s2", 0, 1, -2, 0}, {"rad", 0, 0, 0, 1},
    {"rad/s", 0, 0, -1, 1}, {"rad/s2", 0, 0, -2, 1}, {"N", 1, 1, -2, 0},    {"N m", 1, 2, -2, 0},
    {"J", 1, 2, -2, 0},     {"W", 1, 2, -3, 0},      {"s", 0, 0, 1, 0},     {"kg", 1, 0, 0, 0},
    {"N/m", 1, 0, -2, 0},   {"N s/m", 1, 0, -1, 0},  {"Hz", 0, 0, -1, 0},
};

static void print_units(FILE *out, const struct writing *w)
{
    bool any = false;

    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        bool used = strcmp(units[u].name, "s") == 0;

        for (size_t i = 0; i < w->count && !used; i++)
            used = strcmp(w->variables[i].unit, units[u].name) == 0;
        if (!used)
            continue;
        fprintf(out, "%s    <Unit name=\"%s\"><BaseUnit", any ? "" : "  <UnitDefinitions>\n", units[u].name);
        any = true;
        if (units[u].kg)
            fprintf(out, " kg=\"%d\"", units[u].kg);
        if (units[u].m)
            fprintf(out, " m=\"%d\"", units[u].m);
        if (units[u].s)
            fprintf(out, " s=\"%d\"", units[u].s);
        if (units[u].rad)
            fprintf(out, " rad=\"%d\"", units[u].rad);
        fputs("/></Unit>\n", out);
    }
    if (any)
        fputs("  </UnitDefinitions>\n", out);
}

static bool has_unit(const char *name)
{
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        if (strcmp(units[u].name, name) == 0)
            return true;
    return false;
}

static void print_variable(FILE *out, const struct writing *w, size_t i)
{
    static const char *const causality[] = {"parameter", "input", "output"};
    const struct variable *v = &w->variables[i];
    const int kind = v->kind == 'p' ? 0 : v->kind == 'i' ? 1 : 2;
    const bool two = w->wish->version == 2;

    fprintf(out, "    <%s name=\"", two ? "ScalarVariable" : "Float64");
    print_escaped(out, v->name);
    fprintf(out, "\" valueReference=\"%zu\" causality=\"%s\" variability=\"%s\"", i + 1, causality[kind],
            kind == 0 ? "fixed" : "continuous");
    if (kind != 1)
        fprintf(out, " initial=\"%s\"", kind == 0 ? "exact" : "calculated");
    if (two)
        fputs("><Real", out);
    if (has_unit(v->unit))
        fprintf(out, " unit=\"%s\"", v->unit);
    if (kind != 2)
        fprintf(out, " start=\"%.17g\"", v->start);
    fputs(two ? "/></ScalarVariable>\n" : "/>\n", out);
}

static void print_structure(FILE *out, const struct writing *w)
{
    const bool two = w->wish->version == 2;

    fputs("  <ModelStructure>\n", out);
    for (int pass = 0; pass < 2; pass++) {
        if (two)
            fputs(pass ? "    <InitialUnknowns>\n" : "    <Outputs>\n", out);
        for (size_t i = 0; i < w->count; i++) {
            if (w->variables[i].kind != 'o')
                continue;
            if (two)
                fprintf(out, "      <Unknown index=\"%zu\"/>\n", i + 2); /* time is the first variable */
            else
                fprintf(out, "    <%s valueReference=\"%zu\"/>\n", pass ? "InitialUnknown" : "Output", i + 1);
        }
        if (two)
            fputs(pass ? "    </InitialUnknowns>\n" : "    </Outputs>\n", out);
    }
    fputs("  </ModelStructure>\n", out);
}

static char *describe(const struct writing *w, const char *token)
{
    const bool two = w->wish->version == 2;
    const double step = json_number_value(json_object_get(w->about, "step_s")),
                 end = json_number_value(json_object_get(w->about, "end_s"));
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\" modelName=\"%s\"\n",
            two ? "2.0" : "3.0", w->identifier);
    fprintf(out, "    %s=\"%s\" description=\"", two ? "guid" : "instantiationToken", token);
    print_escaped(out, json_string_value(json_object_get(w->about, "title")));
    fprintf(out, "\" generationTool=\"%s\" variableNamingConvention=\"flat\">\n", yk_build_id());
    fprintf(out, "  <CoSimulation modelIdentifier=\"%s\" canHandleVariableCommunicationStepSize=\"true\"\n",
            w->identifier);
    if (w->saves)
        fprintf(out, "      canGetAndSetFMU%s=\"true\" canSerializeFMU%s=\"true\"\n", two ? "state" : "State",
                two ? "state" : "State");
    if (two)
        fputs("      canNotUseMemoryManagementFunctions=\"true\"/>\n", out);
    else
        fprintf(out, "      fixedInternalStepSize=\"%.17g\"/>\n", step);
    print_units(out, w);
    fputs("  <LogCategories>\n    <Category name=\"logStatusError\" description=\"errors\"/>\n  </LogCategories>\n",
          out);
    fprintf(out, "  <DefaultExperiment startTime=\"0\" stopTime=\"%.17g\" stepSize=\"%.17g\"/>\n  <ModelVariables>\n",
            end, step);
    fputs(two ? "    <ScalarVariable name=\"time\" valueReference=\"0\" causality=\"independent\" "
                "variability=\"continuous\"><Real unit=\"s\"/></ScalarVariable>\n"
              : "    <Float64 name=\"time\" valueReference=\"0\" causality=\"independent\" variability=\"continuous\" "
                "unit=\"s\"/>\n",
          out);
    for (size_t i = 0; i < w->count; i++)
        print_variable(out, w, i);
    fputs("  </ModelVariables>\n", out);
    print_structure(out, w);
    fputs("</fmiModelDescription>\n", out);
    return fclose(out) == 0 ? text : NULL;
}

/* ---- the token and the whole ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct yk_archive_entry *)a)->name, ((const struct yk_archive_entry *)b)->name);
}

/* SHA-256 over the description without token, the resources in the order of their names, and the build. */
static bool make_token(struct writing *w, char token[40])
{
    char *text = describe(w, ""), *all = NULL, hex[65];
    size_t size = 0;
    FILE *out = text ? open_memstream(&all, &size) : NULL;

    qsort(w->entries, w->entry_count, sizeof *w->entries, by_name);
    if (out) {
        fputs(text, out);
        for (size_t i = 0; i < w->entry_count; i++) {
            const uint64_t length = w->entries[i].size;

            fwrite(w->entries[i].name, 1, strlen(w->entries[i].name) + 1, out);
            for (int k = 0; k < 8; k++)
                fputc((int)(length >> 8 * k & 0xff), out);
            fwrite(w->entries[i].bytes, 1, w->entries[i].size, out);
        }
        fputs(yk_build_id(), out);
    }
    free(text);
    if (!out || fclose(out) != 0 || !all) {
        free(all);
        return false;
    }
    yk_sha256(all, size, hex);
    free(all);
    hex[12] = '8'; /* a UUID of version 8 */
    hex[16] = "89ab"[(hex[16] <= '9' ? hex[16] - '0' : hex[16] - 'a' + 10) & 3];
    snprintf(token, 40, "{%.8s-%.4s-%.4s-%.4s-%.12s}", hex, hex + 8, hex + 12, hex + 16, hex + 20);
    return true;
}

/* A C identifier from the name of the archive. */
static void name_object(struct writing *w, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    const size_t length = dot ? (size_t)(dot - name) : strlen(name);
    size_t n = 0;

    if (!isalpha((unsigned char)*name))
        w->identifier[n++] = 'm';
    for (size_t i = 0; i < length && n < sizeof w->identifier - 1; i++)
        w->identifier[n++] = isalnum((unsigned char)name[i]) ? name[i] : '_';
}

static time_t date_of(const struct writing *w)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    struct stat about;

    if (epoch && *epoch)
        return (time_t)strtoll(epoch, NULL, 10);
    return stat(json_string_value(json_object_get(w->about, "path")), &about) == 0 ? about.st_mtime : 0;
}

static enum yk_status add_object(struct writing *w, struct yk_err *err)
{
    const bool two = w->wish->version == 2;
    const char *object = two ? "yoke-fmi2.so" : "yoke-fmi3.so";
    char own[1000], path[1200], inside[200];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);

    own[length > 0 ? length : 0] = 0;
    snprintf(path, sizeof path, "%s/%s", dirname(own), object);
    if (access(path, R_OK) != 0)
        return yk_fail(err, YK_E_IO, "the object %s, which an exported FMU holds, is not installed beside yoke-export",
                       object);
    snprintf(inside, sizeof inside, "binaries/%s/%s.so", two ? "linux64" : "x86_64-linux", w->identifier);
    return add_file(w, inside, path, err);
}

static enum yk_status fill(struct writing *w, struct yk_err *err)
{
    char token[40], *described;
    const json_t *loads = json_object_get(w->tree, "loads");
    enum yk_status st;

    if (!json_is_true(json_object_get(w->about, "simulates")))
        return yk_fail(err, YK_E_UNSUPPORTED, "an FMU moves no rig: only models and the virtual rig can be exported");
    if (!(w->dropped = calloc(json_array_size(loads) + 1, 1)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = add_parameters(w, err)) || (st = add_inputs(w, err)) || (st = add_outputs(w, err)))
        return st;
    drop_loads(w);
    if ((st = walk(w, w->tree, err)) ||
        (st = add_text(w, "resources/experiment.yaml", json_dumps(w->tree, JSON_INDENT(1)), err)) ||
        (st = add_text(w, "resources/yoke.json", variables_json(w), err)))
        return st;
    if (!make_token(w, token) || !(described = describe(w, token)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = add_text(w, "modelDescription.xml", described, err)) ||
        (st = add_text(w, "resources/token", strdup(token), err)))
        return st;
    return add_object(w, err);
}

/* Can a run of it be saved and restored? Some cannot. */
static enum yk_status try_saving(const struct yk_model *model, bool *saves, struct yk_err *err)
{
    struct yk_session *session;
    void *bytes = NULL;
    size_t size;
    enum yk_status st = yk_session_open(&session, model, err);

    if (st)
        return st;
    if (!(st = yk_session_step(session, err)))
        *saves = yk_session_save(session, &bytes, &size, NULL) == YK_OK;
    yk_free(bytes);
    yk_session_close(session);
    return st;
}

enum yk_status fmu_write(const struct yk_model *model, const struct fmu_wish *wish, const char *path,
                         struct yk_err *err)
{
    struct writing *w = calloc(1, sizeof *w);
    char *text = yk_model_describe(model), *copy = NULL;
    enum yk_status st = YK_OK;

    if (w && text && (w->about = yk_json_read_text(text)) &&
        (copy = strdup(json_string_value(json_object_get(w->about, "path"))))) {
        w->wish = wish;
        w->tree = json_object_get(w->about, "tree");
        w->directory = dirname(copy);
        name_object(w, path);
        st = try_saving(model, &w->saves, err);
        if (!st)
            st = fill(w, err);
        if (!st)
            st = yk_archive_pack(path, w->entries, w->entry_count, date_of(w), err);
    } else {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    for (size_t i = 0; w && i < w->entry_count; i++) {
        free((void *)w->entries[i].name);
        free((void *)w->entries[i].bytes);
    }
    for (size_t i = 0; w && i < w->count; i++) {
        free(w->variables[i].name);
        free(w->variables[i].unit);
    }
    if (w) {
        json_decref(w->about);
        free(w->variables);
        free(w->dropped);
    }
    free(copy);
    free(text);
    free(w);
    return st;
}
