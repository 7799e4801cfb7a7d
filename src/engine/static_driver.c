/* A quasi-static test: constant speed between turning points, a pause after each step if the stage has `hold`, and the
 * force averaged over the pause. Limits, ramps and recording are those of any run; there is no method and nothing that
 * needs the delay of an actuator compensated. Units: m or rad, N or N m, s. */
#include "engine/static_driver.h"

#include "experiment/static_path.h"
#include "state/state.h"
#include "transfer/physical.h"
#include "transfer/station.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct yk_system *system_of(const struct yk_static_driver *d, size_t k)
{
    return d->state->substructures[k].system;
}

static void begin(void *self, const struct yk_state *state)
{
    struct yk_static_driver *d = self;
    const struct yk_static_path *path = state->model->static_path;

    d->state = state;
    for (size_t k = 0; k < state->model->substructure_count; k++)
        if (yk_is_physical(system_of(d, k)))
            memcpy(d->u + d->first[k], system_of(d, k)->u0, system_of(d, k)->n * sizeof *d->u);
    d->leg = 0;
    d->move = d->step = d->pause = 0;
    d->begin = d->u[d->first[path->legs[0].substructure] + path->legs[0].dof];
}

/* Motion and restoring force of a degree of freedom, from the last readings. */
static void look(struct yk_static_driver *d, const struct yk_static_leg *leg, double *u, double *r)
{
    struct yk_system *s = system_of(d, leg->substructure);
    const size_t n = s->n;

    yk_physical_read(s, d->read, d->read + n, d->read + 2 * n, d->read + 3 * n);
    *u = d->read[leg->dof];
    *r = d->read[3 * n + leg->dof];
}

/* The targets of all specimens at time t; one degree of freedom moves with the speed v. */
static void aim(struct yk_static_driver *d, const struct yk_static_leg *leg, double t, double u, double v)
{
    const size_t at = d->first[leg->substructure] + leg->dof;

    d->u[at] = u;
    d->v[at] = v;
    for (size_t k = 0; k < d->state->model->substructure_count; k++)
        if (yk_is_physical(system_of(d, k)))
            system_of(d, k)->ops->set_target(system_of(d, k)->self, t, d->u + d->first[k], d->v + d->first[k]);
    d->v[at] = 0;
}

/* A mean over the pause that has ended, or the reading at the end of a leg without pauses. */
static void keep_point(struct yk_static_driver *d, const struct yk_static_leg *leg)
{
    struct yk_run_result *r = d->result;
    const double count = fmax((double)d->pause, 1);

    if (d->pause == 0)
        look(d, leg, &d->sum[0], &d->sum[1]);
    r->points[r->point_count++] = (struct yk_static_point){.leg = d->leg,
                                                           .target = d->u[d->first[leg->substructure] + leg->dof],
                                                           .displacement = d->sum[0] / count,
                                                           .force = d->sum[1] / count};
    d->sum[0] = d->sum[1] = 0;
    d->pause = d->step = 0;
    d->begin = d->u[d->first[leg->substructure] + leg->dof];
    d->move++;
}

/* Decides what is done until t, the end of the next step. */
static enum yk_drive next(void *self, double t)
{
    struct yk_static_driver *d = self;
    const struct yk_static_path *path = d->state->model->static_path;
    const double dt = d->state->model->time.step;

    for (;;) {
        if (d->leg == path->count)
            return YK_DRIVE_END;
        const struct yk_static_leg *leg = &path->legs[d->leg];
        const long moves = yk_static_moves(leg), steps = yk_static_steps(leg, dt), pause = yk_static_pause(leg, dt);
        const double end = leg->from + (leg->to - leg->from) * (double)(d->move + 1) / (double)moves;

        if (d->step < steps) {
            const double x = (double)++d->step / (double)steps;

            aim(d, leg, t, d->step == steps ? end : d->begin + (end - d->begin) * x,
                (end - d->begin) / ((double)steps * dt));
            return YK_DRIVE_MOVE;
        }
        if (d->pause > 0) { /* the step that has just ended was one of the pause */
            double u, r;

            look(d, leg, &u, &r);
            d->sum[0] += u;
            d->sum[1] += r;
        }
        if (d->pause < pause) {
            d->pause++;
            aim(d, leg, t, end, 0);
            return YK_DRIVE_MOVE;
        }
        keep_point(d, leg);
        if (d->move == moves) {
            d->leg++;
            d->move = 0;
            if (d->leg < path->count)
                d->begin = d->u[d->first[path->legs[d->leg].substructure] + path->legs[d->leg].dof];
        }
    }
}

static size_t count_points(const struct yk_model *e)
{
    const struct yk_static_path *path = e->static_path;
    size_t count = 0;

    for (size_t i = 0; i < path->count; i++)
        count += (size_t)yk_static_moves(&path->legs[i]);
    return count;
}

enum yk_status yk_static_driver_open(struct yk_static_driver *d, const struct yk_model *e, struct yk_run_result *result,
                                     struct yk_err *err)
{
    size_t n = 0, most = 0;

    *d = (struct yk_static_driver){.result = result, .driver = {.self = d, .begin = begin, .next = next}};
    d->first = calloc(e->substructure_count + 1, sizeof *d->first);
    for (size_t k = 0; d->first && k < e->substructure_count; k++) {
        const size_t own = e->substructures[k].system->n;

        d->first[k] = n;
        n += own;
        most = own > most ? own : most;
    }
    d->u = calloc(2 * n + 4 * most + 2 + 1, sizeof *d->u);
    result->points = calloc(count_points(e) + 1, sizeof *result->points);
    if (!d->first || !d->u || !result->points) {
        yk_static_driver_close(d);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    d->v = d->u + n;
    d->read = d->v + n;
    d->sum = d->read + 4 * most;
    return YK_OK;
}

void yk_static_driver_close(struct yk_static_driver *d)
{
    free(d->u);
    free(d->first);
    d->u = NULL;
    d->first = NULL;
}
