/* Response curves R(u, w) = 0 of a structure whose specimen is tested, by pseudo-arclength: docs/theory/iterate.md,
 * eq. (3). Unknowns y = (u, w), scaled. Predictor: along the null vector of the Jacobian; corrector: Broyden on
 * [R; t.(y - y_predicted)]. Folds: where dw changes sign, by the parabola through three points. */
#include <yoke/iterate.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 4, HALVINGS = 8 };
#define GROWS   1.3
#define SHRINKS 0.7
#define LONGEST 3.0 /* times the first step */

struct yk_response_settings yk_response_defaults(void)
{
    struct yk_response_settings s = {.corrector = yk_broyden_defaults(),
                                     .step = 0.1,
                                     .u_scale = 1,
                                     .w_scale = 1,
                                     .most_points = 400,
                                     .jacobian_every = 10,
                                     .difference = 1e-3};

    s.corrector.most = 10;
    return s;
}

struct trace {
    const struct yk_response_settings *s;
    size_t n, m; /* unknowns u; with w */
    yk_response_run *run;
    void *self;
    struct yk_response_result *r;
    double *J; /* n x m, of scaled unknowns */
    double *A, *y, *t, *from, *dy, *R, *dR, *last, *u;
    double along[3], w[3]; /* arclength and w of the last points */
};

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static enum yk_status evaluate(struct trace *c, const double *y, double *R, struct yk_err *err)
{
    for (size_t i = 0; i < c->n; i++)
        c->u[i] = y[i] * c->s->u_scale;
    c->r->runs++;
    return c->run(c->self, y[c->n] * c->s->w_scale, c->u, R, err);
}

/* The Jacobian at y, whose residual is R, by differences. */
static enum yk_status difference(struct trace *c, const double *R, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t j = 0; j < c->m && !st; j++) {
        const double h = c->s->difference, at = c->y[j];

        c->y[j] = at + h;
        st = evaluate(c, c->y, c->dR, err);
        c->y[j] = at;
        for (size_t i = 0; i < c->n; i++)
            c->J[i * c->m + j] = (c->dR[i] - R[i]) / h;
    }
    return st;
}

/* [J; t] dy = b, b of m numbers in c->dy. */
static bool bordered(struct trace *c)
{
    memcpy(c->A, c->J, c->n * c->m * sizeof *c->A);
    memcpy(c->A + c->n * c->m, c->t, c->m * sizeof *c->A);
    return yk_solve_real(c->m, c->A, 1, c->dy);
}

/* t := the null vector of J, in the direction it had. */
static bool turn(struct trace *c)
{
    memset(c->dy, 0, c->m * sizeof *c->dy);
    c->dy[c->n] = 1; /* t_old . t_new = 1 */
    if (!bordered(c))
        return false;
    const double size = sqrt(dot(c->m, c->dy, c->dy));

    if (!(size > 0) || !isfinite(size))
        return false;
    for (size_t i = 0; i < c->m; i++)
        c->t[i] = c->dy[i] / size;
    return true;
}

/* From the prediction c->y to the curve. A correction longer than `longest` (0: any) is not sent to the rig: the
 * prediction was too far. Writes the number of corrections; 0: it failed. */
static enum yk_status correct(struct trace *c, double longest, int *corrections, double *residual, struct yk_err *err)
{
    const struct yk_broyden_settings *s = &c->s->corrector;
    enum yk_status st = evaluate(c, c->y, c->R, err);

    *corrections = 0;
    memcpy(c->from, c->y, c->m * sizeof *c->y);
    for (int k = 0; k <= s->most && !st; k++) {
        *residual = sqrt(dot(c->n, c->R, c->R)) / s->scale;
        if (*residual < s->tolerance) {
            *corrections = k + 1;
            return YK_OK;
        }
        for (size_t i = 0; i < c->n; i++)
            c->dy[i] = -c->R[i];
        c->dy[c->n] = 0;
        for (size_t i = 0; i < c->m; i++)
            c->dy[c->n] -= c->t[i] * (c->y[i] - c->from[i]);
        if (k == s->most || !isfinite(*residual) || !bordered(c))
            return YK_OK;
        if (longest > 0 && dot(c->m, c->dy, c->dy) > longest * longest)
            return YK_OK;
        for (size_t i = 0; i < c->m; i++)
            c->y[i] += c->dy[i];
        memcpy(c->last, c->R, c->n * sizeof *c->R);
        if ((st = evaluate(c, c->y, c->R, err)))
            return st;
        for (size_t i = 0; i < c->n; i++)
            c->dR[i] = c->R[i] - c->last[i];
        yk_broyden_update(c->n, c->m, c->J, c->dy, c->dR);
    }
    return st;
}

/* A fold between the last three points. */
static void find_fold(struct trace *c)
{
    const double a = c->along[1] - c->along[0], b = c->along[2] - c->along[1], p = (c->w[1] - c->w[0]) / a,
                 q = (c->w[2] - c->w[1]) / b, bend = (q - p) / (a + b);
    struct yk_response_result *r = c->r;

    if (r->points < 3 || !(p * q < 0) || r->fold_count == YK_FOLDS)
        return;
    /* w = w1 + slope s + bend s^2 around the middle point */
    const double slope = p + bend * a;

    r->folds[r->fold_count++] =
        (struct yk_fold){.w = (c->w[1] - slope * slope / (4 * bend)) * c->s->w_scale, .after = r->points - 2};
}

static bool add_point(struct trace *c, yk_response_point *point, double gone, double residual)
{
    for (size_t i = 0; i < c->n; i++)
        c->u[i] = c->y[i] * c->s->u_scale;
    memmove(c->along, c->along + 1, 2 * sizeof *c->along);
    memmove(c->w, c->w + 1, 2 * sizeof *c->w);
    c->along[2] = c->along[1] + gone;
    c->w[2] = c->y[c->n];
    c->r->points++;
    find_fold(c);
    return point(c->self, c->y[c->n] * c->s->w_scale, c->u, residual, c->r->runs);
}

/* A step along the curve from c->y. false: it stays where it is. */
static enum yk_status advance(struct trace *c, double *step, yk_response_point *point, bool *goes_on,
                              struct yk_err *err)
{
    double *back = c->A + c->m * c->m, residual = 0;
    enum yk_status st;

    memcpy(back, c->y, c->m * sizeof *back);
    *goes_on = true;
    for (int halvings = 0; halvings < HALVINGS; halvings++) {
        int corrections;

        for (size_t i = 0; i < c->m; i++)
            c->y[i] = back[i] + *step * c->t[i];
        if ((st = correct(c, *step, &corrections, &residual, err)))
            return st;
        if (corrections) {
            double gone = 0;

            for (size_t i = 0; i < c->m; i++)
                gone += (c->y[i] - back[i]) * (c->y[i] - back[i]);
            *step *= corrections - 1 <= FEW ? GROWS : SHRINKS;
            *step = fmin(*step, LONGEST * c->s->step);
            *goes_on = add_point(c, point, sqrt(gone), residual);
            return YK_OK;
        }
        memcpy(c->y, back, c->m * sizeof *back);
        *step /= 2;
        if ((st = evaluate(c, c->y, c->R, err)) || (st = difference(c, c->R, err)))
            return st;
        if (!turn(c))
            break;
    }
    *goes_on = false;
    return YK_OK;
}

/* The first point, at w = from, and the direction of the curve there. */
static enum yk_status begin(struct trace *c, const double *u, const double *J, yk_response_point *point, bool *goes_on,
                            struct yk_err *err)
{
    const struct yk_response_settings *s = c->s;
    double residual = 0;
    int corrections;
    enum yk_status st;

    for (size_t i = 0; i < c->n; i++) {
        c->y[i] = u[i] / s->u_scale;
        for (size_t j = 0; j < c->n; j++)
            c->J[i * c->m + j] = J[i * c->n + j] * s->u_scale;
    }
    c->y[c->n] = s->from / s->w_scale;
    c->t[c->n] = s->to > s->from ? 1 : -1; /* the first corrector keeps w */
    if ((st = correct(c, 0, &corrections, &residual, err)))
        return st;
    if (!corrections)
        return yk_fail(err, YK_E_DIVERGED, "the iteration does not converge at the first frequency (residual %.3g)",
                       residual);
    if ((st = difference(c, c->R, err)))
        return st;
    *goes_on = turn(c) && add_point(c, point, 0, residual);
    return YK_OK;
}

static enum yk_status follow(struct trace *c, yk_response_point *point, struct yk_err *err)
{
    const struct yk_response_settings *s = c->s;
    const double low = fmin(s->from, s->to) / s->w_scale, high = fmax(s->from, s->to) / s->w_scale;
    double step = s->step;
    enum yk_status st = YK_OK;

    for (bool goes_on = true; !st && goes_on && c->r->points < s->most_points;) {
        if ((st = advance(c, &step, point, &goes_on, err)) || !goes_on)
            return st;
        if (c->y[c->n] < low || c->y[c->n] > high) {
            c->r->complete = true;
            return YK_OK;
        }
        if (s->jacobian_every > 0 && c->r->points % (size_t)s->jacobian_every == 0)
            st = difference(c, c->R, err);
        if (!st && !turn(c))
            return YK_OK;
    }
    return st;
}

enum yk_status yk_response_trace(const struct yk_response_settings *s, size_t n, double *u, const double *J,
                                 yk_response_run *run, yk_response_point *point, void *self,
                                 struct yk_response_result *result, struct yk_err *err)
{
    const size_t m = n + 1;
    struct trace c = {.s = s, .n = n, .m = m, .run = run, .self = self, .r = result};
    bool goes_on = true;
    enum yk_status st;

    *result = (struct yk_response_result){0};
    if (!(c.A = calloc(m * m + n * m + 10 * m, sizeof(double))))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    c.J = c.A + m * m + m; /* one row beyond A is room for a point */
    c.y = c.J + n * m;
    c.t = c.y + m;
    c.from = c.t + m;
    c.dy = c.from + m;
    c.R = c.dy + m;
    c.dR = c.R + m;
    c.last = c.dR + m;
    c.u = c.last + m;
    st = begin(&c, u, J, point, &goes_on, err);
    if (!st && goes_on)
        st = follow(&c, point, err);
    for (size_t i = 0; i < n; i++)
        u[i] = c.y[i] * s->u_scale;
    free(c.A);
    return st;
}
