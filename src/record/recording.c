/* Recordings, read back: finished ones, ones whose writer was killed, and ones that are still being written. The number
 * of rows is the one at the time of opening. Layout of the file: see layout.c. */
#include "hdf5/reader.h"
#include "record/layout.h"
#include <yoke/file.h>

#include "record/record.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const text_names[] = {
    "title", "experiment", "experiment_path", "overrides", "build", "method", "summary",   "date",
    "host",  "user",       "command",         "note",      "cpu",   "blas",   "libraries", "description"};
enum {
    TEXTS = sizeof text_names / sizeof *text_names,
    MOST_CHANNELS = 1 << 20,
    MOST_GROUPS = 1000, /* that are searched for streams */
};

struct stream {
    char *name;
    uint64_t rows;
    size_t count;
    struct yk_channel *channels;
};

struct yk_recording {
    char *path;
    struct yk_h5_file *file;
    bool finished;
    char *texts[TEXTS]; /* NULL where absent */
    struct stream *streams;
    size_t stream_count;
};

/* ---- parts of the file ---- */

static enum yk_status improper(struct yk_err *err)
{
    return yk_fail(err, YK_E_INPUT, "a stream without proper samples, channels and units");
}

/* A list of strings reads as one text: the pieces are padded only at the end of the last. */
static enum yk_status read_text(struct yk_recording *recording, const char *name, char **text, struct yk_err *err)
{
    struct yk_h5_object is;
    enum yk_status st = yk_h5_find(recording->file, name, &is, err);
    const uint64_t pieces = is.rank == 0 ? 1 : is.extent[0];
    const struct yk_h5_part all = {.type = YK_H5_TEXT, .size = is.size, .count = pieces, .columns = 1};

    *text = NULL;
    if (st || is.kind != YK_H5_TEXTS || is.rank > 1 || pieces == 0 || pieces > YK_H5_TEXT_MOST / is.size)
        return st;
    if (!(*text = calloc(is.size * pieces + 1, 1)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    return yk_h5_read(recording->file, name, &all, *text, err);
}

/* A single whole number; `absent` where there is none. */
static enum yk_status read_number(struct yk_recording *recording, const char *name, int64_t absent, int64_t *value,
                                  struct yk_err *err)
{
    const struct yk_h5_part one = {.type = YK_H5_INT64, .count = 1, .columns = 1};
    struct yk_h5_object is;
    enum yk_status st = yk_h5_find(recording->file, name, &is, err);

    *value = absent;
    if (st || is.kind == YK_H5_ABSENT)
        return st;
    if (is.rank != 0)
        return yk_fail(err, YK_E_INPUT, "'%s' is not a single number", name);
    return yk_h5_read(recording->file, name, &one, value, err);
}

/* Copies string i of an array to channels[i]; there must be one for each channel. */
static enum yk_status read_labels(struct yk_recording *recording, const struct yk_label *label, struct stream *stream,
                                  struct yk_err *err)
{
    const struct yk_h5_part all = {.type = YK_H5_TEXT, .size = label->size, .count = stream->count, .columns = 1};
    char name[2 * YK_H5_NAME], *labels = NULL;
    struct yk_h5_object is;
    enum yk_status st;

    snprintf(name, sizeof name, "%s/%s", stream->name, label->set);
    if ((st = yk_h5_find(recording->file, name, &is, err)) || (is.kind == YK_H5_ABSENT && !label->required))
        return st;
    if (is.kind != YK_H5_TEXTS || is.rank != 1 || is.extent[0] != stream->count)
        return improper(err);
    if (!(labels = calloc(stream->count, label->size)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!(st = yk_h5_read(recording->file, name, &all, labels, err)))
        for (size_t i = 0; i < stream->count; i++)
            memcpy((char *)&stream->channels[i] + label->offset, labels + i * label->size, label->size - 1);
    free(labels);
    return st;
}

static enum yk_status read_stream(struct yk_recording *recording, const struct yk_h5_object *samples,
                                  struct stream *stream, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    if ((samples->kind != YK_H5_REALS && samples->kind != YK_H5_INTEGERS) || samples->rank != 2 ||
        samples->extent[1] == 0 || samples->extent[1] > MOST_CHANNELS)
        return improper(err);
    stream->rows = samples->extent[0];
    stream->count = samples->extent[1];
    if (!(stream->channels = calloc(stream->count, sizeof *stream->channels)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (const struct yk_label *label = yk_labels; label->set && !st; label++)
        st = read_labels(recording, label, stream, err);
    return st;
}

/* A group with samples is a stream. */
static enum yk_status read_group(struct yk_recording *recording, const char *group, struct yk_err *err)
{
    struct stream *grown, *stream;
    struct yk_h5_object samples;
    char name[2 * YK_H5_NAME];
    enum yk_status st;

    snprintf(name, sizeof name, "%s/samples", group);
    if ((st = yk_h5_find(recording->file, name, &samples, err)) || samples.kind == YK_H5_ABSENT)
        return st;
    if (!(grown = realloc(recording->streams, (recording->stream_count + 1) * sizeof *grown)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    recording->streams = grown;
    stream = &grown[recording->stream_count++];
    *stream = (struct stream){.name = strdup(group)};
    return stream->name ? read_stream(recording, &samples, stream, err) : yk_fail(err, YK_E_MEMORY, "out of memory");
}

static enum yk_status read_streams(struct yk_recording *recording, struct yk_err *err)
{
    char group[YK_H5_NAME] = "";
    enum yk_status st = yk_h5_group(recording->file, 0, group, err);

    for (uint64_t i = 1; i < MOST_GROUPS && *group && !st; i++)
        if (!(st = read_group(recording, group, err)))
            st = yk_h5_group(recording->file, i, group, err);
    return st;
}

/* Why the file cannot be opened, in words for who does not know HDF5. */
static enum yk_status explain(const struct yk_recording *recording, const char *reason, struct yk_err *err)
{
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

/* After the format is known. */
static enum yk_status load_contents(struct yk_recording *recording, struct yk_err *err)
{
    int64_t finished = 0;
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < TEXTS && !st; i++)
        st = read_text(recording, text_names[i], &recording->texts[i], err);
    if (!st)
        st = read_number(recording, "finished", 0, &finished, err);
    recording->finished = finished == 1;
    return st ? st : read_streams(recording, err);
}

static enum yk_status load(struct yk_recording *recording, bool own, struct yk_err *err)
{
    char *format = NULL;
    bool known;
    int64_t version = 0;
    struct yk_err why = {0};
    enum yk_status st;

    /* HDF5 would wait for the writer of a pipe */
    if (access(recording->path, F_OK) == 0 && (st = yk_file_check(recording->path, err)))
        return st;
    st = yk_h5_open(&recording->file, recording->path, own, &why);
    if (!st)
        st = read_text(recording, "format", &format, &why);
    known = format && !strcmp(format, "yoke-recording");
    free(format);
    if (st)
        return explain(recording, yk_err_line(&why).text, err);
    if (!known)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(recording->path), "is an HDF5 file but not a recording");
    if (!(st = read_number(recording, "format_version", 0, &version, &why)) && version != 1)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(recording->path),
                          "recording format %lld; this program reads format 1", (long long)version);
    if (st || (st = load_contents(recording, &why)))
        return explain(recording, yk_err_line(&why).text, err);
    return YK_OK;
}

static enum yk_status open_recording(struct yk_recording **recording, const char *path, bool own, struct yk_err *err)
{
    struct yk_recording *r = calloc(1, sizeof *r);
    enum yk_status st;

    *recording = NULL;
    if (!r || !(r->path = strdup(path))) {
        free(r);
        return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(path), "out of memory");
    }
    if ((st = load(r, own, err)))
        yk_recording_close(r);
    else
        *recording = r;
    return st;
}

enum yk_status yk_recording_open(struct yk_recording **recording, const char *path, struct yk_err *err)
{
    return open_recording(recording, path, false, err);
}

enum yk_status yk_recording_open_own(struct yk_recording **recording, const char *path, struct yk_err *err)
{
    return open_recording(recording, path, true, err);
}

void yk_recording_close(struct yk_recording *recording)
{
    if (!recording)
        return;
    yk_h5_close(recording->file);
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
    const struct yk_h5_part part = {.type = YK_H5_DOUBLE, .first = first, .count = count, .columns = s->count};
    char name[2 * YK_H5_NAME];
    struct yk_err why = {0};

    if (first > s->rows || count > s->rows - first)
        return yk_fail_at(err, YK_E_RANGE, YK_IN_FILE(recording->path),
                          "rows %llu to %llu of stream '%s', which has %llu", (unsigned long long)first,
                          (unsigned long long)(first + count), s->name, (unsigned long long)s->rows);
    snprintf(name, sizeof name, "%s/samples", s->name);
    if (yk_h5_read(recording->file, name, &part, rows, &why))
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(recording->path), "stream '%s' cannot be read: %s", s->name,
                          yk_err_line(&why).text);
    return YK_OK;
}
