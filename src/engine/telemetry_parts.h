/* The layout of the memory of telemetry, for the writer and the readers. */
#ifndef YOKE_TELEMETRY_PARTS_H
#define YOKE_TELEMETRY_PARTS_H

#include "base/board.h"
#include "base/segment.h"
#include "base/tape.h"
#include "engine/telemetry.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "telemetry-"

enum {
    NOW_WORDS = sizeof(struct yk_telemetry_posted) / sizeof(uint64_t),
    TRACK_WORDS = sizeof(struct yk_telemetry_track) / sizeof(uint64_t),
    LINE = 64,
    TAPE_ROWS_MOST = 16384, /* most rows on a tape */
};
_Static_assert(NOW_WORDS * sizeof(uint64_t) == sizeof(struct yk_telemetry_posted), "made of 64-bit words");
_Static_assert(TRACK_WORDS * sizeof(uint64_t) == sizeof(struct yk_telemetry_track), "made of 64-bit words");

/* The first bytes of the segment; every field has the same place on every machine. */
struct head {
    char magic[8];
    uint32_t version, bytes; /* of the layout; of this head */
    uint64_t streams, tracked, description_bytes, channel_bytes, now_bytes;
    struct {
        char name[YK_TELEMETRY_STREAM];
        uint64_t channels, rows; /* on its tape */
    } stream[YK_TELEMETRY_STREAMS];
    int64_t steps;
    double period_s;
    char title[YK_TELEMETRY_TITLE];
    char folder[YK_TELEMETRY_FOLDER];
    char states[YK_TELEMETRY_STATES][YK_TELEMETRY_STATE];
    _Atomic uint32_t ready; /* set last */
};
static const char magic[8] = "YOKETEL";

/* Offsets in the segment. */
struct places {
    size_t channels, description, board, tape[YK_TELEMETRY_STREAMS], end;
};

static inline size_t message_words(size_t tracked)
{
    return NOW_WORDS + tracked * TRACK_WORDS;
}

static inline size_t whole_lines(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static inline struct places places_of(const struct head *h)
{
    struct places p = {.channels = sizeof *h};
    size_t channels = 0;

    for (size_t i = 0; i < h->streams; i++)
        channels += h->stream[i].channels;
    p.description = p.channels + channels * sizeof(struct yk_channel);
    p.board = whole_lines(p.description + h->description_bytes);
    p.end = whole_lines(p.board + yk_board_size(message_words(h->tracked)));
    for (size_t i = 0; i < h->streams; i++) {
        p.tape[i] = p.end;
        p.end += yk_tape_size(h->stream[i].channels, h->stream[i].rows);
    }
    return p;
}

/* "telemetry-<name>"; segment.c refuses what is too long. */
static inline void segment_name(char *to, size_t size, const char *name)
{
    snprintf(to, size, PREFIX "%s", name);
}

/* ---- names that another user has taken ---- */

/* Anybody can make shared memory of any name. A run whose name belongs to another user takes the name with a random
 * end,
 * ".." and 8 digits, which nobody can take before it. Readers look for it under the plain name. */
enum { END_DIGITS = 8 };
#define END_MARK ".."

/* Length of a name without such an end. */
static inline size_t plain_length(const char *name)
{
    const size_t length = strlen(name), end = strlen(END_MARK) + END_DIGITS;

    return length > end && strncmp(name + length - end, END_MARK, strlen(END_MARK)) == 0 &&
                   strspn(name + length - END_DIGITS, "0123456789abcdef") == END_DIGITS
               ? length - end
               : length;
}

#endif
