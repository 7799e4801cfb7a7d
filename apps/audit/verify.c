/* Verifies an audit log by hashing every line again. */
#include "verify.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yoke/json.h>
#include <yoke/sha256.h>

struct reading {
    struct audit_report *report;
    const struct yk_audit_anchor *anchor;
    long at;                   /* lines of the file so far */
    char above[YK_AUDIT_HASH]; /* hash of the line above */
    bool anchored;
};

/* The first contradiction counts. */
static void blame(struct reading *r, const char *why)
{
    struct audit_report *report = r->report;

    if (report->broken)
        return;
    report->broken = r->at;
    report->why = why;
}

static void take_line(struct reading *r, const char *line, size_t length)
{
    struct audit_report *report = r->report;
    json_t *entry = yk_json_read(line, length, 0);
    char hash[YK_AUDIT_HASH];

    r->at++;
    yk_sha256(line, length, hash);
    if (!json_is_object(entry)) { /* its hash is in the next line, if a process went on after it */
        report->torn++;
    } else {
        const char *date = yk_json_text(entry, "date");

        if (strcmp(yk_json_text(entry, "before"), r->above) != 0)
            blame(r, "the line above was changed, or lines are missing or were inserted before this one");
        else if (json_integer_value(json_object_get(entry, "line")) != r->at)
            blame(r, "its number is not that of its line");
        snprintf(report->last, sizeof report->last, "%s", date);
        if (!report->lines++)
            snprintf(report->first, sizeof report->first, "%s", date);
    }
    json_decref(entry);
    memcpy(r->above, hash, sizeof hash);
    if (r->anchor && r->anchor->line == r->at) {
        r->anchored = true;
        if (strcmp(r->anchor->hash, hash) != 0)
            blame(r, "it is not the line that the summary names");
    }
    report->end.line = r->at;
    memcpy(report->end.hash, hash, sizeof hash);
}

enum yk_status audit_verify(const char *path, const struct yk_audit_anchor *anchor, struct audit_report *report,
                            struct yk_err *err)
{
    struct reading r = {
        .report = report, .anchor = anchor && anchor->line > 0 ? anchor : NULL, .above = YK_AUDIT_FIRST};
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    FILE *in = fd >= 0 && !fstat(fd, &about) && S_ISREG(about.st_mode) ? fdopen(fd, "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t got;

    *report = (struct audit_report){0};
    if (!in) {
        yk_fail(err, YK_E_IO, "cannot read the audit log %s: %s", path,
                fd < 0 ? strerror(errno) : "it is not a regular file");
        if (fd >= 0)
            close(fd);
        return YK_E_IO;
    }
    while ((got = getline(&line, &room, in)) > 0)
        take_line(&r, line, (size_t)got - (line[got - 1] == '\n'));
    const bool failed = ferror(in);

    if (r.anchor && !r.anchored) {
        r.at++;
        blame(&r, "the log ends before the line that the summary names");
    }
    free(line);
    fclose(in);
    return failed ? yk_fail(err, YK_E_IO, "cannot read the audit log %s", path) : YK_OK;
}
