/* Past targets and the polynomial through them. docs/theory/delay.md, eq. (4)-(5). */
#include "transfer/compensate/past.h"

#include <string.h>

enum { MOST_STRIDE = 10000 };

enum yk_status yk_past_check(const char *name, double dt, int stages, struct yk_err *err)
{
    if (!(dt > 0 && isfinite(dt)))
        return yk_fail(err, YK_E_RANGE, "%s: step = %g s is not above 0", name, dt);
    if (stages < 1 || stages > YK_TARGET_STAGES)
        return yk_fail(err, YK_E_RANGE, "%s: %d targets in a step, outside 1 .. %d", name, stages, YK_TARGET_STAGES);
    return YK_OK;
}

enum yk_status yk_past_init(struct yk_past *past, const char *name, double dt, int stages, int data, double apart,
                            struct yk_arena *mem, struct yk_err *err)
{
    const double D = data == YK_PAST_STAGE ? dt / stages : dt;
    const enum yk_status st = yk_past_check(name, dt, stages, err);

    if (st)
        return st;
    past->rows = data == YK_PAST_STAGE ? 1 : stages;
    past->stride = (int)fmax(1, fmin(round(apart / D), MOST_STRIDE));
    past->D = past->stride * D;
    past->length = (YK_PAST_LENGTH - 1) * past->stride + 1;
    if (!yk_arena_array(mem, &past->ring, (size_t)past->rows * (size_t)past->length))
        return yk_fail(err, YK_E_MEMORY, "%s: out of memory for %d targets", name, past->rows * past->length);
    yk_past_reset(past, 0);
    return YK_OK;
}

YK_RT void yk_past_reset(void *self, double x0)
{
    struct yk_past *past = self;

    for (int i = 0; i < past->rows * past->length; i++)
        past->ring[i] = x0;
    memset(past->newest, 0, sizeof past->newest);
}

YK_RT const double *yk_past_push(struct yk_past *past, const struct yk_target *target)
{
    const int row = past->rows > 1 ? target->stage : 0;
    double *ring = past->ring + row * past->length;
    int at = past->newest[row] == 0 ? past->length - 1 : past->newest[row] - 1; /* the next older follows */

    past->newest[row] = at;
    ring[at] = target->x;
    for (int j = 0; j < YK_PAST_LENGTH; j++) {
        past->row[j] = ring[at];
        at += past->stride;
        at -= at >= past->length ? past->length : 0;
    }
    return past->row;
}

/* eq. (4): a_j(eta + d) = prod_m (eta + d + m)/(m - j), expanded in d up to d^3 */
YK_RT void yk_past_weights(struct yk_weights *weights, int order, double eta)
{
    for (int j = 0; j <= order; j++) {
        double c[YK_DERIVATIVES] = {1};

        for (int m = 0; m <= order; m++) {
            if (m == j)
                continue;
            const double slope = 1.0 / (m - j), value = (eta + m) * slope;

            c[3] = c[3] * value + c[2] * slope;
            c[2] = c[2] * value + c[1] * slope;
            c[1] = c[1] * value + c[0] * slope;
            c[0] *= value;
        }
        weights->w[0][j] = c[0];
        weights->w[1][j] = c[1];
        weights->w[2][j] = 2 * c[2];
        weights->w[3][j] = 6 * c[3];
    }
}
