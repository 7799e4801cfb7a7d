/* The measures of a run: from its course and its result to the numbers that are judged. docs/theory/verdict.md. */
#include "engine/engine.h"

#include <math.h>

#define LOWEST_HZ  0.01
#define HIGHEST_HZ 1000.0 /* of the first mode: structures and machines lie between */
enum { LOOKS = 2000 };    /* at a load, at most */
#define GOLDEN 0.6180339887498949

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

/* Is it a record, which ends? */
static bool is_recorded(const struct yk_load *load)
{
    for (const struct yk_param *p = load->signal->params; p && p->name; p++)
        if (p->type == YK_PARAM_SERIES)
            return true;
    return yk_param_needs_file(load->signal->params);
}

/* Does a force come from it at all? *ends: when the last of a record came; *step: part of the mean period of a load. */
static bool acts(const struct yk_model *e, const struct yk_load *load, double *ends, double *step)
{
    const size_t n = e->substructures[load->substructure].system->n;
    const long looks = e->steps < LOOKS ? e->steps : LOOKS;
    struct yk_swing swing = {0};
    bool pushes = false, any = false;

    for (size_t i = 0; i < n; i++)
        pushes |= load->direction[i] != 0;
    /* multiples of the golden ratio shift the looks: at equal distances, a sine may be zero at every one */
    for (long k = 0; k <= looks; k++) {
        const double within = fmod((double)k * GOLDEN, 1),
                     t = e->time.end * fmin(1, ((double)k + within) / (double)looks),
                     now = load->signal->value(load->settings, t);

        swing.count++;
        swing.sum += now;
        swing.square += now * now;
        swing.product += now * load->signal->value(load->settings, t + e->time.step);
        if (now == 0)
            continue;
        any = true;
        *ends = fmax(*ends, is_recorded(load) ? t : e->time.end);
    }
    if (pushes && any)
        *step = fmax(*step, e->time.step * yk_swing_frequency(&swing, e->time.step));
    return pushes && any;
}

void yk_run_look_at_loads(const struct yk_model *e, struct yk_course_loads *seen)
{
    *seen = (struct yk_course_loads){0};
    for (size_t l = 0; l < e->load_count && e->steps > 0; l++)
        seen->idle += !acts(e, &e->loads[l], &seen->ends_s, &seen->step);
}

static void measure_loads(const struct yk_model *e, const struct yk_run_result *r, struct yk_measures *m)
{
    const struct yk_course_loads *seen = &r->course.loads;
    size_t idle = seen->idle;

    if (!e->load_count || e->steps < 1)
        return;
    if (r->finished && r->energy_scale == 0)
        idle = e->load_count; /* nothing moved */
    yk_measures_add(m, YK_JUDGED_NO_EFFECT, share((double)idle, (double)e->load_count), -1);
    yk_measures_add(m, YK_JUDGED_STEP, seen->step, -1);
    if (idle < e->load_count)
        yk_measures_add(m, YK_JUDGED_UNLOADED, 1 - seen->ends_s / e->time.end, -1);
}

/* Does the time of a command matter to the rig? A rig that computes one tick for each exchange gives the same readings
 * however late it is asked. */
static bool feels_clock(const struct yk_model *e)
{
    return e->station && yk_station_world(e->station) != YK_RIG_COMPUTED;
}

/* Does the method itself make up for a specimen that is late? */
static bool makes_up(const struct yk_model *e)
{
    return e->coupling && e->coupling->caps & YK_COUPLING_SPECIMENS;
}

void yk_run_measure(const struct yk_model *e, const struct yk_run_result *r, struct yk_measures *m)
{
    const struct yk_course *c = &r->course;

    yk_measures_clear(m);
    if (c->lowest_Hz > 0)
        yk_measures_add(m, YK_JUDGED_FREQUENCY, fmax(LOWEST_HZ / c->lowest_Hz, c->lowest_Hz / HIGHEST_HZ), -1);
    measure_loads(e, r, m);
    yk_measures_add(m, YK_JUDGED_UNFINISHED, r->finished ? 0 : 1 - (double)r->steps / (double)e->steps, -1);
    if (r->steps < YK_SHORTEST)
        return;
    for (size_t i = 0; i < c->actuators && i < r->tracked_count; i++)
        yk_course_measure(c, i, &r->tracked[i].indices, &r->tracked[i].compensated,
                          makes_up(e) ? (double)NAN : r->tracked[i].delay_share, r->energy_scale, m);
    if (makes_up(e)) /* eq. (3) and (8) are for forces that are taken as they were measured */
        m->of[YK_JUDGED_LAG].value = m->of[YK_JUDGED_GAIN].value = m->of[YK_JUDGED_FELT].value = NAN;
    if (r->pace && r->pace->paced && r->pace->lateness.count && feels_clock(e))
        yk_measures_add(m, YK_JUDGED_DEADLINES, share((double)r->pace->missed, (double)r->pace->lateness.count), -1);
    if (r->wire.used)
        yk_measures_add(m, YK_JUDGED_HELD, share((double)r->wire.held, (double)c->ticks), -1);
    yk_measures_add(m, YK_JUDGED_STEP, c->dt * yk_swing_frequency(&c->kinetic, c->dt) / 2, -1);
    yk_measures_add(m, YK_JUDGED_UNCONVERGED, share((double)r->unconverged.steps, (double)r->steps), -1);
    if (e->row_count)
        yk_measures_add(m, YK_JUDGED_GAPS, share(r->drift_u, r->largest_u), -1);
    yk_measures_add(m, YK_JUDGED_ENERGY, share(r->energy_error, r->energy_scale), -1);
    if (r->has_reference)
        yk_measures_add(m, YK_JUDGED_REFERENCE, r->error_u, -1);
}

void yk_run_verdict(const struct yk_model *e, const struct yk_run_result *r, struct yk_measures *m,
                    struct yk_judgement *verdict)
{
    yk_run_measure(e, r, m);
    yk_judge_measures(&e->quality, m, verdict);
}
