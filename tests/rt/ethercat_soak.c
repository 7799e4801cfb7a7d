/* `make soak`, the second part: SOAK_CYCLES (1,000,000) exchanges with eight drives on a simulated segment at the other
 * end of a veth pair. No heap call may be made, and every reading must be that of the tick. An exchange may take three
 * times as long as a bare echo of the same frame, medians of both in turns. */
#include "support/check.h"
#include "support/ethercat_veth.h"
#include "support/trap.h"

#include <stdlib.h>

int main(void)
{
    const char *text = getenv("SOAK_CYCLES");
    const long cycles = text ? atol(text) : 1000000;
    struct ethercat_veth *v = calloc(1, sizeof *v);
    struct trap_counts counts = {0};
    double exchange_s, echo_s;
    long bad = 0;

    if (!v || !ethercat_veth_start(v)) {
        puts("EtherCAT: skipped, no network namespace with a veth pair can be made here");
        return 0;
    }
    ethercat_veth_compare(v, 10000, &exchange_s, &echo_s);
    trap_begin();
    for (long k = 0; k < cycles; k++)
        bad += !ethercat_veth_exchange(v, k);
    trap_end(&counts);

    const struct yk_ec_counts *c = &yk_rig_ethercat_master(v->rig.self)->counts;
    const bool good = bad == 0 && counts.heap_calls == 0 && exchange_s < 3 * echo_s;

    printf(
        "EtherCAT: %ld cycles with %d drives, %ld not fresh, %ld heap calls; %llu frames, %llu missing, %llu stray\n",
        cycles, VETH_DRIVES, bad, counts.heap_calls, (unsigned long long)c->frames, (unsigned long long)c->missing,
        (unsigned long long)c->stray);
    printf("exchange %.1f us, bare echo %.1f us (medians): ratio %.2f, allowed 3\n%s\n", 1e6 * exchange_s, 1e6 * echo_s,
           exchange_s / echo_s, good ? "the bus is clean" : "FAILED");
    ethercat_veth_end(v);
    free(v);
    return good ? 0 : 4;
}
