/* The protocol of a check-list, compared with what is about to move. */
#include "experiment/commissioning.h"

#include "base/json.h"
#include "transfer/station.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yoke/yoke.h>

#define ENDING ".commissioning"

char *yk_commissioning_name(const struct yk_model *e, const char *given)
{
    return given ? strdup(given) : yk_path_beside(e->path, ENDING);
}

/* ---- the gate ---- */

/* Why a protocol does not allow a run; "" where it does. */
static void object_to(const struct yk_model *e, const json_t *protocol, const char *path, char *why, size_t size)
{
    char hash[65];

    yk_model_rig_hash(e, hash);
    *why = 0;
    if (!json_is_object(protocol))
        snprintf(why, size, access(path, F_OK) ? "there is no protocol %s" : "%s is not a protocol", path);
    else if (strcmp(yk_json_text(protocol, "verdict"), "passed") != 0)
        snprintf(why, size, "the check-list of %s did not pass (%s: %s)", yk_json_text(protocol, "date"), path,
                 yk_json_text(protocol, "verdict"));
    else if (strcmp(yk_json_text(protocol, "rig_sha256"), hash) != 0)
        snprintf(why, size,
                 "rig, limits, calibration or connections of the file have changed since the check-list of %s (%s)",
                 yk_json_text(protocol, "date"), path);
    else if (strcmp(yk_json_text(protocol, "build"), yk_build_id()) != 0)
        snprintf(why, size, "the check-list of %s (%s) was made with another program (%s; this is %s)",
                 yk_json_text(protocol, "date"), path, yk_json_text(protocol, "build"), yk_build_id());
}

/* "NAME: REASON", both with something in them. */
static json_t *override_of(const char *override, const char *why)
{
    const char *colon = strchr(override, ':');
    const char *reason = colon ? colon + 1 + strspn(colon + 1, " ") : "";
    const size_t length = colon ? (size_t)(colon - override) : 0;
    char name[80];

    if (length == 0 || length >= sizeof name || strlen(reason) < 3)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)length, override);
    return json_pack("{s:s, s:o, s:o, s:o}", "state", "overridden", "by", yk_json_any(name), "reason",
                     yk_json_any(reason), "instead_of", yk_json_any(why));
}

/* The protocol beside the file; NULL where there is none that can be read. */
static json_t *load_protocol(const struct yk_model *e, char **path)
{
    char *name = yk_commissioning_name(e, NULL);

    if (!name || asprintf(path, "%s.json", name) < 0)
        *path = NULL;
    free(name);
    return *path ? yk_json_read_file(*path) : NULL;
}

enum yk_status yk_commissioning_check(const struct yk_model *e, const char *override, json_t **record,
                                      struct yk_err *err)
{
    char why[700], *path = NULL;
    enum yk_status st = YK_OK;

    *record = NULL;
    if (!e->station || yk_station_world(e->station) != YK_RIG_REAL)
        return YK_OK;
    json_t *protocol = load_protocol(e, &path);

    object_to(e, protocol, path ? path : "", why, sizeof why);
    if (!*why)
        *record =
            json_pack("{s:s, s:o, s:o, s:o}", "state", "passed", "protocol", yk_json_any(path), "date",
                      yk_json_any(yk_json_text(protocol, "date")), "by", yk_json_any(yk_json_text(protocol, "user")));
    else if (!override)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(e->path),
                        "the rig is not commissioned: %s. Nothing was moved. Run `yoke rig %s -c checklist`, or take "
                        "the responsibility: --uncommissioned \"NAME: REASON\"",
                        why, e->path);
    else if (!(*record = override_of(override, why)))
        st = yk_fail(err, YK_E_INPUT,
                     "'%s' must be a name and a reason, such as \"A. Miller: first motion without a specimen\"",
                     override);
    json_decref(protocol);
    free(path);
    return st;
}
