/* The families of channels of elements between degrees of freedom, and of members that yield, crack or turn far. SI
 * units. */
#include "engine/channel_families.h"

#include <stdio.h>
#include <string.h>

/* ---- elements ---- */

YK_RT static const double *deformation_of(const struct yk_view *v, size_t item)
{
    return &v->elements[item].deformation;
}

YK_RT static const double *element_force(const struct yk_view *v, size_t item)
{
    return &v->elements[item].force;
}

YK_RT static const double *element_energy(const struct yk_view *v, size_t item)
{
    return &v->elements[item].energy;
}

static void use_element(struct yk_view *v, size_t item)
{
    const struct yk_place *at = &v->channels->elements[item];
    const struct yk_model *model = v->channels->model;

    v->elements[item].used = true;
    yk_probe_touch(&model->parts[at->k].probes.items[at->i], model->substructures[at->k].system, YK_READ_U | YK_READ_V,
                   v->needed + v->channels->first[at->k]);
}

static size_t elements(const struct yk_channels *c)
{
    return c->element_count;
}

static size_t elements_if_coupled(const struct yk_channels *c)
{
    return c->model->coupling ? c->element_count : 0;
}

static bool is_in_fine(const struct yk_channels *c, size_t item)
{
    return c->model->substructures[c->elements[item].k].fine;
}

static void of_element(const struct yk_channels *c, size_t item, struct yk_channel_owner *owner)
{
    const struct yk_place *at = &c->elements[item];
    const struct yk_probe *probe = &c->model->parts[at->k].probes.items[at->i];
    const char *substructure = c->model->substructures[at->k].name;
    const bool numbered = strncmp(probe->name, "elements.", 9) == 0 || strncmp(probe->name, "members.", 8) == 0;

    snprintf(owner->name, sizeof owner->name, "%s.%s", substructure, probe->name);
    if (c->model->substructure_count > 1)
        yk_channel_add_words(owner, substructure, SIZE_MAX);
    yk_channel_add_words(owner, probe->terms ? "member" : "element", SIZE_MAX);
    yk_channel_add_words(owner, numbered ? strchr(probe->name, '.') + 1 : probe->name, SIZE_MAX);
    owner->sense = probe->turns ? YK_ABOUT : YK_ALONG;
}

static const struct yk_channel_row element_rows[] = {{.name = "deformation",
                                                      .kind = "deformation",
                                                      .words = "deformation",
                                                      .quantity = YK_DISPLACEMENT,
                                                      .place = deformation_of,
                                                      .use = use_element,
                                                      .on_request = true},
                                                     {.name = "force",
                                                      .kind = "element force",
                                                      .words = "force",
                                                      .quantity = YK_FORCE,
                                                      .place = element_force,
                                                      .use = use_element,
                                                      .on_request = true},
                                                     {.name = "energy",
                                                      .kind = "energy",
                                                      .words = "work done on it",
                                                      .quantity = YK_ENERGY,
                                                      .place = element_energy,
                                                      .use = use_element,
                                                      .on_request = true},
                                                     {0}};

const struct yk_channel_family yk_channels_of_element = {
    .stream = YK_STREAM_SYSTEM, .count = elements, .owner = of_element, .rows = element_rows};
const struct yk_channel_family yk_channels_of_fine_element = {.stream = YK_STREAM_FINE,
                                                              .count = elements_if_coupled,
                                                              .owner = of_element,
                                                              .has = is_in_fine,
                                                              .rows = element_rows};

/* ---- members that yield, crack or turn far ---- */

YK_RT static const double *look_of(const struct yk_view *v, size_t item)
{
    return &v->looks[item].value;
}

static void use_look(struct yk_view *v, size_t item)
{
    const struct yk_look_place *at = &v->channels->looks[item];

    if (!v->looks[item].used)
        v->seen[v->seen_count++] = item;
    v->looks[item].used = true;
    yk_look_touch(v->channels->model->substructures[at->k].system, &at->look, YK_READ_U,
                  v->needed + v->channels->first[at->k]);
}

static size_t looks(const struct yk_channels *c)
{
    return c->look_count;
}

static size_t looks_if_coupled(const struct yk_channels *c)
{
    return c->model->coupling ? c->look_count : 0;
}

/* End forces, for reactions and storey shears, and rotations of hinges: of structures with few members. */
static bool is_kept(const struct yk_channels *c, size_t item)
{
    enum { FEW = 200 };
    const struct yk_look_place *at = &c->looks[item];
    const bool kept = at->look.kind == YK_LOOK_END_FORCE || at->look.kind == YK_LOOK_ROTATION;

    return kept && at->look.member < FEW && yk_tally_members(c->model->substructures[at->k].system).members < FEW;
}

static bool is_look_in_fine(const struct yk_channels *c, size_t item)
{
    return c->model->substructures[c->looks[item].k].fine;
}

static void of_look(const struct yk_channels *c, size_t item, struct yk_channel_owner *owner)
{
    const struct yk_look_place *at = &c->looks[item];
    const struct yk_substructure *s = &c->model->substructures[at->k];
    const char *member = yk_look_member(s->system, &at->look);
    struct yk_look_words words;

    yk_look_describe(s->system, &at->look, &words);
    snprintf(owner->name, sizeof owner->name, "%.40s.%.40s.%.36s", s->name, member, words.name);
    if (c->model->substructure_count > 1)
        yk_channel_add_words(owner, s->name, SIZE_MAX);
    yk_channel_add_words(owner, "member", SIZE_MAX);
    yk_channel_add_words(owner, member, SIZE_MAX);
    const size_t used = strlen(owner->words);

    snprintf(owner->words + used, sizeof owner->words - used, ", %s", words.words);
    owner->unit = words.unit;
}

static const struct yk_channel_row look_rows[] = {
    {.name = "", .kind = "member", .words = "", .place = look_of, .use = use_look, .on_request = true}, {0}};

const struct yk_channel_family yk_channels_of_member = {
    .stream = YK_STREAM_SYSTEM, .count = looks, .owner = of_look, .few_by_default = is_kept, .rows = look_rows};
const struct yk_channel_family yk_channels_of_fine_member = {
    .stream = YK_STREAM_FINE, .count = looks_if_coupled, .owner = of_look, .has = is_look_in_fine, .rows = look_rows};
