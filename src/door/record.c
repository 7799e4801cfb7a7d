/* Recordings in memory: read from a file, and written to one. */
#include "door/session.h"
#include "engine/rows.h"

#include <stdlib.h>
#include <string.h>

struct yk_record {
    struct yk_recording *file; /* holds the texts */
    struct yk_rows rows[YK_STREAMS];
};

static enum yk_status read_stream(struct yk_recording *file, int number, struct yk_rows *rows, struct yk_err *err)
{
    const size_t width = yk_recording_channels(file, number);
    const uint64_t count = yk_recording_rows(file, number);
    struct yk_channel *channels = calloc(width + 1, sizeof *channels);
    enum yk_status st;

    if (!channels)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < width; i++)
        channels[i] = *yk_recording_channel(file, number, i);
    st = yk_rows_open(rows, &(struct yk_stream){.count = width, .channels = channels}, NULL, 0, err);
    free(channels);
    if (st)
        return st;
    if (!(rows->x = malloc((count * width + 1) * sizeof *rows->x)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for %llu rows", (unsigned long long)count);
    rows->count = rows->room = count;
    return count ? yk_recording_read(file, number, 0, count, rows->x, err) : YK_OK;
}

enum yk_status yk_record_read(struct yk_record **created, const char *path, struct yk_err *err)
{
    struct yk_record *r = calloc(1, sizeof *r);
    enum yk_status st = r ? yk_recording_open(&r->file, path, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    *created = NULL;
    for (int k = 0; k < YK_STREAMS && !st; k++) {
        const int number = yk_recording_stream(r->file, yk_stream_names[k]);

        if (number >= 0)
            st = read_stream(r->file, number, &r->rows[k], err);
    }
    if (st)
        yk_record_close(r);
    else
        *created = r;
    return st;
}

void yk_record_close(struct yk_record *r)
{
    if (!r)
        return;
    for (int k = 0; k < YK_STREAMS; k++)
        yk_rows_close(&r->rows[k]);
    if (r->file)
        yk_recording_close(r->file);
    free(r);
}

struct yk_kept_rows yk_record_rows(const struct yk_record *r, const char *stream)
{
    const int k = yk_stream_number(stream);

    return yk_rows_shown(k < 0 ? NULL : &r->rows[k]);
}

const char *yk_record_text(const struct yk_record *r, const char *name)
{
    return yk_recording_text(r->file, name);
}

bool yk_record_is_finished(const struct yk_record *r)
{
    return yk_recording_finished(r->file);
}

/* ---- writing ---- */

/* One line of a text to a field; the place after it. */
static const char *take_line(const char *text, char *field, size_t size)
{
    const size_t length = strcspn(text, "\n");

    snprintf(field, size, "%.*s", (int)(length < size ? length : size - 1), text);
    return text + length + (text[length] != 0);
}

static enum yk_status name_channels(const struct yk_kept_rows *rows, struct yk_channel **channels, struct yk_err *err)
{
    const char *name = rows->names, *unit = rows->units;

    if (!(*channels = calloc(rows->channels, sizeof **channels)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < rows->channels; i++) {
        name = take_line(name, (*channels)[i].name, sizeof(*channels)[i].name);
        unit = take_line(unit, (*channels)[i].unit, sizeof(*channels)[i].unit);
    }
    return YK_OK;
}

enum yk_status yk_record_write(const char *path, const struct yk_record_content *c, struct yk_err *err)
{
    const struct yk_recording_info info = {.title = c->title,
                                           .experiment = c->experiment,
                                           .experiment_path = c->experiment_path,
                                           .overrides = c->overrides,
                                           .build = yk_build_id(),
                                           .method = c->method,
                                           .description = c->description};
    struct yk_channel *channels[YK_STREAMS] = {0};
    struct yk_stream streams[YK_STREAMS];
    struct yk_recorder *recorder = NULL;
    size_t count = 0, from[YK_STREAMS];
    enum yk_status st = YK_OK, closed;

    for (size_t k = 0; k < YK_STREAMS && !st; k++)
        if (c->streams[k].channels && !(st = name_channels(&c->streams[k], &channels[k], err))) {
            from[count] = k;
            streams[count++] = (struct yk_stream){yk_stream_names[k], c->streams[k].channels, channels[k]};
        }
    if (!st)
        st = yk_recorder_open(&recorder, path, &info, streams, count, err);
    for (size_t i = 0; i < count && !st; i++) {
        const struct yk_kept_rows *rows = &c->streams[from[i]];

        for (size_t n = 0; n < rows->count && !st; n++)
            st = yk_recorder_push_waiting(recorder, i, rows->rows + n * rows->channels);
    }
    if (recorder) {
        closed = yk_recorder_close(recorder, c->finished, c->summary ? c->summary : "{}", err);
        st = closed ? closed : st;
    }
    for (int k = 0; k < YK_STREAMS; k++)
        free(channels[k]);
    return st;
}
