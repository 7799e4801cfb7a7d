/* The ring between the loop and the recorder: order, wrap-around, drops, two threads. */
#include "support/check.h"

#include "base/ring.h"
#include <pthread.h>
#include <sched.h>

static struct yk_ring *ring_of(size_t row_doubles, size_t capacity)
{
    struct yk_ring *ring = NULL;

    assert_ok(yk_ring_create(&ring, row_doubles, capacity, &err));
    return ring;
}

static void rows_come_out_in_order_and_whole(void **state)
{
    struct yk_ring *ring = ring_of(3, 8);
    double out[8 * 3];

    for (int i = 0; i < 5; i++)
        assert_true(yk_ring_push(ring, (double[]){i, 10.0 * i, -i}));
    assert_int_equal(yk_ring_pop(ring, out, 2), 2);
    assert_int_equal(yk_ring_pop(ring, out + 6, 8), 3);
    assert_int_equal(yk_ring_pop(ring, out, 8), 0);
    for (int i = 0; i < 5; i++) {
        assert_true(out[3 * i] == i);
        assert_true(out[3 * i + 1] == 10.0 * i);
        assert_true(out[3 * i + 2] == -i);
    }
    yk_ring_destroy(ring);
}

static void rows_wrap_around_the_end(void **state)
{
    struct yk_ring *ring = ring_of(2, 4);
    double out[4 * 2], next_in = 0, next_out = 0;

    for (int turn = 0; turn < 100; turn++) { /* 3 in, 3 out: the seam falls at every place */
        for (int i = 0; i < 3; i++, next_in++)
            assert_true(yk_ring_push(ring, (double[]){next_in, -next_in}));
        assert_int_equal(yk_ring_pop(ring, out, 4), 3);
        for (int i = 0; i < 3; i++, next_out++) {
            assert_true(out[2 * i] == next_out);
            assert_true(out[2 * i + 1] == -next_out);
        }
    }
    assert_int_equal(yk_ring_pushed(ring), 300);
    assert_int_equal(yk_ring_dropped(ring), 0);
    yk_ring_destroy(ring);
}

static void ring_counts_drops_when_reader_stalls(void **state)
{
    struct yk_ring *ring = ring_of(1, 5); /* becomes 8 */
    double out[16];

    for (int i = 0; i < 20; i++) {
        assert_int_equal(yk_ring_has_room(ring), i < 8);
        assert_int_equal(yk_ring_push(ring, (double[]){i}), i < 8);
    }
    assert_int_equal(yk_ring_dropped(ring), 12);
    assert_int_equal(yk_ring_pushed(ring), 8);
    assert_int_equal(yk_ring_pop(ring, out, 16), 8); /* the oldest rows are kept */
    for (int i = 0; i < 8; i++)
        assert_true(out[i] == i);
    assert_true(yk_ring_push(ring, (double[]){20}));
    assert_int_equal(yk_ring_dropped(ring), 12);
    yk_ring_destroy(ring);
}

static void impossible_sizes_are_refused(void **state)
{
    struct yk_ring *ring;

    assert_refused(yk_ring_create(&ring, 0, 8, &err), YK_E_RANGE, "8 rows of 0 numbers");
    assert_refused(yk_ring_create(&ring, 8, 0, &err), YK_E_RANGE, "0 rows of 8 numbers");
    assert_refused(yk_ring_create(&ring, 8, SIZE_MAX, &err), YK_E_MEMORY, "do not fit");
    assert_refused(yk_ring_create(&ring, SIZE_MAX / 8, 1024, &err), YK_E_MEMORY, "do not fit");
    assert_null(ring);
    yk_ring_destroy(NULL);
}

enum { ROWS = 1000000, WIDTH = 5 };

static void *produce(void *ring)
{
    for (int i = 0; i < ROWS; i++) {
        while (!yk_ring_has_room(ring))
            sched_yield();
        yk_ring_push(ring, (double[]){i, i + 0.25, i + 0.5, i + 0.75, -i});
    }
    return NULL;
}

static void two_threads_pass_a_million_rows(void **state)
{
    struct yk_ring *ring = ring_of(WIDTH, 256);
    double out[100 * WIDTH];
    pthread_t producer;
    int next = 0, wrong = 0;

    assert_int_equal(pthread_create(&producer, NULL, produce, ring), 0);
    while (next < ROWS) {
        size_t n = yk_ring_pop(ring, out, 100);
        if (!n)
            sched_yield();
        for (size_t i = 0; i < n; i++, next++) {
            const double *row = out + i * WIDTH;
            wrong += row[0] != next || row[1] != next + 0.25 || row[2] != next + 0.5 || row[3] != next + 0.75 ||
                     row[4] != -next;
        }
    }
    pthread_join(producer, NULL);
    assert_int_equal(wrong, 0);
    assert_int_equal(yk_ring_pushed(ring), ROWS);
    assert_int_equal(yk_ring_dropped(ring), 0);
    yk_ring_destroy(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_out_in_order_and_whole),     cmocka_unit_test(rows_wrap_around_the_end),
        cmocka_unit_test(ring_counts_drops_when_reader_stalls), cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(two_threads_pass_a_million_rows),
    };
    return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
