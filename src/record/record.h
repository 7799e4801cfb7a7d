/* Recordings: rows of samples to an HDF5 file through a ring and a thread of normal priority; how they are read is
 * in yoke/recording.h.
 *
 * A recording survives SIGKILL at any moment: the file is written in HDF5's single-writer/multiple-reader mode and
 * flushed twice a second, so that at most the last second is lost and the file can always be opened. */
#ifndef YOKE_RECORD_H
#define YOKE_RECORD_H

#include <stdint.h>
#include <yoke/recording.h>

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
/* Takes the current time, this machine and this user. */
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
/* Brings the memory of the rings in: before the loop of a paced run, which may not cause page faults. */
void yk_recorder_touch(struct yk_recorder *recorder);
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

#endif
