/* From substructures and interface rows to the two sides of a coupling. */
#include <yoke/coupling.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One side: its substructures, loads and assembly. */
struct half {
    struct yk_substructure *subs; /* copies of the headers; the systems stay the caller's */
    size_t count;
    struct yk_load *loads; /* likewise */
    size_t load_count;
    struct yk_assembly assembly;
    struct yk_assembly modal; /* system NULL: it is not in modes */
    double *given;            /* then a vector in its degrees of freedom */
};

struct yk_split {
    struct half half[YK_SIDES];
    const struct yk_assembly *untorn;
    size_t count;
    int *side;     /* of each substructure */
    size_t *index; /* among those of its side */
    size_t *first; /* first degree of freedom in the side */
};

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for the coupled problem");
}

/* Which substructure goes where. */
static enum yk_status sort_substructures(struct yk_split *split, const struct yk_coupled_parts *parts,
                                         struct yk_arena *mem, struct yk_err *err)
{
    split->count = parts->count;
    split->side = calloc(parts->count, sizeof *split->side);
    split->index = calloc(parts->count, sizeof *split->index);
    split->first = calloc(parts->count, sizeof *split->first);
    if (!split->side || !split->index || !split->first)
        return no_memory(err);
    for (int s = 0; s < YK_SIDES; s++) {
        struct half *h = &split->half[s];
        size_t n = 0;

        yk_arena_array(mem, &h->subs, parts->count);
        h->loads = calloc(parts->load_count + 1, sizeof *h->loads);
        if (!h->subs || !h->loads)
            return no_memory(err);
        for (size_t k = 0; k < parts->count; k++)
            if (parts->substructures[k].fine == (s == YK_FINE)) {
                split->side[k] = s;
                split->index[k] = h->count;
                split->first[k] = n;
                n += parts->substructures[k].system->n;
                yk_arena_pointer(mem, &h->subs[h->count].system);
                h->subs[h->count++] = parts->substructures[k];
            }
    }
    for (size_t i = 0; i < parts->load_count; i++) {
        struct half *h = &split->half[split->side[parts->loads[i].substructure]];

        h->loads[h->load_count] = parts->loads[i];
        h->loads[h->load_count++].substructure = split->index[parts->loads[i].substructure];
    }
    return YK_OK;
}

/* ---- rows that follow from others ----
 *
 * By Gram-Schmidt, which costs rows x rows x degrees of freedom, and so apart in each group of rows that share degrees
 * of freedom: most interfaces are many small groups. */
struct direction {
    struct direction *next;
    double x[]; /* of unit length, over the degrees of freedom of its group */
};

struct groups {
    size_t *parent; /* of each degree of freedom, up to the one that stands for its group */
    size_t *place;  /* in its group */
    size_t *size;   /* of the group, at its representative */
    struct direction **last, **first;
};

static size_t representative(size_t *parent, size_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Degree of freedom of entry i of a row, with the fine side behind the coarse one. */
static size_t dof_of(const struct yk_split *split, const struct yk_row *row, size_t i)
{
    const size_t k = row->substructure[i];
    const size_t offset = split->side[k] == YK_FINE ? split->half[YK_COARSE].assembly.system->n : 0;

    return offset + split->first[k] + row->dof[i];
}

static void make_groups(struct groups *g, size_t total, const struct yk_split *split,
                        const struct yk_coupled_parts *parts)
{
    for (size_t j = 0; j < total; j++)
        g->parent[j] = j;
    for (size_t r = 0; r < parts->row_count; r++)
        for (size_t i = 1; i < parts->rows[r].count; i++)
            g->parent[representative(g->parent, dof_of(split, &parts->rows[r], i))] =
                representative(g->parent, dof_of(split, &parts->rows[r], 0));
    for (size_t j = 0; j < total; j++)
        g->place[j] = g->size[representative(g->parent, j)]++;
}

static void free_groups(struct groups *g, size_t total)
{
    for (size_t j = 0; g->first && j < total; j++)
        while (g->first[j]) {
            struct direction *next = g->first[j]->next;

            free(g->first[j]);
            g->first[j] = next;
        }
    free(g->parent);
    free(g->place);
    free(g->size);
    free(g->first);
    free(g->last);
}

/* x, of length `before`, made orthogonal to the directions; again where that takes most of it away, for rounding. */
static double orthogonalise(const struct direction *first, size_t n, double *x, double before)
{
    double after = before;

    for (int pass = 0; pass < 2; pass++) {
        for (const struct direction *d = first; d; d = d->next) {
            const double along = yk_dot(n, x, d->x);

            for (size_t j = 0; j < n; j++)
                x[j] -= along * d->x[j];
        }
        before = after;
        after = sqrt(yk_dot(n, x, x));
        if (after > 0.7 * before)
            break;
    }
    return after;
}

/* Adds the direction of a row to its group; *adds: it does not follow from the rows before. */
static enum yk_status add_row(struct groups *g, const struct yk_split *split, const struct yk_row *row, bool *adds,
                              struct yk_err *err)
{
    const size_t group = representative(g->parent, dof_of(split, row, 0)), n = g->size[group];
    struct direction *d = calloc(1, sizeof *d + n * sizeof *d->x);
    double before, after;

    if (!d)
        return no_memory(err);
    for (size_t i = 0; i < row->count; i++)
        d->x[g->place[dof_of(split, row, i)]] += row->coefficient[i];
    before = sqrt(yk_dot(n, d->x, d->x));
    if (!(before > 0)) {
        free(d);
        return yk_fail_at(err, YK_E_INPUT, row->where, "the factors of this interface row cancel: it ties nothing");
    }
    after = orthogonalise(g->first[group], n, d->x, before);
    if (!(*adds = after > 1e-10 * before)) {
        free(d);
        return YK_OK;
    }
    for (size_t j = 0; j < n; j++)
        d->x[j] /= after;
    *(g->first[group] ? &g->last[group]->next : &g->first[group]) = d;
    g->last[group] = d;
    return YK_OK;
}

/* The rows of the interface without those that follow from the others; refuses rows that cannot move. */
static enum yk_status independent_rows(const struct yk_split *split, const struct yk_coupled_parts *parts, size_t *keep,
                                       size_t *count, struct yk_err *err)
{
    const size_t total = split->half[YK_COARSE].assembly.system->n + split->half[YK_FINE].assembly.system->n;
    struct groups g = {.parent = calloc(total, sizeof *g.parent),
                       .place = calloc(total, sizeof *g.place),
                       .size = calloc(total, sizeof *g.size),
                       .last = calloc(total, sizeof *g.last),
                       .first = calloc(total, sizeof *g.first)};
    enum yk_status st = g.parent && g.place && g.size && g.first && g.last ? YK_OK : no_memory(err);

    *count = 0;
    if (!st)
        make_groups(&g, total, split, parts);
    for (size_t r = 0; r < parts->row_count && !st; r++) {
        bool adds = false;

        st = add_row(&g, split, &parts->rows[r], &adds, err);
        if (adds)
            keep[(*count)++] = r;
    }
    free_groups(&g, total);
    return st;
}

static enum yk_status side_rows(struct yk_side *side, const struct yk_split *split, int s,
                                const struct yk_coupled_parts *parts, const size_t *keep, size_t rows,
                                struct yk_err *err)
{
    size_t most = 1, entries = 0;
    int *row, *col;
    double *value;
    enum yk_status st;

    for (size_t r = 0; r < rows; r++)
        most += parts->rows[keep[r]].count;
    row = malloc(most * sizeof *row);
    col = malloc(most * sizeof *col);
    value = malloc(most * sizeof *value);
    if (row && col && value) {
        for (size_t r = 0; r < rows; r++)
            for (size_t i = 0; i < parts->rows[keep[r]].count; i++) {
                const struct yk_row *from = &parts->rows[keep[r]];

                if (split->side[from->substructure[i]] != s)
                    continue;
                row[entries] = (int)(split->first[from->substructure[i]] + from->dof[i]);
                col[entries] = (int)r;
                value[entries++] = from->coefficient[i];
            }
        st = yk_matrix_from_triplets(&side->Gt, side->n, rows, entries, row, col, value, err);
        if (!st && split->half[s].modal.system)
            st = yk_modal_project(&split->half[s].modal, &side->Gt, err);
    } else {
        st = no_memory(err);
    }
    free(row);
    free(col);
    free(value);
    return st;
}

/* M^-1 G^T and H of a side; where its mass is divided out, room for what G^T becomes. */
static enum yk_status side_operators(struct yk_side *side, size_t rows, bool massless, struct yk_arena *mem,
                                     struct yk_err *err)
{
    const size_t n = side->n;
    enum yk_status st;

    yk_arena_each(mem, n, 2, (double **[]){&side->u0, &side->v0});
    yk_arena_array(mem, &side->f, 2 * n);
    yk_arena_array(mem, &side->H, rows * rows);
    if (side->system->mass_divided_out)
        yk_arena_array(mem, &side->reach, (2 * rows + 1) * n);
    if (!side->u0 || !side->v0 || !side->f || !side->H || (side->system->mass_divided_out && !side->reach))
        return no_memory(err);
    side->p = side->f + n;
    yk_arena_pointer(mem, &side->p);
    if (side->reach) {
        yk_matrix_to_dense(&side->Gt, side->reach);
        memcpy(side->reach + rows * n, side->reach, rows * n * sizeof(double));
    }
    if (massless)
        return yk_matrix_init(&side->MiGt, YK_DENSE, n, rows, err);
    if ((st = yk_factor_create(&side->M, &side->system->M, mem, err)) ||
        (st = yk_matrix_init(&side->MiGt, YK_DENSE, n, rows, err)))
        return st;
    yk_matrix_to_dense(&side->Gt, side->MiGt.x);
    for (size_t r = 0; r < rows; r++) {
        yk_factor_solve(side->M, side->MiGt.x + r * n);
        yk_matrix_add_transposed_product(&side->Gt, 1, side->MiGt.x + r * n, side->H + r * rows);
    }
    if ((st = yk_matrix_compact(&side->MiGt, err)) || (st = yk_matrix_compact(&side->Gt, err)))
        return st;
    return YK_OK;
}

/* A side that cannot be stepped in modes is stepped without them; the refusal tells why. */
static enum yk_status take_modes(struct half *h, const struct yk_modal_wish *wish, struct yk_arena *mem,
                                 struct yk_err *refusal, struct yk_err *err)
{
    struct yk_err why = {0};
    const enum yk_status st = yk_modal_choose(&h->modal, &h->assembly, wish, mem, &why);

    if (st && strcmp(why.subject, "path") == 0) {
        *refusal = why;
        return YK_OK;
    }
    if (st && err)
        *err = why;
    return st;
}

static enum yk_status make_side(struct yk_coupled *c, int s, const struct yk_modal_wish *wish, struct yk_arena *mem,
                                struct yk_err *refusal, struct yk_err *err)
{
    static const char *const rate[] = {"coarse", "fine"};
    struct half *h = &c->split->half[s];
    struct yk_side *side = &c->side[s];
    enum yk_status st;

    if (h->count == 0)
        return yk_fail(err, YK_E_INPUT, "no substructure has rate: %s; a coupling needs at least one on each side",
                       rate[s]);
    if ((st = yk_assembly_create(&h->assembly, h->subs, h->count, NULL, 0, mem, err)) ||
        (st = take_modes(h, wish, mem, refusal, err)))
        return st;
    const struct yk_assembly *used = h->modal.system ? &h->modal : &h->assembly;
    if (h->modal.system && !yk_arena_array(mem, &h->given, used->system->n))
        return no_memory(err);
    if ((st = yk_load_set_create(&side->loads, used, h->loads, h->load_count, err)))
        return st;
    side->system = used->system;
    yk_arena_pointer(mem, &side->system);
    side->n = side->system->n;
    side->loading = (struct yk_loading){yk_load_set_at, side->loads};
    side->specimens = true;
    for (size_t k = 0; k < h->count; k++)
        side->specimens = side->specimens && h->subs[k].system->ops->measured;
    c->varying_mass = c->varying_mass || side->system->mass_divided_out;
    return YK_OK;
}

/* (H_A + H_B)^-1 in the initial state */
static enum yk_status invert_interface(struct yk_coupled *c, struct yk_err *err)
{
    const size_t rows = c->rows;
    struct yk_matrix H = {.form = YK_DENSE, .rows = rows, .cols = rows};
    struct yk_factor *factor;
    enum yk_status st;

    H.x = malloc((rows * rows + 1) * sizeof *H.x);
    c->Hinv = calloc(rows * rows + 1, sizeof *c->Hinv);
    if (!H.x || !c->Hinv) {
        free(H.x);
        return no_memory(err);
    }
    for (int s = 0; s < YK_SIDES; s++)
        if (c->side[s].system->mass_divided_out)
            yk_side_evaluate(&c->side[s], 0, c->side[s].system->u0, c->side[s].system->v0);
    for (size_t i = 0; i < rows * rows; i++)
        H.x[i] = c->side[0].H[i] + c->side[1].H[i];
    if ((st = yk_factor_create(&factor, &H, NULL, err))) {
        yk_fail_within(err, YK_NOWHERE, "the interface rows are not independent: ");
    } else {
        for (size_t r = 0; r < rows; r++) {
            c->Hinv[r + r * rows] = 1;
            yk_factor_solve(factor, c->Hinv + r * rows);
        }
        yk_factor_destroy(factor);
    }
    free(H.x);
    return st;
}

/* sum G u = 0 and sum G v = 0 at the start */
static enum yk_status check_start(const struct yk_coupled *c, const struct yk_coupled_parts *parts, const size_t *keep,
                                  struct yk_err *err)
{
    for (int which = 0; which < 2; which++)
        for (size_t r = 0; r < c->rows; r++) {
            const struct yk_row *row = &parts->rows[keep[r]];
            double gap = 0, size = 0;

            for (size_t i = 0; i < row->count; i++) {
                const struct yk_system *s = parts->substructures[row->substructure[i]].system;
                const double x = row->coefficient[i] * (which ? s->v0 : s->u0)[row->dof[i]];

                gap += x;
                size += fabs(x);
            }
            if (fabs(gap) > 1e-9 * size + 1e-14)
                return yk_fail_at(
                    err, YK_E_INPUT, row->where,
                    "the initial %s do not satisfy this interface row: they miss it by %g; start values of "
                    "joined degrees of freedom must agree",
                    which ? "velocities" : "displacements", gap);
        }
    return YK_OK;
}

enum yk_status yk_coupled_create(struct yk_coupled **problem, const struct yk_coupled_parts *parts,
                                 struct yk_arena *mem, struct yk_err *err)
{
    struct yk_arena own = {0};
    struct yk_coupled *c = yk_arena_take(mem = mem ? mem : &own, sizeof *c);
    size_t *keep = calloc(parts->row_count + 1, sizeof *keep);
    struct yk_err refusal = {0}; /* of modes, on any side */
    enum yk_status st;

    *problem = NULL;
    if (!c || !keep || !yk_arena_array(mem, &c->split, 1)) {
        st = no_memory(err);
        goto end;
    }
    c->dt = parts->dt;
    c->substeps = parts->substeps;
    c->untorn = c->split->untorn = parts->untorn;
    yk_arena_pointers(mem, &c->untorn, &c->split->untorn);
    if (c->untorn && c->untorn->system)
        yk_arena_each(mem, c->untorn->system->n, 2, (double **[]){&c->u0, &c->v0});
    if (c->untorn && c->untorn->system && (!c->u0 || !c->v0)) {
        st = no_memory(err);
        goto end;
    }
    if ((st = sort_substructures(c->split, parts, mem, err)) ||
        (st = make_side(c, YK_COARSE, &parts->modal[YK_COARSE], mem, &refusal, err)) ||
        (st = make_side(c, YK_FINE, &parts->modal[YK_FINE], mem, &refusal, err)) ||
        (st = independent_rows(c->split, parts, keep, &c->rows, err)))
        goto end;
    if (refusal.status && !c->split->half[YK_COARSE].modal.system && !c->split->half[YK_FINE].modal.system) {
        st = refusal.status;
        if (err)
            *err = refusal;
        goto end;
    }
    if (c->rows == 0) {
        st = yk_fail(err, YK_E_INPUT, "a coupling needs at least one interface between its sides");
        goto end;
    }
    for (int s = 0; s < YK_SIDES && !st; s++)
        if (!(st = side_rows(&c->side[s], c->split, s, parts, keep, c->rows, err)) &&
            !(st = side_operators(&c->side[s], c->rows, s == YK_FINE && parts->massless, mem, err)))
            st = yk_load_set_project(&c->side[s].loads_trace, c->side[s].loads, &c->side[s].MiGt, err);
    if (!st && !(st = invert_interface(c, err)))
        st = check_start(c, parts, keep, err);
end:
    if (c)
        c->own = own;
    else
        yk_arena_free(&own);
    if (st) {
        free(keep);
        yk_coupled_destroy(c);
        return st;
    }
    c->row_of = keep;
    *problem = c;
    return YK_OK;
}

void yk_coupled_destroy(struct yk_coupled *c)
{
    struct yk_arena own;

    if (!c)
        return;
    own = c->own;
    for (int s = 0; s < YK_SIDES && c->split; s++) {
        struct half *h = &c->split->half[s];
        struct yk_side *side = &c->side[s];

        yk_load_set_destroy(side->loads);
        yk_load_set_destroy(side->loads_trace);
        yk_assembly_destroy(&h->modal);
        yk_assembly_destroy(&h->assembly);
        free(h->loads);
        yk_matrix_fini(&side->Gt);
        yk_matrix_fini(&side->MiGt);
        yk_factor_destroy(side->M);
    }
    if (c->split) {
        free(c->split->side);
        free(c->split->index);
        free(c->split->first);
    }
    free(c->row_of);
    free(c->Hinv);
    yk_arena_free(&own);
}

void yk_coupled_locate(const struct yk_coupled *c, size_t k, int *side, size_t *first)
{
    *side = c->split->side[k];
    *first = c->split->first[k];
}

YK_RT const struct yk_assembly *yk_coupled_modal(const struct yk_coupled *c, size_t k, size_t *index)
{
    const struct half *h = &c->split->half[c->split->side[k]];

    *index = c->split->index[k];
    return h->modal.system ? &h->modal : NULL;
}

void yk_coupled_from_untorn(const struct yk_coupled *c, const double *whole, int side, double *local)
{
    const struct half *h = &c->split->half[side];
    double *given = h->modal.system ? h->given : local;

    memset(given, 0, c->side[side].n * sizeof *given);
    for (size_t k = 0; k < c->split->count; k++)
        if (c->split->side[k] == side)
            yk_matrix_add_transposed_product(&c->untorn->map[k], 1, whole, given + c->split->first[k]);
    if (h->modal.system)
        yk_modal_from(&h->modal, given, local);
}

void yk_coupled_begin(struct yk_coupled *c, const double *u, const double *v)
{
    const struct yk_system *whole = c->untorn ? c->untorn->system : NULL;

    for (int s = 0; s < YK_SIDES; s++) {
        struct yk_side *side = &c->side[s];

        if (u) {
            yk_coupled_from_untorn(c, u, s, side->u0);
            yk_coupled_from_untorn(c, v, s, side->v0);
        } else {
            memcpy(side->u0, side->system->u0, side->n * sizeof(double));
            memcpy(side->v0, side->system->v0, side->n * sizeof(double));
        }
    }
    if (whole) {
        memcpy(c->u0, u ? u : whole->u0, whole->n * sizeof(double));
        memcpy(c->v0, u ? v : whole->v0, whole->n * sizeof(double));
    }
}

void yk_coupled_to_untorn(const struct yk_coupled *c, int side, const double *local, double *whole)
{
    const struct half *h = &c->split->half[side];
    const double *given = local;

    if (h->modal.system) {
        yk_modal_force(&h->modal, local, h->given);
        given = h->given;
    }
    for (size_t k = 0; k < c->split->count; k++)
        if (c->split->side[k] == side)
            yk_matrix_add_product(&c->untorn->map[k], 1, given + c->split->first[k], whole);
}
