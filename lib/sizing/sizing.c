/* Demand of a motion on an actuator: docs/theory/sizing.md, eq. (1)-(6). */
#include <yoke/sizing.h>

#include <math.h>
#include <stdlib.h>

/* ---- the motion ---- */

/* eq. (1); the two samples at each end take the values of their neighbours. */
bool yk_asked_complete(struct yk_motion_asked *m)
{
    const double h = m->dt, *x = m->x;
    const size_t n = m->n;

    if (n < 5)
        return false;
    m->v = calloc(n, sizeof *m->v);
    m->a = calloc(n, sizeof *m->a);
    if (!m->v || !m->a)
        return false;
    for (size_t k = 2; k + 2 < n; k++) {
        m->v[k] = (8 * (x[k + 1] - x[k - 1]) - (x[k + 2] - x[k - 2])) / (12 * h);
        m->a[k] = (16 * (x[k + 1] + x[k - 1]) - (x[k + 2] + x[k - 2]) - 30 * x[k]) / (12 * h * h);
    }
    m->v[0] = m->v[1] = m->v[2];
    m->a[0] = m->a[1] = m->a[2];
    m->v[n - 1] = m->v[n - 2] = m->v[n - 3];
    m->a[n - 1] = m->a[n - 2] = m->a[n - 3];
    return true;
}

void yk_asked_free(struct yk_motion_asked *m)
{
    free(m->v);
    free(m->a);
    m->v = m->a = NULL;
}

static void peak(double now, double t, double *most, double *when)
{
    if (fabs(now) > *most) {
        *most = fabs(now);
        *when = t;
    }
}

struct yk_asked_peaks yk_asked_peaks(const struct yk_motion_asked *m)
{
    struct yk_asked_peaks p = {0};

    for (size_t k = 0; k < m->n; k++) {
        const double t = (double)k * m->dt;

        peak(m->x[k], t, &p.stroke, &p.stroke_at);
        peak(m->v[k], t, &p.speed, &p.speed_at);
        peak(m->a[k], t, &p.acceleration, &p.acceleration_at);
        peak(m->force[k], t, &p.force, &p.force_at);
        peak(m->force[k] * m->v[k], t, &p.power, &p.power_at);
    }
    return p;
}

/* ---- an actuator ---- */

double yk_actuator_area(const struct yk_actuator_row *row)
{
    return row->force / row->supply;
}

/* eq. (2) */
double yk_actuator_speed(const struct yk_actuator_row *row, double force)
{
    const double left = 1 - force / row->force;

    return left > 0 ? row->flow * sqrt(row->supply / row->drop * left) / yk_actuator_area(row) : 0;
}

double yk_actuator_power(const struct yk_actuator_row *row)
{
    return row->force * yk_actuator_speed(row, 0);
}

/* eq. (3)-(5) */
void yk_actuator_use_of(const struct yk_actuator_row *row, const struct yk_motion_asked *m,
                        struct yk_actuator_needed *needed)
{
    const double unloaded = yk_actuator_speed(row, 0);

    *needed = (struct yk_actuator_needed){0};
    for (size_t k = 0; k < m->n; k++) {
        const double F = (m->force[k] + row->piston_mass * m->a[k]) / row->force, along = m->v[k] < 0 ? -F : F,
                     speed = m->v[k] / unloaded, curve = 0.5 * (along + sqrt(along * along + 4 * speed * speed)),
                     stroke = fabs(m->x[k]) / row->stroke, most = fmax(stroke, fmax(curve, fabs(F)));

        needed->stroke = fmax(needed->stroke, stroke);
        needed->force = fmax(needed->force, fabs(F));
        needed->curve = fmax(needed->curve, curve);
        needed->flow = fmax(needed->flow, yk_actuator_area(row) * fabs(m->v[k]));
        if (most > needed->most) {
            needed->most = most;
            needed->at_s = (double)k * m->dt;
        }
    }
}

/* eq. (6). The curve falls faster and faster with the force, so it is the lowest of the lines through its points; the
 * first one goes on to loads that help. */
static double outline_share(const struct yk_sizing_picture *p, double F, double v)
{
    const double against = (v < 0 ? -F : F) / p->force, step = 1 / (double)(p->points - 1);
    double share = fabs(F) / p->force;

    for (size_t i = 0; i + 1 < p->points; i++) {
        const double slope = (p->speed[i + 1] - p->speed[i]) / step, unloaded = p->speed[i] - slope * step * (double)i;

        share = fmax(share, (fabs(v) - slope * against) / unloaded);
    }
    return share;
}

struct yk_outline_used yk_sizing_used(const struct yk_sizing_picture *p)
{
    struct yk_outline_used used = {p->points > 1 && p->force > 0 && p->speed[0] > 0 ? 0 : (double)NAN, 0};

    for (size_t k = 0; k < p->asked->n && !isnan(used.most); k++) {
        const double share = outline_share(p, p->asked->force[k], p->asked->v[k]);

        if (share > used.most)
            used = (struct yk_outline_used){share, (double)k * p->asked->dt};
    }
    return used;
}

double yk_sizing_helped(const struct yk_sizing_picture *p)
{
    return p->speed[0] + (double)(p->points - 1) * (p->speed[0] - p->speed[1]);
}
