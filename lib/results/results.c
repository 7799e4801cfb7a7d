/* Results of frames, in this order: floors, drifts, storey shears, base shear, overturning moment, reactions, end
 * forces of members. Units: N, m, rad. */
#include "results_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_HEIGHT 0.25 /* m; supports further above the lowest do not belong to the base */

static const char directions[] = "xyz";

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for the results");
}

/* ---- members and supports -------------------------------------------------------------------------------------- */

static enum yk_status add_ties(struct member *m, const struct yk_frame *f, const long *index, const size_t *ends,
                               struct yk_err *err)
{
    if (!(m->ties = malloc((size_t)ENDS * YK_FRAME_TERMS * sizeof *m->ties)))
        return no_memory(err);
    for (size_t i = 0; i < ENDS; i++) {
        const int dof = (int)(i % DOFS);
        struct yk_frame_terms terms = {0};
        enum yk_status st;

        if (f->plane && dof != 0 && dof != 1 && dof != 5)
            continue;
        if ((st = yk_frame_expand(f, ends[i / DOFS], dof, &terms, err)))
            return st;
        for (size_t t = 0; t < terms.count; t++)
            m->ties[m->tie_count++] = (struct tie){i, index[terms.place[t]], (size_t)terms.place[t], terms.factor[t]};
    }
    return YK_OK;
}

static bool is_moved(const struct member *m)
{
    for (size_t i = 0; i < m->tie_count; i++)
        if (m->ties[i].row >= 0)
            return true;
    return false;
}

static enum yk_status add_member(struct yk_results *r, size_t part, size_t number, struct yk_err *err)
{
    const long *index;
    const struct yk_frame *f = yk_part_frame(r->parts, part, &index);
    const struct yk_frame_member *from = &f->members[number];
    struct member *m = &r->members[r->member_count++];
    enum yk_status st;

    *m = (struct member){.name = from->name,
                         .part = part,
                         .number = number,
                         .basic = SIZE_MAX,
                         .geometry = from->beam.outside ? from->geometry : YK_GEOMETRY_LINEAR,
                         .plane = f->plane,
                         .truss = from->beam.theory == YK_TRUSS};
    memcpy(m->at, from->beam.ends, sizeof m->at);
    if ((st = yk_beam_axes(&from->beam, &m->L, m->axes, err)) || (st = add_ties(m, f, index, from->ends, err)))
        return st;
    if (from->beam.outside) {
        m->basic = is_moved(m) ? r->nonlinear[part]++ : 0;
        return YK_OK;
    }
    if (!(m->K = calloc((size_t)ENDS * ENDS, sizeof *m->K)))
        return no_memory(err);
    return yk_beam_matrices(&from->beam, m->K, NULL, err);
}

static enum yk_status add_frame(struct yk_results *r, size_t part, struct yk_err *err)
{
    const long *index;
    const struct yk_frame *f = yk_part_frame(r->parts, part, &index);
    enum yk_status st = YK_OK;

    if (!f)
        return YK_OK;
    r->horizontal = f->plane ? 1 : 2;
    r->vertical = f->plane ? 1 : 2;
    struct member *members = realloc(r->members, (r->member_count + f->member_count + 1) * sizeof *members);
    if (members)
        r->members = members;
    struct support *supports = realloc(r->supports, (r->support_count + f->node_count + 1) * sizeof *supports);
    if (supports)
        r->supports = supports;
    if (!members || !supports)
        return no_memory(err);
    for (size_t i = 0; i < f->member_count && !st; i++)
        st = add_member(r, part, i, err);
    for (size_t i = 0; i < f->node_count; i++) {
        struct support s = {.part = part, .node = i};
        bool held = false;

        for (size_t d = 0; d < DOFS; d++) {
            const bool counts = !f->plane || d < 2 || d == 5;

            s.reaction[d] = counts && index[DOFS * i + d] == YK_DOF_FIXED ? 0 : -1;
            held |= s.reaction[d] == 0;
        }
        if (held)
            r->supports[r->support_count++] = s;
    }
    return st;
}

/* Rows that move the nodes of the levels. */
static enum yk_status place_levels(struct yk_results *r, struct yk_err *err)
{
    for (size_t i = 0; i < r->level_count; i++)
        for (size_t k = 0; k < r->levels[i].count; k++) {
            struct counted *c = &r->levels[i].nodes[k];
            const long *index;
            const struct yk_frame *f = yk_part_frame(r->parts, c->part, &index);

            for (size_t d = 0; d < r->horizontal; d++) {
                struct yk_frame_terms terms = {0};
                const enum yk_status st = yk_frame_expand(f, c->node, (int)d, &terms, err);

                if (st)
                    return st;
                for (size_t t = 0; t < terms.count; t++)
                    if (index[terms.place[t]] >= 0) {
                        c->row[d][c->count[d]] = index[terms.place[t]];
                        c->factor[d][c->count[d]++] = terms.factor[t];
                    }
            }
        }
    return YK_OK;
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

static enum yk_status YK_PRINTF(4, 5)
    add(struct yk_results *r, const char *unit, struct yk_err *err, const char *format, ...)
{
    struct result *larger = r->results;
    va_list values;

    if ((r->count & (r->count - 1)) == 0) /* the room doubles at powers of two */
        larger = realloc(r->results, (r->count ? 2 * r->count : 1) * sizeof *larger);
    if (!larger)
        return no_memory(err);
    r->results = larger;
    larger[r->count].unit = unit;
    va_start(values, format);
    const int length = vasprintf(&larger[r->count].name, format, values);
    va_end(values);
    if (length < 0)
        return no_memory(err);
    r->count++;
    return YK_OK;
}

static enum yk_status name_storeys(struct yk_results *r, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    r->floor = r->count;
    for (size_t i = 1; i < r->level_count && !st; i++)
        for (size_t d = 0; d < r->horizontal && !st; d++)
            st = add(r, "m", err, "floor.%s.%c.u", r->levels[i].name, directions[d]);
    r->drift = r->count;
    for (size_t i = 1; i < r->level_count && !st; i++)
        for (size_t d = 0; d < r->horizontal && !st; d++)
            st = add(r, "", err, "drift.%zu.%c", i, directions[d]);
    r->most = r->count;
    if (!st && r->level_count > 1)
        st = add(r, "", err, "drift.max");
    r->shear = r->count;
    for (size_t i = 1; i < r->level_count && !st; i++)
        for (size_t d = 0; d < r->horizontal && !st; d++)
            st = add(r, "N", err, "shear.%zu.%c", i, directions[d]);
    return st;
}

static enum yk_status name_base(struct yk_results *r, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    r->base = r->count;
    for (size_t d = 0; d <= r->vertical && r->support_count && !st; d++)
        st = add(r, "N", err, "base.%c", directions[d]);
    if (!st && r->support_count && r->vertical == 1)
        st = add(r, "N m", err, "base.rz");
    r->overturning = r->count;
    for (size_t d = 0; d < r->horizontal && r->support_count && !st; d++)
        st = r->vertical == 1 ? add(r, "N m", err, "overturning") : add(r, "N m", err, "overturning.%c", directions[d]);
    for (size_t i = 0; i < r->support_count && !st; i++) {
        struct support *s = &r->supports[i];
        const struct yk_frame *f = yk_part_frame(r->parts, s->part, NULL);

        for (size_t d = 0; d < DOFS && !st; d++)
            if (s->reaction[d] >= 0) {
                s->reaction[d] = (long)r->count;
                st = add(r, d < 3 ? "N" : "N m", err, "%s.%s.reaction.%s", yk_part(r->parts, s->part)->name,
                         f->nodes[s->node].name, yk_frame_dof_names[d]);
            }
    }
    return st;
}

static enum yk_status name_all(struct yk_results *r, struct yk_err *err)
{
    enum yk_status st = name_storeys(r, err);

    if (!st)
        st = name_base(r, err);
    r->ends = r->count;
    for (size_t i = 0; i < r->member_count && !st; i++) {
        const struct member *m = &r->members[i];
        const char *const *shown = results_shown[m->plane ? 0 : 1];

        for (size_t k = 0; k < (m->plane ? SHOWN_PLANE : SHOWN_SPACE) && !st; k++)
            st = add(r, shown[k][0] == 'M' || shown[k][0] == 'T' ? "N m" : "N", err, "%s.%s.%s",
                     yk_part(r->parts, m->part)->name, m->name, shown[k]);
    }
    return st;
}

/* Members that lead from below a storey to above it. */
static bool crosses(const struct yk_results *r, const struct member *m, size_t storey, size_t *upper)
{
    const double low = r->levels[storey - 1].height, high = r->levels[storey].height;
    const double cut = low + 0.37 * (high - low); /* not where a divided column has its node */
    const bool first = m->at[0][r->vertical] > cut, second = m->at[1][r->vertical] > cut;

    *upper = second ? 1 : 0;
    return first != second;
}

/* Also notes which storeys each member crosses: a run has many rows. */
static void count_columns(struct yk_results *r)
{
    size_t upper;

    for (size_t i = 1; i < r->level_count; i++) {
        for (size_t k = 0; k < r->member_count; k++) {
            struct member *m = &r->members[k];

            if (!crosses(r, m, i, &upper))
                continue;
            r->levels[i].columns++;
            m->storeys[0] = m->storeys[0] ? m->storeys[0] : i;
            m->storeys[1] = i + 1;
            m->upper = upper;
        }
        if (!r->levels[i].columns && !r->why[0])
            snprintf(r->why, sizeof r->why, "no drifts: no member leads from %s to %s; name the levels with `floors`",
                     r->levels[i - 1].name, r->levels[i].name);
    }
}

enum yk_status yk_results_open(struct yk_results **created, const struct yk_parts *parts, struct yk_err *err)
{
    struct yk_results *r = calloc(1, sizeof *r);
    enum yk_status st = YK_OK;

    *created = NULL;
    if (!r)
        return no_memory(err);
    r->parts = parts;
    r->part_count = yk_parts_count(parts);
    r->horizontal = r->vertical = 1;
    r->nonlinear = calloc(r->part_count + 1, sizeof *r->nonlinear);
    r->motions = calloc(r->part_count + 1, sizeof *r->motions);
    if (!r->nonlinear || !r->motions)
        st = no_memory(err);
    for (size_t k = 0; k < r->part_count && !st; k++)
        st = add_frame(r, k, err);
    if (!st && r->member_count && !(st = results_find_levels(r, err)) && !(st = place_levels(r, err))) {
        count_columns(r);
        if (r->why[0]) {
            for (size_t i = 0; i < r->level_count; i++)
                free(r->levels[i].nodes);
            r->level_count = 0;
        }
        st = name_all(r, err);
    }
    if (!st && !(r->reactions = calloc(DOFS * r->support_count + 1, sizeof *r->reactions)))
        st = no_memory(err);
    if (st)
        yk_results_close(r);
    else
        *created = r;
    return st;
}

void yk_results_close(struct yk_results *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->member_count; i++) {
        free(r->members[i].K);
        free(r->members[i].ties);
    }
    for (size_t i = 0; i < r->level_count; i++)
        free(r->levels[i].nodes);
    for (size_t i = 0; i < r->count; i++)
        free(r->results[i].name);
    free(r->members);
    free(r->supports);
    free(r->levels);
    free(r->results);
    free(r->nonlinear);
    free(r->motions);
    free(r->reactions);
    free(r);
}

const char *yk_results_no_storeys(const struct yk_results *r)
{
    return r->why;
}

size_t yk_results_count(const struct yk_results *r)
{
    return r->count;
}

const char *yk_results_name(const struct yk_results *r, size_t i)
{
    return r->results[i].name;
}

const char *yk_results_unit(const struct yk_results *r, size_t i)
{
    return r->results[i].unit;
}

long yk_results_find(const struct yk_results *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->results[i].name, name) == 0)
            return (long)i;
    return -1;
}

size_t yk_results_levels(const struct yk_results *r)
{
    return r->level_count;
}

const char *yk_results_level(const struct yk_results *r, size_t level, double *height)
{
    if (height)
        *height = r->levels[level].height;
    return r->levels[level].name;
}

size_t yk_results_members(const struct yk_results *r, size_t part)
{
    return r->nonlinear[part];
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

size_t yk_results_floors(const struct yk_results *r)
{
    return r->drift - r->floor;
}

const char *yk_results_floor(const struct yk_results *r, size_t i)
{
    return r->results[r->floor + i].name;
}

void yk_results_floors_at(const struct yk_results *r, const double *const *motions, double *values)
{
    for (size_t i = 1; i < r->level_count; i++)
        for (size_t d = 0; d < r->horizontal; d++) {
            const struct level *l = &r->levels[i];
            double sum = 0;

            for (size_t k = 0; k < l->count; k++) {
                const struct counted *c = &l->nodes[k];

                for (size_t t = 0; t < c->count[d]; t++)
                    sum += c->weight * c->factor[d][t] * motions[c->part][c->row[d][t]];
            }
            values[(i - 1) * r->horizontal + d] = sum;
        }
}

static void find_drifts(const struct yk_results *r, double *values)
{
    double most = 0;

    for (size_t i = 1; i < r->level_count; i++)
        for (size_t d = 0; d < r->horizontal; d++) {
            const size_t at = (i - 1) * r->horizontal + d;
            const double below = i > 1 ? values[r->floor + at - r->horizontal] : 0;

            values[r->drift + at] = (values[r->floor + at] - below) / (r->levels[i].height - r->levels[i - 1].height);
            most = fmax(most, fabs(values[r->drift + at]));
        }
    if (r->level_count > 1)
        values[r->most] = most;
}

/* The support of a node; NULL: it is free. Supports are few. */
static size_t support_of(const struct yk_results *r, size_t part, size_t node)
{
    for (size_t i = 0; i < r->support_count; i++)
        if (r->supports[i].part == part && r->supports[i].node == node)
            return i;
    return SIZE_MAX;
}

static void add_reactions(struct yk_results *r, const struct member *m, const double *f)
{
    for (size_t i = 0; i < m->tie_count; i++) {
        const struct tie *t = &m->ties[i];
        const size_t s = t->row == YK_DOF_FIXED ? support_of(r, m->part, t->place / DOFS) : SIZE_MAX;

        if (s != SIZE_MAX)
            r->reactions[DOFS * s + t->place % DOFS] += t->factor * f[t->end];
    }
}

/* Base shear, and the moment of the reactions about the centroid of the supports at the base. */
static void find_base(const struct yk_results *r, double *values)
{
    double centre[3] = {0}, moment[3] = {0}, lowest = INFINITY;
    size_t count = 0;

    for (size_t i = 0; i < r->support_count; i++)
        lowest = fmin(lowest,
                      yk_part_frame(r->parts, r->supports[i].part, NULL)->nodes[r->supports[i].node].at[r->vertical]);
    for (size_t i = 0; i < r->support_count; i++) {
        const double *at = yk_part_frame(r->parts, r->supports[i].part, NULL)->nodes[r->supports[i].node].at;

        if (at[r->vertical] > lowest + LEAST_HEIGHT)
            continue;
        count++;
        for (size_t d = 0; d < 3; d++)
            centre[d] += (at[d] - centre[d]) / (double)count;
    }
    for (size_t i = 0; i < r->support_count; i++) {
        const struct support *s = &r->supports[i];
        const double *at = yk_part_frame(r->parts, s->part, NULL)->nodes[s->node].at, *F = r->reactions + DOFS * i;
        const double arm[3] = {at[0] - centre[0], at[1] - centre[1], at[2] - centre[2]};

        for (size_t d = 0; d <= r->vertical; d++)
            values[r->base + d] -= F[d];
        for (size_t d = 0; d < DOFS; d++)
            if (s->reaction[d] >= 0)
                values[s->reaction[d]] = F[d];
        for (size_t d = 0; d < 3; d++)
            moment[d] += F[3 + d] + arm[(d + 1) % 3] * F[(d + 2) % 3] - arm[(d + 2) % 3] * F[(d + 1) % 3];
    }
    if (r->vertical == 1) {
        values[r->overturning] = moment[2];
        values[r->base + 2] = -moment[2];
        return;
    }
    values[r->overturning] = -moment[1]; /* positive for loads along +x, +y */
    values[r->overturning + 1] = moment[0];
}

void yk_results_at(struct yk_results *r, const struct yk_result_state *states, double *values)
{
    size_t at = r->ends;

    for (size_t i = 0; i < r->count; i++)
        values[i] = 0;
    for (size_t k = 0; k < r->part_count; k++)
        r->motions[k] = states[k].u;
    yk_results_floors_at(r, r->motions, values + r->floor);
    find_drifts(r, values);
    memset(r->reactions, 0, DOFS * r->support_count * sizeof *r->reactions);
    for (size_t i = 0; i < r->member_count; i++) {
        const struct member *m = &r->members[i];
        double f[ENDS];

        results_member(m, &states[m->part], f, values + at);
        at += m->plane ? SHOWN_PLANE : SHOWN_SPACE;
        add_reactions(r, m, f);
        for (size_t s = m->storeys[0]; s < m->storeys[1] && s < r->level_count; s++)
            for (size_t d = 0; d < r->horizontal; d++)
                values[r->shear + (s - 1) * r->horizontal + d] += f[6 * m->upper + d];
    }
    if (r->support_count)
        find_base(r, values);
}
