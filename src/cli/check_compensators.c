/* yoke check --compensators: the test rehearsed with several compensators, and which one suits the actuator. */
#include "cli/check_compensators.h"

#include "analyze/advise.h"
#include "analyze/inspect.h"

#include <math.h>
#include <string.h>

#define LONG_HIGH 0.9 /* of the delay, left at four times the frequency: above, the lag is nearly a pure delay */

/* Has another one a smaller error than the recommended one? */
static bool is_beaten(const struct yk_advice *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->candidates[i].finished && a->candidates[i].nrms < a->candidates[a->best].nrms)
            return true;
    return false;
}

static void print_advice(const char *name, const struct yk_advice *a)
{
    printf("actuator %s without a compensator, at %.3g Hz: %.4g ms late, gain %.4f; at %.3g Hz %.4g ms late: %s\n",
           name, a->frequency_Hz, 1e3 * a->delay_s, a->gain, 4 * a->frequency_Hz, 1e3 * a->delay_high_s,
           a->delay_high_s > LONG_HIGH * a->delay_s ? "nearly a pure delay"
                                                    : "a lag more than a delay, which a model of it inverts best");
    puts("  tracking error (NRMS) in a rehearsal of the test:");
    for (size_t i = 0; i < a->count; i++) {
        const struct yk_candidate *c = &a->candidates[i];

        if (!c->tried)
            printf("  %10s  %s\n              %s\n", "refused", c->section, c->refused);
        else if (!c->finished)
            printf("  %10s  %s\n", "diverged", c->section);
        else
            printf("  %8.3g %%  %s%s\n", 100 * c->nrms, c->section, i == a->best ? "   <- recommended" : "");
    }
    if (a->best < a->count && !a->candidates[a->best].own)
        printf("  recommended: compensator: %s\n", a->candidates[a->best].section);
    else if (a->best < a->count)
        printf("  recommended: the compensator of the file\n");
    else
        printf("  none of them finished the rehearsal\n");
    if (a->best < a->count && is_beaten(a))
        puts("  (the first within 20 % of the smallest error: simpler ones come first)");
}

static json_t *to_json(const char *name, const struct yk_advice *a)
{
    json_t *list = json_array();

    for (size_t i = 0; i < a->count; i++) {
        const struct yk_candidate *c = &a->candidates[i];

        json_array_append_new(list, json_pack("{s:s, s:b, s:b, s:o, s:b}", "compensator", c->section, "own", c->own,
                                              "finished", c->finished, "tracking_nrms", json_number(c->nrms), "best",
                                              i == a->best));
    }
    return json_pack("{s:s, s:f, s:o, s:o, s:o, s:o}", "actuator", name, "frequency_Hz", a->frequency_Hz, "gain",
                     json_number(a->gain), "delay_s", json_number(a->delay_s), "delay_high_s",
                     json_number(a->delay_high_s), "candidates", list);
}

int check_compensators(const struct yk_plan *plan, double frequency_Hz, double budget_s, bool json)
{
    const struct yk_experiment *e = yk_plan_first(plan)->experiment;
    json_t *list = json_array();
    struct yk_err err = {0};
    int code = 0;

    for (size_t i = 0; e->station && i < yk_station_count(e->station) && !code; i++) {
        struct yk_advice a;

        if (yk_station_kind(e->station, i) != YK_BY_DISPLACEMENT)
            continue;
        if (yk_compare_compensators(plan, i, frequency_Hz, budget_s, &a, &err))
            code = report_failure(&err);
        else if (json)
            json_array_append_new(list, to_json(yk_station_name(e->station, i), &a));
        else
            print_advice(yk_station_name(e->station, i), &a);
    }
    if (!e->station && !json)
        printf("no actuator: nothing to compensate\n");
    if (json && !code)
        return print_json(list);
    json_decref(list);
    return code;
}
