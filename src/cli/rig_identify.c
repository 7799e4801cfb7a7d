/* identify: sweeps an actuator that stands at the console, and fits a model to what was measured. */
#include "cli/rig_commands.h"
#include <yoke/identification.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 0.9  /* of a limit of rate that a sweep may use */
#define LATE   1.01 /* of its duration: periods were lost, and the model is less exact */

/* "from 0.1 Hz to 20 Hz amplitude 1 mm duration 20 s order 2" */
static bool read_sweep(struct rig_desk *d, struct rig_words *w, struct yk_sweep *sweep, int *order)
{
    const char *word;

    while ((word = rig_next_word(w))) {
        const struct {
            const char *name;
            enum yk_quantity quantity;
            double *to;
        } keys[] = {{"from", YK_FREQUENCY, &sweep->from_Hz},
                    {"to", YK_FREQUENCY, &sweep->to_Hz},
                    {"amplitude", YK_LENGTH, &sweep->amplitude_m},
                    {"duration", YK_TIME, &sweep->duration_s}};
        size_t k = 0;

        while (k < sizeof keys / sizeof *keys && strcmp(keys[k].name, word) != 0)
            k++;
        if (k < sizeof keys / sizeof *keys) {
            if (!rig_next_quantity(d, w, word, keys[k].quantity, keys[k].to))
                return false;
        } else if (strcmp(word, "order") == 0 && w->at < w->count &&
                   yk_choice_index("1|2|servo", w->word[w->at]) >= 0) {
            *order = yk_choice_index("1|2|servo", rig_next_word(w)) + 1;
        } else {
            return rig_refuse(d, "'%s': say from, to, amplitude, duration, or order 1, 2 or servo", word), false;
        }
    }
    return true;
}

/* Does the sweep stay within the limits? With a margin: the supervisor trips at them. */
static bool fits(struct rig_desk *d, size_t i, const struct yk_sweep *s)
{
    static const struct {
        enum yk_limit_kind kind;
        int power; /* of the angular frequency */
        const char *unit[2];
    } bounds[] = {{YK_LIMIT_DISPLACEMENT, 0, {"m", "rad"}},
                  {YK_LIMIT_COMMAND_RATE, 1, {"m/s", "rad/s"}},
                  {YK_LIMIT_VELOCITY, 1, {"m/s", "rad/s"}},
                  {YK_LIMIT_ACCELERATION, 2, {"m/s2", "rad/s2"}}};
    const struct yk_supervisor *v = d->limits;
    const double travel = yk_supervisor_travel(v, i),
                 off = fabs(d->seen[YK_SEEN * i + YK_SEEN_SENT] - d->enabled_at[i]) + s->amplitude_m;

    if (travel > 0 && off > travel)
        return rig_refuse(
                   d,
                   "the sweep of %s would go %s from where the drives were enabled, and limits.console.travel is %s; "
                   "lower the amplitude, or say `full`",
                   yk_station_name(d->station, i), rig_text(d, i, false, off).text, rig_text(d, i, false, travel).text),
               false;
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        const double limit = yk_supervisor_limit(v, bounds[k].kind, i),
                     from = k == 0 ? fabs(d->seen[YK_SEEN * i + YK_SEEN_SENT]) : 0,
                     most = from + s->amplitude_m * pow(2 * M_PI * s->to_Hz, bounds[k].power);
        const char *unit = bounds[k].unit[yk_station_turns(d->station, i)];

        if (limit > 0 && most > (k ? MARGIN : 1) * limit)
            return rig_refuse(
                       d, "the sweep of %s would reach %.4g %s, and limits.%s is %.4g %s%s; lower the amplitude%s%s",
                       yk_station_name(d->station, i), most, unit, yk_limit_key(bounds[k].kind), limit, unit,
                       limit < yk_supervisor_limit_of_test(v, bounds[k].kind, i) ? " in the console" : "",
                       k ? " or `to`" : "",
                       limit < yk_supervisor_limit_of_test(v, bounds[k].kind, i) ? ", or say `full`" : ""),
                   false;
    }
    return true;
}

/* Sent and measured, from the rows of the sweep. */
static bool make_record(const struct rig_desk *d, size_t i, const struct yk_console_order *o,
                        struct yk_sweep_record *record)
{
    const size_t width = yk_console_width(d->console), quiet = yk_sweep_quiet(&o->sweep, d->tick_s);
    const double centre = o->rows[YK_SEEN * i + YK_SEEN_SENT]; /* a sweep begins at zero */

    *record = (struct yk_sweep_record){.tick_s = o->made_s > 0 ? o->made_s / (double)(o->made - 1) : d->tick_s,
                                       .n = o->made,
                                       .command = calloc(o->made, sizeof *record->command),
                                       .measured = calloc(o->made, sizeof *record->measured)};
    for (size_t k = 0; record->command && record->measured && k < o->made; k++) {
        const double *row = o->rows + width * k + YK_SEEN * i;

        record->command[k] = row[YK_SEEN_SENT] - centre;
        record->measured[k] = row[YK_SEEN_DISPLACEMENT];
        record->offset += k >= quiet ? record->measured[k] / (double)(o->made - quiet) : 0;
    }
    return record->command && record->measured;
}

int rig_do_identify(struct rig_desk *d, struct rig_words *w)
{
    struct yk_identification ask = {.sweep = yk_sweep_defaults(), .mounted = true, .tick_s = d->tick_s};
    struct yk_console_order o = {.kind = YK_ORDER_SWEEP};
    struct yk_sweep_record record = {0};
    const char *obstacle = rig_obstacle(d);
    struct yk_err err = {0};
    int order = 0, code;
    char *text = NULL;
    size_t size = 0;

    ask.sweep.amplitude_m = NAN; /* not said */
    if (!rig_next_actuator(d, w, &o.actuator))
        return 2;
    if (rig_kind(d, o.actuator) != YK_BY_DISPLACEMENT)
        return rig_refuse(d, "only actuators that are commanded by displacement can be swept");
    if (!read_sweep(d, w, &ask.sweep, &order))
        return 2;
    if (isnan(ask.sweep.amplitude_m))
        ask.sweep.amplitude_m =
            fmin(yk_sweep_defaults().amplitude_m, yk_sine_amplitude(d->station, o.actuator, ask.sweep.to_Hz));
    if (yk_sweep_check(&ask.sweep, d->tick_s, &err))
        return rig_refuse(d, "%s", yk_err_line(&err).text);
    if (*obstacle)
        return rig_refuse_now(d, obstacle);
    if (!fits(d, o.actuator, &ask.sweep))
        return 2;
    o.sweep = ask.sweep;
    ask.actuator = yk_station_name(d->station, o.actuator);
    o.room = yk_sweep_ticks(&o.sweep, d->tick_s);
    if (!(o.rows = malloc(o.room * yk_console_width(d->console) * sizeof *o.rows)))
        return rig_refuse(d, "out of memory for a sweep of %zu ticks", o.room);
    if (!(code = rig_execute(d, &o))) {
        FILE *out = open_memstream(&text, &size);
        enum yk_status st = YK_E_MEMORY;

        if (out && make_record(d, o.actuator, &o, &record))
            st = yk_identification_make(&ask, &record, order, &err);
        if (!st)
            yk_identification_print(&ask, out);
        if (out)
            fclose(out);
        if (st) {
            rig_say(d, "failed: %s", yk_err_line(&err).text);
            code = yk_status_exit_code(st);
        } else {
            rig_say_text(d, text);
            if (record.tick_s > LATE * d->tick_s)
                rig_say(d, "note: the sweep took %.3g s instead of %.3g s: the machine was late; identify once more",
                        o.made_s, d->tick_s * (double)(o.made - 1));
            rig_say(d, "ok: %s identified from %zu ticks", yk_station_name(d->station, o.actuator), o.made);
        }
        free(text);
        yk_sweep_free(&record);
    }
    free(o.rows);
    return code;
}
