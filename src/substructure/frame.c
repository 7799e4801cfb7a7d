/* Frames: nodes, members and rigid links to sparse M and K. docs/theory/frames.md, eq. (9)-(12).
 *
 * A link ties degrees of freedom of a node to the motion of a rigid body with another node, r the vector from master to
 * slave:
 *
 *   u_s = u_m + theta_m x r,   theta_s = theta_m                                                                  (9)
 *
 * so u = T q with q the degrees of freedom that stay, and M = T^T M' T, K = T^T K' T, element by element. What is fixed
 * leaves the matrices; its share of the inertia under a motion of the ground is kept (support). Units: N, m, kg, rad.
 */
#include <yoke/frame.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { X, Y, Z, RX, RY, RZ, DOFS = YK_FRAME_DOFS };

#define PLANE_DOFS (1u << X | 1u << Y | 1u << RZ)
#define SPACE_DOFS 0x3fu

const char *const yk_frame_dof_names[YK_FRAME_DOFS] = {"x", "y", "z", "rx", "ry", "rz"};

/* ---- building -------------------------------------------------------------------------------------------------- */

static unsigned dofs_of(const struct yk_frame *f)
{
    return f->plane ? PLANE_DOFS : SPACE_DOFS;
}

/* Makes room for one more item; the room doubles whenever the count is a power of two. */
static bool grow(void **items, size_t count, size_t size)
{
    void *larger;

    if (count & (count - 1))
        return true;
    if (!(larger = realloc(*items, (count ? 2 * count : 1) * size)))
        return false;
    *items = larger;
    return true;
}

enum yk_status yk_frame_add_node(struct yk_frame *f, const struct yk_frame_node *node, struct yk_err *err)
{
    struct yk_frame_node own = *node;

    for (int i = 0; i < DOFS; i++)
        if (!(own.mass[i] >= 0))
            return yk_fail(err, YK_E_RANGE, "node '%s': mass of %s is %g kg, it cannot be negative", own.name,
                           yk_frame_dof_names[i], own.mass[i]);
    if (f->plane && own.at[2] != 0)
        return yk_fail(err, YK_E_INPUT, "node '%s': z = %g m in a plane frame", own.name, own.at[2]);
    if (!grow((void **)&f->nodes, f->node_count, sizeof own) || !(own.name = strdup(node->name)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu nodes", f->node_count + 1);
    f->nodes[f->node_count++] = own;
    return YK_OK;
}

/* number: of the piece of a divided member, from 1; 0: it is not divided. */
static enum yk_status add_piece(struct yk_frame *f, size_t from, size_t to, const struct yk_beam *beam,
                                const char *name, int number, struct yk_err *err)
{
    struct yk_frame_member piece = {.ends = {from, to}, .beam = *beam};

    if (!grow((void **)&f->members, f->member_count, sizeof piece) ||
        (number ? asprintf(&piece.name, "%s.%d", name, number) : asprintf(&piece.name, "%s", name)) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu members", f->member_count + 1);
    memcpy(piece.beam.ends[0], f->nodes[from].at, sizeof piece.beam.ends[0]);
    memcpy(piece.beam.ends[1], f->nodes[to].at, sizeof piece.beam.ends[1]);
    f->members[f->member_count++] = piece;
    return YK_OK;
}

/* A node at a fraction of the way between two others. */
static enum yk_status add_between(struct yk_frame *f, size_t from, size_t to, double fraction, const char *name,
                                  int number, struct yk_err *err)
{
    struct yk_frame_node node = {0};
    enum yk_status st;

    for (int i = 0; i < 3; i++)
        node.at[i] = f->nodes[from].at[i] + fraction * (f->nodes[to].at[i] - f->nodes[from].at[i]);
    if (asprintf(&node.name, "%s-%d", name, number) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    st = yk_frame_add_node(f, &node, err);
    free(node.name);
    return st;
}

enum yk_status yk_frame_add_member(struct yk_frame *f, size_t from, size_t to, const struct yk_beam *beam, int divide,
                                   const char *name, struct yk_err *err)
{
    struct yk_beam whole = *beam;
    size_t last = from;
    enum yk_status st;

    whole.plane = f->plane;
    memcpy(whole.ends[0], f->nodes[from].at, sizeof whole.ends[0]);
    memcpy(whole.ends[1], f->nodes[to].at, sizeof whole.ends[1]);
    if ((whole.release[0] | whole.release[1]) & ~dofs_of(f))
        return yk_fail(err, YK_E_INPUT, "it releases a degree of freedom that a plane frame does not have");
    st = yk_beam_matrices(&whole, NULL, NULL, err);
    for (int i = 1; i <= divide && !st; i++) {
        struct yk_beam piece = whole;
        size_t next = to;

        if (i > 1)
            piece.release[0] = 0;
        if (i < divide) {
            piece.release[1] = 0;
            next = f->node_count;
            if ((st = add_between(f, from, to, (double)i / divide, name, i, err)))
                return st;
        }
        st = add_piece(f, last, next, &piece, name, divide > 1 ? i : 0, err);
        last = next;
    }
    return st;
}

enum yk_status yk_frame_add_link(struct yk_frame *f, const struct yk_frame_link *link, struct yk_err *err)
{
    const unsigned dofs = link->dofs & dofs_of(f);
    struct yk_frame_node *slave = &f->nodes[link->slave];

    if (link->master == link->slave)
        return yk_fail(err, YK_E_INPUT, "node '%s' is tied to itself", slave->name);
    for (int d = 0; d < DOFS; d++) {
        if (!(dofs >> d & 1))
            continue;
        if (slave->fixed >> d & 1)
            return yk_fail(err, YK_E_INPUT, "%s.%s is both fixed and tied to '%s'", slave->name, yk_frame_dof_names[d],
                           f->nodes[link->master].name);
        if (slave->link[d])
            return yk_fail(err, YK_E_INPUT, "%s.%s is tied twice, to '%s' and to '%s'", slave->name,
                           yk_frame_dof_names[d], f->nodes[f->links[slave->link[d] - 1].master].name,
                           f->nodes[link->master].name);
    }
    if (!grow((void **)&f->links, f->link_count, sizeof *link))
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu links", f->link_count + 1);
    f->links[f->link_count++] = (struct yk_frame_link){link->master, link->slave, dofs};
    for (int d = 0; d < DOFS; d++)
        if (dofs >> d & 1)
            slave->link[d] = f->link_count;
    return YK_OK;
}

void yk_frame_fini(struct yk_frame *f)
{
    for (size_t i = 0; i < f->node_count; i++)
        free(f->nodes[i].name);
    for (size_t i = 0; i < f->member_count; i++)
        free(f->members[i].name);
    free(f->nodes);
    free(f->members);
    free(f->links);
    *f = (struct yk_frame){0};
}

/* ---- assembly -------------------------------------------------------------------------------------------------- */

static enum yk_status expand(const struct yk_frame *f, size_t node, int dof, double factor, int depth,
                             struct yk_frame_terms *terms, struct yk_err *err)
{
    const size_t link = f->nodes[node].link[dof];
    enum yk_status st;

    if (link == 0) {
        terms->place[terms->count] = (int)(node * DOFS) + dof;
        terms->factor[terms->count++] = factor;
        return YK_OK;
    }
    if (depth == YK_FRAME_CHAIN)
        return yk_fail(err, YK_E_INPUT, "rigid links form a cycle, or through more than %d nodes, at node '%s'", depth,
                       f->nodes[node].name);
    const size_t master = f->links[link - 1].master;
    if ((st = expand(f, master, dof, factor, depth + 1, terms, err)) || dof >= RX)
        return st;
    /* (theta x r)_i = theta_j r_k - theta_k r_j with i, j, k in cyclic order */
    const int j = (dof + 1) % 3, k = (dof + 2) % 3;
    const double r_j = f->nodes[node].at[j] - f->nodes[master].at[j];
    const double r_k = f->nodes[node].at[k] - f->nodes[master].at[k];
    if (r_k != 0 && (st = expand(f, master, RX + j, factor * r_k, depth + 1, terms, err)))
        return st;
    return r_j != 0 ? expand(f, master, RX + k, -factor * r_j, depth + 1, terms, err) : YK_OK;
}

/* eq. (9) */
enum yk_status yk_frame_expand(const struct yk_frame *f, size_t node, int dof, struct yk_frame_terms *terms,
                               struct yk_err *err)
{
    terms->count = 0;
    return expand(f, node, dof, 1, 0, terms, err);
}

/* Entries of M and K, by place. */
struct assembling {
    const struct yk_frame *frame;
    bool outside; /* the stiffness of the member at hand is given elsewhere */
    bool *acted;  /* by place: mass or stiffness acts on it */
    size_t count, room;
    int *row, *col;
    double *k, *m;
};

static enum yk_status add_entry(struct assembling *a, int row, int col, double k, double m, struct yk_err *err)
{
    if (a->count == a->room) {
        const size_t room = a->room ? 2 * a->room : 1024;
        int *rows = realloc(a->row, room * sizeof *rows), *cols = realloc(a->col, room * sizeof *cols);
        double *ks = realloc(a->k, room * sizeof *ks), *ms = realloc(a->m, room * sizeof *ms);

        a->row = rows ? rows : a->row;
        a->col = cols ? cols : a->col;
        a->k = ks ? ks : a->k;
        a->m = ms ? ms : a->m;
        if (!rows || !cols || !ks || !ms)
            return yk_fail(err, YK_E_MEMORY, "out of memory for %zu entries of a frame", room);
        a->room = room;
    }
    a->acted[row] |= row == col && (k != 0 || m != 0);
    a->row[a->count] = row;
    a->col[a->count] = col;
    a->k[a->count] = a->outside ? 0 : k;
    a->m[a->count++] = m;
    return YK_OK;
}

/* The entry between two places, spread over the places they depend on. */
static enum yk_status spread(struct assembling *a, const struct yk_frame_terms *row, const struct yk_frame_terms *col,
                             double k, double m, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < row->count && !st; i++)
        for (size_t j = 0; j < col->count && !st; j++) {
            const double factor = row->factor[i] * col->factor[j];

            st = add_entry(a, row->place[i], col->place[j], factor * k, factor * m, err);
        }
    return st;
}

static enum yk_status add_member(struct assembling *a, const struct yk_frame_member *member, struct yk_err *err)
{
    const unsigned used = dofs_of(a->frame);
    struct yk_frame_terms terms[2 * DOFS];
    double K[4 * DOFS * DOFS], M[4 * DOFS * DOFS];
    enum yk_status st = yk_beam_matrices(&member->beam, K, M, err);

    a->outside = member->beam.outside;
    for (int i = 0; i < 2 * DOFS && !st; i++) {
        terms[i].count = 0;
        if (used >> i % DOFS & 1)
            st = yk_frame_expand(a->frame, member->ends[i / DOFS], i % DOFS, &terms[i], err);
    }
    for (int j = 0; j < 2 * DOFS && !st; j++)
        for (int i = 0; i < 2 * DOFS && !st; i++)
            if (K[i + j * 2 * DOFS] != 0 || M[i + j * 2 * DOFS] != 0)
                st = spread(a, &terms[i], &terms[j], K[i + j * 2 * DOFS], M[i + j * 2 * DOFS], err);
    return st;
}

static enum yk_status add_masses(struct assembling *a, struct yk_err *err)
{
    const unsigned used = dofs_of(a->frame);
    enum yk_status st = YK_OK;

    for (size_t n = 0; n < a->frame->node_count; n++)
        for (int d = 0; d < DOFS && !st; d++) {
            struct yk_frame_terms terms;

            if (a->frame->nodes[n].mass[d] != 0 && used >> d & 1 &&
                !(st = yk_frame_expand(a->frame, n, d, &terms, err)))
                st = spread(a, &terms, &terms, 0, a->frame->nodes[n].mass[d], err);
        }
    return st;
}

/* Rows of the degrees of freedom that stay: not fixed, not tied, and with something that acts on them. */
static enum yk_status number(const struct assembling *a, struct yk_frame_model *model, struct yk_err *err)
{
    const struct yk_frame *f = a->frame;

    for (size_t p = 0; p < f->node_count * DOFS; p++)
        model->index[p] = a->acted[p] ? 0 : YK_DOF_UNUSED;
    for (size_t n = 0; n < f->node_count; n++) {
        bool touched = false;

        for (size_t d = 0; d < DOFS; d++) {
            long *index = &model->index[n * DOFS + d];

            touched |= *index == 0 || f->nodes[n].link[d];
            if (f->nodes[n].link[d])
                *index = YK_DOF_TIED;
            else if (f->nodes[n].fixed >> d & 1)
                *index = YK_DOF_FIXED;
            else if (*index == 0)
                *index = (long)model->n++;
        }
        if (!touched)
            return yk_fail(err, YK_E_INPUT, "node '%s' is not attached: it has no member, mass or rigid link",
                           f->nodes[n].name);
    }
    return model->n ? YK_OK : yk_fail(err, YK_E_INPUT, "no degree of freedom is left to move");
}

/* Entries of rows that stay: into the matrices where the column stays too, into `support` where it is held. */
static enum yk_status gather(struct assembling *a, struct yk_frame_model *model, struct yk_err *err)
{
    size_t kept = 0;
    enum yk_status st;

    for (size_t e = 0; e < a->count; e++) {
        const long row = model->index[a->row[e]], col = model->index[a->col[e]];
        const int dof = a->col[e] % DOFS;

        if (row >= 0 && col == YK_DOF_FIXED && dof < 3)
            model->support[row + (long)model->n * dof] += a->m[e];
        if (row < 0 || col < 0)
            continue;
        a->row[kept] = (int)row;
        a->col[kept] = (int)col;
        a->k[kept] = a->k[e];
        a->m[kept++] = a->m[e];
    }
    if (!(st = yk_matrix_from_triplets(&model->K, model->n, model->n, kept, a->row, a->col, a->k, err)))
        st = yk_matrix_from_triplets(&model->M, model->n, model->n, kept, a->row, a->col, a->m, err);
    return st;
}

enum yk_status yk_frame_assemble(const struct yk_frame *f, struct yk_frame_model *model, struct yk_err *err)
{
    struct assembling a = {.frame = f};
    enum yk_status st;

    *model = (struct yk_frame_model){0};
    if (f->node_count > INT32_MAX / DOFS)
        return yk_fail(err, YK_E_RANGE, "%zu nodes are more than a frame can have", f->node_count);
    model->index = calloc(f->node_count * DOFS + 1, sizeof *model->index);
    a.acted = calloc(f->node_count * DOFS + 1, sizeof *a.acted);
    st = model->index && a.acted ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for %zu nodes", f->node_count);
    for (size_t i = 0; i < f->member_count && !st; i++)
        st = add_member(&a, &f->members[i], err);
    if (st || (st = add_masses(&a, err)) || (st = number(&a, model, err)))
        goto end;
    if ((model->support = calloc(3 * model->n, sizeof *model->support)))
        st = gather(&a, model, err);
    else
        st = yk_fail(err, YK_E_MEMORY, "out of memory for %zu degrees of freedom", model->n);
end:
    free(a.acted);
    free(a.row);
    free(a.col);
    free(a.k);
    free(a.m);
    if (st)
        yk_frame_model_fini(model);
    return st;
}

void yk_frame_model_fini(struct yk_frame_model *model)
{
    yk_matrix_fini(&model->M);
    yk_matrix_fini(&model->K);
    free(model->index);
    free(model->support);
    *model = (struct yk_frame_model){0};
}
