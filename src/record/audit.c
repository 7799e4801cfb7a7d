/* The audit log: append under a lock, with the hash of the line above. */
#include "record/audit.h"

#include "base/clock.h"
#include "base/json.h"
#include "record/record.h"
#include <yoke/sha256.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_TRIES = 500, BETWEEN_NS = 2000000, PIECE = 65536 };

struct yk_audit {
    int fd;
    char *path;
    struct yk_audit_anchor anchor;
};

/* ---- place ---- */

char *yk_audit_path(struct yk_err *err)
{
    const char *own = getenv("YOKE_AUDIT"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int made;

    if (own && *own)
        made = asprintf(&path, "%s", own);
    else if (state && *state == '/')
        made = asprintf(&path, "%s/yoke/audit.log", state);
    else if (home && *home == '/')
        made = asprintf(&path, "%s/.local/state/yoke/audit.log", home);
    else
        return yk_fail(err, YK_E_IO, "no place for the audit log: neither YOKE_AUDIT nor HOME is set"), NULL;
    if (made < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory"), NULL;
    return path;
}

/* The folders of a path, those that are missing only for this user. */
static bool make_folders(const char *path)
{
    char *copy = strdup(path);
    bool good = copy != NULL;

    for (char *slash = copy ? strchr(copy + 1, '/') : NULL; slash && good; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        good = mkdir(copy, 0700) == 0 || errno == EEXIST;
        *slash = '/';
    }
    free(copy);
    return good;
}

enum yk_status yk_audit_open(struct yk_audit **log, const char *path, struct yk_err *err)
{
    struct yk_audit *l = calloc(1, sizeof *l);
    struct stat about;

    *log = NULL;
    if (!l || !(l->path = strdup(path))) {
        free(l);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    l->fd =
        make_folders(path) ? open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600) : -1;
    if (l->fd < 0 || fstat(l->fd, &about) || !S_ISREG(about.st_mode)) {
        yk_fail(err, YK_E_IO, "cannot write the audit log %s: %s", path,
                l->fd < 0 ? strerror(errno) : "it is not a regular file");
        yk_audit_close(l);
        return YK_E_IO;
    }
    *log = l;
    return YK_OK;
}

void yk_audit_close(struct yk_audit *log)
{
    if (!log)
        return;
    if (log->fd >= 0)
        close(log->fd);
    free(log->path);
    free(log);
}

struct yk_audit_anchor yk_audit_anchor(const struct yk_audit *log)
{
    return log ? log->anchor : (struct yk_audit_anchor){0};
}

/* ---- append ---- */

/* The end of the file: the last line without its newline, malloc'd; NULL and *length 0: the file is empty. *torn: it
 * has no newline. */
static char *last_line(int fd, size_t *length, bool *torn, bool *failed)
{
    const off_t size = lseek(fd, 0, SEEK_END);
    char *text = NULL;
    size_t room = 0;

    *length = 0;
    *torn = false;
    *failed = size < 0;
    while (size > 0) {
        char *more = realloc(text, room = room ? 2 * room : PIECE);
        const size_t used = (off_t)room < size ? room : (size_t)size;
        const ssize_t got = more ? pread(fd, more, used, size - (off_t)used) : -1;

        text = more ? more : text;
        if ((*failed = got != (ssize_t)used))
            break;
        *torn = text[used - 1] != '\n';
        const size_t end = used - !*torn;
        const char *before = memrchr(text, '\n', end);

        if (before || (off_t)used == size) {
            const size_t from = before ? (size_t)(before + 1 - text) : 0;

            *length = end - from;
            memmove(text, text + from, *length);
            return text;
        }
    }
    free(text);
    return NULL;
}

/* How many lines there are: the number of the last one, or counted where that is torn. */
static long count_lines(int fd)
{
    static const size_t room = PIECE;
    char *text = malloc(room);
    long lines = 0;
    ssize_t got;

    for (off_t at = 0; text && (got = pread(fd, text, room, at)) > 0; at += got)
        for (const char *c = text; (c = memchr(c, '\n', (size_t)(text + got - c))); c++)
            lines++;
    free(text);
    return lines;
}

static long number_of(const char *line, size_t length)
{
    json_t *entry = yk_json_read(line, length, 0);
    const long n = (long)json_integer_value(json_object_get(entry, "line"));

    json_decref(entry);
    return n;
}

static bool lock(int fd)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        yk_clock_sleep_until(yk_clock_now_ns() + BETWEEN_NS);
    }
    return false;
}

static bool write_whole(int fd, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t got = write(fd, text, size);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        text += got;
        size -= (size_t)got;
    }
    return fdatasync(fd) == 0;
}

/* The file is locked. */
static bool append(struct yk_audit *l, const char *run, const char *by, const char *what, const char *words)
{
    struct yk_provenance here;
    char before[YK_AUDIT_HASH] = YK_AUDIT_FIRST, *text = NULL, *line = NULL;
    size_t length;
    bool torn, failed;
    char *above = last_line(l->fd, &length, &torn, &failed);
    long n = 1;

    if (failed)
        return false;
    if (above) {
        yk_sha256(above, length, before);
        n = number_of(above, length);
        n = (n > 0 ? n : count_lines(l->fd) + torn) + 1;
    }
    free(above);
    yk_provenance_take(&here);
    json_t *entry = json_pack("{s:I, s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:s}", "line", (json_int_t)n, "date", here.date,
                              "host", yk_json_any(here.host), "user", yk_json_any(here.user), "run", yk_json_any(run),
                              "by", yk_json_any(by), "what", what, "words", yk_json_any(words), "before", before);
    text = entry ? json_dumps(entry, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
    json_decref(entry);
    bool good = text && asprintf(&line, "%s%s\n", torn ? "\n" : "", text) >= 0;

    good = good && write_whole(l->fd, line, strlen(line));
    if (good) {
        l->anchor.line = n;
        yk_sha256(text, strlen(text), l->anchor.hash);
    }
    free(text);
    free(line);
    return good;
}

enum yk_status yk_audit_add(struct yk_audit *log, const char *run, const char *by, const char *what, const char *words,
                            struct yk_err *err)
{
    if (!log)
        return YK_OK;
    if (!lock(log->fd))
        return yk_fail(err, YK_E_IO, "another process keeps the audit log %s locked", log->path);
    const bool good = append(log, run, by, what, words);
    const int why = errno;

    flock(log->fd, LOCK_UN);
    return good ? YK_OK : yk_fail(err, YK_E_IO, "cannot write the audit log %s: %s", log->path, strerror(why));
}
