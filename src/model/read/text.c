/* A whole file or pipe in memory. Whatever a path names, reading ends: regular files and pipes are read up to a limit
 * of bytes, a pipe without a writer or with a silent one is given up after a while, and devices are refused before they
 * are opened (opening one may already have an effect). */
#include "scan.h"

#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_ROOM = 4096 };

struct yk_text_limits yk_text_limits(void)
{
    return (struct yk_text_limits){.bytes = (size_t)1 << 30, .writer_s = 2, .silence_s = 30};
}

static enum yk_status too_large(const char *name, size_t most, struct yk_err *err)
{
    if (most >= (size_t)1 << 30)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(name), "larger than %zu GiB, the most that is read", most >> 30);
    return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(name), "larger than %zu MiB, the most that is read", most >> 20);
}

/* Waits until there is something to read, or until the other end was closed. False when time is up. */
static bool wait_for_data(int fd, double seconds)
{
    const int64_t due = yk_clock_now_ns() + (int64_t)(1e9 * seconds);

    for (;;) {
        const int64_t left_ms = (due - yk_clock_now_ns() + 999999) / 1000000;
        struct pollfd wait = {.fd = fd, .events = POLLIN};

        if (left_ms <= 0)
            return false;
        if (poll(&wait, 1, left_ms < INT_MAX ? (int)left_ms : INT_MAX) > 0)
            return true;
    }
}

/* As read, but waits for data, and for the first writer of a pipe. 0 at the end; negative after a message. */
static ssize_t read_some(const struct yk_text *text, int fd, size_t room, bool pipe,
                         const struct yk_text_limits *limits, struct yk_err *err)
{
    for (bool waited = false;;) {
        const ssize_t got = read(fd, text->data + text->size, room);

        if (got == 0 && pipe && text->size == 0) { /* nobody has it open to write */
            if (waited) {
                yk_fail_at(err, YK_E_IO, YK_IN_FILE(text->name), "nothing was written to this pipe (waited up to %g s)",
                           limits->writer_s);
                return -1;
            }
            waited = true;
            wait_for_data(fd, limits->writer_s);
        } else if (got >= 0) {
            return got;
        } else if (errno == EAGAIN) {
            if (!wait_for_data(fd, limits->silence_s)) {
                yk_fail_at(err, YK_E_IO, YK_IN_FILE(text->name), "stays open, but nothing was written to it for %g s",
                           limits->silence_s);
                return -1;
            }
        } else if (errno != EINTR) {
            yk_fail_at(err, YK_E_IO, YK_IN_FILE(text->name), "cannot be read: %s", strerror(errno));
            return -1;
        }
    }
}

/* Grows to `needed`, at most limit + 1 (detects oversize) + NUL. */
static enum yk_status make_room(struct yk_text *text, size_t *room, size_t needed, size_t most, struct yk_err *err)
{
    const size_t larger = needed < most + 2 ? needed : most + 2;
    char *data = realloc(text->data, larger);

    if (!data)
        return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(text->name), "out of memory: %zu bytes are needed", larger);
    text->data = data;
    *room = larger;
    return YK_OK;
}

/* Reads until the end; the size a file claims is only a first guess at the room. */
static enum yk_status read_all(struct yk_text *text, int fd, const struct stat *about,
                               const struct yk_text_limits *limits, struct yk_err *err)
{
    size_t room = 0;
    enum yk_status st;

    do {
        if (text->size + 1 >= room &&
            (st = make_room(text, &room, room ? 2 * room : (size_t)about->st_size + FIRST_ROOM, limits->bytes, err)))
            return st;
        const ssize_t got = read_some(text, fd, room - text->size - 1, S_ISFIFO(about->st_mode), limits, err);

        if (got < 0)
            return YK_E_IO;
        text->data[text->size += (size_t)got] = 0;
        if (got == 0)
            return YK_OK;
    } while (text->size <= limits->bytes);
    return too_large(text->name, limits->bytes, err);
}

/* ---- files that may be opened ---- */

/* Terminals are read, for what is typed; serial lines and all other devices are not even opened. */
static bool is_terminal(const char *path)
{
    char *full = realpath(path, NULL);
    const bool is = full && (strcmp(full, "/dev/tty") == 0 || strncmp(full, "/dev/pts/", 9) == 0 ||
                             (strncmp(full, "/dev/tty", 8) == 0 && full[8] >= '0' && full[8] <= '9'));

    free(full);
    return is;
}

static enum yk_status check_kind(const char *path, struct yk_err *err)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be opened: %s", strerror(errno));
    if (S_ISDIR(about.st_mode))
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "is a folder, a file is expected");
    if (!S_ISREG(about.st_mode) && !S_ISFIFO(about.st_mode) && !(S_ISCHR(about.st_mode) && is_terminal(path)))
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "is a device or a socket, a file or a pipe is expected");
    return YK_OK;
}

enum yk_status yk_text_load_limited(struct yk_text *text, const char *path, const struct yk_text_limits *limits,
                                    struct yk_err *err)
{
    struct stat about;
    enum yk_status st;
    int fd;

    *text = (struct yk_text){.name = path};
    if ((st = check_kind(path, err)))
        return st;
    /* without blocking, so that a pipe without a writer can be told from one with */
    if ((fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) < 0)
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be opened: %s", strerror(errno));
    if (fstat(fd, &about) != 0)
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "%s", strerror(errno));
    else if (about.st_size > (off_t)limits->bytes)
        st = too_large(path, limits->bytes, err);
    else
        st = read_all(text, fd, &about, limits, err);
    close(fd);
    if (st)
        yk_text_free(text);
    return st;
}

enum yk_status yk_text_load(struct yk_text *text, const char *path, struct yk_err *err)
{
    const struct yk_text_limits limits = yk_text_limits();

    enum yk_status st = yk_text_load_limited(text, path, &limits, err);

    if (!st && (st = yk_text_unpack(text, err)))
        yk_text_free(text);
    return st;
}

void yk_text_free(struct yk_text *text)
{
    free(text->data);
    text->data = NULL;
    text->size = 0;
}
