/* Recordings: rows of samples to an HDF5 file through a ring and a thread of normal priority, and back.
 *
 * A recording survives SIGKILL at any moment: the file is written in HDF5's single-writer/multiple-reader mode and
 * flushed twice a second, so that at most the last second is lost and the file can always be opened. */
#ifndef YOKE_RECORD_H
#define YOKE_RECORD_H

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

/* A channel in words, for people: "floor 1, displacement"; its name if the recording has no words. The words come from
 * the table of channels (src/engine/channel_table.c, channel_elements.c). Pictures, pages and tables show these, and
 * the name in a tooltip or a second column. */
const char *yk_channel_words(const struct yk_channel *channel);
/* The same in two parts: `owner` "floor 1" ("" if it belongs to the whole run), and `what` "displacement". For a legend
 * beside an axis that already says what is shown. */
void yk_channel_split(const struct yk_channel *channel, char owner[YK_LONG_NAME], char what[YK_LONG_NAME]);

/* Rows that come at one rate. The first channel is "time". */
struct yk_stream {
    const char *name; /* "system": one row per system step; "fine": one per fine step */
    size_t count;
    const struct yk_channel *channels;
};

/* When, where and with what a run was made. */
struct yk_provenance {
    char date[40]; /* its beginning, ISO 8601 with the zone: 2026-11-15T18:40:12+0100 */
    char host[256], user[64];
    char cpu[160];       /* model, and how many */
    char blas[160];      /* library and the kernel that it chose for this CPU */
    char libraries[256]; /* with their versions */
    const char *command; /* the caller's: the words that started the program; may be NULL */
    const char *note;    /* the caller's: the operator's remark; may be NULL */
};
/* Of now, here. */
void yk_provenance_take(struct yk_provenance *provenance);

struct yk_recording_info {
    const char *title;
    const char *experiment;      /* full text of the experiment file         */
    const char *experiment_path; /* its name                                 */
    const char *overrides;       /* --set words, one per line; may be ""     */
    const char *build;           /* version and revision                     */
    const char *method;
    const struct yk_provenance *provenance; /* may be NULL */
    const char *description;                /* yk_run_description; may be NULL */
};

struct yk_recorder; /* opaque: owns a file and a thread */

/* Creates the file (replacing an older one only after the new one is open) and starts the writer thread. */
enum yk_status yk_recorder_open(struct yk_recorder **recorder, const char *path, const struct yk_recording_info *info,
                                const struct yk_stream *streams, size_t stream_count, struct yk_err *err);
/* One producer thread per stream. push drops and counts when the ring is full; push_waiting waits for room (offline)
 * and fails only when the writer has failed. */
bool yk_recorder_push(struct yk_recorder *recorder, size_t stream, const double *row) YK_RT;
enum yk_status yk_recorder_push_waiting(struct yk_recorder *recorder, size_t stream, const double *row);
/* Rows that push had to drop. */
uint64_t yk_recorder_dropped(const struct yk_recorder *recorder, size_t stream) YK_RT;
/* Has the writer failed (disk full, ...)? The reason is returned by close. */
bool yk_recorder_failed(const struct yk_recorder *recorder) YK_RT;
/* Drains the rings, writes the closing attributes and closes. `summary` is the text of summary.json. Frees the
 * recorder. */
enum yk_status yk_recorder_close(struct yk_recorder *recorder, bool finished, const char *summary, struct yk_err *err);

/* Reading. */
struct yk_recording; /* opaque: an open file */

enum yk_status yk_recording_open(struct yk_recording **recording, const char *path, struct yk_err *err);
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

/* Exports one stream. CSV: header line, %.17g numbers, streams in bounded memory. MAT: version 5 up to 2 GB per
 * variable, one variable per channel (names with dots become underscores) plus `channels` and `units`. */
enum yk_status yk_export_csv(struct yk_recording *recording, int stream, const char *path, struct yk_err *err);
enum yk_status yk_export_mat(struct yk_recording *recording, int stream, const char *path, struct yk_err *err);
/* HDF5: a dataset for each channel, with units and long name as attributes. */
enum yk_status yk_export_hdf5(struct yk_recording *recording, int stream, const char *path, struct yk_err *err);

#endif
