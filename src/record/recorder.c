/* Recorder: rings on one side, a file on the other (layout.c), a thread of normal priority in between.
 *
 * What has been handed to the kernel survives the process, but not a power cut before the kernel writes it. When a
 * write fails, the file is left as it stands (disk.c), which is a state that a kill could have left. Room for a block
 * and the metadata behind it is reserved before the block is written, so that a full disk is noticed while the rows
 * that are in the file can still be counted there. */
#include "hdf5/h5.h"
#include "record/layout.h"

#include "base/clock.h"
#include "base/ring.h"
#include "base/thread.h"
#include "record/record.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    RING_BYTES = 16 << 20,      /* of all rings together ...                      */
    RING_ROWS_MIN = 1024,       /* ... but never fewer rows than this ...         */
    RING_BYTES_MAX = 256 << 20, /* ... unless they took more than that ...     */
    RING_ROWS_LEAST = 16,       /* ... and never fewer than this                  */
    RING_ROWS_MAX = 65536,      /* a minute at 1 kHz                              */
    CHUNK_BYTES = 256 << 10,    /* of a chunk in the file, and of a block written */
    PART_TRIES = 100,           /* to find a part file that nobody else writes   */
    SPARE_BYTES = 64 << 10,     /* of metadata that a block may need              */
    DRAIN_NS = 20000000,
    FLUSH_NS = 400000000,
    WAIT_NS = 50000,
};

struct yk_recorder {
    char *path, *part;
    struct yk_disk disk; /* its descriptor also holds the recorder's lock */
    struct yk_layout layout;
    struct yk_ring **rings; /* one for each stream of the layout */
    double *block;          /* the writer's, large enough for a block of any stream */
    pthread_t writer;
    bool started;
    sem_t wake; /* posted once, by close */
    atomic_bool stop, failed;
    atomic_bool named; /* the file has its name, and must keep it */
    char why[256];     /* written before `failed` is set */
};

/* Notes a failed write or HDF5 call, if there was one since yk_h5_enter; the file is then left as it stands. */
static void check_writes(struct yk_recorder *r)
{
    if (atomic_load(&r->failed) || (!r->disk.error && !*yk_h5_reason()))
        return;
    snprintf(r->why, sizeof r->why, "%s", r->disk.error ? strerror(r->disk.error) : yk_h5_reason());
    if (!r->disk.error)
        r->disk.error = EIO;
    atomic_store(&r->failed, true);
}

/* Does the descriptor still have this name? */
static bool is_named(int fd, const char *path)
{
    struct stat here, there;

    return fstat(fd, &here) == 0 && stat(path, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/* A file that was removed takes every row and loses all of them at the end, so the run must hear of it. */
static void check_name(struct yk_recorder *r)
{
    struct stat there;

    if (!atomic_load(&r->named) || atomic_load(&r->failed) || is_named(r->disk.fd, r->path))
        return;
    if (stat(r->path, &there) != 0 && errno != ENOENT && errno != ENOTDIR)
        return; /* a file server that does not answer now */
    snprintf(r->why, sizeof r->why, "it was removed or renamed during the run");
    r->disk.error = ENOENT;
    atomic_store(&r->failed, true);
}

/* ---- the writer thread ---- */

static void flush(struct yk_recorder *r)
{
    for (size_t i = 0; i < r->layout.count; i++) {
        struct yk_layout_stream *s = &r->layout.streams[i];

        if (s->rows == s->flushed || atomic_load(&r->failed))
            continue;
        yk_h5_enter();
        yk_layout_flush(s);
        check_writes(r);
        yk_h5_leave();
    }
}

/* Room for one more block; where there is none, the file ends here. */
static bool has_room(struct yk_recorder *r, const struct yk_layout_stream *s)
{
    int error;

    if (yk_disk_reserve(&r->disk, s->chunk_rows * s->columns * sizeof(double) + SPARE_BYTES))
        return true;
    error = errno;
    flush(r);
    if (!atomic_load(&r->failed)) {
        snprintf(r->why, sizeof r->why, "%s", strerror(error));
        r->disk.error = error;
        atomic_store(&r->failed, true);
    }
    return false;
}

/* One block of every stream. True when a ring may hold more. */
static bool drain(struct yk_recorder *r)
{
    bool more = false;

    for (size_t i = 0; i < r->layout.count; i++) {
        struct yk_layout_stream *s = &r->layout.streams[i];
        size_t n = yk_ring_pop(r->rings[i], r->block, s->chunk_rows);

        more |= n == s->chunk_rows;
        if (!n || atomic_load(&r->failed) || !has_room(r, s)) /* a failed recorder keeps the rings empty */
            continue;
        yk_h5_enter();
        yk_layout_append(s, n, r->block);
        check_writes(r);
        yk_h5_leave();
    }
    return more;
}

static void *write_rows(void *self)
{
    struct yk_recorder *r = self;
    int64_t flush_due = yk_clock_now_ns() + FLUSH_NS;

    for (;;) {
        bool last = atomic_load(&r->stop); /* read before draining: what was pushed before close is drained */
        bool more = drain(r);

        if (last && !more)
            break;
        if (yk_clock_now_ns() >= flush_due) {
            flush(r);
            check_name(r);
            flush_due = yk_clock_now_ns() + FLUSH_NS;
        }
        if (!more)
            yk_clock_await(&r->wake, DRAIN_NS); /* or until close is called */
    }
    flush(r);
    return NULL;
}

static enum yk_status start_writer(struct yk_recorder *r, struct yk_err *err)
{
    const int failure = yk_thread_start(&r->writer, write_rows, r);

    if (failure)
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(r->path), "no thread for the recorder: %s", strerror(failure));
    r->started = true;
    return YK_OK;
}

static void stop_writer(struct yk_recorder *r)
{
    if (!r->started)
        return;
    atomic_store(&r->stop, true);
    sem_post(&r->wake);
    pthread_join(r->writer, NULL);
    r->started = false;
}

/* ---- preparation and end ---- */

static size_t rows_of(size_t bytes, size_t columns, size_t least)
{
    size_t rows = bytes / sizeof(double) / columns;

    return rows > least ? rows : least;
}

/* Rows of a ring: the largest power of two within its share of the memory. */
static size_t ring_rows(size_t columns, size_t ring_count)
{
    const size_t wanted = rows_of(RING_BYTES / ring_count, columns, RING_ROWS_MIN);
    const size_t most = rows_of(RING_BYTES_MAX / ring_count, columns, RING_ROWS_LEAST);
    const size_t fitting = wanted < most ? wanted : most;
    size_t rows = RING_ROWS_LEAST;

    while (rows * 2 <= fitting && rows < RING_ROWS_MAX)
        rows *= 2;
    return rows;
}

static enum yk_status check_streams(const char *path, const struct yk_stream *streams, size_t count, struct yk_err *err)
{
    if (!count)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "a recording needs at least one stream");
    for (size_t i = 0; i < count; i++)
        if (!streams[i].count)
            return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "stream '%s' has no channel", streams[i].name);
    return YK_OK;
}

static enum yk_status make_rings(struct yk_recorder *r, const struct yk_stream *streams, size_t count,
                                 struct yk_err *err)
{
    size_t block = 0;
    enum yk_status st;

    if (!(r->rings = calloc(count, sizeof *r->rings)) ||
        !(r->layout.streams = calloc(count, sizeof *r->layout.streams)))
        return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(r->path), "out of memory");
    for (size_t i = 0; i < count; i++) {
        struct yk_layout_stream *s = &r->layout.streams[i];

        s->samples = -1;
        s->columns = streams[i].count;
        s->chunk_rows = rows_of(CHUNK_BYTES, s->columns, 1);
        r->layout.count = i + 1;
        if ((st = yk_ring_create(&r->rings[i], s->columns, ring_rows(s->columns, count), err)))
            return st;
        if (block < s->chunk_rows * s->columns)
            block = s->chunk_rows * s->columns;
    }
    if (!(r->block = malloc(block * sizeof *r->block)))
        return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(r->path), "out of memory");
    return YK_OK;
}

/* A recording that another run is still writing is not replaced: its rows would be lost. */
static bool is_free(const char *path)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd < 0)
        return true;
    const bool written = fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    close(fd);
    return !written;
}

static enum yk_status in_use(const char *path, struct yk_err *err)
{
    return yk_fail(err, YK_E_INPUT, "%s is being written by another run; choose another folder", path);
}

/* A regular file that has no other name: what a link leads to, by whatever kind of link, is not ours to overwrite. */
static bool is_own(int fd)
{
    struct stat here;

    return fstat(fd, &here) == 0 && S_ISREG(here.st_mode) && here.st_nlink == 1;
}

/* A fresh part file, locked for as long as it is written. An open-file-description lock does not disturb HDF5 readers,
 * which use flock, and ends with the process. On a file system without locks there is none. The part file of a recorder
 * that was killed while starting is taken over; that of a recorder that is starting now is not. */
static enum yk_status create_part(struct yk_recorder *r, struct yk_err *err)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    for (int tries = 0; tries < PART_TRIES; tries++) {
        const int fd = open(r->part, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);

        if (fd < 0 && errno != ELOOP)
            return yk_fail_at(err, YK_E_IO, YK_IN_FILE(r->path), "the recording cannot be created: %s",
                              strerror(errno));
        if (fd < 0 || (is_named(fd, r->part) && !is_own(fd))) { /* a link, or something else that is not ours */
            if (fd >= 0)
                close(fd);
            if (unlink(r->part))
                return yk_fail_at(err, YK_E_IO, YK_IN_FILE(r->part), "is in the way and cannot be removed: %s",
                                  strerror(errno));
            continue;
        }
        const bool locked_by_another = fcntl(fd, F_OFD_SETLK, &whole) && (errno == EAGAIN || errno == EACCES);
        if (!locked_by_another && is_named(fd, r->part)) {
            r->disk.fd = fd;
            return ftruncate(fd, 0) ? yk_fail_at(err, YK_E_IO, YK_IN_FILE(r->path),
                                                 "the recording cannot be created: %s", strerror(errno))
                                    : YK_OK;
        }
        close(fd);
        if (locked_by_another)
            break;
    } /* it was renamed or removed before it was locked */
    return in_use(r->path, err);
}

static enum yk_status fill_part(struct yk_recorder *r, const struct yk_recording_info *info,
                                const struct yk_stream *streams, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    yk_h5_enter();
    yk_layout_create(&r->layout, r->part, &r->disk, info, streams);
    check_writes(r);
    if (atomic_load(&r->failed))
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(r->path), "the recording cannot be created: %s", r->why);
    yk_h5_leave();
    return st;
}

/* Lets go of everything; the file keeps what was written. */
static void destroy(struct yk_recorder *r)
{
    stop_writer(r);
    yk_h5_enter();
    yk_layout_close(&r->layout);
    yk_h5_leave();
    if (r->disk.fd >= 0) {
        yk_disk_release(&r->disk);
        close(r->disk.fd);
    }
    for (size_t i = 0; i < r->layout.count; i++)
        yk_ring_destroy(r->rings[i]);
    sem_destroy(&r->wake);
    free(r->rings);
    free(r->layout.streams);
    free(r->block);
    free(r->part);
    free(r->path);
    free(r);
}

enum yk_status yk_recorder_open(struct yk_recorder **recorder, const char *path, const struct yk_recording_info *info,
                                const struct yk_stream *streams, size_t stream_count, struct yk_err *err)
{
    struct yk_recorder *r;
    enum yk_status st;

    *recorder = NULL;
    if ((st = check_streams(path, streams, stream_count, err)))
        return st;
    if (!(r = calloc(1, sizeof *r)))
        return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(path), "out of memory");
    r->disk.fd = -1;
    r->layout.file = r->layout.summary = -1;
    sem_init(&r->wake, 0, 0);
    if (!(r->path = strdup(path))) {
        st = yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(path), "out of memory");
        goto fail;
    }
    if ((st = yk_part_name(&r->part, path, err)) || (st = make_rings(r, streams, stream_count, err)) ||
        (st = create_part(r, err)))
        goto fail;
    /* asked with the part file in hand, so that no other one can take its place meanwhile */
    if (!is_free(path))
        st = in_use(path, err);
    if (st || (st = fill_part(r, info, streams, err)) || (st = start_writer(r, err)) ||
        (st = yk_part_keep(r->part, path, err))) {
        unlink(r->part);
        goto fail;
    }
    atomic_store(&r->named, true);
    *recorder = r;
    return YK_OK;
fail:
    destroy(r);
    return st;
}

void yk_recorder_touch(struct yk_recorder *recorder)
{
    for (size_t i = 0; i < recorder->layout.count; i++)
        yk_ring_touch(recorder->rings[i]);
}

YK_RT bool yk_recorder_push(struct yk_recorder *recorder, size_t stream, const double *row)
{
    return yk_ring_push(recorder->rings[stream], row);
}

enum yk_status yk_recorder_push_waiting(struct yk_recorder *recorder, size_t stream, const double *row)
{
    struct yk_ring *ring = recorder->rings[stream];

    while (!yk_ring_has_room(ring) && !yk_recorder_failed(recorder))
        nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
    if (yk_recorder_failed(recorder))
        return YK_E_IO;
    yk_ring_push(ring, row);
    return YK_OK;
}

YK_RT bool yk_recorder_failed(const struct yk_recorder *recorder)
{
    return atomic_load_explicit(&recorder->failed, memory_order_acquire);
}

YK_RT uint64_t yk_recorder_dropped(const struct yk_recorder *recorder, size_t stream)
{
    return yk_ring_dropped(recorder->rings[stream]);
}

/* Closes the file. `finished` goes in last: it says that all the rest is there. */
static void finish(struct yk_recorder *r, bool finished, const char *summary)
{
    yk_h5_enter();
    if (!atomic_load(&r->failed)) {
        yk_layout_summarise(&r->layout, summary);
        check_writes(r);
    }
    if (!atomic_load(&r->failed)) {
        yk_layout_finish(&r->layout, finished);
        check_writes(r);
    }
    yk_layout_close(&r->layout);
    check_writes(r);
    yk_h5_leave();
}

enum yk_status yk_recorder_close(struct yk_recorder *recorder, bool finished, const char *summary, struct yk_err *err)
{
    struct yk_recorder *r = recorder;
    enum yk_status st = YK_OK;

    stop_writer(r);
    finish(r, finished, summary);
    check_name(r);
    if (atomic_load(&r->failed))
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(r->path), "the recording is not complete: %s", r->why);
    destroy(r);
    return st;
}
