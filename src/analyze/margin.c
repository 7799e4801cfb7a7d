/* Stability of the closed hybrid loop, and its margin in delay, by free vibration of the real steps on the virtual rig.
 *
 * The structure starts from rest with a small velocity and no load. The largest displacements of the third and the
 * fourth quarter of a long run tell how the slowest motion decays or grows. The margin is the delay, added to the
 * drives, at which decay turns into growth, by bisection. */
#include <yoke/analyze.h>
#include <yoke/virtual_rig.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define START_SPEED   1e-3 /* m/s: small against any limit */
#define LONGEST_ADDED 1.0  /* s */
#define RESOLUTION    1e-7 /* s */
enum { FEWEST_STEPS = 4000, MOST_STEPS = 60000, PERIODS = 100 };

bool yk_experiment_is_hybrid(const struct yk_experiment *e)
{
    return e->station && e->integrator;
}

/* Enough steps for a hundred periods of the lowest mode of the estimated structure. */
static long steps_for(const struct yk_experiment *e)
{
    const struct yk_system *s = e->assembly.system;
    double w2 = 0;

    if (yk_eigen_symmetric(&s->K, &s->M, 1, &w2, NULL, NULL) || !(w2 > 0))
        return FEWEST_STEPS;
    return (long)fmin(fmax(PERIODS * 2 * M_PI / sqrt(w2) / e->time.step, FEWEST_STEPS), MOST_STEPS);
}

static double largest(const struct yk_domain *d)
{
    struct yk_kinematics k;
    double most = 0;

    yk_domain_now(d, &k);
    for (size_t i = 0; i < d->integrator.system->n; i++)
        most = fmax(most, fabs(k.u[i]));
    return most;
}

/* Decay of the slowest motion of a domain in free vibration [1/s]; growth is negative. */
static enum yk_status free_vibration(struct yk_domain *d, long steps, double *decay)
{
    struct yk_system *s = d->integrator.system;
    double quarter[4] = {0}, *start = calloc(2 * s->n, sizeof *start);
    enum yk_status st;

    if (!start)
        return YK_E_MEMORY;
    for (size_t i = 0; i < s->n; i++)
        start[s->n + i] = START_SPEED * (1 + 0.3 * (double)(i % 3)); /* no mode is left out by symmetry */
    st = yk_domain_start(d, start, start + s->n);
    for (long i = 0; i < steps && !st; i++)
        if (!(st = yk_domain_step(d)))
            quarter[4 * i / steps] = fmax(quarter[4 * i / steps], largest(d));
    free(start);
    if (st == YK_E_DIVERGED) { /* growth beyond all bounds */
        *decay = -INFINITY;
        return YK_OK;
    }
    *decay = quarter[3] > 0 ? log(quarter[2] / quarter[3]) / ((double)steps / 4 * d->integrator.dt) : INFINITY;
    return st;
}

/* The same for an experiment, with a delay added to its actuators. */
static enum yk_status decay_of(const struct yk_experiment *e, double added, double *decay, struct yk_err *err)
{
    struct yk_domain d;
    void *rig;
    enum yk_status st;

    if (e->station && yk_station_rig(e->station, &rig) == &yk_rig_virtual)
        yk_virtual_rig_quieten(rig);
    if (e->station && (st = yk_station_add_delay(e->station, added, err)))
        return st;
    if ((st = yk_domain_create(&d, e->integrator, e->settings, e->assembly.system, (struct yk_loading){0}, e->time.step,
                               err)))
        return st;
    if ((st = free_vibration(&d, steps_for(e), decay)))
        yk_fail(err, st, "%s: free vibration of the hybrid loop failed", e->path);
    yk_domain_destroy(&d);
    return st;
}

static enum yk_status find_margin(const struct yk_experiment *e, double *margin, struct yk_err *err)
{
    double stable = 0, unstable = 0.5 / e->time.control_rate, decay = 1;
    enum yk_status st = YK_OK;

    while (!st && unstable < LONGEST_ADDED) {
        if ((st = decay_of(e, unstable, &decay, err)) || decay < 0)
            break;
        stable = unstable;
        unstable *= 2;
    }
    if (st || decay >= 0) {
        *margin = INFINITY;
        return st;
    }
    while (!st && unstable - stable > RESOLUTION) {
        const double middle = 0.5 * (stable + unstable);

        if (!(st = decay_of(e, middle, &decay, err)) && decay >= 0)
            stable = middle;
        else
            unstable = middle;
    }
    *margin = stable;
    return st;
}

enum yk_status yk_hybrid_margin(const struct yk_experiment *experiment, struct yk_margin *out, struct yk_err *err)
{
    struct yk_experiment *rig = NULL, *model = NULL;
    enum yk_status st;

    *out = (struct yk_margin){0};
    if (!(st = yk_experiment_copy(experiment, false, &rig, err)) &&
        !(st = yk_experiment_copy(experiment, true, &model, err)) && !(st = decay_of(rig, 0, &out->decay, err)) &&
        !(st = decay_of(model, 0, &out->decay_model, err))) {
        out->stable = out->decay >= 0;
        if (out->stable)
            st = find_margin(rig, &out->margin_s, err);
    }
    yk_experiment_destroy(rig);
    yk_experiment_destroy(model);
    return st;
}
