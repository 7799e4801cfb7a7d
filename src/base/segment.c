/* Shared memory with an owner. */
#include "base/segment.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "/dev/shm"
#define PREFIX "yoke-"

enum { LONGEST = 64, TRIES = 20, BETWEEN_US = 1000, SPARES = 64 };

/* ---- blocks that are truncated ---- */

/* A mapped block, and private memory of the same size to put in its place: taken beforehand, since in the handler there
 * may be none to be had. */
struct yk_segment_spare {
    atomic_bool taken;
    _Atomic(char *) at; /* NULL: not in use */
    char *spare;
    size_t size;
    atomic_bool cut;
};
static struct yk_segment_spare spares[SPARES];

static struct yk_segment_spare *take_spare(void *at, size_t size)
{
    for (int i = 0; i < SPARES; i++) {
        struct yk_segment_spare *g = &spares[i];
        void *spare;

        if (atomic_exchange(&g->taken, true))
            continue;
        spare = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (spare == MAP_FAILED) {
            atomic_store(&g->taken, false);
            return NULL;
        }
        g->spare = spare;
        g->size = size;
        atomic_store(&g->cut, false);
        atomic_store(&g->at, (char *)at);
        return g;
    }
    errno = EMFILE;
    return NULL;
}

static void drop_spare(struct yk_segment_spare *g)
{
    atomic_store(&g->at, NULL);
    if (!atomic_load(&g->cut))
        munmap(g->spare, g->size);
    atomic_store(&g->taken, false);
}

bool yk_segment_mend(const void *address)
{
    for (int i = 0; i < SPARES; i++) {
        struct yk_segment_spare *g = &spares[i];
        char *at = atomic_load(&g->at);

        if (!at || (uintptr_t)address < (uintptr_t)at || (uintptr_t)address - (uintptr_t)at >= g->size)
            continue;
        if (atomic_exchange(&g->cut, true))
            return true; /* another thread was here first */
        return mremap(g->spare, g->size, g->size, MREMAP_MAYMOVE | MREMAP_FIXED, at) != MAP_FAILED;
    }
    return false;
}

YK_RT bool yk_segment_is_cut(const struct yk_segment *s)
{
    return s->spare && atomic_load_explicit(&s->spare->cut, memory_order_relaxed);
}

/* ---- names ---- */

enum yk_status yk_segment_check_name(const char *name, struct yk_err *err)
{
    const size_t length = strlen(name);

    if (length == 0 || name[length - 1] == '-') /* the given name follows a prefix with a hyphen */
        return yk_fail(err, YK_E_INPUT, "'%s' cannot name shared memory: a name must follow the hyphen", name);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("-_.", name[i]))
            return yk_fail(err, YK_E_INPUT, "'%s' cannot name shared memory: letters, digits, - _ . only", name);
    if (!length || length > LONGEST)
        return yk_fail(err, YK_E_INPUT, "the name of shared memory has %zu characters; 1 .. %d are allowed", length,
                       LONGEST);
    return YK_OK;
}

static enum yk_status set_path(struct yk_segment *s, const char *name, struct yk_err *err)
{
    const enum yk_status st = yk_segment_check_name(name, err);

    if (st)
        return st;
    snprintf(s->path, sizeof s->path, "/" PREFIX "%s", name);
    return YK_OK;
}

bool yk_segment_is_anothers(const char *name)
{
    char path[sizeof FOLDER + sizeof PREFIX + LONGEST];
    struct stat info;

    snprintf(path, sizeof path, FOLDER "/" PREFIX "%s", name);
    return lstat(path, &info) == 0 && info.st_uid != geteuid();
}

static enum yk_status fail_to(const struct yk_segment *s, const char *what, struct yk_err *err)
{
    return yk_fail(err, YK_E_IO, "cannot %s shared memory %s: %s", what, s->path + 1, strerror(errno));
}

/* Locks of the first byte, by an open file; the others are for its users. The owner's is one for writing: it needs a
 * file that is open for writing, so that another user who may read a block cannot hold it. Such a user can lock it for
 * reading, which is passed over.
 */
static bool lock(int fd)
{
    return fcntl(fd, F_OFD_SETLK, &(struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1}) == 0;
}

static bool is_locked(int fd)
{
    struct flock found = {
        .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1}; /* what would stand in the way of reading: an owner */

    return fcntl(fd, F_OFD_GETLK, &found) == 0 && found.l_type == F_WRLCK;
}

/* State of a name after clear_remnant. */
enum found { GONE, IN_USE, NOT_OURS };

/* Removes a block of this user without an owner. shm_open follows no symbolic link and does not wait for a FIFO. */
static enum found clear_remnant(const char *path)
{
    const int fd = shm_open(path, O_RDWR, 0);
    enum found found = IN_USE;
    struct stat info;

    if (fd < 0)
        return errno == ENOENT ? GONE : NOT_OURS;
    if (fstat(fd, &info) || !S_ISREG(info.st_mode) || info.st_uid != geteuid()) {
        found = NOT_OURS;
    } else if (lock(fd) || !is_locked(fd)) {
        /* it may have been removed, and the name given to another, since it was opened */
        if (fstat(fd, &info) == 0 && info.st_nlink > 0)
            shm_unlink(path);
        found = GONE;
    }
    close(fd);
    return found;
}

int yk_segment_sweep(void)
{
    DIR *folder = opendir(FOLDER);
    const struct dirent *entry;
    int swept = 0;

    while (folder && (entry = readdir(folder))) {
        char path[96];

        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0 || strlen(entry->d_name) > sizeof path - 2)
            continue;
        snprintf(path, sizeof path, "/%.94s", entry->d_name);
        swept += clear_remnant(path) == GONE;
    }
    if (folder)
        closedir(folder);
    return swept;
}

/* ---- blocks ---- */

static enum yk_status map(struct yk_segment *s, bool writable, struct yk_err *err)
{
    s->at = mmap(NULL, s->size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, s->fd, 0);
    if (s->at == MAP_FAILED)
        s->at = NULL;
    if (s->at && (s->spare = take_spare(s->at, s->size)))
        return YK_OK;
    return fail_to(s, "map", err);
}

/* A block that a stranger made, or can write to, must not move a rig. `allowed`: rights of others that do no harm. */
static enum yk_status check_object(struct yk_segment *s, bool mine, unsigned allowed, size_t size, struct yk_err *err)
{
    const unsigned others = 077;
    struct stat info;

    if (fstat(s->fd, &info))
        return fail_to(s, "look at", err);
    if (!S_ISREG(info.st_mode))
        return yk_fail(err, YK_E_INPUT, "%s/%s is not shared memory", FOLDER, s->path + 1);
    if (mine && info.st_uid != geteuid())
        return yk_fail(err, YK_E_INPUT,
                       "shared memory %s belongs to another user (number %u, this process has %u); both sides must run "
                       "as the same user",
                       s->path + 1, (unsigned)info.st_uid, (unsigned)geteuid());
    if (info.st_mode & others & ~allowed)
        return yk_fail(err, YK_E_INPUT, "shared memory %s can be %s by other users (mode %04o)", s->path + 1,
                       mine ? "opened" : "changed", (unsigned)(info.st_mode & 07777));
    if ((size_t)info.st_size < size || info.st_size == 0)
        return yk_fail(err, YK_E_INPUT,
                       "shared memory %s has %ld bytes, %zu are needed: it is incomplete, or made by another version",
                       s->path + 1, (long)info.st_size, size);
    s->size = (size_t)info.st_size;
    return YK_OK;
}

/* The name and the lock on it. One that sweeps may take the name away before it is locked. */
static enum yk_status take_name(struct yk_segment *s, unsigned mode, struct yk_err *err)
{
    enum found found = IN_USE;
    struct stat info;

    for (int i = 0; i < TRIES; i++) {
        s->fd = shm_open(s->path, O_CREAT | O_EXCL | O_RDWR, 0600); /* others see it when it is locked */
        if (s->fd < 0 && errno != EEXIST)
            return fail_to(s, "make", err);
        if (s->fd < 0) {
            if ((found = clear_remnant(s->path)) == NOT_OURS)
                break;
        } else if (lock(s->fd) && fstat(s->fd, &info) == 0 && info.st_nlink > 0) {
            s->owned = true;
            return YK_OK;
        } else {
            close(s->fd);
            s->fd = -1;
        }
        if (found != GONE)
            usleep(BETWEEN_US);
    }
    if (found == NOT_OURS)
        return yk_fail(err, YK_E_INPUT, "%s%s exists already and belongs to another user; choose another name", FOLDER,
                       s->path);
    return yk_fail(err, YK_E_INPUT, "shared memory %s is in use by another process; choose another name", s->path + 1);
}

enum yk_status yk_segment_create(struct yk_segment *s, const char *name, size_t size, unsigned mode, struct yk_err *err)
{
    enum yk_status st;

    *s = (struct yk_segment){.fd = -1};
    if ((st = set_path(s, name, err)) || (st = take_name(s, mode, err)))
        return st;
    /* reserved at once: a page that cannot be provided would cause SIGBUS later */
    if (fchmod(s->fd, mode) || (errno = posix_fallocate(s->fd, 0, (off_t)size)))
        st = fail_to(s, "set up", err);
    else if (!(st = check_object(s, true, mode, size, err)) && !(st = map(s, true, err)))
        memset(s->at, 0, size); /* touches every page */
    if (st)
        yk_segment_close(s);
    return st;
}

enum yk_status yk_segment_open(struct yk_segment *s, const char *name, size_t size, bool writable, struct yk_err *err)
{
    const unsigned reading = 044;
    enum yk_status st;

    *s = (struct yk_segment){.fd = -1};
    if ((st = set_path(s, name, err)))
        return st;
    if ((s->fd = shm_open(s->path, writable ? O_RDWR : O_RDONLY, 0)) < 0)
        return errno == ENOENT ? yk_fail(err, YK_E_INPUT, "there is no shared memory %s", s->path + 1)
                               : fail_to(s, "open", err);
    if ((st = check_object(s, writable, writable ? 0 : reading, size, err)) || (st = map(s, writable, err)))
        yk_segment_close(s);
    return st;
}

bool yk_segment_has_owner(const struct yk_segment *s)
{
    return is_locked(s->fd);
}

bool yk_segment_is_mine(const struct yk_segment *s)
{
    struct stat info;

    return fstat(s->fd, &info) == 0 && info.st_uid == geteuid();
}

void yk_segment_close(struct yk_segment *s)
{
    struct stat info;

    if (s->spare)
        drop_spare(s->spare);
    if (s->at)
        munmap(s->at, s->size);
    if (s->owned && fstat(s->fd, &info) == 0 && info.st_nlink > 0) /* otherwise the name may be another's by now */
        shm_unlink(s->path);
    if (s->fd >= 0)
        close(s->fd);
    *s = (struct yk_segment){.fd = -1};
}
