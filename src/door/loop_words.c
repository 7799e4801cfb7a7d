/* The loop with specimens in words: its verdict, the cause of growth and what may help. */
#include "door/answers.h"

#include <math.h>

#define EXACTLY 0.1 /* of a delay: what is left of it when it counts as compensated */

static void stable_words(const struct yk_margin *m, double budget_s, char *text, size_t size)
{
    if (isnan(m->margin_s))
        snprintf(text, size, "stable");
    else if (m->complete && isfinite(m->margin_s))
        snprintf(text, size, "stable; delay margin %s%.3g ms", m->brief ? "about " : "", 1e3 * m->margin_s);
    else if (m->complete)
        snprintf(text, size, "stable; delay margin more than %.4g ms", 1e3 * m->longest_s);
    else if (isfinite(m->growth_s))
        snprintf(text, size, "stable; delay margin between %.3g and %.3g ms (CPU time of %g s used up)",
                 1e3 * m->margin_s, 1e3 * m->growth_s, budget_s);
    else
        snprintf(text, size,
                 "stable; delay margin at least %.4g ms (CPU time of %g s used up before every delay was tried)",
                 1e3 * m->longest_s, budget_s);
}

void yk_loop_words(const struct yk_margin *m, double budget_s, char *text, size_t size)
{
    if (m->verdict == YK_LOOP_STABLE)
        stable_words(m, budget_s, text, size);
    else if (m->verdict == YK_LOOP_UNDECIDED)
        snprintf(text, size, "undecided: %g s of CPU time did not suffice; raise it with --budget", budget_s);
    else if (isfinite(m->decay))
        snprintf(text, size, "UNSTABLE: free vibration doubles every %.2g s", log(2) / -m->decay);
    else
        snprintf(text, size, "UNSTABLE: free vibration grows without bound");
}

/* ---- other rigs than the one of the file ---- */

static void margin_words(const char *name, const struct yk_margin *m, char *text, size_t size)
{
    if (m->verdict == YK_LOOP_UNSTABLE)
        snprintf(text, size, "%s UNSTABLE", name);
    else if (m->verdict == YK_LOOP_UNDECIDED)
        snprintf(text, size, "%s not found", name);
    else if (!m->complete && !(fmin(m->margin_s, m->longest_s) > 0))
        snprintf(text, size, "%s stable", name);
    else if (!m->complete)
        snprintf(text, size, "%s at least %.3g ms", name, 1e3 * (isfinite(m->margin_s) ? m->margin_s : m->longest_s));
    else if (isfinite(m->margin_s))
        snprintf(text, size, "%s %.3g ms", name, 1e3 * m->margin_s);
    else
        snprintf(text, size, "%s more than %.4g ms", name, 1e3 * m->longest_s);
}

/* Is there a margin, of the gain as well, that the budget was too short for? */
static bool ran_out(const struct yk_robustness *r)
{
    bool all = r->gain_complete;

    for (int k = 0; k < YK_VARIATIONS; k++)
        all &= r->impossible[k] || r->of[k].verdict == YK_LOOP_UNSTABLE ||
               (r->of[k].verdict == YK_LOOP_STABLE && r->of[k].complete);
    return !all;
}

/* Reasons for what was not found. */
static void print_missing(const struct yk_robustness *r, bool judged, double budget_s, const char *more, FILE *out)
{
    const char *what =
        judged ? "not all of this was found" : "margins with another specimen or actuator were not found";

    if (*r->why)
        fprintf(out, "                other actuators: not found, since %s\n", r->why);
    if (r->brief)
        fprintf(out, "                %s from a short free vibration; `yoke analyze margin` watches longer\n", what);
    else if (ran_out(r))
        fprintf(out, "                %s within %.2g s of CPU time; %s\n", what, budget_s, more);
}

void yk_robustness_print(const struct yk_robustness *r, double budget_s, const char *more, FILE *out)
{
    static const char *const names[] = {
        [YK_SOFTER] = "softer", [YK_STIFFER] = "stiffer", [YK_SLOWER] = "slower", [YK_FASTER] = "faster"};
    char text[YK_VARIATIONS][64];
    bool judged = r->gain > 1;

    for (int k = 0; k < YK_VARIATIONS; k++) {
        judged |= r->of[k].verdict != YK_LOOP_UNDECIDED;
        margin_words(names[k], &r->of[k], text[k], sizeof text[k]);
    }
    if (judged)
        fprintf(out, "                delay margin with specimens 30 %% %s, %s; with actuators 30 %% %s, %s\n",
                text[YK_SOFTER], text[YK_STIFFER], text[YK_SLOWER], text[YK_FASTER]);
    if (r->gain_complete && r->gain_growth < INFINITY)
        fprintf(out, "                gain margin %.3g: unstable with measured forces %.3g times as large\n", r->gain,
                r->gain_growth);
    else if (judged)
        fprintf(out, "                gain margin %s %.3g\n", r->gain_complete ? "more than" : "at least", r->gain);
    print_missing(r, judged, budget_s, more, out);
}

void yk_loop_advice(const struct yk_model *model, const struct yk_margin *m, char *text, size_t size)
{
    const char *name = yk_station_name(model->station, m->actuator);
    const double delay = m->late_s + m->lead_s,
                 left = EXACTLY * fmax(fabs(delay), yk_station_pace(model->station).tick);
    char compensated[64] = "nothing is compensated";

    if (m->lead_s > 0)
        snprintf(compensated, sizeof compensated, "%.3g ms are compensated", 1e3 * m->lead_s);
    if (!isfinite(m->late_s))
        *text = 0;
    else if (m->adapts && fabs(m->late_s) > left)
        snprintf(
            text, size,
            "actuator %s has a delay of about %.3g ms, but its compensation adapts from %.3g ms; begin with %.3g ms "
            "(transfer.%s.compensator.delay)",
            name, 1e3 * delay, 1e3 * m->lead_s, 1e3 * delay, name);
    else if (m->late_s > left)
        snprintf(text, size,
                 "actuator %s has a delay of about %.3g ms and %s; compensate %s (transfer.%s.compensator) or make the "
                 "actuator faster",
                 name, 1e3 * delay, compensated, m->lead_s > 0 ? "the rest" : "it", name);
    else if (m->late_s < -left)
        snprintf(text, size, "actuator %s has a delay of about %.3g ms and %s; compensate less", name, 1e3 * delay,
                 compensated);
    else
        snprintf(
            text, size,
            "actuator %s has a delay of about %.3g ms and %s, which is right; another compensator or method, a shorter "
            "step, more damping, or less of the stiffness and mass in the specimen may help",
            name, 1e3 * delay, compensated);
}
