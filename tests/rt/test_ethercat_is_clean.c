/* The exchange with an EtherCAT bus makes no heap call, and no system call but send, receive and wait: with a segment
 * in the same thread, faults among the ticks, and over a veth pair. `make soak` does the same for a million cycles. */
#include "support/check.h"
#include "support/ethercat_veth.h"
#include "support/trap.h"

#include <stdlib.h>

enum { TICKS = 3000, DRIVES = 8 };

static void exchange_some(void *self)
{
    struct ethercat_rig_test *t = self;
    double x[DRIVES] = {0};

    for (int k = 0; k < TICKS; k++) {
        x[0] = 1e-6 * k;
        ethercat_rig_exchange(t, x);
    }
}

/* Held, lost and named: whatever happens, no heap and no system call. */
static void cycles_are_clean_whatever_happens(void **state)
{
    static const char *const faults[] = {"lost@0.1+0.005,duplicate@0.3+0.1,damaged@1+0.003", "safeop@0.5:2",
                                         "cut@0.5:3", "wkc@0.5", "drive@0.5:2"};

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        for (int clock = 0; clock < 2; clock++) {
            struct yk_sim_settings settings = {0};
            struct ethercat_rig_test t;

            assert_int_equal(yk_sim_faults_parse(faults[i], settings.faults, &settings.fault_count, NULL), YK_OK);
            ethercat_rig_make(&t, &settings, DRIVES, clock);
            ethercat_rig_setup(&t)->silence = 0.02;
            ethercat_rig_setup(&t)->wait = 0.4e-3;
            ethercat_rig_start(&t);
            assert_clean(exchange_some, &t);
            ethercat_rig_end(&t);
        }
}

static void cycles_over_veth_are_clean(void **state)
{
    struct ethercat_veth *v = calloc(1, sizeof *v);
    struct trap_counts counts = {0};
    double exchange_s, echo_s;

    assert_non_null(v);
    if (!ethercat_veth_start(v)) {
        free(v);
        print_message("skipped: no network namespace with a veth pair can be made here\n");
        skip();
    }
    for (long k = 0; k < TICKS; k++)
        assert_true(ethercat_veth_exchange(v, k));
    trap_begin();
    for (long k = 0; k < TICKS; k++)
        assert_true(ethercat_veth_exchange(v, k));
    trap_end(&counts);
    assert_int_equal(counts.heap_calls, 0);
    ethercat_veth_compare(v, 1000, &exchange_s, &echo_s);
    print_message("exchange with %d drives %.1f us, bare echo %.1f us: ratio %.2f\n", DRIVES, 1e6 * exchange_s,
                  1e6 * echo_s, exchange_s / echo_s);
    ethercat_veth_end(v);
    free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_are_clean_whatever_happens),
                                       cmocka_unit_test(cycles_over_veth_are_clean)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
