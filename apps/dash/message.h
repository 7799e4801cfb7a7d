/* Messages between a page and the server of the dashboard. docs/dashboard-protocol.md */
#ifndef YOKE_DASH_MESSAGE_H
#define YOKE_DASH_MESSAGE_H

#include <yoke/status.h>

#include <stdbool.h>
#include <stdint.h>

enum {
    YK_MESSAGE_BYTES = 64 << 10, /* most */
    YK_MESSAGE_CHANNELS = 4096,  /* most */
    YK_MESSAGE_POINTS = 8192,    /* most */
    YK_MESSAGE_ROWS = 65536,     /* most of a capture */
    YK_MESSAGE_NOTE = 2000       /* bytes of a note, most */
};

/* ---- from the page ---- */

enum yk_message_kind {
    YK_MESSAGE_SUBSCRIBE,
    YK_MESSAGE_HISTORY,
    YK_MESSAGE_SCOPE,
    YK_MESSAGE_CONTROL,
    YK_MESSAGE_NOTED,
    YK_MESSAGE_CONSOLE,
    YK_MESSAGE_PING
};
enum yk_trigger { YK_TRIGGER_EDGE, YK_TRIGGER_LEVEL, YK_TRIGGER_LIMIT, YK_TRIGGER_EVENT };
enum yk_slope { YK_SLOPE_RISE, YK_SLOPE_FALL, YK_SLOPE_EITHER };
enum yk_scope_mode { YK_SCOPE_OFF, YK_SCOPE_SINGLE, YK_SCOPE_NORMAL, YK_SCOPE_ROLL };

struct yk_scope_wish {
    enum yk_scope_mode mode;
    enum yk_trigger trigger;
    uint32_t channel; /* of the trigger */
    double level;
    enum yk_slope slope;
    size_t pre, length; /* rows before the trigger, and in all */
};

struct yk_message {
    enum yk_message_kind kind;
    uint32_t request; /* 0: none */
    uint32_t *channels;
    size_t channel_count;
    size_t points;
    double window_s, from_s, to_s;
    struct yk_scope_wish scope;
    char word[16]; /* control */
    bool confirmed;
    char *text; /* of a note, a line for a console */
};
/* Reads a message. Numbers of channels are not checked against a run. Free it after use, even after a failure. */
enum yk_status yk_message_parse(struct yk_message *message, const char *text, size_t size, struct yk_err *err);
void yk_message_free(struct yk_message *message);

/* ---- frames ---- */

enum yk_frame_kind { YK_FRAME_WINDOW = 1, YK_FRAME_APPEND, YK_FRAME_HISTORY, YK_FRAME_CAPTURE, YK_FRAME_ROLL };
struct yk_frame {
    enum yk_frame_kind kind;
    uint32_t stream, request;
    const uint32_t *channels; /* their numbers */
    size_t channel_count, column_count;
    uint32_t rows;    /* in a column */
    uint32_t trigger; /* column of it */
};
/* A frame with its head filled in, malloc'd; *size bytes. *time has room for the times of the columns; channel i has
 * its values at values + i stride, and behind the least ones the largest ones, where a column has more than one row.
 * NULL when out of memory. */
void *yk_frame_create(const struct yk_frame *frame, size_t *size, double **time, double **values, size_t *stride);

#endif
