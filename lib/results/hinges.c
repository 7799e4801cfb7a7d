/* Hinges of frames: the points of the backbone of their laws, and how far they came in a run. Units: rad, N m. */
#include "results_parts.h"

#include <yoke/fields.h>
#include <yoke/json.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double setting(const struct yk_param *params, const void *settings, const char *name, const char *ending)
{
    char whole[80];

    snprintf(whole, sizeof whole, "%s%s", name, ending);
    for (const struct yk_param *k = params; k->name; k++)
        if (k->type == YK_PARAM_REAL && strcmp(k->name, whole) == 0)
            return *(const double *)((const char *)settings + k->offset);
    return NAN;
}

/* Forces and deformations of a law with a cap; false: it has none. */
static bool find_cap(struct yk_hinge_points *h, const struct yk_param *params, const void *settings)
{
    const double stiffness = setting(params, settings, "stiffness", "");

    if (isnan(setting(params, settings, "post_capping", "")))
        return false;
    for (int side = 0; side < 2; side++) {
        const char *ending = side == 0 && setting(params, settings, "yield", "_negative") > 0 ? "_negative" : "";
        const double yield = setting(params, settings, "yield", ending),
                     ultimate = setting(params, settings, "ultimate", ending);

        h->strength[side] = yield;
        h->yield[side] = yield / stiffness;
        h->cap[side] = h->yield[side] + setting(params, settings, "plastic", ending);
        h->last[side] = h->cap[side] + setting(params, settings, "post_capping", ending) *
                                           (1 - setting(params, settings, "residual", ending) /
                                                    setting(params, settings, "capping", ending));
        if (ultimate > 0)
            h->last[side] = fmin(h->last[side], ultimate);
    }
    return true;
}

/* Settings of a law by the names that mean a point of a backbone. */
static void find_points(struct yk_hinge_points *h, const struct yk_param *params, const void *settings)
{
    double stiffness = NAN;

    if (find_cap(h, params, settings))
        return;
    for (const struct yk_param *k = params; k->name; k++) {
        const char *at = (const char *)settings + k->offset;
        const struct yk_reals *points = (const struct yk_reals *)at;

        if (k->type == YK_PARAM_REAL && (strcmp(k->name, "yield_slip") == 0 || strcmp(k->name, "yield") == 0))
            h->yield[0] = h->yield[1] = *(const double *)at;
        if (k->type == YK_PARAM_REAL && strcmp(k->name, "stiffness") == 0)
            stiffness = *(const double *)at;
        if (k->type != YK_PARAM_POINTS || points->n < 4)
            continue;
        for (int side = 0; side <= (strcmp(k->name, "negative") == 0 ? 0 : 1); side++) {
            h->yield[side] = points->x[1];
            h->strength[side] = points->x[0];
            h->cap[side] = h->last[side] = NAN;
            for (size_t i = 0; i + 3 < points->n; i += 2)
                if (points->x[i + 2] < points->x[i] && !(h->cap[side] > 0))
                    h->cap[side] = points->x[i + 1];
            h->last[side] = h->cap[side] > 0 ? points->x[points->n - 1] : NAN;
        }
    }
    for (int side = 0; side < 2; side++)
        if (!(h->strength[side] > 0))
            h->strength[side] = stiffness * h->yield[side];
}

static void read_law(struct yk_hinge_points *h, const struct yk_node *map)
{
    const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE, .sense = YK_ABOUT};
    const struct yk_node *kind = yk_node_get(map, "kind"), *stiffness = yk_node_get(map, "stiffness");
    const struct yk_law_ops *law = kind && kind->text ? yk_law_find(kind->text) : NULL;
    void *settings;

    if (stiffness && stiffness->text && strcmp(stiffness->text, "rigid") == 0) {
        const struct yk_node *yield = yk_node_get(map, "yield");

        if (yield)
            (void)yk_field_real(yield, YK_MOMENT, 0, 1e18, &h->strength[0], NULL);
        h->strength[1] = h->strength[0];
        return;
    }
    if (!law || !(settings = yk_param_block(law->settings_size, law->user)))
        return;
    if (!yk_field_settings(map, law->params, settings, &context, NULL))
        find_points(h, law->params, settings);
    yk_param_free(law->params, settings);
    free(settings);
}

/* Does the entry of `members` make a member of this name between its nodes number i and i + 1? */
static bool is_called(const struct yk_node *entry, size_t i, const char *member)
{
    const struct yk_node *between = yk_node_get(entry, "between"), *name = yk_node_get(entry, "name");
    char text[200];

    if (name && between->count == 2)
        snprintf(text, sizeof text, "%s", name->text);
    else if (name)
        snprintf(text, sizeof text, "%s-%s", name->text, between->items[i]->text);
    else
        snprintf(text, sizeof text, "%s-%s", between->items[i]->text, between->items[i + 1]->text);
    const size_t length = strlen(text);

    return strncmp(member, text, length) == 0 && (member[length] == 0 || member[length] == '.');
}

/* The law of a hinge by the file; NULL: it is not found. */
static const struct yk_node *law_of(const struct yk_node *frame, const char *member, size_t end, bool about_y)
{
    const struct yk_node *members = yk_node_get(frame, "members"), *laws = yk_node_get(frame, "hinges");

    for (size_t i = 0; members && laws && i < members->count; i++) {
        const struct yk_node *entry = members->items[i], *between = yk_node_get(entry, "between"),
                             *hinges = yk_node_get(entry, "hinges"),
                             *side = hinges ? yk_node_get(hinges, end ? "end" : "start") : NULL,
                             *name = side ? yk_node_get(side, about_y ? "ry" : "rz") : NULL;

        for (size_t k = 0; name && between && k + 1 < between->count; k++)
            if (is_called(entry, k, member))
                return yk_node_get(laws, name->text);
    }
    return NULL;
}

bool yk_hinge_find(const struct yk_parts *parts, size_t part, const char *member, size_t end, bool about_y,
                   struct yk_hinge_points *h)
{
    const struct yk_node *all = yk_node_get(yk_parts_tree(parts), "substructures"),
                         *frame = all ? yk_node_get(all, yk_part(parts, part)->name) : NULL,
                         *law = frame ? law_of(frame, member, end, about_y) : NULL;

    for (int side = 0; side < 2; side++)
        h->yield[side] = h->cap[side] = h->last[side] = h->strength[side] = NAN;
    if (law)
        read_law(h, law);
    return law != NULL;
}

/* ---- in a run -------------------------------------------------------------------------------------------------- */

/* The channel "S.MEMBER.hinge1y.rotation"; false: it is another one. */
static bool is_rotation(const struct yk_parts *parts, const char *name, size_t length, size_t *part, char *member,
                        size_t size, size_t *end, bool *about_y)
{
    static const char what[] = ".rotation", hinge[] = ".hinge";
    char text[400];

    if (length <= sizeof what || length >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    if (strcmp(text + length - (sizeof what - 1), what) != 0)
        return false;
    text[length - (sizeof what - 1)] = 0;
    char *at = strrchr(text, '.'), *dot = strchr(text, '.');

    if (!at || !dot || dot == at || strncmp(at, hinge, sizeof hinge - 1) != 0)
        return false;
    *end = at[sizeof hinge - 1] == '2';
    *about_y = at[sizeof hinge] == 'y';
    *at = *dot = 0;
    const long found = yk_parts_find(parts, text);

    snprintf(member, size, "%s", dot + 1);
    *part = (size_t)found;
    return found >= 0;
}

static double ratio(double x, const double limit[2])
{
    return x >= 0 ? x / limit[1] : -x / limit[0];
}

static json_t *hinge_json(const struct yk_hinge_points *h, const char *name, double least, double most)
{
    static const char *const states[] = {"elastic", "yielded", "falling", "beyond the last point"};
    double first[2];
    int state = 0;

    for (int side = 0; side < 2; side++) /* a hinge that is rigid before it yields does not turn before */
        first[side] = h->yield[side] > 0 ? h->yield[side] : h->strength[side] > 0 ? 1e-9 : NAN;
    const double *const limits[] = {first, h->cap, h->last};

    for (int k = 0; k < 3; k++)
        if (fmax(ratio(least, limits[k]), ratio(most, limits[k])) >= 1)
            state = k + 1;
    const double ductility = fmax(ratio(least, h->yield), ratio(most, h->yield));

    return json_pack("{s:s, s:o, s:o, s:o, s:s, s:[o, o], s:[o, o], s:[o, o]}", "name", name, "least_rad",
                     yk_json_number(least), "most_rad", yk_json_number(most), "ductility", yk_json_number(ductility),
                     "state", states[state], "yield_rad", yk_json_number(first[0]), yk_json_number(first[1]), "cap_rad",
                     yk_json_number(h->cap[0]), yk_json_number(h->cap[1]), "last_rad", yk_json_number(h->last[0]),
                     yk_json_number(h->last[1]));
}

json_t *results_hinges(const struct yk_parts *parts, const struct yk_kept_rows *rows)
{
    json_t *all = json_array();
    const char *at = rows->names;

    for (size_t i = 0; i < rows->channels; i++) {
        const size_t length = strcspn(at, "\n");
        char member[400], name[440];
        size_t part, end;
        bool about_y;

        if (is_rotation(parts, at, length, &part, member, sizeof member, &end, &about_y)) {
            struct yk_hinge_points h;
            double least = 0, most = 0;

            yk_hinge_find(parts, part, member, end, about_y, &h);
            for (size_t k = 0; k < rows->count; k++) {
                least = fmin(least, rows->rows[k * rows->channels + i]);
                most = fmax(most, rows->rows[k * rows->channels + i]);
            }
            snprintf(name, sizeof name, "%.*s", (int)(length - strlen(".rotation")), at);
            json_array_append_new(all, hinge_json(&h, name, least, most));
        }
        at += length + (at[length] != 0);
    }
    return all;
}
