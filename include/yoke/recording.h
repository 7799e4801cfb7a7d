/* Reading recordings in parts, as files may be larger than memory: streams of rows ("system", "fine", "ticks"),
 * channels with their names, units and words, and what the run was. A whole one in memory: yk_record_read
 * (yoke/yoke.h).
 *
 * A recording can be read while it is written, and after the run was killed. */
#ifndef YOKE_RECORDING_H
#define YOKE_RECORDING_H

#include <stdint.h>
#include <yoke/status.h>

#define YK_CHANNEL_NAME 144 /* "reference." and three names of 39 letters fit */
#define YK_UNIT_NAME    16
#define YK_KIND_NAME    24
#define YK_OWNER_NAME   128
#define YK_LONG_NAME    176

struct yk_channel {
    char name[YK_CHANNEL_NAME]; /* "frame.x.u"                                  */
    char unit[YK_UNIT_NAME];    /* "m"; "" for pure number                      */
    /* "" where unknown, as in older recordings */
    char kind[YK_KIND_NAME];      /* what it is: "displacement", "measured force" */
    char owner[YK_OWNER_NAME];    /* what it belongs to: "frame.x", "a1"          */
    char long_name[YK_LONG_NAME]; /* in words: "floor 1, displacement"            */
};

/* Rows that come at one rate. The first channel is "time". */
struct yk_stream {
    const char *name; /* "system": one row per system step; "fine": one per fine step */
    size_t count;
    const struct yk_channel *channels;
};

/* A channel in words, for people: "floor 1, displacement"; its name if the recording has no words. The words come from
 * the table of channels (src/engine/channel_table.c, channel_elements.c). Pictures, pages and tables show these, and
 * the name in a tooltip or a second column. */
const char *yk_channel_words(const struct yk_channel *channel);
/* The same in two parts: `owner` "floor 1" ("" if it belongs to the whole run), and `what` "displacement". For a legend
 * beside an axis that already says what is shown. */
void yk_channel_split(const struct yk_channel *channel, char owner[YK_LONG_NAME], char what[YK_LONG_NAME]);

struct yk_recording; /* an open file */
enum yk_status yk_recording_open(struct yk_recording **recording, const char *path, struct yk_err *err);
/* The same for a file that a program of this user has just written: it is read in this process, which is faster. A
 * damaged file may end it. */
enum yk_status yk_recording_open_own(struct yk_recording **recording, const char *path, struct yk_err *err);
void yk_recording_close(struct yk_recording *recording);
bool yk_recording_finished(const struct yk_recording *recording); /* false: killed or still running */
/* "title", "experiment", "experiment_path", "overrides", "build", "method", "summary", "description", and those of the
 * provenance: "date", "host", "user", "command", "note", "cpu", "blas", "libraries"; NULL where absent. */
const char *yk_recording_text(const struct yk_recording *recording, const char *name);
/* Index of a stream by name, -1 where absent. */
int yk_recording_stream(const struct yk_recording *recording, const char *name);
uint64_t yk_recording_rows(const struct yk_recording *recording, int stream);
size_t yk_recording_channels(const struct yk_recording *recording, int stream);
const struct yk_channel *yk_recording_channel(const struct yk_recording *recording, int stream, size_t index);
int yk_recording_find(const struct yk_recording *recording, int stream, const char *channel);
/* Copies rows [first, first+count) of all channels, row by row. */
enum yk_status yk_recording_read(struct yk_recording *recording, int stream, uint64_t first, uint64_t count,
                                 double *rows, struct yk_err *err);

#endif
