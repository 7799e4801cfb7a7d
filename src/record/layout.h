/* The HDF5 file of a recording that is being written. All between yk_h5_enter and yk_h5_leave; yk_h5_reason and the
 * disk report failures. */
#ifndef YOKE_RECORD_LAYOUT_H
#define YOKE_RECORD_LAYOUT_H

#include "record/disk.h"

#include "record/record.h"
#include <stdint.h>

/* Labels of every channel: a string array in the group of its stream, and its place in struct yk_channel. Older
 * recordings have only the required ones. */
struct yk_label {
    const char *set; /* NULL ends the list */
    size_t offset, size;
    bool required;
};
extern const struct yk_label yk_labels[];

/* The samples of one stream. */
struct yk_layout_stream {
    size_t columns, chunk_rows;
    hid_t samples;    /* -1: not open                      */
    uint64_t rows;    /* in the dataset                    */
    uint64_t flushed; /* of these, known to be in the file */
};

struct yk_layout {
    hid_t file, summary; /* -1: not open */
    struct yk_layout_stream *streams;
    size_t count;
};

/* Everything but samples and summary, then single-writer/multiple-reader access. Columns and chunks of the streams are
 * given. */
void yk_layout_create(struct yk_layout *l, const char *path, struct yk_disk *disk, const struct yk_recording_info *info,
                      const struct yk_stream *streams);
void yk_layout_append(struct yk_layout_stream *s, size_t rows, const double *block);
void yk_layout_flush(struct yk_layout_stream *s);
void yk_layout_summarise(struct yk_layout *l, const char *summary);
/* Says that all the rest is there, or that the run was interrupted. */
void yk_layout_finish(struct yk_layout *l, bool finished);
void yk_layout_close(struct yk_layout *l);

#endif
