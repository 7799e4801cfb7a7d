/* A = L D L^T in supernodes.
 *
 * Order of elimination: AMD, then a postorder of the elimination tree, so that the columns of a subtree are neighbours.
 * Columns with the same rows become supernodes; a supernode joins its parent where that stores few zeros more (relaxed
 * supernodes: Ashcraft and Grimes, ACM Trans. Math. Software 15 (1989) 291-309). Wide ones are cut into panels. The
 * factor looks left: a supernode is brought up to date with those before it that have rows in its columns, block by
 * block, then factored as a dense panel. A block holds `width` columns of its triangle and of the rows below, column by
 * column; reciprocal pivots stand on its diagonal, the pivots D behind the last block. */
#include "linalg/supernodal.h"

#include "base/helper.h"
#include "linalg/blas.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <amd.h>
#include <ldl.h>

#define NOWHERE SIZE_MAX
#define LOST    1e-15 /* a pivot this far below its own diagonal entry is nothing but rounding */

enum {
    PANEL = 64,           /* columns of a supernode at the most */
    BLAS_FROM = 1000001,  /* multiplications: below, OpenBLAS takes memory from the heap for every product */
    HALVES_FROM = 200000, /* numbers of L: a solve of about 100 us */
    MOST_SUBTREES = 200   /* that are shared out between the halves */
};

static enum yk_status no_memory(size_t n, struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for the factors of order %zu", n);
}

static size_t width_of(const struct yk_supernodal *s, size_t k)
{
    return (size_t)(s->first[k + 1] - s->first[k]);
}

static size_t rows_below(const struct yk_supernodal *s, size_t k)
{
    return s->below[k + 1] - s->below[k];
}

static size_t height_of(const struct yk_supernodal *s, size_t k)
{
    return width_of(s, k) + rows_below(s, k);
}

/* ---- analysis ---------------------------------------------------------------------------------------------------- */

/* Columns of L in the order of elimination; all n long. */
struct columns {
    int *parent, *count; /* in the elimination tree (-1: root); entries below the diagonal */
    int *inverse;        /* of P */
    int *mark, *scratch; /* room; mark: -1 when free */
    int *last;           /* of the group that begins with a column: the column behind it; 0: none begins here */
    int *block;          /* all of the above */
};

/* Postorder of the tree: order[k] is the column that comes k-th. Children are taken by rising number. */
static void postorder(size_t n, const int *parent, int *order, int *child, int *sibling)
{
    size_t placed = 0;

    for (size_t k = 0; k < n; k++)
        child[k] = -1;
    for (size_t k = n; k-- > 0;)
        if (parent[k] >= 0) {
            sibling[k] = child[parent[k]];
            child[parent[k]] = (int)k;
        }
    for (size_t root = 0; root < n; root++) {
        int k = (int)root;

        while (parent[root] < 0 && k >= 0) {
            if (child[k] >= 0) { /* down; the way back is kept in place of the child */
                const int down = child[k];

                child[k] = sibling[down];
                sibling[down] = k;
                k = down;
            } else {
                order[placed++] = k;
                k = k == (int)root ? -1 : sibling[k];
            }
        }
    }
}

/* Order of elimination, its tree and the lengths of its columns. */
static enum yk_status order_columns(struct yk_supernodal *s, const struct yk_matrix *A, struct columns *c,
                                    struct yk_err *err)
{
    const size_t n = s->n;
    int *order = yk_ints(4 * n), *P = order + n, *parent = P + n, *count = parent + n;
    int *Lp = yk_ints(n + 1);
    enum yk_status st = YK_OK;

    if (!order || !Lp || amd_order((int)n, A->col, A->row, P, NULL, NULL) < AMD_OK) {
        st = no_memory(n, err);
        goto fail;
    }
    ldl_symbolic((int)n, A->col, A->row, Lp, parent, count, c->mark, P, c->inverse);
    postorder(n, parent, order, c->mark, c->scratch);
    for (size_t k = 0; k < n; k++)
        c->mark[order[k]] = (int)k; /* new number of a column */
    for (size_t k = 0; k < n; k++) {
        const int old = order[k];

        s->P[k] = P[old];
        c->inverse[P[old]] = (int)k;
        c->count[k] = count[old];
        c->parent[k] = parent[old] < 0 ? -1 : c->mark[parent[old]];
    }
fail:
    free(Lp);
    free(order);
    return st;
}

/* May a group of `width` columns keep `zeros` among its `entries`? */
static bool worth_joining(size_t width, double zeros, double entries)
{
    return width <= 4 || (width <= 16 && zeros < 0.6 * entries) || (width <= 48 && zeros < 0.1 * entries) ||
           zeros < 0.05 * entries;
}

/* Columns with the same rows as the column after them, its parent, form a group with it. */
static void group_equal(size_t n, struct columns *c)
{
    size_t begin = 0;

    for (size_t k = 1; k <= n; k++)
        if (k == n || c->parent[k - 1] != (int)k || c->count[k - 1] != c->count[k] + 1) {
            c->last[begin] = (int)k;
            begin = k;
        }
}

/* A group joins the one after it, its parent, where few zeros are stored for it; from the last to the first. */
static void join_groups(size_t n, struct columns *c)
{
    size_t begin = n, end = n;
    double zeros = 0;

    for (size_t k = n; k-- > 0;) {
        const size_t width = begin - k, whole = end - k;
        double below, more;

        if (!c->last[k])
            continue;
        if (begin < n && c->parent[begin - 1] == (int)begin) {
            below = c->count[begin] - (double)(end - begin - 1); /* rows below the group */
            more = (double)width * ((double)whole + below - 1 - c->count[k]);
            if (worth_joining(whole, zeros + more, (double)whole * (0.5 * (double)whole + below))) {
                c->count[k] = (int)(whole + (size_t)below) - 1;
                c->last[k] = (int)end;
                c->last[begin] = 0;
                zeros += more;
                begin = k;
                continue;
            }
        }
        end = (size_t)c->last[k];
        begin = k;
        zeros = 0;
    }
}

/* The rows below the group [begin, end) into `out`, increasing: those of A in its columns and those of the groups whose
 * parent is in it. Marks every row with `begin`. */
static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static size_t add_row(struct columns *c, int begin, int end, int row, int *out, size_t count)
{
    if (row < end || c->mark[row] == begin)
        return count;
    c->mark[row] = begin;
    out[count] = row;
    return count + 1;
}

/* Panels of every group, with their rows. Groups are kept by their first panel: `child` lists the groups that hang on a
 * column's group, by first column. */
static enum yk_status list_rows(struct yk_supernodal *s, const struct yk_matrix *A, struct columns *c,
                                struct yk_err *err)
{
    const size_t n = s->n;
    size_t room = 4 * n + 16, used = 0;
    size_t *start = malloc((n + 1) * sizeof *start); /* of a group, by its first column: its rows in `row` */
    int *child = yk_ints(n), *sibling = yk_ints(n), *group = yk_ints(n);
    enum yk_status st = YK_OK;

    s->row = malloc(room * sizeof *s->row);
    if (!start || !child || !sibling || !group || !s->row) {
        st = no_memory(n, err);
        goto fail;
    }
    for (size_t k = 0; k < n; k++)
        child[k] = c->mark[k] = -1;
    for (size_t begin = 0; begin < n; begin = (size_t)c->last[begin])
        for (int k = (int)begin; k < c->last[begin]; k++)
            group[k] = (int)begin;
    for (size_t begin = 0; begin < n; begin = (size_t)c->last[begin]) {
        const int b = (int)begin, end = c->last[begin], width = end - b, panels = (width + PANEL - 1) / PANEL;
        const size_t most = (size_t)c->count[begin] + 1; /* rows of its first column */
        size_t count = 0;
        int *rows;

        if (used + (size_t)panels * most > room) {
            int *larger = realloc(s->row, (room = 2 * room + (size_t)panels * most) * sizeof *larger);

            if (!larger) {
                st = no_memory(n, err);
                goto fail;
            }
            s->row = larger;
        }
        /* the last panel has the rows below the group, those before it also the columns between */
        rows = c->scratch;
        for (int k = b; k < end; k++)
            for (int e = A->col[s->P[k]]; e < A->col[s->P[k] + 1]; e++)
                count = add_row(c, b, end, c->inverse[A->row[e]], rows, count);
        for (int g = child[b]; g >= 0; g = sibling[g])
            for (size_t e = start[g]; e < start[g] + (size_t)c->count[g]; e++)
                count = add_row(c, b, end, s->row[e], rows, count);
        qsort(rows, count, sizeof *rows, compare);
        for (int p = 0; p < panels; p++) {
            const int from = b + width * p / panels, to = b + width * (p + 1) / panels;

            for (int k = from; k < to; k++)
                s->owner[k] = (int)s->count;
            s->first[s->count] = from;
            s->below[s->count++] = used;
            for (int k = to; k < end; k++)
                s->row[used++] = k;
            if (p + 1 == panels)
                start[b] = used;
            if (count)
                memcpy(s->row + used, rows, count * sizeof *rows);
            used += count;
        }
        c->count[b] = (int)count; /* from now on: rows below the group */
        if (count) {
            const int g = group[rows[0]];

            sibling[b] = child[g];
            child[g] = b;
        }
    }
    s->first[s->count] = (int)n;
    s->below[s->count] = used;
fail:
    free(group);
    free(sibling);
    free(child);
    free(start);
    return st;
}

/* Starts of the blocks, and room for numbers and work. */
static enum yk_status measure_blocks(struct yk_supernodal *s, struct yk_err *err)
{
    size_t numbers = 0, below = 0;

    for (size_t k = 0; k < s->count; k++) {
        const double height = (double)height_of(s, k);

        s->block[k] = numbers;
        numbers += width_of(s, k) * height_of(s, k);
        below = rows_below(s, k) > below ? rows_below(s, k) : below;
        s->multiplications += 0.5 * (double)width_of(s, k) * height * height;
    }
    s->block[s->count] = numbers;
    s->numbers = numbers + s->n;
    s->factor_work = (size_t)PANEL * (PANEL + below);
    s->solve_work = 2 * (s->n + below + PANEL); /* for each half */
    s->iwork = 3 * s->count + s->n;
    if (numbers > INT32_MAX)
        return no_memory(s->n, err);
    return YK_OK;
}

/* Place in L of every entry of the pattern. */
static enum yk_status place_entries(struct yk_supernodal *s, const struct yk_matrix *A, struct columns *c,
                                    struct yk_err *err)
{
    s->entries = (size_t)A->col[s->n];
    if (!(s->place = malloc((s->entries + 1) * sizeof *s->place)))
        return no_memory(s->n, err);
    for (size_t k = 0; k < s->count; k++) {
        const size_t width = width_of(s, k), height = height_of(s, k);

        for (size_t i = 0; i < width; i++)
            c->mark[s->first[k] + (int)i] = (int)i;
        for (size_t i = 0; i < height - width; i++)
            c->mark[s->row[s->below[k] + i]] = (int)(width + i);
        for (size_t j = 0; j < width; j++) {
            const int column = s->first[k] + (int)j, old = s->P[column];

            for (int e = A->col[old]; e < A->col[old + 1]; e++) {
                const int i = c->inverse[A->row[e]];

                s->place[e] = i < column ? NOWHERE : s->block[k] + j * height + (size_t)c->mark[i];
            }
        }
    }
    return YK_OK;
}

/* ---- halves ------------------------------------------------------------------------------------------------------ */

struct subtree {
    double work; /* numbers of L */
    int root;
    int half;
};

static int heavier_first(const void *a, const void *b)
{
    const struct subtree *x = a, *y = b;

    return x->work != y->work ? (x->work < y->work) - (x->work > y->work) : (x->root > y->root) - (x->root < y->root);
}

static double own_work(const struct yk_supernodal *s, size_t k)
{
    return (double)(s->block[k + 1] - s->block[k]);
}

/* Shares the subtrees out, the heaviest first; returns the larger half. */
static double share_out(struct subtree *tree, size_t count)
{
    double half[2] = {0, 0};

    qsort(tree, count, sizeof *tree, heavier_first);
    for (size_t i = 0; i < count; i++) {
        tree[i].half = half[1] < half[0];
        half[tree[i].half] += tree[i].work;
    }
    return fmax(half[0], half[1]);
}

/* Opens the heaviest subtree, again and again: its root goes to the top, its children become subtrees. Keeps the state
 * with the shortest way, top and larger half; half[k] of a supernode: 0, 1, or 2 for the top. */
static double divide(const struct yk_supernodal *s, const int *parent, const double *work, struct subtree *tree,
                     unsigned char *half)
{
    double top = 0, shortest = INFINITY;
    size_t count = 0;

    for (size_t k = 0; k < s->count; k++)
        if (parent[k] < 0 && count < MOST_SUBTREES)
            tree[count++] = (struct subtree){work[k], (int)k, 0};
    while (count > 0 && count < MOST_SUBTREES) {
        const double larger = share_out(tree, count);
        const int opened = tree[0].root;

        if (top + larger < shortest) {
            shortest = top + larger;
            memset(half, 2, s->count);
            for (size_t i = 0; i < count; i++)
                half[tree[i].root] = (unsigned char)tree[i].half;
        }
        if (top > shortest)
            break;
        top += own_work(s, (size_t)opened);
        tree[0] = tree[--count];
        for (int k = 0; k < opened && count < MOST_SUBTREES; k++)
            if (parent[k] == opened)
                tree[count++] = (struct subtree){work[k], k, 0};
    }
    return shortest;
}

/* The supernodes of the halves and of the top, or all in the top where two threads gain less than a fifth. */
static enum yk_status find_halves(struct yk_supernodal *s, struct yk_err *err)
{
    struct subtree *tree = malloc((MOST_SUBTREES + 1) * sizeof *tree);
    unsigned char *half = malloc(s->count + 1);
    double *work = yk_doubles(s->count), total = 0;
    int *parent = yk_ints(s->count), count = 0;
    enum yk_status st = YK_OK;

    s->part = yk_ints(s->count);
    if (!tree || !half || !work || !parent || !s->part) {
        st = no_memory(s->n, err);
        goto end;
    }
    for (size_t k = 0; k < s->count; k++) { /* children come before their parents */
        parent[k] = rows_below(s, k) ? s->owner[s->row[s->below[k]]] : -1;
        work[k] += own_work(s, k);
        total += own_work(s, k);
        if (parent[k] >= 0)
            work[parent[k]] += work[k];
    }
    if (s->numbers < HALVES_FROM || divide(s, parent, work, tree, half) > 0.8 * total)
        memset(half, 2, s->count);
    for (size_t k = s->count; k-- > 0;) /* below the root of a subtree all belong to its half */
        if (parent[k] >= 0 && half[parent[k]] < 2)
            half[k] = half[parent[k]];
    for (int list = 0; list < 3; list++) {
        s->share[list] = count;
        for (size_t k = 0; k < s->count; k++)
            if (half[k] == list)
                s->part[count++] = (int)k;
    }
    s->share[3] = count;
end:
    free(tree);
    free(half);
    free(work);
    free(parent);
    return st;
}

enum yk_status yk_supernodal_create(struct yk_supernodal **created, const struct yk_matrix *A, struct yk_err *err)
{
    const size_t n = A->rows;
    struct yk_supernodal *s = calloc(1, sizeof *s);
    struct columns c = {.block = yk_ints(6 * n)};
    enum yk_status st = YK_E_MEMORY;

    *created = NULL;
    if (!s || !c.block || !(s->P = yk_ints(n)) || !(s->owner = yk_ints(n)) || !(s->first = yk_ints(n + 1)) ||
        !(s->block = calloc(n + 1, sizeof *s->block)) || !(s->below = calloc(n + 1, sizeof *s->below))) {
        st = no_memory(n, err);
        goto fail;
    }
    c.parent = c.block;
    c.count = c.parent + n;
    c.inverse = c.count + n;
    c.mark = c.inverse + n;
    c.scratch = c.mark + n;
    c.last = c.scratch + n;
    s->n = n;
    if ((st = order_columns(s, A, &c, err)))
        goto fail;
    group_equal(n, &c);
    join_groups(n, &c);
    if ((st = list_rows(s, A, &c, err)) || (st = measure_blocks(s, err)) || (st = place_entries(s, A, &c, err)) ||
        (st = find_halves(s, err)))
        goto fail;
    *created = s;
    s = NULL;
fail:
    free(c.block);
    yk_supernodal_destroy(s);
    return st;
}

void yk_supernodal_destroy(struct yk_supernodal *s)
{
    if (!s)
        return;
    free(s->P);
    free(s->first);
    free(s->owner);
    free(s->block);
    free(s->below);
    free(s->row);
    free(s->place);
    free(s->part);
    free(s);
}

/* ---- factor ------------------------------------------------------------------------------------------------------ */

/* C (rows x cols) := L X, L rows x width with its columns `stride` apart, X width x cols */
YK_RT static void multiply(size_t rows, size_t cols, size_t width, size_t stride, const double *L, const double *X,
                           double *C)
{
    if (rows * cols * width < BLAS_FROM) {
        yk_multiply(rows, cols, width, stride, L, X, C);
    } else {
        const int m = (int)rows, n = (int)cols, k = (int)width, ldl = (int)stride;
        const double one = 1, zero = 0;

        dgemm_("N", "N", &m, &n, &k, &one, L, &ldl, X, &k, &zero, C, &m);
    }
}

/* Subtracts the contribution of supernode d, from its row `from` on, from the columns of supernode k, which hold the
 * first `cols` of these rows. place: of a row in the block of k. */
YK_RT static void update(const struct yk_supernodal *s, size_t k, size_t d, size_t from, size_t cols, const int *place,
                         double *numbers, double *work)
{
    const size_t width = width_of(s, d), height = height_of(s, d), rows = rows_below(s, d) - from;
    const size_t target_height = height_of(s, k);
    const double *L = numbers + s->block[d] + width + from, *D = numbers + s->block[s->count] + s->first[d];
    const int *row = s->row + s->below[d] + from;
    double *X = work, *C = work + (size_t)PANEL * PANEL, *target = numbers + s->block[k];

    for (size_t j = 0; j < cols; j++)
        for (size_t i = 0; i < width; i++)
            X[i + j * width] = L[j + i * height] * D[i];
    multiply(rows, cols, width, height, L, X, C);
    for (size_t j = 0; j < cols; j++) {
        double *column = target + (size_t)(row[j] - s->first[k]) * target_height;

        for (size_t i = j; i < rows; i++)
            column[place[row[i]]] -= C[i + j * rows];
    }
}

/* The dense block of supernode k, column by column; size: of the diagonal entries of A. */
YK_RT static bool factor_block(const struct yk_supernodal *s, size_t k, const double *size, double *numbers, double *x,
                               struct yk_pivots *pivots)
{
    const size_t width = width_of(s, k), height = height_of(s, k);
    double *L = numbers + s->block[k], *D = numbers + s->block[s->count] + s->first[k];

    for (size_t j = 0; j < width; j++) {
        double *column = L + j * height, reciprocal;

        for (size_t i = 0; i < j; i++)
            x[i] = L[j + i * height] * D[i];
        yk_add_columns(height - j, j, height, -1, L + j, x, column + j);
        D[j] = column[j];
        if (!(fabs(D[j]) > LOST * size[j]) || isinf(D[j])) {
            pivots->lost = (size_t)s->P[s->first[k] + (int)j];
            return false;
        }
        pivots->negative += D[j] < 0;
        column[j] = reciprocal = 1 / D[j];
        for (size_t i = j + 1; i < height; i++)
            column[i] *= reciprocal;
    }
    return true;
}

YK_RT enum yk_status yk_supernodal_factor(const struct yk_supernodal *s, const double *x, double *numbers, double *work,
                                          int *iwork, struct yk_pivots *pivots)
{
    int *place = iwork, *waiting = place + s->n, *next = waiting + s->count, *from = next + s->count;
    double size[PANEL];

    *pivots = (struct yk_pivots){0};
    memset(numbers, 0, s->block[s->count] * sizeof *numbers);
    for (size_t e = 0; e < s->entries; e++)
        if (s->place[e] != NOWHERE)
            numbers[s->place[e]] += x[e];
    for (size_t k = 0; k < s->count; k++)
        waiting[k] = -1; /* supernodes whose next rows are columns of this one */
    for (size_t k = 0; k < s->count; k++) {
        const size_t width = width_of(s, k), height = height_of(s, k);
        const int *row = s->row + s->below[k];

        for (size_t j = 0; j < width; j++) {
            place[s->first[k] + (int)j] = (int)j;
            size[j] = fabs(numbers[s->block[k] + j * (height + 1)]);
        }
        for (size_t i = 0; i < height - width; i++)
            place[row[i]] = (int)(width + i);
        for (int d = waiting[k], after; d >= 0; d = after) {
            const int *its = s->row + s->below[d];
            const size_t rows = rows_below(s, (size_t)d), begin = (size_t)from[d];
            size_t end = begin;

            after = next[d];
            while (end < rows && its[end] < s->first[k + 1])
                end++;
            update(s, k, (size_t)d, begin, end - begin, place, numbers, work);
            if (end < rows) { /* on to the supernode of its next row */
                from[d] = (int)end;
                next[d] = waiting[s->owner[its[end]]];
                waiting[s->owner[its[end]]] = d;
            }
        }
        if (!factor_block(s, k, size, numbers, work, pivots))
            return YK_E_SINGULAR;
        if (height > width) {
            from[k] = 0;
            next[k] = waiting[s->owner[row[0]]];
            waiting[s->owner[row[0]]] = (int)k;
        }
    }
    return YK_OK;
}

/* ---- solve ------------------------------------------------------------------------------------------------------- */

/* The own rows of block k, from x to `part` or back. */
YK_RT static void copy_rows(size_t count, const double *from, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

/* A solve under way. What the second half adds to the top waits in `sum`, so that nobody writes where another one does.
 */
struct solving {
    const struct yk_supernodal *s;
    const double *numbers;
    double *x, *sum;   /* n each */
    double *column[2]; /* the rows of a block, of each half */
};

YK_RT static void sweep_down(const struct solving *v, size_t k, double *column, bool apart)
{
    const struct yk_supernodal *s = v->s;
    const size_t width = width_of(s, k), height = height_of(s, k);
    const int *row = s->row + s->below[k];
    double *own = v->x + s->first[k], *to = apart ? v->sum : v->x;

    copy_rows(width, own, column);
    for (size_t i = width; i < height; i++)
        column[i] = 0;
    yk_sweep_down(height, width, v->numbers + s->block[k], column);
    copy_rows(width, column, own);
    for (size_t i = width; i < height; i++)
        to[row[i - width]] += column[i];
}

YK_RT static void sweep_back(const struct solving *v, size_t k, double *column)
{
    const struct yk_supernodal *s = v->s;
    const size_t width = width_of(s, k), height = height_of(s, k);
    const int *row = s->row + s->below[k];
    double *own = v->x + s->first[k];

    copy_rows(width, own, column);
    for (size_t i = width; i < height; i++)
        column[i] = v->x[row[i - width]];
    yk_sweep_back(height, width, v->numbers + s->block[k], column);
    copy_rows(width, column, own);
}

/* List 0, 1 or 2: a half or the top. */
YK_RT static void go_down(void *self, int list)
{
    const struct solving *v = self;
    const struct yk_supernodal *s = v->s;

    for (int i = s->share[list]; i < s->share[list + 1]; i++) {
        const size_t k = (size_t)s->part[i];

        if (list == 1) /* its columns take what was added to them */
            for (int c = s->first[k]; c < s->first[k + 1]; c++)
                v->x[c] += v->sum[c];
        sweep_down(v, k, v->column[list & 1], list == 1);
    }
}

YK_RT static void go_back(void *self, int list)
{
    const struct solving *v = self;
    const struct yk_supernodal *s = v->s;

    for (int i = s->share[list + 1]; i-- > s->share[list];)
        sweep_back(v, (size_t)s->part[i], v->column[list & 1]);
}

YK_RT void yk_supernodal_solve(const struct yk_supernodal *s, const double *numbers, double *work, double *b)
{
    const size_t n = s->n, rows = s->solve_work / 2 - n;
    const bool halves = s->share[2] > 0;
    struct solving v = {.s = s, .numbers = numbers};

    v.x = work;
    v.sum = v.x + n;
    v.column[0] = v.sum + n;
    v.column[1] = v.column[0] + rows;
    for (size_t i = 0; i < n; i++)
        v.x[i] = b[s->P[i]];
    if (halves) {
        memset(v.sum, 0, n * sizeof *v.sum);
        yk_in_halves(go_down, &v);
        for (int i = s->share[2]; i < s->share[3]; i++)
            for (int c = s->first[s->part[i]]; c < s->first[s->part[i] + 1]; c++)
                v.x[c] += v.sum[c];
    }
    go_down(&v, 2);
    go_back(&v, 2);
    if (halves)
        yk_in_halves(go_back, &v);
    for (size_t i = 0; i < n; i++)
        b[s->P[i]] = v.x[i];
}
