/* `certificate` of a channel, and the deprecated section `certificates`: who calibrated the sensors of a rig, when, and
 * how well. It changes no reading. An overdue certificate warns; a run keeps all of them in its recording. */
#include "experiment/build.h"

#include "transfer/station.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const struct yk_param yk_keys_certificate[] = {
    YK_TEXT(struct yk_certificate, sensor, YK_REQUIRED, "what it is: load cell, 250 kN"),
    YK_TEXT(struct yk_certificate, serial, YK_REQUIRED, "serial number, in quotes"),
    YK_TEXT(struct yk_certificate, certificate, YK_REQUIRED, "number of the certificate, or who issued it"),
    YK_TEXT(struct yk_certificate, date, YK_REQUIRED, "when it was calibrated: 2026-02-01"),
    YK_TEXT(struct yk_certificate, due, YK_REQUIRED, "when it is to be calibrated again; a later day warns"),
    YK_REAL(struct yk_certificate, uncertainty, YK_NUMBER, YK_REQUIRED, 0, 1,
            "expanded relative uncertainty (k = 2): 0.003 is 0.3 % of the reading"),
    YK_REAL(struct yk_certificate, as_found, YK_NUMBER, 1, 0.1, 10, "true over indicated value, before adjustment"),
    YK_REAL(struct yk_certificate, as_left, YK_NUMBER, 1, 0.1, 10, "likewise after it"),
    YK_PARAM_END,
};

enum yk_status yk_build_include_certificates(struct yk_model *e, struct yk_err *err)
{
    const enum yk_status st = yk_tree_include(e->tree, "channels", e->directory, &e->included, &e->text, err);

    return st ? st : yk_tree_include(e->tree, "certificates", e->directory, &e->included, &e->text, err);
}

/* Days since 1970 of a date 2026-02-01; false: it is none. */
static bool day_of(const char *text, long *day)
{
    int year, month, date, used = 0;
    struct tm at = {0};

    if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &date, &used) != 3 || used != 10 || text[used])
        return false;
    at.tm_year = year - 1900;
    at.tm_mon = month - 1;
    at.tm_mday = date;
    *day = (long)(timegm(&at) / 86400);
    return at.tm_mon == month - 1 && at.tm_mday == date; /* timegm moves the 31st of April to May */
}

static enum yk_status judge(const struct yk_model *e, const struct yk_node *node, struct yk_certificate *c,
                            struct yk_err *err)
{
    const struct yk_node *date = yk_node_get(node, "date"), *due = yk_node_get(node, "due");
    const long today = (long)(time(NULL) / 86400);
    long from, until;

    if (!day_of(c->date, &from))
        return yk_fail_at(err, YK_E_INPUT, date->where, "date '%s' is not a day such as 2026-02-01", c->date);
    if (!day_of(c->due, &until))
        return yk_fail_at(err, YK_E_INPUT, due->where, "due '%s' is not a day such as 2027-02-01", c->due);
    if (until <= from)
        return yk_fail_at(err, YK_E_RANGE, due->where, "due %s is not after date %s", c->due, c->date);
    if (from > today + 1)
        return yk_fail_at(err, YK_E_RANGE, date->where, "date %s lies %ld days ahead; check the clock of this machine",
                          c->date, from - today);
    c->overdue_days = today > until ? today - until : 0;
    if (c->overdue_days)
        yk_note(e->notes, due->where, "calibration of %s (%s, serial number %s) was due on %s, %ld day%s ago",
                c->channel, c->sensor, c->serial, c->due, c->overdue_days, c->overdue_days == 1 ? "" : "s");
    if (fabs(c->as_left - 1) > c->uncertainty)
        yk_note(
            e->notes, yk_node_get(node, "as_left")->where,
            "%s (%s, serial number %s) was left with a factor of %g, beyond its uncertainty of %.3g %%: correct its "
            "gain by it",
            c->channel, c->sensor, c->serial, c->as_left, 100 * c->uncertainty);
    return YK_OK;
}

static enum yk_status read_one(struct yk_model *e, const struct yk_node *node, const struct yk_node *named,
                               struct yk_err *err)
{
    static const struct yk_field_context plain = {.directory = "", .force_means = YK_FORCE};
    struct yk_certificate *c = &e->certificates[e->certificate_count];
    enum yk_status st;

    if ((st = yk_field_type(node, YK_MAP, "a map with sensor, serial, certificate, date, due and uncertainty", err)) ||
        (st = yk_field_known(node, yk_keys_certificate, NULL, err)))
        return st;
    if (!yk_build_is_channel(e, named->key))
        return yk_fail_at(err, YK_E_INPUT, named->key_where,
                          "'%s' is none of this rig: ACTUATOR.displacement, ACTUATOR.force or sensor.NAME", named->key);
    for (size_t i = 0; i < e->certificate_count; i++)
        if (strcmp(e->certificates[i].channel, named->key) == 0)
            return yk_fail_at(err, YK_E_INPUT, named->key_where, "'%s' has two certificates", named->key);
    if ((st = yk_field_settings(node, yk_keys_certificate, c, &plain, err)))
        return st;
    snprintf(c->channel, sizeof c->channel, "%s", named->key);
    e->certificate_count++;
    return judge(e, node, c, err);
}

enum yk_status yk_build_certificates(struct yk_model *e, struct yk_err *err)
{
    const struct yk_node *old = yk_node_get(e->tree, "certificates"), *channels = yk_node_get(e->tree, "channels");
    const size_t most = (old ? old->count : 0) + (channels ? channels->count : 0);
    enum yk_status st = YK_OK;

    if (old && (st = yk_field_type(old, YK_MAP, "a map of channels, or the name of a file", err)))
        return st;
    if (!(e->certificates = calloc(most + 1, sizeof *e->certificates)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; channels && i < channels->count && !st; i++) {
        const struct yk_node *node = yk_node_get(channels->items[i], "certificate");

        st = node ? read_one(e, node, channels->items[i], err) : YK_OK;
    }
    for (size_t i = 0; old && i < old->count && !st; i++)
        st = read_one(e, old->items[i], old->items[i], err);
    if (!st && old && old->count)
        yk_note(e->notes, old->key_where,
                "certificates are read here for the last time: write them into the section channels, as channels: { "
                "a1.force: { certificate: { sensor: .. } } }");
    return st;
}

void yk_build_free_certificates(struct yk_model *e)
{
    for (size_t i = 0; i < e->certificate_count; i++)
        yk_param_free(yk_keys_certificate, &e->certificates[i]);
    free(e->certificates);
}
