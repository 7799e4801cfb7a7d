/* Numbers that a rig offers: everybody gets the same for a second, it counts for two, and a session uses it up. */
#include "support/check.h"

#include "rig/challenge.h"

enum { MS = 1000000 };

static void a_number_is_offered_to_all_and_replaced(void **state)
{
    struct yk_challenge c = {0};
    const uint64_t first = yk_challenge_number(&c, 0);

    assert_int_not_equal(first, 0);
    assert_int_equal(yk_challenge_number(&c, INT64_C(999) * MS), first);
    const uint64_t second = yk_challenge_number(&c, INT64_C(1000) * MS);
    assert_int_not_equal(second, first);
    assert_true(yk_challenge_is_met(&c, first, INT64_C(1999) * MS));
    assert_true(yk_challenge_is_met(&c, second, INT64_C(1999) * MS));
    assert_false(yk_challenge_is_met(&c, first, INT64_C(2000) * MS));
    assert_true(yk_challenge_is_met(&c, second, INT64_C(2000) * MS));
}

static void a_number_that_nobody_asked_for_again_grows_old(void **state)
{
    struct yk_challenge c = {0};
    const uint64_t number = yk_challenge_number(&c, INT64_C(5000) * MS);

    assert_true(yk_challenge_is_met(&c, number, INT64_C(6900) * MS)); /* replaced only here */
    assert_true(yk_challenge_is_met(&c, number, INT64_C(6999) * MS));
    assert_false(yk_challenge_is_met(&c, number, INT64_C(7000) * MS));
    assert_false(yk_challenge_is_met(&c, number, INT64_C(7800) * MS));
}

static void a_session_uses_it_up(void **state)
{
    struct yk_challenge c = {0};
    const uint64_t old = yk_challenge_number(&c, INT64_C(10) * MS), new = yk_challenge_number(&c, INT64_C(1100) * MS);

    assert_true(yk_challenge_is_met(&c, old, INT64_C(1101) * MS));
    yk_challenge_use_up(&c);
    assert_false(yk_challenge_is_met(&c, old, INT64_C(1102) * MS));
    assert_false(yk_challenge_is_met(&c, new, INT64_C(1102) * MS));
    assert_int_not_equal(yk_challenge_number(&c, INT64_C(1102) * MS), new);
}

static void nothing_and_guesses_do_not_meet_it(void **state)
{
    struct yk_challenge c = {0};

    assert_false(yk_challenge_is_met(&c, 0, 0));
    const uint64_t number = yk_challenge_number(&c, 1);
    assert_false(yk_challenge_is_met(&c, 0, 1));
    for (int bit = 0; bit < 64; bit++)
        assert_false(yk_challenge_is_met(&c, number ^ UINT64_C(1) << bit, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_offered_to_all_and_replaced),
        cmocka_unit_test(a_number_that_nobody_asked_for_again_grows_old),
        cmocka_unit_test(a_session_uses_it_up),
        cmocka_unit_test(nothing_and_guesses_do_not_meet_it),
    };
    return cmocka_run_group_tests_name("challenge", tests, NULL, NULL);
}
