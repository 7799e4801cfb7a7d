/* The channels of a run, from the table: which there are, what they are called, and the rows of values. */
#include "engine/channels.h"

#include <stdlib.h>
#include <string.h>

/* ---- what there is ---- */

/* Of each degree of freedom, multiplier and signal: where it is in the experiment. */
static enum yk_status number_owners(struct yk_channels *c, const struct yk_motion *m, struct yk_err *err)
{
    const struct yk_experiment *e = c->e;

    for (size_t k = 0; k < e->substructure_count; k++)
        c->dof_count += e->substructures[k].system->n;
    c->multiplier_count = yk_motion_multipliers(m);
    c->actuator_count = yk_station_count(e->station);
    c->first = calloc(e->substructure_count + 1, sizeof *c->first);
    c->dofs = calloc(c->dof_count + 1, sizeof *c->dofs);
    c->rows = calloc(c->multiplier_count + 1, sizeof *c->rows);
    c->loads = calloc(e->load_count + 1, sizeof *c->loads);
    if (!c->first || !c->dofs || !c->rows || !c->loads)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the channels");
    struct yk_place *at = c->dofs;
    for (size_t k = 0; k < e->substructure_count; k++) {
        c->first[k] = (size_t)(at - c->dofs);
        for (size_t i = 0; i < e->substructures[k].system->n; i++)
            *at++ = (struct yk_place){k, i};
    }
    for (size_t i = 0; i < c->multiplier_count; i++)
        c->rows[i] = yk_motion_row(m, i);
    for (size_t i = 0; i < e->load_count; i++) /* one that acts on several substructures is several with one signal */
        if (i == 0 || e->loads[i - 1].entry != e->loads[i].entry)
            c->loads[c->signal_count++] = i;
    return YK_OK;
}

/* Hands every channel of a stream to `take`, in the order of its rows; without, only counts. */
static size_t walk(const struct yk_channels *c, enum yk_stream_number stream, struct yk_channel_at *to)
{
    size_t n = 0;

    for (const struct yk_channel_family *const *f = yk_channel_families; *f; f++) {
        const size_t owners = (*f)->stream == stream ? (*f)->count(c) : 0;

        for (size_t item = 0; item < owners; item++)
            for (const struct yk_channel_row *row = (*f)->rows; row->name; row++)
                if ((!(*f)->has || (*f)->has(c, item)) && (!row->exists || row->exists(c, item))) {
                    if (to)
                        to[n] = (struct yk_channel_at){*f, row, item};
                    n++;
                }
    }
    return n;
}

enum yk_status yk_channels_open(struct yk_channels *c, const struct yk_motion *m, struct yk_err *err)
{
    enum yk_status st;

    *c = (struct yk_channels){.e = m->experiment};
    if ((st = number_owners(c, m, err)))
        goto fail;
    for (int stream = 0; stream < YK_STREAMS; stream++) {
        struct yk_channel_set *set = &c->sets[stream];

        set->count = walk(c, stream, NULL);
        if (!(set->at = calloc(set->count + 1, sizeof *set->at))) {
            st = yk_fail(err, YK_E_MEMORY, "out of memory for %zu channels", set->count);
            goto fail;
        }
        walk(c, stream, set->at);
    }
    return YK_OK;
fail:
    yk_channels_close(c);
    return st;
}

void yk_channels_close(struct yk_channels *c)
{
    free(c->first);
    free(c->dofs);
    free(c->rows);
    free(c->loads);
    for (int stream = 0; stream < YK_STREAMS; stream++)
        free(c->sets[stream].at);
    *c = (struct yk_channels){0};
}

/* ---- words ---- */

void yk_channel_describe(const struct yk_channels *c, const struct yk_channel_at *at, struct yk_channel *out)
{
    const struct yk_channel_row *row = at->row;
    struct yk_channel_owner owner = {.sense = YK_ALONG};
    const char *prefix = at->family->prefix ? at->family->prefix : "";

    at->family->owner(c, at->item, &owner);
    const enum yk_quantity quantity = row->quantity == YK_NUMBER ? owner.quantity : row->quantity;
    snprintf(out->name, sizeof out->name, "%s%s%s%s", prefix, owner.name, *owner.name && *row->name ? "." : "",
             row->name);
    snprintf(out->unit, sizeof out->unit, "%s", yk_quantity_unit(yk_quantity_of(quantity, owner.sense)));
    snprintf(out->kind, sizeof out->kind, "%s", row->kind);
    snprintf(out->owner, sizeof out->owner, "%s", owner.name);
    snprintf(out->long_name, sizeof out->long_name, "%s%s%s", owner.words, *owner.words && *row->words ? ", " : "",
             row->words);
}

/* ---- values ---- */

YK_RT void yk_channels_row(const struct yk_channels *c, enum yk_stream_number stream, const struct yk_view *view,
                           double *row)
{
    const struct yk_channel_set *set = &c->sets[stream];

    for (size_t i = 0; i < set->count; i++)
        row[i] = set->at[i].row->value(view, set->at[i].item);
}

/* ---- for those who record them ---- */

static const char *const stream_names[YK_STREAMS] = {"system", "fine", "ticks"};

static enum yk_status describe_all(const struct yk_channels *c, struct yk_run_channels *out, struct yk_err *err)
{
    for (int stream = 0; stream < YK_STREAMS; stream++) {
        const struct yk_channel_set *set = &c->sets[stream];
        struct yk_channel *channels = calloc(set->count + 1, sizeof *channels);

        if (!channels)
            return yk_fail(err, YK_E_MEMORY, "out of memory for %zu channels", set->count);
        out->streams[stream] = (struct yk_stream){stream_names[stream], set->count, channels};
        for (size_t i = 0; i < set->count; i++)
            yk_channel_describe(c, &set->at[i], &channels[i]);
    }
    return YK_OK;
}

enum yk_status yk_run_channels(const struct yk_experiment *e, struct yk_run_channels *out, struct yk_err *err)
{
    struct yk_channels channels = {0};
    struct yk_motion motion;
    enum yk_status st;

    *out = (struct yk_run_channels){0};
    if ((st = yk_motion_open(&motion, e, 0, err)))
        return st;
    if ((st = yk_channels_open(&channels, &motion, err)) || (st = describe_all(&channels, out, err)))
        yk_run_channels_free(out);
    yk_channels_close(&channels);
    yk_motion_close(&motion);
    return st;
}

size_t yk_run_streams(const struct yk_run_channels *c, struct yk_stream *streams)
{
    size_t n = 0;

    for (int i = 0; i < YK_STREAMS; i++)
        if (c->streams[i].count)
            streams[n++] = c->streams[i];
    return n;
}

void yk_run_channels_free(struct yk_run_channels *c)
{
    for (int i = 0; i < YK_STREAMS; i++)
        free((void *)c->streams[i].channels);
    *c = (struct yk_run_channels){0};
}
