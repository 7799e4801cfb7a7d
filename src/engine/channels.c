/* The channels of a run: what a row of each stream holds, in order. */
#include "engine/channels.h"

#include "base/rotation.h"

#include <stdarg.h>
#include <stdlib.h>

static const char *const energy_names[YK_ENERGIES] = {"energy.kinetic", "energy.stored", "energy.dissipated",
                                                      "energy.work", "energy.error"};

size_t yk_dof_count(const struct yk_experiment *e, bool only_fine)
{
    size_t n = 0;

    for (size_t k = 0; k < e->substructure_count; k++)
        n += !only_fine || e->fine[k] ? e->substructures[k].system->n : 0;
    return n;
}

bool yk_is_first_of_entry(const struct yk_experiment *e, size_t load)
{
    return load == 0 || e->loads[load - 1].entry != e->loads[load].entry;
}

size_t yk_signal_count(const struct yk_experiment *e)
{
    size_t n = 0;

    for (size_t i = 0; i < e->load_count; i++)
        n += yk_is_first_of_entry(e, i);
    return n;
}

size_t yk_actuator_channel_count(const struct yk_experiment *e)
{
    size_t n = 0;

    for (size_t i = 0; i < yk_station_count(e->station); i++)
        n += 5 + yk_station_estimates_gain(e->station, i) + yk_station_matches(e->station, i);
    return n;
}

static struct yk_channel *add(struct yk_channel *c, const char *unit, const char *format, ...) YK_PRINTF(3, 4);
static struct yk_channel *add(struct yk_channel *c, const char *unit, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(c->name, sizeof c->name, format, args);
    va_end(args);
    snprintf(c->unit, sizeof c->unit, "%s", unit);
    return c + 1;
}

/* `count` of u, v, a for every degree of freedom of a substructure */
static struct yk_channel *add_motion(struct yk_channel *c, const char *prefix, const struct yk_substructure *s,
                                     int count)
{
    static const char *const units[2][3] = {{"m", "m/s", "m/s2"}, {"rad", "rad/s", "rad/s2"}};

    for (size_t i = 0; i < s->system->n; i++)
        for (int which = 0; which < count; which++)
            c = add(c, units[yk_is_rotation(s->dofs[i])][which], "%s%s.%s.%c", prefix, s->name, s->dofs[i],
                    "uva"[which]);
    return c;
}

/* Rows that follow from others have no multiplier; which they are is known once the problem is set up. */
static enum yk_status add_multipliers(struct yk_channel **c, const struct yk_experiment *e, struct yk_err *err)
{
    struct yk_motion m;
    enum yk_status st = yk_motion_open(&m, e, 0, err);

    if (st)
        return st;
    for (size_t i = 0; i < yk_motion_multipliers(&m); i++) {
        const size_t r = yk_motion_row(&m, i);
        const struct yk_row *row = &e->rows[r];
        const bool turns = row->count && yk_is_rotation(e->substructures[row->substructure[0]].dofs[row->dof[0]]);
        const char *unit = turns ? "N m" : "N";

        *c = e->row_names[r] ? add(*c, unit, "lambda.%s", e->row_names[r]) : add(*c, unit, "lambda.%zu", r);
    }
    yk_motion_close(&m);
    return YK_OK;
}

static struct yk_channel *add_actuators(struct yk_channel *c, const struct yk_experiment *e)
{
    for (size_t i = 0; i < yk_station_count(e->station); i++) {
        const char *name = yk_station_name(e->station, i);
        const bool turns = yk_station_turns(e->station, i);
        const char *length = turns ? "rad" : "m";

        c = add(c, length, "%s.target", name);
        c = add(c, length, "%s.command", name);
        c = add(c, length, "%s.displacement", name);
        c = add(c, turns ? "N m" : "N", "%s.force", name);
        c = add(c, "s", "%s.delay", name);
        if (yk_station_estimates_gain(e->station, i))
            c = add(c, "", "%s.gain", name);
        if (yk_station_matches(e->station, i))
            c = add(c, length, "%s.matched", name);
    }
    return c;
}

static const char *unit_of_load(const struct yk_experiment *e, const struct yk_load *load)
{
    const struct yk_substructure *s = &e->substructures[load->substructure];

    for (size_t i = 0; !load->ground && i < s->system->n; i++)
        if (load->direction[i] != 0)
            return yk_is_rotation(s->dofs[i]) ? "N m" : "N";
    return load->ground ? "m/s2" : "N";
}

static enum yk_status system_channels(const struct yk_experiment *e, struct yk_run_channels *out, struct yk_err *err)
{
    const size_t n = yk_dof_count(e, false);
    struct yk_channel *c = out->channels =
        calloc(1 + 3 * n + e->row_count + e->load_count + yk_actuator_channel_count(e) + YK_ENERGIES + n, sizeof *c);
    enum yk_status st;

    if (!c)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the channels");
    c = add(c, "s", "time");
    for (size_t k = 0; k < e->substructure_count; k++)
        c = add_motion(c, "", &e->substructures[k], 3);
    if (e->coupling && (st = add_multipliers(&c, e, err)))
        return st;
    for (size_t i = 0; i < e->load_count; i++)
        if (yk_is_first_of_entry(e, i))
            c = add(c, unit_of_load(e, &e->loads[i]), "load.%zu", e->loads[i].entry);
    c = add_actuators(c, e);
    for (size_t i = 0; i < YK_ENERGIES; i++)
        c = add(c, "J", "%s", energy_names[i]);
    for (size_t k = 0; k < e->substructure_count && e->reference; k++)
        c = add_motion(c, "reference.", &e->substructures[k], 1);
    out->count = (size_t)(c - out->channels);
    return YK_OK;
}

static enum yk_status fine_channels(const struct yk_experiment *e, struct yk_run_channels *out, struct yk_err *err)
{
    struct yk_channel *c = out->fine = calloc(1 + 2 * yk_dof_count(e, true), sizeof *c);

    if (!c)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the channels");
    c = add(c, "s", "time");
    for (size_t k = 0; k < e->substructure_count; k++)
        if (e->fine[k])
            c = add_motion(c, "", &e->substructures[k], 2);
    out->fine_count = (size_t)(c - out->fine);
    return YK_OK;
}

/* What went to the rig and came from it, at every tick from the first ramp to the last. */
static enum yk_status tick_channels(const struct yk_experiment *e, struct yk_run_channels *out, struct yk_err *err)
{
    const size_t n = yk_station_count(e->station);
    struct yk_channel *c = out->ticks = calloc(YK_TICK_CHANNELS(n), sizeof *c);

    if (!c)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the channels");
    c = add(c, "s", "time");
    c = add(c, "", "state");
    for (size_t i = 0; i < n; i++) {
        const char *name = yk_station_name(e->station, i);
        const bool turns = yk_station_turns(e->station, i);

        c = add(c, turns ? "rad" : "m", "%s.sent", name);
        c = add(c, turns ? "rad" : "m", "%s.displacement", name);
        c = add(c, turns ? "N m" : "N", "%s.force", name);
        c = add(c, turns ? "rad/s2" : "m/s2", "%s.acceleration", name);
    }
    out->tick_count = (size_t)(c - out->ticks);
    return YK_OK;
}

enum yk_status yk_run_channels(const struct yk_experiment *e, struct yk_run_channels *out, struct yk_err *err)
{
    enum yk_status st;

    *out = (struct yk_run_channels){0};
    if ((st = system_channels(e, out, err)) || (e->coupling && (st = fine_channels(e, out, err))) ||
        (e->station && (st = tick_channels(e, out, err))))
        yk_run_channels_free(out);
    return st;
}

size_t yk_run_streams(const struct yk_run_channels *c, struct yk_stream *streams)
{
    const struct yk_stream all[YK_RUN_STREAMS] = {
        {"system", c->count, c->channels}, {"fine", c->fine_count, c->fine}, {"ticks", c->tick_count, c->ticks}};
    size_t n = 0;

    for (int i = 0; i < YK_RUN_STREAMS; i++)
        if (all[i].count)
            streams[n++] = all[i];
    return n;
}

void yk_run_channels_free(struct yk_run_channels *channels)
{
    free(channels->channels);
    free(channels->fine);
    free(channels->ticks);
    *channels = (struct yk_run_channels){0};
}
