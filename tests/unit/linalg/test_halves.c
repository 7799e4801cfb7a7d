/* Solves of large sparse factors in two halves, with a helper thread and without: the same bits, nothing that the loop
 * must not do. Expected values: x itself, from b = A x. */
#include "support/check.h"
#include "support/trap.h"

#include "base/helper.h"
#include "linalg/supernodal.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { SIDE = 110, ORDER = SIDE * SIDE, ROUNDS = 100 };

/* A membrane of SIDE x SIDE nodes with springs to all eight neighbours and to the ground. */
static void membrane(struct yk_matrix *A, int side)
{
    const size_t most = (size_t)(side * side) * 9;
    int *row = malloc(most * sizeof *row), *col = malloc(most * sizeof *col);
    double *value = malloc(most * sizeof *value);
    size_t count = 0;

    for (int j = 0; j < side * side; j++)
        for (int d = 0; d < 9; d++) {
            const int x = j % side + d % 3 - 1, y = j / side + d / 3 - 1;

            if (x < 0 || y < 0 || x >= side || y >= side)
                continue;
            row[count] = x + y * side;
            col[count] = j;
            value[count++] = d == 4 ? 8.01 : -1;
        }
    assert_ok(yk_matrix_from_triplets(A, (size_t)(side * side), (size_t)(side * side), count, row, col, value, &err));
    free(row);
    free(col);
    free(value);
}

struct large {
    struct yk_matrix A;
    struct yk_supernodal *s;
    double *numbers, *work, *x, *b;
};

static void large_open(struct large *l, int side)
{
    struct yk_pivots pivots;
    double *work;
    int *iwork;

    membrane(&l->A, side);
    assert_ok(yk_supernodal_create(&l->s, &l->A, &err));
    l->numbers = calloc(l->s->numbers, sizeof *l->numbers);
    l->work = calloc(l->s->solve_work, sizeof *l->work);
    l->x = calloc(l->s->n, sizeof *l->x);
    l->b = calloc(l->s->n, sizeof *l->b);
    work = calloc(l->s->factor_work, sizeof *work);
    iwork = calloc(l->s->iwork, sizeof *iwork);
    assert_int_equal(yk_supernodal_factor(l->s, l->A.x, l->numbers, work, iwork, &pivots), YK_OK);
    free(work);
    free(iwork);
    for (size_t i = 0; i < l->s->n; i++)
        l->x[i] = sin(0.1 * (double)i) + 2;
}

static void large_close(struct large *l)
{
    yk_supernodal_destroy(l->s);
    yk_matrix_fini(&l->A);
    free(l->numbers);
    free(l->work);
    free(l->x);
    free(l->b);
}

/* b := A x, then solved */
static void solve(struct large *l)
{
    memset(l->b, 0, l->s->n * sizeof *l->b);
    yk_matrix_add_product(&l->A, 1, l->x, l->b);
    yk_supernodal_solve(l->s, l->numbers, l->work, l->b);
}

static void halves_hold_every_supernode_once_and_about_the_same_work(void **state)
{
    struct large l;
    double work[3] = {0};
    int *seen;

    large_open(&l, SIDE);
    seen = calloc(l.s->count, sizeof *seen);
    for (int list = 0; list < 3; list++)
        for (int i = l.s->share[list]; i < l.s->share[list + 1]; i++) {
            const int k = l.s->part[i];

            seen[k]++;
            work[list] += (double)(l.s->block[k + 1] - l.s->block[k]);
        }
    for (size_t k = 0; k < l.s->count; k++)
        assert_int_equal(seen[k], 1);
    assert_true(work[0] > 0 && work[1] > 0);
    assert_true(work[2] + fmax(work[0], work[1]) < 0.8 * (work[0] + work[1] + work[2]));
    free(seen);
    large_close(&l);
}

static void small_factor_has_no_halves(void **state)
{
    struct large l;

    large_open(&l, 10);
    assert_int_equal(l.s->share[2], 0);
    solve(&l);
    for (size_t i = 0; i < l.s->n; i++)
        assert_near(l.b[i], l.x[i], 1e-12);
    large_close(&l);
}

static void helper_changes_no_bit(void **state)
{
    struct large l;
    struct yk_helper *helper;
    double *alone;

    large_open(&l, SIDE);
    alone = malloc(l.s->n * sizeof *alone);
    solve(&l);
    memcpy(alone, l.b, l.s->n * sizeof *alone);
    for (size_t i = 0; i < l.s->n; i++)
        assert_near(l.b[i], l.x[i], 1e-9);
    assert_ok(yk_helper_hire(&helper, &err));
    yk_helper_assign(helper);
    for (int k = 0; k < ROUNDS; k++) {
        solve(&l);
        assert_memory_equal(l.b, alone, l.s->n * sizeof *alone);
    }
    yk_helper_dismiss(helper);
    solve(&l); /* without it again */
    assert_memory_equal(l.b, alone, l.s->n * sizeof *alone);
    free(alone);
    large_close(&l);
}

static void solve_often(void *large)
{
    for (int k = 0; k < ROUNDS; k++)
        solve(large);
}

static void solve_with_a_helper_makes_no_heap_call_nor_system_call(void **state)
{
    struct yk_helper *helper;
    struct large l;

    large_open(&l, SIDE);
    assert_ok(yk_helper_hire(&helper, &err));
    yk_helper_assign(helper);
    solve_often(&l);
    assert_clean(solve_often, &l);
    yk_helper_dismiss(helper);
    large_close(&l);
}

/* ---- the helper itself ---- */

struct shares {
    pthread_t who[2];
    atomic_int done[2];
};

static void note(void *self, int which)
{
    struct shares *s = self;

    s->who[which] = pthread_self();
    atomic_fetch_add(&s->done[which], 1);
    if (which == 0) /* leave the helper time to come */
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static void second_half_is_done_once_and_by_the_helper_if_it_is_there(void **state)
{
    struct shares s = {0};
    struct yk_helper *helper;
    int rounds = 0;
    bool helped = false;

    yk_in_halves(note, &s); /* alone */
    assert_true(pthread_equal(s.who[1], pthread_self()));
    assert_ok(yk_helper_hire(&helper, &err));
    yk_helper_assign(helper);
    for (; rounds < 2000 && !helped; rounds++) {
        yk_in_halves(note, &s);
        helped = !pthread_equal(s.who[1], pthread_self());
        assert_true(pthread_equal(s.who[0], pthread_self()));
    }
    assert_true(helped);
    assert_int_equal(atomic_load(&s.done[0]), rounds + 1);
    assert_int_equal(atomic_load(&s.done[1]), rounds + 1);
    yk_helper_dismiss(helper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_hold_every_supernode_once_and_about_the_same_work),
        cmocka_unit_test(small_factor_has_no_halves),
        cmocka_unit_test(helper_changes_no_bit),
        cmocka_unit_test(solve_with_a_helper_makes_no_heap_call_nor_system_call),
        cmocka_unit_test(second_half_is_done_once_and_by_the_helper_if_it_is_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
