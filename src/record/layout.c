/* The HDF5 file of a recording: its structure, and what is added to it. All between yk_h5_enter and yk_h5_leave.
 *
 * File: root attributes `format`, `format_version`, `finished`, `title`, `experiment_path`, `overrides`, `build`,
 * `method`, those of the provenance; string datasets `experiment`, `description` and `summary`; for each stream a group
 * with `samples` (rows x channels) and what yk_labels says of every channel. A text too long for an attribute becomes a
 * dataset of the same name. `summary` is a list of pieces of equal length, usually one, because its length is known
 * only at the end.
 *
 * Why the file can be opened after SIGKILL at any moment:
 * - It takes its name only after its structure is written and single-writer/multiple-reader access has started
 *   (recorder.c). From then on HDF5 writes metadata in an order in which what is pointed to comes first.
 * - Samples bypass HDF5's chunk cache: a block is in the file before the number of rows says so, and that number is
 *   held back (H5Odisable_mdc_flushes) until the next flush.
 * - Closing only appends (`summary`) and overwrites one number in place (`finished`); the structure never changes. */
#include "record/layout.h"
#include "hdf5/h5.h"

#include <stdio.h>
#include <string.h>

enum {
    ATTRIBUTE_BYTES = 32000,  /* HDF5 keeps attributes below 64 KB in place */
    SUMMARY_BYTES = 16 << 10, /* of a piece of the summary                  */
    LABELS_AT_ONCE = 64,      /* that are written together                  */
};

/* ---- its structure ---- */

#define LABEL(set_, field, required_)                                                                                  \
    {                                                                                                                  \
        set_, offsetof(struct yk_channel, field), sizeof(((struct yk_channel *)0)->field), required_                   \
    }
const struct yk_label yk_labels[] = {LABEL("channels", name, true),         LABEL("units", unit, true),
                                     LABEL("kinds", kind, false),           LABEL("owners", owner, false),
                                     LABEL("long_names", long_name, false), {0}};

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

/* A string array: one text of every channel. */
static void put_labels(hid_t group, const struct yk_label *label, const struct yk_stream *stream)
{
    const hsize_t count = stream->count;
    hid_t type = text_type(label->size), space = H5Screate_simple(1, &count, NULL);
    hid_t labels = H5Dcreate2(group, label->set, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    for (hsize_t first = 0, n; first < count; first += n) {
        char texts[LABELS_AT_ONCE * sizeof(struct yk_channel)];

        n = count - first < LABELS_AT_ONCE ? count - first : LABELS_AT_ONCE;
        memset(texts, 0, sizeof texts);
        for (hsize_t i = 0; i < n; i++)
            snprintf(texts + i * label->size, label->size, "%s",
                     (const char *)&stream->channels[first + i] + label->offset);
        hid_t memory = H5Screate_simple(1, &n, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &n, NULL);
        H5Dwrite(labels, type, memory, space, H5P_DEFAULT, texts);
        H5Sclose(memory);
    }
    H5Dclose(labels);
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

    for (const struct yk_label *label = yk_labels; label->set; label++)
        put_labels(group, label, stream);
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

static void put_provenance(hid_t file, const struct yk_provenance *p)
{
    put_text(file, "date", p->date, false);
    put_text(file, "host", p->host, false);
    put_text(file, "user", p->user, false);
    put_text(file, "command", p->command, false);
    put_text(file, "note", p->note, false);
    put_text(file, "cpu", p->cpu, false);
    put_text(file, "blas", p->blas, false);
    put_text(file, "libraries", p->libraries, false);
}

static void put_structure(struct yk_layout *l, const struct yk_recording_info *info, const struct yk_stream *streams)
{
    const hsize_t piece = 1;
    hid_t summary_type = text_type(SUMMARY_BYTES);

    put_text(l->file, "format", "yoke-recording", false);
    put_number(l->file, "format_version", 1);
    put_number(l->file, "finished", 0);
    put_text(l->file, "title", info->title, false);
    put_text(l->file, "experiment_path", info->experiment_path, false);
    put_text(l->file, "overrides", info->overrides, false);
    put_text(l->file, "build", info->build, false);
    put_text(l->file, "method", info->method, false);
    if (info->provenance)
        put_provenance(l->file, info->provenance);
    put_text(l->file, "experiment", info->experiment, true);
    if (info->description)
        put_text(l->file, "description", info->description, true);
    for (size_t i = 0; i < l->count; i++)
        l->streams[i].samples = put_stream(l->file, &streams[i], l->streams[i].chunk_rows);
    l->summary = put_growing(l->file, "summary", summary_type, 1, &piece);
    H5Tclose(summary_type);
}

void yk_layout_create(struct yk_layout *l, const char *path, struct yk_disk *disk, const struct yk_recording_info *info,
                      const struct yk_stream *streams)
{
    l->file = create_file(path, disk);
    put_structure(l, info, streams);
    H5Fflush(l->file, H5F_SCOPE_LOCAL);
    if (disk->error || *yk_h5_reason()) /* start_swmr reads back what was written, and does not survive if it cannot */
        return;
    H5Fstart_swmr_write(l->file);
    for (size_t i = 0; i < l->count; i++)
        H5Odisable_mdc_flushes(l->streams[i].samples);
}

/* ---- what is added ---- */

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

void yk_layout_append(struct yk_layout_stream *s, size_t rows, const double *block)
{
    append(s->samples, H5T_NATIVE_DOUBLE, 2, s->columns, &s->rows, rows, block);
}

void yk_layout_flush(struct yk_layout_stream *s)
{
    H5Dflush(s->samples);
    s->flushed = s->rows;
}

void yk_layout_summarise(struct yk_layout *l, const char *summary)
{
    const char *text = or_empty(summary);
    hid_t type = text_type(SUMMARY_BYTES);
    uint64_t pieces = 0;

    for (size_t left = strlen(text), n; left > 0; left -= n, text += n) {
        char piece[SUMMARY_BYTES] = "";
        n = left < sizeof piece ? left : sizeof piece;
        memcpy(piece, text, n);
        append(l->summary, type, 1, 0, &pieces, 1, piece);
    }
    H5Tclose(type);
    H5Dflush(l->summary);
}

void yk_layout_finish(struct yk_layout *l, bool finished)
{
    hid_t at = H5Aopen(l->file, "finished", H5P_DEFAULT);

    H5Awrite(at, H5T_NATIVE_INT, &(int){finished});
    H5Aclose(at);
    H5Fflush(l->file, H5F_SCOPE_LOCAL);
}

void yk_layout_close(struct yk_layout *l)
{
    for (size_t i = 0; i < l->count; i++) {
        if (l->streams[i].samples >= 0)
            H5Dclose(l->streams[i].samples);
        l->streams[i].samples = -1;
    }
    if (l->summary >= 0)
        H5Dclose(l->summary);
    if (l->file >= 0)
        H5Fclose(l->file);
    l->summary = l->file = -1;
}
