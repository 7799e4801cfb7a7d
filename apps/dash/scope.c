/* The scope. It looks at every row that the history has one by one. */
#include "scope.h"

#include <math.h>
#include <stdlib.h>

enum { AT_ONCE = 4096, MOST_ROLLED = 8192 };

const char *yk_scope_state_text(enum yk_scope_state state)
{
    static const char *const words[] = {[YK_SCOPE_IDLE] = "idle",
                                        [YK_SCOPE_ARMED] = "armed",
                                        [YK_SCOPE_TRIGGERED] = "triggered",
                                        [YK_SCOPE_ROLLING] = "rolling"};

    return words[state];
}

static bool passes(enum yk_slope slope, double before, double value, double level)
{
    return (slope != YK_SLOPE_FALL && before < level && value >= level) ||
           (slope != YK_SLOPE_RISE && before > level && value <= level);
}

bool yk_scope_triggers(const struct yk_scope *s, double before, double value)
{
    switch (s->wish.trigger) {
    case YK_TRIGGER_EDGE:
        return passes(s->wish.slope, before, value, s->wish.level);
    case YK_TRIGGER_LEVEL:
        return s->wish.slope == YK_SLOPE_FALL ? value < s->wish.level : value >= s->wish.level;
    case YK_TRIGGER_LIMIT:
        return fabs(value) >= s->limit;
    case YK_TRIGGER_EVENT:
        return value != before;
    }
    return false;
}

void yk_scope_clear(struct yk_scope *s)
{
    free(s->channels);
    *s = (struct yk_scope){0};
}

/* All channels, and that of the trigger, must be of one stream. */
static enum yk_status check_channels(struct yk_scope *s, struct yk_feed *feed, struct yk_err *err)
{
    size_t column;

    for (size_t i = 0; i < s->channel_count; i++) {
        if (s->channels[i] >= yk_feed_channels(feed))
            return yk_fail(err, YK_E_INPUT, "there is no channel %u", s->channels[i]);
        if (yk_feed_place(feed, s->channels[i], &column) != s->stream)
            return yk_fail(err, YK_E_INPUT, "the channels of a scope must be of one stream");
    }
    return YK_OK;
}

static enum yk_status check_trigger(struct yk_scope *s, struct yk_feed *feed, struct yk_err *err)
{
    size_t column;

    if (s->wish.trigger == YK_TRIGGER_EVENT && !yk_feed_state_channel(feed, &s->wish.channel))
        return yk_fail(err, YK_E_INPUT, "this run has no control ticks, and so no events at their rate");
    if (s->wish.channel >= yk_feed_channels(feed))
        return yk_fail(err, YK_E_INPUT, "there is no channel %u", s->wish.channel);
    if (yk_feed_place(feed, s->wish.channel, &column) != s->stream)
        return yk_fail(err, YK_E_INPUT, "the channels of a scope and its trigger must be of one stream");
    if (s->wish.trigger == YK_TRIGGER_LIMIT && !((s->limit = yk_feed_limit(feed, s->wish.channel)) > 0))
        return yk_fail(err, YK_E_INPUT, "that channel has no limit");
    return YK_OK;
}

enum yk_status yk_scope_arm(struct yk_scope *s, struct yk_feed *feed, struct yk_message *wish, struct yk_err *err)
{
    const size_t longest = yk_feed_longest(feed);
    size_t column;
    enum yk_status st = YK_OK;

    yk_scope_clear(s);
    s->request = wish->request;
    s->wish = wish->scope;
    if (s->wish.mode == YK_SCOPE_OFF)
        return YK_OK;
    s->channels = wish->channels;
    s->channel_count = wish->channel_count;
    wish->channels = NULL;
    wish->channel_count = 0;
    s->stream = s->channels[0] < yk_feed_channels(feed) ? yk_feed_place(feed, s->channels[0], &column) : 0;
    if (s->wish.length > longest)
        st = yk_fail(err, YK_E_INPUT, "length: %zu rows; this run allows %zu", s->wish.length, longest);
    if (!st)
        st = check_channels(s, feed, err);
    if (!st && s->wish.mode != YK_SCOPE_ROLL)
        st = check_trigger(s, feed, err);
    if (st) {
        yk_scope_clear(s);
        return st;
    }
    s->state = s->wish.mode == YK_SCOPE_ROLL ? YK_SCOPE_ROLLING : YK_SCOPE_ARMED;
    s->next = yk_feed_row_count(feed, s->stream);
    return YK_OK;
}

/* Looks at the rows since the last look, up to one that triggers. */
static void look(struct yk_scope *s, struct yk_feed *feed)
{
    double values[AT_ONCE];
    size_t n;

    do {
        const uint64_t from = s->next;

        n = yk_feed_values(feed, s->wish.channel, &s->next, values, AT_ONCE);
        if (n && s->next - n != from)
            s->has_before = false; /* rows were lost */
        for (size_t i = 0; i < n; i++) {
            if (s->has_before && yk_scope_triggers(s, s->before, values[i])) {
                s->state = YK_SCOPE_TRIGGERED;
                s->trigger = s->next - n + i;
                return;
            }
            s->before = values[i];
            s->has_before = true;
        }
    } while (n == AT_ONCE);
}

static void *capture(struct yk_scope *s, struct yk_feed *feed, size_t *size)
{
    const uint64_t rows = yk_feed_row_count(feed, s->stream),
                   first = s->trigger > s->wish.pre ? s->trigger - s->wish.pre : 0;
    const struct yk_frame frame = {.kind = YK_FRAME_CAPTURE,
                                   .stream = (uint32_t)s->stream,
                                   .request = s->request,
                                   .channels = s->channels,
                                   .channel_count = s->channel_count,
                                   .trigger = (uint32_t)(s->trigger - first)};
    const uint64_t wanted = rows - first < s->wish.length ? rows - first : s->wish.length;
    void *bytes;

    if (wanted < s->wish.length && yk_feed_is_live(feed))
        return NULL;
    bytes = yk_feed_rows(feed, &frame, first, (size_t)wanted, size);
    s->state = s->wish.mode == YK_SCOPE_NORMAL && yk_feed_is_live(feed) ? YK_SCOPE_ARMED : YK_SCOPE_IDLE;
    s->next = first + wanted;
    s->has_before = false;
    return bytes;
}

static void *roll(struct yk_scope *s, struct yk_feed *feed, size_t *size)
{
    const uint64_t rows = yk_feed_row_count(feed, s->stream);
    const struct yk_frame frame = {.kind = YK_FRAME_ROLL,
                                   .stream = (uint32_t)s->stream,
                                   .request = s->request,
                                   .channels = s->channels,
                                   .channel_count = s->channel_count};
    const uint64_t first = rows - s->next > MOST_ROLLED ? rows - MOST_ROLLED : s->next;

    if (rows == first)
        return NULL;
    s->next = rows;
    return yk_feed_rows(feed, &frame, first, (size_t)(rows - first), size);
}

void *yk_scope_poll(struct yk_scope *s, struct yk_feed *feed, size_t *size)
{
    if (s->state == YK_SCOPE_ROLLING)
        return roll(s, feed, size);
    if (s->state == YK_SCOPE_ARMED)
        look(s, feed);
    return s->state == YK_SCOPE_TRIGGERED ? capture(s, feed, size) : NULL;
}
