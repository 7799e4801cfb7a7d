/* The channels of a run, from the table: which there are, what they are called, and the rows of values. */
#include "engine/channels.h"

#include "substructure/probe.h"
#include "transfer/physical.h"
#include <yoke/suggest.h>

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* ---- what there is ---- */

/* Tables of owners: the place of each degree of freedom, element, multiplier and signal in the experiment. */
static enum yk_status number_owners(struct yk_channels *c, const struct yk_state *m, struct yk_err *err)
{
    const struct yk_model *model = c->model;

    for (size_t k = 0; k < model->substructure_count; k++)
        c->dof_count += model->substructures[k].system->n;
    c->multiplier_count = yk_state_multipliers(m);
    c->actuator_count = yk_station_count(model->station);
    c->rig = model->station ? yk_station_plan(model->station) : NULL;
    c->first = calloc(model->substructure_count + 1, sizeof *c->first);
    c->dofs = calloc(c->dof_count + 1, sizeof *c->dofs);
    c->rows = calloc(c->multiplier_count + 1, sizeof *c->rows);
    c->loads = calloc(model->load_count + 1, sizeof *c->loads);
    for (size_t k = 0; k < model->substructure_count; k++)
        c->element_count += model->parts[k].probes.count;
    c->elements = calloc(c->element_count + 1, sizeof *c->elements);
    c->essential = calloc(c->dof_count + 1, sizeof *c->essential);
    c->one_way = calloc(model->substructure_count + 1, sizeof *c->one_way);
    if (!c->first || !c->dofs || !c->rows || !c->loads || !c->elements || !c->essential || !c->one_way)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the channels");
    struct yk_place *at = c->dofs;
    for (size_t k = 0; k < model->substructure_count; k++) {
        c->first[k] = (size_t)(at - c->dofs);
        for (size_t i = 0; i < model->substructures[k].system->n; i++)
            *at++ = (struct yk_place){k, i};
    }
    at = c->elements;
    for (size_t k = 0; k < model->substructure_count; k++)
        for (size_t i = 0; i < model->parts[k].probes.count; i++)
            if (!model->parts[k].probes.items[i].drawn)
                *at++ = (struct yk_place){k, i};
    c->element_count = (size_t)(at - c->elements);
    for (size_t i = 0; i < c->multiplier_count; i++)
        c->rows[i] = yk_state_row(m, i);
    for (size_t i = 0; i < model->load_count;
         i++) /* one that acts on several substructures is several with one signal */
        if (i == 0 || model->loads[i - 1].entry != model->loads[i].entry)
            c->loads[c->signal_count++] = i;
    return YK_OK;
}

/* A section has many fibres: they get channels only if the file names them. */
static bool speaks_of_fibres(const struct yk_selection *s)
{
    bool some = false;

    for (int k = 0; k < YK_STREAMS; k++)
        for (size_t i = 0; i < s->streams[k].count; i++)
            some |= strstr(s->streams[k].patterns[i].text, "fibre") != NULL;
    for (size_t i = 0; i < s->derived_count; i++)
        for (size_t j = 0; j < s->derived[i].count; j++)
            some |= strstr(s->derived[i].terms[j].pattern, "fibre") != NULL;
    return some;
}

static enum yk_status list_looks(struct yk_channels *c, struct yk_err *err)
{
    const bool fibres = speaks_of_fibres(c->model->selection);

    for (size_t k = 0; k < c->model->substructure_count; k++) {
        const struct yk_system *s = c->model->substructures[k].system;
        const size_t count = yk_is_structure(s) ? yk_looks_of(s, fibres, NULL) : 0;
        struct yk_look *own = malloc((count + 1) * sizeof *own);
        struct yk_look_place *more = realloc(c->looks, (c->look_count + count + 1) * sizeof *more);

        c->looks = more ? more : c->looks;
        if (own && more && count)
            yk_looks_of(s, fibres, own);
        for (size_t i = 0; own && more && i < count; i++)
            c->looks[c->look_count++] = (struct yk_look_place){k, own[i]};
        free(own);
        if (!own || !more)
            return yk_fail(err, YK_E_MEMORY, "out of memory for %zu channels of members", count);
    }
    return YK_OK;
}

/* Marks substructures whose words can omit the direction: one degree of freedom, or all named NODE.x, say. */
static void mark_one_way(struct yk_channels *c)
{
    for (size_t k = 0; k < c->model->substructure_count; k++) {
        const struct yk_substructure *s = &c->model->substructures[k];
        const char *first = strrchr(s->dofs[0], '.');

        c->one_way[k] = s->system->n == 1 || first;
        for (size_t i = 1; i < s->system->n && c->one_way[k]; i++) {
            const char *dot = strrchr(s->dofs[i], '.');

            c->one_way[k] = dot && strcmp(dot, first) == 0;
        }
    }
}

/* Marks degrees of freedom to record even if there are too many: at interfaces, of specimens, under point loads. */
static void mark_essential(struct yk_channels *c)
{
    const struct yk_model *model = c->model;

    for (size_t i = 0; i < model->row_count; i++)
        for (size_t j = 0; j < model->rows[i].count; j++)
            c->essential[c->first[model->rows[i].substructure[j]] + model->rows[i].dof[j]] = true;
    for (size_t i = 0; i < c->dof_count; i++)
        c->essential[i] |= yk_is_physical(model->substructures[c->dofs[i].k].system);
    for (size_t i = 0; i < model->load_count; i++) {
        const struct yk_load *load = &model->loads[i];

        for (size_t j = 0; !load->ground && j < model->substructures[load->substructure].system->n; j++)
            c->essential[c->first[load->substructure] + j] |= load->direction[j] != 0;
    }
}

/* Every channel of a stream, in the order of its rows; `to` NULL: only counts them. */
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

/* Channels of a stream, with their names if needed. */
struct listed {
    size_t count;
    struct yk_channel_at *at;
    struct label {
        char name[YK_CHANNEL_NAME], unit[YK_UNIT_NAME];
    } * names; /* NULL: not needed */
};

static enum yk_status list(const struct yk_channels *c, enum yk_stream_number stream, bool names, struct listed *l,
                           struct yk_err *err)
{
    l->count = walk(c, stream, NULL);
    l->at = calloc(l->count + 1, sizeof *l->at);
    l->names = names ? calloc(l->count + 1, sizeof *l->names) : NULL;
    if (!l->at || (names && !l->names))
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu channels", l->count);
    walk(c, stream, l->at);
    for (size_t i = 0; names && i < l->count; i++) {
        struct yk_channel whole;

        yk_channel_describe(c, &l->at[i], &whole);
        memcpy(l->names[i].name, whole.name, sizeof whole.name);
        memcpy(l->names[i].unit, whole.unit, sizeof whole.unit);
    }
    return YK_OK;
}

static void forget(struct listed *l)
{
    free(l->at);
    free(l->names);
    *l = (struct listed){0};
}

struct names_left {
    const struct listed *l;
    size_t next;
};

static const char *next_name(void *self)
{
    struct names_left *n = self;

    return n->next < n->l->count ? n->l->names[n->next++].name : NULL;
}

static enum yk_status no_channel(const struct listed *l, struct yk_where where, const char *pattern, const char *stream,
                                 struct yk_err *err)
{
    char hint[YK_CHANNEL_NAME + 64];

    return yk_fail_at(err, YK_E_INPUT, where, "no channel of the %s matches '%s'%s", stream, pattern,
                      yk_suggest(pattern, next_name, &(struct names_left){l, 0},
                                 "; `yoke check FILE --channels` lists them", hint, sizeof hint));
}

static const char *const stream_words[YK_STREAMS] = {"system steps", "fine steps", "control ticks"};

/* ---- sums ---- */

/* The channels of one term; how many. */
static size_t add_term(const struct listed *l, const struct yk_derived_term *term, struct yk_channel_sum *sum)
{
    size_t found = 0;

    for (size_t i = 0; i < l->count; i++)
        if (l->at[i].row->quantity != YK_TIME && fnmatch(term->pattern, l->names[i].name, 0) == 0) {
            if (sum) {
                sum->at[sum->count] = l->at[i];
                sum->factor[sum->count++] = term->factor;
            }
            found++;
        }
    return found;
}

static enum yk_status take_unit(const struct listed *l, const struct yk_derived *d, struct yk_channel_sum *sum,
                                struct yk_err *err)
{
    const char *first = NULL;

    if (d->unit) {
        snprintf(sum->unit, sizeof sum->unit, "%s", d->unit);
        return YK_OK;
    }
    for (size_t t = 0; t < d->count; t++)
        for (size_t i = 0; i < l->count; i++) {
            if (fnmatch(d->terms[t].pattern, l->names[i].name, 0) != 0)
                continue;
            if (first && strcmp(first, l->names[i].unit) != 0)
                return yk_fail_at(err, YK_E_INPUT, d->where,
                                  "%s adds '%s' and '%s' (%s); say what comes of it: { sum: ..., unit: ... }", d->name,
                                  first, l->names[i].unit, l->names[i].name);
            first = l->names[i].unit;
        }
    snprintf(sum->unit, sizeof sum->unit, "%s", first ? first : "");
    return YK_OK;
}

/* The sum in a stream, as far as all its terms are there; *found: how many channels it is made of. */
static enum yk_status resolve_sum(const struct listed *l, const struct yk_derived *d, struct yk_channel_sum *sum,
                                  struct yk_err *err)
{
    size_t found = 0;

    for (size_t t = 0; t < d->count; t++) {
        const size_t more = add_term(l, &d->terms[t], NULL);

        if (!more)
            return YK_OK;
        found += more;
    }
    sum->at = calloc(found, sizeof *sum->at);
    sum->factor = calloc(found, sizeof *sum->factor);
    if (!sum->at || !sum->factor)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a sum of %zu channels", found);
    for (size_t t = 0; t < d->count; t++)
        add_term(l, &d->terms[t], sum);
    return take_unit(l, d, sum, err);
}

/* A sum that is in no stream: which of its terms is at fault. */
static enum yk_status blame_term(const struct listed *system, const struct yk_derived *d, struct yk_err *err)
{
    for (size_t t = 0; t < d->count; t++)
        if (!add_term(system, &d->terms[t], NULL))
            return no_channel(system, d->where, d->terms[t].pattern, stream_words[YK_STREAM_SYSTEM], err),
                   yk_fail_within(err, d->where, "%s: ", d->name);
    return YK_OK;
}

static enum yk_status resolve_sums(struct yk_channels *c, struct yk_err *err)
{
    const struct yk_selection *s = c->model->selection;
    struct listed lists[YK_STREAMS] = {0};
    enum yk_status st = YK_OK;

    for (int k = 0; k < YK_STREAMS && !st; k++)
        st = list(c, k, true, &lists[k], err); /* no stream has a sum yet */
    for (int k = 0; k < YK_STREAMS && !st; k++)
        if (!(c->sets[k].sums = calloc(s->derived_count, sizeof *c->sets[k].sums)))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < s->derived_count && !st; i++) {
        const struct yk_channel_sum *whole = &c->sets[YK_STREAM_SYSTEM].sums[i];
        size_t streams = 0;

        for (int k = 0; k < YK_STREAMS && !st; k++) {
            struct yk_channel_sum *sum = &c->sets[k].sums[i];

            st = resolve_sum(&lists[k], &s->derived[i], sum, err);
            if (whole->count && sum->count != whole->count)
                sum->count = 0; /* a pattern that finds fewer there: another sum */
            streams += sum->count > 0;
            for (size_t j = 0; j < lists[k].count && !st; j++)
                if (strcmp(lists[k].names[j].name, s->derived[i].name) == 0)
                    st = yk_fail_at(err, YK_E_INPUT, s->derived[i].where, "there is a channel '%s' already",
                                    s->derived[i].name);
        }
        if (!st && !streams)
            st = blame_term(&lists[YK_STREAM_SYSTEM], &s->derived[i], err);
    }
    for (int k = 0; k < YK_STREAMS; k++)
        forget(&lists[k]);
    return st;
}

/* ---- which are recorded ---- */

/* Is the channel recorded by default? `few`: only if it is essential. */
static bool by_default(const struct yk_channels *c, const struct yk_channel_at *at, bool few)
{
    if (at->row->on_request)
        return !few && at->family->few_by_default && at->family->few_by_default(c, at->item);
    return !few || !at->family->essential || at->family->essential(c, at->item);
}

/* The last pattern that matches a name counts; matched: by pattern. */
static bool is_chosen(const struct yk_stream_selection *s, const char *name, bool before, bool *matched)
{
    bool chosen = before;

    for (size_t i = 0; i < s->count; i++)
        if (fnmatch(s->patterns[i].text, name, 0) == 0) {
            chosen = !s->patterns[i].without;
            matched[i] = true;
        }
    return chosen;
}

/* Reduces the list to the recorded channels; time is always recorded. */
static enum yk_status choose(const struct yk_channels *c, const struct yk_stream_selection *s, struct listed *l,
                             bool few, const char *stream, struct yk_err *err)
{
    const bool from_default = !s->given || (s->count && s->patterns[0].without);
    bool *matched = calloc(s->count + 1, sizeof *matched);
    enum yk_status st = matched ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
    size_t kept = 0;

    for (size_t i = 0; i < l->count && !st; i++) {
        const bool before = l->at[i].family->always || (from_default && by_default(c, &l->at[i], few));

        if (i == 0 || (s->given ? is_chosen(s, l->names[i].name, before, matched) : before))
            l->at[kept++] = l->at[i];
    }
    for (size_t i = 0; i < s->count && !st; i++)
        if (!matched[i] && strcmp(s->patterns[i].text, "*") != 0)
            st = no_channel(l, s->patterns[i].where, s->patterns[i].text, stream, err);
    free(matched);
    l->count = kept;
    return st;
}

static enum yk_status make_set(struct yk_channels *c, enum yk_stream_number stream, struct yk_err *err)
{
    const struct yk_stream_selection *s = &c->model->selection->streams[stream];
    struct yk_channel_set *set = &c->sets[stream];
    struct listed l = {0};
    enum yk_status st = list(c, stream, s->given, &l, err);

    for (size_t i = 0; i < l.count && !st; i++)
        set->known += by_default(c, &l.at[i], false) && !l.at[i].family->always;
    if (!st && l.count)
        st = choose(c, s, &l, set->known > YK_RECORDED_BY_DEFAULT, stream_words[stream], err);
    set->every = s->every;
    set->at = l.at;
    set->count = l.count == 1 && stream != YK_STREAM_SYSTEM ? 0 : l.count; /* time alone tells nothing */
    set->few = !s->given && set->known > YK_RECORDED_BY_DEFAULT;
    free(l.names);
    return st;
}

enum yk_status yk_channels_open(struct yk_channels *c, const struct yk_state *m, struct yk_err *err)
{
    enum yk_status st;

    *c = (struct yk_channels){.model = m->model};
    if ((st = number_owners(c, m, err)) || (st = list_looks(c, err)) ||
        (c->model->selection->derived_count && (st = resolve_sums(c, err))))
        goto fail;
    mark_one_way(c);
    mark_essential(c);
    for (int stream = 0; stream < YK_STREAMS; stream++)
        if ((st = make_set(c, stream, err)))
            goto fail;
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
    free(c->elements);
    free(c->looks);
    free(c->essential);
    free(c->one_way);
    for (int stream = 0; stream < YK_STREAMS; stream++) {
        struct yk_channel_set *set = &c->sets[stream];

        for (size_t i = 0; set->sums && i < c->model->selection->derived_count; i++) {
            free(set->sums[i].at);
            free(set->sums[i].factor);
        }
        free(set->sums);
        free(set->at);
    }
    *c = (struct yk_channels){0};
}

/* ---- words ---- */

/* Adapts the words of a row to a rotation. */
static void put_rotation_in_words(char *words, size_t size)
{
    static const char *const pairs[][2] = {{"displacement", "rotation"},
                                           {"velocity", "angular velocity"},
                                           {"acceleration", "angular acceleration"},
                                           {"force", "moment"}};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *at = strstr(words, pairs[i][0]);
        char rest[YK_LONG_NAME];

        if (at) {
            snprintf(rest, sizeof rest, "%s", at + strlen(pairs[i][0]));
            snprintf(at, size - (size_t)(at - words), "%s%s", pairs[i][1], rest);
            return;
        }
    }
}

void yk_channel_describe(const struct yk_channels *c, const struct yk_channel_at *at, struct yk_channel *out)
{
    const struct yk_channel_row *row = at->row;
    struct yk_channel_owner owner = {.sense = YK_ALONG};
    const char *prefix = at->family->prefix ? at->family->prefix : "";

    at->family->owner(c, at->item, &owner);
    const bool otherwise = row->commanded && owner.command != YK_NUMBER;
    const enum yk_quantity quantity = otherwise                    ? owner.command
                                      : row->quantity == YK_NUMBER ? owner.quantity
                                                                   : row->quantity;
    char words[YK_LONG_NAME - sizeof owner.words - 2];

    snprintf(words, sizeof words, "%s", otherwise ? row->kind : row->words);
    if (owner.sense == YK_ABOUT)
        put_rotation_in_words(words, sizeof words);
    snprintf(out->name, sizeof out->name, "%s%s%s%s", prefix, owner.name, *owner.name && *row->name ? "." : "",
             row->name);
    snprintf(out->unit, sizeof out->unit, "%s",
             owner.unit ? owner.unit : yk_quantity_unit(yk_quantity_of(quantity, owner.sense)));
    snprintf(out->kind, sizeof out->kind, "%s", row->kind);
    snprintf(out->owner, sizeof out->owner, "%s", owner.name);
    snprintf(out->long_name, sizeof out->long_name, "%s%s%s", owner.words, *owner.words && *words ? ", " : "", words);
}

/* ---- values ---- */

void yk_channels_use(const struct yk_channels *c, struct yk_view *view)
{
    const struct yk_channel_set *set = &c->sets[view->stream];

    for (size_t i = 0; i < set->count; i++) {
        const struct yk_channel_at *at = &set->at[i];

        if (at->row->use)
            at->row->use(view, at->item);
        view->from[i] = at->row->place ? at->row->place(view, at->item) : NULL;
    }
}

YK_RT double yk_channel_value(const struct yk_channel_at *at, const struct yk_view *view)
{
    return at->row->place ? *at->row->place(view, at->item) : at->row->value(view, at->item);
}

YK_RT void yk_channels_row(const struct yk_channels *c, enum yk_stream_number stream, const struct yk_view *view,
                           double *row)
{
    const struct yk_channel_set *set = &c->sets[stream];

    for (size_t i = 0; i < set->count; i++)
        row[i] = view->from[i] ? *view->from[i] : set->at[i].row->value(view, set->at[i].item);
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
        out->known[stream] = set->known;
        out->every[stream] = set->every;
        out->few |= set->few;
        for (size_t i = 0; i < set->count; i++)
            yk_channel_describe(c, &set->at[i], &channels[i]);
    }
    return YK_OK;
}

/* Every channel there is instead of those that are recorded. */
static enum yk_status take_all(struct yk_channels *c, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (int stream = 0; stream < YK_STREAMS && !st; stream++) {
        struct listed l = {0};

        if (!(st = list(c, stream, false, &l, err))) {
            free(c->sets[stream].at);
            c->sets[stream].at = l.at;
            c->sets[stream].count = l.count;
        }
    }
    return st;
}

static enum yk_status describe_run(const struct yk_model *model, bool all, struct yk_run_channels *out,
                                   struct yk_err *err)
{
    struct yk_channels channels;
    enum yk_status st;

    *out = (struct yk_run_channels){0};
    if ((st = yk_channels_open(&channels, yk_model_first(model), err)))
        return st;
    if ((all && (st = take_all(&channels, err))) || (st = describe_all(&channels, out, err)))
        yk_run_channels_free(out);
    else if (model->static_path)
        yk_run_channels_of_driver(out);
    yk_channels_close(&channels);
    return st;
}

enum yk_status yk_run_channels(const struct yk_model *model, struct yk_run_channels *out, struct yk_err *err)
{
    return describe_run(model, false, out, err);
}

enum yk_status yk_run_channels_known(const struct yk_model *model, struct yk_run_channels *out, struct yk_err *err)
{
    return describe_run(model, true, out, err);
}

size_t yk_run_streams(const struct yk_run_channels *c, struct yk_stream *streams)
{
    size_t n = 0;

    for (int i = 0; i < YK_STREAMS; i++)
        if (c->streams[i].count)
            streams[n++] = c->streams[i];
    return n;
}

void yk_run_channels_of_driver(struct yk_run_channels *c)
{
    c->streams[YK_STREAM_SYSTEM].count = c->streams[YK_STREAM_FINE].count = 0;
    c->known[YK_STREAM_SYSTEM] = c->known[YK_STREAM_FINE] = 0;
}

void yk_run_channels_free(struct yk_run_channels *c)
{
    for (int i = 0; i < YK_STREAMS; i++)
        free((void *)c->streams[i].channels);
    *c = (struct yk_run_channels){0};
}
