/* The members of a structure: gather u at their ends, find their states, scatter forces and tangents.
 * docs/theory/nonlinear-frames.md, eq. (40). Units: N, m, s. */
#include "substructure/structure_members.h"
#include "substructure/probe.h"
#include "substructure/structure.h"

#include "base/helper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENDS = YK_MEMBER_DOFS,
    LINE = 8,            /* doubles of a cache line: where memories begin */
    WORTH_HALVING = 8000 /* doubles that the members keep: some 600 fibres, 20 us */
};

void yk_structure_member_free(struct yk_structure_member *m)
{
    yk_member_fini(&m->member);
    free(m->name);
    free(m->dof);
    free(m->T);
    *m = (struct yk_structure_member){0};
}

void yk_members_free(struct yk_members *m)
{
    for (size_t i = 0; i < m->count; i++)
        yk_structure_member_free(&m->items[i]);
    free(m->items);
    free(m->place);
    free(m->ties);
    free(m->rested);
}

/* ---- one member ------------------------------------------------------------------------------------------------ */

/* u_ends = T u */
YK_RT static inline void gather(const struct yk_structure_member *m, const struct yk_tie *ties, size_t count,
                                const double *u, double *ends)
{
    memset(ends, 0, ENDS * sizeof *ends);
    for (size_t a = 0; a < count; a++)
        ends[ties[a].end] += ties[a].factor * u[m->dof[ties[a].dof]];
}

/* r = T^T f */
YK_RT static inline void reduce_force(size_t n, const struct yk_tie *ties, size_t count, const double *f, double *r)
{
    memset(r, 0, n * sizeof *r);
    for (size_t a = 0; a < count; a++)
        r[ties[a].dof] += ties[a].factor * f[ties[a].end];
}

/* k = T^T K T, by rows; K is symmetric. plain: without links, T only picks. */
YK_RT static inline void reduce_tangent(size_t n, const struct yk_tie *ties, size_t count, bool plain, const double *K,
                                        double *k)
{
    for (size_t a = 0; plain && a < n; a++)
        for (size_t b = 0; b < n; b++)
            k[a * n + b] = K[ties[a].end + ties[b].end * ENDS];
    if (plain)
        return;
    memset(k, 0, n * n * sizeof *k);
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++)
            k[ties[a].dof * n + ties[b].dof] += ties[a].factor * ties[b].factor * K[ties[a].end + ties[b].end * ENDS];
}

/* Its memory, forces and, unless k is NULL, tangent in u. False: an iteration came to its bound. */
YK_RT static bool find(const struct yk_members *all, size_t i, const double *committed, const double *u, double h,
                       double *memory, double *r, double *k, double *scratch)
{
    const struct yk_structure_member *m = &all->items[i];
    const struct yk_member_place *at = &all->place[i];
    const struct yk_tie *ties = all->ties + at->tie;
    double ends[ENDS], f[ENDS], K[ENDS * ENDS];
    bool good;

    gather(m, ties, at->ties, u, ends);
    good = yk_member_state(&m->member, committed + at->memory, ends, h, memory, f, k ? K : NULL, scratch);
    reduce_force(m->n, ties, at->ties, f, r);
    if (k)
        reduce_tangent(m->n, ties, at->ties, at->plain, K, k);
    return good;
}

/* ---- all of them ----------------------------------------------------------------------------------------------- */

/* Are its forces those in u? */
YK_RT static bool is_at(const struct yk_structure *s, const struct yk_memory *at, const double *u)
{
    return at->known && memcmp(at->u, u, s->system.n * sizeof *u) == 0;
}

/* An evaluation in two halves, of members up to `half` and of the others; each half has scratch of its own. */
struct evaluation {
    struct yk_structure *s;
    const double *u;
    double h;
    bool tangents;
    size_t bounded[2], last[2];
};

YK_RT static void evaluate_half(void *self, int which)
{
    struct evaluation *e = self;
    const struct yk_members *m = &e->s->members;
    const double *committed = yk_structure_committed(e->s)->x;
    double *x = e->s->memory[e->s->trial].x, *scratch = m->scratch + (which ? m->scratch_most : 0);
    const size_t end = which ? m->count : m->half;

    for (size_t i = which ? m->half : 0; i < end; i++) {
        const struct yk_member_place *at = &m->place[i];

        if (find(m, i, committed, e->u, e->h, x + at->memory, x + at->r, e->tangents ? x + at->k : NULL, scratch))
            continue;
        e->bounded[which]++;
        e->last[which] = i;
    }
}

YK_RT void yk_members_evaluate(struct yk_structure *s, const double *u, bool tangents)
{
    struct yk_memory *trial = &s->memory[s->trial];
    struct evaluation e = {.s = s, .u = u, .h = yk_structure_elapsed(s), .tangents = tangents};

    if (is_at(s, trial, u) && fabs(trial->elapsed - e.h) <= 1e-9 * e.h && (trial->tangents || !tangents))
        return; /* times are rounded */
    s->members.evaluations++;
    if (s->members.half < s->members.count)
        yk_in_halves(evaluate_half, &e);
    else
        evaluate_half(&e, 0);
    trial->bounded = e.bounded[0] + e.bounded[1];
    trial->last = e.last[e.bounded[1] > 0];
    memcpy(trial->u, u, s->system.n * sizeof *u);
    trial->elapsed = e.h;
    trial->known = true;
    trial->tangents = tangents;
}

YK_RT const struct yk_memory *yk_members_tangents(struct yk_structure *s, const double *u)
{
    const struct yk_memory *committed = yk_structure_committed(s);

    s->members.keep = s->members.asked = true;
    if (committed->tangents && is_at(s, committed, u))
        return committed;
    yk_members_evaluate(s, u, true);
    return &s->memory[s->trial];
}

YK_RT void yk_members_add_force(const struct yk_structure *s, const struct yk_memory *at, double factor, double *p)
{
    for (size_t i = 0; i < s->members.count; i++) {
        const struct yk_structure_member *m = &s->members.items[i];
        const double *r = at->x + s->members.place[i].r;

        for (size_t a = 0; a < m->n; a++)
            p[m->dof[a]] += factor * r[a];
    }
}

YK_RT void yk_members_add_product(const struct yk_structure *s, const struct yk_memory *at, double factor,
                                  const double *v, double *p)
{
    for (size_t i = 0; i < s->members.count; i++) {
        const struct yk_structure_member *m = &s->members.items[i];
        const double *k = at->x + s->members.place[i].k;

        for (size_t a = 0; a < m->n; a++, k += m->n) {
            double sum = 0;

            for (size_t b = 0; b < m->n; b++)
                sum += k[b] * v[m->dof[b]];
            p[m->dof[a]] += factor * sum;
        }
    }
}

YK_RT void yk_members_add_tangents(const struct yk_structure *s, const struct yk_memory *at, double factor,
                                   const size_t *place, double *A)
{
    for (size_t i = 0; i < s->members.count; i++) {
        const size_t n = s->members.items[i].n;
        const double *k = at->x + s->members.place[i].k;

        for (size_t a = 0; a < n * n; a++)
            A[*place++] += factor * k[a];
    }
}

/* ---- looks ----------------------------------------------------------------------------------------------------- */

YK_RT const double *yk_members_look_at(const struct yk_structure *s, size_t number, const double *u)
{
    const struct yk_members *m = &s->members;
    const struct yk_memory *committed = &s->memory[s->committed[s->sequence]];

    if (is_at(s, committed, u))
        return committed->x + m->place[number].memory;
    find(m, number, committed->x, u, yk_structure_elapsed(s), m->looks, m->looks + m->most, NULL,
         m->looks + m->most + m->widest);
    return m->looks;
}

YK_RT void yk_members_look(const struct yk_structure *s, const double *u, double factor, double *p)
{
    const struct yk_members *m = &s->members;
    const struct yk_memory *committed = &s->memory[s->committed[s->sequence]];

    if (is_at(s, committed, u)) {
        yk_members_add_force(s, committed, factor, p);
        return;
    }
    for (size_t i = 0; i < m->count; i++) {
        const double *r = m->looks + m->most;

        yk_members_look_at(s, i, u);
        for (size_t a = 0; a < m->items[i].n; a++)
            p[m->items[i].dof[a]] += factor * r[a];
    }
}

/* ---- rest ------------------------------------------------------------------------------------------------------ */

void yk_members_rest(struct yk_structure *s, const double *u)
{
    struct yk_members *m = &s->members;
    struct yk_memory *committed = yk_structure_committed(s), *trial = &s->memory[s->trial];

    memcpy(committed->x + m->first, m->rested, m->kept * sizeof *m->rested);
    committed->known = trial->known = false;
    yk_members_evaluate(s, u, true);
    for (size_t i = 0; i < m->count; i++) {
        const size_t n = m->items[i].n;

        memcpy(committed->x + m->place[i].r, trial->x + m->place[i].r, (n + n * n) * sizeof *committed->x);
    }
    memcpy(committed->u, u, s->system.n * sizeof *u);
    committed->known = committed->tangents = true;
    m->keep = m->damping > 0;
    m->asked = false;
    m->bounded = 0;
}

const char *yk_members_carry(struct yk_structure *s, const double *u)
{
    struct yk_members *m = &s->members;
    const struct yk_memory *trial = &s->memory[s->trial];

    yk_members_evaluate(s, u, true);
    const char *cannot = trial->bounded ? m->items[trial->last].name : NULL;

    memcpy(m->rested, trial->x + m->first, m->kept * sizeof *m->rested);
    yk_members_rest(s, u);
    return cannot;
}

/* ---- preparation ----------------------------------------------------------------------------------------------- */

static enum yk_status no_memory(const struct yk_members *m, struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for %zu members", m->count);
}

/* Entries of T that are not zero; ties NULL: how many. */
static size_t list_ties(const struct yk_structure_member *m, struct yk_tie *ties)
{
    size_t count = 0;

    for (size_t j = 0; j < m->n; j++)
        for (size_t i = 0; i < ENDS; i++)
            if (m->T[i + j * ENDS] != 0) {
                if (ties)
                    ties[count] = (struct yk_tie){.end = i, .dof = j, .factor = m->T[i + j * ENDS]};
                count++;
            }
    return count;
}

/* Does each degree of freedom move one end in one direction, by itself? They are listed in their order. */
static bool is_plain(const struct yk_tie *ties, size_t count, size_t n)
{
    bool plain = count == n;

    for (size_t a = 0; a < count && plain; a++)
        plain = ties[a].dof == a && ties[a].factor == 1;
    return plain;
}

static size_t round_up(size_t x)
{
    return (x + LINE - 1) / LINE * LINE;
}

/* Assigns places among the variables: for each member its memory, then r and k. */
static enum yk_status place_all(struct yk_members *m, size_t n, size_t variables, struct yk_err *err)
{
    size_t ties = 0, at = m->first = round_up(variables);

    m->place = calloc(m->count, sizeof *m->place);
    for (size_t i = 0; m->place && i < m->count; i++) {
        const struct yk_structure_member *item = &m->items[i];
        const size_t memory = yk_member_memory(&item->member), scratch = yk_member_scratch(&item->member);
        struct yk_member_place *p = &m->place[i];

        for (size_t a = 0; a < item->n; a++)
            if (item->dof[a] >= n)
                return yk_fail(err, YK_E_INPUT, "member %s: degree of freedom %zu of %zu", item->name ? item->name : "",
                               item->dof[a] + 1, n);
        *p = (struct yk_member_place){.memory = at, .r = at + memory, .tie = ties, .ties = list_ties(item, NULL)};
        p->k = p->r + item->n;
        at = round_up(p->k + item->n * item->n);
        ties += p->ties;
        m->most = memory > m->most ? memory : m->most;
        m->widest = item->n > m->widest ? item->n : m->widest;
        m->scratch_most = scratch > m->scratch_most ? scratch : m->scratch_most;
    }
    m->kept = at - m->first;
    m->ties = malloc((ties + 1) * sizeof *m->ties);
    m->rested = calloc(m->kept + 1, sizeof *m->rested);
    return m->place && m->ties && m->rested ? YK_OK : no_memory(m, err);
}

/* First member of the second half, split by memory, since cost grows with it. Small structures stay whole: a second
 * thread would cost more than it saves. */
static size_t middle(const struct yk_members *m)
{
    size_t i = 0;

    while (m->kept >= WORTH_HALVING && i < m->count && 2 * (m->place[i].memory - m->first) < m->kept)
        i++;
    return m->kept >= WORTH_HALVING ? i : m->count;
}

bool yk_structure_in_halves(const struct yk_system *structure)
{
    const struct yk_structure *s = structure->self;

    return s->members.half < s->members.count;
}

enum yk_status yk_members_init(struct yk_structure *s, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_members *m = &s->members;
    enum yk_status st = place_all(m, s->system.n, s->variables, err);

    if (st)
        return st;
    for (size_t i = 0; i < m->count; i++) {
        list_ties(&m->items[i], m->ties + m->place[i].tie);
        m->place[i].plain = is_plain(m->ties + m->place[i].tie, m->place[i].ties, m->items[i].n);
        yk_member_rest(&m->items[i].member, m->rested + m->place[i].memory - m->first);
    }
    yk_arena_array(mem, &m->scratch, 2 * m->scratch_most);
    m->half = middle(m);
    yk_arena_array(mem, &m->looks, m->most + m->widest + m->scratch_most);
    yk_arena_array(mem, &m->force, 2 * s->system.n);
    return mem->failed ? no_memory(m, err) : YK_OK;
}

enum yk_status yk_member_stiffness(const struct yk_structure_member *m, double *k, struct yk_err *err)
{
    struct yk_member plain = m->member;
    struct yk_tie *ties = malloc((ENDS * m->n + 1) * sizeof *ties);
    const double u[ENDS] = {0};
    double f[ENDS], K[ENDS * ENDS], *memory;

    plain.geometry = YK_GEOMETRY_LINEAR; /* no axial force */
    plain.bowing = false;
    const size_t size = yk_member_memory(&plain);

    if ((memory = calloc(2 * size + yk_member_scratch(&plain) + 1, sizeof *memory)) && ties) {
        yk_member_rest(&plain, memory);
        yk_member_state(&plain, memory, u, 0, memory + size, f, K, memory + 2 * size);
        reduce_tangent(m->n, ties, list_ties(m, ties), false, K, k);
    }
    const bool failed = !memory || !ties;

    free(memory);
    free(ties);
    return failed ? yk_fail(err, YK_E_MEMORY, "out of memory for the stiffness of a member") : YK_OK;
}

/* The smallest ratio of the diagonals of two tangents: of k to that of a member without load. */
static double least_ratio(size_t n, const double *k, const double *unloaded)
{
    double most = 0, least = 1;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, unloaded[i * n + i]);
    for (size_t i = 0; i < n; i++)
        if (unloaded[i * n + i] > 1e-9 * most)
            least = fmin(least, k[i * n + i] / unloaded[i * n + i]);
    return least;
}

const char *yk_structure_softest(const struct yk_system *structure, double *part)
{
    const struct yk_structure *s = yk_is_structure(structure) ? structure->self : NULL;
    const struct yk_members *m = s ? &s->members : NULL;
    double *unloaded = m && m->count ? malloc(m->widest * m->widest * sizeof *unloaded) : NULL;
    const char *name = NULL;

    *part = INFINITY;
    for (size_t i = 0; unloaded && i < m->count; i++) {
        const struct yk_memory *rest = &s->memory[s->committed[s->sequence]];

        if (yk_member_stiffness(&m->items[i], unloaded, NULL))
            break;
        const double left = least_ratio(m->items[i].n, rest->x + m->place[i].k, unloaded);
        if (left < *part) {
            *part = left;
            name = m->items[i].name;
        }
    }
    free(unloaded);
    return name;
}
