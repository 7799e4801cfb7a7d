/* Recordings, read back: finished ones, ones whose writer was killed, and ones that are still being written. The number
 * of rows is the one at the time of opening. Layout of the file: see layout.c. */
#include "base/file.h"
#include "hdf5/h5.h"
#include "record/layout.h"

#include "record/record.h"
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const text_names[] = {
    "title", "experiment", "experiment_path", "overrides", "build", "method", "summary",   "date",
    "host",  "user",       "command",         "note",      "cpu",   "blas",   "libraries", "description"};
enum {
    TEXTS = sizeof text_names / sizeof *text_names,
    ATTEMPTS_BESIDE_A_WRITER = 26, /* the pauses add up to 2^26 ns = 67 ms */
    MOST_CHANNELS = 1 << 20,
    MOST_TEXT = 64 << 20,
};

struct stream {
    char *name;
    hid_t samples;
    uint64_t rows;
    size_t count;
    struct yk_channel *channels;
};

struct yk_recording {
    char *path;
    hid_t file;
    bool finished;
    char *texts[TEXTS]; /* NULL where absent */
    struct stream *streams;
    size_t stream_count;
};

/* ---- opening ---- */

/* Does a recorder hold its lock on the file? */
static bool being_written(const char *path)
{
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool held = fd >= 0 && fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;

    if (fd >= 0)
        close(fd);
    return held;
}

/* First as a reader beside a writer, which is also how a killed writer's file opens. A file that another tool has
 * rewritten may only open plainly. The last try ignores the mark that a writer without SWMR leaves when it dies; the
 * file itself is not changed.
 *
 * Beside a writer, HDF5 reads a piece again whose checksum is wrong, since it may be half written, and doubles the
 * pause before each attempt, from 1 ns on; its own 100 attempts would take longer than the world has been there. Where
 * nobody writes, a wrong checksum is damage and is reported at once. */
static hid_t open_file(const char *path)
{
    hid_t access = yk_h5_access(), file;

    H5Pset_metadata_read_attempts(access, being_written(path) ? ATTEMPTS_BESIDE_A_WRITER : 1);
    file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    if (file < 0)
        file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file < 0 && !being_written(path)) {
        H5Pset(access, "clear_status_flags", &(hbool_t){true});
        file = H5Fopen(path, H5F_ACC_RDONLY, access);
    }
    H5Pclose(access);
    if (file >= 0)
        yk_h5_forget();
    return file;
}

/* ---- parts of the file; NULL, -1 or false where absent or of another kind ---- */

/* Bytes of `points` strings of fixed length, or 0. */
static size_t text_bytes(hid_t type, hid_t space)
{
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    const size_t size = H5Tget_size(type);

    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0 || points <= 0 || size == 0)
        return 0;
    return (size_t)points > MOST_TEXT / size ? 0 : size * (size_t)points;
}

static char *text_of_attribute(hid_t at)
{
    hid_t type = H5Aget_type(at), space = H5Aget_space(at);
    const size_t bytes = text_bytes(type, space);
    char *text = bytes ? calloc(bytes + 1, 1) : NULL;

    if (text && H5Aread(at, type, text) < 0)
        text[0] = 0;
    H5Sclose(space);
    H5Tclose(type);
    return text;
}

/* A list of strings reads as one text: the pieces are padded only at the end of the last. */
static char *text_of_dataset(hid_t set)
{
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const size_t bytes = text_bytes(type, space);
    char *text = bytes ? calloc(bytes + 1, 1) : NULL;

    if (text && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
        text[0] = 0;
    H5Sclose(space);
    H5Tclose(type);
    return text;
}

static char *read_text(hid_t file, const char *name)
{
    char *text = NULL;
    hid_t at;

    if (H5Aexists(file, name) > 0) {
        at = H5Aopen(file, name, H5P_DEFAULT);
        text = text_of_attribute(at);
        H5Aclose(at);
    } else if (H5Lexists(file, name, H5P_DEFAULT) > 0) {
        at = H5Dopen2(file, name, H5P_DEFAULT);
        text = text_of_dataset(at);
        H5Dclose(at);
    }
    return text;
}

static int read_number(hid_t file, const char *name, int absent)
{
    int value = absent;
    hid_t at;

    if (H5Aexists(file, name) <= 0)
        return absent;
    at = H5Aopen(file, name, H5P_DEFAULT);
    H5Aread(at, H5T_NATIVE_INT, &value);
    H5Aclose(at);
    return value;
}

/* Copies string i of an array to channels[i]; there must be one for each channel. */
static bool read_labels(hid_t group, const struct yk_label *label, struct stream *stream)
{
    const size_t size = label->size;

    if (!label->required && H5Lexists(group, label->set, H5P_DEFAULT) <= 0)
        return true;
    hid_t set = H5Dopen2(group, label->set, H5P_DEFAULT), space = H5Dget_space(set), type = H5Tcopy(H5T_C_S1);
    const bool fits = H5Sget_simple_extent_npoints(space) == (hssize_t)stream->count;
    char *labels = fits ? calloc(stream->count, size) : NULL;

    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    if (labels && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels) >= 0)
        for (size_t i = 0; i < stream->count; i++)
            memcpy((char *)&stream->channels[i] + label->offset, labels + i * size, size - 1);
    free(labels);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return labels != NULL;
}

/* Numbers that are not compressed take their room in the file: no more of them can be there. Asked after the number of
 * rows was read, since a file that is being written grows. */
static bool has_room_for(const char *path, hid_t samples, uint64_t rows, uint64_t columns)
{
    hid_t create = H5Dget_create_plist(samples);
    const int filters = H5Pget_nfilters(create);
    struct stat there;

    H5Pclose(create);
    return filters > 0 || stat(path, &there) != 0 || rows <= (uint64_t)there.st_size / sizeof(double) / columns;
}

static bool read_shape(const char *path, struct stream *stream)
{
    hid_t space = H5Dget_space(stream->samples);
    hsize_t size[H5S_MAX_RANK] = {0};
    const bool table = H5Sget_simple_extent_dims(space, size, NULL) == 2;

    H5Sclose(space);
    stream->rows = size[0];
    stream->count = size[1];
    return table && size[1] > 0 && size[1] <= MOST_CHANNELS && has_room_for(path, stream->samples, size[0], size[1]);
}

static bool read_stream(hid_t group, const char *path, struct stream *stream)
{
    bool good;

    stream->samples = H5Dopen2(group, "samples", H5P_DEFAULT);
    good = stream->samples >= 0 && read_shape(path, stream) &&
           (stream->channels = calloc(stream->count, sizeof *stream->channels));
    for (const struct yk_label *label = yk_labels; label->set && good; label++)
        good = read_labels(group, label, stream);
    return good;
}

/* For each link of the root: groups with samples are streams. Stops with -1 at a stream that cannot be read. */
static herr_t visit(hid_t root, const char *name, const H5L_info_t *link, void *self)
{
    struct yk_recording *recording = self;
    struct stream *grown, *stream;
    H5O_info_t object;
    hid_t group;
    bool good = true;

    if (H5Oget_info_by_name2(root, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
        return -1;
    if (object.type != H5O_TYPE_GROUP)
        return 0;
    group = H5Gopen2(root, name, H5P_DEFAULT);
    if (H5Lexists(group, "samples", H5P_DEFAULT) > 0) {
        if (!(grown = realloc(recording->streams, (recording->stream_count + 1) * sizeof *grown))) {
            H5Gclose(group);
            return -1;
        }
        recording->streams = grown;
        stream = &grown[recording->stream_count++];
        *stream = (struct stream){.name = strdup(name), .samples = -1};
        good = stream->name && read_stream(group, recording->path, stream);
    }
    H5Gclose(group);
    return good ? 0 : -1;
}

/* In the order of creation; a file rewritten by another tool may have lost it. */
static bool read_streams(struct yk_recording *recording)
{
    hid_t root = H5Gopen2(recording->file, "/", H5P_DEFAULT), create = H5Gget_create_plist(root);
    unsigned order = 0;

    H5Pget_link_creation_order(create, &order);
    H5Pclose(create);
    H5Gclose(root);
    return H5Literate(recording->file, (order & H5P_CRT_ORDER_TRACKED) ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME,
                      H5_ITER_INC, NULL, visit, recording) >= 0;
}

/* Why the file cannot be opened, in words for who does not know HDF5. */
static enum yk_status explain(const struct yk_recording *recording, struct yk_err *err)
{
    const char *reason = yk_h5_reason();
    unsigned long long there, whole;

    if (sscanf(reason, "truncated file: eof = %llu, sblock->base_addr = %*u, stored_eof = %llu", &there, &whole) == 2)
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(recording->path),
                          "the recording is truncated: %llu of its %llu bytes are there; copy it again", there, whole);
    if (strstr(reason, "file signature not found"))
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(recording->path),
                          "cannot be opened as a recording: it is not an HDF5 file");
    if (access(recording->path, R_OK) != 0)
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(recording->path), "cannot be opened as a recording: %s", reason);
    return yk_fail_at(err, YK_E_IO, YK_IN_FILE(recording->path), "the recording is damaged: %s", reason);
}

static enum yk_status load(struct yk_recording *recording, struct yk_err *err)
{
    char *format;
    bool known;
    enum yk_status st;

    /* HDF5 would wait for the writer of a pipe */
    if (access(recording->path, F_OK) == 0 && (st = yk_file_check(recording->path, err)))
        return st;
    if ((recording->file = open_file(recording->path)) < 0)
        return explain(recording, err);
    format = read_text(recording->file, "format");
    known = format && !strcmp(format, "yoke-recording");
    free(format);
    if (*yk_h5_reason())
        return explain(recording, err);
    if (!known)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(recording->path), "is an HDF5 file but not a recording");
    if (read_number(recording->file, "format_version", 0) != 1)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(recording->path),
                          "recording format %d; this program reads format 1",
                          read_number(recording->file, "format_version", 0));
    for (size_t i = 0; i < TEXTS; i++)
        recording->texts[i] = read_text(recording->file, text_names[i]);
    recording->finished = read_number(recording->file, "finished", 0) == 1;
    if (!read_streams(recording) || *yk_h5_reason())
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(recording->path), "the recording is damaged: %s",
                          *yk_h5_reason() ? yk_h5_reason() : "a stream without proper samples, channels and units");
    return YK_OK;
}

enum yk_status yk_recording_open(struct yk_recording **recording, const char *path, struct yk_err *err)
{
    struct yk_recording *r = calloc(1, sizeof *r);
    enum yk_status st;

    *recording = NULL;
    if (!r || !(r->path = strdup(path))) {
        free(r);
        return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(path), "out of memory");
    }
    r->file = -1;
    yk_h5_enter();
    st = load(r, err);
    yk_h5_leave();
    if (st)
        yk_recording_close(r);
    else
        *recording = r;
    return st;
}

void yk_recording_close(struct yk_recording *recording)
{
    if (!recording)
        return;
    yk_h5_enter();
    for (size_t i = 0; i < recording->stream_count; i++)
        if (recording->streams[i].samples >= 0)
            H5Dclose(recording->streams[i].samples);
    if (recording->file >= 0)
        H5Fclose(recording->file);
    yk_h5_leave();
    for (size_t i = 0; i < recording->stream_count; i++) {
        free(recording->streams[i].channels);
        free(recording->streams[i].name);
    }
    for (size_t i = 0; i < TEXTS; i++)
        free(recording->texts[i]);
    free(recording->streams);
    free(recording->path);
    free(recording);
}

/* ---- looking inside ---- */

bool yk_recording_finished(const struct yk_recording *recording)
{
    return recording->finished;
}

const char *yk_recording_text(const struct yk_recording *recording, const char *name)
{
    for (size_t i = 0; i < TEXTS; i++)
        if (!strcmp(text_names[i], name))
            return recording->texts[i];
    return NULL;
}

int yk_recording_stream(const struct yk_recording *recording, const char *name)
{
    for (size_t i = 0; i < recording->stream_count; i++)
        if (!strcmp(recording->streams[i].name, name))
            return (int)i;
    return -1;
}

uint64_t yk_recording_rows(const struct yk_recording *recording, int stream)
{
    return recording->streams[stream].rows;
}

size_t yk_recording_channels(const struct yk_recording *recording, int stream)
{
    return recording->streams[stream].count;
}

const struct yk_channel *yk_recording_channel(const struct yk_recording *recording, int stream, size_t index)
{
    return &recording->streams[stream].channels[index];
}

int yk_recording_find(const struct yk_recording *recording, int stream, const char *channel)
{
    for (size_t i = 0; i < recording->streams[stream].count; i++)
        if (!strcmp(recording->streams[stream].channels[i].name, channel))
            return (int)i;
    return -1;
}

enum yk_status yk_recording_read(struct yk_recording *recording, int stream, uint64_t first, uint64_t count,
                                 double *rows, struct yk_err *err)
{
    const struct stream *s = &recording->streams[stream];
    const hsize_t start[] = {first, 0}, block[] = {count, s->count};
    enum yk_status st = YK_OK;
    hid_t memory, space;

    if (first > s->rows || count > s->rows - first)
        return yk_fail_at(err, YK_E_RANGE, YK_IN_FILE(recording->path),
                          "rows %llu to %llu of stream '%s', which has %llu", (unsigned long long)first,
                          (unsigned long long)(first + count), s->name, (unsigned long long)s->rows);
    if (!count)
        return YK_OK;
    yk_h5_enter();
    memory = H5Screate_simple(2, block, NULL);
    space = H5Dget_space(s->samples);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, block, NULL);
    H5Dread(s->samples, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows);
    if (*yk_h5_reason())
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(recording->path), "stream '%s' cannot be read: %s", s->name,
                        yk_h5_reason());
    H5Sclose(space);
    H5Sclose(memory);
    yk_h5_leave();
    return st;
}
