/* Recorder: rings on one side, an HDF5 file on the other, a thread of normal priority in between.
 *
 * File: root attributes `format`, `format_version`, `finished`, `title`, `experiment_path`, `overrides`, `build`,
 * `method`; string datasets `experiment` and `summary`; for each stream a group with `samples` (rows x channels),
 * `channels` and `units`. A text too long for an attribute becomes a dataset of the same name. `summary` is a list of
 * pieces of equal length, usually one, because its length is known only at the end.
 *
 * Why the file can be opened after SIGKILL at any moment:
 * - It takes its name only after its structure is written and single-writer/multiple-reader access has started. From
 *   then on HDF5 writes metadata in an order in which what is pointed to comes first.
 * - Samples bypass HDF5's chunk cache: a block is in the file before the number of rows says so, and that number is
 *   held back (H5Odisable_mdc_flushes) until the next flush.
 * - Closing only appends (`summary`) and overwrites one number in place (`finished`); the structure never changes.
 *
 * What has been handed to the kernel survives the process, but not a power cut before the kernel writes it. When a
 * write fails, the file is left as it stands (disk.c), which is a state that a kill could have left. Room for a block
 * and the metadata behind it is reserved before the block is written, so that a full disk is noticed while the rows
 * that are in the file can still be counted there. */
#include "record/disk.h"
#include "record/h5.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <yoke/clock.h>
#include <yoke/record.h>
#include <yoke/ring.h>

enum {
    RING_BYTES = 16 << 20,    /* of all rings together ...                      */
    RING_ROWS_MIN = 1024,     /* ... but never fewer rows than this             */
    RING_ROWS_MAX = 65536,    /* a minute at 1 kHz                              */
    CHUNK_BYTES = 256 << 10,  /* of a chunk in the file, and of a block written */
    ATTRIBUTE_BYTES = 32000,  /* HDF5 keeps attributes below 64 KB in place     */
    SUMMARY_BYTES = 16 << 10, /* of a piece of the summary                      */
    SPARE_BYTES = 64 << 10,   /* of metadata that a block may need              */
    DRAIN_NS = 20000000,
    FLUSH_NS = 400000000,
    WAIT_NS = 50000,
};

/* One stream on its way to its dataset. */
struct lane {
    struct yk_ring *ring;
    size_t columns, block_rows;
    hid_t samples;
    uint64_t rows;    /* in the dataset                    */
    uint64_t flushed; /* of these, known to be in the file */
};

struct yk_recorder {
    char *path, *part;
    struct yk_disk disk; /* its descriptor also holds the recorder's lock */
    hid_t file, summary;
    struct lane *lanes;
    size_t lane_count;
    double *block; /* the writer's, large enough for a block of any lane */
    pthread_t writer;
    bool started;
    sem_t wake; /* posted once, by close */
    atomic_bool stop, failed;
    char why[256]; /* written before `failed` is set */
};

/* ---- the structure of the file; all between yk_h5_enter and yk_h5_leave ---- */

static hid_t text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, size ? size : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static void put_text(hid_t file, const char *name, const char *text, bool as_dataset)
{
    const size_t length = strlen(or_empty(text));
    hid_t type = text_type(length), space = H5Screate(H5S_SCALAR), at;

    if (as_dataset || length > ATTRIBUTE_BYTES) {
        at = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dwrite(at, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, or_empty(text));
        H5Dclose(at);
    } else {
        at = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(at, type, or_empty(text));
        H5Aclose(at);
    }
    H5Sclose(space);
    H5Tclose(type);
}

static void put_number(hid_t file, const char *name, int value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t at = H5Acreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);

    H5Awrite(at, H5T_NATIVE_INT, &value);
    H5Aclose(at);
    H5Sclose(space);
}

/* A string array: the name or the unit of every channel, which stands at `offset` in struct yk_channel. */
static void put_labels(hid_t group, const char *name, const struct yk_stream *stream, size_t offset, size_t size)
{
    const hsize_t count = stream->count;
    hid_t type = text_type(size), space = H5Screate_simple(1, &count, NULL), one = H5Screate(H5S_SCALAR);
    hid_t labels = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    for (hsize_t i = 0; i < count; i++) {
        char label[YK_CHANNEL_NAME] = "";
        snprintf(label, size, "%s", (const char *)&stream->channels[i] + offset);
        H5Sselect_elements(space, H5S_SELECT_SET, 1, &i);
        H5Dwrite(labels, type, one, space, H5P_DEFAULT, label);
    }
    H5Dclose(labels);
    H5Sclose(one);
    H5Sclose(space);
    H5Tclose(type);
}

/* A dataset that grows along its first dimension, chunk by chunk. */
static hid_t put_growing(hid_t parent, const char *name, hid_t type, int rank, const hsize_t *chunk)
{
    const hsize_t start[] = {0, chunk[rank - 1]}, limit[] = {H5S_UNLIMITED, chunk[rank - 1]};
    hid_t space = H5Screate_simple(rank, start, limit);
    hid_t create = H5Pcreate(H5P_DATASET_CREATE), set;

    H5Pset_chunk(create, rank, chunk);
    H5Pset_fill_time(create, H5D_FILL_TIME_NEVER);
    set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    H5Pclose(create);
    H5Sclose(space);
    return set;
}

static hid_t put_stream(hid_t file, const struct yk_stream *stream, size_t chunk_rows)
{
    const hsize_t chunk[] = {chunk_rows, stream->count};
    hid_t group = H5Gcreate2(file, stream->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t samples = put_growing(group, "samples", H5T_IEEE_F64LE, 2, chunk);

    put_labels(group, "channels", stream, offsetof(struct yk_channel, name), YK_CHANNEL_NAME);
    put_labels(group, "units", stream, offsetof(struct yk_channel, unit), YK_UNIT_NAME);
    H5Gclose(group);
    return samples;
}

/* Streams keep their order; attributes stay in the root's header, where `finished` can be overwritten in place. */
static hid_t create_file(const char *part, struct yk_disk *disk)
{
    hid_t create = H5Pcreate(H5P_FILE_CREATE), access = yk_h5_access(), file;

    H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_attr_phase_change(create, 64, 32);
    yk_disk_use(access, disk);
    H5Pset_cache(access, 0, 1, 0, 0.0); /* no chunk cache; a setting of the dataset would not outlive start_swmr */
    file = H5Fcreate(part, H5F_ACC_TRUNC, create, access);
    H5Pclose(access);
    H5Pclose(create);
    return file;
}

/* Everything but samples and summary, then single-writer/multiple-reader access. */
static void put_structure(struct yk_recorder *r, const struct yk_recording_info *info, const struct yk_stream *streams)
{
    const hsize_t piece = 1;
    hid_t summary_type = text_type(SUMMARY_BYTES);

    put_text(r->file, "format", "yoke-recording", false);
    put_number(r->file, "format_version", 1);
    put_number(r->file, "finished", 0);
    put_text(r->file, "title", info->title, false);
    put_text(r->file, "experiment_path", info->experiment_path, false);
    put_text(r->file, "overrides", info->overrides, false);
    put_text(r->file, "build", info->build, false);
    put_text(r->file, "method", info->method, false);
    put_text(r->file, "experiment", info->experiment, true);
    for (size_t i = 0; i < r->lane_count; i++)
        r->lanes[i].samples = put_stream(r->file, &streams[i], r->lanes[i].block_rows);
    r->summary = put_growing(r->file, "summary", summary_type, 1, &piece);
    H5Tclose(summary_type);

    H5Fflush(r->file, H5F_SCOPE_LOCAL);
    if (r->disk.error ||
        *yk_h5_reason()) /* start_swmr reads back what was written, and does not survive if it cannot */
        return;
    H5Fstart_swmr_write(r->file);
    for (size_t i = 0; i < r->lane_count; i++)
        H5Odisable_mdc_flushes(r->lanes[i].samples);
}

/* Adds `count` rows at the end of a dataset that has `*rows`. */
static void append(hid_t set, hid_t type, int rank, hsize_t columns, uint64_t *rows, size_t count, const void *data)
{
    const hsize_t total[] = {*rows + count, columns}, start[] = {*rows, 0}, block[] = {count, columns};
    hid_t memory = H5Screate_simple(rank, block, NULL), space;

    H5Dset_extent(set, total);
    space = H5Dget_space(set);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, block, NULL);
    H5Dwrite(set, type, memory, space, H5P_DEFAULT, data);
    H5Sclose(space);
    H5Sclose(memory);
    *rows += count;
}

static void append_summary(struct yk_recorder *r, const char *text)
{
    hid_t type = text_type(SUMMARY_BYTES);
    uint64_t pieces = 0;

    for (size_t left = strlen(text), n; left > 0; left -= n, text += n) {
        char piece[SUMMARY_BYTES] = "";
        n = left < sizeof piece ? left : sizeof piece;
        memcpy(piece, text, n);
        append(r->summary, type, 1, 0, &pieces, 1, piece);
    }
    H5Tclose(type);
    H5Dflush(r->summary);
}

static void set_finished(hid_t file, bool finished)
{
    hid_t at = H5Aopen(file, "finished", H5P_DEFAULT);

    H5Awrite(at, H5T_NATIVE_INT, &(int){finished});
    H5Aclose(at);
    H5Fflush(file, H5F_SCOPE_LOCAL);
}

static void close_file(struct yk_recorder *r)
{
    for (size_t i = 0; i < r->lane_count; i++) {
        if (r->lanes[i].samples >= 0)
            H5Dclose(r->lanes[i].samples);
        r->lanes[i].samples = -1;
    }
    if (r->summary >= 0)
        H5Dclose(r->summary);
    if (r->file >= 0)
        H5Fclose(r->file);
    r->summary = r->file = -1;
}

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

/* ---- the writer thread ---- */

static void flush(struct yk_recorder *r)
{
    for (size_t i = 0; i < r->lane_count; i++) {
        struct lane *lane = &r->lanes[i];

        if (lane->rows == lane->flushed || atomic_load(&r->failed))
            continue;
        yk_h5_enter();
        H5Dflush(lane->samples);
        check_writes(r);
        yk_h5_leave();
        lane->flushed = lane->rows;
    }
}

/* Room for one more block; where there is none, the file ends here. */
static bool has_room(struct yk_recorder *r, const struct lane *lane)
{
    int error;

    if (yk_disk_reserve(&r->disk, lane->block_rows * lane->columns * sizeof(double) + SPARE_BYTES))
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

/* One block of every lane. True when a lane may hold more. */
static bool drain(struct yk_recorder *r)
{
    bool more = false;

    for (size_t i = 0; i < r->lane_count; i++) {
        struct lane *lane = &r->lanes[i];
        size_t n = yk_ring_pop(lane->ring, r->block, lane->block_rows);

        more |= n == lane->block_rows;
        if (!n || atomic_load(&r->failed) || !has_room(r, lane)) /* a failed recorder keeps the rings empty */
            continue;
        yk_h5_enter();
        append(lane->samples, H5T_NATIVE_DOUBLE, 2, lane->columns, &lane->rows, n, r->block);
        check_writes(r);
        yk_h5_leave();
    }
    return more;
}

/* Until the next round, or until close is called. */
static void doze(struct yk_recorder *r)
{
    const int64_t due = yk_clock_now_ns() + DRAIN_NS;
    const struct timespec t = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000};

    while (sem_clockwait(&r->wake, CLOCK_MONOTONIC, &t) && errno == EINTR)
        ;
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
            flush_due = yk_clock_now_ns() + FLUSH_NS;
        }
        if (!more)
            doze(r);
    }
    flush(r);
    return NULL;
}

/* At normal priority even when the caller has a real-time one, and deaf to signals. */
static enum yk_status start_writer(struct yk_recorder *r, struct yk_err *err)
{
    pthread_attr_t attributes;
    sigset_t all, old;
    int failure;

    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    failure = pthread_create(&r->writer, &attributes, write_rows, r);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    if (failure)
        return yk_fail(err, YK_E_IO, "%s: no thread for the recorder: %s", r->path, strerror(failure));
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

/* ---- set-up and end ---- */

static size_t rows_of(size_t bytes, size_t columns, size_t least)
{
    size_t rows = bytes / sizeof(double) / columns;

    return rows > least ? rows : least;
}

/* Rows of a ring: the largest power of two within the lane's share of the memory. */
static size_t ring_rows(size_t columns, size_t lane_count)
{
    const size_t fitting = rows_of(RING_BYTES / lane_count, columns, RING_ROWS_MIN);
    size_t rows = RING_ROWS_MIN;

    while (rows * 2 <= fitting && rows < RING_ROWS_MAX)
        rows *= 2;
    return rows;
}

static enum yk_status check_streams(const char *path, const struct yk_stream *streams, size_t count, struct yk_err *err)
{
    if (!count)
        return yk_fail(err, YK_E_INPUT, "%s: a recording needs at least one stream", path);
    for (size_t i = 0; i < count; i++)
        if (!streams[i].count)
            return yk_fail(err, YK_E_INPUT, "%s: stream '%s' has no channel", path, streams[i].name);
    return YK_OK;
}

static enum yk_status make_lanes(struct yk_recorder *r, const struct yk_stream *streams, size_t count,
                                 struct yk_err *err)
{
    size_t block = 0;
    enum yk_status st;

    if (!(r->lanes = calloc(count, sizeof *r->lanes)))
        return yk_fail(err, YK_E_MEMORY, "%s: out of memory", r->path);
    for (size_t i = 0; i < count; i++) {
        struct lane *lane = &r->lanes[i];

        lane->samples = -1;
        lane->columns = streams[i].count;
        lane->block_rows = rows_of(CHUNK_BYTES, lane->columns, 1);
        r->lane_count = i + 1;
        if ((st = yk_ring_create(&lane->ring, lane->columns, ring_rows(lane->columns, count), err)))
            return st;
        if (block < lane->block_rows * lane->columns)
            block = lane->block_rows * lane->columns;
    }
    if (!(r->block = malloc(block * sizeof *r->block)))
        return yk_fail(err, YK_E_MEMORY, "%s: out of memory", r->path);
    return YK_OK;
}

/* A recording that another run is still writing is not replaced: its rows would be lost. */
static enum yk_status check_free(const char *path, struct yk_err *err)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd < 0)
        return YK_OK;
    const bool written = fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    close(fd);
    return written ? yk_fail(err, YK_E_INPUT, "%s is being written by another run; choose another folder", path)
                   : YK_OK;
}

/* A fresh part file, locked for as long as it is written. An open-file-description lock does not get in the way of HDF5
 * readers, which use flock, and ends with the process. Where a file system has no locks, there is none. */
static enum yk_status create_part(struct yk_recorder *r, struct yk_err *err)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    unlink(r->part); /* left by a recorder that was killed while it started */
    r->disk.fd = open(r->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (r->disk.fd < 0)
        return yk_fail(err, YK_E_IO, "%s: the recording cannot be created: %s", r->path, strerror(errno));
    fcntl(r->disk.fd, F_OFD_SETLK, &whole);
    return YK_OK;
}

static enum yk_status fill_part(struct yk_recorder *r, const struct yk_recording_info *info,
                                const struct yk_stream *streams, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    yk_h5_enter();
    r->file = create_file(r->part, &r->disk);
    put_structure(r, info, streams);
    check_writes(r);
    if (atomic_load(&r->failed))
        st = yk_fail(err, YK_E_IO, "%s: the recording cannot be created: %s", r->path, r->why);
    yk_h5_leave();
    return st;
}

/* Lets go of everything; the file keeps what was written. */
static void destroy(struct yk_recorder *r)
{
    stop_writer(r);
    yk_h5_enter();
    close_file(r);
    yk_h5_leave();
    if (r->disk.fd >= 0) {
        yk_disk_release(&r->disk);
        close(r->disk.fd);
    }
    for (size_t i = 0; i < r->lane_count; i++)
        yk_ring_destroy(r->lanes[i].ring);
    sem_destroy(&r->wake);
    free(r->lanes);
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
    if ((st = check_streams(path, streams, stream_count, err)) || (st = check_free(path, err)))
        return st;
    if (!(r = calloc(1, sizeof *r)))
        return yk_fail(err, YK_E_MEMORY, "%s: out of memory", path);
    r->disk.fd = -1;
    r->file = r->summary = -1;
    sem_init(&r->wake, 0, 0);
    if (!(r->path = strdup(path))) {
        st = yk_fail(err, YK_E_MEMORY, "%s: out of memory", path);
        goto fail;
    }
    if ((st = yk_part_name(&r->part, path, err)) || (st = make_lanes(r, streams, stream_count, err)) ||
        (st = create_part(r, err)))
        goto fail;
    if ((st = fill_part(r, info, streams, err)) || (st = start_writer(r, err)) ||
        (st = yk_part_keep(r->part, path, err))) {
        unlink(r->part);
        goto fail;
    }
    *recorder = r;
    return YK_OK;
fail:
    destroy(r);
    return st;
}

YK_RT bool yk_recorder_push(struct yk_recorder *recorder, size_t stream, const double *row)
{
    return yk_ring_push(recorder->lanes[stream].ring, row);
}

enum yk_status yk_recorder_push_waiting(struct yk_recorder *recorder, size_t stream, const double *row)
{
    struct yk_ring *ring = recorder->lanes[stream].ring;

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
    return yk_ring_dropped(recorder->lanes[stream].ring);
}

/* Closes the file. `finished` goes in last: it says that all the rest is there. */
static void finish(struct yk_recorder *r, bool finished, const char *summary)
{
    yk_h5_enter();
    if (!atomic_load(&r->failed)) {
        append_summary(r, or_empty(summary));
        check_writes(r);
    }
    if (!atomic_load(&r->failed)) {
        set_finished(r->file, finished);
        check_writes(r);
    }
    close_file(r);
    check_writes(r);
    yk_h5_leave();
}

enum yk_status yk_recorder_close(struct yk_recorder *recorder, bool finished, const char *summary, struct yk_err *err)
{
    struct yk_recorder *r = recorder;
    enum yk_status st = YK_OK;

    stop_writer(r);
    finish(r, finished, summary);
    if (atomic_load(&r->failed))
        st = yk_fail(err, YK_E_IO, "%s: the recording is not complete: %s", r->path, r->why);
    destroy(r);
    return st;
}
