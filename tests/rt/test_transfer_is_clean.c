/* The transfer chain of an actuator, with every compensator, estimator, controller and plant there is in every
 * combination: ticks without heap calls, page faults and system calls, and the actuator really moves. */
#include "support/check.h"
#include "support/trap.h"
#include "timing/transfer.h"

#include "transfer/station.h"

#include <math.h>
#include <stdlib.h>

enum { TICKS = 150, MOST_CHAINS = 512 };

/* The chains with one controller and one plant, and any compensator and estimator. */
struct batch {
    struct yk_chain *chains[MOST_CHAINS];
    struct yk_chain_kinds kinds[MOST_CHAINS];
    size_t count;
};

static void add_chain(struct batch *b, const struct yk_chain_kinds *kinds)
{
    struct yk_chain *chain = malloc(sizeof *chain);

    assert_non_null(chain);
    assert_true(b->count < MOST_CHAINS);
    assert_ok(yk_chain_open(chain, kinds, &err));
    yk_chain_rest(chain);
    b->kinds[b->count] = *kinds;
    b->chains[b->count++] = chain;
}

static void open_batch(struct batch *b, const char *controller, const char *plant)
{
    b->count = 0;
    for (size_t c = 0; yk_compensators[c]; c++)
        for (size_t e = 0; yk_estimators[e] && !yk_compensators[c]->joint; e++)
            add_chain(b, &(struct yk_chain_kinds){yk_compensators[c]->name, yk_estimators[e]->name, controller, plant});
}

static void close_batch(struct batch *b)
{
    for (size_t i = 0; i < b->count; i++) {
        yk_chain_close(b->chains[i]);
        free(b->chains[i]);
    }
}

static void run_chain(void *arg)
{
    yk_chain_run(arg, TICKS);
}

static void run_batch(void *arg)
{
    struct batch *b = arg;

    for (size_t i = 0; i < b->count; i++)
        run_chain(b->chains[i]);
}

static void check_chain(struct yk_chain *chain, const struct yk_chain_kinds *k)
{
    struct trap_counts counts = {0};
    struct yk_actuator_state s;

    run_chain(chain);
    for (int tries = 0; tries < 2; tries++) { /* a page that the kernel moved is not the chain's doing */
        trap_begin();
        run_chain(chain);
        trap_end(&counts);
        if (counts.page_faults == 0)
            break;
    }
    s = yk_station_state(chain->station, 0);
    if (counts.heap_calls || counts.page_faults || !isfinite(s.displacement) || s.displacement == 0)
        print_error("%s, %s, %s, %s: %ld heap calls, %ld page faults; at %g m\n", k->compensator, k->estimator,
                    k->controller, k->plant, counts.heap_calls, counts.page_faults, s.displacement);
    assert_int_equal(counts.heap_calls, 0);
    assert_int_equal(counts.page_faults, 0);
    assert_true(isfinite(s.displacement) && s.displacement != 0);
}

static void every_chain_is_clean(void **state)
{
    static struct batch b;

    for (size_t c = 0; yk_controllers[c]; c++)
        for (size_t p = 0; yk_plants[p]; p++) {
            if (yk_controllers[c]->joint || yk_plants[p]->joint)
                continue; /* test_loop_is_clean has them */
            if (yk_param_needs_file(yk_controllers[c]->params) || yk_param_needs_file(yk_plants[p]->params))
                continue; /* code of others, in a process of its own */
            open_batch(&b, yk_controllers[c]->name, yk_plants[p]->name);
            for (size_t i = 0; i < b.count; i++)
                check_chain(b.chains[i], &b.kinds[i]);
            const long calls = count_syscalls(run_batch, &b, NULL);

            if (calls != 0 && calls != TRAP_UNAVAILABLE)
                print_error("%s, %s: %ld system calls\n", yk_controllers[c]->name, yk_plants[p]->name, calls);
            assert_true(calls == 0 || calls == TRAP_UNAVAILABLE);
            close_batch(&b);
        }
}

#define PLUGIN(name) "plugin, library: " YOKE_BINARY "/tests/plugins/" name ".so"

/* Blocks from plugins are watched like the others: clean ones are, and one that takes memory is seen. */
static void chains_of_plugins_are_watched(void **state)
{
    static const struct yk_chain_kinds clean = {PLUGIN("twin_compensator"), PLUGIN("twin_estimator"),
                                                PLUGIN("twin_controller"), PLUGIN("twin_plant")},
                                       heap = {"none", "fixed", PLUGIN("heap_controller"), "ideal"};
    static struct batch b;
    struct trap_counts counts;

    add_chain(&b, &clean);
    check_chain(b.chains[0], &clean);
    const long calls = count_syscalls(run_batch, &b, NULL);
    assert_true(calls == 0 || calls == TRAP_UNAVAILABLE);
    add_chain(&b, &heap);
    trap_begin();
    run_chain(b.chains[1]);
    trap_end(&counts);
    assert_int_equal(counts.heap_calls, trap_sees_heap() ? 2 * TICKS : 0); /* taken and given back */
    close_batch(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chain_is_clean),
        cmocka_unit_test(chains_of_plugins_are_watched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
