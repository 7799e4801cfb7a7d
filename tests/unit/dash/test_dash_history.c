/* Histories: no value is lost at any level, and what is kept is what was added. */
#include "support/check.h"
#include "support/random.h"

#include "dash/history.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 3 };

static void add(struct yk_history *h, uint64_t row, double value)
{
    const double values[COLUMNS] = {1e-3 * (double)row, value, -value};

    yk_history_add(h, values, 1);
}

static void a_value_of_one_row_is_in_every_level(void **state)
{
    enum { ROWS = 200000 };
    const uint64_t spike = 123457;
    struct yk_history *h;

    assert_ok(yk_history_create(&h, COLUMNS, 1 << 20, &err));
    for (uint64_t k = 0; k < ROWS; k++)
        add(h, k, k == spike ? 77 : sin(1e-3 * (double)k));
    assert_int_equal(yk_history_rows(h), ROWS);
    for (int level = 0; level < yk_history_levels(h); level++) {
        const uint64_t column = spike / yk_history_width(level);
        uint64_t first, end;
        double least, largest = 0;

        yk_history_span(h, level, &first, &end);
        assert_true(end == ROWS / yk_history_width(level));
        if (column < first)
            continue; /* no longer kept that fine */
        if (column >= end)
            continue; /* not complete yet */
        yk_history_copy(h, level, column, 1, 1, &least, &largest);
        assert_true((level ? largest : least) == 77);
        yk_history_copy(h, level, column, 1, 2, &least, &largest);
        assert_true(least == -77);
    }
    /* it was seen at some level above the single rows */
    uint64_t first, end;
    yk_history_span(h, 0, &first, &end);
    assert_true(first > spike);
    yk_history_destroy(h);
}

/* Against the definition, with numbers that are none among them. */
static void columns_are_the_extremes_of_their_rows(void **state)
{
    enum { ROWS = 1000 };
    static double values[ROWS];
    struct yk_history *h;
    uint64_t seed = 1;

    assert_ok(yk_history_create(&h, COLUMNS, 1 << 20, &err));
    for (uint64_t k = 0; k < ROWS; k++)
        add(h, k, values[k] = k % 97 == 5 || (k >= 512 && k < 528) ? (double)NAN : random_value(&seed));
    for (int level = 1; level < 4; level++) {
        const uint64_t width = yk_history_width(level);
        uint64_t first, end;

        yk_history_span(h, level, &first, &end);
        assert_int_equal(first, 0);
        assert_int_equal(end, ROWS / width);
        for (uint64_t j = 0; j < end; j++) {
            double low = NAN, high = NAN, least, largest;

            for (uint64_t k = j * width; k < (j + 1) * width; k++) {
                low = fmin(low, values[k]);
                high = fmax(high, values[k]);
            }
            yk_history_copy(h, level, j, 1, 1, &least, &largest);
            assert_true((isnan(low) && isnan(least)) || (least == low && largest == high));
            assert_true(yk_history_time(h, level, j) == 1e-3 * (double)(j * width));
        }
    }
    yk_history_destroy(h);
}

static void the_level_fits_the_points_and_what_is_kept(void **state)
{
    struct yk_history *h;

    assert_ok(yk_history_create(&h, COLUMNS, 1 << 20, &err));
    assert_int_equal(yk_history_level(h, 1000, 1000), 0);
    assert_int_equal(yk_history_level(h, 1001, 1000), 1);
    assert_int_equal(yk_history_level(h, 4000, 1000), 1);
    assert_int_equal(yk_history_level(h, 4001, 1000), 2);
    const size_t room = yk_history_room(h);
    for (uint64_t rows = 1; rows < 10000000; rows = rows * 3 + 1) {
        const int level = yk_history_level(h, rows, 1 << 20);
        assert_true((rows + yk_history_width(level) - 1) / yk_history_width(level) <= room);
        assert_true((rows + yk_history_width(level) - 1) / yk_history_width(yk_history_level(h, rows, 100)) <= 100);
    }
    for (uint64_t k = 0; k < 5000; k++)
        add(h, k, 1);
    assert_int_equal(yk_history_find(h, 0, -1), 5000 > room ? 5000 - room : 0);
    assert_int_equal(yk_history_find(h, 0, 4.9995), 5000);
    assert_int_equal(yk_history_find(h, 1, 4.0), 1000);
    assert_int_equal(yk_history_find(h, 1, 3.9999), 1000);
    yk_history_destroy(h);
}

static void memory_is_bounded_for_any_number_of_channels(void **state)
{
    for (size_t columns = 1; columns <= 4096; columns *= 8) {
        struct yk_history *h;

        assert_ok(yk_history_create(&h, columns, 64 << 20, &err));
        assert_true(yk_history_room(h) >= 128);
        assert_true(64.0 * (double)yk_history_width(yk_history_levels(h) - 1) >= 16e6);
        yk_history_destroy(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_of_one_row_is_in_every_level),
        cmocka_unit_test(columns_are_the_extremes_of_their_rows),
        cmocka_unit_test(the_level_fits_the_points_and_what_is_kept),
        cmocka_unit_test(memory_is_bounded_for_any_number_of_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
