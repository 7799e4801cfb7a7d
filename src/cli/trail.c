/* Entries of runs and consoles in the audit log. */
#include "cli/trail.h"
#include "cli/cli.h"

#include "base/json.h"
#include "engine/engine.h"
#include <yoke/sha256.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool trail_open(struct trail *t, const struct yk_model *model, const char *run)
{
    struct yk_err err = {0};
    void *self;

    *t = (struct trail){0};
    snprintf(t->run, sizeof t->run, "%s", run);
    if (!model->station || yk_station_rig(model->station, &self)->can & YK_RIG_SIMULATES)
        return true;
    char *path = yk_audit_path(&err);

    if (path && !yk_audit_open(&t->log, path, &err)) {
        free(path);
        return true;
    }
    free(path);
    fprintf(stderr, "yoke: %s; a rig does not move without its audit log. YOKE_AUDIT names another place\n",
            yk_err_line(&err).text);
    return false;
}

void trail_add(struct trail *t, const char *by, const char *what, const char *format, ...)
{
    char *words = NULL;
    va_list args;

    if (!t->log)
        return;
    va_start(args, format);
    const int made = vasprintf(&words, format, args);

    va_end(args);
    t->lost += yk_audit_add(t->log, t->run, by, what, made < 0 ? "" : words, NULL) != YK_OK;
    if (made >= 0)
        free(words);
}

/* The limits of the run and of its actuators, as in its recording; malloc'd. */
static char *limits_text(const struct yk_model *model)
{
    char *description = yk_run_description(model), *text = NULL;
    json_t *all = yk_json_read_text(description), *actuators = json_object_get(all, "actuators"),
           *limits = json_object(), *actuator;
    size_t i;

    json_object_set(limits, "all", json_object_get(all, "limits"));
    json_array_foreach(actuators, i, actuator)
    {
        json_object_set(limits, yk_json_text(actuator, "name"), json_object_get(actuator, "limits"));
    }
    text = json_dumps(limits, JSON_COMPACT);
    json_decref(limits);
    json_decref(all);
    free(description);
    return text;
}

void trail_begin(struct trail *t, const struct yk_model *model, const char *what)
{
    char hash[65];
    void *self;

    if (!t->log)
        return;
    char *limits = limits_text(model);

    yk_sha256(model->text, strlen(model->text), hash);
    trail_add(t, "terminal", what, "%s (SHA-256 %s), backend %s, program %s, command: %s", model->path, hash,
              yk_station_rig(model->station, &self)->name, yk_build_id(), yk_command_line());
    if (*model->overrides)
        trail_add(t, "terminal", "override", "%s", model->overrides);
    trail_add(t, "terminal", "limits", "%s", limits ? limits : "");
    free(limits);
}

void trail_close(struct trail *t)
{
    if (t->lost)
        fprintf(stderr, "yoke: WARNING: %lu entries of the audit log could not be written\n", t->lost);
    yk_audit_close(t->log);
    t->log = NULL;
}
