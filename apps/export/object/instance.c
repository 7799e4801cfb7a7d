/* An experiment as an FMU: instances, variables, steps, states. The resources hold
 *
 *     experiment.yaml   the experiment, with settings applied, and its files in data/
 *     yoke.json         variables in the order of their value references, from 1: parameters, inputs, outputs
 *     token             what the importer must know */
#include "instance.h"
#include <yoke/json.h>

#include <yoke/yoke.h>

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, DISCARD = 2, ERROR = 3 };
#define CLOSE 1e-9 /* relative: the same time, a whole number of steps */

enum kind { PARAMETER, INPUT, OUTPUT };
struct variable {
    enum kind kind;
    char *name; /* key of a parameter, channel of an output */
    size_t substructure, dof;
    double value;
    bool given;   /* a parameter that was set */
    long channel; /* of an output */
};

struct yk_exported {
    char *folder, token[64];
    yk_exported_log *log;
    void *environment;
    struct variable *variables;
    size_t count;
    struct yk_model *model;
    struct yk_session *session;
    double start, step; /* s */
    bool ready, stale;  /* stale: parameters were set after the model was made */
};

struct yk_exported_state {
    long steps; /* -1: nothing runs yet */
    double *values;
    size_t count, size;
    void *bytes;
    double start;
    bool ready;
};

/* ---- messages and files ---- */

static int complain(struct yk_exported *w, int status, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (w->log)
        w->log(w->environment, status, "logStatusError", text);
    return status;
}

char *yk_exported_path(const char *uri)
{
    char *path, *to;

    if (strncmp(uri, "file:", 5) == 0)
        uri += strncmp(uri + 5, "//", 2) == 0 ? 7 : 5;
    if (strncmp(uri, "localhost/", 10) == 0)
        uri += 9;
    if (*uri != '/' || !(path = to = malloc(strlen(uri) + 1)))
        return NULL;
    for (; *uri; uri++) {
        unsigned byte;

        if (*uri == '%' && sscanf(uri + 1, "%2x", &byte) == 1 && uri[1] && uri[2]) {
            *to++ = (char)byte;
            uri += 2;
        } else {
            *to++ = *uri;
        }
    }
    while (to > path + 1 && to[-1] == '/')
        to--;
    *to = 0;
    return path;
}

static char *path_of(const struct yk_exported *w, const char *name)
{
    char *path = malloc(strlen(w->folder) + strlen(name) + 2);

    if (path)
        sprintf(path, "%s/%s", w->folder, name);
    return path;
}

static bool read_token(struct yk_exported *w)
{
    char *path = path_of(w, "token");
    FILE *in = path ? fopen(path, "re") : NULL;
    const bool good = in && fgets(w->token, sizeof w->token, in);

    if (in)
        fclose(in);
    free(path);
    w->token[strcspn(w->token, "\n")] = 0;
    return good;
}

static bool read_variables(struct yk_exported *w)
{
    char *path = path_of(w, "yoke.json");
    json_t *all = yk_json_read_file(path), *list = json_object_get(all, "variables");
    const size_t n = json_array_size(list);
    bool good = list && (w->variables = calloc(n + 1, sizeof *w->variables));

    for (size_t i = 0; good && i < n; i++) {
        const json_t *one = json_array_get(list, i);
        const char *kind = json_string_value(json_object_get(one, "kind")),
                   *name = json_string_value(json_object_get(one, "name"));
        struct variable *v = &w->variables[w->count];

        good = kind && name && (v->name = strdup(name));
        if (!good)
            break;
        v->kind = *kind == 'p' ? PARAMETER : *kind == 'i' ? INPUT : OUTPUT;
        v->value = json_number_value(json_object_get(one, "start"));
        v->substructure = (size_t)json_integer_value(json_object_get(one, "substructure"));
        v->dof = (size_t)json_integer_value(json_object_get(one, "dof"));
        w->count++;
    }
    json_decref(all);
    free(path);
    return good;
}

/* ---- instances ---- */

struct yk_exported *yk_exported_open(const char *resources, const char *token, yk_exported_log *log, void *environment)
{
    struct yk_exported *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    w->log = log;
    w->environment = environment;
    if (!resources || !(w->folder = yk_exported_path(resources)))
        complain(w, ERROR, "the resources are not in a folder: %s", resources ? resources : "(none)");
    else if (!read_token(w) || !read_variables(w))
        complain(w, ERROR, "%s has not the files of an experiment that Yoke exported", w->folder);
    else if (!token || strcmp(token, w->token) != 0)
        complain(w, ERROR, "the token %s is not that of this FMU, %s", token ? token : "(none)", w->token);
    else
        return w;
    yk_exported_close(w);
    return NULL;
}

static void stop(struct yk_exported *w)
{
    if (w->session)
        yk_session_close(w->session);
    yk_model_close(w->model);
    w->session = NULL;
    w->model = NULL;
}

void yk_exported_close(struct yk_exported *w)
{
    if (!w)
        return;
    stop(w);
    for (size_t i = 0; i < w->count; i++)
        free(w->variables[i].name);
    free(w->variables);
    free(w->folder);
    free(w);
}

int yk_exported_reset(struct yk_exported *w)
{
    stop(w);
    w->ready = w->stale = false;
    for (size_t i = 0; i < w->count; i++)
        free(w->variables[i].name);
    free(w->variables);
    w->variables = NULL;
    w->count = 0;
    return read_variables(w) ? OK : ERROR;
}

/* Parameters as settings of the command line. */
static enum yk_status make_plan(struct yk_exported *w, struct yk_err *err)
{
    char *path = path_of(w, "experiment.yaml"), **settings = calloc(w->count + 1, sizeof *settings);
    size_t n = 0;
    enum yk_status st = path && settings ? YK_OK : YK_E_MEMORY;

    for (size_t i = 0; i < w->count && !st; i++) {
        const struct variable *v = &w->variables[i];

        if (v->kind != PARAMETER || !v->given)
            continue;
        if ((settings[n] = malloc(strlen(v->name) + 40)))
            sprintf(settings[n++], "%s=%.17g", v->name, v->value);
        else
            st = YK_E_MEMORY;
    }
    if (!st)
        st = yk_model_open(&w->model, path, (const char *const *)settings, n, err);
    for (size_t i = 0; i < n; i++)
        free(settings[i]);
    free(settings);
    free(path);
    return st;
}

int yk_exported_start(struct yk_exported *w, double time)
{
    struct yk_err err = {0};

    stop(w);
    w->start = time;
    w->stale = false;
    if (make_plan(w, &err) || yk_session_open(&w->session, w->model, &err))
        return complain(w, ERROR, "%s", yk_err_line(&err).text);
    w->step = yk_model_step(w->model);
    for (size_t i = 0; i < w->count; i++)
        if (w->variables[i].kind == OUTPUT &&
            (w->variables[i].channel = yk_session_channel_find(w->session, w->variables[i].name)) < 0)
            return complain(w, ERROR, "the experiment has no channel %s", w->variables[i].name);
    return OK;
}

/* Parameters that were set after the start count, too: starts again. */
static int refresh(struct yk_exported *w)
{
    return w->stale && !w->ready ? yk_exported_start(w, w->start) : OK;
}

int yk_exported_ready(struct yk_exported *w)
{
    const int st = w->session ? refresh(w) : complain(w, ERROR, "initialization has not begun");

    w->ready = st == OK;
    return st;
}

int yk_exported_get(struct yk_exported *w, const uint32_t *vr, size_t n, double *x)
{
    int st = refresh(w);

    for (size_t i = 0; i < n && st == OK; i++) {
        const struct variable *v = vr[i] >= 1 && vr[i] <= w->count ? &w->variables[vr[i] - 1] : NULL;

        if (vr[i] == 0)
            x[i] = w->start + (w->session ? (double)yk_session_steps(w->session) * w->step : 0);
        else if (!v)
            st = complain(w, ERROR, "there is no variable with value reference %u", vr[i]);
        else if (v->kind == OUTPUT && !w->session)
            st = complain(w, ERROR, "%s is not known before the initialization", v->name);
        else
            x[i] = v->kind == OUTPUT ? yk_session_row(w->session)[v->channel] : v->value;
    }
    return st;
}

int yk_exported_set(struct yk_exported *w, const uint32_t *vr, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++) {
        struct variable *v = vr[i] >= 1 && vr[i] <= w->count ? &w->variables[vr[i] - 1] : NULL;

        if (!v || v->kind == OUTPUT || (v->kind == PARAMETER && w->ready))
            return complain(w, ERROR, "the variable with value reference %u cannot be set%s", vr[i],
                            v && v->kind == PARAMETER ? " after the initialization" : "");
        if (!isfinite(x[i]))
            return complain(w, DISCARD, "%s = %g is not a finite number", v->name, x[i]);
        w->stale = w->stale || v->kind == PARAMETER;
        v->given = true;
        v->value = x[i];
    }
    return OK;
}

static int push_inputs(struct yk_exported *w)
{
    struct yk_err err = {0};

    for (size_t i = 0; i < w->count; i++) {
        double force = w->variables[i].value;

        if (w->variables[i].kind != INPUT)
            continue;
        for (size_t k = 0; k < w->count; k++) /* several inputs of one degree of freedom add up */
            if (k != i && w->variables[k].kind == INPUT &&
                w->variables[k].substructure == w->variables[i].substructure &&
                w->variables[k].dof == w->variables[i].dof)
                force += w->variables[k].value;
        if (yk_session_push(w->session, w->variables[i].substructure, w->variables[i].dof, force, &err))
            return complain(w, ERROR, "%s: %s", w->variables[i].name, yk_err_line(&err).text);
    }
    return OK;
}

int yk_exported_step(struct yk_exported *w, double t, double h, bool *ended, double *last)
{
    const double now = w->session ? (double)yk_session_steps(w->session) * w->step : 0, ratio = h / w->step;
    const long count = lround(ratio);
    struct yk_err err = {0};
    int st;

    *ended = false;
    *last = w->start + now;
    if (!w->ready)
        return complain(w, ERROR, "a step before the initialization");
    if (!(fabs(t - w->start - now) <= CLOSE * fmax(1, fabs(t))))
        return complain(w, ERROR, "a step from t = %.12g s, but the experiment is at %.12g s", t, w->start + now);
    if (count < 1 || !(fabs(ratio - (double)count) <= CLOSE * ratio))
        return complain(w, ERROR, "a communication step of %.12g s; it must be a multiple of %.12g s", h, w->step);
    if ((st = push_inputs(w)))
        return st;
    for (long i = 0; i < count; i++) {
        if (yk_session_is_finished(w->session)) {
            *ended = true;
            return complain(w, DISCARD, "the experiment ends at t = %.12g s", *last);
        }
        if (yk_session_step(w->session, &err)) {
            *ended = err.status == YK_E_STOPPED;
            return complain(w, *ended ? DISCARD : ERROR, "%s", yk_err_line(&err).text);
        }
        *last = w->start + (double)yk_session_steps(w->session) * w->step;
    }
    return OK;
}

/* ---- states ---- */

void yk_exported_forget(struct yk_exported_state *s)
{
    if (!s)
        return;
    free(s->values);
    yk_free(s->bytes);
    free(s);
}

int yk_exported_save(struct yk_exported *w, struct yk_exported_state **state)
{
    struct yk_exported_state *s = *state ? *state : calloc(1, sizeof *s);
    struct yk_err err = {0};

    if (!s || !(s->values ? s->values : (s->values = calloc(2 * w->count + 1, sizeof *s->values)))) {
        free(*state ? NULL : s);
        return complain(w, ERROR, "out of memory");
    }
    *state = s;
    s->count = w->count;
    s->start = w->start;
    s->ready = w->ready;
    s->steps = w->session ? yk_session_steps(w->session) : -1;
    for (size_t i = 0; i < w->count; i++) {
        s->values[i] = w->variables[i].value;
        s->values[w->count + i] = w->variables[i].given;
    }
    yk_free(s->bytes);
    s->bytes = NULL;
    s->size = 0;
    if (w->session && yk_session_save(w->session, &s->bytes, &s->size, &err))
        return complain(w, ERROR, "%s", yk_err_line(&err).text);
    return OK;
}

int yk_exported_restore(struct yk_exported *w, const struct yk_exported_state *s)
{
    struct yk_err err = {0};
    bool other = false;
    int st;

    if (!s || s->count != w->count)
        return complain(w, ERROR, "the state is not one of this FMU");
    for (size_t i = 0; i < w->count; i++) {
        struct variable *v = &w->variables[i];

        other =
            other || (v->kind == PARAMETER && (v->value != s->values[i] || v->given != (s->values[w->count + i] != 0)));
        v->value = s->values[i];
        v->given = s->values[w->count + i] != 0;
    }
    w->start = s->start;
    w->ready = s->ready;
    if (!s->bytes) {
        stop(w);
        return OK;
    }
    if ((other || w->stale || !w->session) && (st = yk_exported_start(w, s->start)))
        return st;
    w->ready = s->ready;
    if (yk_session_restore(w->session, s->bytes, s->size, &err))
        return complain(w, ERROR, "%s", yk_err_line(&err).text);
    return OK;
}

/* "YKFMU", version, token, numbers of variables and bytes, values, bytes */
struct head {
    char mark[8], token[64];
    uint64_t count, size, ready;
    int64_t steps;
    double start;
};

size_t yk_exported_state_size(const struct yk_exported *w, const struct yk_exported_state *s)
{
    return s ? sizeof(struct head) + 2 * s->count * sizeof(double) + s->size : 0;
}

int yk_exported_state_write(struct yk_exported *w, const struct yk_exported_state *s, void *bytes, size_t size)
{
    struct head head = {.mark = "YKFMU01"};
    char *to = bytes;

    if (!s || size < yk_exported_state_size(w, s))
        return complain(w, ERROR, "there is no room for the state");
    memcpy(head.token, w->token, sizeof head.token);
    head.count = s->count;
    head.size = s->bytes ? s->size : 0;
    head.ready = s->ready;
    head.steps = s->steps;
    head.start = s->start;
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head, s->values, 2 * s->count * sizeof(double));
    if (head.size)
        memcpy(to + sizeof head + 2 * s->count * sizeof(double), s->bytes, s->size);
    return OK;
}

int yk_exported_state_read(struct yk_exported *w, const void *bytes, size_t size, struct yk_exported_state **state)
{
    struct yk_exported_state *s = calloc(1, sizeof *s);
    struct head head = {0};

    if (size >= sizeof head)
        memcpy(&head, bytes, sizeof head);
    if (!s || size < sizeof head || memcmp(head.mark, "YKFMU01", 8) != 0 ||
        memcmp(head.token, w->token, sizeof head.token) != 0 || head.count != w->count ||
        head.size != size - sizeof head - 2 * w->count * sizeof(double)) {
        free(s);
        return complain(w, ERROR, "these bytes are no state of this FMU");
    }
    s->count = w->count;
    s->size = head.size;
    s->ready = head.ready != 0;
    s->steps = head.steps;
    s->start = head.start;
    s->values = malloc(2 * s->count * sizeof(double) + 1);
    s->bytes = head.size ? malloc(head.size) : NULL;
    if (!s->values || (head.size && !s->bytes)) {
        yk_exported_forget(s);
        return complain(w, ERROR, "out of memory");
    }
    memcpy(s->values, (const char *)bytes + sizeof head, 2 * s->count * sizeof(double));
    if (head.size)
        memcpy(s->bytes, (const char *)bytes + sizeof head + 2 * s->count * sizeof(double), head.size);
    *state = s;
    return OK;
}
