/* The journal of a run: a copy has whole entries only, as other threads may still write theirs. */
#include "support/check.h"

#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

static void a_copy_leaves_out_entries_that_are_being_written(void **state)
{
    static struct yk_run_control control;

    assert_null(yk_journal_copy(&control.journal));
    assert_true(yk_run_remark(&control, "whole", "terminal"));
    atomic_store(&control.journal.count, 2);
    strcpy(control.journal.entries[1].words, "ha");
    yk_run_request(&control, YK_EVENT_ABORT);
    struct yk_journal *copy = yk_journal_copy(&control.journal);

    assert_non_null(copy);
    assert_int_equal(yk_journal_count(copy), 3);
    assert_string_equal(copy->entries[0].words, "whole");
    assert_string_equal(copy->entries[0].by, "terminal");
    assert_true(copy->entries[0].complete);
    assert_false(copy->entries[1].complete);
    assert_string_equal(copy->entries[1].words, "");
    assert_true(copy->entries[2].complete);
    assert_string_equal(yk_journal_kind(&copy->entries[2]), "abort");
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_copy_leaves_out_entries_that_are_being_written)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
