/* Binary files of loggers: their channels as a table of text. */
#ifndef YOKE_LOGGER_BINARY_H
#define YOKE_LOGGER_BINARY_H

#include "log.h"

#include <stdint.h>

enum { YK_LOG_CHANNELS = 4096 };

struct yk_log_channel {
    char name[160], unit[YK_LOG_UNIT];
    double *x;
    size_t n, room;
};

struct yk_log_sheet {
    struct yk_log_channel *channel;
    size_t count;
    double interval_s; /* between rows; 0: a channel has the time */
};
void yk_log_sheet_free(struct yk_log_sheet *sheet);
/* NULL: no memory, or too many. The pointer holds until the next one is added. */
struct yk_log_channel *yk_log_sheet_add(struct yk_log_sheet *sheet, const char *name);
bool yk_log_channel_room(struct yk_log_channel *channel, size_t more);
/* Channels of the most common length become columns; takes the place of the text. */
enum yk_status yk_log_sheet_text(struct yk_log_sheet *sheet, struct yk_text *text, struct yk_err *err);

/* ---- numbers of a file ---- */

enum yk_log_kind {
    YK_LOG_I8,
    YK_LOG_I16,
    YK_LOG_I32,
    YK_LOG_I64,
    YK_LOG_U8,
    YK_LOG_U16,
    YK_LOG_U32,
    YK_LOG_U64,
    YK_LOG_F32,
    YK_LOG_F64,
    YK_LOG_NO_NUMBER
};
size_t yk_log_kind_size(enum yk_log_kind kind);
double yk_log_number_at(const unsigned char *p, enum yk_log_kind kind, bool big_endian);

struct yk_log_bytes {
    const unsigned char *p, *end;
    bool big; /* the most significant byte first */
};
bool yk_log_take(struct yk_log_bytes *bytes, size_t size, uint64_t *bits); /* an unsigned number off the front */

enum yk_status yk_log_tdms(struct yk_text *text, struct yk_err *err);
enum yk_status yk_log_mat(struct yk_text *text, struct yk_err *err);
bool yk_log_is_binary(const struct yk_text *text);
/* Files of these kinds become text, others stay. */
enum yk_status yk_log_unpack(struct yk_text *text, struct yk_err *err);

#endif
