/* yoke check --compensators: the test rehearsed with several compensators, and which one suits the actuator. */
#include "cli/check_compensators.h"

#include "analyze/advise.h"
#include <yoke/inspect.h>

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

/* The smallest error first; those that did not finish stay at the end. */
static void rank(const struct yk_advice *a, size_t *order)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct yk_candidate *c = &a->candidates[i];
        size_t k = i;

        for (; k > 0 && c->finished; k--) {
            const struct yk_candidate *before = &a->candidates[order[k - 1]];

            if (before->finished && before->nrms <= c->nrms)
                break;
            order[k] = order[k - 1];
        }
        order[k] = i;
    }
}

static void print_advice(const char *name, const struct yk_advice *a)
{
    size_t order[YK_CANDIDATES];

    rank(a, order);
    printf("actuator %s without a compensator, at %.3g Hz: %.4g ms late, gain %.4f; at %.3g Hz %.4g ms late: %s\n",
           name, a->frequency_Hz, 1e3 * a->delay_s, a->gain, 4 * a->frequency_Hz, 1e3 * a->delay_high_s,
           a->delay_high_s > LONG_HIGH * a->delay_s ? "nearly a pure delay"
                                                    : "a lag more than a delay, which a model of it inverts best");
    puts("  tracking error (NRMS) in a rehearsal of the test:");
    for (size_t i = 0; i < a->count; i++) {
        const struct yk_candidate *c = &a->candidates[order[i]];

        if (!c->tried)
            printf("  %10s  %s\n              %s\n", "refused", c->section, c->refused);
        else if (!c->finished)
            printf("  %10s  %s\n", "diverged", c->section);
        else
            printf("  %8.3g %%  %s%s\n", 100 * c->nrms, c->section,
                   order[i] == a->best && yk_advice_stands(a) ? "   <- recommended" : "");
    }
    if (a->best < a->count && !yk_advice_stands(a)) {
        printf("  no recommendation: the best rehearsal is %s: %s\n", yk_level_word(a->candidates[a->best].level),
               a->candidates[a->best].reason);
        return;
    }
    if (a->best < a->count && !a->candidates[a->best].own)
        printf("  recommended: compensator: %s\n", a->candidates[a->best].section);
    else if (a->best < a->count)
        printf("  recommended: the compensator of the file\n");
    else
        printf("  none of them finished the rehearsal\n");
    if (a->best < a->count && is_beaten(a))
        puts("  (the simplest within 20 % of the smallest error; errors below 0.1 % count as equal)");
}

static json_t *to_json(const char *name, const struct yk_advice *a)
{
    json_t *list = json_array();

    for (size_t i = 0; i < a->count; i++) {
        const struct yk_candidate *c = &a->candidates[i];

        json_array_append_new(list, json_pack("{s:s, s:b, s:b, s:o, s:s, s:o, s:b}", "compensator", c->section, "own",
                                              c->own, "finished", c->finished, "tracking_nrms", yk_json_number(c->nrms),
                                              "level", yk_level_word(c->level), "reason",
                                              *c->reason ? yk_json_any(c->reason) : json_null(), "best",
                                              i == a->best && yk_advice_stands(a)));
    }
    return json_pack("{s:s, s:f, s:o, s:o, s:o, s:o}", "actuator", name, "frequency_Hz", a->frequency_Hz, "gain",
                     yk_json_number(a->gain), "delay_s", yk_json_number(a->delay_s), "delay_high_s",
                     yk_json_number(a->delay_high_s), "candidates", list);
}

int check_compensators(const struct yk_model *model, double frequency_Hz, double budget_s, bool json)
{
    json_t *list = json_array();
    struct yk_err err = {0};
    int code = 0;

    for (size_t i = 0; model->station && i < yk_station_count(model->station) && !code; i++) {
        struct yk_advice a;

        if (yk_station_kind(model->station, i) != YK_BY_DISPLACEMENT)
            continue;
        if (yk_compare_compensators(model, i, frequency_Hz, budget_s, &a, &err))
            code = yk_command_fail(&err);
        else if (json)
            json_array_append_new(list, to_json(yk_station_name(model->station, i), &a));
        else
            print_advice(yk_station_name(model->station, i), &a);
    }
    if (!model->station && !json)
        printf("no actuator: nothing to compensate\n");
    if (json && !code)
        return yk_print_json(list);
    json_decref(list);
    return code;
}
