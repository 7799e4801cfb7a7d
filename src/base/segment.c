/* Shared memory with an owner. */
#include "base/segment.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 64, TRIES = 20, BETWEEN_US = 1000 };

static enum yk_status set_path(struct yk_segment *s, const char *name, struct yk_err *err)
{
    const size_t length = strlen(name);

    if (length == 0 || name[length - 1] == '-') /* what was given stands behind a prefix with a hyphen */
        return yk_fail(err, YK_E_INPUT, "'%s' cannot name shared memory: something must stand behind the hyphen", name);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("-_.", name[i]))
            return yk_fail(err, YK_E_INPUT, "'%s' cannot name shared memory: letters, digits, - _ . only", name);
    if (!length || length > LONGEST)
        return yk_fail(err, YK_E_INPUT, "the name of shared memory has %zu characters; 1 .. %d are allowed", length,
                       LONGEST);
    snprintf(s->path, sizeof s->path, "/yoke-%s", name);
    return YK_OK;
}

static enum yk_status fail_to(const struct yk_segment *s, const char *what, struct yk_err *err)
{
    return yk_fail(err, YK_E_IO, "cannot %s shared memory %s: %s", what, s->path + 1, strerror(errno));
}

/* Removes a block without an owner. False: somebody owns it. */
static bool clear_remnant(const struct yk_segment *s)
{
    const int fd = shm_open(s->path, O_RDWR, 0);
    bool free_again = fd < 0 && errno == ENOENT;

    if (fd < 0)
        return free_again;
    free_again = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (free_again)
        shm_unlink(s->path);
    close(fd);
    return free_again;
}

static enum yk_status map(struct yk_segment *s, bool writable, struct yk_err *err)
{
    s->at = mmap(NULL, s->size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, s->fd, 0);
    if (s->at != MAP_FAILED)
        return YK_OK;
    s->at = NULL;
    return fail_to(s, "map", err);
}

enum yk_status yk_segment_create(struct yk_segment *s, const char *name, size_t size, unsigned mode, struct yk_err *err)
{
    enum yk_status st;

    *s = (struct yk_segment){.size = size, .fd = -1};
    if ((st = set_path(s, name, err)))
        return st;
    /* a reader that asks whether there is an owner holds the lock for a moment */
    for (int i = 0; i < TRIES && (s->fd = shm_open(s->path, O_CREAT | O_EXCL | O_RDWR, mode)) < 0; i++) {
        if (errno != EEXIST)
            return fail_to(s, "make", err);
        if (!clear_remnant(s))
            usleep(BETWEEN_US);
    }
    if (s->fd < 0)
        return yk_fail(err, YK_E_INPUT, "shared memory %s is in use by another process; choose another name",
                       s->path + 1);
    s->owned = true;
    /* reserved at once: a page that is not to be had would be a SIGBUS later */
    if (flock(s->fd, LOCK_EX | LOCK_NB) || fchmod(s->fd, mode) || (errno = posix_fallocate(s->fd, 0, (off_t)size)))
        st = fail_to(s, "set up", err);
    else if (!(st = map(s, true, err)))
        memset(s->at, 0, size); /* touches every page */
    if (st)
        yk_segment_close(s);
    return st;
}

enum yk_status yk_segment_open(struct yk_segment *s, const char *name, size_t size, bool writable, struct yk_err *err)
{
    struct stat info;
    enum yk_status st;

    *s = (struct yk_segment){.fd = -1};
    if ((st = set_path(s, name, err)))
        return st;
    if ((s->fd = shm_open(s->path, writable ? O_RDWR : O_RDONLY, 0)) < 0)
        return errno == ENOENT ? yk_fail(err, YK_E_INPUT, "there is no shared memory %s", s->path + 1)
                               : fail_to(s, "open", err);
    if (fstat(s->fd, &info))
        st = fail_to(s, "look at", err);
    else if ((size_t)info.st_size < size || info.st_size == 0)
        st = yk_fail(err, YK_E_INPUT,
                     "shared memory %s has %ld bytes, %zu are needed: it is not finished, or of another "
                     "version",
                     s->path + 1, (long)info.st_size, size);
    else
        s->size = (size_t)info.st_size;
    if (!st)
        st = map(s, writable, err);
    if (st)
        yk_segment_close(s);
    return st;
}

bool yk_segment_has_owner(const struct yk_segment *s)
{
    if (flock(s->fd, LOCK_SH | LOCK_NB))
        return true;
    flock(s->fd, LOCK_UN);
    return false;
}

void yk_segment_close(struct yk_segment *s)
{
    if (s->at)
        munmap(s->at, s->size);
    if (s->owned)
        shm_unlink(s->path);
    if (s->fd >= 0)
        close(s->fd);
    *s = (struct yk_segment){.fd = -1};
}
