/* The handshake with a PLC, as the supervisor makes it in every tick. See plc.h and docs/plc.md. */
#include "transfer/supervisor_parts.h"

#define LONGEST_S 60.0 /* that an acknowledgement is waited for where no limit says it */
#define HALF      0.5  /* of a tick: a period is met at the nearest tick */

static const enum yk_line_role answers[YK_PRESSURES] = {
    [YK_PRESSURE_LOW] = YK_LINE_LOW_ON, [YK_PRESSURE_HIGH] = YK_LINE_HIGH_ON};

YK_RT const char *yk_pressure_word(enum yk_pressure pressure)
{
    static const char *const words[YK_PRESSURES] = {"off", "low", "high"};

    return words[pressure];
}

YK_RT void yk_plc_init(struct yk_plc *plc, const struct yk_rig_line *lines, size_t count)
{
    *plc = (struct yk_plc){0};
    for (size_t k = 0; k < count; k++) {
        const uint32_t bit = UINT32_C(1) << k;

        plc->of[lines[k].role] |= bit;
        plc->inverted |= lines[k].inverted ? bit : 0;
        plc->toggles |= yk_line_toggles(lines[k].role) && yk_line_is_output(lines[k].role) ? bit : 0;
    }
}

YK_RT void yk_plc_reset(struct yk_plc *plc)
{
    for (size_t k = 0; k < YK_LINES_MOST; k++)
        plc->still_s[k] = 0;
    plc->counter_still_s = plc->waited_s = 0;
    plc->overdue = plc->unlocked = plc->acknowledged = false;
    plc->requested = plc->ordered = YK_PRESSURE_OFF; /* the drives are off */
}

YK_RT static bool has(const struct yk_plc *plc, enum yk_line_role role)
{
    return plc->of[role] != 0;
}

/* Under pressure the drives hold the actuators, also after the last motion. */
YK_RT bool yk_supervisor_is_enabled(const struct yk_supervisor *s)
{
    const bool pressed = s->plc.ordered > YK_PRESSURE_OFF || yk_supervisor_changes_pressure(s);

    return s->state != YK_STATE_IDLE && (s->state != YK_STATE_DONE || pressed) && !s->cut && !s->off;
}

/* A fault with words. A pressure that does not go off after a trip is a warning as well. */
YK_RT static void raise_words(struct yk_supervisor *s, enum yk_limit_kind kind, const char *words, double value)
{
    struct yk_trip trip = {.tripped = true,
                           .kind = kind,
                           .action = yk_supervisor_action(s, kind),
                           .actuator = NO_ACTUATOR,
                           .value = value,
                           .limit = yk_supervisor_limit(s, kind, NO_ACTUATOR),
                           .tick = s->tick};

    yk_keep_words(trip.words, sizeof trip.words, words);
    if (s->trip.tripped && kind == YK_LIMIT_PRESSURE_WAIT) /* told once */
        yk_supervisor_warn(s, &trip);
    yk_supervisor_take_trip(s, &trip);
}

/* ---- what the PLC says ---- */

YK_RT static const char *name_of(const struct yk_supervisor *s, uint32_t lines)
{
    for (size_t k = 0; k < s->line_count; k++)
        if (lines >> k & 1)
            return s->lines[k].name;
    return "";
}

/* A counter in a register, which stands for a line that toggles. */
YK_RT static void hear_counter(struct yk_supervisor *s, double count)
{
    struct yk_plc *plc = &s->plc;

    if (!plc->counted || count != plc->counter) {
        plc->counter_lived |= plc->counted;
        plc->counter_still_s = 0;
    }
    plc->counted = true;
    plc->counter = count;
}

YK_RT void yk_supervisor_hear_plc(struct yk_supervisor *s, const double *sensors, uint32_t lines)
{
    struct yk_plc *plc = &s->plc;
    const uint32_t on = lines ^ plc->inverted, changed = plc->heard ? on ^ plc->on : 0,
                   beats = changed & plc->of[YK_LINE_HEARTBEAT_IN];

    plc->lived |= beats;
    for (size_t k = 0; beats && k < s->line_count; k++)
        plc->still_s[k] = beats >> k & 1 ? 0 : plc->still_s[k];
    plc->unlocked = s->trip.tripped && (plc->unlocked || (changed & on & plc->of[YK_LINE_RESET_KEY]));
    plc->on = on;
    plc->heard = true;
    for (size_t k = 0; k < s->sensor_count; k++)
        if (s->sensors[k].heartbeat)
            hear_counter(s, sensors[k]);
    const uint32_t refused = plc->of[YK_LINE_PERMISSIVE] & ~on;

    if (refused && (yk_supervisor_is_enabled(s) || plc->ordered > YK_PRESSURE_OFF))
        raise_words(s, YK_LIMIT_PERMISSIVE, name_of(s, refused), 0);
}

/* A heartbeat that stands still, high or low: the PLC hangs. */
YK_RT static void watch_heartbeats(struct yk_supervisor *s, double passed_s)
{
    struct yk_plc *plc = &s->plc;
    const double limit = yk_supervisor_limit(s, YK_LIMIT_HEARTBEAT, NO_ACTUATOR);

    for (size_t k = 0; k < s->line_count; k++) {
        if (s->lines[k].role != YK_LINE_HEARTBEAT_IN)
            continue;
        plc->still_s[k] += passed_s;
        if (limit > 0 && plc->still_s[k] > limit)
            raise_words(s, YK_LIMIT_HEARTBEAT, s->lines[k].name, plc->still_s[k]);
    }
    for (size_t k = 0; k < s->sensor_count; k++) {
        if (!s->sensors[k].heartbeat)
            continue;
        plc->counter_still_s += passed_s;
        if (limit > 0 && plc->counter_still_s > limit)
            raise_words(s, YK_LIMIT_HEARTBEAT, s->sensors[k].name, plc->counter_still_s);
    }
}

/* ---- what it is told ---- */

/* The heartbeat says that the loop lives. The watchdog also says that all is well: it stands still as soon as a trip
 * has come to rest. */
YK_RT static void toggle(struct yk_supervisor *s, double passed_s)
{
    struct yk_plc *plc = &s->plc;
    const bool well = !s->cut && !(s->trip.tripped && !yk_supervisor_moves(s));

    for (size_t k = 0; k < s->line_count; k++) {
        const bool watchdog = s->lines[k].role == YK_LINE_WATCHDOG;

        if (!(plc->toggles >> k & 1) || (watchdog && !well))
            continue;
        plc->beat_s[k] += passed_s;
        if (plc->beat_s[k] >= s->lines[k].period_s - HALF * s->tick_s) {
            plc->beats ^= UINT32_C(1) << k;
            plc->beat_s[k] = 0;
        }
    }
}

/* ---- pressure ---- */

/* Is the ordered pressure acknowledged, and no higher one? */
YK_RT static bool is_acknowledged(const struct yk_plc *plc)
{
    for (int p = YK_PRESSURE_LOW; p < YK_PRESSURES; p++) {
        const uint32_t lines = plc->of[answers[p]], on = plc->on & lines;

        if ((int)plc->ordered >= p ? on != lines : on != 0)
            return false;
    }
    return true;
}

YK_RT static void order(struct yk_plc *plc, enum yk_pressure next)
{
    plc->ordered = next;
    plc->acknowledged = plc->overdue = false;
    plc->waited_s = 0;
}

/* The acknowledgement that contradicts the order: its line. */
YK_RT static const char *contradiction(const struct yk_supervisor *s)
{
    const struct yk_plc *plc = &s->plc;
    uint32_t wrong = 0;

    for (int p = YK_PRESSURE_LOW; p < YK_PRESSURES && !wrong; p++)
        wrong = plc->of[answers[p]] & ((int)plc->ordered >= p ? ~plc->on : plc->on);
    return name_of(s, wrong);
}

YK_RT static void watch_pressure(struct yk_supervisor *s, double passed_s)
{
    struct yk_plc *plc = &s->plc;
    const double limit = yk_supervisor_limit(s, YK_LIMIT_PRESSURE_WAIT, NO_ACTUATOR),
                 most = limit > 0 ? limit : LONGEST_S;
    static const struct {
        const char *words;
        size_t length;
    } late[YK_PRESSURES] = {
#define LATE(text) {text, sizeof(text) - 1}
        LATE("pressure off is not acknowledged by "),
        LATE("low pressure is not acknowledged by "),
        LATE("high pressure is not acknowledged by "),
#undef LATE
    };

    if (is_acknowledged(plc)) {
        plc->acknowledged = true;
        plc->overdue = false;
        plc->waited_s = 0;
        return;
    }
    if (plc->acknowledged) {
        plc->acknowledged = false;
        raise_words(s, YK_LIMIT_PRESSURE, contradiction(s), 0);
    }
    plc->waited_s += passed_s;
    if (plc->waited_s > most && !plc->overdue) {
        char words[YK_TRIP_WORDS];
        const size_t length = late[plc->ordered].length;

        yk_keep_words(words, sizeof words, late[plc->ordered].words);
        yk_keep_words(words + length, sizeof words - length, contradiction(s));
        plc->overdue = true;
        raise_words(s, YK_LIMIT_PRESSURE_WAIT, words, plc->waited_s);
    }
}

/* Has the PLC itself failed? It is not waited for then. */
YK_RT static bool is_faulty(const struct yk_supervisor *s)
{
    const enum yk_limit_kind kind = s->trip.kind;

    return s->trip.tripped && (kind == YK_LIMIT_HEARTBEAT || kind == YK_LIMIT_PERMISSIVE || kind == YK_LIMIT_PRESSURE ||
                               kind == YK_LIMIT_PRESSURE_WAIT);
}

/* One step at a time, down only when nothing moves. A step down does not wait forever for an acknowledgement. */
YK_RT static void step_pressure(struct yk_supervisor *s, double passed_s)
{
    struct yk_plc *plc = &s->plc;

    if (s->state == YK_STATE_DONE || s->state == YK_STATE_IDLE || (s->trip.tripped && !yk_supervisor_moves(s)))
        plc->requested = YK_PRESSURE_OFF;
    if (s->cut || s->off) { /* nothing holds the actuators */
        plc->requested = YK_PRESSURE_OFF;
        if (plc->ordered != YK_PRESSURE_OFF)
            order(plc, YK_PRESSURE_OFF);
    }
    if (!plc->heard)
        return;
    watch_pressure(s, passed_s);
    if (plc->requested > plc->ordered && plc->acknowledged && !s->trip.tripped)
        order(plc, plc->ordered + 1);
    else if (plc->requested < plc->ordered && !yk_supervisor_moves(s) &&
             (plc->acknowledged || plc->overdue || is_faulty(s)))
        order(plc, plc->ordered - 1);
}

YK_RT void yk_supervisor_order_pressure(struct yk_supervisor *s, enum yk_pressure requested)
{
    if (!s->trip.tripped || requested < s->plc.requested)
        s->plc.requested = requested;
}

YK_RT bool yk_supervisor_changes_pressure(const struct yk_supervisor *s)
{
    const struct yk_plc *plc = &s->plc;

    return !s->cut && (has(plc, YK_LINE_PRESSURE_LOW)) &&
           (plc->ordered != plc->requested || (!plc->acknowledged && !plc->overdue));
}

YK_RT const char *yk_supervisor_unordered_pressure(const struct yk_supervisor *s)
{
    const struct yk_plc *plc = &s->plc;
    uint32_t wrong = 0;

    for (int p = YK_PRESSURE_LOW; p < YK_PRESSURES; p++)
        wrong |= (int)plc->ordered < p ? plc->on & plc->of[answers[p]] : 0;
    return plc->heard && wrong ? name_of(s, wrong) : NULL;
}

/* ---- start ---- */

YK_RT static bool is_ready(const struct yk_supervisor *s)
{
    const struct yk_plc *plc = &s->plc;
    const uint32_t hearts = plc->of[YK_LINE_HEARTBEAT_IN];
    bool counts = true;

    for (size_t k = 0; k < s->sensor_count; k++)
        counts &= !s->sensors[k].heartbeat || plc->counter_lived;
    return counts && (plc->lived & hearts) == hearts &&
           (plc->ordered == plc->requested && (plc->acknowledged || !has(plc, YK_LINE_PRESSURE_LOW)));
}

YK_RT void yk_supervisor_start(struct yk_supervisor *s)
{
    struct yk_plc *plc = &s->plc;

    plc->lived = 0;
    plc->counter_lived = false;
    plc->requested = has(plc, YK_LINE_PRESSURE_HIGH)  ? YK_PRESSURE_HIGH
                     : has(plc, YK_LINE_PRESSURE_LOW) ? YK_PRESSURE_LOW
                                                      : YK_PRESSURE_OFF;
    plc->starts = !is_ready(s);
    if (!plc->starts)
        yk_supervisor_event(s, YK_EVENT_START);
}

YK_RT bool yk_supervisor_awaits_plc(const struct yk_supervisor *s)
{
    return s->plc.starts && s->state == YK_STATE_ARMED;
}

YK_RT void yk_supervisor_step_plc(struct yk_supervisor *s)
{
    const double passed_s = s->time.passed * s->tick_s;

    if (s->line_count + s->sensor_count == 0)
        return;
    watch_heartbeats(s, passed_s);
    if (has(&s->plc, YK_LINE_PRESSURE_LOW))
        step_pressure(s, passed_s);
    if (yk_supervisor_awaits_plc(s) && is_ready(s)) {
        s->plc.starts = false;
        yk_supervisor_event(s, YK_EVENT_START);
    }
    toggle(s, passed_s);
}
